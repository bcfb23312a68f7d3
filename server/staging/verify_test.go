package staging_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/blob/blobtest"
	"github.com/intraydata/intray/server/staging"
)

func readKey(t failer, store blob.Store, key string) []byte {
	t.Helper()
	r, err := store.Open(context.Background(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	content := make([]byte, r.Size())
	if _, err := r.ReadAt(content, 0); err != nil {
		t.Fatal(err)
	}
	return content
}

func putKey(t failer, store blob.Store, key string, content []byte) {
	t.Helper()
	w, err := store.Create(context.Background(), key)
	if err == nil {
		_, err = w.Write(content)
	}
	if err == nil {
		err = w.Commit()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func verify(store blob.Store, location string) error {
	ctx := context.Background()
	s, err := staging.Open(ctx, store, location)
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Verify(ctx)
}

// TestVerifyFindsEveryChangedByte changes each byte of each file of small stages, and appends and removes a
// byte. Verify must report each change, even in bytes that only other readers of Parquet files use.
func TestVerifyFindsEveryChangedByte(t *testing.T) {
	for name, c := range map[string]struct {
		cfg      staging.Config
		batches  []*intray.Batch
		location string
		files    int
	}{
		"files":                        {staging.Config{SegmentRows: 30}, []*intray.Batch{contacts(0, 30), contacts(30, 10)}, prefix, 5},
		"snappy":                       {staging.Config{Codec: staging.Snappy}, []*intray.Batch{contacts(0, 40)}, prefix, 4},
		"files without problems":       {staging.Config{}, []*intray.Batch{withoutProblems(contacts(0, 40))}, prefix, 2},
		"single file":                  {staging.Config{SingleFile: 1 << 20}, []*intray.Batch{contacts(0, 30), contacts(30, 10)}, singleKey, 1},
		"single file without problems": {staging.Config{SingleFile: 1 << 20}, []*intray.Batch{withoutProblems(contacts(0, 40))}, singleKey, 1},
		"without rows":                 {staging.Config{}, nil, prefix, 1},
	} {
		t.Run(name, func(t *testing.T) {
			store := blobtest.NewMemory()
			writeStage(t, store, contactLayout(), c.cfg, c.batches...).Close()
			keys := store.Keys("")
			if err := verify(store, c.location); err != nil || len(keys) != c.files {
				t.Fatalf("Verify returns %v for the files %v", err, keys)
			}
			for _, key := range keys {
				whole := readKey(t, store, key)
				want := func(content []byte, change string, at int) {
					t.Helper()
					putKey(t, store, key, content)
					if err := verify(store, c.location); !errors.Is(err, staging.ErrDamaged) {
						t.Errorf("%s: byte %d of %d is %s, and Verify returns %v", key, at, len(whole), change, err)
					}
				}
				for at := range whole {
					for _, bits := range []byte{1 << (at % 8), 0x20} { // the second changes the case of letters
						broken := slices.Clone(whole)
						broken[at] ^= bits
						want(broken, "changed", at)
					}
				}
				want(whole[:len(whole)-1], "missing", len(whole)-1)
				want(append(slices.Clone(whole), 0), "added", len(whole))
				putKey(t, store, key, whole)
			}
			if err := verify(store, c.location); err != nil {
				t.Error(err)
			}
		})
	}
}
