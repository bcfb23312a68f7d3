package celltype

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"

	"github.com/intraydata/intray"
)

// These are the length limits of a host name in RFC 1035, in bytes.
const (
	maxDomain = 253
	maxLabel  = 63
)

// maxUnicodeDomain is the maximum length in bytes of a host name in any script.
const maxUnicodeDomain = 4 * maxDomain

// emailParser parses the type email. It follows the rules of HTML's input type email
// (https://html.spec.whatwg.org/#valid-e-mail-address). In addition, the host must have at least
// two labels, and the last one must not be a number, so that the host is not an IP address.
// A host in any script is accepted if it has a valid ASCII form, as in browsers. White space
// around the address is dropped. The case of letters is preserved, and the host is not converted
// to ASCII. Only a host whose characters have a normal form, such as full-width letters, is
// replaced by this form.
type emailParser struct{ invalid, foreignLocal Result }

func newEmail(f intray.Field, _ options) (Parser, error) {
	return &emailParser{
		invalidResult(f, intray.NewMessage("email.invalid", nil)),
		invalidResult(f, intray.NewMessage("email.local_not_ascii", nil)),
	}, nil
}

// noteApostrophe is the note of an address that begins with an apostrophe, which spreadsheets put before
// text.
var noteApostrophe = &Note{Code: "email", Level: intray.LevelWarning, Text: intray.NewMessage("email.apostrophe", nil)}

func notedApostrophe(r Result) Result {
	r.Note = noteApostrophe
	return r
}

func (e *emailParser) Parse(c Cell, scratch []byte) Result {
	text := trimSpace(c.Raw)
	if len(text) == 0 {
		return Result{State: Empty}
	}
	host := emailHost(text)
	switch {
	case validDomain(host):
		if text[0] == '\'' {
			return notedApostrophe(newResult(c.Raw, text))
		}
		return newResult(c.Raw, text)
	case host == nil:
		return e.noHost(text)
	case len(host) > maxUnicodeDomain || isASCII(host):
		return e.invalid
	}
	ascii, err := idna.Lookup.ToASCII(string(host))
	if err != nil || !validDomain([]byte(ascii)) {
		return e.invalid
	}
	normal, err := idna.Lookup.ToUnicode(ascii)
	if err != nil {
		return e.invalid
	}
	if strings.EqualFold(normal, string(host)) {
		return newResult(c.Raw, text)
	}
	return newResult(c.Raw, append(append(scratch, text[:len(text)-len(host)]...), normal...))
}

// noHost returns the result for an address whose part before the at sign is invalid. If this part is
// valid except for letters outside ASCII (RFC 6531), the problem names the cause.
func (e *emailParser) noHost(text []byte) Result {
	local, host, _ := bytes.Cut(text, []byte{'@'})
	if isASCII(local) || !validDomain(host) || !utf8.Valid(local) || len(local) > maxDomain {
		return e.invalid
	}
	ascii := bytes.Map(func(r rune) rune {
		if r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r)) {
			return 'x'
		}
		return r
	}, local)
	if emailHost(append(ascii, '@')) == nil {
		return e.invalid
	}
	return e.foreignLocal
}

// emailHost returns the part of an address after the at sign. It returns nil if there is no at
// sign or the part before it is invalid.
func emailHost(address []byte) []byte {
	at := 0
	for at < len(address) && localBytes[address[at]] {
		at++
	}
	if at == 0 || at == len(address) || address[at] != '@' {
		return nil
	}
	return address[at+1:]
}

func isASCII(text []byte) bool {
	return !bytes.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
}

// validDomain reports whether a domain has at least two labels of letters,
// digits and hyphens, and the last label is not a number.
func validDomain(domain []byte) bool {
	start := 0
	for i, c := range domain {
		switch {
		case hostBytes[c]:
		case c != '.' || !validLabel(domain[start:i]):
			return false
		default:
			start = i + 1
		}
	}
	last := domain[start:]
	return start > 0 && len(domain) <= maxDomain && validLabel(last) && !digitsOnly(last)
}

// validLabel reports whether a label has a valid length and neither starts nor
// ends with a hyphen. It assumes that the bytes of the label are valid.
func validLabel(label []byte) bool {
	return len(label) > 0 && len(label) <= maxLabel && label[0] != '-' && label[len(label)-1] != '-'
}

func digitsOnly(label []byte) bool {
	for _, c := range label {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

func isAlnum(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// localBytes are the bytes that are valid in a local part.
var localBytes = func() (set [256]bool) {
	for c := range 256 {
		set[c] = isAlnum(byte(c)) || strings.IndexByte(".!#$%&'*+/=?^_`{|}~-", byte(c)) >= 0
	}
	return set
}()

// hostBytes are the bytes that are valid in a label.
var hostBytes = func() (set [256]bool) {
	for c := range 256 {
		set[c] = isAlnum(byte(c)) || c == '-'
	}
	return set
}()

// domainParser parses the type domain: a host name with at least two labels.
// Its canonical text is in lower case.
type domainParser struct {
	subdomains              bool
	invalid, notRegistrable Result
}

func newDomain(f intray.Field, o options) (Parser, error) {
	return &domainParser{
		o.boolean("allowSubdomains", true),
		invalidResult(f, intray.NewMessage("domain.invalid", nil)),
		invalidResult(f, intray.NewMessage("domain.subdomain", nil)),
	}, nil
}

func (d *domainParser) Parse(c Cell, scratch []byte) Result {
	text := trimSpace(c.Raw)
	switch {
	case len(text) == 0:
		return Result{State: Empty}
	case len(text) > maxUnicodeDomain:
		return d.invalid
	case d.subdomains && isSimpleHost(text):
		for _, b := range text {
			scratch = append(scratch, lowerByte(b))
		}
		return newResult(c.Raw, scratch)
	}
	return d.parseUnicode(c.Raw, text, scratch)
}

// isSimpleHost reports whether a name is an ASCII domain without encoded
// labels, which needs no mapping.
func isSimpleHost(text []byte) bool { return validDomain(text) && !bytes.Contains(text, []byte("--")) }

// parseUnicode parses names in any script.
func (d *domainParser) parseUnicode(raw, text, scratch []byte) Result {
	name := strings.ToLower(string(text))
	ascii, err := idna.Lookup.ToASCII(name)
	if err != nil || !validDomain([]byte(ascii)) {
		return d.invalid
	}
	if !d.subdomains {
		if registered, err := publicsuffix.EffectiveTLDPlusOne(ascii); err != nil || registered != ascii {
			return d.notRegistrable
		}
	}
	if name != ascii && !strings.Contains(name, "xn--") {
		if name, err = idna.Lookup.ToUnicode(ascii); err != nil {
			return d.invalid
		}
	}
	return newResult(raw, append(scratch, name...))
}
