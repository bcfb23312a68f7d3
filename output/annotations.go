package output

import (
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/intraydata/intray"
)

// SheetColumn describes a column of a workbook that [WriteAnnotated] writes.
type SheetColumn struct {
	// Width is the width of the column in characters. If it is 0, the application uses its
	// default width.
	Width int
	// Options are the values that a drop-down list offers, except those that a spreadsheet could
	// treat as a formula. People can enter other values.
	Options []string
	// ListRows is the number of rows below the header that offer the list, if it is more than the
	// number of rows that are written.
	ListRows int
}

// WriteAnnotated writes a workbook for people to correct, and returns the number of rows. The
// schema must have string fields only, and columns describes them in the same order. Cells with
// problems are highlighted and have a comment with the texts of the problems. A workbook has at
// most 10,000 comments; further cells are highlighted only. Otherwise, WriteAnnotated is like
// [Write].
func WriteAnnotated(ctx context.Context, w io.Writer, schema *intray.Schema, columns []SheetColumn, batches iter.Seq2[*intray.Batch, error]) (rows int64, err error) {
	if len(columns) != len(schema.Fields) {
		return 0, fmt.Errorf("write xlsx: %d columns are described, and the schema has %d fields", len(columns), len(schema.Fields))
	}
	for _, f := range schema.Fields {
		if f.Type.Name != intray.TypeString || f.ManyToOne {
			return 0, fmt.Errorf("write xlsx: the field %q is not a string", f.Key)
		}
	}
	return write(ctx, w, XLSX, schema, columns, batches, &Times{})
}

// The limits of the comments in a workbook. They bound the memory for the comments, which are
// written after all rows.
const (
	maxComments     = 10_000
	maxCommentBytes = 8 << 20
	// maxCommentText is the maximum length of a comment, in bytes. Longer text is truncated.
	maxCommentText = 2000
)

// The limits of drop-down lists (Excel specifications and limits).
const (
	// maxInlineList is the maximum length of a list that is part of its validation, in
	// bytes, which are at least as many as characters. Longer lists are on a separate sheet.
	maxInlineList = 255
	maxListRows   = 32_767
)

// optionsSheet is the name of the hidden sheet with the values of drop-down lists.
const optionsSheet = "Options"

// annotations are the parts of a workbook that depend on the problems of its cells.
type annotations struct {
	columns []SheetColumn
	// lists holds the source of the drop-down list of each column, or "". listed are the
	// columns whose lists are on the sheet with the options.
	lists  []string
	listed []int
	// styles holds the style of each cell in the current row: 0, styleError or styleWarning.
	// marked are the columns whose style is not 0.
	styles []int
	marked []int

	sheets          []sheetComments
	comments, bytes int
}

// sheetComments holds the comments of one sheet.
type sheetComments struct {
	sheet int
	// xml contains the comment elements.
	xml   []byte
	cells []commentedCell
}

type commentedCell struct{ row, column int32 }

func newAnnotations(columns []SheetColumn) *annotations {
	a := &annotations{lists: make([]string, len(columns)), styles: make([]int, len(columns))}
	a.columns = slices.Clone(columns)
	for i := range a.columns {
		c := &a.columns[i]
		// Applications treat an option that a person selects like text that the person enters.
		c.Options = slices.DeleteFunc(slices.Clone(c.Options), func(o string) bool { return o == "" || startsFormula([]byte(o)) })
		switch list, ok := inlineList(c.Options); {
		case len(c.Options) == 0 || len(c.Options) > maxListRows:
		case ok:
			a.lists[i] = list
		default:
			letters := columnName(len(a.listed))
			a.lists[i] = fmt.Sprintf("%s!$%s$2:$%s$%d", optionsSheet, letters, letters, len(c.Options)+1)
			a.listed = append(a.listed, i)
		}
	}
	return a
}

// inlineList returns a list as a formula that contains its values. It returns false if the list
// is too long, or if a value would be changed or split.
func inlineList(options []string) (formula string, ok bool) {
	list := strings.Join(options, ",")
	if len(list) > maxInlineList {
		return "", false
	}
	for _, o := range options {
		if strings.TrimSpace(o) != o || strings.ContainsAny(o, ",\"\r\n") {
			return "", false
		}
	}
	return `"` + list + `"`, true
}

// appendSheetBegin appends the start of a sheet with the widths of its columns.
func (a *annotations) appendSheetBegin(b []byte) []byte {
	const data = "<sheetData>"
	b = append(b, strings.TrimSuffix(sheetBegin, data)...)
	if slices.ContainsFunc(a.columns, func(c SheetColumn) bool { return c.Width > 0 }) {
		b = append(b, "<cols>"...)
		for i, c := range a.columns {
			if c.Width > 0 {
				b = fmt.Appendf(b, `<col min="%d" max="%d" width="%d" customWidth="1"/>`, i+1, i+1, min(c.Width, 255))
			}
		}
		b = append(b, "</cols>"...)
	}
	return append(b, data...)
}

// appendSheetEnd appends the end of a sheet with its drop-down lists. rows is the number of rows
// on the sheet, including the header.
func (a *annotations) appendSheetEnd(b []byte, sheet, rows int, letters []string) []byte {
	b = append(b, "</sheetData>"...)
	lists := 0
	for _, list := range a.lists {
		if list != "" {
			lists++
		}
	}
	if lists > 0 {
		b = fmt.Appendf(b, `<dataValidations count="%d">`, lists)
		for i, list := range a.lists {
			if list != "" {
				b = fmt.Appendf(b, `<dataValidation type="list" allowBlank="1" sqref="%s2:%s%d"><formula1>`, letters[i], letters[i], max(rows, 2, a.columns[i].ListRows+1))
				b = append(appendXML(b, []byte(list)), "</formula1></dataValidation>"...)
			}
		}
		b = append(b, "</dataValidations>"...)
	}
	if n := len(a.sheets); n > 0 && a.sheets[n-1].sheet == sheet {
		b = append(b, `<legacyDrawing xmlns:r="`+relations+`" r:id="rId1"/>`...)
	}
	return append(b, "</worksheet>"...)
}

// markCells sets the styles of the cells in the current row, and adds their comments.
func (a *annotations) markCells(r *rowCursor, sheet, row int, letters []string) {
	for _, i := range a.marked {
		a.styles[i] = 0
	}
	a.marked = a.marked[:0]
	first := r.problem
	for first > 0 && r.batch.Problems[first-1].Row == r.index {
		first--
	}
	problems := r.batch.Problems[first:r.problem]
	for i := range problems {
		p := &problems[i]
		if p.Field < 0 || p.Field >= len(a.styles) {
			continue
		}
		if a.styles[p.Field] == 0 {
			a.marked = append(a.marked, p.Field)
			a.styles[p.Field] = styleWarning
		}
		if p.Level == intray.LevelError {
			a.styles[p.Field] = styleError
		}
	}
	for _, i := range a.marked {
		if a.comments == maxComments || a.bytes > maxCommentBytes {
			return
		}
		a.addComment(commentText(problems, i), sheet, row, i, letters)
	}
}

// commentText returns the texts of the problems of a field, one per line.
func commentText(problems []intray.Problem, field int) string {
	var texts []string
	for i := range problems {
		if problems[i].Field == field {
			texts = append(texts, problems[i].Text.String())
		}
	}
	text := strings.Join(texts, "\n")
	if len(text) > maxCommentText {
		return strings.ToValidUTF8(text[:maxCommentText], "") + "…"
	}
	return text
}

func (a *annotations) addComment(text string, sheet, row, column int, letters []string) {
	if n := len(a.sheets); n == 0 || a.sheets[n-1].sheet != sheet {
		a.sheets = append(a.sheets, sheetComments{sheet: sheet})
	}
	s := &a.sheets[len(a.sheets)-1]
	before := len(s.xml)
	s.xml = append(append(s.xml, `<comment ref="`...), letters[column]...)
	s.xml = append(strconv.AppendInt(s.xml, int64(row), 10), `" authorId="0"><text><t xml:space="preserve">`...)
	s.xml = append(appendXML(s.xml, []byte(text)), "</t></text></comment>"...)
	s.cells = append(s.cells, commentedCell{int32(row), int32(column)})
	a.comments++
	a.bytes += len(s.xml) - before
}

const (
	commentsHead = xmlHead + `<comments xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><authors><author>Intray</author></authors><commentList>`

	vmlHead = `<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:x="urn:schemas-microsoft-com:office:excel">`
	vmlNote = `<v:shapetype id="_x0000_t202" coordsize="21600,21600" o:spt="202" path="m,l,21600r21600,l21600,xe"><v:stroke joinstyle="miter"/><v:path gradientshapeok="t" o:connecttype="rect"/></v:shapetype>`
	// shapesPerBlock is the number of shapes that share a block of ids.
	shapesPerBlock = 1024
)

// writeComments writes the parts of a workbook that contain its comments and their boxes.
func (a *annotations) writeComments(create func(name string) (io.Writer, error)) error {
	block := 1
	for i := range a.sheets {
		s := &a.sheets[i]
		w, err := create(fmt.Sprintf("xl/worksheets/_rels/sheet%d.xml.rels", s.sheet))
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, xmlHead+`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`+
			`<Relationship Id="rId1" Type="%s/vmlDrawing" Target="../drawings/vmlDrawing%d.vml"/>`+
			`<Relationship Id="rId2" Type="%s/comments" Target="../comments%d.xml"/></Relationships>`, relations, s.sheet, relations, s.sheet); err != nil {
			return err
		}
		if w, err = create(fmt.Sprintf("xl/comments%d.xml", s.sheet)); err != nil {
			return err
		}
		for _, part := range [][]byte{[]byte(commentsHead), s.xml, []byte(`</commentList></comments>`)} {
			if _, err := w.Write(part); err != nil {
				return err
			}
		}
		if w, err = create(fmt.Sprintf("xl/drawings/vmlDrawing%d.vml", s.sheet)); err != nil {
			return err
		}
		if block, err = s.writeBoxes(w, block); err != nil {
			return err
		}
	}
	return nil
}

// writeBoxes writes the boxes that display the comments. block is the number of the first block
// of ids, and next is the number of the first block that is still free.
func (s *sheetComments) writeBoxes(w io.Writer, block int) (next int, err error) {
	next = block + len(s.cells)/shapesPerBlock + 1
	var blocks []string
	for i := block; i < next; i++ {
		blocks = append(blocks, strconv.Itoa(i))
	}
	b := fmt.Appendf(nil, `%s<o:shapelayout v:ext="edit"><o:idmap v:ext="edit" data="%s"/></o:shapelayout>%s`, vmlHead, strings.Join(blocks, ","), vmlNote)
	for i, c := range s.cells {
		top := max(c.row-2, 0)
		b = fmt.Appendf(b, `<v:shape id="_x0000_s%d" type="#_x0000_t202" style="position:absolute;visibility:hidden" fillcolor="#ffffe1" o:insetmode="auto">`+
			`<v:fill color2="#ffffe1"/><v:shadow on="t" color="black" obscured="t"/><v:path o:connecttype="none"/><v:textbox/>`+
			`<x:ClientData ObjectType="Note"><x:MoveWithCells/><x:SizeWithCells/><x:Anchor>%d, 15, %d, 10, %d, 15, %d, 4</x:Anchor>`+
			`<x:AutoFill>False</x:AutoFill><x:Row>%d</x:Row><x:Column>%d</x:Column></x:ClientData></v:shape>`,
			block*shapesPerBlock+1+i, c.column+1, top, c.column+4, top+4, c.row-1, c.column)
		if len(b) >= flushBytes {
			if _, err := w.Write(b); err != nil {
				return next, err
			}
			b = b[:0]
		}
	}
	_, err = w.Write(append(b, "</xml>"...))
	return next, err
}

// optionsSheetXML returns the sheet with the values of drop-down lists, or nil if there is none.
// Each column has a header, so that no value is in the first row.
func (a *annotations) optionsSheetXML() []byte {
	if len(a.listed) == 0 {
		return nil
	}
	f := &xlsxWriter{}
	rows := 0
	for _, column := range a.listed {
		f.names = append(f.names, fmt.Sprintf("%s of column %s", optionsSheet, columnName(column)))
		rows = max(rows, len(a.columns[column].Options))
	}
	f.nameColumns()
	b := f.appendSheetHeader([]byte(sheetBegin))
	for row := range rows {
		b = f.appendRowStart(b)
		for i, column := range a.listed {
			if options := a.columns[column].Options; row < len(options) {
				b = f.appendText(b, i, 0, []byte(options[row]))
			}
		}
		b = append(b, "</row>"...)
	}
	return append(b, sheetEnd...)
}
