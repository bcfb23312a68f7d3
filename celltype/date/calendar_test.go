package date

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestCalendarAgainstTime(t *testing.T) {
	for n := 306; n <= 3652364; n += 13 {
		d := dateFromDayNumber(n)
		at := time.Date(int(d.Year), time.Month(d.Month), int(d.Day), 0, 0, 0, 0, time.UTC)
		if fromTime(at).Date != d || d.dayNumber() != n {
			t.Fatalf("%d is %v", n, d)
		}
		weekday := (int(at.Weekday())+6)%7 + 1
		year, week := at.ISOWeek()
		if y, w := d.ISOWeek(); d.Weekday() != weekday || d.YearDay() != at.YearDay() || (d.Year > 1 && (y != year || w != week)) {
			t.Fatalf("%v: weekday %d, day %d, week %d-%d; want %d, %d, %d-%d", d, d.Weekday(), d.YearDay(), y, w, weekday, at.YearDay(), year, week)
		}
		if d.Year > 1 && d.Year < 9999 {
			if back, ok := dateFromWeek(year, week, weekday); !ok || back != d {
				t.Fatalf("week date of %v is %v", d, back)
			}
		}
		if back, ok := dateFromYearDay(int(d.Year), d.YearDay()); !ok || back != d {
			t.Fatalf("day of the year of %v is %v", d, back)
		}
	}
	if got := dateFromDayNumber(unixEpoch); got != (Date{1970, 1, 1}) {
		t.Errorf("the epoch is %v", got)
	}
}

func TestNewDateAgainstTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		year, month, day := rapid.IntRange(-2, 10001).Draw(t, "year"), rapid.IntRange(-1, 14).Draw(t, "month"), rapid.IntRange(-1, 33).Draw(t, "day")
		at := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
		want := year >= 1 && year <= 9999 && at.Year() == year && int(at.Month()) == month && at.Day() == day
		if d, ok := NewDate(year, month, day); ok != want || ok == d.IsZero() {
			t.Fatalf("%d-%d-%d: %v %v, want %v", year, month, day, d, ok, want)
		}
	})
}

func TestNoSuchWeeksAndDays(t *testing.T) {
	for _, c := range [][3]int{{2021, 53, 1}, {2021, 0, 1}, {2021, 1, 8}, {0, 1, 1}, {10000, 1, 1}, {9999, 52, 7}, {1, 54, 1}} {
		if d, ok := dateFromWeek(c[0], c[1], c[2]); ok {
			t.Errorf("week %v is %v", c, d)
		}
	}
	for _, c := range [][2]int{{2021, 366}, {2021, 0}, {2020, 367}, {0, 1}, {9999, 366}} {
		if d, ok := dateFromYearDay(c[0], c[1]); ok {
			t.Errorf("day %v is %v", c, d)
		}
	}
}

func TestSerials(t *testing.T) {
	for _, c := range []struct {
		raw   string
		epoch Epoch
		want  Want
		text  string
	}{
		{"44259", Since1900, WantDate, "2021-03-04"},
		{"44259.638888888889", Since1900, WantDateTime, "2021-03-04T15:20:00"},
		{"44259.6389699074", Since1900, WantDateTime, "2021-03-04T15:20:07"},
		{"42797.638888888889", Since1904, WantDateTime, "2021-03-04T15:20:00"},
		{"1", Since1900, WantDate, "1900-01-01"},
		{"59", Since1900, WantDate, "1900-02-28"},
		{"60", Since1900, WantDate, "no_such_day"},
		{"61", Since1900, WantDate, "1900-03-01"},
		{"0", Since1904, WantDate, "1904-01-01"},
		{"0", Since1900, WantDate, "no_day"},
		{"0.5", Since1900, WantTime, "12:00:00"},
		{"44259.75", Since1900, WantTime, "18:00:00"},
		{"0.999999999", Since1900, WantTime, "00:00:00"},
		{"2958465", Since1900, WantDate, "9999-12-31"},
		{"2958466", Since1900, WantDate, "year_outside"},
		{"2957004", Since1904, WantDate, "year_outside"},
		{"-1", Since1900, WantDate, "year_outside"},
		{"4.4259E4", Since1900, WantDate, "2021-03-04"},
		{" 44259. ", Since1900, WantDate, "2021-03-04"},
		{"NaN", Since1900, WantDate, "not_understood"},
		{"1e999", Since1900, WantDate, "not_understood"},
		{"", Since1900, WantDate, "not_understood"},
		{".", Since1900, WantDate, "not_understood"},
		{"12/3", Since1900, WantDate, "not_understood"},
		{"99999999999999999999999", Since1900, WantDate, "year_outside"},
	} {
		if got := asText(ReadSerial([]byte(c.raw), c.epoch, c.want), c.want); got != c.text {
			t.Errorf("%q: %s, want %s", c.raw, got, c.text)
		}
	}
}

func TestSerialsOfAllDays(t *testing.T) {
	first := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	var raw []byte
	for n := 61; n < 2_958_466; n += 101 {
		raw = appendInt(raw[:0], n)
		if got := ReadSerial(raw, Since1900, WantDate); got.Date != fromTime(first.AddDate(0, 0, n)).Date {
			t.Fatalf("%s: %v", raw, got)
		}
	}
}

func appendInt(dst []byte, n int) []byte {
	if n >= 10 {
		dst = appendInt(dst, n/10)
	}
	return append(dst, '0'+byte(n%10))
}
