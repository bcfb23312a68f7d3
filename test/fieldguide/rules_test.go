package fieldguide

import (
	"fmt"
	"strings"
	"testing"

	"github.com/intraydata/intray/schema"
)

// ruleEntry is what the page says of a rule beside its table.
type ruleEntry struct {
	says string
	// field is the field that has the rule, in JSON without its end; others are
	// further fields of the same rows.
	field  string
	others []string
	// header are the labels of the fields.
	header []string
	tried  []broken
}

// broken are rows that keep a rule or break it.
type broken struct {
	// rule is in JSON.
	rule string
	rows [][]string
}

// fields are those of an example, in JSON.
func (e ruleEntry) fields(rule string) string {
	text := "[\n  " + e.field + ",\n   \"validators\": [" + rule + "]}"
	for _, other := range e.others {
		text += ",\n  " + other
	}
	return text + "\n]"
}

// writeRules writes the part of the page about rules.
func writeRules(t *testing.T, b *strings.Builder) {
	t.Helper()
	entries := ruleEntries()
	for _, one := range schema.RuleShapes() {
		e, there := entries[one.Name]
		if !there || len(e.tried) == 0 {
			t.Errorf("the rule %s has no entry", one.Name)
			continue
		}
		fmt.Fprintf(b, "### %s\n\n%s\n\n", one.Name, e.says)
		if len(one.Props) > 0 {
			properties(b, "Property", one.Props)
			for _, p := range one.Props {
				if len(p.Schema.Properties) > 0 {
					properties(b, "Of `"+p.Name+"`", p.Schema.Properties)
				}
			}
		} else {
			b.WriteString("It has no properties of its own.\n\n")
		}
		snippet(b, e.fields(e.tried[0].rule))
		var rows [][]string
		for _, one := range e.tried {
			rows = append(rows, e.results(t, one)...)
		}
		table(b, append(append([]string{"Rule"}, e.header...), "Result for "+e.header[0]), rows)
	}
	if len(entries) != len(schema.RuleShapes()) {
		t.Errorf("%d rules have an entry, and there are %d", len(entries), len(schema.RuleShapes()))
	}
}

// results runs the rows and gives a row of the page for each.
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

// TestEveryPropertyOfARuleHasItsExample wants each property of each rule to be
// tried, and what all rules have in common somewhere.
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
				t.Errorf("the property %s of the rule %s has no example", p.Name, one.Name)
			}
			for _, sub := range p.Schema.Properties {
				if !uses(t, own, sub.Name, "") {
					t.Errorf("the property %s.%s of the rule %s has no example", p.Name, sub.Name, one.Name)
				}
			}
		}
	}
	all = "[" + strings.TrimPrefix(all, ",") + "]"
	for _, p := range schema.CommonRuleProps() {
		for _, value := range append(p.Schema.Enum, "") {
			if !uses(t, all, p.Name, value) {
				t.Errorf("no rule has an example with %s %q", p.Name, value)
			}
		}
	}
}
