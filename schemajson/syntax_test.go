package schemajson

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestHooksThatAreFunctions(t *testing.T) {
	for _, source := range []string{
		"(record, mode) => ({row: {}})", "record => record", "()=>{}",
		"async (r) => { await r }", "async r => await r", "({a, b: [c]}, ...d) => {}", `(a = ")") => 1`,
		"function(){}", "function f(){}", "function f(_, _){}", "function async(){}",
		"async function(){}", "async function f(){ await 1 }",
		"/* c */ function (a = ')') { return 1 } // end", "// c\nr => r\n", "function(){}/*x*/",
		"(function(){})", "((a) => b)", " ( async () => {} ) ",
	} {
		if wrong := hookProblem(source); wrong != "" {
			t.Errorf("%q: %s", source, wrong)
		}
	}
}

func TestHooksThatAreNot(t *testing.T) {
	const noFunction = "must be one function"
	tests := []struct{ source, want string }{
		{" \n ", "not an empty text"},
		{"1", noFunction},
		{"a", noFunction},
		{"{a}", noFunction},
		{"class{}", noFunction},
		{"function*(){}", noFunction},
		{"async function*(){}", noFunction},
		{"import('x')", noFunction},
		{"new function(){}", noFunction},
		{"!function(){}", noFunction},
		{"function(){}()", noFunction},
		{"function(){}.call(1)", noFunction},
		{"function(){}[0]", noFunction},
		{"function(){}(1)", noFunction},
		{"function(){}`x`", noFunction},
		{"function(){}+1", noFunction},
		{"(()=>{})()", noFunction},
		{"(function(){})()", noFunction},
		{"(f)(g)", noFunction},
		{"((((()=>1))))", noFunction},
		{"a=b=>c", noFunction},
		{"a.b=c=>d", noFunction},
		{"(a).b=c=>d", noFunction},
		{"[a]=[b=>c]", noFunction},
		{"async(a)", noFunction},
		{"async(a).b=c=>d", noFunction},
		{"a?b=>c:d", noFunction},
		{"a,b=>c", noFunction},
		{"()=>1,()=>2", noFunction},
		{"1),(2", noFunction},
		{"1);steal(2", noFunction},
		{"1:1),(1?2", "line 1, column 2"},
		{"()=>1]),([()=>2", "line 1, column 6"},
		{"function(){} else;if(1)function g(){}", "line 1, column 14"},
		{"function(){} }),({m(){}", "line 1, column 14"},
		{"()=>{};", "take the semicolon at its end away"},
		{"function(){ return 1 +; }", "line 1, column 23: unexpected token"},
		{"(a) =>\n{\n  let x = ;\n}", "line 3, column 11: unexpected token"},
		{"function(){\n\n", "it ends too early, in line 3"},
		{`"abc`, "unexpected end of string"},
		{"()=>{ super() }", "column 12: super()"},
		{"(a, b) => { await b }", "line 1, column 19"},
	}
	for _, tt := range tests {
		if got := hookProblem(tt.source); !strings.Contains(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.source, got, tt.want)
		}
	}
}

// names writes one text for each of many different names.
func names(n int, before, after string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(before + "a" + strconv.Itoa(i) + after)
	}
	return b.String()
}

// TestHostileHooks are texts on which parsers use up a stack, a memory or a
// minute.
func TestHostileHooks(t *testing.T) {
	deep := func(open, middle, shut string) string {
		return strings.Repeat(open, 20_000) + middle + strings.Repeat(shut, 20_000)
	}
	const nested = "nested too deeply"
	tests := []struct{ name, source, want string }{
		{"parentheses", deep("(", "1", ")"), nested},
		{"brackets", deep("[", "1", "]"), nested},
		{"objects", deep("{a:", "1", "}"), nested},
		{"not", deep("!", "1", ""), nested},
		{"arrows", deep("a=>", "1", ""), nested},
		{"assignments", deep("a=", "1", ""), nested},
		{"conditions", deep("a?b:", "1", ""), nested},
		{"templates", deep("`${", "1", "}`"), nested},
		{"loops", "()=>{" + deep("for(;;)", ";", "") + "}", nested},
		{"blocks", "()=>{" + deep("{", "", "}") + "}", nested},
		{"closures", strings.Repeat("()=>[", 800) + names(3000, "", ",") + strings.Repeat("]", 800), "too much memory"},
		{"size", "()=>'" + strings.Repeat("x", MaxHookBytes) + "'", "at most 1048576 bytes"},
		{"declarations", "()=>{" + names(50_000, "let ", ";") + "}", "different names"},
		{"cases", "()=>{switch(1){" + names(50_000, "case ", ":") + "}}", "different names"},
		{"white space", "()=>{" + names(50_000, "let\u00a0", "\u2028") + "}", "different names"},
		{"escapes", "()=>{" + names(50_000, `let \u{61}`, ";") + "}", "different names"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := hookProblem(tt.source); !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestLargeTablesAreTaken(t *testing.T) {
	table := "()=>({" + names(30_000, `"`, `":"x",`) + "})"
	if wrong := hookProblem(table); wrong != "" {
		t.Errorf("%d bytes: %s", len(table), wrong)
	}
}

// TestCorpusOfHostileHooks checks programs that are hostile when they run. They
// are well written, so that as the body of a function each is taken, quickly
// and without running.
func TestCorpusOfHostileHooks(t *testing.T) {
	files, err := filepath.Glob("../../shared/corpora/hostile-hooks/*.js")
	if err != nil || len(files) == 0 {
		t.Skip("SKIPPED, not checked: the corpus hostile-hooks is not here")
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if wrong := hookProblem("() => {" + string(source) + "\n}"); wrong != "" {
			t.Errorf("%s: %s", filepath.Base(file), wrong)
		}
	}
}

func TestHookProblemNeverPanics(t *testing.T) {
	pieces := rapid.SampledFrom([]string{"function", "async", "(", ")", "=>", "{", "}", "a", " ", "\n", "/*", "*/", "//",
		"'", "`", "${", ";", ",", "[", "]", "=", "é", "\\u{61}", "class", "...", "?", ":", "1", "*"})
	rapid.Check(t, func(t *rapid.T) {
		hookProblem(strings.Join(rapid.SliceOfN(pieces, 0, 12).Draw(t, "pieces"), ""))
	})
}

func TestMentions(t *testing.T) {
	for source, want := range map[string]bool{
		"fetch": true, "await fetch(url)": true, "globalThis['fetch']": true, "x.fetch": true,
		"": false, "prefetch()": false, "fetch_all()": false, "$fetch": false, "Fetch": false,
	} {
		if got := mentions(source, "fetch"); got != want {
			t.Errorf("%q: %v", source, got)
		}
	}
}
