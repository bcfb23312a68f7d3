package staging_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/blob/blobtest"
	"github.com/intraydata/intray/server/staging"
)

const singleKey = prefix + ".parquet"

// TestSingleFile checks that a small stage is one Parquet file with the same content as a stage of
// several files, and that other stages consist of several files.
func TestSingleFile(t *testing.T) {
	for name, c := range map[string]struct {
		cfg     staging.Config
		batches []*intray.Batch
		single  bool
	}{
		"small":             {staging.Config{SingleFile: 1 << 20}, []*intray.Batch{contacts(0, 120), contacts(120, 80)}, true},
		"without problems":  {staging.Config{SingleFile: 1 << 20}, []*intray.Batch{withoutProblems(contacts(0, 50))}, true},
		"too large":         {staging.Config{SingleFile: 500}, []*intray.Batch{contacts(0, 120)}, false},
		"too large in all":  {staging.Config{SingleFile: 6000}, []*intray.Batch{contacts(0, 120), contacts(120, 80)}, false},
		"several segments":  {staging.Config{SingleFile: 1 << 20, SegmentRows: 100}, []*intray.Batch{contacts(0, 120), contacts(120, 80)}, false},
		"without rows":      {staging.Config{SingleFile: 1 << 20}, nil, false},
		"never single file": {staging.Config{}, []*intray.Batch{contacts(0, 10)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			store := blobtest.NewMemory()
			s := writeStage(t, store, contactLayout(), c.cfg, c.batches...)
			defer s.Close()
			keys := store.Keys("")
			if single := slices.Equal(keys, []string{singleKey}); single != c.single {
				t.Fatalf("the blobs are %v, want a single file: %t", keys, c.single)
			}
			if !c.single {
				return
			}
			c.cfg.SingleFile = 0
			folder := writeStage(t, blobtest.NewMemory(), contactLayout(), c.cfg, c.batches...)
			defer folder.Close()
			if !s.HasSameContent(folder) {
				t.Errorf("the manifests differ: %s", cmp.Diff(folder.Manifest(), s.Manifest()))
			}
			if diff := cmp.Diff(readAll(t, folder), readAll(t, s)); diff != "" {
				t.Error("the rows differ: " + diff)
			}
			var want []record
			for _, b := range c.batches {
				want = append(want, recordsOf(s.Manifest(), b)...)
			}
			if diff := cmp.Diff(want, parquetRows(t, readKey(t, store, singleKey))); diff != "" {
				t.Error("another reader of Parquet files reads different rows: " + diff)
			}
		})
	}
}

func withoutProblems(b *intray.Batch) *intray.Batch {
	b.Problems = nil
	return b
}

// TestDamagedSingleFile checks that damage of a single file is an error and never a wrong row.
func TestDamagedSingleFile(t *testing.T) {
	store := blobtest.NewMemory()
	writeStage(t, store, contactLayout(), staging.Config{SingleFile: 1 << 20}, contacts(0, 120), contacts(120, 80)).Close()
	whole := readKey(t, store, singleKey)
	want, err := lookAtStage(store, singleKey)
	if err != nil {
		t.Fatal(err)
	}
	check := func(t failer, broken []byte) {
		t.Helper()
		putKey(t, store, singleKey, broken)
		got, err := lookAtStage(store, singleKey)
		if err == nil && !cmp.Equal(want, got) || err != nil && !errors.Is(err, staging.ErrDamaged) {
			t.Fatal("the file is damaged, and reading it returned other rows or the error ", err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		broken := slices.Clone(whole)
		for range rapid.IntRange(1, 3).Draw(t, "flips") {
			broken[rapid.IntRange(0, len(broken)-1).Draw(t, "at")] ^= byte(rapid.IntRange(1, 255).Draw(t, "bits"))
		}
		check(t, broken)
	})
	for at := range len(whole) {
		if at > 20 && at < len(whole)-1000 && at%29 != 0 {
			continue // each byte of the beginning, the trailer and the footer, and some of the others
		}
		check(t, whole[:at])
		broken := slices.Clone(whole)
		broken[at] ^= 0xff
		check(t, broken)
	}
	if err := store.Delete(context.Background(), singleKey); err != nil {
		t.Fatal(err)
	}
	if _, err := lookAtStage(store, singleKey); !errors.Is(err, staging.ErrUnfinished) || !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("the file is missing: error %v", err)
	}
}
