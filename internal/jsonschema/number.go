package jsonschema

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// Int64 returns the integer in v, which may be an int64, an int, a json.Number or a float64.
// It reports false if v is not a 64-bit integer. For example, 5.0 and 1e3 are integers, but
// 5.5 and 1e30 are not.
func Int64(v any) (int64, bool) {
	switch n := v.(type) {
	case json.Number:
		return parseInteger(string(n))
	case float64:
		// 1<<63 does not fit into an int64, but the next smaller double does.
		return int64(n), n == math.Trunc(n) && n >= -(1<<63) && n < 1<<63
	case int64:
		return n, true
	case int:
		return int64(n), true
	}
	return 0, false
}

// parseInteger parses a JSON number without expanding its exponent, because parsing
// 1e999999999 must be cheap.
func parseInteger(text string) (int64, bool) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, true
	}
	mantissa, exponent, ok := splitExponent(text)
	if !ok {
		return 0, false
	}
	sign, digits := "", mantissa
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	exponent -= len(fraction)
	digits = strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return 0, true
	}
	trimmed := strings.TrimRight(digits, "0")
	exponent += len(digits) - len(trimmed)
	if exponent < 0 || len(trimmed)+exponent > 19 {
		return 0, false
	}
	n, err := strconv.ParseInt(sign+trimmed+strings.Repeat("0", exponent), 10, 64)
	return n, err == nil
}

// farExponent replaces an exponent whose absolute value is larger. The sign stays the same. No
// document has enough digits to bring such a number back into range.
const farExponent = 1 << 40

// splitExponent splits a number into mantissa and exponent.
func splitExponent(text string) (mantissa string, exponent int, ok bool) {
	at := strings.IndexAny(text, "eE")
	if at < 0 {
		return text, 0, text != ""
	}
	n, err := strconv.Atoi(text[at+1:])
	if err != nil || n > farExponent || n < -farExponent {
		n = farExponent
		if strings.HasPrefix(text[at+1:], "-") {
			n = -n
		}
	}
	return text[:at], n, at > 0
}

// isFinite reports whether v is a number within the range of a double.
func isFinite(v any) bool {
	switch n := v.(type) {
	case json.Number:
		_, err := n.Float64()
		return err == nil
	case float64:
		return !math.IsNaN(n) && !math.IsInf(n, 0)
	case int64, int:
		return true
	}
	return false
}
