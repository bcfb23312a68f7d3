package xlsb

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/intraydata/intray/source/sourcetest"
	"github.com/intraydata/intray/source/sourcetest/workbooktest"
	"github.com/intraydata/intray/source/workbook"
)

func TestRefused(t *testing.T) {
	five := func(cells ...string) parts { return simple(row(5, cells...)) }
	sheet := func(text string) parts { return simple().with("xl/worksheets/sheet1.bin", text) }
	book := func(text string) parts { return simple().with("xl/workbook.bin", text) }
	text := func(column, length int) string { return cell(recCellText, column, 0, strings.Repeat("x", length)) }
	short := func(id recordID, size int) parts {
		return five(rec(id, bytes.Repeat([]byte{0}, size)))
	}
	begun := rec(recBeginSheet) + rec(recBeginSheetData)
	for name, tc := range map[string]struct {
		book   parts
		limits Limits
		want   string
	}{
		"no column XFE":           {five(rk(maxColumns, 0, 1)), Limits{}, `on line 5, in the sheet "One", there are more than 16,384 columns`},
		"a column far away":       {five(rk(-1, 0, 1)), Limits{}, `there are more than 16,384 columns`},
		"no row 1048577":          {simple(row(maxRows+1, rk(0, 0, 1))), Limits{}, `there are more than 1,048,576 rows`},
		"the same cell":           {five(strings.Repeat(rk(0, 0, 1), maxColumns+1)), Limits{}, `a row has more cells than columns`},
		"a cell without a row":    {sheet(begun + rk(0, 0, 1)), Limits{}, `a cell precedes the first row`},
		"a string after the last": {five(cell(recCellString, 0, 0, 1)).withStrings("a"), Limits{}, `the cell A5 refers to shared string "1", which is missing`},
		"no shared strings":       {five(cell(recCellString, 0, 0, 0)), Limits{}, `refers to shared string "0", which is missing`},
		"a string -1":             {five(cell(recCellString, 0, 0, -1)), Limits{}, `refers to shared string "4294967295"`},

		"a short row":            {sheet(begun + rec(recRow, 1)), Limits{}, `its part "xl/worksheets/sheet1.bin" contains an incomplete record`},
		"a cell without column":  {short(recCellRK, 3), Limits{}, `the cell A5 is incomplete`},
		"a cell without style":   {short(recCellBlank, 4), Limits{}, `the cell A5 is incomplete`},
		"a short cell":           {short(recShortRK, 7), Limits{}, `the cell A5 is incomplete`},
		"half a number":          {short(recCellRK, 11), Limits{}, `the cell A5 is incomplete`},
		"half a float":           {short(recFormulaNumber, 15), Limits{}, `the cell A5 is incomplete`},
		"no boolean":             {short(recCellBool, 8), Limits{}, `the cell A5 is incomplete`},
		"no error":               {short(recCellError, 8), Limits{}, `the cell A5 is incomplete`},
		"half an index":          {short(recCellString, 11), Limits{}, `the cell A5 is incomplete`},
		"half a length":          {short(recCellText, 11), Limits{}, `the cell A5 is incomplete`},
		"half a text":            {five(cell(recCellText, 0, 0, 2, uint16('a'))), Limits{}, `the cell A5 is incomplete`},
		"no text":                {five(cell(recFormulaText, 0, 0, 0xFFFFFFFF)), Limits{}, `the cell A5 is incomplete`},
		"rich text without text": {five(cell(recCellRichText, 0, 0, byte(0))), Limits{}, `the cell A5 is incomplete`},

		"empty":                     {sheet(``), Limits{}, `its part "xl/worksheets/sheet1.bin" is empty`},
		"XML":                       {sheet(`<?xml version="1.0"?><worksheet/>`), Limits{}, `starts with unknown data`},
		"an end too early":          {sheet(begun + row(1, rk(0, 0, 1))), Limits{}, `is incomplete`},
		"an end before the rows":    {sheet(rec(recBeginSheet)), Limits{}, `is incomplete`},
		"an end in a header":        {sheet(begun + "\x80"), Limits{}, `is incomplete`},
		"an end in a size":          {sheet(begun + "\x00\x80"), Limits{}, `is incomplete`},
		"an end in a body":          {sheet(begun + head(recRow, 17) + "\x00"), Limits{}, `is incomplete`},
		"a hostile size":            {sheet(begun + head(recRow, 1<<28-1) + strings.Repeat("\x00", 100)), Limits{}, `is incomplete`},
		"a hostile size of a text":  {sheet(begun + row(1) + head(recCellText, 1<<28-1) + strings.Repeat("\x00", 8) + "\xFF\xFF\xFF\x00"), Limits{}, `is incomplete`},
		"a hostile unknown record":  {sheet(begun + head(9999, 1<<28-1) + strings.Repeat("\x00", 100_000)), Limits{}, `is incomplete`},
		"no workbook":               {parts{"a.txt": "hello"}, Limits{}, `the file is an archive without a workbook`},
		"a lost workbook":           {parts{"_rels/.rels": rels([3]string{"a", "officeDocument", "xl/workbook.bin"})}, Limits{}, `its part "xl/workbook.bin" is missing`},
		"an XML workbook":           {book(`<workbook/>`), Limits{}, `its part "xl/workbook.bin" starts with unknown data`},
		"a short workbook":          {book(rec(recBeginBook)), Limits{}, `its part "xl/workbook.bin" is incomplete`},
		"a short entry":             {book(bookOf(0, rec(recSheet, 0, 1, "rId1"))), Limits{}, `its part "xl/workbook.bin" contains an incomplete record`},
		"a sheet without a name":    {book(bookOf(0, rec(recSheet, 0, 1, "rId1", 0xFFFFFFFF))), Limits{}, `contains an incomplete record`},
		"a sheet nowhere":           {simple().with("xl/_rels/workbook.bin.rels", rels([3]string{"rId1", "worksheet", "worksheets/sheet2.bin"})), Limits{}, `lists the sheet "One" without its location`},
		"no sheets":                 {book(bookOf(0)), Limits{}, `the workbook has no worksheets`},
		"a sheet twice":             {book(bookOf(0, sheetEntry("a", "rId1", 0), sheetEntry("b", "rId1", 0))), Limits{}, `the sheets "a" and "b" share one part of the file`},
		"a short style":             {simple().with("xl/styles.bin", stylesOf("", rec(recStyle, uint16(0)))), Limits{}, `its part "xl/styles.bin" contains an incomplete record`},
		"a short format":            {simple().with("xl/styles.bin", stylesOf(rec(recFormat, uint16(200), 9), "")), Limits{}, `its part "xl/styles.bin" contains an incomplete record`},
		"a short shared string":     {simple().with("xl/sharedStrings.bin", stringsOf(rec(recString, byte(0), 5, byte('a')))), Limits{}, `its part "xl/sharedStrings.bin" contains an incomplete record`},
		"shared strings, cut short": {simple().with("xl/sharedStrings.bin", rec(recBeginStrings)+rec(recString, byte(0), "a")), Limits{}, `its part "xl/sharedStrings.bin" is incomplete`},

		"sheets":       {book(bookOf(0, sheetEntry("a", "rId1", 0), sheetEntry("b", "rId2", 0))), Limits{Sheets: 1}, `more than 1 sheets`},
		"entries":      {simple(), Limits{Entries: 3}, `archive has more than 3 entries`},
		"rows":         {simple(row(4, rk(0, 0, 1))), Limits{Rows: 3}, `there are more than 3 rows`},
		"columns":      {five(rk(3, 0, 1)), Limits{Columns: 3}, `there are more than 3 columns`},
		"cell":         {five(text(0, 101)), Limits{CellBytes: 100}, `contains a piece of text longer than 100 bytes`},
		"row":          {five(text(0, 60), text(1, 60)), Limits{RowBytes: 100}, `the row is longer than 100 bytes`},
		"sheet texts":  {simple(row(1, text(0, 60)), row(2, text(0, 60))), Limits{SheetBytes: 100}, `the text in the sheet is longer than 100 bytes`},
		"styles":       {simple().withStyles("0", "0", "0"), Limits{Styles: 2}, `more than 2 styles`},
		"formats":      {simple().with("xl/styles.bin", stylesOf(strings.Repeat(rec(recFormat, uint16(200), "0"), 3), "")), Limits{Styles: 2}, `more than 2 styles`},
		"format codes": {simple().with("xl/styles.bin", stylesOf(strings.Repeat(rec(recFormat, uint16(200), strings.Repeat("0", 1000)), 3000), "")), Limits{}, `number formats of the workbook are longer than`},
		"format code":  {simple().with("xl/styles.bin", stylesOf(rec(recFormat, uint16(200), strings.Repeat("0", 40_000)), "")), Limits{}, `the workbook part "xl/styles.bin" contains a piece of text longer than`},
		"strings":      {simple().withStrings("", "", ""), Limits{Strings: 2}, `more than 2 shared strings`},
		"part":         {sheet(begun + head(9999, 100_000) + strings.Repeat(" ", 100_000)), Limits{PartBytes: 50_000}, `is larger than 50,000 bytes when decompressed`},
		"all":          {simple(row(1)).with("xl/sharedStrings.bin", stringsOf(head(9999, 100_000)+strings.Repeat(" ", 100_000))), Limits{InflatedBytes: 50_000}, `the workbook is larger than 50,000 bytes when decompressed`},
		"bomb":         {sheet(begun + head(9999, 20<<20) + strings.Repeat(" ", 20<<20)), Limits{}, `is more than 250 times larger when decompressed`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readBytes(t.Context(), tc.book.zip(t), tc.limits)
			if err == nil || !sourcetest.IsTyped(err) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
		})
	}
}

// TestLimitsAreExact checks that a workbook that reaches its limits is read.
func TestLimitsAreExact(t *testing.T) {
	text := cell(recCellText, 1, 0, strings.Repeat("x", 100))
	p := simple(row(3, text)).withStyles("0", "0").withStrings("a", strings.Repeat("x", 100))
	limits := Limits{Sheets: 1, Entries: len(p), Rows: 3, Columns: 2, CellBytes: 100, RowBytes: 100, SheetBytes: 100, Styles: 2, Strings: 2}
	if got, err := readBytes(t.Context(), p.zip(t), limits); err != nil || len(got) != 1 {
		t.Errorf("%v, error %v", got, err)
	}
}

// TestTruncated checks that reading a workbook truncated at any byte returns a typed error.
func TestTruncated(t *testing.T) {
	file := simple(row(1, cell(recCellString, 0, 0, 0))).withStrings("a").withStyles("0").zip(t)
	for end := range file {
		if _, err := readBytes(t.Context(), file[:end], Limits{}); !sourcetest.IsTyped(err) {
			t.Fatalf("truncated to %d bytes: %v", end, err)
		}
	}
}

// TestTruncatedParts checks that a part truncated at any byte is an error. A sheet that ends after
// its cells is complete, because only merged ranges can be missing.
func TestTruncatedParts(t *testing.T) {
	full := simple(row(1, cell(recCellString, 0, 0, 0))).withStrings("a").withStyles("0")
	for _, name := range []string{"xl/workbook.bin", "xl/sharedStrings.bin", "xl/styles.bin", "xl/worksheets/sheet1.bin"} {
		text := full[name]
		last := len(text)
		if strings.Contains(name, "sheet1") {
			last -= len(rec(recEndSheet))
		}
		for end := range last {
			if _, err := readBytes(t.Context(), full.with(name, text[:end]).zip(t), Limits{}); !sourcetest.IsTyped(err) {
				t.Fatalf("%s truncated to %d of %d bytes: %v", name, end, len(text), err)
			}
		}
	}
}

// TestWrongChecksum checks that a wrong checksum is reported even if it is detected only at the
// end of the part, after all cells.
func TestWrongChecksum(t *testing.T) {
	full := simple(row(1, cell(recCellString, 0, 0, 0))).withStrings("a").withStyles("0")
	for _, name := range []string{"xl/workbook.bin", "xl/sharedStrings.bin", "xl/styles.bin", "xl/worksheets/sheet1.bin"} {
		for _, after := range []int{0, 200_000} {
			file := full.with(name, full[name]+strings.Repeat(" ", after)).zip(t)
			entry := bytes.LastIndex(file, []byte(name)) - 46 // the entry in the central directory
			file[entry+16] ^= 1
			if _, err := readBytes(t.Context(), file, Limits{}); !sourcetest.IsTyped(err) || !strings.Contains(err.Error(), "checksum") {
				t.Errorf("%s, %d bytes at the end: error %v", name, after, err)
			}
		}
	}
}

func TestStoreFails(t *testing.T) {
	file := simple(row(1, rk(0, 0, 1))).withStrings("a").withStyles("0").zip(t)
	for from := 0; from < len(file); from += 7 {
		for _, fault := range []error{sourcetest.ErrStore, io.EOF} {
			in := input(file)
			in.ReaderAt = &sourcetest.FailingStore{ReaderAt: in.ReaderAt, From: int64(from), Err: fault}
			book, err := Open(t.Context(), in, Limits{})
			if err == nil {
				_, err = workbooktest.ReadSheet(t.Context(), book, 0)
			}
			if err == nil || sourcetest.IsTyped(err) || errors.Is(fault, sourcetest.ErrStore) && !errors.Is(err, sourcetest.ErrStore) {
				t.Fatalf("%v from byte %d on: %v", fault, from, err)
			}
		}
	}
}

func TestCanceled(t *testing.T) {
	var rows []string
	for i := range 50_000 {
		rows = append(rows, row(i+1, rk(0, 0, i)))
	}
	file := simple(rows...).zip(t)
	workbooktest.CheckCancel(t, func(ctx context.Context) (workbook.Workbook, error) { return Open(ctx, input(file), Limits{}) })
}

// cancelingStore calls cancel whenever it is read, unless cancel is nil.
type cancelingStore struct {
	io.ReaderAt
	cancel context.CancelFunc
}

func (s *cancelingStore) ReadAt(p []byte, at int64) (int, error) {
	if s.cancel != nil {
		s.cancel()
	}
	return s.ReaderAt.ReadAt(p, at)
}

// TestCanceledWithinRow checks that canceling the context ends a call that inflates many bytes.
func TestCanceledWithinRow(t *testing.T) {
	const size = 64 << 20
	in := input(simple(row(1), head(9999, size)+strings.Repeat(" ", size)).zip(t))
	store := &cancelingStore{ReaderAt: in.ReaderAt}
	in.ReaderAt = store
	book, err := Open(t.Context(), in, Limits{Ratio: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := book.Rows(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	store.cancel = cancel
	if _, err := rows.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Next: error %v", err)
	}
}

// TestHostileSizesAreCheap checks that a declared size does not cause memory to be allocated.
func TestHostileSizesAreCheap(t *testing.T) {
	begun := rec(recBeginSheet) + rec(recBeginSheetData) + row(1)
	for name, sheet := range map[string]string{
		"the last cell": sheetOf(row(maxRows, rk(maxColumns-1, 0, 1))),
		"a record":      begun + head(recCellText, 1<<28-1) + "\x00\x00",
		"a text":        begun + head(recCellText, 1<<28-1) + strings.Repeat("\x00", 8) + "\x00\x00\xFF\x00",
	} {
		file := simple().with("xl/worksheets/sheet1.bin", sheet).zip(t)
		const runs = 10
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		allocations := testing.AllocsPerRun(runs, func() {
			if _, err := readBytes(t.Context(), file, Limits{}); err != nil && !sourcetest.IsTyped(err) {
				t.Fatal(err)
			}
		})
		runtime.ReadMemStats(&after)
		// AllocsPerRun calls the function once more to warm up.
		if bytes := (after.TotalAlloc - before.TotalAlloc) / (runs + 1); bytes > 512<<10 || allocations > 1000 {
			t.Errorf("%s: %d bytes in %v allocations", name, bytes, allocations)
		}
	}
}
