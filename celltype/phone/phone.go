// Package phone reads phone numbers as people write them.
//
// A calling code is the number after the plus sign: 49 in +49 89 1234567. The rest is the
// national number. A plan describes the national numbers of one calling code. A region is a
// country or territory that has its own plan or shares one (Canada and the United States share
// +1). A national prefix is the 0 that most countries dial before a national number. An
// international prefix is the 00 or 011 that is dialed before a calling code. A [Reader]
// converts the text of a cell to a standard format.
//
// The rules are those of libphonenumber. tools/phonegen compiles them into tables. Every number
// that libphonenumber accepts as valid is accepted and formatted in the same way. Beyond that,
// the package does not guess: letters, several numbers in a cell, digits that a spreadsheet
// rounded, and ambiguous numbers are problems. It drops an extension and reports that.
//
// Out of scope are whether a number is in use, who owns it and what it costs,
// emergency numbers and other short numbers, and numbers in running text.
package phone

import (
	"fmt"
	"strings"
	"sync"

	"github.com/intraydata/intray"
)

// Config configures a Reader. The zero Config accepts only numbers with a
// calling code, and formats them like +4989123456.
type Config struct {
	// Country is the region of numbers without a calling code: an ISO 3166-1
	// alpha-2 code. If it is empty, such numbers are a problem.
	Country string
	// Format is "international", "national" or "both". The default, "", is "international".
	// "international" and "both" include the calling code; "both" requires a country. "national"
	// formats numbers as they are dialed within their country, with the national prefix, and
	// accepts only numbers with the calling code of the country. Without a country, "national"
	// keeps the calling code and reports that it did.
	Format string
	// Formatted adds spaces: +49 89 123456 or 089 123456.
	Formatted bool
}

// Reader reads the cells of one column. It is safe for concurrent use.
type Reader struct {
	home                *region
	national, formatted bool
	convention          Convention
}

// New returns a reader. It returns an error if the country or the format is
// unknown, or if the format is "both" and there is no country.
func New(c Config) (*Reader, error) {
	r := &Reader{national: c.Format == "national", formatted: c.Formatted}
	switch c.Format {
	case "", "international", "national":
	case "both":
		if c.Country == "" {
			return nil, &intray.MessageError{Message: intray.NewMessage("phone.country_needed", intray.Params{"format": c.Format})}
		}
	default:
		return nil, fmt.Errorf("unknown phone format %q: want international, national or both", c.Format)
	}
	if c.Country == "" {
		return r, nil
	}
	if r.home = metadata.byName(strings.ToUpper(c.Country)); r.home == nil {
		return nil, &intray.MessageError{Message: intray.NewMessage("phone.unknown_country", intray.Params{"country": c.Country})}
	}
	return r, nil
}

// Append reads the text of a cell and appends the number to dst. If there is no
// number, it returns dst unchanged. It allocates only if dst needs to grow.
//
// If Append reads its own output, the result is the same number.
func (r *Reader) Append(dst, raw []byte) (out []byte, problem Problem) {
	var w scannedCell
	if !w.scan(raw) {
		if code := w.cleanAndScan(raw); code != Read {
			return dst, Problem{Code: code}
		}
	}
	var n number
	problem = n.read(r, w.digits[:w.count], w.plus)
	switch {
	case w.isTwoNumbers(&n, problem.Code):
		return dst, Problem{Code: SeveralNumbers}
	case problem.Code != Read:
		return dst, problem
	case r.national && r.home != nil && n.plan != r.home.plan:
		return dst, Problem{OtherCountry, r.home}
	case w.extension:
		problem.Code = Extension
	case r.national && r.home == nil:
		problem.Code = CodeKept
	}
	return r.appendNumber(dst, &n), problem
}

// Code is the outcome of reading a cell.
type Code uint8

// These are the codes. Read means a number without a remark. Extension and CodeKept mean a
// number with a remark. All other codes mean that the cell does not contain a number.
const (
	Read Code = iota
	// Blank: the cell is empty or contains only white space.
	Blank
	// NoCountry: the calling code is missing, and no country is configured.
	NoCountry
	// UnknownCode: the calling code is not in any plan.
	UnknownCode
	// TooShort: the number has fewer digits than any number in the country.
	TooShort
	// TooLong: the number has more digits than any number in the country.
	TooLong
	// NotValid: the length is possible, but the digits are not valid.
	NotValid
	// Letters: the cell has letters or words in place of digits.
	Letters
	// SeveralNumbers: the cell has more than one number, or one number with two endings.
	SeveralNumbers
	// DigitsLost: the cell is a rounded number with an exponent.
	DigitsLost
	// NotNumber: the cell has characters that do not occur in phone numbers.
	NotNumber
	// OtherCountry: the reader accepts only national numbers of one country,
	// and this number is from a different country.
	OtherCountry
	// TwoReadings: the number is valid whether or not its first digits are the calling code.
	TwoReadings
	// Extension is a note: the extension was dropped.
	Extension
	// CodeKept is a note: the format is national but there is no country, so
	// the number keeps its calling code.
	CodeKept
)

// codes holds the name of each code, its message code, and the code of the
// message used if the country is known.
var codes = [...]struct{ name, message, ofCountry string }{
	Read:           {name: "read"},
	Blank:          {name: "blank"},
	NoCountry:      {"no_country_code", "phone.no_country_code", ""},
	UnknownCode:    {"unknown_country_code", "phone.unknown_country_code", ""},
	TooShort:       {"too_short", "phone.too_short", "phone.too_short_for_country"},
	TooLong:        {"too_long", "phone.too_long", "phone.too_long_for_country"},
	NotValid:       {"not_valid", "phone.invalid", "phone.invalid"},
	Letters:        {"letters", "phone.letters", ""},
	SeveralNumbers: {"several_numbers", "phone.several_numbers", ""},
	DigitsLost:     {"digits_lost", "phone.digits_lost", ""},
	NotNumber:      {"not_a_number", "phone.not_a_number", ""},
	OtherCountry:   {"other_country", "phone.other_country", "phone.other_country"},
	TwoReadings:    {"two_readings", "phone.ambiguous", "phone.ambiguous"},
	Extension:      {"extension_left_out", "phone.extension_dropped", ""},
	CodeKept:       {"country_code_kept", "phone.country_code_kept", ""},
}

// String returns the name of the code, such as too_short.
func (c Code) String() string { return codes[c].name }

// Problem is the reason why a cell is not a number, or a remark about the number. The zero
// Problem means a number without a remark.
type Problem struct {
	Code   Code
	region *region
}

// Invalid reports whether the cell is not blank but contains no number.
func (p Problem) Invalid() bool {
	return p.Code != Read && p.Code != Blank && p.Code != Extension && p.Code != CodeKept
}

// messages caches the messages that name a country, keyed by Problem.
var messages sync.Map

// Message returns a message that describes the problem. Read and Blank have no message. If the
// country is known, the message contains its two letters and calling code. For a plan that
// several countries share, it contains only the calling code.
func (p Problem) Message() intray.Message {
	if p.region == nil || codes[p.Code].ofCountry == "" {
		return intray.NewMessage(codes[p.Code].message, nil)
	}
	if made, known := messages.Load(p); known {
		return made.(intray.Message)
	}
	m := intray.NewMessage(codes[p.Code].ofCountry, intray.Params{"country": p.countryPhrase()})
	messages.Store(p, m)
	return m
}

func (p Problem) countryPhrase() intray.Message {
	if p.region == p.region.plan.main && p.region.plan.shared || len(p.region.name) == 3 {
		return intray.NewMessage("phone.with_country_code", intray.Params{"code": p.region.plan.text})
	}
	return intray.NewMessage("phone.of_country", intray.Params{"country": p.region.name, "code": p.region.plan.text})
}

// appendNumber appends a number in the reader's format.
func (r *Reader) appendNumber(dst []byte, n *number) []byte {
	national := r.national && r.home != nil
	switch {
	case national && r.formatted:
		return appendLayout(dst, metadata.layout(n.outcome.national), n.national())
	case national:
		return appendDigits(dst, metadata.layout(n.outcome.national), n.national())
	}
	dst = append(dst, n.plan.text...)
	if !r.formatted {
		return append(dst, n.national()...)
	}
	return appendLayout(append(dst, ' '), metadata.layout(n.international), n.national())
}

func appendLayout(dst []byte, layout string, digits []byte) []byte {
	if layout == "" {
		return append(dst, digits...)
	}
	for i := range len(layout) {
		switch c := layout[i]; c {
		case 'x':
			dst, digits = append(dst, digits[0]), digits[1:]
		case '!':
			digits = digits[1:]
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// appendDigits appends digits in the layout, without its other characters.
func appendDigits(dst []byte, layout string, digits []byte) []byte {
	start := len(dst)
	dst = appendLayout(dst, layout, digits)
	end := start
	for _, c := range dst[start:] {
		if '0' <= c && c <= '9' {
			dst[end] = c
			end++
		}
	}
	return dst[:end]
}
