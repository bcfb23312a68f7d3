package htmltable

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
	"github.com/intraydata/intray/source/workbook"
)

// rowsOf returns the sheets of a page as text, with one line per row and | between cells.
func rowsOf(t *testing.T, page string) string {
	t.Helper()
	sheets, err := sourcetest.ReadAll(t.Context(), Format{}, sourcetest.NewInput("", []byte(page)), source.Options{AsIs: true})
	if err != nil {
		return err.Error()
	}
	var out []string
	for _, s := range sheets {
		lines := []string{}
		if len(sheets) > 1 || s.Name != "" {
			lines = append(lines, "["+s.Name+"]")
		}
		for _, record := range s.Records {
			lines = append(lines, strings.Join(record, "|"))
		}
		out = append(out, strings.Join(lines, "/"))
	}
	return strings.Join(out, " ")
}

func TestCells(t *testing.T) {
	for name, test := range map[string]struct{ cell, want string }{
		"white space":        {" \n a \t b\r\n", "a b"},
		"lines":              {"a<br>b<br/>c</br>d", "a\nb\nc\nd"},
		"blank lines":        {"<br>a<br><br>b<br>", "a\n\nb"},
		"paragraphs":         {"<p>a</p>\n<p>b<br></p><div>c</div>d", "a\nb\nc\nd"},
		"lists":              {"<ul><li>a<li>b</ul>", "a\nb"},
		"entities":           {"&lt;b&gt; &amp; &#8364;&#x20AC; &unknown; &copy", "<b> & €€ &unknown; ©"},
		"inline tags":        {"<b>a</b><i>b</i> <span>c</span>", "ab c"},
		"hard spaces":        {"a&nbsp;&nbsp;b", "a\u00a0\u00a0b"},
		"only hard spaces":   {"&nbsp; &nbsp;", ""},
		"padding of numbers": {"<span style='mso-spacerun:yes'>&nbsp; </span>1,50 <span style='mso-spacerun: yes'> &nbsp;</span>", "1,50"},
		"kept white space":   {"<pre>a  b\n  c</pre>d", "a  b\n  c\nd"},
		"pre in pre":         {"<pre>a<pre>b</pre>c  d</pre></pre>e  f<pre>g  h</pre>", "a\nb\nc  d\ne f\ng  h"},
		"scripts":            {"a<script>if (1<2) x='</td>'</script><style>b{}</style><!-- c --><noscript>d</noscript>e", "ae"},
		"hidden":             {`<span style="display: none !important">20200101<span>x</span></span><b hidden>y</b>1.1.2020`, "1.1.2020"},
		"hidden without end": {`a<div style="display:none">b`, "a"},
		"hidden, but void":   {`a<img style="display:none">b`, "ab"},
		"fields":             {`<input value="a b"><input type=hidden value=x><input type=checkbox value=y><textarea>c</textarea>`, "a bc"},
		"broken bytes":       {"a\u00e9", "aé"},
		"a stray end":        {"a</b></div></table x", "a"},
	} {
		if got := rowsOf(t, "<table><tr><td>x</td><td>"+test.cell+"</td></tr></table>"); strings.TrimSuffix(got, "|") != strings.TrimSuffix("x|"+test.want, "|") {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

func TestTables(t *testing.T) {
	for name, test := range map[string]struct{ page, want string }{
		"missing end tags":        {"<table><tr><th>a<th>b<tr><td>1<td>2</table>", "a|b/1|2"},
		"missing rows":            {"<table><td>a<td>b</table>", "a|b"},
		"big letters":             {"<TABLE><TBODY><TR><TD COLSPAN=2>a<TD>b</TABLE>", "a||b"},
		"columns spanned":         {"<table><tr><td colspan=3>a<td>b<tr><td>1<td>2<td>3<td>4</table>", "a|||b/1|2|3|4"},
		"rows spanned":            {"<table><tr><td rowspan=2>a<td>b<tr><td>c<tr><td>d<td>e</table>", "a|b/|c/d|e"},
		"both spanned":            {"<table><tr><td>1<td rowspan=3 colspan=2>a<td>2<tr><td>3<td>4<tr><td>5<td>6</table>", "1|a||2/3|||4/5|||6"},
		"rows spanned to the end": {"<table><tbody><tr><td rowspan=0>a<td>b<tr><td>c<tbody><tr><td>d</table>", "a|b/|c/d"},
		"spans end with sections": {"<table><thead><tr><td rowspan=9>a<td>b</thead><tbody><tr><td>c</table>", "a|b/c"},
		"odd spans":               {"<table><tr><td colspan=0 rowspan=x>a<td colspan=-3>b<td colspan=2x>c<td>d<tr><td>e</table>", "a|b|c||d/e"},
		"huge spans":              {"<table><tr><td>a<td colspan=999999999999 rowspan=99999999999>b<tr><td>c</table>", "a|b/c"},
		"sections out of order":   {"<table><tfoot><tr><td>sum</tfoot><tr><td>1<tr><td>2<thead><tr><td>head</thead><tr><td>3</table>", "head/1/2/3/sum"},
		"sections in order":       {"<table><thead><tr><td>h<tbody><tr><td>1<tbody><tr><td>2<tfoot><tr><td>f</table>", "h/1/2/f"},
		"two heads":               {"<table><thead><tr><td>h<thead><tr><td>1<tfoot><tr><td>f<tfoot><tr><td>g</table>", "h/1/g/f"},
		"a caption":               {"<table id=x><caption>The  <b>name</b></caption><tr><td>a</table>", "[The name]/a"},
		"a caption without end":   {"<table><caption>name<tr><td>a</table>", "[name]/a"},
		"an id":                   {"<table id=x name=y><tr><td>a</table><table name=z><tr><td>b</table><table id=q title='T'><tr><td>c</table>", "[x]/a [z]/b [T]/c"},
		"names of Excel":          {"<xml><x:ExcelWorkbook><x:ExcelWorksheet><x:Name>A</x:Name></x:ExcelWorksheet><x:ExcelWorksheet><x:Name>B</x:Name></x:ExcelWorksheet></x:ExcelWorkbook></xml><table id=x><tr><td>1</table><table><tr><td>2</table>", "[A]/1 [B]/2"},
		"too few names of Excel":  {"<xml><x:ExcelWorksheet><x:Name>A</x:Name></x:ExcelWorksheet></xml><table id=x><tr><td>1</table><table><tr><td>2</table>", "[x]/1 []/2"},
		"empty tables":            {"<table><tr><td></table><table></table><table><tr><td>a</table>", "a"},
		"an empty table":          {"<html><table></table>", ""},
		"a table in a row":        {"<table><tr><td>a</td><table><tr><td>b</td></tr></table>", "[]/a []/b"},
		"layout":                  {"<table><tr><td>menu<td><table><tr><td>a<td>b<tr><td>1<td>2</table></td></tr></table>", "a|b/1|2"},
		"layout of two":           {"<table><tr><td><table id=x><tr><td>a</table><td><table id=y><tr><td>b</table></table>", "[x]/a [y]/b"},
		"deep layout":             {strings.Repeat("<table><tr><td>", 20) + "<table><tr><td>a</table>" + strings.Repeat("</table>", 20), "a"},
		"tables in cells":         {"<table><tr><td>a<td>b<tr><td>1<td><table><tr><td>x<td>y</table>z<tr><td>2<td>q</table>", "a|b/1|x y\nz/2|q"},
		"in doubt":                {"<table id=o><tr><td>a<td>b<tr><td>1<td><table id=i><tr><td>x<td>y<tr><td>3<td>4</table></table>", "[o]/a|b/1|x y\n3 4 [i]/x|y/3|4"},
		"tables that are hidden":  {"<table><tr><td>a<td>b<tr><td>1<td>c<table style='display:none'><tr><td>x</table>d<tr><td>2<td>e</table>", "a|b/1|c\nd/2|e"},
		"in a comment":            {"<!-- <table><tr><td>x</table> --><script>'<table><tr><td>y'</script><table><tr><td>a</table>", "a"},
		"rows that are hidden":    {"<table><tr style='DISPLAY : NONE'><td>a<tbody hidden><tr><td>b</table>", "a/b"},
		"empty rows":              {"<table><tr><td>a<tr><tr><td>&nbsp;<tr><td>b</table>", "a///b"},
		"missing end of page":     {"<table><tr><td>a</tr><tr><td>b</tr>", "a/b"},
		"text outside of cells":   {"<table>x<tr>y<td>a</td>z</tr>q</table>w", "a"},
	} {
		if got := rowsOf(t, test.page); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

func open(t *testing.T, page string) source.Book {
	t.Helper()
	book, err := Format{}.Open(t.Context(), sourcetest.NewInput("", []byte(page)), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return book
}

func TestEvidence(t *testing.T) {
	for name, test := range map[string]struct {
		page string
		want []string
	}{
		"plain":    {scripted, []string{"encoding=UTF-8", "tables=1"}},
		"excel":    {excel, []string{"encoding=windows-1252", "tables=1", "hidden rows=1"}},
		"layout":   {report, []string{"encoding=UTF-8", "tables=1", "layout tables=1"}},
		"workbook": {workbookPage(), []string{"encoding=UTF-8", "tables=2"}},
		"nested later": {"<table><tr><td>a<td>b</table><table><tr><td>a<td>b<tr><td>1<td><table><tr><td>x</table><table><tr><td>y</table><tr><td>2<td>c</table>",
			[]string{"encoding=UTF-8", "tables=2", "nested tables=2"}},
		"nested": {"<x:Date1904/><input type=password><table><tr><td>a<td>b<tr><td>1<td>2<table><tr><td>3</table><tr><td>1<td>2<span hidden>x</span></table><table><tr><td></table><table><tr><td>1<td>2<tr><td>1<td>x<table><tr><td>1<tr><td>2</table></table><table><tr><td>a</tr>",
			[]string{"encoding=UTF-8", "tables=4", "nested tables=1", "tables read twice=1", "empty tables=1", "hidden text=left out", "date system=1904", "end=missing", "page=asks for a password"}},
	} {
		var got []string
		for _, e := range open(t, test.page).Evidence() {
			got = append(got, e.Choice+"="+e.Value)
			if e.Reason.IsZero() {
				t.Errorf("%s: %v has no reason", name, e)
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// kinds returns the displayed text, kind and value of each cell in the second row of a table.
func kinds(t *testing.T, page string) (out string) {
	t.Helper()
	reader, err := open(t, page).Open(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	batch := &intray.Records{}
	if err := reader.Next(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	for c := range batch.NumCells(0) {
		kind, value := batch.TypedCell(0, c)
		out += fmt.Sprintf(" %s=%c%s", batch.Cell(0, c), "tndDTbe"[kind], value)
	}
	return out
}

func TestTypedCells(t *testing.T) {
	for name, test := range map[string]struct{ cells, want string }{
		"numbers":          {`<td x:num>12.50<td x:num="1234.5">1.234,50<td x:num="x">7<td x:num>1,5`, " 12.50=n12.5 1.234,50=n1234.5 7=t 1,5=t"},
		"dates":            {`<td x:num="38001" style="mso-number-format:'Short Date'">15.01.04<td x:num="38001.5" style='mso-number-format:"dd\/mm\/yyyy\ hh\:mm"'>x<td x:num="0.5" style="vnd.ms-excel.numberformat:h:mm">12:00<td>x`, " 15.01.04=d2004-01-15 x=D2004-01-15T12:00:00 12:00=T12:00:00 x=t"},
		"text":             {`<td style="vnd.ms-excel.numberformat:@">007<td x:num="7" style="mso-number-format:'\@'">007<td x:str="x">y<td>z`, " 007=t 007=t y=t z=t"},
		"others":           {`<td x:bool="TRUE">WAHR<td x:bool>false<td x:err="#N/A">#NV<td x:bool>maybe`, " WAHR=btrue false=bfalse #NV=e#N/A maybe=t"},
		"a value unshown":  {`<td x:num="5"></td><td>a<td>b<td>c`, " 5=n5 a=t b=t c=t"},
		"a format unknown": {`<td class="none xl9" x:num="5">5<td class=bad x:num="6">6<td>b<td>c`, " 5=n5 6=n6 b=t c=t"},
	} {
		page := `<style>.xl9 {mso-number-format:General} .bad{mso-number-format:"[[["}</style><table><tr><td>h1<td>h2<td>h3<td>h4<tr>` + test.cells + `</table>`
		if got := kinds(t, page); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

func TestStyleSheets(t *testing.T) {
	for text, want := range map[string]string{
		`mso-number-format:"\0022$\0022 \#\,\#\#0\.00"`: `"$"#,##0.00`,
		`color:red;mso-number-format:'0\.00;\[Red\]x';`: `0.00;[Red]x`,
		`VND.MS-Excel.NumberFormat:@`:                   `@`,
		`background:url("a;mso-number-format:0")`:       ``,
		`mso-number-format:"\d800 0"`:                   ` 0`,
		`mso-number-format:"\`:                          `\`,
	} {
		if got := formatCode(text); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

func TestMerged(t *testing.T) {
	page := "<table><tr><td colspan=2>a<td rowspan=3>b<td>c<tr><td colspan=9><td>d</table>"
	opened, err := openBook(t.Context(), sourcetest.NewInput("", []byte(page)), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := opened.Rows(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var got []string
	for err == nil {
		_, err = rows.Next(t.Context())
		for _, m := range rows.(workbook.MergeReporter).PendingMerges() {
			got = append(got, fmt.Sprint(m))
		}
	}
	if diff := cmp.Diff([]string{"A1:B1", "C1:C3"}, got); diff != "" {
		t.Errorf("merged (-want +got):\n%s", diff)
	}
}

func TestUnescapeCSS(t *testing.T) {
	for raw, want := range map[string]string{
		"": "", "plain": "plain", `\@`: "@", `\41 b`: "Ab", `\0000411`: "A1", `\000041 1`: "A1", `\\41`: `\41`, `a\`: `a\`, `\D800 x`: " x", `\110000x`: "x", `\g`: "g",
	} {
		if got := unescapeCSS(raw); got != want {
			t.Errorf("%q: %q, want %q", raw, got, want)
		}
	}
}
