package httpapi

import (
	"crypto/tls"
	"net/http/httptest"
	"net/netip"
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
		a := &API{cfg: Config{BaseURL: c.base, TrustedProxies: proxies}}
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
