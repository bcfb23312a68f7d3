package ods

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/klauspost/compress/flate"

	"github.com/intraydata/intray/source/sourcetest"
	"github.com/intraydata/intray/source/sourcetest/workbooktest"
)

// people returns a workbook of ten columns like a typical export: numbers, mostly
// unique strings, dates, amounts and a formula.
func people(tb testing.TB, rows int) []byte {
	tb.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	w.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) { return flate.NewWriter(out, 6) })
	for _, e := range around("") {
		f, err := w.Create(e.Name)
		if err == nil && e.Name != contentPart {
			_, err = io.WriteString(f, e.Text)
		} else if err == nil {
			err = writePeople(f, rows)
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

func writePeople(w io.Writer, rows int) error {
	before, after, _ := bytes.Cut([]byte(body(table("People", "|"))), []byte("|"))
	text := bytes.NewBuffer(bytes.Clone(before))
	const styled = `<table:table-cell table:style-name="ce1" `
	for i := range rows {
		text.WriteString(`<table:table-row table:style-name="ro1">`)
		fmt.Fprint(text, number(i+1))
		for _, line := range []string{fmt.Sprintf("Ada %x Lovelace", i*2654435761%1000003), fmt.Sprintf("ada%d@example.org", i), fmt.Sprintf("+44 20 7946 %04d", i%10000), fmt.Sprintf("Group %d", i%997)} {
			fmt.Fprintf(text, `<table:table-cell office:value-type="string" calcext:value-type="string"><text:p>%s</text:p></table:table-cell>`, line)
		}
		fmt.Fprintf(text, styled+`office:value-type="date" office:date-value="20%02d-%02d-%02d" calcext:value-type="date"><text:p>%[3]d.%[2]d.%[1]d</text:p></table:table-cell>`, i%90+10, i%12+1, i%28+1)
		fmt.Fprintf(text, styled+`office:value-type="currency" office:currency="EUR" office:value="%d.%02d" calcext:value-type="currency"><text:p>%[1]d,%02d €</text:p></table:table-cell>`, i*104729%100000, i%100)
		fmt.Fprintf(text, `<table:table-cell office:value-type="boolean" office:boolean-value="%v" calcext:value-type="boolean"><text:p>TRUE</text:p></table:table-cell>`, i%2 == 0)
		fmt.Fprint(text, number(fmt.Sprintf("%d.%d", i*31%1000, 1+i*17%9)))
		fmt.Fprintf(text, `<table:table-cell table:formula="of:=[.A%d]*2" office:value-type="float" office:value="%d" calcext:value-type="float"><text:p>%[2]d</text:p></table:table-cell></table:table-row>`, i+1, 2*i)
		if text.Len() > 1<<20 {
			if _, err := text.WriteTo(w); err != nil {
				return err
			}
		}
	}
	text.Write(after)
	_, err := text.WriteTo(w)
	return err
}

// BenchmarkRows measures listing the sheets of a workbook and reading its rows.
func BenchmarkRows(b *testing.B) {
	const rows = 100_000
	file := people(b, rows)
	for name, read := range map[string]func(b *testing.B) int{
		"open": func(b *testing.B) int { benchBook(b, file); return 10 * rows },
		"read": func(b *testing.B) int { return benchRead(b, file) },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(file)))
			b.ReportAllocs()
			before := sourcetest.CPUTime()
			for b.Loop() {
				if n := read(b); n != 10*rows {
					b.Fatalf("%d cells", n)
				}
			}
			workbooktest.ReportRowsPerCPU(b, rows*b.N, before)
			b.ReportMetric(float64(rows*b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

func benchBook(b *testing.B, file []byte) *book {
	opened, err := Open(b.Context(), input(file), Limits{})
	if err != nil {
		b.Fatal(err)
	}
	return opened.(*book)
}

func benchRead(b *testing.B, file []byte) (cells int) {
	return workbooktest.CountCells(b, benchBook(b, file))
}
