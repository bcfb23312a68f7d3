package spreadsheetml

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

func FuzzXMLSS(f *testing.F) {
	f.Add([]byte(workbookXML(numberFormat("s", "Short Date"), worksheet("One", row(text("a&#10;b"), number("1"))+`<Row ss:Index="9"><Cell ss:Index="3" ss:StyleID="s"><Data ss:Type="DateTime">2004-01-15T00:00:00</Data></Cell></Row>`))), 4000)
	f.Add([]byte(reporting), 300)
	f.Add(utf16le(reporting), 500)
	limits := source.Limits{Columns: 100, CellBytes: 1 << 12, RecordBytes: 1 << 14, Cells: 1 << 14}
	f.Fuzz(func(t *testing.T, doc []byte, size int) {
		doc = doc[:min(len(doc), max(size, 0))]
		if score, reason := (Format{}).Detect(sourcetest.NewInput("", doc), doc); score < 0 || score > 1 || (score > 0) == reason.IsZero() {
			t.Fatalf("score %v, reason %q", score, reason)
		}
		for _, asIs := range []bool{false, true} {
			first, err := sourcetest.ReadAll(t.Context(), Format{}, sourcetest.NewInput("", doc), source.Options{AsIs: asIs, Limits: limits})
			if err != nil && !sourcetest.IsTyped(err) {
				t.Fatal(err)
			}
			if all := fmt.Sprint(first); !utf8.ValidString(all) {
				t.Fatalf("%q is not UTF-8", all)
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	const rows = 20_000
	var body strings.Builder
	for n := range rows {
		body.WriteString("\n   <Row ss:AutoFitHeight=\"0\">\n")
		for c := range 10 {
			if c%3 == 0 {
				body.WriteString("    " + number(fmt.Sprint(n*c)) + "\n")
			} else {
				body.WriteString("    " + text("some text") + "\n")
			}
		}
		body.WriteString("   </Row>")
	}
	doc := []byte(workbookXML("", worksheet("One", body.String())))
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	for b.Loop() {
		book, err := Format{}.Open(b.Context(), sourcetest.NewInput("", doc), source.Options{})
		if err != nil {
			b.Fatal(err)
		}
		readAll(b, book)
	}
	b.ReportMetric(rows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

// readAll reads the first sheet and discards its records.
func readAll(b *testing.B, opened source.Book) {
	b.Helper()
	rows, err := opened.Open(b.Context(), 0)
	if err != nil {
		b.Fatal(err)
	}
	batch := &intray.Records{}
	for err == nil {
		err = rows.Next(b.Context(), batch)
	}
	if !errors.Is(err, io.EOF) {
		b.Fatal(err)
	}
}
