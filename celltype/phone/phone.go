// Package phone reads phone numbers as people write them.
//
// A calling code is what follows the plus: 49 in +49 89 1234567. What follows
// it is the national number. A plan is all that is known of the national numbers
// of one calling code, a region is a country or territory with a plan of its own
// or a share in one (Canada and the United States share +1). A national prefix is
// the 0 that is dialled before a national number within most countries, an
// international prefix the 00 or 011 before a calling code. A [Reader] turns the
// text of a cell into one form of the number that it means.
//
// The rules are those of libphonenumber, compiled into tables by package gen:
// what it calls valid is read, in the same forms. Beyond it the package refuses
// to guess: a number with letters, several numbers in a cell, digits that a
// spreadsheet rounded and numbers that can be read in two ways are problems, and
// an extension is left out with a remark.
//
// The package does not know whether a number is in use, whom it belongs to, or
// what it costs; it reads no emergency and other short numbers, and finds no
// numbers in running text.
package phone

import (
	"fmt"
	"strings"
	"sync"

	"github.com/intraydata/intray"
)

// Config says which numbers a reader takes and how it writes them. The zero
// value takes numbers with a calling code and writes them as +4989123456.
type Config struct {
	// Country is the region of numbers without a calling code, by its two
	// letters (ISO 3166-1 alpha-2). With "" they are a problem.
	Country string
	// Format is "international", "national" or "both"; "" is international.
	// International and both write numbers with their calling code; both needs a
	// country. National writes them as they are dialled within their country,
	// with the national prefix, and takes only numbers of the country's calling
	// code; without a country they keep it, with a remark.
	Format string
	// Formatted writes +49 89 123456 or 089 123456 in place of the digits alone.
	Formatted bool
}

// Reader reads the cells of one column. It may be used from several goroutines.
type Reader struct {
	home                *region
	national, formatted bool
	convention          Convention
}

// New makes a reader. It fails where the country or the format is unknown, and
// where the format both has no country.
func New(c Config) (*Reader, error) {
	r := &Reader{national: c.Format == "national", formatted: c.Formatted}
	switch c.Format {
	case "", "international", "national":
	case "both":
		if c.Country == "" {
			return nil, &intray.MessageError{Message: intray.NewMessage("phone.country_needed", intray.Params{"format": c.Format})}
		}
	default:
		return nil, fmt.Errorf("the phone format %q is none of international, national and both", c.Format)
	}
	if c.Country == "" {
		return r, nil
	}
	if r.home = metadata.byName(strings.ToUpper(c.Country)); r.home == nil {
		return nil, &intray.MessageError{Message: intray.NewMessage("phone.unknown_country", intray.Params{"country": c.Country})}
	}
	return r, nil
}

// Append reads the text of a cell and appends the number to dst. Where the cell
// has none, dst comes back as it was. It allocates nothing but what dst grows by.
//
// What it writes is read again as itself.
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

// Code says how a cell was read, or why it was not.
type Code uint8

// The codes. Read is a number without a remark, Extension and CodeKept are
// numbers with one; all others mean that the cell has no number.
const (
	Read Code = iota
	// Blank: the cell holds nothing but white space.
	Blank
	// NoCountry: the calling code is missing, and no country is configured.
	NoCountry
	// UnknownCode: no plan has the calling code.
	UnknownCode
	// TooShort: fewer digits than any number of the country has.
	TooShort
	// TooLong: more digits than any number of the country has.
	TooLong
	// NotValid: the length is possible, the digits are not.
	NotValid
	// Letters: the cell has words or letters in place of digits.
	Letters
	// SeveralNumbers: the cell has more than one number, or two endings of one.
	SeveralNumbers
	// DigitsLost: the cell has a rounded number with an exponent.
	DigitsLost
	// NotNumber: the cell has other signs than a phone number has.
	NotNumber
	// OtherCountry: national numbers of one country are wanted, and this one
	// belongs to another.
	OtherCountry
	// TwoReadings: the number is valid with its first digits as the calling code
	// and without.
	TwoReadings
	// Extension is a note: the number was read, its extension left out.
	Extension
	// CodeKept is a note: the national form is wanted and no country is
	// configured, so that the number was written with its calling code.
	CodeKept
)

// codes holds for each code its name and the code of its message, and of the one
// that names the country, where that differs.
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

// String gives the name of the code, such as too_short.
func (c Code) String() string { return codes[c].name }

// Problem is why a cell has no number, or a remark on one that was read. The zero
// value is a number without a remark.
type Problem struct {
	Code   Code
	region *region
}

// Invalid says whether the cell has no number though it is not blank.
func (p Problem) Invalid() bool {
	return p.Code != Read && p.Code != Blank && p.Code != Extension && p.Code != CodeKept
}

// messages holds the messages that name a country, by their problems.
var messages sync.Map

// Message is for the person who sent the cell; Read and Blank have none. It names
// the country by its two letters and calling code where one is known, and a plan
// that several countries share by its calling code.
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

// appendNumber appends a number in the reader's form.
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

// appendDigits leaves out what is no digit.
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
