package parquet

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/parquet-go/parquet-go"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

var errBroken = errors.New("broken")

// faultyFile counts its reads. The read with the index failAt, counted from 0, returns err and,
// if short is set, half of the bytes.
type faultyFile struct {
	data          []byte
	calls, failAt int
	short         bool
	err           error
}

func (f *faultyFile) ReadAt(b []byte, offset int64) (int, error) {
	f.calls++
	n := 0
	if offset < int64(len(f.data)) {
		n = copy(b, f.data[offset:])
	}
	switch {
	case f.calls-1 == f.failAt && f.short:
		return min(n, len(b)/2), f.err
	case f.calls-1 == f.failAt:
		return 0, f.err
	case n < len(b):
		return n, io.EOF
	}
	return n, nil
}

// readRecords returns the records of a file of the given size.
func readRecords(t *testing.T, f *faultyFile, size int) (records []string, err error) {
	t.Helper()
	book, err := Format{}.Open(t.Context(), source.Input{Name: "a.parquet", ReaderAt: f, Size: int64(size)}, source.Options{})
	if err != nil {
		return nil, err
	}
	defer book.Close()
	reader, err := book.Open(t.Context(), 0)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	for batch := new(intray.Records); ; {
		if err := reader.Next(t.Context(), batch); errors.Is(err, io.EOF) {
			return records, nil
		} else if err != nil {
			return records, err
		}
		for i := range batch.Len() {
			record := ""
			for c := range batch.NumCells(i) {
				record += fmt.Sprintf("%q,", batch.Cell(i, c))
			}
			records = append(records, record)
		}
	}
}

// TestReadFailsAtEachCall checks, for a failed or truncated read at each call, that the reader
// returns correct records and then an error.
func TestReadFailsAtEachCall(t *testing.T) {
	untyped := fileOf(t, []struct {
		A []byte `parquet:"a"`
		B []byte `parquet:"b,optional"`
	}{{[]byte("x"), []byte("y")}, {[]byte("z"), []byte("\xFF")}, {[]byte("w"), nil}})
	for name, file := range map[string][]byte{
		"people":  people(t, 120, parquet.MaxRowsPerRowGroup(50), parquet.PageBufferSize(300)),
		"nested":  nests(t),
		"untyped": untyped,
	} {
		t.Run(name, func(t *testing.T) {
			all := &faultyFile{data: file, failAt: -1}
			want, err := readRecords(t, all, len(file))
			if err != nil || len(want) == 0 {
				t.Fatalf("%d records: %v", len(want), err)
			}
			for i := range all.calls {
				for _, f := range []*faultyFile{
					{err: errBroken}, {err: errBroken, short: true}, {err: io.EOF, short: true}, {short: true},
				} {
					f.data, f.failAt = file, i
					wantErr := f.err
					if !errors.Is(wantErr, errBroken) {
						wantErr = io.ErrUnexpectedEOF
					}
					got, err := readRecords(t, f, len(file))
					if !errors.Is(err, wantErr) {
						t.Fatalf("read %d of %d fails with %v (short %v): %v after %d of %d records", i, all.calls, f.err, f.short, err, len(got), len(want))
					}
					if diff := cmp.Diff(want[:len(got)], got, cmpopts.EquateEmpty()); diff != "" {
						t.Fatalf("read %d of %d fails: %s", i, all.calls, diff)
					}
				}
			}
		})
	}
}

// TestFileEndsEarly checks that reading a file that is truncated after its size was determined
// returns io.ErrUnexpectedEOF.
func TestFileEndsEarly(t *testing.T) {
	file := people(t, 40, parquet.MaxRowsPerRowGroup(20), parquet.PageBufferSize(300))
	for size := range file {
		if got, err := readRecords(t, &faultyFile{data: file[:size], failAt: -1}, len(file)); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("%d of %d bytes: %d records, %v", size, len(file), len(got), err)
		}
	}
}
