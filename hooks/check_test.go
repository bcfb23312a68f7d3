package hooks_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/hooks"
	"github.com/intraydata/intray/hooks/sandbox"
	"github.com/intraydata/intray/schema"
)

// issuesOf returns the issues in an error from Check, one per line.
func issuesOf(t *testing.T, err error) string {
	t.Helper()
	var invalid *schema.InvalidError
	if err != nil && !errors.As(err, &invalid) {
		t.Fatalf("got %v, want issues", err)
	}
	if invalid == nil {
		return ""
	}
	return invalid.Error()
}

func TestCheck(t *testing.T) {
	const notFunction = "hooks.rowHooks[0]: must be a single function, such as "
	syntax := func(line, column int) string {
		return fmt.Sprintf("hooks.rowHooks[0]: has a syntax error at line %d, column %d: ", line, column)
	}
	tests := []struct{ source, want string }{
		{"(record, mode) => ({row: {}})", ""},
		{"// c\nasync function f(r) { await r }", ""},
		{" (record => record) ", ""},
		{"hook(record) { return record }", ""},
		{"() => {};", ""},
		{"(() => { const seen = {}; return (r) => { seen[r.index] = 1 } })()", ""},
		{"1 + 1", notFunction},
		{"'text'", notFunction},
		{"{}", notFunction},
		{"() => {}, () => {}", notFunction},
		{"class {}", notFunction},
		{"function* () {}", notFunction},
		{"async function* () {}", notFunction},
		{"* hook() {}", notFunction},
		{"(() => {})()", notFunction},
		{"1);steal(2", notFunction},
		{"function f(r) {\n  return {row: {}}\n}}", notFunction},
		{"a", "hooks.rowHooks[0]: "},
		{"fetch('x')", "hooks.rowHooks[0]: "},
		{"async (r) => {\n  await import('fs')\n}", "hooks.rowHooks[0]: has an error at line 2, column 9: hooks cannot load modules"},
		{"r =>\n{ ! }", syntax(2, 5)},
		{"() => {1+};", syntax(1, 10)},
		{"(a) =>\n{\n  let x = ;\n}", syntax(3, 11)},
		{"(r) => {\n  const é = '😀😀', b = ;\n}", syntax(2, 23)},
		{"(r) => {\n  const a = 'not closed;\n  return {row: {}};\n}", syntax(2, 13)},
		{"(r) => {\n  r.row.replace(/(/, '')\n}", syntax(2, 17)},
		{"(r) => {\n  let a = 1;\n  let a = 2;\n}", "hooks.rowHooks[0]: has a syntax error at line 3, "},
		{"hook(r) {\n  let x = ;\n}", syntax(2, 11)},
		{"(record) => { return", syntax(1, 21) + "the source ends too early"},
		{"(r) => {\n  if (r.x) {\n    return 1;\n\n}\n", syntax(5, 2) + "the source ends too early"},
		{"(r => r;", syntax(1, 8) + "the source ends too early"},
		{"() => {" + strings.Repeat("(", 100_000) + "1" + strings.Repeat(")", 100_000) + "}", "hooks.rowHooks[0]: "},
	}
	forEachRuntime(t, func(t *testing.T, s *hooks.Runner) {
		// Checking a source separately requires a new worker, which is slow to start in Node.
		// Therefore, Node usually checks all sources in one call only, whereas QuickJS also
		// checks each one separately. In short mode, QuickJS
		// checks only one source in four separately.
		var sources []string
		for i, tt := range tests {
			sources = append(sources, tt.source)
			if strings.HasSuffix(t.Name(), "node") && !isFull() || testing.Short() && i%4 > 0 {
				continue
			}
			got := issuesOf(t, s.Check(t.Context(), rowHooks(tt.source)))
			if !strings.HasPrefix(got, tt.want) || tt.want == "" && got != "" {
				t.Errorf("%.60q:\ngot  %.200s\nwant %s", tt.source, got, tt.want)
			}
		}
		all := "\n" + issuesOf(t, s.Check(t.Context(), rowHooks(sources...)))
		for i, tt := range tests {
			path := fmt.Sprintf("hooks.rowHooks[%d]: ", i)
			want := strings.Replace(tt.want, "hooks.rowHooks[0]: ", path, 1)
			if want == "" && strings.Contains(all, path) || !strings.Contains(all, "\n"+want) {
				t.Errorf("%.60q with others: want %q in\n%.5000s", tt.source, want, all)
			}
		}
		waitForWorkers(t, 1)
	})
}

// TestCheckNamesAllHooks checks that each invalid hook has an issue, in the order of the
// schema, whether this package or the runtime found it.
func TestCheckNamesAllHooks(t *testing.T) {
	const want = `hooks.rowHooks[0]: has an error at line 1, column 7: hooks cannot load modules: import() is not there
hooks.columnHooks[1].callback: must be a single function, such as (record, mode) => ({row: {}}) or function (record, mode) { … }, with nothing after it
hooks.stepHooks[0].callback: has a syntax error at line 1, column 10: 
hooks.beforeFinishCallback: must be a single function, such as (record, mode) => ({row: {}}) or function (record, mode) { … }, with nothing after it`
	forEachRuntime(t, func(t *testing.T, s *hooks.Runner) {
		got := issuesOf(t, s.Check(t.Context(), intray.Hooks{
			Row: []string{"() => import('fs')", "() => {}"}, BulkRow: []string{"() => {}"},
			Column:       []intray.ColumnHook{{Field: "a", Source: "() => {}"}, {Field: "a", Source: "7"}},
			Step:         []intray.StepHook{{Step: intray.UploadStep, Source: "() => { ] }"}},
			BeforeFinish: "() => {}, 1",
		}))
		lines := strings.Split(got, "\n")
		if len(lines) == 4 { // the runtimes report syntax errors in different words
			lines[2] = lines[2][:strings.LastIndex(lines[2], "column ")] + "column 10: "
		}
		if diff := cmp.Diff(want, strings.Join(lines, "\n")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestCheckLimits checks that a source cannot exceed the time limit for loading.
func TestCheckLimits(t *testing.T) {
	t.Parallel()
	forEachRuntimeWith(t, hooks.Config{BatchTimeout: time.Second}, sandbox.Config{}, func(t *testing.T, s *hooks.Runner) {
		sources := []string{"[].includes.call({length: 2 ** 53 - 1}, 1)", "(() => { for (;;); })()"}
		if testing.Short() {
			sources = sources[:1] // each uses a processor for a second
		}
		var all sync.WaitGroup
		for _, source := range sources {
			all.Go(func() {
				err := s.Check(t.Context(), rowHooks("() => {}", source))
				var failed *intray.HookError
				if !errors.As(err, &failed) || failed.Hook != "rowHooks[1]" || !strings.Contains(failed.Text.String(), "took longer than 1 s") {
					t.Errorf("%s: %v", source, err)
				}
			})
		}
		all.Wait()
		if err := s.Check(t.Context(), intray.Hooks{}); err != nil {
			t.Error(err)
		}
	})
}

// TestCheckWithoutWorkers checks that the error does not name a hook if no worker is available.
func TestCheckWithoutWorkers(t *testing.T) {
	c, err := sandbox.New(sandbox.Config{Mode: sandbox.BestEffort})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s := hooks.New(c, hooks.Config{})
	ctx, stop := context.WithCancel(t.Context())
	stop()
	var failed *intray.HookError
	if err := s.Check(ctx, rowHooks("() => {}")); !errors.Is(err, context.Canceled) || errors.As(err, &failed) {
		t.Error(err)
	}
	c.Close()
	if err := s.Check(t.Context(), rowHooks("() => {}")); !errors.Is(err, sandbox.ErrClosed) {
		t.Error(err)
	}
}
