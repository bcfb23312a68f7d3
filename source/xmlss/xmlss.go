// Package xmlss reads workbooks in the XML format of Excel 2002 and 2003
// (SpreadsheetML), which systems save under the endings .xml and .xls.
//
// A workbook is one XML document: its styles, then its worksheets, each a table
// of rows of cells. A style names the number format of cells. A place is where a
// worksheet begins in the text of the file. The document is gone through twice,
// as a stream: once to find the worksheets, and once for each that is read.
//
// Read are the values that the file has stored, as Excel shows them. The package
// computes no formulas, follows no links, leaves out comments, names, pivot
// tables and colours, and refuses document type declarations (DOCTYPE). Merged
// cells have their value in the first of them. It does not read the XML of newer
// workbooks, which come in an archive.
package xmlss

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/charset"
	"github.com/intraydata/intray/source/grid"
)

// namespace is that of all elements of a workbook.
const namespace = "urn:schemas-microsoft-com:office:spreadsheet"

// Format is the format "xmlss". The zero value is ready.
type Format struct{}

// Name is "xmlss".
func (Format) Name() string { return "xmlss" }

// Detect takes XML documents that name Excel as their program, or whose first
// element is a workbook.
func (Format) Detect(_ source.Input, head []byte) (score float64, reason intray.Message) {
	text := plainHead(head)
	if first := bytes.TrimLeft(text, " \t\r\n"); len(first) == 0 || first[0] != '<' {
		return 0, intray.Message{}
	}
	if bytes.Contains(text, []byte("<?mso-application")) && bytes.Contains(text, []byte("Excel.Sheet")) {
		return 0.98, intray.NewMessage("xmlss.names_excel", nil)
	}
	s := newScanner(bytes.NewReader(text), len(text)+1)
	if kind, err := s.next(); err == nil && kind == tokenStart && string(local(s.name)) == "Workbook" && bytes.Contains(s.attrs, []byte(namespace)) {
		return 0.98, intray.NewMessage("xmlss.workbook_root", nil)
	}
	return 0, intray.Message{}
}

// plainHead gives the beginning of a file as UTF-8, without a byte order mark.
func plainHead(head []byte) []byte {
	guess := charset.Guess{}
	if len(head) > 1 && (head[0] == 0 || head[1] == 0 || head[0] >= 0xE0) {
		guess = charset.Detect(head, false)
	}
	text, err := io.ReadAll(charset.NewReader(bytes.NewReader(head[guess.BOM:]), guess.Encoding))
	if err != nil {
		return nil
	}
	return text
}

// Open goes through the document and lists its worksheets.
func (Format) Open(ctx context.Context, in source.Input, opt source.Options) (source.Book, error) {
	opt.Limits = opt.Limits.WithDefaults()
	doc, err := openDocument(in, opt.Encoding)
	if err != nil {
		return nil, err
	}
	s, err := surveyDocument(ctx, doc, opt.Limits)
	if err != nil {
		return nil, err
	}
	return grid.Book(&book{doc: doc, survey: s, limits: opt.Limits}, opt)
}

// book is an opened workbook. It does not change once it is open.
type book struct {
	doc    *document
	survey *survey
	limits source.Limits
}

func (b *book) Evidence() []intray.Evidence {
	return append([]intray.Evidence{b.doc.evidence()}, b.survey.evidence()...)
}

func (b *book) Sheets() []grid.Sheet {
	list := make([]grid.Sheet, len(b.survey.sheets))
	for i, s := range b.survey.sheets {
		list[i] = s.Sheet
	}
	return list
}

func (b *book) Rows(ctx context.Context, sheet int) (grid.Rows, error) {
	if sheet < 0 || sheet >= len(b.survey.sheets) {
		return nil, fmt.Errorf("read sheet %d of %d", sheet+1, len(b.survey.sheets))
	}
	return openRows(ctx, b, b.survey.sheets[sheet])
}

func (b *book) Close() error { return nil }
