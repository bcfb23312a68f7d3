// Package xlsx reads Office Open XML workbooks: .xlsx and .xlsm.
//
// A part is one file of the archive. Relationships lead from the archive to the
// workbook, and from there to its sheets, shared strings and styles. A reference such
// as B7 identifies a cell. The package reads only worksheets. It returns the stored
// values, including the stored results of formulas. A merged range has a value only in
// its first cell. The package reports merged ranges and hidden rows and columns.
//
// The package does not calculate formulas, run macros, follow links, find tables or ask
// for passwords. For workbooks that need a password and for binary workbooks (.xlsb),
// it returns an error that states the reason.
package xlsx

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/cfb"
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

// Open reads the list of worksheets and the cell styles. It returns a
// *source.UnreadableError, a *source.LimitError, or an error from ctx or the input. The
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
	main, listed, err := arc.mainPart(ctx)
	if err != nil {
		return nil, err
	}
	c, err := readWorkbookInfo(ctx, arc, main)
	if !listed {
		c.damage.byName = append(c.damage.byName, main)
	}
	if err != nil {
		return nil, err
	}
	st, err := readStyles(ctx, arc, c.styles)
	if err != nil {
		return nil, err
	}
	return &book{arc: arc, info: c, styles: st}, nil
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

// Evidence reports the date system, hidden and skipped sheets, and ignored macros and links.
func (b *book) Evidence() []intray.Evidence {
	list := append([]intray.Evidence{workbook.DateSystem(b.info.epoch1904)}, workbook.HiddenSheets(b.info.listSheets())...)
	if len(b.info.skippedSheets) > 0 {
		list = append(list, intray.Evidence{Choice: "sheets left out", Value: workbook.JoinNames(b.info.skippedSheets), Reason: intray.NewMessage("workbook.other_sheets", nil)})
	}
	if b.info.macros {
		list = append(list, intray.Evidence{Choice: "macros", Value: "ignored", Reason: intray.NewMessage("workbook.macros", nil)})
	}
	if b.info.externalLinks > 0 {
		list = append(list, intray.Evidence{Choice: "external links", Value: "ignored", Reason: intray.NewMessage("workbook.external_links", intray.Params{"n": b.info.externalLinks})})
	}
	return append(append(list, b.info.damage.evidence()...), workbook.TextAfter(b.arc.trailing...)...)
}

// Sheets returns the worksheets in workbook order.
func (b *book) Sheets() []workbook.Sheet { return b.info.listSheets() }

// Rows starts to read a sheet. Several sheets may be read at once. The returned rows
// report merged ranges after the last row, and hidden columns.
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

// loadSharedStrings reads the shared strings on the first call and returns the same
// table afterwards.
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

// newScanner returns a scanner for a part.
func newScanner(src io.Reader, part string, limits Limits) (*xmlscan.Scanner, error) {
	return xmlscan.New(src, xmlscan.Config{Part: part, TextBytes: limits.CellBytes, Depth: limits.Depth, NUL: true})
}

// zipMagic is the signature of a ZIP archive.
const zipMagic = "PK\x03\x04"

// Detect returns the likelihood, from 0 to 1, that a file is a workbook that this package reads
// or rejects with a specific error. It also returns the reason. It reads the directory of the
// archive or, if the directory is damaged, searches head for part names.
func (Format) Detect(in source.Input, head []byte) (score float64, reason intray.Message) {
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
	if !slices.ContainsFunc(list, isDocument) && arc.Has(usualWorkbook) {
		list = append(list, relation{kind: "officeDocument", part: usualWorkbook})
	}
	for _, r := range list {
		if !isDocument(r) {
			continue
		}
		if isWorkbookPart(arc, r.part) {
			return 1, intray.NewMessage("workbook.archive", intray.Params{"part": source.Excerpt(r.part)})
		}
		return 0, intray.Message{}
	}
	return detectHead(head)
}

// isWorkbookPart reports whether a part describes a workbook rather than a document or
// presentation.
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

// detectHead searches for part names that every workbook has among its first entries.
func detectHead(head []byte) (float64, intray.Message) {
	if bytes.Contains(head, []byte("xl/workbook")) || bytes.Contains(head, []byte("xl/worksheets/")) || bytes.Contains(head, []byte("xl/_rels/")) {
		return 0.9, intray.NewMessage("workbook.archive_head", nil)
	}
	return 0, intray.Message{}
}

// sheetEntry is a sheet as listed in the workbook.
type sheetEntry struct {
	name   string
	hidden bool
	// part is the name of the part that contains the cells of the sheet, or "" if it is not yet
	// known.
	part string
}

// workbookInfo is the content of the part that describes the workbook.
type workbookInfo struct {
	sheets    []sheetEntry
	epoch1904 bool
	// styles and strings are the names of the parts that contain the styles and the shared
	// strings, or "" if there is no such part.
	styles, strings string
	macros          bool
	externalLinks   int
	// skippedSheets are the names of the sheets that are not worksheets.
	skippedSheets []string
	// owners maps the part of each sheet in sheets to its name.
	owners map[string]string
	damage damage
}

func readWorkbookInfo(ctx context.Context, arc *archive, main string) (workbookInfo, error) {
	relations, err := arc.relations(ctx, main)
	if err != nil {
		return workbookInfo{}, err
	}
	c := workbookInfo{owners: map[string]string{}}
	c.damage.backslash = arc.Backslash()
	targets := make(map[string]relation, len(relations))
	for _, r := range relations {
		targets[r.id] = r
		switch r.kind {
		case "styles":
			if arc.Has(r.part) {
				c.styles = r.part
			}
		case "sharedStrings":
			if arc.Has(r.part) {
				c.strings = r.part
			}
		case "vbaProject":
			c.macros = true
		case "externalLink":
			c.externalLinks++
		}
	}
	folder := path.Dir(main)
	if c.styles == "" {
		c.styles = c.findUsual(arc, path.Join(folder, usualStyles))
	}
	if c.strings == "" {
		c.strings = c.findUsual(arc, path.Join(folder, usualStrings))
	}
	err = arc.readSmallPart(ctx, main, func(s *xmlscan.Scanner) error { return c.read(s, arc, targets) })
	if err == nil {
		err = c.locateSheets(arc, main, relations)
	}
	if err != nil {
		return workbookInfo{}, err
	}
	if len(c.sheets) == 0 {
		return workbookInfo{}, &source.UnreadableError{Reason: intray.NewMessage("workbook.no_worksheet", nil)}
	}
	return c, nil
}

func (c *workbookInfo) read(s *xmlscan.Scanner, arc *archive, targets map[string]relation) error {
	if err := s.OpenRoot("workbook"); err != nil {
		return err
	}
	return s.ForEachChild(func() error {
		switch string(s.Name) {
		case "workbookPr":
			c.epoch1904 = s.AttrBool("date1904")
		case "sheets":
			return s.ForEachChild(func() error { return c.readSheet(s, arc, targets) })
		}
		return s.Skip()
	})
}

func (c *workbookInfo) readSheet(s *xmlscan.Scanner, arc *archive, targets map[string]relation) error {
	if limit := arc.limits.Sheets; len(c.sheets)+len(c.skippedSheets) >= limit {
		return &source.LimitError{Reason: intray.NewMessage("workbook.too_many_sheets", intray.Params{"limit": limit})}
	}
	if err := c.addSheet(s, arc, targets); err != nil {
		return err
	}
	return s.Skip()
}

func (c *workbookInfo) addSheet(s *xmlscan.Scanner, arc *archive, targets map[string]relation) error {
	name, err := s.AttrText("name")
	if err != nil {
		return err
	}
	id, err := s.AttrText("id")
	if err != nil {
		return err
	}
	state := string(s.Attr("state"))
	sheet := sheetEntry{name: name, hidden: state == "hidden" || state == "veryHidden"}
	to, found := targets[id]
	switch {
	case found && to.part != "" && to.kind != "worksheet":
		c.skippedSheets = append(c.skippedSheets, name)
		return nil
	case !found || !arc.Has(to.part):
		c.sheets = append(c.sheets, sheet)
		return nil
	}
	// A small file could otherwise have thousands of large sheets.
	if other, shared := c.owners[to.part]; shared {
		return &source.UnreadableError{Reason: intray.NewMessage("workbook.sheets_share_part", intray.Params{"sheet": source.Excerpt(name), "other": source.Excerpt(other)})}
	}
	c.owners[to.part] = name
	sheet.part = to.part
	c.sheets = append(c.sheets, sheet)
	return nil
}

// listSheets returns the worksheets.
func (c *workbookInfo) listSheets() []workbook.Sheet {
	list := make([]workbook.Sheet, len(c.sheets))
	for i, s := range c.sheets {
		list[i] = workbook.Sheet{Name: s.name, Hidden: s.hidden}
	}
	return list
}
