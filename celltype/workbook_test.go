package celltype_test

import (
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
)

// TestWorkbookCells checks how workbook cells of every kind are parsed.
func TestWorkbookCells(t *testing.T) {
	for _, c := range []struct {
		name             intray.TypeName
		options          map[string]any
		raw              string
		kind             intray.CellKind
		typed, want, why string
	}{
		{intray.TypeDate, nil, "3/4/21", intray.CellDate, "2021-03-04", "2021-03-04", "what is displayed may have any form"},
		{intray.TypeDate, nil, "2021-03-04", intray.CellDate, "2021-03-04", "=", "it is displayed as it is"},
		{intray.TypeDate, nil, "Mar-21", intray.CellDateTime, "2021-03-04T15:20:07", "2021-03-04", "the time is dropped"},
		{intray.TypeDatetime, nil, "3/4/21 15:20", intray.CellDateTime, "2021-03-04T15:20:07.5", "2021-03-04T15:20", ""},
		{intray.TypeDatetime, nil, "3/4/21", intray.CellDate, "2021-03-04", "2021-03-04T00:00", ""},
		{intray.TypeTime, nil, "3:20 PM", intray.CellTime, "15:20:07", "15:20", ""},
		{intray.TypeTime, nil, "27:30", intray.CellTime, "27:30:00", "wrong", "a duration is not a time of day"},
		{intray.TypeDate, map[string]any{"displayFormat": "yyyy/dd/MM"}, "4.3.21", intray.CellDate, "2021-03-04", "2021-03-04", "the typed value is ISO, not in the format of the field"},

		{intray.TypeDate, nil, "44259", intray.CellNumber, "44259", "2021-03-04 read_otherwise", "a number is a date only with an answer"},
		{intray.TypeDate, nil, "44,259.00", intray.CellNumber, "44259", "2021-03-04 read_otherwise", ""},
		{intray.TypeDate, nil, "1", intray.CellNumber, "1", "1900-01-01 read_otherwise", ""},
		{intray.TypeDate, nil, "59", intray.CellNumber, "59", "1900-02-28 read_otherwise", ""},
		{intray.TypeDate, nil, "60", intray.CellNumber, "60", "wrong", "there was no 1900-02-29"},
		{intray.TypeDate, nil, "61", intray.CellNumber, "61", "1900-03-01 read_otherwise", ""},
		{intray.TypeDate, nil, "0", intray.CellNumber, "0", "wrong", ""},
		{intray.TypeDate, nil, "-5", intray.CellNumber, "-5", "wrong", ""},
		{intray.TypeDate, nil, "20210304", intray.CellNumber, "20210304", "2021-03-04", "too large for a count of days, and a date as it is"},
		{intray.TypeDate, map[string]any{"displayFormat": "ddMMyy"}, "250321", intray.CellNumber, "250321", "2021-03-25", "the field's own format knows such numbers"},
		{intray.TypeDatetime, nil, "44259.64", intray.CellNumber, "44259.6389", "2021-03-04T15:20 read_otherwise", ""},
		{intray.TypeTime, nil, "0.64", intray.CellNumber, "0.6389", "15:20 read_otherwise", ""},
		{intray.TypeDate, nil, "44259", intray.CellText, "", "wrong", "text is not a serial number"},

		{intray.TypeNumber, nil, "1,234.57", intray.CellNumber, "1234.5678", "1234.5678", "what is displayed may be rounded"},
		{intray.TypeNumber, nil, "57%", intray.CellNumber, "0.5678", "0.5678", ""},
		{intray.TypeNumber, nil, "1.234", intray.CellNumber, "1.234", "=", "the typed number needs no style"},
		{intray.TypeNumber, nil, "1E+21", intray.CellNumber, "1e21", "1000000000000000000000", ""},
		{intray.TypePhone, map[string]any{"country": "US"}, "2.02E+09", intray.CellNumber, "2015550123", "+12015550123", "what is displayed may be rounded"},
		{intray.TypeCheckbox, nil, "TRUE", intray.CellBool, "true", "true", ""},
		{intray.TypeCheckbox, nil, "FALSCH", intray.CellBool, "false", "false", "the workbook's language does not matter"},
	} {
		parser, err := celltype.Compile(typed(c.name, c.options))
		if err != nil {
			t.Fatal(err)
		}
		got := describe(parser.Parse(celltype.Cell{Raw: []byte(c.raw), Kind: c.kind, Typed: []byte(c.typed)}, nil))
		if got != c.want {
			t.Errorf("%s %q (%s) gives %s, want %s: %s", c.name, c.raw, c.typed, got, c.want, c.why)
		}
	}
}

// TestPlainNumbersAreReported checks that the evidence of a column reports
// numbers that are read as dates.
func TestPlainNumbersAreReported(t *testing.T) {
	parser, err := celltype.Compile(typed(intray.TypeDate, nil))
	if err != nil {
		t.Fatal(err)
	}
	survey := parser.(celltype.SniffingParser).NewSniffer()
	survey.Observe(celltype.Cell{Raw: []byte("3/4/21"), Kind: intray.CellDate, Typed: []byte("2021-03-04")})
	if d := survey.Decide(nil, nil); len(d.Reasons) != 0 {
		t.Errorf("a typed date has the reasons %q", d.Reasons)
	}
	for _, number := range []string{"44259", "44260", "-1"} {
		survey.Observe(celltype.Cell{Raw: []byte(number), Kind: intray.CellNumber, Typed: []byte(number)})
	}
	d := survey.Decide(nil, nil)
	want := "plain numbers are read as spreadsheet dates, counted in days from 1900, so 44259 is 2021-03-04 (cells: 2)"
	if got := intray.JoinMessages(d.Reasons...).String(); got != want || len(d.Ambiguities) != 0 {
		t.Errorf("the reasons are %q, want %q; questions %v", got, want, d.Ambiguities)
	}
}
