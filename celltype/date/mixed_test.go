package date

import (
	"math/rand/v2"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// TestMixedColumns checks columns with several patterns and a few cells that
// contradict the order. With autofix, these cells are read in the only order
// that fits and are marked. Without it, they are invalid.
func TestMixedColumns(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	formats := []string{"dd/MM/yyyy", "dd/MM/yyyy", "d/M/yyyy", "d.M.yyyy", "yyyy-MM-dd", "d MMMM yyyy", "dd-MM-yyyy", "EEE, d MMM yyyy"}
	for _, autofix := range []bool{true, false} {
		var cells []string
		var days []Date
		odd := map[int]bool{}
		for i := range 400 {
			day := dateFromDayNumber(Date{2015, 1, 1}.dayNumber() + rnd.IntN(2500))
			format := formats[rnd.IntN(len(formats))]
			if day.Day > 12 && i%20 == 0 {
				format, odd[i] = "MM/dd/yyyy", true
			}
			layout, err := CompileLayout(format, "en", WantDate, false)
			if err != nil {
				t.Fatal(err)
			}
			cells, days = append(cells, string(layout.Append(nil, Timestamp{Date: day}))), append(days, day)
		}
		d := decided(madeColumn{cells: cells}, Hints{Autofix: autofix})
		if len(d.Ambiguities) > 0 || len(odd) == 0 {
			t.Fatalf("%d odd cells, %s", len(odd), outcome(d))
		}
		for i, cell := range cells {
			r := d.Style.Read([]byte(cell), WantDate)
			switch {
			case odd[i] && !autofix:
				if r.Reason != OtherOrder {
					t.Errorf("%q: %s, want it refused", cell, asText(r, WantDate))
				}
			case r.Reason != Read || r.Date != days[i] || r.Autofixed != odd[i]:
				t.Errorf("%q: %s, fixed %v; want %v", cell, asText(r, WantDate), r.Autofixed, days[i])
			}
		}
	}
}

// TestDecisionsNeverContradictCells checks that no cell is read as a different
// day, whatever is decided. Each random column has one order and one pattern.
func TestDecisionsNeverContradictCells(t *testing.T) {
	formats := []string{"dd/MM/yyyy", "MM/dd/yyyy", "dd-MM-yyyy", "MM-dd-yyyy", "d.M.yyyy", "yyyy-MM-dd", "yyyy/MM/dd", "dd MM yyyy", "ddMMyyyy", "d MMM yyyy", "MMMM d, yyyy"}
	rapid.Check(t, func(t *rapid.T) {
		format := rapid.SampledFrom(formats).Draw(t, "format")
		layout, err := CompileLayout(format, "en", WantDate, false)
		if err != nil {
			t.Fatal(err)
		}
		column, rows := NewSniffer(WantDate), rapid.IntRange(1, 12).Draw(t, "rows")
		var cells [][]byte
		var days []Date
		for range rows {
			day := dateFromDayNumber(rapid.IntRange(Date{1950, 1, 1}.dayNumber(), Date{2049, 1, 1}.dayNumber()).Draw(t, "day"))
			days, cells = append(days, day), append(cells, layout.Append(nil, Timestamp{Date: day}))
			column.Observe(cells[len(cells)-1])
		}
		d := column.Decide(Hints{Autofix: true})
		for i, cell := range cells {
			if r := d.Style.Read(cell, WantDate); r.Reason == Read && r.Date != days[i] || r.Autofixed || r.Reason != Read && len(d.Ambiguities) == 0 {
				t.Fatalf("%s: %q is %s, want %v; %s", format, cell, asText(r, WantDate), days[i], outcome(d))
			}
		}
	})
}

// TestReadingFromSeveralGoroutines reads cells concurrently. It is meant for the race detector.
func TestReadingFromSeveralGoroutines(t *testing.T) {
	layout, err := CompileLayout("DDDD", "fr", WantDate, false)
	if err != nil {
		t.Fatal(err)
	}
	style := Style{Orders: [patternCount]Order{Slash: DMY}}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for i := range 200 {
				d := dateFromDayNumber(700000 + i)
				text := layout.Append(nil, Timestamp{Date: d})
				if a, b := style.Read(text, WantDate), layout.Read(text, WantDate); a.Date != d || b.Date != d {
					t.Errorf("%q: %v and %v, want %v", text, a, b, d)
				}
			}
		})
	}
	group.Wait()
}

func TestColumnsOfTimes(t *testing.T) {
	c := NewSniffer(WantTime)
	for _, cell := range []string{"15:20", "3:20 PM", "04/03/2021 15:20", "15:20+02:00", "", " ", "nonsense"} {
		c.Observe([]byte(cell))
	}
	d := c.Decide(Hints{Locale: "en-US"})
	if got := outcome(d); got != "offset=+02:00; time.zones" || d.Cells != 5 || d.Unread != 1 {
		t.Errorf("%q, %d cells, %d unread", got, d.Cells, d.Unread)
	}
	c = NewSniffer(WantDateTime)
	for _, cell := range []string{"15:20", "04/03/2021 15:20", "14/03/2021 15:20", "2021-W09-4", "4 March"} {
		c.Observe([]byte(cell))
	}
	if d := c.Decide(Hints{}); outcome(d) != "slash=DMY; month_second_not_first" || d.Unread != 2 {
		t.Errorf("%q, %d unread", outcome(d), d.Unread)
	}
}

// TestColumnsOfHostileCells checks that a sniffer survives hostile cells and reports no
// ambiguities.
func TestColumnsOfHostileCells(t *testing.T) {
	c := NewSniffer(WantDate)
	for _, cell := range []string{"3 tháng 0, 21", "3 tháng 99, 21", "0月0日0000年", "\x00\x00", string(make([]byte, 1<<20)), "99999999999999999999/1/1", "1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1", "((((((((((((((((((((((((((((((((((((", "+1:+1:+1", "-", "令和", "W", "T", "h", "1h1h1h1h1h"} {
		for range 50 {
			c.Observe([]byte(cell))
		}
	}
	if d := c.Decide(Hints{Format: "\xff", Locale: "\xff"}); len(d.Ambiguities) != 0 {
		t.Errorf("%+v", d)
	}
}
