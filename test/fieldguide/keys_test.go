package fieldguide

import (
	"fmt"
	"strings"
	"testing"

	"github.com/intraydata/intray/schema"
)

// keyEntry is an example of a field property. It consists of the fields of a schema and a
// table with one row.
type keyEntry struct {
	fields string
	header []string
	row    []string
}

// writeKeys writes the section about field properties.
func writeKeys(t *testing.T, b *strings.Builder) {
	t.Helper()
	props := schema.FieldsShape().Elem.Properties
	properties(b, "Property", props)
	for _, p := range props {
		if p.Schema.Elem != nil && len(p.Schema.Elem.Properties) > 0 {
			properties(b, "Property of `"+p.Name+"`", p.Schema.Elem.Properties)
		}
	}
	b.WriteString("To each field, Intray maps the column whose header best matches the key, label or alternate matches of the field. With `manyToOne`, it maps every matching column. Types and validators then apply to each column separately.\n\nThese examples import a file with one row:\n\n")
	var rows [][]string
	entries := keyEntries()
	for _, p := range props {
		shown := entries[p.Name]
		if len(shown) == 0 {
			t.Errorf("the field property %s has no example", p.Name)
		}
		for i, e := range shown {
			if !uses(t, "["+e.fields+"]", p.Name, "") {
				t.Errorf("the example of %s does not have it", p.Name)
			}
			name := ""
			if i == 0 {
				name = code(p.Name)
			}
			rows = append(rows, append([]string{name}, e.result(t)...))
		}
	}
	table(b, []string{"Property", "Fields", "File", "Result"}, rows)
	if len(entries) != len(props) {
		t.Errorf("%d field properties have an example, and there are %d", len(entries), len(props))
	}
}

// result imports the row. It returns the fields, the file and the result.
func (e keyEntry) result(t *testing.T) []string {
	t.Helper()
	f := trial{fields: "[" + e.fields + "]", settings: keepAll, header: e.header, rows: [][]string{e.row}}.run(t)
	file := ""
	for i, header := range e.header {
		file += fmt.Sprintf("%s: %s<br>", code(header), input(e.row[i]))
	}
	came := f.asked(0)
	if len(f.lines) > 0 {
		came = code(f.lines[0])
		for _, n := range f.Listed {
			came += "<br>" + n.Level.String() + ": " + n.Text.String()
		}
	}
	return []string{code(e.fields), strings.TrimSuffix(file, "<br>"), came}
}

// keyEntries returns the examples of all field properties, by name.
func keyEntries() map[string][]keyEntry {
	one := func(field, header, cell string) []keyEntry {
		return []keyEntry{{field, []string{header}, []string{cell}}}
	}
	const other = `{"key": "name", "label": "Name"}, `
	return map[string][]keyEntry{
		"key":              one(`{"key": "last_name", "label": "Family name"}`, "last_name", "Lovelace"),
		"type":             one(`{"key": "born", "label": "Born", "type": "date"}`, "Born", "31 Dec 2024"),
		"label":            one(`{"key": "last_name", "label": "Family name"}`, "FAMILY NAME", "Lovelace"),
		"description":      one(`{"key": "name", "label": "Name", "description": "As in the passport"}`, "Name", "Ada"),
		"alternateMatches": one(`{"key": "name", "label": "Name", "alternateMatches": ["Kundin"]}`, "Kundin", "Ada"),
		"validators":       one(`{"key": "name", "label": "Name", "validators": [{"validate": "required"}]}`, "Name", ""),
		"invalidValueMessage": one(`{"key": "born", "label": "Born", "type": "date", "invalidValueMessage": "Which day was it?"}`,
			"Born", "long ago"),
		"readOnly": one(`{"key": "name", "label": "Name", "readOnly": true}`, "Name", "Ada"),
		"hidden": {{other + `{"key": "rank", "label": "Rank", "hidden": true}`,
			[]string{"Name", "Rank"}, []string{"Ada", "1"}}},
		"requireMapping": {{other + `{"key": "rank", "label": "Rank", "requireMapping": true}`,
			[]string{"Name", "City"}, []string{"Ada", "London"}}},
		"manyToOne": {
			{`{"key": "tags", "label": "Tag", "manyToOne": true}`, []string{"Tag 1", "Tag 2"}, []string{"new", "paid"}},
			{`{"key": "tags", "label": "Tag", "manyToOne": true, "validators": [{"validate": "length", "max": 4}]}`, []string{"Tag 1", "Tag 2", "Tag 3"}, []string{"new", "unpaid", ""}},
			{`{"key": "paid", "label": "Paid", "type": "number", "manyToOne": true}`, []string{"Paid", "Paid 2"}, []string{"5", "all"}},
		},
		"selectOptions": one(`{"key": "color", "label": "Color", "type": "select", "selectOptions": [{"label": "Red", "value": "r", "alternateMatches": ["Rouge"]}]}`,
			"Color", "Rouge"),
	}
}
