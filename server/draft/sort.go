package draft

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/intraydata/intray"
)

// Sort orders the rows of a view by the values of a field. Blank cells are last, and cells without a value
// are after those with one, in both directions. Equal rows are in the order of the file.
type Sort struct {
	Field int
	// Descending starts with the largest value.
	Descending bool
}

// maxSortedRows is the maximum number of rows in a sorted view.
const maxSortedRows = 1_000_000

// maxSortKey is the length up to which texts are compared, in bytes.
const maxSortKey = 64

// The groups of cells in a sorted view.
const (
	valueGroup = iota
	textGroup
	blankGroup
)

// sortKey is the key of a row: a group, and a text in an arena that is compared byte by byte.
type sortKey struct {
	row, start uint32
	length     uint8
	group      uint8
}

// sortKeys are the keys of rows, and the arena with their texts.
type sortKeys struct {
	keys    []sortKey
	arena   []byte
	scratch []byte
}

// sorting is held while a view is sorted, because the keys take memory.
var sorting sync.Mutex

// sortRows returns rows in the order of their values. It takes about 12 bytes for each row, and up to
// maxSortKey bytes for its text.
func (d *Draft) sortRows(ctx context.Context, s *snapshot, rows *roaring.Bitmap, by Sort) ([]uint32, error) {
	if by.Field < 0 || by.Field >= len(d.cfg.Fields) {
		return nil, &RefusedError{Text: noField(by.Field)}
	}
	if rows.GetCardinality() > maxSortedRows {
		return nil, &RefusedError{Text: intray.NewMessage("review.too_many_to_sort", intray.Params{"n": maxSortedRows})}
	}
	sorting.Lock()
	defer sorting.Unlock()
	all, err := d.readSortKeys(ctx, s, rows, by.Field)
	if err != nil {
		return nil, err
	}
	text := func(k sortKey) []byte { return all.arena[k.start : k.start+uint32(k.length)] }
	slices.SortFunc(all.keys, func(a, b sortKey) int {
		if a.group != b.group {
			return int(a.group) - int(b.group)
		}
		order := bytes.Compare(text(a), text(b))
		switch {
		case order == 0:
			return int(int64(a.row) - int64(b.row))
		case by.Descending:
			return -order
		}
		return order
	})
	order := make([]uint32, len(all.keys))
	for i, k := range all.keys {
		order[i] = k.row
	}
	return order, nil
}

// readSortKeys reads the keys of rows.
func (d *Draft) readSortKeys(ctx context.Context, s *snapshot, rows *roaring.Bitmap, field int) (*sortKeys, error) {
	all := &sortKeys{keys: make([]sortKey, 0, rows.GetCardinality())}
	isNumber, names := d.cfg.Fields[field].Type.Name == intray.TypeNumber, d.displayNames(field)
	var mu sync.Mutex
	err := d.eachSpan(ctx, rows, nil, func() spanWork {
		l, own := d.newFieldReader(s, []int{field}, nil), &sortKeys{}
		return func(ctx context.Context, at span) error {
			pieces, err := l.readSpan(ctx, at, rows)
			if err != nil {
				return err
			}
			own.keys, own.arena = own.keys[:0], own.arena[:0]
			for _, p := range pieces {
				cells := &p.batch.Fields[field]
				for i, row := range p.rows {
					own.add(row, cells, p.at[i], isNumber, names)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			all.join(own)
			return nil
		}
	})
	return all, err
}

// add appends the key of row i of some cells.
func (k *sortKeys) add(row uint32, cells *intray.Cells, i int, isNumber bool, names map[string]string) {
	key := sortKey{row: row, start: uint32(len(k.arena)), group: valueGroup}
	value, there := cells.Value(i)
	switch raw := cells.Raw(i); {
	case !there && len(raw) == 0:
		key.group = blankGroup
	case !there:
		key.group = textGroup
		k.addText(raw)
	case isNumber:
		number, err := strconv.ParseFloat(string(value), 64)
		if err != nil { // a field with several columns
			k.addText(value)
			break
		}
		k.arena = binary.BigEndian.AppendUint64(k.arena, orderedBits(number))
	case names[string(value)] != "":
		k.addText([]byte(names[string(value)]))
	default:
		k.addText(value)
	}
	key.length = uint8(len(k.arena) - int(key.start))
	k.keys = append(k.keys, key)
}

func (k *sortKeys) addText(text []byte) {
	k.scratch = foldCase(text[:min(len(text), 2*maxSortKey)], k.scratch)
	k.arena = append(k.arena, k.scratch[:min(len(k.scratch), maxSortKey)]...)
}

// join appends the keys of other rows.
func (k *sortKeys) join(other *sortKeys) {
	base := uint32(len(k.arena))
	for _, key := range other.keys {
		key.start += base
		k.keys = append(k.keys, key)
	}
	k.arena = append(k.arena, other.arena...)
}

// orderedBits returns bits that are in the same order as numbers.
func orderedBits(number float64) uint64 {
	bits := math.Float64bits(number)
	if bits>>63 == 1 {
		return ^bits
	}
	return bits | 1<<63
}

// rowList is the rows of a view in their order.
type rowList struct {
	set *roaring.Bitmap
	// order lists the rows if they are sorted. It is nil if they are in the order of their numbers.
	order []uint32
}

func (l rowList) count() int64 { return int64(l.set.GetCardinality()) }

// at returns up to n rows, starting at position first.
func (l rowList) at(first int64, n int) []uint32 {
	if l.order == nil {
		return rowsAt(l.set, first, n)
	}
	first = min(first, int64(len(l.order)))
	return l.order[first:min(first+int64(max(n, 0)), int64(len(l.order)))]
}

// between returns the rows at positions [first, end). If end is 0, the range extends to the end.
func (l rowList) between(first, end int64) *roaring.Bitmap {
	if l.order == nil {
		return viewRange(l.set, first, end)
	}
	if total := int64(len(l.order)); end <= 0 || end > total {
		end = total
	}
	if first < 0 || first >= end {
		return roaring.New()
	}
	return roaring.BitmapOf(l.order[first:end]...)
}

// next returns the first row after the given one that is among others, or the last one before it if back is
// set, and its position. It returns -1 if there is none. A row that is not in the list is before all rows or,
// if back is set, after them.
func (l rowList) next(among *roaring.Bitmap, row int64, back bool) (next, position int64) {
	if l.order == nil {
		next := neighbor(among, row, back)
		if next < 0 {
			return -1, -1
		}
		return next, int64(l.set.Rank(uint32(next))) - 1
	}
	at, step := slices.Index(l.order, uint32(max(row, 0))), 1
	if row < 0 || row >= 1<<32 {
		at = -1
	}
	if back {
		step = -1
		if at < 0 {
			at = len(l.order)
		}
	}
	for at += step; at >= 0 && at < len(l.order); at += step {
		if among.Contains(l.order[at]) {
			return int64(l.order[at]), int64(at)
		}
	}
	return -1, -1
}
