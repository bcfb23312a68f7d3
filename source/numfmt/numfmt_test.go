package numfmt

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/intraydata/intray"
)

// shownCase is a test case: a code, a number and its displayed text.
type shownCase struct {
	code  string
	value float64
	want  string
}

func checkShown(t *testing.T, rows []shownCase) {
	t.Helper()
	for _, r := range rows {
		f, ok := Compile(r.code)
		if !ok {
			t.Errorf("Compile(%q) failed", r.code)
		}
		if got := string(f.AppendFormatted(nil, r.value, false)); got != r.want {
			t.Errorf("%q shows %v as %q, want %q", r.code, r.value, got, r.want)
		}
	}
}

func TestSections(t *testing.T) {
	checkShown(t, []shownCase{
		{"0.0", 2, "2.0"},
		{"0.0", -2, "-2.0"},
		{"0.0;0.00", -2, "2.00"},
		{"0.0;(0.0)", 0, "0.0"},
		{`0.0;(0.0);"zero"`, 0, "zero"},
		{`"plus";"minus";"none";"text"`, 3, "plus"},
		{`"plus";"minus";"none";"text"`, -3, "minus"},
		{`"plus";"minus";"none";"text"`, 0, "none"},
		{`"plus";"minus";@`, 0, "plus"},
		{";;;", 5, ""},
		{";;;", -5, ""},
		{"0;;", -5, ""},
		{"0;", -5, ""},
		{`"only"`, -5, "-only"},
		{"[Red]0;[Color 10]-0", -4, "-4"},
		{"General;[Red]-General", -4.5, "-4.5"},
		{"GENERAL", 12, "12"},
		{"", 12.5, "12.5"},
		{`General" kg"`, 12.5, "12.5 kg"},
	})
}

// The third group is the example in Microsoft's article Q67469.
func TestConditions(t *testing.T) {
	checkShown(t, []shownCase{
		{"[<=9999999]###-####;(###) ###-####", 5551234, "555-1234"},
		{"[<=9999999]###-####;(###) ###-####", 2125551234, "(212) 555-1234"},
		{"[=1]0 \"day\";0 \"days\"", 1, "1 day"},
		{"[=1]0 \"day\";0 \"days\"", 2, "2 days"},
		{"[<>50]0;000", 50, "050"},
		{"[>999999]0.0,,\"M\";[>999]0.0,\"K\";0", 2500000, "2.5M"},
		{"[>999999]0.0,,\"M\";[>999]0.0,\"K\";0", 2500, "2.5K"},
		{"[>999999]0.0,,\"M\";[>999]0.0,\"K\";0", 25, "25"},

		{"[<-25]0;[>=25]0.0;0.00", -26, "26"},
		{"[<-25]0;[>=25]0.0;0.00", -1, "-1.00"},
		{"[<=-25]0;0", -25, "25"},
		{"[>0]0;0", -3, "3"},

		{"[>1000]0.00E+00;General;0.00", 999, "999.00"},
		{"[>1000]0.00E+00;General;0.00", 1001, "1.00E+03"},
		{"[>100]General;[<100](General);General", -5, "-(5)"},
		{"[>100]General;[<0](General);General", -5, "(5)"},

		{"[>100]0.0", 5, "5"},
		{"[ >= 100 ]0.0", 5, "5.0"}, // an unknown bracket is ignored
		{"[>=100]0.0", 100, "100.0"},
		{"[<1]0.00;[>=10]0", 5, strings.Repeat("#", 255)},
	})
}

func TestText(t *testing.T) {
	for _, r := range []struct{ code, text, want string }{
		{"General", "abc", "abc"},
		{"0.00", "abc", "abc"},
		{"@", "abc", "abc"},
		{"@@", "abc", "abcabc"},
		{`"<"@">"`, "abc", "<abc>"},
		{"_(@_)", "abc", " abc "},
		{"0;0;0;@\\!", "abc", "abc!"},
		{"0;-0;@\\?", "abc", "abc?"},
		{`0;-0;"none"`, "abc", "abc"},
		{`0;-0;0;"hidden"`, "abc", "hidden"},
		{";;;", "abc", ""},
		{"0;0;0;General!", "abc", "abc!"},
		{"yyyy;@", "", ""},
	} {
		f, ok := Compile(r.code)
		if got := string(f.AppendFormattedText(nil, []byte(r.text))); !ok || got != r.want {
			t.Errorf("%q shows %q as %q (%v), want %q", r.code, r.text, got, ok, r.want)
		}
	}
}

func TestNumberInTextFormat(t *testing.T) {
	checkShown(t, []shownCase{
		{"@", 95815, "95815"},
		{"@", -1.5, "-1.5"},
		{"@", 1234567890123, "1.23457E+12"},
		{`@" "@`, -7, "-7 -7"},
		{"_(@_)", 0, " 0 "},
	})
}

func TestKind(t *testing.T) {
	for code, want := range map[string]intray.CellKind{
		"General":                      intray.CellNumber,
		"0.00%":                        intray.CellNumber,
		`"mdy"0`:                       intray.CellNumber,
		`[Red]0`:                       intray.CellNumber,
		`[$-409]0`:                     intray.CellNumber,
		`0\h`:                          intray.CellNumber,
		";;;@":                         intray.CellNumber,
		"@":                            intray.CellText,
		`"no. "@`:                      intray.CellText,
		"m/d/yyyy":                     intray.CellDate,
		"[$-409]mmmm d, yyyy;@":        intray.CellDate,
		"mm":                           intray.CellDate,
		"e":                            intray.CellDate,
		"bbbb":                         intray.CellDate,
		"h:mm AM/PM":                   intray.CellTime,
		"mm:ss":                        intray.CellTime,
		"[mm]":                         intray.CellTime,
		"AM/PM":                        intray.CellTime,
		"[=0]?;[<4.25][hh]:mm;[hh]:mm": intray.CellTime,
		"m/d/yy h:mm":                  intray.CellDateTime,
		`yyyy\-mm\-ddThh:mm:ss.000`:    intray.CellDateTime,
	} {
		f, ok := Compile(code)
		if f.Kind() != want || !ok {
			t.Errorf("kind of %q: %d (%v), want %d", code, f.Kind(), ok, want)
		}
	}
}

// An invalid code displays numbers like General. Its kind is date or datetime if the code is an
// unsupported date format, such as "[$-411]ggge", and number otherwise.
func TestInvalidCodes(t *testing.T) {
	for code, want := range map[string]intray.CellKind{
		"0;0;0;@;0":              intray.CellNumber,
		"[Red":                   intray.CellNumber,
		"[>x]0":                  intray.CellNumber,
		"[=>1]0":                 intray.CellNumber,
		"[>NaN]0":                intray.CellNumber,
		"[>1e999]0":              intray.CellNumber,
		"0.00 EUR":               intray.CellNumber,
		"yyyy 0":                 intray.CellNumber,
		"General0":               intray.CellNumber,
		"[$-411]ggge":            intray.CellDate,
		"[$-ja-JP]e/m/d h:mm":    intray.CellDateTime,
		"[$-1030411]yyyy/m/d":    intray.CellDate,
		"[$-1080409]d/m/yyyy;@":  intray.CellDate,
		"[$-404]e/m/d;@":         intray.CellDate,
		"[$-1040404]yyyy h:mm;@": intray.CellDateTime,
	} {
		f, ok := Compile(code)
		if ok || f.Kind() != want {
			t.Errorf("Compile(%q) = kind %d, %v; want %d, false", code, f.Kind(), ok, want)
		}
		if got := string(f.AppendFormatted(nil, -1234.5, false)); got != "-1234.5" {
			t.Errorf("%q shows %q, want the text of General", code, got)
		}
	}
}

func TestOnly255CharactersCount(t *testing.T) {
	f, ok := Compile(strings.Repeat("ä", 254) + "00")
	if got, want := string(f.AppendFormatted(nil, 7, false)), strings.Repeat("ä", 254)+"7"; !ok || got != want {
		t.Errorf("displayed %q (%v), want %q", got, ok, want)
	}
}

func TestNoNumber(t *testing.T) {
	for _, code := range []string{"General", "0.00", "m/d/yyyy", "@", "# ?/?"} {
		f, _ := Compile(code)
		for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			shown := string(f.AppendFormatted(nil, v, false))
			value, kind := f.AppendValue(nil, v, false)
			if shown != "#NUM!" || string(value) != "#NUM!" || kind != intray.CellError {
				t.Errorf("%q of %v: shown %q, value %q of kind %d", code, v, shown, value, kind)
			}
		}
	}
}

// Appending does not change the content of dst, and allocates nothing if dst has enough capacity.
func TestAppendWithoutAllocation(t *testing.T) {
	dst := append(make([]byte, 0, 1024), "before"...)
	for _, code := range []string{"General", "#,##0.00_);[Red](#,##0.00)", "0.00E+00", "# ??/??", "[$-409]mmmm d, yyyy h:mm AM/PM", "@", "[h]:mm:ss.000"} {
		f, _ := Compile(code)
		allocations := testing.AllocsPerRun(10, func() {
			out := f.AppendFormatted(dst, 12345.678, false)
			out, _ = f.AppendValue(out, 12345.678, true)
			if string(out[:6]) != "before" {
				t.Errorf("%q changed the content before: %q", code, out)
			}
		})
		if allocations != 0 {
			t.Errorf("%q allocates %v times", code, allocations)
		}
	}
}

// valueCase is a test case: a code, a number and its plain value.
type valueCase struct {
	code  string
	value float64
	kind  intray.CellKind
	want  string
}

func checkValues(t *testing.T, epoch1904 bool, cases []valueCase) {
	t.Helper()
	for _, c := range cases {
		f, _ := Compile(c.code)
		got, kind := f.AppendValue([]byte("="), c.value, epoch1904)
		if string(got) != "="+c.want || kind != c.kind {
			t.Errorf("%q of %v is %q, kind %d; want %q, kind %d", c.code, c.value, got[1:], kind, c.want, c.kind)
		}
	}
}

func TestValues(t *testing.T) {
	checkValues(t, false, []valueCase{
		{"General", 0, intray.CellNumber, "0"},
		{"General", math.Copysign(0, -1), intray.CellNumber, "0"},
		{"0", -12.5, intray.CellNumber, "-12.5"},
		{"0%", 0.285, intray.CellNumber, "0.285"},
		{"0", 0.1 + 0.2, intray.CellNumber, "0.3"},
		{"0", 1234567.89, intray.CellNumber, "1234567.89"},
		{"0", 1.0 / 3, intray.CellNumber, "0.333333333333333"},
		{"0", 9007199254740993, intray.CellNumber, "9007199254740992"},
		{"0", 1234567890123456, intray.CellNumber, "1234567890123456"},
		{"0", -1e20, intray.CellNumber, "-100000000000000000000"},
		{"0", 1e21, intray.CellNumber, "1e21"},
		{"0", -1.5e300, intray.CellNumber, "-1.5e300"},
		{"0", 1e-19, intray.CellNumber, "0.0000000000000000001"},
		{"0", 1.25e-30, intray.CellNumber, "1.25e-30"},
		{"@", 95815, intray.CellNumber, "95815"},

		{"m/d/yyyy", 44196, intray.CellDate, "2020-12-31"},
		{"m/d/yyyy", 44196, intray.CellDate, "2020-12-31"},
		{"m/d/yyyy", 44196.75, intray.CellDateTime, "2020-12-31T18:00:00"},
		{"mmm yy", 44196.9999999999, intray.CellDate, "2021-01-01"},
		{"m/d/yyyy", 44195.999999999, intray.CellDate, "2020-12-31"},
		{"m/d/yyyy", 1, intray.CellDate, "1900-01-01"},
		{"m/d/yyyy", 59, intray.CellDate, "1900-02-28"},
		{"m/d/yyyy", 61, intray.CellDate, "1900-03-01"},
		{"m/d/yyyy", 2958465, intray.CellDate, "9999-12-31"},
		{"m/d/yyyy", 0, intray.CellNumber, "0"},
		{"m/d/yyyy", 0.5, intray.CellNumber, "0.5"},
		{"m/d/yyyy", 60, intray.CellNumber, "60"},
		{"m/d/yyyy", -1, intray.CellNumber, "-1"},
		{"m/d/yyyy", 2958466, intray.CellNumber, "2958466"},
		{"[$-411]ggge", 44196, intray.CellDate, "2020-12-31"},

		{"m/d/yyyy h:mm", 44196, intray.CellDateTime, "2020-12-31T00:00:00"},
		{"m/d/yyyy h:mm", 44196.75, intray.CellDateTime, "2020-12-31T18:00:00"},
		{"m/d/yyyy h:mm", 44196.1234567, intray.CellDateTime, "2020-12-31T02:57:46.659"},
		{"m/d/yyyy h:mm", 44195.9999999999, intray.CellDateTime, "2020-12-31T00:00:00"},
		{"m/d/yyyy h:mm", 0.25, intray.CellNumber, "0.25"},

		{"h:mm", 0.75, intray.CellTime, "18:00:00"},
		{"h:mm", 44196.75, intray.CellTime, "18:00:00"},
		{"h:mm:ss", 0.9999999999, intray.CellTime, "00:00:00"},
		{"mm:ss.0", 0.5 / 86400, intray.CellTime, "00:00:00.5"},
		{"mm:ss.0", 0.25 / 86400, intray.CellTime, "00:00:00.25"},
		{"[h]:mm", 1.5, intray.CellTime, "36:00:00"},
		{"[h]:mm", 0.9999999999, intray.CellTime, "24:00:00"},
		{"[h]:mm", -1.0 / 24, intray.CellTime, "-01:00:00"},
		{"h:mm", -1.5, intray.CellTime, "-36:00:00"},
		{"[h]:mm", 1e9, intray.CellNumber, "1000000000"},
	})
}

func TestValuesOfSystem1904(t *testing.T) {
	checkValues(t, true, []valueCase{
		{"m/d/yyyy", 0, intray.CellDate, "1904-01-01"},
		{"m/d/yyyy", 42734, intray.CellDate, "2020-12-31"},
		{"m/d/yyyy h:mm", 0.5, intray.CellDateTime, "1904-01-01T12:00:00"},
		{"m/d/yyyy", -1, intray.CellNumber, "-1"},
		{"m/d/yyyy", 2957004, intray.CellNumber, "2957004"},
		{"[h]:mm", 1.5, intray.CellTime, "36:00:00"},
	})
}

// Integers are returned exactly, and other numbers with 15 significant digits.
func TestValueKeepsTheNumber(t *testing.T) {
	f, _ := Compile("General")
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Float64().Draw(t, "v")
		got, _ := f.AppendValue(nil, v, false)
		back, err := strconv.ParseFloat(string(got), 64)
		if err != nil {
			t.Fatalf("%v is %s: %v", v, got, err)
		}
		want, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'e', precision-1, 64), 64)
		if v == math.Trunc(v) {
			want = v
		}
		if back != want {
			t.Fatalf("%v is %s, read back as %v, want %v", v, got, back, want)
		}
	})
}

var clockForm = regexp.MustCompile(`^-?\d{2,}:[0-5]\d:[0-5]\d(\.\d{0,2}[1-9])?$`)

// readValue parses a value and checks its format. If the value is a number, it returns
// that number.
func readValue(value string, kind intray.CellKind) (number float64, err error) {
	switch kind {
	case intray.CellNumber:
		return strconv.ParseFloat(value, 64)
	case intray.CellDate:
		_, err = time.Parse("2006-01-02", value)
	case intray.CellDateTime:
		_, err = time.Parse("2006-01-02T15:04:05.999", value)
	case intray.CellTime:
		if !clockForm.MatchString(value) {
			err = fmt.Errorf("%q is not a time", value)
		}
	case intray.CellError:
		if value != "#NUM!" {
			err = fmt.Errorf("%q is not a number error", value)
		}
	default:
		err = fmt.Errorf("kind %d", kind)
	}
	return 0, err
}
