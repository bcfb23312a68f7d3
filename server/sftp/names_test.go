package sftp_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/intraydata/intray/server/sftp"
)

func TestPattern(t *testing.T) {
	cases := []struct {
		pattern, name string
		want          bool
	}{
		{"", "anything", true},
		{`\.csv$`, "orders.csv", true},
		{`\.csv$`, "orders.csv.bak", false},
		{`\.csv`, "orders.csv.bak", true},
		{`^orders_\d{4}-\d{2}-\d{2}\.(csv|xlsx)$`, "orders_2026-03-01.xlsx", true},
		{`^orders_\d{4}-\d{2}-\d{2}\.(csv|xlsx)$`, "orders_2026-3-01.xlsx", false},
		{`(?i)\.CSV$`, "orders.csv", true},
		{`^Bücher`, "Bücher.csv", true},
		{`^\p{Greek}+$`, "αβγ", true},
		{`x{3}`, "axxxb", true},
	}
	for _, c := range cases {
		if got := parse(t, c.pattern).Match(c.name); got != c.want {
			t.Errorf("%q fits %q: %v", c.pattern, c.name, got)
		}
	}
}

func TestPatternRefusals(t *testing.T) {
	cases := map[string]struct{ text, want string }{
		"bracket":             {"orders[", "not a regular expression: missing closing ]: `[`"},
		"look ahead":          {"(?=a)", "not a regular expression: invalid or unsupported Perl syntax"},
		"back reference":      {`(a)\1`, "invalid escape sequence"},
		"too long":            {strings.Repeat("a", 1001), "1,001 bytes, it may have up to 1,000"},
		"no UTF-8":            {"a\xff", "not valid UTF-8"},
		"nested counts":       {"((((a{9}){9}){9}){9})", "not a regular expression: invalid repeat count"},
		"a long count":        {"(abc){900}", "more than 1,000 steps"},
		"counts side by side": {strings.Repeat("a{200}", 10), "more than 1,000 steps"},
		"open count":          {"(ab){600,}", "more than 1,000 steps"},
		"huge classes":        {strings.Repeat(`[\pL\pN]{999}`, 10), "more than 1,000 steps"},
		"deep":                {strings.Repeat("(", 500) + strings.Repeat(")", 499), "not a regular expression"},
	}
	for name, c := range cases {
		_, err := sftp.ParsePattern(c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// A pattern costs little before it is refused, and little when it is taken.
func TestPatternMemory(t *testing.T) {
	for _, text := range []string{strings.Repeat(`\pL{1000}`, 100), strings.Repeat(`\pL`, 300), strings.Repeat("(a*)*", 190)} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		pattern, err := sftp.ParsePattern(text)
		if err == nil {
			pattern.Match(strings.Repeat("a", 1024))
		}
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 32<<20 {
			t.Errorf("%.20q took %d bytes, %v", text, took, err)
		}
	}
}
