package value

import (
	"bytes"
	"slices"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
	"golang.org/x/net/idna"

	"github.com/intraydata/intray"
)

// webURL is the type url: an absolute address with a scheme, read by the WHATWG
// URL Standard (https://url.spec.whatwg.org), which also takes out what is too
// many: slashes behind the scheme, segments of dots.
type webURL struct {
	protocols, domains []string
	wrong, other       Result
	parser             whatwg.Parser
}

// maxURL is the most bytes of a URL.
const maxURL = 8 << 10

func newURL(f intray.Field, o options) (Parser, error) {
	u := &webURL{
		protocols: lowered(o.texts("acceptedProtocols")), domains: hostNames(o.texts("acceptedDomains")),
		wrong:  wrong(f, intray.NewMessage("url.invalid", nil)),
		parser: whatwg.NewParser(),
	}
	for i, p := range u.protocols {
		u.protocols[i] = strings.TrimRight(p, ":/")
	}
	switch {
	case len(u.protocols) > 0 && len(u.domains) > 0:
		u.other = wrong(f, intray.NewMessage("url.other_protocol_or_domain", intray.Params{"protocols": u.protocols, "domains": u.domains}))
	case len(u.protocols) > 0:
		u.other = wrong(f, intray.NewMessage("url.other_protocol", intray.Params{"protocols": u.protocols}))
	case len(u.domains) > 0:
		u.other = wrong(f, intray.NewMessage("url.other_domain", intray.Params{"domains": u.domains}))
	}
	return u, nil
}

func lowered(list []string) []string {
	for i := range list {
		list[i] = strings.ToLower(strings.TrimSpace(list[i]))
	}
	return list
}

// hostNames writes domains as URLs have them: in lower case, and those of other
// scripts in their encoded form.
func hostNames(list []string) []string {
	for i, name := range lowered(list) {
		name = strings.Trim(strings.TrimPrefix(name, "*."), ".")
		if ascii, err := idna.Lookup.ToASCII(name); err == nil {
			name = ascii
		}
		list[i] = name
	}
	return list
}

func (u *webURL) Parse(c Cell, scratch []byte) Result {
	text := trimmed(c.Raw)
	if len(text) == 0 {
		return Result{State: Empty}
	}
	if len(text) > maxURL {
		return u.wrong
	}
	if value, p, plain := plainURL(scratch, text); plain {
		return u.judge(p, c.Raw, value)
	}
	if bytes.IndexByte(text, ':') <= 0 {
		return u.wrong
	}
	parsed, err := u.parser.Parse(string(text))
	if err != nil || parsed.Hostname() == "" && !slices.Contains(u.protocols, parsed.Scheme()) {
		return u.wrong
	}
	p := place{parsed.Scheme(), []byte(parsed.Hostname())}
	if isWebScheme(p.scheme) && !isHost(parsed.Hostname()) {
		return u.wrong
	}
	return u.judge(p, c.Raw, append(scratch, parsed.Href(false)...))
}

// place is where a URL points to.
type place struct {
	scheme string
	host   []byte
}

// judge holds a URL against what the field accepts.
func (u *webURL) judge(p place, raw, value []byte) Result {
	if len(u.protocols) > 0 && !slices.Contains(u.protocols, p.scheme) || len(u.domains) > 0 && !u.accepts(p.host) {
		return u.other
	}
	return outcome(raw, value)
}

// accepts says whether a host is one of the accepted domains, or below one.
func (u *webURL) accepts(host []byte) bool {
	for _, domain := range u.domains {
		below := len(host) - len(domain)
		if below >= 0 && string(host[below:]) == domain && (below == 0 || host[below-1] == '.') {
			return true
		}
	}
	return false
}

func isWebScheme(scheme string) bool {
	return scheme == "http" || scheme == "https" || scheme == "ftp" || scheme == "ws" || scheme == "wss"
}

// isHost wants a name with a dot, an address, or localhost.
func isHost(host string) bool {
	return strings.ContainsAny(host, ".:") || host == "localhost"
}
