package xlsb

import (
	"context"
	"errors"
	"io"
	"strconv"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/ooxml"
	"github.com/intraydata/intray/internal/zipfile"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/workbook"
)

// rows reads the rows of one sheet. Between two calls of Next, the current record is the header of
// the next row, or the end of the cells.
type rows struct {
	styles    *ooxml.StyleCache
	strings   *ooxml.SharedStrings
	limits    *Limits
	epoch1904 bool
	sheet     ooxml.SheetEntry
	part      *zipfile.Part
	records   *recordReader
	hidden    *[maxColumns]bool
	// hiddenRanges counts the ranges of hidden columns.
	hiddenRanges int
	// merged holds the merged ranges that were found but not yet returned.
	merged []workbook.Range

	row   workbook.Row
	cells []workbook.Cell
	// textBuf holds the text of the current row.
	textBuf []byte
	// rowBytes counts the bytes of text in the current row, and sheetBytes those in the sheet.
	rowBytes   int
	sheetBytes int64
	// column is the column of the last cell. unsorted is true if the cells of the row are not in
	// column order.
	column   int
	unsorted bool
	// ownNumber is the number that the file gives to the row, which is not row.Number if rows are
	// out of order.
	ownNumber int64
	// header is the header of the next row if inside is true. In that case, the current record is
	// the first cell of the row.
	header  rowHeader
	inside  bool
	repairs workbook.Repairs
	err     error
}

// readPreamble reads the records before the cells, and then up to the first row.
func (r *rows) readPreamble() error {
	for {
		if err := r.next(); err != nil {
			return err
		}
		switch r.records.id {
		case recColumns:
			if err := r.readColumns(); err != nil {
				return err
			}
		case recBeginSheetData:
			return r.findRow()
		case recEndSheet:
			r.err = io.EOF
			return nil
		}
	}
}

// next moves to the next record. It returns an error at the end of the part.
func (r *rows) next() error {
	err := r.records.next()
	if errors.Is(err, io.EOF) {
		return r.records.cutShort()
	}
	return err
}

// readColumns reads the attributes of a range of columns: the first and last column, the width,
// the style, and flags.
func (r *rows) readColumns() error {
	const flagOffset, flagHidden = 16, 1
	body, err := r.records.body(flagOffset + 1)
	if err != nil || len(body) <= flagOffset || body[flagOffset]&flagHidden == 0 {
		return err
	}
	// Ranges do not overlap, so more of them than columns are an attack.
	if r.hiddenRanges++; r.hiddenRanges > maxColumns {
		return nil
	}
	if r.hidden == nil {
		r.hidden = &[maxColumns]bool{}
	}
	last := min(little.Uint32(body[4:]), maxColumns-1)
	for c := little.Uint32(body); c <= last; c++ {
		r.hidden[c] = true
	}
	return nil
}

// ColumnHidden reports whether a column is hidden.
func (r *rows) ColumnHidden(column int) bool {
	return r.hidden != nil && column < maxColumns && r.hidden[column]
}

// findRow moves to the header of the first row, or to the end of the cells.
func (r *rows) findRow() error {
	err := r.findCell()
	if err == nil && isCell(r.records.id) {
		err = r.unreadable(intray.NewMessage("xlsb.cell_without_row", nil))
	}
	return err
}

// Next returns the next row that has cells.
func (r *rows) Next(ctx context.Context) (workbook.Row, error) {
	if err := ctx.Err(); err != nil {
		return workbook.Row{}, context.Cause(ctx)
	}
	r.part.SetContext(ctx)
	for r.err == nil {
		if r.records.id == recEndSheetData {
			r.err = zipfile.Cause(ctx, r.readTrailer())
			break
		}
		r.err = zipfile.Cause(ctx, r.readRow())
		if r.err == nil && len(r.cells) > 0 {
			return r.row, nil
		}
	}
	return workbook.Row{}, r.err
}

// Close closes the part. Next then returns an error.
func (r *rows) Close() error {
	if r.err == nil {
		r.err = errors.New("the rows are closed")
	}
	r.part.Close()
	return nil
}

// readRow reads the current row and moves to the next one.
func (r *rows) readRow() (err error) {
	r.cells, r.textBuf, r.rowBytes = r.cells[:0], r.textBuf[:0], 0
	header := r.header
	if !r.inside {
		if header, err = r.readHeader(); err == nil {
			err = r.next()
		}
		if err != nil {
			return err
		}
	}
	r.inside = false
	if err := r.startRow(header); err != nil {
		return err
	}
	for {
		switch id := r.records.id; {
		case isCell(id):
			if err := r.readCell(); err != nil {
				return err
			}
		case id == recRow:
			more, err := r.continueRow()
			if err != nil {
				return err
			}
			if !more {
				return r.endRow()
			}
			continue
		case id == recEndSheetData:
			return r.endRow()
		}
		if err := r.next(); err != nil {
			return err
		}
	}
}

// rowHeader is the header of a row.
type rowHeader struct {
	// number counts from 1.
	number int64
	hidden bool
}

// readHeader reads the header of a row: its number, style, height and flags.
func (r *rows) readHeader() (rowHeader, error) {
	const flagOffset, flagHidden = 11, 0x10
	body, err := r.records.body(flagOffset + 1)
	if err != nil {
		return rowHeader{}, err
	}
	if len(body) <= flagOffset {
		return rowHeader{}, r.records.broken(intray.NewMessage("xlsb.short_record", nil))
	}
	return rowHeader{int64(little.Uint32(body)) + 1, body[flagOffset]&flagHidden != 0}, nil
}

// startRow starts a row. If rows are out of order, they are returned in the order of the file and
// numbered accordingly, because sorting them would require all rows in memory.
func (r *rows) startRow(header rowHeader) error {
	if header.number <= r.ownNumber {
		r.repairs.Add(workbook.RowNumbers, strconv.FormatInt(header.number, 10))
	}
	r.row = workbook.Row{Number: max(r.row.Number+1, header.number), Hidden: header.hidden}
	r.row.Renumbered = r.row.Number != header.number
	r.ownNumber, r.column, r.unsorted = header.number, -1, false
	if limit := r.limits.Rows; r.row.Number > limit {
		return r.limitError(intray.NewMessage("sheet.too_many_rows", intray.Params{"limit": limit}))
	}
	return nil
}

// continueRow reads the header in the current record, and moves to the next cell or header. It
// reports whether the row continues: with a header that has the same number and no cells, or whose
// first cell is to the right of all cells so far.
func (r *rows) continueRow() (bool, error) {
	header, err := r.readHeader()
	if err != nil || header.number != r.ownNumber {
		return false, err
	}
	if err := r.findCell(); err != nil {
		return false, err
	}
	if isCell(r.records.id) {
		body, err := r.records.body(columnBytes)
		if err != nil {
			return false, err
		}
		if r.cellColumn(body) <= r.column {
			r.header, r.inside = header, true
			return false, nil
		}
	}
	r.repairs.Add(workbook.RowNumbers, strconv.FormatInt(header.number, 10))
	return true, nil
}

// findCell moves to the next cell, header of a row, or end of the cells.
func (r *rows) findCell() error {
	for {
		if err := r.next(); err != nil {
			return err
		}
		if id := r.records.id; isCell(id) || id == recRow || id == recEndSheetData {
			return nil
		}
	}
}

// Repairs implements [workbook.RepairReporter].
func (r *rows) Repairs() *workbook.Repairs { return &r.repairs }

// endRow sorts the cells and checks the limit of the sheet.
func (r *rows) endRow() error {
	if r.unsorted {
		r.cells = r.repairs.SortCells(r.row.Number, r.cells)
	}
	r.sheetBytes += int64(r.rowBytes)
	if limit := r.limits.SheetBytes; r.sheetBytes > limit {
		return r.limitError(intray.NewMessage("sheet.texts_too_long", intray.Params{"limit": limit}))
	}
	r.row.Cells = r.cells
	return nil
}

// reference returns the reference of a cell in the current row, such as B7.
func (r *rows) reference(column int) string {
	return workbook.ColumnName(column) + strconv.FormatInt(r.row.Number, 10)
}

func (r *rows) unreadable(problem intray.Message) error {
	return &source.UnreadableError{Line: r.row.Number, Reason: r.sheetMessage(problem)}
}

func (r *rows) limitError(problem intray.Message) error {
	return &source.LimitError{Line: r.row.Number, Reason: r.sheetMessage(problem)}
}

func (r *rows) sheetMessage(problem intray.Message) intray.Message {
	return intray.NewMessage("workbook.sheet_unreadable", intray.Params{"sheet": source.Excerpt(r.sheet.Name), "problem": problem})
}

// PendingMerges implements [workbook.MergeReporter]. It returns nothing before the last row,
// because the ranges follow the cells in the file.
func (r *rows) PendingMerges() []workbook.Range {
	found := r.merged
	r.merged = nil
	return found
}

// readTrailer reads the records after the cells and returns io.EOF. All rows have been returned by
// then, so if the records are damaged, only merged ranges are lost. It still returns errors that
// occur while reading the part.
func (r *rows) readTrailer() error {
	err := r.findMerged()
	var broken *source.UnreadableError
	var limit *source.LimitError
	if err != nil && !errors.As(err, &broken) && !errors.As(err, &limit) {
		return err
	}
	if _, err := io.Copy(io.Discard, r.part); err != nil { // the checksum is at the end of the part
		return err
	}
	return io.EOF
}

// skipCells moves to the end of the cells.
func (r *rows) skipCells() error {
	for r.err == nil && r.records.id != recEndSheetData {
		if err := r.next(); err != nil {
			return err
		}
	}
	return nil
}

// findMerged reads the merged ranges, which follow the cells in the file. A range consists of its
// first and last row, and its first and last column.
func (r *rows) findMerged() error {
	for r.records.id != recEndSheet {
		if err := r.next(); err != nil {
			return err
		}
		if r.records.id != recMerged {
			continue
		}
		if limit := r.limits.Merges; len(r.merged) >= limit {
			return r.limitError(intray.NewMessage("sheet.too_many_merged_ranges", intray.Params{"limit": limit}))
		}
		body, err := r.records.body(16)
		if err != nil {
			return err
		}
		if len(body) < 16 {
			return r.records.broken(intray.NewMessage("xlsb.short_record", nil))
		}
		g := workbook.Range{
			FirstRow: int64(little.Uint32(body)) + 1, LastRow: int64(little.Uint32(body[4:])) + 1,
			FirstColumn: int(little.Uint32(body[8:])), LastColumn: int(little.Uint32(body[12:])),
		}
		if g.LastRow <= maxRows && g.FirstColumn < maxColumns && g.LastColumn < maxColumns {
			r.merged = append(r.merged, g)
		}
	}
	return nil
}
