package draft

import (
	"context"
	"errors"
	"fmt"
)

// ErrNothing says that there is no change to undo, or none to redo.
var ErrNothing = errors.New("there is nothing to undo or redo")

// History says what can be undone and redone.
type History struct {
	// Done are the numbers of the changes that are in force, and Undone of those
	// that were undone, each with the oldest first.
	Done, Undone []int64
}

// History gives that of the draft. It waits for a change under way.
func (d *Draft) History(ctx context.Context) (History, error) {
	if err := d.lock(ctx); err != nil {
		return History{}, fmt.Errorf("list the changes: %w", err)
	}
	defer d.unlock()
	var h History
	for _, l := range d.now.Load().layers {
		h.Done = append(h.Done, l.seq)
	}
	for i := len(d.undone) - 1; i >= 0; i-- {
		h.Undone = append(h.Undone, d.undone[i].seq)
	}
	return h, nil
}

// Undo takes the last change back and gives its number. Before rows are shown
// without it, keep is told; where it fails the change stays. It fails with
// ErrNothing where there is no change.
func (d *Draft) Undo(ctx context.Context, keep func(ctx context.Context, seq int64) error) (int64, error) {
	if err := d.lock(ctx); err != nil {
		return 0, fmt.Errorf("undo: %w", err)
	}
	defer d.unlock()
	s := d.now.Load()
	if len(s.layers) == 0 {
		return 0, fmt.Errorf("undo: %w", ErrNothing)
	}
	l := s.layers[len(s.layers)-1]
	if err := d.move(ctx, s.without(d.shape()), l, keep); err != nil {
		return 0, fmt.Errorf("undo change %d: %w", l.seq, err)
	}
	d.undone = append(d.undone, l)
	return l.seq, nil
}

// Redo puts the change that was undone last on again and gives its number. It does
// so as Undo does.
func (d *Draft) Redo(ctx context.Context, keep func(ctx context.Context, seq int64) error) (int64, error) {
	if err := d.lock(ctx); err != nil {
		return 0, fmt.Errorf("redo: %w", err)
	}
	defer d.unlock()
	if len(d.undone) == 0 {
		return 0, fmt.Errorf("redo: %w", ErrNothing)
	}
	l := d.undone[len(d.undone)-1]
	if err := d.move(ctx, d.now.Load().with(l, d.shape()), l, keep); err != nil {
		return 0, fmt.Errorf("redo change %d: %w", l.seq, err)
	}
	d.undone = d.undone[:len(d.undone)-1]
	return l.seq, nil
}

// move goes to the snapshot with or without a layer.
func (d *Draft) move(ctx context.Context, to *snapshot, l *layer, keep func(ctx context.Context, seq int64) error) error {
	if keep != nil {
		if err := keep(ctx, l.seq); err != nil {
			return err
		}
	}
	d.now.Store(to)
	for _, t := range d.tables {
		t.follow(ctx, to, l.changed())
	}
	return nil
}
