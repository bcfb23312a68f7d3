package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/internal/script"
	"github.com/intraydata/intray/internal/script/cage"
	"github.com/intraydata/intray/internal/script/realm"
)

// HookConfig says how hooks are run.
type HookConfig struct {
	// Runtime is quickjs (the default) or node.
	Runtime string
	// Jail is strict (the default) or best-effort.
	Jail string
	// Batch is how long hooks may take for 1,000 rows. Default 5 s.
	Batch time.Duration
	// Quiet is the longest that one call of hooks may take, however many rows it
	// has. Default 60 s.
	Quiet time.Duration
	// Cgroup is a folder of the memory controller in which a group for each worker
	// can be made. Default none: memory is looked at every 20 ms.
	Cgroup string
	// Memory is the most that one worker may hold, in bytes. Default 256 MB.
	Memory int64
}

func (c HookConfig) check() error {
	switch {
	case c.Runtime != "" && c.Runtime != string(cage.QuickJS) && c.Runtime != string(cage.Node):
		return wrong("--hook-runtime %q is neither quickjs nor node", c.Runtime)
	case c.Jail != "" && c.Jail != string(cage.Strict) && c.Jail != string(cage.BestEffort):
		return wrong("--hook-jail %q is neither strict nor best-effort", c.Jail)
	}
	return nil
}

// hookRunner runs hooks in a cage that is opened when the first import has some.
type hookRunner struct {
	cfg HookConfig

	mu     sync.Mutex
	cage   *cage.Cage
	runner *script.Script
	// keep says that the sessions are kept for account.
	keep     bool
	sessions []*script.Session
}

// newHookRunner tells what the system lacks for the jail of hooks.
func newHookRunner(cfg HookConfig, log *slog.Logger) *hookRunner {
	if lacks := cage.Probe().Missing(); len(lacks) > 0 {
		log.Info("the jail of hooks does without", "lacks", lacks, "jail", cmp.Or(cfg.Jail, string(cage.Strict)))
	}
	return &hookRunner{cfg: cfg}
}

// open is the engine's Script. Where no cage can be built that is good enough,
// imports with hooks fail and say why.
func (h *hookRunner) open(ctx context.Context, hooks intray.Hooks, pins intray.Pins) (engine.Hooks, error) {
	runner, err := h.opened()
	var refused *cage.RefusedError
	if errors.As(err, &refused) {
		return nil, &intray.HookError{Hook: "hooks", Text: refused.Describe()}
	}
	if err != nil {
		return nil, fmt.Errorf("open the cage of the hooks: %w", err)
	}
	session, err := runner.Open(ctx, hooks, pins)
	if err != nil {
		return nil, err
	}
	if h.keep {
		h.mu.Lock()
		h.sessions = append(h.sessions, session)
		h.mu.Unlock()
	}
	return session, nil
}

// account tells what the hooks took in all sessions, and what they printed last.
func (h *hookRunner) account(hooks intray.Hooks) (times []HookTime, console []string) {
	took := map[string]time.Duration{}
	for _, session := range h.sessions {
		for name, t := range session.Times() {
			took[name] += t
		}
		console = append(console, session.Console()...)
	}
	for _, hook := range realm.HooksOf(hooks) {
		if t, called := took[hook.Name]; called {
			times = append(times, HookTime{hook.Name, t})
		}
	}
	return times, console
}

// CheckHooks says whether hooks can be loaded: an *intray.HookError names the first
// that cannot, a warning says why they could not be checked.
func CheckHooks(ctx context.Context, hooks intray.Hooks) (warning intray.Message, err error) {
	h := &hookRunner{}
	defer h.close()
	return h.check(ctx, hooks)
}

// check says whether hooks can be loaded, or why that could not be tried.
func (h *hookRunner) check(ctx context.Context, hooks intray.Hooks) (warning intray.Message, err error) {
	runner, err := h.opened()
	var refused *cage.RefusedError
	if errors.As(err, &refused) {
		return intray.NewMessage("hook.not_checked", intray.Params{"reason": refused.Describe()}), nil
	}
	if err != nil {
		return intray.Message{}, fmt.Errorf("open the cage of the hooks: %w", err)
	}
	return intray.Message{}, runner.Check(ctx, hooks)
}

// opened gives what runs hooks. After a failure it is tried again.
func (h *hookRunner) opened() (*script.Script, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.runner != nil {
		return h.runner, nil
	}
	// Each worker of QuickJS is given the prelude as the engine's own code.
	var prelude []byte
	if h.cfg.Runtime != string(cage.Node) {
		var err error
		if prelude, err = realm.Compile(); err != nil {
			return nil, err
		}
	}
	made, err := cage.New(cage.Config{
		Runtime: cage.Runtime(h.cfg.Runtime), Jail: cage.Jail(h.cfg.Jail), Script: realm.NodeScript(), Setup: prelude,
		Memory: h.cfg.Memory, Batch: h.cfg.Batch, Answer: maxAnswer, Cgroup: h.cfg.Cgroup,
	})
	if err != nil {
		return nil, err
	}
	h.cage, h.runner = made, script.New(made, script.Config{Batch: h.cfg.Batch, Quiet: h.cfg.Quiet})
	return h.runner, nil
}

// close ends all workers.
func (h *hookRunner) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.cage != nil {
		h.cage.Close()
	}
}

const (
	// maxAnswer is the longest answer of a worker, in bytes.
	maxAnswer = 64 << 20
	// engineMemory is what the engine in a worker may hold, in bytes, until the
	// hooks are loaded, which sets another bound.
	engineMemory = 96 << 20
)

// HookWorker makes this process one that runs hooks. It returns when its work is
// done, and the process must end then.
func HookWorker() error {
	return cage.Serve(func(prelude []byte) (cage.Handle, error) {
		engine, err := realm.New(realm.Config{Memory: engineMemory, Answer: maxAnswer, Prelude: prelude, Note: cage.Note})
		if err != nil {
			return nil, err
		}
		return engine.Handle, nil
	})
}
