package ods

import (
	"strings"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
	"github.com/intraydata/intray/source/sourcetest/workbooktest"
)

// plain returns the rows and the expected sheet of the small samples.
func plain() (rows string, sheet sourcetest.Sheet) {
	rows = row(text("id"), text("name"), text("born")) +
		row(number(1), text("Ada"), cell(`office:value-type="date" office:date-value="1815-12-10"`, "<text:p>10.12.1815</text:p>")) +
		row(number(2), text("Bob &amp; <text:span>Eve</text:span>"), emptyCells) + emptyRows
	return rows, sourcetest.Sheet{
		Name: "One", Headers: []string{"id", "name", "born"},
		Records: [][]string{{"1", "Ada", "10.12.1815"}, {"2", "Bob & Eve", ""}}, Lines: []int64{2, 3},
	}
}

// written returns the XML of a sheet that contains the table.
func written(t sourcetest.Table) string {
	var rows strings.Builder
	escape := strings.NewReplacer("&", "&amp;", "<", "&lt;", "\n", "&#10;")
	for _, record := range append([][]string{t.Headers}, t.Records...) {
		rows.WriteString("<table:table-row>")
		for i, c := range record {
			if c == "" && i < len(record)-1 {
				rows.WriteString("<table:table-cell/>")
				continue
			}
			rows.WriteString(text(escape.Replace(c)))
		}
		rows.WriteString("</table:table-row>")
	}
	return table("One", rows.String())
}

func TestSuite(t *testing.T) {
	rows, sheet := plain()
	second := sourcetest.Sheet{Name: "Two", Headers: []string{"n"}, Records: [][]string{{"x"}}, Lines: []int64{2}}
	empty := sourcetest.Sheet{Name: "Three"}
	typed := sheet
	typed.Records = [][]string{{"1", "Ada", "1815-12-10"}, {"2", "Bob & Eve", ""}}
	asIs := sourcetest.Sheet{Name: "One", Headers: []string{"", "", ""}, Records: [][]string{sheet.Headers, sheet.Records[0], {"2", "Bob & Eve"}}, Lines: []int64{1, 2, 3}}
	two := table("Two", row(text("n"))+row(text("x")))
	samples := []sourcetest.Sample{
		{Name: "plain.ods", Text: workbookFile(t, table("One", rows)), Sheets: []sourcetest.Sheet{sheet}},
		{Name: "three.ods", Text: workbookFile(t, table("One", rows), two, table("Three", emptyRows)), Sheets: []sourcetest.Sheet{sheet, second, empty}},
		{Name: "flat.fods", Text: []byte(flat(table("One", rows), two)), Sheets: []sourcetest.Sheet{sheet, second}},
		{Name: "typed.ods", Text: workbookFile(t, table("One", rows)), Options: source.Options{Typed: true}, Sheets: []sourcetest.Sheet{typed}},
		{Name: "read as is.ots", Text: workbookFile(t, table("One", rows)), Options: source.Options{AsIs: true}, Sheets: []sourcetest.Sheet{asIs}},
	}
	for _, large := range sourcetest.LargeTables() {
		if large.Name == "heavy" { // every line end is an entity, so a few cells are enough
			large.Records = large.Records[:4]
		}
		sample := large.Sample()
		sample.Text = workbookFile(t, written(large))
		sample.Sheets[0].Name, sample.Sheets[0].Lines = "One", nil
		if large.Name == "wide" { // a workbook has no records for rows without text
			continue
		}
		samples = append(samples, sample)
	}
	sourcetest.Run(t, Format{}, samples)
}

// TestTypedRecords checks the kinds and values of typed cells in records.
func TestTypedRecords(t *testing.T) {
	cells := []string{
		text("a"), number("5"), cell(`office:value-type="date" office:date-value="2024-02-29"`, "<text:p>x</text:p>"),
		cell(`office:value-type="date" office:date-value="2024-02-29T01:00:00"`, "<text:p>x</text:p>"), cell(`office:value-type="time" office:time-value="PT1H"`, "<text:p>x</text:p>"),
		cell(`office:value-type="boolean" office:boolean-value="true"`, "<text:p>x</text:p>"), cell(`calcext:value-type="error"`, "<text:p>x</text:p>"),
	}
	file := workbookFile(t, table("One", row(cells...)))
	reader, _ := sourcetest.Open(t, Format{}, string(file), source.Options{AsIs: true})
	batch := &intray.Records{}
	if err := reader.Next(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	want := []string{"text", "number 5", "date 2024-02-29", "datetime 2024-02-29T01:00:00", "time 01:00:00", "bool true", "error x"}
	for i, want := range want {
		kind, value := batch.TypedCell(0, i)
		if got := strings.TrimSpace(workbooktest.KindName(kind) + " " + string(value)); got != want {
			t.Errorf("cell %d is %q, want %q", i, got, want)
		}
	}
}

func TestDetect(t *testing.T) {
	good := workbookFile(t, table("One", ""))
	list := around(body(table("One", "")))
	kind := func(kind string) []byte { return archived(t, with(list, mimetypePart, kind)) }
	long := "<?xml version=\"1.0\"?><!-- " + strings.Repeat("x", source.HeadBytes) + " -->"
	for name, tc := range map[string]struct {
		file []byte
		want float64
	}{
		"workbook":           {good, 1},
		"template":           {kind(spreadsheetKind + "-template"), 1},
		"kind and a line":    {kind(spreadsheetKind + "\n"), 1},
		"text document":      {kind("application/vnd.oasis.opendocument.text"), 0},
		"chart":              {kind("application/vnd.oasis.opendocument.chart"), 0},
		"older format":       {kind("application/vnd.sun.xml.calc"), 0},
		"endless kind":       {kind(spreadsheetKind + strings.Repeat("x", 1<<20)), 0},
		"no kind":            {archived(t, without(list, mimetypePart)), 1},
		"no kind, text":      {archived(t, without(around(strings.ReplaceAll(body(), "office:spreadsheet", "office:text")), mimetypePart)), 0},
		"no kind, broken":    {archived(t, without(around("<a"), mimetypePart)), 0},
		"cut":                {good[:len(good)/2], 0.9},
		"a name twice":       {archived(t, append(list, sourcetest.File(contentPart, ""))), 0.9},
		"cut text document":  {kind("application/vnd.oasis.opendocument.text")[:200], 0},
		"archive":            {archived(t, []entry{sourcetest.File("table.csv", "a,b")}), 0},
		"flat":               {[]byte(flat(table("One", ""))), 1},
		"flat, cut":          {[]byte(flat(table("One", "")))[:1000], 1},
		"flat, no kind":      {[]byte(strings.Replace(flat(), ` office:mimetype="`+spreadsheetKind+`"`, "", 1)), 1},
		"flat, DOCTYPE":      {[]byte(strings.Replace(flat(), "?>", "?><!DOCTYPE a>", 1)), 0.9},
		"flat text":          {[]byte(strings.ReplaceAll(flat(), "spreadsheet", "text")), 0},
		"XML":                {[]byte("<a>office:spreadsheet</a>"), 0},
		"a long comment":     {[]byte(long + "<a/>"), 0},
		"text":               {[]byte("a,b\n"), 0},
		"empty":              {nil, 0},
		"only the signature": {[]byte(zipMagic), 0},
	} {
		t.Run(name, func(t *testing.T) {
			score, reason := Format{}.Detect(input(tc.file), tc.file[:min(len(tc.file), source.HeadBytes)])
			if score != tc.want || (score > 0) == reason.IsZero() {
				t.Errorf("score %v, reason %q", score, reason)
			}
		})
	}
}

// TestRefusedByFormat checks the errors for files that cannot be opened.
func TestRefusedByFormat(t *testing.T) {
	for name, file := range map[string]string{
		"the file is empty":                      "",
		"contains a DOCTYPE declaration":         strings.Replace(flat(), "?>", "?><!DOCTYPE a>", 1),
		"is incomplete (its XML ends too early)": flat(table("One", ""))[:1000],
		"the workbook is damaged":                string(workbookFile(t, table("One", ""))[:300]),
		"contains text outside its root element": "a,b",
		"the workbook has no worksheets":         flat(),
		"the file is not an OpenDocument spread": "<html/>",
	} {
		sourcetest.RequireError(t, Format{}, file, source.Options{}, &source.UnreadableError{Reason: intray.Literal(name)})
	}
}
