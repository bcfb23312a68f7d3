package output

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
)

func TestDoubles(t *testing.T) {
	for text, held := range map[string]bool{
		"0": true, "-0.5": true, "0.1": true, "123456789012345": true, "-12345.6789": true, "1e-300": true, "1.5E+10": true,
		"9007199254740992": true, "9007199254740993": false, "1234567890123456": true, "0.1000000000000000055": false,
		"12345678901234567890": false, "1e400": false, "0.000000000000000000000000000000000001": true, "5e-324": true, "1e-400": false,
		"100000000000000000000": true, "0.30000000000000004": true, "0.0": true,
	} {
		x, ok := parseDouble([]byte(text))
		if want, err := strconv.ParseFloat(text, 64); ok != held || ok && (err != nil || x != want) {
			t.Errorf("%s is %v, held %v", text, x, ok)
		}
	}
}

func parseRat(t *rapid.T, text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("%q is not a number", text)
	}
	return r
}

func drawNumber(t *rapid.T) string {
	return rapid.StringMatching(`-?(0|[1-9][0-9]{0,18})(\.[0-9]{1,18})?(e-?[0-9]{1,2})?`).Draw(t, "number")
}

// TestDoublesLoseNoDigit checks, with exact arithmetic, that the shortest decimal form of an
// accepted double equals the number, and that numbers of up to 15 digits are always accepted.
func TestDoublesLoseNoDigit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := drawNumber(t)
		x, ok := parseDouble([]byte(text))
		back := parseRat(t, strconv.FormatFloat(x, 'g', -1, 64))
		if ok && back.Cmp(parseRat(t, text)) != 0 {
			t.Fatalf("%s is parsed as %s", text, back.RatString())
		}
		digits, _ := significantDigits([]byte(text))
		if !ok && len(digits) <= 15 {
			t.Fatalf("%s is rejected", text)
		}
	})
}

// TestNumbersAreStrict checks that texts that are not JSON numbers are rejected.
func TestNumbersAreStrict(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(rapid.StringOfN(rapid.SampledFrom([]rune("-.0019e+ ")), 0, 18, -1).Draw(t, "text"))
		_, _, isPlain := parsePlainNumber(text)
		_, isDouble := parseDouble(text)
		_, isDecimal := parseDecimal(text, 2)
		if (isPlain || isDouble || isDecimal) && !isNumber(text) {
			t.Fatalf("%q is not a number; plain %v, double %v, decimal %v", text, isPlain, isDouble, isDecimal)
		}
	})
}

func TestDecimalsLoseNoDigit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := drawNumber(t)
		places := rapid.IntRange(0, maxInt64Digits).Draw(t, "places")
		n, ok := parseDecimal([]byte(text), places)
		ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)
		want := parseRat(t, text)
		want.Mul(want, new(big.Rat).SetInt(ten))
		fits := want.IsInt() && len(strings.TrimPrefix(want.Num().String(), "-")) <= maxInt64Digits
		if ok != fits || ok && want.Num().Int64() != n {
			t.Fatalf("%s with %d places is %d, taken %v; want %s, %v", text, places, n, ok, want.RatString(), fits)
		}
	})
}

// TestPlacesAreThoseOfTheType checks that decimalPlaces agrees with how the type rounds
// numbers, for each option that affects rounding.
func TestPlacesAreThoseOfTheType(t *testing.T) {
	var all []map[string]any
	for _, preset := range []string{"default", "plain", "integer", "percent", "usd", "usd_accounting", "eur", "gbp", "decimal_0", "decimal_3", "decimal_4", "percent_0", "percent_2"} {
		all = append(all, map[string]any{"preset": preset}, map[string]any{"preset": preset, "round": 1.0})
	}
	for _, round := range []any{0, 3, json.Number("5"), 17.0, -2} {
		all = append(all, map[string]any{"round": round})
	}
	const raw = "16.1234567890123456789"
	for _, options := range append(all, nil) {
		parser, err := celltype.Compile(intray.Field{Key: "k", Type: intray.FieldType{Name: intray.TypeNumber, Options: options}})
		if err != nil {
			t.Fatal(err)
		}
		result := parser.Parse(celltype.Cell{Raw: []byte(raw)}, nil)
		rounded := string(result.Value)
		if rounded == "" {
			rounded = raw // the value equals the raw text
		}
		_, fraction, _ := strings.Cut(rounded, ".")
		places, fixed := decimalPlaces(options)
		if fixed != (rounded != raw) || fixed && places != len(fraction) {
			t.Errorf("%v: %s is rounded to %s, and the places are %d, fixed %v", options, raw, rounded, places, fixed)
		}
	}
	if places, fixed := decimalPlaces(map[string]any{"round": 19}); fixed {
		t.Errorf("%d places fit into a whole number", places)
	}
}

func TestTimestampsLikeTheStandardLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(
			rapid.StringMatching(`[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-6][0-9](:[0-6][0-9])?`),
			rapid.StringMatching(`(1900|2000|2023|2024|0001|9999)-(02-2[89]|12-31|01-01)T00:00`),
			rapid.StringMatching(`[0-9T:-]{8,19}`)).Draw(t, "moment")
		layout := "2006-01-02T15:04:05"[:min(max(len(text), 16), 19)]
		want, err := time.Parse(layout, text)
		got, ok := parseTimestamp([]byte(text))
		if ok != (err == nil) || ok && got != want.UnixMicro() {
			t.Fatalf("%s is %d, read %v; want %d, %v", text, got, ok, want.UnixMicro(), err)
		}
	})
}

// TestDays compares every date with four digits for the year with the package time.
func TestDays(t *testing.T) {
	day := time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)
	for ; day.Year() < 10_000; day = day.AddDate(0, 0, 1) {
		text := day.AppendFormat(nil, time.DateOnly)
		if n, ok := parseDate(text); !ok || n != day.Unix()/secondsOfDay {
			t.Fatalf("%s is day %d, %t, want %d", text, n, ok, day.Unix()/secondsOfDay)
		}
	}
	for _, text := range []string{"2023-02-29", "1900-02-29", "2024-02-30", "2024-04-31", "2024-00-10", "2024-13-01", "2024-01-00", "2024-01-32"} {
		if n, ok := parseDate([]byte(text)); ok {
			t.Errorf("%s is day %d", text, n)
		}
	}
}

func TestDatesAndTimes(t *testing.T) {
	for text, want := range map[string]int64{"1970-01-01": 0, "1969-12-31": -1, "0001-01-01": -719162, "9999-12-31": 2932896, "2000-02-29": 11016} {
		if got, ok := parseDate([]byte(text)); !ok || got != want {
			t.Errorf("%s is %d, %v; want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "1900-02-29", "2024-13-01", "2024-00-01", "2024-01-00", "2024-1-1", "10000-01-01", "2024/01/01", "2024-01-0a"} {
		if _, ok := parseDate([]byte(text)); ok {
			t.Errorf("%q is accepted as a date", text)
		}
	}
	for text, want := range map[string]int64{"00:00": 0, "23:59:59": 86_399_000_000, "07:05": 25_500_000_000} {
		if got, ok := parseTimeOfDay([]byte(text)); !ok || got != want {
			t.Errorf("%s is %d, %v; want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "24:00", "7:05", "07:60", "07:05:60", "07-05", "07:05.00", "07:05:0x"} {
		if _, ok := parseTimeOfDay([]byte(text)); ok {
			t.Errorf("%q is accepted as a time", text)
		}
	}
}

// TestElementsAreThoseOfJSON checks that appendJSONArray and encoding/json agree on the
// elements of arrays.
func TestElementsAreThoseOfJSON(t *testing.T) {
	element := rapid.OneOf(
		rapid.Map(rapid.String(), func(s string) any { return s }),
		rapid.SampledFrom([]any{nil, true, 1.5, "", `a"b\c`, "]", ",", "\u2028", []any{"x", "]", []any{}}, map[string]any{"a": "}"}}))
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(element, 0, 5).Draw(t, "list")
		text, err := json.MarshalIndent(list, "", rapid.SampledFrom([]string{"", " "}).Draw(t, "indent"))
		if err != nil {
			t.Fatal(err)
		}
		var raws []json.RawMessage
		if err := json.Unmarshal(text, &raws); err != nil {
			t.Fatal(err)
		}
		want := page{}
		for i, raw := range raws {
			want.repeats = append(want.repeats, byte(min(i, 1)))
			s, isText := list[i].(string)
			switch {
			case list[i] == nil:
				want.levels = append(want.levels, 2)
				continue
			case !isText:
				s = string(raw)
			}
			want.levels = append(want.levels, 3)
			want.addText([]byte(s))
			want.values++
		}
		if len(list) == 0 {
			want.levels, want.repeats = []byte{1}, []byte{0}
		}
		want.rows = len(want.levels)
		var got page
		got.appendJSONArray(text)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(page{})); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", text, diff)
		}
	})
}
