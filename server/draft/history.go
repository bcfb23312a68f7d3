package draft

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/intraydata/intray"
)

// ErrNothing means that there is no change to undo or redo.
var ErrNothing = errors.New("nothing to undo or redo")

// History lists the changes that can be undone and redone.
type History struct {
	// Done lists the numbers of the changes in effect, and Undone lists the numbers of the
	// undone changes. Both are sorted, oldest first.
	Done, Undone []int64
}

// History returns the changes that can be undone and redone. It waits for a running change.
func (d *Draft) History(ctx context.Context) (History, error) {
	if err := d.lock(ctx); err != nil {
		return History{}, fmt.Errorf("list the changes: %w", err)
	}
	defer d.unlock()
	var h History
	for _, l := range d.now.Load().revisions {
		h.Done = append(h.Done, l.seq)
	}
	for i := len(d.undone) - 1; i >= 0; i-- {
		h.Undone = append(h.Undone, d.undone[i].seq)
	}
	return h, nil
}

// Undo reverts the last change and returns its number. It calls save before the rows change. If
// save fails, the change stays in effect. Undo returns ErrNothing if there is no change to undo.
func (d *Draft) Undo(ctx context.Context, save func(ctx context.Context, seq int64) error) (int64, error) {
	if err := d.lock(ctx); err != nil {
		return 0, fmt.Errorf("undo: %w", err)
	}
	defer d.unlock()
	s := d.now.Load()
	if len(s.revisions) == 0 {
		return 0, fmt.Errorf("undo: %w", ErrNothing)
	}
	l := s.revisions[len(s.revisions)-1]
	if err := d.switchTo(ctx, s.withoutLast(d.snapshotConfig()), l, save); err != nil {
		return 0, fmt.Errorf("undo change %d: %w", l.seq, err)
	}
	d.undone = append(d.undone, l)
	return l.seq, nil
}

// Redo restores the change that was undone last and returns its number. It calls save in the
// same way as Undo, and returns ErrNothing if there is no undone change.
func (d *Draft) Redo(ctx context.Context, save func(ctx context.Context, seq int64) error) (int64, error) {
	if err := d.lock(ctx); err != nil {
		return 0, fmt.Errorf("redo: %w", err)
	}
	defer d.unlock()
	if len(d.undone) == 0 {
		return 0, fmt.Errorf("redo: %w", ErrNothing)
	}
	l := d.undone[len(d.undone)-1]
	if err := d.switchTo(ctx, d.now.Load().withRevision(l, d.snapshotConfig()), l, save); err != nil {
		return 0, fmt.Errorf("redo change %d: %w", l.seq, err)
	}
	d.undone = d.undone[:len(d.undone)-1]
	return l.seq, nil
}

// switchTo saves and publishes a snapshot in which revision l has been undone or redone.
func (d *Draft) switchTo(ctx context.Context, to *snapshot, l *revision, save func(ctx context.Context, seq int64) error) error {
	if save != nil {
		if err := save(ctx, l.seq); err != nil {
			return err
		}
	}
	d.now.Store(to)
	for _, t := range d.keyIndexes {
		t.syncTo(ctx, to, l.changedRows())
	}
	return nil
}

// RowAtVersion is the current state of a row and its state at an earlier version.
type RowAtVersion struct {
	Now Row
	// Then is the row at that version, without problems. Known is false if the row never had
	// that version, or if the change that created the version was undone and replaced.
	Then  Row
	Known bool
}

// RowsAtVersions returns the rows whose numbers are keys of the map versions, each with its
// state at the given version. Missing rows are skipped. The result is in ascending order of row
// numbers. RowsAtVersions waits for a running change.
func (d *Draft) RowsAtVersions(ctx context.Context, versions map[int64]int64) ([]RowAtVersion, error) {
	if err := d.lock(ctx); err != nil {
		return nil, fmt.Errorf("read earlier versions: %w", err)
	}
	// The next change deletes the undone revisions. It cannot do so while this function
	// is reading.
	s, done := d.beginRead()
	defer done()
	layers := map[int64]*revision{}
	for _, l := range slices.Concat(s.revisions, d.undone) {
		layers[l.seq] = l
	}
	d.unlock()
	rows, err := d.rows(ctx, s, slices.Collect(maps.Keys(versions)))
	if err != nil {
		return nil, err
	}
	out := make([]RowAtVersion, len(rows))
	earlier := map[int64][]int{} // indexes of out, by version
	for i, r := range rows {
		out[i].Now = r
		switch version := versions[r.Number]; {
		case version == r.Version:
			out[i].Then, out[i].Known = r, true
		case version == 0 || layers[version] != nil:
			earlier[version] = append(earlier[version], i)
		}
	}
	for version, places := range earlier {
		if err := d.readVersion(ctx, layers[version], version, out, places); err != nil {
			return nil, fmt.Errorf("read the rows of change %d: %w", version, err)
		}
	}
	return out, nil
}

// readVersion reads rows from a revision, or from the stage if l is nil. It sets Then and Known
// of the elements of out whose indexes are in places.
func (d *Draft) readVersion(ctx context.Context, l *revision, version int64, out []RowAtVersion, places []int) error {
	has := func(row uint32) bool { return row < d.staged }
	read := d.readStaged
	if l != nil {
		has, read = l.rows.Contains, l.read
	}
	var rows []uint32
	var of []int
	for _, i := range places {
		if row := uint32(out[i].Now.Number); has(row) {
			rows, of = append(rows, row), append(of, i)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	b, err := read(ctx, rows)
	if err != nil {
		return err
	}
	for at, i := range of {
		out[i].Then, out[i].Known = batchRow(b, at, rows[at], version), true
	}
	return nil
}

// batchRow returns a row of a batch without its problems.
func batchRow(b *intray.Batch, at int, row uint32, version int64) Row {
	r := Row{Number: int64(row), Version: version, Line: b.Lines[at], Cells: make([]Cell, len(b.Fields))}
	for f := range b.Fields {
		r.Cells[f] = cellOf(&b.Fields[f], at)
	}
	return r
}

// rows returns the rows with the given numbers. It skips numbers that do not exist in the
// snapshot.
func (d *Draft) rows(ctx context.Context, s *snapshot, numbers []int64) ([]Row, error) {
	wanted := roaring.New()
	for _, n := range numbers {
		if n >= 0 && n < 1<<32 {
			wanted.Add(uint32(n))
		}
	}
	wanted.And(s.live)
	list := wanted.ToArray()
	if len(list) == 0 {
		return nil, nil
	}
	b, err := d.readRows(ctx, s, list)
	if err != nil {
		return nil, err
	}
	return d.visibleRows(s, list, b), nil
}
