package workbook

import (
	"strconv"
	"testing"
	"time"

	"github.com/intraydata/intray/celltype/date"
	"github.com/intraydata/intray/source/numfmt"
	"github.com/intraydata/intray/test/readers"
)

func TestIsVerbatim(t *testing.T) {
	for _, text := range []string{"0", "1", "-1", "10", "1234567890", "-1234567890", "1.5", "-1.25", "123456789.1", "1234567.891", "1.123456789"} {
		if !IsVerbatim([]byte(text)) {
			t.Errorf("%q is not verbatim", text)
		}
	}
	for _, text := range []string{"00", "01", "1.50", "1.", ".5", "0.5", "0.00001", "-0", "-", "", "1.2.3", "1e5", "12345678901", "1.12345678901", "--1", "+1", " 1"} {
		if IsVerbatim([]byte(text)) {
			t.Errorf("%q is verbatim", text)
		}
	}
}

func TestParseNumber(t *testing.T) {
	for text, want := range map[string]float64{"0": 0, "-12.5": -12.5, "+7": 7, "1E3": 1000, "1.5e-07": 1.5e-7, ".5": 0.5, "5.": 5} {
		if got, ok := ParseNumber([]byte(text)); !ok || got != want {
			t.Errorf("%q: %v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "Inf", "NaN", "0x10", "1_0", "1e999", "abc", "1,5", "1 2", " 1", "--1", "e", "infinity"} {
		if got, ok := ParseNumber([]byte(text)); ok {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestSerial(t *testing.T) {
	for day, want := range map[string][2]float64{
		"1899-12-30 18:00": {-0.25, -1462.25 + 1}, "1899-12-31 06:00": {0.25, -1460.75}, "1900-01-01 00:00": {1, -1460}, "1900-02-28 12:00": {59.5, -1401.5}, "1900-03-01 00:00": {61, -1401},
		"1904-01-01 00:00": {1462, 0}, "1904-01-02 06:00": {1463.25, 1.25}, "2024-02-29 00:00": {45351, 43889},
	} {
		at, err := time.Parse("2006-01-02 15:04", day)
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]float64{Serial(at, false), Serial(at, true)}; got != want {
			t.Errorf("%s: %v, want %v", day, got, want)
		}
	}
}

// TestFindingXLSXDates checks that the serial numbers of a seeded sample of dates and times are
// read as the same dates and times.
func TestFindingXLSXDates(t *testing.T) {
	format, ok := numfmt.Compile("yyyy-mm-dd hh:mm:ss")
	if !ok {
		t.Fatal("the format is not valid")
	}
	checked := 0
	for _, m := range readers.Moments() {
		at, err := time.Parse("2006-01-02T15:04:05", m.At)
		if err != nil {
			t.Fatal(err)
		}
		for _, epoch1904 := range []bool{false, true} {
			if !HasSerial(at, epoch1904) {
				continue
			}
			checked++
			serial, epoch := Serial(at, epoch1904), date.Since1900
			if epoch1904 {
				epoch = date.Since1904
			}
			if got, _ := format.AppendValue(nil, serial, epoch1904); string(got) != m.At {
				t.Errorf("%v (1904: %v) is formatted as %s, want %s", serial, epoch1904, got, m.At)
			}
			text := strconv.AppendFloat(nil, serial, 'f', -1, 64)
			if got := date.ReadSerial(text, epoch, date.WantDateTime).AppendISO(nil, date.WantDateTime, true); string(got) != m.At {
				t.Errorf("%s (1904: %v) is read as %s, want %s", text, epoch1904, got, m.At)
			}
		}
	}
	if checked < 10_000 {
		t.Errorf("%d serial numbers were checked", checked)
	}
}

func TestDecodeRK(t *testing.T) {
	for rk, want := range map[uint32]float64{
		0:           0,
		7<<2 | 2:    7,
		0xFFFFFFFE:  -1,
		1234<<2 | 3: 12.34,
		0x3FF00000:  1,
		0xBFF80000:  -1.5,
		0x40590001:  1,
	} {
		if got := DecodeRK(rk); got != want {
			t.Errorf("%#x: %v, want %v", rk, got, want)
		}
	}
}

func TestErrorText(t *testing.T) {
	for code, want := range map[byte]string{0x00: "#NULL!", 0x07: "#DIV/0!", 0x0F: "#VALUE!", 0x17: "#REF!", 0x1D: "#NAME?", 0x24: "#NUM!", 0x2A: "#N/A", 0x2B: "#GETTING_DATA", 0xFF: "#UNKNOWN!"} {
		if got := ErrorText(code); got != want {
			t.Errorf("%#x: %s, want %s", code, got, want)
		}
	}
}
