package xlsx

import (
	"strings"
	"testing"

	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest/workbooktest"
	"github.com/intraydata/intray/source/workbook"
)

// without returns a copy of the parts without one of them.
func (p parts) without(name string) parts {
	p = p.with(name, "")
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

func TestDamaged(t *testing.T) {
	one := simple(`<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" s="0"><v>2</v></c></row>`).withStrings(`<si><t>a</t></si>`).withStyles("0.0")
	cells := []string{"A1 text a", "B1 number 2 [2.0]"}
	sheets := func(list, relations string) parts {
		return one.with("xl/workbook.xml", `<workbook `+mainSpace+`><sheets>`+list+`</sheets></workbook>`).with("xl/_rels/workbook.xml.rels",
			strings.Replace(one["xl/_rels/workbook.xml.rels"], "</Relationships>", relations+"</Relationships>", 1))
	}
	link := func(id, target string) string {
		return `<Relationship Id="` + id + `" Type="` + relTypes + `worksheet" Target="` + target + `"/>`
	}
	cell := func(ref, value string) string {
		if ref != "" {
			ref = ` r="` + ref + `"`
		}
		return `<c` + ref + `><v>` + value + `</v></c>`
	}
	for name, tc := range map[string]struct {
		book     parts
		cells    []string
		evidence []string
	}{
		"backslashes":               {one.renamed(func(s string) string { return strings.ReplaceAll(s, "/", `\`) }), cells, []string{`part names=_rels\.rels`}},
		"names in upper case":       {one.renamed(strings.ToUpper), cells, nil},
		"a wrong absolute target":   {one.with("xl/_rels/workbook.xml.rels", strings.ReplaceAll(one["xl/_rels/workbook.xml.rels"], `Target="`, `Target="/xl/`)), cells, []string{"parts found by name=xl/styles.xml"}},
		"no relationships":          {one.without("xl/_rels/workbook.xml.rels"), cells, []string{"parts found by name=xl/styles.xml, xl/sharedStrings.xml, xl/worksheets/sheet1.xml"}},
		"no list of parts":          {one.without("_rels/.rels"), cells, []string{"parts found by name=xl/workbook.xml"}},
		"text after the XML":        {one.with("xl/worksheets/sheet1.xml", one["xl/worksheets/sheet1.xml"]+" junk <x>").with("xl/workbook.xml", one["xl/workbook.xml"]+"junk").with("xl/styles.xml", one["xl/styles.xml"]+"\x00\x00").with("xl/sharedStrings.xml", one["xl/sharedStrings.xml"]+"<sst>").with("_rels/.rels", one["_rels/.rels"]+"x"), cells, []string{"text after the end=_rels/.rels, xl/workbook.xml, xl/styles.xml", "text after the end=xl/worksheets/sheet1.xml"}},
		"white space before":        {one.with("xl/workbook.xml", "\uFEFF \r\n"+one["xl/workbook.xml"]).with("xl/worksheets/sheet1.xml", "\n\n"+one["xl/worksheets/sheet1.xml"]), cells, nil},
		"UTF-16 in name only":       {one.with("xl/workbook.xml", `<?xml version="1.0" encoding="utf-16"?>`+one["xl/workbook.xml"]), cells, nil},
		"a sheet without a link":    {sheets(`<sheet name="One" r:id="rId1"/><sheet name="Module" r:id=""/><sheet name="Lost" r:id="rId9"/>`, ""), cells, []string{"sheets without cells=Module, Lost"}},
		"a link that leads nowhere": {sheets(`<sheet name="One" r:id="rId1"/><sheet name="Two" r:id="rId4"/>`, link("rId4", "worksheets/sheet2.xml")), cells, []string{"sheets without cells=Two"}},
		"a link without a sheet":    {sheets(`<sheet name="One" r:id=""/>`, ""), cells, []string{"parts found by name=xl/worksheets/sheet1.xml"}},
		"two links without a sheet": {sheets(`<sheet name="Two" r:id="b"/><sheet name="One" r:id="a"/>`, link("rId4", "worksheets/sheet10.xml")).with("xl/worksheets/sheet10.xml", sheetOf("")), cells, []string{"parts found by name=xl/worksheets/sheet1.xml, xl/worksheets/sheet10.xml"}},

		"lower case":             {simple(`<row r="1">` + cell("a1", "1") + cell("$b$1", "2") + `</row>`), []string{"A1 number 1", "B1 number 2"}, []string{"cell references=a1; $b$1"}},
		"only columns":           {simple(`<row r="1">` + cell("B", "1") + cell("C0", "2") + `</row>`), []string{"B1 number 1", "C1 number 2"}, []string{"cell references=B; C0"}},
		"only numbers":           {simple(`<row r="1">` + cell("0", "1") + cell("1", "2") + `</row><row r="2">` + cell("1", "3") + cell("2", "4") + `</row>`), []string{"A1 number 1", "B1 number 2", "A2 number 3", "B2 number 4"}, []string{"cell references=0; 1; 1; 2"}},
		"another row":            {simple(`<row r="2">` + cell("A2", "1") + cell("B3", "2") + `</row><row r="3">` + cell("A3", "3") + `</row>`), []string{"A2 number 1", "B2 number 2", "A3 number 3"}, []string{"cell references=B3"}},
		"row 0":                  {simple(`<row r="0">` + cell("A0", "1") + `</row><row r="1">` + cell("A1", "2") + `</row>`), []string{"A1 number 1", "A2 number 2"}, []string{"row numbers=0", "cell references=A0"}},
		"a row for each cell":    {simple(`<row r="1">` + cell("A1", "1") + `</row><row r="1"/><row r="1"><x/>` + cell("B1", "2") + cell("", "3") + `</row><row r="2">` + cell("A2", "4") + `</row>`), []string{"A1 number 1", "B1 number 2", "C1 number 3", "A2 number 4"}, []string{"row numbers=1; 1"}},
		"a row twice":            {simple(`<row r="1">` + cell("A1", "1") + `</row><row r="1">` + cell("A1", "2") + cell("B1", "3") + `</row><row r="2">` + cell("A2", "4") + `</row><row r="9">` + cell("A9", "5") + `</row>`), []string{"A1 number 1", "A2 number 2", "B2 number 3", "A3 number 4", "A9 number 5"}, []string{"row numbers=1"}},
		"all rows with number 1": {simple(strings.Repeat(`<row r="1">`+cell("A1", "1")+cell("B1", "1")+`</row>`, 3)), []string{"A1 number 1", "B1 number 1", "A2 number 1", "B2 number 1", "A3 number 1", "B3 number 1"}, []string{"row numbers=1; 1"}},
		"rows backwards":         {simple(`<row r="3">` + cell("A3", "1") + `</row><row>` + cell("A2", "2") + `</row><row r="7">` + cell("A7", "3") + `</row>`), []string{"A3 number 1", "A4 number 2", "A7 number 3"}, []string{"row numbers=2"}},
		"cells twice":            {simple(`<row r="1">` + cell("B1", "1") + cell("A1", "2") + cell("B1", "3") + cell("A1", "2") + `</row>`), []string{"A1 number 2", "B1 number 3"}, []string{"repeated cells=B1: 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			workbooktest.DamageTest{File: tc.book.zip(t), Cells: tc.cells, Evidence: tc.evidence}.Check(t, Format{}, func(in source.Input) (workbook.Workbook, error) {
				return Open(t.Context(), in, Limits{})
			})
		})
	}
}
