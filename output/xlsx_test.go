package output

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/xlsx"
)

// cellXML is a cell in the XML of a sheet.
type cellXML struct {
	Place string  `xml:"r,attr"`
	Type  string  `xml:"t,attr"`
	Style int     `xml:"s,attr"`
	Value string  `xml:"v"`
	Text  *string `xml:"is>t"`
	F     *string `xml:"f"`
}

// sheetsOf returns the cells of all sheets in a workbook. It checks the references between
// the parts of the workbook.
func sheetsOf(t testing.TB, book []byte) (sheets [][][]cellXML) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(book), int64(len(book)))
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string][]byte{}
	for _, file := range z.File {
		r, err := file.Open()
		if err != nil {
			t.Fatal(err)
		}
		if texts[file.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	for i := 1; ; i++ {
		name := fmt.Sprintf("xl/worksheets/sheet%d.xml", i)
		text, there := texts[name]
		if !there {
			break
		}
		if !bytes.Contains(texts["[Content_Types].xml"], []byte("/"+name)) || !bytes.Contains(texts["xl/_rels/workbook.xml.rels"], []byte(fmt.Sprintf("sheet%d.xml", i))) {
			t.Errorf("%s is not named", name)
		}
		var doc struct {
			Rows []struct {
				Cells []cellXML `xml:"c"`
			} `xml:"sheetData>row"`
		}
		if err := xml.Unmarshal(text, &doc); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var rows [][]cellXML
		for _, r := range doc.Rows {
			rows = append(rows, r.Cells)
		}
		sheets = append(sheets, rows)
	}
	return sheets
}

func bookOf(t testing.TB, schema *intray.Schema, b *intray.Batch) []byte {
	t.Helper()
	var out bytes.Buffer
	if _, err := Write(context.Background(), &out, XLSX, schema, single(b)); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func typed(names ...intray.TypeName) *intray.Schema {
	s := &intray.Schema{Settings: intray.Settings{InvalidDataBehavior: intray.IncludeInvalidRows}}
	for i, name := range names {
		s.Fields = append(s.Fields, intray.Field{Key: fmt.Sprint("f", i), Type: intray.FieldType{Name: name}})
	}
	return s
}

// TestWorkbookCells checks that each value is stored with a type that does not lose information.
func TestWorkbookCells(t *testing.T) {
	for _, c := range []struct {
		kind        intray.TypeName
		value, want string
	}{
		{intray.TypeString, "plain", "text plain"},
		{intray.TypeString, "=1+1", "guarded =1+1"},
		{intray.TypeString, "+49 30", "guarded +49 30"},
		{intray.TypeString, "a_x000D_b", "text a_x005F_x000D_b"},
		{intray.TypeString, "a\x01\r\n<b>&\"\xff\ufffe", "text a_x0001__x000D_\n<b>&\"\ufffd_xFFFE_"},
		{intray.TypeString, "", "text "},
		{intray.TypeNumber, "-12.50", "number -12.50"},
		{intray.TypeNumber, "0.000000000123456789012345", "number 0.000000000123456789012345"},
		{intray.TypeNumber, "1234567890123456", "text 1234567890123456"},
		{intray.TypeNumber, "0.1000000000000000055", "text 0.1000000000000000055"},
		{intray.TypeNumber, "100000000000000000000", "number 100000000000000000000"},
		{intray.TypeNumber, "-1234567890123456", "guarded -1234567890123456"},
		{intray.TypeCheckbox, "true", "truth 1"},
		{intray.TypeCheckbox, "false", "truth 0"},
		{intray.TypeDate, "2026-11-21", "style1 46347"},
		{intray.TypeDate, "1900-03-01", "style1 61"},
		{intray.TypeDate, "1900-02-28", "text 1900-02-28"},
		{intray.TypeDate, "2200-01-01", "style1 109575"},
		{intray.TypeDate, "9999-12-31", "style1 2958465"},
		{intray.TypeDate, "2026-02-30", "text 2026-02-30"},
		{intray.TypeDate, "0001-01-01", "text 0001-01-01"},
		{intray.TypeDatetime, "2026-11-21T12:00", "style2 46347.5"},
		{intray.TypeDatetime, "1969-12-31T06:00", "style2 25568.25"},
		{intray.TypeDatetime, "2200-01-01T18:00:00", "style2 109575.75"},
		{intray.TypeDatetime, "1900-02-28T23:59", "text 1900-02-28T23:59"},
		{intray.TypeTime, "06:00", "style3 0.25"},
		{intray.TypeMultiSelect, `["a","b"]`, `text ["a","b"]`},
	} {
		b := &intray.Batch{Lines: make([]int64, 1), Fields: make([]intray.Cells, 1)}
		b.Fields[0].AppendValue([]byte(c.value))
		rows := sheetsOf(t, bookOf(t, typed(c.kind), b))[0]
		if got := shownCell(rows[1][0]); got != c.want {
			t.Errorf("%s %q is %q, want %q", c.kind, c.value, got, c.want)
		}
	}
}

func shownCell(c cellXML) string {
	switch {
	case c.Text != nil && c.Style == styleText:
		return "guarded " + *c.Text
	case c.Text != nil:
		return "text " + *c.Text
	case c.Type == "b":
		return "truth " + c.Value
	case c.Style > 0:
		return fmt.Sprintf("style%d %s", c.Style, c.Value)
	}
	return "number " + c.Value
}

// TestWorkbookReadsBack checks that source/xlsx reads the same strings that Write wrote.
func TestWorkbookReadsBack(t *testing.T) {
	text := rapid.OneOf(rapid.StringN(0, 20, -1), rapid.SampledFrom([]string{"=cmd|' /C calc'!A0", "_x0041_", "_xGGGG_", "\r\n", " a ", "\x00", "ü😀", "007", "TRUE"}))
	rapid.Check(t, func(rt *rapid.T) {
		rows := rapid.SliceOfN(rapid.SliceOfN(text, 3, 3), 1, 6).Draw(rt, "rows")
		b := &intray.Batch{Lines: make([]int64, len(rows)), Fields: make([]intray.Cells, 3)}
		want := [][]string{{"f0", "f1", "f2"}}
		for _, row := range rows {
			for i, v := range row {
				b.Fields[i].AppendValue([]byte(v))
				row[i] = strings.ToValidUTF8(v, "\ufffd")
			}
			want = append(want, row)
		}
		for strings.Join(want[len(want)-1], "") == "" { // readers skip empty rows at the end
			want = want[:len(want)-1]
		}
		book := bookOf(t, typed(intray.TypeString, intray.TypeString, intray.TypeString), b)
		if diff := cmp.Diff(want, readBook(t, book, 3)); diff != "" {
			rt.Errorf("written (-) and read (+):\n%s", diff)
		}
	})
}

func readBook(t *testing.T, file []byte, columns int) (rows [][]string) {
	t.Helper()
	in := source.Input{Name: "b.xlsx", ReaderAt: bytes.NewReader(file), Size: int64(len(file))}
	book, err := xlsx.Format{}.Open(t.Context(), in, source.Options{AsIs: true})
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	reader, err := book.Open(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	var recs intray.Records
	for reader.Next(t.Context(), &recs) == nil {
		for i := range recs.Len() {
			row := make([]string, columns)
			for c := range min(columns, recs.NumCells(i)) {
				row[c] = string(recs.Cell(i, c))
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// TestWorkbooksHoldNoFormulas checks keys, fields and unmapped columns whose text looks like a
// formula. The XML must not contain an element f, and the style of each cell must prevent the
// cell from becoming a formula when it is edited.
func TestWorkbooksHoldNoFormulas(t *testing.T) {
	starts := []string{"=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1", "＋1", "－1", "＠1", " =1", "\u00a0=1", "\ufeff=1",
		"=HYPERLINK(\"http://a\")", "=cmd|' /C calc'!A0", "=</t></is></c><c><f>1+1</f></c>"}
	schema := typed(intray.TypeString, intray.TypeNumber, intray.TypeDate, intray.TypeSelect)
	schema.Fields[0].Key = "=1+1"
	schema.Settings = intray.Settings{InvalidDataBehavior: intray.IncludeInvalidValues, PassThroughUnmappedColumns: true}
	b := &intray.Batch{Lines: make([]int64, len(starts)), Fields: make([]intray.Cells, 4), Unmapped: []intray.UnmappedCells{{Column: 9}}}
	for row, text := range starts {
		b.Fields[0].AppendValue([]byte(text))
		b.Fields[3].AppendValue([]byte(text))
		for _, f := range []int{1, 2} {
			b.Fields[f].AppendNull([]byte(text))
			b.Problems = append(b.Problems, intray.Problem{Row: row, Field: f})
		}
		b.Unmapped[0].Cells.AppendString(text)
	}
	book := bookOf(t, schema, b)
	for _, row := range sheetsOf(t, book)[0][1:] {
		for _, c := range row {
			if c.F != nil || c.Text == nil || c.Style != styleText {
				t.Errorf("%+v, text %v", c, shownCell(c))
			}
		}
	}
	z, err := zip.NewReader(bytes.NewReader(book), int64(len(book)))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range z.File {
		r, err := file.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if formulas := regexp.MustCompile(`<(\w+:)?f[\s/>]`).FindAll(text, -1); formulas != nil {
			t.Errorf("%s holds %q", file.Name, formulas)
		}
	}
}

// TestUnmappedColumnsInWorkbooks checks that a workbook contains the cells of unmapped columns.
func TestUnmappedColumnsInWorkbooks(t *testing.T) {
	schema := typed(intray.TypeString)
	b := &intray.Batch{Lines: make([]int64, 3), Fields: make([]intray.Cells, 1), Unmapped: []intray.UnmappedCells{{Column: 2}, {Column: 11}}}
	for i, v := range []string{"x", "y", "z"} {
		b.Fields[0].AppendValue([]byte(v))
		b.Unmapped[0].Cells.AppendString(fmt.Sprint("u", i))
		b.Unmapped[1].Cells.AppendString([]string{"+\"", "", " 007 "}[i])
	}
	for pass, want := range map[bool][][]string{
		true:  {{"text f0", "text $unmapped.2", "text $unmapped.11"}, {"text x", "text u0", "guarded +\""}, {"text y", "text u1", "text "}, {"text z", "text u2", "text  007 "}},
		false: {{"text f0"}, {"text x"}, {"text y"}, {"text z"}},
	} {
		schema.Settings.PassThroughUnmappedColumns = pass
		var got [][]string
		for i, row := range sheetsOf(t, bookOf(t, schema, b))[0] {
			var cells []string
			for c, cell := range row {
				cells = append(cells, shownCell(cell))
				if place := fmt.Sprint(columnName(c), i+1); cell.Place != place {
					t.Errorf("the cell of %s is at %s", place, cell.Place)
				}
			}
			got = append(got, cells)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("passed %v: %s", pass, diff)
		}
	}
}

// TestRowsContinueOnTheNextSheet checks that rows beyond the limit of a sheet are on the
// next sheet, that each sheet has the header, and that no row is lost.
func TestRowsContinueOnTheNextSheet(t *testing.T) {
	const rows = 25
	schema := typed(intray.TypeNumber)
	fields, err := compileFields(schema)
	if err != nil {
		t.Fatal(err)
	}
	form := newXLSXWriter(schema, fields)
	form.maxRows = 10
	var out bytes.Buffer
	book := newWorkbook(&out)
	b := &intray.Batch{Lines: make([]int64, rows), Fields: make([]intray.Cells, 1)}
	for i := range rows {
		b.Fields[0].AppendValue(fmt.Append(nil, i))
	}
	text := form.appendStart(nil, nil)
	r := newRowCursor(b, 1, nil)
	for r.index = 0; r.index < rows; r.index++ {
		if _, err := r.advance(keepReceived); err != nil {
			t.Fatal(err)
		}
		if text, err = form.appendRow(text, r, false); err != nil {
			t.Fatal(err)
		}
	}
	if text, err = form.appendEnd(text, rows); err != nil {
		t.Fatal(err)
	}
	for part := range slices.Chunk(text, 100) { // a sheet may end within a write
		if n, err := book.Write(part); err != nil || n != len(part) {
			t.Fatalf("%d of %d, %v", n, len(part), err)
		}
	}
	if err := book.close(form.truncated, nil); err != nil {
		t.Fatal(err)
	}
	next := 0
	sheets := sheetsOf(t, out.Bytes())
	for _, sheet := range sheets {
		if shownCell(sheet[0][0]) != "text f0" || len(sheet) > form.maxRows {
			t.Errorf("a sheet has %d rows and begins with %v", len(sheet), sheet[0])
		}
		for i, row := range sheet[1:] {
			if want := fmt.Sprint("number ", next); shownCell(row[0]) != want || row[0].Place != fmt.Sprint("A", i+2) {
				t.Errorf("row %d is %+v", next, row[0])
			}
			next++
		}
	}
	if next != rows || len(sheets) != 3 {
		t.Errorf("%d rows on %d sheets", next, len(sheets))
	}
}

// TestLongCellsAreListed checks that the last sheet lists the truncated cells.
func TestLongCellsAreListed(t *testing.T) {
	b := &intray.Batch{Lines: make([]int64, 3), Fields: make([]intray.Cells, 1)}
	for _, v := range []string{strings.Repeat("a", cellUnits), strings.Repeat("😀", cellUnits/2) + "ab", strings.Repeat("é", cellUnits)} {
		b.Fields[0].AppendValue([]byte(v))
	}
	sheets := sheetsOf(t, bookOf(t, typed(intray.TypeString), b))
	if len(sheets) != 2 {
		t.Fatalf("%d sheets", len(sheets))
	}
	for i, want := range []int{cellUnits, cellUnits, cellUnits} {
		got := *sheets[0][i+1][0].Text
		if n := len(utf16.Encode([]rune(got))); n != want || strings.HasSuffix(got, "…") != (i == 1) {
			t.Errorf("cell %d has %d units and ends with %q", i, n, got[len(got)-4:])
		}
	}
	var listed []string
	for _, c := range sheets[1][1] {
		listed = append(listed, *c.Text)
	}
	if diff := cmp.Diff([]string{"Rows 1", "3", "f0", fmt.Sprint(cellUnits + 1)}, listed); diff != "" {
		t.Error(diff)
	}
}

func TestColumnNames(t *testing.T) {
	for i, want := range map[int]string{0: "A", 25: "Z", 26: "AA", 701: "ZZ", 702: "AAA", sheetColumns - 1: "XFD"} {
		if got := columnName(i); got != want {
			t.Errorf("column %d is %s, want %s", i, got, want)
		}
	}
}

// TestWideWorkbook checks that too many columns are rejected before a row is written.
func TestWideWorkbook(t *testing.T) {
	schema := typed(slices.Repeat([]intray.TypeName{intray.TypeString}, sheetColumns+1)...)
	if _, err := Write(context.Background(), io.Discard, XLSX, schema, single(&intray.Batch{})); err == nil || !strings.Contains(err.Error(), "another format") {
		t.Errorf("%v", err)
	}
}
