package schema

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestHookProblem(t *testing.T) {
	const noFunction = "must be one function"
	tests := []struct{ source, want string }{
		{"(record, mode) => ({row: {}})", ""},
		{"// c\nasync function f(r) { await r }", ""},
		{" (record => record) ", ""},
		{" \n ", "not an empty text"},
		{"a", noFunction},
		{"function*(){}", noFunction},
		{"(()=>{})()", noFunction},
		{"1);steal(2", "line 1, column 2: unexpected \")\""},
		{"()=>{};", "take the semicolon at its end away"},
		{"()=>{1+};", "line 1, column 8"},
		{"(a) =>\n{\n  let x = ;\n}", "has a syntax error in line 3, column 11: unexpected \";\""},
		{"()=>'" + strings.Repeat("x", MaxHookBytes) + "'", "at most 1,048,576 bytes"},
	}
	for _, tt := range tests {
		got := hookProblem(tt.source).String()
		if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
			t.Errorf("%.40q: %q, want %q", tt.source, got, tt.want)
		}
	}
}

// TestCorpusOfHostileHooks checks programs that are hostile when they run. They
// are well written, so that as the body of a function each is taken.
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
		if wrong := hookProblem("() => {" + string(source) + "\n}"); !wrong.IsZero() {
			t.Errorf("%s: %s", filepath.Base(file), wrong)
		}
	}
}

func TestMentions(t *testing.T) {
	for source, want := range map[string]bool{
		"fetch": true, "await fetch(url)": true, "globalThis['fetch']": true, "x.fetch": true,
		"": false, "prefetch()": false, "fetch_all()": false, "$fetch": false, "Fetch": false,
	} {
		if got := containsWord(source, "fetch"); got != want {
			t.Errorf("%q: %v", source, got)
		}
	}
}
