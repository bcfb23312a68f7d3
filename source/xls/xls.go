// Package xls reads workbooks of Excel 2.0 to 2003.
//
// A container is an OLE2 compound file. Its stream named Workbook or Book holds the workbook.
// Files of the oldest versions consist of that stream alone. The stream is a sequence of
// records, each with an identifier and a body. If a body is too long for one record, CONTINUE
// records hold the rest. The records from a BOF to its EOF form a part. The first part is the
// globals (formats, shared strings and the list of sheets), followed by one part for each sheet.
// The format is called BIFF. Its versions are 2, 3, 4, 5 (also called 7) and 8.
//
// The package reads the cells of worksheets: numbers, text, booleans, errors and the
// stored results of formulas. It opens files that are only write-protected, and returns
// an error for other encrypted files. It reports merged ranges and hidden rows and
// columns. It does not calculate formulas. It skips charts, macros, pictures, notes,
// pivot caches, text formatting and cells without a value. It does not read Excel 4
// workbooks with several sheets, or HTML, CSV or XML files named .xls.
package xls

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"math"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/cfb"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/workbook"
)

// Limits restricts the resources that reading one workbook may use. A zero field means
// its default. If a limit is exceeded, reading stops with a *source.LimitError.
type Limits struct {
	// Sheets is the maximum number of sheets in the workbook, including charts and
	// macros. Default 10,000.
	Sheets int
	// StringBytes is the maximum amount of memory for shared strings, in bytes, including 4
	// bytes for each string. The default is 128 MiB, and the maximum is 4 GiB.
	StringBytes int
	// Columns is the maximum number of columns in a sheet. The default is 256, which is also
	// the maximum that the format allows.
	Columns int
	// Cells is the maximum number of cells in a sheet, including stored cells without a value.
	// The default is 16,777,216: 65,536 rows of 256 columns.
	Cells int64
	// CellBytes is the maximum length of the displayed text of one cell, in bytes.
	// Default 16 MiB.
	CellBytes int
	// RowBytes is the maximum length of all values and displayed text in one row, in
	// bytes. Default 32 MiB.
	RowBytes int
	// Merges is the maximum number of merged ranges in one sheet. Default 1,048,576.
	Merges int
	// SheetBytes is the maximum length of all values and displayed text in one sheet,
	// in bytes. A shared string counts once for each cell that uses it. Default 1 GiB.
	SheetBytes int64
}

// WithDefaults returns l with zero fields set to their defaults.
func (l Limits) WithDefaults() Limits {
	l.Sheets = cmp.Or(l.Sheets, 10_000)
	l.StringBytes = cmp.Or(l.StringBytes, 128<<20)
	l.Columns = cmp.Or(l.Columns, 256)
	l.Cells = cmp.Or(l.Cells, 1<<24)
	l.CellBytes = cmp.Or(l.CellBytes, 16<<20)
	l.RowBytes = cmp.Or(l.RowBytes, 32<<20)
	l.Merges = cmp.Or(l.Merges, 1<<20)
	l.SheetBytes = cmp.Or(l.SheetBytes, 1<<30)
	l.StringBytes = min(l.StringBytes, math.MaxUint32)
	return l
}

// Detect returns the likelihood, from 0 to 1, that a file is a workbook, and the
// reason. It checks the beginning of the file and the directory of a container. A
// container without a workbook has a low score, so that Open can report the problem if
// no other format recognizes the file.
func (Format) Detect(in source.Input, head []byte) (score float64, reason intray.Message) {
	if !bytes.HasPrefix(head, []byte(cfb.Magic)) {
		if isBareBOF(head) {
			return 0.95, intray.NewMessage("xls.begins_as_workbook", nil)
		}
		return 0, intray.Message{}
	}
	if name, _, err := findWorkbook(in); err == nil {
		return 0.99, intray.NewMessage("xls.container", intray.Params{"stream": name})
	}
	return 0.3, intray.NewMessage("xls.container_without_workbook", nil)
}

// isBareBOF reports whether a file starts with the BOF record of a workbook without a container.
func isBareBOF(head []byte) bool {
	if len(head) < recordHeader+4 {
		return false
	}
	length := int(little.Uint16(head[2:]))
	b, ok := readBOF(record{id: little.Uint16(head), body: head[recordHeader:min(len(head), recordHeader+length)]})
	if !ok || length < 4 || length > 16 {
		return false
	}
	switch b.kind {
	case partGlobals, partSheet, partChart, partMacro, partBundle:
		return true
	}
	return false
}

// findWorkbook returns the stream that holds the workbook, and the name of that stream.
func findWorkbook(in source.Input) (name string, s *cfb.Stream, err error) {
	const encrypted = "EncryptedPackage"
	c, err := cfb.Open(in, in.Size)
	if err != nil {
		return "", nil, readable(err)
	}
	found, err := c.Find("Workbook", "Book", encrypted)
	if err != nil {
		return "", nil, readable(err)
	}
	for _, name := range []string{"Workbook", "Book"} { // newer versions use Workbook
		if e, ok := found[name]; ok {
			s, err := c.OpenStream(e)
			return name, s, readable(err)
		}
	}
	if _, ok := found[encrypted]; ok {
		return "", nil, errPassword
	}
	return "", nil, unreadable(intray.NewMessage("xls.no_workbook", nil))
}

// readable returns the error to report for an error from package cfb.
func readable(err error) error {
	var damage *cfb.DamageError
	if errors.As(err, &damage) {
		return unreadable(damage.Reason)
	}
	return err
}

// unreadable returns the error for a file that cannot be read for the given reason.
func unreadable(reason intray.Message) error {
	return &source.UnreadableError{Reason: reason}
}

// broken returns the error for a damaged workbook, given the problem that was found.
func broken(problem intray.Message) error {
	return unreadable(intray.NewMessage("workbook.damaged", intray.Params{"problem": problem}))
}

// Open reads the globals of a workbook: the formats, the shared strings and the list of
// sheets. Several sheets of the workbook may be read at once. Open returns a
// *source.UnreadableError, a *source.LimitError, or an error from ctx or the input.
func Open(ctx context.Context, in source.Input, limits Limits) (workbook.Workbook, error) {
	return openBook(ctx, in, limits, "")
}

// openBook is like Open. encoding is the requested encoding of workbooks older than BIFF8, or "".
func openBook(ctx context.Context, in source.Input, limits Limits, encoding string) (workbook.Workbook, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	from := cfb.WholeFile(in, in.Size)
	head := make([]byte, min(in.Size, recordHeader+16))
	if _, err := from.ReadAt(head, 0); err != nil {
		return nil, err
	}
	if !isBareBOF(head) {
		if !bytes.HasPrefix(head, []byte(cfb.Magic)) {
			return nil, unreadable(intray.NewMessage("xls.not_workbook", nil))
		}
		var err error
		if _, from, err = findWorkbook(in); err != nil {
			return nil, err
		}
	}
	name, enc := lookupCodepage(defaultCodepageNumber)
	usual := codepage{defaultCodepageNumber, name, enc, intray.NewMessage("encoding.codepage_irrelevant", nil)}
	b := &book{stream: from, limits: limits.WithDefaults(), codepage: usual}
	if err := b.readGlobals(ctx); err != nil {
		return nil, err
	}
	if again, err := b.chooseCodepage(ctx, encoding); err != nil {
		return nil, err
	} else if again { // names and formats were decoded with another code page
		b = &book{stream: from, limits: b.limits, codepage: b.codepage, chosen: true, alternatives: b.alternatives}
		if err := b.readGlobals(ctx); err != nil {
			return nil, err
		}
	}
	return b, b.locateSheets(ctx)
}

// Format is the format "xls". The zero value is ready to use.
type Format struct{}

// Name returns "xls".
func (Format) Name() string { return "xls" }

// Open implements [source.Format]. It reads the globals.
func (Format) Open(ctx context.Context, in source.Input, opt source.Options) (source.Book, error) {
	most := Limits{}.WithDefaults()
	w, err := openBook(ctx, in, Limits{
		Columns: min(opt.Limits.Columns, most.Columns), Cells: min(opt.Limits.Cells, most.Cells),
		CellBytes: opt.Limits.CellBytes, RowBytes: opt.Limits.RecordBytes,
	}, opt.Encoding)
	if err != nil {
		return nil, err
	}
	return workbook.NewBook(w, opt)
}
