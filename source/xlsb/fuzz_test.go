package xlsb

import (
	"archive/zip"
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
	"github.com/intraydata/intray/source/sourcetest/workbooktest"
	"github.com/intraydata/intray/source/workbook"
)

// tight returns limits that keep fuzzing fast.
func tight(t testing.TB) Limits {
	return Limits{InflatedBytes: 1 << 20, CellBytes: 4 << 10, RowBytes: 64 << 10, SheetBytes: 1 << 20, StringBytes: 64, TempDir: t.TempDir()}
}

// checkRead reads all sheets of an arbitrary file. The result must be cells or a typed error.
func checkRead(t *testing.T, file []byte) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	Format{}.Detect(input(file), file[:min(len(file), source.HeadBytes)])
	book, err := Open(ctx, input(file), tight(t))
	if err != nil {
		if !sourcetest.IsTyped(err) {
			t.Fatalf("Open: %v", err)
		}
		return
	}
	book.Evidence()
	for i := range book.Sheets() {
		if _, err := workbooktest.ReadSheet(ctx, book, i); err != nil && !sourcetest.IsTyped(err) {
			t.Fatalf("sheet %d: %v", i, err)
		}
	}
	if err := book.Close(); err != nil {
		t.Fatal(err)
	}
	readFilled(ctx, t, file)
}

// readFilled reads a file in the same way as an import that fills merged cells.
func readFilled(ctx context.Context, t *testing.T, file []byte) {
	book, err := Open(ctx, input(file), tight(t))
	if err != nil {
		t.Fatalf("second Open: %v", err)
	}
	limits := source.Limits{Cells: 1 << 16, RecordBytes: 64 << 10}
	sheets, err := workbook.NewBook(book, source.Options{FillMerged: true, AsIs: len(file)%2 == 0, Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	for i := range sheets.Sheets() {
		reader, err := sheets.Open(ctx, i)
		for batch := new(intray.Records); err == nil; {
			err = reader.Next(ctx, batch)
		}
		if !errors.Is(err, io.EOF) && !sourcetest.IsTyped(err) {
			t.Fatalf("sheet %d: %v", i, err)
		}
	}
	if err := sheets.Close(); err != nil {
		t.Fatal(err)
	}
}

func FuzzContainer(f *testing.F) {
	for _, p := range []parts{simple(row(1, cell(recCellString, 0, 0, 0))).withStrings("a").withStyles("0"), mixed(), mergedBook()} {
		f.Add(p.zip(f))
	}
	f.Add(workbooktest.EncryptAgile(simple(row(1, rk(0, 0, 1))).zip(f), workbooktest.DefaultPassword, 1000))
	f.Fuzz(func(t *testing.T, file []byte) { checkRead(t, file) })
}

func FuzzSheet(f *testing.F) {
	f.Add([]byte(sheetWith(columns(0, 1, 1), hiddenRow(1, cell(recCellString, 0, 1, 1), cell(recCellRichText, 1, 0, byte(1), "a", 0))+row(2, cell(recCellReal, 0, 1, 1.5), rec(recShortBool, 0, byte(1)), rec(recShortError, 0, byte(7))), merged(0, 1, 0, 1))))
	f.Add([]byte(sheetOf(row(1, cell(recFormulaText, 3, 0, "a"), cell(recFormulaNumber, 2, 0, 1.5), cell(recFormulaBool, 1, 0, byte(1)), cell(recFormulaError, 0, 0, byte(1))))))
	f.Add([]byte(rec(recBeginSheet) + rec(recBeginSheetData) + row(1) + head(recCellText, 1<<28-1) + "\x00\x00\x00\x00\x00\x00\x00\x00\xFF\xFF\xFF\xFF"))
	f.Add([]byte(mergedBook()["xl/worksheets/sheet1.bin"]))
	f.Fuzz(func(t *testing.T, text []byte) {
		checkRead(t, simple().withStrings("a", "b").withStyles("0.00", "yyyy").with("xl/worksheets/sheet1.bin", string(text)).pack(t, zip.Store))
	})
}

func FuzzStrings(f *testing.F) {
	f.Add([]byte(stringsOf(rec(recString, byte(0), " a ") + rec(recString, byte(3), "東京", 1, uint16(0), uint16(1), "とう", 0) + rec(recString, byte(0), ""))))
	f.Add([]byte(stringsOf(rec(recString, byte(0), 1, uint16(0xD83D)))))
	f.Fuzz(func(t *testing.T, text []byte) {
		checkRead(t, simple(row(1, cell(recCellString, 0, 0, 0), cell(recCellString, 1, 0, 1), cell(recCellString, 2, 0, 2))).with("xl/sharedStrings.bin", string(text)).pack(t, zip.Store))
	})
}

func FuzzStyles(f *testing.F) {
	f.Add([]byte(simple().withStyles("0.00;[Red]-0.00", "yyyy")["xl/styles.bin"]), 43831.25)
	f.Fuzz(func(t *testing.T, text []byte, number float64) {
		checkRead(t, simple(row(1, cell(recCellReal, 0, 0, number), cell(recCellReal, 1, 1, number), cell(recCellText, 2, 2, "a"))).with("xl/styles.bin", string(text)).pack(t, zip.Store))
	})
}

func FuzzWorkbook(f *testing.F) {
	f.Add([]byte(bookOf(1, sheetEntry("One", "rId1", 0), rec(recSheet, 2, 6, 0xFFFFFFFF, "Module"))))
	f.Add([]byte(bookOf(0, rec(recSheet, 1, 0, 7, "rId1", "Old"))))
	f.Fuzz(func(t *testing.T, text []byte) {
		checkRead(t, simple(row(1, rk(0, 0, 1))).with("xl/workbook.bin", string(text)).pack(t, zip.Store))
	})
}
