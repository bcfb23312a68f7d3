package jssyntax

import (
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestFunctions(t *testing.T) {
	for _, source := range []string{
		"(record, mode) => ({row: {}})", "record => record", "()=>{}", "(a, b,) => 1", "(...rest) => rest",
		"async (r) => { await r }", "async r => await r", "async => 1", "async (a, ...b) => a", "yield => 1", "await => 1",
		"({a, b: [c], d = 1}, [e,,f] = [], ...g) => {}", `(a = ")") => 1`, "(a = {b: {c: 1}}) => 1",
		"function(){}", "function f(){}", "function f(_, _){}", "function async(){}", "function(a = 1, {b}, ...c){}",
		"async function(){}", "async function f(){ await 1 }",
		"/* c */ function (a = ')') { return 1 } // end", "// c\nr => r\n", "function(){}/*x*/",
		"(function(){})", "((a) => b)", " ( async () => {} ) ", "((((() => 1))))",
	} {
		if isFunction, err := Check(source); err != nil || !isFunction {
			t.Errorf("%q: %v, %v", source, isFunction, err)
		}
	}
}

func TestOtherExpressions(t *testing.T) {
	for _, source := range []string{
		"1", "a", "{a}", "class{}", "function*(){}", "async function*(){}", "import('x')", "new function(){}", "!function(){}",
		"function(){}()", "function(){}.call(1)", "function(){}[0]", "function(){}`x`", "function(){}+1", "function(){}?.()",
		"(()=>{})()", "(function(){})()", "(f)(g)", "a=b=>c", "a.b=c=>d", "(a).b=c=>d", "[a]=[b=>c]", "{a}={a:b=>c}",
		"async(a)", "async(a).b=c=>d", "a?b=>c:d", "(a,b=>c)", "a||function(){}", "`${()=>1}`",
	} {
		if isFunction, err := Check(source); err != nil || isFunction {
			t.Errorf("%q: %v, %v", source, isFunction, err)
		}
	}
}

// TestBodies are statements and expressions, each in a function's body.
func TestBodies(t *testing.T) {
	for _, body := range []string{
		"", ";", "let a = 1, {b, ...c} = a, [d = 2] = b; const e = 3; var f", "let of; let\nx", "{ { } }",
		"if (a) b; else if (c) d\nelse { e }", "for (;;) break", "for (let i = 0, j; i < 1; i++) continue",
		"for (const k in o) {} for (x of y) {} for (const [a, b] of c) {} for ({a = 1} of b) {}",
		"for (var i = ('a' in b) ? 1 : 2; ;) break", "while (a) b(); do c(); while (d) e()", "a: for (;;) { continue a }",
		"switch (a) { case 1: case 2: b(); break; default: c() }", "try { a() } catch { b() } finally { c() }",
		"try { a() } catch ({message}) { throw new Error(message) }", "with (a) b", "debugger", "return\n1", "a\nb\n++c",
		"async function f() { for await (const x of y) { await x } }", "function* g() { yield; yield 1; const x = yield* g() }",
		"class A extends B { #p = 1; static q; static { this.r = 1 } constructor() { super() } get x() { return this.#p }" +
			" set x(v) {} static async *m() {} [k]() {} 'y' = 2; has(o) { return #p in o } async\nget\nstatic }",
		"x = {a, b: 1, 'c': 2, 3: 4, [d]: 5, e() {}, get f() { return super.g }, set f(v) {}, async h() {}, *i() {}, async *j() {}, ...k, get: 1, async, set() {}}",
		"x = a ?? b ?.c?.[d]?.(e) ** -f", "x = a ? .5 : b?.5:1", "x ??= y &&= z ||= 1; a >>>= b **= 2", "({a, b: {c = 1}} = d); [a, [b], ...c] = d; [a.b] = c",
		"x = 0xFF + 0b11 + 0o17 + 1_000.5e-3 + 10n + .5 + 017 + 01.a", `x = 'a\'b' + "\u0041\
b" + ` + "`c${`d${1}`}e\\``",
		"x = /(a(?:[()]|\\)))/g; x = /[/]\\//gu.test(y) / 2 / z; if (a) /b/.test(c)", "x = a++ / 2; y = (a) / 2; z = [1] / 2", "new A; new A.B(c).d = 1; new new A()(); new.target",
		"x = typeof void delete a.b; y = -+~!a", "x = <T>y" + "", "p = async () => { await a; for (;;) await b }", "x = async\n(a)",
		"\u00e9t\u00e9 = \\u0061b + \\u{61}c", "// c\u2028x = 1", "tag`a${b}c`.d", "import('x').then(y)", "return a, b => c, (d, e)",
	} {
		_, err := Check("function () {" + body + "\n}")
		if wrong := strings.Contains(body, "<T>"); (err != nil) != wrong {
			t.Errorf("%q: %v", body, err)
		}
	}
}

func TestErrors(t *testing.T) {
	tests := []struct {
		source       string
		line, column int
		reason       string
	}{
		{"", 1, 1, "ends too early"},
		{"1),(2", 1, 2, `unexpected ")"`},
		{"1:1),(1?2", 1, 2, `unexpected ":"`},
		{"()=>1]),([()=>2", 1, 6, `unexpected "]"`},
		{"()=>1,()=>2", 1, 6, `unexpected ","`},
		{"function(){} }),({m(){}", 1, 14, `unexpected "}"`},
		{"()=>{}\n()", 2, 1, `unexpected "("`},
		{"function(){ return 1 +; }", 1, 23, `unexpected ";"`},
		{"(a) =>\n{\n  let x = ;\n}", 3, 11, `unexpected ";"`},
		{"function(){\r\n\r\n", 3, 1, "ends too early"},
		{"'é' + 'ü' +", 1, 12, "ends too early"},
		{`"abc`, 1, 1, "a string is not closed"},
		{"'a\nb'", 1, 1, "not closed in its line"},
		{"`a${b", 1, 6, "ends too early"},
		{"`a${b}c", 1, 6, "a template is not closed"},
		{"/a", 1, 1, "a regular expression is not closed"},
		{"()=>/((((/", 1, 5, "a group of a regular expression is not closed"},
		{"/a)/", 1, 1, "closes a group that is not open"},
		{"/* a", 1, 1, "a comment is not closed"},
		{"1a", 1, 1, "a number is followed by a letter"},
		{"a # b", 1, 3, `unexpected "#"`},
		{"a \x00", 1, 3, "unexpected character"},
		{"(a, b) => { await b }", 1, 19, `unexpected "b"`},
		{"()=>{ super() }", 1, 12, "super is only known in methods"},
		{"()=>{ break }", 1, 7, "break stands in no loop"},
		{"()=>{ for(;;) { (() => { continue })() } }", 1, 26, "continue stands in no loop"},
		{"()=>{ const a; }", 1, 14, "without a value"},
		{"()=>{ let {a}; }", 1, 14, "without a value"},
		{"()=>{ throw\na }", 1, 7, "throw needs a value"},
		{"()=>{ try {} }", 1, 14, `unexpected "}"`},
		{"()=>{ function(){} }", 1, 15, "a declaration needs a name"},
		{"()=>{ class {} }", 1, 13, "a declaration needs a name"},
		{"()=>{ export default 1 }", 1, 7, `unexpected "export"`},
		{"()=>{ a b }", 1, 9, `unexpected "b"`},
		{"()", 1, 2, `unexpected ")"`},
		{"(a,)", 1, 3, "no parameters"},
		{"(...a)", 1, 2, "no parameters"},
		{"(a.b) => 1", 1, 7, `unexpected "=>"`},
		{"({a: 1}) => 1", 1, 10, `unexpected "=>"`},
		{"(a)\n=> 1", 2, 1, `unexpected "=>"`},
		{"1 || a => b", 1, 8, `unexpected "=>"`},
		{"({a = 1})", 1, 5, `unexpected "=" in an object`},
		{"f() = 1", 1, 1, "cannot be assigned to"},
		{"[a] += 1", 1, 1, "cannot be assigned to"},
		{"1++", 1, 1, "cannot be counted"},
		{"var => 1", 1, 1, `unexpected "var"`},
		{"async function(){ var await }", 1, 23, `unexpected "await"`},
		{"{if}", 1, 4, `unexpected "}"`},
		{"[1 2]", 1, 4, `expected ",", not "2"`},
		{"f(1 2)", 1, 5, `expected ")", not "2"`},
	}
	for _, tt := range tests {
		_, err := Check(tt.source)
		var e *Error
		if !errors.As(err, &e) || e.Line != tt.line || e.Column != tt.column || !strings.Contains(e.Reason.String(), tt.reason) {
			t.Errorf("%q: %v, want line %d, column %d: %s", tt.source, err, tt.line, tt.column, tt.reason)
		}
	}
}

// TestDeepNesting holds the recognizer against sources on which recursion
// would use up its stack.
func TestDeepNesting(t *testing.T) {
	const n = 100_000
	deep := func(open, middle, shut string) string {
		return strings.Repeat(open, n) + middle + strings.Repeat(shut, n)
	}
	for _, source := range []string{
		deep("(", "1", ")"), deep("[", "1", "]"), deep("{a:", "1", "}"), deep("a=>", "1", ""), deep("a=", "1", ""),
		deep("a?b:", "1", ""), deep("a?", "1", ":1"), deep("`${", "1", "}`"), deep("a(", "1", ")"), deep("a[", "1", "]"),
		deep("class extends ", "a", "{}"), deep("function(){return ", "1", "}"), deep("async ({a:", "1", "})"),
		"()=>{" + deep("for(;;)", ";", ""), "()=>{" + deep("{", "", ""), "()=>{" + deep("if(a);else ", ";", ""),
		"()=>{let " + deep("[", "", ""), "(" + deep("{a:", "", ""), "()=>{" + deep("a:", "", ""), "class{" + deep("a=class{", "", ""),
	} {
		if _, err := Check(source); err == nil || !strings.Contains(err.Error(), "nested more than 3,000 levels") {
			t.Errorf("%.20q: %v", source, err)
		}
	}
}

// TestLongSources are long without being deep, and are read in one pass.
func TestLongSources(t *testing.T) {
	for _, part := range []string{"1,", "1+", "!", "new ", "a.", "a?.", "a&&", "f(x=>x+1),", "/a/,", "`${1}`+", "(a),", "async,", "{get:1},", "/**/a,"} {
		source := strings.Repeat(part, 1<<20/len(part)) + "b"
		begin := time.Now()
		if _, err := Check("[" + source + "]"); err != nil {
			t.Errorf("%q: %v", part, err)
		}
		if took := time.Since(begin); took > 20*time.Second {
			t.Errorf("%q took %v", part, took)
		}
	}
}

func sources() *rapid.Generator[string] {
	pieces := rapid.SampledFrom([]string{"function", "async", "await", "(", ")", "=>", "{", "}", "a", " ", "\n", "/*", "*/", "//", "'",
		"`", "${", ";", ",", "[", "]", "=", "é", `\u{61}`, "class", "...", "?", "?.", ":", "1", "*", "for", "of", "let", "get", "#p", "/", "new",
		"yield", "static", "super", "import", "if", "else", "try", "catch", "switch", "case", "do", "while", "\xff", "\\", "in", "+", "++"})
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(pieces, 0, 16).Draw(t, "pieces"), "")
	})
}

func TestNeverPanics(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		source := sources().Draw(t, "source")
		_, _ = Check(source)
		_, err := Check("function(){" + source + "}")
		var e *Error
		if err != nil && (!errors.As(err, &e) || e.Line < 1 || e.Column < 1 || e.Reason.IsZero()) {
			t.Fatalf("%q: %#v", source, err)
		}
	})
}

func FuzzCheck(f *testing.F) {
	f.Add("(record, mode) => ({row: {a: {value: `x${1}`}}})")
	f.Add("async function f({a = 1}) { for await (const x of a) { /x/.test(x) } }")
	f.Fuzz(func(t *testing.T, source string) {
		_, _ = Check(source)
	})
}
