package numfmt

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestPlaces(t *testing.T) {
	checkShown(t, []shownCase{
		{"0", 0, "0"},
		{"0", 1234.5, "1235"},
		{"#", 0, ""},
		{"#.##", 0, "."},
		{"#.##", 0.5, ".5"},
		{"0.##", 12, "12."},
		{"0.0#", 12.345, "12.35"},
		{"0.0#", 12, "12.0"},
		{"0.??", 1.5, "1.5 "},
		{"???", 7, "  7"},
		{"???", 12345, "12345"},
		{"00000", 42, "00042"},
		{"0.#0#", 1, "1.0"},
		{"#0#", 5, "05"},
		{".00", 3.14159, "3.14"},
		{".00", 0.5, ".50"},
		{"00.00.00", 1.2345, "01.23.45"},
		{"0.00", 1e20, "100000000000000000000.00"},
		{"0", 123456789012345678, "123456789012346000"},
	})
}

func TestLiteralsAmongDigits(t *testing.T) {
	checkShown(t, []shownCase{
		{"000-00-0000", 123456789, "123-45-6789"},
		{`00000\-0000`, 941051630, "94105-1630"},
		{"(000) 000", 12, "(000) 012"},
		{`"This is a ".00"test"000`, -3.14159, "-This is a 3.14test159"},
		{`"a;b"0`, 1, "a;b1"},
		{`"open 0`, 1, "open 0"},
		{`\#0`, 3, "#3"},
		{`0\`, 3, "3"},
		{`"Rs."#,##0`, -1234567, "-Rs.1,234,567"},
		{"0 €", 3, "3 €"},
		{"0.0 °", 3, "3.0 °"},
		{"123", 0.7, "123"},
	})
}

func TestPaddingAndFill(t *testing.T) {
	accounting := Builtin(44)
	checkShown(t, []shownCase{
		{"0_)", 5, "5 "},
		{"0_", 5, "5 "},
		{"_-0_€_-", 5, " 5  "},
		{"* 0", 5, "5"},
		{"0*", 5, "5"},
		{"** 0*ü", 5, " 5"},
		{accounting, 1234.5, " $1,234.50 "},
		{accounting, -1234.5, " $(1,234.50)"},
		{accounting, 0, " $-   "},
		{Builtin(41), 0, " - "},
		{Builtin(43), -0.001, " (0.00)"},
	})
}

func TestThousands(t *testing.T) {
	checkShown(t, []shownCase{
		{"#,##0", 1234567, "1,234,567"},
		{"#,##0", 999, "999"},
		{"#,###", 0, ""},
		{"##,##", 12345.6, "12,346"},
		{"0000,000", 12, "0,000,012"},
		{"?,???", 12, "   12"},
		{"#,##0.00", 999999.999, "1,000,000.00"},
		{"0,", 12345, "12"},
		{"0.0,,", 12345678, "12.3"},
		{"#.0000,,,", 1234567890, "1.2346"},
		{"00,000.00,", 12345, "00,012.35"},
		{"** #,###,#00,000.00,**", 1.2345, " 00,000.00"},
		{"** #,###,#00,000.00,**", 1234567.89, " 01,234.57"},
		{",0", 12, ",12"},
		{`0" "#,##0`, 1234, "0 1,234"},
	})
}

// The minus sign that the package adds disappears with the digits. Literals remain, and so does
// the section that the stored number chooses.
func TestNegativeZero(t *testing.T) {
	checkShown(t, []shownCase{
		{"0.00", -0.001, "0.00"},
		{"0.00", -0.005, "-0.01"},
		{"0.000", -1.83772268236293e-16, "0.000"},
		{"#,##0", -0.4, "0"},
		{"#.##", -0.001, "."},
		{"0%", -0.004, "0%"},
		{"0,", -499, "0"},
		{"0.00E+00", -0.001, "-1.00E-03"},
		{"# ?/?", -0.01, "0    "},
		{"# ?/?", -0.3333333, "- 1/3"},
		{"?/?", -0.01, "0/1"},
		{"General", -0.001, "-0.001"},
		{`"x"`, -0.3, "-x"},
		{"0.00;-0.00", -0.001, "-0.00"},
		{"$#,##0.00_);($#,##0.00)", -3.3e-8, "($0.00)"},
		{"0.00;-0.00;\"none\"", -0.001, "-0.00"},
		{"0.00;-0.00;\"none\"", 0, "none"},
		{"[<5]0.00;0.0", -0.001, "0.00"},
	})
}

func TestPercent(t *testing.T) {
	checkShown(t, []shownCase{
		{"0%", 0.285, "29%"},
		{"0.00%", 0.12345, "12.35%"},
		{"0%%", 0.5, "5000%%"},
		{"%0", 0.5, "%50"},
		{"0%", -0.001, "0%"},
		{"# ?/?%", 0.005, " 1/2%"},
	})
}

// Rounding is decimal: 1.005 rounds up, although its binary value is less than 1.005.
func TestRounding(t *testing.T) {
	checkShown(t, []shownCase{
		{"0.00", 1.005, "1.01"},
		{"0.00", 2.675, "2.68"},
		{"0.00", -2.675, "-2.68"},
		{"0.0", 0.25, "0.3"},
		{"0", 0.5, "1"},
		{"0", 2.5, "3"},
		{"0.00", 0.005, "0.01"},
		{"0.00", 0.0049999, "0.00"},
		{"0.000", 9.9996, "10.000"},
		{"0.0000", 1.0999999999999999, "1.1000"},
		{"0.000000000000000", 347.99232604148267, "347.992326041483000"},
		{"0", 1e-300, "0"},
	})
}

func TestScientific(t *testing.T) {
	checkShown(t, []shownCase{
		{"0.00E+00", 12345.678, "1.23E+04"},
		{"0.00E+00", -0.00012, "-1.20E-04"},
		{"0.00E+00", 0, "0.00E+00"},
		{"0.00E-00", 12345, "1.23E04"},
		{"0.00e+0", 1e100, "1.00E+100"},
		{"0.00E+00", 999999, "1.00E+06"},
		{"##0.0E+0", 12345, "12.3E+3"},
		{"##0.0E+0", 999999, "1.0E+6"},
		{"##0.0E+0", 0.000123456, "123.5E-6"},
		{"#0.0E+0", 1.23457e-13, "12.3E-14"},
		{"####0.0E+0", 1.23457e-11, "12345.7E-15"},
		{".00E+0", 12345, ".12E+5"},
		{".00E+0", 0.999999, ".10E+1"},
		{"0E+0", 1500, "2E+3"},
		{"E+", 5, "E+"},
		{"0E+", 5, "5E+"},
		{`0.0E+0"x"E+0`, 5, "5.0E+0xE+0"},
	})
}

func TestFractions(t *testing.T) {
	checkShown(t, []shownCase{
		{"# ?/?", 0.5, " 1/2"},
		{"# ?/?", 123.456789, "123 1/2"},
		{"# ??/??", 12345.6789, "12345 55/81"},
		{"# ??/??", 1234567.89, "1234567  8/9 "},
		{"# ??/??", 5, "5      "},
		{"# ?/?", 0, "0    "},
		{"# ?/?", 0.9999, "1    "},
		{"# ?/?", -2.25, "-2 1/4"},
		{"0 0/0", 0.25, "0 1/4"},
		{"#,##0 ?/?", 1234.5, "1,234 1/2"},
		{"?/?", 2.5, "5/2"},
		{"??/??", 0.00001, " 0/1 "},
		{"#0#00??/??", 12.3456789, "01000/81"},
		{"# ?/16", 2.5, "2 8/16"},
		{"# ??/100", 2.256, "2 26/100"},
		{"# ?/4", 2.999, "3    "},
		{"# #/#", 2, "2  "},
		{"# 00/00", 2.25, "2 01/04"},
		{`#" and "?/?" in"`, 2.75, "2 and 3/4 in"},
		{"0/8", 2.75, "22/8"},
		{"0/", 5, "5/"},
		{"/0", 5, "/5"},
		{"0 / 8", 3, "3 / 8"},
		{"# ?/?", 1e300, "1" + strings.Repeat("0", 300) + "    "},
		{"?/?", 1e18, "1" + strings.Repeat("0", 18) + "/1"},
		{"?/? %", 1e308, "1797693134862320" + strings.Repeat("0", 293) + "/1 %"},
	})
}

func TestGeneral(t *testing.T) {
	checkShown(t, []shownCase{
		{"General", 0, "0"},
		{"General", -0.5, "-0.5"},
		{"General", 1234567.891234, "1234567.891"},
		{"General", 123456789.12, "123456789.1"},
		{"General", 12345678912.3, "12345678912"},
		{"General", 99999999999, "99999999999"},
		{"General", 99999999999.9, "1E+11"},
		{"General", 123456789012, "1.23457E+11"},
		{"General", 1e11, "1E+11"},
		{"General", 0.1234567891, "0.123456789"},
		{"General", 0.00012345678, "0.000123457"},
		{"General", 0.000012345678, "1.23457E-05"},
		{"General", 0.000012345, "0.000012345"},
		{"General", 0.000000001, "0.000000001"},
		{"General", 1e-10, "1E-10"},
		{"General", 1.2e-9, "1.2E-09"},
		{"General", 1.0000000000166668e-05, "1E-05"},
		{"General", -2.45029690981724e-16, "-2.4503E-16"},
		{"General", 0.9999999999, "1"},
		{"General", 1.7976931348623157e308, "1.7977E+308"},
		{"General", 5e-324, "4.9407E-324"},
		{"General", 0.1 + 0.2, "0.3"},
	})
}

// Decimals match exact arithmetic with 15 digits.
func TestDecimalsAgreeWithArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Float64Range(0, 1e9).Draw(t, "v")
		places := rapid.IntRange(1, 6).Draw(t, "places")
		f, _ := Compile("0." + strings.Repeat("0", places))
		got := string(f.AppendFormatted(nil, v, false))

		exact, _ := new(big.Rat).SetString(strconv.FormatFloat(v, 'e', precision-1, 64))
		if want := exact.FloatString(places); got != want { // rounds half away from zero
			t.Fatalf("%v with %d decimals is %s, want %s", v, places, got, want)
		}
	})
}

// General displays at most 11 characters, not counting a minus sign, and they represent a number
// close to the value.
func TestGeneralIsShortAndNear(t *testing.T) {
	f, _ := Compile("General")
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Float64Range(-1e300, 1e300).Draw(t, "v")
		got := string(f.AppendFormatted(nil, v, false))
		if n := len(strings.TrimPrefix(got, "-")); n > 11 {
			t.Fatalf("%v shows as %s, %d characters", v, got, n)
		}
		back, err := strconv.ParseFloat(got, 64)
		if err != nil {
			t.Fatalf("%v shows as %s: %v", v, got, err)
		}
		if off := math.Abs(back - v); off > 1e-4*math.Abs(v) && off > 1e-9 {
			t.Fatalf("%v shows as %s", v, got)
		}
	})
}

func TestDecimalSet(t *testing.T) {
	for _, r := range []struct {
		value  float64
		digits string
		point  int
	}{
		{0, "", 0},
		{1, "1", 1},
		{10, "1", 2},
		{1200, "12", 4},
		{0.5, "5", 0},
		{0.05, "5", -1},
		{123.456, "123456", 3},
		{0.1 + 0.2, "3", 0},
		{999999999999999, "999999999999999", 15},
		{1e15, "1", 16},
		{9999999999999999, "1", 17},
		{1234567890123456, "123456789012346", 16},
		{1e23, "1", 24},
		{math.MaxFloat64, "179769313486232", 309},
		{math.SmallestNonzeroFloat64, "494065645841247", -323},
	} {
		var d decimal
		d.set(r.value)
		if string(d.digits[:d.n]) != r.digits || d.point != r.point {
			t.Errorf("%v: 0.%s with the point at %d, want 0.%s at %d", r.value, d.digits[:d.n], d.point, r.digits, r.point)
		}
	}
}

func TestDecimalRound(t *testing.T) {
	for _, r := range []struct {
		value    float64
		decimals int
		want     string
	}{
		{1.25, 1, "1.3"},
		{1.25, 2, "1.25"},
		{1.25, 9, "1.25"},
		{1.24, 1, "1.2"},
		{1.96, 1, "2"},
		{9.96, 1, "10"},
		{99.5, 0, "100"},
		{0.5, 0, "1"},
		{0.4, 0, "0"},
		{0.04, 0, "0"},
		{0.05, 1, "0.1"},
		{0.005, 1, "0"},
		{150, -2, "200"},
		{149, -2, "100"},
		{49, -2, "0"},
		{0, 3, "0"},
		{1e-300, 3, "0"},
		{1e21, 3, "1000000000000000000000"},
	} {
		var d decimal
		d.set(r.value)
		d.round(r.decimals)
		if got := string(d.appendFixed(nil)); got != r.want {
			t.Errorf("%v with %d decimals is %s, want %s", r.value, r.decimals, got, r.want)
		}
	}
}

// A decimal that rounds to zero has no digits, and its point is 0.
func TestDecimalNothing(t *testing.T) {
	for _, v := range []float64{0, 0.001, 1e-9} {
		var d decimal
		d.set(v)
		d.round(1)
		if d.n != 0 || d.point != 0 || d.integerDigits() != 0 {
			t.Errorf("%v rounded to zero: %d digits, point %d", v, d.n, d.point)
		}
	}
}

// The format General is checked at many powers of ten, with one, five and twelve digits.
func TestGeneralByPower(t *testing.T) {
	for _, r := range []struct {
		exponent           int
		one, five, tenPlus string
	}{
		{-12, "1E-12", "1.2345E-12", "1.23457E-12"},
		{-10, "1E-10", "1.2345E-10", "1.23457E-10"},
		{-9, "0.000000001", "1.2345E-09", "1.23457E-09"},
		{-8, "0.00000001", "1.2345E-08", "1.23457E-08"},
		{-7, "0.0000001", "1.2345E-07", "1.23457E-07"},
		{-6, "0.000001", "1.2345E-06", "1.23457E-06"},
		{-5, "0.00001", "0.000012345", "1.23457E-05"},
		{-4, "0.0001", "0.00012345", "0.000123457"},
		{-3, "0.001", "0.0012345", "0.001234568"},
		{-2, "0.01", "0.012345", "0.012345679"},
		{-1, "0.1", "0.12345", "0.123456789"},
		{0, "1", "1.2345", "1.234567891"},
		{1, "10", "12.345", "12.34567891"},
		{2, "100", "123.45", "123.4567891"},
		{3, "1000", "1234.5", "1234.567891"},
		{4, "10000", "12345", "12345.67891"},
		{5, "100000", "123450", "123456.7891"},
		{6, "1000000", "1234500", "1234567.891"},
		{7, "10000000", "12345000", "12345678.91"},
		{8, "100000000", "123450000", "123456789.1"},
		{9, "1000000000", "1234500000", "1234567891"},
		{10, "10000000000", "12345000000", "12345678912"},
		{11, "1E+11", "1.2345E+11", "1.23457E+11"},
		{12, "1E+12", "1.2345E+12", "1.23457E+12"},
		{99, "1E+99", "1.2345E+99", "1.23457E+99"},
		{100, "1E+100", "1.2345E+100", "1.2346E+100"},
	} {
		for i, want := range []string{r.one, r.five, r.tenPlus} {
			d := decimal{n: []int{1, 5, 12}[i], point: r.exponent + 1}
			copy(d.digits[:], "123456789123")
			if i == 1 {
				copy(d.digits[:], "12345")
			}
			if got := string(appendGeneral(nil, &d)); got != want {
				t.Errorf("General at 1E%d with %d digits is %s, want %s", r.exponent, []int{1, 5, 12}[i], got, want)
			}
		}
	}
}

// TestSetAmounts compares the short ways to find digits, for whole numbers and amounts, with the general one.
func TestSetAmounts(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v := rapid.OneOf(
			rapid.Map(rapid.Uint64Range(0, 1e15), func(cents uint64) float64 { return float64(cents) / 100 }),
			rapid.Map(rapid.Uint64Range(0, 1e6), func(mills uint64) float64 { return float64(mills) / 1000 }),
			rapid.Map(rapid.Uint64Range(0, 1e15), func(cents uint64) float64 { return math.Nextafter(float64(cents)/100, 0) }),
			rapid.Map(rapid.Uint64Range(0, 1e16), func(n uint64) float64 { return float64(n) }),
			rapid.Float64Range(0, 1e16),
		).Draw(rt, "number")
		var got, want decimal
		got.set(v)
		want.setFloat(v)
		if string(got.digits[:got.n]) != string(want.digits[:want.n]) || got.n > 0 && got.point != want.point {
			rt.Fatalf("%v has the digits %s and the point at %d, want %s and %d", v, got.digits[:got.n], got.point, want.digits[:want.n], want.point)
		}
	})
}

// TestWholeNumbers formats whole numbers as AppendFloat does.
func TestWholeNumbers(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v := math.Trunc(rapid.OneOf(rapid.Float64Range(-1e6, 1e6), rapid.Float64Range(-1e17, 1e17)).Draw(rt, "number"))
		if got, want := string(appendPlain(nil, v)), strconv.FormatFloat(v+0, 'f', -1, 64); got != want {
			rt.Fatalf("%s, want %s", got, want)
		}
	})
	for _, v := range []float64{math.Copysign(0, -1), 1<<53 - 1, 1 << 53, 1<<53 + 2, -1 << 53} {
		if got, want := string(appendPlain(nil, v)), strconv.FormatFloat(v+0, 'f', -1, 64); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
