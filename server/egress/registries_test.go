package egress

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"testing"
)

// listedNetworks returns all entries of the IANA special-purpose address registries for IPv4 and
// IPv6 as of November 2026, and of the registries of multicast and retired networks. The list
// does not contain ::ffff:0:0/96, because those addresses count as the IPv4 addresses that they
// contain.
func listedNetworks() []netip.Prefix {
	var list []netip.Prefix
	for _, text := range []string{
		"0.0.0.0/8", "0.0.0.0/32", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
		"192.0.0.0/29", "192.0.0.8/32", "192.0.0.9/32", "192.0.0.10/32", "192.0.0.170/32", "192.0.0.171/32", "192.0.2.0/24",
		"192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.88.99.2/32", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15",
		"198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4", "255.255.255.255/32",
		"::/128", "::1/128", "::/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "100:0:0:1::/64", "2001::/23",
		"2001::/32", "2001:1::1/128", "2001:1::2/128", "2001:1::3/128", "2001:2::/48", "2001:3::/32", "2001:4:112::/48", "2001:10::/28",
		"2001:20::/28", "2001:30::/28", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10",
		"fec0::/10", "ff00::/8",
	} {
		list = append(list, netip.MustParsePrefix(text))
	}
	return list
}

// last returns the last address of a network.
func last(p netip.Prefix) netip.Addr {
	raw := p.Addr().AsSlice()
	for bit := p.Bits(); bit < len(raw)*8; bit++ {
		raw[bit/8] |= 1 << (7 - bit%8)
	}
	addr, _ := netip.AddrFromSlice(raw)
	return addr
}

// TestRegistries checks that the first and the last address of each special network are refused.
func TestRegistries(t *testing.T) {
	w, dialer := newRecorder(t), New(Config{Resolver: resolver(t, nil)})
	var inside []netip.Addr
	for _, network := range listedNetworks() {
		ends := []netip.Addr{network.Addr(), last(network), network.Addr().Next()}
		for _, addr := range ends {
			if !network.Contains(addr) {
				continue
			}
			inside = append(inside, addr)
			if addr.Is4() {
				inside = append(inside, netip.AddrFrom16(addr.As16()))
			}
		}
	}
	for _, addr := range inside {
		for name, dial := range dials(dialer) {
			conn, err := dial(context.Background(), "tcp", net.JoinHostPort(addr.String(), w.port))
			if err == nil {
				_ = conn.Close()
			}
			var refused *RefusedError
			if !errors.As(err, &refused) {
				t.Errorf("%s to %s: %v, want a RefusedError", name, addr, err)
			}
		}
	}
	w.wantOnly(t)
	if !isEverywhere() {
		return
	}
	arrive := 0
	for _, addr := range inside {
		if w.isReachable(addr) {
			arrive++
		}
	}
	t.Logf("of %d special addresses %d would have been reached", len(inside), arrive)
	if arrive < len(inside)*2/3 {
		t.Errorf("only %d of %d special addresses can be reached at all", arrive, len(inside))
	}
}

// The addresses next to a special network are allowed unless they are special as well.
func TestNeighborsOfRegistries(t *testing.T) {
	dialer, all := New(Config{}), listedNetworks()
	global, open := netip.MustParsePrefix("2000::/3"), 0
	for _, network := range all {
		for _, addr := range []netip.Addr{network.Addr().Prev(), last(network).Next()} {
			special := !addr.IsValid() || addr.Is6() && !global.Contains(addr)
			for _, other := range all {
				special = special || other.Contains(addr)
			}
			err := dialer.checkAddress(web, "host", netip.AddrPortFrom(addr, 443).String())
			if addr.IsValid() && (err != nil) != special {
				t.Errorf("%s next to %s: special is %v, got %v", addr, network, special, err)
			}
			if err == nil {
				open++
			}
		}
	}
	if open < 30 {
		t.Errorf("only %d neighbors are allowed", open)
	}
}

var (
	publicFour = netip.MustParseAddr("93.184.215.14")
	publicSix  = netip.MustParseAddr("2606:2800:21f:cb07:6820:80da:af6b:8b2c")
)

// TestPublicAddressesAreReached is a control test: if every address is local,
// connections to public addresses must arrive.
func TestPublicAddressesAreReached(t *testing.T) {
	w := newRecorder(t)
	if !isEverywhere() {
		w.wantOnly(t)
		return
	}
	dialer := New(Config{})
	for _, addr := range []netip.Addr{publicFour, publicSix} {
		conn, err := dialer.DialWeb(context.Background(), "tcp", net.JoinHostPort(addr.String(), w.port))
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.Close()
		w.await(func(m acceptedConn) bool { return m.to == addr })
	}
	w.wantOnly(t, publicFour, publicSix)
}

// TestAllowListOpens is a control test: allowing an address must allow no other address.
func TestAllowListOpens(t *testing.T) {
	w := newRecorder(t)
	opened := []netip.Addr{netip.MustParseAddr("127.0.0.1")}
	if isEverywhere() {
		opened = append(opened, netip.MustParseAddr("10.0.0.5"), netip.MustParseAddr("fd00:ec2::254"), netip.MustParseAddr("169.254.169.254"), netip.MustParseAddr("64:ff9b::7f00:1"))
	}
	for _, addr := range opened {
		dialer := New(Config{Allow: []netip.Prefix{netip.PrefixFrom(addr, addr.BitLen())}})
		conn, err := dialer.DialWeb(context.Background(), "tcp", net.JoinHostPort(addr.String(), w.port))
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.Close()
		w.await(func(m acceptedConn) bool { return m.to == addr })
		for _, other := range []netip.Addr{addr.Next(), addr.Prev(), netip.MustParseAddr("192.168.1.1"), netip.MustParseAddr("::1")} {
			if conn, err := dialer.DialWeb(context.Background(), "tcp", net.JoinHostPort(other.String(), w.port)); err == nil {
				_ = conn.Close()
				t.Errorf("allowing %s also allows %s", addr, other)
			}
		}
	}
	w.wantOnly(t, opened...)
}
