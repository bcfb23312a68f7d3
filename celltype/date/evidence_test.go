package date

import (
	"strings"
	"testing"
)

// TestEvidenceTexts covers every sentence that a person can read about a
// column.
func TestEvidenceTexts(t *testing.T) {
	for _, c := range []struct {
		cells string
		hints Hints
		want  string
	}{
		{
			"25/12/2021 03/04/2021", Hints{},
			"in 1 of 2 cells, such as 25/12/2021, the first number cannot be a month, in none the second: the day comes before the month",
		},
		{
			"12/25/2021 03/04/2021", Hints{},
			"in 1 of 2 cells, such as 12/25/2021, the second number cannot be a month, in none the first: the month comes before the day",
		},
		{
			"2021-25-12 2021-03-04", Hints{},
			"in 1 of 2 cells, such as 2021-25-12, the second number cannot be a month, in none the third: the year comes first, then the day",
		},
		{
			"99-Dec-25 98-Dec-24", Hints{},
			"2 of 2 cells, such as 99-Dec-25, are days only where the year comes first, then the month, none only otherwise",
		},
		{
			"Thu,04/03/2021", Hints{},
			"in 1 cell the weekday beside the date only fits where the day comes before the month",
		},
		{
			"21-03-04 21-03-15 21-05-22 21-06-30 21-07-04", Hints{},
			"the year has two digits. In 5 cells the first number takes 1 value, the last 4 values: the year stands first",
		},
		{
			"04/03/21 15/03/21 22/05/21 30/06/21 05/07/21", Hints{},
			"the year has two digits. In 5 cells the first number takes 5 values, the last 1 value: the year stands last",
		},
		{
			"25-Mar-19", Hints{},
			"the year has two digits, and nothing speaks against its usual place behind day and month",
		},
		{
			"03.04.2021", Hints{},
			"points stand between the numbers, as in 03.04.2021: with points the day comes before the month",
		},
		{
			"01/11/2020 01/12/2020 01/01/2021 01/02/2021", Hints{},
			"where the day comes before the month, each day follows the one before by 1 month; otherwise they follow no rule",
		},
		{
			"11/05/2019 12/07/2019 01/03/2020 02/01/2020 10/02/2020 12/12/2020 01/02/2021 02/01/2021", Hints{},
			"where the month comes before the day, the 7 days that follow each other are in order; otherwise they jump back and forth",
		},
		{
			"25-12-2021 03/04/2021", Hints{},
			"cells such as 03/04/2021 are read like the other dates of the column, where the day comes before the month",
		},
		{
			"03/04/2021", Hints{Neighbors: []Neighbor{{"made", Style{Orders: [patternCount]Order{MDY}}}, {"sent", Style{Orders: [patternCount]Order{MDY}}}, {"none", Style{}}}},
			`in the column "made", "sent" of this table, which writes dates in the same way, the month comes before the day`,
		},
		{
			"03/04/2021", Hints{Format: "MM/dd/yy"},
			"the field's format MM/dd/yy decides what the data leaves open: the month comes before the day",
		},
		{
			"03/04/2021", Hints{Locale: "fr-FR"},
			"the field's locale fr decides what the data leaves open: the day comes before the month",
		},
		{
			"3_listopada_2021", Hints{Locale: "pl"},
			"names of months are read in the field's own language, Polish",
		},
		{
			"3_listopada_2021 4_sierpnia_2021", Hints{},
			"in 2 of 2 cells the month is named in Polish",
		},
		{
			"03/04/99", Hints{},
			"in 1 cell the year has two digits: 00 to 49 are read as 2000 to 2049, 50 to 99 as 1950 to 1999",
		},
		{
			"03/04/99 04/05/98", Hints{Pivot: 100},
			"in 2 cells the year has two digits: 00 to 99 are read as 2000 to 2099",
		},
		{
			"2021-03-04T15:20Z 2021-03-04T15:20-03:30", Hints{},
			"in 2 cells a time zone stands beside the time (+00:00, -03:30). The time is kept as it is written, and the zone is left out",
		},
		{
			"25/12/2021 26/12/2021 27/12/2021 28/12/2021 29/12/2021 12/30/2021", Hints{Autofix: true},
			"cells that fit another order only, such as 12/30/2021: 1. They are read by the only order that fits, and marked",
		},
		{
			"25/12/2021 26/12/2021 27/12/2021 28/12/2021 29/12/2021 12/30/2021", Hints{},
			"cells that fit another order only, such as 12/30/2021: 1. They are wrong",
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

// cellsOf splits a line into cells; an underscore is a space within a cell.
func cellsOf(line string) []string {
	cells := strings.Fields(line)
	for i := range cells {
		cells[i] = strings.ReplaceAll(cells[i], "_", " ")
	}
	return cells
}

func TestAmbiguityTexts(t *testing.T) {
	for cells, want := range map[string]string{
		"03/04/2021":                       "Dates such as 03/04/2021 can be read in several ways, and nothing in the column tells which is right (1 cell).",
		"03/04/2021 05/06/2021":            "Dates such as 03/04/2021 and 05/06/2021 can be read in several ways, and nothing in the column tells which is right (2 cells).",
		"03/04/2021 25/12/2021 12/25/2021": "Dates such as 03/04/2021 can be read in several ways, and the column contradicts itself: of 3 cells 1 can only be read where the day comes before the month, such as 25/12/2021, and 1 only where the month comes before the day, such as 12/25/2021.",
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
