package staging_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/blob/blobtest"
	"github.com/intraydata/intray/server/staging"
)

func TestWorkersInAnyOrderWriteTheSameBytes(t *testing.T) {
	const batches, rows = 12, 300
	sequential := blobtest.NewMemory()
	var list []*intray.Batch
	for i := range batches {
		list = append(list, contacts(int64(i*rows), rows))
	}
	writeStage(t, sequential, contactLayout(), staging.Config{SegmentRows: 1000}, list...).Close()

	parallel := blobtest.NewMemory()
	w := staging.NewWriter(context.Background(), parallel, prefix, contactLayout(), staging.Config{SegmentRows: 1000})
	commits := make([]func() error, batches)
	var wg sync.WaitGroup
	for i := range batches {
		wg.Go(func() {
			b := contacts(int64(i*rows), rows)
			var err error
			if commits[i], err = w.StageBatch(b); err != nil {
				t.Error(err)
			}
			b.Reset(5)
			b.Fields[0].AppendValue([]byte("written over"))
		})
	}
	wg.Wait()
	for _, commit := range commits {
		if err := commit(); err != nil {
			t.Fatal(err)
		}
	}
	m, err := w.Close(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Segments) != 3 || m.Rows != batches*rows {
		t.Errorf("%d segments of %d rows, want 3 of %d", len(m.Segments), m.Rows, batches*rows)
	}
	for _, name := range []string{"manifest.json", "seg-0000.parquet", "seg-0002.parquet", "problems.parquet", "problems.roar"} {
		if diff := cmp.Diff(fileOf(t, sequential, name), fileOf(t, parallel, name)); diff != "" {
			t.Errorf("%s depends on the order of the workers", name)
		}
	}
}

func TestBatchesMustFollowTheLayout(t *testing.T) {
	layout := staging.Layout{Fields: []string{"a"}, Unmapped: []int{4}}
	valid := func() *intray.Batch {
		b := &intray.Batch{Lines: []int64{1, 2}}
		b.Fields = make([]intray.Cells, 1)
		b.Fields[0].AppendValue([]byte("x"))
		b.Fields[0].AppendNull([]byte("y"))
		b.Unmapped = []intray.UnmappedCells{{Column: 4}}
		b.Unmapped[0].Cells.AppendString("u")
		b.Unmapped[0].Cells.AppendString("v")
		return b
	}
	cases := map[string]struct {
		spoil func(b *intray.Batch)
		want  string
	}{
		"fields":           {func(b *intray.Batch) { b.Fields = nil }, "0 fields"},
		"unmapped columns": {func(b *intray.Batch) { b.Unmapped = nil }, "0 unmapped columns"},
		"unmapped column":  {func(b *intray.Batch) { b.Unmapped[0].Column = 5 }, "index 5, not 4"},
		"lines":            {func(b *intray.Batch) { b.Lines = b.Lines[:1] }, "2 values for 1 rows"},
		"passed cells":     {func(b *intray.Batch) { b.Unmapped[0].Cells.AppendString("w") }, "3 texts for 2 rows"},
		"null with text":   {func(b *intray.Batch) { b.Fields[0].Nulls = []uint32{0} }, "null cell of row 0 holds text"},
		"null order":       {func(b *intray.Batch) { b.Fields[0].Nulls = []uint32{1, 1} }, "row 1 is out of order"},
		"null beyond":      {func(b *intray.Batch) { b.Fields[0].Nulls = []uint32{2} }, "row 2 is out of order"},
		"raw order":        {func(b *intray.Batch) { b.Fields[0].RawRows = []uint32{2} }, "row 2 is out of order"},
		"raw rows":         {func(b *intray.Batch) { b.Fields[0].RawRows = nil }, "1 raw texts for 0 rows"},
		"first":            {func(b *intray.Batch) { b.First = 1 << 32 }, "beyond"},
		"problem row":      {func(b *intray.Batch) { b.Problems = []intray.Problem{{Row: 2}} }, "problem of row 2"},
		"problem order":    {func(b *intray.Batch) { b.Problems = []intray.Problem{{Row: 1}, {Row: 0}} }, "problem of row 0"},
		"problem field":    {func(b *intray.Batch) { b.Problems = []intray.Problem{{Field: 1}} }, "field 1"},
		"problem level":    {func(b *intray.Batch) { b.Problems = []intray.Problem{{Level: 3}} }, "level 3"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			w := staging.NewWriter(context.Background(), blobtest.NewMemory(), prefix, layout, staging.Config{})
			defer w.Abort()
			if _, err := w.StageBatch(valid()); err != nil {
				t.Fatal(err)
			}
			b := valid()
			c.spoil(b)
			if _, err := w.StageBatch(b); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error with %q", err, c.want)
			}
		})
	}
}

func TestCommitOutOfOrderEndsTheStage(t *testing.T) {
	store := blobtest.NewMemory()
	w := staging.NewWriter(context.Background(), store, prefix, contactLayout(), staging.Config{})
	second, err := w.StageBatch(contacts(10, 5))
	if err != nil {
		t.Fatal(err)
	}
	if err := second(); err == nil || !strings.Contains(err.Error(), "the next row is 0") {
		t.Errorf("a batch with a gap before it was taken: %v", err)
	}
	first, err := w.StageBatch(contacts(0, 5))
	if err != nil {
		t.Fatal(err)
	}
	if err := first(); err == nil {
		t.Error("a batch was taken after an error")
	}
	if _, err := w.Close(context.Background()); err == nil {
		t.Error("a stage with a hole was sealed")
	}
	w.Abort()
	if _, err := staging.Open(context.Background(), store, prefix); !errors.Is(err, staging.ErrUnfinished) {
		t.Errorf("opening what was aborted: %v, want ErrUnfinished", err)
	}
}

func TestAbortDeletesTheStage(t *testing.T) {
	store := blobtest.NewMemory()
	w := staging.NewWriter(context.Background(), store, prefix, contactLayout(), staging.Config{SegmentRows: 1})
	for i := range 3 {
		commit, err := w.StageBatch(contacts(int64(i*10), 10))
		if err != nil {
			t.Fatal(err)
		}
		if err := commit(); err != nil {
			t.Fatal(err)
		}
	}
	w.Abort()
	w.Abort()
	if _, err := store.Open(context.Background(), prefix+"/seg-0000.parquet"); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("a sealed segment is left: %v", err)
	}
	if _, err := w.Close(context.Background()); err == nil {
		t.Error("an aborted stage was sealed")
	}
}

func TestAbortAfterCloseKeepsTheStage(t *testing.T) {
	store := blobtest.NewMemory()
	s := writeStage(t, store, contactLayout(), staging.Config{}, contacts(0, 10))
	if got := len(readAll(t, s)); got != 10 {
		t.Errorf("%d rows are left, want 10", got)
	}
}

func TestSegmentsEndAtTheirSize(t *testing.T) {
	s := writeStage(t, blobtest.NewMemory(), contactLayout(), staging.Config{SegmentBytes: 1}, contacts(0, 10), contacts(10, 10), contacts(20, 10))
	defer s.Close()
	if n := len(s.Manifest().Segments); n != 3 {
		t.Errorf("%d segments, want 3", n)
	}
}

func TestTooManyKindsOfProblems(t *testing.T) {
	w := staging.NewWriter(context.Background(), blobtest.NewMemory(), prefix, contactLayout(), staging.Config{})
	defer w.Abort()
	b := contacts(0, 1)
	for i := range 65537 {
		b.Problems = append(b.Problems, intray.Problem{Code: fmt.Sprint("c", i)})
	}
	commit, err := w.StageBatch(b)
	if err != nil {
		t.Fatal(err)
	}
	if err := commit(); err == nil || !strings.Contains(err.Error(), "65536 kinds") {
		t.Errorf("got %v, want an error with the limit", err)
	}
}

func TestConcurrentReaders(t *testing.T) {
	s := writeStage(t, blobtest.NewMemory(), contactLayout(), staging.Config{SegmentRows: 100}, contacts(0, 100), contacts(100, 100), contacts(200, 57))
	defer s.Close()
	all := readAll(t, s)
	var wg sync.WaitGroup
	for reader := range 4 {
		wg.Go(func() {
			for first := reader * 13; first < 257; first += 31 {
				b, err := s.Window(context.Background(), int64(first), 60)
				if err != nil {
					t.Error(err)
					return
				}
				if diff := cmp.Diff(all[first:min(first+60, 257)], rowsOf(b)); diff != "" {
					t.Errorf("from %d on: %s", first, diff)
				}
				if bad, err := s.ErrorRows(context.Background(), 1, 2); err != nil || len(bad) != 2 || bad[0] != 57 {
					t.Errorf("bad rows %v, error %v; want 57 and 107", bad, err)
				}
			}
		})
	}
	wg.Wait()
}

func TestEmptyStage(t *testing.T) {
	empty := &intray.Batch{Fields: make([]intray.Cells, 5)}
	s := writeStage(t, blobtest.NewMemory(), contactLayout(), staging.Config{}, empty)
	if rows := readAll(t, s); len(rows) != 0 {
		t.Errorf("%d rows in an empty stage", len(rows))
	}
	b, err := s.Window(context.Background(), 0, 100)
	if err != nil || b.Rows() != 0 || len(b.Fields) != 5 {
		t.Errorf("a window of an empty stage: %v, %v", b, err)
	}
	if rows, err := s.ErrorRows(context.Background(), 0, 100); err != nil || len(rows) != 0 {
		t.Errorf("bad rows of an empty stage: %v, %v", rows, err)
	}
}

func TestPrefixMustBeABlobKey(t *testing.T) {
	w := staging.NewWriter(context.Background(), blobtest.NewMemory(), "../up", contactLayout(), staging.Config{})
	if _, err := w.Close(context.Background()); err == nil || !strings.Contains(err.Error(), "../up") {
		t.Errorf("got %v, want an error that names the prefix", err)
	}
}

// TestMemoryDoesNotGrowWithRows checks that the heap grows by at most 4 MiB if ten times
// as many rows are staged. Every fiftieth row has a problem of the same kind.
func TestMemoryDoesNotGrowWithRows(t *testing.T) {
	alive := func(batches int) uint64 {
		w := staging.NewWriter(context.Background(), discardStore{blobtest.NewMemory()}, prefix, contactLayout(), staging.Config{})
		defer w.Abort()
		for i := range batches {
			commit, err := w.StageBatch(contacts(int64(i*500), 500))
			if err != nil {
				t.Fatal(err)
			}
			if err := commit(); err != nil {
				t.Fatal(err)
			}
		}
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	few, many := alive(20), alive(200)
	if many > few+4<<20 {
		t.Errorf("%d bytes are alive after 10,000 rows and %d after 100,000", few, many)
	}
}

// discardStore is a store that discards all data.
type discardStore struct{ blob.Store }

func (discardStore) Create(context.Context, string) (blob.Writer, error) { return nowhere{}, nil }

type nowhere struct{}

func (nowhere) Write(b []byte) (int, error) { return len(b), nil }
func (nowhere) Commit() error               { return nil }
func (nowhere) Abort()                      {}

func ExampleWriter() {
	ctx, store := context.Background(), blobtest.NewMemory()
	w := staging.NewWriter(ctx, store, "run-1", staging.Layout{Fields: []string{"name"}}, staging.Config{})
	defer w.Abort()
	b := &intray.Batch{Lines: []int64{2}, Fields: make([]intray.Cells, 1)}
	b.Fields[0].AppendParsed([]byte("Ada"), []byte(" Ada "))
	commit, err := w.StageBatch(b)
	if err == nil {
		err = commit()
	}
	if err == nil {
		_, err = w.Close(ctx)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := staging.Open(ctx, store, "run-1")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	for b, err := range s.Batches(ctx) {
		value, _ := b.Fields[0].Value(0)
		fmt.Printf("%s from %q, %v\n", value, b.Fields[0].Raw(0), err)
	}
	// Output: Ada from " Ada ", <nil>
}

// gatedStore is a store in which blobs are committed only when the test allows it.
type gatedStore struct {
	blob.Store
	begun, let chan struct{}
	fails      bool
}

func (s gatedStore) Create(ctx context.Context, key string) (blob.Writer, error) {
	w, err := s.Store.Create(ctx, key)
	return slowWriter{w, s}, err
}

type slowWriter struct {
	blob.Writer
	store gatedStore
}

func (w slowWriter) Commit() error {
	w.store.begun <- struct{}{}
	<-w.store.let
	if w.store.fails {
		return blobtest.ErrFault
	}
	return w.Writer.Commit()
}

func stageContacts(t *testing.T, w *staging.Writer, first int64, rows int) error {
	t.Helper()
	commit, err := w.StageBatch(contacts(first, rows))
	if err != nil {
		t.Fatal(err)
	}
	return commit()
}

// TestRowsMoveWhileASegmentIsSealed checks that rows can be committed before the
// previous segment is durable. Until it is, the stage cannot be opened.
func TestRowsMoveWhileASegmentIsSealed(t *testing.T) {
	store := gatedStore{Store: blobtest.NewMemory(), begun: make(chan struct{}), let: make(chan struct{})}
	w := staging.NewWriter(context.Background(), store, prefix, contactLayout(), staging.Config{SegmentRows: 10})
	for first := range int64(2) { // the second batch seals the segment that contains the first
		if err := stageContacts(t, w, 10*first, 10); err != nil {
			t.Fatal(err)
		}
	}
	<-store.begun
	if _, err := staging.Open(context.Background(), store.Store, prefix); !errors.Is(err, staging.ErrUnfinished) {
		t.Errorf("the stage is there before its segment: %v", err)
	}
	go func() {
		for range store.begun { // receive all further blobs
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
		if s.Size == 0 || int64(len(fileOf(t, store.Store, s.Name))) != s.Size {
			t.Errorf("%s has %d bytes, and the manifest says %d", s.Name, len(fileOf(t, store.Store, s.Name)), s.Size)
		}
	}
}

// TestSegmentThatCannotBeSealed checks that an error in sealing a segment is returned when the
// next one is sealed or when Close is called.
func TestSegmentThatCannotBeSealed(t *testing.T) {
	for _, batches := range []int64{1, 2, 3} {
		store := gatedStore{Store: blobtest.NewMemory(), begun: make(chan struct{}, 9), let: make(chan struct{}), fails: true}
		close(store.let)
		w := staging.NewWriter(context.Background(), store, prefix, contactLayout(), staging.Config{SegmentRows: 10})
		var err error
		for first := range batches {
			err = errors.Join(err, stageContacts(t, w, 10*first, 10))
		}
		if _, closing := w.Close(context.Background()); !errors.Is(errors.Join(err, closing), blobtest.ErrFault) || closing == nil {
			t.Errorf("%d batches: committing gives %v, closing %v", batches, err, closing)
		}
		w.Abort()
		if _, err := staging.Open(context.Background(), store.Store, prefix); !errors.Is(err, staging.ErrUnfinished) {
			t.Errorf("%d batches: opening gives %v", batches, err)
		}
	}
}
