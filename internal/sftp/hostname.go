package sftp

import (
	"net/netip"
	"strings"

	"github.com/intraydata/intray"
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
		return &intray.MessageError{Message: intray.NewMessage("hostname.empty", nil)}
	}
	if strings.Contains(name, "://") {
		return &intray.MessageError{Message: intray.NewMessage("hostname.with_protocol", intray.Params{"protocol": "sftp://"})}
	}
	if isAddress(name) {
		return nil
	}
	labels := strings.Split(strings.TrimSuffix(name, "."), ".")
	if len(name) > maxHostname+1 || len(strings.TrimSuffix(name, ".")) > maxHostname {
		return &intray.MessageError{Message: intray.NewMessage("hostname.too_long", intray.Params{"n": maxHostname})}
	}
	for _, label := range labels {
		if !validLabel(label) {
			return &intray.MessageError{Message: intray.NewMessage("hostname.invalid", nil)}
		}
	}
	if last := labels[len(labels)-1]; strings.Trim(last, "0123456789") == "" || strings.HasPrefix(strings.ToLower(last), "0x") {
		return &intray.MessageError{Message: intray.NewMessage("hostname.ends_in_number", nil)}
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
