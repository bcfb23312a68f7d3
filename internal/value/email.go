package value

import (
	"bytes"

	"github.com/intraydata/intray"
)

// Lengths of an address, from RFC 5321 section 4.5.3.1 and RFC 1035.
const (
	maxLocal  = 64
	maxDomain = 253
	maxLabel  = 63
)

// email is the type email. The rule is that of HTML's input type email
// (https://html.spec.whatwg.org/#valid-e-mail-address), and further: the host
// has at least two labels, the last of them is no number, so that it is no IP
// address either; the local part neither begins nor ends with a dot nor has two
// in a row. White space around the address is dropped. Letters keep their case.
type email struct{ wrong Result }

func newEmail(f intray.Field, _ options) (Parser, error) {
	return email{wrong(f, "This is not an e-mail address. Write it like name@example.org.")}, nil
}

func (e email) Parse(c Cell, _ []byte) Result {
	trimmed := bytes.TrimSpace(c.Raw)
	switch {
	case len(trimmed) == 0:
		return Result{State: Empty}
	case !validEmail(trimmed):
		return e.wrong
	}
	return outcome(c.Raw, trimmed)
}

func validEmail(address []byte) bool {
	at := bytes.LastIndexByte(address, '@')
	return at > 0 && validLocal(address[:at]) && validDomain(address[at+1:])
}

func validLocal(local []byte) bool {
	if len(local) > maxLocal || local[0] == '.' || local[len(local)-1] == '.' {
		return false
	}
	for i, c := range local {
		if !localBytes[c] || c == '.' && local[i-1] == '.' {
			return false
		}
	}
	return true
}

func validDomain(domain []byte) bool {
	if len(domain) == 0 || len(domain) > maxDomain {
		return false
	}
	labels, start := 0, 0
	for i := 0; i <= len(domain); i++ {
		if i < len(domain) && domain[i] != '.' {
			continue
		}
		if !validLabel(domain[start:i]) {
			return false
		}
		labels++
		if i < len(domain) {
			start = i + 1
		}
	}
	return labels >= 2 && !digitsOnly(domain[start:])
}

func validLabel(label []byte) bool {
	if len(label) == 0 || len(label) > maxLabel || label[0] == '-' || label[len(label)-1] == '-' {
		return false
	}
	for _, c := range label {
		if !isAlnum(c) && c != '-' {
			return false
		}
	}
	return true
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

// localBytes are the bytes that a local part may have.
var localBytes = func() (set [256]bool) {
	for c := range 256 {
		set[c] = isAlnum(byte(c)) || bytes.IndexByte([]byte(".!#$%&'*+/=?^_`{|}~-"), byte(c)) >= 0
	}
	return set
}()
