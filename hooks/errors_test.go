package hooks_test

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/hooks"
	"github.com/intraydata/intray/hooks/sandbox"
)

func TestFailuresNameTheirPlace(t *testing.T) {
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
	everywhere(t, func(t *testing.T, s *hooks.Runner) {
		for i, tt := range cases {
			before := count(8000, 100)
			if i == 0 {
				before = count(7000, 1100) // more than one call
			}
			t.Run(tt.source, func(t *testing.T) {
				session := open(t, s, rowHooks("() => {}", tt.source))
				changes, err := session.RunRows(t.Context(), 1, rowsOf(countFields, before, count(8100, 200)))
				failed := hookError(t, err)
				if failed.Hook != "rowHooks[1]" || failed.Row == nil || *failed.Row != 8204 || !strings.Contains(failed.Text.String(), tt.text) || changes != nil {
					t.Errorf("got %v", failed)
				}
				if tt.line > 0 && (failed.Line != tt.line || failed.Column == 0) {
					t.Errorf("it is at %d:%d, want line %d", failed.Line, failed.Column, tt.line)
				}
				// The session remains usable for rows that do not fail.
				if _, err := session.RunRows(t.Context(), 1, rowsOf(countFields, count(0, 10))); err != nil {
					t.Error(err)
				}
			})
		}
	})
}

func TestHooksThatAreNone(t *testing.T) {
	everywhere(t, func(t *testing.T, s *hooks.Runner) {
		for source, want := range map[string]string{"() => {\n return ]; }": "SyntaxError", "async () => { await import(\"fs\"); }": "import() is not there", "7": "it must be a function", "": "empty"} {
			session, err := s.Open(t.Context(), intray.Hooks{BulkRow: []string{source}}, intray.HookEnv{})
			if err == nil {
				t.Cleanup(func() { _ = session.Close() })
				_, err = session.RunBulk(t.Context(), 0, rowsOf(countFields, count(0, 1)))
			}
			if failed := hookError(t, err); failed.Hook != "bulkRowHooks[0]" || !strings.Contains(failed.Text.String(), want) {
				t.Errorf("%q: %v", source, failed)
			}
		}
	})
}

func TestConsoleAndTimes(t *testing.T) {
	everywhere(t, func(t *testing.T, s *hooks.Runner) {
		session := open(t, s, rowHooks(`(r) => { console.log("row", r.index); let n = 0; for (let i = 0; i < 3e3; i++) n += i % 7; }`))
		if _, err := session.RunRows(t.Context(), 0, rowsOf(countFields, count(0, 50), count(50, 50))); err != nil {
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

// TestPins checks that the clock and random numbers are the same in every session,
// however the rows are split.
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
			batches = append(batches, count(int64(first), size))
		}
		changes, err := session.RunRows(t.Context(), 0, rowsOf(countFields, batches...))
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

// TestTheRowThatKills checks that the row is found although the process ends with the
// whole call.
func TestTheRowThatKills(t *testing.T) {
	for name, body := range map[string]string{
		"time":   `for (;;);`,
		"memory": `const all = []; for (;;) all.push(new Array(1000).fill(r.index));`,
	} {
		everywhereWith(t, hooks.Config{BatchTimeout: 400 * time.Millisecond}, sandbox.Config{}, func(t *testing.T, s *hooks.Runner) {
			session := open(t, s, rowHooks(`(r) => { if (r.index === 1030) { `+body+` } }`))
			_, err := session.RunRows(t.Context(), 0, rowsOf(countFields, count(1000, 100)))
			failed := hookError(t, err)
			if !strings.HasPrefix(failed.Hook, "rowHooks") || failed.Row == nil || *failed.Row != 1030 || strings.Contains(failed.Error(), ",.") {
				t.Errorf("%s: %v", name, failed)
			}
			if _, err := session.RunRows(t.Context(), 0, rowsOf(countFields, count(0, 10))); err != nil {
				t.Errorf("%s: the session is of no use any more: %v", name, err)
			}
		})
	}
}

// TestTheRowThatBendsLists checks that the row is found although the damage shows only at
// the end of a call.
func TestTheRowThatBendsLists(t *testing.T) {
	everywhere(t, func(t *testing.T, s *hooks.Runner) {
		session := open(t, s, rowHooks(`() => {}`, `(r) => { if (r.index === 2030) Array.prototype[3] = 1; }`))
		_, err := session.RunRows(t.Context(), 1, rowsOf(countFields, count(1000, 2000)))
		if failed := hookError(t, err); failed.Hook != "rowHooks[1]" || failed.Row == nil || *failed.Row != 2030 || !strings.Contains(failed.Text.String(), "what all lists are made of") {
			t.Error(failed)
		}
		session = open(t, s, intray.Hooks{BulkRow: []string{`() => { Object.prototype[0] = 1; }`, `() => {}`}})
		_, err = session.RunBulk(t.Context(), 0, rowsOf(countFields, count(0, 3)))
		if failed := hookError(t, err); failed.Hook != "bulkRowHooks[0]" || failed.Row != nil || !strings.Contains(failed.Text.String(), "what all lists are made of") {
			t.Error(failed)
		}
	})
}

// TestOneOfSeveralIsNamed checks that an invalid result of the second of three hooks is
// reported as its error.
func TestOneOfSeveralIsNamed(t *testing.T) {
	everywhere(t, func(t *testing.T, s *hooks.Runner) {
		for _, test := range []struct {
			source, want string
			slow         bool
		}{
			{`(list) => Array.from({length: 200001}, (_, index) => ({index, row: {out: {value: "x"}}}))`, "element 10 of what the hook returned has the index 10", true},
			{`(list) => Array.from({length: 200001}, () => ({index: 3, row: {out: {value: "x".repeat(200) + Math.random()}}}))`, "larger than 16777216 bytes", true},
			{`(list) => ({length: 200001})`, "a list of {index, row}", false},
			{`(list) => [{index: 10, row: {out: {value: "x"}}}]`, "element 0 of what the hook returned has the index 10", false},
			{`(list) => [{index: 0, row: {n: {manyToOne: [{value: "x"}]}}}]`, "manyToOne for \"n\"", false},
			{`(list) => { const all = []; for (;;) all.push(new Array(1000).fill(list[0].row.n)); }`, "memory", true},
		} {
			if test.slow && testing.Short() {
				continue
			}
			session := open(t, s, intray.Hooks{BulkRow: []string{`() => {}`, test.source, `() => {}`}})
			_, err := session.RunBulk(t.Context(), 1, rowsOf(countFields, count(0, 10)))
			if failed := hookError(t, err); failed.Hook != "bulkRowHooks[1]" || !strings.Contains(failed.Text.String(), test.want) {
				t.Errorf("%s: %v", test.source, failed)
			}
		}
	})
}

// TestARowNamedOverAndOver checks that the last change of a cell counts, for few rows and
// for many.
func TestARowNamedOverAndOver(t *testing.T) {
	counts := []int{2, 12_000}
	if testing.Short() {
		counts = counts[:1]
	}
	everywhere(t, func(t *testing.T, s *hooks.Runner) {
		session := open(t, s, intray.Hooks{
			BulkRow: []string{`() => Array.from({length: 30000}, (_, i) => ({index: i % 2, row: {out: {value: "v" + i}, b: {info: [{message: "m" + i}]}}}))`},
			Column:  []intray.ColumnHook{{Field: "n", Source: `() => Array.from({length: 30000}, (_, i) => ({index: 1, value: "v" + i}))`}},
		})
		for _, rows := range counts {
			all := rowsOf(countFields, count(0, rows))
			changes, err := session.RunBulk(t.Context(), 0, all)
			last := map[string]bool{}
			for _, one := range describeChanges(changes) {
				last[one] = true
			}
			for _, want := range []string{"0.2 v29998", "1.2 v29999", "0.1 infos[{error m29998}]", "1.1 infos[{error m29999}]"} {
				if err != nil || !last[want] || rows == 2 && len(last) != 4 {
					t.Errorf("%d rows: there is no %q among %d changes, %v", rows, want, len(last), err)
				}
			}
			changes, err = session.RunColumn(t.Context(), 0, all)
			if list := describeChanges(changes); err != nil || len(list) == 0 || list[len(list)-1] != "1.0 v29999" {
				t.Errorf("%d rows: %d changes, %v", rows, len(list), err)
			}
		}
	})
}

// TestIdle checks that a worker that was ended because it was idle is replaced.
func TestIdle(t *testing.T) {
	s := newRunner(t, sandbox.QuickJS, hooks.Config{MaxWorkers: 1}, sandbox.Config{IdleTimeout: 50 * time.Millisecond})
	session := open(t, s, rowHooks(`({row}) => ({row: {out: {value: row.b.value + "!"}}})`))
	for range 3 {
		changes, err := session.RunRows(t.Context(), 0, rowsOf(countFields, count(0, 2)))
		if diff := cmp.Diff([]string{"0.2 text!", "1.2 text!"}, describeChanges(changes)); diff != "" || err != nil {
			t.Fatal(err, diff)
		}
		waitForWorkers(t, 1)
	}
}

func TestGivenUp(t *testing.T) {
	s := newRunner(t, sandbox.QuickJS, hooks.Config{MaxWorkers: 1}, sandbox.Config{})
	session := open(t, s, rowHooks(`(r) => { if (r.index > 0) for (;;); }`))
	ctx, stop := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer stop()
	_, err := session.RunRows(ctx, 0, rowsOf(countFields, count(0, 2)))
	var failed *intray.HookError
	if !errors.Is(err, context.DeadlineExceeded) || errors.As(err, &failed) {
		t.Error(err)
	}
	if _, err := session.RunRows(ctx, 0, rowsOf(countFields, count(0, 1))); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if _, err := session.RunRows(t.Context(), 0, rowsOf(countFields, count(0, 1))); err != nil {
		t.Error(err)
	}
}

func TestClose(t *testing.T) {
	s := newRunner(t, sandbox.QuickJS, hooks.Config{}, sandbox.Config{})
	session := open(t, s, rowHooks(`() => {}`))
	if err := session.Close(); err != nil { // no hook ran
		t.Error(err)
	}
	if _, err := session.RunRows(t.Context(), 0, rowsOf(countFields, count(0, 1))); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Error(err)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	if changes, err := open(t, s, rowHooks(`() => {}`)).RunRows(t.Context(), 0, rowsOf(countFields)); err != nil || changes != nil {
		t.Error(changes, err)
	}
}

// TestFieldsChange checks that a session works after its fields have changed.
func TestFieldsChange(t *testing.T) {
	everywhere(t, func(t *testing.T, s *hooks.Runner) {
		session := open(t, s, rowHooks(`({row}) => ({row: {out: {value: Object.keys(row).join() + row.n.value}}})`))
		for _, fields := range [][]intray.Field{countFields, {text("out"), text("extra"), text("n")}, countFields} {
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

// endless are endless loops. QuickJS interrupts the first; for the others only the notes
// tell which hook it was.
var endless = map[string]string{
	"loop":   `for (;;);`,
	"native": `[].includes.call({length: 2 ** 53 - 1}, 1);`,
}

// calls has a call for each kind of hook, in which the last hook is the given one.
var calls = map[string]func(ctx context.Context, s *hooks.Runner, body string) error{
	"stepHooks[2]": func(ctx context.Context, s *hooks.Runner, body string) error {
		declared := intray.Hooks{Step: []intray.StepHook{{Step: intray.ReviewStepPost, Source: "() => {}"}, {Step: intray.UploadStep, Source: "() => {}"}, {Step: intray.UploadStep, Source: body}}}
		return with(ctx, s, declared, func(session *hooks.Session) error {
			_, err := session.RunStep(ctx, intray.StepCall{Step: intray.UploadStep, Fields: countFields})
			return err
		})
	},
	"columnHooks[1]": func(ctx context.Context, s *hooks.Runner, body string) error {
		return with(ctx, s, intray.Hooks{Column: []intray.ColumnHook{{Field: "n", Source: "() => {}"}, {Field: "n", Source: body}}}, func(session *hooks.Session) error {
			_, err := session.RunColumn(ctx, 1, rowsOf(countFields, count(0, 5)))
			return err
		})
	},
	"bulkRowHooks[1]": func(ctx context.Context, s *hooks.Runner, body string) error {
		return with(ctx, s, intray.Hooks{BulkRow: []string{"() => {}", body, "() => {}"}}, func(session *hooks.Session) error {
			_, err := session.RunBulk(ctx, 1, rowsOf(countFields, count(0, 5)))
			return err
		})
	},
	"rowHooks[1]": func(ctx context.Context, s *hooks.Runner, body string) error {
		return with(ctx, s, rowHooks("() => {}", "(record) => { if (record.index === 1203) ("+body+")(); }"), func(session *hooks.Session) error {
			_, err := session.RunRows(ctx, 1, rowsOf(countFields, count(1200, 10)))
			return err
		})
	},
	"beforeFinishCallback": func(ctx context.Context, s *hooks.Runner, body string) error {
		return with(ctx, s, intray.Hooks{BeforeFinish: body}, func(session *hooks.Session) error {
			about := intray.FinishCall{Mapping: intray.Mapping{Fields: make([]intray.Match, len(countFields))}}
			_, err := session.Finish(ctx, &intray.Schema{Fields: countFields}, sequence(nil, count(0, 5)), about)
			return err
		})
	},
}

func with(ctx context.Context, s *hooks.Runner, hooks intray.Hooks, do func(*hooks.Session) error) error {
	session, err := s.Open(ctx, hooks, intray.HookEnv{})
	if err != nil {
		return err
	}
	defer func() { _ = session.Close() }()
	return do(session)
}

// TestTheHookThatKills checks that the error of a hook that never ends names the hook,
// its row and the limit.
func TestTheHookThatKills(t *testing.T) {
	everywhereWith(t, hooks.Config{BatchTimeout: 600 * time.Millisecond}, sandbox.Config{}, func(t *testing.T, s *hooks.Runner) {
		for hook, call := range calls {
			for way, body := range endless {
				if testing.Short() && (hook != "rowHooks[1]" && hook != "stepHooks[2]" || way != "native") {
					continue
				}
				failed := hookError(t, call(t.Context(), s, "() => { "+body+" }"))
				if failed.Hook != hook || !strings.Contains(failed.Text.String(), "it took longer than 600 ms") || !strings.Contains(failed.Text.String(), "--hook-timeout-per-1000") {
					t.Errorf("%s, %s: %v", hook, way, failed)
				}
				if hook == "rowHooks[1]" && (failed.Row == nil || *failed.Row != 1203) {
					t.Errorf("%s, %s: %v", hook, way, failed)
				}
			}
		}
	})
}

// TestTheHookThatHoards checks that the error of a hook that exceeds its memory names the
// hook and the limit.
func TestTheHookThatHoards(t *testing.T) {
	hoards := map[string]string{
		"lists":   "new Array(1000).fill(all.length)",
		"records": "{ one: { two: all.length } }",
		"texts":   `("text " + all.length).repeat(10)`,
		"calls":   "() => all",
	}
	everywhereWith(t, hooks.Config{BatchTimeout: 30 * time.Second}, sandbox.Config{Memory: 96 << 20}, func(t *testing.T, s *hooks.Runner) {
		for _, hook := range []string{"bulkRowHooks[1]", "stepHooks[2]", "beforeFinishCallback"} {
			for what, one := range hoards {
				if !isFull() && what != "lists" && hook != "bulkRowHooks[1]" || testing.Short() && what != "lists" {
					continue
				}
				hoard := "() => { const all = []; for (;;) all.push(" + one + "); }"
				if failed := hookError(t, calls[hook](t.Context(), s, hoard)); failed.Hook != hook || !strings.Contains(failed.Text.String(), "96 MB") || !strings.Contains(failed.Text.String(), "--hook-memory") {
					t.Errorf("%s, %s: %v", hook, what, failed)
				}
			}
		}
	})
}

// TestSlowRows checks that no row is named if all rows together take too long.
func TestSlowRows(t *testing.T) {
	s := newRunner(t, sandbox.Node, hooks.Config{BatchTimeout: 300 * time.Millisecond}, sandbox.Config{})
	slow := `// intray: live-clock
	() => { const end = Date.now() + 1; while (Date.now() < end); }`
	err := with(t.Context(), s, rowHooks(slow), func(session *hooks.Session) error {
		_, err := session.RunRows(t.Context(), 0, rowsOf(countFields, count(2000, 1500)))
		return err
	})
	if failed := hookError(t, err); failed.Hook != "rowHooks[0]" || failed.Row != nil || !strings.Contains(failed.Error(), "in one of the data rows 2,001 to 3,000") {
		t.Error(failed)
	}
}

// TestKilledFromOutside checks that a call is repeated if something other than a hook kills
// its worker.
func TestKilledFromOutside(t *testing.T) {
	everywhereWith(t, hooks.Config{MaxWorkers: 1}, sandbox.Config{}, func(t *testing.T, s *hooks.Runner) {
		session := open(t, s, intray.Hooks{
			Row:     []string{`(r) => ({row: {out: {value: r.row.n.value}}})`},
			BulkRow: []string{`(list) => list.map((r) => ({index: r.index, row: {out: {value: r.row.n.value}}}))`},
		})
		for name, call := range map[string]func(context.Context, int, intray.HookRows) ([]intray.Change, error){"rows": session.RunRows, "bulk": session.RunBulk} {
			if err := session.Load(t.Context()); err != nil {
				t.Fatal(err)
			}
			// A stopped worker cannot answer before it is killed.
			pid := session.PIDs()[0]
			if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			go func() { _ = syscall.Kill(pid, syscall.SIGKILL) }()
			changes, err := call(t.Context(), 0, rowsOf(countFields, count(0, 10)))
			if len(changes) != 10 || err != nil {
				t.Errorf("%s: %d changes, %v", name, len(changes), err)
			}
			if again := session.PIDs(); len(again) != 1 || again[0] == pid {
				t.Errorf("%s: the worker %d was killed, and %v are idle", name, pid, again)
			}
		}
	})
}
