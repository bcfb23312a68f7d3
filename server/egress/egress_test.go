package egress

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// server is a server on an internal address.
type server struct {
	net.Listener
	port string
}

func listen(t *testing.T) server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return server{l, port}
}

// wantNoConnection connects to the server and checks that this is its first connection.
func (s server) wantNoConnection(t *testing.T) {
	t.Helper()
	mine, err := net.Dial("tcp", s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = mine.Close() }()
	first, err := s.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = first.Close() }()
	if first.RemoteAddr().String() != mine.LocalAddr().String() {
		t.Error("a connection reached the server")
	}
}

// wantRefused checks that the message of a RefusedError contains all the given
// codes and parameters.
func wantRefused(t *testing.T, err error, host string, parts ...string) {
	t.Helper()
	var refused *RefusedError
	if !errors.As(err, &refused) {
		t.Errorf("%s: %v, want a RefusedError", host, err)
		return
	}
	if refused.Host != host {
		t.Errorf("the error is about %q, want %q", refused.Host, host)
	}
	message := refused.Reason.Encode()
	for _, part := range parts {
		if !strings.Contains(message, part) {
			t.Errorf("%s: the reason is %s, want %q in it", host, message, part)
		}
	}
}

func TestInnerAddresses(t *testing.T) {
	server := listen(t)
	dialer := New(Config{Resolver: resolver(t, nil)})
	cases := []struct{ host, want string }{
		{"127.0.0.1", `"address":"127.0.0.1","kind":{"code":"egress.loopback_address"},"network":"127.0.0.1/32"`},
		{"127.255.255.254", "egress.loopback_address"},
		{"::1", `"address":"::1","kind":{"code":"egress.loopback_address"},"network":"::1/128"`},
		{"0:0:0:0:0:0:0:1", "egress.loopback_address"},
		{"0000:0000:0000:0000:0000:0000:0000:0001", "egress.loopback_address"},
		{"::ffff:127.0.0.1", "egress.loopback_address"},
		{"::ffff:7f00:1", "egress.loopback_address"},
		{"0:0:0:0:0:ffff:127.0.0.1", "egress.loopback_address"},
		{"::ffff:10.0.0.5", `"network":"10.0.0.0/8"`},
		{"::ffff:169.254.169.254", "egress.link_local_address"},
		{"0.0.0.0", "egress.own_address"},
		{"::", "egress.own_address"},
		{"::ffff:0.0.0.0", "egress.own_address"},
		{"0.1.2.3", "egress.own_address"},
		{"::127.0.0.1", "egress.reserved_address"},
		{"64:ff9b::7f00:1", "egress.nat64_address"},
		{"64:ff9b::10.0.0.5", "egress.nat64_address"},
		{"64:ff9b:1::7f00:1", "egress.reserved_address"},
		{"2002:7f00:1::", "egress.6to4_address"},
		{"2002:a00:5::1", "egress.6to4_address"},
		{"2001:0:7f00:1::", "egress.reserved_address"},
		{"2001:db8::1", "egress.reserved_address"},
		{"10.0.0.5", `"address":"10.0.0.5","kind":{"code":"egress.private_address"},"network":"10.0.0.0/8"`},
		{"10.255.255.255", "egress.private_address"},
		{"172.16.0.1", `"network":"172.16.0.0/12"`},
		{"172.31.255.255", "egress.private_address"},
		{"192.168.1.1", `"network":"192.168.0.0/16"`},
		{"fc00::1", `"network":"fc00::/7"`},
		{"fd12:3456::1", "egress.private_address"},
		{"fd00:ec2::254", "egress.private_address"},
		{"fec0::1", "egress.reserved_address"},
		{"100.64.0.1", "egress.shared_address"},
		{"100.127.255.255", `"network":"100.64.0.0/10"`},
		{"169.254.169.254", `"kind":{"code":"egress.link_local_address"},"network":"169.254.169.254/32"`},
		{"fe80::1", "egress.link_local_address"},
		{"fe80::1%lo", "egress.link_local_address"},
		{"192.0.0.1", "egress.reserved_address"}, {"192.0.2.1", "egress.reserved_address"}, {"198.18.0.1", "egress.reserved_address"},
		{"198.51.100.1", "egress.reserved_address"}, {"203.0.113.1", "egress.reserved_address"}, {"240.0.0.1", "egress.reserved_address"},
		{"255.255.255.255", "egress.reserved_address"}, {"192.88.99.1", "egress.reserved_address"}, {"3fff::1", "egress.reserved_address"},
		{"224.0.0.1", "egress.multicast_address"}, {"ff02::1", "egress.multicast_address"}, {"4000::1", "egress.reserved_address"},
	}
	for _, c := range cases {
		for name, dial := range dials(dialer) {
			conn, err := dial(context.Background(), "tcp", net.JoinHostPort(c.host, server.port))
			if err == nil {
				_ = conn.Close()
			}
			t.Run(name+" "+c.host, func(t *testing.T) { wantRefused(t, err, c.host, c.want) })
		}
	}
	server.wantNoConnection(t)
}

type dialFunc = func(ctx context.Context, network, address string) (net.Conn, error)

func dials(d *Dialer) map[string]dialFunc {
	return map[string]dialFunc{"web": d.DialWeb, "sftp": d.DialSFTP}
}

func TestOddHosts(t *testing.T) {
	server := listen(t)
	// This resolver resolves every host to a loopback address, even a number, as some operating
	// systems do.
	dialer := New(Config{Resolver: resolver(t, always("127.0.0.1"))})
	hosts := []string{
		"2130706433", "0x7f000001", "0x7f.1", "0x7f.0.0.1", "0X7F.0x1", "017700000001", "0177.0.0.1", "127.1",
		"127.0.1", "127.0.0.01", "127.0.0.1.", "1", "0", "0x", "256.256.256.256", "1.2.3.4.5", "example.127", "",
		".", "..", "a..", "a b", "a\tb", "a\x00b", "a\r\nb", "user@127.0.0.1", "127.0.0.1/x", "127.0.0.1#", "a?b",
		"a%41", `a\b`,
	}
	for _, host := range hosts {
		address := host + ":" + server.port
		conn, err := dialer.DialWeb(context.Background(), "tcp", address)
		if err == nil {
			_ = conn.Close()
		}
		var refused *RefusedError
		if !errors.As(err, &refused) {
			t.Errorf("%q: %v, want a RefusedError", host, err)
		}
	}
	_, err := dialer.DialWeb(context.Background(), "tcp", "[a]:"+server.port) // the name a
	wantNoSuchHost(t, err, "a")
	server.wantNoConnection(t)
}

func TestBadTargets(t *testing.T) {
	dialer := New(Config{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	cases := []struct{ network, address, want string }{
		{"udp", "127.0.0.1:53", "egress.not_tcp"}, {"unix", "127.0.0.1:53", "egress.not_tcp"}, {"", "127.0.0.1:53", "egress.not_tcp"},
		{"tcp", "127.0.0.1", "egress.not_host_and_port"}, {"tcp", "::1:80", "egress.not_host_and_port"}, {"tcp", "", "egress.not_host_and_port"},
		{"tcp", "127.0.0.1:0", "egress.invalid_port"}, {"tcp", "127.0.0.1:65536", "egress.invalid_port"},
		{"tcp", "127.0.0.1:http", "egress.invalid_port"}, {"tcp", "127.0.0.1:", "egress.invalid_port"}, {"tcp", "127.0.0.1:-1", "egress.invalid_port"},
	}
	for _, c := range cases {
		_, err := dialer.DialWeb(context.Background(), c.network, c.address)
		var refused *RefusedError
		if !errors.As(err, &refused) || refused.Reason.Code != c.want {
			t.Errorf("%s %q: %v, want a RefusedError with %s", c.network, c.address, err, c.want)
		}
	}
}

func TestNamesOfInternalAddresses(t *testing.T) {
	server := listen(t)
	cases := map[string][]string{
		"loopback": {"127.0.0.1"}, "loopback6": {"::1"}, "mapped": {"::ffff:127.0.0.1"}, "several": {"10.0.0.5", "127.0.0.1"},
		"both": {"::1", "127.0.0.1"}, "metadata": {"169.254.169.254"},
	}
	for name, addrs := range cases {
		dialer := New(Config{Resolver: resolver(t, always(addrs...))})
		host := name + ".example"
		_, err := dialer.DialWeb(context.Background(), "tcp", host+":"+server.port)
		wantNoSuchHost(t, err, host)
	}
	_, err := New(Config{}).DialWeb(context.Background(), "tcp", "localhost:"+server.port)
	wantNoSuchHost(t, err, "localhost")
	server.wantNoConnection(t)
}

func wantNoSuchHost(t *testing.T, err error, host string) {
	t.Helper()
	var refused *RefusedError
	var name *net.DNSError
	if errors.As(err, &refused) || !errors.As(err, &name) || !name.IsNotFound || name.Name != host {
		t.Errorf("%s: %v, want that there is no such host", host, err)
	}
}

// TestFindingS13Names checks that the error for a name that resolves to an internal address is
// the same as for a name that does not exist, on allowed and other ports, and that the log has the
// address, the organization and the network that the operator can allow.
func TestFindingS13Names(t *testing.T) {
	t.Parallel()
	names := named(t, func(name string) []netip.Addr {
		return map[string][]netip.Addr{"db.corp.example": {netip.MustParseAddr("10.1.2.3")}}[name]
	})
	for _, port := range []string{"22", "25", "5432"} {
		for name, dial := range dials(New(Config{Resolver: names})) {
			var errs [2]error
			for i, host := range []string{"db.corp.example", "no.corp.example"} {
				_, errs[i] = dial(context.Background(), "tcp", host+":"+port)
				wantNoSuchHost(t, errs[i], host)
			}
			if strings.Contains(errs[0].Error(), "10.1.2.3") {
				t.Errorf("%s, port %s: %v reveals the address", name, port, errs[0])
			}
		}
	}
	var log bytes.Buffer
	dialer := New(Config{Resolver: names, Log: slog.New(slog.NewTextHandler(&log, nil))})
	_, err := dialer.ForOrg("o-1").DialWeb(context.Background(), "tcp", "db.corp.example:443")
	wantNoSuchHost(t, err, "db.corp.example")
	if want := "org=o-1 address=10.1.2.3 egress_allow=10.0.0.0/8"; !strings.Contains(log.String(), want) {
		t.Errorf("the log is %q, want %q in it", log.String(), want)
	}
}

// TestFindingS13Organizations checks that a network that is allowed for one organization is closed
// to the others.
func TestFindingS13Organizations(t *testing.T) {
	t.Parallel()
	server := listen(t)
	loopback := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	dialer := New(Config{AllowByOrg: map[string][]netip.Prefix{"one": loopback}})
	conn, err := dialer.ForOrg("one").DialWeb(context.Background(), "tcp", "127.0.0.1:"+server.port)
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
	if first, err := server.Accept(); err == nil {
		_ = first.Close()
	}
	for _, d := range []*Dialer{dialer, dialer.ForOrg("two"), dialer.ForOrg("one").ForOrg("two"), dialer.ForOrg("")} {
		_, err := d.DialWeb(context.Background(), "tcp", "127.0.0.1:"+server.port)
		wantRefused(t, err, "127.0.0.1", "egress.not_public")
	}
	server.wantNoConnection(t)
}

func TestAllowed(t *testing.T) {
	server := listen(t)
	allow := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	names := resolver(t, always("127.0.0.1"))
	for _, host := range []string{"127.0.0.1", "::ffff:127.0.0.1", "inside.example", "INSIDE.example."} {
		for name, dial := range dials(New(Config{Allow: allow, Resolver: names})) {
			conn, err := dial(context.Background(), "tcp", net.JoinHostPort(host, server.port))
			if err != nil {
				t.Errorf("%s to %s: %v", name, host, err)
				continue
			}
			_ = conn.Close()
		}
	}
	_, err := New(Config{Allow: allow}).DialWeb(context.Background(), "tcp", "[::1]:"+server.port)
	wantRefused(t, err, "::1", "egress.loopback_address")
}

func TestConnectionFails(t *testing.T) {
	server := listen(t)
	allow := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	cases := map[string]struct {
		cfg  Config
		ctx  context.Context
		host string
	}{
		"nobody listens": {Config{Allow: allow}, context.Background(), "127.0.0.1"},
		"no such name":   {Config{Resolver: resolver(t, always())}, context.Background(), "nowhere.example"},
		"no answer":      {Config{Resolver: resolver(t, nil), Timeout: 50 * time.Millisecond}, context.Background(), "slow.example"},
		"cancelled":      {Config{Allow: allow}, cancelled, "127.0.0.1"},
	}
	for name, c := range cases {
		_, err := New(c.cfg).DialWeb(c.ctx, "tcp", net.JoinHostPort(c.host, server.port))
		var refused *RefusedError
		if err == nil || errors.As(err, &refused) || !strings.Contains(err.Error(), c.host) {
			t.Errorf("%s: %v, want an error of connecting to %s", name, err, c.host)
		}
	}
}

func TestPorts(t *testing.T) {
	dialer := New(Config{Allow: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd00::/8")}})
	cases := []struct {
		address   string
		web, sftp bool
	}{
		{"93.184.215.14:80", true, false}, {"93.184.215.14:443", true, false}, {"93.184.215.14:22", false, true},
		{"93.184.215.14:1024", true, true}, {"93.184.215.14:65535", true, true}, {"93.184.215.14:1023", false, false},
		{"93.184.215.14:25", false, false}, {"93.184.215.14:21", false, false}, {"93.184.215.14:81", false, false},
		{"[2606:2800:21f::1]:443", true, false}, {"[2606:2800:21f::1]:22", false, true}, {"8.8.8.8:53", false, false},
		{"10.1.2.3:25", true, true}, {"10.1.2.3:1", true, true}, {"[fd00::1]:25", true, true},
		{"[fd00::1%eth0]:25", true, true}, {"10.2.0.1:443", false, false}, {"[::ffff:10.1.2.3]:25", true, true},
		{"172.15.255.255:443", true, false}, {"172.32.0.1:443", true, false}, {"100.63.255.255:443", true, false},
		{"100.128.0.1:443", true, false}, {"11.0.0.1:443", true, false}, {"[2003::1]:443", true, false},
	}
	for _, c := range cases {
		if err := dialer.checkAddress(web, "host", c.address); (err == nil) != c.web {
			t.Errorf("web to %s: %v, want allowed %v", c.address, err, c.web)
		}
		if err := dialer.checkAddress(sftp, "host", c.address); (err == nil) != c.sftp {
			t.Errorf("SFTP to %s: %v, want allowed %v", c.address, err, c.sftp)
		}
	}
	wantRefused(t, dialer.checkAddress(web, "host", "8.8.8.8:25"), "host", "egress.closed_web_port", `"port":"25"`)
	wantRefused(t, dialer.checkAddress(web, "host", "nonsense"), "host", "egress.unreadable_address")
}

func TestLimit(t *testing.T) {
	near, far := net.Pipe()
	defer near.Close()
	go func() {
		_, _ = far.Write([]byte("0123456789"))
		_ = far.Close()
	}()
	c := LimitReads(near, 4)
	got, err := io.ReadAll(c)
	if string(got) != "0123" || !errors.Is(err, ErrTooMuch) || !c.Exhausted() {
		t.Errorf("read %q, %v", got, err)
	}
	c.SetLimit(100)
	if got, err = io.ReadAll(c); string(got) != "456789" || err != nil || c.Exhausted() {
		t.Errorf("then %q, %v", got, err)
	}
}

// TestLimitIsExact reads byte by byte. Reads up to the limit must succeed, and the
// next one must fail.
func TestLimitIsExact(t *testing.T) {
	near, far := net.Pipe()
	defer near.Close()
	go func() {
		_, _ = far.Write([]byte("0123"))
		_ = far.Close()
	}()
	c := LimitReads(near, 3)
	for i, want := range []string{"0", "1", "2"} {
		if c.Exhausted() {
			t.Errorf("exhausted after %d bytes", i)
		}
		p := make([]byte, 1)
		if n, err := c.Read(p); n != 1 || string(p) != want || err != nil {
			t.Errorf("byte %d: read %q, %v, want %s", i, p[:n], err, want)
		}
	}
	if n, err := c.Read(make([]byte, 1)); n != 0 || !errors.Is(err, ErrTooMuch) || !c.Exhausted() {
		t.Errorf("after the limit: read %d bytes, %v", n, err)
	}
}

func TestDefaultTimeout(t *testing.T) {
	for timeout, want := range map[time.Duration]time.Duration{-1: DefaultTimeout, 0: DefaultTimeout, 1: 1} {
		if got := New(Config{Timeout: timeout}).timeout; got != want {
			t.Errorf("a timeout of %v becomes %v, want %v", timeout, got, want)
		}
	}
}
