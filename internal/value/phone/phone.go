package phone

import (
	"sync"

	"github.com/intraydata/intray"
)

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

// Wrong says whether the cell has no number though it is not blank.
func (p Problem) Wrong() bool {
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
	m := intray.NewMessage(codes[p.Code].ofCountry, intray.Params{"country": p.country()})
	messages.Store(p, m)
	return m
}

func (p Problem) country() intray.Message {
	if p.region == p.region.plan.main && p.region.plan.shared || len(p.region.name) == 3 {
		return intray.NewMessage("phone.with_country_code", intray.Params{"code": p.region.plan.text})
	}
	return intray.NewMessage("phone.of_country", intray.Params{"country": p.region.name, "code": p.region.plan.text})
}
