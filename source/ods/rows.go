package ods

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/xmlscan"
	"github.com/intraydata/intray/internal/zipfile"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/workbook"
)

// errClosed is returned by Next after Close.
var errClosed = errors.New("the rows are closed")

// rows reads the rows of one sheet.
type rows struct {
	book    *book
	content *contentReader
	scan    *xmlscan.Scanner
	limits  Limits
	name    string

	// groups has an entry for each open group of rows or columns. The entry is true if the group
	// or a group around it is hidden.
	groups []bool
	// columnCount is the number of declared columns. hiddenColumns are the ranges of
	// hidden columns.
	columnCount   int64
	hiddenColumns []columnRange
	// spans are the merged cells of the current row. merged holds the ranges that have not
	// been returned yet. mergedCount counts all merged ranges.
	spans       []span
	merged      []workbook.Range
	mergedCount int
	row         workbook.Row
	cells       []workbook.Cell
	// textBuf holds the text of the current row.
	textBuf []byte
	// number is the number of the last row that was skipped or returned. repeatsLeft is
	// the number of times that the current row will be returned again.
	number, repeatsLeft int64
	// column is the column of the next cell.
	column int64
	// rowBytes counts the bytes of text in the current row, sheetBytes those in the
	// sheet, and repeatedBytes those of repetitions.
	rowBytes, sheetBytes, repeatedBytes int64
	repairs                             workbook.Repairs
	err                                 error
}

// Next returns the next row that has cells.
func (r *rows) Next(ctx context.Context) (workbook.Row, error) {
	if err := ctx.Err(); err != nil {
		return workbook.Row{}, context.Cause(ctx)
	}
	if r.err == nil && r.repeatsLeft > 0 {
		r.err = r.repeatRow()
		return r.current()
	}
	if r.content != nil {
		r.content.part.SetContext(ctx)
	}
	for r.err == nil {
		r.cells = r.cells[:0]
		if r.err = zipfile.Cause(ctx, r.readElement()); r.err == nil && len(r.cells) > 0 {
			break
		}
	}
	return r.current()
}

func (r *rows) current() (workbook.Row, error) {
	if r.err != nil {
		return workbook.Row{}, r.err
	}
	return r.row, nil
}

// Close releases the content. Next then returns an error.
func (r *rows) Close() error {
	if r.content == nil {
		return nil
	}
	if r.err == nil || errors.Is(r.err, io.EOF) {
		r.book.releaseContent(r.content)
	} else {
		r.content.close()
	}
	r.content, r.scan, r.err = nil, nil, errClosed
	return nil
}

// readElement reads the next element in the sheet, which is usually a row.
func (r *rows) readElement() error {
	s := r.scan
	more, err := s.NextChild()
	if err != nil {
		return err
	}
	if !more {
		if len(r.groups) == 0 {
			r.content.depth = 0
			return io.EOF
		}
		r.groups = r.groups[:len(r.groups)-1]
		return nil
	}
	if s.NamespaceOf(s.Prefix()) != nsTable {
		return s.SkipUnchecked()
	}
	switch string(s.Name) {
	case "table-row":
		err := r.readRow()
		return workbook.AtRow(err, r.number+1)
	case "table-column":
		return r.readColumn()
	case "table-rows", "table-header-rows", "table-row-group", "table-columns", "table-header-columns", "table-column-group":
		r.groups = append(r.groups, r.inHiddenGroup() || string(s.AttrIn(nsTable, "display")) == "false")
		return nil
	}
	return s.SkipUnchecked()
}

// inHiddenGroup reports whether the current position is in a hidden group.
func (r *rows) inHiddenGroup() bool { return len(r.groups) > 0 && r.groups[len(r.groups)-1] }

// readRow reads the row that has just started. A row without cells is skipped with all
// its repetitions.
func (r *rows) readRow() error {
	times, err := r.parseRepeat(r.scan.AttrIn(nsTable, "number-rows-repeated"))
	if err != nil {
		return err
	}
	r.row.Hidden = r.inHiddenGroup() || isHidden(r.scan.AttrIn(nsTable, "visibility"))
	r.textBuf, r.spans, r.rowBytes, r.column = r.textBuf[:0], r.spans[:0], 0, 0
	if err := r.readCells(); err != nil {
		return err
	}
	if len(r.cells) == 0 {
		err := r.addMergedRanges(r.number + 1)
		r.number += times
		return err
	}
	r.repeatsLeft = times
	return r.emitRow()
}

func (r *rows) readCells() error {
	s := r.scan
	for {
		more, err := s.NextChild()
		if err != nil || !more {
			return err
		}
		switch {
		case s.Is(nsTable, "table-cell"):
			err = r.readCell()
		case s.Is(nsTable, "covered-table-cell"):
			err = r.readCovered()
		default:
			err = s.SkipUnchecked()
		}
		if err != nil {
			return err
		}
	}
}

// emitRow makes the current cells the row that Next returns.
func (r *rows) emitRow() error {
	if r.number >= r.limits.Rows {
		return r.limitError(intray.NewMessage("sheet.too_many_rows", intray.Params{"limit": r.limits.Rows}))
	}
	if r.sheetBytes += r.rowBytes; r.sheetBytes > r.limits.SheetBytes {
		return r.limitError(intray.NewMessage("sheet.texts_too_long", intray.Params{"limit": r.limits.SheetBytes}))
	}
	r.repeatsLeft--
	r.number++
	r.row.Number, r.row.Cells = r.number, r.cells
	return r.addMergedRanges(r.number)
}

// repeatRow makes Next return the current row again.
func (r *rows) repeatRow() error {
	if err := r.addRepeated(r.rowBytes + repeatedCellBytes*int64(len(r.cells))); err != nil {
		return err
	}
	return r.emitRow()
}

// repeatedCellBytes is the number of bytes that count for a repeated cell in addition
// to its text.
const repeatedCellBytes = 16

// addRepeated adds size to the bytes of repetitions and checks their limit.
func (r *rows) addRepeated(size int64) error {
	if r.repeatedBytes += size; r.repeatedBytes > r.limits.RepeatedBytes {
		return r.limitError(intray.NewMessage("opendocument.repeated_too_large", intray.Params{"limit": r.limits.RepeatedBytes}))
	}
	return nil
}

// parseRepeat parses a repetition count. It returns 1 if raw is nil.
func (r *rows) parseRepeat(raw []byte) (int64, error) {
	if raw == nil {
		return 1, nil
	}
	n, ok := parseCount(raw)
	if !ok {
		return 0, r.unreadable(intray.NewMessage("opendocument.bad_repetition", intray.Params{"count": source.Excerpt(string(raw))}))
	}
	return n, nil
}

// parseCount parses a number of at least 1. It returns at most 2^30, even if the number
// is larger.
func parseCount(raw []byte) (n int64, ok bool) {
	const most = 1 << 30 // above all limits, and small enough to add up
	for _, c := range raw {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = min(10*n+int64(c-'0'), most)
	}
	return n, n > 0
}

func (r *rows) unreadable(problem intray.Message) error {
	return &source.UnreadableError{Line: r.number + 1, Reason: r.sheetMessage(problem)}
}

func (r *rows) limitError(problem intray.Message) error {
	return &source.LimitError{Line: r.number + 1, Reason: r.sheetMessage(problem)}
}

func (r *rows) sheetMessage(problem intray.Message) intray.Message {
	return intray.NewMessage("workbook.sheet_unreadable", intray.Params{"sheet": source.Excerpt(r.name), "problem": problem})
}

// span is a merged cell of the current row.
type span struct {
	column        int64
	width, height int64
}

// addSpan records a merged cell. It ignores invalid spans, because they change no value.
func (r *rows) addSpan(width, height []byte) {
	s := span{column: r.column, width: 1, height: 1}
	if n, ok := parseCount(width); ok {
		s.width = n
	}
	if n, ok := parseCount(height); ok {
		s.height = n
	}
	if s.width*s.height > 1 && s.column < int64(r.limits.Columns) {
		r.spans = append(r.spans, s)
	}
}

// addMergedRanges adds a range for each merged cell of the current row.
func (r *rows) addMergedRanges(number int64) error {
	for _, s := range r.spans {
		if r.mergedCount++; r.mergedCount > r.limits.Merges {
			return &source.LimitError{Line: number, Reason: r.sheetMessage(intray.NewMessage("sheet.too_many_merged_ranges", intray.Params{"limit": r.limits.Merges}))}
		}
		r.merged = append(r.merged, workbook.Range{
			FirstRow: number, LastRow: number + s.height - 1,
			FirstColumn: int(s.column), LastColumn: int(s.column + s.width - 1),
		})
	}
	return nil
}

// PendingMerges returns the merged ranges found since the last call. It returns the
// ranges of a repeated row without cells only once.
func (r *rows) PendingMerges() []workbook.Range {
	found := r.merged
	r.merged = r.merged[:0]
	return found
}

// Repairs implements [workbook.RepairReporter].
func (r *rows) Repairs() *workbook.Repairs { return &r.repairs }

// columnRange is the range of columns from first to last, inclusive.
type columnRange struct{ first, last int64 }

// readColumn reads the column element that has just started, which describes one or more columns.
func (r *rows) readColumn() error {
	s := r.scan
	times, err := r.parseRepeat(s.AttrIn(nsTable, "number-columns-repeated"))
	if err != nil {
		return err
	}
	if shown := s.AttrIn(nsTable, "visibility"); r.inHiddenGroup() || isHidden(shown) {
		r.hideColumns(columnRange{r.columnCount, r.columnCount + times - 1})
	}
	r.columnCount += times
	return s.SkipUnchecked()
}

// hideColumns records hidden columns. It ignores ranges that start beyond the maximum number of
// columns.
func (r *rows) hideColumns(c columnRange) {
	if c.first >= int64(r.limits.Columns) {
		return
	}
	if n := len(r.hiddenColumns); n > 0 && r.hiddenColumns[n-1].last+1 == c.first {
		r.hiddenColumns[n-1].last = c.last
		return
	}
	r.hiddenColumns = append(r.hiddenColumns, c)
}

// ColumnHidden reports whether a column is hidden.
func (r *rows) ColumnHidden(column int) bool {
	return slices.ContainsFunc(r.hiddenColumns, func(c columnRange) bool { return c.first <= int64(column) && int64(column) <= c.last })
}

// isHidden reports whether the visibility attribute of a row or column hides it.
func isHidden(visibility []byte) bool {
	return string(visibility) == "collapse" || string(visibility) == "filter"
}
