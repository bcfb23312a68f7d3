package sftp

import (
	"errors"
	"net/netip"
	"strings"
)

// maxHostname and maxLabel are limits of the domain name system.
const (
	maxHostname = 253
	maxLabel    = 63
)

// ValidHostname says what is wrong with the name of a host: nil for a domain
// name of letters, digits and hyphens, and for an IPv4 or IPv6 address.
func ValidHostname(name string) error {
	if name == "" {
		return errors.New("the host name is empty")
	}
	if strings.Contains(name, "://") {
		return errors.New("the host name must stand alone, without sftp:// before it")
	}
	if isAddress(name) {
		return nil
	}
	labels := strings.Split(strings.TrimSuffix(name, "."), ".")
	if len(name) > maxHostname+1 || len(strings.TrimSuffix(name, ".")) > maxHostname {
		return errors.New("the host name is longer than 253 characters")
	}
	for _, label := range labels {
		if !validLabel(label) {
			return errors.New("the host name must be a domain name of letters, digits and hyphens, or an IP address, without user, port or path")
		}
	}
	if last := labels[len(labels)-1]; strings.Trim(last, "0123456789") == "" || strings.HasPrefix(strings.ToLower(last), "0x") {
		return errors.New("the host name ends in a number but is not an IP address")
	}
	return nil
}

func isAddress(name string) bool {
	addr, err := netip.ParseAddr(name)
	return err == nil && addr.Zone() == ""
}

func validLabel(label string) bool {
	if label == "" || len(label) > maxLabel || label[0] == '-' || label[len(label)-1] == '-' {
		return false
	}
	for _, c := range []byte(label) {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return true
}
