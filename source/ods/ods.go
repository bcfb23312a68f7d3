// Package ods reads OpenDocument spreadsheets: .ods, .ots and the flat format .fods.
//
// A part is one entry of the archive. The content is the part that holds all sheets in order. A
// flat document consists of the content alone. The package matches namespaces by URI and accepts
// any prefix. A cell has a value, stored as an attribute, and the text that the application
// displays, stored as paragraphs. Equal adjacent rows, cells and spaces are stored once with a
// repetition count. The package returns them that many times.
//
// The package reports merged ranges and hidden sheets, rows and columns. A merged range
// has a value only in its first cell.
//
// The package does not calculate formulas (it reads their stored results), run macros,
// follow links, read tables within cells, read text documents or ask for passwords.
package ods

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"sync"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/zipfile"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/workbook"
)

// Limits restricts the resources that reading one workbook may use. A zero field means
// its default.
type Limits struct {
	// InflatedBytes is the maximum total size of all inflated parts, in bytes. A part
	// that is read twice counts once. Default 4 GiB.
	InflatedBytes int64
	// PartBytes is the maximum size of one inflated part, in bytes. Default 4 GiB. For
	// parts other than the content, it is never more than 64 MiB.
	PartBytes int64
	// Ratio is the maximum number of inflated bytes per compressed byte. It applies to
	// parts larger than 16 MiB. Default 500.
	Ratio int64
	// Entries is the maximum number of entries in the archive. Default 10,000.
	Entries int
	// Sheets is the maximum number of sheets, and also of styles of hidden sheets. Default 4,096.
	Sheets int
	// NameBytes is the maximum length of the name of a sheet or style, in bytes. Default 4 KiB.
	NameBytes int
	// Rows is the highest number that a row with cells may have. Default 16,777,216.
	Rows int64
	// Columns is the maximum number of columns. Default 16,384.
	Columns int
	// CellBytes is the maximum length of the text in one cell, in bytes. Default 16 MiB.
	CellBytes int
	// RowBytes is the maximum length of all text in one row, in bytes. Default 32 MiB.
	RowBytes int
	// SheetBytes is the maximum length of all text in one sheet, in bytes. Default 8 GiB.
	SheetBytes int64
	// RepeatedBytes is the maximum size of all repetitions of rows, cells and spaces
	// that are stored once with a count, in bytes. Each repetition of a cell counts as
	// 16 bytes plus the length of its text. Default 1 GiB.
	RepeatedBytes int64
	// Merges is the maximum number of merged ranges in one sheet. Default 1,048,576.
	Merges int
	// Depth is the maximum nesting depth of XML elements. Default 128.
	Depth int
}

// WithDefaults returns l with zero fields set to their defaults.
func (l Limits) WithDefaults() Limits {
	l.InflatedBytes = cmp.Or(l.InflatedBytes, 4<<30)
	l.PartBytes = cmp.Or(l.PartBytes, 4<<30)
	l.Ratio = cmp.Or(l.Ratio, 500)
	l.Entries = cmp.Or(l.Entries, 10_000)
	l.Sheets = cmp.Or(l.Sheets, 4096)
	l.NameBytes = cmp.Or(l.NameBytes, 4<<10)
	l.Rows = cmp.Or(l.Rows, 1<<24)
	l.Columns = cmp.Or(l.Columns, 1<<14)
	l.CellBytes = cmp.Or(l.CellBytes, 16<<20)
	l.RowBytes = cmp.Or(l.RowBytes, 32<<20)
	l.SheetBytes = cmp.Or(l.SheetBytes, 8<<30)
	l.RepeatedBytes = cmp.Or(l.RepeatedBytes, 1<<30)
	l.Merges = cmp.Or(l.Merges, 1<<20)
	l.Depth = cmp.Or(l.Depth, 128)
	return l
}

// Open reads the whole workbook once, to list its sheets and to check that it is
// complete. It returns a *source.UnreadableError, a *source.LimitError, or an error
// from ctx or the input. The input must stay open until the workbook is closed.
func Open(ctx context.Context, in source.Input, limits Limits) (workbook.Workbook, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	pack, err := openDocument(ctx, zipfile.NewInput(in), limits.WithDefaults())
	if err != nil {
		return nil, zipfile.Cause(ctx, err)
	}
	list, err := readWorkbookInfo(ctx, pack)
	if err != nil {
		return nil, zipfile.Cause(ctx, err)
	}
	return &book{doc: pack, info: list}, nil
}

// book is an opened workbook.
type book struct {
	doc  *document
	info workbookInfo

	mu sync.Mutex
	// idle is the content reader that was released last, or nil. It is positioned after the sheet
	// that was closed last, so that reading the sheets in order inflates the content only once.
	idle   *contentReader
	closed bool
}

// Evidence reports the date system, hidden sheets and ignored macros.
func (b *book) Evidence() []intray.Evidence {
	system := intray.Evidence{Choice: "date system", Value: b.info.nullDate, Reason: intray.NewMessage("opendocument.usual_day_zero", nil)}
	if b.info.nullDate != defaultNullDate {
		system.Reason = intray.NewMessage("opendocument.other_day_zero", intray.Params{"usual": defaultNullDate})
	}
	list := append([]intray.Evidence{system}, workbook.HiddenSheets(b.info.sheets)...)
	if b.info.macros {
		list = append(list, intray.Evidence{Choice: "macros", Value: "ignored", Reason: intray.NewMessage("workbook.macros", nil)})
	}
	if b.info.trailing {
		list = append(list, workbook.TextAfter(contentPart)...)
	}
	if archive := b.doc.archive; archive != nil {
		list = append(list, workbook.Backslashes(archive.Backslash())...)
	}
	return list
}

// Sheets returns the sheets in workbook order.
func (b *book) Sheets() []workbook.Sheet {
	list := make([]workbook.Sheet, len(b.info.sheets))
	copy(list, b.info.sheets)
	return list
}

// Rows starts to read a sheet. Several sheets may be read at once. The returned rows
// report merged ranges and hidden columns.
func (b *book) Rows(ctx context.Context, sheet int) (workbook.Rows, error) {
	if sheet < 0 || sheet >= len(b.info.sheets) {
		return nil, fmt.Errorf("open sheet %d of a workbook with %d", sheet, len(b.info.sheets))
	}
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	c := b.acquireContent(sheet)
	if c == nil {
		var err error
		if c, err = openContent(ctx, b.doc, nil); err != nil {
			return nil, zipfile.Cause(ctx, err)
		}
	}
	if err := c.seekSheet(ctx, sheet); err != nil {
		c.close()
		return nil, zipfile.Cause(ctx, err)
	}
	return &rows{book: b, content: c, scan: c.scan, limits: b.doc.limits, name: b.info.sheets[sheet].Name}, nil
}

// acquireContent returns the idle content if it is not past the sheet, and nil otherwise.
func (b *book) acquireContent(sheet int) *contentReader {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.idle
	if c == nil || c.entered > sheet {
		return nil
	}
	b.idle = nil
	return c
}

// releaseContent keeps c as the idle content, or closes it if the book is closed.
func (b *book) releaseContent(c *contentReader) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		c.close()
		return
	}
	if b.idle != nil {
		b.idle.close()
	}
	b.idle = c
}

// Close closes the idle content.
func (b *book) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.idle != nil {
		b.idle.close()
		b.idle = nil
	}
	b.closed = true
	return nil
}

// Format is the format "ods". The zero value is ready to use.
type Format struct{}

// Name returns "ods".
func (Format) Name() string { return "ods" }

// Open implements [source.Format]. It reads the whole workbook once, to list the sheets.
func (Format) Open(ctx context.Context, in source.Input, opt source.Options) (source.Book, error) {
	limits := Limits{Columns: opt.Limits.Columns, CellBytes: opt.Limits.CellBytes, RowBytes: opt.Limits.RecordBytes}
	w, err := Open(ctx, in, limits)
	if err != nil {
		return nil, err
	}
	return workbook.NewBook(w, opt)
}

// Detect returns the likelihood, from 0 to 1, that a file is an OpenDocument
// spreadsheet. It also returns the reason. It reads the directory of an archive or, if
// the directory is damaged, searches head.
func (Format) Detect(in source.Input, head []byte) (score float64, reason intray.Message) {
	if bytes.HasPrefix(head, []byte(zipMagic)) {
		return detectArchive(zipfile.NewInput(in), head)
	}
	return detectFlat(head)
}

func detectArchive(in *zipfile.Input, head []byte) (float64, intray.Message) {
	ctx := context.Background()
	p, err := openArchive(in, Limits{}.WithDefaults())
	kind := ""
	if err == nil {
		kind, err = p.mediaType(ctx)
	}
	switch {
	case err != nil:
		// The entry "mimetype" comes first and is not compressed, so its content is visible here.
		if bytes.Contains(head, []byte("mimetypeapplication/vnd.oasis.opendocument.spreadsheet")) {
			return 0.9, intray.NewMessage("opendocument.archive_head", nil)
		}
	case isSpreadsheet(kind):
		return 1, intray.NewMessage("opendocument.archive", intray.Params{"type": kind})
	case kind == "" && p.hasSpreadsheet(ctx):
		return 1, intray.NewMessage("opendocument.content", nil)
	}
	return 0, intray.Message{}
}

// hasSpreadsheet reports whether the content is a spreadsheet. It is used for archives
// that declare no media type.
func (p *document) hasSpreadsheet(ctx context.Context) bool {
	if !p.archive.Has(contentPart) {
		return false
	}
	from, err := p.archive.OpenSmall(ctx, contentPart)
	if err != nil {
		return false
	}
	c, err := newContentReader(from, p.limits, nil)
	if err != nil {
		return false
	}
	c.close()
	return true
}

// detectFlat returns the result of Detect for a flat document. It checks the outermost element.
func detectFlat(head []byte) (float64, intray.Message) {
	s, err := newScanner(bytes.NewReader(head), "document", Limits{}.WithDefaults())
	if err != nil {
		return 0, intray.Message{}
	}
	more, err := s.NextChild()
	switch {
	case err != nil || !more:
		// Detect files that Open rejects, such as those with a DOCTYPE, so that the
		// error names the problem.
		if bytes.Contains(head, []byte("<office:document")) && bytes.Contains(head, []byte("opendocument.spreadsheet")) {
			return 0.9, intray.NewMessage("opendocument.flat_head", nil)
		}
	case !s.Is(nsOffice, "document"):
	case isSpreadsheet(string(s.AttrIn(nsOffice, "mimetype"))):
		return 1, intray.NewMessage("opendocument.flat", nil)
	case s.AttrIn(nsOffice, "mimetype") == nil && bytes.Contains(head, []byte("<office:spreadsheet")):
		return 1, intray.NewMessage("opendocument.flat", nil)
	}
	return 0, intray.Message{}
}
