package egress

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// inner is a server that no connection may reach unless it is allowed.
type inner struct {
	net.Listener
	port string
}

func listen(t *testing.T) inner {
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
	return inner{l, port}
}

// wantUntouched knocks itself and expects to be the first.
func (in inner) wantUntouched(t *testing.T) {
	t.Helper()
	mine, err := net.Dial("tcp", in.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = mine.Close() }()
	first, err := in.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = first.Close() }()
	if first.RemoteAddr().String() != mine.LocalAddr().String() {
		t.Errorf("a connection reached the inner server")
	}
}

func wantRefused(t *testing.T, err error, host string, words ...string) {
	t.Helper()
	var refused *RefusedError
	if !errors.As(err, &refused) {
		t.Errorf("%s gave %v, want a RefusedError", host, err)
		return
	}
	if refused.Host != host {
		t.Errorf("the error is about %q, want %q", refused.Host, host)
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%s was refused with %q, want %q in it", host, err, word)
		}
	}
}

func TestInnerAddresses(t *testing.T) {
	server := listen(t)
	dialer := New(Config{Resolver: resolver(t, nil)})
	cases := []struct{ host, want string }{
		{"127.0.0.1", "127.0.0.1 is a loopback address; the operator can allow it with --egress-allow 127.0.0.1/32"},
		{"127.255.255.254", "loopback"},
		{"::1", "::1 is a loopback address; the operator can allow it with --egress-allow ::1/128"},
		{"0:0:0:0:0:0:0:1", "loopback"},
		{"0000:0000:0000:0000:0000:0000:0000:0001", "loopback"},
		{"::ffff:127.0.0.1", "loopback"},
		{"::ffff:7f00:1", "loopback"},
		{"0:0:0:0:0:ffff:127.0.0.1", "loopback"},
		{"::ffff:10.0.0.5", "--egress-allow 10.0.0.0/8"},
		{"::ffff:169.254.169.254", "link-local"},
		{"0.0.0.0", "an address of this machine"},
		{"::", "an address of this machine"},
		{"::ffff:0.0.0.0", "an address of this machine"},
		{"0.1.2.3", "an address of this machine"},
		{"::127.0.0.1", "reserved"},
		{"64:ff9b::7f00:1", "NAT64"},
		{"64:ff9b::10.0.0.5", "NAT64"},
		{"64:ff9b:1::7f00:1", "reserved"},
		{"2002:7f00:1::", "6to4"},
		{"2002:a00:5::1", "6to4"},
		{"2001:0:7f00:1::", "reserved"},
		{"2001:db8::1", "reserved"},
		{"10.0.0.5", "10.0.0.5 is a private address; the operator can allow it with --egress-allow 10.0.0.0/8"},
		{"10.255.255.255", "private"},
		{"172.16.0.1", "--egress-allow 172.16.0.0/12"},
		{"172.31.255.255", "private"},
		{"192.168.1.1", "--egress-allow 192.168.0.0/16"},
		{"fc00::1", "--egress-allow fc00::/7"},
		{"fd12:3456::1", "private"},
		{"fd00:ec2::254", "private"},
		{"fec0::1", "reserved"},
		{"100.64.0.1", "shared behind a provider"},
		{"100.127.255.255", "--egress-allow 100.64.0.0/10"},
		{"169.254.169.254", "link-local address; the operator can allow it with --egress-allow 169.254.169.254/32"},
		{"fe80::1", "link-local"},
		{"fe80::1%lo", "link-local"},
		{"192.0.0.1", "reserved"}, {"192.0.2.1", "reserved"}, {"198.18.0.1", "reserved"},
		{"198.51.100.1", "reserved"}, {"203.0.113.1", "reserved"}, {"240.0.0.1", "reserved"},
		{"255.255.255.255", "reserved"}, {"192.88.99.1", "reserved"}, {"3fff::1", "reserved"},
		{"224.0.0.1", "multicast"}, {"ff02::1", "multicast"}, {"4000::1", "reserved"},
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
	server.wantUntouched(t)
}

type dialFunc = func(ctx context.Context, network, address string) (net.Conn, error)

func dials(d *Dialer) map[string]dialFunc {
	return map[string]dialFunc{"web": d.DialWeb, "sftp": d.DialSFTP}
}

func TestOddHosts(t *testing.T) {
	server := listen(t)
	// A resolver as lenient as some systems are.
	dialer := New(Config{Resolver: resolver(t, always("127.0.0.1"))})
	hosts := []string{
		"2130706433", "0x7f000001", "0x7f.1", "0x7f.0.0.1", "0X7F.0x1", "017700000001", "0177.0.0.1", "127.1",
		"127.0.1", "127.0.0.01", "127.0.0.1.", "1", "0", "0x", "256.256.256.256", "1.2.3.4.5", "example.127", "",
		".", "..", "a..", "a b", "a\tb", "a\x00b", "a\r\nb", "user@127.0.0.1", "127.0.0.1/x", "127.0.0.1#", "a?b",
		"a%41", `a\b`, "[a]",
	}
	for _, host := range hosts {
		address := host + ":" + server.port
		conn, err := dialer.DialWeb(context.Background(), "tcp", address)
		if err == nil {
			_ = conn.Close()
		}
		var refused *RefusedError
		if !errors.As(err, &refused) {
			t.Errorf("%q gave %v, want a RefusedError", host, err)
		}
	}
	server.wantUntouched(t)
}

func TestBadTargets(t *testing.T) {
	dialer := New(Config{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	cases := []struct{ network, address, want string }{
		{"udp", "127.0.0.1:53", "only TCP"}, {"unix", "127.0.0.1:53", "only TCP"}, {"", "127.0.0.1:53", "only TCP"},
		{"tcp", "127.0.0.1", "host:port"}, {"tcp", "::1:80", "host:port"}, {"tcp", "", "host:port"},
		{"tcp", "127.0.0.1:0", "1 to 65535"}, {"tcp", "127.0.0.1:65536", "1 to 65535"},
		{"tcp", "127.0.0.1:http", "1 to 65535"}, {"tcp", "127.0.0.1:", "1 to 65535"}, {"tcp", "127.0.0.1:-1", "1 to 65535"},
	}
	for _, c := range cases {
		_, err := dialer.DialWeb(context.Background(), c.network, c.address)
		var refused *RefusedError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %q gave %v, want a RefusedError with %q", c.network, c.address, err, c.want)
		}
	}
}

func TestNamesThatLeadInside(t *testing.T) {
	server := listen(t)
	cases := map[string][]string{
		"loopback": {"127.0.0.1"}, "loopback6": {"::1"}, "mapped": {"::ffff:127.0.0.1"}, "several": {"10.0.0.5", "127.0.0.1"},
		"both": {"::1", "127.0.0.1"}, "metadata": {"169.254.169.254"},
	}
	for name, addrs := range cases {
		dialer := New(Config{Resolver: resolver(t, always(addrs...))})
		host := name + ".example"
		_, err := dialer.DialWeb(context.Background(), "tcp", host+":"+server.port)
		wantRefused(t, err, host, `"`+host+`" leads to `, "--egress-allow")
	}
	_, err := New(Config{}).DialWeb(context.Background(), "tcp", "localhost:"+server.port)
	wantRefused(t, err, "localhost", "loopback")
	server.wantUntouched(t)
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
	wantRefused(t, err, "::1", "loopback")
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
		start := time.Now()
		_, err := New(c.cfg).DialWeb(c.ctx, "tcp", net.JoinHostPort(c.host, server.port))
		var refused *RefusedError
		if err == nil || errors.As(err, &refused) || !strings.Contains(err.Error(), "connecting to "+c.host) {
			t.Errorf("%s gave %v, want a failure to connect", name, err)
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%s took %v", name, took)
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
			t.Errorf("web to %s gave %v, want open %v", c.address, err, c.web)
		}
		if err := dialer.checkAddress(sftp, "host", c.address); (err == nil) != c.sftp {
			t.Errorf("SFTP to %s gave %v, want open %v", c.address, err, c.sftp)
		}
	}
	wantRefused(t, dialer.checkAddress(web, "host", "8.8.8.8:25"), "host", "port 25 is closed", "80, 443 or one from 1024")
	wantRefused(t, dialer.checkAddress(web, "host", "nonsense"), "host", "cannot be read")
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
