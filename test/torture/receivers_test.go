package torture

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/intraydata/intray/test/livetest"
)

// serveAndCount serves each connection until the test ends. It returns the address and the
// number of connections.
func serveAndCount(t *testing.T, serve func(net.Conn)) (address string, calls *atomic.Int64) {
	t.Helper()
	calls = &atomic.Int64{}
	port := livetest.Listen(t, func(conn net.Conn) {
		calls.Add(1)
		serve(conn)
	})
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), calls
}

// afterRequest returns a handler that reads a request and then calls the given function.
func afterRequest(then func(net.Conn)) func(net.Conn) {
	return func(conn net.Conn) {
		request, err := http.ReadRequest(bufio.NewReader(conn))
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, request.Body)
		then(conn)
	}
}

// respondSlowly writes the string in first, and then writes the string in rest after every
// interval until the client disconnects.
func respondSlowly(first, rest string, every time.Duration) func(net.Conn) {
	return afterRequest(func(conn net.Conn) {
		_, err := io.WriteString(conn, first)
		for err == nil && rest != "" {
			time.Sleep(every)
			_, err = io.WriteString(conn, rest)
		}
	})
}

func readForever(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }

// otherCertificate serves TLS with a self-signed certificate for a different name.
func otherCertificate(t *testing.T, name string) func(net.Conn) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	cert := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, cert, cert, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	cfg := &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	return func(conn net.Conn) {
		secure := tls.Server(conn, cfg)
		respondSlowly("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "", 0)(secure)
	}
}

// receiver is a hostile webhook receiver, with the expected result of the first attempt.
type receiver struct {
	name, url   string
	wantMessage string
	delivered   bool
	id          string
}

// hostileReceivers returns all hostile receivers. target counts the connections to an address
// to which nothing may connect.
func hostileReceivers(t *testing.T) (list []*receiver, target *atomic.Int64) {
	t.Helper()
	const ok = "HTTP/1.1 200 OK\r\n"
	at, target := serveAndCount(t, readForever)
	redirect := func(to string) func(net.Conn) {
		return respondSlowly("HTTP/1.1 302 Found\r\nLocation: "+to+"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", "", 0)
	}
	add := func(name, scheme string, serve func(net.Conn), wantMessage string, delivered bool) {
		address, _ := serveAndCount(t, serve)
		list = append(list, &receiver{name: name, url: scheme + "://" + address + "/hook", wantMessage: wantMessage, delivered: delivered})
	}
	flood := strings.Repeat("x", 32<<10)
	const slow, dropped = "The receiver was too slow: the limit of 10s was reached while waiting for the response", "The receiver closed the connection before it responded"
	add("hangs", "http", readForever, slow, false)
	add("head at 1 byte a second", "http", respondSlowly(ok+"X-Slow: ", "a", time.Second), slow, false)
	add("body at 1 byte a second", "http", respondSlowly(ok+"\r\n", "a", time.Second), "The receiver responded with 200 OK, but the body was incomplete", true)
	add("endless body", "http", respondSlowly(ok+"\r\n", flood, 0), "The receiver responded with 200 OK", true)
	add("endless head", "http", respondSlowly(ok+"X: ", flood, 0), "The response headers are longer than 32 KiB", false)
	add("points to the metadata", "http", redirect("http://169.254.169.254/latest/meta-data/"), `a redirect to "http://169.254.169.254/latest/meta-data/". Redirects are not followed`, false)
	add("points to loopback", "http", redirect("http://"+at+"/"), `a redirect to "http://`+at+`/". Redirects are not followed`, false)
	add("closes immediately", "http", func(net.Conn) {}, dropped, false)
	add("hangs in the handshake", "https", readForever, "The receiver was too slow: the limit of 10s was reached while", false)
	add("certificate of another", "https", otherCertificate(t, "bank.example"), "The certificate is for bank.example, not for 127.0.0.1", false)
	add("says 500", "http", respondSlowly("HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n", "", 0), "The receiver responded with 500 Internal Server Error", false)
	list = append(list, &receiver{name: "is the metadata", url: "http://169.254.169.254/latest/", wantMessage: "169.254.169.254"})
	for n := range 12 { // exceeds the limit of concurrent attempts
		add(fmt.Sprint("hangs too ", n), "http", readForever, slow, false)
	}
	return list, target
}

// TestEvilReceivers sends the same events to an honest receiver and to many hostile
// receivers of one organization. The honest one must receive them promptly. The deliveries
// of each hostile one must explain its failure.
func TestEvilReceivers(t *testing.T) {
	evil, target := hostileReceivers(t)
	var mu sync.Mutex
	came := map[string]int{}
	honest, _ := serveAndCount(t, func(conn net.Conn) {
		request, err := http.ReadRequest(bufio.NewReader(conn))
		if err != nil {
			return
		}
		mu.Lock()
		came[request.Header.Get("Webhook-Id")]++
		mu.Unlock()
		_, _ = io.Copy(io.Discard, request.Body)
		_, _ = io.WriteString(conn, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
	})
	server := livetest.Start(t, livetest.Config{Args: []string{"--egress-allow", "127.0.0.0/8"}})
	for _, one := range evil {
		one.id = webhookAt(t, server, one.url)
	}
	good := webhookAt(t, server, "http://"+honest+"/hook")
	idle := server.PeakMemory()
	events := 2 * share(60)
	for n := range events {
		server.CreateImport(t, map[string]any{"fields": schema["fields"], "initial_data": inlineRows(n, 3)})
	}
	checkHonest(t, server, good, events)
	mu.Lock()
	defer mu.Unlock()
	if len(came) != events {
		t.Errorf("the honest receiver has %d messages of %d events", len(came), events)
	}
	for id, n := range came {
		if n != 1 {
			t.Errorf("the honest receiver got %d messages about %s", n, id)
		}
	}
	for _, one := range evil {
		one.check(t, server)
	}
	if n := target.Load(); n != 0 {
		t.Errorf("%d connections to the target of a redirect", n)
	}
	used := server.PeakMemory() - idle
	t.Logf("%d events for %d hostile receivers: the service holds %d MB idle and at most %d MB more", events, len(evil), idle>>20, used>>20)
	if used > 100<<20 {
		t.Errorf("hostile receivers cost %d MB", used>>20)
	}
}

func webhookAt(t *testing.T, server *livetest.Server, url string) (id string) {
	t.Helper()
	return server.Call(t, "POST", "/api/v1/webhooks/", map[string]any{"url": url}).WantStatus(http.StatusCreated).String("id")
}

// delivery is a delivery as the API returns it.
type delivery map[string]any

func (d delivery) attempt(n int) map[string]any {
	list := d["attempts"].([]any)
	if n >= len(list) {
		return nil
	}
	return list[n].(map[string]any)
}

func deliveriesOf(t *testing.T, server *livetest.Server, webhook string) (list []delivery) {
	t.Helper()
	for more := true; more; {
		got := server.Call(t, "GET", fmt.Sprintf("/api/v1/webhooks/%s/deliveries/?limit=100&offset=%d", webhook, len(list)), nil).WantStatus(http.StatusOK).Object()
		for _, item := range got["results"].([]any) {
			list = append(list, item.(map[string]any))
		}
		more = got["next"] != nil
	}
	return list
}

// checkHonest waits for the deliveries of the honest receiver and checks that each was sent
// promptly. A hostile receiver occupies its sender for 10 s, which must not delay these
// deliveries.
func checkHonest(t *testing.T, server *livetest.Server, id string, events int) {
	t.Helper()
	var list []delivery
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		done := 0
		list = deliveriesOf(t, server, id)
		for _, d := range list {
			if d["status"] == "DELIVERED" {
				done++
			}
		}
		if done == events {
			break
		}
	}
	var longest time.Duration
	for _, d := range list {
		if d["status"] != "DELIVERED" || d.attempt(1) != nil {
			t.Errorf("an event for the honest receiver: %v", d)
			continue
		}
		longest = max(longest, parseTime(t, d.attempt(0)["date"]).Sub(parseTime(t, d["created_date"])))
	}
	t.Logf("the honest receiver gets each event within %s", longest.Round(time.Millisecond))
	if longest > 4*time.Second {
		t.Errorf("hostile receivers delay the honest one: %s", longest)
	}
}

func parseTime(t *testing.T, text any) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, fmt.Sprint(text))
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// check waits for the first attempt to reach a hostile receiver and checks the result.
func (r *receiver) check(t *testing.T, server *livetest.Server) {
	t.Helper()
	var first map[string]any
	var tried delivery
	for end := time.Now().Add(time.Minute); first == nil && time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		for _, d := range deliveriesOf(t, server, r.id) {
			if first = d.attempt(0); first != nil {
				tried = d
				break
			}
		}
	}
	if first == nil {
		t.Errorf("%s: no attempt is listed", r.name)
		return
	}
	message := fmt.Sprint(first["message"])
	if !strings.Contains(message, r.wantMessage) || first["delivered"] != r.delivered {
		t.Errorf("%s: delivered is %v, the message is %q, want %q", r.name, first["delivered"], message, r.wantMessage)
	}
	for _, word := range []string{"EOF", "dial", "tcp", "net/", "context", "x509", "tls:"} {
		if strings.Contains(message, word) {
			t.Errorf("%s: the message is not readable: %q", r.name, message)
		}
	}
	if waits := tried["next_attempt_date"] != nil; waits == r.delivered {
		t.Errorf("%s: the next attempt is at %v", r.name, tried["next_attempt_date"])
	}
	if kept := len(fmt.Sprint(first["response_body"])); kept > 16<<10 {
		t.Errorf("%s: %d bytes of its response are stored", r.name, kept)
	}
}
