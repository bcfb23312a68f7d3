package ods

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
	"github.com/intraydata/intray/source/sourcetest/workbooktest"
	"github.com/intraydata/intray/source/workbook"
)

// emptyRows and emptyCells are elements that applications write to fill a sheet.
const (
	emptyRows  = `<table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>`
	emptyCells = `<table:table-cell table:style-name="ce1" table:number-columns-repeated="16380"/>`
)

func TestRows(t *testing.T) {
	const (
		covered  = `<table:covered-table-cell table:number-columns-repeated="2"/>`
		hideRow  = `<table:table-row table:visibility="`
		endRow   = `</table:table-row>`
		twice    = `<table:table-cell table:number-columns-repeated="2"`
		twiceOne = twice + ` office:value-type="float" office:value="1"><text:p>1</text:p></table:table-cell>`
	)
	for name, tc := range map[string]struct {
		rows string
		want []string
	}{
		"none":            {"", nil},
		"empty ones":      {emptyRows + emptyRows, nil},
		"filled up":       {row(text("a"), emptyCells) + emptyRows, []string{"A1 text a"}},
		"a gap":           {row(text("a")) + `<table:table-row table:number-rows-repeated="1000"/>` + row(text("b")), []string{"A1 text a", "A1002 text b"}},
		"gap of cells":    {row(text("a"), `<table:table-cell/>`, twice+`/>`, text("b")), []string{"A1 text a", "E1 text b"}},
		"cells repeated":  {row(twiceOne, text("b")), []string{"A1 number 1", "B1 number 1", "C1 text b"}},
		"rows repeated":   {`<table:table-row table:number-rows-repeated="2">` + text("a") + twiceOne + endRow + row(text("b")), []string{"A1 text a", "B1 number 1", "C1 number 1", "A2 text a", "B2 number 1", "C2 number 1", "A3 text b"}},
		"merged":          {row(cell(`table:number-columns-spanned="3" office:value-type="string"`, "<text:p>a</text:p>"), covered, text("b")), []string{"A1 text a", "D1 text b"}},
		"merged, a value": {row(text("a"), `<table:covered-table-cell office:value-type="string"><text:p>below</text:p></table:covered-table-cell>`, text("b")), []string{"A1 text a", "C1 text b"}},
		"hidden":          {hideRow + `collapse">` + text("a") + endRow + hideRow + `filter">` + text("b") + endRow + hideRow + `visible">` + text("c") + endRow, []string{"A1 text a hidden", "A2 text b hidden", "A3 text c"}},
		"headers":         {`<table:table-header-rows>` + row(text("a")) + `</table:table-header-rows><table:table-rows>` + row(text("b")) + `</table:table-rows>`, []string{"A1 text a", "A2 text b"}},
		"groups": {`<table:table-row-group>` + row(text("a")) + `<table:table-row-group table:display="false"><table:table-header-rows>` + row(text("b")) + `</table:table-header-rows><table:table-row-group/></table:table-row-group>` +
			row(text("c")) + `</table:table-row-group>` + row(text("d")), []string{"A1 text a", "A2 text b hidden", "A3 text c", "A4 text d"}},
		"breaks":         {`<text:soft-page-break/>` + row(text("a"), `<text:soft-page-break/>`) + `<table:shapes><draw:frame/></table:shapes>`, []string{"A1 text a"}},
		"another format": {`<x:table-row>` + text("a") + `</x:table-row><table-row>` + text("b") + `</table-row>`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			for kind, file := range map[string][]byte{"archive": workbookFile(t, table("One", tc.rows)), "flat": []byte(flat(table("One", tc.rows)))} {
				got, err := readFile(t.Context(), file, Limits{})
				if diff := cmp.Diff(tc.want, got); err != nil || diff != "" {
					t.Errorf("%s: error %v (-want +got):\n%s", kind, err, diff)
				}
			}
		})
	}
}

// several returns a workbook with hidden sheets and other elements between the sheets.
func several(tb testing.TB) []byte {
	tb.Helper()
	content := body(
		`<table:calculation-settings table:case-sensitive="false"><table:null-date table:date-value="1904-01-01"/></table:calculation-settings>`+
			`<table:tracked-changes><table:deletion><table:table-cell><text:p>gone</text:p></table:table-cell></table:deletion></table:tracked-changes>`,
		table("Plain &amp; simple", row(text("first"))+row(text("more"))),
		strings.Replace(table("Hidden", row(text("second"), `<table:table-cell><table:table table:name="Inner"/></table:table-cell>`)), "ta1", "ta2", 1),
		`<table:table table:name="Empty"/>`,
		table("", row(text("fourth"))),
	)
	return archived(tb, append(around(content), sourcetest.File("Basic/Standard/Module1.xml", "<m/>")))
}

func TestBook(t *testing.T) {
	book := opened(t, several(t))
	want := []workbook.Sheet{{Name: "Plain & simple"}, {Name: "Hidden", Hidden: true}, {Name: "Empty"}, {}}
	if diff := cmp.Diff(want, book.Sheets()); diff != "" {
		t.Errorf("sheets (-want +got):\n%s", diff)
	}
	evidence := []intray.Evidence{
		{Choice: "date system", Value: "1904-01-01", Reason: intray.NewMessage("opendocument.other_day_zero", intray.Params{"usual": "1899-12-30"})},
		{Choice: "hidden sheets", Value: "Hidden", Reason: intray.NewMessage("workbook.hidden_read", nil)},
		{Choice: "macros", Value: "ignored", Reason: intray.NewMessage("workbook.macros", nil)},
	}
	if diff := cmp.Diff(evidence, book.Evidence()); diff != "" {
		t.Errorf("evidence (-want +got):\n%s", diff)
	}
	plain := opened(t, workbookFile(t, table("One", ""))).Evidence()
	if len(plain) != 1 || plain[0].Value != "1899-12-30" {
		t.Errorf("evidence of a plain workbook: %v", plain)
	}
}

// TestCloseBook checks that a book releases its content when it is closed, and that it may be
// closed again.
func TestCloseBook(t *testing.T) {
	b := opened(t, several(t)).(*book)
	r, err := b.Rows(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	_ = r.Close()
	if b.idle == nil {
		t.Fatal("the content of the closed rows was not kept")
	}
	for range 2 {
		if err := b.Close(); err != nil || b.idle != nil {
			t.Errorf("closed with error %v, content %v", err, b.idle)
		}
	}
}

// TestAnyOrder checks that the sheets of one book can be read in any order, in whole or in part.
func TestAnyOrder(t *testing.T) {
	want := [][]string{{"A1 text first", "A2 text more"}, {"A1 text second"}, nil, {"A1 text fourth"}}
	book := opened(t, several(t))
	for _, order := range [][]int{{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 1, 0, 0}, {0, 2, 1, 3, 3}} {
		for _, sheet := range order {
			got, err := workbooktest.ReadSheet(t.Context(), book, sheet)
			if diff := cmp.Diff(want[sheet], got); err != nil || diff != "" {
				t.Errorf("order %v, sheet %d: error %v (-want +got):\n%s", order, sheet, err, diff)
			}
		}
	}
	for sheet := range want {
		rows, err := book.Rows(t.Context(), sheet)
		if err != nil {
			t.Fatal(err)
		}
		row, err := rows.Next(t.Context())
		if sheet == 2 && !errors.Is(err, io.EOF) || sheet != 2 && (err != nil || workbooktest.FormatCell(row, row.Cells[0]) != want[sheet][0]) {
			t.Errorf("sheet %d: first row %v, error %v", sheet, row, err)
		}
		if err := errors.Join(rows.Close(), rows.Close()); err != nil {
			t.Error(err)
		}
		if _, err := rows.Next(t.Context()); !errors.Is(err, errClosed) {
			t.Errorf("closed rows: error %v", err)
		}
	}
}

// TestInflatesOnce checks that reading all sheets in order reads at most twice as many bytes of
// the file as listing them.
func TestInflatesOnce(t *testing.T) {
	var sheets []string
	for i := range 20 {
		sheets = append(sheets, table(fmt.Sprint(i), strings.Repeat(row(text("some text")), 2000)))
	}
	file := workbookFile(t, sheets...)
	counted := &countingReader{ReaderAt: bytes.NewReader(file)}
	book, err := Open(t.Context(), source.Input{ReaderAt: counted, Size: int64(len(file))}, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	listed := counted.bytes
	for sheet := range sheets {
		if got, err := workbooktest.ReadSheet(t.Context(), book, sheet); err != nil || len(got) != 2000 {
			t.Fatalf("sheet %d: %d cells, error %v", sheet, len(got), err)
		}
	}
	if read := counted.bytes - listed; read > 2*listed {
		t.Errorf("listing the sheets read %d bytes, reading them %d", listed, read)
	}
	if err := book.Close(); err != nil {
		t.Error(err)
	}
}

// countingReader counts the bytes that are read from it.
type countingReader struct {
	io.ReaderAt
	bytes int
}

func (c *countingReader) ReadAt(p []byte, at int64) (int, error) {
	c.bytes += len(p)
	return c.ReaderAt.ReadAt(p, at)
}

func TestConcurrentRows(t *testing.T) {
	var rows strings.Builder
	for i := range 3000 {
		rows.WriteString(row(number(i), text("a")))
	}
	book := opened(t, workbookFile(t, table("One", rows.String()), table("Two", rows.String())))
	var all sync.WaitGroup
	outcomes, errs := make([][]string, 6), make([]error, 6)
	for i := range outcomes {
		all.Go(func() { outcomes[i], errs[i] = workbooktest.ReadSheet(t.Context(), book, i%2) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	for _, got := range outcomes {
		if diff := cmp.Diff(outcomes[0], got); diff != "" || len(got) != 6000 {
			t.Errorf("%d cells (-first +other):\n%.1000s", len(got), diff)
		}
	}
}

// TestNamespacePrefixes checks that namespaces can have unusual prefixes.
func TestNamespacePrefixes(t *testing.T) {
	content := `<document-content xmlns="` + uris + `office:1.0" xmlns:o="` + uris + `office:1.0" xmlns:text="` + uris + `table:1.0" xmlns:c="urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0">` +
		`<body><spreadsheet><table xmlns="` + uris + `table:1.0" text:name="One"><table-row text:visibility="filter">` +
		`<text:table-cell o:value-type="float" o:value="5"><p xmlns="` + uris + `text:1.0">V</p></text:table-cell>` +
		`<table-cell c:value-type="error"><office:p xmlns:office="` + uris + `text:1.0">Err:1</office:p></table-cell>` +
		`<table:table-cell xmlns:table="http://example.org"/><table-cell o:value="7" o:value-type="float"/>` +
		`</table-row></table></spreadsheet></body></document-content>`
	got, err := readFile(t.Context(), archived(t, around(content)), Limits{})
	want := []string{"A1 number 5 [V] hidden", "B1 error Err:1 hidden", "C1 number 7 hidden"}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
}

func TestUTF16(t *testing.T) {
	long := strings.Repeat("Ü\U0001F600", 20_000)
	content := body(table("One", row(text(long))))
	for _, mark := range []string{"\uFEFF", ""} {
		for name, swap := range map[string]int{"little": 0, "big": 1} {
			var file []byte
			for _, unit := range utf16.Encode([]rune(mark + content)) {
				pair := [2]byte{byte(unit), byte(unit >> 8)}
				file = append(file, pair[swap], pair[1-swap])
			}
			got, err := readFile(t.Context(), archived(t, around(string(file))), Limits{})
			if err != nil || len(got) != 1 || got[0] != "A1 text "+long {
				t.Errorf("%s endian, mark %q: %.80v, error %v", name, mark, got, err)
			}
		}
	}
	if got, err := readFile(t.Context(), archived(t, around("\uFEFF"+body(table("One", row(text("a")))))), Limits{}); err != nil || len(got) != 1 {
		t.Errorf("UTF-8 with a byte order mark: %v, error %v", got, err)
	}
}

func TestCanceled(t *testing.T) {
	file := workbookFile(t, table("One", strings.Repeat(row(text("a")), 50_000)))
	workbooktest.CheckCancel(t, func(ctx context.Context) (workbook.Workbook, error) { return Open(ctx, input(file), Limits{}) })
}

// TestRepeatsAreCheap checks that memory use depends on the size of a file, not on the
// repetitions that it declares.
func TestRepeatsAreCheap(t *testing.T) {
	full := `<table:table-row table:number-rows-repeated="100000">` + text("a") + `</table:table-row>`
	file := workbookFile(t, table("One", full+strings.Repeat(emptyRows, 20)))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	book, err := Open(t.Context(), input(file), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := book.Rows(t.Context(), 0)
	n := 0
	for ; err == nil; n++ {
		_, err = rows.Next(t.Context())
	}
	runtime.ReadMemStats(&after)
	if !errors.Is(err, io.EOF) || n != 100_001 {
		t.Errorf("%d rows, error %v", n-1, err)
	}
	if size := after.TotalAlloc - before.TotalAlloc; size > 1<<20 {
		t.Errorf("%d bytes", size)
	}
	if err := errors.Join(rows.Close(), book.Close()); err != nil {
		t.Error(err)
	}
}
