package ods

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/intraydata/intray/source/sourcetest/workbooktest"
)

// drawnCell is a generated cell. want is the expected text, or "" if the cell is empty.
type drawnCell struct{ xml, want string }

// drawCell generates one of a few different cells, so that adjacent cells are often equal.
func drawCell(t *rapid.T) drawnCell {
	return rapid.SampledFrom([]drawnCell{
		{}, {}, {"|/>", ""}, {`| office:value-type="string"><text:p/></table:table-cell>`, ""},
		{`| office:value-type="float" office:value="1.5"><text:p>1,5</text:p></table:table-cell>`, "number 1.5 [1,5]"},
		{`| office:value-type="string"><text:p>a b</text:p></table:table-cell>`, "text a b"},
		{`| office:value-type="string"><office:annotation/><text:p>a<text:s/></text:p></table:table-cell>`, "text a "},
		{"| office:value-type=\"date\"\n  office:date-value='2024-02-29'\n>\n<text:p>x</text:p>\n</table:table-cell>", "date 2024-02-29 [x]"},
	}).Draw(t, "cell")
}

// tag returns the XML of the cell, repeated the given number of times.
func (c drawnCell) tag(times int) string {
	repeated := ""
	if times > 1 {
		repeated = fmt.Sprintf(` table:number-columns-repeated="%d"`, times)
	}
	if c.xml == "" {
		return "<table:table-cell" + repeated + "/>"
	}
	return strings.Replace(c.xml, "|", "<table:table-cell"+repeated, 1)
}

// TestRepetitions checks that a sheet has the same cells whether or not equal ones are
// stored with a repetition count.
func TestRepetitions(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var full, counted strings.Builder
		var want []string
		number := 0
		for range rapid.IntRange(0, 6).Draw(rt, "rows") {
			var cells []drawnCell
			short := ""
			for range rapid.IntRange(0, 4).Draw(rt, "runs") {
				c, times := drawCell(rt), rapid.IntRange(1, 3).Draw(rt, "cells")
				short += c.tag(times)
				for range times {
					cells = append(cells, c)
				}
			}
			times := rapid.IntRange(1, 3).Draw(rt, "times")
			fmt.Fprintf(&counted, `<table:table-row table:number-rows-repeated="%d">%s</table:table-row>`, times, short)
			for range times {
				number++
				full.WriteString("<table:table-row>")
				for i, c := range cells {
					full.WriteString(c.tag(1))
					if c.want != "" {
						want = append(want, fmt.Sprintf("%c%d %s", 'A'+rune(i), number, c.want))
					}
				}
				full.WriteString("</table:table-row>")
			}
		}
		for form, rows := range map[string]string{"full": full.String(), "counted": counted.String(), "grouped": "<table:table-row-group>" + counted.String() + "</table:table-row-group>"} {
			got, err := readFile(t.Context(), []byte(flat(table("One", rows))), Limits{})
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				rt.Fatalf("%s: error %v (-want +got):\n%s", form, err, diff)
			}
		}
	})
}

// TestTextEncodings checks that three encodings of the same text are read as that text.
func TestTextEncodings(t *testing.T) {
	char := rapid.SampledFrom([]rune("aé漢\U0001F600 \t\n<&>\"'"))
	references := func(text string) string {
		var out strings.Builder
		for _, c := range text {
			fmt.Fprintf(&out, "&#x%X;", c)
		}
		return out.String()
	}
	elements := strings.NewReplacer("<", "&lt;", "&", "&amp;", "\n", "<text:line-break/>", "\t", "<text:tab/>", " ", "<text:s/>").Replace
	lines := strings.NewReplacer("<", "&lt;", "&", "&amp;", "\n", "</text:p><text:p>").Replace
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringOfN(char, 1, 20, -1).Draw(rt, "text")
		var want []string
		for range 3 {
			want = append(want, "A1 text "+text)
		}
		var got []string
		for _, inside := range []string{references(text), elements(text), lines(text)} {
			cells, err := readFile(t.Context(), []byte(flat(table("One", row(cell("", "<text:p>"+inside+"</text:p>"))))), Limits{})
			if err != nil {
				rt.Fatal(err)
			}
			got = append(got, cells...)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			rt.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

// TestNumbersKeepTheirDigits checks that decimal numbers of any length keep all digits.
func TestNumbersKeepTheirDigits(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		raw := rapid.StringMatching(`-?(0|[1-9][0-9]{0,40})(\.[0-9]{1,40})?(e-?[0-9]{1,3})?`).Draw(rt, "number")
		if got, k := appendValue(nil, typeNumber, []byte(raw)); string(got) != raw || workbooktest.KindName(k) != "number" {
			rt.Fatalf("%q: %s %q", raw, workbooktest.KindName(k), got)
		}
		plus := strings.Replace(strings.Replace(raw, "e", "E+", 1), "E+-", "E-", 1)
		if got, _ := appendValue(nil, typeNumber, []byte(plus)); string(got) != raw {
			rt.Fatalf("%q: %q", plus, got)
		}
	})
}

// TestTimesAreSums checks that a duration with arbitrary numbers of days, hours, minutes and
// seconds is read as the sum of its parts.
func TestTimesAreSums(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		parts := make([]int64, 5)
		for i, most := range []int64{50, 99, 99, 99_999, 999} {
			parts[i] = rapid.Int64Range(0, most).Draw(rt, "part")
		}
		raw := fmt.Sprintf("-P%dDT%dH%dM%d.%03dS", parts[0], parts[1], parts[2], parts[3], parts[4])
		want := -(((parts[0]*24+parts[1])*60+parts[2])*60*1000 + parts[3]*1000 + parts[4])
		if got, ok := parseDuration(raw); !ok || got != want {
			rt.Fatalf("%q: %d, want %d", raw, got, want)
		}
	})
}
