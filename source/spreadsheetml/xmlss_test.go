package spreadsheetml

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

// reporting is a document like those of reporting tools, with namespace prefixes, a
// byte order mark and CDATA sections.
const reporting = "\uFEFF<?xml version=\"1.0\"?>\r\n<ss:Workbook xmlns:ss=\"urn:schemas-microsoft-com:office:spreadsheet\">\r\n" +
	`<ss:Styles><ss:Style ss:ID="1"><ss:Font ss:Bold="1"/></ss:Style></ss:Styles><ss:Worksheet ss:Name="Sheet0"><ss:Table>` +
	`<ss:Row ss:StyleID="1"><ss:Cell><ss:Data ss:Type="String">Name</ss:Data></ss:Cell><ss:Cell><ss:Data ss:Type="String">Amount</ss:Data></ss:Cell></ss:Row>` +
	`<ss:Row><ss:Cell><ss:Data ss:Type="String"><![CDATA[Smith & <Sons>]]></ss:Data></ss:Cell><ss:Cell><ss:Data ss:Type="Number">12.50</ss:Data></ss:Cell></ss:Row>` +
	"</ss:Table></ss:Worksheet></ss:Workbook>"

func TestSuite(t *testing.T) {
	samples := []sourcetest.Sample{
		{Name: "excel.xml", Text: []byte(workbookXML(numberFormat("s1", "00000"), worksheet("One", row(text("zip"), text("name"))+row(`<Cell ss:StyleID="s1"><Data ss:Type="Number">123</Data></Cell>`, text("Ann"))+row(number("7"), text("Bo&#10;b"))), worksheet("Two", ""))),
			Sheets: []sourcetest.Sheet{
				{Name: "One", Headers: []string{"zip", "name"}, Records: [][]string{{"00123", "Ann"}, {"7", "Bo\nb"}}, Lines: []int64{2, 3}},
				{Name: "Two"},
			}},
		{Name: "reporting.xls", Text: []byte(reporting), Sheets: []sourcetest.Sheet{
			{Name: "Sheet0", Headers: []string{"Name", "Amount"}, Records: [][]string{{"Smith & <Sons>", "12.5"}}},
		}},
		{Name: "wide.xml", Text: utf16le(workbookXML("", worksheet("Łódź", row(text("город"), text("n"))+row(text("Łódź"), number("1"))))), Sheets: []sourcetest.Sheet{
			{Name: "Łódź", Headers: []string{"город", "n"}, Records: [][]string{{"Łódź", "1"}}},
		}},
		{Name: "latin.xml", Text: []byte(strings.Replace(workbookXML("", worksheet("One", row(text("caf\xe9"), text("b"))+row(text("\x80"), text("2")))), "UTF-8", "ISO-8859-1", 1)), Sheets: []sourcetest.Sheet{
			{Name: "One", Headers: []string{"café", "b"}, Records: [][]string{{"€", "2"}}},
		}},
	}
	for _, table := range sourcetest.LargeTables() {
		s := table.Sample()
		s.Text, s.Sheets[0].Name, s.Sheets[0].Lines = written(table), "One", nil
		if table.Name != "wide" { // a workbook has no records for rows without text
			samples = append(samples, s)
		}
	}
	sourcetest.Run(t, Format{}, samples)
}

func written(table sourcetest.Table) []byte {
	var rows strings.Builder
	for _, record := range append([][]string{table.Headers}, table.Records...) {
		rows.WriteString("<Row>")
		for _, cell := range record {
			rows.WriteString(text("<![CDATA[" + cell + "]]>"))
		}
		rows.WriteString("</Row>")
	}
	return []byte(workbookXML("", worksheet("One", rows.String())))
}

func TestDetect(t *testing.T) {
	for name, test := range map[string]struct {
		text  string
		score float64
	}{
		"excel":              {workbookXML("", worksheet("One", "")), 0.98},
		"reporting":          {reporting, 0.98},
		"wide":               {string(utf16le(workbookXML("", worksheet("One", "")))), 0.98},
		"blank lines before": {"\r\n\n" + workbookXML("", ""), 0.98},
		"another XML":        {`<?xml version="1.0"?><rows><row/></rows>`, 0},
		"word":               {`<?xml version="1.0"?><?mso-application progid="Word.Document"?><w:wordDocument/>`, 0},
		"a page":             {`<html><body><table><tr><td>urn:schemas-microsoft-com:office:spreadsheet</td></tr></table></body></html>`, 0},
		"CSV that names it":  {`a,<?mso-application progid="Excel.Sheet"?>`, 0},
		"nothing":            {"", 0},
	} {
		if score, reason := (Format{}).Detect(sourcetest.NewInput("a.xls", []byte(test.text)), []byte(test.text)); score != test.score || (score > 0) == reason.IsZero() {
			t.Errorf("%s: score %v, reason %q", name, score, reason)
		}
	}
}

func TestCells(t *testing.T) {
	styled := func(id, kind, value string) string {
		return fmt.Sprintf(`<Cell ss:StyleID="%s"><Data ss:Type="%s">%s</Data></Cell>`, id, kind, value)
	}
	formats := `<Style ss:ID="parent"><NumberFormat ss:Format="Short Date"/></Style><Style ss:ID="child" ss:Parent="parent"><Font/></Style>` +
		`<Style ss:ID="round" ss:Parent="round"/>` + numberFormat("text", "@") + numberFormat("kg", `0.0" kg"`) + numberFormat("star", `"*"@`) + numberFormat("none of it", ";;;")
	for _, named := range []string{"General Number", "General Date", "Long Date", "Medium Date", "Short Date", "Long Time", "Medium Time", "Short Time",
		"Currency", "Euro Currency", "Fixed", "Standard", "Percent", "Scientific", "Yes/No", "True/False", "On/Off"} {
		formats += numberFormat(named, named)
	}
	for name, test := range map[string]struct{ rows, want string }{
		"unknown elements": {`<Row><Comment><b/></Comment>` + text("a") + `<Other/>` + text("b") + `</Row>`, "1: 0t=a 1t=b\n"},
		"kinds": {row(text("a"), number("-12.50"), `<Cell><Data ss:Type="Boolean">1</Data></Cell>`, `<Cell><Data ss:Type="Boolean">0</Data></Cell>`, `<Cell><Data ss:Type="Error">#N/A</Data></Cell>`),
			"1: 0t=a 1n=-12.5 2b=true|TRUE 3b=false|FALSE 4e=#N/A\n"},
		"numbers":              {row(number("1E3"), number("0.1"), number("12345678901"), number("-0"), number("0.30000000000000004")), "1: 0n=1000 1n=0.1 2n=12345678901 3n=0 4n=0.3\n"},
		"invalid values":       {row(number("1,5"), number("Inf"), `<Cell><Data ss:Type="Boolean">yes</Data></Cell>`, `<Cell><Data ss:Type="DateTime">soon</Data></Cell>`, `<Cell><Data ss:Type="Odd">x</Data></Cell>`), "1: 0t=1,5 1t=Inf 2t=yes 3t=soon 4t=x\n"},
		"dates without style":  {row(`<Cell><Data ss:Type="DateTime">2004-01-15T00:00:00.000</Data></Cell>`, `<Cell><Data ss:Type="DateTime">2004-01-15T08:30:00.500</Data></Cell>`), "1: 0d=2004-01-15 1D=2004-01-15T08:30:00.5\n"},
		"dates":                {row(styled("Short Date", "DateTime", "2004-01-15T00:00:00.000"), styled("General Date", "DateTime", "1900-02-28T18:00:00"), styled("Short Time", "DateTime", "1899-12-31T08:30:00.000"), styled("Medium Date", "Number", "38001")), "1: 0d=2004-01-15|1/15/04 1D=1900-02-28T18:00:00|2/28/00 18:00 2T=08:30:00|8:30 3d=2004-01-15|15-Jan-04\n"},
		"early dates":          {row(styled("Short Date", "DateTime", "1815-12-10T00:00:00.000"), styled("General Date", "DateTime", "0001-01-01T06:00:00")), "1: 0d=1815-12-10 1D=0001-01-01T06:00:00\n"},
		"more dates":           {row(styled("Long Date", "Number", "38001"), styled("Long Time", "Number", "0.75"), styled("Medium Time", "Number", "0.75")), "1: 0d=2004-01-15|Thursday, January 15, 2004 1T=18:00:00|6:00:00 PM 2T=18:00:00|6:00 PM\n"},
		"named":                {row(styled("Currency", "Number", "1234.5"), styled("Fixed", "Number", "2"), styled("Standard", "Number", "1234"), styled("Percent", "Number", "0.5"), styled("Scientific", "Number", "1500"), styled("General Number", "Number", "7")), "1: 0n=1234.5|$1,234.50  1n=2|2.00 2n=1234|1,234.00 3n=0.5|50.00% 4n=1500|1.50E+03 5n=7\n"},
		"named for two":        {row(styled("Yes/No", "Number", "1"), styled("True/False", "Number", "0"), styled("On/Off", "Number", "-1")), "1: 0n=1|Yes 1n=0|False 2n=-1|On\n"},
		"codes":                {row(styled("kg", "Number", "2"), styled("star", "String", "a"), styled("text", "Number", "12"), styled("none", "Number", "12")), "1: 0n=2|2.0 kg 1t=a|*a 2n=12 3n=12\n"},
		"of a parent":          {row(styled("child", "Number", "38001"), styled("round", "Number", "1")), "1: 0d=2004-01-15|1/15/04 1n=1\n"},
		"of the row":           {`<Row ss:StyleID="Percent">` + number("1") + styled("Default", "Number", "1") + `</Row>`, "1: 0n=1|100.00% 1n=1\n"},
		"day zero":             {row(styled("Short Date", "DateTime", "1899-12-31T06:00:00.000"), styled("Short Date", "DateTime", "1899-12-30T00:00:00")), "1: 0n=0.25|1/0/00 1d=1899-12-30\n"},
		"of a boolean":         {row(styled("none of it", "Boolean", "1"), styled("kg", "Boolean", "0"), styled("star", "Boolean", "1")), "1: 0b=true| 1b=false|FALSE 2b=true|*TRUE\n"},
		"of the column":        {`<Column/><Column ss:StyleID="Percent" ss:Span="1"/><Column ss:Index="9" ss:StyleID="kg" ss:Span="999999"/>` + row(number("1"), number("1"), number("1"), number("1"), `<Cell ss:Index="9"><Data ss:Type="Number">3</Data></Cell>`), "1: 0n=1 1n=1|100.00% 2n=1|100.00% 3n=1 8n=3|3.0 kg\n"},
		"rows out of order":    {`<Row ss:Index="5">` + number("1") + `</Row><Row ss:Index="4">` + number("2") + `</Row>` + row(number("3")) + `<Row ss:Index="9">` + number("4") + `</Row>`, "5: 0n=1\n6: 0n=2\n7: 0n=3\n9: 0n=4\n"},
		"cells out of order":   {row(text("a"), `<Cell ss:Index="3"><Data ss:Type="String">c</Data></Cell>`, `<Cell ss:Index="1"><Data ss:Type="String">d</Data></Cell>`, text("b")), "1: 0t=d 1t=b 2t=c\n"},
		"rich text":            {row(`<Cell><ss:Data ss:Type="String" xmlns="http://www.w3.org/TR/REC-html40"><B>Bo<I>l</I>d</B><Font html:Color="#FF0000"> red &amp; more</Font></ss:Data></Cell>`), "1: 0t=Bold red & more\n"},
		"a comment":            {row(`<Cell><Comment ss:Author="x"><ss:Data>remark</ss:Data></Comment><Data ss:Type="String">a</Data><Comment><ss:Data>remark</ss:Data></Comment></Cell>`), "1: 0t=a\n"},
		"a formula":            {row(`<Cell ss:Formula="=IF(RC[-1]&gt;1,&quot;a>b&quot;,'x')"><Data ss:Type="Number">3</Data></Cell>`, `<Cell ss:Formula="=1"/>`), "1: 0n=3\n"},
		"places":               {`<Row ss:Index="3"><Cell ss:Index="2"><Data ss:Type="String">a</Data></Cell>` + text("b") + `</Row>` + row(text("c")) + `<Row ss:Span="4" ss:Height="9"/>` + row(text("d")), "3: 1t=a 2t=b\n4: 0t=c\n10: 0t=d\n"},
		"merged":               {row(`<Cell ss:MergeAcross="2" ss:MergeDown="1"><Data ss:Type="String">a</Data></Cell>`, text("b")) + `<Row><Cell ss:Index="4"><Data ss:Type="String">c</Data></Cell></Row>`, "1: 0t=a 3t=b\nmerged A1:C2\n2: 3t=c\n"},
		"merged out of bounds": {row(`<Cell ss:MergeAcross="2000000000"><Data ss:Type="String">a</Data></Cell>`), "1: 0t=a\nmerged A1:XFD1\n"},
		"hidden":               {`<Row ss:Hidden="1">` + text("a") + `</Row>`, "hidden 1: 0t=a\n"},
		"white space":          {row(text("  a\r\n b\t"), text(""), text("&#x20AC;&lt;&nbsp;&apos;")), "1: 0t=  a\n b\t 2t=€<\u00a0'\n"},
		"not UTF-8":            {row(text("caf\xe9")), "1: 0t=café\n"},
		"remarks":              {"<!-- a > b -->" + row("<!-- - -- --><?pi ?>", text("a<!-- x -->b")), "1: 0t=ab\n"},
		"empty":                {row() + "<Row/>", ""},
	} {
		got, err := contents(t, workbookXML(formats, worksheet("One", test.rows)), 0, source.Limits{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestRepairsReported checks that rows and cells out of order are reported, with the values that
// are not read.
func TestRepairsReported(t *testing.T) {
	doc := workbookXML("", worksheet("One", `<Row ss:Index="2">`+text("a")+`<Cell ss:Index="1"><Data ss:Type="String">b</Data></Cell></Row><Row ss:Index="2">`+text("c")+`</Row>`))
	_, evidence := sourcetest.Open(t, Format{}, doc, source.Options{})
	if evidence["row numbers"] != "2" || evidence["repeated cells"] != "A2: a" {
		t.Errorf("%v", evidence)
	}
}

func TestTextAfterTheEnd(t *testing.T) {
	_, evidence := sourcetest.Open(t, Format{}, workbookXML("", worksheet("One", row(text("a"))))+"\n</junk", source.Options{})
	if evidence["text after the end"] != "XML" {
		t.Errorf("%v", evidence)
	}
}

// TestTableStyle checks that a cell has the style of the table unless it, its row or its column has
// a style.
func TestTableStyle(t *testing.T) {
	table := `<Worksheet ss:Name="One"><Table ss:StyleID="kg"><Column/><Column ss:StyleID="text"/>` + row(number("1"), number("2"), number("3")) + `</Table></Worksheet>`
	got, err := contents(t, workbookXML(numberFormat("kg", `0.0" kg"`)+numberFormat("text", "@"), table), 0, source.Limits{})
	if want := "1: 0n=1|1.0 kg 1n=2 2n=3|3.0 kg\n"; got != want || err != nil {
		t.Errorf("%q, error %v, want %q", got, err, want)
	}
}

func TestEvidence(t *testing.T) {
	doc := workbookXML("", `<ExcelWorkbook xmlns="urn:schemas-microsoft-com:office:excel"><Date1904/></ExcelWorkbook>`,
		worksheet("A &amp; B", `<Column ss:Hidden="1" ss:Span="2"/><Row ss:Hidden="1">`+text("a")+`</Row>`+row(text("b"))),
		`<Worksheet ss:Name="Secret"><Table>`+row(`<Cell><Data ss:Type="DateTime">1904-01-02T00:00:00</Data></Cell>`)+
			`</Table><WorksheetOptions xmlns="urn:schemas-microsoft-com:office:excel"><Visible>SheetVeryHidden</Visible></WorksheetOptions></Worksheet>`,
		`<Worksheet ss:Name="Bare"/>`)
	book, err := Format{}.Open(t.Context(), sourcetest.NewInput("", []byte(doc)), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range book.Evidence() {
		got = append(got, e.Choice+"="+e.Value)
	}
	want := []string{"encoding=UTF-8", "date system=1904", "hidden sheets=Secret", "hidden rows=A & B: 1", "hidden columns=A & B: 3"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("evidence (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]source.Sheet{{Name: "A & B"}, {Name: "Secret", Hidden: true}, {Name: "Bare"}}, book.Sheets()); diff != "" {
		t.Errorf("sheets (-want +got):\n%s", diff)
	}
}
