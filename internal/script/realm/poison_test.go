package realm_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/script/realm"
)

// poisons are what hooks can do to the language. None of it is known to the
// prelude, which must answer as if nothing had been done.
var poisons = map[string]string{
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
		"out", "what", "each", "placeOf", "inParts", "n", "shape", "made", "spent", "text", "sizes", "kinds", "long", "has", "ownKeys", "sparse", "memory", "now", "seed", "locale", "timeZone", "method", "other", "indent", "thrown"])
		Object.defineProperty(Object.prototype, name, { get: () => "evil", set() { throw new Error("caught " + name); }, configurable: true });`,
	"descriptors": `Object.prototype.get = spoiled; Object.prototype.set = spoiled; Object.prototype.writable = false; Object.prototype.enumerable = false; Object.prototype.configurable = false;`,
	"traps":       `for (const name of Object.getOwnPropertyNames(Reflect)) if (name !== "get" && name !== "set") Object.defineProperty(Object.prototype, name, { value: spoiled, writable: true, configurable: true });`,
	"frozen":      `for (const type of [Object, Array, String, Function, Promise, RegExp, Map]) Object.freeze(type.prototype);`,
	"closed":      `Object.preventExtensions(globalThis); Object.preventExtensions(Object.prototype);`,
	"frames":      `Error.stackTraceLimit = 0; Error.prototype.toString = spoiled;`,
	"instances":   `for (const type of [Array, Object, Function, Error]) try { Object.defineProperty(type, Symbol.hasInstance, { value: () => true }); } catch {}`,
}

// Those that leave no way to write a list are told as what they are.
var bends = map[string]string{
	"numbers of lists":   `Object.defineProperty(Array.prototype, 0, { get: () => 1, set() {}, configurable: true });`,
	"numbers of objects": `Object.defineProperty(Object.prototype, 1, { get: () => 1, set() {}, configurable: true });`,
	"another prototype":  `Object.setPrototypeOf(Array.prototype, new Proxy({}, { set: () => true, get: () => 7 }));`,
}

// poisoned are the hooks: the last row hook does it, once, ahead of its answer.
func poisoned(poison string) []realm.Hook {
	once := `if (!true.constructor.done) { true.constructor.done = true;
		const spoiled = function () { throw new Error("spoiled"); };
		const define = Object.defineProperty, keysOf = Reflect.ownKeys;
		const spoil = (object) => { for (const key of keysOf(object)) if (key !== "constructor" && key !== "prototype" && key !== "defineProperty" || object !== Object && key === "defineProperty") try { define(object, key, { value: spoiled, writable: true, configurable: true }); } catch {} };
		` + poison + ` }`
	return []realm.Hook{
		{Kind: realm.HookRow, Name: "rowHooks[0]", Source: `(r) => ({row: {a: {value: r.row.a.value + "1", info: [{message: "m"}]}}})`},
		{Kind: realm.HookRow, Name: "rowHooks[1]", Source: `(r) => { ` + once + ` return {row: {b: {value: [r.row.a.value, 2, null], info: [{message: "n", level: "info"}], selectOptions: [{label: "L", value: "v", alternateMatches: ["w"]}]}, c: {manyToOne: [{value: "x"}, undefined]}}}; }`},
		{Kind: realm.HookRow, Name: "rowHooks[2]", Source: `async (r) => { await 0; return {row: {a: {value: r.row.b.value.length}}}; }`},
		{Kind: realm.HookBulkRow, Name: "bulkRowHooks[0]", Source: `(list) => { const out = []; for (let i = 0; i < list.length; i++) out[i] = {index: list[i].index, row: {a: {value: list[i].row.b.value + i}}}; return out; }`},
		{Kind: realm.HookColumn, Name: "columnHooks[0]", Source: `(list) => { list[1].value = "changed"; return list; }`},
		{Kind: realm.HookStep, Name: "stepHooks[0]", Source: `(instance, about) => { instance.addRows([{row: {a: {value: about.n}}}]); instance.removeField("b"); }`},
		{Kind: realm.HookBeforeFinish, Name: "beforeFinishCallback", Source: `(rows) => ({cancel: true, message: rows[1].a + rows.length})`},
	}
}

var poisonFields = []realm.Field{{Key: "a"}, {Key: "b"}, {Key: "c", Many: true}}

// poisonRequests are calls of all kinds, those over rows twice: what was done in
// the first holds from its beginning in the second.
func poisonRequests(hooks []realm.Hook) (list []request, bounds realm.Bounds) {
	cells := func(values ...any) realm.Cells { return cellsOf(len(values), func(i int) any { return values[i] }) }
	infos := []realm.CellInfos{{Row: 1, Infos: []realm.Info{{Message: "before", Level: intray.LevelWarning}}}}
	columns := func() []*realm.Column {
		return []*realm.Column{
			{Value: cells("x", "y", nil), Infos: infos}, {Value: cells("p", "q", "r")},
			{Parts: []realm.Column{{Value: cells("1", "2", "3")}, {Value: cells("4", "5", "6")}}},
		}
	}
	rows := func() realm.Rows { return realm.Rows{Count: 3, First: 7, Columns: columns()} }
	load := &realm.Load{Fields: poisonFields, Hooks: hooks, Pins: realm.Pins{Now: time.UnixMilli(0)}}
	list = []request{
		load, &realm.RowsCall{Kind: realm.HookRow, Rows: rows()}, &realm.RowsCall{Kind: realm.HookRow, Rows: rows(), Learn: true},
		&realm.RowsCall{Kind: realm.HookBulkRow, Rows: rows()},
		&realm.ColumnCall{Hooks: []string{"columnHooks[0]"}, Field: 0, Rows: rows()},
		&realm.ColumnCall{Hooks: []string{"columnHooks[0]"}, Field: 2, Part: 1, Rows: rows()},
		&realm.StepCall{Hooks: []string{"stepHooks[0]"}, About: []byte(`{"n": [1]}`), NewIDs: "new-"},
		&realm.FinishCall{Count: 2, Keys: []string{"a", "b"}, Values: []realm.Cells{cells("u", "v"), cells(nil, true)}},
		&realm.Keep{Field: 0, Part: -1, Size: 2, Column: &realm.Column{Value: cells("x", nil)}},
		&realm.Keep{Field: 0, Part: -1, From: 2, Size: 2, Column: &realm.Column{Value: cells("z"), Infos: []realm.CellInfos{{Row: 0, Infos: infos[0].Infos}}}},
		&realm.ColumnCall{Hooks: []string{"columnHooks[0]"}, Field: 0, Lazy: true, Rows: realm.Rows{Count: 3, Columns: []*realm.Column{{Kept: true}, nil, nil}}},
		load, &realm.RowsCall{Kind: realm.HookRow, Rows: rows(), Fresh: true},
	}
	return list, realm.Bounds{Rows: 3, Parts: []int{0, 0, 2}, Learn: true, Changes: 100}
}

type request interface{ Append([]byte) []byte }

// took is what differs from one run to the next.
var took = regexp.MustCompile(`"times":\[(\{[^}]*\},?)*\],?`)

// answers gives all answers, without how long hooks took.
func answers(t *testing.T, w worker, poison string) (list []string) {
	t.Helper()
	requests, bounds := poisonRequests(poisoned(poison))
	for i, one := range requests {
		raw, err := w.Handle(one.Append(nil))
		if err != nil {
			t.Fatal(err)
		}
		if _, is := one.(*realm.Load); !is {
			if a, err := readAnswer(raw, bounds); err != nil || a.Failure != nil {
				t.Fatalf("request %d: %v: %.500s", i, err, raw)
			}
		}
		list = append(list, took.ReplaceAllString(string(raw), ""))
	}
	return list
}

func TestPoisons(t *testing.T) {
	for _, runtime := range runtimes {
		t.Run(runtime.name, func(t *testing.T) {
			want := answers(t, runtime.open(t), "")
			if text := strings.Join(want, "\n"); strings.Contains(text, "miss") || strings.Count(text, "changed") != 3 || !strings.Contains(text, "v2") {
				t.Fatalf("the hooks do not do what they should:\n%s", text)
			}
			if runtime.name == "node" && os.Getenv("INTRAY_TORTURE") != "full" {
				return // each takes a process of its own
			}
			for name, poison := range poisons {
				t.Run(name, func(t *testing.T) {
					if diff := cmp.Diff(want, answers(t, runtime.open(t), poison)); diff != "" {
						t.Errorf("(-want +got):\n%s", diff)
					}
				})
			}
		})
	}
}

func TestBends(t *testing.T) {
	for name, bend := range bends {
		w := newQuickJS(t)
		requests, bounds := poisonRequests(poisoned(bend))
		for i, one := range requests[:2] {
			raw, err := w.Handle(one.Append(nil))
			if err != nil {
				t.Fatal(err)
			}
			if a, err := readAnswer(raw, bounds); i == 1 && (err != nil || a.Failure == nil || !strings.Contains(a.Failure.Message, "what all lists are made of")) {
				t.Errorf("%s: %v %s", name, err, raw)
			}
		}
	}
}
