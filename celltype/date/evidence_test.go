package date

import (
	"strings"
	"testing"
)

// TestEvidenceTexts checks every sentence that gives evidence about a column.
func TestEvidenceTexts(t *testing.T) {
	for _, c := range []struct {
		cells string
		hints Hints
		want  string
	}{
		{
			"25/12/2021 03/04/2021", Hints{},
			"in 1 of 2 cells, for example 25/12/2021, the first number can't be a month (cells where the second can't: none), so the day comes before the month",
		},
		{
			"12/25/2021 03/04/2021", Hints{},
			"in 1 of 2 cells, for example 12/25/2021, the second number can't be a month (cells where the first can't: none), so the month comes before the day",
		},
		{
			"2021-25-12 2021-03-04", Hints{},
			"in 1 of 2 cells, for example 2021-25-12, the second number can't be a month (cells where the third can't: none), so the year comes first, then the day",
		},
		{
			"99-Dec-25 98-Dec-24", Hints{},
			"in 2 of 2 cells, for example 99-Dec-25, the date is valid only if the year comes first, then the month (cells where the reverse is true: none)",
		},
		{
			"Thu,04/03/2021", Hints{},
			"the weekday in 1 cell matches the date only if the day comes before the month",
		},
		{
			"21-03-04 21-03-15 21-05-22 21-06-30 21-07-04", Hints{},
			"years have two digits; in 5 cells, the first number takes 1 value and the last number takes 4 values, so the year comes first",
		},
		{
			"04/03/21 15/03/21 22/05/21 30/06/21 05/07/21", Hints{},
			"years have two digits; in 5 cells, the first number takes 5 values and the last number takes 1 value, so the year comes last",
		},
		{
			"25-Mar-19", Hints{},
			"years have two digits; the year is assumed to come last, as is usual",
		},
		{
			"03.04.2021", Hints{},
			"the numbers are separated by periods, as in 03.04.2021, so the day comes before the month",
		},
		{
			"01/11/2020 01/12/2020 01/01/2021 01/02/2021", Hints{},
			"if the day comes before the month, the dates are 1 month apart; otherwise they follow no pattern",
		},
		{
			"11/05/2019 12/07/2019 01/03/2020 02/01/2020 10/02/2020 12/12/2020 01/02/2021 02/01/2021", Hints{},
			"if the month comes before the day, the dates are in chronological order (the date changes 7 times); otherwise they jump back and forth",
		},
		{
			"25-12-2021 03/04/2021", Hints{},
			"in cells such as 03/04/2021, the day comes before the month, as in the other dates in the column",
		},
		{
			"03/04/2021", Hints{Neighbors: []Neighbor{{"made", Style{Orders: [patternCount]Order{MDY}}}, {"sent", Style{Orders: [patternCount]Order{MDY}}}, {"none", Style{}}}},
			`other columns in this table with the same format ("made", "sent") show that the month comes before the day`,
		},
		{
			"03/04/2021", Hints{Format: "MM/dd/yy"},
			"according to the field's format MM/dd/yy, the month comes before the day",
		},
		{
			"03/04/2021", Hints{Locale: "fr-FR"},
			"according to the field's locale fr, the day comes before the month",
		},
		{
			"3_listopada_2021", Hints{Locale: "pl"},
			"month names are read in the field's language, Polish",
		},
		{
			"3_listopada_2021 4_sierpnia_2021", Hints{},
			"in 2 of 2 cells, the month is written in Polish",
		},
		{
			"03/04/99", Hints{},
			"1 cell has a two-digit year: 00 to 49 are read as 2000 to 2049, 50 to 99 as 1950 to 1999",
		},
		{
			"03/04/99 04/05/98", Hints{Pivot: 100},
			"2 cells have two-digit years: 00 to 99 are read as 2000 to 2099",
		},
		{
			"2021-03-04T15:20Z 2021-03-04T15:20-03:30", Hints{},
			"2 cells contain a time zone (+00:00, -03:30); the time is kept as written, without the time zone",
		},
		{
			"25/12/2021 26/12/2021 27/12/2021 28/12/2021 29/12/2021 12/30/2021", Hints{Autofix: true},
			"cells that fit only a different order, such as 12/30/2021, are read in that order and flagged (cells: 1)",
		},
		{
			"25/12/2021 26/12/2021 27/12/2021 28/12/2021 29/12/2021 12/30/2021", Hints{},
			"cells that fit only a different order, such as 12/30/2021, are reported as errors (cells: 1)",
		},
	} {
		d := decided(madeColumn{cells: cellsOf(c.cells)}, c.hints)
		found := false
		var texts []string
		for _, e := range d.Evidence {
			found = found || e.String() == c.want
			texts = append(texts, e.String())
		}
		if !found {
			t.Errorf("%q: want %s\nhave %s", c.cells, c.want, strings.Join(texts, "\n     "))
		}
	}
}

// cellsOf splits a line into cells. An underscore represents a space within a cell.
func cellsOf(line string) []string {
	cells := strings.Fields(line)
	for i := range cells {
		cells[i] = strings.ReplaceAll(cells[i], "_", " ")
	}
	return cells
}

func TestAmbiguityTexts(t *testing.T) {
	for cells, want := range map[string]string{
		"03/04/2021":                       "Dates such as 03/04/2021 can be read in more than one way: nothing in the column shows which is right (1 cell).",
		"03/04/2021 05/06/2021":            "Dates such as 03/04/2021 and 05/06/2021 can be read in more than one way: nothing in the column shows which is right (2 cells).",
		"03/04/2021 25/12/2021 12/25/2021": "Dates such as 03/04/2021 can be read in more than one way: 1 of 3 cells (for example 25/12/2021) can only be read if the day comes before the month, but 1 (for example 12/25/2021) only if the month comes before the day.",
	} {
		d := decided(madeColumn{cells: strings.Fields(cells)}, Hints{})
		if len(d.Ambiguities) != 1 || d.Ambiguities[0].Text.String() != want {
			t.Errorf("%q: %+v", cells, d.Ambiguities)
		}
	}
}

func TestBeats(t *testing.T) {
	for _, c := range []struct {
		won, lost, several int64
		want               bool
	}{{1, 0, 9, true}, {0, 0, 9, false}, {4, 1, 9, true}, {3, 1, 9, false}, {1, 1, 0, false}, {2, 1, 0, true}, {1, 2, 0, false}} {
		var over [orderCount][orderCount]int64
		over[DMY][MDY], over[MDY][DMY] = c.won, c.lost
		if got := outweighs(&over, DMY, MDY, c.several); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestOffsetsAsText(t *testing.T) {
	for minutes, want := range map[int16]string{0: "+00:00", 60: "+01:00", -330: "-05:30", 845: "+14:05", -1: "-00:01"} {
		if got := string(appendOffset(nil, minutes)); got != want {
			t.Errorf("%d: %s, want %s", minutes, got, want)
		}
	}
}
