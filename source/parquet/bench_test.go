package parquet

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/intraydata/intray/source/sourcetest"
)

// person is a row with ten columns, like those in exports.
type person struct {
	ID      int64     `parquet:"id,delta"`
	Name    string    `parquet:"name"`
	City    string    `parquet:"city,dict"`
	Email   string    `parquet:"email,delta"`
	Notes   *string   `parquet:"notes,optional"`
	Born    int32     `parquet:"born,date"`
	Amount  int64     `parquet:"amount,decimal(2:18)"`
	Active  bool      `parquet:"active"`
	Rate    float64   `parquet:"rate"`
	Created time.Time `parquet:"created,timestamp(microsecond)"`
}

func people(tb testing.TB, rows int, options ...parquet.WriterOption) []byte {
	tb.Helper()
	var out bytes.Buffer
	w := parquet.NewGenericWriter[person](&out, append([]parquet.WriterOption{parquet.MaxRowsPerRowGroup(100_000)}, options...)...)
	batch := make([]person, 0, 1000)
	for i := range rows {
		p := person{
			ID: int64(i), Name: fmt.Sprintf("Person %d", i), City: fmt.Sprintf("City %d", i%997), Email: fmt.Sprintf("person%d@example.com", i),
			Born: int32(i % 20000), Amount: int64(i) * 7919, Active: i%2 == 0, Rate: float64(i%1000) / 8, Created: time.UnixMicro(1_600_000_000_000_000 + int64(i)*1_234_567),
		}
		if i%3 == 0 {
			note := fmt.Sprintf("a remark about %d", i)
			p.Notes = &note
		}
		if batch = append(batch, p); len(batch) == cap(batch) || i == rows-1 {
			if _, err := w.Write(batch); err != nil {
				tb.Fatal(err)
			}
			batch = batch[:0]
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

func BenchmarkRead(b *testing.B) {
	const rows = 200_000
	for _, codec := range []struct {
		name string
		with parquet.WriterOption
	}{
		{"snappy", parquet.Compression(&parquet.Snappy)},
		{"zstd", parquet.Compression(&parquet.Zstd)},
		{"none", parquet.Compression(&parquet.Uncompressed)},
	} {
		b.Run(codec.name, func(b *testing.B) {
			file := people(b, rows, codec.with)
			b.SetBytes(int64(len(file)))
			b.ReportAllocs()
			b.ResetTimer()
			before := sourcetest.CPUTime()
			for range b.N {
				if n := sourcetest.CountRecords(b, Format{}, file); n != rows {
					b.Fatalf("%d rows", n)
				}
			}
			b.ReportMetric(float64(rows*b.N)/(sourcetest.CPUTime()-before).Seconds(), "rows/cpu-s")
		})
	}
}

// BenchmarkLists measures reading rows with a list, a map and a group of lists.
func BenchmarkLists(b *testing.B) {
	const rows = 20_000
	var nested []nest
	for i := range int64(rows) {
		nested = append(nested, nest{ID: i, Nums: []*int64{&i, nil}, Deep: [][]int64{{i}, {1, 2}}, Prices: map[string]int64{"a": i}, Old: []float64{1}, Pairs: []place{{"x", []string{"y"}}}})
	}
	file := fileOf(b, nested)
	b.ReportAllocs()
	before := sourcetest.CPUTime()
	for b.Loop() {
		sourcetest.CountRecords(b, Format{}, file)
	}
	b.ReportMetric(float64(rows*b.N)/(sourcetest.CPUTime()-before).Seconds(), "rows/cpu-s")
}
