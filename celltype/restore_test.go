package celltype_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
)

// restored are fields whose columns are looked at, with cells that decide them, or
// leave them open, in several ways.
var restored = []struct {
	field intray.FieldType
	cells []string
}{
	{intray.FieldType{Name: intray.TypeNumber}, []string{"1.234,5", "1,234.5", "1,5", "1.5", "1.234", "1,234", "12 %", "0,5 %", "7", "1'000", "(3)", "0", "-", "x"}},
	{intray.FieldType{Name: intray.TypeDate}, []string{"01/02/2024", "31/12/2024", "12/31/24", "2024-02-03", "1.2.24", "24-05-04", "3 mai 2024", "Feb 3, 2024", "01022024", ""}},
	{intray.FieldType{Name: intray.TypeDatetime}, []string{"01/02/2024 10:11", "31/12/2024 23:59:01", "2024-02-03T04:05:06Z", "1.2.24 7:00", "?"}},
	{intray.FieldType{Name: intray.TypeTime}, []string{"10:11", "23:59:01", "7 pm", "noon", ""}},
	{intray.FieldType{Name: intray.TypePhone, Options: map[string]any{"country": "DE"}}, []string{"030 123456", "4930123456", "+49 30 123456", "49301234", "0171 1234567", "x"}},
}

// TestRestore draws columns and wants what was kept of a decision to read every
// cell as the decision does.
func TestRestore(t *testing.T) {
	for _, of := range restored {
		parser, err := celltype.Compile(intray.Field{Key: "f", Type: of.field})
		if err != nil {
			t.Fatal(err)
		}
		asked, is := parser.(celltype.SniffingParser)
		if !is {
			t.Fatalf("columns of the type %s are not looked at", of.field.Name)
		}
		t.Run(string(of.field.Name), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { restoreColumn(t, asked, of.cells) })
		})
		for _, form := range []string{"nonsense", "decimal=comma", "slash=XYZ", "decimal=comma group=point percents=odd"} {
			if _, err := asked.Restore(form); err == nil {
				t.Errorf("%s: %q was taken", of.field.Name, form)
			}
		}
	}
}

func restoreColumn(t *rapid.T, asked celltype.SniffingParser, cells []string) {
	column := asked.NewSniffer()
	for _, text := range rapid.SliceOfN(rapid.SampledFrom(cells), 0, 12).Draw(t, "column") {
		column.Observe(celltype.Cell{Raw: []byte(text)})
	}
	decision := column.Decide(nil, nil)
	if len(decision.Ambiguities) > 0 {
		decision = column.Decide(map[string]string{"": firstChoice(decision)}, nil)
	}
	again, err := asked.Restore(decision.Spec)
	if err != nil {
		t.Fatalf("the form %q: %v", decision.Spec, err)
	}
	for _, text := range cells {
		want, got := parserOutcome(decision.Parser, text), parserOutcome(again, text)
		if want != got {
			t.Errorf("form %q, cell %q: %s, and the decision says %s", decision.Spec, text, got, want)
		}
	}
}

func firstChoice(d celltype.Decision) string {
	if len(d.Ambiguities) == 0 {
		return ""
	}
	return d.Ambiguities[0].Choices[0].Value
}

// parserOutcome is all that a parser says of a cell.
func parserOutcome(p celltype.Parser, text string) string {
	r := p.Parse(celltype.Cell{Raw: []byte(text)}, nil)
	note := ""
	if r.Note != nil {
		note = r.Note.Code + r.Note.Text.String()
	}
	return fmt.Sprintf("%d %q %q %q", r.State, r.Value, r.Problem, note)
}
