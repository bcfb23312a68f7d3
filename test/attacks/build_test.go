package attacks

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/intraydata/intray/source/sourcetest"
)

const mib = 1 << 20

// repeat repeats text until it has about size bytes.
func repeat(text string, size int) string { return strings.Repeat(text, max(1, size/len(text))) }

// each joins what write returns for the numbers from 0 to n-1.
func each(n int, write func(i int) string) string {
	var out strings.Builder
	for i := range n {
		out.WriteString(write(i))
	}
	return out.String()
}

// format returns a function for each that formats the number.
func format(pattern string) func(i int) string {
	return func(i int) string { return fmt.Sprintf(pattern, i) }
}

// noisy returns n times unit. After every 4 KiB, it adds mark with a random number, so that the
// text compresses less than 250-fold. mark must contain %s.
func noisy(unit string, n int, mark string) string {
	random := rand.New(rand.NewPCG(1, 2))
	every := max(1, 4096/len(unit))
	var out strings.Builder
	for i := range n {
		out.WriteString(unit)
		if i%every == every-1 {
			fmt.Fprintf(&out, mark, fmt.Sprintf("%016x%016x", random.Uint64(), random.Uint64()))
		}
	}
	return out.String()
}

// random returns n random bytes.
func random(n int) []byte {
	out := make([]byte, n)
	source := rand.NewChaCha8([32]byte{1})
	_, _ = source.Read(out)
	return out
}

// nested returns n opening texts, the middle and n closing texts.
func nested(open, middle, shut string, n int) string {
	return strings.Repeat(open, n) + middle + strings.Repeat(shut, n)
}

// text returns an attack with a text file.
func text(name, target string, write func() string) attack {
	return attack{name: name, target: target, file: func(testing.TB) []byte { return []byte(write()) }}
}

const (
	schemas  = "http://schemas.openxmlformats.org/"
	main     = `xmlns="` + schemas + `spreadsheetml/2006/main" xmlns:r="` + schemas + `officeDocument/2006/relationships"`
	odsSpace = "urn:oasis:names:tc:opendocument:xmlns:"
	odsKind  = "application/vnd.oasis.opendocument.spreadsheet"
)

// parts are pairs of the name and the content of an entry of an archive. Later pairs replace
// earlier ones with the same name.
type parts []string

// relations returns a part with the relationships rId1, rId2 and so on. Each consists of its kind
// and its target.
func relations(list ...[2]string) string {
	return `<Relationships xmlns="` + schemas + `package/2006/relationships">` + each(len(list), func(i int) string {
		return fmt.Sprintf(`<Relationship Id="rId%d" Type="%sofficeDocument/2006/relationships/%s" Target="%s"/>`, i+1, schemas, list[i][0], list[i][1])
	}) + `</Relationships>`
}

// sheetPart is the name of the part with the rows of a workbook.
const sheetPart = "xl/worksheets/sheet1.xml"

// sheet returns a worksheet with rows, followed by other elements.
func sheet(rows, after string) string {
	return `<worksheet ` + main + `><sheetData>` + rows + `</sheetData>` + after + `</worksheet>`
}

// titled is a header row for the column name.
const titled = `<row r="1"><c r="A1" t="inlineStr"><is><t>name</t></is></c></row>`

// xlsxParts returns the parts of a workbook with one sheet.
func xlsxParts(content string) parts {
	const kind = "application/vnd.openxmlformats-officedocument.spreadsheetml."
	return parts{
		"[Content_Types].xml", `<Types xmlns="` + schemas + `package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="` + kind + `sheet.main+xml"/><Override PartName="/` + sheetPart + `" ContentType="` + kind + `worksheet+xml"/></Types>`,
		"_rels/.rels", relations([2]string{"officeDocument", "xl/workbook.xml"}),
		"xl/workbook.xml", `<workbook ` + main + `><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", relations([2]string{"worksheet", "worksheets/sheet1.xml"}, [2]string{"sharedStrings", "sharedStrings.xml"}, [2]string{"styles", "styles.xml"}),
		sheetPart, content,
	}
}

// odsParts returns the parts of an OpenDocument spreadsheet with the given tables.
func odsParts(tables string) parts {
	return parts{"mimetype", odsKind, "content.xml", odsContent(tables, "")}
}

func odsContent(tables, styles string) string {
	return `<office:document-content xmlns:office="` + odsSpace + `office:1.0" xmlns:table="` + odsSpace + `table:1.0" xmlns:text="` + odsSpace + `text:1.0" xmlns:style="` + odsSpace + `style:1.0" xmlns:draw="` + odsSpace + `drawing:1.0">` + styles + `<office:body><office:spreadsheet>` + tables + `</office:spreadsheet></office:body></office:document-content>`
}

// zip returns an archive with the parts.
func (p parts) zip(t testing.TB) []byte {
	var entries []sourcetest.Entry
	for i := 0; i < len(p); i += 2 {
		entry := sourcetest.File(p[i], p[i+1])
		if at := slices.IndexFunc(entries, func(e sourcetest.Entry) bool { return e.Name == p[i] }); at >= 0 {
			entries[at] = entry
			continue
		}
		entries = append(entries, entry)
	}
	return sourcetest.Zip(t, entries...)
}

// workbook returns an attack with an XLSX file. write returns the content of the sheet.
func workbook(name, target string, write func() string, more ...func() parts) attack {
	return attack{name: name, target: target, file: func(t testing.TB) []byte {
		all := xlsxParts(write())
		for _, one := range more {
			all = append(all, one()...)
		}
		return all.zip(t)
	}}
}

// rows returns an attack with an XLSX file. write returns the rows below the header.
func rows(name, target string, write func() string, more ...func() parts) attack {
	return workbook(name, target, func() string { return sheet(titled+write(), "") }, more...)
}

// openDocument returns an attack with an OpenDocument file. write returns the rows below the
// header.
func openDocument(name, target string, write func() string) attack {
	return attack{name: name, target: target, file: func(t testing.TB) []byte {
		return odsParts(`<table:table table:name="t"><table:table-row>` + odsCell("name", "") + `</table:table-row>` + write() + `</table:table>`).zip(t)
	}}
}

func odsCell(text, attributes string) string {
	return `<table:table-cell office:value-type="string"` + attributes + `><text:p>` + text + `</text:p></table:table-cell>`
}

func odsRow(attributes, cells string) string {
	return `<table:table-row` + attributes + `>` + cells + `</table:table-row>`
}

// fileAttacks returns all attacks that consist of a file.
func fileAttacks() []attack {
	return slices.Concat(delimitedAttacks(), textAttacks(), archiveAttacks(), xlsxAttacks(), xlsxPartAttacks(), xlsbAttacks(), odsAttacks(), xmlAttacks(), htmlAttacks(), jsonAttacks(), xlsAttacks(), parquetAttacks())
}
