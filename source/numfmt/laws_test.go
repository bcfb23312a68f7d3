package numfmt

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// compiled returns the format of a valid code.
func compiled(t interface{ Fatalf(string, ...any) }, code string) *Format {
	f, ok := Compile(code)
	if !ok {
		t.Fatalf("Compile(%q) failed", code)
	}
	return f
}

// Grouping only adds commas, and each group after the first has three digits.
func TestLawOfThousands(t *testing.T) {
	grouped, plain := compiled(t, "#,##0.00"), compiled(t, "0.00")
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Float64Range(-1e18, 1e18).Draw(t, "v")
		with, without := string(grouped.AppendFormatted(nil, v, false)), string(plain.AppendFormatted(nil, v, false))
		if strings.ReplaceAll(with, ",", "") != without {
			t.Fatalf("%v is %s with commas, %s without", v, with, without)
		}
		groups := strings.Split(strings.TrimPrefix(with[:len(with)-3], "-"), ",")
		for i, g := range groups {
			if len(g) != 3 && (i > 0 || len(g) > 3 || len(g) == 0) {
				t.Fatalf("%v is %s", v, with)
			}
		}
	})
}

// A negative number is displayed as a minus sign and its absolute value, or like zero if it is
// rounded to zero.
func TestLawOfTheMinus(t *testing.T) {
	codes := []string{"General", "0.00", "#,##0", "0.0%", "0.00E+00", "# ??/??", `"x"0`, "#.#"}
	rapid.Check(t, func(t *rapid.T) {
		f := compiled(t, rapid.SampledFrom(codes).Draw(t, "code"))
		v := rapid.Float64Range(1e-20, 1e20).Draw(t, "v")
		plus, minus := f.AppendFormatted(nil, v, false), f.AppendFormatted(nil, -v, false)
		if string(plus) == string(minus) && !strings.ContainsAny(string(plus), "123456789") {
			return
		}
		if "-"+string(plus) != string(minus) {
			t.Fatalf("%v shows as %s, its opposite as %s", v, plus, minus)
		}
	})
}

// The digits before the point of the mantissa fit the placeholders, and the exponent is
// a multiple of the number of these placeholders.
func TestLawOfTheExponent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		places := rapid.IntRange(1, 5).Draw(t, "places")
		v := rapid.Float64Range(1e-90, 1e90).Draw(t, "v")
		f := compiled(t, strings.Repeat("#", places-1)+"0.0000E+0")
		got := string(f.AppendFormatted(nil, v, false))
		var mantissa float64
		var exponent int
		if _, err := fmt.Sscanf(strings.Replace(got, "E", " ", 1), "%f %d", &mantissa, &exponent); err != nil {
			t.Fatalf("%v shows as %s: %v", v, got, err)
		}
		if mantissa < 1 || mantissa >= math.Pow10(places) || exponent%places != 0 {
			t.Fatalf("%v shows as %s with %d places", v, got, places)
		}
		if off := math.Abs(mantissa*math.Pow10(exponent)/v - 1); off > 1e-4 {
			t.Fatalf("%v shows as %s", v, got)
		}
	})
}

// A fraction is in lowest terms, and its error is within the bound for convergents:
// 1/(denominator × limit).
func TestLawOfFractions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := math.Pow10(rapid.IntRange(1, 6).Draw(t, "places")) - 1
		x := rapid.Float64Range(0, 1).Draw(t, "x")
		above, below := bestConvergent(x, limit)
		if below < 1 || below > limit {
			t.Fatalf("%v is %v/%v", x, above, below)
		}
		if off := math.Abs(x - above/below); off > 1/(below*limit)+1e-9 {
			t.Fatalf("%v is %v/%v, off by %v", x, above, below, off)
		}
		for a, b := above, below; ; a, b = b, math.Mod(a, b) {
			if b == 0 {
				if a != 1 {
					t.Fatalf("%v is %v/%v, not in lowest terms", x, above, below)
				}
				break
			}
		}
	})
}

// A serial with a whole number of milliseconds is displayed and returned exactly.
func TestLawOfMoments(t *testing.T) {
	f := compiled(t, `yyyy\-mm\-dd\Thh:mm:ss.000`)
	start := time.Date(1900, 3, 1, 0, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		day := rapid.IntRange(0, 73000).Draw(t, "day") // up to 2100, because later serials are less exact
		millis := rapid.IntRange(0, dayMillis-1).Draw(t, "millis")
		v := float64(61+day) + float64(millis)/dayMillis
		moment := start.AddDate(0, 0, day).Add(time.Duration(millis) * time.Millisecond)

		want := moment.Format("2006-01-02T15:04:05.000")
		if got := string(f.AppendFormatted(nil, v, false)); got != want {
			t.Fatalf("serial %v shows as %s, want %s", v, got, want)
		}
		want = moment.Format("2006-01-02T15:04:05.999")
		if got, _ := f.AppendValue(nil, v, false); string(got) != want {
			t.Fatalf("value of serial %v: %s, want %s", v, got, want)
		}
		if got, _ := f.AppendValue(nil, v-epoch1904Offset, true); v >= epoch1904Offset && string(got) != want {
			t.Fatalf("value of serial %v from 1904: %s, want %s", v-epoch1904Offset, got, want)
		}
	})
}

// The hours, minutes and seconds of a duration add up to it.
func TestLawOfLengths(t *testing.T) {
	f := compiled(t, "[h]:mm:ss")
	rapid.Check(t, func(t *rapid.T) {
		seconds := rapid.IntRange(0, 100000000).Draw(t, "seconds")
		v := float64(seconds) / 86400
		want := fmt.Sprintf("%d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
		if got := string(f.AppendFormatted(nil, v, false)); got != want {
			t.Fatalf("%d seconds show as %s, want %s", seconds, got, want)
		}
		want = fmt.Sprintf("%02d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
		if got, _ := f.AppendValue(nil, v, false); string(got) != want {
			t.Fatalf("value of %d seconds: %s, want %s", seconds, got, want)
		}
	})
}

// A literal can display any text.
func TestLawOfLiterals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.ReplaceAll(rapid.StringN(0, 100, 400).Draw(t, "text"), `"`, "")
		f := compiled(t, `"`+text+`"0`)
		if got := string(f.AppendFormatted(nil, 7, false)); got != text+"7" {
			t.Fatalf("%q shows as %q", text, got)
		}
	})
}

// A format is safe for concurrent use. The race detector checks this.
func TestManyGoroutines(t *testing.T) {
	codes := []string{"General", "#,##0.00", "[$-407]d. mmmm yyyy h:mm", "# ?/?", "0.0E+0", "[>5]0;[<2]0.0", "@"}
	formats := make([]*Format, len(codes))
	want := make([]string, len(codes))
	for i, code := range codes {
		formats[i] = compiled(t, code)
		want[i] = string(formats[i].AppendFormatted(nil, 12345.5, false))
	}
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for n := range 200 {
				i := n % len(codes)
				if got := string(formats[i].AppendFormatted(nil, 12345.5, false)); got != want[i] {
					t.Errorf("%q shows %q, want %q", codes[i], got, want[i])
				}
			}
		})
	}
	wait.Wait()
}
