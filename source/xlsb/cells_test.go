package xlsb

import (
	"math"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/intraydata/intray/internal/ooxml"
	"github.com/intraydata/intray/source/sourcetest"
	"github.com/intraydata/intray/source/workbook"
)

func TestCells(t *testing.T) {
	const hundredths, integer = 1, 2
	formula := []byte{0, 0, 4, 0, 0, 0, 0x1E, 1, 0, 0}
	for name, tc := range map[string]struct {
		book parts
		want []string
	}{
		"numbers": {simple(row(1, cell(recCellReal, 0, 0, 12.5), cell(recCellReal, 1, 0, 0.1+0.2), cell(recCellReal, 2, 0, 1e300), cell(recCellReal, 3, 0, math.Copysign(0, -1)), cell(recCellReal, 4, 0, 1234567890123.0))),
			[]string{"A1 number 12.5", "B1 number 0.3", "C1 number 1e300 [1E+300]", "D1 number 0", "E1 number 1234567890123 [1.23457E+12]"}},
		"compressed numbers": {simple(row(1, cell(recCellRK, 0, 0, 7<<2|integer), cell(recCellRK, 1, 0, 1234<<2|integer|hundredths), cell(recCellRK, 2, 0, -3<<2|integer), cell(recCellRK, 3, 0, 0x40590000|hundredths))),
			[]string{"A1 number 7", "B1 number 12.34", "C1 number -3", "D1 number 1"}},
		"values that are not numbers": {simple(row(1, cell(recCellReal, 0, 0, math.NaN()), cell(recCellReal, 1, 0, math.Inf(1)))),
			[]string{"A1 error #NUM!", "B1 error #NUM!"}},
		"booleans and errors": {simple(row(1, cell(recCellBool, 0, 0, byte(1)), cell(recCellBool, 1, 0, byte(0)), cell(recCellError, 2, 0, byte(0x2A)), cell(recCellError, 3, 0, byte(0x99)))),
			[]string{"A1 bool true [TRUE]", "B1 bool false [FALSE]", "C1 error #N/A", "D1 error #UNKNOWN!"}},
		"booleans by their formats": {simple(row(1, cell(recCellBool, 0, 0, byte(1)), cell(recFormulaBool, 1, 1, byte(1)), cell(recCellBool, 2, 2, byte(0)), cell(recCellError, 3, 0, byte(0x2A)))).withStyles(";;;", "0.00;-0.00", `0;0;0;"is "@`),
			[]string{"A1 bool true []", "B1 bool true [TRUE]", "C1 bool false [is FALSE]", "D1 error #N/A"}},
		"formulas": {simple(row(1, cell(recFormulaNumber, 0, 0, 2.5, formula), cell(recFormulaText, 1, 0, "x", formula), cell(recFormulaBool, 2, 0, byte(1), formula), cell(recFormulaError, 3, 0, byte(7), formula), cell(recFormulaText, 4, 0, "", formula))),
			[]string{"A1 number 2.5", "B1 text x", "C1 bool true [TRUE]", "D1 error #DIV/0!"}},
		"text": {simple(row(1, cell(recCellText, 0, 0, "ü\U0001F600 _x0041_ "), cell(recCellRichText, 1, 0, byte(1), "rich", 1, uint16(0), uint16(0)), cell(recCellText, 2, 0, ""))),
			[]string{"A1 text ü\U0001F600 _x0041_ ", "B1 text rich"}},
		"shared strings": {simple(row(1, cell(recCellString, 0, 0, 1), cell(recCellString, 1, 0, 0), cell(recCellString, 2, 0, 1))).withStrings("b", "a"),
			[]string{"A1 text a", "B1 text b", "C1 text a"}},
		"rich shared strings": {simple(row(1, cell(recCellString, 0, 0, 0), cell(recCellString, 1, 0, 1))).with("xl/sharedStrings.bin",
			stringsOf(rec(recString, byte(3), "東京", 1, uint16(0), uint16(1), "とうきょう", 0)+rec(recString, byte(0), "next"))),
			[]string{"A1 text 東京", "B1 text next"}},
		"blank cells": {simple(row(1, cell(recCellBlank, 0, 0), cell(recCellRK, 1, 0, 5<<2|integer), cell(recCellBlank, 2, 0)), row(2, cell(recCellBlank, 0, 0)), row(4, cell(recCellRK, 0, 0, 6<<2|integer))),
			[]string{"B1 number 5", "A4 number 6"}},
		"short records": {simple(row(1, rec(recShortBlank, 0), rec(recShortRK, 0, 5<<2|integer), rec(recShortError, 0, byte(7)), rec(recShortBool, 0, byte(0)), cell(recCellReal, 9, 0, 1.5), rec(recShortReal, 0, 2.5), rec(recShortText, 0, "x"), rec(recShortString, 0, 0))).withStrings("s"),
			[]string{"B1 number 5", "C1 error #DIV/0!", "D1 bool false [FALSE]", "J1 number 1.5", "K1 number 2.5", "L1 text x", "M1 text s"}},
		"formats": {simple(row(1, cell(recCellReal, 0, 0, 1234.5), cell(recCellReal, 1, 1, 43831.25), cell(recCellRK, 2, 2, 43831<<2|integer), cell(recCellText, 3, 3, "x"), cell(recCellReal, 4, 9, 1.5))).withStyles("#,##0.00", "h:mm", "dd/mm/yyyy", `"<"@">"`),
			[]string{"A1 number 1234.5 [1,234.50]", "B1 time 06:00:00 [6:00]", "C1 date 2020-01-01 [01/01/2020]", "D1 text x [<x>]", "E1 number 1.5"}},
		"built-in formats": {simple(row(1, cell(recCellReal, 0, 0, 0.5), cell(recCellReal, 1, 1, 43831.0))).with("xl/styles.bin", stylesOf("", rec(recStyle, uint16(0), uint16(9), 0)+rec(recStyle, uint16(0), uint16(14), 0))),
			[]string{"A1 number 0.5 [50%]", "B1 date 2020-01-01 [1/1/20]"}},
		"flags of styles": {simple(row(1, cell(recCellReal, 0, 0x01000001, 0.5))).withStyles("0", "0%"),
			[]string{"A1 number 0.5 [50%]"}},
		"1904": {simple(row(1, cell(recCellRK, 0, 0, 1<<2|integer))).with("xl/workbook.bin", bookOf(1, sheetEntry("One", "rId1", 0))).withStyles("yyyy-mm-dd"),
			[]string{"A1 date 1904-01-02"}},
		"cells out of order": {simple(row(1, cell(recCellText, 2, 0, "c"), cell(recCellText, 0, 0, "a"), cell(recCellText, 1, 0, "b"))),
			[]string{"A1 text a", "B1 text b", "C1 text c"}},
		"hidden rows": {simple(hiddenRow(2, cell(recCellText, 0, 0, "a")), row(3, cell(recCellText, 0, 0, "b"))),
			[]string{"A2 text a hidden", "A3 text b"}},
		"unknown records": {simple(rec(35, 1), row(1, rec(9999, 1), cell(recCellText, 0, 0, "a"), rec(49, strings.Repeat("x", 100_000)), cell(recCellText, 1, 0, "b"))),
			[]string{"A1 text a", "B1 text b"}},
		"last cell":    {simple(row(maxRows, cell(recCellText, maxColumns-1, 0, "a"))), []string{"XFD1048576 text a"}},
		"no cells":     {simple(row(1), row(2)), nil},
		"no rows":      {simple(), nil},
		"no cell data": {simple().with("xl/worksheets/sheet1.bin", rec(recBeginSheet)+rec(recEndSheet)), nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := readBytes(t.Context(), tc.book.zip(t), Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("cells (-want +got):\n%s", diff)
			}
		})
	}
}

// TestGeneralNumbers checks that the fast paths for numbers return the same text as the format.
func TestGeneralNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.OneOf(rapid.Float64(), rapid.Map(rapid.Int64Range(-2e10, 2e10), func(n int64) float64 { return float64(n) }),
			rapid.Map(rapid.Int64Range(-1e12, 1e12), func(n int64) float64 { return float64(n) / 100 }), rapid.Just(math.Copysign(0, -1))).Draw(t, "v")
		st := ooxml.NewStyles(0).NewCache().At(0)
		var got workbook.Cell
		(&rows{}).setNumber(&got, st, v)
		value, kind := st.Format.AppendValue(nil, v, false)
		want := workbook.Cell{Kind: kind, Value: value}
		if shown := st.Format.AppendFormatted(nil, v, false); string(shown) != string(value) {
			want.Formatted = shown
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", v, diff)
		}
	})
}

func TestAppendUTF16(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		units := rapid.SliceOf(rapid.OneOf(rapid.Uint16(), rapid.Uint16Range(0, 0x7F), rapid.Uint16Range(0xD800, 0xDFFF))).Draw(t, "units")
		var raw []byte
		for _, unit := range units {
			raw = little.AppendUint16(raw, unit)
		}
		if got, want := string(appendUTF16([]byte("x"), raw)), "x"+string(utf16.Decode(units)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	})
	if got := string(appendUTF16(nil, sourcetest.UTF16LE("naïve text, 東京 \U0001F600!"))); got != "naïve text, 東京 \U0001F600!" {
		t.Error(got)
	}
}
