package draft

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/staging"
)

// snapshot is the rows of a draft at one moment. It is never changed.
type snapshot struct {
	// id is never that of two snapshots of a draft.
	id        uint64
	revisions []*revision
	// large are the places of the large layers, from 1.
	large    []uint32
	rowIndex *rowIndex
	// held is how many bytes the small layers have.
	held int
	// touched are the rows with content in a layer.
	touched *roaring.Bitmap
	// live are the rows that are there.
	live *roaring.Bitmap
	// kinds hold the live rows with each kind of problem that is found in a row by
	// itself; rules those of each rule about all rows.
	kinds map[Kind]*roaring.Bitmap
	rules []*roaring.Bitmap
	// levels are the live rows with a problem of each level.
	levels [3]*roaring.Bitmap
	// recent say which rows changed last, and up to which snapshot.
	recent []recent
}

// recent are the rows that changed when the snapshot with this id came to be.
type recent struct {
	id   uint64
	rows *roaring.Bitmap
}

// maxRecent is how many changes a search need not begin anew for.
const maxRecent = 64

// snapshotConfig is what all snapshots of a draft have in common: the kinds of the rules
// about all rows, and how many rows are looked at one by one.
type snapshotConfig struct {
	rules []Kind
	few   uint64
}

// withRevision gives the snapshot with one more layer.
func (s *snapshot) withRevision(l *revision, in snapshotConfig) *snapshot {
	out := s.applied(l, in, true)
	out.revisions = append(slices.Clip(s.revisions), l)
	out.held += l.size
	place := uint32(len(out.revisions))
	if l.isStaged() {
		out.large = append(slices.Clip(s.large), place)
	} else if !l.rows.IsEmpty() {
		rows := l.rows.ToArray()
		of := make([]uint32, len(rows))
		for i := range of {
			of[i] = place
		}
		out.rowIndex, l.below = s.rowIndex.set(rows, of)
	}
	out.touched = roaring.Or(s.touched, l.rows)
	return out
}

// withoutLast gives the snapshot without its last layer.
func (s *snapshot) withoutLast(in snapshotConfig) *snapshot {
	l := s.revisions[len(s.revisions)-1]
	out := s.applied(l, in, false)
	out.revisions = slices.Clip(s.revisions[:len(s.revisions)-1])
	out.held -= l.size
	if l.isStaged() {
		out.large = slices.Clip(s.large[:len(s.large)-1])
	} else if !l.rows.IsEmpty() {
		out.rowIndex, _ = s.rowIndex.set(l.rows.ToArray(), l.below)
	}
	out.touched = out.stillTouched(s.touched, l)
	return out
}

// stillTouched are the touched rows without those that only the layer had.
func (s *snapshot) stillTouched(touched *roaring.Bitmap, gone *revision) *roaring.Bitmap {
	if gone.isStaged() {
		all := make([]*roaring.Bitmap, 0, len(s.revisions))
		for _, l := range s.revisions {
			all = append(all, l.rows)
		}
		return roaring.FastOr(all...)
	}
	out := touched.Clone()
	for _, row := range gone.rows.ToArray() {
		if s.revisionOf(row) == 0 {
			out.Remove(row)
		}
	}
	return out
}

// applied gives a snapshot in which the problems and the lives of rows are as the
// layer makes them, or as they were before it.
func (s *snapshot) applied(l *revision, in snapshotConfig, forward bool) *snapshot {
	out := *s
	out.id++
	out.live = l.live.apply(s.live, forward)
	out.kinds = maps.Clone(s.kinds)
	for k, d := range l.kinds {
		if rows := d.apply(s.kinds[k], forward); rows.IsEmpty() {
			delete(out.kinds, k)
		} else {
			out.kinds[k] = rows
		}
	}
	out.rules = slices.Clone(s.rules)
	for i, d := range l.rules {
		out.rules[i] = d.apply(s.rules[i], forward)
	}
	out.updateLevels(s, l, in)
	out.recent = append(slices.Clip(s.recent[max(0, len(s.recent)-maxRecent+1):]), recent{out.id, l.changedRows()})
	return &out
}

// updateLevels finds the rows of each level where the layer changed any.
func (s *snapshot) updateLevels(before *snapshot, l *revision, in snapshotConfig) {
	var moved []*roaring.Bitmap
	for _, d := range l.kinds {
		moved = append(moved, d.gained, d.lost)
	}
	for _, d := range l.rules {
		moved = append(moved, d.gained, d.lost)
	}
	rows := roaring.FastOr(moved...)
	for level := range s.levels {
		all := s.matching(in.rules, func(k Kind) bool { return int(k.Level) == level })
		if before.levels[level] == nil || rows.GetCardinality() > in.few {
			s.levels[level] = roaring.FastOr(all...)
			continue
		}
		if rows.IsEmpty() {
			continue
		}
		out := roaring.AndNot(before.levels[level], rows)
		for _, some := range all {
			out.Or(roaring.And(some, rows))
		}
		s.levels[level] = out
	}
}

// matching gives the rows of the kinds that are told of.
func (s *snapshot) matching(rules []Kind, match func(k Kind) bool) (all []*roaring.Bitmap) {
	for k, rows := range s.kinds {
		if match(k) {
			all = append(all, rows)
		}
	}
	for i, k := range rules {
		if match(k) {
			all = append(all, s.rules[i])
		}
	}
	return all
}

// revisionOf is the layer that has the latest content of a row: its place, from 1; 0
// is the stage.
func (s *snapshot) revisionOf(row uint32) uint32 {
	small := s.rowIndex.lookup(row)
	for i := len(s.large) - 1; i >= 0 && s.large[i] > small; i-- {
		if s.revisions[s.large[i]-1].rows.Contains(row) {
			return s.large[i]
		}
	}
	return small
}

// version is the number of the change that last touched a row, or 0.
func (s *snapshot) version(row uint32) int64 {
	if !s.touched.Contains(row) {
		return 0
	}
	if at := s.revisionOf(row); at > 0 {
		return s.revisions[at-1].seq
	}
	return 0
}

// lastLiveChange is the number of the last change that deleted any of some rows, or made them.
// Where it is the same, the same of them are live: below a change are always the same
// ones.
func (s *snapshot) lastLiveChange(rows *roaring.Bitmap) int64 {
	for _, l := range slices.Backward(s.revisions) {
		if l.live.lost.Intersects(rows) || l.live.gained.Intersects(rows) {
			return l.seq
		}
	}
	return 0
}

// errors are the rows with an error.
func (s *snapshot) errors() *roaring.Bitmap { return s.levels[intray.LevelError] }

// changedSince gives the rows that changed since the snapshot with an id, and
// false where that is not known any more.
func (s *snapshot) changedSince(id uint64) (*roaring.Bitmap, bool) {
	if id == s.id {
		return roaring.New(), true
	}
	if len(s.recent) == 0 || s.recent[0].id > id+1 || id > s.id {
		return nil, false
	}
	var all []*roaring.Bitmap
	for _, r := range s.recent {
		if r.id > id {
			all = append(all, r.rows)
		}
	}
	return roaring.FastOr(all...), true
}

// Kind is all problems with one field, code and level.
type Kind struct {
	// Field is the place of the field in the schema, or intray.NoField.
	Field int
	Code  string
	Level intray.Level
}

func kindOf(p *intray.Problem) Kind { return Kind{p.Field, p.Code, p.Level} }

// delta says which rows began and which ceased to be among some.
type delta struct{ gained, lost *roaring.Bitmap }

func newDelta() *delta { return &delta{roaring.New(), roaring.New()} }

func (d *delta) isEmpty() bool { return d.gained.IsEmpty() && d.lost.IsEmpty() }

// apply applies the delta to a bitmap, or takes it back, and gives a new bitmap.
func (d *delta) apply(to *roaring.Bitmap, forward bool) *roaring.Bitmap {
	gained, lost := d.gained, d.lost
	if !forward {
		gained, lost = lost, gained
	}
	if to == nil {
		return gained.Clone()
	}
	out := roaring.AndNot(to, lost)
	out.Or(gained)
	return out
}

// revision is what one change made. It is never changed once it is on a draft.
type revision struct {
	seq int64
	// next is the number of the row that is added after it.
	next int64
	// rows are those whose content the layer holds, added ones included.
	rows *roaring.Bitmap
	// live says which rows were added, and which deleted.
	live *delta
	// kinds are the problems that are found in a row by itself, rules those of the
	// rules about all rows, by their place among the draft's.
	kinds map[Kind]*delta
	rules map[int]*delta

	// content holds the rows of a small layer, without problems of rules about all
	// rows; that of a large one is a stage.
	content *intray.Batch
	stage   *staging.Stage
	// size is that of the content, in bytes.
	size int
	// prefix is where the blobs of the layer are, or "".
	prefix string

	// below are the small layers that had the rows before, where this one is small.
	below []uint32
}

func newRevision(seq, next int64) *revision {
	return &revision{seq: seq, next: next, rows: roaring.New(), live: newDelta(), kinds: map[Kind]*delta{}, rules: map[int]*delta{}}
}

// isStaged says that the rows are in a stage.
func (l *revision) isStaged() bool { return l.stage != nil }

// changedRows are all rows whose content or life the layer changed.
func (l *revision) changedRows() *roaring.Bitmap {
	return roaring.FastOr(l.rows, l.live.gained, l.live.lost)
}

func (l *revision) kindDelta(k Kind) *delta {
	d := l.kinds[k]
	if d == nil {
		d = newDelta()
		l.kinds[k] = d
	}
	return d
}

// read gives some rows of the layer, which it must have, in order.
func (l *revision) read(ctx context.Context, rows []uint32) (*intray.Batch, error) {
	places := l.positions(rows)
	if l.stage != nil {
		b, err := l.stage.Rows(ctx, places)
		if err != nil {
			return nil, fmt.Errorf("read the rows of change %d: %w", l.seq, err)
		}
		return b, nil
	}
	return pickRows(l.content, places), nil
}

// positions are those of the rows in the content.
func (l *revision) positions(rows []uint32) []int64 {
	places := make([]int64, len(rows))
	for i, row := range rows {
		if i > 0 && row == rows[i-1]+1 {
			places[i] = places[i-1] + 1
			continue
		}
		places[i] = int64(l.rows.Rank(row)) - 1
	}
	return places
}

func (l *revision) close() error {
	if l.stage == nil {
		return nil
	}
	return l.stage.Close()
}

// rowIndex say for rows which small layer has the latest content: its place in the
// draft, from 1. They are never changed; setting gives new ones that share the
// pages that stayed the same.
type rowIndex struct {
	// pages hold the owners of 1<<pageBits rows each; nil is none.
	pages []*rowIndexPage
}

const pageBits = 10

// rowIndexPage has the rows of a page that have an owner, ascending.
type rowIndexPage struct {
	rows []uint16
	of   []uint32
}

func (o *rowIndex) lookup(row uint32) uint32 {
	at := int(row >> pageBits)
	if at >= len(o.pages) || o.pages[at] == nil {
		return 0
	}
	p := o.pages[at]
	if i, has := slices.BinarySearch(p.rows, lowBits(row)); has {
		return p.of[i]
	}
	return 0
}

func lowBits(row uint32) uint16 { return uint16(row & (1<<pageBits - 1)) }

// set gives rows, which ascend, an owner each, 0 for none. It gives the owners
// that they had before, too.
func (o *rowIndex) set(rows, of []uint32) (*rowIndex, []uint32) {
	out := &rowIndex{slices.Clone(o.pages)}
	before := make([]uint32, len(rows))
	for from := 0; from < len(rows); {
		at := rows[from] >> pageBits
		to := from
		for to < len(rows) && rows[to]>>pageBits == at {
			before[to] = o.lookup(rows[to])
			to++
		}
		for len(out.pages) <= int(at) {
			out.pages = append(out.pages, nil)
		}
		out.pages[at] = out.pages[at].set(rows[from:to], of[from:to])
		from = to
	}
	return out, before
}

// set merges the rows of a page into it.
func (p *rowIndexPage) set(rows, of []uint32) *rowIndexPage {
	out := &rowIndexPage{}
	add := func(row uint16, owner uint32) {
		if owner > 0 {
			out.rows, out.of = append(out.rows, row), append(out.of, owner)
		}
	}
	i := 0
	if p != nil {
		for k, row := range p.rows {
			for i < len(rows) && lowBits(rows[i]) < row {
				add(lowBits(rows[i]), of[i])
				i++
			}
			if i < len(rows) && lowBits(rows[i]) == row {
				add(row, of[i])
				i++
				continue
			}
			add(row, p.of[k])
		}
	}
	for ; i < len(rows); i++ {
		add(lowBits(rows[i]), of[i])
	}
	if len(out.rows) == 0 {
		return nil
	}
	return out
}
