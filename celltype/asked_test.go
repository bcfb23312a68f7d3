package celltype_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
)

// TestColumnsThatAreAsked checks that an ambiguous column leads to one question, which explains
// the ambiguity and has at least two choices.
func TestColumnsThatAreAsked(t *testing.T) {
	for title, c := range map[string]struct {
		name           intray.TypeName
		options, cells string
		says           string
	}{
		"most cells against the format":    {intray.TypeDate, `{"displayFormat":"dd/MM/yyyy"}`, "04/05/2024 05/13/2024 06/17/2024", "According to the field's format dd/MM/yyyy, the day comes before the month, but 2 cells, for example 05/13/2024, can only be read if the month comes before the day"},
		"most cells against the locale":    {intray.TypeDate, `{"locale":"en-US"}`, "04/05/2024 13/05/2024 17/06/2024 05/18/2024", "According to the field's locale en-US"},
		"years of two digits with slashes": {intray.TypeDate, ``, "24/05/04 23/06/07", "nothing in the column shows"},
		"years of two digits with points":  {intray.TypeDate, ``, "24.05.04 23.06.07", "nothing in the column shows"},
		"a convention next to slashes":     {intray.TypeDate, ``, "01/03/2024 02/05/2024 04.05.2024", "nothing in the column shows"},
		"the preset of whole numbers":      {intray.TypeNumber, `{"preset":"integer"}`, "1.234 5.678", "nothing in the column shows"},
		"the preset default":               {intray.TypeNumber, `{"preset":"default"}`, "1.234 5.678", "nothing in the column shows"},
		"a preset of decimals":             {intray.TypeNumber, `{"preset":"decimal_2"}`, "1.234 5.678", "nothing in the column shows"},
		"a preset of percents":             {intray.TypeNumber, `{"preset":"percent_2"}`, "1.234% 5.678%", "nothing in the column shows"},
		"the preset of euros":              {intray.TypeNumber, `{"preset":"eur"}`, "1.234 5.678", "nothing in the column shows"},
		"dollars next to euros":            {intray.TypeNumber, ``, "1,5€ $2,000", "amounts in $ may be formatted differently"},
		"euros next to dollars":            {intray.TypeNumber, ``, "$1,250.50 €2,000", "amounts in € may be formatted differently"},
		"dollars next to plain commas":     {intray.TypeNumber, ``, "1,5 $2,000", "amounts in $ may be formatted differently"},
	} {
		t.Run(title, func(t *testing.T) {
			d := sniffColumn(t, c.name, c.options, strings.Fields(c.cells))
			if len(d.Ambiguities) != 1 || !strings.Contains(d.Ambiguities[0].Text.String(), c.says) {
				t.Fatalf("the questions are %+v, want one that says %q", d.Ambiguities, c.says)
			}
			if len(d.Ambiguities[0].Choices) < 2 {
				t.Errorf("the choices are %+v", d.Ambiguities[0].Choices)
			}
		})
	}
}

// TestReadingsOfChoices checks that a reading separates the cell from the
// value, even if the cell contains " is ".
func TestReadingsOfChoices(t *testing.T) {
	type readings map[string][]intray.Reading
	for title, c := range map[string]struct {
		name  intray.TypeName
		cells []string
		want  readings
	}{
		"dates": {intray.TypeDate, []string{"03/04/2026", "05/06/2026"}, readings{
			"DMY": {{Raw: "03/04/2026", Value: "2026-04-03"}, {Raw: "05/06/2026", Value: "2026-06-05"}},
			"MDY": {{Raw: "03/04/2026", Value: "2026-03-04"}, {Raw: "05/06/2026", Value: "2026-05-06"}},
		}},
		"numbers": {intray.TypeNumber, []string{"1.234", "-5.678"}, readings{
			"decimal=point group=comma": {{Raw: "1.234", Value: "1.234"}, {Raw: "-5.678", Value: "-5.678"}},
			"decimal=comma group=point": {{Raw: "1.234", Value: "1234"}, {Raw: "-5.678", Value: "-5678"}},
		}},
	} {
		t.Run(title, func(t *testing.T) {
			d := sniffColumn(t, c.name, "", c.cells)
			if len(d.Ambiguities) != 1 {
				t.Fatalf("the questions are %+v, want one", d.Ambiguities)
			}
			got := readings{}
			for _, choice := range d.Ambiguities[0].Choices {
				got[choice.Value] = choice.Readings
				var texts []string
				for _, r := range choice.Readings {
					texts = append(texts, r.Raw+" is "+r.Value)
				}
				if diff := cmp.Diff(texts, choice.Examples); diff != "" {
					t.Errorf("the examples of %s: %s", choice.Value, diff)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// sniffColumn returns the decision about a column.
func sniffColumn(t *testing.T, name intray.TypeName, options string, cells []string) celltype.Decision {
	t.Helper()
	p, err := celltype.Compile(withOptions(t, name, options))
	if err != nil {
		t.Fatal(err)
	}
	survey := p.(celltype.SniffingParser).NewSniffer()
	for _, cell := range cells {
		survey.Observe(celltype.Cell{Raw: []byte(cell)})
	}
	return survey.Decide(nil, nil)
}

func withOptions(t *testing.T, name intray.TypeName, options string) intray.Field {
	t.Helper()
	f := intray.Field{Key: "x", Type: intray.FieldType{Name: name}}
	if options != "" {
		if err := json.Unmarshal([]byte(options), &f.Type.Options); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// TestNumberCells checks that number cells are read by their value if it
// differs from the displayed text.
func TestNumberCells(t *testing.T) {
	options := []intray.SelectOption{{Label: "One", Value: "1"}, {Label: "2.50", Value: "half"}, {Label: "Zero", Value: "0.0"}}
	for _, c := range []struct {
		name             intray.TypeName
		raw, typed, want string
	}{
		{intray.TypeCheckbox, "0.00", "0", "false"}, {intray.TypeCheckbox, "-0", "-0", "false"}, {intray.TypeCheckbox, "0e5", "0e5", "false"},
		{intray.TypeCheckbox, "0.0", "0.0", "false"}, {intray.TypeCheckbox, "1.00", "1", "true"}, {intray.TypeCheckbox, "0", "0.4", "wrong"},
		{intray.TypeSelect, "1.00", "1", "1"}, {intray.TypeSelect, "2.5", "2.5", "half"}, {intray.TypeSelect, "0", "0", "0.0"},
		{intray.TypeSelect, "3.00", "3", "wrong"}, {intray.TypeMultiSelect, "1.00", "1", `["1"]`}, {intray.TypeMultiSelect, "2,50", "2.5", `["half"]`},
	} {
		p, err := celltype.Compile(intray.Field{Key: "x", Type: intray.FieldType{Name: c.name}, SelectOptions: options})
		if err != nil {
			t.Fatal(err)
		}
		got := p.Parse(celltype.Cell{Raw: []byte(c.raw), Kind: intray.CellNumber, Typed: []byte(c.typed)}, nil)
		if text := describe(got); text != c.want {
			t.Errorf("%s: %q of %s gives %s, want %s", c.name, c.raw, c.typed, text, c.want)
		}
	}
}

// TestProblemsNameExpectedFormat checks that the messages for invalid cells name the expected
// format.
func TestProblemsNameExpectedFormat(t *testing.T) {
	for _, c := range []struct {
		name       intray.TypeName
		cell, want string
	}{
		{intray.TypeTime, "noon", "Time not recognized. Enter a time such as 15:20."},
		{intray.TypeTime, "930", "Time not recognized. Enter a time such as 15:20."},
		{intray.TypeDate, "soon", "Date not recognized. Enter a date such as 2021-03-28."},
		{intray.TypeDatetime, "soon", "Date and time not recognized. Enter a value such as 2021-03-28 15:20."},
		{intray.TypeUUID, "123e4567-e89b-92d3-a456-426614174000", "This UUID has an unknown version. Its third group must start with a digit from 1 to 8."},
		{intray.TypeUUID, "123e4567-e89b-42d3-1456-426614174000", "This UUID has an unsupported variant. Its fourth group must start with 8, 9, a or b."},
		{intray.TypeUUID, "123e4567", "Not a UUID. Enter one such as 123e4567-e89b-42d3-a456-426614174000."},
	} {
		p, err := celltype.Compile(withOptions(t, c.name, ""))
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Parse(celltype.Cell{Raw: []byte(c.cell)}, nil); got.Problem.String() != c.want {
			t.Errorf("%s %q: %q, want %q", c.name, c.cell, got.Problem, c.want)
		}
	}
	d := sniffColumn(t, intray.TypeDate, "", []string{"13/5/24", "4/5/24", "15/5/23"})
	if got := d.Parser.Parse(celltype.Cell{Raw: []byte("24/5/4")}, nil).Problem; !strings.Contains(got.String(), "which number is the year") {
		t.Errorf("the problem of 24/5/4 is %q", got)
	}
	field := intray.Field{Key: "x", Type: intray.FieldType{Name: intray.TypeSelect}, SelectOptions: []intray.SelectOption{{Label: "Yellow", Value: "y"}}}
	p, err := celltype.Compile(field)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Parse(celltype.Cell{Raw: []byte("Yelow")}, nil).Note; got == nil || got.Text.String() != `Read as "Yellow".` {
		t.Errorf("the note is %+v", got)
	}
}

// TestOffsetsInTheOutputFormat checks that output formats with an offset are
// rejected, because values have no offset.
func TestOffsetsInTheOutputFormat(t *testing.T) {
	for format, refused := range map[string]bool{
		"yyyy-MM-dd'T'HH:mmZZ": true, "yyyy-MM-dd HH:mm Z": true, "HH:mm ZZZ": true, "HH:mm z": true, "HH:mm ZZZZ": true, "X": true, "x": true,
		"yyyy-MM-dd'Z'": false, "[ISO]": false, "dd.MM.yyyy HH:mm": false,
	} {
		_, err := celltype.Compile(withOptions(t, intray.TypeDatetime, `{"outputFormat":"`+format+`"}`))
		if (err != nil) != refused || refused && !strings.Contains(err.Error(), "offset") {
			t.Errorf("%s: %v", format, err)
		}
	}
	if _, err := celltype.Compile(withOptions(t, intray.TypeDatetime, `{"displayFormat":"yyyy-MM-dd HH:mm ZZ"}`)); err != nil {
		t.Errorf("a format to read: %v", err)
	}
}

// TestCountriesOfTheStandard checks the number of country codes. ISO 3166-1 assigns 249.
func TestCountriesOfTheStandard(t *testing.T) {
	p, err := celltype.Compile(withOptions(t, intray.TypeCountry, `{"format":"3-letter"}`))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			if r := p.Parse(celltype.Cell{Raw: []byte(string(a) + string(b))}, nil); r.State != celltype.Invalid {
				n++
			}
		}
	}
	if n < 249 || n > 251 { // GB and US each have an additional two-letter key
		t.Errorf("%d codes of two letters", n)
	}
}
