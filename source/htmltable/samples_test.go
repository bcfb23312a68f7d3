package htmltable

import (
	"encoding/base64"
	"fmt"
	"html"
	"strings"
	"testing"

	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/csv"
	"github.com/intraydata/intray/source/sourcetest"
)

// These pages are like those that several kinds of programs write.
const (
	// scripted is the output of a script that writes HTML tags to a file named .xls.
	scripted = `<table border="1"><thead><tr><th>Nr.</th><th>Kunde</th><th>Betrag</th></tr></thead><tbody>` + "\n" +
		`<tr><td>00123</td><td>M&uuml;ller &amp; S&ouml;hne</td><td>1.234,50&nbsp;&euro;</td></tr>` + "\n" +
		`<tr><td>00124</td><td><a href="x?a=1&b=2">Caf&#233;</a><br/>Nord</td><td></td></tr></tbody></table>`
	// browser is a table that a browser script passes to Excel.
	browser = `<html xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:x="urn:schemas-microsoft-com:office:excel" xmlns="http://www.w3.org/TR/REC-html40"><head><!--[if gte mso 9]><xml><x:ExcelWorkbook><x:ExcelWorksheets><x:ExcelWorksheet><x:Name>Sales &amp; More</x:Name><x:WorksheetOptions><x:DisplayGridlines/></x:WorksheetOptions></x:ExcelWorksheet></x:ExcelWorksheets></x:ExcelWorkbook></xml><![endif]--><meta http-equiv="content-type" content="text/plain; charset=UTF-8"/></head><body><table><tr><td>id</td><td>name</td></tr><tr><td>1</td><td>Łódź</td></tr></table></body></html>`
	// database is the output of SQL*Plus with SET MARKUP HTML ON.
	database = "<html>\n<head>\n<meta http-equiv=\"Content-Type\" content=\"text/html; charset=WINDOWS-1252\">\n<title>SQL*Plus Report</title>\n<style type='text/css'> body {font:10pt Arial} </style></head>\n<body>\n<p>\n<table border='1' width='90%' align='center' summary='Script output'>\n<tr>\n<th scope=\"col\">\nENAME\n</th>\n<th scope=\"col\">\nSAL\n</th>\n</tr>\n<tr>\n<td>\nSM\xcfTH\n</td>\n<td align=\"right\">\n       800\n</td>\n</tr>\n<tr>\n<td>\nALLEN\n</td>\n<td align=\"right\">\n&nbsp;\n</td>\n</tr>\n</table>\n<p>\n\n2 rows selected.<br>\n</body>\n</html>\n"
	// excel is a "Web Page" saved by Excel. It has values in addition to the displayed text.
	excel = `<html xmlns:v="urn:schemas-microsoft-com:vml" xmlns:x="urn:schemas-microsoft-com:office:excel">
<head><meta name=ProgId content=Excel.Sheet><meta http-equiv=Content-Type content="text/html; charset=windows-1252">
<style><!--table {mso-displayed-decimal-separator:"\.";}
.xl24 {mso-style-parent:style0; mso-number-format:"Short Date";}
.xl25, td.xl26
	{mso-number-format:"\0022$\0022\#\,\#\#0\.00";}
.xl27 {mso-number-format:"\@";}
--></style>
<!--[if gte mso 9]><xml> <x:ExcelWorkbook> <x:ExcelWorksheets> <x:ExcelWorksheet> <x:Name>Orders</x:Name> </x:ExcelWorksheet> </x:ExcelWorksheets> </x:ExcelWorkbook></xml><![endif]-->
</head>
<body link=blue vlink=purple>
<table x:str border=0 cellpadding=0 cellspacing=0 width=192 style='border-collapse: collapse;table-layout:fixed;width:144pt'>
 <col width=64 span=3 style='width:48pt'>
 <tr height=17><td height=17 class=xl24>day</td><td>price</td><td>code</td><td>ok</td></tr>
 <tr height=17><td class=xl24 align=right x:num="38001">1/15/2004</td><td class=xl26 align=right x:num="1234.5"><span style='mso-spacerun:yes'>&nbsp;</span>$1,234.50<span
  style='mso-spacerun:yes'>&nbsp;</span></td><td class=xl27 x:num="7">007</td><td align=center x:bool="TRUE">TRUE</td></tr>
 <tr height=17 style='display:none'><td class=xl24 align=right x:num="38002">1/16/2004</td><td align=right x:num>12.5</td><td>x</td><td align=center x:err="#N/A">#N/A</td></tr>
 <![if supportMisalignedColumns]><tr height=0 style='display:none'><td width=64 style='width:48pt'></td><td width=64></td></tr><![endif]>
</table>
</body>
</html>
`
	// report is the output of a reporting tool that uses tables for its whole layout.
	report = `<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN"><HTML><HEAD><TITLE>Stock</TITLE></HEAD><BODY><TABLE CELLSPACING="0"><TR><TD>Stock report</TD></TR><TR><TD>` +
		`<TABLE ID="stock"><TR><TD>Item</TD><TD>Count</TD></TR><TR><TD>Bolt</TD><TD>7</TD></TR><TR><TD>Nut</TD><TD>9</TD></TR></TABLE></TD></TR></TABLE></BODY></HTML>`
)

// mhtml returns a single-file web page. Each part consists of a name, a transfer
// encoding and a body.
func mhtml(parts ...[3]string) string {
	out := "MIME-Version: 1.0\r\nX-Document-Type: Workbook\r\nContent-Type: multipart/related;\r\n\tboundary=\"----=_NextPart_01\"\r\n\r\nThis document is a single-file web page.\r\n\r\n"
	for _, p := range parts {
		body := p[2]
		switch p[1] {
		case "base64":
			body = base64.StdEncoding.EncodeToString([]byte(body))
		case "quoted-printable":
			body = strings.NewReplacer("=", "=3D", "é", "=C3=A9", "</tr>", "</tr>=\r\n").Replace(body)
		}
		out += fmt.Sprintf("------=_NextPart_01\r\nContent-Location: file:///C:/Book_files/%s\r\nContent-Transfer-Encoding: %s\r\nContent-Type: text/html; charset=\"utf-8\"\r\n\r\n%s\r\n", p[0], p[1], body)
	}
	return out + "------=_NextPart_01--\r\n"
}

// workbookPage returns a single-file web page with two sheets like those that Excel saves.
func workbookPage() string {
	list := `<html><head><xml><x:ExcelWorkbook><x:ExcelWorksheets><x:ExcelWorksheet><x:Name>Cafés</x:Name><x:WorksheetSource HRef="Book_files/sheet001.htm"/></x:ExcelWorksheet>` +
		`<x:ExcelWorksheet><x:Name>Two</x:Name><x:WorksheetSource HRef="Book_files/sheet002.htm"/></x:ExcelWorksheet></x:ExcelWorksheets></x:ExcelWorkbook></xml></head><frameset rows="*,39"><frame src="Book_files/sheet001.htm"></frameset></html>`
	return mhtml([3]string{"Book.htm", "quoted-printable", list},
		[3]string{"tabstrip.htm", "quoted-printable", "<table><tr><td>Cafés</td><td>Two</td></tr></table>"},
		[3]string{"sheet002.htm", "base64", "<table><tr><td>x</td><td>y</td></tr><tr><td>3</td><td>4</td></tr></table>"},
		[3]string{"sheet001.htm", "quoted-printable", "<table><tr><td class=a>a</td><td>b</td></tr><tr><td>é</td><td>2</td></tr></table>"})
}

func utf16le(text string) []byte { return sourcetest.UTF16LE("\uFEFF" + text) }

func TestSuite(t *testing.T) {
	samples := []sourcetest.Sample{
		{Name: "scripted.xls", Text: []byte(scripted), Sheets: []sourcetest.Sheet{{Headers: []string{"Nr.", "Kunde", "Betrag"},
			Records: [][]string{{"00123", "Müller & Söhne", "1.234,50\u00a0€"}, {"00124", "Café\nNord", ""}}, Lines: []int64{2, 3}}}},
		{Name: "browser.xls", Text: []byte(browser), Sheets: []sourcetest.Sheet{{Name: "Sales & More", Headers: []string{"id", "name"}, Records: [][]string{{"1", "Łódź"}}}}},
		{Name: "wide.html", Text: utf16le(browser), Sheets: []sourcetest.Sheet{{Name: "Sales & More", Headers: []string{"id", "name"}, Records: [][]string{{"1", "Łódź"}}}}},
		{Name: "database.xls", Text: []byte(database), Sheets: []sourcetest.Sheet{{Headers: []string{"ENAME", "SAL"}, Records: [][]string{{"SMÏTH", "800"}, {"ALLEN", ""}}}}},
		{Name: "excel.htm", Text: []byte(excel), Sheets: []sourcetest.Sheet{{Name: "Orders", Headers: []string{"day", "price", "code", "ok"},
			Records: [][]string{{"1/15/2004", "$1,234.50", "007", "TRUE"}, {"1/16/2004", "12.5", "x", "#N/A"}}, Lines: []int64{2, 3}}}},
		{Name: "typed.htm", Text: []byte(excel), Options: source.Options{Typed: true}, Sheets: []sourcetest.Sheet{{Name: "Orders", Headers: []string{"day", "price", "code", "ok"},
			Records: [][]string{{"2004-01-15", "1234.5", "007", "true"}, {"2004-01-16", "12.5", "x", "#N/A"}}}}},
		{Name: "report.html", Text: []byte(report), Sheets: []sourcetest.Sheet{{Name: "stock", Headers: []string{"Item", "Count"}, Records: [][]string{{"Bolt", "7"}, {"Nut", "9"}}}}},
		{Name: "workbook.mht", Text: []byte(workbookPage()), Sheets: []sourcetest.Sheet{
			{Name: "Cafés", Headers: []string{"a", "b"}, Records: [][]string{{"é", "2"}}},
			{Name: "Two", Headers: []string{"x", "y"}, Records: [][]string{{"3", "4"}}},
		}},
	}
	for _, table := range sourcetest.LargeTables() {
		s := table.Sample()
		s.Text, s.Sheets[0].Lines = written(table), nil
		if table.Name == "tall" { // rows without text are not records, and line breaks in long cells become spaces
			samples = append(samples, s)
		}
	}
	sourcetest.Run(t, Format{}, samples)
}

func written(table sourcetest.Table) []byte {
	out := "<table>"
	var rows strings.Builder
	for _, record := range append([][]string{table.Headers}, table.Records...) {
		rows.WriteString("<tr>")
		for _, cell := range record {
			rows.WriteString("<td>" + html.EscapeString(cell) + "</td>")
		}
		rows.WriteString("</tr>\n")
	}
	return []byte(out + rows.String() + "</table>")
}

func TestDetect(t *testing.T) {
	cell := `"<table><tr><td>a</td></tr></table>"`
	for name, test := range map[string]struct {
		file, text string
		low, high  float64
	}{
		"scripted":                  {"a.xls", scripted, 0.91, 1},
		"named as CSV":              {"a.csv", scripted, 0.91, 1},
		"browser":                   {"", browser, 0.91, 1},
		"wide":                      {"", string(utf16le(browser)), 0.91, 1},
		"report":                    {"", report, 0.91, 1},
		"XHTML":                     {"", "<?xml version=\"1.0\"?>\n<!-- x -->\n<html xmlns=\"http://www.w3.org/1999/xhtml\"><body/></html>", 0.91, 1},
		"a login page":              {"a.xls", "<!DOCTYPE html><title>Sign in</title>", 0.91, 1},
		"single file":               {"a.xls", workbookPage(), 0.91, 1},
		"single file, no blank":     {"a.xls", "From: <x>\nSubject: y\nMIME-Version: 1.0\nContent-Type: multipart/related; boundary=x", 0.91, 1},
		"a heading first":           {"a.xls", "<h1>Report</h1>" + scripted, 0.91, 1},
		"a heading first, no name":  {"", "<h1>Report</h1>" + scripted, 0.2, 0.7},
		"CSV of tables":             {"a.csv", "id,text\n1," + cell + "\n", 0, 0},
		"CSV that begins with them": {"a.csv", cell + ",1\n" + cell + ",2\n", 0, 0},
		"CSV that begins with tags": {"a.csv", "<b>a</b>,1\n<b>b</b>,2\n", 0, 0},
		"tabs":                      {"a.xls", "id\ttext\n1\t<table><tr><td>x\n", 0, 0},
		"a mail header in CSV":      {"a.csv", "MIME-Version: 1.0,multipart/related\n", 0, 0.9},
		"XML":                       {"a.xls", `<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?><Workbook xmlns="urn:x"><Table/></Workbook>`, 0, 0.1},
		"an open comment":           {"", "<!-- <table>", 0, 0},
		"an open declaration":       {"", "<?xml", 0, 0},
		"an angle":                  {"", "<", 0, 0},
		"nothing":                   {"a.html", "", 0, 0},
	} {
		score, reason := Format{}.Detect(sourcetest.NewInput(test.file, []byte(test.text)), []byte(test.text))
		if score < test.low || score > test.high || (score > 0) == reason.IsZero() {
			t.Errorf("%s: score %v, reason %q", name, score, reason)
		}
	}
}

// Web pages are detected as HTML, and CSV files with HTML in their cells as CSV.
func TestDistinguishedFromCSV(t *testing.T) {
	for name, test := range map[string]struct{ file, text, want string }{
		"a page named as CSV":      {"a.csv", scripted, "html"},
		"a page without a name":    {"", report, "html"},
		"a heading first":          {"a.xls", "<h1>Stock, 2024</h1>\n" + scripted, "html"},
		"a login page":             {"a.csv", "<!DOCTYPE html>\n<html><title>Sign in</title></html>", "html"},
		"CSV of tables":            {"a.csv", "id,text\n1,\"<table><tr><td>a</td></tr></table>\"\n", "csv"},
		"CSV of tables, no name":   {"", "id;text\n1;<html><table><tr><td>a</td></tr></table></html>\n2;<p>b</p>\n", "csv"},
		"CSV beginning with a tag": {"", "<b>a</b>,1\n<b>b</b>,2\n<b>c</b>,3\n", "csv"},
		"tabs named .xls":          {"a.xls", "id\ttext\n1\t<table><tr><td>x</td></tr></table>\n2\ty\n", "csv"},
		"CSV of whole cells":       {"a.csv", "<div><table><tr><td>x</td></tr></table></div>,5\n<div>y</div>,6\n", "csv"},
	} {
		book, err := source.Open(t.Context(), sourcetest.NewInput(test.file, []byte(test.text)), []source.Format{Format{}, csv.Format{}}, source.Options{})
		got := "html" // the Open method of this format can reject a page without a table
		if err == nil {
			got = book.Evidence()[0].Value
		}
		if got != test.want {
			t.Errorf("%s: read as %s, error %v", name, got, err)
		}
	}
}
