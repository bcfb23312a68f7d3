package benchdata

import (
	"archive/zip"
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/flate"
)

// MaxWorkbookRows is the maximum number of rows below the header of a worksheet.
const MaxWorkbookRows = 1<<20 - 1

// WriteWorkbook writes the rows of Write as an XLSX file with one sheet, People. The id is a
// number, the amount is a number with the format #,##0.00, and the day is a serial number with
// the format yyyy-mm-dd. All other values are shared strings. Each distinct string is stored
// once, as in files that Excel writes. Memory use grows with the number of distinct phone
// numbers and notes.
//
// The format follows ECMA-376, part 1.
func WriteWorkbook(to io.Writer, rows int, seed uint64) error {
	if rows > MaxWorkbookRows {
		return fmt.Errorf("write a workbook of %d rows: a worksheet has at most %d", rows, MaxWorkbookRows)
	}
	archive := zip.NewWriter(to)
	archive.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(out, flate.DefaultCompression)
	})
	for _, part := range fixedParts {
		if err := writePart(archive, part.name, func(w *bufio.Writer) { fmt.Fprint(w, part.text) }); err != nil {
			return err
		}
	}
	var uses, texts int
	err := writePart(archive, "xl/worksheets/sheet1.xml", func(w *bufio.Writer) { uses, texts = writeSheet(w, rows, seed) })
	if err != nil {
		return err
	}
	// The rows are generated a second time, so that their strings need not stay in memory.
	err = writePart(archive, "xl/sharedStrings.xml", func(w *bufio.Writer) {
		fmt.Fprintf(w, `%s<sst xmlns="%s" count="%d" uniqueCount="%d">`, xml.Header, space, uses, texts)
		writeStrings(w, rows, seed)
		fmt.Fprint(w, `</sst>`)
	})
	if err != nil {
		return err
	}
	return archive.Close()
}

// writePart writes a file of the archive. The bufio.Writer stores the first error and
// returns it from Flush.
func writePart(archive *zip.Writer, name string, write func(*bufio.Writer)) error {
	part, err := archive.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(part, 1<<20)
	write(w)
	return w.Flush()
}

// shared assigns indexes to shared strings in the order of their first use. Email addresses and
// URLs contain the row number, so each is new and need not be stored.
type shared struct {
	uses, count int
	numbers     map[string]int
}

// number returns the index of a string in the table, and whether the string is new.
func (s *shared) number(column int, text string) (number int, fresh bool) {
	s.uses++
	once := column == columnEmail || column == columnURL
	if !once {
		if number, known := s.numbers[text]; known {
			return number, false
		}
		s.numbers[strings.Clone(text)] = s.count
	}
	s.count++
	return s.count - 1, true
}

func isNumber(column int) bool {
	return column == columnID || column == columnAmount || column == columnSignedUp
}

func writeSheet(w *bufio.Writer, rows int, seed uint64) (uses, texts int) {
	table := shared{numbers: map[string]int{}}
	fmt.Fprintf(w, `%s<worksheet xmlns="%s"><dimension ref="A1:J%d"/><sheetData>`, xml.Header, space, rows+1)
	header := [10]string(Header)
	line := appendRow(nil, 1, &header, &table)
	made := newRowGenerator(seed)
	for i := range rows {
		_, _ = w.Write(line)
		line = appendRow(line[:0], i+2, made.next(), &table)
	}
	fmt.Fprintf(w, `%s</sheetData></worksheet>`, line)
	return table.uses, table.count
}

// These attributes of a cell select a number format by its index in the styles.
const (
	styleDay    = ` s="1"`
	styleAmount = ` s="2"`
)

func appendRow(line []byte, number int, row *[10]string, table *shared) []byte {
	line = fmt.Appendf(line, `<row r="%d" spans="1:10">`, number)
	for i, cell := range row {
		line = append(line, `<c r="`...)
		line = append(line, 'A'+byte(i))
		line = strconv.AppendInt(line, int64(number), 10)
		line = append(line, '"')
		switch {
		case number == 1 || !isNumber(i):
			text, _ := table.number(i, cell)
			line = append(line, ` t="s"><v>`...)
			line = strconv.AppendInt(line, int64(text), 10)
		case i == columnSignedUp:
			line = append(append(line, styleDay...), "><v>"...)
			line = strconv.AppendInt(line, serial(cell), 10)
		case i == columnAmount:
			line = append(append(line, styleAmount...), "><v>"...)
			line = append(line, strings.TrimRight(cell, "0")...)
		default:
			line = append(append(line, "><v>"...), cell...)
		}
		line = append(line, "</v></c>"...)
	}
	return append(line, "</row>"...)
}

// serial returns the serial number of a day in the 1900 date system. The day must not be
// before March 1900.
func serial(day string) int64 {
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return 0
	}
	return at.Unix()/86400 + 25569
}

// writeStrings writes the shared strings in the order of the indexes that writeSheet uses.
func writeStrings(w *bufio.Writer, rows int, seed uint64) {
	table := shared{numbers: map[string]int{}}
	row := [10]string(Header)
	made := newRowGenerator(seed)
	for i := range rows + 1 {
		for column, cell := range row {
			if i > 0 && isNumber(column) {
				continue
			}
			if _, fresh := table.number(column, cell); fresh {
				writeText(w, cell)
			}
		}
		if i < rows {
			row = *made.next()
		}
	}
}

func writeText(w *bufio.Writer, text string) {
	if strings.ContainsAny(text, "&<>") {
		text = textEscapes.Replace(text)
	}
	for _, part := range [...]string{"<si><t>", text, "</t></si>"} {
		_, _ = w.WriteString(part)
	}
}

var textEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

const (
	space     = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	packaging = "http://schemas.openxmlformats.org/package/2006"
	kinds     = "application/vnd.openxmlformats-officedocument.spreadsheetml"
)

// fixedParts are the parts that are the same in every workbook.
var fixedParts = []struct{ name, text string }{
	{"[Content_Types].xml", xml.Header + `<Types xmlns="` + packaging + `/content-types">` +
		`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
		`<Override PartName="/xl/workbook.xml" ContentType="` + kinds + `.sheet.main+xml"/>` +
		`<Override PartName="/xl/worksheets/sheet1.xml" ContentType="` + kinds + `.worksheet+xml"/>` +
		`<Override PartName="/xl/styles.xml" ContentType="` + kinds + `.styles+xml"/>` +
		`<Override PartName="/xl/sharedStrings.xml" ContentType="` + kinds + `.sharedStrings+xml"/></Types>`},
	{"_rels/.rels", xml.Header + `<Relationships xmlns="` + packaging + `/relationships">` +
		`<Relationship Id="rId1" Type="` + relations + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
	{"xl/workbook.xml", xml.Header + `<workbook xmlns="` + space + `" xmlns:r="` + relations + `">` +
		`<sheets><sheet name="People" sheetId="1" r:id="rId1"/></sheets></workbook>`},
	{"xl/_rels/workbook.xml.rels", xml.Header + `<Relationships xmlns="` + packaging + `/relationships">` +
		`<Relationship Id="rId1" Type="` + relations + `/worksheet" Target="worksheets/sheet1.xml"/>` +
		`<Relationship Id="rId2" Type="` + relations + `/styles" Target="styles.xml"/>` +
		`<Relationship Id="rId3" Type="` + relations + `/sharedStrings" Target="sharedStrings.xml"/></Relationships>`},
	{"xl/styles.xml", xml.Header + `<styleSheet xmlns="` + space + `">` +
		`<numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\-mm\-dd"/></numFmts>` +
		`<fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>` +
		`<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>` +
		`<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>` +
		`<cellXfs count="3"><xf/><xf numFmtId="164" applyNumberFormat="1"/><xf numFmtId="4" applyNumberFormat="1"/></cellXfs></styleSheet>`},
}
