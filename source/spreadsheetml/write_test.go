package spreadsheetml

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
	"github.com/intraydata/intray/source/workbook"
)

const declaration = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"

// workbookXML returns a document like those that Excel writes: styles followed by worksheets.
func workbookXML(styles string, sheets ...string) string {
	return declaration + `<?mso-application progid="Excel.Sheet"?>
<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:o="urn:schemas-microsoft-com:office:office"
 xmlns:x="urn:schemas-microsoft-com:office:excel" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet" xmlns:html="http://www.w3.org/TR/REC-html40">
 <DocumentProperties xmlns="urn:schemas-microsoft-com:office:office"><Author>Someone</Author></DocumentProperties>
 <Styles><Style ss:ID="Default" ss:Name="Normal"><Alignment ss:Vertical="Bottom"/><NumberFormat/></Style>` + styles + "</Styles>\n" +
		strings.Join(sheets, "\n") + "\n</Workbook>\n"
}

// worksheet returns the XML of a worksheet with the given rows.
func worksheet(name, rows string) string {
	return fmt.Sprintf(`<Worksheet ss:Name="%s"><Table ss:ExpandedColumnCount="999999999" ss:ExpandedRowCount="999999999">%s</Table></Worksheet>`, name, rows)
}

func row(cells ...string) string { return "<Row>" + strings.Join(cells, "") + "</Row>" }

func text(value string) string {
	return `<Cell><Data ss:Type="String">` + value + `</Data></Cell>`
}

func number(value string) string {
	return `<Cell><Data ss:Type="Number">` + value + `</Data></Cell>`
}

// numberFormat returns the XML of a style with the given number format.
func numberFormat(id, code string) string {
	return fmt.Sprintf(`<Style ss:ID="%s"><NumberFormat ss:Format="%s"/></Style>`, id, strings.ReplaceAll(code, `"`, "&quot;"))
}

// contents returns the rows of a sheet, one per line. Each line has the row number,
// followed by the column, kind, value and displayed text (if different) of each cell.
func contents(t testing.TB, doc string, sheet int, limits source.Limits) (string, error) {
	t.Helper()
	in := sourcetest.NewInput("", []byte(doc))
	d, err := openDocument(in, "")
	if err != nil {
		return "", err
	}
	s, err := readWorkbookInfo(t.Context(), d, limits.WithDefaults())
	if err != nil {
		return "", err
	}
	b := &book{doc: d, info: s, limits: limits.WithDefaults()}
	rows, err := b.Rows(t.Context(), sheet)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	var out strings.Builder
	for {
		row, err := rows.Next(t.Context())
		if errors.Is(err, io.EOF) {
			return out.String(), nil
		}
		if err != nil {
			return out.String(), err
		}
		out.WriteString(line(row))
		for _, m := range rows.(workbook.MergeReporter).PendingMerges() {
			fmt.Fprintf(&out, "merged %v\n", m)
		}
	}
}

func line(row workbook.Row) string {
	out := fmt.Sprintf("%d:", row.Number)
	if row.Hidden {
		out = "hidden " + out
	}
	for _, c := range row.Cells {
		out += fmt.Sprintf(" %d%c=%s", c.Column, "tndDTbe"[c.Kind], c.Value)
		if c.Formatted != nil {
			out += "|" + string(c.Formatted)
		}
	}
	return out + "\n"
}

// utf16le returns a document in UTF-16 with a byte order mark.
func utf16le(doc string) []byte { return sourcetest.UTF16LE("\uFEFF" + doc) }
