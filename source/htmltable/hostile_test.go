package htmltable

import (
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

// endless is a page that repeats a string without holding the whole page in memory.
type endless struct {
	head, body, tail string
	times            int
}

func (e endless) size() int64 {
	return int64(len(e.head) + e.times*len(e.body) + len(e.tail))
}

func (e endless) ReadAt(p []byte, at int64) (n int, err error) {
	for n < len(p) {
		if at >= e.size() {
			return n, io.EOF
		}
		piece := e.tail[max(0, at-int64(len(e.head)+e.times*len(e.body))):]
		if at < int64(len(e.head)) {
			piece = e.head[at:]
		} else if inside := at - int64(len(e.head)); inside < int64(e.times*len(e.body)) {
			piece = e.body[inside%int64(len(e.body)):]
		}
		m := copy(p[n:], piece)
		n, at = n+m, at+int64(m)
	}
	return n, nil
}

// readThrough reads all sheets. It returns the number of rows and the peak memory use, in bytes.
func readThrough(t *testing.T, e endless) (rows int, peak uint64, err error) {
	t.Helper()
	runtime.GC()
	var before, now runtime.MemStats
	runtime.ReadMemStats(&before)
	look := func() {
		runtime.ReadMemStats(&now)
		peak = max(peak, now.HeapInuse-min(now.HeapInuse, before.HeapInuse))
	}
	book, err := Format{}.Open(t.Context(), source.Input{Name: "a.xls", ReaderAt: e, Size: e.size()}, source.Options{})
	look()
	if err != nil {
		return 0, peak, err
	}
	batch := &intray.Records{}
	for i := range min(len(book.Sheets()), 3) {
		reader, err := book.Open(t.Context(), i)
		for err == nil {
			err = reader.Next(t.Context(), batch)
			rows += batch.Len()
			look()
		}
		if !errors.Is(err, io.EOF) {
			return rows, peak, err
		}
	}
	return rows, peak, nil
}

// A page must need little memory, whichever element it repeats.
func TestHostilePages(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: the pages take some seconds")
	}
	const pageBytes, mostMemory = 1 << 20, 128 << 20
	for name, test := range map[string]struct{ head, body, tail, want string }{
		"rows":              {"<table>", "<tr><td>some text<td>7</tr>", "</table>", ""},
		"rows in windows":   {"<meta charset=windows-1252><table>", "<tr><td>gr\xfcn<td>7</tr>", "</table>", ""},
		"empty rows":        {"<table>", "<tr>", "</table>", ""},
		"empty cells":       {"<table><tr>", "<td>", "</table>", "more than 16,384 cells"},
		"rows spanned":      {"<table>", "<tr><td rowspan=65534>a", "</table>", "more than 16,384 cells"},
		"columns spanned":   {"<table>", "<tr><td colspan=1000 rowspan=2>a", "</table>", ""},
		"tables":            {"", "<table><tr><td>a</table>", "", "more than 10,000 tables"},
		"empty tables":      {"<table><tr><td>a</table>", "<table></table>", "", ""},
		"nested tables":     {"", "<table><tr><td>", "", "nested more than 32"},
		"tables in a cell":  {"<table><tr><td>a<td>b<tr><td>c<td>", "<table><tr><td>x</table>", "</table>", "more than 10,000 tables"},
		"tables in tables":  {"<table>", "<table>", "", ""},
		"a long text":       {"<table><tr><td>", "text ", "</table>", "longer than 16,777,216 bytes"},
		"long text in tags": {"<table><tr><td>", "<b>text </b>", "</table>", "the header of column 1 is longer"},
		"a comment":         {"<table><tr><td>a</table><!--", "comment ", "-->", ""},
		"a tag":             {"<table><tr><td ", "a=b ", ">a</table>", ""},
		"entities":          {"<table><tr><td>", "&amp;", "</table>", "the header of column 1 is longer"},
		"hidden elements":   {"<table><tr><td>", "<div hidden>a", "</table>", ""},
		"fields":            {"<table><tr><td>", "<input value=a>", "</table>", "the header of column 1 is longer"},
		"classes":           {"<style>", ".a{mso-number-format:0}", "</style><table><tr><td>a</table>", ""},
		"names":             {"<table><tr><td>a</table>", "<x:ExcelWorksheet><x:Name>a</x:Name>", "", ""},
		"feet":              {"<table>", "<tfoot><tr><td>a", "</table>", ""},
		"kept white space":  {"<table><tr><td>", "<pre>", "a</table>", ""},
		"line breaks":       {"<table><tr><td>a", "<br>", "a</table>", ""},
		"parts":             {"MIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n", "--b\nContent-Type: text/html\n\n", "--b--", "more than 10,000 parts"},
		"one part":          {"MIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n<table>", "<tr><td>=61<td>7</tr>\n", "</table>\n--b--", ""},
		"head without end":  {"MIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n", "a: b\n", "", "contains no web page"},
		"only spaces":       {"", " ", "", "without a table"},
	} {
		t.Run(name, func(t *testing.T) {
			page := endless{test.head, test.body, test.tail, pageBytes / len(test.body)}
			switch name {
			case "a long text":
				page.times *= 20
			case "columns spanned": // every row has 1,000 cells
				page.times /= 5
			}
			rows, peak, err := readThrough(t, page)
			switch {
			case test.want == "" && err != nil:
				t.Error(err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want) || !sourcetest.IsTyped(err)):
				t.Errorf("error %v, want %q", err, test.want)
			}
			if peak > mostMemory {
				t.Errorf("%d rows took %d MiB", rows, peak>>20)
			}
			t.Logf("%d rows, %d MiB", rows, peak>>20)
		})
	}
}
