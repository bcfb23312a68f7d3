package value

import (
	"bytes"
	"slices"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"

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
	u := webURL{
		protocols: lowered(o.texts("acceptedProtocols")), domains: lowered(o.texts("acceptedDomains")),
		wrong:  wrong(f, "This is not a web address. Write it with its protocol, like https://example.org/page."),
		parser: whatwg.NewParser(),
	}
	for i, p := range u.protocols {
		u.protocols[i] = strings.TrimRight(p, ":/")
	}
	taken := "This address is not taken:"
	if len(u.protocols) > 0 {
		taken += " its protocol must be " + strings.Join(u.protocols, " or ") + "."
	}
	if len(u.domains) > 0 {
		taken += " its domain must be " + strings.Join(u.domains, " or ") + "."
	}
	u.other = wrong(f, taken)
	return u, nil
}

func lowered(list []string) []string {
	for i := range list {
		list[i] = strings.ToLower(strings.TrimSpace(list[i]))
	}
	return list
}

func (u webURL) Parse(c Cell, scratch []byte) Result {
	text := bytes.TrimSpace(c.Raw)
	if len(text) == 0 {
		return Result{State: Empty}
	}
	if len(text) > maxURL || bytes.IndexByte(text, ':') <= 0 {
		return u.wrong
	}
	if scheme, host, plain := plainURL(text); plain {
		return u.judge(string(scheme), string(host), c.Raw, text)
	}
	parsed, err := u.parser.Parse(string(text))
	if err != nil || parsed.Hostname() == "" && !slices.Contains(u.protocols, parsed.Scheme()) {
		return u.wrong
	}
	host := parsed.Hostname()
	if isWebScheme(parsed.Scheme()) && !isHost(host) {
		return u.wrong
	}
	return u.judge(parsed.Scheme(), host, c.Raw, append(scratch, parsed.Href(false)...))
}

// judge holds a URL against what the field accepts.
func (u webURL) judge(scheme, host string, raw, value []byte) Result {
	if len(u.protocols) > 0 && !slices.Contains(u.protocols, scheme) || len(u.domains) > 0 && !u.accepts(host) {
		return u.other
	}
	return outcome(raw, value)
}

// accepts says whether a host is one of the accepted domains, or below one.
func (u webURL) accepts(host string) bool {
	for _, domain := range u.domains {
		if host == domain || strings.HasSuffix(host, "."+domain) {
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

// plainURL knows the URLs that the standard leaves as they are: http or https, a
// host in lower case with a path, and nothing that would be written otherwise.
func plainURL(text []byte) (scheme, host []byte, plain bool) {
	scheme, rest, _ := bytes.Cut(text, []byte("://"))
	if s := string(scheme); s != "http" && s != "https" {
		return nil, nil, false
	}
	end := bytes.IndexByte(rest, '/')
	if end < 1 || !plainHost(rest[:end]) || bytes.Contains(rest[end:], []byte("/.")) || bytes.Contains(rest, []byte("%2")) {
		return nil, nil, false
	}
	for _, c := range rest[end:] {
		if !plainPath[c] {
			return nil, nil, false
		}
	}
	return scheme, rest[:end], true
}

func plainHost(host []byte) bool {
	dots := 0
	for i, c := range host {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '-':
		case c == '.' && i > 0 && i < len(host)-1 && host[i-1] != '.':
			dots++
		default:
			return false
		}
	}
	last := host[bytes.LastIndexByte(host, '.')+1:]
	return dots > 0 && last[0] >= 'a' && !bytes.HasPrefix(host, []byte("xn--")) && !bytes.Contains(host, []byte(".xn--"))
}

// plainPath are the bytes that stay as they are in a path, a query and a
// fragment.
var plainPath = func() (set [256]bool) {
	for c := range 128 {
		set[c] = isAlnum(byte(c)) || strings.IndexByte("/-._~!$&()*+,;=:@?#%", byte(c)) >= 0
	}
	return set
}()

// domain is the type domain: a host name with at least two labels, and nothing
// around it. It is written in lower case.
type domain struct {
	subdomains bool
	wrong, sub Result
}

func newDomain(f intray.Field, o options) (Parser, error) {
	return domain{
		o.flag("allowSubdomains", true),
		wrong(f, "This is not a domain. Write it like example.org, without a protocol or a path."),
		wrong(f, "This is a domain below another. Write the one that can be registered, like example.org."),
	}, nil
}

func (d domain) Parse(c Cell, scratch []byte) Result {
	text := bytes.TrimSpace(c.Raw)
	if len(text) == 0 {
		return Result{State: Empty}
	}
	if len(text) > 4*maxDomain {
		return d.wrong
	}
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
	return outcome(c.Raw, append(scratch, name...))
}
