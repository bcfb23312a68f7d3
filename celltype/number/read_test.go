package number

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

var (
	english = Style{Point, Comma}
	german  = Style{Comma, Point}
	swiss   = Style{Point, Apostrophe}
	french  = Style{Comma, Space}
)

func TestRead(t *testing.T) {
	for _, c := range []struct{ raw, want string }{
		// plain
		{"0", "0"}, {"7", "7"}, {"007", "7"}, {"000", "0"}, {"-0", "0"}, {"-0.00", "0"}, {"+5", "5"}, {"12345", "12345"},
		{"1.50", "1.5"}, {"1.0", "1"}, {"00012.500", "12.5"}, {".5", "0.5"}, {"-.5", "-0.5"}, {",5", "0.5"}, {"5.", "5"}, {"12,", "12"},
		{"0.123", "0.123"}, {"0,123", "0.123"}, {"1234.567", "1234.567"}, {"1234,567", "1234.567"}, {"12.3456", "12.3456"}, {"12,34", "12.34"},
		{"9007199254740993", "9007199254740993"}, {"0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827"},
		// signs
		{"12-", "-12"}, {"12 -", "-12"}, {"- 12", "-12"}, {"−12", "-12"}, {"–12", "-12"}, {"－12", "-12"}, {"12−", "-12"}, {"＋12", "12"},
		{"(12)", "-12"}, {"( 12.50 )", "-12.5"}, {"(0)", "0"}, {"（12）", "-12"}, {"12,-", "12"}, {"12.–", "12"}, {"12,--", "12"}, {"12,— €", "12"},
		// thousands
		{"1,234,567", "1234567"}, {"1.234.567", "1234567"}, {"1 234", "1234"}, {"1 234 567", "1234567"}, {"1\u00a0234", "1234"}, {"12\u202f345\u202f678", "12345678"},
		{"1\u2009234,5", "1234.5"}, {"1'234", "1234"}, {"1’234.50", "1234.5"}, {"12,34,567", "1234567"}, {"1,23,456.7", "123456.7"}, {"1,00,00,000", "10000000"},
		{"1,234.5", "1234.5"}, {"1.234,5", "1234.5"}, {"1 234,567", "1234.567"}, {"1'234.567", "1234.567"}, {"1,234.567", "1234.567"}, {"-1.234.567,89", "-1234567.89"},
		// currencies
		{"€ 12", "12"}, {"12 EUR", "12"}, {"EUR12", "12"}, {"US$ 5", "5"}, {"$5", "5"}, {"-$5", "-5"}, {"$-5", "-5"}, {"$ - 5", "-5"}, {"($5)", "-5"}, {"$(5)", "-5"}, {"5 $", "5"},
		{"5€-", "-5"}, {"-5 €", "-5"}, {"1 250,00 kr", "1250"}, {"kr. 5,5", "5.5"}, {"1 234,50 zł", "1234.5"}, {"99 Kč", "99"}, {"1 500 Ft", "1500"}, {"R$ 1.234,50", "1234.5"}, {"₹ 12,34,567.80", "1234567.8"},
		{"R12.50", "12.5"}, {"Rs.500", "500"}, {"CHF 1'234.50", "1234.5"}, {"5 руб.", "5"}, {"¥1,234,567", "1234567"}, {"12 lei", "12"}, {"$5.50 CAD", "5.5"}, {"£5 GBP", "5"}, {"＄12", "12"}, {"12 円", "12"},
		// percent
		{"12%", "0.12"}, {"12 %", "0.12"}, {"%12", "0.12"}, {"-12.5%", "-0.125"}, {"(5%)", "-0.05"}, {"(5)%", "-0.05"}, {"5‰", "0.005"}, {"100％", "1"}, {"12٪", "0.12"}, {"0%", "0"}, {"0.0001%", "0.000001"},
		// exponents
		{"1e5", "100000"}, {"1.5E+03", "1500"}, {"1,5E-3", "0.0015"}, {"1.234e5", "123400"}, {"1,234E+05", "123400"}, {"1e40", "1" + strings.Repeat("0", 40)}, {"1e41", "1e41"}, {"12e40", "12" + strings.Repeat("0", 40)},
		{"1e-41", "0." + strings.Repeat("0", 40) + "1"}, {"1e-42", "1e-42"}, {"-1.5e300", "-1.5e300"}, {"1e400", ""}, {"1e399", "1e399"}, {"0e999999999999", "0"}, {"4.9406564584124654e-324", "4.9406564584124654e-324"},
		// digits of other scripts, and characters that spreadsheets add
		{"１２３", "123"}, {"١٢٣", "123"}, {"۱۲۳٫۵", "123.5"}, {"١٬٢٣٤٫٥", "1234.5"}, {"१२,३४,५६७", "1234567"}, {"１，２３４．５", "1234.5"}, {"'0042", "42"}, {"' 5", "5"}, {" \t5\r\n", "5"}, {"\ufeff5", "5"}, {"\u200f-5\u200e", "-5"},
	} {
		out, r := Style{}.Append([]byte("x"), []byte(c.raw))
		if c.want == "" {
			if r.Reason != TooLarge {
				t.Errorf("%q: %s, want too_large", c.raw, r.Reason.Code())
			}
			continue
		}
		if string(out) != "x"+c.want || r.Reason != Read || r.Inconsistent {
			t.Errorf("%q is %s (%s, unlike: %v), want %s", c.raw, out[1:], r.Reason.Code(), r.Inconsistent, c.want)
		}
	}
}

func TestRefused(t *testing.T) {
	for raw, want := range map[string]Reason{
		"": Empty, " \u00a0\t": Empty, "-": Dash, " - ": Dash, "$ -": Dash, "- €": Dash, "–": Dash,
		"abc": NotNumber, "NaN": NotNumber, "Infinity": NotNumber, "∞": NotNumber, "0x1F": NotNumber, "1_000": NotNumber, "1/2": NotNumber, "½": NotNumber, "1 ½": NotNumber,
		"5 kg": NotNumber, "5m": NotNumber, "12 km": NotNumber, "12 L": NotNumber, "5k": NotNumber, "1e": NotNumber, "e5": NotNumber, "1e5.5": NotNumber, "1e+": NotNumber,
		"12:30": NotNumber, "2021-03-04": NotNumber, "5-10": NotNumber, "1 - 2": NotNumber, "12+": NotNumber, "~5": NotNumber, "<5": NotNumber, "±5": NotNumber, "#5": NotNumber,
		".": NotNumber, ",": NotNumber, "$": NotNumber, "%": NotNumber, "+": NotNumber, "'": NotNumber, "-%": NotNumber, "5%%": NotNumber, "$5%": NotNumber, "5$$": NotNumber, "1٢": NotNumber,
		"12 34 kg": NotNumber, "1\x00": NotNumber, "\xff5": NotNumber, "5\xff": NotNumber, "true": NotNumber, "12.50 CR": NotNumber, "USDT5": NotNumber, "1,234, 567": NotNumber, "1..2": NotNumber, "1.,5": NotNumber, "1234 ,5": NotNumber,
		"--5": Signs, "+-5": Signs, "-5-": Signs, "(-5)": Signs, "-(5)": Signs, "(5": Signs, "5)": Signs, "((5))": Signs, "()": Signs, "(5)-": Signs,
		"1,23,4": Separators, "12.34.567": Separators, "12 34 567": Separators, "123,45,678": Separators, "1.2.3": Separators, "1,2,3": Separators, "12,3456,789": Separators, "1,234.567.890": Separators, "1.234,567,8": Separators, "1234,567,890": Separators, "12 34": Separators, "1 2 3": Separators,
		"2021 2022": Separators, "1 234'567": Separators, "1.234 567": Separators, "0,123,456": Separators, "1,234.5e3": Separators, "1 234e5": Separators, "5'11": Separators, "1٫2٫3": Separators, "1٫234,567": Separators,
		"1,234": TwoWays, "12.345": TwoWays, "-123,456": TwoWays, "€ 1.234": TwoWays, "1.234%": TwoWays, "012.345": TwoWays,
		"$5 EUR": Currencies, "€5 $": Currencies, "EUR 5 USD": Currencies,
		strings.Repeat("1", 1001): TooLong, strings.Repeat("1", 801): TooLarge, strings.Repeat("1", 401): TooLarge, "0." + strings.Repeat("1", 401): TooLarge, "1e-401": TooLarge, "1e99999999999999999999": TooLarge,
		"1" + strings.Repeat(",23", 300): Separators,
	} {
		out, r := Style{}.Append([]byte("x"), []byte(raw))
		if r.Reason != want || string(out) != "x" {
			t.Errorf("%.40q: %s %q, want %s", raw, r.Reason.Code(), out, want.Code())
		}
	}
}

func TestStyleDecides(t *testing.T) {
	for _, c := range []struct {
		style     Style
		raw, want string
		reason    Reason
		unlike    bool
	}{
		{english, "1,234", "1234", Read, false}, {english, "1.234", "1.234", Read, false}, {english, "1.234.567", "1234567", Read, true}, {english, "1,5", "1.5", Read, true},
		{german, "1,234", "1.234", Read, false}, {german, "1.234", "1234", Read, false}, {german, "1,234,567", "1234567", Read, true}, {german, "1.5", "1.5", Read, true}, {german, "-12,50", "-12.5", Read, false},
		{swiss, "1.234", "1.234", Read, false}, {swiss, "1,234", "", OtherStyle, false}, {swiss, "1'234", "1234", Read, false}, {french, "1,234", "1.234", Read, false}, {french, "1.234", "", OtherStyle, false},
		{Style{Decimal: Point}, "1,234", "1234", Read, false}, {Style{Decimal: Comma}, "1.234", "1234", Read, false}, {Style{Group: Comma}, "1,234", "1234", Read, false}, {Style{Group: Comma}, "1.234", "", TwoWays, false},
		{Style{Group: Space}, "1,234", "", TwoWays, false}, {english, "1 234", "1234", Read, false}, {german, "1.234,5 €", "1234.5", Read, false}, {german, "1.5e3", "1500", Read, true}, {english, "1,23,4", "", Separators, false},
	} {
		out, r := c.style.Append(nil, []byte(c.raw))
		if string(out) != c.want || r.Reason != c.reason || r.Inconsistent != c.unlike {
			t.Errorf("%v: %q is %q (%s, unlike: %v), want %q (%s, %v)", c.style, c.raw, out, r.Reason.Code(), r.Inconsistent, c.want, c.reason.Code(), c.unlike)
		}
	}
}

func TestReadingReportsAffixes(t *testing.T) {
	for raw, want := range map[string]Reading{
		"5":      {},
		"5%":     {Shift: 2},
		"5 ‰":    {Shift: 3},
		"€5":     {Currency: currency(t, "€")},
		"$5 CAD": {Currency: currency(t, "CAD")},
		"CAD 5$": {Currency: currency(t, "CAD")},
	} {
		if _, r := english.Append(nil, []byte(raw)); r != want {
			t.Errorf("%q: %+v, want %+v", raw, r, want)
		}
	}
}

func currency(t *testing.T, text string) Currency {
	t.Helper()
	c, ok := FindCurrency(text)
	if !ok {
		t.Fatalf("no currency %q", text)
	}
	return c
}

func TestCurrencies(t *testing.T) {
	for _, c := range []struct {
		a, b string
		fit  bool
	}{{"$", "USD", true}, {"$", "EUR", false}, {"£", "GBP", true}, {"kr", "SEK", true}, {"US$", "CAD", false}, {"€", "Euro", true}, {"$", "US$", true}} {
		a, b := currency(t, c.a), currency(t, c.b)
		if a.CompatibleWith(b) != c.fit || b.CompatibleWith(a) != c.fit || !a.CompatibleWith(0) || !Currency(0).CompatibleWith(a) {
			t.Errorf("%v and %v fit: %v, want %v", a, b, a.CompatibleWith(b), c.fit)
		}
	}
}

func TestMarks(t *testing.T) {
	seen := map[string]bool{}
	for i, m := range currencyMarks[1:] {
		if seen[m.text] || len(Currency(i+1).Codes()) == 0 || !utf8.ValidString(m.text) || Currency(i+1).String() != m.text {
			t.Errorf("the mark %q is there twice, or means nothing", m.text)
		}
		seen[m.text] = true
		for _, raw := range []string{m.text + " 5", "5 " + m.text, m.text + "5", "5" + m.text} {
			out, r := english.Append(nil, []byte(raw))
			if taken := strings.HasPrefix(raw, "5") && m.after || !strings.HasPrefix(raw, "5") && m.before; taken != (string(out) == "5" && r.Currency != 0) {
				t.Errorf("%q is %q (%s), want it taken: %v", raw, out, r.Reason.Code(), taken)
			}
		}
	}
	if c, ok := FindCurrency(""); ok || c != 0 || c.String() != "" || len(currencyMarks) > len(Sniffer{}.currencies) {
		t.Errorf("no mark is %v, and there are %d marks", c, len(currencyMarks))
	}
}

func TestReasonsHaveTexts(t *testing.T) {
	codes := map[string]bool{}
	for r := Read; r <= TooLarge; r++ {
		m := r.Message()
		if codes[r.Code()] || r.Code() == "" || m.IsZero() != (r <= Empty) || !m.IsZero() && m.String() == m.Code {
			t.Errorf("reason %d: code %q, text %q", r, r.Code(), m)
		}
		codes[r.Code()] = true
	}
}

func TestStyleText(t *testing.T) {
	for _, s := range []Style{{}, english, german, swiss, french, {Decimal: Comma}, {Group: Space}} {
		text, _ := s.MarshalText()
		var back Style
		if err := back.UnmarshalText(text); err != nil || back != s {
			t.Errorf("%s is read as %v: %v", text, back, err)
		}
	}
	s := german
	for _, text := range []string{"", "decimal=point", "decimal=point group=point", "decimal=space group=comma", "decimal=comma group=point ", "x"} {
		if err := s.UnmarshalText([]byte(text)); err == nil || s != german {
			t.Errorf("%q is read as %v", text, s)
		}
	}
}

// TestWrittenNumbersAreReadBack checks that numbers written in a style are read
// as the same numbers.
func TestWrittenNumbersAreReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		style := rapid.SampledFrom([]Style{english, german, swiss, french}).Draw(t, "style")
		whole := rapid.StringMatching(`[1-9][0-9]{0,24}`).Draw(t, "whole")
		places := rapid.StringMatching(`([0-9]{0,20}[1-9])?`).Draw(t, "places")
		sign := rapid.SampledFrom([]string{"", "-"}).Draw(t, "sign")
		around := rapid.SampledFrom([]string{"*", " * ", "€*", "* EUR", "*\u00a0kr"}).Draw(t, "around")
		raw, want := sign, sign+whole
		for i, c := range whole {
			if i > 0 && (len(whole)-i)%3 == 0 {
				raw += string(rune(style.Group))
			}
			raw += string(c)
		}
		if places != "" {
			raw += string(rune(style.Decimal)) + places
			want += "." + places
		}
		raw = strings.Replace(around, "*", raw, 1)
		if out, r := style.Append(nil, []byte(raw)); string(out) != want || r.Reason != Read || r.Inconsistent {
			t.Fatalf("%v: %q is %s (%s), want %s", style, raw, out, r.Reason.Code(), want)
		}
	})
}

func FuzzRead(f *testing.F) {
	for _, raw := range []string{"1,234.50", "(12,5 €)", "1e5", "-0", "12,34,567", "١٬٢٣٤٫٥", "'5%", "$5 CAD", "12,-", "1'234", "\xff", "1e-400", "- 5"} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		before := string(raw)
		var survey Sniffer
		survey.Observe(raw)
		for _, style := range []Style{{}, english, german, swiss, french} {
			out, r := style.Append([]byte("x"), raw)
			if string(raw) != before || out[0] != 'x' || r.Reason != Read && len(out) > 1 {
				t.Fatalf("%q: %q, %+v", before, out, r)
			}
			if r.Reason != Read {
				continue
			}
			again, ok := Canonical(nil, out[1:])
			if !ok || string(again) != string(out[1:]) {
				t.Fatalf("%q is %s, which is %s", before, out[1:], again)
			}
			if d := survey.Decide(Hints{}); d.Cells != 1 || d.Unread+d.Dashes > 0 {
				t.Fatalf("%q is %s, and counted as %+v", before, out[1:], d)
			}
		}
	})
}

// TestShortWaysReadLikeTheLongOne checks that the fast paths agree with the slow path, for text
// that resembles a number.
func TestShortWaysReadLikeTheLongOne(t *testing.T) {
	styles := []Style{{}, english, german, {Decimal: Point}, {Decimal: Comma}, {Point, Space}, {Comma, Apostrophe}, {Group: Space}}
	read, marked := 0, 0
	texts := rapid.SliceOfN(rapid.OneOf(
		rapid.StringMatching(`-?[0-9]{0,4}([,.][0-9]{3}){0,3}([.,][0-9]{0,4})?`),
		rapid.StringMatching(`(US[$] ?|[$€£-] ?|CHF |kr |x)?-?[0-9]{1,3}([,.][0-9]{2,3}){0,2}([.,][0-9]{0,3})?( ?[€$%-])?`),
		rapid.StringMatching(`-?[0-9]{20,50}[,.]?[0-9]{0,30}€?`),
	), 30, 30)
	rapid.Check(t, func(t *rapid.T) {
		style := rapid.SampledFrom(styles).Draw(t, "style")
		for _, text := range texts.Draw(t, "texts") {
			raw := []byte(text)
			got, reading := style.Append([]byte("x"), raw)
			want, long := style.appendGeneral([]byte("x"), raw)
			if string(got) != string(want) || reading != long {
				t.Fatalf("%q in %s: %s %+v, by the long way %s %+v", raw, style, got, reading, want, long)
			}
			if _, ok := style.appendGrouped(nil, raw); ok {
				read++
			}
			if reading.Currency != 0 {
				marked++
			}
		}
	})
	least := 20
	if testing.Short() {
		least = 4 // rapid runs a fifth of the checks with -short
	}
	if read < least || marked < 5*least {
		t.Errorf("only %d texts went the short way, %d with a currency", read, marked)
	}
}
