package output

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
)

// annotatedParts returns the parts of a workbook with the given columns and rows.
func annotatedParts(t *testing.T, columns []SheetColumn, b *intray.Batch) (parts map[string]string, book []byte) {
	t.Helper()
	schema := typed(slices.Repeat([]intray.TypeName{intray.TypeString}, len(columns))...)
	schema.Settings.InvalidDataBehavior = intray.IncludeInvalidValues
	var out bytes.Buffer
	if _, err := WriteAnnotated(t.Context(), &out, schema, columns, single(b)); err != nil {
		t.Fatal(err)
	}
	return partsOf(t, out.Bytes()), out.Bytes()
}

func partsOf(t *testing.T, book []byte) map[string]string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(book), int64(len(book)))
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]string{}
	for _, file := range z.File {
		r, err := file.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		parts[file.Name] = string(text)
	}
	return parts
}

func fieldProblem(row, field int, level intray.Level, text string) intray.Problem {
	return intray.Problem{Row: row, Field: field, Level: level, Text: intray.Literal(text)}
}

// TestFindingErrorWorkbook checks that a workbook for corrections highlights cells with problems,
// has comments with the problems, drop-down lists and widths, and reads back unchanged.
func TestFindingErrorWorkbook(t *testing.T) {
	rows := [][]string{{"Ada", "x", "open"}, {"=1+1", "", "shut"}, {"Cy", "z", "closed"}}
	b := &intray.Batch{Lines: make([]int64, len(rows)), Fields: make([]intray.Cells, 3)}
	for _, row := range rows {
		for i, text := range row {
			b.Fields[i].AppendValue([]byte(text))
		}
	}
	b.Problems = []intray.Problem{
		fieldProblem(0, 1, intray.LevelWarning, "Odd & <old>."),
		fieldProblem(1, 0, intray.LevelError, "Not a name."),
		fieldProblem(1, 1, intray.LevelWarning, "Hm."),
		fieldProblem(1, 1, intray.LevelError, "Required."),
		fieldProblem(1, intray.NoField, intray.LevelError, "The row is odd."),
	}
	parts, book := annotatedParts(t, []SheetColumn{{Width: 12}, {Options: []string{"x", "y,z"}}, {Width: 300, Options: []string{"open", "closed"}}}, b)

	var styles [][]int
	for _, row := range sheetsOf(t, book)[0][1:] {
		var list []int
		for _, c := range row {
			list = append(list, c.Style)
		}
		styles = append(styles, list)
	}
	if diff := cmp.Diff([][]int{{0, styleWarning, 0}, {styleErrorText, styleError, 0}, {0, 0, 0}}, styles); diff != "" {
		t.Error(diff)
	}
	sheet := parts["xl/worksheets/sheet1.xml"]
	for _, want := range []string{
		`</sheetViews><cols><col min="1" max="1" width="12" customWidth="1"/><col min="3" max="3" width="255" customWidth="1"/></cols><sheetData>`,
		`</sheetData><dataValidations count="2"><dataValidation type="list" allowBlank="1" sqref="B2:B4"><formula1>Options!$A$2:$A$3</formula1></dataValidation>` +
			`<dataValidation type="list" allowBlank="1" sqref="C2:C4"><formula1>"open,closed"</formula1></dataValidation></dataValidations><legacyDrawing `,
	} {
		if !strings.Contains(sheet, want) {
			t.Errorf("the sheet does not contain %s:\n%s", want, sheet)
		}
	}
	comments := regexp.MustCompile(`<comment ref="(\w+)" authorId="0"><text><t xml:space="preserve">([^<]*)`).FindAllStringSubmatch(parts["xl/comments1.xml"], -1)
	var got []string
	for _, c := range comments {
		got = append(got, c[1]+" "+c[2])
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{"A3 Not a name.", "B2 Odd &amp; &lt;old&gt;.", "B3 Hm.\nRequired."}, got); diff != "" {
		t.Error(diff)
	}
	if n := strings.Count(parts["xl/drawings/vmlDrawing1.vml"], "<v:shape "); n != 3 {
		t.Errorf("%d boxes", n)
	}
	for name, want := range map[string]string{
		"xl/workbook.xml":                     `<sheet name="Options" sheetId="2" state="hidden" r:id="rId2"/>`,
		"[Content_Types].xml":                 `<Override PartName="/xl/comments1.xml"`,
		"xl/worksheets/_rels/sheet1.xml.rels": `Target="../drawings/vmlDrawing1.vml"`,
		"xl/styles.xml":                       `<cellXfs count="10">`,
		"xl/worksheets/sheet2.xml":            "y,z",
	} {
		if !strings.Contains(parts[name], want) {
			t.Errorf("%s does not contain %s:\n%s", name, want, parts[name])
		}
	}
	if diff := cmp.Diff(append([][]string{{"f0", "f1", "f2"}}, rows...), readBook(t, book, 3)); diff != "" {
		t.Error(diff)
	}
}

// TestStylesOfWorkbooks checks that the style sheet has as many styles and fills as it states.
func TestStylesOfWorkbooks(t *testing.T) {
	for _, text := range []string{styles, annotatedStyles} {
		for _, part := range []struct{ list, element string }{{"cellXfs", "<xf "}, {"fills", "<fill>"}} {
			found := regexp.MustCompile(`<` + part.list + ` count="(\d+)">(.*)</` + part.list + `>`).FindStringSubmatch(text)
			if n := fmt.Sprint(strings.Count(found[2], part.element)); n != found[1] {
				t.Errorf("%s of %s, and the count is %s", n, part.list, found[1])
			}
		}
	}
}

// TestInlineLists checks which lists are part of their validation. Values of any other list would
// be split or changed.
func TestInlineLists(t *testing.T) {
	for _, c := range []struct {
		options []string
		want    string
	}{
		{[]string{"a", "B c", "ü"}, `"a,B c,ü"`},
		{[]string{"a,b"}, ""},
		{[]string{`a"b`}, ""},
		{[]string{" a"}, ""},
		{[]string{"a\nb"}, ""},
		{[]string{strings.Repeat("a", maxInlineList)}, `"` + strings.Repeat("a", maxInlineList) + `"`},
		{[]string{strings.Repeat("a", maxInlineList), "b"}, ""},
	} {
		if got, ok := inlineList(c.options); got != c.want || ok != (c.want != "") {
			t.Errorf("%q: %s, %v", c.options, got, ok)
		}
	}
	many := newAnnotations([]SheetColumn{
		{Options: slices.Repeat([]string{"a"}, maxListRows+1)},
		{Options: slices.Repeat([]string{"a"}, maxListRows)},
		{Options: []string{"a", "=1+1", "", "@b"}},
		{Options: []string{"+1"}},
	})
	if diff := cmp.Diff([]string{"", "Options!$A$2:$A$32768", `"a"`, ""}, many.lists); diff != "" {
		t.Error(diff)
	}
}

// TestCommentLimits checks that the memory for comments is bounded, and that cells without a
// comment are highlighted.
func TestCommentLimits(t *testing.T) {
	const rows = maxComments + 5
	for name, text := range map[string]string{"many": "No.", "long": strings.Repeat("<", 2*maxCommentText)} {
		t.Run(name, func(t *testing.T) {
			b := &intray.Batch{Lines: make([]int64, rows), Fields: make([]intray.Cells, 1)}
			for row := range rows {
				b.Fields[0].AppendValue([]byte("x"))
				b.Problems = append(b.Problems, fieldProblem(row, 0, intray.LevelError, text))
			}
			parts, _ := annotatedParts(t, []SheetColumn{{}}, b)
			comments := parts["xl/comments1.xml"]
			n := strings.Count(comments, "<comment ref=")
			if limit := maxCommentBytes + 8*maxCommentText; n == 0 || n > maxComments || name == "many" && n < maxComments || len(comments) > limit {
				t.Errorf("%d comments in %d bytes", n, len(comments))
			}
			vml := parts["xl/drawings/vmlDrawing1.vml"]
			if boxes := strings.Count(vml, "<v:shape "); boxes != n {
				t.Errorf("%d comments and %d boxes", n, boxes)
			}
			ids := map[string]bool{}
			for _, id := range regexp.MustCompile(`_x0000_s(\d+)`).FindAllString(vml, -1) {
				ids[id] = true
			}
			if len(ids) != n || name == "many" && !strings.Contains(vml, `data="1,2,3,4,5,6,7,8,9,10"`) {
				t.Errorf("%d ids of %d boxes", len(ids), n)
			}
			if highlighted := strings.Count(parts["xl/worksheets/sheet1.xml"], fmt.Sprintf(` s="%d"`, styleError)); highlighted != rows {
				t.Errorf("%d cells of %d are highlighted", highlighted, rows)
			}
		})
	}
}

// TestAnnotationsOfSheets checks that each sheet has its own comments and drop-down lists.
func TestAnnotationsOfSheets(t *testing.T) {
	const rows = 25
	schema := typed(intray.TypeString)
	fields, err := compileFields(schema)
	if err != nil {
		t.Fatal(err)
	}
	form := newXLSXWriter(schema, fields)
	form.maxRows = 10
	form.annotations = newAnnotations([]SheetColumn{{Options: []string{"a"}}})
	b := &intray.Batch{Lines: make([]int64, rows), Fields: make([]intray.Cells, 1)}
	for range rows {
		b.Fields[0].AppendValue([]byte("b"))
	}
	b.Problems = []intray.Problem{fieldProblem(0, 0, intray.LevelError, "one"), fieldProblem(24, 0, intray.LevelError, "three")}
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
	var out bytes.Buffer
	book := newWorkbook(&out)
	if _, err := book.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := book.close(form.truncated, form.annotations); err != nil {
		t.Fatal(err)
	}
	parts := partsOf(t, out.Bytes())
	for i, c := range []struct{ lastRow, comment string }{{"A10", "one"}, {"A10", ""}, {"A8", "three"}} {
		sheet := parts[fmt.Sprintf("xl/worksheets/sheet%d.xml", i+1)]
		comments, there := parts[fmt.Sprintf("xl/comments%d.xml", i+1)]
		if !strings.Contains(sheet, `sqref="A2:`+c.lastRow+`"`) || strings.Contains(sheet, "<legacyDrawing") != there || there != (c.comment != "") || !strings.Contains(comments, c.comment) {
			t.Errorf("sheet %d: %s\n%s", i+1, sheet, comments)
		}
	}
}

// TestAnnotatedSchemas checks that only text can be annotated.
func TestAnnotatedSchemas(t *testing.T) {
	for name, c := range map[string]struct {
		schema  *intray.Schema
		columns int
	}{"number": {typed(intray.TypeNumber), 1}, "columns": {typed(intray.TypeString), 2}} {
		if _, err := WriteAnnotated(t.Context(), io.Discard, c.schema, make([]SheetColumn, c.columns), single(&intray.Batch{})); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
