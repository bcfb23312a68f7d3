package xlsx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/ooxml"
	"github.com/intraydata/intray/internal/xmlscan"
	"github.com/intraydata/intray/internal/zipfile"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/workbook"
)

// rows reads the rows of one sheet.
type rows struct {
	book    *book
	styles  *ooxml.StyleCache
	strings *ooxml.SharedStrings
	sheet   ooxml.SheetEntry
	part    *zipfile.Part
	scan    *xmlscan.Scanner
	hidden  *[maxColumns]bool
	// merged holds the merged ranges that were found but not yet returned.
	merged []workbook.Range

	row   workbook.Row
	cells []workbook.Cell
	// textBuf holds the text of the current row.
	textBuf []byte
	// raw is the value of the current cell, in the scanner's buffer or in scratch.
	raw, scratch []byte
	// rowBytes counts the bytes of text in the current row, and sheetBytes those in the sheet.
	rowBytes   int
	sheetBytes int64
	// column is the column of the last cell. unsorted is true if the cells of the row
	// are not in column order.
	column   int
	unsorted bool
	// next is the element after the last row.
	next rowStart
	// ownNumber is the number that the file gives to the row, or 0. lastNumber is the last such
	// number. They differ from row.Number if rows are out of order.
	ownNumber, lastNumber int64
	digits                rowDigits
	// plainRef is the last cell reference of the row that is only a number, or -1.
	plainRef int
	repairs  workbook.Repairs
	err      error
}

// openRows opens a sheet and reads up to its first row.
func openRows(ctx context.Context, b *book, shared *ooxml.SharedStrings, sheet ooxml.SheetEntry) (*rows, error) {
	p, err := b.arc.Open(ctx, sheet.Part)
	if err != nil {
		return nil, err
	}
	r := &rows{book: b, styles: b.styles.NewCache(), strings: shared, sheet: sheet, part: p, textBuf: make([]byte, 0, 1<<10)}
	if r.scan, err = b.arc.NewScanner(p, sheet.Part); err == nil {
		err = r.readPreamble()
	}
	if err != nil {
		p.Close()
		return nil, zipfile.Cause(ctx, err)
	}
	return r, nil
}

// readPreamble reads the elements before the cells.
func (r *rows) readPreamble() error {
	if err := r.scan.OpenRoot("worksheet"); err != nil {
		return err
	}
	for {
		more, err := r.scan.NextChild()
		if err != nil {
			return err
		}
		if !more {
			r.err = io.EOF
			return nil
		}
		switch string(r.scan.Name) {
		case "sheetData":
			return nil
		case "cols":
			err = r.scan.ForEachChild(func() error {
				if string(r.scan.Name) == "col" && r.scan.AttrBool("hidden") {
					from, known := parseRow(r.scan.Attr("min"))
					to, also := parseRow(r.scan.Attr("max"))
					if known && also {
						if r.hidden == nil {
							r.hidden = &[maxColumns]bool{}
						}
						for c := from; c <= min(to, maxColumns); c++ {
							r.hidden[c-1] = true
						}
					}
				}
				return r.scan.Skip()
			})
		default:
			err = r.scan.Skip()
		}
		if err != nil {
			return err
		}
	}
}

// ColumnHidden reports whether a column is hidden.
func (r *rows) ColumnHidden(column int) bool {
	return r.hidden != nil && column < maxColumns && r.hidden[column]
}

// Next returns the next row that has cells.
func (r *rows) Next(ctx context.Context) (workbook.Row, error) {
	if err := ctx.Err(); err != nil {
		return workbook.Row{}, context.Cause(ctx)
	}
	r.part.SetContext(ctx)
	for r.err == nil {
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

// rowStart is what follows the cells of a row: the start of a row, another element or the end.
type rowStart struct {
	// read is true if the scanner has moved past the cells of the last row. more is false at the
	// end of the rows.
	read, more bool
	// text is the row number as it is written, or nil. number is 0 if it is not valid.
	text   []byte
	number int64
	hidden bool
	isRow  bool
	// inside is true if the scanner has moved on to the first cell of the row.
	inside bool
	err    error
}

// readRow reads the next element at the level of rows, which is usually a row.
func (r *rows) readRow() error {
	if !r.next.read {
		r.peek()
	}
	next := r.next
	r.next = rowStart{}
	r.cells, r.textBuf, r.rowBytes = r.cells[:0], r.textBuf[:0], 0
	switch {
	case next.err != nil:
		return next.err
	case !next.more:
		return r.readTrailer()
	case !next.isRow:
		return r.scan.Skip()
	}
	if err := r.startRow(next); err != nil {
		return err
	}
	if next.inside {
		if err := r.readCell(); err != nil {
			return err
		}
	}
	if err := r.readCells(); err != nil {
		return err
	}
	if err := r.readContinuations(); err != nil {
		return err
	}
	return r.endRow()
}

// peek moves to the next element at the level of rows and reads its attributes.
func (r *rows) peek() {
	r.next = rowStart{read: true}
	if r.next.more, r.next.err = r.scan.NextChild(); r.next.err != nil || !r.next.more || string(r.scan.Name) != "row" {
		return
	}
	r.next.isRow, r.next.hidden = true, r.scan.AttrBool("hidden")
	r.next.text = r.scan.Attr("r")
	if number, ok := parseRow(r.next.text); ok {
		r.next.number = number
	}
}

// readContinuations reads the rows that continue the current one: rows with the same number
// whose first cell is to the right of all cells so far. Some programs write a row for each cell.
func (r *rows) readContinuations() error {
	for r.peek(); r.next.isRow && r.next.number > 0 && r.next.number == r.ownNumber; r.peek() {
		for r.next.err == nil {
			if r.next.more, r.next.err = r.scan.NextChild(); r.next.err != nil || !r.next.more || string(r.scan.Name) == "c" {
				break
			}
			r.next.err = r.scan.Skip()
		}
		if r.next.err != nil {
			break // reported after the current row
		}
		if r.next.more {
			column, number, ok := parseCellRef(r.scan.Attr("r"))
			if !ok || number != r.ownNumber || column <= r.column {
				r.next.inside = true
				return nil
			}
			if err := r.readCell(); err != nil {
				return err
			}
			if err := r.readCells(); err != nil {
				return err
			}
		}
		r.repairs.Add(workbook.RowNumbers, strconv.FormatInt(r.ownNumber, 10))
	}
	return nil //nolint:nilerr // next.err is reported after the current row
}

// startRow starts a row. A row without a number follows the previous row, unless its first cell
// has a reference.
func (r *rows) startRow(next rowStart) error {
	r.row = workbook.Row{Number: r.row.Number + 1, Hidden: next.hidden}
	r.column, r.unsorted, r.ownNumber, r.plainRef, r.digits = -1, false, 0, -1, rowDigits{}
	switch {
	case next.number > 0:
		r.setRowNumber(next.number)
	case string(next.text) == "0": // some programs count rows from 0 or do not count them
		r.repairs.Add(workbook.RowNumbers, "0")
	case next.text != nil:
		return r.unreadable(intray.NewMessage("xlsx.bad_row_number", intray.Params{"number": source.Excerpt(string(next.text))}))
	}
	return nil
}

// setRowNumber sets the number that the file gives to the row. If rows are out of order, they are
// returned in the order of the file and numbered accordingly, because sorting them would require
// all rows in memory.
func (r *rows) setRowNumber(own int64) {
	if own <= r.lastNumber {
		r.repairs.Add(workbook.RowNumbers, strconv.FormatInt(own, 10))
	}
	r.ownNumber, r.lastNumber, r.digits = own, own, newRowDigits(own)
	r.row.Number = max(r.row.Number, own)
	r.row.Renumbered = r.row.Number != own
}

func (r *rows) readCells() error {
	for {
		if err := r.readPlainCells(); err != nil {
			return err
		}
		more, err := r.scan.NextChild()
		if err != nil || !more {
			return err
		}
		if string(r.scan.Name) == "c" {
			err = r.readCell()
		} else {
			err = r.scan.Skip()
		}
		if err != nil {
			return err
		}
	}
}

// endRow sorts the cells and checks the limits.
func (r *rows) endRow() error {
	if limit := r.book.limits.Rows; r.row.Number > limit {
		return r.limitError(intray.NewMessage("sheet.too_many_rows", intray.Params{"limit": limit}))
	}
	if r.unsorted {
		r.cells = r.repairs.SortCells(r.row.Number, r.cells)
	}
	r.sheetBytes += int64(r.rowBytes)
	if limit := r.book.limits.SheetBytes; r.sheetBytes > limit {
		return r.limitError(intray.NewMessage("sheet.texts_too_long", intray.Params{"limit": limit}))
	}
	r.row.Cells = r.cells
	return nil
}

// Repairs implements [workbook.RepairReporter].
func (r *rows) Repairs() *workbook.Repairs { return &r.repairs }

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

// MergedRanges returns the merged ranges of a sheet. It reads past the cells, because
// the ranges follow them in the file.
func (b *book) MergedRanges(ctx context.Context, sheet int) ([]workbook.Range, error) {
	if sheet < 0 || sheet >= len(b.contents.Sheets) {
		return nil, fmt.Errorf("open sheet %d of a workbook with %d", sheet, len(b.contents.Sheets))
	}
	r, err := openRows(ctx, b, nil, b.contents.Sheets[sheet])
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	if r.err == nil { // the scanner is at the first row, not at the end
		err = r.scan.Skip()
	}
	if err == nil && r.err == nil {
		err = r.findMergeCells()
	}
	return r.merged, zipfile.Cause(ctx, err)
}

// PendingMerges implements [workbook.MergeReporter]. It returns nothing before the last
// row, because the ranges follow the cells in the file.
func (r *rows) PendingMerges() []workbook.Range {
	found := r.merged
	r.merged = nil
	return found
}

// readTrailer reads the elements after the cells and returns io.EOF. All rows have been
// returned by then, so if the XML is malformed, only merged ranges are lost. It still
// returns errors that occur while reading the part.
func (r *rows) readTrailer() error {
	err := r.findMergeCells()
	var broken *source.UnreadableError
	var limit *source.LimitError
	if err != nil && !errors.As(err, &broken) && !errors.As(err, &limit) {
		return err
	}
	if err == nil {
		trailing, err := ooxml.ReadToEnd(r.scan)
		if err != nil {
			return err
		}
		if trailing {
			r.repairs.Add(workbook.TextAfterEnd, r.sheet.Part)
		}
	}
	if _, err := io.Copy(io.Discard, r.part); err != nil { // the checksum is at the end of the part
		return err
	}
	return io.EOF
}

// findMergeCells moves to the merged ranges, which follow the cells in the file.
func (r *rows) findMergeCells() error {
	for {
		more, err := r.scan.NextChild()
		if err != nil || !more {
			return err
		}
		if string(r.scan.Name) == "mergeCells" {
			return r.scan.ForEachChild(func() error {
				if limit := r.book.limits.Merges; len(r.merged) >= limit {
					return r.limitError(intray.NewMessage("sheet.too_many_merged_ranges", intray.Params{"limit": limit}))
				}
				if g, ok := parseRange(r.scan.Attr("ref")); ok && string(r.scan.Name) == "mergeCell" {
					r.merged = append(r.merged, g)
				}
				return r.scan.Skip()
			})
		}
		if err := r.scan.Skip(); err != nil {
			return err
		}
	}
}

// parseRange parses a range of cells such as B2:C5.
func parseRange(text []byte) (g workbook.Range, ok bool) {
	first, last, _ := bytes.Cut(text, []byte(":"))
	column, row, ok := parseCellRef(first)
	toColumn, toRow, also := parseCellRef(last)
	return workbook.Range{FirstRow: row, LastRow: toRow, FirstColumn: column, LastColumn: toColumn}, ok && also
}
