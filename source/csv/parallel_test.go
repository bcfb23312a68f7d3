package csv

import (
	"context"
	"errors"
	"io"
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
