// Package hooks runs the JavaScript hooks of organizations over the rows of an import, in
// sandboxed worker processes.
//
// A [Runner] opens a [Session] for each import. A session has worker slots, by default at most
// one per processor. Each slot holds a process that loads only the hooks of this import. Hooks
// receive columns of cells and return changes. The first call to a row hook determines which
// columns the hook uses. Later calls send only those columns, 1,000 rows at a time, or more if
// the hook is fast.
//
// Hooks that need all rows receive long columns in packs, and only the columns that they
// read, because a worker has less memory than the service. If a worker dies, its call is
// repeated in a fresh worker. That worker sends a note before each row of a row hook, which
// identifies a row that ends the worker.
//
// An error in a hook is an [intray.HookError] with the hook, the position in its source and
// the row. Any other error is a failure of the service. The package does not parse or
// validate values, and it does not access files or databases.
package hooks

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/hooks/jsruntime"
	"github.com/intraydata/intray/hooks/sandbox"
)

// These are the default limits of hooks. The flags --hook-memory, --hook-timeout-per-1000
// and --hook-call-timeout override the first three.
const (
	// DefaultMemory is the memory limit of one worker process, in bytes.
	DefaultMemory = sandbox.DefaultMemory
	// DefaultBatchTimeout is the time limit of hooks for 1,000 rows.
	DefaultBatchTimeout = sandbox.DefaultCallTimeout
	// DefaultCallTimeout is the time limit of one hook call, regardless of the number of rows.
	DefaultCallTimeout = time.Minute
	// DefaultMaxAnswer is the maximum size of the changes from one call, in bytes.
	DefaultMaxAnswer = jsruntime.DefaultMaxAnswer
)

// Config configures a Runner. The zero Config works.
type Config struct {
	// BatchTimeout is the time limit of hooks for 1,000 rows. Default 5 s.
	BatchTimeout time.Duration
	// CallTimeout is the time limit of one call, regardless of the number of rows. The limit
	// of a call with up to 1,000 rows is BatchTimeout, even if that is longer. Default
	// DefaultCallTimeout.
	CallTimeout time.Duration
	// MaxWorkers is the maximum number of workers per import. Default: one per processor.
	MaxWorkers int
	// MaxAnswer is the maximum size of the changes from one call, in bytes. The limit is
	// four times as high for calls with very many rows. Default 16 MiB.
	MaxAnswer int
}

// Runner opens sessions. It is safe for concurrent use.
type Runner struct {
	pool *sandbox.Pool
	cfg  Config
	// waiting is the number of sessions that are waiting for a worker.
	waiting atomic.Int32

	mu sync.Mutex
	// sessions are the open sessions.
	sessions map[*Session]struct{}
}

// New returns a Runner that uses the workers of pool.
func New(pool *sandbox.Pool, cfg Config) *Runner {
	cfg.BatchTimeout = cmp.Or(max(cfg.BatchTimeout, 0), DefaultBatchTimeout)
	cfg.CallTimeout = cmp.Or(max(cfg.CallTimeout, 0), DefaultCallTimeout)
	cfg.MaxWorkers = cmp.Or(max(cfg.MaxWorkers, 0), runtime.GOMAXPROCS(0))
	cfg.MaxAnswer = cmp.Or(max(cfg.MaxAnswer, 0), DefaultMaxAnswer)
	return &Runner{pool: pool, cfg: cfg, sessions: map[*Session]struct{}{}}
}

// Session runs the hooks of one import. Its methods are safe for concurrent use.
type Session struct {
	*Runner
	hooks intray.Hooks
	// sources are the hooks that each worker loads.
	sources []jsruntime.Hook
	// pure reports whether a hook needs to be called only once for rows with equal cells.
	pure bool
	pins intray.HookEnv

	mu sync.Mutex
	// slotCount is the number of slots. idle holds the slots that are not in use.
	slotCount int
	idle      []*workerSlot
	closed    bool
	// slotsChanged is closed and replaced when a slot becomes idle or is closed.
	slotsChanged chan struct{}
	rowHooks     []*rowHook
	// times is the total running time of each hook, by name.
	times   map[string]time.Duration
	console []string
}

// Open returns a session. If a source must not be loaded, Open returns an
// [intray.HookError]. Load or the first call reports all other invalid sources.
func (r *Runner) Open(_ context.Context, hooks intray.Hooks, pins intray.HookEnv) (*Session, error) {
	sources := jsruntime.HooksOf(hooks)
	if faults := jsruntime.CheckSources(sources); len(faults) > 0 {
		return nil, faultError(faults[0])
	}
	return r.openSession(hooks, sources, pins), nil
}

// openSession returns a session that loads sources, which CheckSources must have accepted.
func (r *Runner) openSession(hooks intray.Hooks, sources []jsruntime.Hook, pins intray.HookEnv) *Session {
	s := &Session{Runner: r, hooks: hooks, sources: sources, pins: pins, slotsChanged: make(chan struct{}), times: map[string]time.Duration{}}
	s.pure = jsruntime.PureRowHooks(sources)
	for _, name := range s.hookNames(jsruntime.HookRow) {
		s.rowHooks = append(s.rowHooks, &rowHook{name: name})
	}
	r.mu.Lock()
	r.sessions[s] = struct{}{}
	r.mu.Unlock()
	return s
}

// Load loads the hooks into a first worker, which the next call uses. It returns an
// [*intray.HookError] if a hook cannot be loaded. Without Load, the first call returns that
// error.
func (s *Session) Load(ctx context.Context) error {
	slot, err := s.acquireSlot(ctx, nil)
	if err == nil {
		s.releaseSlot(slot)
	}
	return err
}

// errClosed is the error for calls after Close.
var errClosed = errors.New("the session of the hooks is closed")

// Close waits until running calls end, and then ends the workers of the session. It may be
// called more than once.
func (s *Session) Close() error {
	for {
		s.mu.Lock()
		s.closed = true
		for _, slot := range s.idle {
			slot.worker.Close()
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

// HookTimes returns the running time of each hook so far, by name.
func (s *Session) HookTimes() map[string]time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.times)
}

// Console returns the last 20 lines that hooks printed.
func (s *Session) Console() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.console)
}

const maxConsoleLines = 20

// recordOutput records the running times and the console output in an answer.
func (s *Session) recordOutput(a *jsruntime.Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range a.Times {
		s.times[t.Hook] += t.Took
	}
	s.console = append(s.console, a.Console...)
	s.console = s.console[max(0, len(s.console)-maxConsoleLines):]
}

// hookNames returns the names of the hooks of one kind, in order.
func (s *Session) hookNames(kind jsruntime.HookKind) (names []string) {
	for _, hook := range s.sources {
		if hook.Kind == kind {
			names = append(names, hook.Name)
		}
	}
	return names
}

// engineBudget returns the time after which the engine interrupts a hook. It is shorter than the
// time after which the process is killed, because an engine that interrupts a hook can report
// the position in the hook's source.
func (s *Session) engineBudget(budget time.Duration) time.Duration { return budget - budget/20 }

// callBudget returns the time limit of a call with this many rows.
func (s *Session) callBudget(rows int) time.Duration {
	batches := (rows + batchRows - 1) / batchRows
	return max(s.cfg.BatchTimeout, min(s.cfg.CallTimeout, time.Duration(batches)*s.cfg.BatchTimeout))
}

// maxReusedRequest is the maximum size, in bytes, of a request buffer that is kept for the
// next call.
const maxReusedRequest = 4 << 20

// request is a hook call that can be encoded.
type request interface{ Append(dst []byte) []byte }

// roundTrip sends a request to a slot and reads the answer. After an error, the slot is
// unusable, and the changes that were already passed on are invalid.
func (s *Session) roundTrip(ctx context.Context, slot *workerSlot, r request, bounds jsruntime.Bounds, budget time.Duration, each func(c *jsruntime.Change)) (*jsruntime.Answer, error) {
	slot.request = r.Append(slot.request[:0])
	raw, err := s.sendRequest(ctx, slot, slot.request, budget)
	if err != nil {
		return nil, err
	}
	a, err := jsruntime.ReadAnswer(raw, bounds, each)
	if err != nil {
		return nil, unreadableAnswer(err, slot.worker.LastNote())
	}
	if cap(slot.request) > maxReusedRequest {
		slot.request = nil
	}
	return a, nil
}
