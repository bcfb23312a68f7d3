package xls

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/workbook"
)

// rows implements [workbook.Rows] for one sheet.
type rows struct {
	book *book
	part *partReader
	*sheetIndex
	// nextRun is the index of the next entry of runs.
	nextRun int
	pending []cell
	cells   []workbook.Cell
	// arena holds the text of the current row. sheetBytes counts the bytes of text in
	// all rows so far.
	arena      []byte
	sheetBytes int64
	// rowNumber is the number of the current row, counted from 1.
	rowNumber int64
	repairs   workbook.Repairs
}

// Rows starts to read a sheet. It reads the sheet once to find its rows, which Next
// then reads again.
func (b *book) Rows(ctx context.Context, number int) (workbook.Rows, error) {
	if number < 0 || number >= len(b.worksheets) {
		return nil, fmt.Errorf("read sheet %d: the workbook has %d", number, len(b.worksheets))
	}
	part := b.newPartReader()
	if _, err := part.seekPart(b.worksheets[number].offset); err != nil {
		return nil, err
	}
	index, err := b.indexSheet(ctx, part)
	if err != nil {
		return nil, err
	}
	return &rows{book: b, part: part, sheetIndex: index, arena: make([]byte, 0, 256)}, nil
}

func (r *rows) Close() error {
	r.runs, r.nextRun = nil, 0
	return nil
}

// PendingMerges returns all merged ranges before the first row, and nothing afterwards.
func (r *rows) PendingMerges() []workbook.Range {
	found := r.merged
	r.merged = nil
	return found
}

// ColumnHidden reports whether a column is hidden.
func (r *rows) ColumnHidden(column int) bool {
	return column < maxColumns && r.hiddenColumns.contains(uint32(column))
}

func (r *rows) Next(ctx context.Context) (workbook.Row, error) {
	for r.nextRun < len(r.runs) {
		if err := ctx.Err(); err != nil {
			return workbook.Row{}, err
		}
		number := r.runRow(r.nextRun)
		r.rowNumber = int64(number) + 1
		r.pending, r.cells, r.arena = r.pending[:0], r.cells[:0], r.arena[:0]
		for ; r.nextRun < len(r.runs) && r.runRow(r.nextRun) == number; r.nextRun++ {
			if err := r.readRun(number, int64(r.runs[r.nextRun]&(1<<offsetBits-1))); err != nil {
				return workbook.Row{}, workbook.AtRow(err, int64(number)+1)
			}
		}
		r.sortCells()
		if err := r.convertCells(); err != nil {
			return workbook.Row{}, workbook.AtRow(err, int64(number)+1)
		}
		if len(r.cells) > 0 {
			return workbook.Row{Number: int64(number) + 1, Hidden: r.hiddenRows.contains(uint32(number)), Cells: r.cells}, nil
		}
	}
	return workbook.Row{}, io.EOF
}

// readRun collects consecutive cells of a row, starting at the given offset and ending before
// the first cell of a different row.
func (r *rows) readRun(number int, at int64) error {
	for r.part.pos = at; ; {
		if err := r.collectPlainCells(uint16(number)); err != nil {
			return err
		}
		rec, err := r.part.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if n, _ := countCells(rec); n == 0 {
			continue
		}
		if int(little.Uint16(rec.body)) != number {
			return nil
		}
		if err := r.collectCells(rec); err != nil {
			return err
		}
		if len(r.pending) > 2*r.book.limits.Columns {
			r.sortCells() // drop repeated cells
		}
		if len(r.arena) > r.book.limits.RowBytes {
			return r.rowTooLong()
		}
	}
}

func (r *rows) rowTooLong() error {
	return &source.LimitError{Reason: intray.NewMessage("row.too_long", intray.Params{"limit": r.book.limits.RowBytes})}
}

// sortCells sorts the cells by column. If a column has several cells, it keeps only the
// last one stored, as Excel does, and reports the other values.
func (r *rows) sortCells() {
	if r.inOrder() {
		return
	}
	slices.SortStableFunc(r.pending, func(a, b cell) int { return cmp.Compare(a.column, b.column) })
	kept := r.pending[:0]
	for i, c := range r.pending {
		if i+1 == len(r.pending) || r.pending[i+1].column != c.column {
			kept = append(kept, c)
		} else if last := r.pending[i+1]; c.kind != last.kind || c.number != last.number || !bytes.Equal(c.text, last.text) {
			r.repairs.AddValue(workbook.RepeatedCells, c.column, r.rowNumber, r.convertCell(&c).Value)
		}
	}
	r.pending = kept
}

// Repairs implements [workbook.RepairReporter].
func (r *rows) Repairs() *workbook.Repairs { return &r.repairs }

func (r *rows) inOrder() bool {
	for i := 1; i < len(r.pending); i++ {
		if r.pending[i-1].column >= r.pending[i].column {
			return false
		}
	}
	return true
}

// convertCells converts the collected cells of the current row.
func (r *rows) convertCells() error {
	total := 0
	for i := range r.pending {
		c := &r.pending[i]
		out := r.convertCell(c)
		if len(out.Value) == 0 && len(out.Formatted) == 0 {
			continue
		}
		if longest := max(len(out.Value), len(out.Formatted)); longest > r.book.limits.CellBytes {
			return &source.LimitError{Reason: intray.NewMessage("cell.too_long_in_column", intray.Params{"column": c.column + 1, "limit": r.book.limits.CellBytes})}
		}
		if total += len(out.Value) + len(out.Formatted); total > r.book.limits.RowBytes {
			return r.rowTooLong()
		}
		r.cells = append(r.cells, out)
	}
	if r.sheetBytes += int64(total); r.sheetBytes > r.book.limits.SheetBytes {
		return &source.LimitError{Reason: intray.NewMessage("sheet.texts_too_long", intray.Params{"limit": r.book.limits.SheetBytes})}
	}
	return nil
}

// convertCell returns a cell with its value and its displayed text.
func (r *rows) convertCell(c *cell) workbook.Cell {
	style := r.book.styles.forXF(c.xf)
	out := workbook.Cell{Column: c.column, Kind: c.kind, Value: c.text}
	switch {
	case c.kind == intray.CellNumber:
		start := len(r.arena)
		r.arena, out.Kind = style.AppendValue(r.arena, c.number, r.book.epoch1904)
		end := len(r.arena)
		if style.general && workbook.IsVerbatim(r.arena[start:]) {
			out.Value = r.arena[start:end:end]
			return out
		}
		r.arena = style.AppendFormatted(r.arena, c.number, r.book.epoch1904)
		out.Value, out.Formatted = r.arena[start:end:end], r.arena[end:len(r.arena):len(r.arena)]
	case c.kind == intray.CellBool:
		start := len(r.arena)
		r.arena = style.AppendFormattedText(r.arena, bytes.ToUpper(c.text))
		out.Formatted = r.arena[start:len(r.arena):len(r.arena)]
	case c.kind == intray.CellText && style.plain:
		return out
	case c.kind == intray.CellText:
		start := len(r.arena)
		r.arena = style.AppendFormattedText(r.arena, c.text)
		out.Formatted = r.arena[start:len(r.arena):len(r.arena)]
	}
	if bytes.Equal(out.Formatted, out.Value) {
		out.Formatted = nil
	}
	return out
}

// maxRows and maxColumns are the size of the largest sheet that the format allows.
const (
	maxRows    = 1 << 16
	maxColumns = 1 << 8
)

// bitset is a set of small non-negative numbers.
type bitset []uint64

func newBitset(n int64) bitset { return make(bitset, n/64+1) }

func (m bitset) set(n uint32) { m[n/64] |= 1 << (n % 64) }

func (m bitset) contains(n uint32) bool { return m[n/64]&(1<<(n%64)) != 0 }

// sheetIndex is the result of a first pass over a sheet. It is needed to return rows in order
// and with their visibility, because rows and their attributes can be anywhere in the file.
type sheetIndex struct {
	// runs has an entry for each sequence of consecutive cells in one row: the index of
	// the row in the upper 16 bits, and the offset of the first cell in the stream in
	// the lower 48 bits. A row whose cells are stored together has one entry.
	runs       []uint64
	hiddenRows bitset
	// hiddenColumns holds the hidden columns, and merged holds the merged ranges.
	hiddenColumns bitset
	merged        []workbook.Range
}

const offsetBits = 48

func (s *sheetIndex) runRow(i int) int { return int(s.runs[i] >> offsetBits) }

// indexSheet makes the first pass over a sheet.
func (b *book) indexSheet(ctx context.Context, part *partReader) (*sheetIndex, error) {
	s := &sheetIndex{hiddenRows: newBitset(maxRows), hiddenColumns: newBitset(maxColumns)}
	last, cells := -1, int64(0)
	for n := 0; ; n++ {
		if n%pollRecords == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		rec, err := part.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		count, ok := countCells(rec)
		if !ok {
			return nil, broken(intray.NewMessage("xls.short_cell", intray.Params{"offset": rec.offset}))
		}
		if count == 0 {
			s.readHidden(rec)
			if err := s.readMerged(rec, b.limits.Merges); err != nil {
				return nil, err
			}
			continue
		}
		row := little.Uint16(rec.body)
		if cells += int64(count) + part.skipCells(row); cells > b.limits.Cells {
			return nil, &source.LimitError{Reason: intray.NewMessage("sheet.too_many_cells", intray.Params{"limit": b.limits.Cells})}
		}
		if int(row) != last {
			s.runs = append(s.runs, uint64(row)<<offsetBits|uint64(rec.offset))
			last = int(row)
		}
	}
	if !slices.IsSorted(s.runs) {
		slices.Sort(s.runs)
	}
	return s, nil
}

// readHidden records the hidden rows and columns from ROW and COLINFO records.
func (s *sheetIndex) readHidden(rec record) {
	switch {
	case rec.id == 0x007D && len(rec.body) >= 10 && rec.body[8]&1 != 0:
		last := min(int(little.Uint16(rec.body[2:])), maxColumns-1)
		for c := int(little.Uint16(rec.body)); c <= last; c++ {
			s.hiddenColumns.set(uint32(c))
		}
		return
	case rec.id == 0x0208 && len(rec.body) >= 16 && rec.body[12]&0x20 != 0:
	case rec.id == 0x0008 && len(rec.body) >= 8 && little.Uint16(rec.body[6:])&0x7FFF == 0:
	default:
		return
	}
	s.hiddenRows.set(uint32(little.Uint16(rec.body)))
}

// readMerged adds the ranges of a MERGEDCELLS record. The record consists of a count, which
// readMerged ignores, and the first and last row and column of each range.
func (s *sheetIndex) readMerged(rec record, limit int) error {
	if rec.id != 0x00E5 || len(rec.body) < 2 {
		return nil
	}
	for raw := rec.body[2:]; len(raw) >= 8; raw = raw[8:] {
		if len(s.merged) >= limit {
			return &source.LimitError{Reason: intray.NewMessage("sheet.too_many_merged_ranges", intray.Params{"limit": limit})}
		}
		s.merged = append(s.merged, workbook.Range{
			FirstRow: int64(little.Uint16(raw)) + 1, LastRow: int64(little.Uint16(raw[2:])) + 1,
			FirstColumn: int(little.Uint16(raw[4:])), LastColumn: int(little.Uint16(raw[6:])),
		})
	}
	return nil
}

// countCells returns the number of cells with a value in a record. ok is false if the
// record is too short for them.
func countCells(rec record) (n int, ok bool) {
	least := 0
	switch rec.id {
	case 0x0002, 0x0005: // INTEGER, BOOLERR
		least = 9
	case 0x0003: // NUMBER
		least = 15
	case 0x0004: // LABEL
		least = 8
	case 0x0203:
		least = 14
	case 0x0204, recRString, 0x0205:
		least = 8
	case recFormula2, 0x0206, 0x0406:
		least = 14
	case recLabelSST, recRK:
		least = 10
	case recMulRK:
		return (len(rec.body) - 6) / 6, len(rec.body) >= 6
	default:
		return 0, true
	}
	return 1, len(rec.body) >= least
}
