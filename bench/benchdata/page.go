package benchdata

import (
	"archive/zip"
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/klauspost/compress/flate"
)

// WritePage writes the rows of Write as a web page with one table, which has a header. Line breaks are
// br elements.
func WritePage(to io.Writer, rows int, seed uint64) error {
	w := bufio.NewWriterSize(to, 1<<20)
	fmt.Fprint(w, "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>People</title></head>\n<body><table border=\"1\">\n<tr>")
	for _, name := range Header {
		fmt.Fprintf(w, "<th>%s</th>", name)
	}
	fmt.Fprint(w, "</tr>\n")
	made := newRowGenerator(seed)
	var line []byte
	for range rows {
		line = append(line[:0], "<tr>"...)
		for _, cell := range made.next() {
			line = append(append(append(line, "<td>"...), pageEscapes.Replace(cell)...), "</td>"...)
		}
		if _, err := w.Write(append(line, "</tr>\n"...)); err != nil {
			return err
		}
	}
	fmt.Fprint(w, "</table></body></html>\n")
	return w.Flush()
}

var pageEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\n", "<br>")

const documentType = "application/vnd.oasis.opendocument.spreadsheet"

// documentSpaces are the namespaces that the parts of an OpenDocument spreadsheet use.
const documentSpaces = `xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" ` +
	`xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" ` +
	`xmlns:number="urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0" xmlns:calcext="urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0"`

// documentStyles are the styles of days and amounts.
const documentStyles = `<office:automatic-styles>` +
	`<number:date-style style:name="N1"><number:year number:style="long"/><number:text>-</number:text><number:month number:style="long"/><number:text>-</number:text><number:day number:style="long"/></number:date-style>` +
	`<number:number-style style:name="N2"><number:number number:decimal-places="2" number:min-integer-digits="1" number:grouping="true"/></number:number-style>` +
	`<style:style style:name="ce1" style:family="table-cell" style:data-style-name="N1"/><style:style style:name="ce2" style:family="table-cell" style:data-style-name="N2"/></office:automatic-styles>`

// WriteDocument writes the rows of Write as an OpenDocument spreadsheet with one sheet, People, in the way
// of LibreOffice. The id and the amount are numbers and the day is a date. Line breaks separate paragraphs.
//
// The format follows OpenDocument 1.3, part 3.
func WriteDocument(to io.Writer, rows int, seed uint64) error {
	archive := zip.NewWriter(to)
	archive.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(out, flate.DefaultCompression)
	})
	kind, err := archive.CreateHeader(&zip.FileHeader{Name: "mimetype", Method: zip.Store})
	if err != nil {
		return err
	}
	if _, err := io.WriteString(kind, documentType); err != nil {
		return err
	}
	const manifest = `<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" manifest:version="1.3">` +
		`<manifest:file-entry manifest:full-path="/" manifest:media-type="` + documentType + `"/>` +
		`<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>`
	if err := writePart(archive, "META-INF/manifest.xml", func(w *bufio.Writer) { fmt.Fprint(w, xml.Header, manifest) }); err != nil {
		return err
	}
	if err := writePart(archive, "content.xml", func(w *bufio.Writer) { writeContent(w, rows, seed) }); err != nil {
		return err
	}
	return archive.Close()
}

func writeContent(w *bufio.Writer, rows int, seed uint64) {
	fmt.Fprint(w, xml.Header, `<office:document-content `, documentSpaces, ` office:version="1.3">`, documentStyles,
		`<office:body><office:spreadsheet><table:table table:name="People"><table:table-column table:number-columns-repeated="10"/>`)
	header := [10]string(Header)
	line := appendDocumentRow(nil, &header, true)
	made := newRowGenerator(seed)
	for range rows {
		_, _ = w.Write(line)
		line = appendDocumentRow(line[:0], made.next(), false)
	}
	_, _ = w.Write(line)
	fmt.Fprint(w, `</table:table></office:spreadsheet></office:body></office:document-content>`)
}

func appendDocumentRow(line []byte, row *[10]string, header bool) []byte {
	line = append(line, `<table:table-row>`...)
	for i, cell := range row {
		switch {
		case header || !isNumber(i):
			line = append(line, `<table:table-cell office:value-type="string" calcext:value-type="string">`...)
			cell = textEscapes.Replace(cell)
		case i == columnSignedUp:
			line = fmt.Appendf(line, `<table:table-cell table:style-name="ce1" office:value-type="date" office:date-value="%s" calcext:value-type="date">`, cell)
		case i == columnAmount:
			line = fmt.Appendf(line, `<table:table-cell table:style-name="ce2" office:value-type="float" office:value="%s" calcext:value-type="float">`, strings.TrimRight(cell, "0"))
			cell = grouped(cell)
		default:
			line = fmt.Appendf(line, `<table:table-cell office:value-type="float" office:value="%s" calcext:value-type="float">`, cell)
		}
		for paragraph := range strings.SplitSeq(cell, "\n") {
			line = append(append(append(line, `<text:p>`...), paragraph...), `</text:p>`...)
		}
		line = append(line, `</table:table-cell>`...)
	}
	return append(line, `</table:table-row>`...)
}

// grouped returns an amount below one million with a comma after the thousands.
func grouped(amount string) string {
	if at := strings.IndexByte(amount, '.') - 3; at > 0 {
		return amount[:at] + "," + amount[at:]
	}
	return amount
}

// cents returns an amount in hundredths.
func cents(amount string) int {
	n, err := strconv.Atoi(strings.Replace(amount, ".", "", 1))
	if err != nil {
		return 0
	}
	return n
}
