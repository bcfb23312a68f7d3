package draft

import (
	"context"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/intraydata/intray/internal/check"
)

// table finds the live rows by one key. Who changes the draft owns it.
type table struct {
	draft *Draft
	at    int
	key   check.Key
	// index holds the rows as they were when it was made; nil is none.
	index *check.Index
	// moved are the rows that may have another key since, by now, and byHash finds
	// them.
	moved  map[uint32]place
	byHash map[check.Hash][]uint32
}

// place is the key of a row, where it has one.
type place struct {
	hash check.Hash
	has  bool
}

// move is a row whose key changed.
type move struct {
	row    uint32
	before place
	after  place
}

func newTable(d *Draft, at int) *table { return &table{draft: d, at: at, key: d.keys[at]} }

// anew compares all rows of a snapshot: it gives those whose key another has too,
// and an index of the snapshot.
func (t *table) anew(ctx context.Context, s *snapshot, progress func(done, total int64)) (*check.Index, *roaring.Bitmap, error) {
	index := check.NewIndex(t.draft.cfg.Temp)
	rows, err := t.fill(ctx, index, s, progress)
	if err != nil {
		_ = index.Close()
		return nil, nil, fmt.Errorf("compare the values of all rows: %w", err)
	}
	return index, rows, nil
}

// adopt takes the index of the snapshot that is now the draft's.
func (t *table) adopt(index *check.Index) {
	t.forget()
	t.index = index
}

func (t *table) fill(ctx context.Context, index *check.Index, s *snapshot, progress func(done, total int64)) (*roaring.Bitmap, error) {
	fields := t.key.Fields()
	err := t.draft.eachSpan(ctx, s, s.live, progress, func() spanWork {
		l, h := t.draft.look(s, fields), t.key.Hasher()
		return func(ctx context.Context, at span) error {
			some, err := l.span(ctx, at, s.live)
			if err != nil {
				return err
			}
			for _, p := range some {
				for i, row := range p.rows {
					h.Put(p.batch, p.at[i], row)
				}
			}
			return h.Flush(index)
		}
	})
	if err != nil {
		return nil, err
	}
	return index.Seal()
}

// ensure makes the index where there is none, or where it is of little use.
func (t *table) ensure(ctx context.Context, s *snapshot) error {
	if t.index != nil && len(t.moved) <= t.draft.cfg.limits.moved {
		return nil
	}
	index, _, err := t.anew(ctx, s, nil)
	if err == nil {
		t.adopt(index)
	}
	return err
}

// forget drops the index.
func (t *table) forget() {
	if t.index != nil {
		_ = t.index.Close() // a temporary file without a name
	}
	t.index, t.moved, t.byHash = nil, map[uint32]place{}, map[check.Hash][]uint32{}
}

func (t *table) close() error {
	if t.index == nil {
		return nil
	}
	return t.index.Close()
}

// take notes where rows are from now on.
func (t *table) take(moves []move) {
	if t.index == nil {
		return
	}
	if len(t.moved)+len(moves) > 2*t.draft.cfg.limits.moved {
		t.forget()
		return
	}
	for _, m := range moves {
		t.put(m.row, m.after)
	}
}

func (t *table) put(row uint32, to place) {
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

// follow notes where rows are in a snapshot, after an undo or a redo.
func (t *table) follow(ctx context.Context, s *snapshot, rows *roaring.Bitmap) {
	if t.index == nil {
		return
	}
	if int(rows.GetCardinality()) > t.draft.cfg.limits.moves {
		t.forget()
		return
	}
	moves, err := t.places(ctx, s, rows)
	if err != nil {
		t.forget() // it is made anew when it is needed
		return
	}
	t.take(moves)
}

// places gives where some rows are in a snapshot; those that are not live are
// nowhere.
func (t *table) places(ctx context.Context, s *snapshot, rows *roaring.Bitmap) ([]move, error) {
	list := roaring.And(rows, s.live).ToArray()
	b, err := t.draft.gather(ctx, s, list)
	if err != nil {
		return nil, err
	}
	h := t.key.Hasher()
	var moves []move
	for i, row := range list {
		hash, has := h.Hash(b, i)
		moves = append(moves, move{row: row, after: place{hash, has}})
	}
	for _, row := range roaring.AndNot(rows, s.live).ToArray() {
		moves = append(moves, move{row: row})
	}
	return moves, nil
}

// group is the rows of one hash around a change: those that move, and up to two of
// the others.
type group struct {
	before, after int
	others        []uint32
}

func (g *group) repeatedBefore() bool { return g.before+len(g.others) > 1 }
func (g *group) repeated() bool       { return g.after+len(g.others) > 1 }

// settle finds which rows begin and cease to have a key that another has too,
// where these were repeated and these rows move.
func (t *table) settle(ctx context.Context, s *snapshot, repeated *roaring.Bitmap, moves []move) (*delta, error) {
	if err := t.ensure(ctx, s); err != nil {
		return nil, err
	}
	moving := make(map[uint32]bool, len(moves))
	groups := map[check.Hash]*group{}
	of := func(h check.Hash) *group {
		if groups[h] == nil {
			groups[h] = &group{}
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
		if err := t.others(h, g, moving); err != nil {
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

// others finds up to two rows of a hash that do not move.
func (t *table) others(h check.Hash, g *group, moving map[uint32]bool) error {
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
