package output

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf8"

	fast "github.com/klauspost/compress/flate"

	"github.com/intraydata/intray"
)

// These are the limits of a worksheet (Excel specifications and limits). The first row of
// each sheet is the header.
const (
	sheetRows    = 1_048_576
	sheetColumns = 16_384
	// cellUnits is the maximum length of a cell in UTF-16 code units.
	cellUnits = 32_767
	// maxTruncatedListed is the maximum number of truncated cells that are listed.
	maxTruncatedListed = 10_000
)

// sheetSeparator separates the sheets that an xlsxWriter writes. XML never contains it.
const sheetSeparator = 0

// These are the styles of cells. They are indexes into the cellXfs element of the style sheet.
const (
	styleDate = iota + 1
	styleTimestamp
	styleTime
	styleHeader
	// styleText prevents applications from treating text as a formula when the cell is edited.
	styleText
	// styleError and styleWarning highlight cells with problems. The style after each of them
	// also has the properties of styleText.
	styleError
	styleErrorText
	styleWarning
	styleWarningText
)

const (
	sheetBegin = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n" +
		`<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetViews><sheetView workbookViewId="0">` +
		`<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>`
	sheetEnd = `</sheetData></worksheet>`
)

// xlsxWriter writes rows to worksheets (ECMA-376, part 1). It writes strings inline, so
// that it needs no table of shared strings in memory.
type xlsxWriter struct {
	fields []field
	names  []string
	kinds  []intray.TypeName
	// columns are the letters of the columns: A, B and so on. starts holds the start of the cells in each
	// column, up to these letters.
	columns []string
	starts  [][]byte
	passed  int
	// number is the number of the last row in its sheet, and sheet is the number of the
	// sheet. Both are counted from 1. digits is number in decimal.
	number, sheet int
	digits        []byte
	// maxRows is sheetRows, or a smaller number in tests.
	maxRows   int
	truncated truncatedCells
	// annotations is nil unless cells with problems are highlighted.
	annotations *annotations
}

// truncatedCells lists the cells whose text is too long for a workbook.
type truncatedCells struct {
	list []truncatedCell
	// total is the number of truncated cells, including those that are not listed.
	total int64
}

type truncatedCell struct {
	sheet, row int
	column     string
	units      int
}

func newXLSXWriter(schema *intray.Schema, fields []field) *xlsxWriter {
	f := &xlsxWriter{fields: fields, sheet: 1, maxRows: sheetRows}
	for i, schemaField := range schema.Fields {
		kind := schemaField.Type.Name
		if fields[i].write != nil || fields[i].manyColumns {
			kind = intray.TypeString
		}
		f.kinds = append(f.kinds, kind)
	}
	return f
}

func (f *xlsxWriter) appendStart(b []byte, columns []int) []byte {
	f.passed = len(columns)
	for i := range f.fields {
		f.names = append(f.names, f.fields[i].key)
	}
	for _, c := range columns {
		f.names = append(f.names, unmappedKey+"."+strconv.Itoa(c))
	}
	f.nameColumns()
	return f.appendSheetHeader(f.appendSheetBegin(b))
}

// nameColumns sets the letters of the columns.
func (f *xlsxWriter) nameColumns() {
	for i := range f.names {
		f.columns = append(f.columns, columnName(i))
		f.starts = append(f.starts, []byte(`<c r="`+f.columns[i]))
	}
}

func (f *xlsxWriter) appendSheetBegin(b []byte) []byte {
	if f.annotations != nil {
		return f.annotations.appendSheetBegin(b)
	}
	return append(b, sheetBegin...)
}

func (f *xlsxWriter) appendSheetEnd(b []byte) []byte {
	if f.annotations != nil {
		return f.annotations.appendSheetEnd(b, f.sheet, f.number, f.columns)
	}
	return append(b, sheetEnd...)
}

// columnName returns the letters of column i: A, B, … Z, AA and so on.
func columnName(i int) string {
	name := ""
	for i++; i > 0; i = (i - 1) / 26 {
		name = string(rune('A'+(i-1)%26)) + name
	}
	return name
}

// appendSheetHeader appends the start of a sheet, including the header row.
func (f *xlsxWriter) appendSheetHeader(b []byte) []byte {
	f.number = 0
	b = f.appendRowStart(b)
	for i, name := range f.names {
		b = f.appendText(b, i, styleHeader, []byte(name))
	}
	return append(b, "</row>"...)
}

func (f *xlsxWriter) appendRowStart(b []byte) []byte {
	f.number++
	f.digits = strconv.AppendInt(f.digits[:0], int64(f.number), 10)
	return append(append(append(b, `<row r="`...), f.digits...), `">`...)
}

func (f *xlsxWriter) rowSeparator() string { return "" }

func (f *xlsxWriter) appendEnd(b []byte, _ int64) ([]byte, error) { return f.appendSheetEnd(b), nil }

func (f *xlsxWriter) appendRow(b []byte, r *rowCursor, _ bool) ([]byte, error) {
	if f.number == f.maxRows {
		b = append(f.appendSheetEnd(b), sheetSeparator)
		f.sheet++
		b = f.appendSheetHeader(f.appendSheetBegin(b))
	}
	b = f.appendRowStart(b)
	if f.annotations != nil {
		f.annotations.markCells(r, f.sheet, f.number, f.columns)
	}
	for i := range f.fields {
		if text, prepared := r.preparedCell(i); prepared {
			if len(text) > 0 {
				b = append(f.appendReference(b, i), text...)
			}
			continue
		}
		v, kind, err := r.outputValue(i, &f.fields[i])
		if err != nil {
			return b, err
		}
		if kind == null {
			continue
		}
		if b, err = f.appendContent(f.appendReference(b, i), i, v, kind); err != nil {
			return b, err
		}
	}
	for i := range f.passed {
		b = f.appendText(b, len(f.fields)+i, 0, r.batch.Unmapped[i].Cells.At(r.index))
	}
	return append(b, "</row>"...), nil
}

// appendReference appends the start of a cell up to its reference.
func (f *xlsxWriter) appendReference(b []byte, i int) []byte {
	return append(append(b, f.starts[i]...), f.digits...)
}

// errTruncated reports a cell that is recorded with its row.
var errTruncated = errors.New("the text of the cell is too long")

// appendValue appends a cell without its start, which contains the number of the row.
func (f *xlsxWriter) appendValue(b []byte, i int, v []byte, kind content) ([]byte, error) {
	switch {
	case kind == null:
		return b, nil
	case utf16Length(v) > cellUnits:
		return b, errTruncated
	}
	return f.appendContent(b, i, v, kind)
}

// isPlain returns false, because the writer examines each text anyway.
func (f *xlsxWriter) isPlain([]byte) bool { return false }

// appendContent appends the rest of a cell that is not null, after its reference. It writes a number as text
// if a workbook would not keep all its digits.
func (f *xlsxWriter) appendContent(b []byte, i int, v []byte, kind content) ([]byte, error) {
	if kind == received {
		return f.appendInline(b, i, 0, v), nil
	}
	shape := f.fields[i].shape
	if (shape == numberShape || shape == booleanShape) && !shape.isLiteral(v) {
		return b, fmt.Errorf("the value of field %q does not have the format of its type", f.fields[i].key)
	}
	switch {
	case shape == booleanShape && v[0] == 't':
		return append(b, `" t="b"><v>1</v></c>`...), nil
	case shape == booleanShape:
		return append(b, `" t="b"><v>0</v></c>`...), nil
	case shape == numberShape && fitsFloatDigits(v):
		return append(append(append(b, `"><v>`...), v...), "</v></c>"...), nil
	}
	if serial, style, ok := excelSerial(f.kinds[i], v); ok {
		b = strconv.AppendFloat(appendStyle(b, style, `"><v>`), serial, 'f', -1, 64)
		return append(b, "</v></c>"...), nil
	}
	return f.appendInline(b, i, 0, v), nil
}

// appendStyle appends the style of a cell and the string rest.
func appendStyle(b []byte, style int, rest string) []byte {
	if style > 0 {
		b = strconv.AppendInt(append(b, `" s="`...), int64(style), 10)
	}
	return append(b, rest...)
}

// appendText appends a text cell.
func (f *xlsxWriter) appendText(b []byte, i, style int, v []byte) []byte {
	return f.appendInline(f.appendReference(b, i), i, style, v)
}

// appendInline appends the rest of a text cell, after its reference, so that no application treats the text
// as a formula.
func (f *xlsxWriter) appendInline(b []byte, i, style int, v []byte) []byte {
	isFormula := style == 0 && len(v) > 0 && startsFormula(v)
	if isFormula {
		style = styleText
	}
	if f.annotations != nil && style != styleHeader && i < len(f.annotations.styles) && f.annotations.styles[i] > 0 {
		style = f.annotations.styles[i]
		if isFormula {
			style++
		}
	}
	if units := utf16Length(v); units > cellUnits {
		f.truncated.record(truncatedCell{f.sheet, f.number, f.names[i], units})
		v = truncateText(v)
	}
	end := plainXMLEnd(v, 0)
	if end == len(v) && (end == 0 || v[0] != ' ' && v[end-1] != ' ') {
		b = append(appendStyle(b, style, `" t="inlineStr"><is><t>`), v...)
		return append(b, "</t></is></c>"...)
	}
	start := `" t="inlineStr"><is><t>`
	if hasXMLSpace(v) {
		start = `" t="inlineStr"><is><t xml:space="preserve">`
	}
	return append(appendXML(appendStyle(b, style, start), v), "</t></is></c>"...)
}

// hasXMLSpace reports whether applications may change the white space of a text, which must not be empty,
// unless the XML says otherwise: a line break or a tab anywhere, and a space at the beginning or the end.
func hasXMLSpace(v []byte) bool {
	return v[0] == ' ' || v[len(v)-1] == ' ' || bytes.IndexByte(v, '\n') >= 0 || bytes.IndexByte(v, '\t') >= 0
}

func (c *truncatedCells) record(cell truncatedCell) {
	if c.total++; c.total <= maxTruncatedListed {
		c.list = append(c.list, cell)
	}
}

// utf16Length returns the length of v in UTF-16 code units. If v has at most cellUnits
// bytes, it returns the number of bytes, which is an upper bound.
func utf16Length(v []byte) (n int) {
	if len(v) <= cellUnits {
		return len(v) // an upper bound
	}
	for len(v) > 0 {
		r, size := utf8.DecodeRune(v)
		if n++; r > 0xffff {
			n++
		}
		v = v[size:]
	}
	return n
}

// truncateText truncates text to the maximum length of a cell, including … at the end.
func truncateText(v []byte) []byte {
	n := 0
	for at := 0; at < len(v); {
		r, size := utf8.DecodeRune(v[at:])
		if n++; r > 0xffff {
			n++
		}
		if n > cellUnits-1 {
			return append(v[:at:at], "…"...)
		}
		at += size
	}
	return v
}

// fitsFloatDigits reports whether a workbook keeps all digits of a number. A workbook stores
// numbers in binary, with a precision of 15 decimal digits.
func fitsFloatDigits(v []byte) bool {
	const most = 15
	digits, zeros := 0, 0
	for _, c := range v {
		switch {
		case c == 'e' || c == 'E':
			return false
		case c == '-' || c == '.':
		case c == '0' && digits == 0: // leading zeros do not count
		case c == '0':
			zeros++
		default:
			digits, zeros = digits+zeros+1, 0
		}
	}
	return digits <= most && len(v) <= 64
}

const (
	// excelEpoch is the number of days between day 0 in a workbook and 1970-01-01.
	excelEpoch = 25_569
	// firstExcelDay is 1900-03-01. Applications disagree on earlier days, because some
	// treat 1900 as a leap year.
	firstExcelDay = 61
)

// excelSerial returns the serial number of a date, a time or both in a workbook, and the
// style that displays it.
func excelSerial(kind intray.TypeName, v []byte) (serial float64, style int, ok bool) {
	var days, micros int64
	switch kind {
	case intray.TypeDate:
		days, ok = parseDate(v)
		style = styleDate
	case intray.TypeDatetime:
		if micros, ok = parseTimestamp(v); ok {
			days, _ = parseDate(v[:10])
			micros -= days * microsOfDay
		}
		style = styleTimestamp
	case intray.TypeTime:
		micros, ok = parseTimeOfDay(v)
		return float64(micros/1_000_000) / secondsOfDay, styleTime, ok
	}
	if days += excelEpoch; days < firstExcelDay {
		return 0, 0, false
	}
	return float64(days) + float64(micros/1_000_000)/secondsOfDay, style, ok
}

// appendXML appends text in XML. Like spreadsheet applications, it writes _xHHHH_ in place of a
// character that XML does not allow. It also escapes text that looks like such an escape.
func appendXML(b, s []byte) []byte {
	from := 0 // of the text that is copied unchanged
	for at := plainXMLEnd(s, 0); at < len(s); at = plainXMLEnd(s, at) {
		c, size := rune(s[at]), 1
		if c >= utf8.RuneSelf {
			c, size = utf8.DecodeRune(s[at:])
		}
		escape := ""
		switch {
		case c == '&':
			escape = "&amp;"
		case c == '<':
			escape = "&lt;"
		case c == '>':
			escape = "&gt;"
		case c == utf8.RuneError && size == 1:
			escape = "\ufffd"
		case c == 0xfffe || c == 0xffff, c < ' ' && c != '\t' && c != '\n', c == '_' && isXMLEscape(s[at:]):
			b = appendXMLEscape(append(b, s[from:at]...), c)
			from = at + size
		}
		if escape != "" {
			b = append(append(b, s[from:at]...), escape...)
			from = at + size
		}
		at += size
	}
	return append(b, s[from:]...)
}

// plainXMLEnd returns the index of the first byte at or after i that is not plain ASCII in XML: a control
// character, & < > _ or not ASCII. Its mask is like that of plainPrefixEnd.
func plainXMLEnd(s []byte, i int) int {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(s); i += 8 {
		w := binary.LittleEndian.Uint64(s[i:])
		and, angle, underscore := w^ones*'&', (w|ones*2)^ones*'>', w^ones*'_'
		found := (w - ones*' ') | (and - ones) | (angle - ones) | (underscore - ones) | w
		if found &= high; found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for ; i < len(s); i++ {
		if c := s[i]; c < ' ' || c == '&' || c|2 == '>' || c == '_' || c >= utf8.RuneSelf {
			break
		}
	}
	return i
}

func appendXMLEscape(b []byte, r rune) []byte { return fmt.Appendf(b, "_x%04X_", r) }

// isXMLEscape reports whether text begins with an escape such as _x000D_.
func isXMLEscape(s []byte) bool {
	if len(s) < 7 || s[1] != 'x' || s[6] != '_' {
		return false
	}
	for _, c := range s[2:6] {
		if c|0x20 < 'a' && (c < '0' || c > '9') || c|0x20 > 'f' {
			return false
		}
	}
	return true
}

// workbook writes the sheets of an xlsxWriter to a file without buffering them.
type workbook struct {
	zip    *zip.Writer
	sheet  io.Writer
	sheets int
}

// zipBuffer is the size of the buffer for the compressed file, in bytes.
const zipBuffer = 64 << 10

func newWorkbook(w io.Writer) *workbook {
	z := zip.NewWriter(bufio.NewWriterSize(w, zipBuffer)) // zip.Writer uses its buffer and flushes it
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return fast.NewWriter(w, flate.BestSpeed)
	})
	return &workbook{zip: z}
}

// Write writes the XML of an xlsxWriter. sheetSeparator starts the next sheet.
func (w *workbook) Write(b []byte) (int, error) {
	written := 0
	for {
		if w.sheet == nil {
			if err := w.startSheet(); err != nil {
				return written, err
			}
		}
		at := bytes.IndexByte(b, sheetSeparator)
		part := b
		if at >= 0 {
			part = b[:at]
		}
		n, err := w.sheet.Write(part)
		if written += n; err != nil || at < 0 {
			return written, err
		}
		written++
		b, w.sheet = b[at+1:], nil
	}
}

func (w *workbook) startSheet() (err error) {
	w.sheets++
	w.sheet, err = w.zip.Create(fmt.Sprintf("xl/worksheets/sheet%d.xml", w.sheets))
	return err
}

const (
	relations  = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	sheetMedia = "application/vnd.openxmlformats-officedocument.spreadsheetml."
	xmlHead    = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	styles     = xmlHead + `<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">` +
		`<numFmts count="3"><numFmt numFmtId="164" formatCode="yyyy\-mm\-dd"/><numFmt numFmtId="165" formatCode="yyyy\-mm\-dd\ hh:mm:ss"/><numFmt numFmtId="166" formatCode="hh:mm:ss"/></numFmts>` +
		`<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>` +
		`<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>` +
		`<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>` +
		`<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>` +
		`<cellXfs count="6"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>` +
		`<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>` +
		`<xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>` +
		`<xf numFmtId="166" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>` +
		`<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>` +
		`<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" quotePrefix="1" applyNumberFormat="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`
)

// annotatedStyles are the styles of a workbook with annotations.
var annotatedStyles = strings.NewReplacer(
	`<fills count="2">`, `<fills count="4">`,
	`</fills>`, `<fill><patternFill patternType="solid"><fgColor rgb="FFFFC7CE"/><bgColor indexed="64"/></patternFill></fill>`+
		`<fill><patternFill patternType="solid"><fgColor rgb="FFFFEB9C"/><bgColor indexed="64"/></patternFill></fill></fills>`,
	`<cellXfs count="6">`, `<cellXfs count="10">`,
	`</cellXfs>`, `<xf numFmtId="0" fontId="0" fillId="2" borderId="0" xfId="0" applyFill="1"/>`+
		`<xf numFmtId="49" fontId="0" fillId="2" borderId="0" xfId="0" quotePrefix="1" applyNumberFormat="1" applyFill="1"/>`+
		`<xf numFmtId="0" fontId="0" fillId="3" borderId="0" xfId="0" applyFill="1"/>`+
		`<xf numFmtId="49" fontId="0" fillId="3" borderId="0" xfId="0" quotePrefix="1" applyNumberFormat="1" applyFill="1"/></cellXfs>`,
).Replace(styles)

// close ends the file. It adds a sheet that lists the truncated cells, if any. notes is nil
// unless the workbook has annotations.
func (w *workbook) close(cut truncatedCells, notes *annotations) error {
	names := make([]string, 0, w.sheets+1)
	for i := range w.sheets {
		names = append(names, fmt.Sprintf("Rows %d", i+1))
	}
	if cut.total > 0 {
		w.sheet = nil
		if _, err := w.Write(truncatedCellsSheet(cut)); err != nil {
			return err
		}
		names = append(names, "Cut cells")
	}
	if notes != nil {
		if options := notes.optionsSheetXML(); options != nil {
			w.sheet = nil
			if _, err := w.Write(options); err != nil {
				return err
			}
			names = append(names, optionsSheet)
		}
		if err := notes.writeComments(w.zip.Create); err != nil {
			return err
		}
	}
	for _, p := range workbookParts(names, notes) {
		to, err := w.zip.Create(p.name)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(to, p.text); err != nil {
			return err
		}
	}
	return w.zip.Close()
}

type workbookPart struct{ name, text string }

// workbookParts returns the parts of a workbook with the given sheets, except the sheets
// themselves and their comments.
func workbookParts(names []string, notes *annotations) []workbookPart {
	var types, sheets, links strings.Builder
	styles, hidden := styles, ""
	if notes != nil {
		styles = annotatedStyles
		types.WriteString(`<Default Extension="vml" ContentType="application/vnd.openxmlformats-officedocument.vmlDrawing"/>`)
		for _, s := range notes.sheets {
			fmt.Fprintf(&types, `<Override PartName="/xl/comments%d.xml" ContentType="%scomments+xml"/>`, s.sheet, sheetMedia)
		}
	}
	for i, name := range names {
		if name == optionsSheet {
			hidden = ` state="hidden"`
		}
		fmt.Fprintf(&types, `<Override PartName="/xl/worksheets/sheet%d.xml" ContentType="%sworksheet+xml"/>`, i+1, sheetMedia)
		fmt.Fprintf(&sheets, `<sheet name="%s" sheetId="%d"%s r:id="rId%d"/>`, name, i+1, hidden, i+1)
		fmt.Fprintf(&links, `<Relationship Id="rId%d" Type="%s/worksheet" Target="worksheets/sheet%d.xml"/>`, i+1, relations, i+1)
	}
	return []workbookPart{
		{"[Content_Types].xml", xmlHead + `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
			`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>` +
			`<Override PartName="/xl/workbook.xml" ContentType="` + sheetMedia + `sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="` + sheetMedia + `styles+xml"/>` +
			types.String() + `</Types>`},
		{"_rels/.rels", xmlHead + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
			`<Relationship Id="rId1" Type="` + relations + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
		{"xl/workbook.xml", xmlHead + `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="` + relations + `"><sheets>` +
			sheets.String() + `</sheets></workbook>`},
		{"xl/_rels/workbook.xml.rels", xmlHead + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
			links.String() + `<Relationship Id="rIdStyles" Type="` + relations + `/styles" Target="styles.xml"/></Relationships>`},
		{"xl/styles.xml", styles},
	}
}

// truncatedCellsSheet returns the sheet that lists the truncated cells.
func truncatedCellsSheet(cut truncatedCells) []byte {
	f := &xlsxWriter{names: []string{"sheet", "row", "field", "characters"}}
	f.nameColumns()
	b := f.appendSheetHeader([]byte(sheetBegin))
	for _, c := range cut.list {
		b = f.appendRowStart(b)
		b = f.appendText(b, 0, 0, fmt.Appendf(nil, "Rows %d", c.sheet))
		b = f.appendText(b, 1, 0, fmt.Append(nil, c.row))
		b = f.appendText(b, 2, 0, []byte(c.column))
		b = append(f.appendText(b, 3, 0, fmt.Append(nil, c.units)), "</row>"...)
	}
	b = f.appendRowStart(b)
	b = f.appendText(b, 0, 0, fmt.Appendf(nil, "Cells with more than %d characters, the most that a workbook takes: %d. They were cut; other formats have them whole.", cellUnits, cut.total))
	return append(append(b, "</row>"...), sheetEnd...)
}
