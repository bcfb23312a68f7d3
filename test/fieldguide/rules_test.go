package fieldguide

import (
	"fmt"
	"strings"
	"testing"

	"github.com/intraydata/intray/schema"
)

// ruleEntry contains what the page shows about a validator in addition to its table.
type ruleEntry struct {
	summary string
	// field is the field that has the validator, as JSON without the closing brace. others
	// are the other fields of the rows.
	field  string
	others []string
	// header contains the labels of the fields.
	header []string
	tried  []broken
}

// broken contains rows that satisfy or violate a validator.
type broken struct {
	// rule is the validator as JSON.
	rule string
	rows [][]string
}

// fields returns the fields of an example as JSON.
func (e ruleEntry) fields(rule string) string {
	text := "[\n  " + e.field + ",\n   \"validators\": [" + rule + "]}"
	for _, other := range e.others {
		text += ",\n  " + other
	}
	return text + "\n]"
}

// writeRules writes the section about validators.
func writeRules(t *testing.T, b *strings.Builder) {
	t.Helper()
	entries := ruleEntries()
	for _, one := range schema.RuleShapes() {
		e, there := entries[one.Name]
		if !there || len(e.tried) == 0 {
			t.Errorf("the validator %s has no entry", one.Name)
			continue
		}
		fmt.Fprintf(b, "### %s\n\n%s\n\n", one.Name, e.summary)
		if len(one.Props) > 0 {
			properties(b, "Property", one.Props)
			for _, p := range one.Props {
				if len(p.Schema.Properties) > 0 {
					properties(b, "Property of `"+p.Name+"`", p.Schema.Properties)
				}
			}
		}
		snippet(b, e.fields(e.tried[0].rule))
		var rows [][]string
		for _, one := range e.tried {
			rows = append(rows, e.results(t, one)...)
		}
		table(b, append(append([]string{"Validator"}, e.header...), "Result for "+e.header[0]), rows)
	}
	if len(entries) != len(schema.RuleShapes()) {
		t.Errorf("%d validators have an entry, and there are %d", len(entries), len(schema.RuleShapes()))
	}
}

// results imports the rows. It returns a line of the page's table for each row.
func (e ruleEntry) results(t *testing.T, one broken) (rows [][]string) {
	t.Helper()
	tr := trial{fields: e.fields(one.rule), settings: keepAll, header: e.header, rows: one.rows}
	f := tr.run(t)
	for i, cells := range one.rows {
		row := []string{""}
		if i == 0 {
			row[0] = code(one.rule)
		}
		for _, cell := range cells {
			row = append(row, input(cell))
		}
		rows = append(rows, append(row, f.cell(t, i, f.schema.Fields[0].Key)))
	}
	return rows
}

// TestEveryPropertyOfARuleHasItsExample checks that every property of every validator has an
// example, and that every common property, with each of its values, has an example in at least
// one validator.
func TestEveryPropertyOfARuleHasItsExample(t *testing.T) {
	all := ""
	for _, one := range schema.RuleShapes() {
		own := ""
		for _, b := range ruleEntries()[one.Name].tried {
			own += "," + b.rule
		}
		all += own
		own = "[" + strings.TrimPrefix(own, ",") + "]"
		for _, p := range one.Props {
			if !uses(t, own, p.Name, "") {
				t.Errorf("the property %s of the validator %s has no example", p.Name, one.Name)
			}
			for _, sub := range p.Schema.Properties {
				if !uses(t, own, sub.Name, "") {
					t.Errorf("the property %s.%s of the validator %s has no example", p.Name, sub.Name, one.Name)
				}
			}
		}
	}
	all = "[" + strings.TrimPrefix(all, ",") + "]"
	for _, p := range schema.CommonRuleProps() {
		for _, value := range append(p.Schema.Enum, "") {
			if !uses(t, all, p.Name, value) {
				t.Errorf("no validator has an example with %s %q", p.Name, value)
			}
		}
	}
}
