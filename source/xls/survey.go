package xls

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/grid"
)

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
