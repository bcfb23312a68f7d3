package server

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestMaxConnections(t *testing.T) {
	for files, want := range map[uint64]int{0: 4096, 1: 1, 120: 40, 1024: 341, 1 << 20: 4096, 1<<64 - 1: 4096} {
		if got := maxConnections(files); got != want {
			t.Errorf("with %d files %d connections, want %d", files, got, want)
		}
	}
	if openFiles() < 64 {
		t.Errorf("this process may open %d files", openFiles())
	}
}

func addressNumber(n int) netip.Addr { return netip.AddrFrom4([4]byte{192, 0, 2, byte(n)}) }

// TestConnectionTable checks which connection is closed for a new one.
func TestConnectionTable(t *testing.T) {
	const proxy = 9
	limits := connectionLimits{total: 7, reserved: 2, perAddress: 3, unknown: 4, proxies: []netip.Prefix{netip.PrefixFrom(addressNumber(proxy), 32)}}
	for name, c := range map[string]struct {
		// open lists the open connections: the number of the address, with k for a valid
		// credential and b for a request in progress.
		open string
		from int
		want string
		// reserved means that the new connection serves only health checks.
		reserved bool
	}{
		"room":                                {"1 1 2b 2k", 1, "", false},
		"the address, idle first":             {"1b 1kb 1", 1, "2 address", false},
		"the address, idle with a credential": {"1b 1kb 1k", 1, "2 address", false},
		"the address, the oldest":             {"1 1 1", 1, "0 address", false},
		"the address, busy":                   {"1kb 1b 1kb", 1, "1 address", false},
		"the address, all in use":             {"1kb 1kb 1kb", 1, "", true},
		"another address":                     {"1kb 1kb 1kb", 2, "", false},
		"a proxy":                             {"9kb 9kb 9kb 9kb", 9, "", false},
		"unknown, the largest address":        {"1 2 2 3", 4, "1 unknown", false},
		"unknown, not the proxy":              {"9 9 9 1", 4, "3 unknown", false},
		"unknown, busy":                       {"1b 2b 2b 3b", 4, "1 unknown", false},
		"unknown, idle before busy":           {"2b 2b 2b 1", 4, "3 unknown", false},
		"the total, idle":                     {"1kb 1kb 2kb 2k 3b", 4, "3 total", false},
		"the total, all in use":               {"1kb 1kb 2kb 2kb 3kb", 4, "", true},
	} {
		table := newConnectionTable(limits)
		var open []*trackedConnection
		for text := range strings.FieldsSeq(c.open) {
			conn := &trackedConnection{}
			if surplus := table.add(conn, addressNumber(int(text[0]-'0'))); len(surplus) > 0 {
				t.Fatalf("%s: the open connections exceed a limit", name)
			}
			table.update(conn, func() { conn.known, conn.busy = strings.Contains(text, "k"), strings.Contains(text, "b") })
			open = append(open, conn)
		}
		conn := &trackedConnection{}
		var got []string
		for _, s := range table.add(conn, addressNumber(c.from)) {
			for i, other := range open {
				if s.trackedConnection == other {
					got = append(got, fmt.Sprint(i, " ", s.limit))
				}
			}
		}
		if text := strings.Join(got, ", "); text != c.want || conn.healthOnly != c.reserved {
			t.Errorf("%s: closed %q, reserved %v; want %q, %v", name, text, conn.healthOnly, c.want, c.reserved)
		}
	}
}

// TestConnectionTableKeepsItsLimits changes a table at random. No limit may be exceeded, no
// connection with a valid request may be closed, and every new connection must be accepted.
func TestConnectionTableKeepsItsLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limits := newConnectionLimits(rapid.IntRange(2, 40).Draw(t, "total"), rapid.IntRange(0, 5).Draw(t, "per address"), nil)
		table := newConnectionTable(limits)
		open := map[*trackedConnection]int{}
		var order []*trackedConnection
		some := func() *trackedConnection {
			order = slices.DeleteFunc(order, func(c *trackedConnection) bool { _, still := open[c]; return !still })
			if len(order) == 0 {
				return nil
			}
			return rapid.SampledFrom(order).Draw(t, "connection")
		}
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			switch c := some(); rapid.IntRange(0, 5).Draw(t, "step") {
			case 0, 1, 2:
				added, from := &trackedConnection{}, rapid.IntRange(1, 6).Draw(t, "from")
				for _, s := range table.add(added, addressNumber(from)) {
					if s.busy && s.known && !s.healthOnly {
						t.Fatal("a connection with a valid request was closed")
					}
					delete(open, s.trackedConnection)
				}
				open[added], order = from, append(order, added)
			case 3:
				if c != nil {
					table.update(c, func() { c.busy = !c.busy })
				}
			case 4:
				if c != nil {
					table.update(c, func() { c.known = true })
				}
			case 5:
				if c != nil {
					table.mu.Lock()
					table.remove(c)
					table.mu.Unlock()
					delete(open, c)
				}
			}
			checkTable(t, table, open)
		}
	})
}

// checkTable checks that a table counts its open connections, and that they keep its limits.
// open maps each of them to its address.
func checkTable(t *rapid.T, table *connectionTable, open map[*trackedConnection]int) {
	limits := table.limits
	byAddress, unknown, reserved := map[int]int{}, 0, 0
	for c, from := range open {
		if c.healthOnly {
			reserved++
			continue
		}
		byAddress[from]++
		if !c.known {
			unknown++
		}
	}
	for from, n := range byAddress {
		if n > limits.perAddress {
			t.Fatalf("%d connections from address %d, the limit is %d", n, from, limits.perAddress)
		}
	}
	if known, counted, kept := table.counts(); counted != unknown || kept != reserved || known+unknown+reserved != len(open) || len(table.addresses) != len(byAddress) {
		t.Fatalf("the table counts %d, %d and %d of %d connections, %d are unknown and %d reserved; %d addresses of %d", known, counted, kept, len(open), unknown, reserved, len(table.addresses), len(byAddress))
	}
	if unknown > limits.unknown || reserved > limits.reserved || len(open) > max(limits.total, limits.reserved+1) {
		t.Fatalf("%d connections, %d unknown, %d reserved exceed %+v", len(open), unknown, reserved, limits)
	}
}

// slowConnections is the number of connections that TestFindingS4Exhaustion opens. The variable
// INTRAY_SLOW_CONNECTIONS selects another number. The server then has its usual limits.
func slowConnections(t *testing.T) (n int, cfg Config) {
	cfg = good()
	if text := os.Getenv("INTRAY_SLOW_CONNECTIONS"); text != "" {
		n, err := strconv.Atoi(text)
		must(t, err)
		return n, cfg
	}
	cfg.maxConnections = 64
	return 90, cfg
}

// TestFindingS4Exhaustion opens more slow connections from one address than the server accepts.
// Neither health checks nor clients with a key may notice, from this address or from another.
func TestFindingS4Exhaustion(t *testing.T) {
	n, cfg := slowConnections(t)
	cfg.Data, cfg.Listen, cfg.MetricsListen = filepath.Join(t.TempDir(), "data"), "127.0.0.1:0", freeAddress(t)
	cfg.BackendKey = "bk_" + strings.Repeat("a", 43)
	s := serve(t, cfg)
	address := strings.TrimPrefix(s.url, "http://")
	other := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
	idle, err := other.DialContext(t.Context(), "tcp", address)
	must(t, err)
	defer idle.Close()
	ask := func(when string) {
		_, err := io.WriteString(idle, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
		must(t, err)
		response, err := http.ReadResponse(bufio.NewReader(idle), nil)
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("%s, a connection from another address: %v, %v", when, response, err)
		}
	}
	ask("before")
	slow := []string{
		"",
		"GET /healthz HTTP/1.1\r\nHost: ",
		"POST /api/v1/schemas/ HTTP/1.1\r\nHost: x\r\nContent-Length: 30000000\r\n\r\nx",
		"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
	}
	for i := range n {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
		must(t, err)
		defer conn.Close()
		_, _ = io.WriteString(conn, slow[i%len(slow)]) // the server may have closed it
	}
	began := time.Now()
	status, _ := s.ask("GET", "/healthz", "", "")
	health := time.Since(began)
	began = time.Now()
	listed, text := s.ask("GET", "/api/v1/schemas/", cfg.BackendKey, "")
	t.Logf("%d slow connections: /healthz took %v, a client with a key %v", n, health, time.Since(began))
	if status != http.StatusOK || listed != http.StatusOK {
		t.Errorf("statuses %d and %d: %s", status, listed, text)
	}
	ask("during the attack")
	_, text = s.ask("GET", "http://"+cfg.MetricsListen+"/metrics", "", "")
	if got, least := metric(t, text, `intray_connections_closed_total{limit="address"}`), n-cfg.connectionLimits().perAddress; got < least {
		t.Errorf("%d connections were closed, want %d or more", got, least)
	}
	if got := metric(t, text, `intray_connections{state="unauthenticated"}`); got > cfg.connectionLimits().perAddress+1 {
		t.Errorf("%d connections without a credential are open, want %d", got, cfg.connectionLimits().perAddress+1)
	}
	must(t, s.end())
}

// metric returns the value of a metric.
func metric(t *testing.T, text, name string) int {
	t.Helper()
	found := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + ` (\d+)$`).FindStringSubmatch(text)
	if found == nil {
		t.Fatalf("there is no metric %s:\n%.3000s", name, text)
	}
	n, err := strconv.Atoi(found[1])
	must(t, err)
	return n
}

// TestFindingS4Reserve checks that health checks are answered even if all connections are in use
// by clients with a key, and that other requests learn that the server is busy.
func TestFindingS4Reserve(t *testing.T) {
	cfg := good()
	cfg.Data, cfg.Listen, cfg.maxConnections, cfg.MaxConnectionsPerAddress = filepath.Join(t.TempDir(), "data"), "127.0.0.1:0", 5, 100
	cfg.BackendKey = "bk_" + strings.Repeat("a", 43)
	s := serve(t, cfg)
	for range 4 {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.url, "http://"))
		must(t, err)
		defer conn.Close()
		// The server asks for the body once it has checked the key. It then waits for the body.
		_, err = io.WriteString(conn, "POST /api/v1/schemas/ HTTP/1.1\r\nHost: x\r\nX-Service-License-Key: "+cfg.BackendKey+"\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n")
		must(t, err)
		line, err := bufio.NewReader(conn).ReadString('\n')
		if err != nil || !strings.Contains(line, "100") {
			t.Fatalf("the server did not accept the key: %q, %v", line, err)
		}
	}
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 200, "/api/v1/schemas/": 503, "/": 503} {
		r, err := http.NewRequestWithContext(t.Context(), "GET", s.url+path, nil)
		must(t, err)
		r.Header.Set("X-Service-License-Key", cfg.BackendKey)
		response, err := s.client.Do(r)
		must(t, err)
		must(t, response.Body.Close())
		if response.StatusCode != want || !response.Close || (response.Header.Get("Retry-After") != "") != (want == 503) {
			t.Errorf("%s: status %d, want %d; closed: %v; %v", path, response.StatusCode, want, response.Close, response.Header)
		}
	}
	s.stop()
	<-s.ended // with an error or not: the bodies never arrive
}

// TestOpenFiles checks that a limit on open files that is too small to work is reported at the
// start.
func TestOpenFiles(t *testing.T) {
	for files, want := range map[uint64]struct{ refused, logged bool }{
		0: {}, 1: {refused: true}, 64: {refused: true}, 127: {refused: true}, 128: {logged: true}, 255: {logged: true}, 256: {}, 65536: {},
	} {
		var log bytes.Buffer
		err := checkOpenFiles(files, slog.New(slog.NewTextHandler(&log, nil)))
		var usage UsageError
		if errors.As(err, &usage) != want.refused || strings.Contains(log.String(), "level=ERROR") != want.logged {
			t.Errorf("%d files: error %v, log %q", files, err, log.String())
		}
		if text := fmt.Sprint(err) + log.String(); (want.refused || want.logged) && !strings.Contains(text, "ulimit -n") {
			t.Errorf("%d files: %q does not say what to do", files, text)
		}
	}
}
