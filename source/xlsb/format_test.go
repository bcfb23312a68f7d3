package xlsb

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
	"github.com/intraydata/intray/source/sourcetest/workbooktest"
	"github.com/intraydata/intray/source/workbook"
)

// written returns a table as a workbook with text in its cells.
func written(t *testing.T, table sourcetest.Table) sourcetest.Sample {
	rows := table.Records
	if !table.AsIs {
		rows = append([][]string{table.Headers}, rows...)
	}
	var text strings.Builder
	for i, cells := range rows {
		text.WriteString(row(i + 1))
		for c, value := range cells {
			if value != "" {
				text.WriteString(cell(recCellText, c, 0, value))
			}
		}
	}
	for i := range table.Records {
		table.Lines = append(table.Lines, int64(i+1+len(rows)-len(table.Records)))
	}
	table.Text = string(simple(text.String()).zip(t))
	sample := table.Sample()
	sample.Sheets[0].Name = "One"
	return sample
}

func TestConformance(t *testing.T) {
	var samples []sourcetest.Sample
	for _, table := range sourcetest.LargeTables() {
		if table.Name == "heavy" {
			table.Records = table.Records[:6] // still more than one batch
		}
		for i := range table.Records {
			if table.Name == "wide" { // a sheet has only rows with cells
				table.Records[i][0] = "x"
			}
		}
		samples = append(samples, written(t, table))
	}
	for _, table := range []sourcetest.Table{
		{Name: "simple", Headers: []string{"a", "b"}, Records: [][]string{{"1", "2"}, {"3", ""}}},
		{Name: "empty"},
		{Name: "header only", Headers: []string{"name", "date"}},
		{Name: "read as is", AsIs: true, Headers: []string{"", ""}, Records: [][]string{{"a", "<b> & \"c\""}, {""}, {"", "ü\U0001F600"}}},
	} {
		samples = append(samples, written(t, table))
	}
	sourcetest.Run(t, Format{}, append(samples, twoSheets(t)))
}

// twoSheets returns a workbook with all kinds of cells and a hidden sheet.
func twoSheets(t testing.TB) sourcetest.Sample {
	p := mixed().withStrings("name", "when").withStyles("General", "yyyy\\-mm\\-dd").
		with("xl/a.bin", sheetOf(
			row(1, cell(recCellString, 0, 0, 0), cell(recCellString, 1, 0, 1)),
			row(2, cell(recCellText, 0, 0, "x"), cell(recCellReal, 1, 1, 1.5)),
			row(3, cell(recCellBool, 0, 0, byte(1)), cell(recCellError, 1, 0, byte(0x2A))))).
		with("xl/_rels/workbook.bin.rels", rels([3]string{"a", "worksheet", "a.bin"}, [3]string{"b", "chartsheet", "b.bin"}, [3]string{"c", "worksheet", "c.bin"},
			[3]string{"d", "xlMacrosheet", "d.bin"}, [3]string{"e", "dialogsheet", "e.bin"}, [3]string{"s", "sharedStrings", "sharedStrings.bin"}, [3]string{"t", "styles", "styles.bin"}))
	return sourcetest.Sample{Name: "two sheets.xlsb", Text: p.zip(t), Sheets: []sourcetest.Sheet{
		{Name: "Plain & simple", Headers: []string{"name", "when"}, Records: [][]string{{"x", "1904-01-02"}, {"TRUE", "#N/A"}}, Lines: []int64{2, 3}},
		{Name: "Hidden", Headers: []string{"2"}},
	}}
}

func merged(firstRow, lastRow, firstColumn, lastColumn int) string {
	return rec(recMerged, firstRow, lastRow, firstColumn, lastColumn)
}

// mergedBook returns a workbook with merged ranges after its cells, and hidden rows and columns.
func mergedBook() parts {
	rows := row(1, cell(recCellText, 0, 0, "region"), cell(recCellText, 1, 0, "n")) +
		row(2, cell(recCellText, 0, 0, "North"), rk(1, 0, 1)) +
		hiddenRow(3, cell(recCellBlank, 0, 0), rk(1, 0, 2))
	after := rec(161) + rec(177, 4) + merged(1, 2, 0, 0) + merged(5, 4, 0, 0) + merged(0, 0, 0, 0) + merged(1, -1, 0, -1) + rec(178)
	return simple().with("xl/worksheets/sheet1.bin", sheetWith(columns(1, maxColumns-1, 1), rows, after))
}

func TestMergedAndHidden(t *testing.T) {
	workbooktest.CheckMergedAndHidden(t, Format{}, mergedBook().zip(t))
}

// Damaged records after the cells are an error only if merged ranges are needed.
func TestDamagedAfterCells(t *testing.T) {
	for _, rest := range []string{"", rec(recMerged, 1), head(recMerged, 16) + "\x00", "\xFF", head(9999, 1<<27)} {
		p := simple().with("xl/worksheets/sheet1.bin", rec(recBeginSheet)+rec(recBeginSheetData)+row(1, cell(recCellText, 0, 0, "x"))+rec(recEndSheetData)+rest)
		sheet, err := sourcetest.Read(t, Format{}, string(p.zip(t)), source.Options{AsIs: true})
		if err != nil || len(sheet.Records) != 1 {
			t.Errorf("%.20q: %d records, error %v", rest, len(sheet.Records), err)
		}
		if _, err := sourcetest.Read(t, Format{}, string(p.zip(t)), source.Options{AsIs: true, FillMerged: true}); !sourcetest.IsTyped(err) {
			t.Errorf("%.20q: filling: error %v", rest, err)
		}
	}
}

func TestManyMergedRanges(t *testing.T) {
	book := open(t, mergedBook(), Limits{Merges: 1})
	if _, err := book.(workbook.MergePreloader).MergedRanges(t.Context(), 0); err == nil || !strings.Contains(err.Error(), "more than 1 merged ranges") {
		t.Errorf("error %v", err)
	}
}

// The limits that the caller sets apply to the workbook.
func TestCallerLimits(t *testing.T) {
	five := func(column int) string { return cell(recCellText, column, 0, "12345") }
	file := string(simple(row(1, five(0), five(1), five(2))).zip(t))
	for _, c := range []struct {
		limits source.Limits
		reason string
	}{
		{source.Limits{Columns: 2}, `in the sheet "One", there are more than 2 columns`},
		{source.Limits{RecordBytes: 14}, `in the sheet "One", the row is longer than 14 bytes`},
		{source.Limits{Cells: 2}, `the sheet has more than 2 cells`},
		{source.Limits{CellBytes: 1 << 10}, ""},
	} {
		var want error
		if c.reason != "" {
			want = &source.LimitError{Line: 1, Reason: intray.Literal(c.reason)}
		}
		sourcetest.RequireError(t, Format{}, file, source.Options{AsIs: true, Limits: c.limits}, want)
	}
	for _, text := range []string{strings.Repeat("x", 1025), strings.Repeat("東", 500)} {
		want := &source.LimitError{Reason: intray.Literal("contains a piece of text longer than 1,024 bytes")}
		limits := source.Options{Limits: source.Limits{CellBytes: 1 << 10}}
		sourcetest.RequireError(t, Format{}, string(simple(row(1, cell(recCellText, 0, 0, text))).zip(t)), limits, want)
		sourcetest.RequireError(t, Format{}, string(simple(row(1, cell(recCellString, 0, 0, 0))).withStrings(text).zip(t)), limits, want)
	}
}

// Cells are returned as displayed values or, with Typed, as stored values.
func TestTyped(t *testing.T) {
	file := string(twoSheets(t).Text)
	for _, c := range []struct {
		typed bool
		want  [][]string
	}{
		{false, [][]string{{"x", "1904-01-02"}, {"TRUE", "#N/A"}}},
		{true, [][]string{{"x", "1904-01-02T12:00:00"}, {"true", "#N/A"}}},
	} {
		sheet, err := sourcetest.Read(t, Format{}, file, source.Options{Typed: c.typed})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, sheet.Records); diff != "" {
			t.Errorf("typed %v (-want +got):\n%s", c.typed, diff)
		}
	}
}

// TestMergedHeader checks that merged cells below a title determine the header, also if they
// follow more rows than are examined before the first record.
func TestMergedHeader(t *testing.T) {
	text := func(column int, value string) string { return cell(recCellText, column, 0, value) }
	for _, n := range []int{10, 1000} {
		rows := row(1, text(0, "Report")) + row(2, text(0, "Region"), text(1, "Sales"), text(3, "Cost")) + row(3, rk(1, 0, 2023), rk(2, 0, 2024), rk(3, 0, 2023), rk(4, 0, 2024))
		for i := range n {
			rows += row(i+4, text(0, "North"), rk(1, 0, 1), rk(2, 0, 2), rk(3, 0, 3), rk(4, 0, 4))
		}
		ranges := merged(0, 0, 0, 4) + merged(1, 2, 0, 0) + merged(1, 1, 1, 2) + merged(1, 1, 3, 4)
		got, err := sourcetest.Read(t, Format{}, string(simple().with("xl/worksheets/sheet1.bin", sheetWith("", rows, ranges)).zip(t)), source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"Region", "Sales 2023", "Sales 2024", "Cost 2023", "Cost 2024"}, got.Headers); diff != "" || len(got.Records) != n {
			t.Errorf("%d records of %d, headers (-want +got):\n%s", len(got.Records), n, diff)
		}
	}
}
