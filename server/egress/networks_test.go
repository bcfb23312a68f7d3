package egress

import (
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
			t.Errorf("ParseAllow(%q) gave %v, %v, want an error with %q", text, prefixes, err, want)
		}
	}
}

// What the cure names must cure.
func TestCureOpens(t *testing.T) {
	for _, text := range []string{
		"10.0.0.5", "127.0.0.1", "::1", "fe80::1", "169.254.169.254", "100.64.0.1", "64:ff9b::7f00:1", "fd00::1", "192.0.2.1",
	} {
		addr := netip.MustParseAddr(text)
		kind, network, _ := classify(addr)
		_, cure, ok := strings.Cut(refuseNonPublic(text, addr, kind, network).Error(), "--egress-allow ")
		allow, err := ParseAllow(cure)
		if !ok || err != nil {
			t.Fatalf("the cure for %s is %q: %v", text, cure, err)
		}
		address := netip.AddrPortFrom(addr, 25).String()
		if err := New(Config{Allow: allow}).checkAddress(web, text, address); err != nil {
			t.Errorf("%s is still shut: %v", text, err)
		}
	}
}
