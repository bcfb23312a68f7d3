package attacks

import (
	"fmt"
	"strings"
	"testing"

	"github.com/intraydata/intray/source/sourcetest"
)

// xlsxAttacks returns attacks on the rows of XLSX workbooks.
func xlsxAttacks() []attack {
	number := `<c><v>1</v></c>`
	return []attack{
		rows("row-of-cells.xlsx", "cells of a row", func() string { return "<row>" + noisy(number, 2_500_000, "<!--%s-->") + "</row>" }),
		rows("same-cell.xlsx", "cells of a row", func() string {
			return `<row r="2">` + noisy(`<c r="A2"><v>1</v></c>`, 2_000_000, "<!--%s-->") + "</row>"
		}),
		rows("wide-rows.xlsx", "cells of a sheet", func() string {
			return strings.Repeat("<row>"+noisy(number, 16_384, "<!--%s-->")+"</row>", 100)
		}),
		rows("last-row.xlsx", "empty rows", func() string { return `<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>` }),
		rows("last-column.xlsx", "empty columns", func() string {
			return each(30_000, func(i int) string { return fmt.Sprintf(`<row r="%d"><c r="XFD%[1]d"><v>%[1]d</v></c></row>`, i+2) })
		}),
		rows("all-rows.xlsx", "rows", func() string {
			return each(1_048_575, func(i int) string { return fmt.Sprintf(`<row r="%d"><c r="A%[1]d"><v>%[1]d</v></c></row>`, i+2) })
		}),
		rows("empty-rows.xlsx", "rows", func() string { return noisy("<row/>", 3_000_000, "<!--%s-->") }),
		rows("number-of-row.xlsx", "row numbers", func() string { return `<row r="9223372036854775807"><c><v>1</v></c></row>` }),
		rows("column-name.xlsx", "cell references", func() string { return `<row r="2"><c r="` + repeat("A", 20*mib) + `2"><v>1</v></c></row>` }),
		rows("descending-rows.xlsx", "order of rows", func() string {
			return each(500_000, func(i int) string { return fmt.Sprintf(`<row r="%d"><c><v>1</v></c></row>`, 600_000-i) })
		}),
		rows("long-inline-text.xlsx", "text of a cell", func() string {
			return `<row><c t="inlineStr"><is><t>` + noisy("x", 200*mib, "%s") + `</t></is></c></row>`
		}),
		rows("text-runs.xlsx", "runs of a text", func() string {
			return `<row><c t="inlineStr"><is>` + noisy("<r><t>x</t></r>", 3_000_000, "<!--%s-->") + `</is></c></row>`
		}),
		rows("empty-runs.xlsx", "runs of a text", func() string {
			return `<row><c t="inlineStr"><is>` + noisy("<r/>", 8_000_000, "<!--%s-->") + `</is></c></row>`
		}),
		rows("phonetic-runs.xlsx", "runs of a text", func() string {
			return `<row><c t="inlineStr"><is><t>a</t>` + noisy(`<rPh sb="0" eb="1"><t>x</t></rPh>`, 1_000_000, "<!--%s-->") + `</is></c></row>`
		}),
		rows("deep-elements.xlsx", "nesting", func() string { return nested("<row>", "", "</row>", 1_000_000) }),
		rows("deep-unknown-elements.xlsx", "nesting", func() string { return "<row><c>" + nested("<x>", "", "</x>", 1_000_000) + "</c></row>" }),
		rows("long-attribute.xlsx", "attributes", func() string { return `<row spans="` + noisy("x", 30*mib, "%s") + `"><c><v>1</v></c></row>` }),
		rows("many-attributes.xlsx", "attributes", func() string { return `<row ` + each(1_000_000, format(`a%d="1" `)) + `/>` }),
		rows("many-namespaces.xlsx", "namespaces", func() string { return `<row ` + each(500_000, format(`xmlns:n%d="urn:%[1]d" `)) + `/>` }),
		rows("nested-namespaces.xlsx", "namespaces", func() string {
			return `<row><c><v>1</v></c></row>` + each(300_000, format(`<x:y xmlns:x="urn:%d"/>`))
		}),
		rows("long-element-name.xlsx", "names", func() string { return "<" + noisy("x", 30*mib, "%s") + "/>" }),
		rows("comments.xlsx", "comments", func() string { return noisy("<!-- -->", 4_000_000, "<!--%s-->") }),
		rows("long-comment.xlsx", "comments", func() string { return "<!--" + noisy("x", 40*mib, "%s") + "-->" }),
		rows("cdata.xlsx", "character data", func() string {
			return `<row><c t="inlineStr"><is><t>` + noisy("<![CDATA[x]]>", 2_000_000, "%s") + `</t></is></c></row>`
		}),
		rows("instructions.xlsx", "processing instructions", func() string { return noisy("<?x y?>", 4_000_000, "<!--%s-->") }),
		rows("entities.xlsx", "entities", func() string {
			return `<row><c t="inlineStr"><is><t>` + noisy("&#x10FFFF;&amp;", 1_000_000, "%s") + `</t></is></c></row>`
		}),
		rows("long-formula.xlsx", "formulas", func() string { return `<row><c><f>` + noisy("A1+", 10_000_000, "%s") + `</f><v>1</v></c></row>` }),
		rows("shared-formulas.xlsx", "formulas", func() string {
			return noisy(`<row><c><f t="shared" ref="A1:XFD1048576" si="0">A1</f><v>1</v></c></row>`, 300_000, "<!--%s-->")
		}),
		rows("errors.xlsx", "problems", func() string { return noisy(`<row><c t="e"><v>#REF!</v></c></row>`, 800_000, "<!--%s-->") }),
		rows("long-numbers.xlsx", "numbers", func() string {
			return strings.Repeat(`<row><c><v>1`+repeat("0", 100_000)+`e`+repeat("9", 10_000)+`</v></c></row>`, 100)
		}),
		workbook("hidden-columns.xlsx", "columns", func() string {
			return `<worksheet ` + main + `><cols>` + noisy(`<col min="1" max="16384" hidden="1"/>`, 500_000, "<!--%s-->") + `</cols><sheetData>` + titled + `<row><c><v>1</v></c></row></sheetData></worksheet>`
		}),
		workbook("merged-ranges.xlsx", "merged ranges", func() string {
			return sheet(titled+strings.Repeat(`<row><c><v>1</v></c></row>`, 1_000), `<mergeCells>`+each(1_048_000, func(i int) string {
				return fmt.Sprintf(`<mergeCell ref="A%d:B%[1]d"/>`, i+2)
			})+`</mergeCells>`)
		}),
		workbook("equal-merged-ranges.xlsx", "merged ranges", func() string {
			return sheet(titled+strings.Repeat(`<row><c><v>1</v></c></row>`, 1_000), `<mergeCells>`+noisy(`<mergeCell ref="A1:XFD1048576"/>`, 1_000_000, "<!--%s-->")+`</mergeCells>`)
		}),
		workbook("nested-merged-ranges.xlsx", "merged ranges", func() string {
			return sheet(titled+strings.Repeat(`<row><c><v>1</v></c></row>`, 20_000), `<mergeCells>`+each(50_000, func(i int) string {
				return fmt.Sprintf(`<mergeCell ref="A%d:XFD%d"/>`, i+2, 1_048_576-i)
			})+`</mergeCells>`)
		}),
		workbook("hyperlinks.xlsx", "elements after the rows", func() string {
			return sheet(titled+`<row><c><v>1</v></c></row>`, `<hyperlinks>`+noisy(`<hyperlink ref="A1" location="x"/>`, 1_000_000, "<!--%s-->")+`</hyperlinks>`)
		}),
	}
}

// xlsxPartAttacks returns attacks on the other parts of XLSX workbooks.
func xlsxPartAttacks() []attack {
	shared := func(items func() string) func() parts {
		return func() parts { return parts{"xl/sharedStrings.xml", "<sst " + main + ">" + items() + "</sst>"} }
	}
	styles := func(content func() string) func() parts {
		return func() parts { return parts{"xl/styles.xml", "<styleSheet " + main + ">" + content() + "</styleSheet>"} }
	}
	book := func(content func() string) func() parts {
		return func() parts {
			return parts{"xl/workbook.xml", "<workbook " + main + ">" + content() + "</workbook>"}
		}
	}
	sheets := `<sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets>`
	references := func() string { return noisy(`<row><c t="s"><v>0</v></c></row>`, 200_000, "<!--%s-->") }
	styled := func(n int) func() string {
		return func() string {
			return each(200_000, func(i int) string { return fmt.Sprintf(`<row><c s="%d"><v>%d.5</v></c></row>`, i%n, 40_000+i%1_000) })
		}
	}
	formats := func(code func(i int) string, n int) func() string {
		return func() string {
			return `<numFmts>` + each(n, func(i int) string { return fmt.Sprintf(`<numFmt numFmtId="%d" formatCode="%s"/>`, 164+i, code(i)) }) +
				`</numFmts><cellXfs>` + each(n, func(i int) string { return fmt.Sprintf(`<xf numFmtId="%d"/>`, 164+i) }) + `</cellXfs>`
		}
	}
	one := func() string { return `<row><c t="s"><v>0</v></c></row>` }
	return []attack{
		rows("small-shared-strings.xlsx", "shared strings", references, shared(func() string { return each(2_500_000, format("<si><t>%d</t></si>")) })),
		rows("empty-shared-strings.xlsx", "shared strings", references, shared(func() string { return noisy("<si/>", 20_000_000, "<!--%s-->") })),
		rows("unused-shared-strings.xlsx", "shared strings", one, shared(func() string {
			return noisy("<si><t>"+repeat("x", 900)+"</t></si>", 150_000, "<!--%s-->")
		})),
		rows("long-shared-string.xlsx", "shared strings", references, shared(func() string { return "<si><t>" + noisy("x", 15*mib, "%s") + "</t></si>" })),
		rows("scattered-shared-strings.xlsx", "access to shared strings on disk", func() string {
			return each(300_000, func(i int) string { return fmt.Sprintf(`<row><c t="s"><v>%d</v></c></row>`, i*7_919%1_000_000) })
		}, shared(func() string { return each(1_000_000, format("<si><t>customer number %d</t></si>")) })),
		rows("runs-in-shared-string.xlsx", "shared strings", one, shared(func() string {
			return "<si>" + noisy("<r><rPr><b/></rPr><t>x</t></r>", 1_500_000, "<!--%s-->") + "</si>"
		})),
		rows("missing-shared-strings.xlsx", "shared strings", func() string { return noisy(`<row><c t="s"><v>4294967295</v></c></row>`, 100_000, "<!--%s-->") }),
		rows("many-styles.xlsx", "styles", styled(65_000), styles(formats(func(i int) string { return fmt.Sprintf("0.0&quot;u%d&quot;", i) }, 65_000))),
		rows("too-many-styles.xlsx", "styles", styled(2), styles(func() string {
			return "<cellXfs>" + noisy(`<xf numFmtId="14"/>`, 2_000_000, "<!--%s-->") + "</cellXfs>"
		})),
		rows("long-formats.xlsx", "number formats", styled(200), styles(formats(func(i int) string { return repeat(`yyyy\-mm\-dd `, 100_000) + fmt.Sprint(i) }, 200))),
		rows("format-of-colors.xlsx", "number formats", styled(2), styles(formats(func(int) string { return repeat("[Red][&gt;1]", 4*mib) }, 2))),
		rows("format-of-quotes.xlsx", "number formats", styled(2), styles(formats(func(int) string { return repeat(`\x&quot;y&quot;`, 4*mib) }, 2))),
		rows("format-of-digits.xlsx", "number formats", styled(2), styles(formats(func(int) string { return "0." + repeat("0", 30_000) }, 2))),
		rows("fonts.xlsx", "styles", styled(1), styles(func() string { return "<fonts>" + noisy(`<font><b/></font>`, 1_500_000, "<!--%s-->") + "</fonts>" })),
		rows("defined-names.xlsx", "defined names", one, book(func() string {
			return sheets + "<definedNames>" + each(600_000, format(`<definedName name="n%d">S!$A$1</definedName>`)) + "</definedNames>"
		})),
		rows("long-defined-name.xlsx", "defined names", one, book(func() string {
			return sheets + `<definedNames><definedName name="a">` + noisy("S!$A$1,", 4_000_000, "%s") + "</definedName></definedNames>"
		})),
		rows("same-sheet.xlsx", "sheets", one, book(func() string {
			return "<sheets>" + each(4_000, format(`<sheet name="S%d" sheetId="%[1]d" r:id="rId1"/>`)) + "</sheets>"
		})),
		rows("million-sheets.xlsx", "sheets", one, book(func() string {
			return "<sheets>" + each(1_000_000, format(`<sheet name="S%d" sheetId="%[1]d" r:id="rId1"/>`)) + "</sheets>"
		})),
		rows("long-sheet-name.xlsx", "names of sheets", one, book(func() string {
			return `<sheets><sheet name="` + noisy("n", 30*mib, "%s") + `" sheetId="1" r:id="rId1"/></sheets>`
		})),
		rows("relations.xlsx", "relationships", one, func() parts {
			list := [][2]string{{"worksheet", "worksheets/sheet1.xml"}}
			for range 500_000 {
				list = append(list, [2]string{"externalLink", "x.xml"})
			}
			return parts{"xl/_rels/workbook.xml.rels", relations(list...)}
		}),
		rows("content-types.xlsx", "content types", one, func() parts {
			return parts{"[Content_Types].xml", `<Types xmlns="` + schemas + `package/2006/content-types">` + each(500_000, format(`<Override PartName="/p%d.xml" ContentType="a/b"/>`)) + `</Types>`}
		}),
		rows("entity-expansion.xlsx", "entities", one, func() parts {
			return parts{sheetPart, `<!DOCTYPE worksheet [<!ENTITY a "aaaaaaaaaa">` + each(9, func(i int) string {
				return fmt.Sprintf(`<!ENTITY %c "%s">`, 'b'+i, strings.Repeat(fmt.Sprintf("&%c;", 'a'+i), 10))
			}) + `]>` + sheet(`<row><c t="inlineStr"><is><t>&j;</t></is></c></row>`, "")}
		}),
		{name: "many-parts.xlsx", target: "entries", file: func(t testing.TB) []byte {
			all := xlsxParts(sheet(titled, ""))
			var entries []sourcetest.Entry
			for i := 0; i < len(all); i += 2 {
				entries = append(entries, sourcetest.File(all[i], all[i+1]))
			}
			for i := range 65_000 {
				entries = append(entries, sourcetest.Stored(fmt.Sprintf("xl/media/%d.png", i), ""))
			}
			return sourcetest.Zip(t, entries...)
		}},
		{name: "many-sheets.xlsx", target: "choice of the sheet", file: func(t testing.TB) []byte {
			const n = 400
			all := xlsxParts(sheet(titled, ""))
			list := make([][2]string, n)
			for i := range list {
				list[i] = [2]string{"worksheet", fmt.Sprintf("worksheets/s%d.xml", i)}
				all = append(all, "xl/"+list[i][1], sheet(titled+strings.Repeat(`<row><c><v>1</v></c><c><v>2</v></c></row>`, 400), ""))
			}
			return append(all, "xl/_rels/workbook.xml.rels", relations(list...), "xl/workbook.xml",
				"<workbook "+main+"><sheets>"+each(n, func(i int) string { return fmt.Sprintf(`<sheet name="S%d" sheetId="%[1]d" r:id="rId%[1]d"/>`, i+1) })+"</sheets></workbook>").zip(t)
		}},
	}
}
