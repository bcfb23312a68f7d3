package cage

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

const (
	// inFlight is how many calls a worker may have got and not answered.
	inFlight = 2
	// grace is how long a worker may take to read a request. After it the budget
	// runs, so that one that never reads gains nothing.
	grace = 150 * time.Millisecond
	// parting is how long a process may take to end after it closed a pipe, and
	// how long its last frames are read after it ended.
	parting = 200 * time.Millisecond
)

// Worker is a jailed process that one user has. Its methods may be called by
// many goroutines.
type Worker struct {
	cfg    *Config
	proc   *process
	guard  *guard
	memory int64
	answer int
	words  tail
	room   chan struct{}
	send   sync.Mutex
	out    frameWriter // whoever holds send
	ready  chan struct{}
	dead   chan struct{}

	mu     sync.Mutex
	greet  bool
	calls  []*call
	last   string // the last note of the call that was answered last
	failed *Failure
	ended  time.Time
	clock  *time.Timer
	due    time.Time
	late   Failure
	// readers end before the worker counts as dead.
	readers sync.WaitGroup
}

// call is a request that has no answer yet.
type call struct {
	budget time.Duration
	// sent says that the worker has all of it.
	sent   bool
	note   string
	noted  time.Time
	notes  int
	answer string
	done   chan struct{}
}

func newWorker(cfg *Config, proc *process, guard *guard) *Worker {
	w := newIdle(cfg, proc)
	w.guard = guard
	w.readers.Go(w.read)
	w.readers.Go(w.listen)
	return w
}

// newIdle makes a worker that nobody listens to yet.
func newIdle(cfg *Config, proc *process) *Worker {
	w := &Worker{
		cfg: cfg, proc: proc, out: frameWriter{to: proc.in},
		memory: cfg.Memory, answer: cfg.Answer,
		room:  make(chan struct{}, inFlight),
		ready: make(chan struct{}),
		dead:  make(chan struct{}),
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.due = time.Now().Add(cfg.Ready)
	w.late = Failure{Kind: KindStart, Detail: fmt.Sprintf("it was not ready within %v", cfg.Ready)}
	w.clock = time.AfterFunc(cfg.Ready, w.ring)
	return w
}

// begin tells the worker of its jail and waits until it is ready.
func (w *Worker) begin(order order) error {
	text, err := json.Marshal(order)
	if err == nil {
		err = writeFrame(w.proc.in, frameLimits, text)
	}
	if err == nil {
		err = writeFrame(w.proc.in, frameSetup, w.cfg.Setup)
	}
	if err != nil {
		w.lost("it took no orders: " + err.Error())
	}
	select {
	case <-w.ready:
		return nil
	case <-w.dead:
		return w.stillborn()
	}
}

// stillborn tells of a worker that never came to see a stranger's byte. What it
// wrote is from this program, or from Node, and tells best what to do.
func (w *Worker) stillborn() error {
	if words := strings.TrimSpace(w.failed.Stderr); words != "" {
		return fmt.Errorf("%w; it wrote: %.1000s", w.failed, words)
	}
	return w.failed
}

// take lends the worker to its one user.
func (w *Worker) take(limits Limits) {
	w.bound(limits)
	w.guard.add(w)
}

func (w *Worker) bound(limits Limits) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if limits.Memory > 0 {
		w.memory = min(w.memory, limits.Memory)
	}
	if limits.Answer > 0 {
		w.answer = min(w.answer, limits.Answer)
	}
	w.rearm()
}

// Call gives the worker a request and returns its answer. The worker may take
// as long as the budget once it has it all and has answered those before, else it
// is killed; zero means the Batch of the Config. Two calls may be under way at once, so that the second request
// is there when the first is answered; more wait.
//
// A request that is too long is refused and harms nothing. Every other error is
// a *Failure: the worker is dead and gone. A context that ends kills it too.
func (w *Worker) Call(ctx context.Context, request []byte, budget time.Duration) (string, error) {
	if len(request) > w.cfg.Request {
		return "", &TooLongError{Size: len(request), Most: w.cfg.Request}
	}
	if budget <= 0 {
		budget = w.cfg.Batch
	}
	stop := context.AfterFunc(ctx, func() {
		w.fail(&Failure{Kind: KindClosed, Detail: "its user gave up", Cause: context.Cause(ctx)})
	})
	defer stop()
	select {
	case w.room <- struct{}{}:
		defer func() { <-w.room }()
	case <-w.dead:
		return "", w.failed
	}
	one := &call{budget: budget, done: make(chan struct{})}
	w.post(one, request)
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

// Note is the last note of the call that was answered last, "" where there was none.
// A stranger may have forged it.
func (w *Worker) Note() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.last
}

// PID is the id of its process, for a log.
func (w *Worker) PID() int { return w.proc.os.Pid }

// Close kills the worker and returns when its process is gone.
func (w *Worker) Close() {
	w.fail(&Failure{Kind: KindClosed, Detail: "its user closed it"})
	<-w.dead
}

// post queues a call and writes its request, in the same order.
func (w *Worker) post(one *call, request []byte) {
	w.send.Lock()
	defer w.send.Unlock()
	w.mu.Lock()
	w.calls = append(w.calls, one)
	if len(w.calls) == 1 {
		w.rearm()
	}
	w.mu.Unlock()
	if err := w.out.write(frameRequest, request); err != nil {
		w.lost("it took no request: " + err.Error())
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if one.sent = true; len(w.calls) > 0 && w.calls[0] == one {
		w.rearm()
	}
}

// rearm sets the clock to what comes next: the end of the first call that is
// under way, or that nobody calls.
func (w *Worker) rearm() {
	if len(w.calls) == 0 {
		w.arm(w.cfg.Idle, KindIdle, fmt.Sprintf("nobody called it for %v", w.cfg.Idle))
		return
	}
	budget := w.calls[0].budget
	text := fmt.Sprintf("a call was not answered within %v", budget)
	if !w.calls[0].sent {
		budget += grace
	}
	w.arm(budget, KindDeadline, text)
}

func (w *Worker) arm(after time.Duration, kind Kind, detail string) {
	if w.failed != nil {
		return
	}
	w.due, w.late = time.Now().Add(after), Failure{Kind: kind, Detail: detail}
	w.clock.Reset(after)
}

// ring is called by the clock, and at times too early: it may have been set
// anew in the same moment.
func (w *Worker) ring() {
	w.mu.Lock()
	if left := time.Until(w.due); left > 0 {
		w.clock.Reset(left)
		w.mu.Unlock()
		return
	}
	late := w.late
	w.blame(&late)
	w.mu.Unlock()
	w.proc.kill()
}

// listen keeps the last words.
func (w *Worker) listen() {
	if w.words.follow(w.proc.err, mostWords) {
		w.fail(&Failure{Kind: KindOutput, Detail: fmt.Sprintf("it wrote more than %d bytes to its standard error", mostWords)})
	}
}

// fail kills the worker for a reason. The first reason counts.
func (w *Worker) fail(f *Failure) {
	w.mu.Lock()
	w.blame(f)
	w.mu.Unlock()
	w.proc.kill()
}

func (w *Worker) blame(f *Failure) {
	if w.failed == nil {
		f.Exit = -1
		w.failed, w.ended = f, time.Now()
	}
}

// lost is fail where a pipe broke. A process that just ended tells more by how
// it ended.
func (w *Worker) lost(detail string) {
	select {
	case <-w.proc.gone:
	case <-time.After(parting):
		w.fail(&Failure{Kind: KindProtocol, Detail: detail})
	}
}

// remember adds what the first call said last.
func (w *Worker) remember() {
	if len(w.calls) > 0 && w.calls[0].notes > 0 {
		w.failed.Note, w.failed.Noted = w.calls[0].note, max(0, w.ended.Sub(w.calls[0].noted))
	}
}

// bury waits for the end of the process, whatever ends it, and leaves nothing
// of it behind.
func (w *Worker) bury() {
	end := w.proc.wait()
	w.proc.hangUp(parting)
	w.readers.Wait()
	w.mu.Lock()
	if w.failed == nil {
		w.failed, w.ended = died(end), time.Now()
	}
	w.failed.witness(w.words.text())
	w.remember()
	w.mu.Unlock()
	w.clock.Stop()
	w.proc.close()
	close(w.dead)
}

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
