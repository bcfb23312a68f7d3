package egress

import (
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseAllow(t *testing.T) {
	cases := []struct {
		text string
		want []string
	}{
		{"", nil}, {"  ", nil},
		{"10.0.0.0/8", []string{"10.0.0.0/8"}},
		{" 10.0.0.0/8 ,fd00::/8,\t127.0.0.1/32", []string{"10.0.0.0/8", "fd00::/8", "127.0.0.1/32"}},
		{"10.0.0.5", []string{"10.0.0.5/32"}}, {"::1", []string{"::1/128"}},
		{"::ffff:10.0.0.5", []string{"10.0.0.5/32"}}, {"0.0.0.0/0,::/0", []string{"0.0.0.0/0", "::/0"}},
	}
	for _, c := range cases {
		prefixes, err := ParseAllow(c.text)
		var got []string
		for _, p := range prefixes {
			got = append(got, p.String())
		}
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("ParseAllow(%q): %v (-want +got)\n%s", c.text, err, diff)
		}
	}
}

func TestParseAllowRefuses(t *testing.T) {
	cases := map[string]string{
		",": "is not a network", "10.0.0.0/8,": "is not a network", "10.0.0.0/33": "is not a network",
		"example.com": "is not a network", "10.0.0.0-10.0.0.9": "is not a network", "10.0/8": "is not a network",
		"10.0.0.5/8": "write 10.0.0.0/8 or 10.0.0.5", "fd00::1/8": "write fd00::/8 or fd00::1",
		"::ffff:10.0.0.0/104": "write it as IPv4", "fe80::1%eth0": "is not a network",
	}
	for text, want := range cases {
		prefixes, err := ParseAllow(text)
		if err == nil || prefixes != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseAllow(%q) returned %v, %v, want an error with %q", text, prefixes, err, want)
		}
	}
}

// The network that an error suggests makes the address reachable.
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
		allow, err := ParseAllow(suggested)
		if err != nil || !strings.Contains(refused.Error(), "--egress-allow "+suggested) {
			t.Fatalf("%s: %v, suggested %q: %v", text, refused, suggested, err)
		}
		if err := New(Config{Allow: allow}).checkAddress(web, text, address); err != nil {
			t.Errorf("%s with %s allowed: %v", text, suggested, err)
		}
	}
}
