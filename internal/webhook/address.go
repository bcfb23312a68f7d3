package webhook

import (
	"crypto/tls"
	"net"
	"net/url"
	"strings"

	"golang.org/x/net/idna"

	"github.com/intraydata/intray"
)

// maxAddress is the longest address, in bytes.
const maxAddress = 2048

// address is where a receiver is.
type address struct {
	url *url.URL
	// host is the name in ASCII or the IP address, dial is host:port.
	host, dial string
}

// CheckAddress says why a text cannot be the address of a receiver, in a sentence
// without its subject, which is the address, and without a full stop. It looks nothing up: whether the address leads
// outside is known when it is called.
func CheckAddress(text string) error {
	_, err := parseAddress(text)
	return err
}

func parseAddress(text string) (address, error) {
	u, err := url.Parse(text)
	switch {
	case len(text) > maxAddress:
		return address{}, &intray.MessageError{Message: intray.NewMessage("webhook.url_too_long", intray.Params{"n": maxAddress})}
	case err != nil:
		return address{}, &intray.MessageError{Message: intray.NewMessage("webhook.url_unreadable", nil)}
	case u.Scheme != "http" && u.Scheme != "https" || u.Opaque != "" || u.Hostname() == "":
		return address{}, &intray.MessageError{Message: intray.NewMessage("webhook.url_without_host", nil)}
	case u.User != nil:
		return address{}, &intray.MessageError{Message: intray.NewMessage("webhook.url_with_password", nil)}
	}
	host := strings.ToLower(u.Hostname())
	if strings.ContainsFunc(host, func(r rune) bool { return r > '~' }) {
		if host, err = idna.Lookup.ToASCII(host); err != nil {
			return address{}, &intray.MessageError{Message: intray.NewMessage("webhook.url_with_unknown_host", nil)}
		}
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return address{url: u, host: host, dial: net.JoinHostPort(host, port)}, nil
}

// tlsConfig is nil where the address begins with http.
func (a address) tlsConfig(base *tls.Config) *tls.Config {
	if a.url.Scheme != "https" {
		return nil
	}
	cfg := base.Clone()
	cfg.ServerName = a.host
	return cfg
}
