package bench

import (
	"cmp"
	"strings"
	"testing"

	"github.com/intraydata/intray/bench/benchdata"
)

// These are the Python packages with other readers of workbooks and web pages.
const (
	wantedCalamine = "python-calamine==0.9.1"
	wantedXLRD     = "xlrd==2.0.2"
	wantedPandas   = "pandas==3.1.1"
	wantedODF      = "odfpy==1.4.1"
	wantedLXML     = "lxml==6.1.3"
)

// bookReader is a program of read_workbook.py.
type bookReader struct {
	program, name string
	// imports are the modules that it needs, and wanted is what to install if they are missing.
	imports, wanted string
	goal            goal
}

// These programs read workbooks. Their goals apply to the formats other than XLSX, which has another
// contestant with a goal.
var (
	calamine       = bookReader{"calamine", "calamine, cells as Python objects", "python_calamine", wantedCalamine, goal{cpu: 1}}
	calamineSheets = bookReader{"calamine-sheets", "calamine, no cell converted", "python_calamine", wantedCalamine, goal{}}
	xlrd           = bookReader{"xlrd", "xlrd", "xlrd", wantedXLRD, goal{cpu: 1}}
	pandasODF      = bookReader{"pandas", "pandas, odfpy", "pandas, odf", wantedPandas + " " + wantedODF, goal{cpu: 1}}
	lxmlCells      = bookReader{"lxml", "lxml, text of each cell", "lxml.html", wantedLXML, goal{cpu: 1}}
	pandasHTML     = bookReader{"pandas-html", "pandas, lxml", "pandas, lxml.html", wantedPandas + " " + wantedLXML, goal{cpu: 1}}
)

// contestBooks reads the rows of the XLSX contest from the older formats of workbooks, and from a web page.
// All contestants find the text that spreadsheet programs display. pandas builds a tree of the whole
// OpenDocument file in memory, so it reads fewer rows.
func contestBooks(t *testing.T, r *report) {
	for _, c := range []struct {
		name, form string
		rows       int
		unlike     []string
		readers    []bookReader
	}{
		{"XLS", "xls", 200_000, nil, []bookReader{calamine, calamineSheets, xlrd}},
		{"ODS", "ods", 200_000, nil, []bookReader{calamine, calamineSheets}},
		{"ODS, few rows", "ods", 10_000, nil, []bookReader{pandasODF}},
		// The others do not return a line break for br, and pandas converts columns to numbers.
		{"HTML", "html", 200_000, []string{"notes"}, []bookReader{lxmlCells}},
		{"HTML, typed", "html", 200_000, []string{"notes", "amount"}, []bookReader{pandasHTML}},
	} {
		t.Run(c.name, func(t *testing.T) {
			all := generated(t, c.name, c.form, benchdata.Header, share(c.rows))
			all.alike, all.contestants = columnsBut(all.header, c.unlike...), append([]contestant{ours()}, bookReaders(t, r, c.readers...)...)
			r.contest(t, all)
		})
	}
}

// askBookReaders returns the versions of the readers of workbooks that a Python interpreter has.
func askBookReaders(python string) string {
	versions, err := askPython(python, `
from importlib.metadata import PackageNotFoundError, version
for name in "python-calamine", "xlrd", "pandas", "odfpy", "lxml":
    try: print(name, version(name))
    except PackageNotFoundError: pass`)
	if err != nil {
		return ""
	}
	return strings.ReplaceAll(versions, "\n", ", ")
}

// bookReaders returns the contestants that are installed.
func bookReaders(t *testing.T, r *report, readers ...bookReader) (list []contestant) {
	t.Helper()
	python := cmp.Or(r.python, "python3")
	for _, one := range readers {
		if _, err := askPython(python, "import "+one.imports); err != nil {
			t.Run(one.name, func(t *testing.T) {
				t.Skipf("SKIPPED: python3 lacks modules to compare with; pip install %s", one.wanted)
			})
			continue
		}
		list = append(list, contestant{name: one.name, command: []string{python, "read_workbook.py", one.program}, keeps: true, goal: one.goal})
	}
	return list
}
