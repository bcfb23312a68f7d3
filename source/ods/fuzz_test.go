package ods

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
	"github.com/intraydata/intray/source/sourcetest/workbooktest"
	"github.com/intraydata/intray/source/workbook"
)

// tight are limits that keep fuzzing fast.
var tight = Limits{InflatedBytes: 4 << 20, CellBytes: 4 << 10, RowBytes: 64 << 10, SheetBytes: 1 << 20, RepeatedBytes: 64 << 10, Columns: 1 << 10, Sheets: 16}

// checkRead reads all sheets of an arbitrary file twice. Each sheet must return cells or a typed
// error, and both passes must have the same result.
func checkRead(t *testing.T, file []byte) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if score, reason := (Format{}).Detect(input(file), file[:min(len(file), source.HeadBytes)]); score < 0 || score > 1 || (score > 0) == reason.IsZero() {
		t.Fatalf("score %v, reason %q", score, reason)
	}
	book, err := Open(ctx, input(file), tight)
	if err != nil {
		if !sourcetest.IsTyped(err) {
			t.Fatalf("Open: %v", err)
		}
		return
	}
	if len(book.Evidence()) == 0 || len(book.Sheets()) == 0 {
		t.Fatal("no evidence or no sheets")
	}
	for i := range book.Sheets() {
		first := outcome(ctx, t, book, i)
		if again := outcome(ctx, t, book, i); !slices.Equal(first, again) {
			t.Fatalf("sheet %d: %q, then %q", i, first, again)
		}
	}
	if err := book.Close(); err != nil {
		t.Fatal(err)
	}
}

// outcome returns the cells of a sheet, followed by the error, if any.
func outcome(ctx context.Context, t *testing.T, book workbook.Workbook, sheet int) []string {
	cells, err := workbooktest.ReadSheet(ctx, book, sheet)
	if err != nil && !sourcetest.IsTyped(err) {
		t.Fatalf("sheet %d: %v", sheet, err)
	}
	if text := strings.Join(cells, ""); !utf8.ValidString(text) {
		t.Fatalf("%q is not UTF-8", text)
	}
	if err != nil {
		cells = append(cells, err.Error())
	}
	return cells
}

// seeds returns XML content with a realistic structure.
func seeds() []string {
	return []string{
		body(table("One", row(text("a"), number(1))+emptyRows), table("Two", row(emptyCells, text("b")))),
		body(table("One", `<table:table-header-rows>`+row(cell(`office:value-type="date" office:date-value="2024-02-29T01:02:03.5"`, `<text:p>a<text:s text:c="3"/><text:span>b</text:span><text:tab/></text:p><text:p/>`))+
			`</table:table-header-rows><table:table-row-group table:display="false"><table:table-row table:number-rows-repeated="3" table:visibility="filter">`+
			cell(`office:value-type="time" office:time-value="PT27H30M00.5S" table:number-columns-repeated="3"`, "")+`<table:covered-table-cell/></table:table-row></table:table-row-group>`)),
		body(strings.Replace(table("H", row(cell(`calcext:value-type="error" table:formula="of:=1"`, `<office:annotation><text:p>n</text:p></office:annotation><text:p>#N/A&#10;<![CDATA[<]]></text:p>`))), "ta1", "ta2", 1)),
		`<o:document-content xmlns:o="` + uris + `office:1.0" xmlns:t="` + uris + `table:1.0"><o:body><o:spreadsheet><t:table t:name="a"><t:table-row><t:table-cell o:string-value='x'/></t:table-row></t:table></o:spreadsheet></o:body></o:document-content>`,
	}
}

// FuzzODS runs checkRead on arbitrary bytes as a file.
func FuzzODS(f *testing.F) {
	for _, content := range seeds() {
		file := archived(f, around(content))
		f.Add(file)
		f.Add(file[:len(file)/2])
		f.Add([]byte(content))
	}
	f.Add([]byte(flat(table("One", row(text("a"))))))
	f.Add([]byte("\xFF\xFE<\x00a\x00/\x00>\x00"))
	f.Fuzz(checkRead)
}

// FuzzContent runs checkRead on arbitrary text as the content of a workbook, both as a flat
// document and in an archive.
func FuzzContent(f *testing.F) {
	for _, content := range seeds() {
		f.Add(content)
	}
	f.Fuzz(func(t *testing.T, content string) {
		checkRead(t, []byte(content))
		checkRead(t, archived(t, around(content)))
	})
}

// FuzzRows runs checkRead on arbitrary text as the rows of a sheet that is followed by a
// second sheet.
func FuzzRows(f *testing.F) {
	for _, content := range seeds() {
		_, rest, _ := strings.Cut(content, "<table:table-column")
		_, rest, _ = strings.Cut(rest, "/>")
		rows, _, _ := strings.Cut(rest, "</table:table>")
		f.Add(rows)
	}
	f.Add(`<table:table-row><table:table-cell office:value-type="float" office:value="+1.50E+05" table:number-columns-repeated="2"><text:p> a  ` + "\n" + ` b </text:p></table:table-cell></table:table-row>`)
	f.Fuzz(func(t *testing.T, rows string) {
		checkRead(t, []byte(flat(table("One", rows), table("Two", row(text("b"))))))
	})
}

// FuzzValues reads arbitrary text as a value of each kind. Reading the resulting value
// again must return the same value.
func FuzzValues(f *testing.F) {
	for _, raw := range []string{"12.50", "-1.5E-300", "2024-02-29", "2024-02-29T23:59:59.9996", "-PT27H30M00.5S", "P1DT1M", "true", "x"} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		for _, k := range []valueType{typeNumber, typeDate, typeBool} {
			once, read := appendValue(nil, k, []byte(raw))
			twice, again := appendValue(nil, k, once)
			if string(once) != string(twice) || len(once) > 0 && read != again {
				t.Errorf("%q: first %s %q, then %s %q", raw, workbooktest.KindName(read), once, workbooktest.KindName(again), twice)
			}
		}
		if millis, ok := parseDuration(raw); ok {
			time := string(appendTime(nil, millis))
			sign, clock := "", strings.TrimPrefix(time, "-")
			if clock != time {
				sign = "-"
			}
			parts := strings.Split(clock, ":")
			if len(parts) != 3 || len(parts[0]) > 10 {
				return // the hours have more digits than parseDuration accepts
			}
			if back, ok := parseDuration(sign + "PT" + parts[0] + "H" + parts[1] + "M" + parts[2] + "S"); !ok || back != millis {
				t.Errorf("%q: %d ms, %q: %d ms", raw, millis, time, back)
			}
		}
	})
}
