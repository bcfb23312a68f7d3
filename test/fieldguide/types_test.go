package fieldguide

import (
	"fmt"
	"strings"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/jsonschema"
	"github.com/intraydata/intray/schema"
)

// typeEntry contains what the page shows about a type in addition to its table.
type typeEntry struct {
	// key and label are those of the field in the examples.
	key, label string
	// summary describes the accepted cells and the result.
	summary string
	// more contains additional properties of the field, as JSON.
	more string
	// tried contains columns of cells, each with its options.
	tried []attempt
}

// attempt is a column of cells, and the options with which they are parsed.
type attempt struct {
	// options is JSON. "" means that the type consists of its name only.
	options string
	cells   []string
}

// written returns the type as a schema contains it.
func (a attempt) written(name intray.TypeName) string {
	if a.options == "" {
		return fmt.Sprintf("%q", name)
	}
	return fmt.Sprintf("[%q, %s]", name, a.options)
}

// field returns the field of an attempt as JSON.
func (e typeEntry) field(name intray.TypeName, a attempt) string {
	text := fmt.Sprintf(`{"key": %q, "label": %q, "type": %s`, e.key, e.label, a.written(name))
	if e.more != "" {
		text += ",\n  " + e.more
	}
	return text + "}"
}

const keepAll = `{"invalidDataBehavior": "INCLUDE_INVALID_ROWS"}`

// writeTypes writes the section about types.
func writeTypes(t *testing.T, b *strings.Builder) {
	t.Helper()
	entries := typeEntries()
	for _, one := range schema.TypeShapes() {
		e, there := entries[one.Name]
		if !there || len(e.tried) == 0 {
			t.Errorf("the type %s has no entry", one.Name)
			continue
		}
		fmt.Fprintf(b, "### %s\n\n%s\n\n", one.Name, e.summary)
		if props := optionsOf(one.Options).Properties; len(props) > 0 {
			properties(b, "Option", props)
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

// optionsOf returns the object schema that describes the options.
func optionsOf(s *jsonschema.Schema) *jsonschema.Schema {
	for _, choice := range s.Choices {
		if choice.Kind == jsonschema.Object {
			return choice
		}
	}
	return s
}

// results imports a column. It returns a line of the page's table for each cell.
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

// writePresets writes the result of each preset of the type number.
func writePresets(t *testing.T, b *strings.Builder, options *jsonschema.Schema) {
	t.Helper()
	const cell = "-1234.56789"
	b.WriteString("**Presets.** A preset is a named format. It determines how many digits Intray keeps and how Intray displays the number. `[\"number\", \"usd\"]` is short for `[\"number\", {\"preset\": \"usd\"}]`. Results for " + code(cell) + ":\n\n")
	var rows [][]string
	for _, preset := range options.Choices[0].Enum {
		e := typeEntry{key: "amount", label: "Amount"}
		a := attempt{options: fmt.Sprintf("%q", preset), cells: []string{cell}}
		rows = append(rows, e.results(t, intray.TypeNumber, a)[0])
	}
	table(b, []string{"Type", "Cell", "Result"}, rows)
}

// writeFormats writes the options of number formats, each with its examples.
func writeFormats(t *testing.T, b *strings.Builder) {
	t.Helper()
	b.WriteString("**Formats.** `displayFormat` and `outputFormat` are objects with the options of [Numbro](https://numbrojs.com/format.html):\n\n")
	props := schema.NumberFormat("").Properties
	properties(b, "Option", props)
	b.WriteString("Results with `outputFormat`:\n\n")
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

// TestEveryOptionHasItsExample checks that every option of every type has an example, and
// that every value of an enumeration has one.
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
