package date

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// madeColumn is a generated column of cells with known values.
type madeColumn struct {
	title string
	cells []string
	days  []Date
}

// columnFormats are the twelve formats of the generated columns, in Luxon tokens. The last two
// contain the name of the month in the locale's language.
var columnFormats = []string{
	"yyyy-MM-dd", "dd/MM/yyyy", "MM/dd/yyyy", "d.M.yyyy", "dd-MM-yyyy", "M/d/yy", "dd/MM/yy", "yy-MM-dd",
	"EEE dd/MM/yyyy", "yyyyMMdd", "d MMMM yyyy", "MMM d, yyyy",
}

var columnLocales = []string{"en-US", "de", "fr", "pl", "hr", "es"}

// makeColumn formats random days of a few years. In an ambiguous column, no day
// is after the 12th, and the days are not sorted.
func makeColumn(t *testing.T, rnd *rand.Rand, format, locale string, rows int, ambiguous bool) madeColumn {
	t.Helper()
	layout, err := CompileLayout(format, locale, WantDate, false)
	if err != nil {
		t.Fatal(err)
	}
	c := madeColumn{title: fmt.Sprintf("%s in %s, %d rows, ambiguous %v", format, locale, rows, ambiguous)}
	first := time.Date(1995+rnd.IntN(25), 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range rows {
		day := fromTime(first.AddDate(0, 0, rnd.IntN(3*365)))
		switch {
		case ambiguous:
			day.Day = uint8(1 + rnd.IntN(12))
		case i%5 == 2 && day.Day <= 12:
			day.Day += 12
		}
		c.cells = append(c.cells, string(layout.Append(nil, day)))
		c.days = append(c.days, day.Date)
	}
	return c
}

// makeColumns returns 200 columns, the first 30 of which are ambiguous.
func makeColumns(t *testing.T, seed uint64) []madeColumn {
	rnd := rand.New(rand.NewPCG(seed, 0))
	var columns []madeColumn
	for i := range 200 {
		format, locale := columnFormats[i%len(columnFormats)], columnLocales[i/len(columnFormats)%len(columnLocales)]
		rows := 20 + rnd.IntN(200)
		if i < 30 {
			format = []string{"dd/MM/yyyy", "MM/dd/yyyy", "dd-MM-yyyy", "d/M/yyyy", "M/d/yy", "dd-MM-yy"}[i%6]
		}
		columns = append(columns, makeColumn(t, rnd, format, locale, rows, i < 30))
	}
	return columns
}

func decided(c madeColumn, hints Hints) Decision {
	column := NewSniffer(WantDate)
	for _, cell := range c.cells {
		column.Observe([]byte(cell))
	}
	return column.Decide(hints)
}

func TestTwoHundredColumns(t *testing.T) {
	wrong, asked := 0, 0
	for seed := range uint64(5) {
		for i, c := range makeColumns(t, seed) {
			d := decided(c, Hints{})
			if question := len(d.Ambiguities) > 0; question != (i < 30) {
				t.Errorf("%s: asked %v, want %v: %q\n%+v", c.title, question, i < 30, c.cells[:5], d)
			}
			asked += len(d.Ambiguities)
			for j, cell := range c.cells {
				r := d.Style.Read([]byte(cell), WantDate)
				if r.Reason == Read && r.Date != c.days[j] || r.Reason != Read && i >= 30 {
					wrong++
					t.Errorf("%s: %q is %v %s, want %v", c.title, cell, r.Date, r.Reason.Code(), c.days[j])
					break
				}
			}
		}
	}
	t.Logf("1000 columns: %d wrong, %d asked about", wrong, asked)
}

func seriesOf(days ...string) *dateSeries {
	var s dateSeries
	for _, text := range days {
		d, _ := readISO([]byte(text))
		s.addDate(d)
	}
	return &s
}

func TestSeries(t *testing.T) {
	for title, c := range map[string]struct {
		s                *dateSeries
		regular, ordered bool
		text             string
	}{
		"days":              {seriesOf("2021-02-26", "2021-02-27", "2021-02-28", "2021-03-01"), true, false, "1 day"},
		"weeks":             {seriesOf("2021-12-20", "2021-12-27", "2022-01-03", "2022-01-10"), true, false, "7 days"},
		"days backwards":    {seriesOf("2021-03-03", "2021-03-02", "2021-03-01", "2021-02-28"), true, false, "1 day"},
		"months":            {seriesOf("2020-11-05", "2020-12-05", "2021-01-05", "2021-02-05"), true, false, "1 month"},
		"years":             {seriesOf("2018-11-05", "2019-11-05", "2020-11-05", "2021-11-05"), true, false, "12 months"},
		"too few":           {seriesOf("2021-02-26", "2021-02-27", "2021-02-28"), false, false, "1 day"},
		"one leap":          {seriesOf("2021-02-26", "2021-02-27", "2021-02-28", "2021-03-02"), false, false, "0 days"},
		"a day twice":       {seriesOf("2021-02-26", "2021-02-27", "2021-02-27", "2021-02-28", "2021-03-01"), false, false, "1 day"},
		"a cell without":    {seriesOf("2021-02-26", "2021-02-27", "no day at", "2021-02-28", "2021-03-01"), false, false, "1 day"},
		"in order":          {seriesOf("2021-01-01", "2021-01-03", "2021-01-04", "2021-02-01", "2021-02-01", "2021-05-01", "2022-01-01", "2022-01-07", "2022-02-01"), false, true, "0 days"},
		"in order, but one": {seriesOf("2021-01-01", "2021-01-03", "2021-01-04", "2021-02-01", "2021-01-31", "2021-05-01", "2022-01-01", "2022-01-07", "2022-02-01"), false, false, "0 days"},
		"nothing":           {seriesOf(), false, false, "0 days"},
	} {
		if c.s.isRegular() != c.regular || c.s.isOrdered() != c.ordered || c.s.message().String() != c.text {
			t.Errorf("%s: %v %v %q", title, c.s.isRegular(), c.s.isOrdered(), c.s.message().String())
		}
	}
}
