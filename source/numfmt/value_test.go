package numfmt

import (
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/intraydata/intray"
)

func TestValues(t *testing.T) {
	for _, r := range []struct {
		code  string
		value float64
		kind  intray.CellKind
		want  string
	}{
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
		{"m/d/yyyy", 44196.75, intray.CellDate, "2020-12-31"},
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
	} {
		f, _ := Compile(r.code)
		got, kind := f.AppendValue([]byte("="), r.value, false)
		if string(got) != "="+r.want || kind != r.kind {
			t.Errorf("%q of %v is %q, kind %d; want %q, kind %d", r.code, r.value, got[1:], kind, r.want, r.kind)
		}
	}
}

func TestValuesOfSystem1904(t *testing.T) {
	for _, r := range []struct {
		code  string
		value float64
		kind  intray.CellKind
		want  string
	}{
		{"m/d/yyyy", 0, intray.CellDate, "1904-01-01"},
		{"m/d/yyyy", 42734, intray.CellDate, "2020-12-31"},
		{"m/d/yyyy h:mm", 0.5, intray.CellDateTime, "1904-01-01T12:00:00"},
		{"m/d/yyyy", -1, intray.CellNumber, "-1"},
		{"m/d/yyyy", 2957004, intray.CellNumber, "2957004"},
		{"[h]:mm", 1.5, intray.CellTime, "36:00:00"},
	} {
		f, _ := Compile(r.code)
		got, kind := f.AppendValue(nil, r.value, true)
		if string(got) != r.want || kind != r.kind {
			t.Errorf("%q of %v is %q, kind %d; want %q, kind %d", r.code, r.value, got, kind, r.want, r.kind)
		}
	}
}

// Whole numbers come back exactly, others to 15 digits.
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
