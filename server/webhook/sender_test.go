package webhook

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"flag"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/egress"
	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/test/webhooksignature"
)

// TestMain runs up to 8 parallel tests at once, because most of them wait for a timeout
// instead of using a processor. The flag -parallel overrides this.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

func quiet() *log.Logger { return log.New(io.Discard, "", 0) }

// received is a request that a receiver got.
type received struct {
	method, path, proto, host string
	head                      http.Header
	body                      []byte
	length                    int64
}

func recorder(seen *received) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		*seen = received{r.Method, r.URL.RequestURI(), r.Proto, r.Host, r.Header, body, r.ContentLength}
		w.Header().Set("X-Answer", "thanks")
		w.Header().Set("Set-Cookie", "a=b")
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, "taken")
	}
}

func TestDelivered(t *testing.T) {
	authority := newAuthority(t)
	cert := authority.issue(t, nil)
	through := newDialer(t)
	var seen received
	cases := []struct {
		name, url, proto string
	}{
		{"plain", serve(t, "hooks.example", nil, false, recorder(&seen)), "HTTP/1.1"},
		{"TLS", serve(t, "hooks.example", &cert, false, recorder(&seen)), "HTTP/1.1"},
		{"HTTP/2", serve(t, "hooks.example", &cert, true, recorder(&seen)), "HTTP/2.0"},
		{"dot at the end", serve(t, "hooks.example.", &cert, true, recorder(&seen)), "HTTP/2.0"},
		{"capitals", serve(t, "HOOKS.Example", &cert, true, recorder(&seen)), "HTTP/2.0"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			seen = received{}
			out := send(t, New(through, Config{Roots: authority.roots()}), c.url+"/in?a=%20b#part")
			wantOutcome(t, out, Delivered, `"webhook.delivered","params":{"status":"202 Accepted"`)
			if out.Status != 202 || out.Protocol != c.proto || string(out.Body) != "taken" || out.BodyCut || out.Err != nil {
				t.Errorf("the outcome is %+v", out)
			}
			if out.Head.Get("X-Answer") != "thanks" || out.Head.Get("Set-Cookie") != "" {
				t.Errorf("the head is %v", out.Head)
			}
			if tm := out.Timing; tm.Connected <= 0 || tm.Answered < tm.Connected || tm.Total < tm.Answered {
				t.Errorf("the timing is %+v", tm)
			}
			if seen.method != "POST" || seen.path != "/in?a=%20b" || seen.proto != c.proto || seen.length != int64(len(seen.body)) {
				t.Errorf("the receiver got %+v", seen)
			}
			if err := webhooksignature.Verify(theSecret.Reveal(), seen.head, seen.body); err != nil {
				t.Error(err)
			}
			checkRequestHead(t, seen.head)
		})
	}
}

func checkRequestHead(t *testing.T, head http.Header) {
	t.Helper()
	want := http.Header{
		"Content-Type": {"application/x-www-form-urlencoded"}, "User-Agent": {"Intray-Webhooks/1"}, "Content-Length": {"17"},
		headerID: {"msg_1"}, headerTime: {"1700000000"}, headerSignature: head[headerSignature],
	}
	head = head.Clone()
	head.Del("Connection")
	if diff := cmp.Diff(want, head); diff != "" {
		t.Errorf("the headers (-want +got)\n%s", diff)
	}
}

func TestAnswers(t *testing.T) {
	cases := []struct {
		status int
		head   http.Header
		kind   Kind
		want   string
		after  time.Duration
	}{
		{200, nil, Delivered, `"webhook.delivered","params":{"status":"200 OK"`, 0},
		{204, nil, Delivered, `"webhook.delivered","params":{"status":"204 No Content"`, 0},
		{299, nil, Delivered, `"webhook.delivered","params":{"status":"299"`, 0},
		{300, nil, Redirected, `"webhook.redirected","params":{"status":"300 Multiple Choices"`, 0},
		{300, http.Header{"Location": {"/x"}}, Redirected, `"webhook.redirected_to","params":{"location":"/x"`, 0},
		{301, http.Header{"Location": {"https://other.example/in"}}, Redirected, `"webhook.redirected_to","params":{"location":"https://other.example/in","status":"301 Moved Permanently"`, 0},
		{302, http.Header{"Location": {"http://169.254.169.254/latest/"}}, Redirected, `"location":"http://169.254.169.254/latest/"`, 0},
		{307, http.Header{"Location": {"/" + strings.Repeat("é", 500)}}, Redirected, "é…", 0},
		{308, nil, Redirected, `"webhook.redirected","params":{"status":"308 Permanent Redirect"`, 0},
		{304, nil, Redirected, "304 Not Modified", 0},
		{400, nil, Rejected, `"webhook.rejected","params":{"status":"400 Bad Request"`, 0},
		{404, nil, Rejected, "404 Not Found", 0},
		{407, nil, Rejected, "407 Proxy Authentication Required", 0},
		{410, nil, Gone, `"webhook.gone","params":{"status":"410 Gone"`, 0},
		{429, http.Header{"Retry-After": {"90"}}, Rejected, `"webhook.rejected_for_a_time","params":{"status":"429 Too Many Requests","time":"1m30s"`, 90 * time.Second},
		{503, nil, Rejected, `"webhook.rejected","params":{"status":"503 Service Unavailable"`, 0},
		{503, http.Header{"Retry-After": {"86400"}}, Rejected, `"webhook.rejected_for_a_time","params":{"status":"503 Service Unavailable","time":"1h0m0s"`, time.Hour},
		{500, http.Header{"Retry-After": {"90"}}, Rejected, `"webhook.rejected","params":{"status":"500 Internal Server Error"`, 0},
		{599, nil, Rejected, `"webhook.rejected","params":{"status":"599"`, 0},
		{999, nil, Rejected, `"webhook.rejected","params":{"status":"999"`, 0},
	}
	s := New(newDialer(t), Config{})
	for _, c := range cases {
		calls := atomic.Int32{}
		url := serve(t, "hooks.example", nil, false, func(w http.ResponseWriter, _ *http.Request) {
			calls.Add(1)
			for name, values := range c.head {
				w.Header()[name] = values
			}
			w.WriteHeader(c.status)
		})
		out := send(t, s, url)
		wantOutcome(t, out, c.kind, c.want)
		if out.Status != c.status || out.RetryAfter != c.after || calls.Load() != 1 {
			t.Errorf("%d: status %d, retry after %s, %d calls", c.status, out.Status, out.RetryAfter, calls.Load())
		}
		if len(out.Text.String()) > 600 || strings.ContainsAny(out.Text.String(), "\r\n") {
			t.Errorf("%d: the message is %q", c.status, out.Text)
		}
	}
}

func TestBodyIsCut(t *testing.T) {
	s := New(newDialer(t), Config{})
	for size, cut := range map[int]bool{0: false, maxKeptBody: false, maxKeptBody + 1: true, 10 * maxKeptBody: true} {
		url := serve(t, "hooks.example", nil, false, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(bytes.Repeat([]byte("x"), size))
		})
		out := send(t, s, url)
		if !out.Delivered() || len(out.Body) != min(size, maxKeptBody) || out.BodyCut != cut {
			t.Errorf("%d of %d bytes were kept, cut %v: %+v", len(out.Body), size, out.BodyCut, out)
		}
	}
}

func TestHeadIsBounded(t *testing.T) {
	url := serve(t, "hooks.example", nil, false, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("A", "first")
		w.Header().Set("B", "\xff\xfe")
		w.Header().Set("C", strings.Repeat("x", 10<<10))
		w.Header().Set("D", "last")
	})
	out := send(t, New(newDialer(t), Config{}), url)
	if diff := cmp.Diff(http.Header{"A": {"first"}, "B": {"\uFFFD"}}, out.Head); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestAddresses(t *testing.T) {
	cases := map[string]string{
		"":                                     "webhook.url_without_host",
		"hooks.example":                        "webhook.url_without_host",
		"//hooks.example/":                     "webhook.url_without_host",
		"ftp://hooks.example/":                 "webhook.url_without_host",
		"file:///etc/passwd":                   "webhook.url_without_host",
		"gopher://hooks.example/":              "webhook.url_without_host",
		"http:hooks.example":                   "webhook.url_without_host",
		"https://":                             "webhook.url_without_host",
		"https:///in":                          "webhook.url_without_host",
		"https://:443/":                        "webhook.url_without_host",
		"https://anna@hooks.example/":          "webhook.url_with_password",
		"https://a:b@hooks.example/":           "webhook.url_with_password",
		"https://@hooks.example/":              "webhook.url_with_password",
		"https://hooks.example:99999999":       "", // refused when it is dialed
		"https://hooks.example:https/":         "webhook.url_unreadable",
		"https://hooks example/":               "webhook.url_unreadable",
		"https://hooks.example/\n":             "webhook.url_unreadable",
		"https://hooks.example\\@x/":           "webhook.url_unreadable",
		"https://[::1/":                        "webhook.url_unreadable",
		"https://%zz/":                         "webhook.url_unreadable",
		"https://x\u00ad\u200b-.example":       "webhook.url_with_unknown_host",
		"https://" + strings.Repeat("a", 2041): "webhook.url_too_long",
	}
	for text, want := range cases {
		err := CheckAddress(text)
		if want == "" && err != nil || want != "" && (err == nil || intray.MessageOf(err).Code != want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
		if want != "" {
			out := send(t, New(nil, Config{}), text)
			wantOutcome(t, out, Invalid, "webhook.invalid_url", want)
		}
	}
	for text, dial := range map[string]string{
		"http://hooks.example": "hooks.example:80", "HTTPS://Hooks.example/in": "hooks.example:443", "https://[2001:db8::1]/": "[2001:db8::1]:443",
		"https://hooks.example:8443/": "hooks.example:8443", "https://bücher.example/": "xn--bcher-kva.example:443",
		"https://①②⑦.⓪.⓪.①/": "127.0.0.1:443", "https://１２７.０.０.１:81": "127.0.0.1:81",
	} {
		if to, err := parseAddress(text); err != nil || to.dial != dial {
			t.Errorf("%s is dialed as %s, %v, want %s", text, to.dial, err, dial)
		}
	}
}

func TestRefusedAddresses(t *testing.T) {
	url := serve(t, "hooks.example", nil, false, func(http.ResponseWriter, *http.Request) { t.Error("a connection arrived") })
	s := New(egress.New(egress.Config{Resolver: names(t)}), Config{})
	wantOutcome(t, send(t, s, url), Unreachable, "webhook.no_such_host", "hooks.example")
	wantOutcome(t, send(t, s, "https://10.0.0.8/"), Refused, "egress.not_public", "10.0.0.8", "10.0.0.0/8")
	wantOutcome(t, send(t, s, "https://93.184.215.14:25/"), Refused, "egress.closed_web_port")
	wantOutcome(t, send(t, s, "https://hooks.example:99999999/"), Refused, "egress.invalid_port")
}

// The sender connects to no internal address, however the URL spells it.
func TestSpellingsOfInternalAddresses(t *testing.T) {
	text, err := os.ReadFile("../egress/testdata/hosts.txt")
	if err != nil {
		t.Fatal(err)
	}
	at := listen(t, func(net.Conn) { t.Error("a connection arrived") })
	_, port, _ := net.SplitHostPort(at)
	s := New(egress.New(egress.Config{Resolver: names(t)}), Config{})
	kinds := map[Kind]int{}
	for line := range strings.Lines(string(text)) {
		host, err := strconv.Unquote(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		for _, url := range []string{"http://" + host + ":" + port + "/", "https://" + host + ":" + port, "http://" + host} {
			out := send(t, s, url)
			kinds[out.Kind]++
			nowhere := out.Kind == Unreachable && out.Text.Code == "webhook.no_such_host"
			if out.Kind != Invalid && out.Kind != Refused && !nowhere || out.Text.IsZero() {
				t.Errorf("%q: %s %q (%v)", url, out.Kind, out.Text, out.Err)
			}
		}
	}
	if kinds[Invalid] < 50 || kinds[Refused] < 100 {
		t.Errorf("got %v", kinds)
	}
}

func TestUnreachable(t *testing.T) {
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := portOf(t, gone)
	_ = gone.Close()
	s := New(newDialer(t), Config{})
	wantOutcome(t, send(t, s, "https://nowhere.invalid/"), Unreachable, "webhook.no_such_host", "nowhere.invalid")
	wantOutcome(t, send(t, s, "https://hooks.example:"+port), Unreachable, "webhook.connection_refused", "hooks.example:"+port)
	silent := &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("no name server") }}
	s = New(egress.New(egress.Config{Resolver: silent}), Config{})
	wantOutcome(t, send(t, s, "https://hooks.example"), Unreachable, "webhook.lookup_failed", "hooks.example")
	if out := send(t, s, "https://hooks.example"); out.Err == nil || out.Status != 0 || out.Timing.Connected != 0 {
		t.Errorf("got %+v", out)
	}
}

// Proxy settings in environment variables have no effect.
func TestNoProxy(t *testing.T) {
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY"} {
		t.Setenv(name, "http://127.0.0.1:9")
	}
	var seen received
	url := serve(t, "hooks.example", nil, false, recorder(&seen))
	wantOutcome(t, send(t, New(newDialer(t), Config{}), url), Delivered)
}

func TestCannotBeSigned(t *testing.T) {
	s := New(nil, Config{})
	d := delivery("https://hooks.example/")
	d.Secrets = []secrets.Secret{secrets.NewSecret("whsec_short")}
	if out, err := s.Send(context.Background(), d); err == nil || strings.Contains(err.Error(), "short") {
		t.Errorf("got %+v, %v", out, err)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	url := serve(t, "hooks.example", nil, false, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		cancel()
		<-r.Context().Done()
	})
	s := New(newDialer(t), Config{})
	if out, err := s.Send(ctx, delivery(url)); !errors.Is(err, context.Canceled) || out.Kind != "" {
		t.Errorf("got %+v, %v", out, err)
	}
	if out, err := s.Send(ctx, delivery(url)); !errors.Is(err, context.Canceled) || out.Kind != "" {
		t.Errorf("got %+v, %v", out, err)
	}
}

// A receiver that does not respond blocks only attempts to its own host.
func TestSlowReceiverBlocksNoOther(t *testing.T) {
	release, arrived := make(chan struct{}), make(chan struct{})
	slow := serve(t, "slow.example", nil, false, func(_ http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-release
	})
	var seen received
	quick := serve(t, "quick.example", nil, false, recorder(&seen))
	s := New(newDialer(t), Config{PerHost: 3})
	ended := make(chan Outcome)
	for range 3 {
		go func() {
			out, _ := s.Send(context.Background(), delivery(slow))
			ended <- out
		}()
		<-arrived
	}
	if _, err := s.Send(context.Background(), delivery(slow+"/other")); !errors.Is(err, ErrBusy) {
		t.Errorf("a fourth attempt: %v, want ErrBusy", err)
	}
	wantOutcome(t, send(t, s, quick), Delivered)
	close(release)
	for range 3 {
		wantOutcome(t, <-ended, Delivered)
	}
	go func() { <-arrived }()
	wantOutcome(t, send(t, s, slow), Delivered)
	if len(s.busy) != 0 {
		t.Errorf("still busy: %v", s.busy)
	}
}

func TestCertificates(t *testing.T) {
	right, unknown, zero := newAuthority(t), newAuthority(t), authority{}
	cases := []struct {
		name   string
		signer authority
		change func(*x509.Certificate)
		want   string
	}{
		{"wrong name", right, func(c *x509.Certificate) { c.DNSNames = []string{"other.example"} }, `"webhook.certificate_for_others","params":{"host":"hooks.example","names":["other.example"]}`},
		{"no name", right, func(c *x509.Certificate) { c.DNSNames = nil }, "webhook.certificate_without_host"},
		{"an address", right, func(c *x509.Certificate) { c.DNSNames, c.IPAddresses = nil, []net.IP{{192, 0, 2, 1}} }, `"names":["192.0.2.1"]`},
		{"many names", right, func(c *x509.Certificate) { c.DNSNames = []string{"a.example", "b.example", "c.example", "d.example"} }, `"webhook.certificate_for_many_others","params":{"host":"hooks.example","n":1,"names":["a.example","b.example","c.example"]}`},
		{"expired", right, func(c *x509.Certificate) {
			c.NotAfter = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
			c.NotBefore = c.NotAfter.AddDate(-1, 0, 0)
		}, `"webhook.certificate_expired","params":{"date":"2026-01-02"`},
		{"not yet", right, func(c *x509.Certificate) {
			c.NotBefore = time.Date(2198, 1, 2, 3, 4, 5, 0, time.UTC)
			c.NotAfter = c.NotBefore.AddDate(1, 0, 0)
		}, `"webhook.certificate_not_yet_valid","params":{"date":"2198-01-02"`},
		{"for mail", right, func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageEmailProtection} }, "webhook.certificate_not_for_web"},
		{"self-signed", zero, nil, "webhook.certificate_self_signed"},
		{"unknown authority", unknown, nil, "webhook.certificate_of_unknown_authority"},
	}
	through := newDialer(t)
	for _, c := range cases {
		cert := c.signer.issue(t, c.change)
		url := serve(t, "hooks.example", &cert, true, func(http.ResponseWriter, *http.Request) { t.Errorf("%s: a request arrived", c.name) })
		out := send(t, New(through, Config{Roots: right.roots()}), url)
		wantOutcome(t, out, Untrusted, c.want)
		if out.Timing.Connected != 0 || out.Timing.Total <= 0 {
			t.Errorf("%s: the timing is %+v", c.name, out.Timing)
		}
	}
}
