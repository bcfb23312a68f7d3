package xlsb

import (
	"maps"
	"strings"
	"testing"

	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest/workbooktest"
	"github.com/intraydata/intray/source/workbook"
)

// without returns a copy of the parts without one of them.
func (p parts) without(name string) parts {
	p = maps.Clone(p)
	delete(p, name)
	return p
}

// renamed returns a copy of the parts with changed names.
func (p parts) renamed(change func(string) string) parts {
	q := parts{}
	for name, text := range p {
		q[change(name)] = text
	}
	return q
}

// A damaged workbook is read, and reported, in the same way as an .xlsx file.
func TestDamaged(t *testing.T) {
	one := simple(row(1, cell(recCellString, 0, 0, 0), cell(recCellReal, 1, 0, 2.0))).withStrings("a").withStyles("0.0")
	cells := []string{"A1 text a", "B1 number 2 [2.0]"}
	sheets := func(list ...string) parts { return one.with("xl/workbook.bin", bookOf(0, list...)) }
	for name, tc := range map[string]struct {
		book     parts
		cells    []string
		evidence []string
	}{
		"backslashes":            {one.renamed(func(s string) string { return strings.ReplaceAll(s, "/", `\`) }), cells, []string{`part names=_rels\.rels`}},
		"no relationships":       {one.without("xl/_rels/workbook.bin.rels"), cells, []string{"parts found by name=xl/styles.bin, xl/sharedStrings.bin, xl/worksheets/sheet1.bin"}},
		"no list of parts":       {one.without("_rels/.rels"), cells, []string{"parts found by name=xl/workbook.bin"}},
		"a sheet without a link": {sheets(sheetEntry("One", "rId1", 0), sheetEntry("Lost", "rId9", 0)), cells, []string{"sheets without cells=Lost"}},
		"a link without a sheet": {sheets(sheetEntry("One", "rId9", 0)), cells, []string{"parts found by name=xl/worksheets/sheet1.bin"}},

		"a row for each cell":    {simple(row(1, rk(0, 0, 1)), row(1), row(1, rec(49, 1), rk(1, 0, 2), rec(recShortRK, 0, 3<<2|2)), row(2, rk(0, 0, 4))), []string{"A1 number 1", "B1 number 2", "C1 number 3", "A2 number 4"}, []string{"row numbers=1; 1"}},
		"a row twice":            {simple(row(1, rk(0, 0, 1)), row(1, rk(0, 0, 2), rk(1, 0, 3)), row(2, rk(0, 0, 4)), row(9, rk(0, 0, 5))), []string{"A1 number 1", "A2 number 2", "B2 number 3", "A3 number 4", "A9 number 5"}, []string{"row numbers=1"}},
		"all rows with number 1": {simple(strings.Repeat(row(1, rk(0, 0, 1), rk(1, 0, 1)), 3)), []string{"A1 number 1", "B1 number 1", "A2 number 1", "B2 number 1", "A3 number 1", "B3 number 1"}, []string{"row numbers=1; 1"}},
		"rows backwards":         {simple(row(3, rk(0, 0, 1)), row(2, rk(0, 0, 2)), row(7, rk(0, 0, 3))), []string{"A3 number 1", "A4 number 2", "A7 number 3"}, []string{"row numbers=2"}},
		"cells twice":            {simple(row(1, rk(1, 0, 1), rk(0, 0, 2), rk(1, 0, 3), rk(0, 0, 2))), []string{"A1 number 2", "B1 number 3"}, []string{"repeated cells=B1: 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			workbooktest.DamageTest{File: tc.book.zip(t), Cells: tc.cells, Evidence: tc.evidence}.Check(t, Format{}, func(in source.Input) (workbook.Workbook, error) {
				return Open(t.Context(), in, Limits{})
			})
		})
	}
}
