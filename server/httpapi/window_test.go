package httpapi

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
)

func query(pairs ...string) url.Values {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
	}
	return q
}

func TestUploadWindow(t *testing.T) {
	for _, c := range []struct {
		query      url.Values
		start, end int64
		wrong      bool
	}{
		{query(), 0, 10000, false},
		{query("start", "5"), 5, 10000, false},
		{query("end", "5"), 0, 5, false},
		{query("start", "5", "end", "5"), 5, 5, false},
		{query("end", "20000"), 0, 10000, false},
		{query("start", "15000"), 15000, 25000, false},
		{query("start", "15000", "end", "90000"), 15000, 25000, false},
		{query("start", "6", "end", "5"), 0, 0, true},
		{query("start", "-1"), 0, 0, true},
		{query("end", "-1"), 0, 0, true},
		{query("start", "1.5"), 0, 0, true},
		{query("start", "x"), 0, 0, true},
		{query("start", " 1"), 0, 0, true},
		{query("end", "9223372036854775808"), 0, 0, true},
	} {
		start, end, err := uploadWindow(c.query)
		if (err != nil) != c.wrong || err == nil && (start != c.start || end != c.end) {
			t.Errorf("%v: [%d, %d), error %v; want [%d, %d), an error: %v", c.query, start, end, err, c.start, c.end, c.wrong)
		}
	}
}

// TestUploadWindowIsOne tries numbers of every size.
func TestUploadWindowIsOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start := rapid.Int64Min(0).Draw(t, "start")
		q := query("start", strconv.FormatInt(start, 10))
		end := int64(-1)
		if rapid.Bool().Draw(t, "with an end") {
			end = rapid.Int64Min(start).Draw(t, "end")
			q.Set("end", strconv.FormatInt(end, 10))
		}
		from, to, err := uploadWindow(q)
		if err != nil {
			t.Fatal(err)
		}
		if from != start || to < from || to-from > imports.MaxUploads || end >= 0 && to > end {
			t.Fatalf("the window is [%d, %d)", from, to)
		}
	})
}

func TestWindow(t *testing.T) {
	for _, c := range []struct {
		query         url.Values
		offset, limit int64
		wrong         bool
	}{
		{query(), 0, 100, false},
		{query("offset", "7", "limit", "3"), 7, 3, false},
		{query("limit", "1000"), 0, 1000, false},
		{query("limit", "1001"), 0, 1000, false},
		{query("limit", "0"), 0, 0, true},
		{query("limit", "-1"), 0, 0, true},
		{query("offset", "-1"), 0, 0, true},
		{query("offset", "x"), 0, 0, true},
	} {
		offset, limit, err := pageWindow(c.query)
		if (err != nil) != c.wrong || err == nil && (offset != c.offset || limit != c.limit) {
			t.Errorf("%v: %d, %d, error %v; want %d, %d, an error: %v", c.query, offset, limit, err, c.offset, c.limit, c.wrong)
		}
	}
}

// TestNumberReportsItsRange holds that a wrong number is told with the one range
// that is taken.
func TestNumberReportsItsRange(t *testing.T) {
	for name, from := range map[string]string{"limit": "1", "offset": "0"} {
		for _, value := range []string{"-1", "x", "1.5", "99999999999999999999"} {
			_, _, err := pageWindow(query(name, value))
			if want := name + ": must be a whole number from " + from + " to 9,223,372,036,854,775,807."; err == nil || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("%s %s: %v, want %q", name, value, err, want)
			}
		}
	}
	if _, _, err := pageWindow(query("limit", "0")); err == nil || !strings.Contains(err.Error(), "from 1 to") {
		t.Errorf("limit 0: %v", err)
	}
}

// TestPagesReachEverything follows next from the first page, and previous from
// the last, and looks at pages far beyond.
func TestPagesReachEverything(t *testing.T) {
	a := &API{cfg: Config{BaseURL: "https://intray.example.org"}}
	c := &call{op: &operation{path: "/things/"}}
	rapid.Check(t, func(t *rapid.T) {
		total, limit := rapid.Int64Range(0, 500).Draw(t, "total"), rapid.Int64Range(1, 200).Draw(t, "limit")
		offset, seen := int64(0), int64(0)
		for {
			seen += min(limit, total-offset)
			next := paginate[int](a, c, nil, total, offset, limit).Next
			if next == nil {
				break
			}
			at := follow(t, *next, limit)
			if at != offset+limit {
				t.Fatalf("behind %d stands %d", offset, at)
			}
			offset = at
		}
		if seen != total {
			t.Fatalf("%d of %d were on the pages", seen, total)
		}
		for offset > 0 {
			at := follow(t, *paginate[int](a, c, nil, total, offset, limit).Previous, limit)
			if at >= offset || at < 0 {
				t.Fatalf("before %d stands %d", offset, at)
			}
			offset = at
		}
		beyond := paginate[int](a, c, nil, total, rapid.Int64Min(total).Draw(t, "beyond"), limit)
		if beyond.Next != nil {
			t.Fatalf("behind the end stands %s", *beyond.Next)
		}
	})
}

// follow gives the offset of an address of a page.
func follow(t *rapid.T, address string, limit int64) int64 {
	u, err := url.Parse(address)
	if err != nil || u.Path != "/things/" || u.Host != "intray.example.org" {
		t.Fatalf("the address %q, error %v", address, err)
	}
	offset, size, err := pageWindow(u.Query())
	if err != nil || size != limit {
		t.Fatalf("the address %q has the limit %d, error %v; want %d", address, size, err, limit)
	}
	return offset
}

func TestDateFilter(t *testing.T) {
	at := func(text string) time.Time {
		parsed, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	for _, c := range []struct {
		from, to string
		want     model.UploadFilter
	}{
		{"", "", model.UploadFilter{}},
		{"2026-11-21", "", model.UploadFilter{From: at("2026-11-21T00:00:00Z")}},
		{"", "2026-11-21", model.UploadFilter{To: at("2026-11-21T23:59:59.999999Z")}},
		{"2026-11-21T09:30:00Z", "2026-11-21T09:30:00Z", model.UploadFilter{From: at("2026-11-21T09:30:00Z"), To: at("2026-11-21T09:30:00Z")}},
		{"2026-11-21T09:30:00+02:00", "", model.UploadFilter{From: at("2026-11-21T07:30:00Z")}},
		{"2026-11-21T09:30:00.123456", "", model.UploadFilter{From: at("2026-11-21T09:30:00.123456Z")}},
		{"2026-11-21T09:30", "", model.UploadFilter{From: at("2026-11-21T09:30:00Z")}},
		{"2026-11-21T09:30Z", "", model.UploadFilter{From: at("2026-11-21T09:30:00Z")}},
	} {
		got, err := dateFilter(query("start_date", c.from, "end_date", c.to))
		if err != nil || !got.From.Equal(c.want.From) || !got.To.Equal(c.want.To) {
			t.Errorf("%q to %q: %v, error %v; want %v", c.from, c.to, got, err, c.want)
		}
	}
	for _, text := range []string{"x", "21.11.2026", "2026-13-01", "2026-02-30", "2026-11-21 09:30", "1700000000"} {
		for _, name := range []string{"start_date", "end_date"} {
			if _, err := dateFilter(query(name, text)); err == nil {
				t.Errorf("%s=%q is taken", name, text)
			}
		}
	}
}

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
		"a stranger's headers":        {"", "192.0.2.1:5", "https", "evil.example", false, "http://called.example"},
		"a proxy's headers":           {"", "10.1.2.3:5", "https", "outer.example", false, "https://outer.example"},
		"a proxy over IPv6":           {"", "[::1]:5", "https", "outer.example:8443", false, "https://outer.example:8443"},
		"a proxy as mapped IPv4":      {"", "[::ffff:10.1.2.3]:5", "https", "outer.example", false, "https://outer.example"},
		"headers over a base address": {"https://mine.example", "10.1.2.3:5", "http", "outer.example", false, "https://mine.example"},
		"a scheme that is none":       {"", "10.1.2.3:5", "javascript", "", false, "http://called.example"},
		"a host with a path":          {"", "10.1.2.3:5", "https", "outer.example/x", false, "https://called.example"},
		"a host with a user":          {"", "10.1.2.3:5", "https", "user@outer.example", false, "https://called.example"},
		"a proxy that says nothing":   {"", "10.1.2.3:5", "", "", true, "https://called.example"},
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

// TestKindsHaveStatuses makes sure that no refusal of the service becomes a
// fault.
func TestKindsHaveStatuses(t *testing.T) {
	want := map[model.Kind]int{
		model.NotFound: 404, model.Invalid: 400, model.Conflict: 409,
		model.Denied: 403, model.TooLarge: 413, model.Unavailable: 503,
	}
	for kind, status := range want {
		e := toAPIError(&model.Error{Kind: kind, Code: "code", Message: intray.Literal("Text.")})
		if e.status != status || e.code != "code" || e.message != intray.Literal("Text.") {
			t.Errorf("kind %d becomes %+v, want the status %d", kind, e, status)
		}
	}
	if e := toAPIError(http.ErrBodyNotAllowed); e.status != 500 || e.code != "internal" || e.Error() == http.ErrBodyNotAllowed.Error() {
		t.Errorf("a fault becomes %+v, want 500 without its text", e)
	}
	header := http.Header{}
	toAPIError(&model.Error{Kind: model.Unavailable}).setHeaders(header)
	if header.Get("Retry-After") == "" {
		t.Error("503 without Retry-After")
	}
}

func TestErrorBody(t *testing.T) {
	required := intray.NewMessage("property.required", nil)
	e := invalidField("detail", required)
	e.fields["port"] = []intray.Message{intray.NewMessage("property.too_small", intray.Params{"limit": 1}), intray.Literal("no")}
	got := string(e.encode("r1"))
	want := `{"code":"invalid","detail":"The request is not valid: detail: is required.",` +
		`"field_messages":{"detail":[{"code":"property.required"}],"port":[{"code":"property.too_small","params":{"limit":1}},{"text":"no"}]},` +
		`"message_code":"request.invalid_field","params":{"field":"detail","problem":{"code":"property.required"}},` +
		`"port":["must be at least 1","no"],"request_id":"r1"}`
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	literal := newError(http.StatusConflict, "cancelled_by_hook", intray.Literal("Not on Fridays."))
	if got, want := string(literal.encode("r2")), `{"code":"cancelled_by_hook","detail":"Not on Fridays.","request_id":"r2"}`; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestIsJSON(t *testing.T) {
	for value, want := range map[string]bool{
		"application/json": true, "application/json; charset=utf-8": true, "Application/JSON;charset=UTF-8": true,
		"application/json; charset=latin1": false, "text/json": false, "": false, "text/plain": false, "application/json;": true, "a;b;c": false,
	} {
		if got := isJSON(value); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
}
