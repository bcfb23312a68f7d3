package xls

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/intraydata/intray/source"
)

// mostRows is how many rows a sheet can have.
const mostRows = 1 << 16

// survey is where the rows of a sheet are: a first reading makes it, so that
// rows can be given in their order, and be known as hidden, wherever the file
// has them.
type survey struct {
	// pieces are the places where cells of one row begin, the row in the upper
	// 16 bits and the place in the stream below. A row whose cells are together
	// has one piece.
	pieces []uint64
	hidden marks
}

const placeBits = 48

func (s *survey) row(i int) int { return int(s.pieces[i] >> placeBits) }

func (s *survey) place(i int) int64 { return int64(s.pieces[i] & (1<<placeBits - 1)) }

// survey reads the records of a sheet for the first time.
func (b *book) survey(ctx context.Context, part *inner) (*survey, error) {
	s := &survey{hidden: newMarks(mostRows)}
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
		count, ok := countCells(rec)
		if !ok {
			return nil, unreadable("the workbook is damaged: the cell at byte %d is too short", rec.at)
		}
		if count == 0 {
			continue
		}
		if cells += int64(count); cells > b.limits.Cells {
			return nil, &source.LimitError{Reason: fmt.Sprintf("the sheet has more cells than the limit of %d", b.limits.Cells)}
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

// noteHidden looks at ROW records.
func (s *survey) noteHidden(rec record) {
	switch {
	case rec.id == 0x0208 && len(rec.body) >= 16 && rec.body[12]&0x20 != 0:
	case rec.id == 0x0008 && len(rec.body) >= 8 && little.Uint16(rec.body[6:])&0x7FFF == 0:
	default:
		return
	}
	s.hidden.set(uint32(little.Uint16(rec.body)))
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
