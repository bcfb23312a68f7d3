package ods

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
	"github.com/intraydata/intray/source/sourcetest/workbooktest"
	"github.com/intraydata/intray/source/workbook"
)

const (
	spreadsheetKind = "application/vnd.oasis.opendocument.spreadsheet"
	uris            = "urn:oasis:names:tc:opendocument:xmlns:"
	declared        = ` xmlns:office="` + uris + `office:1.0" xmlns:style="` + uris + `style:1.0" xmlns:text="` + uris + `text:1.0" xmlns:table="` + uris +
		`table:1.0" xmlns:draw="` + uris + `drawing:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:calcext="urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0" office:version="1.3"`
	styles = `<office:automatic-styles><style:style style:name="ta1" style:family="table"><style:table-properties table:display="true"/></style:style>` +
		`<style:style style:name="ta2" style:family="table"><style:table-properties table:display="false" style:writing-mode="lr-tb"/></style:style></office:automatic-styles>`
)

// entry is an entry of an archive.
type entry = sourcetest.Entry

// table returns the XML of a sheet.
func table(name, rows string) string {
	return `<table:table table:name="` + name + `" table:style-name="ta1"><table:table-column table:number-columns-repeated="16384"/>` + rows + `</table:table>`
}

// row returns the XML of a row of cells.
func row(cells ...string) string {
	return `<table:table-row table:style-name="ro1">` + strings.Join(cells, "") + `</table:table-row>`
}

// text returns the XML of a cell with one line of text.
func text(line string) string {
	return `<table:table-cell office:value-type="string" calcext:value-type="string"><text:p>` + line + `</text:p></table:table-cell>`
}

// number returns the XML of a cell that displays its number unchanged.
func number(n any) string {
	return fmt.Sprintf(`<table:table-cell office:value-type="float" office:value="%v" calcext:value-type="float"><text:p>%[1]v</text:p></table:table-cell>`, n)
}

// body returns the content of a workbook with the given sheets.
func body(sheets ...string) string {
	return `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<office:document-content` + declared + `><office:scripts/><office:font-face-decls/>` + styles +
		`<office:body><office:spreadsheet>` + strings.Join(sheets, "") + `<table:named-expressions/></office:spreadsheet></office:body></office:document-content>`
}

// flat returns a flat document with the given sheets.
func flat(sheets ...string) string {
	return strings.NewReplacer("<office:document-content", `<office:document office:mimetype="`+spreadsheetKind+`"`, "</office:document-content", "</office:document").Replace(body(sheets...))
}

// around returns the entries of a workbook with the given content.
func around(content string) []entry {
	return []entry{
		sourcetest.File(mimetypePart, spreadsheetKind),
		sourcetest.File(manifestPart, `<manifest:manifest xmlns:manifest="`+uris+`manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="`+spreadsheetKind+`"/><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>`),
		sourcetest.File(contentPart, content),
	}
}

// with returns a copy of list in which the entry with the given name is added or replaced.
func with(list []entry, name, text string) []entry {
	list = slices.Clone(list)
	for i := range list {
		if list[i].Name == name {
			list[i].Text = text
			return list
		}
	}
	return append(list, sourcetest.File(name, text))
}

func without(list []entry, name string) []entry {
	return slices.DeleteFunc(slices.Clone(list), func(e entry) bool { return e.Name == name })
}

// archived returns an archive with the given entries.
func archived(tb testing.TB, list []entry) []byte {
	tb.Helper()
	return sourcetest.Zip(tb, list...)
}

// workbookFile returns the file of a workbook with the given sheets.
func workbookFile(tb testing.TB, sheets ...string) []byte {
	tb.Helper()
	return archived(tb, around(body(sheets...)))
}

func input(file []byte) source.Input { return sourcetest.NewInput("book.ods", file) }

// readFile reads the first sheet of a file.
func readFile(ctx context.Context, file []byte, limits Limits) (cells []string, err error) {
	book, err := Open(ctx, input(file), limits)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, book.Close()) }()
	return workbooktest.ReadSheet(ctx, book, 0)
}

// opened opens a workbook and closes it at the end of the test.
func opened(t *testing.T, file []byte) workbook.Workbook {
	t.Helper()
	book, err := Open(t.Context(), input(file), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	sourcetest.CloseAfter(t, book)
	return book
}
