package xls

import (
	"strings"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
	"github.com/intraydata/intray/source/sourcetest/workbooktest"
)

// written returns a table as a workbook whose cells are all text.
func written(table sourcetest.Table) sourcetest.Sample {
	rows := table.Records
	if !table.AsIs {
		rows = append([][]string{table.Headers}, rows...)
	}
	var sheet []byte
	for i, row := range rows {
		for c, cell := range row {
			if cell != "" {
				sheet = append(sheet, rec(0x0204, at(i, c, 0), wide(cell))...)
			}
		}
	}
	for i := range table.Records {
		table.Lines = append(table.Lines, int64(i+1+len(rows)-len(table.Records)))
	}
	table.Text = string(xls(one(nil, sheet)))
	sample := table.Sample()
	sample.Sheets[0].Name = "One"
	return sample
}

// fitted reduces a large table to what an xls sheet can hold: 256 columns, rows that
// have cells, and text of limited length.
func fitted(table sourcetest.Table) sourcetest.Table {
	const columns, chars = 256, 30_000
	fit := func(row []string) []string {
		row = row[:min(len(row), columns)]
		for c, cell := range row {
			runes := []rune(cell)
			row[c] = string(runes[:min(len(runes), chars)])
		}
		if row[0] == "" {
			row[0] = "x"
		}
		return row
	}
	table.Headers = fit(table.Headers)
	if table.Name == "wide" {
		for len(table.Records) < intray.BatchCells/columns+3 {
			table.Records = append(table.Records, make([]string, columns))
		}
	}
	for i, record := range table.Records {
		table.Records[i] = fit(record)
	}
	return table
}

func TestConformance(t *testing.T) {
	var samples []sourcetest.Sample
	for _, table := range sourcetest.LargeTables() {
		samples = append(samples, written(fitted(table)))
	}
	for _, table := range []sourcetest.Table{
		{Name: "simple", Headers: []string{"a", "b"}, Records: [][]string{{"1", "2"}, {"3", ""}}},
		{Name: "empty"},
		{Name: "read as is", AsIs: true, Headers: []string{"", ""}, Records: [][]string{{"a", "b\nc"}, {""}, {"", "ü\U0001F600"}}},
	} {
		samples = append(samples, written(table))
	}
	sourcetest.Run(t, Format{}, append(samples, twoSheets()))
}

// twoSheets returns a workbook with numbers, dates, shared strings and a hidden sheet.
func twoSheets() sourcetest.Sample {
	globals := body(xf(0), xf(14), rec(recSST, counts, narrow("name"), narrow("when"), narrow("x")))
	shared := func(row, column int, number uint32) []byte { return rec(recLabelSST, at(row, column, 0), number) }
	first := body(shared(0, 0, 0), shared(0, 1, 1), shared(1, 0, 2), rec(0x0203, at(1, 1, 1), 2.0), rec(0x0205, at(2, 0, 0), byte(1), byte(0)), rec(recRK, at(2, 1, 1), rkWhole(3)))
	file := workbookStream(8, globals, part{name: "First", body: first}, part{name: "Chart", kind: kindChart, dt: partChart}, part{name: "Other", hidden: 1, body: shared(3, 0, 2)})
	return sourcetest.Sample{Name: "two sheets.xls", Text: xls(file), Sheets: []sourcetest.Sheet{
		{Name: "First", Headers: []string{"name", "when"}, Records: [][]string{{"x", "1/2/00"}, {"TRUE", "1/3/00"}}, Lines: []int64{2, 3}},
		{Name: "Other", Headers: []string{"x"}},
	}}
}

// merged returns a workbook with merged ranges, hidden rows and hidden columns.
func merged() []byte {
	label := func(row, column int, text string) []byte { return rec(0x0204, at(row, column, 0), wide(text)) }
	return one(nil, rec(0x007D, uint16(1), uint16(400), uint16(0), uint16(0), uint16(1), uint16(0)), rec(0x007D, uint16(0), uint16(0), make([]byte, 8)),
		label(0, 0, "region"), label(0, 1, "n"), label(1, 0, "North"), rec(recRK, at(1, 1, 0), rkWhole(1)),
		rec(0x0208, uint16(2), make([]byte, 10), byte(0x20), make([]byte, 3)), rec(recRK, at(2, 1, 0), rkWhole(2)),
		rec(0x00E5, uint16(999), uint16(1), uint16(2), uint16(0), uint16(0), uint16(7)), rec(0x00E5))
}

func TestMergedAndHidden(t *testing.T) {
	workbooktest.CheckMergedAndHidden(t, Format{}, xls(merged()))
}

// The limits that the caller sets apply to the workbook.
func TestCallerLimits(t *testing.T) {
	label := func(column int) []byte { return rec(0x0204, at(0, column, 0), narrow(strings.Repeat("x", 10))) }
	file := string(xls(one(nil, label(0), label(1), label(2))))
	for _, c := range []struct {
		limits source.Limits
		line   int64
		reason string
	}{
		{source.Limits{Columns: 2}, 1, "a cell is in column 3, beyond the limit of 2 columns"},
		{source.Limits{Cells: 2}, 0, "the sheet has more than 2 cells"},
		{source.Limits{CellBytes: 9}, 1, "the cell in column 1 is longer than 9 bytes"},
		{source.Limits{RecordBytes: 29}, 1, "the row is longer than 29 bytes"},
		{source.Limits{Columns: 1 << 20, Cells: 1 << 40, CellBytes: 10, RecordBytes: 30}, 0, ""},
	} {
		var want error
		if c.reason != "" {
			want = &source.LimitError{Line: c.line, Reason: intray.Literal(c.reason)}
		}
		sourcetest.RequireError(t, Format{}, file, source.Options{AsIs: true, Limits: c.limits}, want)
	}
	if _, err := read(t, xls(merged()), Limits{Merges: 1}); err != nil {
		t.Error(err)
	}
	two := rec(0x00E5, uint16(2), make([]byte, 16))
	if _, err := read(t, xls(one(nil, two)), Limits{Merges: 1}); err == nil || !strings.Contains(err.Error(), "more than 1 merged ranges") {
		t.Errorf("error %v", err)
	}
}
