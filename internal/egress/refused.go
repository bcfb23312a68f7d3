package egress

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// RefusedError says that the door stayed shut. Nothing was sent.
type RefusedError struct {
	// Host is what was to be reached, as it was named.
	Host string
	// Reason is a sentence for the person who named it.
	Reason string
}

func (e *RefusedError) Error() string { return e.Reason }

func refuse(host, problem string) *RefusedError {
	return &RefusedError{Host: host, Reason: strconv.Quote(host) + " cannot be reached: " + problem}
}

// notPublic names the address, what kind it is of, and what would open it.
func notPublic(host string, addr netip.Addr) *RefusedError {
	who := addr.String()
	if who != host {
		who = fmt.Sprintf("%q leads to %s, which", host, addr)
	}
	kind, network := kindOf(addr)
	reason := fmt.Sprintf("%s is %s; the operator can allow it with --egress-allow %s", who, kind, network)
	return &RefusedError{Host: host, Reason: reason}
}

// kinds are the networks that have a name people know. The cure names a whole
// network only where it is one that organizations use as their own.
var kinds = []struct {
	prefix netip.Prefix
	name   string
	whole  bool
}{
	{netip.MustParsePrefix("10.0.0.0/8"), "a private address", true},
	{netip.MustParsePrefix("172.16.0.0/12"), "a private address", true},
	{netip.MustParsePrefix("192.168.0.0/16"), "a private address", true},
	{netip.MustParsePrefix("fc00::/7"), "a private address", true},
	{netip.MustParsePrefix("100.64.0.0/10"), "an address shared behind a provider", true},
	{netip.MustParsePrefix("0.0.0.0/8"), "an address of this machine", false},
	{netip.MustParsePrefix("::/128"), "an address of this machine", false},
	{netip.MustParsePrefix("127.0.0.0/8"), "a loopback address", false},
	{netip.MustParsePrefix("::1/128"), "a loopback address", false},
	{netip.MustParsePrefix("169.254.0.0/16"), "a link-local address", false},
	{netip.MustParsePrefix("fe80::/10"), "a link-local address", false},
	{netip.MustParsePrefix("224.0.0.0/4"), "a multicast address", false},
	{netip.MustParsePrefix("ff00::/8"), "a multicast address", false},
	{netip.MustParsePrefix("64:ff9b::/96"), "an address of a NAT64 gateway", false},
	{netip.MustParsePrefix("2002::/16"), "a 6to4 address", false},
}

func kindOf(addr netip.Addr) (name string, network netip.Prefix) {
	addr = addr.WithZone("")
	alone := netip.PrefixFrom(addr, addr.BitLen())
	for _, kind := range kinds {
		if !kind.prefix.Contains(addr) {
			continue
		}
		if kind.whole {
			return kind.name, kind.prefix
		}
		return kind.name, alone
	}
	return "a reserved address", alone
}

// hostLetters are those of names that the DNS knows; whoever takes others writes
// them as xn--.
const hostLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."

// oddHost refuses numbers that some systems read as an IPv4 address, such as
// 2130706433, 0x7f.1 or 127.1: they have no place in an honest address.
func oddHost(host string) string {
	if host == "" {
		return "it has no host"
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return ""
	}
	labels := strings.Split(strings.TrimSuffix(host, "."), ".")
	last := strings.ToLower(labels[len(labels)-1])
	digits := strings.TrimPrefix(last, "0x")
	if digits != last && strings.Trim(digits, "0123456789abcdef") == "" || strings.Trim(last, "0123456789") == "" {
		return "it is neither a host name nor an ordinary IP address"
	}
	if strings.ContainsFunc(host, func(r rune) bool { return !strings.ContainsRune(hostLetters, r) }) {
		return "it is not a host name"
	}
	return ""
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
