package egress

import (
	"context"
	"errors"
	"net/netip"
	"sync/atomic"
	"testing"
)

// innerAddresses are some of those that a name may turn to.
func innerAddresses() []netip.Addr {
	var list []netip.Addr
	for _, text := range []string{
		"127.0.0.1", "10.0.0.5", "169.254.169.254", "192.168.1.1", "100.64.0.1", "::1", "fd00:ec2::254", "64:ff9b::7f00:1", "2002:7f00:1::1", "::ffff:127.0.0.1",
	} {
		list = append(list, netip.MustParseAddr(text))
	}
	return list
}

// canDial dials and says whether the door was open.
func canDial(t *testing.T, dialer *Dialer, address string) bool {
	t.Helper()
	conn, err := dialer.DialWeb(context.Background(), "tcp", address)
	var refused *RefusedError
	if err != nil && !errors.As(err, &refused) {
		t.Errorf("%s gave %v, want a connection or a RefusedError", address, err)
	}
	if err == nil {
		_ = conn.Close()
	}
	return err == nil
}

// The name leads outside when somebody looks it up, and inside when it is dialled.
func TestNameThatChanges(t *testing.T) {
	w := newWorld(t)
	for _, addr := range innerAddresses() {
		var inside atomic.Bool
		names := named(t, func(string) []netip.Addr {
			if inside.Load() {
				return []netip.Addr{addr}
			}
			return []netip.Addr{publicFour, publicSix}
		})
		seen, err := names.LookupNetIP(context.Background(), "ip4", "flip.example.")
		if err != nil || seen[0].Unmap() != publicFour {
			t.Fatalf("the first look gave %v, %v", seen, err)
		}
		inside.Store(true)
		if canDial(t, New(Config{Resolver: names}), "flip.example:"+w.port) {
			t.Errorf("the door was open to %s", addr)
		}
	}
	w.wantOnly(t)
}

// The name server answers the questions of one look-up differently, and each
// look-up differently from the one before.
func TestNameThatNeverStays(t *testing.T) {
	if !isEverywhere() {
		// Half of the addresses are public: no test may call them.
		return
	}
	w := newWorld(t)
	for _, addr := range innerAddresses() {
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
		t.Logf("%s: the door was open %d times of 30", addr, open)
		if open == 0 || open == 30 {
			t.Errorf("the name that leads to %s and outside was open %d times of 30", addr, open)
		}
	}
	w.wantOnly(t, publicFour, publicSix)
}

// A name has addresses of all kinds, in any order: each is looked at by itself.
func TestNameWithManyAddresses(t *testing.T) {
	w := newWorld(t)
	inner := innerAddresses()
	if canDial(t, New(Config{Resolver: named(t, func(string) []netip.Addr { return inner })}), "many.example:"+w.port) {
		t.Error("the door was open to a name with inner addresses alone")
	}
	w.wantOnly(t)
	if !isEverywhere() {
		return
	}
	for _, addrs := range [][]netip.Addr{append(innerAddresses(), publicFour), append([]netip.Addr{publicSix}, inner...)} {
		dialer := New(Config{Resolver: named(t, func(string) []netip.Addr { return addrs })})
		for range 10 {
			if !canDial(t, dialer, "many.example:"+w.port) {
				t.Error("the door was shut to a name with a public address")
			}
		}
	}
	w.wantOnly(t, publicFour, publicSix)
}
