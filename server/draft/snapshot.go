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

// snapshot is the state of the rows of a draft at a point in time. It is immutable.
type snapshot struct {
	// id is unique among the snapshots of a draft.
	id        uint64
	revisions []*revision
	// large holds the positions of the large revisions in the field revisions, counted from 1.
	large    []uint32
	rowIndex *rowIndex
	// held is the total size of the content of the small revisions, in bytes.
	held int
	// touched holds the rows whose current content is in a revision.
	touched *roaring.Bitmap
	// live holds the rows that are not deleted.
	live *roaring.Bitmap
	// kinds holds, for each kind of problem of a single row, the live rows with such a problem.
	// rules holds, for each cross-row validator, the live rows that violate it.
	kinds map[Kind]*roaring.Bitmap
	rules []*roaring.Bitmap
	// levels holds, for each level, the live rows with a problem of that level.
	levels [3]*roaring.Bitmap
	// recent lists the rows affected by the latest changes.
	recent []recent
}

// recent holds the rows that changed when the snapshot with this id was created.
type recent struct {
	id   uint64
	rows *roaring.Bitmap
}

// maxRecent is the maximum number of changes after which the cached result of a search is still
// used.
const maxRecent = 64

// snapshotConfig holds the values that all snapshots of a draft share: the kinds of
// the cross-row validators and limits.touched.
type snapshotConfig struct {
	rules []Kind
	few   uint64
}

// withRevision returns a snapshot to which revision l has been added.
func (s *snapshot) withRevision(l *revision, in snapshotConfig) *snapshot {
	out := s.applied(l, in, true)
	out.revisions = append(slices.Clip(s.revisions), l)
	out.held += l.size
	position := uint32(len(out.revisions))
	if l.isStaged() {
		out.large = append(slices.Clip(s.large), position)
	} else if !l.rows.IsEmpty() {
		rows := l.rows.ToArray()
		of := make([]uint32, len(rows))
		for i := range of {
			of[i] = position
		}
		out.rowIndex, l.below = s.rowIndex.set(rows, of)
	}
	out.touched = roaring.Or(s.touched, l.rows)
	return out
}

// withoutLast returns a snapshot from which the last revision has been removed.
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

// stillTouched returns the touched rows after a revision is removed: all of them
// except those that only that revision touched.
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

// applied returns a snapshot with the problems and live rows after revision l. If forward is
// false, it returns a snapshot with the problems and live rows before revision l.
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

// updateLevels updates the level bitmaps after a revision.
func (s *snapshot) updateLevels(before *snapshot, l *revision, in snapshotConfig) {
	deltas := make([]*roaring.Bitmap, 0, 2*(len(l.kinds)+len(l.rules)))
	for _, d := range l.kinds {
		deltas = append(deltas, d.gained, d.lost)
	}
	for _, d := range l.rules {
		deltas = append(deltas, d.gained, d.lost)
	}
	rows := roaring.FastOr(deltas...)
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

// matching returns the bitmaps of the kinds for which match returns true.
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

// revisionOf returns the position, counted from 1, of the revision that holds the
// current content of a row. It returns 0 if the stage holds it.
func (s *snapshot) revisionOf(row uint32) uint32 {
	small := s.rowIndex.lookup(row)
	for i := len(s.large) - 1; i >= 0 && s.large[i] > small; i-- {
		if s.revisions[s.large[i]-1].rows.Contains(row) {
			return s.large[i]
		}
	}
	return small
}

// version returns the number of the change that last touched a row. It returns 0 if
// no change did.
func (s *snapshot) version(row uint32) int64 {
	if !s.touched.Contains(row) {
		return 0
	}
	if at := s.revisionOf(row); at > 0 {
		return s.revisions[at-1].seq
	}
	return 0
}

// lastLiveChange returns the number of the last change that deleted or added any of the given
// rows. If the number is the same in two snapshots, the same rows are live in both, because a
// change is always preceded by the same changes.
func (s *snapshot) lastLiveChange(rows *roaring.Bitmap) int64 {
	for _, l := range slices.Backward(s.revisions) {
		if l.live.lost.Intersects(rows) || l.live.gained.Intersects(rows) {
			return l.seq
		}
	}
	return 0
}

// errors returns the rows with at least one error.
func (s *snapshot) errors() *roaring.Bitmap { return s.levels[intray.LevelError] }

// changedSince returns the rows that have changed since the snapshot with the given
// id. It returns false if that snapshot is too old.
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

// Kind is a kind of problem, identified by field, code and level.
type Kind struct {
	// Field is the position of the field in the schema, or intray.NoField.
	Field int
	Code  string
	Level intray.Level
}

func kindOf(p *intray.Problem) Kind { return Kind{p.Field, p.Code, p.Level} }

// delta is the difference between two sets of rows.
type delta struct{ gained, lost *roaring.Bitmap }

func newDelta() *delta { return &delta{roaring.New(), roaring.New()} }

func (d *delta) isEmpty() bool { return d.gained.IsEmpty() && d.lost.IsEmpty() }

// apply returns a new bitmap with the delta applied. If forward is false, it reverts
// the delta instead.
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

// revision is the effect of one change. After it is published, it is immutable.
type revision struct {
	seq int64
	// next is the number of the next row to be added.
	next int64
	// rows are the rows whose content is in the revision, including added rows.
	rows *roaring.Bitmap
	// live holds the added rows as gained and the deleted rows as lost.
	live *delta
	// kinds holds, for each kind of problem of a single row, the rows that gained or
	// lost it. rules holds, for each cross-row validator, the rows that begin or cease
	// to violate it, by position in Draft.rules.
	kinds map[Kind]*delta
	rules map[int]*delta

	// content holds the rows of a small revision, without problems of cross-row
	// validators. The rows of a large revision are in stage instead.
	content *intray.Batch
	stage   *staging.Stage
	// size is the size of content in bytes.
	size int
	// prefix is the key prefix of the revision's blobs, or "".
	prefix string

	// below holds, for a small revision, the previous owner of each row in the rowIndex.
	below []uint32
}

func newRevision(seq, next int64) *revision {
	return &revision{seq: seq, next: next, rows: roaring.New(), live: newDelta(), kinds: map[Kind]*delta{}, rules: map[int]*delta{}}
}

// isStaged reports whether the rows of the revision are in a stage.
func (l *revision) isStaged() bool { return l.stage != nil }

// changedRows returns the rows that the revision changed, added or deleted.
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

// read reads rows of the revision in order. The revision must contain all of them.
func (l *revision) read(ctx context.Context, rows []uint32) (*intray.Batch, error) {
	positions := l.positions(rows)
	if l.stage != nil {
		b, err := l.stage.Rows(ctx, positions)
		if err != nil {
			return nil, fmt.Errorf("read the rows of change %d: %w", l.seq, err)
		}
		return b, nil
	}
	return pickRows(l.content, positions), nil
}

// positions returns the position of each row in the content.
func (l *revision) positions(rows []uint32) []int64 {
	out := make([]int64, len(rows))
	for i, row := range rows {
		if i > 0 && row == rows[i-1]+1 {
			out[i] = out[i-1] + 1
			continue
		}
		out[i] = int64(l.rows.Rank(row)) - 1
	}
	return out
}

func (l *revision) close() error {
	if l.stage == nil {
		return nil
	}
	return l.stage.Close()
}

// rowIndex maps a row to the position of the small revision that holds its latest content. The
// position, counted from 1, is called the owner of the row. The index is immutable: set returns
// a new index that shares unchanged pages.
type rowIndex struct {
	// pages holds the owners of 1<<pageBits rows per page. A nil page has no owners.
	pages []*rowIndexPage
}

const pageBits = 10

// rowIndexPage holds the rows of a page that have an owner, in ascending order.
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

// set assigns owners to rows, which must be in ascending order. 0 means no owner. It
// returns the new index and the previous owners.
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

// set returns a copy of the page with owners assigned to rows.
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
