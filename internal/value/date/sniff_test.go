package date

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// madeColumn is a column of which we know what its cells mean.
type madeColumn struct {
	title string
	cells []string
	days  []Date
}

// columnFormats are the twelve formats of the generated columns, as tokens of
// Luxon. The last ones name the month in the locale's language.
var columnFormats = []string{
	"yyyy-MM-dd", "dd/MM/yyyy", "MM/dd/yyyy", "d.M.yyyy", "dd-MM-yyyy", "M/d/yy", "dd/MM/yy", "yy-MM-dd",
	"EEE dd/MM/yyyy", "yyyyMMdd", "d MMMM yyyy", "MMM d, yyyy",
}

var columnLocales = []string{"en-US", "de", "fr", "pl", "hr", "es"}

// makeColumn writes days of a few years in a format. An ambiguous one has no day
// over 12, and no order.
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

// makeColumns makes 200 columns, the first 30 of which nothing decides.
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
	column := NewColumn(WantDate)
	for _, cell := range c.cells {
		column.Add([]byte(cell))
	}
	return column.Decide(hints)
}

func TestTwoHundredColumns(t *testing.T) {
	wrong, asked := 0, 0
	for seed := range uint64(5) {
		for i, c := range makeColumns(t, seed) {
			d := decided(c, Hints{})
			if tie := len(d.Ties) > 0; tie != (i < 30) {
				t.Errorf("%s: asked %v, want %v: %q\n%+v", c.title, tie, i < 30, c.cells[:5], d)
			}
			asked += len(d.Ties)
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
