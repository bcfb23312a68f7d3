package xlsx

import (
	"archive/zip"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/intraydata/intray/source/workbook"
)

// notPlain changes cells and strings so that only the general readers accept them.
var notPlain = strings.NewReplacer("<c ", "<c\n", "<si>", "<si >")

// TestPlainCells reads random sheets twice: as they are, and with a line break in each tag that starts a
// cell, which makes it a cell that is not plain.
func TestPlainCells(t *testing.T) {
	column := rapid.Custom(func(t *rapid.T) string {
		return workbook.ColumnName(rapid.OneOf(rapid.IntRange(0, 30), rapid.IntRange(0, maxColumns+30)).Draw(t, "column"))
	})
	attributes := rapid.SampledFrom([]string{"", "", ` s="1"`, ` s="2"`, ` t="s"`, ` s="1" t="s"`, ` s="0" t="n"`, ` t="b"`, ` t="str"`, ` t="inlineStr"`, ` t="s" s="1"`, ` s=""`,
		` s="99999999"`, ` s="1" s="2"`, ` t="x"`, ` t="sn"`, ` s="-1"`, ` cm="1"`, ` s='1'`})
	values := rapid.SampledFrom([]string{"0", "1", "2", "7", "40000", "-1.50", "1e5", "1E-7", "+3", "12345678901234567890", "0.1", ".", "-", "", "a", "1 ", "&#49;", "1&amp;", "é", "<!-- -->1", strings.Repeat("9", 100)})
	rapid.Check(t, func(rt *rapid.T) {
		var text strings.Builder
		number := 0
		for range rapid.IntRange(1, 5).Draw(rt, "rows") {
			number += rapid.SampledFrom([]int{1, 1, 1, 90, 1000, 0}).Draw(rt, "step")
			if rapid.IntRange(0, 9).Draw(rt, "named") > 0 {
				fmt.Fprintf(&text, `<row r="%d">`, number)
			} else {
				text.WriteString("<row>")
			}
			at := 0
			for range rapid.IntRange(0, 8).Draw(rt, "cells") {
				at += rapid.SampledFrom([]int{1, 1, 1, 1, 2, 30, 0}).Draw(rt, "gap")
				name := workbook.ColumnName(max(at, 1) - 1)
				if rapid.IntRange(0, 9).Draw(rt, "odd") == 0 {
					name = column.Draw(rt, "column")
				}
				row := fmt.Sprint(number)
				if rapid.IntRange(0, 29).Draw(rt, "odd row") == 0 {
					row = rapid.SampledFrom([]string{"", "0", "1", "12345678", "01", row + "1"}).Draw(rt, "row")
				}
				fmt.Fprintf(&text, `<c r="%s%s"%s`, name, row, attributes.Draw(rt, "attributes"))
				switch v := values.Draw(rt, "value"); rapid.IntRange(0, 9).Draw(rt, "shape") {
				case 0:
					text.WriteString("/>")
				case 1:
					text.WriteString("></c>")
				case 2:
					fmt.Fprintf(&text, "><f>1</f><v>%s</v></c>", v)
				case 3:
					fmt.Fprintf(&text, "><is><t>%s</t></is></c>", v)
				default:
					fmt.Fprintf(&text, "><v>%s</v></c>", v)
				}
			}
			text.WriteString("</row>")
		}
		book := simple("").withStrings(`<si><t>a</t></si><si><t>b</t></si><si><t/></si>`).withStyles("General", "#,##0.00", "yyyy-mm-dd")
		read := func(rows string) (cells []string, problem string) {
			cells, err := readBytes(t.Context(), book.with("xl/worksheets/sheet1.xml", sheetOf(rows)).pack(t, zip.Store), Limits{Columns: 700, CellBytes: 90, RowBytes: 200})
			return cells, fmt.Sprint(err)
		}
		got, gotProblem := read(text.String())
		want, wantProblem := read(notPlain.Replace(text.String()))
		if diff := cmp.Diff(want, got); diff != "" || gotProblem != wantProblem {
			rt.Fatalf("%s\nproblem %q, want %q (-want +got):\n%s", &text, gotProblem, wantProblem, diff)
		}
	})
}
