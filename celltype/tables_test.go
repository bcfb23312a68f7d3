package celltype_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
)

// minInputs is the minimum number of inputs in the table of a type.
const minInputs = 40

// TestTables checks the inputs in testdata/values. Each line has the text of a cell, plain or
// quoted, and after a bar the expected result: a value followed by the code of a note, "=" for
// the text itself, "empty" or "wrong". A line that starts with "options" or "fields" changes the
// field for the lines that follow. A line that starts with "column" has the cells that are
// sniffed first.
func TestTables(t *testing.T) {
	for _, name := range allTypes {
		t.Run(string(name), func(t *testing.T) {
			table := table{field: intray.Field{Key: "x", Type: intray.FieldType{Name: name}}}
			inputs := map[string]bool{}
			for i, line := range readLines(t, filepath.Join("testdata", "values", string(name)+".txt")) {
				if table.setUp(t, line) {
					continue
				}
				inputs[fmt.Sprint(table, line)] = true
				table.try(t, i+1, line)
			}
			if len(inputs) < minInputs {
				t.Errorf("%d different inputs, want at least %d", len(inputs), minInputs)
			}
		})
	}
}

// allTypes are the types that a field can have.
var allTypes = []intray.TypeName{
	intray.TypeString, intray.TypeNumber, intray.TypeDate, intray.TypeDatetime, intray.TypeTime, intray.TypeCheckbox,
	intray.TypeSelect, intray.TypeMultiSelect, intray.TypeEmail, intray.TypePhone, intray.TypeURL, intray.TypeDomain,
	intray.TypeZIP, intray.TypeState, intray.TypeSSN, intray.TypeCountry, intray.TypeUUID,
}

// TestTablesAreThoseOfTheTypes checks that each type has a table and each table has a type.
func TestTablesAreThoseOfTheTypes(t *testing.T) {
	var names []string
	for _, name := range allTypes {
		names = append(names, string(name)+".txt")
	}
	slices.Sort(names)
	var files []string
	entries, err := os.ReadDir(filepath.Join("testdata", "values"))
	for _, entry := range entries {
		files = append(files, entry.Name())
	}
	if diff := cmp.Diff(names, files); diff != "" || err != nil || len(names) != 17 {
		t.Errorf("%d types, tables %s, %v", len(names), diff, err)
	}
}

// table is a field under test, with the cells that are sniffed first.
type table struct {
	field  intray.Field
	column []string
}

func readLines(t *testing.T, file string) []string {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimRight(string(text), "\n"), "\n")
}

// setUp applies a line that changes the field or the column.
func (table *table) setUp(t *testing.T, line string) bool {
	var into any
	name, rest, _ := strings.Cut(line, " ")
	switch name {
	case "options":
		table.field.Type.Options, table.column = nil, nil
		into = &table.field.Type.Options
	case "fields":
		into = &table.field.SelectOptions
	case "column":
		into = &table.column
	default:
		return false
	}
	if err := json.Unmarshal([]byte(rest), into); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return true
}

func (table *table) try(t *testing.T, number int, line string) {
	p, err := celltype.Compile(table.field)
	if err != nil {
		t.Fatal(err)
	}
	if table.column != nil {
		p = sniffedParser(t, table.field, texts(table.column))
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
	got := describe(p.Parse(celltype.Cell{Raw: []byte(raw)}, nil))
	if got != want {
		t.Errorf("line %d: %q gives %s, want %s", number, raw, got, want)
	}
}

func describe(r celltype.Result) string {
	text := map[celltype.State]string{celltype.Unchanged: "=", celltype.Empty: "empty", celltype.Invalid: "wrong", celltype.Parsed: string(r.Value)}[r.State]
	if r.Note != nil {
		text += " " + r.Note.Code
	}
	return text
}
