package server

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
	"github.com/intraydata/intray/hooks"
	"github.com/intraydata/intray/hooks/jsruntime"
	"github.com/intraydata/intray/hooks/sandbox"
)

// HookConfig configures the runtime and the sandbox of hooks.
type HookConfig struct {
	// Runtime is "quickjs" (the default) or "node".
	Runtime string
	// Sandbox is "strict" (the default) or "best-effort".
	Sandbox string
	// TimeoutPer1000 is the maximum time that hooks may take per 1,000 rows. Default 5 s.
	TimeoutPer1000 time.Duration
	// CallTimeout is the maximum duration of one call to a hook, for any number of rows.
	// Default 60 s.
	CallTimeout time.Duration
	// Cgroup is a cgroup folder with the memory controller, in which Intray can
	// create a cgroup for each worker. Default: none. Without it, Intray measures
	// the memory of workers every 20 ms.
	Cgroup string
	// Memory is the maximum memory of one worker, in bytes. Default 256 MB.
	Memory int64
}

func (c HookConfig) validate() error {
	switch {
	case c.Runtime != "" && c.Runtime != string(sandbox.QuickJS) && c.Runtime != string(sandbox.Node):
		return usageErrorf("--hook-runtime %q is neither quickjs nor node", c.Runtime)
	case c.Sandbox != "" && c.Sandbox != string(sandbox.Strict) && c.Sandbox != string(sandbox.BestEffort):
		return usageErrorf("--hook-sandbox %q is neither strict nor best-effort", c.Sandbox)
	}
	return nil
}

// checkRuntime returns a UsageError if Node is the runtime and cannot be used. QuickJS is part of the
// program.
func (c HookConfig) checkRuntime() error {
	if err := (sandbox.Config{Runtime: sandbox.Runtime(c.Runtime)}).Check(); err != nil {
		return usageErrorf("--hook-runtime %s: %w", c.Runtime, err)
	}
	return nil
}

// hookRunner runs hooks in a sandbox, which it opens for the first import with hooks.
type hookRunner struct {
	cfg HookConfig
	// pages calls the hooks of pages that embed an importer.
	pages hooks.PageCalls
	// metrics records the calls of hooks. It is nil without a server.
	metrics *workMetrics

	mu      sync.Mutex
	sandbox *sandbox.Pool
	runner  *hooks.Runner
	// loadFirst means that the hooks of an import are loaded before its file is read.
	loadFirst bool
	// keep means that sessions are kept, because report reads them.
	keep     bool
	sessions []*hooks.Session
}

// newHookRunner returns a runner. It logs the sandbox features that the system does not have.
func newHookRunner(cfg HookConfig, log *slog.Logger) *hookRunner {
	logMissing(log, sandbox.ProbeCapabilities(), sandbox.Mode(cmp.Or(cfg.Sandbox, string(sandbox.Strict))))
	return &hookRunner{cfg: cfg}
}

// logMissing logs the sandbox features that the system does not have, with a warning for those
// that a strict sandbox requires.
func logMissing(log *slog.Logger, has sandbox.Capabilities, mode sandbox.Mode) {
	lacks := has.MissingRequired()
	switch {
	case len(lacks) > 0 && mode == sandbox.Strict:
		log.Warn("hooks refused: this system cannot sandbox them", "missing", lacks, "mode", mode)
	case len(lacks) > 0:
		log.Warn("hooks run in an incomplete sandbox", "missing", lacks, "mode", mode)
	}
	has.Namespaces = true // Whether the system allows them is unknown until a worker starts.
	if lacks := has.MissingOptional(); len(lacks) > 0 {
		log.Info("hook sandbox without optional features", "missing", lacks, "mode", mode)
	}
}

// open is the HookLoader of the engine. If the sandbox cannot be opened, imports
// with hooks fail with an error that contains the reason.
func (h *hookRunner) open(ctx context.Context, hooks intray.Hooks, pins intray.HookEnv) (engine.HookRunner, error) {
	runner, err := h.ensureRunner()
	if reason, known := explainStart(err); known {
		return nil, &intray.HookError{Text: reason}
	}
	if err != nil {
		return nil, fmt.Errorf("start the hook workers: %w", err)
	}
	session, err := runner.Open(ctx, hooks, pins)
	if err != nil {
		return nil, err
	}
	if h.loadFirst {
		if err := session.Load(ctx); err != nil {
			return nil, errors.Join(err, session.Close())
		}
	}
	if h.keep {
		h.mu.Lock()
		h.sessions = append(h.sessions, session)
		h.mu.Unlock()
	}
	if h.metrics != nil {
		return observedHooks{session, h.metrics}, nil
	}
	return session, nil
}

// report returns the total time of each hook across all sessions, and the last
// lines that hooks printed.
func (h *hookRunner) report(hooks intray.Hooks) (times []HookTime, console []string) {
	took := map[string]time.Duration{}
	for _, session := range h.sessions {
		for name, t := range session.HookTimes() {
			took[name] += t
		}
		console = append(console, session.Console()...)
	}
	for _, hook := range jsruntime.HooksOf(hooks) {
		if t, called := took[hook.Name]; called {
			times = append(times, HookTime{hook.Name, t})
		}
	}
	return times, console
}

// CheckHooks checks that all hooks of a schema can be loaded. If some cannot, it
// returns a [*schema.InvalidError] with the issues. If a hook takes too much time
// or memory to load, it returns an [*intray.HookError]. If hooks cannot be checked
// on this system, warning contains the reason; otherwise it is zero.
func CheckHooks(ctx context.Context, hooks intray.Hooks) (warning intray.Message, err error) {
	h := &hookRunner{}
	defer h.close()
	return h.checkHooks(ctx, hooks)
}

// checkHooks is like CheckHooks, but uses the workers of this runner.
func (h *hookRunner) checkHooks(ctx context.Context, hooks intray.Hooks) (warning intray.Message, err error) {
	runner, err := h.ensureRunner()
	if reason, known := explainStart(err); known {
		return intray.NewMessage("hook.not_checked", intray.Params{"reason": reason}), nil
	}
	if err != nil {
		return intray.Message{}, fmt.Errorf("start the hook workers: %w", err)
	}
	return intray.Message{}, runner.Check(ctx, hooks)
}

// explainStart returns the reason if err means that this system cannot run hooks.
func explainStart(err error) (reason intray.Message, known bool) {
	var refused *sandbox.RefusedError
	var unusable *sandbox.RuntimeError
	switch {
	case errors.As(err, &refused):
		return refused.Describe(), true
	case errors.As(err, &unusable):
		return unusable.Describe(), true
	}
	return intray.Message{}, false
}

// ensureRunner opens the sandbox unless it is open. If opening failed before, it tries again.
func (h *hookRunner) ensureRunner() (*hooks.Runner, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.runner != nil {
		return h.runner, nil
	}
	// QuickJS workers get the prelude as bytecode.
	var prelude []byte
	if h.cfg.Runtime != string(sandbox.Node) {
		var err error
		if prelude, err = jsruntime.Compile(); err != nil {
			return nil, err
		}
	}
	made, err := sandbox.New(sandbox.Config{
		Runtime: sandbox.Runtime(h.cfg.Runtime), Mode: sandbox.Mode(h.cfg.Sandbox), Script: jsruntime.NodeScript(), Setup: prelude,
		Memory: h.cfg.Memory, CallTimeout: h.cfg.TimeoutPer1000, MaxAnswer: maxAnswer, Cgroup: h.cfg.Cgroup,
	})
	if err != nil {
		return nil, err
	}
	h.sandbox, h.runner = made, hooks.New(made, hooks.Config{BatchTimeout: h.cfg.TimeoutPer1000, CallTimeout: h.cfg.CallTimeout})
	return h.runner, nil
}

// close ends all hook workers and closes the sandbox.
func (h *hookRunner) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.sandbox != nil {
		h.sandbox.Close()
	}
}

const (
	// maxAnswer is the maximum length of a worker's answer, in bytes.
	maxAnswer = 64 << 20
	// engineMemory is the memory limit of the JavaScript engine until hooks are loaded, in bytes.
	engineMemory = 96 << 20
)

// HookWorker makes this process a hook worker. The process must end when HookWorker returns.
func HookWorker() error {
	return sandbox.Serve(func(prelude []byte) (sandbox.Handler, error) {
		engine, err := jsruntime.New(jsruntime.Config{Memory: engineMemory, MaxAnswer: maxAnswer, Prelude: prelude, Note: sandbox.SendNote})
		if err != nil {
			return nil, err
		}
		return engine.Handle, nil
	})
}
