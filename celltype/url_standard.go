package celltype

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// standardURL is an absolute URL in the canonical form of the WHATWG URL Standard
// (https://url.spec.whatwg.org). The standard resolves dot segments, drops surplus slashes after
// the scheme and percent-encodes reserved characters.
type standardURL struct {
	// host is empty if the URL has none.
	scheme, host, href string
}

// defaultPorts maps each special scheme to its default port.
var defaultPorts = map[string]string{"ftp": "21", "file": "", "http": "80", "https": "443", "ws": "80", "wss": "443"}

// The percent-encode sets of the standard contain these ASCII characters, and
// all control characters and characters above ~.
const (
	opaqueSet       = ""
	fragmentSet     = " \"<>`"
	querySet        = " \"#<>"
	specialQuerySet = querySet + "'"
	pathSet         = querySet + "?`{}"
	userinfoSet     = pathSet + "/:;=@[\\]^|"
	// forbiddenHost and forbiddenDomain are characters that are not encoded but
	// make a URL invalid.
	forbiddenHost   = "\x00\t\n\r #/:<>?@[\\]^|"
	forbiddenDomain = forbiddenHost + "%\x7f"
)

// percentEncode encodes control characters, characters above ~ and the characters of a set.
func percentEncode(text, set string) string {
	var out []byte
	for _, r := range text {
		if r >= ' ' && r <= '~' && strings.IndexByte(set, byte(r)) < 0 {
			out = append(out, byte(r))
			continue
		}
		var encoded [utf8.UTFMax]byte
		for _, b := range encoded[:utf8.EncodeRune(encoded[:], r)] {
			out = append(out, '%', "0123456789ABCDEF"[b>>4], "0123456789ABCDEF"[b&15])
		}
	}
	return string(out)
}

// parseURL parses a URL with the standard's basic URL parser and no base URL.
func parseURL(text string) (u standardURL, ok bool) {
	text = strings.TrimFunc(text, func(r rune) bool { return r <= ' ' })
	text = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(text)
	scheme, rest, found := strings.Cut(text, ":")
	u.scheme = strings.ToLower(scheme)
	if !found || !isURLScheme(u.scheme) {
		return u, false
	}
	rest, fragment, hasFragment := strings.Cut(rest, "#")
	rest, query, hasQuery := strings.Cut(rest, "?")
	defaultPort, special := defaultPorts[u.scheme]
	if special {
		rest = strings.ReplaceAll(rest, `\`, "/")
	}
	authority, path := "", ""
	switch {
	case u.scheme == "file":
		u.host, path, ok = parseFileHost(rest)
		authority = "//" + u.host
	case special:
		authority, path, _ = strings.Cut(strings.TrimLeft(rest, "/"), "/")
		authority, u.host, ok = parseAuthority(authority, defaultPort, true)
		ok = ok && u.host != ""
	case strings.HasPrefix(rest, "//"):
		var hasPath bool
		authority, path, hasPath = strings.Cut(rest[2:], "/")
		authority, u.host, ok = parseAuthority(authority, "", false)
		if !hasPath {
			path = ""
		} else {
			path = "/" + joinSegments(path, "")
		}
	case strings.HasPrefix(rest, "/"):
		path, ok = "/"+joinSegments(rest[1:], ""), true
		if strings.HasPrefix(path, "//") {
			path = "/." + path // otherwise, the path would be parsed as an authority
		}
	default:
		path, ok = percentEncode(rest, opaqueSet), true
	}
	if special {
		path = "/" + joinSegments(path, u.scheme)
	}
	u.href = u.scheme + ":" + authority + path
	if hasQuery {
		set := querySet
		if special {
			set = specialQuerySet
		}
		u.href += "?" + percentEncode(query, set)
	}
	if hasFragment {
		u.href += "#" + percentEncode(fragment, fragmentSet)
	}
	return u, ok
}

func isURLScheme(scheme string) bool {
	for i := range len(scheme) {
		if c := scheme[i]; c-'a' >= 26 && (i == 0 || c-'0' >= 10 && strings.IndexByte("+-.", c) < 0) {
			return false
		}
	}
	return scheme != ""
}

// joinSegments encodes the segments of a path, which must not include the first slash, and
// resolves dot segments. It preserves the drive letter of a file URL.
func joinSegments(path, scheme string) string {
	var list []string
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		segment = percentEncode(segment, pathSet)
		last := i == len(segments)-1
		switch dots := strings.ReplaceAll(strings.ToLower(segment), "%2e", "."); dots {
		case "..":
			if keepsDrive := scheme == "file" && len(list) == 1 && isDriveLetter(list[0]) && list[0][1] == ':'; len(list) > 0 && !keepsDrive {
				list = list[:len(list)-1]
			}
			if last {
				list = append(list, "")
			}
		case ".":
			if last {
				list = append(list, "")
			}
		default:
			if scheme == "file" && len(list) == 0 && isDriveLetter(segment) {
				segment = segment[:1] + ":"
			}
			list = append(list, segment)
		}
	}
	return strings.Join(list, "/")
}

func isDriveLetter(segment string) bool {
	return len(segment) == 2 && segment[0]|0x20-'a' < 26 && (segment[1] == ':' || segment[1] == '|')
}

// parseFileHost splits the part after "file:" into the host and the path, which does not include
// the first slash. A drive letter where the host would be is part of the path.
func parseFileHost(rest string) (host, path string, ok bool) {
	if !strings.HasPrefix(rest, "//") {
		return "", strings.TrimPrefix(rest, "/"), true
	}
	host, path, _ = strings.Cut(rest[2:], "/")
	switch {
	case isDriveLetter(host):
		return "", rest[2:], true
	case host == "":
		return "", path, true
	}
	host, ok = parseURLHost(host, true)
	if host == "localhost" {
		host = ""
	}
	return host, path, ok
}

// parseAuthority returns credentials, host and port in canonical form, preceded by //.
func parseAuthority(text, defaultPort string, special bool) (authority, host string, ok bool) {
	authority = "//"
	if at := strings.LastIndexByte(text, '@'); at >= 0 {
		name, password, _ := strings.Cut(text[:at], ":")
		if name+password != "" {
			authority += percentEncode(name, userinfoSet)
			if password != "" {
				authority += ":" + percentEncode(password, userinfoSet)
			}
			authority += "@"
		}
		if text = text[at+1:]; text == "" {
			return authority, "", false
		}
	}
	port, inBrackets := "", false
	for i, r := range text {
		if r == '[' || r == ']' {
			inBrackets = r == '['
		} else if r == ':' && !inBrackets {
			text, port = text[:i], text[i+1:]
			if text == "" {
				return authority, "", false
			}
			break
		}
	}
	host, ok = parseURLHost(text, special)
	authority += host
	if port != "" {
		number, err := strconv.ParseUint(port, 10, 16)
		if err != nil {
			return authority, "", false
		}
		if port = strconv.FormatUint(number, 10); port != defaultPort {
			authority += ":" + port
		}
	}
	return authority, host, ok
}

// parseURLHost returns a host in canonical form.
func parseURLHost(host string, special bool) (string, bool) {
	switch {
	case strings.HasPrefix(host, "["):
		return parseIPv6Host(host)
	case !special:
		return percentEncode(host, opaqueSet), !strings.ContainsAny(host, forbiddenHost)
	}
	host, ok := domainToASCII(percentDecode(host))
	if !ok || host == "" || strings.ContainsAny(host, forbiddenDomain) || strings.ContainsFunc(host, func(r rune) bool { return r < ' ' }) {
		return "", false
	}
	labels := strings.Split(host, ".")
	if len(labels) > 1 && labels[len(labels)-1] == "" {
		labels = labels[:len(labels)-1]
	}
	if last := labels[len(labels)-1]; last != "" && (onlyDigits(last, "0123456789") || strings.HasPrefix(last, "0x") && onlyDigits(last[2:], "0123456789abcdef")) {
		return parseIPv4Host(labels)
	}
	return host, true
}

// percentDecode decodes %xx sequences. It does not change invalid sequences.
func percentDecode(text string) string {
	if !strings.Contains(text, "%") {
		return text
	}
	var out []byte
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) {
			if b, err := strconv.ParseUint(text[i+1:i+3], 16, 8); err == nil {
				out = append(out, byte(b))
				i += 2
				continue
			}
		}
		out = append(out, text[i])
	}
	return string(out)
}

// urlProfile is the standard's domain-to-ASCII algorithm with beStrict set to false.
var urlProfile = idna.New(
	idna.MapForLookup(), idna.BidiRule(), idna.CheckJoiners(true), idna.StrictDomainName(true), idna.ValidateLabels(true),
	idna.CheckHyphens(false), idna.VerifyDNSLength(false), idna.Transitional(false),
)

// domainToASCII converts a domain to ASCII. A domain that the profile rejects is still valid if
// it has no encoded label and each of its characters is ASCII or one of three characters that
// Unicode decomposes into an ASCII character.
func domainToASCII(domain string) (string, bool) {
	if !utf8.ValidString(domain) {
		return "", false
	}
	ascii, err := urlProfile.ToASCII(domain)
	if err == nil {
		return ascii, true
	}
	encoded := slices.ContainsFunc(strings.Split(strings.ToLower(domain), "."), func(label string) bool { return strings.HasPrefix(label, "xn--") })
	other := strings.ContainsFunc(domain, func(r rune) bool { return r >= utf8.RuneSelf && r != '≠' && r != '≮' && r != '≯' })
	return ascii, !encoded && !other
}

func onlyDigits(text, digits string) bool { return strings.Trim(text, digits) == "" }

// parseIPv4Host returns the canonical form of an IPv4 address of one to four
// numbers. The last number fills the remaining bytes. A number is hexadecimal
// after 0x, octal after 0, and decimal otherwise.
func parseIPv4Host(labels []string) (string, bool) {
	if len(labels) > 4 {
		return "", false
	}
	var address uint64
	for i, label := range labels {
		base := 10
		switch {
		case strings.HasPrefix(label, "0x"):
			label, base = "0"+label[2:], 16
		case strings.HasPrefix(label, "0"):
			base = 8
		}
		n, err := strconv.ParseUint(label, base, 64)
		last := i == len(labels)-1
		if err != nil || !last && n > 255 || last && n >= 1<<(8*(4-i)) {
			return "", false
		}
		if !last {
			n <<= 8 * (3 - i)
		}
		address += n
	}
	return netip.AddrFrom4([4]byte{byte(address >> 24), byte(address >> 16), byte(address >> 8), byte(address)}).String(), true
}

// parseIPv6Host returns the canonical form of an address in brackets. Where net/netip writes an
// embedded IPv4 address, the standard writes the last 32 bits in hexadecimal.
func parseIPv6Host(host string) (string, bool) {
	address, err := netip.ParseAddr(strings.Trim(host, "[]"))
	if err != nil || !address.Is6() || address.Zone() != "" || !strings.HasSuffix(host, "]") {
		return "", false
	}
	if b := address.As16(); address.Is4In6() {
		return fmt.Sprintf("[::ffff:%x:%x]", uint(b[12])<<8|uint(b[13]), uint(b[14])<<8|uint(b[15])), true
	}
	return "[" + address.String() + "]", true
}
