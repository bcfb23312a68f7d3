package value

import (
	"bytes"

	"github.com/intraydata/intray"
)

// uuid is the type uuid: 32 hexadecimal digits in five groups, of a version and
// variant of RFC 9562, or all zero or all one. Letters keep their case.
type uuid struct {
	version byte // the digit, or 0 for any
	wrong   Result
	// unknown is the result for one of no known version, variant for one of
	// another variant.
	unknown, variant Result
}

func newUUID(f intray.Field, o options) (Parser, error) {
	u := &uuid{wrong: wrong(f, intray.NewMessage("uuid.invalid", nil))}
	u.unknown = wrong(f, intray.NewMessage("uuid.unknown_version", nil))
	u.variant = wrong(f, intray.NewMessage("uuid.other_variant", nil))
	if n, set := o.integer("version"); set {
		u.version = byte('0' + n)
		u.wrong = wrong(f, intray.NewMessage("uuid.not_of_version", intray.Params{"version": n}))
	}
	return u, nil
}

func (u *uuid) Parse(c Cell, _ []byte) Result {
	id := trimmed(c.Raw)
	if len(id) == 0 {
		return Result{State: Empty}
	}
	if !writtenUUID(id) {
		return u.wrong
	}
	variant := id[19] | 0x20
	switch {
	case u.version != 0 && id[14] != u.version:
		return u.wrong
	case len(bytes.Trim(id, "0-")) == 0 || len(bytes.Trim(id, "fF-")) == 0:
	case id[14] < '1' || id[14] > '8':
		return u.unknown
	case variant != '8' && variant != '9' && variant != 'a' && variant != 'b':
		return u.variant
	}
	return outcome(c.Raw, id)
}

// writtenUUID says whether an identifier has the digits and dashes of one.
func writtenUUID(id []byte) bool {
	if len(id) != 36 || id[8] != '-' || id[13] != '-' || id[18] != '-' || id[23] != '-' {
		return false
	}
	digits := 0
	for _, c := range id {
		digits += int(hexDigits[c])
	}
	return digits == 32
}

// hexDigits holds 1 for each hexadecimal digit.
var hexDigits = func() (set [256]uint8) {
	for _, c := range []byte("0123456789abcdefABCDEF") {
		set[c] = 1
	}
	return set
}()
