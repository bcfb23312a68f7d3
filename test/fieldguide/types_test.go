package fieldguide

import (
	"fmt"
	"strings"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/jsonschema"
	"github.com/intraydata/intray/schema"
)

// typeEntry is what the page says of a type beside its table.
type typeEntry struct {
	// key and label are those of the field in the examples.
	key, label string
	// says tells what the type takes and what the result holds.
	says string
	// more are further properties of the field, in JSON.
	more string
	// tried are the cells of columns, each with options of its own.
	tried []attempt
}

// attempt is a column of cells that are read with options.
type attempt struct {
	// options is in JSON; "" for the name of the type alone.
	options string
	cells   []string
}

// written is the type as a schema has it.
func (a attempt) written(name intray.TypeName) string {
	if a.options == "" {
		return fmt.Sprintf("%q", name)
	}
	return fmt.Sprintf("[%q, %s]", name, a.options)
}

// field is the field of an attempt.
func (e typeEntry) field(name intray.TypeName, a attempt) string {
	text := fmt.Sprintf(`{"key": %q, "label": %q, "type": %s`, e.key, e.label, a.written(name))
	if e.more != "" {
		text += ",\n  " + e.more
	}
	return text + "}"
}

const keepAll = `{"invalidDataBehavior": "INCLUDE_INVALID_ROWS"}`

// writeTypes writes the part of the page about types.
func writeTypes(t *testing.T, b *strings.Builder) {
	t.Helper()
	entries := typeEntries()
	for _, one := range schema.TypeShapes() {
		e, there := entries[one.Name]
		if !there || len(e.tried) == 0 {
			t.Errorf("the type %s has no entry", one.Name)
			continue
		}
		fmt.Fprintf(b, "### %s\n\n%s\n\n", one.Name, e.says)
		if props := optionsOf(one.Options).Properties; len(props) > 0 {
			properties(b, "Option", props)
		} else {
			b.WriteString("It has no options.\n\n")
		}
		snippet(b, e.field(one.Name, e.tried[0]))
		var rows [][]string
		for _, a := range e.tried {
			rows = append(rows, e.results(t, one.Name, a)...)
		}
		table(b, []string{"Type", "Cell", "Result"}, rows)
		if one.Name == intray.TypeNumber {
			writePresets(t, b, one.Options)
			writeFormats(t, b)
		}
	}
	if len(entries) != len(schema.TypeShapes()) {
		t.Errorf("%d types have an entry, and there are %d", len(entries), len(schema.TypeShapes()))
	}
}

// optionsOf gives the object among the forms that options may have.
func optionsOf(s *jsonschema.Schema) *jsonschema.Schema {
	for _, choice := range s.Choices {
		if choice.Kind == jsonschema.Object {
			return choice
		}
	}
	return s
}

// results runs a column and gives a row of the page for each cell.
func (e typeEntry) results(t *testing.T, name intray.TypeName, a attempt) (rows [][]string) {
	t.Helper()
	tr := trial{fields: "[" + e.field(name, a) + "]", settings: keepAll, header: []string{e.label}}
	for _, cell := range a.cells {
		tr.rows = append(tr.rows, []string{cell})
	}
	f := tr.run(t)
	for i, cell := range a.cells {
		written := ""
		if i == 0 {
			written = code(a.written(name))
		}
		rows = append(rows, []string{written, input(cell), f.cell(t, i, e.key)})
	}
	return rows
}

// writePresets tries every preset of the type number.
func writePresets(t *testing.T, b *strings.Builder, options *jsonschema.Schema) {
	t.Helper()
	const cell = "-1234.56789"
	b.WriteString("A preset is a format with a name. It says how many digits are kept, and how people see the number; `[\"number\", \"usd\"]` is short for `[\"number\", {\"preset\": \"usd\"}]`. This is what becomes of " + code(cell) + ":\n\n")
	var rows [][]string
	for _, preset := range options.Choices[0].Enum {
		e := typeEntry{key: "amount", label: "Amount"}
		a := attempt{options: fmt.Sprintf("%q", preset), cells: []string{cell}}
		rows = append(rows, e.results(t, intray.TypeNumber, a)[0])
	}
	table(b, []string{"Type", "Cell", "Result"}, rows)
}

// writeFormats writes the options of number formats, each with an example.
func writeFormats(t *testing.T, b *strings.Builder) {
	t.Helper()
	b.WriteString("The formats of `displayFormat` and `outputFormat` are objects of [Numbro's](https://numbrojs.com/format.html) options:\n\n")
	props := schema.NumberFormat("").Properties
	properties(b, "Option", props)
	b.WriteString("As `outputFormat` they write:\n\n")
	examples, used := formatExamples(), 0
	var rows [][]string
	for _, p := range props {
		tried := examples[p.Name]
		if len(tried) == 0 {
			t.Errorf("the option %s of number formats has no example", p.Name)
		}
		for _, value := range append(p.Schema.Enum, "") {
			if !usedBy(t, tried, p.Name, value) {
				t.Errorf("the option %s of number formats has no example with %q", p.Name, value)
			}
		}
		used++
		for _, one := range tried {
			e := typeEntry{key: "amount", label: "Amount"}
			row := e.results(t, intray.TypeNumber, attempt{`{"outputFormat": ` + one.format + "}", []string{one.cell}})[0]
			rows = append(rows, []string{code(one.format), row[1], row[2]})
		}
	}
	if used != len(examples) {
		t.Errorf("there are examples for %d options of number formats, and %d options", len(examples), used)
	}
	table(b, []string{"Format", "Cell", "Result"}, rows)
}

func usedBy(t *testing.T, tried []formatted, name, value string) bool {
	t.Helper()
	for _, one := range tried {
		if uses(t, one.format, name, value) {
			return true
		}
	}
	return false
}

// TestEveryOptionHasItsExample wants each option of each type to be tried, and
// each of the values that it may only have.
func TestEveryOptionHasItsExample(t *testing.T) {
	for _, one := range schema.TypeShapes() {
		all := ""
		for _, a := range typeEntries()[one.Name].tried {
			if a.options != "" {
				all += "," + a.options
			}
		}
		all = "[" + strings.TrimPrefix(all, ",") + "]"
		for _, p := range optionsOf(one.Options).Properties {
			for _, value := range append(p.Schema.Enum, "") {
				if p.Name != "preset" && !uses(t, all, p.Name, value) {
					t.Errorf("the option %s of the type %s has no example with %q", p.Name, one.Name, value)
				}
			}
		}
	}
}
