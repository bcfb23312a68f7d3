package egress

import (
	"context"
	"encoding/binary"
	"net"
	"net/netip"
	"strings"
	"testing"
)

const (
	typeA    = 1
	typeAAAA = 28
)

// resolver returns a resolver whose server answers queries according to their type.
// If answer is nil, the server does not respond.
func resolver(t *testing.T, answer func(kind uint16) []netip.Addr) *net.Resolver {
	t.Helper()
	if answer == nil {
		return serving(t, nil)
	}
	return serving(t, func(_ string, kind uint16) []netip.Addr { return answer(kind) })
}

// named returns a resolver whose server answers queries according to their name, from which the
// trailing dot is removed.
func named(t *testing.T, answer func(name string) []netip.Addr) *net.Resolver {
	t.Helper()
	return serving(t, func(name string, kind uint16) []netip.Addr { return fitting(kind, answer(name)) })
}

func serving(t *testing.T, answer func(name string, kind uint16) []netip.Addr) *net.Resolver {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() {
		_ = server.Close()
		<-done
	})
	go func() {
		defer close(done)
		buf := make([]byte, 1500)
		for {
			n, from, err := server.ReadFrom(buf)
			if err != nil {
				return
			}
			if answer != nil {
				_, _ = server.WriteTo(reply(buf[:n], answer), from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp", server.LocalAddr().String())
	}}
}

// reply encodes the response to a query with one question.
func reply(query []byte, answer func(name string, kind uint16) []netip.Addr) []byte {
	end, name := 12, ""
	for query[end] != 0 {
		next := end + int(query[end]) + 1
		name += "." + string(query[end+1:next])
		end = next
	}
	kind := binary.BigEndian.Uint16(query[end+1:])
	addrs := answer(strings.TrimPrefix(name, "."), kind)
	out := append([]byte{}, query[:2]...)
	out = append(out, 0x81, 0x80, 0, 1, 0, byte(len(addrs)), 0, 0, 0, 0)
	out = append(out, query[12:end+5]...)
	for _, addr := range addrs {
		raw := addr.AsSlice()
		out = append(out, 0xc0, 12, 0, byte(kind), 0, 1, 0, 0, 0, 0, 0, byte(len(raw)))
		out = append(out, raw...)
	}
	return out
}

// always returns an answer function that answers every query with the given
// addresses of the queried type.
func always(texts ...string) func(uint16) []netip.Addr {
	var addrs []netip.Addr
	for _, text := range texts {
		addrs = append(addrs, netip.MustParseAddr(text))
	}
	return func(kind uint16) []netip.Addr { return fitting(kind, addrs) }
}

func fitting(kind uint16, addrs []netip.Addr) []netip.Addr {
	var fit []netip.Addr
	for _, addr := range addrs {
		if addr.Is4() && kind == typeA || addr.Is6() && kind == typeAAAA {
			fit = append(fit, addr)
		}
	}
	return fit
}
