package main

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
)

// TestInterrupted ends each command before it begins, as Ctrl-C may.
func TestInterrupted(t *testing.T) {
	folder := t.TempDir()
	file, schema := filepath.Join(folder, "people.csv"), filepath.Join(folder, "schema.json")
	for name, text := range map[string]string{
		file: "email\nada@example.org\n", schema: `{"fields":[{"key":"email","label":"E-Mail","type":"email"}]}`,
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{
		{"run", file, "--schema", schema, "--out", filepath.Join(folder, "out.json")},
		{"inspect", file},
		{"convert", file, filepath.Join(folder, "out.csv")},
		{"keys", "list", "--data", filepath.Join(folder, "data")},
	} {
		var out, stderr bytes.Buffer
		if status := run(ctx, args, streams{nil, &out, &stderr}); status != exitInterrupted {
			t.Errorf("%s: exit status %d, want %d", args[0], status, exitInterrupted)
		}
		if stderr.String() != "intray: interrupted\n" || out.Len() > 0 {
			t.Errorf("%s: told %q and wrote %q", args[0], stderr.String(), out.String())
		}
	}
	if made, _ := filepath.Glob(filepath.Join(folder, "*out*")); len(made) > 0 {
		t.Errorf("files were made: %v", made)
	}
	var stderr bytes.Buffer
	if status := run(ctx, []string{"run", "missing.csv", "--schema", schema}, streams{nil, nil, &stderr}); status != exitUsage || !strings.Contains(stderr.String(), "missing.csv") {
		t.Errorf("a fault of its own: exit status %d, told %q", status, stderr.String())
	}
}

func TestBoundMemory(t *testing.T) {
	before := debug.SetMemoryLimit(math.MaxInt64)
	defer debug.SetMemoryLimit(before)
	t.Setenv("GOMEMLIMIT", "1GiB")
	boundMemory()
	if got := debug.SetMemoryLimit(-1); got != math.MaxInt64 {
		t.Errorf("the limit is %d although GOMEMLIMIT is set", got)
	}
	t.Setenv("GOMEMLIMIT", "")
	boundMemory()
	if got := debug.SetMemoryLimit(-1); got != softMemory {
		t.Errorf("the limit is %d, want %d", got, softMemory)
	}
}

func TestWrap(t *testing.T) {
	for text, want := range map[string][]string{
		"":                         {""},
		"one two three":            {"one two", "three"},
		"one tenletters":           {"one", "tenletters"},
		"one elevenletter":         {"one", "elevenlett", "er"},
		"größe größe größe":        {"größe", "größe", "größe"},
		"tenletters tenletters ab": {"tenletters", "tenletters", "ab"},
	} {
		if diff := cmp.Diff(want, wrapText(text, 10)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

func TestChopLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("ab ü\"\\"))).Draw(t, "text")
		width := rapid.IntRange(1, 12).Draw(t, "width")
		lines := splitText(text, width)
		if strings.Join(lines, "") != text {
			t.Fatalf("%q is cut into %q", text, lines)
		}
		for _, line := range lines {
			if utf8.RuneCountInString(strings.TrimSuffix(line, " ")) > width {
				t.Fatalf("%q is longer than %d", line, width)
			}
		}
	})
}

func TestShownTexts(t *testing.T) {
	long := strings.Repeat("ä", maxShown+5)
	for _, c := range []struct{ name, got, want string }{
		{"quoted", quotedText(" a\t\u202e"), `" a\t\u202e"`},
		{"cut", quotedText(long), `"` + strings.Repeat("ä", maxShown-1) + "… (355 characters in all)"},
		{"plain", plainText("Zoë"), "Zoë"},
		{"spaces behind", plainText("Zoë "), `"Zoë "`},
		{"empty", plainText(""), `""`},
		{"a quote", plainText(`6"`), `"6\""`},
		{"long", visibleLong("Zoë\u200f\u0085\u202e\u2067\x7f\n!"), "Zoë\u200f�����!"},
		{"JSON", graphicJSON("\"Zoë \u0085\U000e0001\\n\""), `"Zoë \u0085\udb40\udc01\n"`},
		{"no column", columnList(nil), "no column"},
		{"a column", columnList([]intray.TracedColumn{{Index: 1, Header: "E\x1b"}}), `column 2, "E\x1b"`},
		{"columns", columnList([]intray.TracedColumn{{Index: 2, Header: "Phone 1"}, {Index: 3, Header: "Phone 2"}}), "columns 3, Phone 1 and 4, Phone 2"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", c.name, c.got, c.want)
		}
	}
}

// TestTableOfMapping is what a person at a terminal sees of a mapping.
func TestTableOfMapping(t *testing.T) {
	schema := &intray.Schema{Fields: []intray.Field{{Key: "email"}, {Key: "phones"}, {Key: "city"}}}
	out := &engine.Outcome{
		Headers: []string{"E-Mail", "Phone 1", "Phone 2"},
		Mapping: intray.Mapping{Fields: []intray.Match{
			{Column: 0, Header: "E-Mail", Score: 1, Reasons: []intray.Message{intray.Literal("the header is the key")}},
			{Column: 1, Columns: []int{1, 2}, Header: "Phone 1", Score: 0.5, Reasons: []intray.Message{intray.Literal("\x1b[2J")}},
			{Column: intray.NoColumn},
		}},
	}
	var printed strings.Builder
	if err := writeMappingTable(&printed, schema, out); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"FIELD   COLUMN                 SCORE  REASONS",
		"email   1 E-Mail               1.00   the header is the key",
		"phones  2 Phone 1 · 3 Phone 2  0.50   �[2J",
		"city    –",
		"",
	}
	got := strings.Split(printed.String(), "\n")
	for i := range got {
		got[i] = strings.TrimRight(got[i], " ")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestSchemaForAPerson is what a person at a terminal sees of a schema.
func TestSchemaForAPerson(t *testing.T) {
	for name, c := range map[string]struct {
		checked checkResult
		want    string
	}{
		"good": {checkResult{File: "a.json", Valid: true}, "a.json is valid, without findings.\n"},
		"odd": {
			checkResult{File: "-", Valid: true, Findings: []checkFinding{
				{"fields[0].key", "warning", "key_odd", "The key \x1b]0;x\x07 holds what cannot be typed on most keyboards, and so on."},
				{"", "info", "empty", "No."},
			}},
			"The schema is valid: 2 findings.\n" +
				"\nwarning  fields[0].key\n         The key �]0;x� holds what cannot be typed on most keyboards, and so on.\n" +
				"\ninfo     the whole schema\n         No.\n",
		},
		"wrong": {
			checkResult{File: "a\nb.json", Errors: []checkIssue{{"fields[1].type", "must be one of " + strings.Repeat("string, ", 10)}}},
			"\"a\\nb.json\" is invalid: 1 error.\n" +
				"\nerror    fields[1].type\n         must be one of string, string, string, string, string, string, string,\n         string, string, string,\n",
		},
	} {
		var printed strings.Builder
		c.checked.printResult(&printed)
		if diff := cmp.Diff(c.want, printed.String()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if slices.ContainsFunc(strings.Split(printed.String(), "\n"), func(line string) bool { return utf8.RuneCountInString(line) > textWidth }) {
			t.Errorf("%s: a line is over %d characters:\n%s", name, textWidth, printed.String())
		}
	}
}
