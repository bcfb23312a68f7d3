package value

import (
	"bytes"

	"github.com/intraydata/intray"
)

// zip is the type us-zip-code: 5 digits, or 9 with or without a dash. In the
// format of 5 digits the other 4 are cut, and zeros that a spreadsheet dropped
// at the beginning are put back.
type zip struct {
	nine, dash bool
	wrong      Result
}

// minZIP is the fewest digits that are taken for a ZIP code without its zeros:
// the lowest, 00501, has three.
const minZIP = 3

func newZIP(f intray.Field, o options) (Parser, error) {
	z := &zip{nine: o.text("format", "5-digit") == "9-digit", dash: o.flag("outputDash", false)}
	z.wrong = wrong(f, intray.NewMessage("us_zip.invalid", nil))
	if z.nine {
		z.wrong = wrong(f, intray.NewMessage("us_zip.not_nine_digits", nil))
	}
	return z, nil
}

func (z *zip) Parse(c Cell, scratch []byte) Result {
	text := trimmed(c.Raw)
	if len(text) == 0 {
		return Result{State: Empty}
	}
	dashed := len(text) == 10 && text[5] == '-'
	digits := len(text)
	if dashed {
		digits = 9
	}
	for i, b := range text {
		if (b < '0' || b > '9') && (!dashed || i != 5) {
			return z.wrong
		}
	}
	switch {
	case z.nine && digits == 9:
		return outcome(c.Raw, z.nineDigits(text, scratch))
	case z.nine || digits != 9 && (digits > 5 || digits < minZIP):
		return z.wrong
	case digits == 9:
		return outcome(c.Raw, text[:5])
	}
	return outcome(c.Raw, append(append(scratch, "00000"[:5-digits]...), text...))
}

func (z *zip) nineDigits(text, scratch []byte) []byte {
	scratch = append(scratch, text[:5]...)
	if z.dash {
		scratch = append(scratch, '-')
	}
	return append(scratch, text[len(text)-4:]...)
}

// ssn is the type ssn: 9 digits, or 11 characters with dashes.
type ssn struct {
	dash  bool
	wrong Result
}

func newSSN(f intray.Field, o options) (Parser, error) {
	return &ssn{o.flag("outputDash", false), wrong(f, intray.NewMessage("us_ssn.invalid", nil))}, nil
}

func (s *ssn) Parse(c Cell, scratch []byte) Result {
	text := trimmed(c.Raw)
	if len(text) == 0 {
		return Result{State: Empty}
	}
	if len(text) == 11 && text[3] == '-' && text[6] == '-' {
		text = append(append(append(make([]byte, 0, 9), text[:3]...), text[4:6]...), text[7:]...)
	}
	if len(text) != 9 || !digitsOnly(text) {
		return s.wrong
	}
	if !s.dash {
		return outcome(c.Raw, append(scratch, text...))
	}
	for i, b := range text {
		if i == 3 || i == 5 {
			scratch = append(scratch, '-')
		}
		scratch = append(scratch, b)
	}
	return outcome(c.Raw, scratch)
}

// state is the type us-state-territory: the two letters of a state, the District
// of Columbia, a territory or a military post, with or without US- before them,
// or its English name.
type state struct{ wrong Result }

func newState(f intray.Field, _ options) (Parser, error) {
	return &state{wrong(f, intray.NewMessage("us_state.unknown", nil))}, nil
}

func (s *state) Parse(c Cell, scratch []byte) Result {
	text := trimmed(c.Raw)
	if len(text) == 0 {
		return Result{State: Empty}
	}
	if len(text) == 5 && bytes.EqualFold(text[:3], []byte("US-")) {
		text = text[3:]
	}
	var upper [maxState]byte
	if len(text) > maxState {
		return s.wrong
	}
	for i, b := range text {
		if upper[i] = b; b-'a' < 26 {
			upper[i] -= 'a' - 'A'
		}
	}
	if code, known := states[string(upper[:len(text)])]; known {
		return outcome(c.Raw, append(scratch, code...))
	}
	return s.wrong
}

// maxState is more than any name has.
const maxState = 48

// states gives the code for each code and name, in capitals: ISO 3166-2:US, and
// the military codes of the US Postal Service's Publication 28.
var states = func() map[string]string {
	all := map[string]string{}
	for code, name := range map[string]string{
		"AL": "ALABAMA", "AK": "ALASKA", "AZ": "ARIZONA", "AR": "ARKANSAS", "CA": "CALIFORNIA", "CO": "COLORADO",
		"CT": "CONNECTICUT", "DE": "DELAWARE", "DC": "DISTRICT OF COLUMBIA", "FL": "FLORIDA", "GA": "GEORGIA",
		"HI": "HAWAII", "ID": "IDAHO", "IL": "ILLINOIS", "IN": "INDIANA", "IA": "IOWA", "KS": "KANSAS", "KY": "KENTUCKY",
		"LA": "LOUISIANA", "ME": "MAINE", "MD": "MARYLAND", "MA": "MASSACHUSETTS", "MI": "MICHIGAN", "MN": "MINNESOTA",
		"MS": "MISSISSIPPI", "MO": "MISSOURI", "MT": "MONTANA", "NE": "NEBRASKA", "NV": "NEVADA", "NH": "NEW HAMPSHIRE",
		"NJ": "NEW JERSEY", "NM": "NEW MEXICO", "NY": "NEW YORK", "NC": "NORTH CAROLINA", "ND": "NORTH DAKOTA",
		"OH": "OHIO", "OK": "OKLAHOMA", "OR": "OREGON", "PA": "PENNSYLVANIA", "RI": "RHODE ISLAND",
		"SC": "SOUTH CAROLINA", "SD": "SOUTH DAKOTA", "TN": "TENNESSEE", "TX": "TEXAS", "UT": "UTAH", "VT": "VERMONT",
		"VA": "VIRGINIA", "WA": "WASHINGTON", "WV": "WEST VIRGINIA", "WI": "WISCONSIN", "WY": "WYOMING",
		"AS": "AMERICAN SAMOA", "GU": "GUAM", "MP": "NORTHERN MARIANA ISLANDS", "PR": "PUERTO RICO",
		"UM": "UNITED STATES MINOR OUTLYING ISLANDS", "VI": "US VIRGIN ISLANDS",
		"AA": "ARMED FORCES AMERICAS", "AE": "ARMED FORCES EUROPE", "AP": "ARMED FORCES PACIFIC",
		"FM": "FEDERATED STATES OF MICRONESIA", "MH": "MARSHALL ISLANDS", "PW": "PALAU",
	} {
		all[code], all[name] = code, code
	}
	all["VIRGIN ISLANDS, U.S."], all["VIRGIN ISLANDS"], all["U.S. VIRGIN ISLANDS"] = "VI", "VI", "VI"
	return all
}()

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
