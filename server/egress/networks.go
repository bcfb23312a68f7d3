package egress

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/intraydata/intray"
)

// RefusedError says that the door stayed shut. Nothing was sent.
type RefusedError struct {
	// Host is what was to be reached, as it was named.
	Host string
	// Reason is a sentence for the person who named it.
	Reason intray.Message
}

func (e *RefusedError) Error() string { return e.Reason.String() }

// Describe returns the reason.
func (e *RefusedError) Describe() intray.Message { return e.Reason }

// refuseNonPublic names the address, what kind it is of, and what would open it.
func refuseNonPublic(host string, addr netip.Addr) *RefusedError {
	kind, network := networkKind(addr)
	params := intray.Params{"address": addr.String(), "kind": kind, "network": network.String()}
	if addr.String() == host {
		return &RefusedError{Host: host, Reason: intray.NewMessage("egress.not_public", params)}
	}
	params["host"] = host
	return &RefusedError{Host: host, Reason: intray.NewMessage("egress.leads_to_not_public", params)}
}

// The kinds of addresses that are not public.
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

// namedNetworks are the networks that have a name people know. The cure names a whole
// network only where it is one that organizations use as their own.
var namedNetworks = []struct {
	prefix netip.Prefix
	name   intray.Message
	whole  bool
}{
	{netip.MustParsePrefix("10.0.0.0/8"), private, true},
	{netip.MustParsePrefix("172.16.0.0/12"), private, true},
	{netip.MustParsePrefix("192.168.0.0/16"), private, true},
	{netip.MustParsePrefix("fc00::/7"), private, true},
	{netip.MustParsePrefix("100.64.0.0/10"), provider, true},
	{netip.MustParsePrefix("0.0.0.0/8"), thisMachine, false},
	{netip.MustParsePrefix("::/128"), thisMachine, false},
	{netip.MustParsePrefix("127.0.0.0/8"), loopback, false},
	{netip.MustParsePrefix("::1/128"), loopback, false},
	{netip.MustParsePrefix("169.254.0.0/16"), linkLocal, false},
	{netip.MustParsePrefix("fe80::/10"), linkLocal, false},
	{netip.MustParsePrefix("224.0.0.0/4"), multicast, false},
	{netip.MustParsePrefix("ff00::/8"), multicast, false},
	{netip.MustParsePrefix("64:ff9b::/96"), nat64, false},
	{netip.MustParsePrefix("2002::/16"), sixToFour, false},
}

func networkKind(addr netip.Addr) (name intray.Message, network netip.Prefix) {
	addr = addr.WithZone("")
	alone := netip.PrefixFrom(addr, addr.BitLen())
	for _, kind := range namedNetworks {
		if !kind.prefix.Contains(addr) {
			continue
		}
		if kind.whole {
			return kind.name, kind.prefix
		}
		return kind.name, alone
	}
	return reserved, alone
}

// hostLetters are those of names that the DNS knows; whoever takes others writes
// them as xn--.
const hostLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."

// hostProblem refuses numbers that some systems read as an IPv4 address, such as
// 2130706433, 0x7f.1 or 127.1: they have no place in an honest address.
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

// ParseAllow reads the networks of --egress-allow: CIDR prefixes or single
// addresses, separated by commas. The empty text allows nothing.
func ParseAllow(text string) ([]netip.Prefix, error) {
	var allow []netip.Prefix
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	for _, part := range strings.Split(text, ",") {
		prefix, err := parseNetwork(strings.TrimSpace(part))
		if err != nil {
			return nil, fmt.Errorf("reading the allowed networks: %w", err)
		}
		allow = append(allow, prefix)
	}
	return allow, nil
}

func parseNetwork(text string) (netip.Prefix, error) {
	var none netip.Prefix
	if addr, err := netip.ParseAddr(text); err == nil && addr.Zone() == "" {
		addr = addr.Unmap()
		return netip.PrefixFrom(addr, addr.BitLen()), nil
	}
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		return none, fmt.Errorf("%q is not a network such as 10.0.0.0/8", text)
	}
	if prefix.Addr().Is4In6() {
		return none, fmt.Errorf("%q is an IPv4 network written as IPv6; write it as IPv4", text)
	}
	if masked := prefix.Masked(); masked != prefix {
		return none, fmt.Errorf("%q has bits beyond its length; write %s or %s", text, masked, prefix.Addr())
	}
	return prefix, nil
}
