package celltype

import (
	"bytes"
	"sync"

	"github.com/intraydata/intray"
)

// zipParser parses the type us-zip-code: 5 digits, or 9 digits with or without
// a dash. The 5-digit format drops the other 4 digits. In 5-digit ZIP codes, the
// parser restores leading zeros that a spreadsheet dropped.
type zipParser struct {
	nineDigitFormat, outputDash bool
	invalid                     Result
}

// minZIPDigits is the minimum number of digits of a ZIP code without its
// leading zeros. The lowest ZIP code, 00501, has three.
const minZIPDigits = 3

func newZIP(f intray.Field, o options) (Parser, error) {
	z := &zipParser{nineDigitFormat: o.text("format", "5-digit") == "9-digit", outputDash: o.boolean("outputDash", false)}
	z.invalid = invalidResult(f, intray.NewMessage("us_zip.invalid", nil))
	if z.nineDigitFormat {
		z.invalid = invalidResult(f, intray.NewMessage("us_zip.not_nine_digits", nil))
	}
	return z, nil
}

func (z *zipParser) Parse(c Cell, scratch []byte) Result {
	text := trimSpace(c.Raw)
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
			return z.invalid
		}
	}
	switch {
	case z.nineDigitFormat && digits == 9:
		return newResult(c.Raw, z.appendNineDigits(text, scratch))
	case z.nineDigitFormat || digits != 9 && (digits > 5 || digits < minZIPDigits):
		return z.invalid
	case digits == 9:
		return Result{State: Parsed, Value: text[:5], Remarks: ZIPShortened.set()}
	case digits < 5:
		return Result{State: Parsed, Value: append(append(scratch, "00000"[:5-digits]...), text...), Remarks: ZerosRestored.set()}
	}
	return newResult(c.Raw, append(scratch, text...))
}

func (z *zipParser) appendNineDigits(text, scratch []byte) []byte {
	scratch = append(scratch, text[:5]...)
	if z.outputDash {
		scratch = append(scratch, '-')
	}
	return append(scratch, text[len(text)-4:]...)
}

// ssnParser parses the type ssn: 9 digits, or 11 characters with dashes.
type ssnParser struct {
	outputDash bool
	invalid    Result
}

func newSSN(f intray.Field, o options) (Parser, error) {
	return &ssnParser{o.boolean("outputDash", false), invalidResult(f, intray.NewMessage("us_ssn.invalid", nil))}, nil
}

func (s *ssnParser) Parse(c Cell, scratch []byte) Result {
	text := trimSpace(c.Raw)
	if len(text) == 0 {
		return Result{State: Empty}
	}
	if len(text) == 11 && text[3] == '-' && text[6] == '-' {
		text = append(append(append(make([]byte, 0, 9), text[:3]...), text[4:6]...), text[7:]...)
	}
	if len(text) != 9 || !digitsOnly(text) {
		return s.invalid
	}
	if !s.outputDash {
		return newResult(c.Raw, append(scratch, text...))
	}
	for i, b := range text {
		if i == 3 || i == 5 {
			scratch = append(scratch, '-')
		}
		scratch = append(scratch, b)
	}
	return newResult(c.Raw, scratch)
}

// stateParser parses the type us-state-territory: the English name or the two-letter code of a
// state, the District of Columbia, a territory, a freely associated state or a military post.
// The code may have the prefix US-.
type stateParser struct{ invalid Result }

func newState(f intray.Field, _ options) (Parser, error) {
	return &stateParser{invalidResult(f, intray.NewMessage("us_state.unknown", nil))}, nil
}

func (s *stateParser) Parse(c Cell, scratch []byte) Result {
	text := trimSpace(c.Raw)
	if len(text) == 0 {
		return Result{State: Empty}
	}
	if len(text) == 5 && bytes.EqualFold(text[:3], []byte("US-")) {
		text = text[3:]
	}
	var upper [maxStateName]byte
	if len(text) > maxStateName {
		return s.invalid
	}
	for i, b := range text {
		if upper[i] = b; b-'a' < 26 {
			upper[i] -= 'a' - 'A'
		}
	}
	if code, known := stateCodes()[string(upper[:len(text)])]; known {
		return newResult(c.Raw, append(scratch, code...))
	}
	return s.invalid
}

// maxStateName is an upper bound for the length of a name, in bytes.
const maxStateName = 48

// stateCodes maps each code and name, in upper case, to the code. It contains ISO 3166-2:US, and
// the military codes and freely associated states from Publication 28 of the US Postal Service.
var stateCodes = sync.OnceValue(func() map[string]string {
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
})

// uuidParser parses the type uuid: 32 hexadecimal digits in five groups. The UUID must have a
// version and variant of RFC 9562, or be all zeros or all ones. The case of letters is preserved.
type uuidParser struct {
	version byte // the version digit, or 0 for any version
	invalid Result
	// unknownVersion is the result for a version that RFC 9562 does not define, and
	// otherVariant is the result for a different variant.
	unknownVersion, otherVariant Result
}

func newUUID(f intray.Field, o options) (Parser, error) {
	u := &uuidParser{invalid: invalidResult(f, intray.NewMessage("uuid.invalid", nil))}
	u.unknownVersion = invalidResult(f, intray.NewMessage("uuid.unknown_version", nil))
	u.otherVariant = invalidResult(f, intray.NewMessage("uuid.other_variant", nil))
	if n, set := o.integer("version"); set {
		u.version = byte('0' + n)
		u.invalid = invalidResult(f, intray.NewMessage("uuid.not_of_version", intray.Params{"version": n}))
	}
	return u, nil
}

func (u *uuidParser) Parse(c Cell, _ []byte) Result {
	id := trimSpace(c.Raw)
	if len(id) == 0 {
		return Result{State: Empty}
	}
	if !hasUUIDFormat(id) {
		return u.invalid
	}
	variant := id[19] | 0x20
	switch {
	case u.version != 0 && id[14] != u.version:
		return u.invalid
	case len(bytes.Trim(id, "0-")) == 0 || len(bytes.Trim(id, "fF-")) == 0:
	case id[14] < '1' || id[14] > '8':
		return u.unknownVersion
	case variant != '8' && variant != '9' && variant != 'a' && variant != 'b':
		return u.otherVariant
	}
	return newResult(c.Raw, id)
}

// hasUUIDFormat reports whether an identifier has the digits and dashes of a
// UUID in the right positions.
func hasUUIDFormat(id []byte) bool {
	if len(id) != 36 || id[8] != '-' || id[13] != '-' || id[18] != '-' || id[23] != '-' {
		return false
	}
	digits := 0
	for _, c := range id {
		digits += int(hexDigits[c])
	}
	return digits == 32
}

// hexDigits maps each hexadecimal digit to 1 and every other byte to 0.
var hexDigits = func() (set [256]uint8) {
	for _, c := range []byte("0123456789abcdefABCDEF") {
		set[c] = 1
	}
	return set
}()
