package jsonrows

import (
	"encoding/json"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/intraydata/intray/source/sourcetest"
)

// isJSON reports whether the tokenizer accepts text as one value.
func isJSON(text string) bool {
	b := []byte(text)
	end := valueToken(b, skipSpace(b, 0), 1)
	return end != notFound && skipSpace(b, end) == len(b) && utf8.Valid(b)
}

func TestTokenizerAgainstSuite(t *testing.T) {
	folder := sourcetest.Corpus(t, "json")
	counts := map[byte]int{}
	for name, text := range corpusFiles(t, filepath.Join(folder, "test_parsing", "*.json"), 300) {
		counts[name[0]]++
		if got := isJSON(text); name[0] == 'y' && !got || name[0] == 'n' && got {
			t.Errorf("%s: accepted %v", name, got)
		}
	}
	if counts['y'] < 90 || counts['n'] < 180 {
		t.Errorf("only %v files", counts)
	}
}

func TestTokens(t *testing.T) {
	tests := map[string]bool{
		`0`: true, `-0`: true, `01`: false, `-`: false, `1.`: false, `.5`: false, `1e5`: true, `1E+05`: true, `1e`: false, `1e-`: false, `+1`: false,
		`"a"`: true, `"a`: false, `"\u00e9\/"`: true, `"\u00g9"`: false, `"\x"`: false, "\"a\tb\"": false, `"\ud800"`: true, `"\`: false, `"\u12`: false,
		`true`: true, `tru`: false, `truex`: false, `null`: true, `nul`: false, `false`: true, ``: false,
		`[]`: true, `[1,]`: false, `[1 2]`: false, `[ 1 , [ ] ]`: true, `[1`: false, `[`: false, `]`: false,
		`{}`: true, `{"a":1}`: true, `{"a":1,}`: false, `{"a"}`: false, `{a:1}`: false, `{ "a" : { } }`: true, `{"a":1]`: false, `{"a":`: false, `{"a"`: false,
	}
	for text, want := range tests {
		if got := isJSON(text); got != want {
			t.Errorf("%s: accepted %v", text, got)
		}
	}
}

// FuzzTokens checks that the tokenizer and the standard library accept the same input.
func FuzzTokens(f *testing.F) {
	f.Add(`{"a":[1,"x\n",{"b":-1.5e3}],"":null}`)
	f.Add("\"a\x1f12345678\"")
	f.Add(`["12345678\u0000"]`)
	f.Fuzz(func(t *testing.T, text string) {
		got := isJSON(text)
		want := json.Valid([]byte(text)) && utf8.ValidString(text)
		if got && !want || want && !got && len(text) < 2*MaxDepth {
			t.Fatalf("%q: accepted %v", text, got)
		}
	})
}
