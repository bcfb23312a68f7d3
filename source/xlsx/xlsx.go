// Package xlsx reads Office Open XML workbooks: .xlsx and .xlsm.
//
// A part is one file of the archive. Relationships lead from the archive to the
// workbook, and from there to its sheets, shared strings and styles. A reference names
// a cell, such as B7. The package reads worksheets only, as grids of the stored values:
// the results of formulas, and the value of merged cells in the first of them. It
// reports merged ranges and hidden rows and columns.
//
// The package computes no formulas, runs no macros, follows no links, finds no tables
// and asks for no passwords. Workbooks that need a password and binary workbooks
// (.xlsb) return an error that says so.
package xlsx

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/cfb"
	"github.com/intraydata/intray/internal/xmlscan"
	"github.com/intraydata/intray/internal/zipfile"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/workbook"
)

// The largest worksheet that the format allows.
const (
	maxRows    = 1 << 20
	maxColumns = 1 << 14
)

// Limits bound what reading one workbook may cost. A zero field means its
// default.
type Limits struct {
	// InflatedBytes is the most bytes that all parts may inflate to. A part that is
	// read twice counts once. Default 4 GiB.
	InflatedBytes int64
	// PartBytes is the most bytes that one part may inflate to. Default 2 GiB. Parts
	// other than sheets and shared strings have at most 64 MiB.
	PartBytes int64
	// Ratio is the most inflated bytes per compressed byte. It applies to parts of more
	// than 16 MiB. Default 250.
	Ratio int64
	// Entries is the most entries of the archive. Default 10,000.
	Entries int
	// Sheets is the most sheets. Default 4,096.
	Sheets int
	// Rows is the highest row number. Default 1,048,576.
	Rows int64
	// Columns is the most columns. Default 16,384.
	Columns int
	// CellBytes is the most bytes of the text of one cell. Default 16 MiB.
	CellBytes int
	// RowBytes is the most bytes of the texts of one row. Default 32 MiB.
	RowBytes int
	// SheetBytes is the most bytes of the texts of one sheet. A shared string counts
	// once for each cell. Default 8 GiB.
	SheetBytes int64
	// Merges is the most merged ranges of one sheet. Default 1,048,576.
	Merges int
	// Depth is the most nested XML elements. Default 128.
	Depth int
	// Styles is the most cell styles and the most number formats. Default 65,536.
	Styles int
	// Strings is the most shared strings. Default 67,108,864.
	Strings int
	// StringBytes is the most memory for shared strings. The rest goes to a temporary
	// file. Default 16 MiB.
	StringBytes int
	// TempDir is the folder of that file. Default os.TempDir.
	TempDir string
}

// WithDefaults fills the fields that are zero.
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

// Open reads the list of worksheets and the cell styles. Errors are
// *source.UnreadableError, *source.LimitError, or errors of ctx or of the input. The
// input must stay open until the workbook is closed.
func Open(ctx context.Context, in source.Input, limits Limits) (workbook.Workbook, error) {
	w, err := decryptIfNeeded(zipfile.NewInput(in))
	if err != nil {
		return nil, err
	}
	arc, err := openArchive(w, limits.WithDefaults())
	if err != nil {
		return nil, err
	}
	return openBook(ctx, arc)
}

// book is an opened workbook.
type book struct {
	arc    *archive
	info   workbookInfo
	styles *styles

	mu sync.Mutex
	// strings is nil until a sheet is read.
	strings *sharedStrings
}

func openBook(ctx context.Context, arc *archive) (*book, error) {
	main, err := arc.mainPart(ctx)
	if err != nil {
		return nil, err
	}
	c, err := readWorkbookInfo(ctx, arc, main)
	if err != nil {
		return nil, err
	}
	st, err := readStyles(ctx, arc, c.styles)
	if err != nil {
		return nil, err
	}
	return &book{arc: arc, info: c, styles: st}, nil
}

// Evidence returns the date system, and what is hidden or not read.
func (b *book) Evidence() []intray.Evidence { return b.info.evidence() }

// Sheets lists the worksheets.
func (b *book) Sheets() []workbook.Sheet { return b.info.listSheets() }

// Rows starts to read a sheet. Several sheets may be read at once. The rows report
// merged ranges at the end, and hidden columns.
func (b *book) Rows(ctx context.Context, sheet int) (workbook.Rows, error) {
	if sheet < 0 || sheet >= len(b.info.sheets) {
		return nil, fmt.Errorf("open sheet %d of a workbook with %d", sheet, len(b.info.sheets))
	}
	shared, err := b.loadSharedStrings(ctx)
	if err != nil {
		return nil, err
	}
	return openRows(ctx, b, shared, b.info.sheets[sheet])
}

// loadSharedStrings reads the shared strings, once.
func (b *book) loadSharedStrings(ctx context.Context) (*sharedStrings, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.strings != nil {
		return b.strings, nil
	}
	shared, err := readSharedStrings(ctx, b.arc, b.info.strings)
	if err != nil {
		return nil, err
	}
	b.strings = shared
	return shared, nil
}

// Close removes the temporary file, if any. Close all rows before.
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

// Detect implements [source.Format].
func (Format) Detect(in source.Input, head []byte) (score float64, reason intray.Message) {
	return Detect(in, head)
}

// Open lists the worksheets.
func (Format) Open(ctx context.Context, in source.Input, opt source.Options) (source.Book, error) {
	w, err := Open(ctx, in, limitsFrom(opt.Limits))
	if err != nil {
		return nil, err
	}
	return workbook.NewBook(w, opt)
}

// limitsFrom returns the limits set by the caller, within those of the format.
func limitsFrom(l source.Limits) Limits {
	return Limits{Columns: min(l.Columns, maxColumns), CellBytes: l.CellBytes, RowBytes: l.RecordBytes}
}

// newScanner returns a scanner of a part.
func newScanner(src io.Reader, part string, limits Limits) (*xmlscan.Scanner, error) {
	return xmlscan.New(src, xmlscan.Config{Part: part, TextBytes: limits.CellBytes, Depth: limits.Depth, NUL: true})
}

// zipMagic is the signature of a ZIP archive.
const zipMagic = "PK\x03\x04"

// Detect returns how likely a file is a workbook that this package reads or rejects
// with a specific error, from 0 to 1, and why. It reads the directory of the archive
// or, if that is damaged, searches head for part names.
func Detect(in source.Input, head []byte) (score float64, reason intray.Message) {
	w := zipfile.NewInput(in)
	switch {
	case bytes.HasPrefix(head, []byte(cfb.Magic)) && hasEncryptedPackage(w):
		return 1, intray.NewMessage("workbook.encrypted", nil)
	case !bytes.HasPrefix(head, []byte(zipMagic)):
		return 0, intray.Message{}
	}
	arc, err := openArchive(w, Limits{}.WithDefaults())
	if err != nil {
		return detectHead(head)
	}
	list, err := arc.relations(context.Background(), "")
	if err != nil {
		return detectHead(head)
	}
	for _, r := range list {
		if r.kind != "officeDocument" {
			continue
		}
		if isWorkbookPart(arc, r.part) {
			return 1, intray.NewMessage("workbook.archive", intray.Params{"part": source.Excerpt(r.part)})
		}
		return 0, intray.Message{}
	}
	return detectHead(head)
}

// isWorkbookPart reports whether a part is a workbook, not a document or presentation.
func isWorkbookPart(arc *archive, name string) bool {
	if strings.HasSuffix(name, "workbook.bin") {
		return true
	}
	p, err := arc.OpenSmall(context.Background(), name)
	if err != nil {
		return strings.HasPrefix(name, "xl/")
	}
	defer p.Close()
	s, err := newScanner(p, name, arc.limits)
	if err != nil {
		return strings.HasPrefix(name, "xl/")
	}
	return s.OpenRoot("workbook") == nil
}

// detectHead searches for part names that all workbooks have among their first entries.
func detectHead(head []byte) (float64, intray.Message) {
	if bytes.Contains(head, []byte("xl/workbook")) || bytes.Contains(head, []byte("xl/worksheets/")) || bytes.Contains(head, []byte("xl/_rels/")) {
		return 0.9, intray.NewMessage("workbook.archive_head", nil)
	}
	return 0, intray.Message{}
}
