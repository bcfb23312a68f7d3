package xlsx

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
	Format{}.Detect(input(file), file[:min(len(file), 64<<10)])
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
	for _, p := range []parts{simple(`<row><c t="s"><v>0</v></c></row>`).withStrings(`<si><t>a</t></si>`).withStyles("0"), mixed()} {
		f.Add(p.zip(f))
	}
	f.Add(containerWith("EncryptedPackage"))
	f.Add(workbooktest.EncryptAgile(simple(`<row><c><v>1</v></c></row>`).zip(f), workbooktest.DefaultPassword, 1000))
	f.Fuzz(func(t *testing.T, file []byte) { checkRead(t, file) })
}

func FuzzSheet(f *testing.F) {
	f.Add(`<?xml version="1.0"?><worksheet xmlns="m"><cols><col min="1" max="2" hidden="1"/></cols><sheetData><row r="1" hidden="1"><c r="A1" s="1" t="s"><v>1</v></c><c t="inlineStr"><is><r><t>a</t></r><rPh><t>b</t></rPh></is></c></row><row><c t="d"><v>2020-01-01T00:00:00</v></c><c t="b"><v>1</v></c><c t="e"><v>#N/A</v></c></row></sheetData></worksheet>`)
	f.Add(`<worksheet><sheetData><row><c t="str"><v>a</v></c><c r="C1"><v>1</v></c></row><row hidden="1"><c r="C2"><v>2</v></c></row></sheetData><mergeCells><mergeCell ref="A1:B2"/><mergeCell ref="A1:XFD9"/></mergeCells></worksheet>`)
	f.Add("\xFF\xFE<\x00a\x00/\x00>\x00")
	f.Add(`<x:worksheet><x:sheetData><!-- c --><x:row r="3"><x:c r="XFD3" t="str"><x:f>A1</x:f><x:v>a&amp;<![CDATA[b]]>_x000D_</x:v></x:c></x:row></x:sheetData></x:worksheet>`)
	f.Fuzz(func(t *testing.T, text string) {
		checkRead(t, simple("").withStrings(`<si><t>a</t></si><si><t>b</t></si>`).withStyles("0.00", "yyyy").with("xl/worksheets/sheet1.xml", text).pack(t, zip.Store))
	})
}

func FuzzStrings(f *testing.F) {
	f.Add(`<sst count="1"><si><t xml:space="preserve"> a </t></si><si><r><rPr/><t>b</t></r><rPh sb="0" eb="1"><t>c</t></rPh></si><si/></sst>`)
	f.Add(`<sst><si><t>_xD83D__xDE00_&#x41;</t></si></sst>`)
	f.Fuzz(func(t *testing.T, text string) {
		checkRead(t, simple(`<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="s"><v>2</v></c></row>`).with("xl/sharedStrings.xml", text).pack(t, zip.Store))
	})
}

func FuzzStyles(f *testing.F) {
	f.Add(`<styleSheet><numFmts><numFmt numFmtId="164" formatCode="0.00;[Red]-0.00"/></numFmts><cellXfs><xf numFmtId="164"/><xf numFmtId="14"/><xf/></cellXfs></styleSheet>`, "43831.25")
	f.Fuzz(func(t *testing.T, text, number string) {
		checkRead(t, simple(`<row><c s="0"><v>`+number+`</v></c><c s="1"><v>`+number+`</v></c><c s="2" t="str"><v>a</v></c></row>`).with("xl/styles.xml", text).pack(t, zip.Store))
	})
}
