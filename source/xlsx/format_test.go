package xlsx

import (
	"fmt"
	"html"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
	"github.com/intraydata/intray/source/sourcetest/workbooktest"
	"github.com/intraydata/intray/source/workbook"
)

// written returns a table as a workbook of inline strings.
func written(t *testing.T, table sourcetest.Table) sourcetest.Sample {
	rows := table.Records
	if !table.AsIs {
		rows = append([][]string{table.Headers}, rows...)
	}
	var text strings.Builder
	for i, row := range rows {
		fmt.Fprintf(&text, `<row r="%d">`, i+1)
		for c, cell := range row {
			if cell != "" {
				fmt.Fprintf(&text, `<c r="%s%d" t="inlineStr"><is><t xml:space="preserve">%s</t></is></c>`, workbook.ColumnName(c), i+1, html.EscapeString(cell))
			}
		}
		text.WriteString("</row>")
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
func twoSheets(t *testing.T) sourcetest.Sample {
	p := mixed().withStrings(`<si><t>name</t></si><si><t>when</t></si>`).withStyles("General", "yyyy\\-mm\\-dd").
		with("xl/a.xml", sheetOf(`<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c></row><row><c t="str"><v>x</v></c><c s="1"><v>1.5</v></c></row><row><c t="b"><v>1</v></c><c t="e"><v>#N/A</v></c></row>`)).
		with("xl/_rels/workbook.xml.rels", rels([3]string{"a", "worksheet", "a.xml"}, [3]string{"b", "chartsheet", "b.xml"}, [3]string{"c", "worksheet", "c.xml"},
			[3]string{"d", "xlMacrosheet", "d.xml"}, [3]string{"e", "dialogsheet", "e.xml"}, [3]string{"s", "sharedStrings", "sharedStrings.xml"}, [3]string{"t", "styles", "styles.xml"}))
	return sourcetest.Sample{Name: "two sheets.xlsx", Text: p.zip(t), Sheets: []sourcetest.Sheet{
		{Name: "Plain & simple", Headers: []string{"name", "when"}, Records: [][]string{{"x", "1904-01-02"}, {"TRUE", "#N/A"}}, Lines: []int64{2, 3}},
		{Name: "Hidden", Headers: []string{"2"}},
	}}
}

// mergedBook returns a workbook with merged ranges after its cells, and hidden rows and columns.
func mergedBook() parts {
	return simple("").with("xl/worksheets/sheet1.xml", `<worksheet `+mainSpace+`><cols><col min="2" max="16384" hidden="1"/></cols><sheetData>`+
		`<row r="1"><c t="str"><v>region</v></c><c t="str"><v>n</v></c></row><row r="2"><c t="str"><v>North</v></c><c><v>1</v></c></row>`+
		`<row r="3" hidden="1"><c r="B3"><v>2</v></c></row></sheetData><autoFilter ref="A1:B3"/>`+
		`<mergeCells count="9"><mergeCell ref="A2:A3"/><mergeCell ref="nonsense"/><mergeCell ref="A1"/><other/></mergeCells><pageMargins/></worksheet>`)
}

func TestMergedAndHidden(t *testing.T) {
	workbooktest.CheckMergedAndHidden(t, Format{}, mergedBook().zip(t))
}

// Malformed XML after the cells is an error only if merged ranges are needed.
func TestMalformedAfterCells(t *testing.T) {
	for _, rest := range []string{`</wrong>`, `<mergeCells><mergeCell ref="A1:A2"`, strings.Repeat("<a>", 200), ``} {
		p := simple("").with("xl/worksheets/sheet1.xml", `<worksheet><sheetData><row><c t="str"><v>x</v></c></row></sheetData>`+rest)
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
	file := string(simple(`<row><c t="str"><v>12345</v></c><c t="str"><v>12345</v></c><c t="str"><v>12345</v></c></row>`).zip(t))
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
	long := string(simple(`<row><c t="str"><v>` + strings.Repeat("x", 1<<18) + `</v></c></row>`).zip(t))
	sourcetest.RequireError(t, Format{}, long, source.Options{Limits: source.Limits{CellBytes: 1 << 10}},
		&source.LimitError{Reason: intray.Literal("contains a piece of text longer than 1,024 bytes")})
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
	text := func(ref, value string) string {
		return `<c r="` + ref + `" t="str"><v>` + value + `</v></c>`
	}
	for _, n := range []int{10, 1000} {
		rows := `<row r="1">` + text("A1", "Report") + `</row><row r="2">` + text("A2", "Region") + text("B2", "Sales") + text("D2", "Cost") + `</row>` +
			`<row r="3"><c r="B3"><v>2023</v></c><c r="C3"><v>2024</v></c><c r="D3"><v>2023</v></c><c r="E3"><v>2024</v></c></row>`
		for i := range n {
			rows += fmt.Sprintf(`<row r="%d">`, i+4) + text(fmt.Sprintf("A%d", i+4), "North") + `<c><v>1</v></c><c><v>2</v></c><c><v>3</v></c><c><v>4</v></c></row>`
		}
		sheet := strings.Replace(sheetOf(rows), "</worksheet>", `<mergeCells><mergeCell ref="A1:E1"/><mergeCell ref="A2:A3"/><mergeCell ref="B2:C2"/><mergeCell ref="D2:E2"/></mergeCells></worksheet>`, 1)
		got, err := sourcetest.Read(t, Format{}, string(simple("").with("xl/worksheets/sheet1.xml", sheet).zip(t)), source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"Region", "Sales 2023", "Sales 2024", "Cost 2023", "Cost 2024"}, got.Headers); diff != "" || len(got.Records) != n {
			t.Errorf("%d records of %d, headers (-want +got):\n%s", len(got.Records), n, diff)
		}
	}
}
