package attacks

import (
	"encoding/base64"
	"fmt"
	"strings"
)

// odsAttacks returns attacks with OpenDocument spreadsheets.
func odsAttacks() []attack {
	repeated := func(n int) string { return fmt.Sprintf(` table:number-rows-repeated="%d"`, n) }
	columns := func(n int) string { return fmt.Sprintf(` table:number-columns-repeated="%d"`, n) }
	paragraph := func(name, target string, write func() string) attack {
		return openDocument(name, target, func() string { return odsRow("", odsCell(write(), "")) })
	}
	return []attack{
		openDocument("repeated-table.ods", "repeated rows and columns", func() string { return odsRow(repeated(1_048_574), odsCell("a", columns(16_384))) }),
		openDocument("repeated-rows.ods", "repeated rows", func() string { return odsRow(repeated(1_048_574), odsCell("a", "")) }),
		openDocument("repeated-columns.ods", "repeated columns", func() string { return strings.Repeat(odsRow("", odsCell("a", columns(16_384))), 500) }),
		openDocument("repeated-long-text.ods", "repeated rows", func() string { return odsRow(repeated(1_000_000), odsCell(repeat("x", mib), "")) }),
		openDocument("repeated-long-cells.ods", "repeated columns", func() string { return odsRow("", odsCell(repeat("x", mib), columns(16_384))) }),
		openDocument("overflowing-repeats.ods", "repeat counts", func() string {
			return strings.Repeat(odsRow(repeated(4_294_967_295), odsCell("a", columns(2_147_483_647))), 100)
		}),
		openDocument("repeated-empty-rows.ods", "repeated rows", func() string {
			return strings.Repeat(odsRow(repeated(1_000), `<table:table-cell/>`)+odsRow("", odsCell("a", "")), 1_000)
		}),
		openDocument("repeated-covered-cells.ods", "covered cells", func() string {
			return strings.Repeat(odsRow("", odsCell("a", ` table:number-columns-spanned="16384" table:number-rows-spanned="1048576"`)+`<table:covered-table-cell`+columns(16_383)+`/>`), 2_000)
		}),
		openDocument("row-of-cells.ods", "cells of a row", func() string { return odsRow("", noisy(odsCell("a", ""), 500_000, "<!--%s-->")) }),
		openDocument("groups.ods", "nesting", func() string { return nested("<table:table-row-group>", "", "</table:table-row-group>", 500_000) }),
		openDocument("tables-in-cells.ods", "nested tables", func() string {
			return odsRow("", nested(`<table:table-cell><table:table><table:table-row>`, odsCell("a", ""), `</table:table-row></table:table></table:table-cell>`, 30))
		}),
		paragraph("spaces.ods", "repeated spaces", func() string { return `<text:s text:c="2000000000"/>` }),
		paragraph("many-spaces.ods", "repeated spaces", func() string { return noisy(`<text:s text:c="1000"/>`, 500_000, "%s") }),
		paragraph("spans.ods", "nesting", func() string { return nested("<text:span>", "x", "</text:span>", 500_000) }),
		paragraph("line-breaks.ods", "paragraphs", func() string { return noisy("<text:line-break/>", 1_500_000, "%s") }),
		openDocument("paragraphs.ods", "paragraphs", func() string {
			return odsRow("", `<table:table-cell office:value-type="string">`+noisy("<text:p>x</text:p>", 1_500_000, "<!--%s-->")+`</table:table-cell>`)
		}),
		openDocument("annotations.ods", "elements that are skipped", func() string {
			return odsRow("", `<table:table-cell office:value-type="string">`+noisy("<office:annotation><text:p>x</text:p></office:annotation>", 500_000, "<!--%s-->")+`</table:table-cell>`)
		}),
		openDocument("many-tables.ods", "sheets", func() string {
			return `</table:table>` + each(200_000, format(`<table:table table:name="t%d"/>`)) + `<table:table table:name="z">`
		}),
		text("repeated-table.fods", "flat documents", func() string {
			content := odsContent(`<table:table table:name="t">`+odsRow("", odsCell("name", ""))+odsRow(repeated(1_048_574), odsCell("a", columns(16_384)))+`</table:table>`, "")
			return strings.NewReplacer("<office:document-content", `<office:document office:mimetype="`+odsKind+`"`, "</office:document-content", "</office:document").Replace(content)
		}),
		text("styles.fods", "styles", func() string {
			content := odsContent(`<table:table table:name="t">`+odsRow("", odsCell("name", ""))+`</table:table>`, `<office:automatic-styles>`+each(400_000, format(`<style:style style:name="s%d" style:family="table"/>`))+`</office:automatic-styles>`)
			return strings.NewReplacer("<office:document-content", `<office:document office:mimetype="`+odsKind+`"`, "</office:document-content", "</office:document").Replace(content)
		}),
	}
}

// xmlAttacks returns attacks with workbooks in the format SpreadsheetML 2003.
func xmlAttacks() []attack {
	const space = "urn:schemas-microsoft-com:office:spreadsheet"
	cell := `<Cell><Data ss:Type="String">a</Data></Cell>`
	document := func(name, target string, styles, content func() string) attack {
		return text(name, target, func() string {
			return `<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?><Workbook xmlns="` + space + `" xmlns:ss="` + space + `"><Styles>` + styles() +
				`</Styles><Worksheet ss:Name="a"><Table><Row><Cell><Data ss:Type="String">name</Data></Cell></Row>` + content() + `</Table></Worksheet></Workbook>`
		})
	}
	none := func() string { return "" }
	one := func() string { return "<Row>" + cell + "</Row>" }
	return []attack{
		document("row-of-cells.xml", "cells of a row", none, func() string { return "<Row>" + strings.Repeat(cell, 800_000) + "</Row>" }),
		document("index-of-row.xml", "row numbers", none, func() string {
			return `<Row ss:Index="1048576"><Cell ss:Index="16384"><Data ss:Type="Number">1</Data></Cell></Row>`
		}),
		document("large-index.xml", "row numbers", none, func() string { return `<Row ss:Index="9999999999999999999">` + cell + `</Row>` }),
		document("last-column.xml", "empty columns", none, func() string {
			return strings.Repeat(`<Row><Cell ss:Index="16384"><Data ss:Type="Number">1</Data></Cell></Row>`, 30_000)
		}),
		document("merged-cells.xml", "merged cells", none, func() string {
			return strings.Repeat(`<Row><Cell ss:MergeAcross="16383" ss:MergeDown="1048575"><Data ss:Type="String">a</Data></Cell></Row>`, 200_000)
		}),
		document("spans.xml", "repeated rows", none, func() string {
			return strings.Repeat(`<Row ss:Span="1048575">`+cell+`</Row>`, 1_000)
		}),
		document("many-styles.xml", "styles", func() string {
			return each(400_000, format(`<Style ss:ID="s%d"><NumberFormat ss:Format="0.0"/></Style>`))
		}, one),
		document("chained-styles.xml", "styles", func() string {
			return each(60_000, func(i int) string { return fmt.Sprintf(`<Style ss:ID="s%d" ss:Parent="s%d"/>`, i, i+1) })
		}, one),
		document("formatted-text.xml", "markup in cells", none, func() string {
			return `<Row><Cell><ss:Data ss:Type="String" xmlns="http://www.w3.org/TR/REC-html40">` + repeat("<B>x</B>", 24*mib) + `</ss:Data></Cell></Row>`
		}),
		document("deep-text.xml", "nesting", none, func() string {
			return `<Row><Cell><ss:Data ss:Type="String">` + nested("<B>", "x", "</B>", 1_000_000) + `</ss:Data></Cell></Row>`
		}),
		document("many-sheets.xml", "sheets", none, func() string {
			return `</Table></Worksheet>` + each(200_000, format(`<Worksheet ss:Name="w%d"><Table/></Worksheet>`)) + `<Worksheet ss:Name="z"><Table>`
		}),
		document("attributes.xml", "attributes", none, func() string { return `<Row ` + each(1_000_000, format(`a%d="1" `)) + `/>` }),
		document("dates.xml", "dates", none, func() string {
			return strings.Repeat(`<Row><Cell><Data ss:Type="DateTime">9999-12-31T23:59:59.999</Data></Cell></Row>`, 300_000)
		}),
		document("comments.xml", "comments", none, func() string { return repeat("<!-- -->", 30*mib) }),
	}
}

// htmlAttacks returns attacks with tables in web pages.
func htmlAttacks() []attack {
	page := func(name, target string, content func() string) attack {
		return text(name, target, func() string {
			return "<html><body><table><tr><th>name</th><th>n</th></tr>" + content() + "</table></body></html>"
		})
	}
	mail := func(encoding, body string) string {
		return "MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=\"b\"\r\n\r\n--b\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: " + encoding + "\r\n\r\n" + body + "\r\n--b--\r\n"
	}
	table := "<table><tr><th>name</th></tr>" + repeat("<tr><td>a</td></tr>", 12*mib) + "</table>"
	return []attack{
		page("row-of-cells.html", "cells of a row", func() string { return "<tr>" + repeat("<td>x", 24*mib) + "</tr>" }),
		page("column-spans.html", "merged cells", func() string { return strings.Repeat(`<tr><td colspan="16384">x</td></tr>`, 200_000) }),
		page("row-spans.html", "merged cells", func() string {
			return `<tr>` + strings.Repeat(`<td rowspan="65534">x</td>`, 16_000) + `</tr>` + repeat("<tr><td>y", 10*mib)
		}),
		page("both-spans.html", "merged cells", func() string {
			return strings.Repeat(`<tr><td colspan="1000" rowspan="65534">x</td><td>y</td></tr>`, 10_000)
		}),
		page("staircase-spans.html", "merged cells", func() string {
			return each(16_000, func(i int) string { return fmt.Sprintf(`<tr><td rowspan="%d">x</td><td>y</td></tr>`, 16_000-i) })
		}),
		page("nested-tables.html", "nested tables", func() string { return nested("<tr><td><table>", "", "</table></td></tr>", 100_000) }),
		page("unclosed-elements.html", "nesting", func() string { return "<tr><td>" + repeat("<div><span>", 30*mib) }),
		page("unclosed-formatting.html", "open elements", func() string { return "<tr><td>" + repeat("<b><i><p>x", 20*mib) }),
		page("attributes.html", "attributes", func() string { return "<tr><td " + each(1_500_000, format(`a%d="1" `)) + ">x</td></tr>" }),
		page("long-attribute.html", "attributes", func() string { return `<tr><td title="` + repeat("x", 30*mib) + `">x</td></tr>` }),
		page("open-attribute.html", "attributes", func() string { return `<tr><td title="` + repeat("<td>", 30*mib) }),
		page("entities.html", "entities", func() string {
			return "<tr><td>" + repeat("&CounterClockwiseContourIntegral;&amp", 24*mib) + "</td></tr>"
		}),
		page("ampersands.html", "entities", func() string { return "<tr><td>" + repeat("&", 24*mib) + "</td></tr>" }),
		page("comments.html", "comments", func() string { return repeat("<!-->", 15*mib) + repeat("<!-- -", 15*mib) }),
		page("less-than-signs.html", "tags", func() string { return "<tr><td>" + repeat("<", 24*mib) }),
		page("scripts.html", "scripts", func() string { return repeat("<script></script>", 24*mib) + "<script>" + repeat("</scrip", 8*mib) }),
		page("rows.html", "rows", func() string { return repeat("<tr><td>a<td>1", 40*mib) }),
		page("long-cell.html", "text of a cell", func() string { return "<tr><td>" + repeat("x ", 40*mib) + "</td></tr>" }),
		text("many-tables.html", "sheets", func() string { return repeat("<table><tr><th>name<tr><td>a</table>", 24*mib) }),
		text("doctypes.html", "detection of the format", func() string { return repeat("<!doctype html>", 24*mib) + table }),
		text("base64.mht", "encoded pages", func() string { return mail("base64", base64.StdEncoding.EncodeToString([]byte(table))) }),
		text("quoted-printable.mht", "encoded pages", func() string { return mail("quoted-printable", repeat("=3C=\r\n", 30*mib)) }),
		text("headers.mht", "headers of pages", func() string { return "MIME-Version: 1.0\r\n" + repeat("X: y\r\n z\r\n", 30*mib) + "\r\n" + table }),
		text("boundaries.mht", "parts of pages", func() string {
			return "MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=\"b\"\r\n\r\n" + repeat("--b\r\nContent-Type: text/html\r\n\r\n\r\n", 24*mib) + "--b--\r\n"
		}),
	}
}
