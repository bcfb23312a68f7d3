package egress

import (
	"errors"
	"net/netip"
	"strings"
	"testing"
)

// TestSuggestedNetwork checks that allowing the network that an error suggests makes the address
// reachable.
func TestSuggestedNetwork(t *testing.T) {
	for _, text := range []string{
		"10.0.0.5", "127.0.0.1", "::1", "fe80::1", "169.254.169.254", "100.64.0.1", "64:ff9b::7f00:1", "fd00::1", "192.0.2.1",
	} {
		address := netip.AddrPortFrom(netip.MustParseAddr(text), 25).String()
		var refused *RefusedError
		if err := New(Config{}).checkAddress(web, text, address); !errors.As(err, &refused) {
			t.Fatalf("%s: %v, want a RefusedError", text, err)
		}
		suggested, _ := refused.Reason.Params()["network"].(string)
		allow, err := netip.ParsePrefix(suggested)
		if err != nil || !strings.Contains(refused.Error(), "--egress-allow "+suggested) {
			t.Fatalf("%s: %v, suggested %q: %v", text, refused, suggested, err)
		}
		if err := New(Config{Allow: []netip.Prefix{allow}}).checkAddress(web, text, address); err != nil {
			t.Errorf("%s with %s allowed: %v", text, suggested, err)
		}
	}
}
