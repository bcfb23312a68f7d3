package egress

import (
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"code.dny.dev/ssrf"
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

// TestClassifyLikeModule compares classify with code.dny.dev/ssrf on both sides of every
// boundary of both tables. Between two boundaries, neither answer changes.
func TestClassifyLikeModule(t *testing.T) {
	guardian := ssrf.New(ssrf.WithAnyPort(), ssrf.WithAnyNetwork())
	boundaries := append(slices.Concat(ssrf.IPv4DeniedPrefixes, ssrf.IPv6DeniedPrefixes, listedNetworks()), ssrf.IPv6GlobalUnicast, netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0"))
	for _, special := range specialNetworks {
		boundaries = append(boundaries, special.prefix)
	}
	compared := 0
	compare := func(addr netip.Addr) {
		if !addr.IsValid() {
			return
		}
		compared++
		if _, _, special := classify(addr); special != (guardian.SafeAddr(addr) != nil) {
			t.Errorf("%s: special is %v, the module disagrees", addr, special)
		}
	}
	for _, p := range boundaries {
		for _, addr := range []netip.Addr{p.Addr(), p.Addr().Prev(), last(p), last(p).Next()} {
			compare(addr)
			if addr.Is6() {
				compare(addr.WithZone("eth0"))
			}
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 1_000_000 {
		var four [4]byte
		var sixteen [16]byte
		binary.BigEndian.PutUint32(four[:], random.Uint32())
		binary.BigEndian.PutUint64(sixteen[:], random.Uint64())
		compare(netip.AddrFrom4(four))
		if sixteen[0] != 0 {
			compare(netip.AddrFrom16(sixteen))
		}
	}
	t.Logf("%d addresses were compared", compared)
}
