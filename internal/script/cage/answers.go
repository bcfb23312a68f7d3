package cage

import (
	"bufio"
	"fmt"
	"io"
	"time"
)

// read takes the frames of the worker until they end, or until one is wrong.
func (w *Worker) read() {
	from := bufio.NewReaderSize(w.proc.out, 64<<10)
	var room []byte
	for {
		kind, size, err := readHeader(from)
		if err != nil {
			w.lost("it closed its output")
			return
		}
		f, err := w.frame(from, kind, size, &room)
		if err != nil {
			w.lost("a frame broke off: " + err.Error())
			return
		}
		if f != nil {
			w.fail(f)
			return
		}
	}
}

// frame takes one frame, and gives a failure where it is wrong. The payload is read
// into the room, which is kept for the next one unless it is large.
func (w *Worker) frame(from io.Reader, kind byte, size int, room *[]byte) (*Failure, error) {
	if most := w.most(kind); size > most {
		return tooLong(kind, size, most), nil
	}
	if !w.fits(kind) {
		return &Failure{Kind: KindProtocol, Detail: fmt.Sprintf("it sent a frame of kind %q out of turn", kind)}, nil
	}
	payload, err := readPayload(from, size, *room)
	if err != nil {
		return nil, err
	}
	if *room = payload; cap(payload) > keep {
		*room = nil
	}
	switch kind {
	case frameReady:
		w.isReady()
	case frameNote:
		w.noted(string(payload))
	case frameAnswer:
		w.answered(string(payload))
	case frameFault:
		return &Failure{Kind: KindFault, Detail: "it could not go on: " + string(payload)}, nil
	}
	return nil, nil
}

// most is the longest payload of a kind.
func (w *Worker) most(kind byte) int {
	switch kind {
	case frameAnswer:
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.answer
	case frameFault:
		return longestFault
	case frameNote:
		return longestNote
	}
	return 0
}

func tooLong(kind byte, size, most int) *Failure {
	if kind == frameAnswer {
		return &Failure{Kind: KindOutput, Detail: fmt.Sprintf("its answer has %d bytes, and may have %d", size, most)}
	}
	return &Failure{Kind: KindProtocol, Detail: fmt.Sprintf("it sent a frame of kind %q with %d bytes", kind, size)}
}

// fits says whether a frame of the kind may come now.
func (w *Worker) fits(kind byte) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch kind {
	case frameReady:
		return !w.greet
	case frameAnswer:
		return len(w.calls) > 0
	case frameNote:
		return len(w.calls) > 0 && w.calls[0].notes < mostNotes
	}
	return kind == frameFault
}

func (w *Worker) isReady() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.greet = true
	if w.failed == nil {
		w.clock.Stop()
		close(w.ready)
	}
}

func (w *Worker) noted(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	one := w.calls[0]
	one.note, one.noted = text, time.Now()
	one.notes++
}

// answered ends the first call. An answer after a failure comes too late: who
// waits for it must find the worker dead.
func (w *Worker) answered(answer string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failed != nil {
		return
	}
	first := w.calls[0]
	w.calls = w.calls[1:]
	w.rearm()
	first.answer = answer
	w.last = first.note
	close(first.done)
}
