package date

import (
	"testing"

	"pgregory.net/rapid"
)

// TestPersianDates checks known dates, and the last days of leap years and of other years.
func TestPersianDates(t *testing.T) {
	for _, c := range []struct {
		year, month, day int
		want             Date
	}{
		{1300, 1, 1, Date{1921, 3, 21}}, {1357, 11, 22, Date{1979, 2, 11}}, {1399, 12, 30, Date{2021, 3, 20}}, {1400, 1, 1, Date{2021, 3, 21}},
		{1402, 12, 29, Date{2024, 3, 19}}, {1403, 1, 1, Date{2024, 3, 20}}, {1403, 7, 1, Date{2024, 9, 22}}, {1403, 12, 30, Date{2025, 3, 20}},
		{1404, 1, 1, Date{2025, 3, 21}}, {1402, 12, 30, Date{}}, {1403, 7, 31, Date{}}, {1403, 13, 1, Date{}}, {1403, 0, 1, Date{}}, {1403, 1, 32, Date{}},
	} {
		if got, ok := dateFromPersian(c.year, c.month, c.day); got != c.want || ok == c.want.IsZero() {
			t.Errorf("%d-%d-%d is %v, want %v", c.year, c.month, c.day, got, c.want)
		}
	}
}

// TestPersianDays checks that the days of the Solar Hijri calendar follow each other without gaps.
func TestPersianDays(t *testing.T) {
	last := Date{1921, 3, 20}
	for year := minPersian; year <= maxPersian; year++ {
		for month := 1; month <= 12; month++ {
			for day := 1; day <= 31; day++ {
				d, ok := dateFromPersian(year, month, day)
				if !ok {
					continue
				}
				if d.dayNumber() != last.dayNumber()+1 {
					t.Fatalf("%d-%d-%d is %v, after %v", year, month, day, d, last)
				}
				last = d
			}
		}
	}
}

// TestCalendars checks how columns with unlikely years are decided and read.
func TestCalendars(t *testing.T) {
	const thai, persian = "; ? calendar: Buddhist calendar: 2567 is 2024 | Gregorian calendar, as written", "; ? calendar: Solar Hijri (Persian) calendar: 1403 begins in March 2024 | Gregorian calendar, as written"
	for _, c := range []struct {
		title, cells string
		hints        Hints
		want         string
	}{
		{"years 2567", "2567-12-31 2566-06-15", Hints{}, "year=YMD" + thai},
		{"a few years 2567", "31/12/2567 15/06/2024 13/06/2024", Hints{}, "slash=DMY; month_second_not_first" + thai},
		{"a single typo", "2567-12-31 2024-01-01 2024-01-02 2024-01-03 2024-01-04 2024-01-05 2024-01-06 2024-01-07 2024-01-08 2024-01-09 2024-01-10", Hints{}, "year=YMD"},
		{"the era in another cell", "2567-12-31 15_มิ.ย._2566", Hints{}, "year=YMD names=th calendar=buddhist; buddhist_named"},
		{"a Thai field", "2567-12-31", Hints{Locale: "th"}, "year=YMD calendar=buddhist; calendar_by_locale"},
		{"years 1403", "1403/05/01 1402/12/29", Hints{}, "year=YMD" + persian},
		{"history", "1403-05-01 1066-10-14", Hints{}, "year=YMD"},
		{"a Persian field", "1403/05/01", Hints{Locale: "fa"}, "year=YMD calendar=persian; calendar_by_locale"},
		{"two digits next to a Thai name", "31_ธ.ค._67", Hints{}, "named=DMY names=th; days_in_order; two_digit_years" + thai},
	} {
		if got := outcome(decided(madeColumn{cells: cellsOf(c.cells)}, c.hints)); got != c.want {
			t.Errorf("%s: %q, want %q", c.title, got, c.want)
		}
	}
}

// TestReadInCalendar checks dates of styles with a calendar.
func TestReadInCalendar(t *testing.T) {
	orders := [patternCount]Order{Slash: DMY, Named: DMY}
	for _, c := range []struct {
		calendar Calendar
		cell     string
		want     string
	}{
		{Buddhist, "2567-02-29", "2024-02-29"}, {Buddhist, "31/12/2567", "2024-12-31"}, {Buddhist, "31/12/2024", "2024-12-31"}, {Buddhist, "31 ธ.ค. 67", "2024-12-31"},
		{Buddhist, "31 ธ.ค. 2567", "2024-12-31"}, {Buddhist, "31 ธ.ค. 2024", "2024-12-31"}, {Buddhist, "2643-01-01", "2643-01-01"}, {Gregorian, "2567-12-31", "2567-12-31"},
		{UnknownCalendar, "2567-02-29", ""}, {Persian, "1403/12/30", "2025-03-20"}, {Persian, "1402/12/30", ""}, {Persian, "2024/12/30", "2024-12-30"},
	} {
		style := Style{Calendar: c.calendar, Orders: orders}
		got := ""
		if r := style.Read([]byte(c.cell), WantDate); r.Reason == Read {
			got = string(r.Date.Append(nil))
		}
		if got != c.want {
			t.Errorf("%s, %q: %q, want %q", c.calendar, c.cell, got, c.want)
		}
	}
}

// TestOffsets checks that timestamps are converted to the offset of the column.
func TestOffsets(t *testing.T) {
	for _, c := range []struct {
		offset     int16
		cell, want string
	}{
		{0, "2026-01-02T15:20+01:00", "2026-01-02T14:20"}, {0, "2026-01-01T00:30+01:00", "2025-12-31T23:30"}, {0, "2026-01-01T23:30-05:00", "2026-01-02T04:30"},
		{120, "2026-01-01T23:30Z", "2026-01-02T01:30"}, {120, "2026-01-01T24:00+02:00", "2026-01-02T00:00"}, {120, "2026-01-01T24:00Z", "2026-01-02T02:00"},
		{0, "2026-01-01T15:20", "2026-01-01T15:20"}, {0, "9999-12-31T23:30-01:00", ""},
		{-1080, "2026-01-01T00:00+18:00", "2025-12-30T12:00"}, {1080, "2026-01-01T23:00-18:00", "2026-01-03T11:00"},
	} {
		style := Style{HasOffset: true, Offset: c.offset}
		got := ""
		if r := style.Read([]byte(c.cell), WantDateTime); r.Reason == Read {
			got = string(r.AppendISO(nil, WantDateTime, false))
		}
		if got != c.want {
			t.Errorf("%d, %q: %q, want %q", c.offset, c.cell, got, c.want)
		}
	}
}

// TestStyleTextOfCalendars checks that the calendar and the offset of a style survive in its text.
func TestStyleTextOfCalendars(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Style{Calendar: Calendar(rapid.Uint8Range(0, uint8(calendarCount)-1).Draw(t, "calendar")), HasOffset: rapid.Bool().Draw(t, "zoned"), Serials: rapid.Bool().Draw(t, "serials")}
		if s.HasOffset {
			s.Offset = rapid.Int16Range(-1080, 1080).Draw(t, "offset")
		}
		text, err := s.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var back Style
		if err := back.UnmarshalText(text); err != nil || back != s {
			t.Fatalf("%q: %+v %v, want %+v", text, back, err, s)
		}
	})
	for _, text := range []string{"calendar=", "calendar=julian", "offset=Z", "offset=+0100", "offset=", "offset=+25:00"} {
		if new(Style).UnmarshalText([]byte(text)) == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

// TestRecentYears checks that the current year decides the position of two-digit years if only one
// position has recent years.
func TestRecentYears(t *testing.T) {
	const asked = "; two_digit_years; ? dot2: Day, month, year | Year, month, day"
	for _, c := range []struct {
		cells string
		year  int
		want  string
	}{
		{"31.12.24", 2026, "dot2=DMY; year_usually_last; month_second_not_first; two_digit_years"},
		{"01.02.24", 2026, "dot2=DMY; year_usually_last; points; two_digit_years"},
		{"31.12.24", 0, asked}, {"25.12.19", 2026, asked}, {"24.05.04 23.06.07", 2026, asked},
	} {
		if got := outcome(decided(madeColumn{cells: cellsOf(c.cells)}, Hints{Year: c.year})); got != c.want {
			t.Errorf("%s in %d: %q, want %q", c.cells, c.year, got, c.want)
		}
	}
}
