package date

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// reads holds cells, each with the expected canonical value or the code of the reason why
// there is none.
type reads []struct{ cell, want string }

// asText returns the canonical value of a reading, or the code of the reason why there is none.
func asText(r Reading, want Want) string {
	switch {
	case r.Reason != Read:
		return r.Reason.Code()
	case want == WantDate:
		return string(r.Date.Append(nil))
	case want == WantTime:
		return string(r.Time.Append(nil, true))
	}
	return string(r.Append(nil, true))
}

func (cases reads) check(t *testing.T, s Style, want Want) {
	t.Helper()
	for _, c := range cases {
		if got := asText(s.Read([]byte(c.cell), want), want); got != c.want {
			t.Errorf("%q: %s, want %s", c.cell, got, c.want)
		}
	}
}

func TestDates(t *testing.T) {
	style := Style{Orders: [patternCount]Order{Slash: DMY, ShortSlash: DMY, Dash: MDY, ShortDash: YMD, Dot: DMY, ShortDot: DMY, Space: DMY, ShortBare: YMD, Named: DMY}, Autofix: true}
	reads{
		// ISO 8601
		{"2021-03-04", "2021-03-04"},
		{"2021-3-4", "2021-03-04"},
		{"20210304", "2021-03-04"},
		{"2021-W09-4", "2021-03-04"},
		{"2021W094", "2021-03-04"},
		{"2020-W53-5", "2021-01-01"},
		{"2021-063", "2021-03-04"},
		{"2021063", "2021-03-04"},
		{"2021-03-04T15:20", "2021-03-04"},
		{"2021-03-04 24:00", "2021-03-04"},
		{"2020-02-29", "2020-02-29"},
		{"0001-01-01", "0001-01-01"},
		{"9999-12-31", "9999-12-31"},
		// numbers, in the orders of the style
		{"04/03/2021", "2021-03-04"},
		{"4/3/2021", "2021-03-04"},
		{" 4/3/21\t", "2021-03-04"},
		{"04-03-2021", "2021-04-03"},
		{"4.3.2021", "2021-03-04"},
		{"4. 3. 2021", "2021-03-04"},
		{"4.3.99", "1999-03-04"},
		{"4.3.49", "2049-03-04"},
		{"4.3.50", "1950-03-04"},
		{"21-03-04", "2021-03-04"},
		{"04 03 2021", "2021-03-04"},
		{"2021/03/04", "2021-03-04"},
		{"2021.03.04.", "2021-03-04"},
		{"2021. 3. 4.", "2021-03-04"},
		{"25122021", "2021-12-25"},
		{"210304", "2021-03-04"},
		{"4/3-2021", "2021-03-04"},
		{"12/25/2021", "2021-12-25"}, // in the only order that fits
		{"31/12/2021 3:20 PM", "2021-12-31"},
		// names
		{"4 March 2021", "2021-03-04"},
		{"March 4, 2021", "2021-03-04"},
		{"Mar. 4th, 2021", "2021-03-04"},
		{"4th of March 2021", "2021-03-04"},
		{"04-Mar-21", "2021-03-04"},
		{"04Mar2021", "2021-03-04"},
		{"2021-Mar-04", "2021-03-04"},
		{"SEPT 4 2021", "2021-09-04"},
		{"1er mai 2021", "2021-05-01"},
		{"3. März 2021", "2021-03-03"},
		{"3 maerz 2021", "2021-03-03"},
		{"3 de marzo de 2021", "2021-03-03"},
		{"1º de março de 2021", "2021-03-01"},
		{"mar. 2 mars 2021", "2021-03-02"},
		{"quinta-feira, 4 de março de 2021", "2021-03-04"},
		{"4 d’agost del 2021", "2021-08-04"},
		{"thứ năm, 4 tháng 3, 2021", "2021-03-04"},
		{"4 марта 2021 г.", "2021-03-04"},
		{"4 ΜΑΡΤΙΟΥ 2021", "2021-03-04"},
		{"4 fe\u0301vrier 2021", "2021-02-04"},
		{"5 במרץ 2021", "2021-03-05"},
		{"2021(e)ko urtarrilaren 4(a)", "2021-01-04"},
		{"4. listopad 2021", "two_months"},
		{"Kasım 4, 2021", "2021-11-04"},
		{"4 كانون الثاني 2021", "2021-01-04"},
		// other scripts and calendars
		{"2021年3月4日", "2021-03-04"},
		{"2021年3月4日(木)", "2021-03-04"},
		{"2021년 3월 4일", "2021-03-04"},
		{"٠٤/٠٣/٢٠٢١", "2021-03-04"},
		{"۰۴/۰۳/۲۰۲۱", "2021-03-04"},
		{"२५/१२/२०२१", "2021-12-25"},
		{"２０２１／０３／０４", "2021-03-04"},
		{"2021\u201003\u201004", "2021-03-04"},
		{"令和3年3月4日", "2021-03-04"},
		{"R3.3.4", "2021-03-04"},
		{"H31/4/30", "2019-04-30"},
		{"H32/4/30", "not_understood"},
		{"昭和64年1月7日", "1989-01-07"},
		{"昭和65年1月7日", "not_understood"},
		{"令和元年5月1日", "2019-05-01"},
		{"民國110年3月4日", "2021-03-04"},
		{"4 มีนาคม 2564", "2021-03-04"},
		{"4 มี.ค. 2564", "2021-03-04"},
		{"4 มีนาคม 2021", "2021-03-04"},
		// rejected
		{"30/02/2021", "no_such_day"},
		{"2021-02-29", "no_such_day"},
		{"31.04.2021", "no_such_day"},
		{"30.02.9999", "no_such_day"},
		{"2021-13-40", "no_such_day"},
		{"0000-01-01", "year_outside"},
		{"2021-W54-1", "no_such_day"},
		{"2021-366", "no_such_day"},
		{"30 Feb 2021", "no_such_day"},
		{"Mon 4 March 2021", "wrong_weekday"},
		{"Friday, 04/03/2021", "wrong_weekday"},
		{"2021-03", "no_day"},
		{"March 2021", "no_day"},
		{"2021", "no_day"},
		{"2021-W09", "no_day"},
		{"4/3", "no_year"},
		{"4 March", "no_year"},
		{"Thursday", "no_day"},
		{"15:20", "no_day"},
		{"2021-03-04 25:10", "no_such_time"},
		{"", "not_understood"},
		{"hello", "not_understood"},
		{"44283", "not_understood"},
		{"1.5", "no_year"},
		{"4/3/202", "not_understood"},
		{"12-34-56-78", "not_understood"},
		{"-2021-03-04", "not_understood"},
		{"4 Foo 2021", "not_understood"},
		{"2021-03-04x", "not_understood"},
		{"04/03.2021", "not_understood"},
		{"4 März Mai 2021", "not_understood"},
		{"\xff\xfe", "not_understood"},
		{"=1+1", "not_understood"},
		{"04/03/2021" + strings.Repeat(" and so on", 16), "too_long"},
	}.check(t, style, WantDate)
}

func TestDateTimes(t *testing.T) {
	style := Style{Orders: [patternCount]Order{Slash: MDY, Dot: DMY, Named: DMY}}
	reads{
		{"2021-03-04T15:20", "2021-03-04T15:20:00"},
		{"2021-03-04 15:20:07", "2021-03-04T15:20:07"},
		{"2021-03-04t15:20:07z", "2021-03-04T15:20:07"},
		{"2021-03-04T15:20:07.999Z", "2021-03-04T15:20:07"},
		{"2021-03-04T15:20:07,5+01:00", "2021-03-04T15:20:07"},
		{"2021-03-04T15:20-0500", "2021-03-04T15:20:00"},
		{"2021-03-04T15:20+01", "2021-03-04T15:20:00"},
		{"20210304T152007Z", "2021-03-04T15:20:07"},
		{"20210304T1520", "2021-03-04T15:20:00"},
		{"20210304152007", "2021-03-04T15:20:07"},
		{"202103041520", "2021-03-04T15:20:00"},
		{"2021-W09-4T15:20", "2021-03-04T15:20:00"},
		{"2021-063T15:20", "2021-03-04T15:20:00"},
		{"2021-03-04", "2021-03-04T00:00:00"},
		{"2021-03-04T24:00", "2021-03-05T00:00:00"},
		{"2021-12-31T24:00:00", "2022-01-01T00:00:00"},
		{"2021-03-04T15:20+01:00[Europe/Paris]", "2021-03-04T15:20:00"},
		{"2021-03-04 15:20:07 UTC", "2021-03-04T15:20:07"},
		{"2021-03-04 15:20:07 +0000 UTC", "2021-03-04T15:20:07"},
		// mail, HTTP, C and JavaScript
		{"Thu, 4 Mar 2021 15:20:07 +0100", "2021-03-04T15:20:07"},
		{"Thu, 04 Mar 2021 15:20:07 +0100 (CET)", "2021-03-04T15:20:07"},
		{"4 Mar 21 15:20 EST", "2021-03-04T15:20:00"},
		{"Thursday, 04-Mar-21 15:20:07 GMT", "2021-03-04T15:20:07"},
		{"Thu Mar  4 15:20:07 2021", "2021-03-04T15:20:07"},
		{"Thu Mar  4 15:20:07 CET 2021", "2021-03-04T15:20:07"},
		{"Thu Mar 04 2021 15:20:07 GMT+0100 (Central European Standard Time)", "2021-03-04T15:20:07"},
		// formats that people use
		{"3/4/2021 3:20 PM", "2021-03-04T15:20:00"},
		{"3/4/2021, 3:20:07\u202fpm", "2021-03-04T15:20:07"},
		{"12/25/2021 12:05 AM", "2021-12-25T00:05:00"},
		{"3/4/2021 12:05pm", "2021-03-04T12:05:00"},
		{"3:20 PM 3/4/2021", "2021-03-04T15:20:00"},
		{"4.3.2021 14.30", "2021-03-04T14:30:00"},
		{"4.3.2021, 14:30 Uhr", "2021-03-04T14:30:00"},
		{"4. März 2021 um 14.30 Uhr", "2021-03-04T14:30:00"},
		{"4 mars 2021 à 14h30", "2021-03-04T14:30:00"},
		{"14h30, 4 mars 2021", "2021-03-04T14:30:00"},
		{"14h30 2021-03-04", "2021-03-04T14:30:00"},
		{"14 h 30 mars 2021", "2021-03-30T14:00:00"},
		{"10h10min.04.03.2021", "2021-03-04T10:10:00"},
		{"den 4 mars 2021 kl. 14.30", "2021-03-04T14:30:00"},
		{"4. kesäkuuta 2021 klo 14.30", "2021-06-04T14:30:00"},
		{"4 de marzo de 2021, 3:20 p. m.", "2021-03-04T15:20:00"},
		{"2021. március 4. du. 3:20", "2021-03-04T15:20:00"},
		{"2021年3月4日 15時20分7秒", "2021-03-04T15:20:07"},
		{"2021/3/4\u2009下午3:20", "2021-03-04T15:20:00"},
		{"2021년 3월 4일 오후 3시 20분", "2021-03-04T15:20:00"},
		{"٠٤.٠٣.٢٠٢١ ٣:٢٠ م", "2021-03-04T15:20:00"},
		{"4.3.2021 3:20 μ.μ.", "2021-03-04T15:20:00"},
		{"4.3.2021 9:20 π.μ.", "2021-03-04T09:20:00"},
		{"04.03.2021 15 Uhr", "2021-03-04T15:00:00"},
		// rejected
		{"2021-03-04T25:00", "no_such_time"},
		{"2021-03-04T15:60", "no_such_time"},
		{"2021-03-04T24:01", "no_such_time"},
		{"2021-03-04T15:20:60", "no_such_time"},
		{"9999-12-31T24:00", "year_outside"},
		{"2021-02-30T15:20", "no_such_day"},
		{"15:20", "no_day"},
		{"2021-03 15:20", "no_day"},
		{"25/12/2021 15:20", "other_order"},
		{"04-03-2021 15:20", "two_orders"},
		{"2021-03-04T15:20 foo", "not_understood"},
		{"2021-03-04T", "not_understood"},
		{"2021-03-04 13:20 AM", "no_such_time"},
		{"2021-03-04 15:20 16:30", "not_understood"},
		{"2021-03-04 15:20.30", "not_understood"},
		{"14h30 mars 2021", "no_day"},
		{"10 h 10 - 11 h 12", "not_understood"},
	}.check(t, style, WantDateTime)
}

func TestTimes(t *testing.T) {
	reads{
		{"15:20", "15:20:00"},
		{"15:20:07", "15:20:07"},
		{"15:20:07.123", "15:20:07"},
		{"5:20", "05:20:00"},
		{"00:00", "00:00:00"},
		{"23:59:59", "23:59:59"},
		{"T15:20", "15:20:00"},
		{"1520", "15:20:00"},
		{"152007", "15:20:07"},
		{"15:20Z", "15:20:00"},
		{"15:20+01:00", "15:20:00"},
		{"15:20 CET", "15:20:00"},
		{"3:20 PM", "15:20:00"},
		{"3:20pm", "15:20:00"},
		{"3:20 p.m.", "15:20:00"},
		{"3:20 p. m.", "15:20:00"},
		{"3 PM", "15:00:00"},
		{"3am", "03:00:00"},
		{"12 AM", "00:00:00"},
		{"12:30 PM", "12:30:00"},
		{"13:20 PM", "13:20:00"},
		{"03:20:07 AM", "03:20:07"},
		{"0:30 AM", "00:30:00"},
		{"9:20 SA", "09:20:00"},
		{"3:20 ÖS", "15:20:00"},
		{"3.20 ip.", "15:20:00"},
		{"du. 3:30", "15:30:00"},
		{"de. 9:30", "09:30:00"},
		{"14h30", "14:30:00"},
		{"14h", "14:00:00"},
		{"14 h 30", "14:30:00"},
		{"14h30m15s", "14:30:15"},
		{"14h30 March 15", "14:30:00"},
		{"10h10m15, 4/3/2021", "10:10:15"},
		{"(14h30)", "14:30:00"},
		{"14h30 UTC-5h", "14:30:00"},
		{"14u30", "14:30:00"},
		{"14 Uhr", "14:00:00"},
		{"14.30 Uhr", "14:30:00"},
		{"14:30 Uhr", "14:30:00"},
		{"14.30", "14:30:00"},
		{"14.30.15", "14:30:15"},
		{"kl. 14.30", "14:30:00"},
		{"klo 14.30", "14:30:00"},
		{"15時20分", "15:20:00"},
		{"15点", "15:00:00"},
		{"午後3時20分", "15:20:00"},
		{"下午3:20", "15:20:00"},
		{"오후 3시 20분", "15:20:00"},
		{"ص 9:20", "09:20:00"},
		{"٣:٢٠ م", "15:20:00"},
		{"15:20 น.", "15:20:00"},
		{"１５：２０", "15:20:00"},
		{"2021-03-04T15:20:07", "15:20:07"},
		{"04/03/2021 3:20 PM", "15:20:00"},
		{"1899-12-31T15:20:07.5", "15:20:07"},
		// rejected
		{"24:00", "no_such_time"},
		{"25:10", "no_such_time"},
		{"15:60", "no_such_time"},
		{"15:20:60", "no_such_time"},
		{"13:20 AM", "no_such_time"},
		{"27:30:00", "no_such_time"},
		{"2460", "no_such_time"},
		{"2021-03-04", "no_time"},
		{"4 March 2021", "no_time"},
		{"", "not_understood"},
		{"noon", "not_understood"},
		{"15", "not_understood"},
		{"15:2", "not_understood"},
		{":20", "not_understood"},
		{"15:20:", "not_understood"},
		{"15:20.5", "not_understood"},
		{"15:20,30", "not_understood"},
		{"15:20.5Z", "not_understood"},
		{"14h5", "not_understood"},
		{"14 h 5 s", "not_understood"},
		{"14h30 15", "not_understood"},
		{"14h30 15min", "not_understood"},
		{"14h30-15h", "not_understood"},
		{"14h30-15h30", "not_understood"},
		{"14h30-15min", "not_understood"},
		{"14 h 30 - 15 h", "not_understood"},
		{"14 h 10 - 11 h 12", "not_understood"},
		{"10h10m15 16h", "not_understood"},
		{"-01:00:00", "not_understood"},
		{"13 PM", "not_understood"},
		{"0.5", "no_time"},
		{"930", "not_understood"},
		{"15:20 foo", "not_understood"},
	}.check(t, Style{}, WantTime)
}

func TestFlagsOfReadings(t *testing.T) {
	style := Style{Orders: [patternCount]Order{Slash: MDY}, Autofix: true}
	for cell, want := range map[string]Reading{
		"31/12/2021":                {Autofixed: true},
		"12/31/2021":                {},
		"12/31/2021 15:20":          {HasTime: true},
		"2021-12-31T15:20-05:30":    {HasTime: true, HasZone: true, Offset: -330},
		"31 Dec 2021 15:20 MEZ":     {HasTime: true, HasZone: true, Offset: 60},
		"Dec 31 15:20:07 GMT 2021":  {HasTime: true, HasZone: true},
		"2021-31-12":                {Autofixed: true},
		"Fri 31/12/2021":            {Autofixed: true},
		"2021-12-31T15:20 (UTC)":    {HasTime: true, HasZone: true},
		"2021-12-31 3:20 PM +02:00": {HasTime: true, HasZone: true, Offset: 120},
	} {
		got := style.Read([]byte(cell), WantDate)
		if s := asText(got, WantDate); s != "2021-12-31" {
			t.Errorf("%q: %s", cell, s)
		}
		got.Timestamp, want.HasDate = Timestamp{}, true
		if got != want {
			t.Errorf("%q: %+v, want %+v", cell, got, want)
		}
	}
}

// TestAgainstTime checks that timestamps formatted by package time are read correctly.
func TestAgainstTime(t *testing.T) {
	layouts := []string{
		time.RFC3339, time.RFC3339Nano, time.RFC1123, time.RFC1123Z, time.RFC850, time.RFC822, time.RFC822Z, time.ANSIC, time.UnixDate, time.RubyDate,
		time.DateTime, "2006-01-02T15:04:05.000Z0700", "20060102T150405Z", "20060102150405", "02 Jan 2006 15:04:05", "Jan 2, 2006 3:04:05 PM", "2.1.2006 15:04:05",
		"Monday, 2 January 2006 15:04:05", "1/2/2006 3:04:05 PM", "2006-002T15:04:05", "2006/01/02 15:04:05", "Mon Jan 02 2006 15:04:05 GMT-0700 (MST)",
	}
	style := Style{Orders: [patternCount]Order{Slash: MDY, Dot: DMY, Named: DMY}}
	zone := time.FixedZone("CET", 3600)
	rapid.Check(t, func(t *rapid.T) {
		at := time.Unix(rapid.Int64Range(time.Date(1950, 1, 2, 0, 0, 0, 0, time.UTC).Unix(), time.Date(2049, 12, 30, 0, 0, 0, 0, time.UTC).Unix()).Draw(t, "at"), 0).In(zone)
		layout := rapid.SampledFrom(layouts).Draw(t, "layout")
		cell := at.Format(layout)
		want := at
		if layout == time.RFC822 || layout == time.RFC822Z {
			want = at.Truncate(time.Minute)
		}
		if got := style.Read([]byte(cell), WantDateTime); got.Reason != Read || got.Timestamp != fromTime(want) {
			t.Fatalf("%q: %s, want %v", cell, asText(got, WantDateTime), want)
		}
	})
}

func fromTime(t time.Time) Timestamp {
	return Timestamp{
		Date: Date{Year: int16(t.Year()), Month: uint8(t.Month()), Day: uint8(t.Day())},
		Time: Time{Hour: uint8(t.Hour()), Minute: uint8(t.Minute()), Second: uint8(t.Second()), Nano: uint32(t.Nanosecond())},
	}
}

// TestCanonicalFormReadsAsItself checks that reading the canonical text of a value returns the
// same value.
func TestCanonicalFormReadsAsItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMoment(t)
		style := Style{Autofix: rapid.Bool().Draw(t, "autofix")}
		for f := range style.Orders {
			style.Orders[f] = rapid.SampledFrom(append([]Order{Undecided}, Pattern(f).orders()...)).Draw(t, "order")
		}
		style.Orders[YearFirst] = Undecided
		if got := style.Read(m.Date.Append(nil), WantDate); got.Date != m.Date {
			t.Fatalf("%v reads as %+v", m.Date, got)
		}
		if got := style.Read(m.Append(nil, true), WantDateTime); got.Timestamp != m {
			t.Fatalf("%v reads as %+v", m, got)
		}
		if got := style.Read(m.Time.Append(nil, true), WantTime); got.Time != m.Time {
			t.Fatalf("%v reads as %+v", m.Time, got)
		}
		m.Second = 0
		if got := style.Read(m.Append(nil, false), WantDateTime); got.Timestamp != m {
			t.Fatalf("%v reads as %+v", m, got)
		}
	})
}

// drawMoment draws a timestamp with a resolution of one second.
func drawMoment(t *rapid.T) Timestamp {
	return Timestamp{
		Date: dateFromDayNumber(rapid.IntRange(306, 3652364).Draw(t, "day")),
		Time: Time{
			Hour: rapid.Uint8Range(0, 23).Draw(t, "hour"), Minute: rapid.Uint8Range(0, 59).Draw(t, "minute"), Second: rapid.Uint8Range(0, 59).Draw(t, "second"),
		},
	}
}

func FuzzRead(f *testing.F) {
	for _, cell := range []string{"2021-03-04T15:20:07.5+01:00", "4 d’agost del 2021", "令和元年5月1日", "Thu Mar 04 2021 15:20:00 GMT+0100 (CET)", "4/3-21", "\xf0\x9f", "4.3.2021 14.30"} {
		f.Add([]byte(cell))
	}
	styles := []Style{{}, {Orders: [patternCount]Order{DMY, YMD, MDY, DMY, DMY}, Autofix: true, Languages: 1}}
	f.Fuzz(func(t *testing.T, cell []byte) {
		for _, s := range styles {
			for want := WantDate; want <= WantTime; want++ {
				r := s.Read(cell, want)
				if r.Reason != Read {
					if r.Timestamp != (Timestamp{}) {
						t.Fatalf("%q: %s with a value %v", cell, r.Reason.Code(), r.Timestamp)
					}
					continue
				}
				if _, ok := NewDate(int(r.Year), int(r.Month), int(r.Day)); !ok && want != WantTime {
					t.Fatalf("%q: %v is not a valid day", cell, r.Date)
				}
				text := asText(r, want)
				if again := asText(s.Read([]byte(text), want), want); again != text {
					t.Fatalf("%q: %s reads as %s", cell, text, again)
				}
			}
		}
		c := NewSniffer(WantDateTime)
		c.Observe(cell)
		c.Decide(Hints{})
		ReadSerial(cell, Since1900, WantDateTime)
	})
}

// TestQuickReadsLikeRead checks that the fast paths agree with Read.
func TestQuickReadsLikeRead(t *testing.T) {
	styles := []Style{{}, benchStyle, {Orders: [patternCount]Order{Slash: MDY, Dash: MDY, YearFirst: YDM}}}
	var read [3]int
	texts := rapid.SliceOfN(rapid.OneOf(
		rapid.StringMatching(`[0-9]{1,2}[/.-][0-9]{1,2}[/.-][0-9]{3,4}`),
		rapid.StringMatching(`[0-2][0-9]{3}-[01][0-9]-[0-3][0-9]([T ][012]?[0-9]:[0-6][0-9](:[0-6][0-9])?( ?[AaPp][Mm])?([.][0-9]{1,10})?( ?[AaPp][Mm])?Z?)?`),
		rapid.StringMatching(`[012]?[0-9]:[0-6][0-9](:[0-6][0-9])?( ?[AaPp][Mm])?`),
	), 100, 100)
	rapid.Check(t, func(t *rapid.T) {
		style := rapid.SampledFrom(styles).Draw(t, "style")
		for _, text := range texts.Draw(t, "texts") {
			raw := []byte(text)
			if day, ok := style.ReadSimpleDate(raw); ok {
				read[WantDate]++
				if r := style.Read(raw, WantDate); r.Reason != Read || r.Date != day || r.Autofixed {
					t.Fatalf("%q: %v, and by the slow path %+v", raw, day, r)
				}
			}
			if moment, _, ok := style.ReadSimpleDateTime(raw); ok {
				read[WantDateTime]++
				if r := style.Read(raw, WantDateTime); r.Reason != Read || r.Timestamp != moment || r.Autofixed {
					t.Fatalf("%q: %v, and by the slow path %+v", raw, moment, r)
				}
			}
			if clock, ok := ReadSimpleTime(raw); ok {
				read[WantTime]++
				if r := style.Read(raw, WantTime); r.Reason != Read || r.Time != clock {
					t.Fatalf("%q: %v, and by the slow path %+v", raw, clock, r)
				}
			}
		}
	})
	for want, n := range read {
		if n < 30 {
			t.Errorf("only %d texts were read as %d", n, want)
		}
	}
}

// TestQuickEnds checks that the fast paths handle text that ends at any position.
func TestQuickEnds(t *testing.T) {
	style := benchStyle
	for _, text := range []string{"2021-03-04T15:20:07 PMZ", "25/12/2021", "12:00:00 PM", "1/2/2021", "1:5", "////////", "2021-03-04TTTTTTTTT"} {
		for end := range len(text) + 1 {
			raw := []byte(text[:end])
			style.ReadSimpleDate(raw)
			style.ReadSimpleDateTime(raw)
			ReadSimpleTime(raw)
		}
	}
}
