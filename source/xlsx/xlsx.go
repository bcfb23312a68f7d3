// Package xlsx reads Office Open XML workbooks: .xlsx and .xlsm.
//
// A part is one file of the archive. Relationships lead from the archive to the
// workbook, and from there to its sheets, shared strings and styles. A reference such
// as B7 identifies a cell. The package reads only worksheets. It returns the stored
// values, including the stored results of formulas. A merged range has a value only in
// its first cell. The package reports merged ranges and hidden rows and columns.
//
// The package does not calculate formulas, run macros, follow links, find tables or ask
// for passwords. For workbooks that need a password, it returns an error that states the
// reason. Package xlsb reads binary workbooks (.xlsb).
package xlsx

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/ooxml"
	"github.com/intraydata/intray/internal/xmlscan"
	"github.com/intraydata/intray/internal/zipfile"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/workbook"
)

// maxRows and maxColumns are the size of the largest worksheet that the format allows.
const (
	maxRows    = 1 << 20
	maxColumns = 1 << 14
)

// Limits restricts the resources that reading one workbook may use. A zero field means
// its default.
type Limits struct {
	// InflatedBytes is the maximum total size of all inflated parts, in bytes. A part
	// that is read twice counts once. Default 4 GiB.
	InflatedBytes int64
	// PartBytes is the maximum size of one inflated part, in bytes. Default 2 GiB. For
	// parts other than sheets and shared strings, it is never more than 64 MiB.
	PartBytes int64
	// Ratio is the maximum number of inflated bytes per compressed byte. It applies to
	// parts larger than 16 MiB. Default 250.
	Ratio int64
	// Entries is the maximum number of entries in the archive. Default 10,000.
	Entries int
	// Sheets is the maximum number of sheets. Default 4,096.
	Sheets int
	// Rows is the maximum row number. Default 1,048,576.
	Rows int64
	// Columns is the maximum number of columns. Default 16,384.
	Columns int
	// CellBytes is the maximum length of the text in one cell, in bytes. Default 16 MiB.
	CellBytes int
	// RowBytes is the maximum length of all text in one row, in bytes. Default 32 MiB.
	RowBytes int
	// SheetBytes is the maximum length of all text in one sheet, in bytes. A shared
	// string counts once for each cell that uses it. Default 8 GiB.
	SheetBytes int64
	// Merges is the maximum number of merged ranges in one sheet. Default 1,048,576.
	Merges int
	// Depth is the maximum nesting depth of XML elements. Default 128.
	Depth int
	// Styles is the maximum number of cell styles, and also of number formats. Default 65,536.
	Styles int
	// Strings is the maximum number of shared strings. Default 67,108,864.
	Strings int
	// StringBytes is the maximum amount of memory for shared strings, in bytes. The
	// rest is stored in a temporary file. Default 16 MiB.
	StringBytes int
	// TempDir is the folder for the temporary file. Default os.TempDir().
	TempDir string
}

// WithDefaults returns l with zero fields set to their defaults.
func (l Limits) WithDefaults() Limits {
	l.InflatedBytes = cmp.Or(l.InflatedBytes, 4<<30)
	l.PartBytes = cmp.Or(l.PartBytes, 2<<30)
	l.Ratio = cmp.Or(l.Ratio, 250)
	l.Entries = cmp.Or(l.Entries, 10_000)
	l.Sheets = cmp.Or(l.Sheets, 4096)
	l.Rows = cmp.Or(l.Rows, maxRows)
	l.Columns = cmp.Or(l.Columns, maxColumns)
	l.CellBytes = cmp.Or(l.CellBytes, 16<<20)
	l.RowBytes = cmp.Or(l.RowBytes, 32<<20)
	l.SheetBytes = cmp.Or(l.SheetBytes, 8<<30)
	l.Merges = cmp.Or(l.Merges, 1<<20)
	l.Depth = cmp.Or(l.Depth, 128)
	l.Styles = cmp.Or(l.Styles, 1<<16)
	l.Strings = cmp.Or(l.Strings, 1<<26)
	l.StringBytes = cmp.Or(l.StringBytes, 16<<20)
	return l
}

// archiveLimits returns the limits for reading the archive.
func (l Limits) archiveLimits() ooxml.Limits {
	return ooxml.Limits{
		Limits:    zipfile.Limits{InflatedBytes: l.InflatedBytes, PartBytes: l.PartBytes, Ratio: l.Ratio, Entries: l.Entries},
		TextBytes: l.CellBytes, Depth: l.Depth,
	}
}

// Open reads the list of worksheets and the cell styles. It returns a
// *source.UnreadableError, a *source.LimitError, or an error from ctx or the input. The
// input must stay open until the workbook is closed.
func Open(ctx context.Context, in source.Input, limits Limits) (workbook.Workbook, error) {
	limits = limits.WithDefaults()
	arc, err := ooxml.Open(in, limits.archiveLimits())
	if err != nil {
		return nil, err
	}
	c, err := readContents(ctx, arc, limits.Sheets)
	if err != nil {
		return nil, err
	}
	st, err := readStyles(ctx, arc, c.Styles, limits.Styles)
	if err != nil {
		return nil, err
	}
	return &book{arc: arc, limits: limits, contents: c, styles: st}, nil
}

// book is an opened workbook.
type book struct {
	arc      *ooxml.Archive
	limits   Limits
	contents *ooxml.Contents
	styles   *ooxml.Styles

	mu sync.Mutex
	// strings is nil until a sheet is read.
	strings *ooxml.SharedStrings
}

// Evidence reports the date system, hidden and skipped sheets, and ignored macros and links.
func (b *book) Evidence() []intray.Evidence { return b.contents.Evidence() }

// Sheets returns the worksheets in workbook order.
func (b *book) Sheets() []workbook.Sheet { return b.contents.List() }

// Rows starts to read a sheet. Several sheets may be read at once. The returned rows
// report merged ranges after the last row, and hidden columns.
func (b *book) Rows(ctx context.Context, sheet int) (workbook.Rows, error) {
	if sheet < 0 || sheet >= len(b.contents.Sheets) {
		return nil, fmt.Errorf("open sheet %d of a workbook with %d", sheet, len(b.contents.Sheets))
	}
	shared, err := b.loadSharedStrings(ctx)
	if err != nil {
		return nil, err
	}
	return openRows(ctx, b, shared, b.contents.Sheets[sheet])
}

// loadSharedStrings reads the shared strings on the first call and returns the same
// table afterwards.
func (b *book) loadSharedStrings(ctx context.Context) (*ooxml.SharedStrings, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.strings != nil {
		return b.strings, nil
	}
	shared, err := readSharedStrings(ctx, b.arc, b.contents.Strings, b.limits)
	if err != nil {
		return nil, err
	}
	b.strings = shared
	return shared, nil
}

// Close removes the temporary file, if any. All rows must be closed first.
func (b *book) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.strings == nil {
		return nil
	}
	return b.strings.Close()
}

var _ io.Closer = (*book)(nil)

// Format is the format "xlsx". The zero value is ready to use.
type Format struct{}

// Name returns "xlsx".
func (Format) Name() string { return "xlsx" }

// Open implements [source.Format]. It reads the list of worksheets.
func (Format) Open(ctx context.Context, in source.Input, opt source.Options) (source.Book, error) {
	w, err := Open(ctx, in, Limits{Columns: min(opt.Limits.Columns, maxColumns), CellBytes: opt.Limits.CellBytes, RowBytes: opt.Limits.RecordBytes})
	if err != nil {
		return nil, err
	}
	return workbook.NewBook(w, opt)
}

// Detect returns the likelihood, from 0 to 1, that a file is a workbook that this package reads
// or rejects with a specific error. It also returns the reason. It reads the directory of the
// archive or, if the directory is damaged, searches head for part names.
func (Format) Detect(in source.Input, head []byte) (score float64, reason intray.Message) {
	score, binary, reason := ooxml.Detect(in, head, Limits{}.WithDefaults().archiveLimits())
	if binary {
		return 0, intray.Message{}
	}
	return score, reason
}

func readContents(ctx context.Context, arc *ooxml.Archive, sheets int) (*ooxml.Contents, error) {
	c, err := arc.ReadContents(ctx, ".xml", sheets)
	if err != nil {
		return nil, err
	}
	if err := arc.ReadSmallPart(ctx, c.Main, func(s *xmlscan.Scanner) error { return readWorkbook(s, c) }); err != nil {
		return nil, err
	}
	return c, c.LocateSheets()
}

func readWorkbook(s *xmlscan.Scanner, c *ooxml.Contents) error {
	if err := s.OpenRoot("workbook"); err != nil {
		return err
	}
	return s.ForEachChild(func() error {
		switch string(s.Name) {
		case "workbookPr":
			c.Epoch1904 = s.AttrBool("date1904")
		case "sheets":
			return s.ForEachChild(func() error { return readSheetEntry(s, c) })
		}
		return s.Skip()
	})
}

func readSheetEntry(s *xmlscan.Scanner, c *ooxml.Contents) error {
	name, err := s.AttrText("name")
	if err != nil {
		return err
	}
	id, err := s.AttrText("id")
	if err != nil {
		return err
	}
	state := string(s.Attr("state"))
	if err := c.AddSheet(name, id, state == "hidden" || state == "veryHidden"); err != nil {
		return err
	}
	return s.Skip()
}
