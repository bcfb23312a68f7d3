package staging_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/blob/blobtest"
	"github.com/intraydata/intray/server/staging"
)

func files() []string {
	return []string{"manifest.json", "seg-0000.parquet", "seg-0001.parquet", "problems.parquet", "problems.roar"}
}

func put(t failer, store blob.Store, name string, body []byte) {
	t.Helper()
	w, err := store.Create(context.Background(), prefix+"/"+name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(body); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
}

// readResult is all data that can be read from a stage.
type readResult struct {
	Rows []row
	Bad  []int64
}

func lookAt(store blob.Store) (readResult, error) { return lookAtStage(store, prefix) }

func lookAtStage(store blob.Store, location string) (readResult, error) {
	ctx := context.Background()
	s, err := staging.Open(ctx, store, location)
	if err != nil {
		return readResult{}, err
	}
	defer s.Close()
	var all readResult
	for b, err := range s.Batches(ctx) {
		if err != nil {
			return readResult{}, err
		}
		all.Rows = append(all.Rows, rowsOf(b)...)
	}
	all.Bad, err = s.ErrorRows(ctx, 0, 1000)
	return all, err
}

func newDamagedStage(t *testing.T) (blob.Store, map[string][]byte, readResult) {
	store := blobtest.NewMemory()
	writeStage(t, store, contactLayout(), staging.Config{SegmentRows: 100}, contacts(0, 120), contacts(120, 80)).Close()
	whole := map[string][]byte{}
	for _, name := range files() {
		whole[name] = fileOf(t, store, name)
	}
	want, err := lookAt(store)
	if err != nil {
		t.Fatal(err)
	}
	return store, whole, want
}

func TestDamageIsAnErrorAndNeverAWrongRow(t *testing.T) {
	store, whole, want := newDamagedStage(t)
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(files()).Draw(t, "file")
		broken := slices.Clone(whole[name])
		for range rapid.IntRange(1, 3).Draw(t, "flips") {
			at := rapid.IntRange(0, len(broken)-1).Draw(t, "at")
			broken[at] ^= byte(rapid.IntRange(1, 255).Draw(t, "bits"))
		}
		if rapid.Bool().Draw(t, "cut") {
			broken = broken[:rapid.IntRange(0, len(broken)-1).Draw(t, "length")]
		}
		put(t, store, name, broken)
		defer put(t, store, name, whole[name])
		got, err := lookAt(store)
		if err == nil && !cmp.Equal(want, got) {
			t.Fatalf("%s is damaged, and other rows came out of it", name)
		}
	})
}

func TestFlippedBytesAreFound(t *testing.T) {
	store, whole, _ := newDamagedStage(t)
	s, err := staging.Open(context.Background(), store, prefix)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	g := s.Manifest().Segments[0].Groups[0]
	for at := g.Offset; at < g.Offset+g.Length; at += 7 {
		broken := slices.Clone(whole["seg-0000.parquet"])
		broken[at] ^= 0x10
		put(t, store, "seg-0000.parquet", broken)
		if _, err := lookAt(store); !errors.Is(err, staging.ErrDamaged) {
			t.Fatalf("byte %d is flipped, and the stage gives %v", at, err)
		}
	}
}

func TestMissingFiles(t *testing.T) {
	store, whole, _ := newDamagedStage(t)
	for _, name := range files()[1:] {
		if err := store.Delete(context.Background(), prefix+"/"+name); err != nil {
			t.Fatal(err)
		}
		if _, err := lookAt(store); !errors.Is(err, staging.ErrDamaged) {
			t.Errorf("%s is missing, and the stage gives %v", name, err)
		}
		put(t, store, name, whole[name])
	}
	if err := store.Delete(context.Background(), prefix+"/manifest.json"); err != nil {
		t.Fatal(err)
	}
	if _, err := lookAt(store); !errors.Is(err, staging.ErrUnfinished) || !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("the manifest is missing, and the stage gives %v", err)
	}
}

func TestSwappedSegments(t *testing.T) {
	store, whole, _ := newDamagedStage(t)
	put(t, store, "seg-0000.parquet", whole["seg-0001.parquet"])
	if _, err := lookAt(store); !errors.Is(err, staging.ErrDamaged) {
		t.Errorf("a segment lies in another's place, and the stage gives %v", err)
	}
}

func TestReadingStopsWithTheContext(t *testing.T) {
	store, _, _ := newDamagedStage(t)
	s, err := staging.Open(context.Background(), store, prefix)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	steps := 0
	for _, err := range s.Batches(ctx) {
		if steps++; steps == 2 && !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want the error of the context", err)
		}
		cancel()
	}
	if steps != 2 {
		t.Errorf("%d steps, want one batch and one error", steps)
	}
	if _, err := s.Window(ctx, 0, 10); !errors.Is(err, context.Canceled) {
		t.Errorf("a window gives %v, want the error of the context", err)
	}
}

func TestInvalidRequests(t *testing.T) {
	store, _, _ := newDamagedStage(t)
	ctx := context.Background()
	s, err := staging.Open(ctx, store, prefix)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Window(ctx, -1, 5); err == nil {
		t.Error("a window before the first row was returned")
	}
	if _, err := s.Window(ctx, 0, -1); err == nil {
		t.Error("a window of a negative number of rows was returned")
	}
	if _, err := s.ErrorRows(ctx, -1, 5); err == nil {
		t.Error("rows before the first were returned")
	}
}
