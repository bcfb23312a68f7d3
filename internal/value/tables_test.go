package value_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/value"
)

// minInputs is the fewest inputs of a type's table.
const minInputs = 40

// TestTables reads the inputs of testdata/values. Each line holds a text, as it
// is or quoted, and behind a bar what it must become: a value with the code of a
// note behind it, "=" for the text itself, "empty" or "wrong". Lines that begin
// with "options" or "fields" change the field from there on.
func TestTables(t *testing.T) {
	files, err := filepath.Glob("testdata/values/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d tables, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			field := intray.Field{Key: "x", Type: intray.FieldType{Name: intray.TypeName(strings.TrimSuffix(filepath.Base(file), ".txt"))}}
			inputs := 0
			for i, line := range readLines(t, file) {
				if setUp(t, &field, line) {
					continue
				}
				inputs++
				tryLine(t, i+1, field, line)
			}
			if inputs < minInputs {
				t.Errorf("%d inputs, want at least %d", inputs, minInputs)
			}
		})
	}
}

func readLines(t *testing.T, file string) []string {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimRight(string(text), "\n"), "\n")
}

// setUp changes the field where the line says so.
func setUp(t *testing.T, field *intray.Field, line string) bool {
	var into any
	name, rest, _ := strings.Cut(line, " ")
	switch name {
	case "options":
		field.Type.Options = nil
		into = &field.Type.Options
	case "fields":
		into = &field.SelectOptions
	default:
		return false
	}
	if err := json.Unmarshal([]byte(rest), into); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return true
}

func tryLine(t *testing.T, number int, field intray.Field, line string) {
	p, err := value.Compile(field)
	if err != nil {
		t.Fatal(err)
	}
	at := strings.LastIndex(line, " | ")
	if at < 0 {
		t.Fatalf("line %d has no bar: %s", number, line)
	}
	raw, want := line[:at], line[at+3:]
	if strings.HasPrefix(raw, `"`) {
		if raw, err = strconv.Unquote(raw); err != nil {
			t.Fatalf("line %d: %v", number, err)
		}
	}
	got := describe(p.Parse(value.Cell{Raw: []byte(raw)}, nil))
	if got != want {
		t.Errorf("line %d: %q gives %s, want %s", number, raw, got, want)
		return
	}
	checkTwice(t, number, p, raw)
}

func describe(r value.Result) string {
	text := map[value.State]string{value.Same: "=", value.Empty: "empty", value.Wrong: "wrong", value.Parsed: string(r.Value)}[r.State]
	if r.Note.Code != "" {
		text += " " + r.Note.Code
	}
	return text
}

// checkTwice wants that what was read, read again, is the same.
func checkTwice(t *testing.T, number int, p value.Parser, raw string) {
	first := p.Parse(value.Cell{Raw: []byte(raw)}, nil)
	if first.State != value.Parsed {
		return
	}
	if again := p.Parse(value.Cell{Raw: first.Value}, nil); again.State != value.Same {
		t.Errorf("line %d: %q gives %q, and that gives %s", number, raw, first.Value, describe(again))
	}
}
