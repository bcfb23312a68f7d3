package csv

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/ordered"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

// openChunks opens the sheet of a file with chunks of the given size.
func openChunks(t testing.TB, in source.Input, size int) (*reader, error) {
	t.Helper()
	book, err := Format{}.Open(t.Context(), in, source.Options{})
	if err != nil {
		return nil, err
	}
	opened, err := book.Open(t.Context(), 0)
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { _ = opened.Close() })
	r := opened.(*reader)
	r.parallel.size, r.parallel.tail = size, 3000
	return r, nil
}

// TestParallelStoreFails checks, for a failure at each read while workers read ahead, that the
// reader returns rows in order until the error, and then the same error again.
func TestParallelStoreFails(t *testing.T) {
	text := contacts(6_000, map[int]string{2_000: "x,y"}) // one irregular chunk
	want, _ := readRows(t, text)
	sourcetest.FailEachRead(t, sourcetest.NewInput("", []byte(text)), func(in source.Input) error {
		r, err := openChunks(t, in, 40_000)
		if err != nil {
			return err
		}
		var batch intray.Records
		for read := 0; ; {
			if err := r.Next(t.Context(), &batch); err != nil {
				if errors.Is(err, io.EOF) {
					if read != len(want) {
						t.Errorf("%d rows, want %d", read, len(want))
					}
					return nil
				}
				if again := r.Next(t.Context(), &batch); !errors.Is(again, err) {
					t.Errorf("after %v the next call returned %v", err, again)
				}
				return err
			}
			if first := string(batch.Cell(0, 0)); batch.First != int64(read) || first != want[read][0] {
				t.Errorf("record %d is %q, want record %d: %q", batch.First, first, read, want[read][0])
			}
			read += batch.Len()
		}
	})
}

// TestParallelPanic checks that the caller of Next can recover a panic on a goroutine of the
// reader.
func TestParallelPanic(t *testing.T) {
	in := sourcetest.NewInput("", []byte(contacts(6_000, nil)))
	opened := false
	in.ReaderAt = sourcetest.StoreFunc{ReaderAt: in.ReaderAt, BeforeRead: func() {
		if opened {
			panic("boom")
		}
	}}
	r, err := openChunks(t, in, 40_000)
	if err != nil {
		t.Fatal(err)
	}
	opened = true
	defer func() {
		if p, ok := recover().(*ordered.PanicError); !ok || p.Value != "boom" {
			t.Errorf("recovered %v, want the panic of the store", p)
		}
	}()
	var batch intray.Records
	err = r.Next(t.Context(), &batch)
	t.Errorf("%d records, error %v, want a panic", batch.Len(), err)
}

// TestChunksEndBetweenRecords checks that no chunk ends within a quoted cell whose lines look like records.
func TestChunksEndBetweenRecords(t *testing.T) {
	odd := map[int]string{}
	for n := 1; n <= 6_000; n++ {
		odd[n] = contact(n)[:strings.IndexByte(contact(n), '"')] + "\"Main Street, 5, London, x, y\nSide Street, 7, Leeds, x, y\n\"\"Upper\"\" Street, 7\n\""
	}
	text := contacts(6_000, odd)
	for _, raw := range [][]byte{[]byte(text), encodeUTF16(text), encodeWindows1252(t, strings.ReplaceAll(text, "Ada", "Ädä"))} {
		want, _ := readChunks(t, raw, 0)
		for _, size := range []int{5_000, 40_000, 90_000} {
			r, err := openChunks(t, sourcetest.NewInput("", raw), size)
			if err != nil {
				t.Fatal(err)
			}
			var batch intray.Records
			read := 0
			for r.Next(t.Context(), &batch) == nil {
				for i := range batch.Len() {
					if got := string(batch.Cell(i, 4)); got != want[read+i][4] {
						t.Fatalf("chunks of %d: the note of record %d is %q, want %q", size, read+i, got, want[read+i][4])
					}
				}
				read += batch.Len()
				if until, end := r.parallel.sequentialUntil, r.parallel.endOffset(); until != 0 && r.window.offset() < end {
					t.Fatalf("chunks of %d: read sequentially up to %d, want no fallback before %d", size, until, end)
				}
			}
			if read != len(want) {
				t.Errorf("chunks of %d: %d records, want %d", size, read, len(want))
			}
		}
	}
}

// TestCanceledChunk checks that later calls return all rows if Next is canceled while the
// store blocks.
func TestCanceledChunk(t *testing.T) {
	text := contacts(6_000, nil)
	want, _ := readRows(t, text)
	in := sourcetest.NewInput("", []byte(text))
	opened, release := false, make(chan struct{})
	in.ReaderAt = sourcetest.StoreFunc{ReaderAt: in.ReaderAt, BeforeRead: func() {
		if opened {
			<-release
		}
	}}
	r, err := openChunks(t, in, 40_000)
	if err != nil {
		t.Fatal(err)
	}
	opened = true
	ctx, cancel := context.WithCancel(t.Context())
	var batch intray.Records
	go cancel()
	if err := r.Next(ctx, &batch); !errors.Is(err, context.Canceled) || batch.Len() != 0 {
		t.Fatalf("%d records, error %v, want context.Canceled", batch.Len(), err)
	}
	close(release)
	got, _ := drainReader(t, r)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%.2000s", diff)
	}
	if r.parallel.sequentialUntil != 0 {
		t.Errorf("read sequentially up to %d, want no fallback", r.parallel.sequentialUntil)
	}
}
