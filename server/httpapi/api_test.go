package httpapi

import (
	"bytes"
	"crypto/tls"
	"log/slog"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

func TestBase(t *testing.T) {
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	for name, c := range map[string]struct {
		base, remote, proto, host string
		secure                    bool
		want                      string
	}{
		"as called":                   {"", "192.0.2.1:5", "", "", false, "http://called.example"},
		"with TLS":                    {"", "192.0.2.1:5", "", "", true, "https://called.example"},
		"a base address":              {"https://mine.example/x", "192.0.2.1:5", "", "", false, "https://mine.example/x"},
		"untrusted headers":           {"", "192.0.2.1:5", "https", "evil.example", false, "http://called.example"},
		"a proxy's headers":           {"", "10.1.2.3:5", "https", "outer.example", false, "https://outer.example"},
		"a proxy over IPv6":           {"", "[::1]:5", "https", "outer.example:8443", false, "https://outer.example:8443"},
		"a proxy as mapped IPv4":      {"", "[::ffff:10.1.2.3]:5", "https", "outer.example", false, "https://outer.example"},
		"headers over a base address": {"https://mine.example", "10.1.2.3:5", "http", "outer.example", false, "https://mine.example"},
		"an invalid scheme":           {"", "10.1.2.3:5", "javascript", "", false, "http://called.example"},
		"a host with a path":          {"", "10.1.2.3:5", "https", "outer.example/x", false, "https://called.example"},
		"a host with a user":          {"", "10.1.2.3:5", "https", "user@outer.example", false, "https://called.example"},
		"a proxy without headers":     {"", "10.1.2.3:5", "", "", true, "https://called.example"},
		"no address":                  {"", "@", "https", "outer.example", false, "http://called.example"},
	} {
		a := &API{cfg: Config{BaseURL: c.base, TrustedProxies: proxies, Log: slog.New(slog.DiscardHandler)}}
		r := httptest.NewRequest("GET", "http://called.example/", nil)
		r.RemoteAddr, r.TLS = c.remote, nil
		if c.secure {
			r.TLS = &tls.ConnectionState{}
		}
		for header, value := range map[string]string{"X-Forwarded-Proto": c.proto, "X-Forwarded-Host": c.host} {
			if value != "" {
				r.Header.Set(header, value)
			}
		}
		if got := a.baseURL(r); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestFindingEcosystem6Proxy checks that requests through a TLS proxy whose headers are ignored or
// missing cause one warning.
func TestFindingEcosystem6Proxy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		base, remote, proto string
		secure              bool
		want                string
	}{
		"an untrusted proxy":         {"", "192.0.2.1:5", "https", false, "not a trusted proxy"},
		"a proxy without the header": {"", "10.1.2.3:5", "", false, "sends no X-Forwarded-Proto"},
		"a trusted proxy":            {"", "10.1.2.3:5", "https", false, ""},
		"a proxy without TLS":        {"", "192.0.2.1:5", "http", false, ""},
		"no proxy":                   {"", "192.0.2.1:5", "", false, ""},
		"a base URL":                 {"https://intray.example", "192.0.2.1:5", "https", false, ""},
		"TLS to Intray":              {"", "192.0.2.1:5", "https", true, ""},
	} {
		var log bytes.Buffer
		a := &API{cfg: Config{BaseURL: c.base, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, Log: slog.New(slog.NewTextHandler(&log, nil))}}
		for range 3 {
			r := httptest.NewRequest("GET", "http://called.example/", nil)
			r.RemoteAddr = c.remote
			if r.TLS = nil; c.secure {
				r.TLS = &tls.ConnectionState{}
			}
			if c.proto != "" {
				r.Header.Set("X-Forwarded-Proto", c.proto)
			}
			a.baseURL(r)
		}
		lines := strings.Count(log.String(), "\n")
		if c.want == "" && lines != 0 || c.want != "" && (lines != 1 || !strings.Contains(log.String(), c.want)) {
			t.Errorf("%s: the log is %q, want one warning with %q", name, log.String(), c.want)
		}
	}
}
