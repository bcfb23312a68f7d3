package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/hooks/sandbox"
	"github.com/intraydata/intray/server/doctor"
)

// checkHooks loads a hook in the configured runtime and sandbox.
func (d *diagnosis) checkHooks(ctx context.Context, r *doctor.Result) {
	cfg := d.cfg.Hooks
	mode, runtime := cmp.Or(cfg.Sandbox, string(sandbox.Strict)), cmp.Or(cfg.Runtime, string(sandbox.QuickJS))
	r.Detail = fmt.Sprintf("%s in a sandbox, mode %s", runtime, mode)
	where := doctor.Setting("hook-sandbox") + ": " + mode
	runner := &hookRunner{cfg: cfg}
	defer runner.close()
	_, err := runner.ensureRunner()
	var refused *sandbox.RefusedError
	switch {
	case errors.As(err, &refused):
		r.Fail(where, "Imports with hooks fail, because this system cannot sandbox hooks: "+strings.Join(intray.RenderAll(refused.Lacks), "; ")+".", sandboxAdvice(refused.Blocked)+" Or set --hook-sandbox best-effort if you trust everybody who can save a schema.")
		return
	case err != nil:
		advice := "Correct the flags that begin with --hook, or use --hook-runtime quickjs."
		if runtime == string(sandbox.Node) {
			advice = "Install Node or a newer version of it, or use --hook-runtime quickjs."
		}
		problem, fix := splitAdvice(err.Error(), advice)
		r.Fail(doctor.Setting("hook-runtime")+": "+runtime, problem, fix)
		return
	}
	has := sandbox.ProbeCapabilities()
	if lacks := has.MissingRequired(); len(lacks) > 0 {
		r.Warn(where, "Hooks run in an incomplete sandbox: "+strings.Join(lacks, "; ")+".", sandboxAdvice(has.LandlockBlocked)+" Or make sure that you trust everybody who can save a schema.")
	}
	if _, err := runner.checkHooks(ctx, intray.Hooks{Row: []string{"(row) => row"}}); err != nil {
		r.Fail(where, sentence("A hook cannot be run: "+err.Error()), "Check the limits of this process (memory, processes, seccomp) and the flags that begin with --hook.")
	}
}

// sandboxAdvice returns how to get a complete sandbox. blocked means that a filter of system calls prevents
// it.
func sandboxAdvice(blocked bool) string {
	if blocked {
		return "In a container, update Docker or Podman. If you use your own seccomp filter, allow landlock_create_ruleset, landlock_add_rule and landlock_restrict_self."
	}
	return "Use a system with these features."
}
