package number

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// numbers generates decimal numbers of all sizes.
func numbers() *rapid.Generator[string] {
	return rapid.StringMatching(`-?(0|[0-9]{1,30})(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,2})?`)
}

func rat(t *rapid.T, text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("%q is not a number", text)
	}
	return r
}

func canonical(t *rapid.T, text string) string {
	out, ok := Canonical(nil, []byte(text))
	if !ok {
		t.Fatalf("%q is refused", text)
	}
	return string(out)
}

func TestCanonicalKeepsTheValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := numbers().Draw(t, "number")
		out := canonical(t, text)
		if rat(t, out).Cmp(rat(t, text)) != 0 {
			t.Fatalf("%s is %s", text, out)
		}
		if again := canonical(t, out); again != out {
			t.Fatalf("%s is %s, and that is %s", text, out, again)
		}
		if read, r := english.Append(nil, []byte(out)); string(read) != out || r != (Reading{}) {
			t.Fatalf("%s is read as %s (%s)", out, read, r.Reason.Code())
		}
	})
}

// TestEqualValuesHaveEqualTexts checks that different notations of a number
// have the same canonical form.
func TestEqualValuesHaveEqualTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		digits := rapid.StringMatching(`[0-9]{1,60}`).Draw(t, "digits")
		exponent := rapid.IntRange(-120, 120).Draw(t, "exponent")
		want := canonical(t, fmt.Sprintf("%se%d", digits, exponent))
		zeros := rapid.IntRange(0, 50).Draw(t, "zeros")
		for _, other := range []string{
			fmt.Sprintf("0%s%se%d", digits, strings.Repeat("0", zeros), exponent-zeros),
			fmt.Sprintf("0.%se%d", digits, exponent+len(digits)),
			rat(t, fmt.Sprintf("%se%d", digits, exponent)).FloatString(200),
		} {
			if got := canonical(t, other); got != want {
				t.Fatalf("%s is %s, want %s", other, got, want)
			}
		}
	})
}

func TestCanonicalRefuses(t *testing.T) {
	for _, text := range []string{"", "-", "+", ".", "e5", "1e", "1e+", "1.2.3", "1,5", "NaN", "1 ", "0x1", "--1", "1e5x", "1e401", "1e-401", strings.Repeat("9", 401)} {
		if out, ok := Canonical([]byte("x"), []byte(text)); ok || string(out) != "x" {
			t.Errorf("%q is read as %q", text, out)
		}
	}
	for text, want := range map[string]string{"+5": "5", "5.": "5", ".5": "0.5", "-.50e1": "-5", "1E+2": "100"} {
		if out, ok := Canonical(nil, []byte(text)); !ok || string(out) != want {
			t.Errorf("%q is %q, want %s", text, out, want)
		}
	}
}

// TestRoundAgainstBig compares Round with rounding by package big.
func TestRoundAgainstBig(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := numbers().Draw(t, "number")
		places := rapid.IntRange(-35, 35).Draw(t, "places")
		scale := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(places, -places))), nil))
		if places < 0 {
			scale.Inv(scale)
		}
		// Halves are rounded away from zero: add a half, then truncate.
		scaled := new(big.Rat).Mul(rat(t, text), scale)
		half := big.NewRat(int64(scaled.Sign()), 2)
		scaled.Add(scaled, half)
		want := new(big.Rat).SetInt(new(big.Int).Quo(scaled.Num(), scaled.Denom()))
		want.Quo(want, scale)
		got := string(Round(nil, []byte(text), places))
		if rat(t, got).Cmp(want) != 0 || canonical(t, got) != got {
			t.Fatalf("%s to %d places is %s, want %s", text, places, got, want.RatString())
		}
	})
}

func TestRound(t *testing.T) {
	for _, c := range []struct {
		number string
		places int
		want   string
	}{
		{"8888.888", 2, "8888.89"}, {"8888.888", 1, "8888.9"}, {"8888.888", 0, "8889"}, {"8888.888", -1, "8890"}, {"8888.888", -2, "8900"}, {"8888.888", -4, "10000"}, {"8888.888", -5, "0"},
		{"1.005", 2, "1.01"}, {"-1.005", 2, "-1.01"}, {"2.5", 0, "3"}, {"-2.5", 0, "-3"}, {"-0.4", 0, "0"}, {"0.5", 0, "1"}, {"-0.5", 0, "-1"}, {"49", -2, "0"}, {"50", -2, "100"}, {"999.995", 2, "1000"},
		{"1.1", 5, "1.1"}, {"1.50", 5, "1.5"}, {"1e300", -299, "1e300"}, {"5", 1 << 62, "5"}, {"5", -1 << 62, "0"}, {"abc", 2, "abc"}, {"", 2, ""},
	} {
		if got := string(Round([]byte("x"), []byte(c.number), c.places)); got != "x"+c.want {
			t.Errorf("%s to %d places is %s, want %s", c.number, c.places, got[1:], c.want)
		}
	}
}

func TestCompareAgainstBig(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := numbers().Draw(t, "a"), numbers().Draw(t, "b")
		if rapid.Bool().Draw(t, "near") {
			b = strings.TrimRight(a[:max(len(a)-1, 1)], "eE+-.")
		}
		if _, ok := new(big.Rat).SetString(b); !ok {
			b = "0"
		}
		if got, want := compareTexts([]byte(a), []byte(b)), rat(t, a).Cmp(rat(t, b)); got != want {
			t.Fatalf("%s and %s: %d, want %d", a, b, got, want)
		}
	})
}

func TestCompareAgainstFloats(t *testing.T) {
	values := []float64{0, 1, -1, 0.1, -0.1, 1e300, -1e300, 5e-324, 123456.789, 123456.78900000001, 9.99, 10}
	for _, a := range values {
		for _, b := range values {
			want := 0
			if a < b {
				want = -1
			} else if a > b {
				want = 1
			}
			x, y := strconv.FormatFloat(a, 'g', -1, 64), strconv.FormatFloat(b, 'g', -1, 64)
			if got := compareTexts([]byte(x), []byte(y)); got != want {
				t.Errorf("%s and %s: %d, want %d", x, y, got, want)
			}
		}
	}
}

func FuzzCanonical(f *testing.F) {
	for _, text := range []string{"1.50", "-0", "1e5", "1e-400", "00.10e-3", "12x", "+.5e+1"} {
		f.Add([]byte(text), 2)
	}
	f.Fuzz(func(t *testing.T, text []byte, places int) {
		before := string(text)
		out, ok := Canonical(nil, text)
		if string(text) != before || !ok && len(out) > 0 {
			t.Fatalf("%q: %q", before, out)
		}
		if !ok {
			return
		}
		want, known := new(big.Rat).SetString(before)
		got, fine := new(big.Rat).SetString(string(out))
		if !fine || known && got.Cmp(want) != 0 {
			t.Fatalf("%q is %q", before, out)
		}
		rounded := Round(nil, out, places)
		if once := Round(nil, rounded, places); string(once) != string(rounded) || compareTexts(once, rounded) != 0 {
			t.Fatalf("%s rounds to %s, and that to %s", out, rounded, once)
		}
	})
}

// compareTexts compares two numbers by their exact values.
func compareTexts(a, b []byte) int {
	x, _ := parse(a, nil)
	y, _ := parse(b, nil)
	return x.compare(y)
}
