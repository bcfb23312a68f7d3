package jsonrows

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
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

// TestStops compares stringStop, quoteIn16 and skipDigits with loops over single bytes, for each byte at each
// offset.
func TestStops(t *testing.T) {
	for c := range 256 {
		for at := range 40 {
			for _, fill := range []string{"a", "\x00", "\x7f", "\x80", "\xff", "0", "9"} {
				text := []byte(strings.Repeat("5", at) + string([]byte{byte(c)}) + strings.Repeat(fill, 20))
				stop := bytes.IndexFunc(text, func(r rune) bool { return r == '"' || r == '\\' || r < ' ' })
				if stop < 0 {
					stop = len(text)
				}
				if got := stringStop(text, 0); got != stop {
					t.Fatalf("the string %q stops at %d, want %d", text, got, stop)
				}
				quote := bytes.IndexFunc(text[:16], func(r rune) bool { return r == '"' || r < ' ' })
				if quote < 0 {
					quote = 16
				}
				if got := quoteIn16(text[:16]); got != quote {
					t.Fatalf("%q has the first quote at %d, want %d", text[:16], got, quote)
				}
				digits := len(text) - len(bytes.TrimLeft(text, "0123456789"))
				if got := skipDigits(text, 0); got != digits {
					t.Fatalf("%q starts with %d digits, want %d", text, got, digits)
				}
			}
		}
	}
}

// TestMemberKey checks which text starts with the JSON of a name, for names of all lengths up to 40.
func TestMemberKey(t *testing.T) {
	precedes := func(k memberKey, text []byte, at int) bool { return k.startsAt(text, at) && k.endsAt(text, at+16) }
	for n := range 40 {
		name := strings.Repeat("ab", 20)[:n]
		k := newMemberKey(name)
		text := []byte(`"` + name + `":` + strings.Repeat(" ", 16))
		if !precedes(k, text, 0) || k.length != n+3 {
			t.Errorf("%q does not start with the key %q of %d bytes", text, name, k.length)
		}
		for i := range n + 3 {
			other := bytes.Clone(text)
			other[i]++
			if precedes(k, other, 0) {
				t.Errorf("%q starts with the key %q", other, name)
			}
		}
		if precedes(k, text, 1) {
			t.Errorf("the rest of %q starts with the key %q", text, name)
		}
	}
	for _, name := range []string{`a"b`, `a\`, "a\n"} {
		if k := newMemberKey(name); precedes(k, []byte(`"a\"b":               `), 0) || k.length != 0 {
			t.Errorf("the name %q needs escape sequences, but has a key", name)
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
