package date

import (
	"testing"
)

func seriesOf(days ...string) *series {
	var s series
	for _, text := range days {
		d, _ := readISO([]byte(text))
		s.add(d)
	}
	return &s
}

func TestSeries(t *testing.T) {
	for title, c := range map[string]struct {
		s                *series
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
		if c.s.regular() != c.regular || c.s.ordered() != c.ordered || c.s.message().String() != c.text {
			t.Errorf("%s: %v %v %q", title, c.s.regular(), c.s.ordered(), c.s.message().String())
		}
	}
}
