package numfmt

import (
	"math"
	"strings"
	"testing"

	"github.com/intraydata/intray"
)

// shows is a row of a table: what a code displays for a number.
type shows struct {
	code  string
	value float64
	want  string
}

func checkShown(t *testing.T, rows []shows) {
	t.Helper()
	for _, r := range rows {
		f, ok := Compile(r.code)
		if !ok {
			t.Errorf("Compile(%q) is not ok", r.code)
		}
		if got := string(f.AppendShown(nil, r.value, false)); got != r.want {
			t.Errorf("%q shows %v as %q, want %q", r.code, r.value, got, r.want)
		}
	}
}

func TestSections(t *testing.T) {
	checkShown(t, []shows{
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

// The third group is the example of Microsoft's article Q67469.
func TestConditions(t *testing.T) {
	checkShown(t, []shows{
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
		{"[ >= 100 ]0.0", 5, "5.0"}, // a bracket that begins with nothing known is left out
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
		if got := string(f.AppendShownText(nil, []byte(r.text))); !ok || got != r.want {
			t.Errorf("%q shows %q as %q (%v), want %q", r.code, r.text, got, ok, r.want)
		}
	}
}

func TestNumberInTextFormat(t *testing.T) {
	checkShown(t, []shows{
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
			t.Errorf("Kind of %q is %d (%v), want %d", code, f.Kind(), ok, want)
		}
	}
}

// What cannot be read is General, and never a date by accident.
func TestUnreadable(t *testing.T) {
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
		if got := string(f.AppendShown(nil, -1234.5, false)); got != "-1234.5" {
			t.Errorf("%q shows %q, want it as General", code, got)
		}
	}
}

func TestOnly255CharactersCount(t *testing.T) {
	f, ok := Compile(strings.Repeat("ä", 254) + "00")
	if got, want := string(f.AppendShown(nil, 7, false)), strings.Repeat("ä", 254)+"7"; !ok || got != want {
		t.Errorf("shows %q (%v), want %q", got, ok, want)
	}
}

func TestNoNumber(t *testing.T) {
	for _, code := range []string{"General", "0.00", "m/d/yyyy", "@", "# ?/?"} {
		f, _ := Compile(code)
		for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			shown := string(f.AppendShown(nil, v, false))
			value, kind := f.AppendValue(nil, v, false)
			if shown != "#NUM!" || string(value) != "#NUM!" || kind != intray.CellError {
				t.Errorf("%q of %v: shown %q, value %q of kind %d", code, v, shown, value, kind)
			}
		}
	}
}

// Nothing is taken from dst, and nothing is allocated where it has room.
func TestAppendWithoutAllocation(t *testing.T) {
	dst := append(make([]byte, 0, 1024), "before"...)
	for _, code := range []string{"General", "#,##0.00_);[Red](#,##0.00)", "0.00E+00", "# ??/??", "[$-409]mmmm d, yyyy h:mm AM/PM", "@", "[h]:mm:ss.000"} {
		f, _ := Compile(code)
		allocations := testing.AllocsPerRun(10, func() {
			out := f.AppendShown(dst, 12345.678, false)
			out, _ = f.AppendValue(out, 12345.678, true)
			if string(out[:6]) != "before" {
				t.Errorf("%q changed what stood before: %q", code, out)
			}
		})
		if allocations != 0 {
			t.Errorf("%q allocates %v times", code, allocations)
		}
	}
}
