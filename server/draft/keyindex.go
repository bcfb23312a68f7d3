package draft

import (
	"context"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/intraydata/intray/validate"
)

// keyIndex finds the live rows by one key. Who changes the draft owns it.
type keyIndex struct {
	draft  *Draft
	number int
	key    validate.Key
	// index holds the rows as they were when it was made; nil is none.
	index *validate.Index
	// moved are the rows that may have another key since, by now, and byHash finds
	// them.
	moved  map[uint32]rowKey
	byHash map[validate.Hash][]uint32
}

// rowKey is the key of a row, where it has one.
type rowKey struct {
	hash validate.Hash
	has  bool
}

// keyMove is a row whose key changed.
type keyMove struct {
	row    uint32
	before rowKey
	after  rowKey
}

func newKeyIndex(d *Draft, at int) *keyIndex { return &keyIndex{draft: d, number: at, key: d.keys[at]} }

// rebuild compares all rows of a snapshot: it gives those whose key another has too,
// and an index of the snapshot.
func (t *keyIndex) rebuild(ctx context.Context, s *snapshot, progress func(done, total int64)) (*validate.Index, *roaring.Bitmap, error) {
	index := validate.NewIndex(t.draft.cfg.Temp)
	rows, err := t.scanRows(ctx, index, s, progress)
	if err != nil {
		_ = index.Close()
		return nil, nil, fmt.Errorf("compare the values of all rows: %w", err)
	}
	return index, rows, nil
}

// replaceIndex takes the index of the snapshot that is now the draft's.
func (t *keyIndex) replaceIndex(index *validate.Index) {
	t.dropIndex()
	t.index = index
}

func (t *keyIndex) scanRows(ctx context.Context, index *validate.Index, s *snapshot, progress func(done, total int64)) (*roaring.Bitmap, error) {
	fields := t.key.Fields()
	err := t.draft.eachSpan(ctx, s, s.live, progress, func() spanWork {
		l, h := t.draft.newFieldReader(s, fields), t.key.Hasher()
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

// ensure makes the index where there is none, or where it is of little use.
func (t *keyIndex) ensure(ctx context.Context, s *snapshot) error {
	if t.index != nil && len(t.moved) <= t.draft.cfg.limits.moved {
		return nil
	}
	index, _, err := t.rebuild(ctx, s, nil)
	if err == nil {
		t.replaceIndex(index)
	}
	return err
}

// dropIndex drops the index.
func (t *keyIndex) dropIndex() {
	if t.index != nil {
		_ = t.index.Close() // a temporary file without a name
	}
	t.index, t.moved, t.byHash = nil, map[uint32]rowKey{}, map[validate.Hash][]uint32{}
}

func (t *keyIndex) close() error {
	if t.index == nil {
		return nil
	}
	return t.index.Close()
}

// recordMoves notes where rows are from now on.
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

// syncTo notes where rows are in a snapshot, after an undo or a redo.
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
		t.dropIndex() // it is made anew when it is needed
		return
	}
	t.recordMoves(moves)
}

// keyMoves gives where some rows are in a snapshot; those that are not live are
// nowhere.
func (t *keyIndex) keyMoves(ctx context.Context, s *snapshot, rows *roaring.Bitmap) ([]keyMove, error) {
	list := roaring.And(rows, s.live).ToArray()
	b, err := t.draft.gather(ctx, s, list)
	if err != nil {
		return nil, err
	}
	h := t.key.Hasher()
	var moves []keyMove
	for i, row := range list {
		hash, has := h.Hash(b, i)
		moves = append(moves, keyMove{row: row, after: rowKey{hash, has}})
	}
	for _, row := range roaring.AndNot(rows, s.live).ToArray() {
		moves = append(moves, keyMove{row: row})
	}
	return moves, nil
}

// hashGroup is the rows of one hash around a change: those that move, and up to two of
// the others.
type hashGroup struct {
	before, after int
	others        []uint32
}

func (g *hashGroup) repeatedBefore() bool { return g.before+len(g.others) > 1 }
func (g *hashGroup) repeated() bool       { return g.after+len(g.others) > 1 }

// findRepeated finds which rows begin and cease to have a key that another has too,
// where these were repeated and these rows move.
func (t *keyIndex) findRepeated(ctx context.Context, s *snapshot, repeated *roaring.Bitmap, moves []keyMove) (*delta, error) {
	if err := t.ensure(ctx, s); err != nil {
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

// findOthers finds up to two rows of a hash that do not move.
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
		return fmt.Errorf("look up the rows of a value: %w", err)
	}
	return nil
}
