package staging_test

import (
	"context"
	"errors"
	"io"
	"sync"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/blob/mem"
	"github.com/intraydata/intray/server/staging"
)

var errFull = errors.New("no space left")

// faultyStore is a store whose calls and bytes are counted. The call with the number
// failAt fails, and so does the write that exceeds room. It must not be copied.
type faultyStore struct {
	blob.Store
	mu            sync.Mutex
	calls, failAt int
	room          int
	// short makes failing calls process too few bytes instead of returning an error.
	short bool
}

// fails counts a call and reports whether it fails.
func (f *faultyStore) fails() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	return f.calls-1 == f.failAt
}

func (f *faultyStore) Create(ctx context.Context, key string) (blob.Writer, error) {
	if f.fails() && !f.short {
		return nil, errFull
	}
	w, err := f.Store.Create(ctx, key)
	return &faultyWriter{w, f}, err
}

func (f *faultyStore) Open(ctx context.Context, key string) (blob.Reader, error) {
	if f.fails() && !f.short {
		return nil, errFull
	}
	r, err := f.Store.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	return &faultyReader{r, f}, nil
}

type faultyWriter struct {
	blob.Writer
	store *faultyStore
}

func (w *faultyWriter) Write(b []byte) (int, error) {
	fails := w.store.fails()
	w.store.mu.Lock()
	n := min(len(b), w.store.room)
	w.store.room -= n
	w.store.mu.Unlock()
	if fails {
		n = len(b) / 2
	}
	if n == len(b) {
		return w.Writer.Write(b)
	}
	n, _ = w.Writer.Write(b[:n])
	if w.store.short {
		return n, nil
	}
	return n, errFull
}

func (w *faultyWriter) Commit() error {
	if w.store.fails() && !w.store.short {
		return errFull
	}
	return w.Writer.Commit()
}

type faultyReader struct {
	blob.Reader
	store *faultyStore
}

func (r *faultyReader) ReadAt(b []byte, offset int64) (int, error) {
	if !r.store.fails() {
		return r.Reader.ReadAt(b, offset)
	}
	if !r.store.short {
		return 0, errFull
	}
	return r.Reader.ReadAt(b[:len(b)/2], offset)
}

// stageSmall stages three batches in two segments, with problems of batches and cross-row
// problems.
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

// TestStoreFailsAtEachCall stages rows in a store of which each call fails. No stage
// may be left.
func TestStoreFailsAtEachCall(t *testing.T) {
	const unlimited = 1 << 30
	all := &faultyStore{Store: mem.New(), failAt: -1, room: unlimited}
	if err := stageSmall(all, staging.Snappy); err != nil {
		t.Fatal(err)
	}
	for i := range all.calls {
		store := &faultyStore{Store: mem.New(), failAt: i, room: unlimited}
		requireNoStage(t, store, stageSmall(store, staging.Snappy), errFull)
	}
	for room := range unlimited - all.room {
		store := &faultyStore{Store: mem.New(), failAt: -1, room: room, short: room%2 == 1}
		want := map[bool]error{false: errFull, true: io.ErrShortWrite}[store.short]
		requireNoStage(t, store, stageSmall(store, staging.Snappy), want)
	}
}

func requireNoStage(t *testing.T, store *faultyStore, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("call %d fails, %d bytes are left: the writer returns %v, not %v", store.failAt, store.room, err, want)
	}
	if _, err := staging.Open(context.Background(), store.Store, prefix); !errors.Is(err, staging.ErrUnfinished) {
		t.Fatalf("call %d fails, %d bytes are left: opening the stage gives %v", store.failAt, store.room, err)
	}
}

// readings are all ways to read a stage, with their results.
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
			b, err := scan.ReadFields(ctx, row, []int{2})
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

// TestReadFailsAtEachCall reads a stage from a store of which each call fails, or
// returns too few bytes: the result is an error, or complete.
func TestReadFailsAtEachCall(t *testing.T) {
	stored := mem.New()
	if err := stageSmall(stored, staging.Zstd); err != nil {
		t.Fatal(err)
	}
	for name, read := range readings {
		t.Run(name, func(t *testing.T) {
			once := func(store *faultyStore) (any, error) {
				store.Store = stored
				s, err := staging.Open(context.Background(), store, prefix)
				if err != nil {
					return nil, err
				}
				defer s.Close()
				return read(context.Background(), s)
			}
			all := &faultyStore{failAt: -1}
			want, err := once(all)
			if err != nil {
				t.Fatal(err)
			}
			for i := range all.calls {
				if _, err := once(&faultyStore{failAt: i}); !errors.Is(err, errFull) {
					t.Errorf("call %d of %d fails: %v", i, all.calls, err)
				}
				got, err := once(&faultyStore{failAt: i, short: true})
				if diff := cmp.Diff(want, got); err == nil && diff != "" || err != nil && !errors.Is(err, staging.ErrDamaged) {
					t.Errorf("call %d of %d is short: %v, %s", i, all.calls, err, diff)
				}
			}
		})
	}
}
