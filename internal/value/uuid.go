package value

import (
	"bytes"
	"fmt"

	"github.com/intraydata/intray"
)

// uuid is the type uuid: 32 hexadecimal digits in five groups, of a version and
// variant of RFC 9562, or all zero or all one. Letters keep their case.
type uuid struct {
	version byte // the digit, or 0 for any
	wrong   Result
}

func newUUID(f intray.Field, o options) (Parser, error) {
	u := &uuid{wrong: wrong(f, "This is not a UUID. Write it like 123e4567-e89b-42d3-a456-426614174000.")}
	if n, set := o.integer("version"); set {
		u.version = byte('0' + n)
		u.wrong = wrong(f, fmt.Sprintf("This is not a UUID of version %d. Its third group must begin with a %d.", n, n))
	}
	return u, nil
}

func (u *uuid) Parse(c Cell, _ []byte) Result {
	id := trimmed(c.Raw)
	if len(id) == 0 {
		return Result{State: Empty}
	}
	if !validUUID(id) || u.version != 0 && id[14] != u.version {
		return u.wrong
	}
	return outcome(c.Raw, id)
}

func validUUID(id []byte) bool {
	if len(id) != 36 || id[8] != '-' || id[13] != '-' || id[18] != '-' || id[23] != '-' {
		return false
	}
	digits := 0
	for _, c := range id {
		digits += int(hexDigits[c])
	}
	if digits != 32 {
		return false
	}
	variant := id[19] | 0x20
	usual := id[14] >= '1' && id[14] <= '8' && (variant == '8' || variant == '9' || variant == 'a' || variant == 'b')
	return usual || len(bytes.Trim(id, "0-")) == 0 || len(bytes.Trim(id, "fF-")) == 0
}

// hexDigits holds 1 for each hexadecimal digit.
var hexDigits = func() (set [256]uint8) {
	for _, c := range []byte("0123456789abcdefABCDEF") {
		set[c] = 1
	}
	return set
}()
