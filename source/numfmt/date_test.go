package numfmt

import (
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestDates(t *testing.T) {
	checkShown(t, []shownCase{
		{"m/d/yyyy", 44196, "12/31/2020"},
		{"mm/dd/yy", 39448, "01/01/08"},
		{"d-mmm-yy", 44196.9, "31-Dec-20"},
		{"dddd, mmmm d, yyyy", 40258, "Sunday, March 21, 2010"},
		{"ddd dd", 40258, "Sun 21"},
		{"aaa aaaa", 40258, "Sun Sunday"},
		{"mmmmm", 40258, "M"},
		{"mmmmmm", 40258, "March"},
		{"y yyy e", 40258, "10 2010 2010"},
		{"bb bbbb", 40258, "53 2553"},
		{"B1yyyy", 40258, "2010"},
		{"gyyyy", 40258, "2010"},
		{"DD.MM.YYYY", 40258, "21.03.2010"},
		{`yyyy"年"m"月"d"日"`, 40258, "2010年3月21日"},
		{"[$-F800]dddd, mmmm dd, yyyy", 40258, "Sunday, March 21, 2010"},
		{"[$-F800]dddd, mmmm dd, yyyy", 42005, "Thursday, January 1, 2015"},
		{"[$-F800]0.0", 42005, "42005.0"},
		{"[$-f800]d/m/yy;@", 42005, "Thursday, January 1, 2015"},
		{"yyyy-mm-dd;@", 2958465, "9999-12-31"},
		{"d/1/yyyy", 40258, "21/1/2010"},
	})
}

func TestMonthOrMinute(t *testing.T) {
	checkShown(t, []shownCase{
		{"h:mm", 44196.5104166667, "12:15"},
		{"mm:ss", 44196.5104166667, "15:00"},
		{"yyyy-mm-dd hh:mm:ss", 44196.5104166667, "2020-12-31 12:15:00"},
		{"mm/dd hh", 44196.5104166667, "12/31 12"},
		{`h "h" m "min"`, 44196.5104166667, "12 h 15 min"},
		{"h AM/PM:mm", 44196.5104166667, "12 PM:15"},
		{"[h]:mm", 1.5104166667, "36:15"},
		{"mm[ss]", 0.0104166667, "15900"},
		{"hmmm", 44196.5104166667, "12Dec"},
		{"m", 44196.5104166667, "12"},
	})
}

func TestClock(t *testing.T) {
	checkShown(t, []shownCase{
		{"h:mm AM/PM", 0.7, "4:48 PM"},
		{"hh:mm am/pm", 0.2, "04:48 AM"},
		{"h AM/PM", 0, "12 AM"},
		{"h AM/PM", 0.5, "12 PM"},
		{"h a/p", 0.7, "4 p"},
		{"h A/P", 0.2, "4 A"},
		{"[$-F400]h:mm:ss AM/PM", 0.7, "4:48:00 PM"},
		{"hh:mm:ss.000", 0.70707, "16:58:10.848"},
		{"hh .00 .000", 0.70707, "16 .84 .848"},
		{"ss.0000", 0.70707, "10.8480"},
		{"mmss.0", 12345.67876, "1724.9"},
		{"[h]:mm:ss", 12345.6789, "296296:17:37"},
		{"[hh]:mm", 0.1, "02:24"},
		{"[mm]:ss", 0.1, "144:00"},
		{"[s]", 0.1, "8640"},
		{"[ss].00", 0.0000001, "00.01"},
		{`[h]" h"`, 2.5, "60 h"},
	})
}

// Seconds are rounded, and carry into larger units. Larger units are truncated.
func TestTimesCarry(t *testing.T) {
	checkShown(t, []shownCase{
		{"h:mm:ss", 0.99999999, "0:00:00"},
		{"[h]:mm:ss", 2.9999999999999996, "72:00:00"},
		{"yyyy-mm-dd hh:mm:ss", 44195.999999, "2020-12-31 00:00:00"},
		{"h:mm", 0.99999, "23:59"},
		{"h:mm", 0.999999, "0:00"},
		{"hh", 0.99, "23"},
		{"mm:ss.0", 0.99999, "59:59.1"},
		{"yyyy-mm-dd", 44195.99999, "2020-12-30"},
		{"h:mm", 39066.78333333338, "18:48"},
	})
}

func TestFirstDays(t *testing.T) {
	checkShown(t, []shownCase{
		{"yyyy-mm-dd dddd", 0, "1900-01-00 Saturday"},
		{"yyyy-mm-dd dddd", 1, "1900-01-01 Sunday"},
		{"yyyy-mm-dd dddd", 59, "1900-02-28 Tuesday"},
		{"yyyy-mm-dd dddd", 60, "1900-02-29 Wednesday"},
		{"yyyy-mm-dd dddd", 61, "1900-03-01 Thursday"},
		{"m/d/yy h:mm", 0.5, "1/0/00 12:00"},
	})
}

// From March 1900 on, dates and weekdays are those of package time.
func TestEveryDay(t *testing.T) {
	f, _ := Compile("yyyy-mm-dd dddd")
	var got []byte
	day := time.Date(1900, 3, 1, 0, 0, 0, 0, time.UTC)
	for serial := 61; serial < maxSerial; serial += 13 {
		got = f.AppendFormatted(got[:0], float64(serial), false)
		if want := day.Format("2006-01-02 Monday"); string(got) != want {
			t.Fatalf("serial %d: %s, want %s", serial, got, want)
		}
		day = day.AddDate(0, 0, 13)
	}
}

func TestImpossibleDates(t *testing.T) {
	row := strings.Repeat("#", 255)
	checkShown(t, []shownCase{
		{"m/d/yyyy", -1, row},
		{"m/d/yyyy", -0.0001, row},
		{"h:mm;-h:mm", -0.5, row},
		{"[h]:mm", -1, row},
		{"[h]:mm", 2958466, row},
		{"m/d/yyyy", 1e300, row},
		{"h:mm:ss", 2958465.9999999, row},
		{"m/d/yyyy;0", -1, "1"},
	})
}

func TestNegativeElapsedTime(t *testing.T) {
	hashes := strings.Repeat("#", 255)
	checkShown(t, []shownCase{
		{"[h]", -1.2, "-28"},
		{"[hh]", -1234.5678, "-29629"},
		{"[mm]", -0.5, "-720"},
		{"[s]", -123.456, "-10666598"},
		{"[ss]", -1234.5678, "-106666658"},
		{`[h]" hours"`, -1.2, "-28 hours"},
		{"[h]:mm", -1.2, hashes},
		{"h", -1.2, hashes},
		{"[s].00", -1.2, hashes},
	})
}

func TestSystem1904(t *testing.T) {
	for _, r := range []shownCase{
		{"yyyy-mm-dd dddd", 0, "1904-01-01 Friday"},
		{"yyyy-mm-dd", 60, "1904-03-01"},
		{"yyyy-mm-dd", 2957003, "9999-12-31"},
		{"yyyy-mm-dd", 2957004, strings.Repeat("#", 255)},
		{"[h]:mm", 1.5, "36:00"},
		{"[h]:mm", -1.5, "-36:00"},
		{"h:mm", -0.25, "-6:00"},
		{"yyyy-mm-dd", -1, "-1904-01-02"},
		{"0.0", -1, "-1.0"},
	} {
		f, _ := Compile(r.code)
		if got := string(f.AppendFormatted(nil, r.value, true)); got != r.want {
			t.Errorf("%q shows %v as %q, want %q", r.code, r.value, got, r.want)
		}
	}
}

func TestLocales(t *testing.T) {
	checkShown(t, []shownCase{
		{"[$-409]mmmm;@", 40258, "March"},
		{"[$-407]dddd, d. mmmm yyyy", 40258, "Sonntag, 21. März 2010"},
		{"[$-de-AT]ddd mmm", 40258, "So Mrz"},
		{"[$-40C]d mmmm", 40258, "21 mars"},
		{"[$-fr-FR]dddd", 40258, "dimanche"},
		{"[$-C0A]d mmmm", 40258, "21 marzo"},
		{"[$-es-MX,300]dddd", 40258, "domingo"},
		{"[$-410]mmm", 40258, "mar"},
		{"[$-it-IT]dddd", 40258, "domenica"},
		{"[$-416]mmmm", 40258, "março"},
		{"[$-pt-BR]ddd", 40258, "dom"},
		{"[$-413]mmmm", 40258, "maart"},
		{"[$-nl-NL]dddd", 40258, "zondag"},
		{"[$-41E]mmmm", 40258, "March"},
		{"[$-D070000]d/mm/yyyy", 40258, "21/03/2553"},
		{"[$€-407] 0.00", 2.5, "€ 2.50"},
		{"[$RD$-1C0A]0", 2, "RD$2"},
		{"[$INR] 0", 2, "INR 2"},
		{"[$-x-sysdate]d/m/yy", 40258, "21/3/10"},
		{"[]0", 2, "2"},
	})
}

func TestIslamicDates(t *testing.T) {
	checkShown(t, []shownCase{
		{"B2yyyy-mm-dd", 36526, "1420-09-25"},
		{"b2yyyy-mm-dd", 10000, "1345-11-17"},
		{"[$-2060401]d mmmm yyyy;@", 10000, "17 Dhu'l-Qi'dah 1345"},
		{"[$-2060401]mmm", 10000, "Dhu'l-Qi'dah"},
	})
}

// Consecutive days have consecutive dates in the Islamic calendar.
func TestIslamicDaysFollow(t *testing.T) {
	y0, m0, d0 := islamicDate(0)
	for n := int64(1); n < 400000; n++ {
		y, m, d := islamicDate(n)
		sameMonth := y == y0 && m == m0 && d == d0+1
		nextMonth := y == y0 && m == m0+1 && d == 1 && d0 >= 29
		nextYear := y == y0+1 && m == 1 && d == 1 && m0 == 12 && d0 >= 29
		if !sameMonth && !nextMonth && !nextYear || d > 30 {
			t.Fatalf("day %d is %d-%d-%d after %d-%d-%d", n, y, m, d, y0, m0, d0)
		}
		y0, m0, d0 = y, m, d
	}
}

func TestSmallestAndGreatest(t *testing.T) {
	for _, code := range []string{"yyyy-mm-dd hh:mm:ss.000", "[s]", "B2dd", "# ?/?", "0.00E+00", "0%%%%", "0,,,,"} {
		f, ok := Compile(code)
		if !ok {
			t.Errorf("Compile(%q) failed", code)
		}
		for _, v := range []float64{0, math.SmallestNonzeroFloat64, math.MaxFloat64, -math.MaxFloat64, math.Copysign(0, -1)} {
			if got := f.AppendFormatted(nil, v, true); len(got) == 0 || len(got) > 512 {
				t.Errorf("%q shows %v as %d bytes: %s", code, v, len(got), got)
			}
		}
	}
}

// Every language has names for all months and days, and the names in each list are all different.
func TestNamesAreWhole(t *testing.T) {
	for _, l := range languages {
		for _, words := range [][]string{l.names.months[:], l.names.days[:], l.names.shortMonths[:], l.names.shortDays[:]} {
			seen := map[string]bool{}
			for _, w := range words {
				if w == "" || seen[w] || !utf8.ValidString(w) {
					t.Errorf("%s: the word %q of %q is empty, duplicate or invalid", l.tag, w, words)
				}
				seen[w] = true
			}
		}
	}
}

func TestNamesByLanguage(t *testing.T) {
	for language, want := range map[uint16]*names{
		0x409: &english, 0x809: &english, 0: &english, 0x411: &english,
		0x407: &german, 0x807: &german, 0xc07: &german,
		0x40c: &french, 0x80c: &french,
		0x40a: &spanish, 0xc0a: &spanish, 0x80a: &spanish,
		0x410: &italian, 0x413: &dutch, 0x813: &dutch, 0x416: &portuguese, 0x816: &portuguese,
	} {
		if got := namesOf(language); got != want {
			t.Errorf("language %#x: months %q", language, got.months)
		}
	}
}
