package sftp_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/intraydata/intray"
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
			t.Errorf("%q matches %q: %v", c.pattern, c.name, got)
		}
	}
}

func TestPatternRefusals(t *testing.T) {
	cases := map[string]struct{ text, want string }{
		"bracket":             {"orders[", "sftp.invalid_pattern"},
		"look ahead":          {"(?=a)", "sftp.invalid_pattern"},
		"back reference":      {`(a)\1`, "sftp.invalid_pattern"},
		"too long":            {strings.Repeat("a", 1001), "sftp.pattern_too_long"},
		"no UTF-8":            {"a\xff", "sftp.pattern_not_utf8"},
		"nested counts":       {"((((a{9}){9}){9}){9})", "sftp.invalid_pattern"},
		"a long count":        {"(abc){900}", "sftp.pattern_too_slow"},
		"counts side by side": {strings.Repeat("a{200}", 10), "sftp.pattern_too_slow"},
		"open count":          {"(ab){600,}", "sftp.pattern_too_slow"},
		"huge classes":        {strings.Repeat(`[\pL\pN]{999}`, 10), "sftp.pattern_too_slow"},
		"deep":                {strings.Repeat("(", 500) + strings.Repeat(")", 499), "sftp.invalid_pattern"},
	}
	for name, c := range cases {
		_, err := sftp.ParsePattern(c.text)
		if got := intray.MessageOf(err).Code; err == nil || got != c.want {
			t.Errorf("%s: %v (%s), want %s", name, err, got, c.want)
		}
	}
}

// A pattern needs little memory, whether it is accepted or refused.
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

func TestValidHostname(t *testing.T) {
	good := []string{
		"example.com", "sftp.example.com", "EXAMPLE.com", "localhost", "a", "xn--bcher-kva.example", "example.com.",
		"3com.com", "1.example", "a-b.c-d", "a--b", "10.0.0.5", "93.184.215.14", "::1", "2001:db8::1", "::ffff:10.0.0.5",
		strings.Repeat("a", 63) + ".com", strings.Repeat("a.", 126) + "b", strings.Repeat("a.", 126) + "b.",
	}
	for _, name := range good {
		if err := sftp.ValidHostname(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	bad := []string{
		"", " ", ".", "..", "a..b", ".a", "a..", "-a", "a-", "a.-b", "a b", "a_b", "ä.example", "a\n", "a\x00b", "a\tb",
		"sftp://example.com", "anna@example.com", "example.com:22", "example.com/path", "[::1]", "fe80::1%eth0", "::g",
		"256.1.1.1", "1.2.3", "127.1", "2130706433", "0x7f000001", "0x7f.1", "example.0x10", "example.12", "10.0.0.05", "*.a",
		strings.Repeat("a", 64) + ".com", strings.Repeat("a.", 127) + "b", strings.Repeat("a", 1_000_000),
	}
	for _, name := range bad {
		if err := sftp.ValidHostname(name); err == nil || !strings.HasPrefix(intray.MessageOf(err).Code, "hostname.") {
			t.Errorf("%.40q: got %v, want a message about the host name", name, err)
		}
	}
}

func parse(t *testing.T, text string) sftp.Pattern {
	t.Helper()
	p, err := sftp.ParsePattern(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
