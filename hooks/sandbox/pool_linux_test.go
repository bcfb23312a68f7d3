package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/intraydata/intray"
)

// needSandbox skips the test if no sandbox can be built.
func needSandbox(t testing.TB) {
	t.Helper()
	if lacks := ProbeCapabilities().missingRequired(); len(lacks) > 0 {
		t.Skip(strings.Join(intray.RenderAll(lacks), "; "))
	}
}

// open returns a pool that is closed after the test.
func open(t testing.TB, cfg Config) *Pool {
	t.Helper()
	needSandbox(t)
	c, err := New(cfg)
	if err != nil {
		t.Fatalf("no pool: %v", err)
	}
	t.Cleanup(c.Close)
	return c
}

// lend returns a worker that is closed after the test.
func lend(t testing.TB, c *Pool) *Worker {
	t.Helper()
	w, err := c.Worker(context.Background(), Limits{})
	if err != nil {
		t.Fatalf("no worker: %v", err)
	}
	t.Cleanup(w.Close)
	return w
}

// ask makes a call that must succeed.
func ask(t testing.TB, w *Worker, request string) string {
	t.Helper()
	answer, err := w.Call(context.Background(), []byte(request), 0)
	if err != nil {
		t.Fatalf("%.40s: %v", request, err)
	}
	return answer
}

// waitForExit waits until a process has ended. It need not be a child of this one.
func waitForExit(t testing.TB, pid int) {
	t.Helper()
	fd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ESRCH) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(patient.Milliseconds()))
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			t.Fatal(err)
		case n == 0:
			t.Fatalf("the process %d does not end", pid)
		default:
			return
		}
	}
}

// leak makes a file inheritable.
func leak(file *os.File) error {
	raw, err := file.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) { _, failed = unix.FcntlInt(fd, unix.F_SETFD, 0) })
	return errors.Join(err, failed)
}

func TestCalls(t *testing.T) {
	w := lend(t, open(t, Config{MaxAnswer: 32 << 20}))
	for _, length := range []int{0, 1, 100, maxSingleWrite, maxSingleWrite + 1, growStep + 1, 5 << 20} {
		text := strings.Repeat("é", length)
		if got := ask(t, w, "echo "+text); got != text {
			t.Errorf("%d bytes came back as %d", len(text), len(got))
		}
	}
}

// TestTwoInFlight checks that the budget of a call begins when the calls before it have
// ended: all three together take longer than each may.
func TestTwoInFlight(t *testing.T) {
	w := lend(t, open(t, Config{}))
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			if answer, err := w.Call(t.Context(), []byte("nap 300ms"), 800*time.Millisecond); err != nil || answer != "woke" {
				t.Errorf("got %q, %v", answer, err)
			}
		})
	}
	all.Wait()
}

// TestAllCallsFail checks that the second call fails if the first one ends the worker.
func TestAllCallsFail(t *testing.T) {
	w := lend(t, open(t, Config{}))
	kinds := make(chan Kind, 2)
	for _, request := range []string{"spin", "spin"} {
		go func() {
			_, err := w.Call(context.Background(), []byte(request), 100*time.Millisecond)
			var f *Failure
			errors.As(err, &f)
			kinds <- f.Kind
		}()
	}
	if one, two := <-kinds, <-kinds; one != KindDeadline || two != KindDeadline {
		t.Errorf("got %s and %s", one, two)
	}
}

func TestTooLongRequest(t *testing.T) {
	w := lend(t, open(t, Config{MaxRequest: 1000}))
	if _, err := w.Call(t.Context(), make([]byte, 1001), 0); err == nil || errors.As(err, new(*Failure)) {
		t.Errorf("got %v", err)
	}
	if got := ask(t, w, "echo well"); got != "well" {
		t.Errorf("the worker says %q", got)
	}
}

func TestLimitsOfOneWorker(t *testing.T) {
	c := open(t, Config{})
	for _, test := range []struct {
		limits  Limits
		command string
		kind    Kind
	}{
		{Limits{Memory: 64 << 20}, "hoard", KindMemory},
		{Limits{MaxAnswer: 1 << 20}, "large", KindOutput},
	} {
		w, err := c.Worker(t.Context(), test.limits)
		if err != nil {
			t.Fatal(err)
		}
		if f := broken(t, w, test.command, budgetOf(test.command)); f.Kind != test.kind {
			t.Errorf("%s: %s: %v", test.command, f.Kind, f)
		}
	}
	wide, err := c.Worker(t.Context(), Limits{Memory: 1 << 40, MaxAnswer: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	defer wide.Close()
	if wide.maxMemory != DefaultMemory || wide.maxAnswer != DefaultMaxAnswer {
		t.Errorf("the limits grew to %d and %d", wide.maxMemory, wide.maxAnswer)
	}
}

func TestGivingUp(t *testing.T) {
	w := lend(t, open(t, Config{}))
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err := w.Call(ctx, []byte("spin"), time.Hour)
	var f *Failure
	if !errors.As(err, &f) || f.Kind != KindClosed || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// TestSignals checks that signals that stop a service do not end its workers.
func TestSignals(t *testing.T) {
	w := lend(t, open(t, Config{}))
	for _, one := range []unix.Signal{unix.SIGTERM, unix.SIGINT, unix.SIGHUP} {
		if err := unix.Kill(w.proc.os.Pid, one); err != nil {
			t.Fatal(err)
		}
		if got := ask(t, w, "echo alive"); got != "alive" {
			t.Errorf("after %v the worker says %q", one, got)
		}
	}
}

func TestForgottenWorker(t *testing.T) {
	w := lend(t, open(t, Config{IdleTimeout: 50 * time.Millisecond}))
	<-w.dead
	if f := broken(t, w, "echo x", patient); f.Kind != KindIdle {
		t.Errorf("got %s: %v", f.Kind, f)
	}
}

func TestBadStarts(t *testing.T) {
	needSandbox(t)
	for _, test := range []struct {
		setup string
		kind  Kind
		words string
	}{
		{"refuse", KindFault, "no such runtime"},
		{"die", KindDied, "status 7"},
		{"sleep", KindStart, "not ready within 100ms"},
	} {
		timeout := patient
		if test.kind == KindStart {
			timeout = 100 * time.Millisecond
		}
		c, err := New(Config{Setup: []byte(test.setup), StartTimeout: timeout})
		var f *Failure
		if !errors.As(err, &f) || f.Kind != test.kind || !strings.Contains(err.Error(), test.words) {
			t.Errorf("%s: got %v, %v", test.setup, c, err)
		}
	}
}

func TestConfigs(t *testing.T) {
	for want, cfg := range map[string]Config{
		"unknown hook runtime \"deno\"":     {Runtime: "deno"},
		"unknown hook sandbox mode \"lax\"": {Mode: "lax"},
		"exceed the maximum":                {IdleWorkers: 3, MaxWorkers: 2},
		"negative":                          {Memory: -1},
		"limited to":                        {MaxAnswer: 2 << 30},
		"find Node":                         {Runtime: Node, NodePath: "/no/such/node"},
		"script for Node":                   {Runtime: Node, Script: strings.Repeat("x", 121<<10)},
		"not a memory cgroup":               {Cgroup: "/tmp"},
	} {
		if c, err := New(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %s, got %v, %v", want, c, err)
		}
	}
}

// TestWorkersAreFresh checks that no worker is used twice, and that idle workers are
// replaced.
func TestWorkersAreFresh(t *testing.T) {
	c := open(t, Config{IdleWorkers: 2, MaxWorkers: 3})
	var seen []int
	for range 10 {
		w := lend(t, c)
		seen = append(seen, w.proc.os.Pid)
		w.Close()
	}
	slices.Sort(seen)
	if all := len(slices.Compact(slices.Clone(seen))); all != 10 {
		t.Errorf("of 10 workers %d were different: %v", all, seen)
	}
}

// TestNoFilesAreLeft compares the open files before and after.
func TestNoFilesAreLeft(t *testing.T) {
	before, err := listOpenFiles()
	if err != nil {
		t.Fatal(err)
	}
	c := open(t, Config{})
	for i := range 20 {
		w := lend(t, c)
		if i%2 == 0 {
			broken(t, w, "exit", patient)
		}
		w.Close()
	}
	c.Close()
	if after, err := listOpenFiles(); err != nil || len(after) > len(before)+2 {
		t.Errorf("there were the files %v and now there are %v: %v", before, after, err)
	}
}

// TestWorkersAreBounded checks that a caller waits for a worker until it gets one or
// cancels.
func TestWorkersAreBounded(t *testing.T) {
	c := open(t, Config{IdleWorkers: 1, MaxWorkers: 2})
	one, _ := lend(t, c), lend(t, c)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if w, err := c.Worker(ctx, Limits{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v, %v", w, err)
	}
	go one.Close()
	if got := ask(t, lend(t, c), "echo third"); got != "third" {
		t.Errorf("got %q", got)
	}
}

func TestDeadSparesAreReplaced(t *testing.T) {
	c := open(t, Config{MaxWorkers: 1})
	first := c.living()[0]
	_ = unix.Kill(first.proc.os.Pid, unix.SIGKILL)
	<-first.dead
	w := lend(t, c)
	if got := ask(t, w, "echo new"); got != "new" || w == first {
		t.Errorf("got %q", got)
	}
}

// living returns the workers.
func (c *Pool) living() (list []*Worker) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for w := range c.alive {
		list = append(list, w)
	}
	return list
}

func TestCloseEndsAll(t *testing.T) {
	c := open(t, Config{IdleWorkers: 2, MaxWorkers: 4})
	failures := make(chan error, 2)
	for range 2 {
		w := lend(t, c)
		go func() {
			_, err := w.Call(context.Background(), []byte("spin"), time.Hour)
			failures <- err
		}()
	}
	all := append(c.living(), <-c.ready, <-c.ready) // the idle workers, too
	c.Close()
	for range 2 {
		var f *Failure
		if err := <-failures; !errors.As(err, &f) || f.Kind != KindClosed {
			t.Errorf("got %v", err)
		}
	}
	for _, w := range all {
		select {
		case <-w.dead:
		default:
			t.Errorf("the process %d still runs", w.proc.os.Pid)
		}
	}
	if w, err := c.Worker(t.Context(), Limits{}); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v, %v", w, err)
	}
}

// TestManyAtOnce uses, breaks and closes many workers at once.
func TestManyAtOnce(t *testing.T) {
	c := open(t, Config{IdleWorkers: 2, MaxWorkers: 6})
	commands := []string{"echo ok", "exit", "socket", "fault x", "echo ok"}
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			w, err := c.Worker(t.Context(), Limits{})
			if err != nil {
				t.Error(err)
				return
			}
			defer w.Close()
			command := commands[i%len(commands)]
			answer, err := w.Call(t.Context(), []byte(command), 0)
			if good := command == "echo ok"; good != (err == nil) || good && answer != "ok" {
				t.Errorf("%s: %q, %v", command, answer, err)
			}
		})
	}
	all.Wait()
}

// TestNotes checks that a failure has the last note of its call only.
func TestNotes(t *testing.T) {
	c := open(t, Config{IdleWorkers: 2})
	w := lend(t, c)
	if got := ask(t, w, "note one two"); got != "noted" {
		t.Errorf("got %q", got)
	}
	if got := w.LastNote(); got != "two" {
		t.Errorf("the answer came with the note %q", got)
	}
	if ask(t, w, "echo x"); w.LastNote() != "" {
		t.Errorf("an answer without notes came with %q", w.LastNote())
	}
	f := broken(t, w, "note "+strings.Repeat("x ", 5000)+"last spin", 300*time.Millisecond)
	if f.Kind != KindDeadline || f.Note != "last" || f.Noted < 100*time.Millisecond {
		t.Errorf("got %q %v ago, %v", f.Note, f.Noted, f)
	}
	w = lend(t, c)
	ask(t, w, "note one")
	if f := broken(t, w, "spin", 100*time.Millisecond); f.Note != "" || f.Noted != 0 {
		t.Errorf("got %q %v ago", f.Note, f.Noted)
	}
	w = lend(t, c)
	if f := broken(t, w, "raw "+frame('N', 4, "four")+frame('Q', 0, ""), 0); f.Kind != KindProtocol || f.Note != "four" {
		t.Errorf("got %q, %v", f.Note, f)
	}
	for _, forged := range []string{frame('N', maxNoteText+1, "x"), strings.Repeat(frame('N', 0, ""), maxNotes+1)} {
		if f := broken(t, lend(t, c), "raw "+forged, patient); f.Kind != KindProtocol {
			t.Errorf("%.20q: got %v", forged, f)
		}
	}
}

// TestTryWorker checks that there is no worker while all are in use, and one when one has
// ended.
func TestTryWorker(t *testing.T) {
	c := open(t, Config{MaxWorkers: 2, IdleWorkers: 1})
	first := lend(t, c)
	second, some, err := c.TryWorker(t.Context(), Limits{})
	if err != nil || !some {
		t.Fatalf("no second worker: %v", err)
	}
	t.Cleanup(second.Close)
	for range 3 {
		if w, some, err := c.TryWorker(t.Context(), Limits{}); w != nil || some || err != nil {
			t.Fatalf("got a third worker of two: %v, %v", w, err)
		}
	}
	first.Close()
	for some = false; !some; runtime.Gosched() { // the slot of the first one is released in the background
		var w *Worker
		if w, some, err = c.TryWorker(t.Context(), Limits{}); err != nil {
			t.Fatal(err)
		}
		if some {
			ask(t, w, "echo x")
			w.Close()
		}
	}
	c.Close()
	if w, some, err := c.TryWorker(t.Context(), Limits{}); w != nil || some || !errors.Is(err, ErrClosed) {
		t.Errorf("a closed pool returned %v, %v", w, err)
	}
}

// BenchmarkCall measures a call without computation. A batch of 1,000 rows has about 174
// kB.
func BenchmarkCall(b *testing.B) {
	w := lend(b, open(b, Config{}))
	for _, size := range []int{100, 174_000, 4 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			request := append([]byte("size "), bytes.Repeat([]byte("x"), size)...)
			b.SetBytes(int64(size))
			for b.Loop() {
				if _, err := w.Call(b.Context(), request, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkStart measures a worker that is started, restricted, ready and closed.
func BenchmarkStart(b *testing.B) {
	c := open(b, Config{MaxWorkers: 2})
	for b.Loop() {
		w, err := c.startWorker(<-c.slots)
		if err != nil {
			b.Fatal(err)
		}
		w.Close()
	}
}
