package jsruntime_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/hooks/jsruntime"
)

// oneRow returns the requests to load a row hook with the field a, and to call it with one row.
func oneRow(source string) (*jsruntime.LoadCall, *jsruntime.RowsCall, jsruntime.Bounds) {
	texts := &intray.Texts{}
	texts.AppendString("x")
	load := &jsruntime.LoadCall{
		Fields: []jsruntime.Field{{Key: "a"}},
		Hooks:  []jsruntime.Hook{{Kind: jsruntime.HookRow, Name: "rowHooks[0]", Source: source}},
	}
	call := &jsruntime.RowsCall{Kind: jsruntime.HookRow, Mode: "init", Rows: jsruntime.Rows{
		Count: 1, First: 41, Columns: []*jsruntime.Column{{Value: jsruntime.Cells{Texts: texts}}},
	}}
	return load, call, jsruntime.Bounds{Rows: 1, Fields: make([]jsruntime.FieldBounds, 1), MaxChanges: 1}
}

// loadFaults loads hooks and returns the faults of hooks that cannot be loaded.
func loadFaults(t testing.TB, w worker, load *jsruntime.LoadCall) []jsruntime.Fault {
	t.Helper()
	raw, err := w.Handle(load.Append(nil))
	if err != nil {
		t.Fatal(err)
	}
	faults, failure, err := jsruntime.ReadLoaded(string(raw))
	if err != nil || failure != nil {
		t.Fatalf("%s: %v, %v", raw, failure, err)
	}
	return faults
}

func mustLoad(t testing.TB, w worker, load *jsruntime.LoadCall) {
	t.Helper()
	if faults := loadFaults(t, w, load); len(faults) > 0 {
		t.Fatal(faults)
	}
}

func mustAnswer(t *testing.T, w worker, request []byte, bounds jsruntime.Bounds) *answerWithChanges {
	t.Helper()
	raw, err := w.Handle(request)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := readAnswer(raw, bounds)
	if err != nil {
		t.Fatalf("%.200s: %v", raw, err)
	}
	return answer
}

func TestLimits(t *testing.T) {
	tests := []struct {
		name, source string
		kind         jsruntime.Kind
	}{
		{"endless", `() => { for (;;); }`, jsruntime.KindTime},
		{"endless, caught", `() => { for (;;) { try { for (;;); } catch {} } }`, jsruntime.KindTime},
		{"a regular expression", `() => { /^(a+)+$/.test("a".repeat(40) + "b"); }`, jsruntime.KindTime},
		{"promises without end", `async () => { for (;;) await null; }`, jsruntime.KindTime},
		{"promises that make promises", `() => { const go = () => Promise.resolve().then(go); return go(); }`, jsruntime.KindTime},
		{"endless message of an error", `() => { throw { get message() { for (;;); } }; }`, jsruntime.KindTime},
		{"endless getter of a result", `() => ({ get row() { for (;;); } })`, jsruntime.KindTime},
		// The engine also needs memory for its error. A hook that fills the memory with small
		// arrays may leave none.
		{"much memory", `() => { const all = []; for (;;) all.push(new Array(100_000).fill(0)); }`, jsruntime.KindMemory},
		{"a large buffer", `() => { new ArrayBuffer(1 << 30); }`, jsruntime.KindMemory},
		{"a stack", `() => { const f = () => f() + 1; f(); }`, jsruntime.KindThrew},
		{"a long text", `() => { "x".repeat(2 ** 29); }`, jsruntime.KindMemory},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newQuickJS(t)
			load, call, bounds := oneRow(tt.source)
			mustLoad(t, w, load)
			call.Budget = 100 * time.Millisecond
			if tt.kind != jsruntime.KindTime {
				call.Budget = time.Minute
			}
			failure := mustAnswer(t, w, call.Append(nil), bounds).Failure
			if failure == nil || failure.Kind != tt.kind {
				t.Fatalf("got %+v, want %s", failure, tt.kind)
			}
			if failure.Hook != "rowHooks[0]" || failure.Row != 41 {
				t.Errorf("the failure names %q and row %d", failure.Hook, failure.Row)
			}
			if failure.Fatal() != (tt.kind == jsruntime.KindTime || tt.kind == jsruntime.KindMemory) {
				t.Errorf("Fatal is %v", failure.Fatal())
			}
		})
	}
}

func TestLoadTimeout(t *testing.T) {
	w := newQuickJS(t)
	load, _, _ := oneRow(`(() => { for (;;); })()`)
	load.Budget = 100 * time.Millisecond
	raw, err := w.Handle(load.Append(nil))
	if err != nil {
		t.Fatal(err)
	}
	_, failure, err := jsruntime.ReadLoaded(string(raw))
	if err != nil || failure == nil || failure.Kind != jsruntime.KindTime || failure.Hook != "rowHooks[0]" {
		t.Errorf("got %s, %v", raw, err)
	}
}

func TestAnswerTooLong(t *testing.T) {
	r, err := jsruntime.New(jsruntime.Config{MaxAnswer: 1000})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	load, call, bounds := oneRow(`() => ({ row: { a: { value: "é".repeat(900) } } })`)
	mustLoad(t, r, load)
	failure := mustAnswer(t, r, call.Append(nil), bounds).Failure
	if failure == nil || failure.Kind != jsruntime.KindReturned || !strings.Contains(failure.Message, "1000 bytes") {
		t.Errorf("got %+v", failure)
	}
}

// TestCompiledPrelude checks that a runtime that compiles its prelude behaves like one that
// uses bytecode. The cases in testdata use bytecode.
func TestCompiledPrelude(t *testing.T) {
	prelude, err := jsruntime.Compile()
	if err != nil {
		t.Fatal(err)
	}
	again, err := jsruntime.Compile()
	if err != nil || !bytes.Equal(prelude, again) {
		t.Errorf("compiled again, the prelude has %d bytes and differs from the first %d: %v", len(again), len(prelude), err)
	}
	var answers []string
	for _, cfg := range []jsruntime.Config{{}, {Prelude: prelude}} {
		r, err := jsruntime.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		load, call, bounds := oneRow("(record) => {\n\tif (record.row.a.value === \"x\") throw new Error(String(Date.now()) + Math.random()); }")
		mustLoad(t, r, load)
		answers = append(answers, fmt.Sprintf("%+v", *mustAnswer(t, r, call.Append(nil), bounds).Failure))
	}
	if answers[0] != answers[1] || !strings.Contains(answers[0], "Line:2 Column:") {
		t.Errorf("compiled: %s\nbytecode: %s", answers[0], answers[1])
	}
}

func TestModulesAreRefused(t *testing.T) {
	w := newQuickJS(t)
	load, call, bounds := oneRow(`async () => { await import("os"); }`)
	mustLoad(t, w, load)
	failure := mustAnswer(t, w, call.Append(nil), bounds).Failure
	if failure == nil || !strings.Contains(failure.Message, "hooks cannot load modules") {
		t.Errorf("got %+v", failure)
	}
}

func TestRuntimeContinuesAfterError(t *testing.T) {
	for _, runtime := range runtimes {
		t.Run(runtime.name, func(t *testing.T) {
			w := runtime.open(t)
			load, call, bounds := oneRow(`(record) => { if (record.index === 41) throw new Error("no"); return { row: { a: { value: "y" } } }; }`)
			mustLoad(t, w, load)
			if failure := mustAnswer(t, w, call.Append(nil), bounds).Failure; failure == nil || failure.Fatal() {
				t.Fatalf("got %+v", failure)
			}
			call.Rows.First = 7
			answer := mustAnswer(t, w, call.Append(nil), bounds)
			if answer.Failure != nil || len(answer.Changes) != 1 || answer.Changes[0].Value.Text != "y" {
				t.Errorf("got %+v", answer)
			}
		})
	}
}

// TestHookState checks that the state of hooks is kept until the worker ends or a call is Fresh.
func TestHookState(t *testing.T) {
	for _, runtime := range runtimes {
		t.Run(runtime.name, func(t *testing.T) {
			w := runtime.open(t)
			load, call, bounds := oneRow(`(() => { let n = 0; return () => { seen = typeof seen === "undefined" ? 1 : seen + 1; return { row: { a: { value: ++n + " " + seen } } }; }; })()`)
			mustLoad(t, w, load)
			for _, want := range []string{"1 1", "2 2", "fresh 1 1", "2 2"} {
				call.Fresh = strings.HasPrefix(want, "fresh ")
				answer := mustAnswer(t, w, call.Append(nil), bounds)
				if got := answer.Changes[0].Value.Text; got != strings.TrimPrefix(want, "fresh ") {
					t.Errorf("got %q, want %q", got, want)
				}
			}
		})
	}
}

// TestThrowPosition checks that the column of an error is within the throw statement, for
// all syntactic forms of hooks.
func TestThrowPosition(t *testing.T) {
	for _, runtime := range runtimes {
		t.Run(runtime.name, func(t *testing.T) {
			w := runtime.open(t)
			for _, source := range []string{
				`() => { throw new Error("x"); }`,
				"() => {\n         throw new Error(\"x\"); }",
				"hook() { throw new Error(\"x\"); }",
				"\n\n  async () => { await 0; throw new Error(\"x\"); }",
			} {
				load, call, bounds := oneRow(source)
				mustLoad(t, w, load)
				failure := mustAnswer(t, w, call.Append(nil), bounds).Failure
				line := strings.Split(source, "\n")[failure.Line-1]
				from := strings.Index(line, "throw") + 1
				if failure.Column < from || failure.Column > from+len("throw new Error(") {
					t.Errorf("%q: got %d:%d", source, failure.Line, failure.Column)
				}
			}
		})
	}
}

func TestSyntaxErrorPosition(t *testing.T) {
	for _, runtime := range runtimes {
		t.Run(runtime.name, func(t *testing.T) {
			w := runtime.open(t)
			for source, want := range map[string][2]int{
				"() => { return ] }":                {1, 16},
				"() => {\n\tconst x = 1;\n\tx = ];": {3, 6},
				"(a) => { a b }":                    {1, 12},
			} {
				load, _, _ := oneRow(source)
				faults := loadFaults(t, w, load)
				if len(faults) != 1 {
					t.Fatal(faults)
				}
				if got := [2]int{faults[0].Line, faults[0].Column}; got != want {
					t.Errorf("%q: got %v, want %v: %s", source, got, want, faults[0].Message)
				}
			}
		})
	}
}

func TestHooksOf(t *testing.T) {
	list := jsruntime.HooksOf(intray.Hooks{
		Row: []string{"r0", "r1"}, BulkRow: []string{"b"}, RowDelete: []string{"d"}, BeforeFinish: "f",
		Column: []intray.ColumnHook{{Field: "a", Source: "c"}}, Step: []intray.StepHook{{Step: "UPLOAD_STEP", Source: "s"}},
	})
	var names []string
	for _, hook := range list {
		names = append(names, hook.Name+"="+hook.Source)
	}
	want := "rowHooks[0]=r0 rowHooks[1]=r1 bulkRowHooks[0]=b rowDeleteHooks[0]=d columnHooks[0]=c stepHooks[0]=s beforeFinishCallback=f"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestTimes(t *testing.T) {
	for _, runtime := range runtimes {
		t.Run(runtime.name, func(t *testing.T) {
			w := runtime.open(t)
			load, call, bounds := oneRow(`() => { for (let i = 0; i < 1e4; i++); }`)
			load.Hooks = append(load.Hooks, jsruntime.Hook{Kind: jsruntime.HookRow, Name: "rowHooks[1]", Source: `() => {}`})
			mustLoad(t, w, load)
			times := mustAnswer(t, w, call.Append(nil), bounds).Times
			if len(times) != 2 || times[0].Hook != "rowHooks[0]" || times[0].Took <= times[1].Took || times[0].Took > time.Minute {
				t.Errorf("got %+v", times)
			}
		})
	}
}

func TestInvalidRequest(t *testing.T) {
	w := newQuickJS(t)
	for _, request := range []string{"", "nonsense", `{"budget":0,"op":"other"}`, `{"budget":x}`} {
		raw, err := w.Handle([]byte(request))
		if err != nil {
			continue // the engine is unusable
		}
		if _, err := readAnswer(raw, jsruntime.Bounds{}); err != nil {
			t.Errorf("%q: %s: %v", request, raw, err)
		}
	}
}

func TestFailureText(t *testing.T) {
	var err error = &jsruntime.Failure{Kind: jsruntime.KindThrew, Hook: "rowHooks[0]", Row: 5, Name: "TypeError", Message: "no", Line: 2, Column: 7}
	if got, want := err.Error(), "rowHooks[0], line 2, column 7, on row 5: TypeError: no"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := (&jsruntime.Failure{Row: -1, Message: "stop"}).Error(); got != "a hook: stop" {
		t.Errorf("got %q", got)
	}
	var failure *jsruntime.Failure
	if !errors.As(err, &failure) {
		t.Error("errors.As does not find the failure")
	}
}

// TestNodeScript checks that the script is short enough for a command-line argument.
func TestNodeScript(t *testing.T) {
	script := jsruntime.NodeScript()
	if len(script) > 100<<10 || strings.Contains(script, "@prelude@") || !strings.Contains(script, "live-clock") {
		t.Errorf("the script has %d bytes", len(script))
	}
}

// TestErrorPosition checks that both runtimes report an error at the position of ¦. Columns
// are counted in characters.
func TestErrorPosition(t *testing.T) {
	sources := []string{
		`(r) => { throw ¦new Error("x"); }`,
		`(r) => { throw ¦new   Error; }`,
		`(r) => { throw ¦Error("x"); }`,
		"(r) => {\n\t// a line\n\n\tthrow ¦new RangeError(\n\t\t\"x\" + r.index);\n}",
		`(r) => { const error = ¦new Error("x"); throw error; }`,
		`(r) => { const late = { Error }; throw ¦new late.Error("x"); }`,
		`async (r) => { await 0; throw ¦new Error("x"); }`,
		`async (r) => { await Promise.reject(¦new Error("x")); }`,
		`(r) => { const f = () => { throw ¦new TypeError("x"); }; f(); }`,
		`(r) => { r.row.a.value.replace("x", () => { throw ¦new Error("x"); }); }`,
		`function hook(r) { return { get a() { throw ¦new Error("x"); } }.a; }`,
		`({ hook(r) { throw ¦new Error("x"); } }).hook`,
		`hook(r) { throw ¦new Error("x"); }`,
		`(r) => { null.¦b; }`,
		`(r) => { r.row.b.¦value; }`,
		"(r) => {\n\tr.row\n\t\t.b\n\t\t.¦value;\n}",
		`(r) => { r.row.b¦["value"]; }`,
		`(r) => { r.row.a.¦b(); }`,
		`(r) => { r.row.a["b"]¦(); }`,
		`(r) => { ¦wrong.b; }`,
		`(r) => { return 1 + ¦wrong; }`,
		`(r) => { const x = ¦y; let y = 1; }`,
		`(r) => { [1].map((x) => x.b.¦c); }`,
		`(r) => { const x = JSON.¦parse("{\n\n\n\n  x"); }`,
		`(r) => { class Wrong extends Error { constructor(m) { super(m + 1); } } class Worse extends Wrong { } throw ¦new Worse("x"); }`,
		`(r) => { "😀😀 ä"; throw ¦new Error("x"); }`,
		"(r) => {\n\t\"😀😀\"; r.row.b.¦value;\n}",
	}
	for _, runtime := range runtimes {
		t.Run(runtime.name, func(t *testing.T) {
			w := runtime.open(t)
			for _, marked := range sources {
				before, _, _ := strings.Cut(marked, "¦")
				lines := strings.Split(before, "\n")
				want := fmt.Sprint(len(lines), ":", len([]rune(lines[len(lines)-1]))+1)
				source := strings.Replace(marked, "¦", "", 1)
				if strings.Contains(source, "JSON") {
					source = strings.ReplaceAll(source, "\n", `\n`)
				}
				if f := rowFailure(t, w, source); f == nil || fmt.Sprint(f.Line, ":", f.Column) != want {
					t.Errorf("%s: got %+v, want %s", marked, f, want)
				}
			}
		})
	}
}

// rowFailure calls a row hook with one row and returns the failure.
func rowFailure(t *testing.T, w worker, source string) *jsruntime.Failure {
	t.Helper()
	load := &jsruntime.LoadCall{Fields: []jsruntime.Field{{Key: "a"}}, Hooks: []jsruntime.Hook{{Kind: jsruntime.HookRow, Name: "rowHooks[0]", Source: source}}}
	if raw, err := w.Handle(load.Append(nil)); err != nil || string(raw) != `{"faults":[]}` {
		t.Fatalf("%s: %s, %v", source, raw, err)
	}
	values := cellsOf(1, func(int) any { return "x" })
	raw, err := w.Handle((&jsruntime.RowsCall{Kind: jsruntime.HookRow, Rows: jsruntime.Rows{Count: 1, Columns: []*jsruntime.Column{{Value: values}}}}).Append(nil))
	if err != nil {
		t.Fatal(err)
	}
	a, err := readAnswer(raw, jsruntime.Bounds{Rows: 1, Fields: make([]jsruntime.FieldBounds, 1), MaxChanges: 1})
	if err != nil {
		t.Fatal(err)
	}
	return a.Failure
}

// TestSyntaxErrorLine checks that both runtimes report the correct line of a syntax error.
func TestSyntaxErrorLine(t *testing.T) {
	var workers []worker
	for _, runtime := range runtimes {
		workers = append(workers, runtime.open(t))
	}
	for source, line := range map[string]int{
		"(r) => r.#a": 1, "(r) => {\n  return r.#other;\n}": 2, "(r) => {\n  class A { #b; m() { return [this.#b, this.#c]; } }\n}": 2,
		"(r) => {\n  let a;\n  let a;\n}": 3, "(r) => {\n  return 1 = 2;\n}": 2, "(r) => {\n  break;\n}": 2, "(r) => {\n  \"use strict\";\n  with (r) {}\n}": 3,
		"(r) => {\n  const x = /(/;\n}": 2, "(r) => {\n  await 1;\n}": 2, "(r) => {\n  yield x;\n  return ];\n}": 2,
	} {
		for i, runtime := range runtimes {
			w := workers[i]
			load := &jsruntime.LoadCall{Fields: []jsruntime.Field{{Key: "a"}}, Hooks: []jsruntime.Hook{{Kind: jsruntime.HookRow, Name: "rowHooks[0]", Source: source}}}
			faults := loadFaults(t, w, load)
			if len(faults) != 1 || faults[0].Name != "SyntaxError" || faults[0].Line != line || faults[0].Column == 0 {
				t.Errorf("%s: %s: %+v, want line %d", runtime.name, source, faults, line)
			}
		}
	}
}

// foreignEnv is the environment of a machine with a different locale and time zone.
var foreignEnv = []string{"TZ=Asia/Tokyo", "LANG=de_DE.UTF-8", "LC_ALL=de_DE.UTF-8", "LANGUAGE=de"}

// TestNodeLocale checks that the locale and the time zone of the machine do not affect hooks.
func TestNodeLocale(t *testing.T) {
	hook := `() => {
		const winter = new Date(2026, 0, 15, 12, 30), all = Intl.DateTimeFormat().resolvedOptions();
		console.log(winter.getTimezoneOffset(), winter.toISOString(), String(new Date(0)), new Date("2026-07-01T00:00").getTime());
		console.log((1234567.891).toLocaleString(), 12345678901234567890n.toLocaleString(), [1.5, 2e4].toLocaleString());
		console.log(winter.toLocaleString(), winter.toLocaleDateString(), winter.toLocaleTimeString());
		console.log(all.locale, all.timeZone, new Intl.NumberFormat().resolvedOptions().locale, new Intl.Collator().resolvedOptions().locale);
		console.log(new Intl.NumberFormat().format(0.5), new Intl.DateTimeFormat().format(), new Intl.PluralRules().select(1));
		console.log(new Intl.ListFormat().format(["a", "b"]), new Intl.RelativeTimeFormat().format(1, "day"), ["z", "ä", "a"].sort((a, b) => a.localeCompare(b)).join(""));
		console.log(new Intl.DateTimeFormat("de").format(winter), (1.5).toLocaleString("de"), winter.toLocaleString("ja", { timeZone: "Asia/Tokyo" }));
	}`
	want := `0 2026-01-15T12:30:00.000Z Thu Jan 01 1970 00:00:00 GMT+0000 (Coordinated Universal Time) 1782864000000
1,234,567.891 12,345,678,901,234,567,890 1.5,20,000
1/15/2026, 12:30:00 PM 1/15/2026 12:30:00 PM
en-US UTC en-US en-US
0.5 11/14/2023 one
a and b in 1 day aäz
15.1.2026 1,5 2026/1/15 21:30:00`
	for _, env := range [][]string{nil, foreignEnv} {
		w := newNodeIn(t, env)
		load := jsruntime.LoadCall{Hooks: []jsruntime.Hook{{Kind: jsruntime.HookRow, Name: "rowHooks[0]", Source: hook}}, Pins: jsruntime.Pins{Now: time.UnixMilli(1_700_000_000_000)}}
		if raw, err := w.Handle(load.Append(nil)); err != nil || !strings.Contains(string(raw), `"faults":[]`) {
			t.Fatalf("%s %v", raw, err)
		}
		raw, err := w.Handle((&jsruntime.RowsCall{Kind: jsruntime.HookRow, Rows: jsruntime.Rows{Count: 1}}).Append(nil))
		if err != nil {
			t.Fatal(err)
		}
		a, err := readAnswer(raw, jsruntime.Bounds{Rows: 1})
		if err != nil || a.Failure != nil {
			t.Fatalf("%v %s", err, raw)
		}
		for i, line := range strings.Split(want, "\n") {
			if got := strings.ReplaceAll(a.Console[i], "\u202f", " "); got != line {
				t.Errorf("with %q:\ngot  %s\nwant %s", env, got, line)
			}
		}
	}
}
