package xls

import (
	"errors"
	"io"
	"testing"

	"github.com/intraydata/intray/source/sourcetest"
)

// BenchmarkRead measures reading a sheet with 65,000 rows and ten columns.
func BenchmarkRead(b *testing.B) {
	sheet := []byte{}
	for row := range 65000 {
		sheet = append(sheet, rec(0x0203, at(row, 0, 0), float64(row)*1.37)...)
		sheet = append(sheet, rec(recLabelSST, at(row, 1, 0), uint32(0))...)
		sheet = append(sheet, rec(recRK, at(row, 2, 1), rkWhole(int32(row)))...)
		sheet = append(sheet, rec(recMulRK, uint16(row), uint16(3), uint16(0), rkWhole(1), uint16(0), rkWhole(2), uint16(1), rkWhole(3), uint16(5))...)
		for c := range 4 {
			sheet = append(sheet, rec(recLabelSST, at(row, 6+c, 0), uint32(1))...)
		}
	}
	text := xls(one(body(xf(0), xf(14), rec(recSST, counts, narrow("some text"), narrow("other"))), sheet))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		w, err := Open(b.Context(), sourcetest.NewInput("", text), Limits{})
		if err != nil {
			b.Fatal(err)
		}
		rows, err := w.Rows(b.Context(), 0)
		if err != nil {
			b.Fatal(err)
		}
		for err == nil {
			_, err = rows.Next(b.Context())
		}
		if !errors.Is(err, io.EOF) {
			b.Fatal(err)
		}
	}
	b.ReportMetric(65000*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
