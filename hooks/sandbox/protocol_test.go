package sandbox

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestFrames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.Byte().Draw(t, "kind")
		size := rapid.SampledFrom([]int{0, 1, 7, maxSingleWrite - 1, maxSingleWrite, maxSingleWrite + 1, growStep, growStep + 1, 3*growStep + 5}).Draw(t, "size")
		payload := bytes.Repeat([]byte{kind}, size)
		var wire bytes.Buffer
		if err := writeFrame(&wire, kind, payload); err != nil {
			t.Fatal(err)
		}
		room := make([]byte, rapid.IntRange(0, 2*growStep).Draw(t, "room"))
		got, err := readFrame(iotest.HalfReader(&wire), kind, room)
		if err != nil || !bytes.Equal(got, payload) {
			t.Fatalf("%d bytes came back as %d: %v", size, len(got), err)
		}
		if _, _, err := readHeader(&wire); !errors.Is(err, io.EOF) {
			t.Fatalf("bytes are left: %v", err)
		}
	})
}

// TestBrokenFrames checks that truncated frames and frames of the wrong kind are errors, and
// that reading a missing payload takes few allocations.
func TestBrokenFrames(t *testing.T) {
	got, err := readPayload(bytes.NewReader([]byte("short")), maxFrame, nil)
	if !errors.Is(err, io.ErrUnexpectedEOF) || got != nil {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
	if most := testing.AllocsPerRun(10, func() { _, _ = readPayload(bytes.NewReader(nil), maxFrame, nil) }); most > 20 {
		t.Errorf("readPayload allocates %v times", most)
	}
	if _, _, err := readHeader(bytes.NewReader([]byte("A\x01"))); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("half a header: %v", err)
	}
	if _, err := readFrame(bytes.NewReader([]byte("X\x00\x00\x00\x00")), frameRequest, nil); err == nil {
		t.Error("readFrame accepts another kind")
	}
}

// newFrameHandler returns a worker that has no process and only handles frames.
func newFrameHandler() *Worker {
	proc := &process{reaped: true, gone: make(chan struct{})}
	close(proc.gone)
	w := newDetachedWorker(&Config{StartTimeout: DefaultStartTimeout, IdleTimeout: DefaultIdleTimeout, MaxAnswer: 1 << 16}, proc)
	w.calls = []*call{{budget: DefaultCallTimeout, done: make(chan struct{})}, {budget: DefaultCallTimeout, done: make(chan struct{})}}
	return w
}

// FuzzFrames checks that a worker accepts at most two answers, within the limit, from
// arbitrary bytes.
func FuzzFrames(f *testing.F) {
	f.Add([]byte("R\x00\x00\x00\x00A\x02\x00\x00\x00hiN\x01\x00\x00\x00xA\x00\x00\x00\x00"))
	f.Add([]byte("A\xff\xff\xff\xff"))
	f.Add([]byte("F\x03\x00\x00\x00why"))
	f.Add([]byte("A\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, text []byte) {
		w := newFrameHandler()
		defer w.timer.Stop()
		both := w.calls
		from, err := bytes.NewReader(text), error(nil)
		var room []byte
		var failure *Failure
		for err == nil && failure == nil {
			var kind byte
			var size int
			if kind, size, err = readHeader(from); err == nil {
				failure, err = w.handleFrame(from, kind, size, &room)
			}
		}
		var answers []int
		for i, one := range both {
			select {
			case <-one.done:
				answers = append(answers, i)
				if len(one.answer) > 1<<16 || !strings.Contains(string(text), one.answer) {
					t.Errorf("answer %d of %d bytes was accepted", i, len(one.answer))
				}
			default:
			}
		}
		if want := []int{0, 1}[:len(answers)]; len(answers) > 0 && !cmp.Equal(answers, want) {
			t.Errorf("the calls %v were answered", answers)
		}
	})
}

// TestCallBudget checks that the budget of a call starts when the previous call is answered.
func TestCallBudget(t *testing.T) {
	w := newFrameHandler()
	defer w.timer.Stop()
	for i, want := range []time.Duration{time.Minute + readGrace, time.Hour, DefaultIdleTimeout} {
		before := time.Now()
		if i == 0 {
			w.calls[0].budget, w.calls[1].budget, w.calls[1].sent = time.Minute, time.Hour, true
			w.applyLimits(Limits{})
		} else {
			w.completeCall("")
		}
		if from, to := before.Add(want), time.Now().Add(want); w.deadline.Before(from) || w.deadline.After(to) {
			t.Errorf("after %d answers, the deadline is in %v, want %v", i, w.deadline.Sub(before), want)
		}
	}
}
