package phone

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

// sentences holds for each code its name and its sentence, in which # stands for
// the country.
var sentences = [...][2]string{
	Read:           {"read", ""},
	Blank:          {"blank", ""},
	NoCountry:      {"no_country_code", "The country code is missing. Write it before the number with a plus, like +49 89 1234567."},
	UnknownCode:    {"unknown_country_code", "No country has this country code. Check the digits after the plus."},
	TooShort:       {"too_short", "This is too short for a phone number#. Add the digits that are missing, such as the area code."},
	TooLong:        {"too_long", "This is too long for a phone number#. Remove the digits that do not belong to it."},
	NotValid:       {"not_valid", "This is not a valid phone number#. Check its digits."},
	Letters:        {"letters", "A phone number has no letters. Write digits only, and move other words to another column."},
	SeveralNumbers: {"several_numbers", "The cell has more than one phone number, or one with two endings. Leave one."},
	DigitsLost:     {"digits_lost", "A spreadsheet has rounded this number, and its last digits are lost. Format the column as text and enter the number again."},
	NotNumber:      {"not_a_number", "This is not a phone number. Write digits, with a plus before the country code."},
	OtherCountry:   {"other_country", "This number belongs to another country. Only phone numbers# fit here."},
	TwoReadings:    {"two_readings", "These digits can be a phone number# with the country code or without it. Write a plus before the country code, or the zero or other prefix before the area code."},
	Extension:      {"extension_left_out", "The extension is left out: the number is kept without it."},
	CodeKept:       {"country_code_kept", "The country code is kept: the field names no country whose numbers could do without it."},
}

// String gives the name of the code, such as too_short.
func (c Code) String() string { return sentences[c][0] }

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

// Text is the sentence for the person who sent the cell, "" for Read and Blank.
// It names the country by its two letters and calling code where one is known,
// and a plan that several countries share by its calling code.
func (p Problem) Text() string {
	text := sentences[p.Code][1]
	for i := range len(text) {
		if text[i] == '#' {
			return text[:i] + p.country() + text[i+1:]
		}
	}
	return text
}

func (p Problem) country() string {
	switch {
	case p.region == nil:
		return ""
	case p.region == p.region.plan.main && p.region.plan.shared || len(p.region.name) == 3:
		return " with the country code " + p.region.plan.text
	}
	return " of " + p.region.name + " (" + p.region.plan.text + ")"
}
