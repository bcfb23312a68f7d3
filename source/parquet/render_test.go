package parquet

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go/format"
	"pgregory.net/rapid"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/parquetio"
)

// TestTimestampsKeepEveryUnit checks that the parts of a rendered timestamp add up to the
// original value.
func TestTimestampsKeepEveryUnit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		units := rapid.Int64().Draw(t, "units")
		digits := rapid.SampledFrom([]int{parquetio.Millis, parquetio.Micros, parquetio.Nanos}).Draw(t, "digits")
		text, kind := appendTimestamp(nil, unixTime(units, digits), false)
		if kind != intray.CellDateTime {
			return
		}
		parsed, err := time.Parse("2006-01-02T15:04:05.999999999", string(text))
		if err != nil {
			t.Fatal(err)
		}
		per := map[int]int64{parquetio.Millis: 1e3, parquetio.Micros: 1e6, parquetio.Nanos: 1e9}[digits]
		sum := new(big.Int).Mul(big.NewInt(parsed.Unix()), big.NewInt(per))
		sum.Add(sum, big.NewInt(int64(parsed.Nanosecond())*per/1e9))
		if sum.Cmp(big.NewInt(units)) != 0 {
			t.Fatalf("%d is %s, which is %s", units, text, sum)
		}
		if typed := string(typedTimestamp(text)); !strings.HasPrefix(string(text), typed) || len(typed) > 23 {
			t.Fatalf("the typed value of %s is %s", text, typed)
		}
	})
}

// TestTimesKeepEveryUnit compares rendered times of day with those of package time.
func TestTimesKeepEveryUnit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ns := rapid.Int64Range(0, secondsPerDay*1e9-1).Draw(t, "ns")
		for digits, unit := range map[int]int64{parquetio.Millis: 1e6, parquetio.Micros: 1e3, parquetio.Nanos: 1} {
			want := time.Unix(0, ns/unit*unit).UTC().Format("15:04:05.999999999")
			if got := string(appendTime(nil, ns/unit, digits)); got != want {
				t.Fatalf("%d units of %d digits are %s, not %s", ns/unit, digits, got, want)
			}
		}
	})
}

// TestDecimalsLikeBig compares rendered decimals of all sizes with those of package big.
func TestDecimalsLikeBig(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "raw")
		scale := rapid.IntRange(0, 45).Draw(t, "scale")
		n := new(big.Int).SetBytes(raw)
		if len(raw) > 0 && raw[0]>>7 == 1 {
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(raw))))
		}
		want := new(big.Rat).SetFrac(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)).FloatString(scale)
		l := &leaf{logical: parquetio.LogicalType{Kind: parquetio.LogicalDecimal, Precision: 100, Scale: scale}}
		l.Type = format.ByteArray
		got, kind, err := l.render(nil, raw)
		if string(got) != want || kind != intray.CellNumber || err != nil {
			t.Fatalf("%x with %d places: %s %v, not %s", raw, scale, got, err, want)
		}
	})
}

// TestFloatsReadBack checks that the text of a floating-point number parses to the same number.
func TestFloatsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := math.Float64frombits(rapid.Uint64().Draw(t, "bits"))
		text, kind := appendFloat([]byte("e0"), f, 64)
		text = text[2:]
		parsed, err := strconv.ParseFloat(string(text), 64)
		if err != nil || parsed != f && !math.IsNaN(f) || strings.Contains(string(text), "+") || strings.Contains(string(text), "e0") {
			t.Fatalf("%v is %s: %v", f, text, err)
		}
		if number := !math.IsNaN(f) && !math.IsInf(f, 0); number != (kind == intray.CellNumber) {
			t.Fatalf("%s has kind %v", text, kind)
		}
	})
}

func TestFloat16(t *testing.T) {
	for n := range 1 << 16 {
		f := decodeFloat16(uint16(n))
		if n&0x7C00 == 0x7C00 {
			if !math.IsNaN(f) && !math.IsInf(f, 0) {
				t.Fatalf("%#x is %v", n, f)
			}
			continue
		}
		sign, exponent, fraction := 1-2*float64(n>>15), float64(n>>10&31), float64(n&1023)
		want := sign * math.Exp2(exponent-15) * (1 + fraction/1024)
		if exponent == 0 {
			want = sign * math.Exp2(-14) * fraction / 1024
		}
		if f != want {
			t.Fatalf("%#x is %v, not %v", n, f, want)
		}
	}
}

func TestIntervals(t *testing.T) {
	for _, test := range []struct {
		months, days, ms uint64
		want             string
	}{
		{0, 0, 0, "PT0S"}, {14, 0, 0, "P14M"}, {0, 3, 0, "P3D"}, {1, 2, 3, "P1M2DT0.003S"}, {0, 0, 60_500, "PT60.5S"}, {0, 0, math.MaxUint32, "PT4294967.295S"},
	} {
		if got := string(appendInterval(nil, test.months, test.days, test.ms)); got != test.want {
			t.Errorf("%d %d %d: %s, not %s", test.months, test.days, test.ms, got, test.want)
		}
	}
}
