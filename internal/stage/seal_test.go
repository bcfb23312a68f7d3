package stage_test

import (
	"context"
	"errors"
	"testing"

	"github.com/intraydata/intray/internal/blob"
	"github.com/intraydata/intray/internal/blob/mem"
	"github.com/intraydata/intray/internal/stage"
)

// slow is a store whose blobs become durable when they are let.
type slow struct {
	blob.Store
	begun, let chan struct{}
	fails      bool
}

func (s slow) Create(ctx context.Context, key string) (blob.Writer, error) {
	w, err := s.Store.Create(ctx, key)
	return slowWriter{w, s}, err
}

type slowWriter struct {
	blob.Writer
	store slow
}

func (w slowWriter) Commit() error {
	w.store.begun <- struct{}{}
	<-w.store.let
	if w.store.fails {
		return errFull
	}
	return w.Writer.Commit()
}

func stageContacts(t *testing.T, w *stage.Writer, first int64, rows int) error {
	t.Helper()
	commit, err := w.Stage(contacts(first, rows))
	if err != nil {
		t.Fatal(err)
	}
	return commit()
}

// TestRowsMoveWhileASegmentIsSealed commits rows while the segment before them is
// not durable yet, and finds no stage before it is.
func TestRowsMoveWhileASegmentIsSealed(t *testing.T) {
	store := slow{Store: mem.New(), begun: make(chan struct{}), let: make(chan struct{})}
	w := stage.NewWriter(context.Background(), store, prefix, contactLayout(), stage.Config{SegmentRows: 10})
	for first := range int64(2) { // the second batch seals the segment of the first
		if err := stageContacts(t, w, 10*first, 10); err != nil {
			t.Fatal(err)
		}
	}
	<-store.begun
	if _, err := stage.Open(context.Background(), store.Store, prefix); !errors.Is(err, stage.ErrUnfinished) {
		t.Errorf("the stage is there before its segment: %v", err)
	}
	go func() {
		for range store.begun { // all further blobs
		}
	}()
	defer close(store.begun)
	close(store.let)
	if err := stageContacts(t, w, 20, 7); err != nil {
		t.Fatal(err)
	}
	m, err := w.Close(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range m.Segments {
		if s.Size == 0 || int64(len(content(t, store.Store, s.Name))) != s.Size {
			t.Errorf("%s has %d bytes, and the manifest says %d", s.Name, len(content(t, store.Store, s.Name)), s.Size)
		}
	}
}

// TestSegmentThatCannotBeSealed finds out at the next segment, or when closing.
func TestSegmentThatCannotBeSealed(t *testing.T) {
	for _, batches := range []int64{1, 2, 3} {
		store := slow{Store: mem.New(), begun: make(chan struct{}, 9), let: make(chan struct{}), fails: true}
		close(store.let)
		w := stage.NewWriter(context.Background(), store, prefix, contactLayout(), stage.Config{SegmentRows: 10})
		var err error
		for first := range batches {
			err = errors.Join(err, stageContacts(t, w, 10*first, 10))
		}
		if _, closing := w.Close(context.Background()); !errors.Is(errors.Join(err, closing), errFull) || closing == nil {
			t.Errorf("%d batches: committing gives %v, closing %v", batches, err, closing)
		}
		w.Abort()
		if _, err := stage.Open(context.Background(), store.Store, prefix); !errors.Is(err, stage.ErrUnfinished) {
			t.Errorf("%d batches: opening gives %v", batches, err)
		}
	}
}
