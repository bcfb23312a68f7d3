package xlsx

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/intraydata/intray/internal/ooxml"
	"github.com/intraydata/intray/source/workbook"
)

func TestCells(t *testing.T) {
	for name, tc := range map[string]struct {
		book parts
		want []string
	}{
		"numbers": {simple(`<row r="1"><c r="A1"><v>12</v></c><c r="B1" t="n"><v>-0.5</v></c><c r="C1"><v>0.10000000000000001</v></c><c r="D1"><v>1E3</v></c><c r="E1"><v> 7 </v></c></row>`),
			[]string{"A1 number 12", "B1 number -0.5", "C1 number 0.1", "D1 number 1000", "E1 number 7"}},
		"invalid numbers are text": {simple(`<row r="1"><c r="A1"><v>abc</v></c><c r="B1"><v>0x10</v></c><c r="C1"><v>Inf</v></c><c r="D1"><v>1e999</v></c><c r="E1"><v>-0</v></c></row>`),
			[]string{"A1 text abc", "B1 text 0x10", "C1 text Inf", "D1 text 1e999", "E1 number 0"}},
		"numbers by their formats": {simple(`<row r="1"><c r="A1" s="0"><v>7</v></c><c r="B1" s="1"><v>1234.5</v></c><c r="C1" s="2"><v>43831</v></c><c r="D1" s="3"><v>0.5</v></c><c r="E1" s="9"><v>3</v></c><c r="F1" s="4"><v>8</v></c></row>`).withStyles("00000", "#,##0.00", "dd/mm/yyyy", "0%", ";;;"),
			[]string{"A1 number 7 [00007]", "B1 number 1234.5 [1,234.50]", "C1 date 2020-01-01 [01/01/2020]", "D1 number 0.5 [50%]", "E1 number 3", "F1 number 8 []"}},
		"1904": {simple(`<row r="1"><c r="A1" s="0"><v>0</v></c><c r="B1" s="0" t="d"><v>1904-01-03</v></c></row>`).withStyles("yyyy-mm-dd").
			with("xl/workbook.xml", `<workbook `+mainSpace+`><workbookPr date1904="true"/><sheets><sheet name="One" r:id="rId1"/></sheets></workbook>`),
			[]string{"A1 date 1904-01-01", "B1 date 1904-01-03"}},
		"ISO dates": {simple(`<row r="1"><c r="A1" t="d"><v>2020-02-29</v></c><c r="B1" t="d"><v>2020-02-29T12:30:00.500Z</v></c><c r="C1" t="d"><v>12:30:00</v></c><c r="D1" t="d"><v>soon</v></c><c r="E1" t="d" s="0"><v>2020-01-01T06:00:00</v></c><c r="F1" t="d" s="0"><v>1900-02-28</v></c></row>`).withStyles("m/d/yy h:mm"),
			[]string{"A1 datetime 2020-02-29T00:00:00 [2/29/20 0:00]", "B1 datetime 2020-02-29T12:30:00.5 [2/29/20 12:30]", "C1 number 0.520833333333333 [1/0/00 12:30]", "D1 text soon", "E1 datetime 2020-01-01T06:00:00 [1/1/20 6:00]", "F1 datetime 1900-02-28T00:00:00 [2/28/00 0:00]"}},
		"ISO dates before the date system": {simple(`<row r="1"><c r="A1" t="d" s="0"><v>1899-12-31</v></c><c r="B1" t="d" s="0"><v>0001-01-01T06:00:00</v></c><c r="C1" t="d" s="0"><v>1900-01-01</v></c></row>`).withStyles("yyyy-mm-dd"),
			[]string{"A1 date 1899-12-31", "B1 datetime 0001-01-01T06:00:00", "C1 date 1900-01-01"}},
		"ISO dates without a format": {simple(`<row r="1"><c r="A1" t="d"><v>2020-02-29</v></c><c r="B1" t="d"><v>2020-02-29T12:30:00.500</v></c><c r="C1" t="d"><v>T12:30:00</v></c></row>`),
			[]string{"A1 date 2020-02-29", "B1 datetime 2020-02-29T12:30:00.5", "C1 time 12:30:00"}},
		"booleans and errors": {simple(`<row r="1"><c r="A1" t="b"><v>1</v></c><c r="B1" t="b"><v>0</v></c><c r="C1" t="e"><v>#N/A</v></c><c r="D1" t="b"><v>maybe</v></c></row>`),
			[]string{"A1 bool true [TRUE]", "B1 bool false [FALSE]", "C1 error #N/A", "D1 text maybe"}},
		"booleans by their formats": {simple(`<row r="1"><c r="A1" s="0" t="b"><v>1</v></c><c r="B1" s="1" t="b"><v>1</v></c><c r="C1" s="2" t="b"><v>0</v></c><c r="D1" s="0" t="e"><v>#N/A</v></c></row>`).withStyles(";;;", "0.00;-0.00", `0;0;0;&quot;is &quot;@`),
			[]string{"A1 bool true []", "B1 bool true [TRUE]", "C1 bool false [is FALSE]", "D1 error #N/A"}},
		"shared strings": {simple(`<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>2</v></c><c r="D1" t="s"><v>3</v></c><c r="E1" t="s"><v>4</v></c><c r="F1" t="s"><v>5</v></c><c r="G1" t="s"><v>6</v></c></row>`).
			withStrings(`<si><t>a &lt;b&gt; &amp;&#65;&#x42;</t></si><si><r><rPr><b/></rPr><t>bold </t></r><r><t xml:space="preserve"> and </t></r><r><t>not</t></r><rPh sb="0" eb="1"><t>reading</t></rPh><phoneticPr/></si><si><t xml:space="preserve"> kept </t></si><si><t> trimmed
 </t></si><si/><si><t>x_x000D_y_x005F_x0041__xD83D__xDE00_ _xZZZZ_ _xD83D_</t></si><si><t><![CDATA[<raw> &amp;]]></t></si>`),
			[]string{"A1 text a <b> &AB", "B1 text bold and not", "C1 text  kept ", "D1 text trimmed", "F1 text x\ry_x0041_\U0001F600 _xZZZZ_ _xD83D_", "G1 text <raw> &amp;"}},
		"texts by their formats": {simple(`<row r="1"><c r="A1" s="0" t="str"><v>a</v></c><c r="B1" s="1" t="inlineStr"><is><t>b</t></is></c><c r="C1" s="2" t="str"><v>c</v></c></row>`).withStyles("@", `0;0;0;&quot;&lt;&quot;@&quot;&gt;&quot;`, ";;;"),
			[]string{"A1 text a", "B1 text b [<b>]", "C1 text c []"}},
		"inline strings": {simple(`<row r="1"><c r="A1" t="inlineStr"><is><r><t>a</t></r><r><t>b</t></r></is></c><c r="B1"><is><t>plain</t></is></c><c r="C1" t="inlineStr"><v>value</v></c></row>`),
			[]string{"A1 text ab", "B1 text plain", "C1 text value"}},
		"carriage returns at the end": {simple("<row r=\"1\"><c r=\"A1\" t=\"str\"><v>a\r</v></c><c r=\"B1\" t=\"inlineStr\"><is><t xml:space=\"preserve\">b\r</t></is></c><c r=\"C1\" t=\"s\"><v>0</v></c><c r=\"D1\"><v>1\r</v></c></row>").withStrings("<si><t xml:space=\"preserve\">c\r\n\r</t></si>"),
			[]string{"A1 text a\n", "B1 text b\n", "C1 text c\n\n", "D1 number 1"}},
		"formulas": {simple(`<row r="1"><c r="A1"><f>1+1</f><v>2</v></c><c r="B1"><f>1+1</f></c><c r="C1" t="str"><f>"a"&amp;"b"</f><v>a&amp;b</v></c><c r="D1" t="str"><f/><v/></c></row>`),
			[]string{"A1 number 2", "C1 text a&b"}},
		"cells and rows without names": {simple(`<row><c><v>1</v></c><c/><c><v>3</v></c></row><row><c r="B2"><v>4</v></c><c><v>5</v></c></row><row><c r="A7"><v>6</v></c></row><row><c><v>7</v></c></row>`),
			[]string{"A1 number 1", "C1 number 3", "B2 number 4", "C2 number 5", "A7 number 6", "A8 number 7"}},
		"cells out of order": {simple(`<row r="1"><c r="C1"><v>3</v></c><c r="A1"><v>1</v></c><c r="B1"><v>2</v></c></row>`),
			[]string{"A1 number 1", "B1 number 2", "C1 number 3"}},
		"merged cells": {simple(`<row r="1"><c r="A1"><v>1</v></c><c r="B1"/></row>`).with("xl/worksheets/sheet1.xml", `<worksheet><sheetData><row r="1"><c r="A1"><v>1</v></c><c r="B1"/></row></sheetData><mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells></worksheet>`),
			[]string{"A1 number 1"}},
		"the last cell": {simple(`<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>`), []string{"XFD1048576 number 1"}},
		"prefixes and junk": {simple("").with("xl/worksheets/sheet1.xml", `<?xml version='1.0'?><!-- <c> --><x:worksheet xmlns:x='m'><?pi <a>?><x:sheetData>  <x:row  r = '1' ><x:c r="A1" ><x:v>1</x:v></x:c ><junk><c r="B1"><v>2</v></c></junk><x:c r="C1"><ext><v>9</v></ext><x:v>3</x:v></x:c></x:row><y/></x:sheetData></x:worksheet>`),
			[]string{"A1 number 1", "C1 number 3"}},
		"strict, and links with backslashes": {simple("").
			with("xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="a" Type="http://purl.oclc.org/ooxml/officeDocument/relationships/worksheet" Target="WORKSHEETS\sheet%31.xml"/></Relationships>`).
			with("xl/workbook.xml", `<workbook><sheets><sheet name="One" rel:id="a" xmlns:rel="x"/></sheets></workbook>`).
			with("xl/worksheets/sheet1.xml", sheetOf(`<row r="1"><c r="A1"><v>1</v></c></row>`)),
			[]string{"A1 number 1"}},
		"other relations first": {simple(`<row r="1"><c r="A1"><v>1</v></c></row>`).
			with("_rels/.rels", rels([3]string{"a", "core-properties", "docProps/core.xml"}, [3]string{"b", "officeDocument", "xl/workbook.xml"})),
			[]string{"A1 number 1"}},
		"no cells":          {simple("").with("xl/worksheets/sheet1.xml", `<worksheet><dimension ref="A1:XFD1048576"/></worksheet>`), nil},
		"a byte order mark": {simple("").with("xl/worksheets/sheet1.xml", "\uFEFF"+sheetOf(`<row><c><v>1</v></c></row>`)), []string{"A1 number 1"}},
		"long value":        {simple(`<row r="1"><c r="A1" t="str"><v>` + strings.Repeat("é", 200_000) + `</v></c></row>`), []string{"A1 text " + strings.Repeat("é", 200_000)}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := readBytes(t.Context(), tc.book.zip(t), Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestShortNumbers checks that the fast path for short numbers returns the same text as
// the number format.
func TestShortNumbers(t *testing.T) {
	st := ooxml.NewStyles(0).NewCache().At(-1)
	for _, text := range []string{"0", "1", "-1", "10", "1234567890", "-1234567890", "12345678901", "1.5", "-1.25", "123456789.1", "1234567.891", "1.123456789", "9.99999999", "0.5", "00", "01", "1.50", "1.", ".5", "-0", "-", "", "1.2.3", "1e5", "99999999.99"} {
		if !workbook.IsVerbatim([]byte(text)) {
			continue
		}
		v, ok := workbook.ParseNumber([]byte(text))
		if got := string(st.Format.AppendFormatted(nil, v, false)); !ok || got != text {
			t.Errorf("%q is displayed as %q", text, got)
		}
		value, _ := st.Format.AppendValue(nil, v, false)
		if string(value) != text {
			t.Errorf("%q has the value %q", text, value)
		}
	}
}

func TestRef(t *testing.T) {
	for ref, want := range map[string]struct {
		column int
		row    int64
	}{"A1": {0, 1}, "Z9": {25, 9}, "AA10": {26, 10}, "XFD1048576": {16383, 1048576}} {
		column, row, ok := parseCellRef([]byte(ref))
		if !ok || column != want.column || row != want.row {
			t.Errorf("%s is column %d, row %d, %v", ref, column, row, ok)
		}
		if got := workbook.ColumnName(column); got != strings.TrimRight(ref, "0123456789") {
			t.Errorf("column of %s: %s", ref, got)
		}
	}
	for _, ref := range []string{"", "A", "1", "A0", "A01", "XFE1", "AAAA1", "AAAAAAA1", "A1048577", "A10485760", "A-1", "a1", "A1B", "$A$1"} {
		if _, _, ok := parseCellRef([]byte(ref)); ok {
			t.Errorf("%q is valid", ref)
		}
	}
}
