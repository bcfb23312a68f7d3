package jsruntime_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/hooks/jsruntime"
)

func isPure(source string) bool {
	return jsruntime.PureRowHooks([]jsruntime.Hook{{Kind: jsruntime.HookRow, Source: source}})
}

// pureHooks are hooks that need to be called only once for rows with equal cells.
var pureHooks = []string{
	`(record) => ({ row: { a: { value: record.row.a.value.toLowerCase() } } })`,
	`({row}) => ({row: {a: {value: row.a.value?.split('@')[1]}}})`,
	`({row}, mode) => { if (row.a.value === 'x') return {row: {a: {info: [{message: mode, level: 'warning'}]}}} }`,
	`record => ({ row: { a: { value: record.row.a.resultValue }, b: { value: record.row.b.value } } });`,
	`function hook(record) { return { row: { a: { value: record.row.a.value } } }; }`,
	`(record) => {
		const row = {};
		const parts = /^(?<first>\S+)\s+(?<last>.+)$/.exec(record.row.a.value);
		if (parts) row.a = { value: parts.groups.last + ", " + parts.groups.first };
		return { row };
	}`,
	`(r) => {
		const [day, month] = r.row.a.value.split("-");
		let sum = 0;
		for (const c of r.row.b.value) sum += c.charCodeAt(0) / 2;
		return { row: { a: { value: ` + "`${month}/${day + `x${sum}`}`" + ` } } };
	}`,
	`(r) => {
		const a = r.row.a.value, b = r.row.b.value;
		let before = [];
		for (let j = 0; j <= b.length; j++) before[j] = j;
		for (let i = 1; i <= a.length; i++) {
			const now = [i];
			for (let j = 1; j <= b.length; j++) {
				const cost = a.charCodeAt(i - 1) === b.charCodeAt(j - 1) ? 0 : 1;
				now[j] = Math.min(now[j - 1] + 1, before[j] + 1, before[j - 1] + cost);
			}
			before = now;
		}
		return { row: { c: { value: before[b.length] } } };
	}`,
	`(r) => { var n = 0; var i; for (i = 0; i < 3; i++) { var n = n + i; } const list = new Array(n); list[n] = 1; return { row: { a: { value: list.length } } } }`,
	`(r) => { if (r.row.a.value === "") throw new Error("empty"); else return { row: { b: { value: String(Number(r.row.a.value)) } } } }`,
	`(r) => { const re = /a/g; re.test(r.row.a.value); return { row: { b: { value: re.lastIndex } } } }`,
	`(r) => { let x = 1
		while (x < 3) x++
		return { row: { b: { value: Math.PI * x, ...{ info: [] } } } } }`,
	`(r) => { const o = { toString: 1, valueOf: null, b: 2 }; o["b"] = Object.keys(o).length; return { row: { b: { value: o.b } } } }`,
}

// impureHooks look like pure hooks, but their results can depend on earlier calls or on the row, they can leave
// something behind, or the parser does not know what they do.
var impureHooks = []string{
	// Outer variables and global objects.
	`(r) => { count = 1; }`,
	`(r) => { globalThis.n = 1; }`,
	`(r) => ({ row: { a: { value: n++ } } })`,
	`(r) => { { let x = 1; } x = 2; }`,
	`(r) => { x = 2; var x; }`,
	`(() => { let n = 0; return (r) => ({ row: { a: { value: ++n } } }); })()`,
	`((n) => (r) => n++)(0)`,
	`(r, m, n = []) => n`,
	`({row = {}}) => null`,
	`function hook(r) { hook.n = 1; }`,
	`function Math(r) { return Math.max(1); }`,
	`function hook(r) { arguments[0].row.a.value = 1; }`,
	`function hook(r) { this.n = 1; }`,
	`(r) => { this.n = 1; }`,
	`(r) => { Math.n = 1; }`,
	`(r) => { Math.max = 1; }`,
	`(r) => { const m = Math; m.n = 1; }`,
	`(r) => { String.prototype.trim = 1; }`,
	`(r) => { undefined = 1; }`,
	`(r) => { Object.assign(Math, { n: 1 }); }`,
	// Clock, random numbers and output.
	`(r) => ({ row: { a: { value: Math.random() } } })`,
	`(r) => ({ row: { a: { value: Math["random"]() } } })`,
	`(r) => ({ row: { a: { value: Date.now() } } })`,
	`(r) => ({ row: { a: { value: new Date().getTime() } } })`,
	`(r) => { console.log(r.row.a.value); }`,
	`(r) => { "use strict"; return new.target; }`,
	// Other parts of the record.
	`(r) => ({ row: { a: { value: r.index } } })`,
	`(r) => ({ row: { a: { value: r.rowId } } })`,
	`({row, index}) => ({ row: { a: { value: index } } })`,
	`({index}) => ({ row: { a: { value: index } } })`,
	`(r) => r`,
	`({row}) => ({ row })`,
	`({row}) => ({ row: { ...row } })`,
	`(r) => ({ row: { a: { value: r.row.a.info.length } } })`,
	`(r) => { r.row.a.value = 1; return { row: {} }; }`,
	`(r) => { (r.row.a.value) = 1; }`,
	`(r) => { r.row.a.value++; }`,
	`(r) => { [r.row.a.value] = [1]; }`,
	`(r) => { ({ a: r.row.a.value } = { a: 1 }); }`,
	`(r) => { for (r.row.a.value of [1]); }`,
	`(r) => { var r; r.n = 1; }`,
	`({row}) => { var row; row.n = 1; }`,
	`(r) => { r = 1; }`,
	`(r) => r.row.__proto__.value`,
	`(r) => r.row.constructor.value`,
	// Built-in prototypes and their methods.
	`(r) => { "".constructor.n = 1; }`,
	`(r) => { [].__proto__.n = 1; }`,
	`(r) => { ({ __proto__: [] }); }`,
	`(r) => { ({ "__proto__": [] }); }`,
	`(r) => { ({ "\u005f_proto__": [] }); }`,
	`(r) => { ({})["constructor"].n = 1; }`,
	`(r) => { ({})["constr" + "uctor"].n = 1; }`,
	`(r) => { ({})[r.row.a.value].n = 1; }`,
	"(r) => { ({})[`constructor`].n = 1; }",
	`(r) => { ({})[["constructor"]].n = 1; }`,
	`(r) => { ({})["\x63onstructor"].n = 1; }`,
	`(r) => { let k = 1; k = "constructor"; ({})[k].n = 1; }`,
	`(r) => { let k = 0, l = 0; while (k < 1) { ({})[k]; k = l; l = "constructor"; } }`,
	`(r) => { var k = 1; { var k = "constructor"; } ({})[k].n = 1; }`,
	`(r) => { { var k = "constructor"; } { var k; ({})[k].n = 1; } }`,
	`(r) => { for (const k of ["constructor"]) ({})[k].n = 1; }`,
	`(r) => { const [k] = ["constructor"]; ({})[k].n = 1; }`,
	`(r) => { const k = r.row.a.value && 1; ({})[k].n = 1; }`,
	`(r) => { const k = { length: "constructor" }.length; ({})[k].n = 1; }`,
	`(r) => { const o = {}; o.length = "constructor"; ({})[o.length].n = 1; }`,
	`(r) => { const o = {}; o["length"] = "constructor"; ({})[o.length].n = 1; }`,
	`(r) => { ({})[/(?<length>.+)/.exec("constructor").groups.length].n = 1; }`,
	`(r) => { ({})[/(?<\u006cength>.+)/.exec("constructor").groups.length].n = 1; }`,
	`(r) => { const NaN = "constructor"; ({})[NaN].n = 1; }`,
	`(r, k) => { ({})[k].n = 1; }`,
	// Variables that exist before or after the block in which they are declared.
	`(r) => { { var NaN = "constructor"; } ({})[NaN].n = 1; }`,
	`(r) => { for (let i = 0; i < 2; i++) { if (i) ({})[NaN].n = 1; var NaN = "constructor"; } }`,
	`(r) => { { var Math = { PI: "constructor" }; } ({})[Math.PI].n = 1; }`,
	`(r) => { for (let i = 0; i < 2; i++) { if (i) ({})[Number.EPSILON].n = 1; var Number = { EPSILON: "constructor" }; } }`,
	`(r) => { if (r.row.a.value) { for (var Infinity of ["constructor"]); } ({})[Infinity].n = 1; }`,
	`(r) => { const [undefined] = ["constructor"]; ({})[undefined].n = 1; }`,
	// After if, let is not a declaration but the name of a variable.
	"(r) => { if (!r.row.a.value) let\n isNaN = 1; }",
	"(r) => { if (!r.row.a.value) 1; else let\n isNaN = 1; }",
	"(r) => { while (!r.row.a.value) let\n n = 1; }",
	"(r) => { for (; !r.row.a.value;) let\n n = 1; }",
	`(r) => { const f = "".trim; f.n = 1; }`,
	`(r) => { "".trim.n = 1; }`,
	`(r) => { [].push.call([], 1); }`,
	`(r) => { const { trim } = ""; trim.n = 1; }`,
	`(r) => { [].concat.constructor("n = 1")(); }`,
	`(r) => { const Array = { of: 1 }; new Array(3); }`,
	// Functions within the hook.
	`(r) => ["b", "a"].sort((x, y) => x < y)`,
	`(r) => { ({ toString() { return 1; } } + ""); }`,
	`(r) => { ({ get a() { return 1; } }).a; }`,
	`(r) => { const get = 1; ({ get a() { return 1; } }).a; }`,
	`(r) => { ({ [Symbol.toPrimitive]: 1 } + ""); }`,
	`(r) => { ({ ["a"]: 1 }); }`,
	`(r) => { function f() {} f(); }`,
	`(r) => { (class { static n = 1; }); }`,
	"(r) => { String.raw`a`; }",
	"(r) => { r.row.a.value\n`a` }",
	`function* hook(r) { yield 1; }`,
	`async (r) => { await 1; }`,
	`async r => 1`,
	// Regular expressions outside of the hook, and the results of the last match.
	`(r) => RegExp.$1`,
	`(r) => held.test(r.row.a.value)`,
	// Constructs that the parser does not know, or that could be misread.
	`(r) => { try { null.x; } catch (e) { e.stack; } }`,
	`(r) => { with (r) row; }`,
	`(r) => { delete r.row; }`,
	`(r) => { import("x"); }`,
	`(r) => { x: 1 }`,
	"(r) => { const a = 1 <!--x\n; n = 1; }",
	"(r) => { const a = 1\n--> n = 1; }",
	"(r) => { const a = 1; //\u2028 n = 1;\n }",
	"(r) => { const a = 1; \u00a0 }",
	`(r) => { const \u0061 = 1; }`,
	"(r) => { return\nr.row.a.value; }",
	`(r) => { const a = 1 instanceof 2; }`,
	`(r) => r?.row.a.value`,
	`(r) => 08n`,
	`(r) => "a`,
	"(r) => `a",
	`(r) => /a`,
	`(r) => { `,
	`(r) => { } }`,
	`(r) => 1, (r) => 2`,
	``,
	`(r) => ` + strings.Repeat("(", 10_000) + strings.Repeat(")", 10_000),
	`(r) => "` + strings.Repeat("x", 70_000) + `"`,
}

func TestPurity(t *testing.T) {
	for _, source := range pureHooks {
		if !isPure(source) {
			t.Errorf("%s\nis not pure, but should be", source)
		}
	}
	for _, source := range impureHooks {
		if isPure(source) {
			t.Errorf("%.200s\nis pure, but should not be", source)
		}
	}
	pure := jsruntime.Hook{Kind: jsruntime.HookRow, Source: pureHooks[0]}
	for _, other := range []jsruntime.Hook{{Kind: jsruntime.HookRow, Source: `(r) => { String.prototype.trim = 1; }`}, {Kind: jsruntime.HookStep, Source: pureHooks[0]}} {
		if jsruntime.PureRowHooks([]jsruntime.Hook{pure, other}) {
			t.Errorf("a hook is pure although its process has the hook %s", other.Source)
		}
	}
}

// TestPureHooksLoad checks that the runtimes accept the pure hooks, so that the parser does not read another language.
func TestPureHooksLoad(t *testing.T) {
	for _, runtime := range runtimes {
		t.Run(runtime.name, func(t *testing.T) {
			w := runtime.open(t)
			for _, source := range pureHooks {
				mustLoad(t, w, &jsruntime.LoadCall{Hooks: []jsruntime.Hook{{Kind: jsruntime.HookRow, Name: "rowHooks[0]", Source: source}}})
			}
		})
	}
}

// TestInheritedNames checks that pure hooks cannot read any function or object that the runtimes' prototypes have.
func TestInheritedNames(t *testing.T) {
	const list = `(r) => {
		const names = new Set();
		for (const one of ["", 1, true, {}, [], /x/, Symbol(), 1n, () => 1, new Error(""), [][Symbol.iterator](), ""[Symbol.iterator](), "".matchAll(/x/g)]) {
			for (let p = Object(one); p !== null; p = Object.getPrototypeOf(p)) {
				if (p === Object(one) && typeof one !== "function") continue;
				for (const name of Object.getOwnPropertyNames(p)) {
					let value;
					try { value = Object(one)[name]; } catch { value = {}; }
					if (typeof value === "function" || typeof value === "object" && value !== null) names.add(name);
				}
			}
		}
		return { row: { a: { value: JSON.stringify([...names]) } } };
	}`
	for _, runtime := range runtimes {
		t.Run(runtime.name, func(t *testing.T) {
			w := runtime.open(t)
			mustLoad(t, w, &jsruntime.LoadCall{Fields: []jsruntime.Field{{Key: "a"}}, Hooks: []jsruntime.Hook{{Kind: jsruntime.HookRow, Name: "rowHooks[0]", Source: list}}})
			texts := &intray.Texts{}
			texts.AppendString("")
			call := &jsruntime.RowsCall{Kind: jsruntime.HookRow, Mode: "init", Rows: jsruntime.Rows{Count: 1, Columns: []*jsruntime.Column{{Value: jsruntime.Cells{Texts: texts}}}}}
			answer := mustAnswer(t, w, call.Append(nil), jsruntime.Bounds{Rows: 1, Fields: make([]jsruntime.FieldBounds, 1), MaxChanges: 1})
			var names []string
			if answer.Failure != nil || json.Unmarshal([]byte(answer.Changes[0].Value.Text), &names) != nil || len(names) < 100 {
				t.Fatalf("the names are %v: %v", names, answer.Failure)
			}
			for _, name := range names {
				if isPure(fmt.Sprintf(`(r) => ({ x: "".%s })`, name)) || isPure(fmt.Sprintf(`(r) => ({ x: ""[%q] })`, name)) {
					t.Errorf("a pure hook may read the inherited property %s", name)
				}
			}
		})
	}
}

// FuzzPurity checks that the parser terminates, and that a hook that contains a pure expression and an assignment to an
// outer variable is not pure.
func FuzzPurity(f *testing.F) {
	for _, source := range append(pureHooks, impureHooks...) {
		_, body, _ := strings.Cut(source, "=>")
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		isPure(body)
		if source := "(r) => [" + body + "\n, outerName = 1]"; isPure(source) {
			t.Errorf("%s\nis pure, but assigns to an outer variable", source)
		}
	})
}
