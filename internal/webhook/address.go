package webhook

import (
	"crypto/tls"
	"errors"
	"net"
	"net/url"
	"strings"

	"golang.org/x/net/idna"
)

// maxAddress is the longest address, in bytes.
const maxAddress = 2048

// address is where a receiver is.
type address struct {
	url *url.URL
	// host is the name in ASCII or the IP address, dial is host:port.
	host, dial string
}

// CheckAddress says, in a sentence for the person who gave it, why a text cannot
// be the address of a receiver. It looks nothing up: whether the address leads
// outside is known when it is called.
func CheckAddress(text string) error {
	_, err := parseAddress(text)
	return err
}

func parseAddress(text string) (address, error) {
	u, err := url.Parse(text)
	switch {
	case len(text) > maxAddress:
		return address{}, errors.New("the address is longer than 2048 characters")
	case err != nil:
		return address{}, errors.New("the address cannot be read as a web address")
	case u.Scheme != "http" && u.Scheme != "https" || u.Opaque != "" || u.Hostname() == "":
		return address{}, errors.New("the address must begin with https:// or http:// and a host")
	case u.User != nil:
		return address{}, errors.New("the address must not contain a user name or password; calls are signed instead")
	}
	host := strings.ToLower(u.Hostname())
	if strings.ContainsFunc(host, func(r rune) bool { return r > '~' }) {
		if host, err = idna.Lookup.ToASCII(host); err != nil {
			return address{}, errors.New("the host of the address is not a name that can be looked up")
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
