package sandbox

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

const (
	// maxInFlight is the maximum number of calls that a worker has received but not answered.
	maxInFlight = 2
	// readGrace is the time that a worker may take to read a request before its budget
	// begins. A worker that never reads gains only this time.
	readGrace = 150 * time.Millisecond
	// exitGrace is the time that a process may take to end after it has closed a pipe, and the
	// time for which its last frames are read after it has ended.
	exitGrace = 200 * time.Millisecond
)

// Worker is a sandboxed process for one caller. It is safe for concurrent use.
type Worker struct {
	cfg       *Config
	proc      *process
	monitor   *usageMonitor
	maxMemory int64
	maxAnswer int
	stderr    headTail
	callSlots chan struct{}
	sendMu    sync.Mutex
	out       frameWriter // guarded by sendMu
	ready     chan struct{}
	dead      chan struct{}

	mu              sync.Mutex
	isReady         bool
	calls           []*call
	lastNote        string // the last note of the last answered call
	failed          *Failure
	failedAt        time.Time
	timer           *time.Timer
	deadline        time.Time
	deadlineFailure Failure
	// readers waits for the goroutines that read the pipes. These goroutines end before dead is
	// closed.
	readers sync.WaitGroup
}

// call is a request that has not been answered yet.
type call struct {
	budget time.Duration
	// sent reports whether the whole request was sent.
	sent      bool
	note      string
	notedAt   time.Time
	noteCount int
	answer    string
	done      chan struct{}
}

func newWorker(cfg *Config, proc *process, monitor *usageMonitor) *Worker {
	w := newDetachedWorker(cfg, proc)
	w.monitor = monitor
	w.readers.Go(w.readFrames)
	w.readers.Go(w.readStderr)
	return w
}

// newDetachedWorker returns a worker whose pipes are not being read yet.
func newDetachedWorker(cfg *Config, proc *process) *Worker {
	w := &Worker{
		cfg: cfg, proc: proc, out: frameWriter{to: proc.in},
		maxMemory: cfg.Memory, maxAnswer: cfg.MaxAnswer,
		callSlots: make(chan struct{}, maxInFlight),
		ready:     make(chan struct{}),
		dead:      make(chan struct{}),
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.deadline = time.Now().Add(cfg.StartTimeout)
	w.deadlineFailure = Failure{Kind: KindStart, Detail: fmt.Sprintf("it was not ready within %v", cfg.StartTimeout)}
	w.timer = time.AfterFunc(cfg.StartTimeout, w.onDeadline)
	return w
}

// initialize sends the restrictions and waits until the worker is ready.
func (w *Worker) initialize(order restrictions) error {
	text, err := json.Marshal(order)
	if err == nil {
		err = writeFrame(w.proc.in, frameLimits, text)
	}
	if err == nil {
		err = writeFrame(w.proc.in, frameSetup, w.cfg.Setup)
	}
	if err != nil {
		w.failPipe("it did not accept its restrictions: " + err.Error())
	}
	select {
	case <-w.ready:
		return nil
	case <-w.dead:
		return w.startError()
	}
}

// startError returns the failure of a worker that has not received untrusted input. It
// includes the standard error output, because that comes from this program or from Node and
// is the most helpful part.
func (w *Worker) startError() error {
	if words := strings.TrimSpace(w.failed.Stderr); words != "" {
		return fmt.Errorf("%w; it wrote: %.1000s", w.failed, words)
	}
	return w.failed
}

// assign prepares the worker for its caller: it sets the limits and starts monitoring the usage.
func (w *Worker) assign(limits Limits) {
	w.applyLimits(limits)
	w.monitor.track(w)
}

func (w *Worker) applyLimits(limits Limits) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if limits.Memory > 0 {
		w.maxMemory = min(w.maxMemory, limits.Memory)
	}
	if limits.MaxAnswer > 0 {
		w.maxAnswer = min(w.maxAnswer, limits.MaxAnswer)
	}
	w.resetDeadline()
}

// Call sends a request and returns the answer. The worker is ended if it takes longer than
// budget; 0 means CallTimeout. The time starts when the worker has received the request and
// answered all earlier calls. A second call may be sent while the first one is running, so
// that the worker can start it immediately. Further calls wait.
//
// A request that is too long is refused with a *TooLongError and has no effect. Any other
// error is a *Failure, which means that the worker has ended. Cancelling the context also
// ends the worker.
func (w *Worker) Call(ctx context.Context, request []byte, budget time.Duration) (string, error) {
	if len(request) > w.cfg.MaxRequest {
		return "", &TooLongError{Size: len(request), Most: w.cfg.MaxRequest}
	}
	budget = cmp.Or(max(budget, 0), w.cfg.CallTimeout)
	stop := context.AfterFunc(ctx, func() {
		w.fail(&Failure{Kind: KindClosed, Detail: "a call was cancelled", Cause: context.Cause(ctx)})
	})
	defer stop()
	select {
	case w.callSlots <- struct{}{}:
		defer func() { <-w.callSlots }()
	case <-w.dead:
		return "", w.failed
	}
	one := &call{budget: budget, done: make(chan struct{})}
	w.enqueue(one, request)
	select {
	case <-one.done:
	case <-w.dead:
	}
	select {
	case <-one.done:
		return one.answer, nil
	default:
		return "", w.failed
	}
}

// LastNote returns the last note of the last answered call, or "". It is untrusted.
func (w *Worker) LastNote() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lastNote
}

// PID returns the process ID, for logs.
func (w *Worker) PID() int { return w.proc.os.Pid }

// hasEnded reports whether the process of the worker has ended.
func (w *Worker) hasEnded() bool {
	select {
	case <-w.proc.gone:
		return true
	default:
		return false
	}
}

// Close ends the worker and returns when its process is gone.
func (w *Worker) Close() {
	w.fail(&Failure{Kind: KindClosed, Detail: "it was closed"})
	<-w.dead
}

// enqueue queues a call and sends its request. Requests are sent in the order of the queue.
func (w *Worker) enqueue(one *call, request []byte) {
	w.sendMu.Lock()
	defer w.sendMu.Unlock()
	w.mu.Lock()
	w.calls = append(w.calls, one)
	if len(w.calls) == 1 {
		w.resetDeadline()
	}
	w.mu.Unlock()
	if err := w.out.write(frameRequest, request); err != nil {
		w.failPipe("it did not accept a request: " + err.Error())
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if one.sent = true; len(w.calls) > 0 && w.calls[0] == one {
		w.resetDeadline()
	}
}

// resetDeadline sets the timer to the deadline of the first call or, if there is no call,
// to the end of IdleTimeout.
func (w *Worker) resetDeadline() {
	if len(w.calls) == 0 {
		w.setDeadline(w.cfg.IdleTimeout, KindIdle, fmt.Sprintf("it was idle for %v", w.cfg.IdleTimeout))
		return
	}
	budget := w.calls[0].budget
	text := fmt.Sprintf("a call was not answered within %v", budget)
	if !w.calls[0].sent {
		budget += readGrace
	}
	w.setDeadline(budget, KindDeadline, text)
}

func (w *Worker) setDeadline(after time.Duration, kind Kind, detail string) {
	if w.failed != nil {
		return
	}
	w.deadline, w.deadlineFailure = time.Now().Add(after), Failure{Kind: kind, Detail: detail}
	w.timer.Reset(after)
}

// onDeadline runs when the timer fires. The timer may fire too early, because another
// goroutine may have just moved the deadline.
func (w *Worker) onDeadline() {
	w.mu.Lock()
	if left := time.Until(w.deadline); left > 0 {
		w.timer.Reset(left)
		w.mu.Unlock()
		return
	}
	late := w.deadlineFailure
	w.setFailure(&late)
	w.mu.Unlock()
	w.proc.kill()
}

// readStderr reads the standard error output until it ends or becomes too long.
func (w *Worker) readStderr() {
	if w.stderr.readFrom(w.proc.err, maxStderr) {
		w.fail(&Failure{Kind: KindOutput, Detail: fmt.Sprintf("it wrote more than %d bytes to its standard error", maxStderr)})
	}
}

// fail ends the worker with a failure. If it is called more than once, the first failure is kept.
func (w *Worker) fail(f *Failure) {
	w.mu.Lock()
	w.setFailure(f)
	w.mu.Unlock()
	w.proc.kill()
}

func (w *Worker) setFailure(f *Failure) {
	if w.failed == nil {
		f.Exit = -1
		w.failed, w.failedAt = f, time.Now()
	}
}

// failPipe handles a broken pipe. If the process has just ended, the failure reports its
// exit status instead.
func (w *Worker) failPipe(detail string) {
	select {
	case <-w.proc.gone:
	case <-time.After(exitGrace):
		w.fail(&Failure{Kind: KindProtocol, Detail: detail})
	}
}

// reap waits until the process has ended, and releases all resources.
func (w *Worker) reap() {
	end := w.proc.wait()
	w.proc.expirePipes(exitGrace)
	w.readers.Wait()
	w.mu.Lock()
	if w.failed == nil {
		w.failed, w.failedAt = exitFailure(end), time.Now()
	}
	w.failed.addStderr(w.stderr.text())
	if len(w.calls) > 0 && w.calls[0].noteCount > 0 {
		w.failed.Note, w.failed.Noted = w.calls[0].note, max(0, w.failedAt.Sub(w.calls[0].notedAt))
	}
	w.mu.Unlock()
	w.timer.Stop()
	w.proc.close()
	close(w.dead)
}

// readFrames reads frames until the pipe ends or a frame is invalid.
func (w *Worker) readFrames() {
	from := bufio.NewReaderSize(w.proc.out, 64<<10)
	var room []byte
	for {
		kind, size, err := readHeader(from)
		if err != nil {
			w.failPipe("it closed its output")
			return
		}
		f, err := w.handleFrame(from, kind, size, &room)
		if err != nil {
			w.failPipe("a frame is incomplete: " + err.Error())
			return
		}
		if f != nil {
			w.fail(f)
			return
		}
	}
}

// handleFrame handles a frame. It returns a failure if the frame is invalid. It reads the
// payload into *room, a buffer that it keeps for later frames unless the payload is large.
func (w *Worker) handleFrame(from io.Reader, kind byte, size int, room *[]byte) (*Failure, error) {
	if most := w.maxPayload(kind); size > most {
		return oversizedFrame(kind, size, most), nil
	}
	if !w.isExpected(kind) {
		return &Failure{Kind: KindProtocol, Detail: fmt.Sprintf("it sent an unexpected frame of kind %q", kind)}, nil
	}
	payload, err := readPayload(from, size, *room)
	if err != nil {
		return nil, err
	}
	if *room = payload; cap(payload) > maxKeptBuffer {
		*room = nil
	}
	switch kind {
	case frameReady:
		w.markReady()
	case frameNote:
		w.recordNote(string(payload))
	case frameAnswer:
		w.completeCall(string(payload))
	case frameFault:
		return &Failure{Kind: KindFault, Detail: "it failed: " + string(payload)}, nil
	}
	return nil, nil
}

// maxPayload returns the maximum payload length, in bytes, for a kind of frame.
func (w *Worker) maxPayload(kind byte) int {
	switch kind {
	case frameAnswer:
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.maxAnswer
	case frameFault:
		return maxFaultText
	case frameNote:
		return maxNoteText
	}
	return 0
}

func oversizedFrame(kind byte, size, most int) *Failure {
	if kind == frameAnswer {
		return &Failure{Kind: KindOutput, Detail: fmt.Sprintf("its answer has %d bytes, more than %d", size, most)}
	}
	return &Failure{Kind: KindProtocol, Detail: fmt.Sprintf("it sent a frame of kind %q with %d bytes", kind, size)}
}

// isExpected reports whether a frame of this kind is valid now.
func (w *Worker) isExpected(kind byte) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch kind {
	case frameReady:
		return !w.isReady
	case frameAnswer:
		return len(w.calls) > 0
	case frameNote:
		return len(w.calls) > 0 && w.calls[0].noteCount < maxNotes
	}
	return kind == frameFault
}

func (w *Worker) markReady() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.isReady = true
	if w.failed == nil {
		w.timer.Stop()
		close(w.ready)
	}
}

func (w *Worker) recordNote(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	one := w.calls[0]
	one.note, one.notedAt = text, time.Now()
	one.noteCount++
}

// completeCall completes the first call. It drops the answer if the worker has already failed.
func (w *Worker) completeCall(answer string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failed != nil {
		return
	}
	first := w.calls[0]
	w.calls = w.calls[1:]
	w.resetDeadline()
	first.answer = answer
	w.lastNote = first.note
	close(first.done)
}
