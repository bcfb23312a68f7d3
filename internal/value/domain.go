package value

import (
	"bytes"
	"strings"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"

	"github.com/intraydata/intray"
)

// domain is the type domain: a host name with at least two labels, and nothing
// around it. It is written in lower case.
type domain struct {
	subdomains bool
	wrong, sub Result
}

func newDomain(f intray.Field, o options) (Parser, error) {
	return &domain{
		o.flag("allowSubdomains", true),
		wrong(f, intray.NewMessage("domain.invalid", nil)),
		wrong(f, intray.NewMessage("domain.subdomain", nil)),
	}, nil
}

func (d *domain) Parse(c Cell, scratch []byte) Result {
	text := trimmed(c.Raw)
	switch {
	case len(text) == 0:
		return Result{State: Empty}
	case len(text) > 4*maxDomain:
		return d.wrong
	case d.subdomains && plainName(text):
		for _, b := range text {
			scratch = append(scratch, lowerByte(b))
		}
		return outcome(c.Raw, scratch)
	}
	return d.read(c.Raw, text, scratch)
}

// plainName says whether a name is one that needs no mapping: it is ASCII, and no
// label is in the form that other scripts are encoded in.
func plainName(text []byte) bool { return validDomain(text) && !bytes.Contains(text, []byte("--")) }

// read reads names in all scripts.
func (d *domain) read(raw, text, scratch []byte) Result {
	name := strings.ToLower(string(text))
	ascii, err := idna.Lookup.ToASCII(name)
	if err != nil || !validDomain([]byte(ascii)) {
		return d.wrong
	}
	if !d.subdomains {
		if registered, err := publicsuffix.EffectiveTLDPlusOne(ascii); err != nil || registered != ascii {
			return d.sub
		}
	}
	if name != ascii && !strings.Contains(name, "xn--") {
		if name, err = idna.Lookup.ToUnicode(ascii); err != nil {
			return d.wrong
		}
	}
	return outcome(raw, append(scratch, name...))
}
