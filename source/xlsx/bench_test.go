package xlsx

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

// people returns a workbook with ten columns, like a typical export: numbers, shared strings
// (most of them unique), dates, amounts, Booleans and formulas.
func people(tb testing.TB, rows int) []byte {
	tb.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	w.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) { return flate.NewWriter(out, 6) })
	p := simple("").withStyles("General", "yyyy\\-mm\\-dd", "#,##0.00")
	delete(p, "xl/worksheets/sheet1.xml")
	for name, text := range p {
		f, err := w.Create(name)
		if err != nil {
			tb.Fatal(err)
		}
		io.WriteString(f, text)
	}
	writePeople(tb, w, rows)
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

func writePeople(tb testing.TB, w *zip.Writer, rows int) {
	sheet, err := w.Create("xl/worksheets/sheet1.xml")
	if err != nil {
		tb.Fatal(err)
	}
	var text bytes.Buffer
	fmt.Fprintf(&text, `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`+"\n"+`<worksheet %s><dimension ref="A1:J%d"/><sheetData>`, mainSpace, rows)
	for i := range rows {
		n := i + 1
		fmt.Fprintf(&text, `<row r="%d" spans="1:10"><c r="A%[1]d"><v>%[1]d</v></c><c r="B%[1]d" t="s"><v>%d</v></c><c r="C%[1]d" t="s"><v>%d</v></c><c r="D%[1]d" t="s"><v>%d</v></c>`, n, 3*i, i%997, 3*i+1)
		fmt.Fprintf(&text, `<c r="E%d" t="s"><v>%d</v></c><c r="F%[1]d" s="1"><v>%d</v></c><c r="G%[1]d" s="2"><v>%d.%d</v></c>`, n, 3*i+2, 40000+i*7919%9000, i*104729%100000, 1+i%99)
		fmt.Fprintf(&text, `<c r="H%d" t="b"><v>%d</v></c><c r="I%[1]d"><v>%d.%d</v></c><c r="J%[1]d"><f>A%[1]d*2</f><v>%d</v></c></row>`, n, i%2, i*31%1000, 1+i*17%9, 2*n)
		if text.Len() > 1<<20 {
			sheet.Write(text.Bytes())
			text.Reset()
		}
	}
	text.WriteString(`</sheetData></worksheet>`)
	sheet.Write(text.Bytes())
	shared, err := w.Create("xl/sharedStrings.xml")
	if err != nil {
		tb.Fatal(err)
	}
	text.Reset()
	fmt.Fprintf(&text, `<sst %s count="%d" uniqueCount="%d">`, mainSpace, 4*rows, 3*rows)
	for i := range rows {
		fmt.Fprintf(&text, `<si><t>Ada %x Lovelace</t></si><si><t>ada%d@example.org</t></si><si><t>+44 20 7946 %04d %x</t></si>`, i*2654435761%1000003, i, i%10000, i*40503%65537)
	}
	text.WriteString(`</sst>`)
	shared.Write(text.Bytes())
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
