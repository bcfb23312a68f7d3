package xls

import (
	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// table holds the strings that the cells share, one behind the other.
type table struct {
	arena []byte
	// ends holds where each string ends in the arena.
	ends []uint32
}

// at gives a string by its number.
func (t *table) at(number uint32) (text []byte, ok bool) {
	if int64(number) >= int64(len(t.ends)) {
		return nil, false
	}
	start := uint32(0)
	if number > 0 {
		start = t.ends[number-1]
	}
	return t.arena[start:t.ends[number]:t.ends[number]], true
}

// readTable reads an SST record and its continuation. The counts in it are not
// asked: strings are read as long as there are any. One that is cut off is left
// out, and a cell that wants it says so.
func readTable(from *records, rec record, limit int) (table, error) {
	var t table
	for p := newPieces(from, rec, 8); !p.empty(); {
		start := len(t.arena)
		t.arena = p.appendText(t.arena, int(p.u16()))
		if p.err != nil {
			return t, p.err
		}
		if p.short {
			t.arena = t.arena[:start]
			break
		}
		t.ends = append(t.ends, uint32(len(t.arena)))
		if len(t.arena)+4*len(t.ends) > limit {
			return t, &source.LimitError{Reason: intray.NewMessage("workbook.strings_too_large", intray.Params{"limit": limit})}
		}
	}
	return t, nil
}
