package date

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestLayoutsAgainstLuxon compares the output of layouts with that of Luxon
// 3.7.2 on ICU with CLDR 48. Each line of the file has a locale, a format, a
// timestamp and the expected text.
func TestLayoutsAgainstLuxon(t *testing.T) {
	text, err := os.ReadFile("testdata/luxon.tsv")
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		at, err := time.Parse("2006-01-02T15:04:05.000", f[2])
		if err != nil {
			t.Fatal(err)
		}
		l, err := CompileLayout(f[1], f[0], WantDateTime, false)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(l.Append(nil, fromTime(at))); got != f[3] {
			t.Errorf("%s %s: %q, want %q", f[0], f[1], got, f[3])
		}
		lines++
	}
	if lines < 1000 {
		t.Errorf("only %d lines", lines)
	}
}

func TestLayoutsRead(t *testing.T) {
	for _, c := range []struct{ format, locale, cell, want string }{
		{"dd/MM/yyyy", "", "04/03/2021", "2021-03-04T00:00:00"},
		{"dd/MM/yyyy", "", "4/3/2021", "not_understood"},
		{"d/M/yyyy", "", "04/03/2021", "2021-03-04T00:00:00"},
		{"MM/dd/yyyy", "", "04/03/2021", "2021-04-03T00:00:00"},
		{"yyyyMMdd", "", "20210304", "2021-03-04T00:00:00"},
		{"ddMMyy HHmm", "", "040321 1520", "2021-03-04T15:20:00"},
		{"D", "de", "04.03.2021", "2021-03-04T00:00:00"},
		{"D HH:mm", "de", "04.03.2021 15:20", "2021-03-04T15:20:00"},
		{"D", "en-US", "3/4/2021", "2021-03-04T00:00:00"},
		{"f", "en-US", "3/4/2021, 3:20 pm", "2021-03-04T15:20:00"},
		{"DDD", "fr", "4 MARS 2021", "2021-03-04T00:00:00"},
		{"DDD", "fr", "4 fevrier 2021", "2021-02-04T00:00:00"},
		{"DD", "de", "4. Sept. 2021", "2021-09-04T00:00:00"},
		{"DD", "de", "4. September 2021", "2021-09-04T00:00:00"},
		{"d MMM y", "hr", "4 listopada 2021", "2021-10-04T00:00:00"},
		{"d MMM y", "pl", "4 listopada 2021", "2021-11-04T00:00:00"},
		{"EEE d MMM y", "en", "Thu 4 Mar 2021", "2021-03-04T00:00:00"},
		{"EEE d MMM y", "en", "Fri 4 Mar 2021", "wrong_weekday"},
		{"kkkk-'W'WW-E", "", "2021-W09-4", "2021-03-04T00:00:00"},
		{"yyyy-ooo", "", "2021-063", "2021-03-04T00:00:00"},
		{"X", "", "1614871207", "2021-03-04T15:20:07"},
		{"x", "", "1614871207500", "2021-03-04T15:20:07"},
		{"X", "", "-1", "1969-12-31T23:59:59"},
		{"X", "", "999999999999999", "year_outside"},
		{"yyyy-MM-dd HH:mm:ss.SSS ZZ", "", "2021-03-04 15:20:07.123 +01:00", "2021-03-04T15:20:07"},
		{"y-M-d H:m Z", "", "2021-3-4 5:6 -5", "2021-03-04T05:06:00"},
		{"y-M-d H:m ZZZ", "", "2021-3-4 5:6 +0530", "2021-03-04T05:06:00"},
		{"y-M-d H:m z", "", "2021-3-4 5:6 Europe/Paris", "2021-03-04T05:06:00"},
		{"h a d.M.yy", "el", "3 μ.μ. 4.3.21", "2021-03-04T15:00:00"},
		{"h 'o' '' 'clock' a, y-M-d", "", "3 O'CLOCK pm, 2021-3-4", "2021-03-04T15:00:00"},
		{"d/M/y", "ar-EG", "٤/٣/٢٠٢١", "2021-03-04T00:00:00"},
		{"y年M月d日", "ja", "2021年3月4日", "2021-03-04T00:00:00"},
		{"d MMMM y", "th", "4 มีนาคม 2021", "2021-03-04T00:00:00"},
		{"d M yy", "", "4 3 55", "1955-03-04T00:00:00"},
		{"d d M y", "", "4 4 3 2021", "2021-03-04T00:00:00"},
		{"d d M y", "", "4 5 3 2021", "not_understood"},
		{"G y M d", "en", "AD 2021 3 4", "2021-03-04T00:00:00"},
		{"G y M d", "en", "BC 21 3 4", "year_outside"},
		{"dd/MM/yyyy", "", "30/02/2021", "no_such_day"},
		{"dd/MM/yyyy", "", "30/02/9999", "no_such_day"},
		{"dd/MM/yyyy", "", "04/03/2021x", "not_understood"},
		{"dd/MM/yyyy", "", "", "not_understood"},
		{"dd/MM/yyyy HH:mm", "", "04/03/2021 25:00", "no_such_time"},
		{"h:mm a d M y", "", "13:20 PM 4 3 2021", "no_such_time"},
		{"MM/yyyy", "", "03/2021", "no_day"},
		{"d MMM", "en", "4 Mar", "no_year"},
		{"HH:mm", "", "15:20", "no_year"},
		{"y d", "", "2021 4", "no_such_day"},
		{"d MMMMM y", "en", "4 J 2021", "not_understood"},
		{"y-M-d ZZ", "", "2021-3-4 +99:00", "not_understood"},
		{"yyyy", "", strings.Repeat("1", 200), "too_long"},
		{"y M d", "", "0 3 4", "year_outside"},
		{"d MMMM y", "zh", "1 1 2000", "2000-01-01T00:00:00"},
		{"d.MMM.y", "zh", "1.1.2000", "2000-01-01T00:00:00"},
		{ISO, "", "2021-03-04T15:20", "2021-03-04T15:20:00"},
	} {
		l, err := CompileLayout(c.format, c.locale, WantDateTime, true)
		if err != nil {
			t.Fatal(err)
		}
		if got := asText(l.Read([]byte(c.cell), WantDateTime), WantDateTime); got != c.want {
			t.Errorf("%s in %q: %q is %s, want %s", c.format, c.locale, c.cell, got, c.want)
		}
	}
}

func TestLayoutOfTimes(t *testing.T) {
	l, err := CompileLayout("t", "en-US", WantTime, false)
	if err != nil {
		t.Fatal(err)
	}
	for cell, want := range map[string]string{"3:20 PM": "15:20:00", "12:05 am": "00:05:00", "15:20": "not_understood", "0:20 AM": "no_such_time"} {
		if got := asText(l.Read([]byte(cell), WantTime), WantTime); got != want {
			t.Errorf("%q: %s, want %s", cell, got, want)
		}
	}
	if got := string(l.Append(nil, Timestamp{Time: Time{Hour: 15, Minute: 20}})); got != "3:20\u202fPM" {
		t.Errorf("%q", got)
	}
	day, err := CompileLayout("d.M.y EEE MMM kkkk X", "", WantTime, false)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(day.Append(nil, Timestamp{Time: Time{Hour: 15}})); strings.ContainsAny(got, "0123456789") {
		t.Errorf("a time of day has no day, and is %q", got)
	}
}

func TestLayoutsRefused(t *testing.T) {
	for _, c := range [][2]string{{"", ""}, {"'text'", ""}, {"--", "de"}, {"D", "tlh"}, {"''", ""}, {strings.Repeat("d", 257), ""}, {"D", strings.Repeat("x-", 99)}} {
		if l, err := CompileLayout(c[0], c[1], WantDate, false); err == nil {
			t.Errorf("%q in %q: %+v", c[0], c[1], l)
		}
	}
}

func TestLayoutOrderAndNeeds(t *testing.T) {
	for _, c := range []struct {
		format, locale string
		order          Order
		day, clock     bool
	}{
		{"D", "en-US", MDY, true, false},
		{"D", "de", DMY, true, false},
		{"D", "sv", YMD, true, false},
		{"f", "fr", DMY, true, true},
		{"t", "fr", Undecided, false, true},
		{"yyyy/dd/MM", "", YDM, true, false},
		{"d MMM y", "", Undecided, true, false},
		{"X", "", Undecided, true, true},
		{ISO, "", YMD, true, false},
	} {
		l, err := CompileLayout(c.format, c.locale, WantDate, false)
		if err != nil {
			t.Fatal(err)
		}
		if day, clock := l.Components(); l.DateOrder() != c.order || day != c.day || clock != c.clock {
			t.Errorf("%s in %q: %s %v %v", c.format, c.locale, l.DateOrder(), day, clock)
		}
	}
}

func TestISOLayout(t *testing.T) {
	m := Timestamp{Date{2022, 3, 27}, Time{15, 20, 7, 999_000_000}}
	for _, c := range []struct {
		want    Want
		seconds bool
		text    string
	}{{WantDate, true, "2022-03-27"}, {WantDateTime, false, "2022-03-27T15:20"}, {WantDateTime, true, "2022-03-27T15:20:07"}, {WantTime, false, "15:20"}, {WantTime, true, "15:20:07"}} {
		l, err := CompileLayout(ISO, "", c.want, c.seconds)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(l.Append(nil, m)); got != c.text {
			t.Errorf("%q, want %q", got, c.text)
		}
	}
}

// TestLayoutsReadWhatTheyWrite checks that a layout reads its own output, for
// formats that show the complete timestamp.
func TestLayoutsReadWhatTheyWrite(t *testing.T) {
	formats := []string{"yyyy-MM-dd HH:mm:ss", "F", "FF", "FFF", "FFFF", "d.M.yyyy h:mm:ss a", "EEEE d MMMM y 'at' H:m:s", "yyyyMMddHHmmss", "kkkk WW E TT", "yyyy ooo TT", "X", "x", "cccc LLL d yyyy TT ZZ"}
	rapid.Check(t, func(t *rapid.T) {
		code := rapid.SampledFrom(localeCodes()).Draw(t, "locale")
		format := rapid.SampledFrom(formats).Draw(t, "format")
		m := drawMoment(t)
		if m.Year < 10 || m.Year > 9990 {
			m.Year = 2000
		}
		m.Day = min(m.Day, 28)
		if len(code) == 0 || code == "ja" || code == "zh-Hant" || code == "lt" || code == "zh" {
			format = strings.ReplaceAll(format, "LLL", "L") // LLL is a number in this locale
		}
		l, err := CompileLayout(format, code, WantDateTime, true)
		if err != nil {
			t.Fatal(err)
		}
		text := l.Append(nil, m)
		if r := l.Read(text, WantDateTime); r.Timestamp != m {
			t.Fatalf("%s in %s: %v is %q, which reads as %s", format, code, m, text, asText(r, WantDateTime))
		}
	})
}

// TestLayoutsAgainstTime checks that layouts write the same text as package time and read it
// back. It uses random formats of tokens that both support.
func TestLayoutsAgainstTime(t *testing.T) {
	tokens := map[string]string{
		"yyyy": "2006", "yy": "06", "MM": "01", "M": "1", "LLL": "Jan", "MMMM": "January", "dd": "02", "d": "2", "ccc": "Mon", "EEEE": "Monday",
		"HH": "15", "hh": "03", "h": "3", "mm": "04", "m": "4", "ss": "05", "s": "5", "a": "PM", "ooo": "002", "'of'": "of", "ss.SSS": "05.000",
	}
	names := slices.Sorted(maps.Keys(tokens))
	rapid.Check(t, func(t *rapid.T) {
		var format, layout []string
		for range rapid.IntRange(1, 8).Draw(t, "tokens") {
			token := rapid.SampledFrom(names).Draw(t, "token")
			format, layout = append(format, token), append(layout, tokens[token])
		}
		format, layout = append(format, "yyyy M d H"), append(layout, "2006 1 2 15")
		at := time.UnixMilli(rapid.Int64Range(-60_000_000_000_000, 250_000_000_000_000).Draw(t, "at")).UTC()
		l, err := CompileLayout(strings.Join(format, " "), "en", WantDateTime, false)
		if err != nil {
			t.Fatal(err)
		}
		want := at.Format(strings.Join(layout, " "))
		want = want[:len(want)-2] + strings.TrimPrefix(want[len(want)-2:], "0") // Go has no 24-hour token without a leading zero
		if got := string(l.Append(nil, fromTime(at))); got != want {
			t.Fatalf("%s: %q, want %q", strings.Join(format, " "), got, want)
		}
		if r := l.Read([]byte(want), WantDateTime); !slices.Contains(format, "yy") && (r.Date != fromTime(at).Date || int(r.Hour) != at.Hour()) {
			t.Fatalf("%s: %q reads as %s, want %v", strings.Join(format, " "), want, asText(r, WantDateTime), at)
		}
	})
}

func FuzzLayout(f *testing.F) {
	f.Add("d MMM yyyy 'at' h:mm a", "de", []byte("4 März 2021 at 3:20 PM"))
	f.Add("FFFF", "fa", []byte("۴ ژانویه ۲۰۲۱"))
	f.Add("X''Z z ZZ", "en", []byte("-1'+5 Europe/Paris -05:00"))
	f.Fuzz(func(t *testing.T, format, locale string, cell []byte) {
		l, err := CompileLayout(format, locale, WantDateTime, true)
		if err != nil {
			return
		}
		l.Append(nil, Timestamp{})
		l.Append(nil, Timestamp{Date{2021, 3, 4}, Time{15, 20, 7, 0}})
		for want := WantDate; want <= WantTime; want++ {
			r := l.Read(cell, want)
			if _, ok := NewDate(int(r.Year), int(r.Month), int(r.Day)); r.Reason == Read && want != WantTime && !ok {
				t.Fatalf("%q by %q: %v is not a valid day", cell, format, r.Date)
			}
		}
	})
}

// TestNamesAreFoldedOnce checks that compiling a second format with names needs little work. A
// schema can have a thousand such formats, and preparing the names takes most of the time.
func TestNamesAreFoldedOnce(t *testing.T) {
	n := testing.AllocsPerRun(10, func() {
		if _, err := CompileLayout("EEEE d MMMM yyyy a G", "ar", WantDate, false); err != nil {
			t.Fatal(err)
		}
	})
	if n > 100 {
		t.Errorf("%.0f allocations", n)
	}
}
