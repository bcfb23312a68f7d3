package egress

import (
	"net/netip"
	"strings"

	"github.com/intraydata/intray"
)

// RefusedError reports that the dialer refused an address. Nothing was sent to the address.
type RefusedError struct {
	// Host is the host that the caller passed.
	Host string
	// Reason is a message for the person who configured the address.
	Reason intray.Message
	// hidden is true if the reason must not be shown because Host is a name.
	hidden bool
}

func (e *RefusedError) Error() string { return e.Reason.String() }

// Describe returns Reason.
func (e *RefusedError) Describe() intray.Message { return e.Reason }

// refuseNonPublic returns the error for an address that is not public. The error
// reports the kind of the address and the network that the operator can allow. It is hidden if the
// host is a name.
func refuseNonPublic(host string, addr netip.Addr, kind intray.Message, network netip.Prefix) *RefusedError {
	_, err := netip.ParseAddr(host)
	params := intray.Params{"address": addr.String(), "kind": kind, "network": network.String()}
	return &RefusedError{Host: host, Reason: intray.NewMessage("egress.not_public", params), hidden: err != nil}
}

// These are the kinds of addresses that are not public.
var (
	private     = intray.NewMessage("egress.private_address", nil)
	provider    = intray.NewMessage("egress.shared_address", nil)
	thisMachine = intray.NewMessage("egress.own_address", nil)
	loopback    = intray.NewMessage("egress.loopback_address", nil)
	linkLocal   = intray.NewMessage("egress.link_local_address", nil)
	multicast   = intray.NewMessage("egress.multicast_address", nil)
	nat64       = intray.NewMessage("egress.nat64_address", nil)
	sixToFour   = intray.NewMessage("egress.6to4_address", nil)
	reserved    = intray.NewMessage("egress.reserved_address", nil)
)

// specialNetworks are the networks whose addresses are not public, according to the IANA
// special-purpose address registries as of November 2026, plus multicast and the retired class E:
//
//   - https://www.iana.org/assignments/iana-ipv4-special-registry
//   - https://www.iana.org/assignments/iana-ipv6-special-registry
//
// All IPv6 addresses outside globalUnicast are special as well, so the table lists only those
// networks outside it that have a kind of their own. An entry also covers the more specific
// networks in the registries. whole marks the networks that organizations use for their own
// machines. For those, the error suggests allowing the whole network instead of one address.
var specialNetworks = []struct {
	prefix netip.Prefix
	kind   intray.Message
	whole  bool
}{
	{netip.MustParsePrefix("0.0.0.0/8"), thisMachine, false},      // RFC 791
	{netip.MustParsePrefix("10.0.0.0/8"), private, true},          // RFC 1918
	{netip.MustParsePrefix("100.64.0.0/10"), provider, true},      // RFC 6598
	{netip.MustParsePrefix("127.0.0.0/8"), loopback, false},       // RFC 1122
	{netip.MustParsePrefix("169.254.0.0/16"), linkLocal, false},   // RFC 3927
	{netip.MustParsePrefix("172.16.0.0/12"), private, true},       // RFC 1918
	{netip.MustParsePrefix("192.0.0.0/24"), reserved, false},      // IETF protocols, RFC 6890
	{netip.MustParsePrefix("192.0.2.0/24"), reserved, false},      // documentation, RFC 5737
	{netip.MustParsePrefix("192.31.196.0/24"), reserved, false},   // AS112, RFC 7535
	{netip.MustParsePrefix("192.52.193.0/24"), reserved, false},   // AMT, RFC 7450
	{netip.MustParsePrefix("192.88.99.0/24"), reserved, false},    // 6to4 relays, RFC 7526
	{netip.MustParsePrefix("192.168.0.0/16"), private, true},      // RFC 1918
	{netip.MustParsePrefix("192.175.48.0/24"), reserved, false},   // AS112, RFC 7534
	{netip.MustParsePrefix("198.18.0.0/15"), reserved, false},     // benchmarks, RFC 2544
	{netip.MustParsePrefix("198.51.100.0/24"), reserved, false},   // documentation, RFC 5737
	{netip.MustParsePrefix("203.0.113.0/24"), reserved, false},    // documentation, RFC 5737
	{netip.MustParsePrefix("224.0.0.0/4"), multicast, false},      // RFC 5771
	{netip.MustParsePrefix("240.0.0.0/4"), reserved, false},       // RFC 1112
	{netip.MustParsePrefix("::/128"), thisMachine, false},         // RFC 4291
	{netip.MustParsePrefix("::1/128"), loopback, false},           // RFC 4291
	{netip.MustParsePrefix("64:ff9b::/96"), nat64, false},         // RFC 6052
	{netip.MustParsePrefix("fc00::/7"), private, true},            // RFC 4193
	{netip.MustParsePrefix("fe80::/10"), linkLocal, false},        // RFC 4291
	{netip.MustParsePrefix("ff00::/8"), multicast, false},         // RFC 4291
	{netip.MustParsePrefix("2001::/23"), reserved, false},         // IETF protocols, RFC 2928
	{netip.MustParsePrefix("2001:db8::/32"), reserved, false},     // documentation, RFC 3849
	{netip.MustParsePrefix("2002::/16"), sixToFour, false},        // RFC 3056
	{netip.MustParsePrefix("2620:4f:8000::/48"), reserved, false}, // AS112, RFC 7534
	{netip.MustParsePrefix("3fff::/20"), reserved, false},         // documentation, RFC 9637
}

// globalUnicast is the range from which IANA assigns public IPv6 addresses.
var globalUnicast = netip.MustParsePrefix("2000::/3")

// classify returns the kind of an address that is not public, and the network that the operator
// must allow to make the address reachable. ok is false for a public address. The caller must
// convert IPv4-mapped IPv6 addresses to IPv4 first.
func classify(addr netip.Addr) (kind intray.Message, network netip.Prefix, ok bool) {
	plain := addr.WithZone("")
	network = netip.PrefixFrom(plain, plain.BitLen())
	for _, special := range specialNetworks {
		if !special.prefix.Contains(plain) {
			continue
		}
		if special.whole {
			network = special.prefix
		}
		return special.kind, network, true
	}
	// An address with a zone is in no prefix and is never public.
	return reserved, network, addr.Is6() && !globalUnicast.Contains(addr)
}

// hostLetters are the characters of DNS names. Internationalized names are encoded with the
// prefix xn--.
const hostLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."

// hostProblem returns why a host is invalid, or the zero message. It refuses numbers that some
// systems parse as an IPv4 address, such as 2130706433, 0x7f.1 and 127.1.
func hostProblem(host string) intray.Message {
	if host == "" {
		return intray.NewMessage("egress.no_host", nil)
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return intray.Message{}
	}
	labels := strings.Split(strings.TrimSuffix(host, "."), ".")
	last := strings.ToLower(labels[len(labels)-1])
	digits := strings.TrimPrefix(last, "0x")
	if digits != last && strings.Trim(digits, "0123456789abcdef") == "" || strings.Trim(last, "0123456789") == "" {
		return intray.NewMessage("egress.not_host_nor_address", intray.Params{"host": host})
	}
	if strings.ContainsFunc(host, func(r rune) bool { return !strings.ContainsRune(hostLetters, r) }) {
		return intray.NewMessage("egress.not_host_name", intray.Params{"host": host})
	}
	return intray.Message{}
}
