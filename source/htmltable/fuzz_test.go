package htmltable

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

func FuzzHTML(f *testing.F) {
	for _, page := range []string{scripted, browser, database, excel, report, workbookPage(), string(utf16le(browser)),
		"<table><tfoot><tr><td rowspan=3 colspan=2>a<tr><td>b<thead><tr><td>c<td x:num=1>d<table><tr><td>e"} {
		f.Add([]byte(page), len(page))
		f.Add([]byte(page), len(page)/2)
	}
	limits := source.Limits{Columns: 100, CellBytes: 1 << 12, RecordBytes: 1 << 14, Cells: 1 << 14}
	f.Fuzz(func(t *testing.T, page []byte, size int) {
		page = bytes.Clone(page[:min(len(page), max(size, 0))])
		in := sourcetest.NewInput("a.xls", page)
		if score, reason := (Format{}).Detect(in, page); score < 0 || score > 1 || (score > 0) == reason.IsZero() {
			t.Fatalf("score %v, reason %q", score, reason)
		}
		var sheets [2][]sourcetest.Sheet
		for i := range sheets {
			var err error
			sheets[i], err = sourcetest.ReadAll(t.Context(), Format{}, in, source.Options{AsIs: true, Limits: limits})
			if err != nil && !sourcetest.IsTyped(err) {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(sheets[0], sheets[1]); diff != "" {
			t.Fatalf("read twice (-first +second):\n%s", diff)
		}
		if all := fmt.Sprint(sheets[0]); !utf8.ValidString(all) {
			t.Fatalf("%q is not UTF-8", all)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	const rows = 20_000
	var page bytes.Buffer
	page.WriteString("<html><head><meta charset=utf-8></head><body><table border=1>")
	for n := range rows {
		page.WriteString("\n<tr>")
		for c := range 10 {
			fmt.Fprintf(&page, `<td class="c%d">text &amp; %d</td>`, c, n*c)
		}
		page.WriteString("</tr>")
	}
	page.WriteString("</table></body></html>")
	b.SetBytes(int64(page.Len()))
	b.ReportAllocs()
	for b.Loop() {
		book, err := Format{}.Open(b.Context(), sourcetest.NewInput("", page.Bytes()), source.Options{})
		if err != nil {
			b.Fatal(err)
		}
		reader, err := book.Open(b.Context(), 0)
		if err != nil {
			b.Fatal(err)
		}
		batch := &intray.Records{}
		for err == nil {
			err = reader.Next(b.Context(), batch)
		}
		if !errors.Is(err, io.EOF) {
			b.Fatal(err)
		}
	}
	b.ReportMetric(rows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
