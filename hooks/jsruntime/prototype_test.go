package jsruntime_test

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/intraydata/intray"
	"github.com/intraydata/intray/hooks/jsruntime"
)

// attacks lists changes to built-in objects that the prelude has no special handling for. The
// answers of the prelude must be the same as without these changes.
var attacks = map[string]string{
	"nothing":           ``,
	"toJSON of objects": `Object.prototype.toJSON = () => "evil";`,
	"toJSON of lists":   `Array.prototype.toJSON = function () { return ["evil"]; };`,
	"iterators":         `const none = () => ({ next: () => ({ done: true }) }); Array.prototype[Symbol.iterator] = none; Array.prototype.values = none; Map.prototype[Symbol.iterator] = none; String.prototype[Symbol.iterator] = none;`,
	"lists":             `spoil(Array.prototype);`,
	"texts":             `spoil(String.prototype); Object.defineProperty(String.prototype, Symbol.split, { value: spoiled, configurable: true });`,
	"functions":         `spoil(Function.prototype);`,
	"promises":          `spoil(Promise.prototype); Object.defineProperty(Promise, Symbol.species, { get: spoiled }); Promise.resolve = spoiled;`,
	"constructors":      `for (const type of [Promise, Array, Object, Map, RegExp, Error, Date]) type.prototype.constructor = spoiled;`,
	"expressions":       `spoil(RegExp.prototype); for (const s of [Symbol.split, Symbol.replace, Symbol.match]) Object.defineProperty(RegExp.prototype, s, { value: spoiled });`,
	"maps":              `for (const type of [Map, Set, WeakMap, WeakSet]) spoil(type.prototype);`,
	"buffers":           `for (const type of [ArrayBuffer, Float64Array, Uint8Array, Object.getPrototypeOf(Uint8Array)]) spoil(type.prototype), spoil(type);`,
	"statics":           `for (const one of [Reflect, JSON, Math, Number, Array, String, Date, Promise, Symbol, Proxy, Object]) spoil(one);`,
	"globals":           `for (const name of ["Map", "Set", "WeakMap", "WeakSet", "Proxy", "Reflect", "JSON", "Object", "Array", "String", "Number", "Boolean", "Function", "RegExp", "Error", "TypeError", "EvalError", "RangeError", "Promise", "Symbol", "Uint32Array", "Date", "Math", "Intl", "console", "eval", "BigInt", "isNaN"]) globalThis[name] = spoiled;`,
	"words of the prelude": `for (const name of ["request", "list", "i", "h", "field", "part", "result", "infos", "options", "lists", "many", "packs", "over", "size", "parts", "learn",
		"fresh", "lazy", "trace", "limit", "ids", "indexes", "first", "hook", "console", "commands", "kind", "source", "live", "number", "mark", "lines", "call", "columns", "step", "returned",
		"rest", "used", "changes", "times", "more", "miss", "failure", "fields", "hooks", "pins", "op", "newIds", "nextId", "keys", "values", "about", "rows", "name", "args", "takes", "sampled", "make", "count",
		"out", "what", "each", "placeOf", "inParts", "n", "shape", "made", "spent", "text", "sizes", "kinds", "long", "has", "ownKeys", "sparse", "memory", "now", "seed", "locale", "timeZone", "method", "other", "indent", "thrown", "line", "column", "step", "handed", "gaps", "flags", "cell", "added"])
		Object.defineProperty(Object.prototype, name, { get: () => "evil", set() { throw new Error("caught " + name); }, configurable: true });`,
	"descriptors": `Object.prototype.get = spoiled; Object.prototype.set = spoiled; Object.prototype.writable = false; Object.prototype.enumerable = false; Object.prototype.configurable = false;`,
	"traps":       `for (const name of Object.getOwnPropertyNames(Reflect)) if (name !== "get" && name !== "set") Object.defineProperty(Object.prototype, name, { value: spoiled, writable: true, configurable: true });`,
	"frozen":      `for (const type of [Object, Array, String, Function, Promise, RegExp, Map]) Object.freeze(type.prototype);`,
	"closed":      `Object.preventExtensions(globalThis); Object.preventExtensions(Object.prototype);`,
	"frames":      `Error.stackTraceLimit = 0; Error.prototype.toString = spoiled;`,
	"instances":   `for (const type of [Array, Object, Function, Error]) try { Object.defineProperty(type, Symbol.hasInstance, { value: () => true }); } catch {}`,
}

// listPrototypeChanges are changes to built-in prototypes after which elements of arrays can no
// longer be set. Hooks that make such a change must fail with an error that reports it.
var listPrototypeChanges = map[string]string{
	"numbers of lists":   `Object.defineProperty(Array.prototype, 0, { get: () => 1, set() {}, configurable: true });`,
	"numbers of objects": `Object.defineProperty(Object.prototype, 1, { get: () => 1, set() {}, configurable: true });`,
	"another prototype":  `Object.setPrototypeOf(Array.prototype, new Proxy({}, { set: () => true, get: () => 7 }));`,
}

// attackedHooks returns hooks. The last row hook makes the attack once, before it returns
// its result.
func attackedHooks(attack string) []jsruntime.Hook {
	once := `if (!true.constructor.done) { true.constructor.done = true;
		const spoiled = function () { throw new Error("spoiled"); };
		const define = Object.defineProperty, keysOf = Reflect.ownKeys;
		const spoil = (object) => { for (const key of keysOf(object)) if (key !== "constructor" && key !== "prototype" && key !== "defineProperty" || object !== Object && key === "defineProperty") try { define(object, key, { value: spoiled, writable: true, configurable: true }); } catch {} };
		` + attack + ` }`
	return []jsruntime.Hook{
		{Kind: jsruntime.HookRow, Name: "rowHooks[0]", Source: `(r) => ({row: {a: {value: r.row.a.value + "1", info: [{message: "m"}]}}})`},
		{Kind: jsruntime.HookRow, Name: "rowHooks[1]", Source: `(r) => { ` + once + ` return {row: {b: {value: [r.row.a.value, 2, null], info: [{message: "n", level: "info"}], selectOptions: [{label: "L", value: "v", alternateMatches: ["w"]}]}, c: {manyToOne: [{value: "x"}, undefined]}}}; }`},
		{Kind: jsruntime.HookRow, Name: "rowHooks[2]", Source: `async (r) => { await 0; return {row: {a: {value: r.row.b.value.length}}}; }`},
		{Kind: jsruntime.HookBulkRow, Name: "bulkRowHooks[0]", Source: `(list) => { const out = []; for (let i = 0; i < list.length; i++) out[i] = {index: list[i].index, row: {a: {value: list[i].row.b.value + i}}}; return out; }`},
		{Kind: jsruntime.HookColumn, Name: "columnHooks[0]", Source: `(list) => { list[1].value = "changed"; return list; }`},
		{Kind: jsruntime.HookStep, Name: "stepHooks[0]", Source: `(instance, about) => { instance.addRows([{row: {a: {value: about.n}}}]); instance.removeField("b"); }`},
		{Kind: jsruntime.HookBeforeFinish, Name: "beforeFinishCallback", Source: `(rows) => ({cancel: true, message: rows[1].a + rows.length})`},
	}
}

var attackFields = []jsruntime.Field{{Key: "a"}, {Key: "b"}, {Key: "c", ManyToOne: true}}

// attackRequests returns calls of all kinds. Each call over rows is repeated, so that the
// attack in the first call is active from the start of the second.
func attackRequests(hooks []jsruntime.Hook) (list []request, bounds jsruntime.Bounds) {
	cells := func(values ...any) jsruntime.Cells { return cellsOf(len(values), func(i int) any { return values[i] }) }
	infos := []jsruntime.CellInfos{{Row: 1, Infos: []jsruntime.Info{{Message: "before", Level: intray.LevelWarning}}}}
	columns := func() []*jsruntime.Column {
		return []*jsruntime.Column{
			{Value: cells("x", "y", nil), Infos: infos}, {Value: cells("p", "q", "r")},
			{Parts: []jsruntime.Column{{Value: cells("1", "2", "3")}, {Value: cells("4", "5", "6")}}},
		}
	}
	rows := func() jsruntime.Rows { return jsruntime.Rows{Count: 3, First: 7, Columns: columns()} }
	load := &jsruntime.LoadCall{Fields: attackFields, Hooks: hooks, Pins: jsruntime.Pins{Now: time.UnixMilli(0)}}
	list = []request{
		load, &jsruntime.RowsCall{Kind: jsruntime.HookRow, Rows: rows()}, &jsruntime.RowsCall{Kind: jsruntime.HookRow, Rows: rows(), Learn: true},
		&jsruntime.RowsCall{Kind: jsruntime.HookBulkRow, Rows: rows()},
		&jsruntime.ColumnCall{Hooks: []string{"columnHooks[0]"}, Field: 0, Rows: rows()},
		&jsruntime.ColumnCall{Hooks: []string{"columnHooks[0]"}, Field: 2, Part: 1, Rows: rows()},
		&jsruntime.StepCall{Hooks: []string{"stepHooks[0]"}, About: []byte(`{"n": [1]}`), NewIDs: "new-"},
		&jsruntime.FinishCall{Count: 2, Keys: []string{"a", "b"}, Values: []jsruntime.Cells{cells("u", "v"), cells(nil, true)}},
		&jsruntime.KeepCall{Field: 0, Part: -1, Size: 2, Column: &jsruntime.Column{Value: cells("x", nil)}},
		&jsruntime.KeepCall{Field: 0, Part: -1, From: 2, Size: 2, Column: &jsruntime.Column{Value: cells("z"), Infos: []jsruntime.CellInfos{{Row: 0, Infos: infos[0].Infos}}}},
		&jsruntime.ColumnCall{Hooks: []string{"columnHooks[0]"}, Field: 0, Lazy: true, Rows: jsruntime.Rows{Count: 3, Columns: []*jsruntime.Column{{Kept: true}, nil, nil}}},
		load, &jsruntime.RowsCall{Kind: jsruntime.HookRow, Rows: rows(), Fresh: true},
	}
	return list, jsruntime.Bounds{Rows: 3, Fields: []jsruntime.FieldBounds{{}, {}, {ManyToOne: true, Columns: 2}}, Learn: true, MaxChanges: 100}
}

type request interface{ Append([]byte) []byte }

// timesMember matches the property of an answer that differs between runs.
var timesMember = regexp.MustCompile(`"times":\[(\{[^}]*\},?)*\],?`)

// attackAnswers returns the answers to all requests of an attack, without the times.
func attackAnswers(t *testing.T, w worker, attack string) (list []string) {
	t.Helper()
	requests, bounds := attackRequests(attackedHooks(attack))
	for i, one := range requests {
		raw, err := w.Handle(one.Append(nil))
		if err != nil {
			t.Fatal(err)
		}
		if _, is := one.(*jsruntime.LoadCall); !is {
			if a, err := readAnswer(raw, bounds); err != nil || a.Failure != nil {
				t.Fatalf("request %d: %v: %.500s", i, err, raw)
			}
		}
		list = append(list, timesMember.ReplaceAllString(string(raw), ""))
	}
	return list
}

func TestPrototypeAttacks(t *testing.T) {
	for _, runtime := range runtimes {
		t.Run(runtime.name, func(t *testing.T) {
			want := attackAnswers(t, runtime.open(t), "")
			if text := strings.Join(want, "\n"); strings.Contains(text, "miss") || strings.Count(text, "changed") != 3 || !strings.Contains(text, "v2") {
				t.Fatalf("without an attack, the answers are wrong:\n%s", text)
			}
			if runtime.name == "node" && os.Getenv("INTRAY_TORTURE") != "full" {
				return // each attack needs a process
			}
			for name, attack := range attacks {
				t.Run(name, func(t *testing.T) {
					if diff := cmp.Diff(want, attackAnswers(t, runtime.open(t), attack)); diff != "" {
						t.Errorf("(-want +got):\n%s", diff)
					}
				})
			}
		})
	}
}

// TestChangedListPrototypes checks that hooks that change the prototypes of arrays fail.
func TestChangedListPrototypes(t *testing.T) {
	for name, change := range listPrototypeChanges {
		for _, runtime := range runtimesOfVariants() {
			t.Run(runtime.name+"/"+name, func(t *testing.T) {
				w := runtime.open(t)
				requests, bounds := attackRequests(attackedHooks(change))
				for i, one := range requests[:2] {
					raw, err := w.Handle(one.Append(nil))
					if err != nil {
						t.Fatal(err)
					}
					if a, err := readAnswer(raw, bounds); i == 1 && (err != nil || a.Failure == nil || !strings.Contains(a.Failure.Message, "the hook changes built-in prototypes")) {
						t.Errorf("%v %s", err, raw)
					}
				}
			})
		}
	}
}

// callWithFiveRows calls a row hook with five rows in both runtimes, or only in QuickJS in
// short mode.
func callWithFiveRows(t *testing.T, source string, trace bool, check func(t *testing.T, a *answerWithChanges)) {
	for _, runtime := range runtimesOfVariants() {
		t.Run(runtime.name, func(t *testing.T) {
			w := runtime.open(t)
			load := &jsruntime.LoadCall{Fields: []jsruntime.Field{{Key: "a"}}, Hooks: []jsruntime.Hook{{Kind: jsruntime.HookRow, Name: "rowHooks[0]", Source: source}}}
			values := cellsOf(5, func(i int) any { return "x" + string(rune('0'+i)) })
			call := &jsruntime.RowsCall{Kind: jsruntime.HookRow, Trace: trace, Rows: jsruntime.Rows{Count: 5, First: 40, Columns: []*jsruntime.Column{{Value: values}}}}
			if raw, err := w.Handle(load.Append(nil)); err != nil || string(raw) != `{"faults":[]}` {
				t.Fatalf("%s, %v", raw, err)
			}
			raw, err := w.Handle(call.Append(nil))
			if err != nil {
				t.Fatal(err)
			}
			a, err := readAnswer(raw, jsruntime.Bounds{Rows: 5, Fields: make([]jsruntime.FieldBounds, 1), MaxChanges: 5})
			if err != nil {
				t.Fatalf("%v: %s", err, raw)
			}
			check(t, a)
		})
	}
}

// TestErrorAfterChangedPrototype checks that the error of a hook is reported even if the hook
// changed the prototypes of arrays.
func TestErrorAfterChangedPrototype(t *testing.T) {
	all := maps.Clone(listPrototypeChanges)
	all["read-only numbers"] = `Object.defineProperty(Array.prototype, 0, { value: 1, writable: false, configurable: true });`
	all["permanent numbers"] = `for (let n = 0; n < 9; n++) Object.defineProperty(Array.prototype, n, { value: 1 });`
	for name, change := range all {
		t.Run(name, func(t *testing.T) {
			callWithFiveRows(t, "(r) => {\n"+change+"\nconsole.log(1);\n  throw new Error('mine');\n}", false, func(t *testing.T, a *answerWithChanges) {
				f := a.Failure
				if f == nil || f.Message != "mine" || f.Name != "Error" || f.Row != 40 || f.Hook != "rowHooks[0]" || f.Line != 4 || f.Column != 9 || len(a.Console) != 1 {
					t.Errorf("got %+v and %q", f, a.Console)
				}
			})
		})
	}
}

// TestRevertedPrototypeChange checks that a change to the prototypes of arrays does not affect
// any row if the hook reverts it.
func TestRevertedPrototypeChange(t *testing.T) {
	const source = `(r) => {
		if (r.index === 40) for (let n = 0; n < 9; n++) Object.defineProperty(Array.prototype, n, { get: () => 1, set() {}, configurable: true });
		if (r.index === 44) for (let n = 0; n < 9; n++) delete Array.prototype[n];
		return { row: { a: r.index === 42 ? { value: [r.row.a.value, "!"], info: [{ message: "m" }], selectOptions: [{ label: "l", value: "v" }] } : { value: r.row.a.value + "!" } } };
	}`
	callWithFiveRows(t, source, false, func(t *testing.T, a *answerWithChanges) {
		var got []string
		for _, c := range a.Changes {
			got = append(got, fmt.Sprintf("%d %s %d%d", c.Row, c.Value.Text, len(c.Infos), len(c.Options)))
		}
		want := []string{"0 x0! 00", "1 x1! 00", `2 ["x2","!"] 11`, "3 x3! 00", "4 x4! 00"}
		if diff := cmp.Diff(want, got); diff != "" || a.Failure != nil {
			t.Errorf("(-want +got):\n%s\n%v", diff, a.Failure)
		}
	})
}

// TestRowChangesPrototype checks that a call with Trace reports the row that changes the
// prototypes of arrays, and that other calls do not report a row.
func TestRowChangesPrototype(t *testing.T) {
	for trace, want := range map[bool]int64{true: 42, false: -1} {
		t.Run(fmt.Sprint("trace ", trace), func(t *testing.T) {
			callWithFiveRows(t, `(r) => { if (r.index === 42) Array.prototype[3] = 1; return { row: { a: { value: "y" } } }; }`, trace, func(t *testing.T, a *answerWithChanges) {
				if f := a.Failure; f == nil || f.Row != want || f.Hook != "rowHooks[0]" || !strings.Contains(f.Message, "a number as a key of Array.prototype") {
					t.Errorf("got %+v", f)
				}
			})
		})
	}
}

// TestForgedStacks checks that invalid positions in a stack are not reported.
func TestForgedStacks(t *testing.T) {
	for place, want := range map[string]string{
		"1:99999999999999999999999": "1:0", "1:" + strings.Repeat("9", 400): "1:0", "1:0": "1:0", "1:1": "1:0", "0:5": "0:0", "99999999999999999999:1": "2:0",
		"2:1": "2:1", "2:7": "2:0",
	} {
		source := "(r) => { const e = new Error('x'); e.stack = '    at f (<input>:" + place + ")\\n    at f (rowHooks[0]:" + place + ")'; throw e;\n  }"
		t.Run(place[:min(len(place), 30)], func(t *testing.T) {
			callWithFiveRows(t, source, false, func(t *testing.T, a *answerWithChanges) {
				if f := a.Failure; f == nil || f.Message != "x" || fmt.Sprint(f.Line, ":", f.Column) != want && want != "1:0" || f.Column > 100 {
					t.Errorf("got %+v, want %s", f, want)
				}
			})
		})
	}
}
