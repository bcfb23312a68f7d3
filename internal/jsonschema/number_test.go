package jsonschema

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

func TestInt64(t *testing.T) {
	tests := []struct {
		in   any
		want int64
		ok   bool
	}{
		{json.Number("5"), 5, true},
		{json.Number("-0"), 0, true},
		{json.Number("5.0"), 5, true},
		{json.Number("1e3"), 1000, true},
		{json.Number("1.25E+2"), 125, true},
		{json.Number("1200e-2"), 12, true},
		{json.Number("-1.0e1"), -10, true},
		{json.Number("0e999999999999999999999"), 0, true},
		{json.Number("9223372036854775807"), math.MaxInt64, true},
		{json.Number("-9223372036854775808"), math.MinInt64, true},
		{json.Number("9223372036854775.807e3"), math.MaxInt64, true},
		{json.Number("9223372036854775808"), 0, false},
		{json.Number("5.5"), 0, false},
		{json.Number("1e-1"), 0, false},
		{json.Number("1e19"), 0, false},
		{json.Number("1e999999999"), 0, false},
		{json.Number("1e-99999999999999999999"), 0, false},
		{json.Number(""), 0, false},
		{json.Number("x"), 0, false},
		{5.0, 5, true},
		{5.5, 0, false},
		{math.Inf(1), 0, false},
		{math.NaN(), 0, false},
		{float64(1 << 63), 0, false},
		{int64(7), 7, true},
		{7, 7, true},
		{"7", 0, false},
	}
	for _, tt := range tests {
		got, ok := Int64(tt.in)
		if ok != tt.ok || ok && got != tt.want {
			t.Errorf("Int64(%v) = %d, %v", tt.in, got, ok)
		}
	}
	if n, ok := Int64(json.Number("0." + strings.Repeat("0", 999_999) + "1e1000000")); !ok || n != 1 {
		t.Errorf("a long way to write 1 gives %d, %v", n, ok)
	}
}
