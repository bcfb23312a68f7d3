package egress

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync/atomic"
	"testing"
)

// internalAddresses returns examples of internal addresses to which a name can resolve.
func internalAddresses() []netip.Addr {
	var list []netip.Addr
	for _, text := range []string{
		"127.0.0.1", "10.0.0.5", "169.254.169.254", "192.168.1.1", "100.64.0.1", "::1", "fd00:ec2::254", "64:ff9b::7f00:1", "2002:7f00:1::1", "::ffff:127.0.0.1",
	} {
		list = append(list, netip.MustParseAddr(text))
	}
	return list
}

// canDial reports whether the dialer connects to an address.
func canDial(t *testing.T, dialer *Dialer, address string) bool {
	t.Helper()
	conn, err := dialer.DialWeb(context.Background(), "tcp", address)
	var refused *RefusedError
	var hidden *net.DNSError
	if err != nil && !errors.As(err, &refused) && !errors.As(err, &hidden) {
		t.Errorf("%s: %v, want a connection or a refusal", address, err)
	}
	if err == nil {
		_ = conn.Close()
	}
	return err == nil
}

// TestNameThatChanges checks that a name that first resolved to a public address is refused if
// it resolves to an internal one when it is dialed.
func TestNameThatChanges(t *testing.T) {
	w := newRecorder(t)
	for _, addr := range internalAddresses() {
		var internal atomic.Bool
		names := named(t, func(string) []netip.Addr {
			if internal.Load() {
				return []netip.Addr{addr}
			}
			return []netip.Addr{publicFour, publicSix}
		})
		seen, err := names.LookupNetIP(context.Background(), "ip4", "flip.example.")
		if err != nil || seen[0].Unmap() != publicFour {
			t.Fatalf("the first lookup returned %v, %v", seen, err)
		}
		internal.Store(true)
		if canDial(t, New(Config{Resolver: names}), "flip.example:"+w.port) {
			t.Errorf("connected to %s", addr)
		}
	}
	w.wantOnly(t)
}

// TestNameThatNeverStays checks that no internal address is reached if the answers of a name
// server vary, both within a lookup and between lookups.
func TestNameThatNeverStays(t *testing.T) {
	if !isEverywhere() {
		// Some of the answers are public addresses, and tests must not connect to them.
		return
	}
	w := newRecorder(t)
	for _, addr := range internalAddresses() {
		var asked atomic.Int32
		dialer := New(Config{Resolver: named(t, func(string) []netip.Addr {
			if asked.Add(1)%3 == 0 {
				return []netip.Addr{publicFour, publicSix}
			}
			return []netip.Addr{addr}
		})})
		open := 0
		for range 30 {
			if canDial(t, dialer, "flip.example:"+w.port) {
				open++
			}
		}
		t.Logf("%s: connected %d times of 30", addr, open)
		if open == 0 || open == 30 {
			t.Errorf("a name of %s and public addresses connected %d times of 30", addr, open)
		}
	}
	w.wantOnly(t, publicFour, publicSix)
}

// TestNameWithManyAddresses checks that, of the addresses of a name, the dialer never connects
// to an internal one, but does connect to a public one.
func TestNameWithManyAddresses(t *testing.T) {
	w := newRecorder(t)
	internal := internalAddresses()
	if canDial(t, New(Config{Resolver: named(t, func(string) []netip.Addr { return internal })}), "many.example:"+w.port) {
		t.Error("connected to a name with internal addresses only")
	}
	w.wantOnly(t)
	if !isEverywhere() {
		return
	}
	for _, addrs := range [][]netip.Addr{append(internalAddresses(), publicFour), append([]netip.Addr{publicSix}, internal...)} {
		dialer := New(Config{Resolver: named(t, func(string) []netip.Addr { return addrs })})
		for range 10 {
			if !canDial(t, dialer, "many.example:"+w.port) {
				t.Error("refused a name with a public address")
			}
		}
	}
	w.wantOnly(t, publicFour, publicSix)
}
