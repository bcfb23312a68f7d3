package hooks_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/hooks"
	"github.com/intraydata/intray/hooks/sandbox"
)

func TestErrorLocation(t *testing.T) {
	cases := []struct {
		source, text string
		line         int
	}{
		{"(r) => {\n  if (r.index === 8204) throw new RangeError(\"too far\");\n}", "RangeError: too far", 2},
		{"(r) => {\n\n  if (r.index === 8204) r.row.gone.value;\n}", "TypeError: ", 3},
		{"async (r) => {\n  if (r.index === 8204) await fetch(\"https://example.com\");\n}", "hooks have no network: fetch is not there", 2},
		{"(r) => r.index === 8204 ? new Promise(() => {}) : null", "never settles", 0},
		{"(r) => r.index === 8204 ? {row: {gone: {value: 1}}} : null", "gone", 0},
		{"(r) => r.index === 8204 ? 7 : null", "number", 0},
		{"(r) => r.index === 8204 ? {row: {out: {value: NaN}}} : null", "NaN", 0},
		{"(r) => { if (r.index === 8204) throw null; }", "", 0},
	}
	forEachRuntime(t, func(t *testing.T, s *hooks.Runner) {
		for i, tt := range cases {
			before := numberedRows(8000, 100)
			if i == 0 {
				before = numberedRows(7000, 1100) // more than one call
			}
			t.Run(tt.source, func(t *testing.T) {
				session := openSession(t, s, rowHooks("() => {}", tt.source))
				changes, err := session.RunRows(t.Context(), 1, rowsOf(numberedFields, before, numberedRows(8100, 200)))
				failed := hookError(t, err)
				if failed.Hook != "rowHooks[1]" || failed.Row == nil || *failed.Row != 8204 || !strings.Contains(failed.Text.String(), tt.text) || changes != nil {
					t.Errorf("got %v", failed)
				}
				if tt.line > 0 && (failed.Line != tt.line || failed.Column == 0) {
					t.Errorf("the error is at %d:%d, want line %d", failed.Line, failed.Column, tt.line)
				}
				// The session can still be used for rows that do not fail.
				if _, err := session.RunRows(t.Context(), 1, rowsOf(numberedFields, numberedRows(0, 10))); err != nil {
					t.Error(err)
				}
			})
		}
	})
}

func TestUnloadableHooks(t *testing.T) {
	forEachRuntime(t, func(t *testing.T, s *hooks.Runner) {
		for source, want := range map[string]string{"() => {\n return ]; }": "SyntaxError", "async () => { await import(\"fs\"); }": "import() is not there", "7": "it must be a function", "": "empty"} {
			session, err := s.Open(t.Context(), intray.Hooks{BulkRow: []string{source}}, intray.HookEnv{})
			if err == nil {
				t.Cleanup(func() { _ = session.Close() })
				_, err = session.RunBulk(t.Context(), 0, rowsOf(numberedFields, numberedRows(0, 1)))
			}
			if failed := hookError(t, err); failed.Hook != "bulkRowHooks[0]" || !strings.Contains(failed.Text.String(), want) {
				t.Errorf("%q: %v", source, failed)
			}
		}
	})
}

func TestConsoleAndTimes(t *testing.T) {
	forEachRuntime(t, func(t *testing.T, s *hooks.Runner) {
		session := openSession(t, s, rowHooks(`(r) => { console.log("row", r.index); let n = 0; for (let i = 0; i < 3e3; i++) n += i % 7; }`))
		if _, err := session.RunRows(t.Context(), 0, rowsOf(numberedFields, numberedRows(0, 50), numberedRows(50, 50))); err != nil {
			t.Fatal(err)
		}
		lines := session.Console()
		if len(lines) != 20 || lines[0] != "row 80" || lines[19] != "row 99" {
			t.Errorf("got %q", lines)
		}
		if took := session.HookTimes()["rowHooks[0]"]; took <= 0 || took > time.Minute {
			t.Errorf("it took %v", took)
		}
	})
}

// TestPins checks that the clock and random numbers are the same in every session, however
// the rows are split into calls.
func TestPins(t *testing.T) {
	s := newRunner(t, sandbox.QuickJS, hooks.Config{}, sandbox.Config{})
	var all [][]string
	for _, size := range []int{10, 1000} {
		session, err := s.Open(t.Context(), rowHooks(`() => ({row: {out: {value: new Date().toISOString() + Math.random()}}})`), intray.HookEnv{Now: time.UnixMilli(1_700_000_000_000), Seed: 7})
		if err != nil {
			t.Fatal(err)
		}
		var batches []*intray.Batch
		for first := 0; first < 1000; first += size {
			batches = append(batches, numberedRows(int64(first), size))
		}
		changes, err := session.RunRows(t.Context(), 0, rowsOf(numberedFields, batches...))
		if err != nil || len(changes) != 1000 {
			t.Fatal(err)
		}
		all = append(all, describeChanges(changes))
		_ = session.Close()
	}
	if diff := cmp.Diff(all[0], all[1]); diff != "" || !strings.HasPrefix(all[0][0], "0.2 2023-11-14T22:13:20.000Z0.") {
		t.Error(all[0][0], diff)
	}
}

// TestRowEndsWorker checks that the error contains the row that ended the worker in the
// middle of a call.
func TestRowEndsWorker(t *testing.T) {
	t.Parallel()
	forEachRuntimeWith(t, hooks.Config{}, sandbox.Config{Memory: 96 << 20}, func(t *testing.T, s *hooks.Runner) {
		session := openSession(t, s, rowHooks(`(r) => { if (r.index === 1030) { const all = []; for (;;) all.push(new Array(1000).fill(r.index)); } }`))
		_, err := session.RunRows(t.Context(), 0, rowsOf(numberedFields, numberedRows(1000, 100)))
		failed := hookError(t, err)
		if failed.Hook != "rowHooks[0]" || failed.Row == nil || *failed.Row != 1030 || strings.Contains(failed.Error(), ",.") {
			t.Errorf("got %v", failed)
		}
		if _, err := session.RunRows(t.Context(), 0, rowsOf(numberedFields, numberedRows(0, 10))); err != nil {
			t.Errorf("the session cannot be used after an error: %v", err)
		}
	})
}

// TestRowChangesListPrototype checks that the error contains the row in which a hook changed the
// prototypes of arrays, even though the change is detected only at the end of a call.
func TestRowChangesListPrototype(t *testing.T) {
	forEachRuntime(t, func(t *testing.T, s *hooks.Runner) {
		session := openSession(t, s, rowHooks(`() => {}`, `(r) => { if (r.index === 2030) Array.prototype[3] = 1; }`))
		_, err := session.RunRows(t.Context(), 1, rowsOf(numberedFields, numberedRows(1000, 2000)))
		if failed := hookError(t, err); failed.Hook != "rowHooks[1]" || failed.Row == nil || *failed.Row != 2030 || !strings.Contains(failed.Text.String(), "the hook changes built-in prototypes") {
			t.Error(failed)
		}
		session = openSession(t, s, intray.Hooks{BulkRow: []string{`() => { Object.prototype[0] = 1; }`, `() => {}`}})
		_, err = session.RunBulk(t.Context(), 0, rowsOf(numberedFields, numberedRows(0, 3)))
		if failed := hookError(t, err); failed.Hook != "bulkRowHooks[0]" || failed.Row != nil || !strings.Contains(failed.Text.String(), "the hook changes built-in prototypes") {
			t.Error(failed)
		}
	})
}

// TestErrorNamesHook checks that an invalid result of the second of three hooks is reported
// as an error of that hook.
func TestErrorNamesHook(t *testing.T) {
	forEachRuntimeWith(t, hooks.Config{}, sandbox.Config{Memory: 128 << 20}, func(t *testing.T, s *hooks.Runner) {
		for _, test := range []struct {
			source, want string
			slow         bool
		}{
			{`(list) => Array.from({length: 20001}, (_, index) => ({index, row: {out: {value: "x"}}}))`, "element 10 of what the hook returned has the index 10", true},
			{`(list) => Array.from({length: 20001}, () => ({index: 3, row: {out: {value: "x".repeat(2000) + Math.random()}}}))`, "larger than 16777216 bytes", true},
			{`(list) => ({length: 200001})`, "a list of {index, row}", false},
			{`(list) => [{index: 10, row: {out: {value: "x"}}}]`, "element 0 of what the hook returned has the index 10", false},
			{`(list) => [{index: 0, row: {n: {manyToOne: [{value: "x"}]}}}]`, "manyToOne for \"n\"", false},
			{`(list) => { const all = []; for (;;) all.push(new Array(1000).fill(list[0].row.n)); }`, "memory", true},
		} {
			if test.slow && testing.Short() {
				continue
			}
			session := openSession(t, s, intray.Hooks{BulkRow: []string{`() => {}`, test.source, `() => {}`}})
			_, err := session.RunBulk(t.Context(), 1, rowsOf(numberedFields, numberedRows(0, 10)))
			if failed := hookError(t, err); failed.Hook != "bulkRowHooks[1]" || !strings.Contains(failed.Text.String(), test.want) {
				t.Errorf("%s: %v", test.source, failed)
			}
		}
	})
}

// TestLastChangeWins checks that the last change to a cell is used, for few rows and for many.
func TestLastChangeWins(t *testing.T) {
	counts := []int{2, 10_001}
	if testing.Short() {
		counts = counts[:1]
	}
	forEachRuntime(t, func(t *testing.T, s *hooks.Runner) {
		session := openSession(t, s, intray.Hooks{
			BulkRow: []string{`() => Array.from({length: 6000}, (_, i) => ({index: i % 2, row: {out: {value: "v" + i}, b: {info: [{message: "m" + i}]}}}))`},
			Column:  []intray.ColumnHook{{Field: "n", Source: `() => Array.from({length: 6000}, (_, i) => ({index: 1, value: "v" + i}))`}},
		})
		for _, rows := range counts {
			all := rowsOf(numberedFields, numberedRows(0, rows))
			changes, err := session.RunBulk(t.Context(), 0, all)
			last := map[string]bool{}
			for _, one := range describeChanges(changes) {
				last[one] = true
			}
			for _, want := range []string{"0.2 v5998", "1.2 v5999", "0.1 infos[{error m5998}]", "1.1 infos[{error m5999}]"} {
				if err != nil || !last[want] || rows == 2 && len(last) != 4 {
					t.Errorf("%d rows: %q is not among the %d changes, %v", rows, want, len(last), err)
				}
			}
			changes, err = session.RunColumn(t.Context(), 0, all)
			if list := describeChanges(changes); err != nil || len(list) == 0 || list[len(list)-1] != "1.0 v5999" {
				t.Errorf("%d rows: %d changes, %v", rows, len(list), err)
			}
		}
	})
}

// TestIdleTimeout checks that a session replaces a worker that was ended because it was idle.
func TestIdleTimeout(t *testing.T) {
	s := newRunner(t, sandbox.QuickJS, hooks.Config{MaxWorkers: 1}, sandbox.Config{IdleTimeout: 50 * time.Millisecond})
	session := openSession(t, s, rowHooks(`({row}) => ({row: {out: {value: row.b.value + "!"}}})`))
	for range 3 {
		changes, err := session.RunRows(t.Context(), 0, rowsOf(numberedFields, numberedRows(0, 2)))
		if diff := cmp.Diff([]string{"0.2 text!", "1.2 text!"}, describeChanges(changes)); diff != "" || err != nil {
			t.Fatal(err, diff)
		}
		waitForWorkers(t, 1)
	}
}

func TestCancelledCall(t *testing.T) {
	s := newRunner(t, sandbox.QuickJS, hooks.Config{MaxWorkers: 1}, sandbox.Config{})
	session := openSession(t, s, rowHooks(`(r) => { if (r.index > 0) for (;;); }`))
	if err := session.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer stop()
	_, err := session.RunRows(ctx, 0, rowsOf(numberedFields, numberedRows(0, 2)))
	var failed *intray.HookError
	if !errors.Is(err, context.DeadlineExceeded) || errors.As(err, &failed) {
		t.Error(err)
	}
	if _, err := session.RunRows(ctx, 0, rowsOf(numberedFields, numberedRows(0, 1))); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if _, err := session.RunRows(t.Context(), 0, rowsOf(numberedFields, numberedRows(0, 1))); err != nil {
		t.Error(err)
	}
}

func TestClose(t *testing.T) {
	s := newRunner(t, sandbox.QuickJS, hooks.Config{}, sandbox.Config{})
	session := openSession(t, s, rowHooks(`() => {}`))
	if err := session.Close(); err != nil { // no hook ran
		t.Error(err)
	}
	if _, err := session.RunRows(t.Context(), 0, rowsOf(numberedFields, numberedRows(0, 1))); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Error(err)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	if changes, err := openSession(t, s, rowHooks(`() => {}`)).RunRows(t.Context(), 0, rowsOf(numberedFields)); err != nil || changes != nil {
		t.Error(changes, err)
	}
}

// TestFieldsChange checks that a session can still be used after its fields have changed.
func TestFieldsChange(t *testing.T) {
	forEachRuntime(t, func(t *testing.T, s *hooks.Runner) {
		session := openSession(t, s, rowHooks(`({row}) => ({row: {out: {value: Object.keys(row).join() + row.n.value}}})`))
		for _, fields := range [][]intray.Field{numberedFields, {textField("out"), textField("extra"), textField("n")}, numberedFields} {
			changes, err := session.RunRows(t.Context(), 0, rowsOf(fields, batch(0, []any{"x", "y", "z"})))
			if err != nil || len(changes) != 1 {
				t.Fatal(err, changes)
			}
			want := map[string]string{"n": "n,b,outx", "out": "out,extra,nz"}[fields[0].Key]
			if *changes[0].Value != want || fields[changes[0].Field].Key != "out" {
				t.Errorf("got %v, want %s", describeChanges(changes), want)
			}
		}
	})
}

// endlessBodies are endless loops. QuickJS interrupts the first one. The second one ends
// the worker, and only its notes identify the hook.
var endlessBodies = map[string]string{
	"loop":   `for (;;);`,
	"native": `[].includes.call({length: 2 ** 53 - 1}, 1);`,
}

// callsByHook maps the name of a hook to a function that calls that hook. The parameter body is
// the source of the hook.
var callsByHook = map[string]func(ctx context.Context, s *hooks.Runner, body string) error{
	"stepHooks[2]": func(ctx context.Context, s *hooks.Runner, body string) error {
		declared := intray.Hooks{Step: []intray.StepHook{{Step: intray.ReviewStepPost, Source: "() => {}"}, {Step: intray.UploadStep, Source: "() => {}"}, {Step: intray.UploadStep, Source: body}}}
		return withSession(ctx, s, declared, func(session *hooks.Session) error {
			_, err := session.RunStep(ctx, intray.StepCall{Step: intray.UploadStep, Fields: numberedFields})
			return err
		})
	},
	"columnHooks[1]": func(ctx context.Context, s *hooks.Runner, body string) error {
		return withSession(ctx, s, intray.Hooks{Column: []intray.ColumnHook{{Field: "n", Source: "() => {}"}, {Field: "n", Source: body}}}, func(session *hooks.Session) error {
			_, err := session.RunColumn(ctx, 1, rowsOf(numberedFields, numberedRows(0, 5)))
			return err
		})
	},
	"bulkRowHooks[1]": func(ctx context.Context, s *hooks.Runner, body string) error {
		return withSession(ctx, s, intray.Hooks{BulkRow: []string{"() => {}", body, "() => {}"}}, func(session *hooks.Session) error {
			_, err := session.RunBulk(ctx, 1, rowsOf(numberedFields, numberedRows(0, 5)))
			return err
		})
	},
	"rowHooks[1]": func(ctx context.Context, s *hooks.Runner, body string) error {
		return withSession(ctx, s, rowHooks("() => {}", "(record) => { if (record.index === 1203) ("+body+")(); }"), func(session *hooks.Session) error {
			_, err := session.RunRows(ctx, 1, rowsOf(numberedFields, numberedRows(1200, 10)))
			return err
		})
	},
	"beforeFinishCallback": func(ctx context.Context, s *hooks.Runner, body string) error {
		return withSession(ctx, s, intray.Hooks{BeforeFinish: body}, func(session *hooks.Session) error {
			about := intray.FinishCall{Mapping: intray.Mapping{Fields: make([]intray.Match, len(numberedFields))}}
			_, err := session.Finish(ctx, &intray.Schema{Fields: numberedFields}, sequence(nil, numberedRows(0, 5)), about)
			return err
		})
	},
}

func withSession(ctx context.Context, s *hooks.Runner, hooks intray.Hooks, do func(*hooks.Session) error) error {
	session, err := s.Open(ctx, hooks, intray.HookEnv{})
	if err != nil {
		return err
	}
	defer func() { _ = session.Close() }()
	return do(session)
}

// TestEndlessHook checks that the error of an endless hook contains the hook, the limit and, for
// a row hook, the row. The calls run concurrently to save time.
func TestEndlessHook(t *testing.T) {
	t.Parallel()
	forEachRuntimeWith(t, hooks.Config{BatchTimeout: time.Second}, sandbox.Config{MaxWorkers: 16}, func(t *testing.T, s *hooks.Runner) {
		var all sync.WaitGroup
		for hook, call := range callsByHook {
			for name, body := range endlessBodies {
				if !isFull() && name != "native" && hook != "rowHooks[1]" || testing.Short() && hook != "rowHooks[1]" && (hook != "stepHooks[2]" || name != "native") {
					continue
				}
				all.Go(func() {
					var failed *intray.HookError
					if err := call(t.Context(), s, "() => { "+body+" }"); !errors.As(err, &failed) {
						t.Errorf("%s, %s: got %v, want the error of a hook", hook, name, err)
						return
					}
					if failed.Hook != hook || !strings.Contains(failed.Text.String(), "it took longer than 1 s") || !strings.Contains(failed.Text.String(), "--hook-timeout-per-1000") {
						t.Errorf("%s, %s: %v", hook, name, failed)
					}
					if hook == "rowHooks[1]" && (failed.Row == nil || *failed.Row != 1203) {
						t.Errorf("%s, %s: %v", hook, name, failed)
					}
				})
			}
		}
		all.Wait()
	})
}

// TestMemoryLimit checks that the error of a hook that exceeds its memory limit contains
// the hook and the limit.
func TestMemoryLimit(t *testing.T) {
	t.Parallel()
	allocations := map[string]string{
		"lists":   "new Array(1000).fill(all.length)",
		"records": "{ one: { two: all.length } }",
		"texts":   `("text " + all.length).repeat(10)`,
		"calls":   "() => all",
	}
	forEachRuntimeWith(t, hooks.Config{}, sandbox.Config{Memory: 96 << 20}, func(t *testing.T, s *hooks.Runner) {
		for _, hook := range []string{"bulkRowHooks[1]", "stepHooks[2]", "beforeFinishCallback"} {
			for what, one := range allocations {
				if !isFull() && what != "lists" && hook != "bulkRowHooks[1]" || testing.Short() && (what != "lists" || hook != "bulkRowHooks[1]") {
					continue
				}
				source := "() => { const all = []; for (;;) all.push(" + one + "); }"
				if failed := hookError(t, callsByHook[hook](t.Context(), s, source)); failed.Hook != hook || !strings.Contains(failed.Text.String(), "96 MB") || !strings.Contains(failed.Text.String(), "--hook-memory") {
					t.Errorf("%s, %s: %v", hook, what, failed)
				}
			}
		}
	})
}

// TestSlowRows checks that the error does not contain a row if all rows together take too long.
func TestSlowRows(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: it waits for two timeouts")
	}
	s := newRunner(t, sandbox.Node, hooks.Config{BatchTimeout: time.Second}, sandbox.Config{})
	slow := `// intray: live-clock
	() => { const end = Date.now() + 3; while (Date.now() < end); }`
	err := withSession(t.Context(), s, rowHooks(slow), func(session *hooks.Session) error {
		_, err := session.RunRows(t.Context(), 0, rowsOf(numberedFields, numberedRows(2000, 1500)))
		return err
	})
	if failed := hookError(t, err); failed.Hook != "rowHooks[0]" || failed.Row != nil || !strings.Contains(failed.Error(), "in one of the data rows 2,001 to 3,000") {
		t.Error(failed)
	}
}

// TestWorkerIsKilled checks that a call is repeated if something other than a hook kills
// its worker.
func TestWorkerIsKilled(t *testing.T) {
	// linger is the beginning of a hook that takes half a second.
	const linger = `// intray: live-clock
	(input) => { if (input.index === 0 || input.length > 0) for (const end = Date.now() + 500; Date.now() < end;); return `
	forEachRuntimeWith(t, hooks.Config{MaxWorkers: 1}, sandbox.Config{}, func(t *testing.T, s *hooks.Runner) {
		session := openSession(t, s, intray.Hooks{
			Row:     []string{linger + `{row: {out: {value: input.row.n.value}}}; }`},
			BulkRow: []string{linger + `input.map((r) => ({index: r.index, row: {out: {value: r.row.n.value}}})); }`},
			Column:  []intray.ColumnHook{{Field: "n", Source: linger + `input.map((c) => ({index: c.index, value: c.value + "!"})); }`}},
		})
		for name, call := range map[string]func(context.Context, int, intray.HookRows) ([]intray.Change, error){"rows": session.RunRows, "bulk": session.RunBulk, "column": session.RunColumn} {
			if err := session.Load(t.Context()); err != nil {
				t.Fatal(err)
			}
			pid := session.PIDs()[0]
			go func() {
				time.Sleep(150 * time.Millisecond) // until the worker runs the hook
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}()
			changes, err := call(t.Context(), 0, rowsOf(numberedFields, numberedRows(0, 10)))
			if len(changes) != 10 || err != nil {
				t.Errorf("%s: %d changes, %v", name, len(changes), err)
			}
			if again := session.PIDs(); len(again) != 1 || again[0] == pid {
				t.Errorf("%s: after worker %d was killed, the idle workers are %v", name, pid, again)
			}
		}
	})
}
