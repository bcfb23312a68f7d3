package htmltable

import (
	"testing"

	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/csv"
	"github.com/intraydata/intray/source/sourcetest"
)

// Among text formats, pages are read as pages, and CSV as CSV.
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
		got := "html" // whose Open may refuse a page without a table
		if err == nil {
			got = book.Evidence()[0].Value
		}
		if got != test.want {
			t.Errorf("%s: read as %s, error %v", name, got, err)
		}
	}
}
