package date

import "testing"

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
		style := c.hints.Own(WantDate)
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
