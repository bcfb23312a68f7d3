package staging_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/blob/blobtest"
	"github.com/intraydata/intray/server/staging"
)

// stageSmall stages three batches in two segments. The stage has problems of single rows as well
// as cross-row problems.
func stageSmall(store blob.Store, codec staging.Codec) error {
	ctx := context.Background()
	w := staging.NewWriter(ctx, store, prefix, contactLayout(), staging.Config{SegmentRows: 10, Codec: codec})
	defer w.Abort()
	for i := range 3 {
		b := contacts(int64(i*6), 6)
		b.Problems = append(b.Problems, intray.Problem{Row: 5, Field: 1, Code: "c", Level: intray.LevelWarning})
		commit, err := w.StageBatch(b)
		if err != nil {
			return err
		}
		if err := commit(); err != nil {
			return err
		}
	}
	if err := w.AddProblem(intray.Problem{Field: 0, Code: "unique"}, roaring.BitmapOf(2, 11)); err != nil {
		return err
	}
	_, err := w.Close(ctx)
	return err
}

// TestStoreFailsAtEachCall checks that no stage is left if any call to the store fails while
// rows are being staged.
func TestStoreFailsAtEachCall(t *testing.T) {
	all := &blobtest.FaultyStore{Store: blobtest.NewMemory(), FailAt: -1, Room: -1}
	if err := stageSmall(all, staging.Snappy); err != nil {
		t.Fatal(err)
	}
	for i := range all.Calls() {
		store := &blobtest.FaultyStore{Store: blobtest.NewMemory(), FailAt: i, Room: -1}
		requireNoStage(t, store, stageSmall(store, staging.Snappy), blobtest.ErrFault)
	}
	for room := range all.Written() {
		store := &blobtest.FaultyStore{Store: blobtest.NewMemory(), FailAt: -1, Room: room, Short: room%2 == 1}
		want := map[bool]error{false: blobtest.ErrFault, true: io.ErrShortWrite}[store.Short]
		requireNoStage(t, store, stageSmall(store, staging.Snappy), want)
	}
}

func requireNoStage(t *testing.T, store *blobtest.FaultyStore, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("call %d fails, room for %d bytes: the writer returns %v, want %v", store.FailAt, store.Room, err, want)
	}
	if _, err := staging.Open(context.Background(), store.Store, prefix); !errors.Is(err, staging.ErrUnfinished) {
		t.Fatalf("call %d fails, room for %d bytes: opening the stage returns %v", store.FailAt, store.Room, err)
	}
}

// readings holds a function for each way to read a stage. Each returns its result.
var readings = map[string]func(ctx context.Context, s *staging.Stage) (any, error){
	"Batches": func(ctx context.Context, s *staging.Stage) (any, error) {
		var all []row
		for b, err := range s.Batches(ctx) {
			if err != nil {
				return nil, err
			}
			all = append(all, rowsOf(b)...)
		}
		return all, nil
	},
	"Window": func(ctx context.Context, s *staging.Stage) (any, error) {
		b, err := s.Window(ctx, 4, 10)
		if err != nil {
			return nil, err
		}
		return rowsOf(b), nil
	},
	"Rows": func(ctx context.Context, s *staging.Stage) (any, error) {
		b, err := s.Rows(ctx, []int64{2, 3, 11, 17})
		if err != nil {
			return nil, err
		}
		return rowsOf(b), nil
	},
	"ReadFields": func(ctx context.Context, s *staging.Stage) (any, error) {
		var all []intray.Cells
		scan := s.Scan()
		for _, row := range []int64{0, 17} {
			b, err := scan.ReadFields(ctx, row, []int{2}, nil)
			if err != nil {
				return nil, err
			}
			var texts intray.Cells
			for i := range b.Rows() {
				texts.AppendValue(b.Fields[2].Values.At(i))
			}
			all = append(all, texts)
		}
		return all, nil
	},
	"ErrorRows": func(ctx context.Context, s *staging.Stage) (any, error) { return s.ErrorRows(ctx, 0, 100) },
	"RowsWithProblem": func(ctx context.Context, s *staging.Stage) (any, error) {
		var all [][]uint32
		for _, k := range s.Manifest().Kinds {
			rows, err := s.RowsWithProblem(ctx, k)
			if err != nil {
				return nil, err
			}
			all = append(all, rows.ToArray())
		}
		return all, nil
	},
}

// TestReadFailsAtEachCall reads a stage from a store in which one call fails or
// returns too few bytes. The read must return an error or the complete result.
func TestReadFailsAtEachCall(t *testing.T) {
	stored := blobtest.NewMemory()
	if err := stageSmall(stored, staging.Zstd); err != nil {
		t.Fatal(err)
	}
	for name, read := range readings {
		t.Run(name, func(t *testing.T) {
			once := func(store *blobtest.FaultyStore) (any, error) {
				store.Store = stored
				s, err := staging.Open(context.Background(), store, prefix)
				if err != nil {
					return nil, err
				}
				defer s.Close()
				return read(context.Background(), s)
			}
			all := &blobtest.FaultyStore{FailAt: -1, Room: -1}
			want, err := once(all)
			if err != nil {
				t.Fatal(err)
			}
			for i := range all.Calls() {
				failing := &blobtest.FaultyStore{FailAt: i, Room: -1}
				got, err := once(failing)
				if failing.Calls() <= i { // the number of calls depends on how many goroutines read problems
					if diff := cmp.Diff(want, got); err != nil || diff != "" {
						t.Errorf("no call fails: %v, %s", err, diff)
					}
				} else if !errors.Is(err, blobtest.ErrFault) {
					t.Errorf("call %d of %d fails: %v", i, all.Calls(), err)
				}
				got, err = once(&blobtest.FaultyStore{FailAt: i, Room: -1, Short: true})
				if diff := cmp.Diff(want, got); err == nil && diff != "" || err != nil && !errors.Is(err, staging.ErrDamaged) {
					t.Errorf("call %d of %d is short: %v, %s", i, all.Calls(), err, diff)
				}
			}
		})
	}
}
