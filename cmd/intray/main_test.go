package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestInterrupted checks that commands that are interrupted at the start, for example by
// Ctrl+C, report this and create no files.
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
	stdin, end := io.Pipe()
	defer end.Close()
	for _, args := range [][]string{
		{"run", file, "--schema", schema, "--out", filepath.Join(folder, "out.json")},
		{"inspect", file},
		{"inspect", "-"}, // standard input never ends
		{"schema", "check", "-"},
		{"run", file, "--schema", "-"},
		{"convert", file, filepath.Join(folder, "out.csv")},
		{"orgs", "create", "Blue Fox", "--data", filepath.Join(folder, "data")},
	} {
		var out, stderr bytes.Buffer
		if status := run(ctx, args, streams{stdin, &out, &stderr}); status != exitInterrupted {
			t.Errorf("%s: exit status %d, want %d", args[0], status, exitInterrupted)
		}
		if stderr.String() != "intray: interrupted\n" || out.Len() > 0 {
			t.Errorf("%s: stderr %q, output %q", args[0], stderr.String(), out.String())
		}
	}
	if made, _ := filepath.Glob(filepath.Join(folder, "*out*")); len(made) > 0 {
		t.Errorf("files were created: %v", made)
	}
	var stderr bytes.Buffer
	if status := run(ctx, []string{"run", "missing.csv", "--schema", schema}, streams{nil, nil, &stderr}); status != exitUsage || !strings.Contains(stderr.String(), "missing.csv") {
		t.Errorf("a missing file: exit status %d, stderr %q", status, stderr.String())
	}
}

func TestWrapText(t *testing.T) {
	for text, want := range map[string][]string{
		"":                         {""},
		"one two three":            {"one two", "three"},
		"one tenletters":           {"one", "tenletters"},
		"one elevenletter":         {"one", "elevenlett", "er"},
		"größe größe größe":        {"größe", "größe", "größe"},
		"会員番号会員番号":                 {"会員番号会", "員番号"},
		"one 会員番号":                 {"one", "会員番号"},
		"one two  three":           {"one two", "three"},
		"tenletters tenletters ab": {"tenletters", "tenletters", "ab"},
	} {
		if diff := cmp.Diff(want, wrapText(text, 10)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

func TestSplitTextLosesNothing(t *testing.T) {
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
