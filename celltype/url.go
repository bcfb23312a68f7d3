package celltype

import (
	"bytes"
	"strings"

	"golang.org/x/net/idna"

	"github.com/intraydata/intray"
)

// urlParser parses the type url: an absolute URL that is valid in the WHATWG URL Standard.
type urlParser struct {
	// protocols and domains are the accepted ones. They are empty if all are accepted.
	protocols, domains map[string]bool
	// longestDomain is the length of the longest accepted domain, in bytes.
	longestDomain        int
	invalid, notAccepted Result
}

// maxURL is the maximum length of a URL in bytes.
const maxURL = 8 << 10

func newURL(f intray.Field, o options) (Parser, error) {
	protocols, domains := lowerAll(o.stringList("acceptedProtocols")), asciiHosts(o.stringList("acceptedDomains"))
	for i, p := range protocols {
		protocols[i] = strings.TrimRight(p, ":/")
	}
	u := &urlParser{protocols: setOf(protocols), domains: setOf(domains), invalid: invalidResult(f, intray.NewMessage("url.invalid", nil))}
	for domain := range u.domains {
		u.longestDomain = max(u.longestDomain, len(domain))
	}
	shownProtocols, shownDomains := intray.ShortOrList(protocols), intray.ShortOrList(domains)
	switch {
	case len(protocols) > 0 && len(domains) > 0:
		u.notAccepted = invalidResult(f, intray.NewMessage("url.other_protocol_or_domain", intray.Params{"protocols": shownProtocols, "domains": shownDomains}))
	case len(protocols) > 0:
		u.notAccepted = invalidResult(f, intray.NewMessage("url.other_protocol", intray.Params{"protocols": shownProtocols}))
	case len(domains) > 0:
		u.notAccepted = invalidResult(f, intray.NewMessage("url.other_domain", intray.Params{"domains": shownDomains}))
	}
	return u, nil
}

func setOf(list []string) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, text := range list {
		set[text] = true
	}
	return set
}

func lowerAll(list []string) []string {
	for i := range list {
		list[i] = strings.ToLower(strings.TrimSpace(list[i]))
	}
	return list
}

// asciiHosts returns domains as they appear in URLs: in lower case and ASCII.
func asciiHosts(list []string) []string {
	for i, name := range lowerAll(list) {
		name = strings.Trim(strings.TrimPrefix(name, "*."), ".")
		if ascii, err := idna.Lookup.ToASCII(name); err == nil {
			name = ascii
		}
		list[i] = name
	}
	return list
}

func (u *urlParser) Parse(c Cell, scratch []byte) Result {
	text := trimSpace(c.Raw)
	if len(text) == 0 {
		return Result{State: Empty}
	}
	if len(text) > maxURL {
		return u.invalid
	}
	if value, p, plain := appendSimpleURL(scratch, text); plain {
		return u.checkAccepted(p, c.Raw, value)
	}
	if bytes.IndexByte(text, ':') <= 0 {
		return u.invalid
	}
	parsed, ok := parseURL(string(text))
	if !ok || parsed.host == "" && !u.protocols[parsed.scheme] {
		return u.invalid
	}
	if isWebScheme(parsed.scheme) && !isHost(parsed.host) {
		return u.invalid
	}
	r := u.checkAccepted(urlOrigin{parsed.scheme, []byte(parsed.host)}, c.Raw, append(scratch, parsed.href...))
	if r.State != Invalid && !u.protocols[parsed.scheme] && isMistypedScheme(parsed.scheme, 1) {
		r.Note = noteMistypedScheme
	}
	return r
}

// noteMistypedScheme is the note of an address whose protocol is almost http or https.
var noteMistypedScheme = &Note{Code: "url", Level: intray.LevelWarning, Text: intray.NewMessage("url.mistyped_protocol", nil)}

// urlOrigin holds the parts of a URL that a field can restrict.
type urlOrigin struct {
	scheme string
	host   []byte
}

// checkAccepted returns the result for a URL, which is invalid if the field
// does not accept its scheme or host.
func (u *urlParser) checkAccepted(p urlOrigin, raw, value []byte) Result {
	if len(u.protocols) > 0 && !u.protocols[p.scheme] || len(u.domains) > 0 && !u.acceptsHost(p.host) {
		return u.notAccepted
	}
	return newResult(raw, value)
}

// acceptsHost reports whether a host is an accepted domain or one of its subdomains.
func (u *urlParser) acceptsHost(host []byte) bool {
	for {
		if len(host) <= u.longestDomain && u.domains[string(host)] {
			return true
		}
		_, parent, found := bytes.Cut(host, dot)
		if !found {
			return false
		}
		host = parent
	}
}

var dot = []byte{'.'}

func isWebScheme(scheme string) bool {
	return scheme == "http" || scheme == "https" || scheme == "ftp" || scheme == "ws" || scheme == "wss"
}

// isHost reports whether host is a name with a dot, an IP address or localhost.
func isHost(host string) bool {
	return strings.ContainsAny(host, ".:") || host == "localhost"
}

// appendSimpleURL appends the canonical form of a simple URL: http or https, an
// ASCII host with a dot, and a path that the standard would neither encode nor
// resolve. It converts the scheme and host to lower case, drops a default port,
// and adds a missing path. It reports false for any other URL.
func appendSimpleURL(dst, text []byte) (value []byte, p urlOrigin, plain bool) {
	scheme, rest, small := cutScheme(text)
	if scheme == "" {
		return nil, p, false
	}
	end, capitals := scanHost(rest)
	if end == 0 {
		return nil, p, false
	}
	tail, port := rest[end:], []byte(nil)
	if len(tail) > 0 && tail[0] == ':' {
		port, tail = cutPort(tail)
	}
	if !isSimplePath(tail) {
		return nil, p, false
	}
	p = urlOrigin{scheme, rest[:end]}
	slash := len(tail) > 0 && tail[0] == '/'
	if small && !capitals && port == nil && slash {
		return text, p, true
	}
	dst = append(append(dst, scheme...), "://"...)
	from := len(dst)
	dst = append(dst, rest[:end]...)
	p.host = dst[from:]
	for i, c := range p.host {
		p.host[i] = lowerByte(c)
	}
	if !isDefaultPort(scheme, port) {
		dst = append(dst, port...)
	}
	if !slash {
		dst = append(dst, '/')
	}
	return append(dst, tail...), p, true
}

// cutScheme removes the scheme and reports whether it was in lower case.
func cutScheme(text []byte) (scheme string, rest []byte, small bool) {
	switch {
	case len(text) < 9:
		return "", nil, false
	case string(text[:8]) == "https://":
		return "https", text[8:], true
	case string(text[:7]) == "http://":
		return "http", text[7:], true
	case bytes.EqualFold(text[:8], []byte("https://")):
		return "https", text[8:], false
	case bytes.EqualFold(text[:7], []byte("http://")):
		return "http", text[7:], false
	}
	return "", nil, false
}

// scanHost returns the end of the host, and reports whether it has upper-case letters. It
// returns 0 unless the host has at least two labels, none is encoded, and the last one starts
// with a letter, so that the host is not an IP address.
func scanHost(rest []byte) (end int, capitals bool) {
	dot, before := -1, byte('.')
	for ; end < len(rest); end++ {
		c := rest[end]
		if c == '.' {
			dot = end
		} else if !hostBytes[c] {
			break
		}
		if c == before && (c == '.' || c == '-') {
			return 0, false
		}
		capitals = capitals || c-'A' < 26
		before = c
	}
	if dot < 0 || before == '.' || lowerByte(rest[dot+1])-'a' >= 26 {
		return 0, false
	}
	return end, capitals
}

// cutPort removes a port of at most four digits. Any other port stays in the
// rest, so that isSimplePath rejects it.
func cutPort(tail []byte) (port, rest []byte) {
	end := 1
	for end < len(tail) && tail[end]-'0' < 10 {
		end++
	}
	if end < 2 || end > 5 || tail[1] == '0' {
		return nil, tail
	}
	return tail[:end], tail[end:]
}

func isDefaultPort(scheme string, port []byte) bool {
	return scheme == "https" && string(port) == ":443" || scheme == "http" && string(port) == ":80"
}

// isSimplePath reports whether a path, with its query and fragment, is in canonical form.
func isSimplePath(tail []byte) bool {
	if len(tail) > 0 && tail[0] != '/' && tail[0] != '?' && tail[0] != '#' {
		return false
	}
	for i, c := range tail {
		switch pathBytes[c] {
		case byteEncoded:
			return false
		case byteDotSegment:
			// The standard resolves dot segments, even if they are encoded.
			if c == '.' && i > 0 && tail[i-1] == '/' || c == '%' && i+2 < len(tail) && tail[i+1] == '2' && tail[i+2]|0x20 == 'e' {
				return false
			}
		}
	}
	return true
}

// pathByte specifies what the standard does with a byte after the host.
type pathByte uint8

const (
	byteEncoded pathByte = iota
	byteVerbatim
	// byteDotSegment bytes are kept unless they are part of a dot segment.
	byteDotSegment
)

var pathBytes = func() (set [256]pathByte) {
	for c := range 128 {
		switch {
		case c == '.' || c == '%':
			set[c] = byteDotSegment
		case isAlnum(byte(c)) || strings.IndexByte("/-_~!$&()*+,;=:@?#", byte(c)) >= 0:
			set[c] = byteVerbatim
		}
	}
	return set
}()
