// Package hooks runs the hooks of organizations: JavaScript of strangers, over
// every row of an import, in sandboxed processes.
//
// A [Runner] opens a [Session] for each import. A session has Seats: workers of
// the pool that know the hooks of this import and of no other, one for each
// processor. What hooks are given are columns of cells; what they give back are
// changes. The first rows teach which columns the hooks use, and only those are
// sent from then on, a thousand rows at a time, or more where hooks are quick.
//
// Hooks that take all rows get their columns one by one, in packs of rows, and
// only those that they look at, where the rows are many: a worker holds less than
// the parent. A worker that dies is followed by a fresh one, which does the same
// again and tells of each row ahead; so the row that kills is known.
//
// What a hook does wrong is an [intray.HookError], which names the hook, the
// place in its source and the row. Every other error is a fault of the
// machinery. The package parses and checks no values, and knows neither files
// nor databases.
package hooks

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/hooks/jsruntime"
	"github.com/intraydata/intray/hooks/sandbox"
)

// Config holds the choices of a Runner. The zero Config works.
type Config struct {
	// BatchTimeout is how long hooks may take for 1,000 rows. Default 5 s.
	BatchTimeout time.Duration
	// CallTimeout is the most that one call may take, however many rows it has: so long
	// an import may go without progress. Default DefaultCallTimeout. One batch may take
	// its time all the same.
	CallTimeout time.Duration
	// MaxWorkers is how many workers an import may have at once. Default one for each
	// processor.
	MaxWorkers int
	// MaxAnswer is the most that hooks may change in one call, in bytes; where a call
	// has very many rows it is four times as much. Default 16 MiB.
	MaxAnswer int
}

// Runner opens sessions. It may be used by many goroutines.
type Runner struct {
	pool *sandbox.Pool
	cfg  Config
	// waiting is how many sessions wait for a worker.
	waiting atomic.Int32

	mu sync.Mutex
	// sessions are those that are open.
	sessions map[*Session]struct{}
}

// New makes a Runner whose workers come from a pool.
func New(c *sandbox.Pool, cfg Config) *Runner {
	if cfg.BatchTimeout <= 0 {
		cfg.BatchTimeout = DefaultBatchTimeout
	}
	if cfg.CallTimeout <= 0 {
		cfg.CallTimeout = DefaultCallTimeout
	}
	if cfg.MaxWorkers <= 0 {
		cfg.MaxWorkers = runtime.GOMAXPROCS(0)
	}
	if cfg.MaxAnswer <= 0 {
		cfg.MaxAnswer = DefaultMaxAnswer
	}
	return &Runner{pool: c, cfg: cfg, sessions: map[*Session]struct{}{}}
}

// Session is the hooks of one import.
type Session struct {
	*Runner
	hooks intray.Hooks
	// sources are the hooks that a worker loads.
	sources []jsruntime.Hook
	pins    intray.HookEnv

	mu sync.Mutex
	// slotCount is how many seats there are, idle are those that nobody uses.
	slotCount int
	idle      []*workerSlot
	closed    bool
	// slotsChanged is closed, and made anew, when a seat comes free or goes.
	slotsChanged chan struct{}
	// rowHooks are the row hooks, times is what each hook took.
	rowHooks []*rowHook
	times    map[string]time.Duration
	console  []string
}

// Open makes a session. Hooks that are no functions are an [intray.HookError].
func (s *Runner) Open(_ context.Context, hooks intray.Hooks, pins intray.HookEnv) (*Session, error) {
	sources := jsruntime.HooksOf(hooks)
	if faults := jsruntime.CheckSources(sources); len(faults) > 0 {
		return nil, faultError(faults[0])
	}
	return s.openSession(hooks, sources, pins), nil
}

// openSession makes a session that loads the sources, which CheckSources accepts.
func (s *Runner) openSession(hooks intray.Hooks, sources []jsruntime.Hook, pins intray.HookEnv) *Session {
	session := &Session{Runner: s, hooks: hooks, sources: sources, pins: pins, slotsChanged: make(chan struct{}), times: map[string]time.Duration{}}
	for _, name := range session.hookNames(jsruntime.HookRow) {
		session.rowHooks = append(session.rowHooks, &rowHook{name: name})
	}
	s.mu.Lock()
	s.sessions[session] = struct{}{}
	s.mu.Unlock()
	return session
}

// Load loads the hooks into a first worker, which the next call uses. An
// [*intray.HookError] reports a hook that cannot be loaded. Without Load, the first
// call reports it.
func (s *Session) Load(ctx context.Context) error {
	slot, err := s.acquireSlot(ctx, nil)
	if err == nil {
		s.releaseSlot(slot)
	}
	return err
}

// errClosed says that nothing can be called any more.
var errClosed = errors.New("the session of the hooks is closed")

// Close waits for the calls that are under way and ends the workers of the
// session. It may be called again.
func (s *Session) Close() error {
	for {
		s.mu.Lock()
		s.closed = true
		for _, one := range s.idle {
			one.worker.Close()
			s.slotCount--
		}
		s.idle = nil
		left, changed := s.slotCount, s.slotsChanged
		s.mu.Unlock()
		if left == 0 {
			s.Runner.mu.Lock()
			delete(s.sessions, s)
			s.Runner.mu.Unlock()
			return nil
		}
		<-changed
	}
}

// HookTimes is what each hook took so far, by its name.
func (s *Session) HookTimes() map[string]time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	times := make(map[string]time.Duration, len(s.times))
	for name, took := range s.times {
		times[name] = took
	}
	return times
}

// Console are the last lines that hooks printed.
func (s *Session) Console() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string{}, s.console...)
}

// maxConsoleLines is how many lines of what hooks print are kept.
const maxConsoleLines = 20

// recordUsage keeps what an answer tells about the hooks, and about the columns that a
// row hook uses.
func (s *Session) recordUsage(hook *rowHook, a *jsruntime.Answer, fields []intray.Field, columns bool) {
	s.recordTimes(a)
	s.mu.Lock()
	defer s.mu.Unlock()
	if columns && hook.usedFields == nil {
		hook.usedFields = map[string]bool{}
	}
	if hook.usedFields == nil {
		return
	}
	for _, list := range [][]int{a.Used, a.Missed} {
		for _, field := range list {
			hook.usedFields[fields[field].Key] = true
		}
	}
}

func (s *Session) recordTimes(a *jsruntime.Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range a.Times {
		s.times[t.Hook] += t.Took
	}
	s.console = append(s.console, a.Console...)
	s.console = s.console[max(0, len(s.console)-maxConsoleLines):]
}

// usedColumns says whether it is known which fields a row hook uses, and gives those.
func (s *Session) usedColumns(hook *rowHook, fields []intray.Field) (list []bool, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list = make([]bool, len(fields))
	for i, f := range fields {
		list[i] = hook.usedFields == nil || hook.usedFields[f.Key]
	}
	return list, hook.usedFields != nil
}

// engineBudget is the engine's own budget, below that after which the process is
// killed: an engine that stops by itself can say where it was.
func (s *Session) engineBudget(budget time.Duration) time.Duration { return budget - budget/20 }

// callBudget is how long a call with so many rows may take.
func (s *Session) callBudget(rows int) time.Duration {
	batches := (rows + batchRows - 1) / batchRows
	return max(s.cfg.BatchTimeout, min(s.cfg.CallTimeout, time.Duration(batches)*s.cfg.BatchTimeout))
}

// maxKeptRequest is how many bytes of what was sent are kept for the next call.
const maxKeptRequest = 4 << 20

// request is a call of hooks.
type request interface{ Append(dst []byte) []byte }

// roundTrip gives a request to a seat. An error means that the seat is of no use any
// more, and that the changes given to each count for nothing.
func (s *Session) roundTrip(ctx context.Context, one *workerSlot, r request, bounds jsruntime.Bounds, budget time.Duration, each func(c *jsruntime.Change)) (*jsruntime.Answer, error) {
	one.request = r.Append(one.request[:0])
	raw, err := s.sendRequest(ctx, one, one.request, budget)
	if err != nil {
		return nil, err
	}
	a, err := jsruntime.ReadAnswer(raw, bounds, each)
	if err != nil {
		return nil, unreadableAnswer(err, one.worker.LastNote())
	}
	if cap(one.request) > maxKeptRequest {
		one.request = nil
	}
	return a, nil
}
