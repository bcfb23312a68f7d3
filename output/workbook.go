package output

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"strings"

	fast "github.com/klauspost/compress/flate"
)

// workbook puts the sheets that a form writes into a file. Nothing of a sheet is
// held.
type workbook struct {
	zip    *zip.Writer
	sheet  io.Writer
	sheets int
}

func newWorkbook(w io.Writer) *workbook {
	z := zip.NewWriter(w)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return fast.NewWriter(w, flate.BestSpeed)
	})
	return &workbook{zip: z}
}

// Write takes what the form writes: XML, and between two sheets nextSheet.
func (w *workbook) Write(b []byte) (int, error) {
	written := 0
	for {
		if w.sheet == nil {
			if err := w.begin(); err != nil {
				return written, err
			}
		}
		at := bytes.IndexByte(b, nextSheet)
		part := b
		if at >= 0 {
			part = b[:at]
		}
		n, err := w.sheet.Write(part)
		if written += n; err != nil || at < 0 {
			return written, err
		}
		written++
		b, w.sheet = b[at+1:], nil
	}
}

func (w *workbook) begin() (err error) {
	w.sheets++
	w.sheet, err = w.zip.Create(fmt.Sprintf("xl/worksheets/sheet%d.xml", w.sheets))
	return err
}

const (
	relations  = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	sheetMedia = "application/vnd.openxmlformats-officedocument.spreadsheetml."
	xmlHead    = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	styles     = xmlHead + `<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">` +
		`<numFmts count="3"><numFmt numFmtId="164" formatCode="yyyy\-mm\-dd"/><numFmt numFmtId="165" formatCode="yyyy\-mm\-dd\ hh:mm:ss"/><numFmt numFmtId="166" formatCode="hh:mm:ss"/></numFmts>` +
		`<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>` +
		`<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>` +
		`<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>` +
		`<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>` +
		`<cellXfs count="6"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>` +
		`<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>` +
		`<xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>` +
		`<xf numFmtId="166" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>` +
		`<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>` +
		`<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" quotePrefix="1" applyNumberFormat="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`
)

// close ends the file. Cells that were cut are told on a sheet of their own.
func (w *workbook) close(cut cuts) error {
	var names []string
	for i := range w.sheets {
		names = append(names, fmt.Sprintf("Rows %d", i+1))
	}
	if cut.all > 0 {
		w.sheet = nil
		if _, err := w.Write(cutSheet(cut)); err != nil {
			return err
		}
		names = append(names, "Cut cells")
	}
	for _, p := range parts(names) {
		to, err := w.zip.Create(p.name)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(to, p.text); err != nil {
			return err
		}
	}
	return w.zip.Close()
}

type part struct{ name, text string }

// parts are the small files around sheets with these names.
func parts(names []string) []part {
	var types, sheets, links strings.Builder
	for i, name := range names {
		fmt.Fprintf(&types, `<Override PartName="/xl/worksheets/sheet%d.xml" ContentType="%sworksheet+xml"/>`, i+1, sheetMedia)
		fmt.Fprintf(&sheets, `<sheet name="%s" sheetId="%d" r:id="rId%d"/>`, name, i+1, i+1)
		fmt.Fprintf(&links, `<Relationship Id="rId%d" Type="%s/worksheet" Target="worksheets/sheet%d.xml"/>`, i+1, relations, i+1)
	}
	return []part{
		{"[Content_Types].xml", xmlHead + `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
			`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>` +
			`<Override PartName="/xl/workbook.xml" ContentType="` + sheetMedia + `sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="` + sheetMedia + `styles+xml"/>` +
			types.String() + `</Types>`},
		{"_rels/.rels", xmlHead + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
			`<Relationship Id="rId1" Type="` + relations + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
		{"xl/workbook.xml", xmlHead + `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="` + relations + `"><sheets>` +
			sheets.String() + `</sheets></workbook>`},
		{"xl/_rels/workbook.xml.rels", xmlHead + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
			links.String() + `<Relationship Id="rIdStyles" Type="` + relations + `/styles" Target="styles.xml"/></Relationships>`},
		{"xl/styles.xml", styles},
	}
}

// cutSheet lists the cells that hold more text than a cell takes.
func cutSheet(cut cuts) []byte {
	f := &xlsxForm{names: []string{"sheet", "row", "field", "characters"}, columns: []string{"A", "B", "C", "D"}}
	b := f.header([]byte(sheetBegin))
	for _, c := range cut.list {
		b = f.open(b)
		b = f.text(b, 0, 0, fmt.Appendf(nil, "Rows %d", c.sheet))
		b = f.text(b, 1, 0, fmt.Append(nil, c.row))
		b = f.text(b, 2, 0, []byte(c.column))
		b = append(f.text(b, 3, 0, fmt.Append(nil, c.units)), "</row>"...)
	}
	b = f.open(b)
	b = f.text(b, 0, 0, fmt.Appendf(nil, "Cells with more than %d characters, the most that a workbook takes: %d. They were cut; other formats have them whole.", cellUnits, cut.all))
	return append(append(b, "</row>"...), sheetEnd...)
}
