package numfmt

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTokenize(t *testing.T) {
	for _, r := range []struct {
		code string
		want []token
	}{
		{"", []token{{kind: tokGeneral}}},
		{"general", []token{{kind: tokGeneral, text: "general"}}},
		{"#0?", []token{{tokDigit, "#", 0}, {tokDigit, "0", 0}, {tokDigit, "?", 0}}},
		{"0.,%@", []token{{tokDigit, "0", 0}, {tokPoint, ".", 0}, {tokComma, ",", 0}, {tokPercent, "%", 0}, {tokText, "@", 0}}},
		{"0E+0", []token{{tokDigit, "0", 0}, {tokExponent, "E+", 0}, {tokDigit, "0", 0}}},
		{`"a""b"`, []token{{tokLiteral, "a", 0}, {tokLiteral, "b", 0}}},
		{`""`, nil},
		{`"a`, []token{{tokLiteral, "a", 0}}},
		{`\ä€`, []token{{tokLiteral, "ä", 0}, {tokLiteral, "€", 0}}},
		{`_€*ä`, []token{{tokLiteral, " ", 0}}},
		{"?/?", []token{{tokDigit, "?", 0}, {tokSlash, "/", 0}, {tokDigit, "?", 0}}},
		{"?/16", []token{{tokDigit, "?", 0}, {tokSlash, "/16", 16}}},
		{"?/012", []token{{tokDigit, "?", 0}, {tokSlash, "/", 0}, {tokDigit, "0", 0}, {tokLiteral, "1", 0}, {tokLiteral, "2", 0}}},
		{"[$€-407][Red][Color 3][DBNum1]", []token{{tokLiteral, "€", 0}}},
		{"[hh]", []token{{tokElapsed, "hh", 2}}},
		{"[hx]", nil},
		{"yY/MMm", []token{{tokYear, "yY", 2}, {tokLiteral, "/", 0}, {tokMonth, "MMm", 3}}},
		{"h:m", []token{{tokHour, "h", 1}, {tokLiteral, ":", 0}, {tokMinute, "m", 1}}},
		{"m:s", []token{{tokMinute, "m", 1}, {tokLiteral, ":", 0}, {tokSecond, "s", 1}}},
		{"ss.00", []token{{tokSecond, "ss", 2}, {tokSubsecond, "", 2}}},
		{"d.m", []token{{tokDay, "d", 1}, {tokLiteral, ".", 0}, {tokMonth, "m", 1}}},
		{"d, e", []token{{tokDay, "d", 1}, {tokLiteral, ",", 0}, {tokLiteral, " ", 0}, {tokYear, "e", 4}}},
		{"am/PM", []token{{tokAMPM, "am/PM", 0}}},
		{"ab", []token{{tokLiteral, "a", 0}, {tokBuddhist, "b", 1}}},
		{"aaa", []token{{tokDay, "aaa", 3}}},
	} {
		parts, ok := tokenize(r.code)
		if !ok || len(parts) != 1 {
			t.Errorf("tokenize(%q): %d sections, %v", r.code, len(parts), ok)
			continue
		}
		if diff := cmp.Diff(r.want, parts[0].tokens, cmp.AllowUnexported(token{})); diff != "" {
			t.Errorf("tokenize(%q): %s", r.code, diff)
		}
	}
}

func TestTokenizeSections(t *testing.T) {
	for code, want := range map[string]int{
		"0": 1, "0;0": 2, ";": 2, ";;;": 4, ";;;;": 5, `"a;b"`: 1, `\;`: 1, "_;": 1, "*;0": 1, "[$;]0": 1,
	} {
		if parts, ok := tokenize(code); !ok || len(parts) != want {
			t.Errorf("tokenize(%q): %d sections (%v), want %d", code, len(parts), ok, want)
		}
	}
}

func TestIsText(t *testing.T) {
	for code, want := range map[string]bool{
		"@": true, `"x"@`: true, "@ @": true, `"x"`: false, "0@": false, "@#": false, "General@": false, "yyyy@": false, "@d": false, "h@": false, "[h]@": false, "@AM/PM": false,
	} {
		parts, ok := tokenize(code)
		if !ok || len(parts) != 1 || parts[0].isText() != want {
			t.Errorf("%q: %d sections (%v), want one that is text: %v", code, len(parts), ok, want)
		}
	}
}

func TestLocaleTags(t *testing.T) {
	for code, want := range map[string]localeTag{
		"[$-409]":       {language: 0x409},
		"[$€-407]":      {language: 0x407},
		"[$RD$-1C0A]":   {language: 0x1c0a},
		"[$-2060401]":   {language: 0x401, calendar: calendarHijri},
		"[$-D070000]":   {calendar: calendarBuddhist},
		"[$-de-DE]":     {language: 0x07},
		"[$-fr,300]":    {language: 0x0c},
		"[$-xx-XX]":     {},
		"[$-x-sysdate]": {},
		"[$]":           {},
		"[$€]":          {},
		"[$-fffffffff]": {},
	} {
		parts, ok := tokenize(code + "d")
		if !ok || parts[0].tag != want {
			t.Errorf("%q: tag %+v (%v), want %+v", code, parts[0].tag, ok, want)
		}
	}
}

func TestParseCondition(t *testing.T) {
	for text, want := range map[string]condition{
		"=5":       {equal, 5},
		"<>-1.5":   {unequal, -1.5},
		"<1e3":     {less, 1000},
		"<= 7":     {lessOrEqual, 7},
		">0.5 ":    {greater, 0.5},
		">=100000": {greaterOrEqual, 100000},
	} {
		if got, ok := parseCondition(text); !ok || got != want {
			t.Errorf("parseCondition(%q) = %+v, %v; want %+v", text, got, ok, want)
		}
	}
	for _, text := range []string{"=", "==1", "><1", ">", "<a", "<1,5", ">=inf", "<nan", "=1e400"} {
		if got, ok := parseCondition(text); ok {
			t.Errorf("parseCondition(%q) = %+v, want none", text, got)
		}
	}
}

func TestConditionMatches(t *testing.T) {
	for _, r := range []struct {
		is               comparison
		below, at, above bool
	}{
		{is: always, below: true, at: true, above: true},
		{is: equal, at: true},
		{is: unequal, below: true, above: true},
		{is: less, below: true},
		{is: lessOrEqual, below: true, at: true},
		{is: greater, above: true},
		{is: greaterOrEqual, at: true, above: true},
	} {
		c := condition{r.is, 3}
		if c.matches(2.5) != r.below || c.matches(3) != r.at || c.matches(3.5) != r.above {
			t.Errorf("comparison %d with 3 matches 2.5, 3, 3.5: %v %v %v", r.is, c.matches(2.5), c.matches(3), c.matches(3.5))
		}
	}
}

func TestConditionOnlyNegative(t *testing.T) {
	for _, r := range []struct {
		c    condition
		want bool
	}{
		{condition{less, 0}, true},
		{condition{less, -1}, true},
		{condition{less, 0.5}, false},
		{condition{lessOrEqual, 0}, false},
		{condition{lessOrEqual, -0.5}, true},
		{condition{equal, -2}, true},
		{condition{equal, 0}, false},
		{condition{greater, -2}, false},
		{condition{unequal, -2}, false},
		{condition{}, false},
	} {
		if got := r.c.onlyNegative(); got != r.want {
			t.Errorf("%+v matches only negative numbers: %v, want %v", r.c, got, r.want)
		}
	}
}
