package realm_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/script/realm"
)

// oneRow gives the load of one row hook over the field a, and a call over a row.
func oneRow(source string) (*realm.Load, *realm.RowsCall, realm.Bounds) {
	texts := &intray.Texts{}
	texts.AppendString("x")
	load := &realm.Load{
		Fields: []realm.Field{{Key: "a"}},
		Hooks:  []realm.Hook{{Kind: realm.HookRow, Name: "rowHooks[0]", Source: source}},
	}
	call := &realm.RowsCall{Kind: realm.HookRow, Mode: "init", Rows: realm.Rows{
		Count: 1, First: 41, Columns: []*realm.Column{{Value: realm.Cells{Texts: texts}}},
	}}
	return load, call, realm.Bounds{Rows: 1, Parts: []int{0}}
}

func mustLoad(t *testing.T, w worker, load *realm.Load) {
	t.Helper()
	raw, err := w.Handle(load.Append(nil))
	if faults, wrong := realm.ReadLoaded(string(raw)); err != nil || wrong != nil || len(faults) > 0 {
		t.Fatalf("loading: %s %v %v", raw, err, wrong)
	}
}

func ask(t *testing.T, w worker, request []byte, bounds realm.Bounds) *told {
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
		kind         realm.Kind
	}{
		{"endless", `() => { for (;;); }`, realm.KindTime},
		{"endless, caught", `() => { for (;;) { try { for (;;); } catch {} } }`, realm.KindTime},
		{"a regular expression", `() => { /^(a+)+$/.test("a".repeat(40) + "b"); }`, realm.KindTime},
		{"promises without end", `async () => { for (;;) await null; }`, realm.KindTime},
		{"promises that make promises", `() => { const go = () => Promise.resolve().then(go); return go(); }`, realm.KindTime},
		{"endless when it is shown", `() => { throw { get message() { for (;;); } }; }`, realm.KindTime},
		{"endless in what is returned", `() => ({ get row() { for (;;); } })`, realm.KindTime},
		{"much memory", `() => { const all = []; for (;;) all.push(new Array(1000).fill(0)); }`, realm.KindMemory},
		{"a large buffer", `() => { new ArrayBuffer(1 << 30); }`, realm.KindMemory},
		{"a stack", `() => { const f = () => f() + 1; f(); }`, realm.KindThrew},
		{"a long text", `() => { "x".repeat(2 ** 29); }`, realm.KindMemory},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newQuickJS(t)
			load, call, bounds := oneRow(tt.source)
			mustLoad(t, w, load)
			call.Budget = 200 * time.Millisecond
			if tt.kind != realm.KindTime {
				call.Budget = time.Minute
			}
			began := time.Now()
			failure := ask(t, w, call.Append(nil), bounds).Failure
			if failure == nil || failure.Kind != tt.kind {
				t.Fatalf("got %+v, want %s", failure, tt.kind)
			}
			if failure.Hook != "rowHooks[0]" || failure.Row != 41 {
				t.Errorf("the failure names %q and row %d", failure.Hook, failure.Row)
			}
			if failure.Fatal() != (tt.kind == realm.KindTime || tt.kind == realm.KindMemory) {
				t.Errorf("Fatal is %v", failure.Fatal())
			}
			if took := time.Since(began); tt.kind == realm.KindTime && took > 5*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

func TestHooksMadeWithinTheirBudget(t *testing.T) {
	w := newQuickJS(t)
	load, _, _ := oneRow(`(() => { for (;;); })()`)
	load.Budget = 100 * time.Millisecond
	raw, err := w.Handle(load.Append(nil))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := realm.ReadLoaded(string(raw)); err == nil {
		t.Fatalf("a load that was broken off was read as one that came to its end: %s", raw)
	}
	answer, err := readAnswer(raw, realm.Bounds{})
	if err != nil || answer.Failure == nil || answer.Failure.Kind != realm.KindTime || answer.Failure.Hook != "rowHooks[0]" {
		t.Errorf("got %s, %v", raw, err)
	}
}

func TestAnswerTooLong(t *testing.T) {
	r, err := realm.New(realm.Config{Answer: 1000})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	load, call, bounds := oneRow(`() => ({ row: { a: { value: "é".repeat(900) } } })`)
	mustLoad(t, r, load)
	failure := ask(t, r, call.Append(nil), bounds).Failure
	if failure == nil || failure.Kind != realm.KindReturned || !strings.Contains(failure.Message, "1000 bytes") {
		t.Errorf("got %+v", failure)
	}
}

// TestPreludeInTwoForms holds a realm that compiles its prelude against one that
// is given it: the cases of testdata run in the second.
func TestPreludeInTwoForms(t *testing.T) {
	prelude, err := realm.Compile()
	if err != nil {
		t.Fatal(err)
	}
	again, err := realm.Compile()
	if err != nil || !bytes.Equal(prelude, again) {
		t.Errorf("compiled once more, the prelude has %d bytes and not the same %d: %v", len(again), len(prelude), err)
	}
	var answers []string
	for _, cfg := range []realm.Config{{}, {Prelude: prelude}} {
		r, err := realm.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		load, call, bounds := oneRow("(record) => {\n\tif (record.row.a.value === \"x\") throw new Error(String(Date.now()) + Math.random()); }")
		mustLoad(t, r, load)
		answers = append(answers, fmt.Sprintf("%+v", *ask(t, r, call.Append(nil), bounds).Failure))
	}
	if answers[0] != answers[1] || !strings.Contains(answers[0], "Line:2 Column:") {
		t.Errorf("compiled anew: %s\ngiven:         %s", answers[0], answers[1])
	}
}

func TestModulesAreRefused(t *testing.T) {
	w := newQuickJS(t)
	load, call, bounds := oneRow(`async () => { await import("os"); }`)
	mustLoad(t, w, load)
	failure := ask(t, w, call.Append(nil), bounds).Failure
	if failure == nil || !strings.Contains(failure.Message, "hooks cannot load modules") {
		t.Errorf("got %+v", failure)
	}
}

func TestRealmGoesOnAfterAnError(t *testing.T) {
	for _, runtime := range runtimes {
		t.Run(runtime.name, func(t *testing.T) {
			w := runtime.open(t)
			load, call, bounds := oneRow(`(record) => { if (record.index === 41) throw new Error("no"); return { row: { a: { value: "y" } } }; }`)
			mustLoad(t, w, load)
			if failure := ask(t, w, call.Append(nil), bounds).Failure; failure == nil || failure.Fatal() {
				t.Fatalf("got %+v", failure)
			}
			call.Rows.First = 7
			answer := ask(t, w, call.Append(nil), bounds)
			if answer.Failure != nil || len(answer.Changes) != 1 || answer.Changes[0].Value.Text != "y" {
				t.Errorf("got %+v", answer)
			}
		})
	}
}

// TestState says what holds for what hooks keep between rows: it lasts as long
// as the worker, until a call that is Fresh.
func TestState(t *testing.T) {
	for _, runtime := range runtimes {
		t.Run(runtime.name, func(t *testing.T) {
			w := runtime.open(t)
			load, call, bounds := oneRow(`(() => { let n = 0; return () => { seen = typeof seen === "undefined" ? 1 : seen + 1; return { row: { a: { value: ++n + " " + seen } } }; }; })()`)
			mustLoad(t, w, load)
			for _, want := range []string{"1 1", "2 2", "fresh 1 1", "2 2"} {
				call.Fresh = strings.HasPrefix(want, "fresh ")
				answer := ask(t, w, call.Append(nil), bounds)
				if got := answer.Changes[0].Value.Text; got != strings.TrimPrefix(want, "fresh ") {
					t.Errorf("got %q, want %q", got, want)
				}
			}
		})
	}
}

// TestPlaces: the column of an error lies within what throws it, whatever form the hook has.
func TestPlaces(t *testing.T) {
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
				failure := ask(t, w, call.Append(nil), bounds).Failure
				line := strings.Split(source, "\n")[failure.Line-1]
				from := strings.Index(line, "throw") + 1
				if failure.Column < from || failure.Column > from+len("throw new Error(") {
					t.Errorf("%q: got %d:%d", source, failure.Line, failure.Column)
				}
			}
		})
	}
}

func TestSyntaxPlaces(t *testing.T) {
	for _, runtime := range runtimes {
		t.Run(runtime.name, func(t *testing.T) {
			w := runtime.open(t)
			for source, want := range map[string][2]int{
				"() => { return ] }":                {1, 16},
				"() => {\n\tconst x = 1;\n\tx = ];": {3, 6},
				"(a) => { a b }":                    {1, 12},
			} {
				load, _, _ := oneRow(source)
				raw, err := w.Handle(load.Append(nil))
				if err != nil {
					t.Fatal(err)
				}
				faults, err := realm.ReadLoaded(string(raw))
				if err != nil || len(faults) != 1 {
					t.Fatalf("%s %v", raw, err)
				}
				if got := [2]int{faults[0].Line, faults[0].Column}; got != want {
					t.Errorf("%q: got %v, want %v: %s", source, got, want, faults[0].Message)
				}
			}
		})
	}
}

func TestHooksOf(t *testing.T) {
	list := realm.HooksOf(intray.Hooks{
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
			load.Hooks = append(load.Hooks, realm.Hook{Kind: realm.HookRow, Name: "rowHooks[1]", Source: `() => {}`})
			mustLoad(t, w, load)
			times := ask(t, w, call.Append(nil), bounds).Times
			if len(times) != 2 || times[0].Hook != "rowHooks[0]" || times[0].Took <= times[1].Took || times[0].Took > time.Minute {
				t.Errorf("got %+v", times)
			}
		})
	}
}

func TestRequestThatIsNone(t *testing.T) {
	w := newQuickJS(t)
	for _, request := range []string{"", "nonsense", `{"budget":0,"op":"other"}`, `{"budget":x}`} {
		raw, err := w.Handle([]byte(request))
		if err != nil {
			continue // the engine is given up
		}
		if _, err := readAnswer(raw, realm.Bounds{}); err != nil {
			t.Errorf("%q: %s: %v", request, raw, err)
		}
	}
}

func TestFailureText(t *testing.T) {
	var err error = &realm.Failure{Kind: realm.KindThrew, Hook: "rowHooks[0]", Row: 5, Name: "TypeError", Message: "no", Line: 2, Column: 7}
	if got, want := err.Error(), "rowHooks[0], line 2, column 7, on row 5: TypeError: no"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := (&realm.Failure{Row: -1, Message: "stop"}).Error(); got != "a hook: stop" {
		t.Errorf("got %q", got)
	}
	var failure *realm.Failure
	if !errors.As(err, &failure) {
		t.Error("a failure is no error")
	}
}

// TestNodeScript: it is handed over as one argument of a program.
func TestNodeScript(t *testing.T) {
	script := realm.NodeScript()
	if len(script) > 100<<10 || strings.Contains(script, "@prelude@") || !strings.Contains(script, "live-clock") {
		t.Errorf("the script has %d bytes", len(script))
	}
}
