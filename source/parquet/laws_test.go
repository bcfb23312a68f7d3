package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/format"
	"pgregory.net/rapid"

	"github.com/intraydata/intray"
)

// TestCivilLikeTheStandardLibrary compares days and clocks with package time.
func TestCivilLikeTheStandardLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seconds := rapid.Int64Range(-62_167_219_200, 253_402_300_799).Draw(t, "seconds") // the years 0 to 9999
		ns := rapid.Int64Range(0, 999_999_999).Draw(t, "ns")
		want := time.Unix(seconds, ns).UTC().Format("2006-01-02T15:04:05.999999999Z")
		got, kind := appendDateTime(nil, seconds, uint64(ns), nanos, true)
		if string(got) != want || kind != intray.CellDateTime {
			t.Fatalf("%s, not %s", got, want)
		}
		day, _ := appendDay(nil, floorDiv(seconds, secondsPerDay))
		if string(day) != want[:10] {
			t.Fatalf("%s, not %s", day, want[:10])
		}
		if value := typedTimestamp(got); len(value) > 23 || !strings.HasPrefix(want, string(value)) {
			t.Fatalf("the value of %s is %s", want, value)
		}
	})
}

// TestTimestampsKeepEveryUnit puts all units of a timestamp back together.
func TestTimestampsKeepEveryUnit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		units := rapid.Int64().Draw(t, "units")
		digits := rapid.SampledFrom([]int{millis, micros, nanos}).Draw(t, "digits")
		text, kind := appendTimestamp(nil, units, digits, false)
		if kind != intray.CellDateTime {
			return
		}
		back, err := time.Parse("2006-01-02T15:04:05.999999999", string(text))
		if err != nil {
			t.Fatal(err)
		}
		per := perSecond(digits)
		sum := new(big.Int).Mul(big.NewInt(back.Unix()), big.NewInt(per))
		sum.Add(sum, big.NewInt(int64(back.Nanosecond())*per/1e9))
		if sum.Cmp(big.NewInt(units)) != 0 {
			t.Fatalf("%d is %s, which is %s", units, text, sum)
		}
	})
}

// TestDecimalsLikeBig compares decimals of all lengths with package big.
func TestDecimalsLikeBig(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "raw")
		scale := rapid.IntRange(0, 45).Draw(t, "scale")
		n := new(big.Int).SetBytes(raw)
		if len(raw) > 0 && raw[0]>>7 == 1 {
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(raw))))
		}
		want := new(big.Rat).SetFrac(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)).FloatString(scale)
		l := &leaf{physical: format.ByteArray, logical: logicalType{kind: logicalDecimal, precision: 100, scale: scale}}
		got, kind, err := l.render(nil, value{bytes: raw})
		if string(got) != want || kind != intray.CellNumber || err != nil {
			t.Fatalf("%x with %d places: %s %v, not %s", raw, scale, got, err, want)
		}
	})
}

// TestFloatsReadBack reads the text of a floating number again.
func TestFloatsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := math.Float64frombits(rapid.Uint64().Draw(t, "bits"))
		text, kind := appendFloat(nil, f, 64)
		back, err := strconv.ParseFloat(string(text), 64)
		if err != nil || back != f && !math.IsNaN(f) || strings.Contains(string(text), "+") {
			t.Fatalf("%v is %s: %v", f, text, err)
		}
		if number := !math.IsNaN(f) && !math.IsInf(f, 0); number != (kind == intray.CellNumber) {
			t.Fatalf("%s has kind %v", text, kind)
		}
	})
}

// TestRunsLikeTheEncoder reads what the encoder of parquet-go packs.
func TestRunsLikeTheEncoder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(1, 8).Draw(t, "width")
		var want []byte
		for range rapid.IntRange(1, 8).Draw(t, "pieces") {
			one := rapid.ByteMax(byte(bitMask(uint(width)))).Draw(t, "level")
			want = append(want, bytes.Repeat([]byte{one}, rapid.IntRange(1, 40).Draw(t, "times"))...)
		}
		text, err := (&rle.Encoding{BitWidth: width}).EncodeLevels(nil, want)
		if err != nil {
			t.Fatal(err)
		}
		r := &rleDecoder{text: text, width: uint(width)}
		for i, w := range want {
			if n, err := r.next(); n != uint32(w) || err != nil {
				t.Fatalf("level %d is %d, not %d: %v", i, n, w, err)
			}
		}
	})
}

// TestDeltasLikeTheEncoder reads differences, and finds where they end.
func TestDeltasLikeTheEncoder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(rapid.Int64(), 0, 400).Draw(t, "numbers")
		text, err := new(delta.BinaryPackedEncoding).EncodeInt64(nil, want)
		if err != nil {
			t.Fatal(err)
		}
		d, err := newDeltaDecoder(append(bytes.Clone(text), "behind"...))
		if err != nil {
			t.Fatal(err)
		}
		if end, err := d.endOffset(); end != len(text) || err != nil {
			t.Fatalf("%d numbers end at %d, not %d: %v", len(want), end, len(text), err)
		}
		for i, w := range want {
			if n, err := d.nextUint(); int64(n) != w || err != nil {
				t.Fatalf("number %d is %d, not %d: %v", i, int64(n), w, err)
			}
		}
		if _, err := d.nextUint(); err == nil {
			t.Fatal("there is a number behind the last")
		}
	})
}

// TestPackedBitByBit compares with a bit by bit reading.
func TestPackedBitByBit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.Byte(), 1, 24).Draw(t, "text")
		bit := rapid.IntRange(0, 8*len(text)).Draw(t, "bit")
		width := rapid.UintRange(0, 64).Draw(t, "width")
		got, err := readBits(text, bit, width)
		if outside := bit+int(width) > 8*len(text); outside != (err != nil) {
			t.Fatalf("%d bits at %d of %d bytes: %v", width, bit, len(text), err)
		} else if outside {
			return
		}
		for i := range int(width) {
			want := uint64(text[(bit+i)/8]) >> ((bit + i) % 8) & 1
			if got>>i&1 != want {
				t.Fatalf("bit %d of %d at %d of %x is %d", i, width, bit, text, got>>i&1)
			}
		}
		if width < 64 && got>>width != 0 {
			t.Fatalf("%#x has more than %d bits", got, width)
		}
	})
}

// TestCompactNeverPanics reads any bytes, and each cut of them ends too early or
// not at all.
func TestCompactNeverPanics(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := &thriftReader{text: rapid.SliceOf(rapid.Byte()).Draw(t, "text")}
		c.skip(rapid.ByteMax(15).Draw(t, "wire"))
		if c.at > len(c.text) {
			t.Fatalf("it went to %d of %d", c.at, len(c.text))
		}
	})
}

func TestCompactSkips(t *testing.T) {
	varint := binary.AppendUvarint(nil, 300)
	for _, test := range []struct {
		wire byte
		text []byte
		err  error
	}{
		{wireTrue, nil, nil},
		{wireByte, []byte{1}, nil},
		{wireShort, varint, nil},
		{wireLong, varint, nil},
		{wireDouble, make([]byte, 8), nil},
		{wireBinary, []byte("\x03abc"), nil},
		{wireList, []byte{0x21, 1, 2}, nil}, // truths
		{wireSet, []byte{0x15, 7}, nil},
		{wireMap, []byte{1, 0x58, 7, 1, 'x'}, nil},
		{wireMap, []byte{0}, nil},
		{wireStruct, []byte{0x15, 2, 0x05, 40, 2, 0}, nil},
		{wireUUID, make([]byte, 16), nil},
		{wireDouble, make([]byte, 7), errTruncated},
		{wireBinary, []byte("\x04abc"), errTruncated},
		{wireList, []byte{0x35, 1}, errTruncated},
		{14, nil, errThrift},
		{wireLong, bytes.Repeat([]byte{0xFF}, 11), errThrift},
	} {
		t.Run(fmt.Sprintf("%d %x", test.wire, test.text), func(t *testing.T) {
			c := &thriftReader{text: test.text}
			c.skip(test.wire)
			if !errors.Is(c.err, test.err) || c.at != len(test.text) {
				t.Errorf("got %v at %d", c.err, c.at)
			}
		})
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
