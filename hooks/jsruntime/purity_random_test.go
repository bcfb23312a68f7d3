package jsruntime_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/hooks/jsruntime"
)

// builtInsHook returns a text that changes with any property of any object that hooks can reach.
const builtInsHook = `(r) => {
	const seen = new Map(), list = [globalThis, /x/, [][Symbol.iterator](), "".matchAll(/x/g), (function* () {})(), async () => {}];
	let text = "";
	for (const one of list) seen.set(one, seen.size);
	const name = (value) => {
		if (typeof value !== "object" && typeof value !== "function" || value === null) return typeof value + String(value);
		if (!seen.has(value)) {
			seen.set(value, seen.size);
			list.push(value);
		}
		return "#" + seen.get(value);
	};
	for (const one of list) {
		text += name(Object.getPrototypeOf(one)) + ":";
		for (const key of Reflect.ownKeys(one)) {
			const found = Object.getOwnPropertyDescriptor(one, key);
			text += String(key) + "=" + name(found.value) + name(found.get) + name(found.set) + found.writable + ",";
		}
	}
	return { row: { a: { value: text } } };
}`

// programs draws hooks that try to keep something for later calls. Many of them are not pure.
type programs struct{ t *rapid.T }

func (p programs) one(list ...string) string { return rapid.SampledFrom(list).Draw(p.t, "one") }

func (p programs) name() string {
	return p.one("x", "x", "x", "k", "k", "mode", "NaN", "undefined", "Infinity", "Math", "isNaN", "String", "Object", "r", "absent", "hook")
}

func (p programs) key() string {
	return p.one("a", "b", "n", "length", "constructor", "trim", "push", "index", "groups", "lastIndex", "prototype", "__proto__")
}

// constant draws a global constant.
func (p programs) constant() string { return p.one("NaN", "NaN", "undefined", "Math.PI") }

func (p programs) text() string {
	return p.one(`"constructor"`, `"length"`, `"n"`, `"1"`, `"a"`, "`constr${\"uctor\"}`", `"__proto__"`, `""`)
}

// expression draws an expression. Most are in parentheses, so that the source can be parsed.
func (p programs) expression(depth int) string {
	e := func() string { return p.expression(depth - 1) }
	if depth == 0 {
		return p.one("1", "0", "x", "k", "r.row.a.value", "r.row.b.resultValue", "({})", "[]", "true", "null", "undefined", "NaN", "Math.PI", "Infinity", p.text(), p.name(), "/(?<n>a)|b/g")
	}
	switch rapid.IntRange(0, 18).Draw(p.t, "expression") {
	case 0:
		return "(" + e() + p.one("+", "-", "*", "&&", "||", "??", "<", "===", "%", "|", ",", "\n/", "\n+") + e() + ")"
	case 1:
		return "(" + p.name() + p.one("=", "=", "+=", "-=", "&&=", "||=", "??=") + e() + ")"
	case 2:
		return "({ " + p.key() + ": " + e() + " })"
	case 3:
		return "[" + e() + ", ..." + e() + "]"
	case 4, 5:
		return e() + "[" + e() + "]"
	case 6, 7:
		return e() + p.one(".", ".", "?.") + p.key()
	case 8, 9:
		return "(" + e() + p.one("."+p.key(), "["+e()+"]") + p.one(" = ", " = ", " += ") + e() + ")"
	case 10:
		return "(" + e() + " ? " + e() + " : " + e() + ")"
	case 11:
		return e() + "." + p.one("trim", "push", "concat", "at", "split", "replace", "exec", "match", "join", "slice", "toString", "indexOf", "call") + "(" + e() + ")"
	case 12:
		return p.one("String", "Number", "Math.max", "Math.abs", "isNaN", "Object.keys", "Object.entries", "Array.of", "parseInt", "Boolean") + "(" + e() + ")"
	case 13:
		return "(" + p.one("++", "--") + p.name() + ")"
	case 14:
		return "(({})[" + p.constant() + "].n = 1)"
	case 15:
		return "(" + p.one("typeof ", "!", "-", "void ") + e() + ")"
	default:
		return p.expression(0)
	}
}

// statement draws a statement.
func (p programs) statement(depth int) string {
	e := func() string { return p.expression(rapid.IntRange(0, 3).Draw(p.t, "depth")) }
	s := func() string { return p.statement(max(depth-1, 0)) }
	kind := rapid.IntRange(0, 12).Draw(p.t, "statement")
	if depth == 0 {
		kind %= 6
	}
	switch kind {
	case 0, 1:
		return p.one("let", "var", "var", "const") + p.one(" ", "\n") + p.name() + " = " + e() + p.one(";", "\n")
	case 2:
		return p.one("var", "let") + p.one(" ", "\n") + p.name() + p.one(";", "\n")
	case 3, 4:
		return e() + ";"
	case 5:
		return "return { row: { a: { value: String(" + e() + ") } } };"
	case 6, 7:
		return "{ " + s() + s() + "}"
	case 8:
		return "if (" + e() + ") " + s() + p.one("", "else "+s())
	case 9, 10:
		return "for (let i = 0; i < 2; i++) " + p.one("", "{ if (i) ") + s() + "\n"
	case 12: // a variable outside of its block
		name := p.one("NaN", "undefined", "k")
		return "{ " + p.one("var ", "let ") + name + " = " + p.text() + "; } ({})[" + p.one(name, p.constant()) + "].n = 1;"
	default:
		return "for (" + p.one("const ", "var ") + p.name() + " of [" + e() + ", " + e() + "]) " + s()
	}
}

func (p programs) hook() string {
	source := ""
	for range rapid.IntRange(1, 5).Draw(p.t, "statements") {
		source += p.statement(2)
	}
	// A block that a statement opened may still be open.
	source += strings.Repeat("}", max(0, strings.Count(source, "{ if (i)")))
	return p.one("(r, mode) =>", "(r, mode) =>", "function hook(r, mode)", "function (r)", "({row}) =>", "function Math(r)") +
		" { let x = " + p.one("1", `"n"`, "[]", "{}") + "; " + source + " return { row: { a: { value: String(x) } } }; }"
}

// TestRandomPurity checks that hooks which PureRowHooks accepts leave nothing behind: after each call, all built-in
// objects are as before, and the results for equal cells are equal.
func TestRandomPurity(t *testing.T) {
	for _, runtime := range runtimesOfVariants() {
		t.Run(runtime.name, func(t *testing.T) {
			w, accepted, loaded := runtime.open(t), 0, 0
			rapid.Check(t, func(r *rapid.T) {
				var source string
				for range 200 {
					if source = (programs{r}).hook(); isPure(source) {
						break
					}
				}
				if !isPure(source) {
					return
				}
				accepted++
				if len(loadFaults(t, w, pureAndBuiltIns(source))) > 0 {
					return // it cannot be parsed
				}
				loaded++
				if flaw := impurity(t, w); flaw != "" {
					r.Fatalf("%s\nis pure, but %s", source, flaw)
				}
			})
			if loaded*4 < accepted || accepted < 20 {
				t.Errorf("only %d of %d pure hooks could be loaded", loaded, accepted)
			}
		})
	}
}

// TestPureHooksLeaveNothing is like TestRandomPurity, for all pure hooks of TestPurity.
func TestPureHooksLeaveNothing(t *testing.T) {
	for _, runtime := range runtimes {
		t.Run(runtime.name, func(t *testing.T) {
			w := runtime.open(t)
			for _, source := range pureHooks {
				mustLoad(t, w, pureAndBuiltIns(source))
				if flaw := impurity(t, w); flaw != "" {
					t.Errorf("%s\nis pure, but %s", source, flaw)
				}
			}
		})
	}
}

func pureAndBuiltIns(source string) *jsruntime.LoadCall {
	return &jsruntime.LoadCall{Fields: []jsruntime.Field{{Key: "a"}, {Key: "b"}, {Key: "c"}}, Hooks: []jsruntime.Hook{
		{Kind: jsruntime.HookRow, Name: "rowHooks[0]", Source: source}, {Kind: jsruntime.HookRow, Name: "rowHooks[1]", Source: builtInsHook},
	}}
}

// impurity calls a loaded hook repeatedly. It returns a description of what differs, or "".
func impurity(t *testing.T, w worker) string {
	t.Helper()
	call := func(hook, a, b string, index int64) string {
		t.Helper()
		columns := make([]*jsruntime.Column, 3)
		for i, text := range []string{a, b, "c"} {
			texts := &intray.Texts{}
			texts.AppendString(text)
			columns[i] = &jsruntime.Column{Value: jsruntime.Cells{Texts: texts}}
		}
		request := &jsruntime.RowsCall{Kind: jsruntime.HookRow, Hooks: []string{hook}, Mode: "init", Rows: jsruntime.Rows{Count: 1, First: index, Columns: columns}}
		answer := mustAnswer(t, w, request.Append(nil), jsruntime.Bounds{Rows: 1, Fields: make([]jsruntime.FieldBounds, 3), MaxChanges: 3})
		text := fmt.Sprintf("%+v", answer.Changes)
		if answer.Failure != nil {
			text += fmt.Sprint(answer.Failure.Kind, answer.Failure.Name, answer.Failure.Message, answer.Failure.Line, answer.Failure.Column)
		}
		return text
	}
	cells := [][2]string{{"x y", "2"}, {"", ""}, {"1", "x"}, {"constructor", "1-2"}}
	var first []string
	before := call("rowHooks[1]", "", "", 0)
	for round := range 3 {
		var results []string
		for i, c := range cells {
			results = append(results, call("rowHooks[0]", c[0], c[1], int64(round*10+i)))
		}
		if round == 0 {
			first = results
		} else if !slices.Equal(first, results) {
			return fmt.Sprintf("its results change from\n%q to\n%q", first, results)
		}
	}
	if after := call("rowHooks[1]", "", "", 0); after != before {
		return "it changes built-in objects"
	}
	return ""
}
