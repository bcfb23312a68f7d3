package xls

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/grid"
)

// rows gives the rows of one sheet.
type rows struct {
	book *book
	part *inner
	*survey
	// at is the next of the pieces.
	at    int
	found []cell
	cells []grid.Cell
	// arena holds the texts of one row; spent is what all rows together had.
	arena []byte
	spent int64
}

// Rows reads the sheet once to find its rows; the rows are read again as they
// are asked for.
func (b *book) Rows(ctx context.Context, number int) (grid.Rows, error) {
	if number < 0 || number >= len(b.sheets) {
		return nil, fmt.Errorf("read sheet %d: the workbook has %d", number, len(b.sheets))
	}
	part := b.part()
	if _, err := part.enter(b.sheets[number].at); err != nil {
		return nil, err
	}
	survey, err := b.survey(ctx, part)
	if err != nil {
		return nil, err
	}
	return &rows{book: b, part: part, survey: survey, arena: make([]byte, 0, 256)}, nil
}

func (r *rows) Close() error {
	r.pieces, r.at = nil, 0
	return nil
}

// Merged gives the merged ranges, all of them before the first row.
func (r *rows) Merged() []grid.Range {
	found := r.merged
	r.merged = nil
	return found
}

// Hides says whether a column is hidden.
func (r *rows) Hides(column int) bool { return column < mostColumns && r.columns.has(uint32(column)) }

func (r *rows) Next(ctx context.Context) (grid.Row, error) {
	for r.at < len(r.pieces) {
		if err := ctx.Err(); err != nil {
			return grid.Row{}, err
		}
		number := r.row(r.at)
		r.found, r.cells, r.arena = r.found[:0], r.cells[:0], r.arena[:0]
		for ; r.at < len(r.pieces) && r.row(r.at) == number; r.at++ {
			if err := r.readPiece(number, r.place(r.at)); err != nil {
				return grid.Row{}, onRow(err, number)
			}
		}
		r.sortCells()
		if err := r.show(); err != nil {
			return grid.Row{}, onRow(err, number)
		}
		if len(r.cells) > 0 {
			return grid.Row{Number: int64(number) + 1, Hidden: r.hidden.has(uint32(number)), Cells: r.cells}, nil
		}
	}
	return grid.Row{}, io.EOF
}

// onRow says in an error which row it is about.
func onRow(err error, number int) error {
	var damage *source.UnreadableError
	var limit *source.LimitError
	switch line := int64(number) + 1; {
	case errors.As(err, &damage):
		return &source.UnreadableError{Line: line, Reason: damage.Reason}
	case errors.As(err, &limit):
		return &source.LimitError{Line: line, Reason: limit.Reason}
	}
	return err
}

// readPiece collects cells of a row, up to the first of another.
func (r *rows) readPiece(number int, at int64) error {
	for r.part.pos = at; ; {
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
		if err := r.collect(rec); err != nil {
			return err
		}
		if len(r.found) > 2*r.book.limits.Columns {
			r.sortCells() // repeated cells must not pile up
		}
		if len(r.arena) > r.book.limits.RowBytes {
			return r.tooLong()
		}
	}
}

func (r *rows) tooLong() error {
	return &source.LimitError{Reason: intray.NewMessage("row.too_long", intray.Params{"limit": r.book.limits.RowBytes})}
}

// sortCells puts the cells in the order of their columns. Of several in one
// place, the last one that was written counts, as in the application.
func (r *rows) sortCells() {
	if r.inOrder() {
		return
	}
	slices.SortStableFunc(r.found, func(a, b cell) int { return cmp.Compare(a.column, b.column) })
	kept := r.found[:0]
	for i, c := range r.found {
		if i+1 == len(r.found) || r.found[i+1].column != c.column {
			kept = append(kept, c)
		}
	}
	r.found = kept
}

func (r *rows) inOrder() bool {
	for i := 1; i < len(r.found); i++ {
		if r.found[i-1].column >= r.found[i].column {
			return false
		}
	}
	return true
}

// show turns what was collected into the cells of the row.
func (r *rows) show() error {
	total := 0
	for _, c := range r.found {
		out := r.shown(c)
		if len(out.Value) == 0 && len(out.Shown) == 0 {
			continue
		}
		if longest := max(len(out.Value), len(out.Shown)); longest > r.book.limits.CellBytes {
			return &source.LimitError{Reason: intray.NewMessage("cell.too_long_in_column", intray.Params{"column": c.column + 1, "limit": r.book.limits.CellBytes})}
		}
		if total += len(out.Value) + len(out.Shown); total > r.book.limits.RowBytes {
			return r.tooLong()
		}
		r.cells = append(r.cells, out)
	}
	if r.spent += int64(total); r.spent > r.book.limits.SheetBytes {
		return &source.LimitError{Reason: intray.NewMessage("sheet.texts_too_long", intray.Params{"limit": r.book.limits.SheetBytes})}
	}
	return nil
}

// shown gives the value of a cell and what is displayed for it.
func (r *rows) shown(c cell) grid.Cell {
	style := r.book.styles.of(c.xf)
	out := grid.Cell{Column: c.column, Kind: c.kind, Value: c.text}
	switch {
	case c.kind == intray.CellNumber:
		start := len(r.arena)
		r.arena, out.Kind = style.AppendValue(r.arena, c.number, r.book.epoch1904)
		end := len(r.arena)
		r.arena = style.AppendShown(r.arena, c.number, r.book.epoch1904)
		out.Value, out.Shown = r.arena[start:end:end], r.arena[end:len(r.arena):len(r.arena)]
	case c.kind == intray.CellBool && string(c.text) == "true":
		out.Shown = []byte("TRUE")
	case c.kind == intray.CellBool:
		out.Shown = []byte("FALSE")
	case c.kind == intray.CellText && !style.plain:
		start := len(r.arena)
		r.arena = style.AppendShownText(r.arena, c.text)
		out.Shown = r.arena[start:len(r.arena):len(r.arena)]
	}
	if bytes.Equal(out.Shown, out.Value) {
		out.Shown = nil
	}
	return out
}

// finite says that a number is one that a sheet can hold.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// The size of a sheet in the format itself.
const (
	mostRows    = 1 << 16
	mostColumns = 1 << 8
)

// survey is where the rows of a sheet are: a first reading makes it, so that
// rows can be given in their order, and be known as hidden, wherever the file
// has them.
type survey struct {
	// pieces are the places where cells of one row begin, the row in the upper
	// 16 bits and the place in the stream below. A row whose cells are together
	// has one piece.
	pieces []uint64
	hidden marks
	// columns are those that are hidden, merged the ranges of merged cells.
	columns marks
	merged  []grid.Range
}

const placeBits = 48

func (s *survey) row(i int) int { return int(s.pieces[i] >> placeBits) }

func (s *survey) place(i int) int64 { return int64(s.pieces[i] & (1<<placeBits - 1)) }

// survey reads the records of a sheet for the first time.
func (b *book) survey(ctx context.Context, part *inner) (*survey, error) {
	s := &survey{hidden: newMarks(mostRows), columns: newMarks(mostColumns)}
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
		s.noteHidden(rec)
		if err := s.noteMerged(rec, b.limits.Merges); err != nil {
			return nil, err
		}
		count, ok := countCells(rec)
		if !ok {
			return nil, broken(intray.NewMessage("xls.short_cell", intray.Params{"offset": rec.at}))
		}
		if count == 0 {
			continue
		}
		if cells += int64(count); cells > b.limits.Cells {
			return nil, &source.LimitError{Reason: intray.NewMessage("sheet.too_many_cells", intray.Params{"limit": b.limits.Cells})}
		}
		if row := int(little.Uint16(rec.body)); row != last {
			s.pieces = append(s.pieces, uint64(row)<<placeBits|uint64(rec.at))
			last = row
		}
	}
	if !slices.IsSorted(s.pieces) {
		slices.Sort(s.pieces)
	}
	return s, nil
}

// noteHidden looks at ROW and COLINFO records.
func (s *survey) noteHidden(rec record) {
	switch {
	case rec.id == 0x007D && len(rec.body) >= 10 && rec.body[8]&1 != 0:
		last := min(int(little.Uint16(rec.body[2:])), mostColumns-1)
		for c := int(little.Uint16(rec.body)); c <= last; c++ {
			s.columns.set(uint32(c))
		}
		return
	case rec.id == 0x0208 && len(rec.body) >= 16 && rec.body[12]&0x20 != 0:
	case rec.id == 0x0008 && len(rec.body) >= 8 && little.Uint16(rec.body[6:])&0x7FFF == 0:
	default:
		return
	}
	s.hidden.set(uint32(little.Uint16(rec.body)))
}

// noteMerged takes the ranges of a MERGEDCELLS record: a count, which is not
// asked, and for each the rows and columns at its borders.
func (s *survey) noteMerged(rec record, limit int) error {
	if rec.id != 0x00E5 || len(rec.body) < 2 {
		return nil
	}
	for raw := rec.body[2:]; len(raw) >= 8; raw = raw[8:] {
		if len(s.merged) >= limit {
			return &source.LimitError{Reason: intray.NewMessage("sheet.too_many_merged_ranges", intray.Params{"limit": limit})}
		}
		s.merged = append(s.merged, grid.Range{
			FirstRow: int64(little.Uint16(raw)) + 1, LastRow: int64(little.Uint16(raw[2:])) + 1,
			FirstColumn: int(little.Uint16(raw[4:])), LastColumn: int(little.Uint16(raw[6:])),
		})
	}
	return nil
}

// countCells says how many cells with a value a record has; ok is false where
// it is too short for them.
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
