package jsonschema

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func TestDecode(t *testing.T) {
	got, err := Decode(strings.NewReader(` {"a":[1.50,1e3,true,null,"x\u00e9"],"b":{}} `), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"a": []any{json.Number("1.50"), json.Number("1e3"), true, nil, "xé"},
		"b": map[string]any{},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDecodeRefuses(t *testing.T) {
	deep := strings.Repeat("[", 65) + strings.Repeat("]", 65)
	tests := []struct{ name, text, reason string }{
		{"empty", "", "the document is empty"},
		{"spaces", "  ", "the document is empty"},
		{"cut", `{"a":`, "is incomplete"},
		{"cut string", `"a`, "is incomplete"},
		{"trailing", `{} {}`, "followed by other text"},
		{"trailing junk", `{} x`, "followed by other text"},
		{"duplicate", `{"a":1,"\u0061":2}`, `the name "a" twice`},
		{"utf-8", "\"\xff\"", "not valid UTF-8"},
		{"lone surrogate", `"\ud800"`, "surrogate"},
		{"NUL", `"a\u0000"`, "U+0000"},
		{"NUL in a name", `{"a\u0000":1}`, "U+0000"},
		{"deep", deep, "64 levels"},
		{"number as name", `{1:2}`, "must be strings"},
		{"comma", `[1,]`, "unexpected character"},
		{"word", `nope`, "unexpected character"},
		{"leading zero", `[01]`, "unexpected character"},
		{"byte order mark", "\ufeff{}", "unexpected character"},
		{"control character", "\"a\nb\"", "unexpected character"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Decode(strings.NewReader(tt.text), Limits{})
			var syntax *SyntaxError
			if !errors.As(err, &syntax) || !strings.Contains(syntax.Error(), tt.reason) {
				t.Errorf("got %v, want a syntax error with %q", err, tt.reason)
			}
		})
	}
}

func TestDecodeLimits(t *testing.T) {
	tests := []struct {
		name, text string
		lim        Limits
		refused    bool
	}{
		{"bytes at the limit", `[1,2]`, Limits{MaxBytes: 5}, false},
		{"bytes over", `[1,2]`, Limits{MaxBytes: 4}, true},
		{"values at the limit", `[1,2]`, Limits{MaxValues: 3}, false},
		{"values over", `[1,2]`, Limits{MaxValues: 2}, true},
		{"names count", `{"a":1}`, Limits{MaxValues: 2}, true},
		{"endless white space", strings.Repeat(" ", 1000), Limits{MaxBytes: 10}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Decode(strings.NewReader(tt.text), tt.lim)
			if errors.Is(err, ErrTooLarge) != tt.refused {
				t.Errorf("got %v, want refused = %v", err, tt.refused)
			}
		})
	}
	if _, err := Decode(strings.NewReader(strings.Repeat("[", 9)), Limits{MaxDepth: 3}); err == nil {
		t.Error("a depth over MaxDepth was accepted")
	}
}

func TestDecodePassesReadErrors(t *testing.T) {
	broken := errors.New("the line went dead")
	_, err := Decode(io.MultiReader(strings.NewReader(`[1,`), iotest.ErrReader(broken)), Limits{})
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

// TestCorpus runs Decode on the JSON parsing test suite. Decode must accept files whose names
// start with y_, with a few exceptions, and reject files whose names start with n_.
func TestCorpus(t *testing.T) {
	dir := corpus(t, "json/test_parsing")
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) < 100 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	// These files are valid JSON that Decode rejects.
	ours := map[string]bool{
		"y_object_duplicated_key.json": true, "y_object_duplicated_key_and_value.json": true,
		"y_object_escaped_null_in_key.json": true, "y_string_null_escape.json": true,
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(file)
		_, err = Decode(strings.NewReader(string(text)), Limits{})
		switch {
		case name[0] == 'y' && (err != nil) != ours[name]:
			t.Errorf("%s: %v", name, err)
		case name[0] == 'n' && err == nil:
			t.Errorf("%s was accepted", name)
		}
	}
}

// corpus returns a folder in the shared corpora next to the repository.
func corpus(t *testing.T, name string) string {
	t.Helper()
	dir, err := os.Getwd()
	for err == nil && dir != "/" {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		dir = filepath.Dir(dir)
	}
	dir = filepath.Join(dir, "..", "shared", "corpora", name)
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("SKIPPED, not checked: the corpus %s is not here", name)
	}
	return dir
}
