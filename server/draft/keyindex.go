package draft

import (
	"context"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/intraydata/intray/validate"
)

// keyIndex finds live rows by the value of one key. Only the holder of Draft.writing may use it.
type keyIndex struct {
	draft  *Draft
	number int
	key    validate.Key
	// index holds the rows as they were when the index was built. It is nil before that.
	index *validate.Index
	// moved holds the current keys of rows whose key may have changed since then.
	// byHash finds these rows by the hash of their key.
	moved  map[uint32]rowKey
	byHash map[validate.Hash][]uint32
}

// rowKey is the key of a row. A row may have no key.
type rowKey struct {
	hash validate.Hash
	has  bool
}

// keyMove is a row whose key changed, with its keys before and after the change.
type keyMove struct {
	row    uint32
	before rowKey
	after  rowKey
}

// rebuild compares the keys of all rows in a snapshot. It returns an index of the
// rows, and the rows whose key occurs more than once.
func (t *keyIndex) rebuild(ctx context.Context, s *snapshot, progress func(done, total int64)) (*validate.Index, *roaring.Bitmap, error) {
	index := validate.NewIndex(t.draft.cfg.Temp)
	rows, err := t.scanRows(ctx, index, s, progress)
	if err != nil {
		_ = index.Close()
		return nil, nil, fmt.Errorf("compare the keys of all rows: %w", err)
	}
	return index, rows, nil
}

// replaceIndex replaces the index with an index of the current snapshot.
func (t *keyIndex) replaceIndex(index *validate.Index) {
	t.dropIndex()
	t.index = index
}

func (t *keyIndex) scanRows(ctx context.Context, index *validate.Index, s *snapshot, progress func(done, total int64)) (*roaring.Bitmap, error) {
	fields := t.key.Fields()
	err := t.draft.eachSpan(ctx, s.live, progress, func() spanWork {
		l, h := t.draft.newFieldReader(s, fields, nil), t.key.Hasher()
		return func(ctx context.Context, at span) error {
			some, err := l.readSpan(ctx, at, s.live)
			if err != nil {
				return err
			}
			for _, p := range some {
				for i, row := range p.rows {
					h.QueueRow(p.batch, p.at[i], row)
				}
			}
			return h.Flush(index)
		}
	})
	if err != nil {
		return nil, err
	}
	return index.Finish()
}

// ensureIndex builds the index if it does not exist or if too many rows have moved
// since it was built.
func (t *keyIndex) ensureIndex(ctx context.Context, s *snapshot) error {
	if t.index != nil && len(t.moved) <= t.draft.cfg.limits.moved {
		return nil
	}
	index, _, err := t.rebuild(ctx, s, nil)
	if err == nil {
		t.replaceIndex(index)
	}
	return err
}

// dropIndex closes the index. The next use builds a new one.
func (t *keyIndex) dropIndex() {
	if t.index != nil {
		_ = t.index.Close() // closes an unlinked temporary file
	}
	t.index, t.moved, t.byHash = nil, map[uint32]rowKey{}, map[validate.Hash][]uint32{}
}

func (t *keyIndex) close() error {
	if t.index == nil {
		return nil
	}
	return t.index.Close()
}

// recordMoves records the new keys of the rows in moves.
func (t *keyIndex) recordMoves(moves []keyMove) {
	if t.index == nil {
		return
	}
	if len(t.moved)+len(moves) > 2*t.draft.cfg.limits.moved {
		t.dropIndex()
		return
	}
	for _, m := range moves {
		t.setKey(m.row, m.after)
	}
}

func (t *keyIndex) setKey(row uint32, to rowKey) {
	if from, known := t.moved[row]; known && from.has {
		list := t.byHash[from.hash]
		for i := range list {
			if list[i] == row {
				list[i] = list[len(list)-1]
				list = list[:len(list)-1]
				break
			}
		}
		if t.byHash[from.hash] = list; len(list) == 0 {
			delete(t.byHash, from.hash)
		}
	}
	t.moved[row] = to
	if to.has {
		t.byHash[to.hash] = append(t.byHash[to.hash], row)
	}
}

// syncTo updates the keys of the given rows after an undo or redo.
func (t *keyIndex) syncTo(ctx context.Context, s *snapshot, rows *roaring.Bitmap) {
	if t.index == nil {
		return
	}
	if int(rows.GetCardinality()) > t.draft.cfg.limits.moves {
		t.dropIndex()
		return
	}
	moves, err := t.keyMoves(ctx, s, rows)
	if err != nil {
		t.dropIndex() // ensureIndex builds a new one
		return
	}
	t.recordMoves(moves)
}

// keyMoves returns the keys of the given rows in a snapshot. A deleted row has no key.
func (t *keyIndex) keyMoves(ctx context.Context, s *snapshot, rows *roaring.Bitmap) ([]keyMove, error) {
	list := roaring.And(rows, s.live).ToArray()
	b, err := t.draft.readRows(ctx, s, list)
	if err != nil {
		return nil, err
	}
	h := t.key.Hasher()
	moves := make([]keyMove, 0, rows.GetCardinality())
	for i, row := range list {
		hash, has := h.Hash(b, i)
		moves = append(moves, keyMove{row: row, after: rowKey{hash, has}})
	}
	for _, row := range roaring.AndNot(rows, s.live).ToArray() {
		moves = append(moves, keyMove{row: row})
	}
	return moves, nil
}

// hashGroup is the set of rows whose keys have the same hash. It counts the rows with changed
// keys that belong to it before and after the change, and lists up to two rows whose keys do not
// change.
type hashGroup struct {
	before, after int
	others        []uint32
}

func (g *hashGroup) repeatedBefore() bool { return g.before+len(g.others) > 1 }
func (g *hashGroup) repeated() bool       { return g.after+len(g.others) > 1 }

// findRepeated returns the rows whose key becomes or ceases to be a duplicate because of the
// given moves. repeated holds the rows with duplicate keys before the change.
func (t *keyIndex) findRepeated(ctx context.Context, s *snapshot, repeated *roaring.Bitmap, moves []keyMove) (*delta, error) {
	if err := t.ensureIndex(ctx, s); err != nil {
		return nil, err
	}
	moving := make(map[uint32]bool, len(moves))
	groups := map[validate.Hash]*hashGroup{}
	of := func(h validate.Hash) *hashGroup {
		if groups[h] == nil {
			groups[h] = &hashGroup{}
		}
		return groups[h]
	}
	for _, m := range moves {
		moving[m.row] = true
		if m.before.has {
			of(m.before.hash).before++
		}
		if m.after.has {
			of(m.after.hash).after++
		}
	}
	d := newDelta()
	for h, g := range groups {
		if err := t.findOthers(h, g, moving); err != nil {
			return nil, err
		}
		if len(g.others) == 1 && g.repeated() != g.repeatedBefore() {
			if g.repeated() {
				d.gained.Add(g.others[0])
			} else {
				d.lost.Add(g.others[0])
			}
		}
	}
	for _, m := range moves {
		was, is := repeated.Contains(m.row), m.after.has && groups[m.after.hash].repeated()
		switch {
		case is && !was:
			d.gained.Add(m.row)
		case was && !is:
			d.lost.Add(m.row)
		}
	}
	return d, nil
}

// findOthers adds to g up to two rows that are not in moving and whose key has the given hash.
func (t *keyIndex) findOthers(h validate.Hash, g *hashGroup, moving map[uint32]bool) error {
	add := func(row uint32) bool {
		if !moving[row] {
			g.others = append(g.others, row)
		}
		return len(g.others) < 2
	}
	for _, row := range t.byHash[h] {
		if !add(row) {
			return nil
		}
	}
	err := t.index.Rows(h, func(row uint32) bool {
		if _, elsewhere := t.moved[row]; elsewhere {
			return true
		}
		return add(row)
	})
	if err != nil {
		return fmt.Errorf("look up rows by key: %w", err)
	}
	return nil
}
