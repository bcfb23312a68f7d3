package htmltable

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

func TestRefuses(t *testing.T) {
	small := source.Options{Limits: source.Limits{Columns: 5, Cells: 20, CellBytes: 1000, RecordBytes: 1500}}
	unreadable := func(line int64, reason string) error {
		return &source.UnreadableError{Line: line, Reason: intray.Literal(reason)}
	}
	limit := func(line int64, reason string) error {
		return &source.LimitError{Line: line, Reason: intray.Literal(reason)}
	}
	const x1000 = 1000
	long := strings.Repeat("x", x1000+1)
	frames := `<x:ExcelWorkbook><x:ExcelWorksheets><x:ExcelWorksheet><x:Name>A</x:Name><x:WorksheetSource HRef="Book1_files/sheet001.htm"/></x:ExcelWorksheet></x:ExcelWorksheets></x:ExcelWorkbook>`
	for name, test := range map[string]struct {
		page string
		want error
	}{
		"empty":              {" \n\t", source.ErrEmpty},
		"no table":           {"<html><body>Hello</body></html>", unreadable(0, "the file is a web page without a table")},
		"no table, titled":   {"<html><title> All\n is well </title>", unreadable(0, `titled "All is well" that contains no table`)},
		"a login page":       {"<html><title>Sign in</title><form><input name=p type=Password></form>", unreadable(0, `titled "Sign in" that contains no table; it looks like a sign-in page`)},
		"an error page":      {"<html><title>502 Bad Gateway</title>", unreadable(0, `titled "502 Bad Gateway" that contains no table; it looks like an error page`)},
		"sheets elsewhere":   {"<html><!--[if gte mso 9]><xml>" + frames + "</xml><![endif]--><frameset>", unreadable(0, "its sheets are in other files (Book1_files/sheet001.htm and so on)")},
		"cut in a cell":      {"<table><tr><td>a<tr><td>b", unreadable(2, "the file ends in the middle of this table row")},
		"cut in a tag":       {"<table><tr><td>a</tr><tr", unreadable(2, "the file ends in the middle")},
		"columns":            {"<table><tr><td>a<tr><td>1<td>2<td>3<td>4<td>5<td>6</table>", limit(2, "a row has more than 5 cells")},
		"columns spanned":    {"<table><tr><td>1<td colspan=1000>a<td>b</table>", limit(1, "a row has more than 5 cells")},
		"cells":              {"<table>" + strings.Repeat("<tr><td><td><td>a<td>", 6) + "</table>", limit(6, "the sheet has more than 20 cells")},
		"exactly the limits": {"<table>" + strings.Repeat("<tr><td>a<td>b<td>c<td>d<td>e", 3) + "<tr><td>" + long[1:] + "<td>" + long[:497] + "<td>a<td>b<td>c</table>", nil},
		"a long cell":        {"<table><tr><td>a" + strings.Repeat("<b>xxxxxxxxxx</b>", 101) + "</table>", limit(1, "the cell in column 1 is longer than 1,000 bytes")},
		"a long row":         {"<table><tr><td>" + long[1:] + "<td>" + long[1:] + "</table>", limit(1, "the row is longer than 1,500 bytes")},
		"a very long text":   {strings.Repeat(long, 1100), limit(0, "a tag or a piece of text in the page is longer than 1,049,576 bytes")},
		"a very long tag":    {"<table><tr><td a='" + strings.Repeat(long, 1100) + "'>", limit(0, "a tag or a piece of text in the page is longer")},
		"deep tables":        {strings.Repeat("<table><tr><td>", 40), limit(0, "tables are nested more than 32 levels deep")},
		"many tables":        {strings.Repeat("<table><tr><td>a</table>", 10_001), limit(0, "more than 10,000 tables")},
		"a broken head":      {"MIME-Version: 1.0\nContent-Type: multipart/related\n\n--x", unreadable(0, "does not define how its parts are separated")},
		"no parts":           {mhtml(), unreadable(0, "contains no web page")},
		"a truncated part":   {workbookPage()[:len(workbookPage())-60], unreadable(0, "ends in the middle of a part")},
		"a broken part":      {mhtml([3]string{"a.htm", "base64x", "x"}, [3]string{"b.htm", "quoted-printable", ""}) + "", unreadable(0, "without a table")},
		"a damaged head":     {strings.Replace(workbookPage(), "Content-Transfer-Encoding: base64", "Content-Transfer-Encoding base64", 1), unreadable(0, "one of its parts is unreadable")},
		"cut in a head":      {workbookPage()[:strings.LastIndex(workbookPage(), "quoted-printable")+5], unreadable(0, "ends in the middle of a part")},
		"cut at a boundary":  {strings.TrimSuffix(workbookPage(), "--\r\n"), unreadable(0, "ends in the middle of a part")},
		"bad base64":         {strings.Replace(mhtml([3]string{"a.htm", "base64", "<table><tr><td>a</table>"}), "PHRh", "****", 1), unreadable(0, "one of its parts is unreadable")},
		"bad quotes":         {strings.Replace(mhtml([3]string{"a.htm", "quoted-printable", "<table><tr><td>a</table>"}), "<td>", "<td>\x01", 1), unreadable(0, "one of its parts is unreadable")},
	} {
		t.Run(name, func(t *testing.T) { sourcetest.RequireError(t, Format{}, test.page, small, test.want) })
	}
	sourcetest.RequireError(t, Format{}, scripted, source.Options{Encoding: "klingon"}, unreadable(0, `the encoding "klingon" is unknown`))
}

// TestArchiveStoreFails checks that a failure of the store is reported at each read of a
// single-file web page, and is not mistaken for the end of the archive.
func TestArchiveStoreFails(t *testing.T) {
	sourcetest.FailEachRead(t, sourcetest.NewInput("page.mht", []byte(workbookPage())), func(in source.Input) error {
		book, err := Format{}.Open(t.Context(), in, source.Options{})
		if err != nil {
			return err
		}
		return book.Close()
	})
}

// The rows before the end of a truncated page are returned before the error.
func TestRowsBeforeTruncation(t *testing.T) {
	page := "<table><tr><th>name<th>count</tr>" + strings.Repeat("<tr><td>a<td>1</tr>", 999) + "<tr><td>c<td>2"
	reader, err := open(t, page).Open(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	batch, rows := &intray.Records{}, 0
	for err == nil {
		err = reader.Next(t.Context(), batch)
		rows += batch.Len()
	}
	var damage *source.UnreadableError
	if rows != 999 || !errors.As(err, &damage) || damage.Line != 1001 {
		t.Errorf("%d rows, error %v", rows, err)
	}
}

func TestEncodings(t *testing.T) {
	page := func(head, cell string) string {
		return "<html><head>" + head + "</head><table><tr><td>h</td></tr><tr><td>" + cell + "</td></tr></table>"
	}
	meta := func(label string) string {
		return `<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=` + label + `">`
	}
	german := "Gr\xf6\xdfe f\xfcr M\xfcller und K\xf6nig, Stra\xdfe"
	utf8 := strings.Repeat("Größe für Müller und König, Straße; ", 20)
	far := strings.Repeat("<!-- plain text -->", 70_000)
	for name, test := range map[string]struct{ page, asked, want, cell string }{
		"declared":                  {page(meta("windows-1251"), "\xcf\xf0\xe8\xe2\xe5\xf2"), "", "windows-1251", "Привет"},
		"declared in short":         {page("<meta charset='iso-8859-1'>", "\x80"), "", "windows-1252", "€"},
		"declared for XML":          {`<?xml version="1.0" encoding="ISO-8859-9"?>` + page("", "\xfe"), "", "windows-1254", "ş"},
		"requested":                 {page(meta("utf-8"), "\xcf\xf0\xe8\xe2\xe5\xf2"), "cp1251", "windows-1251", "Привет"},
		"a byte order mark":         {"\uFEFF" + page(meta("windows-1251"), "é"), "", "UTF-8", "é"},
		"UTF-16 that cannot be":     {page(meta("utf-16"), "é"), "", "UTF-8", "é"},
		"undeclared":                {page("", german), "", "windows-1252", "Größe für Müller und König, Straße"},
		"declared UTF-8, is not":    {page(meta("utf-8"), german), "", "windows-1252", "Größe für Müller und König, Straße"},
		"declared other, is UTF-8":  {page(meta("windows-1252"), utf8), "", "UTF-8", strings.TrimSpace(utf8)},
		"an unknown label":          {page(meta("klingon"), "é"), "", "UTF-8", "é"},
		"far after the sample":      {page(far, german), "", "windows-1252", "Größe für Müller und König, Straße"},
		"UTF-8 far after":           {page(far, "é"), "", "UTF-8", "é"},
		"declared after the tables": {page("", "a<td>\xe9") + meta("windows-1251"), "windows-1252", "windows-1252", "a"},
		"declared in a table":       {page("", german+meta("windows-1251")), "", "windows-1252", "Größe für Müller und König, Straße"},
	} {
		in := sourcetest.NewInput("", []byte(test.page))
		book, err := Format{}.Open(t.Context(), in, source.Options{Encoding: test.asked})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if e := book.Evidence()[0]; e.Choice != "encoding" || e.Value != test.want || e.Reason.IsZero() {
			t.Errorf("%s: %v", name, e)
		}
		sheets, err := sourcetest.ReadAll(t.Context(), Format{}, in, source.Options{Encoding: test.asked, AsIs: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := sheets[0].Records[1][0]; got != test.cell {
			t.Errorf("%s: cell %q, want %q", name, got, test.cell)
		}
	}
}

// The evidence for an uncertain encoding lists one alternative.
func TestUncertainEncodingEvidence(t *testing.T) {
	for _, e := range open(t, "<table><tr><td>n<td>b<tr><td>\xa4x<td>1</table>").Evidence() {
		if e.Choice == "encoding" && (!e.Tie || len(e.Alternatives) != 1) {
			t.Errorf("evidence of the encoding: %+v", e)
		}
	}
}

// TestParts checks the sheets of pages whose parts refer to each other in different ways.
func TestParts(t *testing.T) {
	sheet := func(name, head string) string {
		return fmt.Sprintf("--b\n%s\nContent-Type: text/html\n\n<table><tr><td>%s</table>\n", head, name)
	}
	list := func(reference string) string {
		return "MIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html\n\n<x:ExcelWorksheet><x:Name>N</x:Name><x:WorksheetSource HRef='" + reference + "'/></x:ExcelWorksheet>\n"
	}
	for name, test := range map[string]struct{ page, want string }{
		"by location":  {list("x/sheet%20one.htm") + sheet("a", "Content-Location: sheet one.htm") + "--b--", "[N]/a"},
		"by id":        {list("cid:One") + sheet("a", "Content-ID: <one>") + "--b--", "[N]/a"},
		"unreferenced": {list("") + sheet("a", "X: y") + sheet("b", "X: y") + "--b--", "[]/a []/b"},
		"end missing":  {list("cid:One") + sheet("a", "Content-ID: <one>"), "the MHTML file is incomplete: it ends in the middle of a part"},
	} {
		if got := rowsOf(t, test.page); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}
