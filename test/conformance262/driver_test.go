package conformance262

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/intraydata/intray/hooks/jsruntime"
	"github.com/intraydata/intray/hooks/sandbox"
)

// runner runs the tests of a suite with one runtime.
type runner struct {
	suite *suite
	pool  *sandbox.Pool
	// budget is the maximum time for one test.
	budget time.Duration
}

// verdict is the result of a test. wrong is "" if the test passed.
type verdict struct {
	script *script
	wrong  string
}

// runAll runs all tests, several concurrently. A worker is reused until a test fails.
func (r *runner) runAll(ctx context.Context) ([]verdict, error) {
	verdicts := make([]verdict, len(r.suite.scripts))
	group, ctx := errgroup.WithContext(ctx)
	parts := runtime.GOMAXPROCS(0)
	for part := range parts {
		group.Go(func() error {
			one := &workerSlot{runner: r}
			defer one.closeWorker()
			for i := part; i < len(verdicts); i += parts {
				wrong, err := one.runModes(ctx, &r.suite.scripts[i])
				if err != nil {
					return fmt.Errorf("%s: %w", r.suite.scripts[i].name, err)
				}
				verdicts[i] = verdict{&r.suite.scripts[i], wrong}
			}
			return nil
		})
	}
	return verdicts, group.Wait()
}

// workerSlot runs tests one at a time. It starts a worker when it has none.
type workerSlot struct {
	*runner
	worker *sandbox.Worker
}

// runModes runs a test in each of its modes. It returns a description of the failure, or "".
func (p *workerSlot) runModes(ctx context.Context, one *script) (string, error) {
	for _, strict := range modes(one) {
		wrong, err := p.runOnce(ctx, one, strict)
		if err != nil {
			return "", err
		}
		if wrong != "" && strict {
			wrong += " (strict mode)"
		}
		if wrong != "" {
			return wrong, nil
		}
	}
	return "", nil
}

// modes returns the modes in which a test runs: false is sloppy mode, and true is strict mode.
func modes(one *script) []bool {
	switch {
	case one.flag("onlyStrict"):
		return []bool{true}
	case one.flag("noStrict"), one.flag("raw"):
		return []bool{false}
	}
	return []bool{false, true}
}

// runOnce runs a test in the current worker. If the test fails, it runs again in a new
// worker, because earlier tests may have caused the failure.
func (p *workerSlot) runOnce(ctx context.Context, one *script, strict bool) (wrong string, err error) {
	for {
		fresh := p.worker == nil
		if fresh {
			if p.worker, err = p.pool.Worker(ctx, sandbox.Limits{}); err != nil {
				return "", fmt.Errorf("starting a worker: %w", err)
			}
		}
		wrong, err := p.call(ctx, one, strict)
		if wrong == "" && err == nil {
			return "", nil
		}
		p.closeWorker()
		if fresh || err != nil {
			return wrong, err
		}
	}
}

func (p *workerSlot) closeWorker() {
	if p.worker != nil {
		p.worker.Close()
	}
	p.worker = nil
}

// call loads a test as a hook and calls the hook with one row. It returns an error only if
// the sandbox fails, not if the test does.
func (p *workerSlot) call(ctx context.Context, one *script, strict bool) (string, error) {
	load := jsruntime.LoadCall{Hooks: []jsruntime.Hook{{Kind: jsruntime.HookRow, Name: "rowHooks[0]", Source: p.suite.hook(one, strict)}}, Budget: p.budget}
	raw, dead, err := p.send(ctx, load.Append(nil))
	if dead != "" || err != nil {
		return dead, err
	}
	negative := one.phase == "parse" || one.phase == "early"
	if wrong := loaded(raw, negative, one.wrong); wrong != "" || negative {
		return wrong, nil
	}
	call := jsruntime.RowsCall{Kind: jsruntime.HookRow, Mode: "init", Rows: jsruntime.Rows{Count: 1}, Budget: p.budget}
	if raw, dead, err = p.send(ctx, call.Append(nil)); dead != "" || err != nil {
		return dead, err
	}
	return called(raw), nil
}

// loaded describes what is wrong with the response to loading a source, or returns "". If
// negative is true, the source must be rejected.
func loaded(raw string, negative bool, want string) string {
	faults, failure, err := jsruntime.ReadLoaded(raw)
	switch {
	case err != nil:
		return "its answer cannot be read: " + err.Error()
	case failure != nil:
		return failure.Error()
	case negative:
		return refused(faults, want)
	case len(faults) > 0:
		return fmt.Sprintf("the source is rejected: %s: %s", faults[0].Name, faults[0].Message)
	}
	return ""
}

// called describes what is wrong with the response to a call, or returns "".
func called(raw string) string {
	answer, err := jsruntime.ReadAnswer(raw, jsruntime.Bounds{Rows: 1}, func(*jsruntime.Change) {})
	switch {
	case err != nil:
		return "its answer cannot be read: " + err.Error()
	case answer.Failure != nil:
		return strings.TrimPrefix(fmt.Sprintf("%s: %s", answer.Failure.Name, answer.Failure.Message), ": ")
	}
	return ""
}

// send sends a request to the worker. If the request ends the worker, dead describes how.
func (p *workerSlot) send(ctx context.Context, request []byte) (answer, dead string, err error) {
	answer, err = p.worker.Call(ctx, request, p.budget+time.Second)
	var failed *sandbox.Failure
	if errors.As(err, &failed) && ctx.Err() == nil {
		return "", failed.Error(), nil
	}
	return answer, "", err
}

// refused describes what is wrong with the rejection of a source, or returns "".
func refused(faults []jsruntime.Fault, want string) string {
	switch {
	case len(faults) == 0:
		return "it succeeds, want a " + want
	case faults[0].Name != want:
		return fmt.Sprintf("it is a %s, want a %s", faults[0].Name, want)
	}
	return ""
}

// hook returns the source of a hook that runs a test. It is a function that contains the
// harness and a nested function with the test. As in a script, the value of this is the global
// object. An asynchronous test prints a message when it is done.
func (s *suite) hook(one *script, strict bool) string {
	var text strings.Builder
	text.WriteString("function () {\n")
	if !one.flag("raw") {
		for _, name := range append(append([]string{}, always...), one.includes...) {
			text.WriteString(s.harness[name] + "\n")
		}
	}
	if one.flag("async") {
		text.WriteString(`const intrayVerdict = new Promise((resolve, reject) => {
	globalThis.print = (line) => line === "Test262:AsyncTestComplete" ? resolve() : reject(new Error(line));
});
` + s.harness[doneFile] + "\nglobalThis.$DONE = $DONE;\n")
	}
	body := "(function () {\n" + one.text + "\n}).call(globalThis);\n"
	if strict {
		body = "(function () { \"use strict\";\n" + one.text + "\n}).call(globalThis);\n"
	}
	if one.phase == "runtime" {
		body = fmt.Sprintf(`let intrayThrown = "nothing";
try {
%s} catch (thrown) {
	intrayThrown = thrown.constructor.name;
}
if (intrayThrown !== %q) throw new Error("it throws " + intrayThrown + ", and must throw a %s");
`, body, one.wrong, one.wrong)
	}
	text.WriteString(body)
	if one.flag("async") {
		text.WriteString("return intrayVerdict;\n")
	}
	return text.String() + "}"
}
