package httpapi

import (
	"bytes"
	"log/slog"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestFindingS11 checks that failed authentications are logged, counted and limited, and that a
// valid key still works.
func TestFindingS11(t *testing.T) {
	var log bytes.Buffer
	failed := map[string]int{}
	clock := newMinutes()
	s := newServer(t, func(cfg *Config) {
		cfg.Log = slog.New(slog.NewTextHandler(&log, nil))
		cfg.RateAuthFailures, cfg.Clock = 10, clock.Now
		cfg.AuthFailed = func(operation string) { failed[operation]++ }
	})
	const unknown = "bk_unknown-but-secret"
	for n := range 20 {
		w := s.send("GET", "/api/v1/schemas/", "", "X-Service-License-Key", unknown)
		if n < 10 {
			s.refusedWith("attempt "+strconv.Itoa(n), w, 401, "unauthorized")
			continue
		}
		s.refusedWith("attempt "+strconv.Itoa(n), w, 429, "too_many_requests")
		if w.Header().Get("Retry-After") != "60" {
			t.Errorf("Retry-After is %q", w.Header().Get("Retry-After"))
		}
	}
	if w := s.send("GET", "/api/v1/schemas/", ""); w.Code != 200 {
		t.Errorf("a valid key: status %d", w.Code)
	}
	if n := strings.Count(log.String(), "authentication failed"); n != 2 || !strings.Contains(log.String(), "address=192.0.2.1") || strings.Contains(log.String(), unknown) {
		t.Errorf("the log has %d lines, want 2 with the address and without the key:\n%s", n, log.String())
	}
	if failed["listSchemas"] != 20 {
		t.Errorf("failures counted: %v", failed)
	}
	clock.now = clock.now.Add(time.Minute)
	s.refusedWith("the next minute", s.send("GET", "/api/v1/schemas/", "", "X-Service-License-Key", unknown), 401, "unauthorized")
}

// TestFindingS11Siblings checks that each kind of credential counts, that only a key is limited,
// and that a missing one does not count.
func TestFindingS11Siblings(t *testing.T) {
	failed := 0
	s := newServer(t, func(cfg *Config) { cfg.AuthFailed = func(string) { failed++ } })
	id := "0f8fad5b-d9cb-469f-a165-70867728950e"
	for name, c := range map[string]struct {
		method, path, header, value string
		status                      int
	}{
		"an upload URL":     {"PUT", "/upload/" + id + "?token=x", "X", "x", 403},
		"a download URL":    {"GET", "/download/" + id + "?token=x", "X", "x", 403},
		"a hydration token": {"GET", "/api/widget/session/v2/state/", "X-Hydration-Id", "x", 403},
		"a review token":    {"POST", "/api/review/v1/" + id + "/session/", "Authorization", "Bearer x", 403},
		"a review cookie":   {"GET", "/api/review/v1/" + id + "/", "Cookie", visitCookie + "=x", 401},
		"a key":             {"GET", "/api/v1/schemas/", "X-Service-License-Key", "x", 401},
	} {
		s.api.failures, failed = newFailureLimiter(1, newMinutes().Now, nil), 0
		limited := c.status
		if name == "a key" {
			limited = 429
		}
		for _, want := range []int{c.status, limited} {
			if w := s.send(c.method, c.path, "", c.header, c.value); w.Code != want {
				t.Errorf("%s: status %d, want %d: %s", name, w.Code, want, w.Body)
			}
		}
		if failed != 2 {
			t.Errorf("%s: %d failures were counted, want 2", name, failed)
		}
	}
	for range 3 {
		if w := s.send("GET", "/api/v1/schemas/", "", "X-Service-License-Key", ""); w.Code != 401 {
			t.Errorf("no key: status %d", w.Code)
		}
	}
}

func TestFailureLimiterIsBounded(t *testing.T) {
	l := newFailureLimiter(2, newMinutes().Now, nil)
	reported := 0
	for n := range 2 * maxFailingAddresses {
		if report, _ := l.record(t.Context(), strconv.Itoa(n)); report {
			reported++
		}
	}
	if len(l.addresses) > maxFailingAddresses+1 || reported > maxFailingAddresses+2 {
		t.Errorf("%d addresses are stored, %d were reported", len(l.addresses), reported)
	}
}

func TestClientAddress(t *testing.T) {
	a := &API{cfg: Config{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}}
	for _, c := range []struct{ remote, forwarded, want string }{
		{"192.0.2.1:5", "", "192.0.2.1"},
		{"192.0.2.1:5", "198.51.100.7", "192.0.2.1"},
		{"10.1.2.3:5", "198.51.100.7", "198.51.100.7"},
		{"10.1.2.3:5", "203.0.113.9, 198.51.100.7, 10.9.9.9", "198.51.100.7"},
		{"10.1.2.3:5", "198.51.100.7, nonsense", "10.1.2.3"},
		{"10.1.2.3:5", "", "10.1.2.3"},
		{"[2001:db8:1:2:3:4:5:6]:5", "", "2001:db8:1:2::/64"},
		{"[::ffff:192.0.2.1]:5", "", "192.0.2.1"},
		{"@", "", "@"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = c.remote
		if c.forwarded != "" {
			r.Header.Set("X-Forwarded-For", c.forwarded)
		}
		if got := a.clientAddress(r); got != c.want {
			t.Errorf("%s for %q: %s, want %s", c.remote, c.forwarded, got, c.want)
		}
	}
}

// TestFindingS11ExpiredCredentials checks that a credential that was valid once does not count.
func TestFindingS11ExpiredCredentials(t *testing.T) {
	s := newServer(t, func(cfg *Config) { cfg.RateAuthFailures = 1 })
	made := s.do("POST", "/api/widget/session/v2/auth/", "")
	s.do("DELETE", "/api/widget/session/v2/"+s.text(made, "sessionId")+"/", "")
	for range 3 {
		w := s.send("GET", "/api/widget/session/v2/state/", "", "X-Hydration-Id", s.text(made, "hydrationId"))
		s.refusedWith("a session that was deleted", w, 403, "session_expired")
	}
}
