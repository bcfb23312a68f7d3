package celltype_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
)

// restored holds fields whose columns are sniffed, with cells that decide the style or leave
// it open.
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

// TestRestore checks that the parser restored from a decision reads every cell
// in the same way as the parser of the decision.
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
	}
}

// TestRestoreTornSpec checks that a spec that is truncated or has additional bytes is rejected,
// unless the changed spec is also valid.
func TestRestoreTornSpec(t *testing.T) {
	dates := map[string][]string{
		"":                              nil,
		"slash=DMY":                     {""},
		"year=YDM autofix":              {"", "year=YDM", "year=YDM "},
		"dash2=YMD named=DMY names=pl":  {"", "dash2=YMD", "dash2=YMD ", "dash2=YMD named=DMY", "dash2=YMD named=DMY "},
		"names=cs+pl pivot=30":          {"", "names=cs", "names=cs+pl", "names=cs+pl ", "names=cs+pl pivot=3"},
		"space=MDY bare=DMY pivot=100 ": {"", "space=MDY", "space=MDY ", "space=MDY bare=DMY", "space=MDY bare=DMY ", "space=MDY bare=DMY pivot=1", "space=MDY bare=DMY pivot=10", "space=MDY bare=DMY pivot=100"},
	}
	for _, tt := range []struct {
		field intray.FieldType
		// specs maps each valid spec to its prefixes that are also valid.
		specs   map[string][]string
		invalid []string
	}{
		{
			intray.FieldType{Name: intray.TypeNumber},
			map[string][]string{
				"decimal=undecided group=undecided percents=alike": nil,
				"decimal=point group=undecided percents=few":       nil,
				"decimal=comma group=point percents=few-bare":      {"decimal=comma group=point percents=few"},
				"decimal=undecided group=apostrophe percents=few":  nil,
			},
			[]string{
				"", "nonsense", "slash=DMY", "decimal=comma group=point percents=", "decimal=comma group=point percents=odd",
				"decimal=comma group=comma percents=alike", "decimal=space group=point percents=alike", "decimal= group=point percents=alike",
				"group=point decimal=comma percents=alike", " percents=alike", "percents=alike",
			},
		},
		{
			intray.FieldType{Name: intray.TypeDate}, dates,
			[]string{"nonsense", "slash=XYZ", "slash=YMD", "slash", "DMY", "pivot=", "pivot=101", "pivot=-1", "pivot=x", "names=", "names=xx", "names=de+", "autofi", "year=DMY", "decimal=comma group=point percents=alike"},
		},
		{intray.FieldType{Name: intray.TypeDatetime}, dates, []string{"nonsense", "slash=DMY nonsense"}},
		{intray.FieldType{Name: intray.TypeTime}, dates, []string{"nonsense", "slash=DMY nonsense"}},
		{
			intray.FieldType{Name: intray.TypePhone, Options: map[string]any{"country": "DE"}},
			map[string][]string{"unknown": nil, "with-code": nil, "without-code": nil},
			[]string{"", "nonsense", "code", "slash=DMY"},
		},
	} {
		parser, err := celltype.Compile(intray.Field{Key: "f", Type: tt.field})
		if err != nil {
			t.Fatal(err)
		}
		sniffing := parser.(celltype.SniffingParser)
		restored := func(spec string) bool {
			p, err := sniffing.Restore(spec)
			if (p == nil) != (err != nil) {
				t.Errorf("%s: %q is restored as %v with the error %v", tt.field.Name, spec, p, err)
			}
			return err == nil
		}
		for spec, whole := range tt.specs {
			if !restored(spec) {
				t.Errorf("%s: %q is not restored", tt.field.Name, spec)
			}
			if restored(spec+"x") || restored("x"+spec) {
				t.Errorf("%s: %q is restored with more text", tt.field.Name, spec)
			}
			for end := range len(spec) {
				if got := restored(spec[:end]); got != slices.Contains(whole, spec[:end]) {
					t.Errorf("%s: the first %d bytes of %q: restored %v", tt.field.Name, end, spec, got)
				}
			}
		}
		for _, spec := range tt.invalid {
			if restored(spec) {
				t.Errorf("%s: %q is restored", tt.field.Name, spec)
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

// parserOutcome describes how a parser reads a cell.
func parserOutcome(p celltype.Parser, text string) string {
	r := p.Parse(celltype.Cell{Raw: []byte(text)}, nil)
	note := ""
	if r.Note != nil {
		note = r.Note.Code + r.Note.Text.String()
	}
	return fmt.Sprintf("%d %q %q %q", r.State, r.Value, r.Problem, note)
}
