package formats

import (
	"archive/zip"
	"fmt"
	"io"
	"strings"
	"testing"
)

// part is an entry of a ZIP archive. It is stored without compression, because limits on the
// compression ratio must not be what stops an attack.
type part struct {
	name  string
	write content
}

func archiveOf(parts ...part) content {
	return func(t *testing.T, w io.Writer) {
		out := zip.NewWriter(w)
		for _, p := range parts {
			entry, err := out.CreateHeader(&zip.FileHeader{Name: p.name, Method: zip.Store})
			if err != nil {
				t.Fatal(err)
			}
			p.write(t, entry)
		}
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

const (
	openXML       = "http://schemas.openxmlformats.org/"
	sheetML       = openXML + "spreadsheetml/2006/main"
	relationships = openXML + "officeDocument/2006/relationships"
)

// workbookWith returns an .xlsx file. Parts replace the usual parts of the same name.
func workbookWith(replacements ...part) content {
	relation := func(id, kind, target string) string {
		return `<Relationship Id="` + id + `" Type="` + relationships + "/" + kind + `" Target="` + target + `"/>`
	}
	const listOpen, listShut = `<Relationships xmlns="` + openXML + `package/2006/relationships">`, `</Relationships>`
	parts := []part{
		{"[Content_Types].xml", text(`<Types xmlns="` + openXML + `package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/sheet.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>`)},
		{"_rels/.rels", text(listOpen + relation("r1", "officeDocument", "xl/workbook.xml") + listShut)},
		{"xl/workbook.xml", text(`<workbook xmlns="` + sheetML + `" xmlns:r="` + relationships + `"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>`)},
		{"xl/_rels/workbook.xml.rels", text(listOpen + relation("r1", "worksheet", "sheet.xml") + relation("r2", "sharedStrings", "strings.xml") + relation("r3", "styles", "styles.xml") + listShut)},
		{"xl/sheet.xml", sheetOf(text(`<row><c t="str"><v>a</v></c></row><row><c><v>1</v></c></row>`))},
		{"xl/strings.xml", text(`<sst xmlns="` + sheetML + `"/>`)},
		{"xl/styles.xml", text(`<styleSheet xmlns="` + sheetML + `"/>`)},
	}
	for _, r := range replacements {
		found := false
		for i := range parts {
			if parts[i].name == r.name {
				parts[i], found = r, true
			}
		}
		if !found {
			parts = append(parts, r)
		}
	}
	return archiveOf(parts...)
}

// wrapped returns a function that writes head, the body and tail.
func wrapped(head string, body content, tail string) content {
	return func(t *testing.T, w io.Writer) {
		write(t, w, head)
		body(t, w)
		write(t, w, tail)
	}
}

func sheetOf(rows content) content {
	return wrapped(`<worksheet xmlns="`+sheetML+`"><sheetData>`, rows, `</sheetData></worksheet>`)
}

func sheetWith(rows content) content {
	return workbookWith(part{"xl/sheet.xml", sheetOf(rows)})
}

func sheetAndMore(more content) content {
	return workbookWith(part{"xl/sheet.xml", wrapped(`<worksheet xmlns="`+sheetML+`"><sheetData><row><c><v>1</v></c></row></sheetData>`, more, `</worksheet>`)})
}

func stringsWith(strings content, rows content) content {
	return workbookWith(part{"xl/strings.xml", wrapped(`<sst xmlns="`+sheetML+`">`, strings, `</sst>`)}, part{"xl/sheet.xml", sheetOf(rows)})
}

func stylesWith(styles content, rows content) content {
	return workbookWith(part{"xl/styles.xml", wrapped(`<styleSheet xmlns="`+sheetML+`">`, styles, `</styleSheet>`)}, part{"xl/sheet.xml", sheetOf(rows)})
}

func formatted(format string) func(int) string {
	return func(i int) string { return fmt.Sprintf(format, i) }
}

func hostileXLSX() []hostileFile {
	none := text()
	cell := func(text string) string { return `<c t="inlineStr"><is><t>` + text + `</t></is></c>` }
	useStrings := func(n int) content {
		return sequence("", n, func(i int) string { return fmt.Sprintf(`<row><c t="s"><v>%d</v></c></row>`, i*7919%n) }, "")
	}
	return []hostileFile{
		{"strings.xlsx", func() content {
			return stringsWith(sequence("", 1_000_000, formatted(`<si><t>string %d of this workbook</t></si>`), ""), useStrings(1_000_000))
		}, false},
		{"strings_many.xlsx", func() content { return stringsWith(text(times(`<si/>`, 200*mib)), useStrings(1000)) }, false},
		{"strings_huge.xlsx", func() content {
			return stringsWith(text(`<si><t>a</t></si>`, times(`<si><t>`+strings.Repeat("x", 15*mib)+`</t></si>`, 200*mib)), useStrings(10))
		}, false},
		{"strings_huge_twice.xlsx", func() content {
			return stringsWith(text(`<si><t>a</t></si>`, times(`<si><t>`+strings.Repeat("x", 15*mib)+`</t></si>`, 200*mib)), text(`<row>`+cell("a")+cell("b")+`</row>`, times(`<row><c t="s"><v>1</v></c><c t="s"><v>2</v></c></row>`, 6000)))
		}, false},
		{"strings_unused.xlsx", func() content {
			return stringsWith(sequence("", 2_000_000, formatted(`<si><t>string %d of this workbook</t></si>`), ""), text(`<row><c><v>1</v></c></row>`))
		}, false},
		{"string.xlsx", func() content { return stringsWith(text(`<si><t>`, times("x", 100*mib), `</t></si>`), useStrings(1)) }, true},
		{"string_of_runs.xlsx", func() content {
			return stringsWith(text(`<si>`, times(`<r><rPr/><t>x</t></r>`, 100*mib), `</si>`), useStrings(1))
		}, true},
		{"string_phonetic.xlsx", func() content {
			return stringsWith(text(`<si><t>a</t>`, times(`<rPh sb="0" eb="1"><t>x</t></rPh>`, 100*mib), `</si>`), useStrings(1))
		}, false},
		{"cell.xlsx", func() content { return sheetWith(text(`<row>`, cell(times("x", 100*mib)), `</row>`)) }, true},
		{"cells_below.xlsx", func() content {
			return sheetWith(sequence(`<row>`+cell("a")+cell("b")+`</row>`, 10, func(int) string { return `<row>` + cell(times("x", 15*mib)) + cell(times("y", 15*mib)) + `</row>` }, ""))
		}, false},
		{"cells_entities.xlsx", func() content {
			return sheetWith(sequence(`<row>`+cell("a")+cell("b")+`</row>`, 10, func(int) string {
				return `<row>` + cell(times("&#x4e2d;", 15*mib)) + cell(times("_x4e2d_", 15*mib)) + `</row>`
			}, ""))
		}, false},
		{"numbers_below.xlsx", func() content {
			return sheetWith(sequence(`<row>`+cell("a")+cell("b")+`</row>`, 10, func(int) string {
				return `<row><c><v>` + times("9", 15*mib) + `</v></c><c><v>` + times("1", 15*mib) + `</v></c></row>`
			}, ""))
		}, false},
		{"formula.xlsx", func() content { return sheetWith(text(`<row><c><f>`, times("A1+", 100*mib), `</f><v>1</v></c></row>`)) }, true},
		{"row_of_cells.xlsx", func() content { return sheetWith(text(`<row>`, times(`<c/>`, 60*mib), `</row>`)) }, true},
		{"row_of_same_cells.xlsx", func() content { return sheetWith(text(`<row>`, times(`<c r="A1"><v>1</v></c>`, 60*mib), `</row>`)) }, true},
		{"row_of_values.xlsx", func() content { return sheetWith(text(`<row><c>`, times(`<v>1</v>`, 60*mib), `</c></row>`)) }, false},
		{"rows.xlsx", func() content { return sheetWith(text(times(`<row/>`, 60*mib))) }, true},
		{"rows_same.xlsx", func() content { return sheetWith(text(times(`<row r="1"><c><v>1</v></c></row>`, 60*mib))) }, true},
		{"wide.xlsx", func() content {
			return sheetWith(text(times(`<row>`+strings.Repeat(`<c t="str"><v>abc</v></c>`, 16384)+`</row>`, 100*mib)))
		}, false},
		{"wide_last_cell.xlsx", func() content {
			return sheetWith(sequence("", 500_000, func(i int) string { return fmt.Sprintf(`<row r="%d"><c r="XFD%[1]d"><v>1</v></c></row>`, i+1) }, ""))
		}, true},
		{"merges.xlsx", func() content {
			return sheetAndMore(wrapped(`<mergeCells>`, sequence("", 1_040_000, func(i int) string { return fmt.Sprintf(`<mergeCell ref="A%d:B%[1]d"/>`, i+1) }, ""), `</mergeCells>`))
		}, false},
		{"merges_many.xlsx", func() content {
			return sheetAndMore(wrapped(`<mergeCells>`, sequence("", 3_000_000, func(i int) string { return fmt.Sprintf(`<mergeCell ref="A%d:B%[1]d"/>`, i/3+1) }, ""), `</mergeCells>`))
		}, false},
		{"merges_large.xlsx", func() content {
			return sheetAndMore(wrapped(`<mergeCells>`, text(times(`<mergeCell ref="A1:XFD1048576"/>`, 30*mib)), `</mergeCells>`))
		}, false},
		{"columns.xlsx", func() content {
			return workbookWith(part{"xl/sheet.xml", wrapped(`<worksheet xmlns="`+sheetML+`"><cols>`, text(times(`<col min="1" max="16384" hidden="1"/>`, 60*mib)), `</cols><sheetData><row><c><v>1</v></c></row></sheetData></worksheet>`)})
		}, false},
		{"styles.xlsx", func() content {
			return stylesWith(wrapped(`<cellXfs>`, text(times(`<xf numFmtId="14"/>`, 60*mib)), `</cellXfs>`), text(`<row><c s="1"><v>1</v></c></row>`))
		}, true},
		{"formats.xlsx", func() content {
			return stylesWith(wrapped(`<numFmts>`, sequence("", 1_000_000, formatted(`<numFmt numFmtId="%d" formatCode="0.0"/>`), ""), `</numFmts>`), text(`<row><c s="1"><v>1</v></c></row>`))
		}, true},
		{"formats_below.xlsx", func() content {
			return stylesWith(func(t *testing.T, w io.Writer) {
				sequence(`<numFmts>`, 65_000, func(i int) string {
					return fmt.Sprintf(`<numFmt numFmtId="%d" formatCode="%s"/>`, i+200, strings.Repeat("0.0#;", 60))
				}, `</numFmts>`)(t, w)
				sequence(`<cellXfs>`, 65_000, func(i int) string { return fmt.Sprintf(`<xf numFmtId="%d"/>`, i+200) }, `</cellXfs>`)(t, w)
			}, sequence("", 65_000, formatted(`<row><c s="%d"><v>1.5</v></c></row>`), ""))
		}, true},
		{"formats_long.xlsx", func() content {
			return stylesWith(func(t *testing.T, w io.Writer) {
				sequence(`<numFmts>`, 10_000, func(i int) string {
					return fmt.Sprintf(`<numFmt numFmtId="%d" formatCode="%s"/>`, i+200, strings.Repeat("y\\x", 330))
				}, `</numFmts>`)(t, w)
				sequence(`<cellXfs>`, 10_000, func(i int) string { return fmt.Sprintf(`<xf numFmtId="%d"/>`, i+200) }, `</cellXfs>`)(t, w)
			}, sequence("", 10_000, formatted(`<row><c s="%d"><v>1.5</v></c></row>`), ""))
		}, true},
		{"format.xlsx", func() content {
			return stylesWith(wrapped(`<numFmts>`, text(`<numFmt numFmtId="200" formatCode="`, times("0", 60*mib), `"/>`), `</numFmts>`), text(`<row><c s="1"><v>1</v></c></row>`))
		}, true},
		{"style_elements.xlsx", func() content { return stylesWith(text(times(`<fonts/>`, 60*mib)), none) }, false},
		{"sheets.xlsx", func() content {
			return workbookWith(part{"xl/workbook.xml", wrapped(`<workbook xmlns="`+sheetML+`" xmlns:r="`+relationships+`"><sheets>`, sequence("", 1_000_000, formatted(`<sheet name="S%d" sheetId="1" r:id="r1"/>`), ""), `</sheets></workbook>`)})
		}, true},
		{"sheets_below.xlsx", func() content {
			return workbookWith(part{"xl/workbook.xml", wrapped(`<workbook xmlns="`+sheetML+`" xmlns:r="`+relationships+`"><sheets>`, sequence("", 4000, func(i int) string {
				return fmt.Sprintf(`<sheet name="S%d%s" sheetId="1" r:id="r%d"/>`, i, strings.Repeat("x", 15_000), i+1)
			}, ""), `</sheets></workbook>`)})
		}, false},
		{"sheet_name.xlsx", func() content {
			return workbookWith(part{"xl/workbook.xml", text(`<workbook xmlns="`+sheetML+`" xmlns:r="`+relationships+`"><sheets><sheet name="`, times("x", 50*mib), `" sheetId="1" r:id="r1"/></sheets></workbook>`)})
		}, true},
		{"defined_names.xlsx", func() content {
			return workbookWith(part{"xl/workbook.xml", wrapped(`<workbook xmlns="`+sheetML+`" xmlns:r="`+relationships+`"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets><definedNames>`, sequence("", 1_000_000, formatted(`<definedName name="n%d">S!$A$1</definedName>`), ""), `</definedNames></workbook>`)})
		}, false},
		{"relations.xlsx", func() content {
			return workbookWith(part{"xl/_rels/workbook.xml.rels", sequence(`<Relationships xmlns="`+openXML+`package/2006/relationships"><Relationship Id="r1" Type="`+relationships+`/worksheet" Target="sheet.xml"/>`, 500_000, func(i int) string {
				return fmt.Sprintf(`<Relationship Id="x%d" Type="`+relationships+`/worksheet" Target="sheet%[1]d.xml"/>`, i)
			}, `</Relationships>`)})
		}, true},
		{"content_types.xlsx", func() content {
			return workbookWith(part{"[Content_Types].xml", sequence(`<Types xmlns="`+openXML+`package/2006/content-types"><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>`, 500_000, formatted(`<Override PartName="/xl/sheet%d.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>`), `</Types>`)})
		}, false},
		{"deep.xlsx", func() content { return sheetWith(text(times(`<a>`, 60*mib))) }, true},
		{"attribute.xlsx", func() content { return sheetWith(text(`<row a="`, times("x", 100*mib), `"/>`)) }, true},
		{"attributes.xlsx", func() content { return sheetWith(sequence(`<row `, 3_000_000, formatted(`a%d="1" `), `/>`)) }, true},
		{"attributes_below.xlsx", func() content {
			return sheetWith(text(times(`<row `+strings.Repeat(`a="1" `, 100)+`><c><v>1</v></c></row>`, 60*mib)))
		}, false},
		{"namespaces.xlsx", func() content { return sheetWith(sequence(`<row `, 3_000_000, formatted(`xmlns:a%d="urn:a" `), `/>`)) }, true},
		{"namespaces_nested.xlsx", func() content { return sheetWith(text(times(`<a xmlns:b="urn:b">`, 60*mib))) }, true},
		{"comment.xlsx", func() content { return sheetWith(text(`<!--`, times("x", 100*mib), `-->`)) }, false},
		{"comments.xlsx", func() content { return sheetWith(text(times("<!--x-->", 60*mib))) }, false},
		{"cdata.xlsx", func() content {
			return sheetWith(text(`<row><c t="str"><v><![CDATA[`, times("x", 100*mib), `]]></v></c></row>`))
		}, true},
		{"cdatas.xlsx", func() content {
			return sheetWith(text(`<row><c t="str"><v>`, times("<![CDATA[]]>", 60*mib), `</v></c></row>`))
		}, false},
		{"instruction.xlsx", func() content { return sheetWith(text(`<?x `, times("x", 100*mib), `?>`)) }, false},
		{"instructions.xlsx", func() content { return sheetWith(text(times("<?x?>", 60*mib))) }, false},
		{"doctype.xlsx", func() content {
			return workbookWith(part{"xl/sheet.xml", text(`<!DOCTYPE worksheet [`, times(`<!ENTITY a "b">`, 60*mib), `]><worksheet/>`)})
		}, true},
		{"entities.xlsx", func() content { return sheetWith(text(`<row>`, cell(times("&a;", 60*mib)), `</row>`)) }, true},
		{"entity.xlsx", func() content { return sheetWith(text(`<row>`, cell("&"+times("a", 60*mib)+";"), `</row>`)) }, true},
		{"element_name.xlsx", func() content { return sheetWith(text(`<`, times("a", 60*mib), `/>`)) }, true},
		{"white_space_in_tag.xlsx", func() content { return sheetWith(text(`<row`, times(" ", 60*mib), `/>`)) }, true},
		{"utf16.xlsx", func() content {
			return workbookWith(part{"xl/sheet.xml", encoded(`<worksheet xmlns="`+sheetML+`"><sheetData><row>`+cell(times("中", 60*mib))+`</row></sheetData></worksheet>`, utf16LE)})
		}, true},
		{"entries.xlsx", func() content { return workbookWith(emptyParts(9000)...) }, false},
		{"entries_many.xlsx", func() content { return workbookWith(emptyParts(60_000)...) }, true},
		{"entry_names.xlsx", func() content { return workbookWith(longNamedParts(2000)...) }, true},
	}
}

func emptyParts(n int) (parts []part) {
	for i := range n {
		parts = append(parts, part{fmt.Sprintf("xl/x%d", i), text()})
	}
	return parts
}

// longNamedParts returns entries whose names are almost as long as ZIP archives allow.
func longNamedParts(n int) (parts []part) {
	for i := range n {
		parts = append(parts, part{fmt.Sprintf("%d%s", i, strings.Repeat("x", 65_000)), text()})
	}
	return parts
}

const documentURN = "urn:oasis:names:tc:opendocument:xmlns:"

func documentWith(body content) content {
	const namespaces = ` xmlns:office="` + documentURN + `office:1.0" xmlns:table="` + documentURN + `table:1.0" xmlns:text="` + documentURN + `text:1.0" xmlns:style="` + documentURN + `style:1.0"`
	return archiveOf(part{"mimetype", text("application/vnd.oasis.opendocument.spreadsheet")},
		part{"content.xml", wrapped(`<office:document-content`+namespaces+`>`, body, `</office:document-content>`)})
}

func tableWith(rows content) content {
	return documentWith(wrapped(`<office:body><office:spreadsheet><table:table table:name="t">`, rows, `</table:table></office:spreadsheet></office:body>`))
}

func hostileODS() []hostileFile {
	row := func(cells string) string { return `<table:table-row>` + cells + `</table:table-row>` }
	cell := func(text string) string {
		return `<table:table-cell><text:p>` + text + `</text:p></table:table-cell>`
	}
	oneRow := row(cell("1"))
	sheetOfOne := `<office:body><office:spreadsheet><table:table table:name="t">` + oneRow + `</table:table></office:spreadsheet></office:body>`
	return []hostileFile{
		{"cell.ods", func() content { return tableWith(text(row(cell(times("x", 100*mib))))) }, true},
		{"cells_below.ods", func() content {
			return tableWith(sequence(row(cell("a")+cell("b")), 10, func(int) string { return row(cell(times("x", 15*mib)) + cell(times("y", 15*mib))) }, ""))
		}, false},
		{"spaces.ods", func() content { return tableWith(text(row(cell(times(`<text:s text:c="1000000000"/>`, mib))))) }, true},
		{"spaces_below.ods", func() content { return tableWith(text(row(cell(strings.Repeat(`<text:s text:c="1000000"/>`, 15))))) }, false},
		{"paragraphs.ods", func() content {
			return tableWith(text(row(`<table:table-cell>` + times(`<text:p/>`, 100*mib) + `</table:table-cell>`)))
		}, false},
		{"spans.ods", func() content { return tableWith(text(row(cell(times(`<text:span>x</text:span>`, 100*mib))))) }, true},
		{"deep.ods", func() content { return tableWith(text(row(cell(times(`<text:span>`, 100*mib))))) }, true},
		{"repeated_rows.ods", func() content {
			return tableWith(text(times(`<table:table-row table:number-rows-repeated="1000000">`+cell("1")+`</table:table-row>`, 10*mib)))
		}, true},
		{"repeated_columns.ods", func() content {
			return tableWith(text(row(times(`<table:table-cell table:number-columns-repeated="16384"><text:p>1</text:p></table:table-cell>`, 10*mib))))
		}, true},
		{"repeated_text.ods", func() content {
			return tableWith(text(row(`<table:table-cell table:number-columns-repeated="16384"><text:p>` + times("x", 15*mib) + `</text:p></table:table-cell>`)))
		}, true},
		{"repeated_long_rows.ods", func() content {
			return tableWith(text(row(cell("a")+cell("b")), `<table:table-row table:number-rows-repeated="20">`+cell(times("x", 15*mib))+cell(times("y", 15*mib))+`</table:table-row>`))
		}, false},
		{"repeated_both.ods", func() content {
			return tableWith(text(`<table:table-row table:number-rows-repeated="1000"><table:table-cell table:number-columns-repeated="16384"><text:p>abc</text:p></table:table-cell></table:table-row>`))
		}, false},
		{"row_of_cells.ods", func() content { return tableWith(text(row(times(`<table:table-cell/>`, 60*mib)))) }, false},
		{"row_of_covered.ods", func() content { return tableWith(text(row(times(`<table:covered-table-cell/>`, 60*mib)))) }, false},
		{"spanning.ods", func() content {
			return tableWith(text(times(row(`<table:table-cell table:number-columns-spanned="1000" table:number-rows-spanned="1000"><text:p>1</text:p></table:table-cell>`), 100*mib)))
		}, false},
		{"empty_rows.ods", func() content { return tableWith(text(times(`<table:table-row/>`, 60*mib))) }, false},
		{"groups.ods", func() content { return tableWith(text(times(`<table:table-row-group>`, 60*mib))) }, true},
		{"columns.ods", func() content { return tableWith(text(times(`<table:table-column/>`, 60*mib), oneRow)) }, false},
		{"tables.ods", func() content {
			return documentWith(wrapped(`<office:body><office:spreadsheet>`, sequence("", 1_000_000, formatted(`<table:table table:name="t%d"/>`), ""), `</office:spreadsheet></office:body>`))
		}, true},
		{"nested_tables.ods", func() content {
			return tableWith(text(times(`<table:table-row><table:table-cell><table:table>`, 30*mib)))
		}, true},
		{"table_name.ods", func() content {
			return documentWith(text(`<office:body><office:spreadsheet><table:table table:name="`, times("x", 60*mib), `"/></office:spreadsheet></office:body>`))
		}, true},
		{"styles.ods", func() content {
			return documentWith(wrapped(`<office:automatic-styles>`, sequence("", 1_000_000, formatted(`<style:style style:name="ta%d" style:family="table"><style:table-properties table:display="false"/></style:style>`), ""), `</office:automatic-styles>`+sheetOfOne))
		}, true},
		{"styles_of_cells.ods", func() content {
			return documentWith(wrapped(`<office:automatic-styles>`, sequence("", 1_000_000, formatted(`<style:style style:name="ce%d" style:family="table-cell"/>`), ""), `</office:automatic-styles>`+sheetOfOne))
		}, false},
		{"value.ods", func() content {
			return tableWith(text(row(`<table:table-cell office:value-type="float" office:value="` + times("9", 100*mib) + `"/>`)))
		}, true},
		{"values_below.ods", func() content {
			return tableWith(sequence(row(cell("a")+cell("b")), 10, func(int) string {
				return row(`<table:table-cell office:value-type="string" office:string-value="` + times("9", 15*mib) + `"/>`)
			}, ""))
		}, false},
		{"annotation.ods", func() content {
			return tableWith(text(row(`<table:table-cell><office:annotation>` + times(`<text:p>x</text:p>`, 60*mib) + `</office:annotation><text:p>1</text:p></table:table-cell>`)))
		}, false},
		{"attributes.ods", func() content {
			return tableWith(sequence(`<table:table-row `, 3_000_000, formatted(`a%d="1" `), `/>`))
		}, true},
		{"namespaces.ods", func() content {
			return tableWith(sequence(`<table:table-row `, 3_000_000, formatted(`xmlns:a%d="urn:a" `), `/>`))
		}, true},
		{"namespaces_of_root.ods", func() content {
			return archiveOf(part{"mimetype", text("application/vnd.oasis.opendocument.spreadsheet")}, part{"content.xml", sequence(`<office:document-content xmlns:office="`+documentURN+`office:1.0"`, 3_000_000, formatted(` xmlns:a%d="urn:a"`), `></office:document-content>`)})
		}, true},
		{"comment.ods", func() content { return tableWith(text(`<!--`, times("x", 100*mib), `-->`, oneRow)) }, false},
		{"cdata.ods", func() content { return tableWith(text(row(cell(`<![CDATA[` + times("x", 100*mib) + `]]>`)))) }, true},
		{"table.fods", func() content {
			return text(`<?xml version="1.0"?><office:document xmlns:office="`+documentURN+`office:1.0" xmlns:table="`+documentURN+`table:1.0" xmlns:text="`+documentURN+`text:1.0" office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:body><office:spreadsheet><table:table table:name="t">`, row(times(`<table:table-cell/>`, 60*mib)), `</table:table></office:spreadsheet></office:body></office:document>`)
		}, false},
	}
}

func spreadsheetWith(rows content) content {
	const ns = "urn:schemas-microsoft-com:office:spreadsheet"
	return wrapped(`<?xml version="1.0"?><Workbook xmlns="`+ns+`" xmlns:ss="`+ns+`">`, rows, `</Workbook>`)
}

func hostileSpreadsheetML() []hostileFile {
	const open, shut = `<Worksheet ss:Name="a"><Table>`, `</Table></Worksheet>`
	sheet := func(rows ...string) content {
		return spreadsheetWith(wrapped(open, text(rows...), shut))
	}
	cell := func(text string) string { return `<Cell><Data ss:Type="String">` + text + `</Data></Cell>` }
	return []hostileFile{
		{"cell.xml", func() content { return sheet(`<Row>`, cell(times("x", 100*mib)), `</Row>`) }, true},
		{"cells_below.xml", func() content {
			return spreadsheetWith(wrapped(open, sequence(`<Row>`+cell("a")+cell("b")+`</Row>`, 10, func(int) string { return `<Row>` + cell(times("x", 15*mib)) + cell(times("y", 15*mib)) + `</Row>` }, ""), shut))
		}, false},
		{"cells_of_markup.xml", func() content { return sheet(`<Row>`, cell(times("<b>x</b>", 60*mib)), `</Row>`) }, true},
		{"row_of_cells.xml", func() content { return sheet(`<Row>`, times(`<Cell/>`, 60*mib), `</Row>`) }, true},
		{"indexes.xml", func() content {
			return sheet(times(`<Row><Cell ss:Index="16384"><Data ss:Type="Number">1</Data></Cell></Row>`, 60*mib))
		}, true},
		{"rows.xml", func() content { return sheet(times(`<Row/>`, 60*mib)) }, false},
		{"merged.xml", func() content {
			return sheet(times(`<Row><Cell ss:MergeAcross="1000" ss:MergeDown="1000"><Data ss:Type="Number">1</Data></Cell></Row>`, 100*mib))
		}, false},
		{"spans.xml", func() content {
			return sheet(times(`<Row ss:Span="1000000"><Cell><Data ss:Type="Number">1</Data></Cell></Row>`, 60*mib))
		}, false},
		{"columns.xml", func() content { return sheet(times(`<Column ss:Span="16000"/>`, 60*mib), `<Row>`, cell("1"), `</Row>`) }, false},
		{"worksheets.xml", func() content {
			return spreadsheetWith(sequence("", 1_000_000, formatted(`<Worksheet ss:Name="a%d"/>`), ""))
		}, true},
		{"styles.xml", func() content {
			return spreadsheetWith(sequence(`<Styles>`, 1_000_000, formatted(`<Style ss:ID="s%d"><NumberFormat ss:Format="0.0"/></Style>`), `</Styles>`))
		}, true},
		{"styles_below.xml", func() content {
			return spreadsheetWith(sequence(`<Styles>`, 65_000, func(i int) string {
				return fmt.Sprintf(`<Style ss:ID="s%d"><NumberFormat ss:Format="%s"/></Style>`, i, strings.Repeat("0.0#;", 60))
			}, `</Styles>`+open+`<Row>`+cell("1")+`</Row>`+shut))
		}, true},
		{"names.xml", func() content {
			return spreadsheetWith(sequence(`<Names>`, 1_000_000, formatted(`<NamedRange ss:Name="n%d" ss:RefersTo="=a!R1C1"/>`), `</Names>`+open+`<Row>`+cell("1")+`</Row>`+shut))
		}, false},
		{"deep.xml", func() content { return sheet(times(`<a>`, 60*mib)) }, true},
		{"attributes.xml", func() content { return sheet(`<Row `, times(`a="1" `, 60*mib), `/>`) }, true},
		{"attribute.xml", func() content { return sheet(`<Row a="`, times(`x`, 60*mib), `"/>`) }, true},
		{"comment.xml", func() content { return sheet(`<!--`, times("x", 100*mib), `-->`, `<Row>`, cell("1"), `</Row>`) }, false},
		{"utf16.xml", func() content {
			return func(t *testing.T, w io.Writer) {
				var b strings.Builder
				sheet(`<Row>`, cell(times("中", 60*mib)), `</Row>`)(t, &b)
				write(t, w, string(utf16LE(b.String())))
			}
		}, true},
	}
}
