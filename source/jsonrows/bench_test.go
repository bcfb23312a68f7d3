package jsonrows

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

// people returns a table with ten columns, like those in exports. note is the JSON of the last
// column.
func people(rows int, note string) []byte {
	var text bytes.Buffer
	for n := range rows {
		fmt.Fprintf(&text, `{"id":%d,"name":{"first":"Ada%d","last":"Lovelace"},"email":"ada%d@example.org","phone":"+44 20 7946 %04d","date":"1843-09-%02d","amount":%d.%02d,"city":"London","country":"GB","note":%s}`+"\n",
			n, n%97, n, n%10000, 1+n%28, n%5000, n%100, note)
	}
	return text.Bytes()
}

// BenchmarkRead measures both passes over a table.
func BenchmarkRead(b *testing.B) {
	tables := map[string][]byte{
		"plain":   people(100_000, `"a short note"`),
		"escaped": people(100_000, `"a note, with \"quotes\"\nand \u00fcmlauts"`),
		"array":   people(100_000, `[1, 2, "three"]`),
	}
	for name, text := range tables {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			rows := 0
			for b.Loop() {
				rows = sourcetest.CountRecords(b, Format{}, text)
			}
			b.ReportMetric(float64(rows*b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// countRecords reads all records of the first sheet and returns their number.
func countRecords(t testing.TB, in source.Input) (rows int) {
	t.Helper()
	ctx := context.Background()
	b, err := Format{}.Open(ctx, in, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := b.Open(ctx, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(r.Close(), b.Close()); err != nil {
			t.Error(err)
		}
	}()
	var batch intray.Records
	for {
		err := r.Next(ctx, &batch)
		if errors.Is(err, io.EOF) {
			return rows
		}
		if err != nil {
			t.Fatal(err)
		}
		rows += batch.Len()
	}
}

// BenchmarkCPU measures the CPU time of both passes over lines with ten members each. If the
// environment variable JSONROWS_FILE is set, it reads that file instead of a generated one.
func BenchmarkCPU(b *testing.B) {
	text := people(200_000, `"a short note"`)
	in := source.Input{ReaderAt: bytes.NewReader(text), Size: int64(len(text))}
	if path := os.Getenv("JSONROWS_FILE"); path != "" {
		f, err := os.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		state, err := f.Stat()
		if err != nil {
			b.Fatal(err)
		}
		in = source.Input{ReaderAt: f, Size: state.Size()}
	}
	rows := 0
	before := sourcetest.CPUTime()
	b.SetBytes(in.Size)
	for b.Loop() {
		rows += countRecords(b, in)
	}
	used := (sourcetest.CPUTime() - before).Seconds()
	b.ReportMetric(float64(in.Size)*float64(b.N)/1e6/used, "MB/cpu-s")
	b.ReportMetric(float64(rows)/used, "rows/cpu-s")
}
