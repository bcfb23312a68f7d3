package date

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
)

// outcome returns a summary of a decision: its style, the codes of its
// evidence, and the choices of its questions.
func outcome(d Decision) string {
	text, _ := d.Style.MarshalText()
	parts := []string{string(text)}
	for _, e := range d.Evidence {
		parts = append(parts, strings.TrimPrefix(e.Code, "date."))
	}
	for _, question := range d.Ambiguities {
		var labels []string
		for _, c := range question.Choices {
			labels = append(labels, c.Label.String())
		}
		parts = append(parts, "? "+question.Key()+": "+strings.Join(labels, " | "))
	}
	return strings.Join(parts, "; ")
}

func TestDecisions(t *testing.T) {
	const dayOrMonth = "Day, month, year | Month, day, year"
	created := []Neighbor{{Header: "created_at", Style: Style{Orders: [patternCount]Order{Slash: MDY}}}}
	for _, c := range []struct {
		title, cells string
		hints        Hints
		want         string
	}{
		{"a number over 12", "25/12/2021 03/04/2021", Hints{}, "slash=DMY; month_second_not_first"},
		{"the other number over 12", "12/25/2021 03/04/2021", Hints{}, "slash=MDY; month_first_not_second"},
		{"a few against many", "25/12/2021 03/04/2021 13/04/2021 14/04/2021 15/04/2021 12/25/2021", Hints{Autofix: true}, "slash=DMY autofix; month_second_not_first; other_order_read"},
		{"a column that contradicts itself", "25/12/2021 03/04/2021 12/25/2021", Hints{}, "; ? slash: " + dayOrMonth},
		{"a contradiction on which nothing depends", "25/12/2021 25/12/2020 12/25/2021", Hints{}, "slash=DMY; month_second_not_first; other_order_wrong"},
		{"no evidence", "03/04/2021 05/06/2021 12/01/2020", Hints{}, "; ? slash: " + dayOrMonth},
		{"nothing depends", "03/03/2021 05/05/2021", Hints{}, ""},
		{"dashes tell nothing", "03-04-2021 05-06-2021", Hints{}, "; ? dash: " + dayOrMonth},
		{"points", "03.04.2021 05.06.2021", Hints{}, "dot=DMY; points"},
		{"the locale of the field", "03/04/2021 05/06/2021", Hints{Locale: "en-GB"}, "slash=DMY; locale_decides"},
		{"the locale of the field is American", "03/04/2021 05/06/2021", Hints{Locale: "en_US"}, "slash=MDY; locale_decides"},
		{"the locale says nothing of this form", "03/04/2021 05/06/2021", Hints{Locale: "sv"}, "; ? slash: " + dayOrMonth},
		{"the format of the field comes before its locale", "03/04/2021 05/06/2021", Hints{Format: "dd/MM/yyyy", Locale: "en-US"}, "slash=DMY; format_decides"},
		{"the localized format of the field", "03/04/2021 05/06/2021", Hints{Format: "D", Locale: "de"}, "slash=DMY; format_decides"},
		{"a format without order", "03/04/2021 05/06/2021", Hints{Format: "d MMM y"}, "; ? slash: " + dayOrMonth},
		{"a cell against the locale", "25/12/2021 03/04/2021", Hints{Locale: "en-US"}, "slash=MDY; locale_decides; other_order_wrong"},
		{"a cell against the format", "04/05/2024 05/13/2024 06/07/2024", Hints{Format: "dd/MM/yyyy"}, "slash=DMY; format_decides; other_order_wrong"},
		{"cells for and against the format", "04/05/2024 05/13/2024 05/14/2024 15/07/2024 16/07/2024", Hints{Format: "dd/MM/yyyy"}, "slash=DMY; month_second_not_first; other_order_wrong"},
		{"most cells against the format", "04/05/2024 05/13/2024 05/14/2024 15/07/2024", Hints{Format: "dd/MM/yyyy"}, "; ? slash: " + dayOrMonth},
		{"all cells against the locale", "05/13/2024 05/14/2024", Hints{Locale: "de"}, "slash=DMY; other_order_wrong"},
		{"weekdays against the format", "Thu,04/03/2021 Fri,05/03/2021", Hints{Format: "MM/dd/yyyy"}, "; ? slash: " + dayOrMonth},
		{"a convention decides no other form", "01/03/2024 02/05/2024 04.05.2024", Hints{}, "dot=DMY; points; ? slash: " + dayOrMonth},
		{"the locale comes before the convention", "04.05.2024 05.06.2024", Hints{Locale: "en-US"}, "dot=MDY; locale_decides"},
		{"years first with slashes", "24/05/04 23/06/07", Hints{}, "; two_digit_years; ? slash2: Day, month, year | Year, month, day"},
		{"years first with points", "24.05.04 23.06.07", Hints{}, "; two_digit_years; ? dot2: Day, month, year | Year, month, day"},
		{"years first in the format", "24/05/04 23/06/07", Hints{Format: "yy/MM/dd"}, "slash2=YMD; format_decides; two_digit_years"},
		{"years first in the locale", "24/05/04 23/06/07", Hints{Locale: "ja"}, "slash2=YMD; locale_decides; two_digit_years"},
		{"years last in the locale", "24/05/04 23/06/07", Hints{Locale: "en-GB"}, "slash2=DMY; locale_decides; two_digit_years"},
		{"a year of four digits in the format", "24/05/04 23/06/07", Hints{Format: "yyyy-MM-dd"}, "; two_digit_years; ? slash2: Day, month, year | Year, month, day"},
		{"years in both places", "4/5/24 13/5/24 24/5/4", Hints{}, "; two_digit_years; ? slash2: Day, month, year | Year, month, day"},
		{"one digit is not a year", "4/5/24 13/5/24", Hints{}, "slash2=DMY; year_only_last; month_second_not_first; two_digit_years"},
		{"years that certainly stand first", "24/05/04 24/05/13 24/05/22 24/06/30 23/07/04 24/07/11", Hints{Locale: "en-GB"}, "; two_digit_years; ? slash2: " + dayOrMonth + " | Year, month, day"},
		{"another column of the table", "04/03/2021 05/06/2021", Hints{Neighbors: created}, "slash=MDY; like_other_columns"},
		{"another column of another form", "04-03-2021 05-06-2021", Hints{Neighbors: created}, "; ? dash: " + dayOrMonth},
		{"two columns that contradict each other", "04/03/2021", Hints{Neighbors: append([]Neighbor{{"x", Style{Orders: [patternCount]Order{DMY}}}}, created...)}, "; ? slash: " + dayOrMonth},
		{"other cells of the column", "25-12-2021 03/04/2021 2021-03-04", Hints{}, "slash=DMY dash=DMY year=YMD; month_second_not_first; like_other_cells"},
		{"months that follow each other", "01/11/2020 01/12/2020 01/01/2021 01/02/2021 01/03/2021", Hints{}, "slash=DMY; regular_series"},
		{"days or months that follow each other", "01/01/2020 01/02/2020 01/03/2020 01/04/2020 01/05/2020", Hints{}, "; ? slash: " + dayOrMonth},
		{"days in order", "01/02/2021 03/02/2021 11/02/2021 02/03/2021 05/03/2021 12/03/2021 01/04/2021 03/05/2021 07/06/2021", Hints{}, "slash=DMY; sorted_series"},
		{"cells sorted as text", "01/02/2021 01/05/2021 02/01/2021 02/07/2021 03/01/2021 03/04/2021 04/02/2021 05/06/2021 06/01/2021", Hints{}, "; ? slash: " + dayOrMonth},
		{"days in order over years", "11/05/2019 12/07/2019 01/03/2020 02/01/2020 10/02/2020 12/12/2020 01/02/2021 02/01/2021 03/02/2021", Hints{}, "slash=MDY; sorted_series"},
		{"weekdays", "Thu,04/03/2021 Fri,05/03/2021", Hints{}, "slash=DMY; weekday_fits"},
		{"two digits with slashes", "25/12/19", Hints{}, "; two_digit_years; ? slash2: Day, month, year | Year, month, day"},
		{"two digits with dashes", "25-12-19", Hints{}, "; two_digit_years; ? dash2: Day, month, year | Year, month, day"},
		{"one question for two forms", "03/04/2021 03-04-2021 03-04-05", Hints{}, "; two_digit_years; ? slash: Day, month, year | Month, day, year; ? dash2: Day, month, year | Month, day, year | Year, month, day"},
		{"no such month", "3_tháng_0,_21 3_tháng_99,_21", Hints{}, "named=DMY; two_digit_years"},
		{"two digits, the year first", "21-03-04 21-03-15 21-05-22 21-06-30 21-07-04", Hints{}, "dash2=YMD; year_first_by_values; month_second_not_first; two_digit_years"},
		{"two digits, too few to tell", "19-07-14 17-06-14", Hints{}, "; two_digit_years; ? dash2: Day, month, year | Year, month, day"},
		{"two digits, no evidence", "03-04-05 04-05-06", Hints{}, "; two_digit_years; ? dash2: Day, month, year | Month, day, year | Year, month, day"},
		{"two digits and a Swedish field", "03-04-05 04-05-06", Hints{Locale: "sv"}, "dash2=YMD; locale_decides; two_digit_years"},
		{"another century", "03/04/95 13/04/29", Hints{Pivot: 30}, "slash2=DMY pivot=30; year_only_last; month_second_not_first; not_in_future; two_digit_years"},
		{"years of two digits next to names", "03-Mar-21 04-Jun-21", Hints{}, "named=DMY names=en+bs+da+de+es+id+is+nb+pt+sk+sl+sr-Latn; year_usually_last; two_digit_years"},
		{"the day before the month, the year first", "2021-25-12 2021-26-12 2021-03-04", Hints{Autofix: true}, "year=YDM autofix; month_third_not_second"},
		{"no signs", "040321 250321 110321 050421 070521", Hints{}, "bare2=DMY; year_last_by_values; month_second_not_first; two_digit_years"},
		{"names of one language", "3_March_2021 4_May_2021", Hints{}, "names=en"},
		{"a name of two languages", "3._listopada_2021 4._listopada_2021", Hints{}, "; ? named: Croatian | Polish"},
		{"a name of two languages and another one", "3._listopada_2021 4._sierpnia_2021", Hints{}, "names=pl; month_names"},
		{"a name of two languages and a field of one", "3._listopada_2021", Hints{Locale: "hr-HR"}, "names=hr; month_names_by_locale; month_names"},
		{"zones", "2021-03-04T15:20+01:00 2021-07-04T15:20+02:00", Hints{}, "year=YMD offset=+00:00; time.zones"},
		{"nothing at all", "hello ___ 44259", Hints{}, ""},
	} {
		got := decided(madeColumn{cells: cellsOf(c.cells)}, c.hints)
		if diff := cmp.Diff(c.want, outcome(got)); diff != "" {
			t.Errorf("%s: %s", c.title, diff)
		}
	}
}

func TestEvidenceForPeople(t *testing.T) {
	d := decided(madeColumn{cells: []string{"25/12/2021", "03/04/2021", "26/12/2021"}}, Hints{})
	want := []string{"in 2 of 3 cells, for example 25/12/2021, the first number can't be a month (cells where the second can't: none), so the day comes before the month"}
	if diff := cmp.Diff(want, intray.RenderAll(d.Evidence)); diff != "" {
		t.Error(diff)
	}
	d = decided(madeColumn{cells: []string{"25/12/2021", "03/04/2021", "12/26/2021", "nonsense", " "}}, Hints{})
	wantQuestion := Ambiguity{
		Pattern: Slash,
		Text: intray.NewMessage("date.question", intray.Params{
			"examples": []string{"03/04/2021"},
			"reason": intray.NewMessage("date.cells_contradict", intray.Params{
				"n":     3,
				"first": 1, "first_order": intray.NewMessage("date.day_before_month", nil), "first_example": "25/12/2021",
				"second": 1, "second_order": intray.NewMessage("date.month_before_day", nil), "second_example": "12/26/2021",
			}),
		}),
		Choices: []Choice{
			{Order: DMY, Label: intray.NewMessage("date.order_dmy", nil), Readings: []intray.Reading{{Raw: "03/04/2021", Value: "2021-04-03"}}, patterns: 1 << Slash},
			{Order: MDY, Label: intray.NewMessage("date.order_mdy", nil), Readings: []intray.Reading{{Raw: "03/04/2021", Value: "2021-03-04"}}, patterns: 1 << Slash},
		},
	}
	if diff := cmp.Diff([]Ambiguity{wantQuestion}, d.Ambiguities, cmp.AllowUnexported(Choice{})); diff != "" {
		t.Error(diff)
	}
	if d.Cells != 4 || d.Unread != 1 {
		t.Errorf("%d cells, %d unread", d.Cells, d.Unread)
	}
}

// TestInvalidDaysAreIgnored checks that a day that does not exist is invalid
// and does not affect the decision. It adds such a day to unambiguous columns.
func TestInvalidDaysAreIgnored(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 3))
	for format, slips := range map[string][]string{
		"dd/MM/yy":   {"31/04/21", "30/02/21", "45/04/21"},
		"dd-MM-yy":   {"31-04-21", "29-02-21", "45-04-21"},
		"d-MMM-yy":   {"31-Apr-21", "30-Feb-21"},
		"MM/dd/yyyy": {"04/31/2021", "02/30/2021"},
		"yyyy-MM-dd": {"2021-04-31", "2021-02-30"},
	} {
		for _, slip := range slips {
			c := makeColumn(t, rnd, format, "en", 50, false)
			clear := decided(c, Hints{Autofix: true})
			c.cells = append(c.cells, slip)
			d := decided(c, Hints{Autofix: true})
			if d.Style != clear.Style || len(d.Ambiguities) > 0 {
				t.Errorf("%s in %s: %s, without it %s", slip, format, outcome(d), outcome(clear))
			}
			if r := d.Style.Read([]byte(slip), WantDate); r.Reason != NoSuchDay {
				t.Errorf("%s in %s is %s", slip, format, asText(r, WantDate))
			}
		}
	}
}

// TestChoicesSettleTheirAmbiguity checks that the cells in question can be read
// after each choice.
func TestChoicesSettleTheirAmbiguity(t *testing.T) {
	for _, cells := range [][]string{{"03/04/2021", "05/06/2021"}, {"03-04-05", "04-05-06"}, {"3. listopada 2021"}, {"03/04/2021", "05-06-2021", "06 05 2021"}} {
		d := decided(madeColumn{cells: cells}, Hints{})
		if len(d.Ambiguities) != 1 {
			t.Fatalf("%q: %d questions", cells, len(d.Ambiguities))
		}
		seen := map[Date]bool{}
		for _, choice := range d.Ambiguities[0].Choices {
			style := choice.Apply(d.Style)
			for _, cell := range cells {
				if r := style.Read([]byte(cell), WantDate); r.Reason != Read {
					t.Errorf("%q with %q: %s", cell, choice.Label, r.Reason.Code())
				}
			}
			r := style.Read([]byte(cells[0]), WantDate)
			if text := asText(r, WantDate); r.Reason != Read || seen[r.Date] || text != choice.Readings[0].Value {
				t.Errorf("%q with %q: %s, the example says %s", cells[0], choice.Label, text, choice.Readings[0].Value)
			}
			seen[r.Date] = true
		}
	}
}

// TestColumnKeepsLittle checks that a sniffer does not allocate memory for further cells of a
// column with many distinct cells.
func TestColumnKeepsLittle(t *testing.T) {
	c := NewSniffer(WantDate)
	var cell []byte
	add := func() {
		for i := range 1000 {
			cell = fmt.Appendf(cell[:0], "%02d/%02d/%04d", i%28+1, i%12+1, 1900+i%200)
			c.Observe(cell)
		}
	}
	add()
	if n := testing.AllocsPerRun(5, func() {
		for range 1000 {
			c.Observe(cell)
		}
	}); n != 0 {
		t.Errorf("%v allocations for 1000 further cells", n)
	}
	if d := c.Decide(Hints{}); d.Cells != 7000 || outcome(d) != "slash=DMY; month_second_not_first" {
		t.Errorf("%d cells: %s", d.Cells, outcome(d))
	}
}

func TestOwn(t *testing.T) {
	for _, c := range []struct {
		hints     Hints
		cell, day string
	}{
		{Hints{}, "03/04/2021", "two_orders"},
		{Hints{}, "25/12/2021", "2021-12-25"},
		{Hints{Locale: "en-US"}, "03/04/2021", "2021-03-04"},
		{Hints{Locale: "en-GB"}, "03/04/2021", "2021-04-03"},
		{Hints{Locale: "sv"}, "03/04/2021", "two_orders"},
		{Hints{Locale: "sv"}, "21-03-04", "2021-03-04"},
		{Hints{Locale: "de", Format: "MM/dd/yyyy"}, "03/04/2021", "2021-03-04"},
		{Hints{Format: "yyyy/dd/MM"}, "2021-03-04", "2021-03-04"},
		{Hints{Format: "yyyy/MM/dd", Locale: "de"}, "03.04.2021", "2021-04-03"},
		{Hints{}, "3. listopada 2021", "two_months"},
		{Hints{Locale: "pl"}, "3. listopada 2021", "2021-11-03"},
		{Hints{Locale: "hr"}, "3. listopada 2021", "2021-10-03"},
		{Hints{Locale: "de"}, "12/25/2021", "other_order"},
		{Hints{Locale: "de", Autofix: true}, "12/25/2021", "2021-12-25"},
		{Hints{Locale: "de", Pivot: 30}, "1.2.31", "1931-02-01"},
	} {
		style := c.hints.FieldStyle(WantDate)
		r := style.Read([]byte(c.cell), WantDate)
		got := r.Reason.Code()
		if r.Reason == Read {
			got = string(r.Date.Append(nil))
		}
		if got != c.day {
			t.Errorf("%+v: %q is %s, want %s", c.hints, c.cell, got, c.day)
		}
	}
}
