package numfmt

import (
	"math"
	"testing"
)

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
			t.Errorf("%v is 0.%s with the point at %d, want 0.%s at %d", r.value, d.digits[:d.n], d.point, r.digits, r.point)
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

// A decimal that is nothing has no digits and its point where it was for 0.
func TestDecimalNothing(t *testing.T) {
	for _, v := range []float64{0, 0.001, 1e-9} {
		var d decimal
		d.set(v)
		d.round(1)
		if d.n != 0 || d.point != 0 || d.whole() != 0 {
			t.Errorf("%v rounded to nothing is %d digits, point %d", v, d.n, d.point)
		}
	}
}

// General at every power of ten, with one, five and ten digits.
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
