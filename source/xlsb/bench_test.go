package xlsb

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"runtime"
	"testing"

	"github.com/klauspost/compress/flate"

	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
	"github.com/intraydata/intray/source/sourcetest/workbooktest"
)

// people returns the workbook that the benchmark of package xlsx reads: ten columns, like a
// typical export, with numbers, shared strings (most of them unique), dates, amounts, Booleans and
// formulas.
func people(tb testing.TB, rows int) []byte {
	tb.Helper()
	p := simple().withStyles("General", "yyyy\\-mm\\-dd", "#,##0.00")
	p["xl/worksheets/sheet1.bin"], p["xl/sharedStrings.bin"] = peopleParts(rows)
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	w.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) { return flate.NewWriter(out, 6) })
	for name, text := range p {
		f, err := w.Create(name)
		if err == nil {
			_, err = io.WriteString(f, text)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

func peopleParts(rows int) (sheet, shared string) {
	var text, items bytes.Buffer
	formula := []byte{0, 0, 11, 0, 0, 0, 0x44, 0, 0, 0, 0, 0, 0xC0, 0x1E, 2, 0, 5, 0, 0, 0, 0}
	for i := range rows {
		n := i + 1
		text.WriteString(row(n, rk(0, 0, n), cell(recCellString, 1, 0, 3*i), cell(recCellString, 2, 0, i%997), cell(recCellString, 3, 0, 3*i+1), cell(recCellString, 4, 0, 3*i+2)))
		text.WriteString(rk(5, 1, 40000+i*7919%9000) + cell(recCellReal, 6, 2, float64(i*104729%100000)+float64(1+i%99)/100) + cell(recCellBool, 7, 0, byte(i%2)))
		text.WriteString(cell(recCellReal, 8, 0, float64(i*31%1000)+float64(1+i*17%9)/10) + cell(recFormulaNumber, 9, 0, float64(2*n), formula))
		items.WriteString(rec(recString, byte(0), fmt.Sprintf("Ada %x Lovelace", i*2654435761%1000003)))
		items.WriteString(rec(recString, byte(0), fmt.Sprintf("ada%d@example.org", i)))
		items.WriteString(rec(recString, byte(0), fmt.Sprintf("+44 20 7946 %04d %x", i%10000, i*40503%65537)))
	}
	return sheetOf(text.String()), stringsOf(items.String())
}

func BenchmarkRows(b *testing.B) {
	const rows = 200_000
	file := people(b, rows)
	b.Logf("file size: %d bytes", len(file))
	for _, kept := range []int{0, 1 << 20} {
		b.Run(fmt.Sprintf("strings=%d", kept), func(b *testing.B) {
			b.SetBytes(int64(len(file)))
			b.ReportAllocs()
			runtime.GC()
			before := sourcetest.CPUTime()
			for b.Loop() {
				if n := readBench(b, file, Limits{StringBytes: kept, TempDir: b.TempDir()}); n != 10*rows {
					b.Fatalf("%d cells", n)
				}
			}
			workbooktest.ReportRowsPerCPU(b, rows*b.N, before)
		})
	}
}

func readBench(b *testing.B, file []byte, limits Limits) (cells int) {
	book, err := Open(b.Context(), source.Input{ReaderAt: bytes.NewReader(file), Size: int64(len(file))}, limits)
	if err != nil {
		b.Fatal(err)
	}
	defer book.Close()
	return workbooktest.CountCells(b, book)
}

// BenchmarkRecords measures reading the workbook through source.Format, as an import does.
func BenchmarkRecords(b *testing.B) {
	const rows = 200_000
	file := people(b, rows)
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	runtime.GC()
	before := sourcetest.CPUTime()
	for b.Loop() {
		if n := sourcetest.CountRecords(b, Format{}, file); n != rows {
			b.Fatalf("%d records", n)
		}
	}
	workbooktest.ReportRowsPerCPU(b, rows*b.N, before)
}
