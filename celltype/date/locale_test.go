package date

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestLocalesReadBackFreely checks that a style, which does not know the format, correctly reads
// timestamps in the localized patterns of each locale. It uses one timestamp per month.
func TestLocalesReadBackFreely(t *testing.T) {
	for _, code := range localeCodes() {
		where, ok := FindLocale(code)
		if !ok {
			t.Fatalf("%s is not found", code)
		}
		style := Style{Languages: 1 << where.language, Orders: [patternCount]Order{Dot: DMY, Slash: DMY, Dash: DMY, Space: DMY}}
		if where.DateOrder() == MDY {
			style.Orders = [patternCount]Order{Slash: MDY, Dash: MDY, Space: MDY, Dot: DMY}
		}
		for format := range strings.FieldsSeq("D DD DDD DDDD t tt T TT f ff fff ffff F FF FFF FFFF ttt TTT") {
			layout, err := CompileLayout(format, code, WantDateTime, false)
			if err != nil {
				t.Fatal(err)
			}
			for month := uint8(1); month <= 12; month++ {
				readBack(t, layout, style, Timestamp{Date{2021, month, 3 + month}, Time{Hour: month*2 - 1, Minute: 20}})
			}
		}
	}
}

func readBack(t *testing.T, l *Layout, s Style, m Timestamp) {
	t.Helper()
	want := WantDateTime
	day, clock := l.Components()
	if !day {
		want, m.Date = WantTime, Date{}
	}
	if !clock {
		m.Time = Time{}
	}
	text := l.Append(nil, m)
	oddly := strings.Contains(string(text), ".20:00 h") // CLDR's pattern for French in Switzerland
	if r := s.Read(text, want); r.Timestamp != m && !oddly {
		t.Errorf("%q is %s, want %v", text, asText(r, want), m)
	}
	if r := l.Read(text, want); r.Timestamp != m {
		t.Errorf("%q by its layout is %s, want %v", text, asText(r, want), m)
	}
}

// TestLongLocale checks that the message about an unknown locale quotes only its beginning.
func TestLongLocale(t *testing.T) {
	for _, tag := range []string{"x-" + strings.Repeat("a-", 500_000), strings.Repeat("é", 100)} {
		_, err := CompileLayout("yyyy", tag, WantDate, false)
		if err == nil || len(err.Error()) > 200 || !utf8.ValidString(err.Error()) {
			t.Errorf("a locale of %d bytes: %.300v", len(tag), err)
		}
	}
}

func TestFindLocale(t *testing.T) {
	for tag, want := range map[string]string{
		"de": "de", "de-DE": "de", "de_at": "de-AT", "EN-us": "en-US", "en-ZZ": "en", "no": "nb", "nn-NO": "nb", "pt-BR": "pt", "pt-PT": "pt-PT",
		"zh-TW": "zh-Hant", "zh-CN": "zh", "zh-Hant-TW": "zh-Hant", "zh-HK": "zh-HK", "sr-Latn-RS": "sr-Latn", "iw": "he", "es-419": "es-MX", "fr-Latn-CA": "fr",
	} {
		if l, ok := FindLocale(tag); !ok || l.Code != want {
			t.Errorf("%s: %v %v, want %s", tag, l, ok, want)
		}
	}
	for _, tag := range []string{"", "-", "tlh", "any", "x-y-z"} {
		if l, ok := FindLocale(tag); ok {
			t.Errorf("%q: %s", tag, l.Code)
		}
	}
}

func TestLocaleOrders(t *testing.T) {
	for tag, want := range map[string]Order{
		"en-US": MDY, "en": MDY, "en-GB": DMY, "de": DMY, "fr": DMY, "sv": YMD, "ja": YMD, "ko": YMD, "hu": YMD, "zh": YMD, "en-CA": YMD, "ar": DMY, "hi": DMY, "pt": DMY, "nl": DMY, "pl": DMY,
	} {
		if l, ok := FindLocale(tag); !ok || l.DateOrder() != want {
			t.Errorf("%s: want %s, have %v", tag, want, l.DateOrder())
		}
	}
}

// TestNamesThatMeanSeveralMonths checks that exactly the listed names mean several months, so
// that a change that adds one is noticed.
func TestNamesThatMeanSeveralMonths(t *testing.T) {
	want := map[string]bool{"lip": true, "lis": true, "listopad": true, "listopada": true, "srp": true}
	for key, w := range locales().words {
		if len(w.months) > 1 != want[key] {
			t.Errorf("%q: %v", key, w.months)
		}
		if w.flags&flagAM != 0 && w.flags&flagPM != 0 {
			t.Errorf("%q is morning and afternoon", key)
		}
	}
}

func TestLocalesFileRefused(t *testing.T) {
	const head = "[any]\nskip = of\n[th]\n"
	for text, want := range map[string]string{
		"":                                  "no section [any]",
		"months.long = x":                   "neither a section",
		"[th]\nD = d":                       "no section [any]",
		"[any]\nfoo = x\n[th]":              "unknown entry \"foo\"",
		"[any]\nzones = x\n[th]":            "the value of \"x\"",
		head + "months.long = a|b":          "one with 2 names",
		head + "read.m13 = x":               "unknown entry",
		head + "read.noon = x":              "unknown entry",
		head + "parent = xx":                "must precede",
		head + `D = \u20`:                   "invalid syntax",
		head + `D = \uzzzz`:                 "invalid syntax",
		"[any]\nskip = of\n[de]\nD = d.M.y": "unknown language \"th\"",
	} {
		if _, err := parseLocales(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, err := parseLocales(head + "D = d/M/y"); err != nil {
		t.Error(err)
	}
}

func TestLanguagesByName(t *testing.T) {
	for _, code := range locales().languages {
		set, err := locales().parseLanguages(code)
		if m := languageNames(set); err != nil || m.Code == "" || m.String() == m.Code {
			t.Errorf("%s: %+v %v", code, m, err)
		}
	}
	if got := languageNames(1<<6 - 1).String(); !strings.HasSuffix(got, "or another matching language") {
		t.Error(got)
	}
}

// TestLocalesOfTheInterface checks that at least the locales of the interface are supported.
func TestLocalesOfTheInterface(t *testing.T) {
	for code := range strings.FieldsSeq("ar bg cs da de el en es et fi fr he hi hr hu id it ja ko lt lv nb nl pl pt ro ru sk sl sr sv th tr uk vi zh zh-TW pt-BR en-GB") {
		l, ok := FindLocale(code)
		if !ok {
			t.Errorf("%s is missing", code)
			continue
		}
		for _, list := range []string{"months.long", "months.short", "months.narrow", "days.long", "days.short", "meridiems", "eras.short"} {
			if n := len(l.nameList(list)); n != 12 && n != 7 && n != 2 {
				t.Errorf("%s has %d names of %s", code, n, list)
			}
		}
	}
}

// localeCodes returns the language tags of all locales.
func localeCodes() []string {
	codes := make([]string, 0, len(locales().all))
	for _, l := range locales().all {
		codes = append(codes, l.Code)
	}
	return codes
}
