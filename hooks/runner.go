// Package hooks runs the JavaScript hooks of organizations over the rows of an import, in
// sandboxed worker processes.
//
// A [Runner] opens a [Session] for each import. A session has worker slots, at most one
// for each processor: processes that load the hooks of this import and of no other. Hooks
// receive columns of cells and return changes. The first call of a row hook finds out
// which columns it uses; later calls send only those, 1,000 rows at a time, or more while
// the hook is fast.
//
// Hooks that need all rows get long columns in packs, and only the columns that they read,
// because a worker has less memory than the service. If a worker dies, a fresh one repeats
// its call and notes each row before it calls a row hook, which identifies the row that
// ends workers.
//
// An error of a hook is an [intray.HookError] with the hook, the position in its source
// and the row. Every other error is a failure of the service. The package neither parses
// nor validates values, and it does not know files or databases.
package hooks

import (
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

// The default limits of hooks. The flags --hook-memory, --hook-timeout-per-1000 and
// --hook-call-timeout set the first three.
const (
	// DefaultMemory is how much memory one worker process may use, in bytes.
	DefaultMemory = sandbox.DefaultMemory
	// DefaultBatchTimeout is how long hooks may take for 1,000 rows.
	DefaultBatchTimeout = sandbox.DefaultCallTimeout
	// DefaultCallTimeout is how long one call of a hook may take, for any number of rows.
	DefaultCallTimeout = time.Minute
	// DefaultMaxAnswer is how much hooks may change in one call, in bytes.
	DefaultMaxAnswer = jsruntime.DefaultMaxAnswer
)

// Config configures a Runner. The zero Config works.
type Config struct {
	// BatchTimeout is how long hooks may take for 1,000 rows. Default 5 s.
	BatchTimeout time.Duration
	// CallTimeout is how long one call may take, for any number of rows. A call with at
	// most 1,000 rows may take BatchTimeout even if that is longer. Default
	// DefaultCallTimeout.
	CallTimeout time.Duration
	// MaxWorkers is the most workers of one import. Default: one for each processor.
	MaxWorkers int
	// MaxAnswer is the most that hooks may change in one call, in bytes. Calls with very
	// many rows may change four times as much. Default 16 MiB.
	MaxAnswer int
}

// Runner opens sessions. It is safe for concurrent use.
type Runner struct {
	pool *sandbox.Pool
	cfg  Config
	// waiting is the number of sessions that wait for a worker.
	waiting atomic.Int32

	mu sync.Mutex
	// sessions are those that are open.
	sessions map[*Session]struct{}
}

// New returns a Runner that uses the workers of a pool.
func New(pool *sandbox.Pool, cfg Config) *Runner {
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
	return &Runner{pool: pool, cfg: cfg, sessions: map[*Session]struct{}{}}
}

// Session runs the hooks of one import. Its methods are safe for concurrent use.
type Session struct {
	*Runner
	hooks intray.Hooks
	// sources are the hooks that a worker loads.
	sources []jsruntime.Hook
	pins    intray.HookEnv

	mu sync.Mutex
	// slotCount is the number of slots; idle are those that no call uses.
	slotCount int
	idle      []*workerSlot
	closed    bool
	// slotsChanged is closed and replaced when a slot becomes idle or is closed.
	slotsChanged chan struct{}
	rowHooks     []*rowHook
	// times is how long each hook took, by its name.
	times   map[string]time.Duration
	console []string
}

// Open returns a session. It reports sources that must not be loaded as an
// [intray.HookError]; other invalid sources are reported by the first call or by Load.
func (r *Runner) Open(_ context.Context, hooks intray.Hooks, pins intray.HookEnv) (*Session, error) {
	sources := jsruntime.HooksOf(hooks)
	if faults := jsruntime.CheckSources(sources); len(faults) > 0 {
		return nil, faultError(faults[0])
	}
	return r.openSession(hooks, sources, pins), nil
}

// openSession returns a session that loads sources, which CheckSources has accepted.
func (r *Runner) openSession(hooks intray.Hooks, sources []jsruntime.Hook, pins intray.HookEnv) *Session {
	s := &Session{Runner: r, hooks: hooks, sources: sources, pins: pins, slotsChanged: make(chan struct{}), times: map[string]time.Duration{}}
	for _, name := range s.hookNames(jsruntime.HookRow) {
		s.rowHooks = append(s.rowHooks, &rowHook{name: name})
	}
	r.mu.Lock()
	r.sessions[s] = struct{}{}
	r.mu.Unlock()
	return s
}

// Load loads the hooks into a first worker, which the next call uses. An
// [*intray.HookError] reports a hook that cannot be loaded. Without Load, the first call
// reports it.
func (s *Session) Load(ctx context.Context) error {
	slot, err := s.acquireSlot(ctx, nil)
	if err == nil {
		s.releaseSlot(slot)
	}
	return err
}

// errClosed is the error of calls after Close.
var errClosed = errors.New("the session of the hooks is closed")

// Close waits for running calls and ends the workers of the session. It may be called
// again.
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

// HookTimes returns how long each hook took so far, by its name.
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

// recordOutput records the times and the console output of an answer.
func (s *Session) recordOutput(a *jsruntime.Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range a.Times {
		s.times[t.Hook] += t.Took
	}
	s.console = append(s.console, a.Console...)
	s.console = s.console[max(0, len(s.console)-maxConsoleLines):]
}

// hookNames returns the names of the hooks of a kind, in order.
func (s *Session) hookNames(kind jsruntime.HookKind) (names []string) {
	for _, hook := range s.sources {
		if hook.Kind == kind {
			names = append(names, hook.Name)
		}
	}
	return names
}

// engineBudget returns the time after which the engine interrupts a hook. It is shorter
// than the budget after which the process is killed, because an engine that interrupts a
// hook reports its position.
func (s *Session) engineBudget(budget time.Duration) time.Duration { return budget - budget/20 }

// callBudget returns how long a call with so many rows may take.
func (s *Session) callBudget(rows int) time.Duration {
	batches := (rows + batchRows - 1) / batchRows
	return max(s.cfg.BatchTimeout, min(s.cfg.CallTimeout, time.Duration(batches)*s.cfg.BatchTimeout))
}

// maxReusedRequest is the largest request buffer that the next call reuses, in bytes.
const maxReusedRequest = 4 << 20

// request is an encodable call of hooks.
type request interface{ Append(dst []byte) []byte }

// roundTrip sends a request to a slot and reads the answer. After an error the slot is
// unusable, and the changes passed to each are void.
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
