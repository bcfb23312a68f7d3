package xlsb

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
	"github.com/intraydata/intray/source/sourcetest/workbooktest"
)

// rec returns a record with the given fields.
func rec(id recordID, fields ...any) string { return workbooktest.Record(int(id), fields...) }

// head returns the header of a record.
func head(id recordID, size int) string { return workbooktest.RecordHeader(int(id), size) }

// cell returns a cell record with the given column, style and value.
func cell(id recordID, column, style int, value ...any) string {
	return rec(id, append([]any{column, style}, value...)...)
}

// row returns the header of a row, whose number counts from 1, followed by its cells.
func row(number int, cells ...string) string {
	return rowRecord(number, 0) + strings.Join(cells, "")
}

func hiddenRow(number int, cells ...string) string {
	return rowRecord(number, 0x10) + strings.Join(cells, "")
}

func rowRecord(number int, flags byte) string {
	return rec(recRow, number-1, 0, uint16(300), byte(0), flags, byte(0), 0)
}

// sheetOf returns the part of a worksheet with the given rows.
func sheetOf(rows ...string) string {
	return sheetWith("", strings.Join(rows, ""), "")
}

// sheetWith returns the part of a worksheet with records before, within and after its rows.
func sheetWith(before, rows, after string) string {
	return rec(recBeginSheet) + before + rec(recBeginSheetData) + rows + rec(recEndSheetData) + after + rec(recEndSheet)
}

// parts are the files of an archive, keyed by name.
type parts map[string]string

// rels returns the XML of relationships. Each has an id, a kind and a target.
func rels(list ...[3]string) string {
	var text strings.Builder
	text.WriteString(`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`)
	for _, r := range list {
		fmt.Fprintf(&text, `<Relationship Id="%s" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/%s" Target="%s"/>`, r[0], r[1], r[2])
	}
	return text.String() + "</Relationships>"
}

// simple returns the parts of a workbook with one sheet that has the given rows.
func simple(rows ...string) parts {
	return parts{
		"_rels/.rels": rels([3]string{"rId1", "officeDocument", "xl/workbook.bin"}),
		"xl/_rels/workbook.bin.rels": rels(
			[3]string{"rId1", "worksheet", "worksheets/sheet1.bin"},
			[3]string{"rId2", "sharedStrings", "sharedStrings.bin"},
			[3]string{"rId3", "styles", "/xl/styles.bin"}),
		"xl/workbook.bin":          bookOf(0, sheetEntry("One", "rId1", 0)),
		"xl/worksheets/sheet1.bin": sheetOf(rows...),
	}
}

// bookOf returns the part that lists the sheets.
func bookOf(flags int, sheets ...string) string {
	return rec(recBeginBook) + rec(recWorkbook, flags, 0, 0) + strings.Join(sheets, "") + rec(recEndBook)
}

func sheetEntry(name, id string, state int) string { return rec(recSheet, state, 1, id, name) }

// with returns a copy of the parts, in which one part is added or replaced.
func (p parts) with(name, text string) parts {
	p = maps.Clone(p)
	p[name] = text
	return p
}

func (p parts) withStrings(list ...string) parts {
	var items strings.Builder
	for _, text := range list {
		items.WriteString(rec(recString, byte(0), text))
	}
	return p.with("xl/sharedStrings.bin", stringsOf(items.String()))
}

func stringsOf(items string) string {
	return rec(recBeginStrings, 0, 0) + items + rec(recEndStrings)
}

// withStyles adds the cell styles 0, 1 and so on with the given format codes.
func (p parts) withStyles(codes ...string) parts {
	var formats, cells strings.Builder
	for i, code := range codes {
		formats.WriteString(rec(recFormat, uint16(164+i), code))
		cells.WriteString(rec(recStyle, uint16(0), uint16(164+i), 0))
	}
	return p.with("xl/styles.bin", stylesOf(formats.String(), cells.String()))
}

// stylesOf returns the part with the given formats and cell styles. It also has the style of a
// named style, to which no cell refers.
func stylesOf(formats, cells string) string {
	const beginNamed, endNamed = 626, 627
	return rec(recBeginStyleSheet) +
		rec(recBeginFormats, 0) + formats + rec(recEndFormats) +
		rec(beginNamed, 1) + rec(recStyle, uint16(0), uint16(9), 0) + rec(endNamed) +
		rec(recBeginCellStyles, 0) + cells + rec(recEndCellStyles) + rec(recEndStyleSheet)
}

// zip returns the archive, with its entries sorted by name.
func (p parts) zip(t testing.TB) []byte {
	t.Helper()
	return p.pack(t, zip.Deflate)
}

func (p parts) pack(t testing.TB, method uint16) []byte {
	t.Helper()
	var entries []sourcetest.Entry
	for _, name := range slices.Sorted(maps.Keys(p)) {
		e := sourcetest.File(name, p[name])
		e.Method = method
		entries = append(entries, e)
	}
	return sourcetest.Zip(t, entries...)
}

func input(file []byte) source.Input { return sourcetest.NewInput("book.xlsb", file) }

// readBytes reads the first sheet of a file.
func readBytes(ctx context.Context, file []byte, limits Limits) (cells []string, err error) {
	book, err := Open(ctx, input(file), limits)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, book.Close()) }()
	return workbooktest.ReadSheet(ctx, book, 0)
}
