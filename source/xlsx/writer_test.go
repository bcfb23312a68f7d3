package xlsx

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

// parts are the files of an archive, keyed by name.
type parts map[string]string

const (
	relTypes  = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	mainSpace = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
)

// rels returns the XML of relationships. Each has an id, a kind and a target.
func rels(list ...[3]string) string {
	var text strings.Builder
	text.WriteString(`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`)
	for _, r := range list {
		fmt.Fprintf(&text, `<Relationship Id="%s" Type="%s%s" Target="%s"/>`, r[0], relTypes, r[1], r[2])
	}
	return text.String() + "</Relationships>"
}

// simple returns the parts of a workbook with one sheet that has the given rows.
func simple(rows string) parts {
	return parts{
		"_rels/.rels": rels([3]string{"rId1", "officeDocument", "xl/workbook.xml"}),
		"xl/_rels/workbook.xml.rels": rels(
			[3]string{"rId1", "worksheet", "worksheets/sheet1.xml"},
			[3]string{"rId2", "sharedStrings", "sharedStrings.xml"},
			[3]string{"rId3", "styles", "/xl/styles.xml"}),
		"xl/workbook.xml":          `<workbook ` + mainSpace + `><sheets><sheet name="One" sheetId="1" r:id="rId1"/></sheets></workbook>`,
		"xl/worksheets/sheet1.xml": sheetOf(rows),
	}
}

func sheetOf(rows string) string {
	return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\r\n" + `<worksheet ` + mainSpace + `><sheetData>` + rows + `</sheetData></worksheet>`
}

// with returns a copy of the parts, in which one part is added or replaced.
func (p parts) with(name, text string) parts {
	p = maps.Clone(p)
	p[name] = text
	return p
}

func (p parts) withStrings(items string) parts {
	return p.with("xl/sharedStrings.xml", `<sst `+mainSpace+`>`+items+`</sst>`)
}

// withStyles adds the cell styles 0, 1 and so on with the given format codes.
func (p parts) withStyles(codes ...string) parts {
	var formats, cells strings.Builder
	for i, code := range codes {
		fmt.Fprintf(&formats, `<numFmt numFmtId="%d" formatCode="%s"/>`, 164+i, code)
		fmt.Fprintf(&cells, `<xf numFmtId="%d"/>`, 164+i)
	}
	return p.with("xl/styles.xml", `<styleSheet `+mainSpace+`><numFmts>`+formats.String()+`</numFmts><cellStyleXfs><xf numFmtId="9"/></cellStyleXfs><cellXfs>`+cells.String()+`</cellXfs></styleSheet>`)
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

func input(file []byte) source.Input { return sourcetest.NewInput("book.xlsx", file) }

// readBytes reads the first sheet of a file.
func readBytes(ctx context.Context, file []byte, limits Limits) (cells []string, err error) {
	book, err := Open(ctx, input(file), limits)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, book.Close()) }()
	return workbooktest.ReadSheet(ctx, book, 0)
}
