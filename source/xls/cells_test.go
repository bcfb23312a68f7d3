package xls

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

// at returns the first bytes of the body of a cell record: row, column and style.
func at(row, column, xf int) []byte { return body(uint16(row), uint16(column), uint16(xf)) }

// xf returns a BIFF8 XF record that refers to a format.
func xf(format int) []byte { return rec(recXF5, uint16(0), uint16(format), make([]byte, 16)) }

func rkWhole(v int32) uint32 { return uint32(v)<<2 | 2 }

// result returns the cached result of a formula whose result is not a number.
func result(kind, value byte) []byte {
	return []byte{kind, 0, value, 0, 0, 0, 0xFF, 0xFF}
}

var formulaEnd = make([]byte, 8)

func formula(row, column int, result any) []byte {
	return rec(recFormula2, at(row, column, 0), result, formulaEnd)
}

func TestCells(t *testing.T) {
	styles := body(xf(0), xf(2), xf(14), xf(164), xf(165), rec(0x041E, uint16(164), narrow(`00000`)), rec(0x041E, uint16(165), narrow(`0;0;0;"<"@">"`)))
	strings := rec(recSST, uint32(2), uint32(2), narrow("first"), wide("Łódź"))
	for _, c := range []struct {
		name   string
		sheet  []byte
		wanted string
	}{
		{"empty", nil, ""},
		{"a number", rec(0x0203, at(0, 0, 0), 1234.5), "1: 0n=1234.5\n"},
		{"a number with two decimals", rec(0x0203, at(0, 0, 1), 1234.5), "1: 0n=1234.5|1234.50\n"},
		{"leading zeros", rec(0x0203, at(0, 0, 3), 815.0), "1: 0n=815|00815\n"},
		{"a missing style", rec(0x0203, at(0, 0, 99), 7.0), "1: 0n=7\n"},
		{"not a number", rec(0x0203, at(0, 0, 0), math.NaN()), "1: 0e=#NUM!\n"},
		{"short whole number", rec(recRK, at(0, 0, 0), rkWhole(-12)), "1: 0n=-12\n"},
		{"short hundredth", rec(recRK, at(0, 0, 0), rkWhole(1999)|1), "1: 0n=19.99\n"},
		{"short float", rec(recRK, at(0, 0, 0), uint32(math.Float64bits(2.5)>>32)), "1: 0n=2.5\n"},
		{"several short numbers", rec(recMulRK, uint16(4), uint16(2), uint16(0), rkWhole(1), uint16(1), rkWhole(2), uint16(3)), "5: 2n=1 3n=2|2.00\n"},
		{"shared texts", body(rec(recLabelSST, at(0, 0, 0), uint32(1)), rec(recLabelSST, at(0, 1, 0), uint32(0))), "1: 0=Łódź 1=first\n"},
		{"a text with a format for texts", rec(recLabelSST, at(0, 0, 4), uint32(0)), "1: 0=first|<first>\n"},
		{"a text in its cell", rec(0x0204, at(0, 3, 0), wide("zażółć")), "1: 3=zażółć\n"},
		{"a rich text in its cell", rec(recRString, at(0, 0, 0), narrow("bold"), uint16(1), uint32(0)), "1: 0=bold\n"},
		{"an empty text", rec(0x0204, at(0, 0, 0), uint16(0)), ""},
		{"an empty text before a number", body(rec(0x0204, at(0, 0, 0), uint16(0)), rec(recRK, at(0, 1, 0), rkWhole(1))), "1: 1n=1\n"},
		{"blanks", body(rec(0x0201, at(0, 0, 0)), rec(0x00BE, uint16(0), uint16(1), uint16(0), uint16(0), uint16(2))), ""},
		{"booleans", body(rec(0x0205, at(0, 0, 0), byte(1), byte(0)), rec(0x0205, at(0, 1, 0), byte(0), byte(0))), "1: 0b=true|TRUE 1b=false|FALSE\n"},
		{"a boolean with a format for texts", rec(0x0205, at(0, 0, 4), byte(1), byte(0)), "1: 0b=true|<TRUE>\n"},
		{"errors", body(rec(0x0205, at(0, 0, 0), byte(0x2A), byte(1)), rec(0x0205, at(0, 1, 0), byte(0x07), byte(1)), rec(0x0205, at(0, 2, 0), byte(0xEE), byte(1))), "1: 0e=#N/A 1e=#DIV/0! 2e=#UNKNOWN!\n"},
		{"formulas", body(formula(0, 0, 2.5), formula(0, 1, result(1, 1)), formula(0, 2, result(2, 0x17)), formula(0, 3, result(3, 0))), "1: 0n=2.5 1b=true|TRUE 2e=#REF!\n"},
		{"a formula with a text", body(formula(0, 0, result(0, 0)), rec(0x0207, narrow("text")), rec(recRK, at(0, 1, 0), rkWhole(1))), "1: 0=text 1n=1\n"},
		{"a formula with a text after others", body(formula(0, 0, result(0, 0)), rec(0x04BC, make([]byte, 10)), rec(0x0207, narrow("text"))), "1: 0=text\n"},
		{"a formula with a missing text", body(formula(0, 0, result(0, 0)), rec(recRK, at(0, 1, 0), rkWhole(1))), "1: 1n=1\n"},
		{"a hidden row", body(rec(0x0208, uint16(1), make([]byte, 10), uint32(0x20)), rec(recRK, at(1, 0, 0), rkWhole(1)), rec(recRK, at(2, 0, 0), rkWhole(2))), "2 hidden: 0n=1\n3: 0n=2\n"},
		{"rows and cells out of order", body(rec(recRK, at(9, 1, 0), rkWhole(4)), rec(recRK, at(2, 5, 0), rkWhole(2)), rec(recRK, at(9, 0, 0), rkWhole(3)), rec(recRK, at(2, 1, 0), rkWhole(1))), "3: 1n=1 5n=2\n10: 0n=3 1n=4\n"},
		{"a cell written twice", body(rec(recRK, at(0, 0, 0), rkWhole(1)), rec(recRK, at(0, 0, 0), rkWhole(2))), "1: 0n=2\n"},
		{"the cells of a chart in the sheet", body(bofOf(8, partChart), rec(recRK, at(0, 0, 0), rkWhole(1)), eof, rec(recRK, at(1, 0, 0), rkWhole(2))), "2: 0n=2\n"},
		{"the last cell of the largest sheet", rec(recRK, at(65535, 255, 0), rkWhole(1)), "65536: 255n=1\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := read(t, xls(one(body(styles, strings), c.sheet)), Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff("[One]\n"+c.wanted, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestRepeatedCellReported checks that a cell that is stored again with another value is reported.
func TestRepeatedCellReported(t *testing.T) {
	number := func(column int, v int32) []byte { return rec(recRK, at(0, column, 0), rkWhole(v)) }
	file := xls(one(body(xf(0)), body(number(0, 1), number(1, 5), number(0, 2), number(1, 5))))
	_, evidence := sourcetest.Open(t, Format{}, string(file), source.Options{AsIs: true})
	if want := "A1: 1"; evidence["repeated cells"] != want {
		t.Errorf("%q, want %q", evidence["repeated cells"], want)
	}
}

func TestDates(t *testing.T) {
	sheet := body(rec(0x0203, at(0, 0, 0), 1.0), rec(0x0203, at(0, 1, 1), 36526.25))
	styles := body(xf(164), xf(165), rec(0x041E, uint16(164), narrow("yyyy-mm-dd")), rec(0x041E, uint16(165), narrow("dd.mm.yy hh:mm")))
	for _, c := range []struct {
		name    string
		globals []byte
		wanted  string
	}{
		{"1900", styles, "1: 0d=1900-01-01 1dt=2000-01-01T06:00:00|01.01.00 06:00\n"},
		{"1904", body(styles, rec(recDateMode, uint16(1))), "1: 0d=1904-01-02 1dt=2004-01-02T06:00:00|02.01.04 06:00\n"},
	} {
		got, err := read(t, xls(one(c.globals, sheet)), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff("[One]\n"+c.wanted, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestOldVersions checks that workbooks in BIFF2 to BIFF5 are read, including workbooks
// without a container.
func TestOldVersions(t *testing.T) {
	attributes := func(row, column, format int) []byte {
		return body(uint16(row), uint16(column), byte(0), byte(format), byte(0))
	}
	two := body(bofOf(2, partSheet), rec(0x001E, byte(7), "General"), rec(0x001E, byte(4), "0.00"),
		rec(0x0002, attributes(0, 0, 1), uint16(5)), rec(0x0003, attributes(0, 1, 0), 1.5), rec(0x0004, attributes(0, 2, 0), byte(2), "hi"),
		rec(0x0005, attributes(0, 3, 0), byte(1), byte(0)), rec(recFormula2, attributes(1, 0, 0), result(0, 0), make([]byte, 3)), rec(0x0007, byte(3), "sum"), eof)
	three := body(bofOf(3, partSheet), rec(0x001E, byte(7), "General"), rec(0x001E, byte(4), "0.00"), rec(0x0243, byte(0), byte(1), make([]byte, 10)),
		rec(recCodePage, uint16(1250)), rec(0x0203, at(0, 0, 0), 3.0), rec(0x0204, at(0, 1, 0), uint16(2), "\xF3\xB3"), rec(0x0206, at(1, 0, 9), 4.0, make([]byte, 4)), eof)
	four := body(bofOf(4, partSheet), rec(0x041E, uint16(0), byte(4), "0.00"), rec(0x0443, byte(0), byte(0), make([]byte, 10)), rec(recRK, at(0, 0, 0), rkWhole(3)), eof)
	five := workbookStream(5, body(rec(recCodePage, uint16(932)), xf(164), rec(0x041E, uint16(164), byte(3), "0.0")),
		part{name: "\x93\xFA", hidden: 1, body: body(rec(0x0204, at(0, 0, 0), uint16(4), "\x93\xFA\x96\x7B"), rec(recRK, at(0, 1, 0), rkWhole(3)),
			rec(recFormula2, at(0, 2, 0), result(0, 0), formulaEnd), rec(0x0207, uint16(2), "ok"))})
	for _, c := range []struct {
		name   string
		text   []byte
		wanted string
	}{
		{"BIFF2", two, "[]\n1: 0n=5|5.00 1n=1.5 2=hi 3b=true|TRUE\n2: 0=sum\n"},
		{"BIFF3", three, "[]\n1: 0n=3|3.00 1=ół\n2: 0n=4\n"},
		{"BIFF4", four, "[]\n1: 0n=3|3.00\n"},
		{"BIFF5", pack(file{"Book", five}), "[日] hidden\n1: 0=日本 1n=3|3.0 2=ok\n"},
		{"both", pack(file{"Book", five}, file{"WORKBOOK", one(nil)}), "[One]\n"},
	} {
		got, err := read(t, c.text, Limits{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(c.wanted, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}
