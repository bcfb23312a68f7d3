package output

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"go.uber.org/goleak"

	"github.com/intraydata/intray"
)

var errFull = errors.New("full")

// limitedWriter accepts a limited number of bytes. After that, it fails. If short is set,
// it instead writes fewer bytes than it was given and returns no error.
type limitedWriter struct {
	room   int
	short  bool
	writes int
}

func (w *limitedWriter) Write(b []byte) (int, error) {
	w.writes++
	n := min(len(b), w.room)
	if w.room -= n; n < len(b) && !w.short {
		return n, errFull
	}
	return n, nil
}

// failingWriter fails once, at the write with the index failAt, counted from 0.
type failingWriter struct{ writes, failAt int }

func (w *failingWriter) Write(b []byte) (int, error) {
	if w.writes++; w.writes-1 == w.failAt {
		return 0, errFull
	}
	return len(b), nil
}

// mixedRows returns a table with a column of each kind and an unmapped column.
func mixedRows() (*intray.Schema, *intray.Batch) {
	schema, b := typedFields(intray.IncludeInvalidValues), typedRows()
	schema.Settings.PassThroughUnmappedColumns = true
	b.Unmapped = []intray.UnmappedCells{{Column: 4}}
	for i := range b.Rows() {
		b.Unmapped[0].Cells.AppendString(fmt.Sprint("passed ", i))
	}
	return schema, b
}

// TestWriterFailsAtEachByte checks that Write returns the error of a writer that fails after any
// number of bytes below the size of the file. The writer alternately returns an error and writes
// too few bytes. For workbooks, the test tries only every 29th number, because their compressor
// is slow to create. In short mode, it tries a fifth of these numbers.
func TestWriterFailsAtEachByte(t *testing.T) {
	defer goleak.VerifyNone(t)
	schema, b := mixedRows()
	for _, format := range []Format{JSON, NDJSON, CSV, XLSX, Parquet} {
		t.Run(string(format), func(t *testing.T) {
			var whole bytes.Buffer
			if _, err := Write(context.Background(), &whole, format, schema, single(b)); err != nil {
				t.Fatal(err)
			}
			step := 1
			switch {
			case format == XLSX && testing.Short():
				step = 145
			case format == XLSX:
				step = 29
			case testing.Short():
				step = 5
			}
			for room := 0; room < whole.Len(); room += step {
				w := &limitedWriter{room: room, short: room%2 == 1}
				want := map[bool]error{false: errFull, true: io.ErrShortWrite}[w.short]
				if _, err := Write(context.Background(), w, format, schema, single(b)); !errors.Is(err, want) {
					t.Fatalf("room for %d of %d bytes: %v, want %v", room, whole.Len(), err, want)
				}
			}
		})
	}
}

// TestWriterFailsInTheMiddle checks that Write returns the error of a writer that fails at any
// of about 16 points in a large table.
func TestWriterFailsInTheMiddle(t *testing.T) {
	defer goleak.VerifyNone(t)
	schema := typed(intray.TypeString, intray.TypeNumber)
	schema.Settings.PassThroughUnmappedColumns = true
	b := wide(18_000, func(int) bool { return false })
	for _, format := range []Format{JSON, CSV, XLSX, Parquet} {
		all := limitedWriter{room: 1 << 30}
		if _, err := Write(context.Background(), &all, format, schema, single(b)); err != nil {
			t.Fatal(err)
		}
		size := 1<<30 - all.room
		for room := 0; room < size; room += size/16 + 1 {
			if _, err := Write(context.Background(), &limitedWriter{room: room}, format, schema, single(b)); !errors.Is(err, errFull) {
				t.Errorf("%s: room for %d of %d bytes: %v", format, room, size, err)
			}
		}
	}
}

// TestParquetFailsAtEachWrite checks that an error in any write is returned, for a file of
// many small pages and row groups that is written in pieces. One column has dictionaries,
// and a second one does not.
func TestParquetFailsAtEachWrite(t *testing.T) {
	schema := typed(intray.TypeString, intray.TypeNumber)
	b := &intray.Batch{Lines: make([]int64, 30), Fields: make([]intray.Cells, 2)}
	for i := range b.Rows() {
		b.Fields[0].AppendValue(fmt.Append(nil, "text ", i%2))
		b.Fields[1].AppendValue(fmt.Append(nil, i))
	}
	for _, narrow := range []parquetBounds{
		{pageRows: 7, pageBytes: 1 << 20, groupRows: 14, groupBytes: 1 << 20, pieceBytes: 8},
		{pageRows: 10, pageBytes: 1 << 20, groupRows: 10, groupBytes: 1 << 20, pieceBytes: 64},
		{pageRows: 100, pageBytes: 1, groupRows: 100, groupBytes: 1, pieceBytes: 50},
	} {
		all := failingWriter{failAt: -1}
		if err := writeBounded(t, &all, schema, b, narrow); err != nil {
			t.Fatal(err)
		}
		if all.writes < 8 {
			t.Errorf("%+v: %d writes", narrow, all.writes)
		}
		for i := range all.writes {
			failing := failingWriter{failAt: i}
			if err := writeBounded(t, &failing, schema, b, narrow); !errors.Is(err, errFull) || failing.writes != i+1 {
				t.Fatalf("%+v: write %d of %d fails, and after %d writes: %v", narrow, i, all.writes, failing.writes, err)
			}
		}
	}
}

// TestEncoderFails checks that an error while encoding a page is returned at the next page
// or at the end of the row group.
func TestEncoderFails(t *testing.T) {
	errBroken := errors.New("broken")
	schema, b := mixedRows()
	schema.Settings.PassThroughUnmappedColumns = false
	b.Lines, b.Problems = b.Lines[:1], nil
	for name, next := range map[string]func(w *parquetWriter) error{
		"page":  func(w *parquetWriter) error { _, _, err := w.appendBatch(nil, b, keepReceived); return err },
		"group": func(w *parquetWriter) error { _, err := w.endGroup(nil); return err },
		"end":   func(w *parquetWriter) error { _, err := w.appendEnd(nil, 2); return err },
	} {
		w := newBounded(t, io.Discard, schema, parquetBounds{pageRows: 1, pageBytes: 1 << 20, groupRows: 100, groupBytes: 1 << 20, pieceBytes: 1})
		text := w.appendStart(nil, nil)
		if _, _, err := w.appendBatch(text, b, keepReceived); err != nil {
			t.Fatal(err)
		}
		w.pool.running.Wait()
		w.pool.errs[len(w.pool.errs)-1] = errBroken
		if err := next(w); !errors.Is(err, errBroken) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
