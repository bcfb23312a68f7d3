package number

import "github.com/intraydata/intray"

// Reading is what was seen in a cell beside its value.
type Reading struct {
	// Reason says why the cell holds no number, or Read.
	Reason Reason
	// Unlike says that the cell contradicts the style of its column, and was read
	// by the only way that fits.
	Unlike bool
	// Shift is how many places the decimal sign was moved for a percent or per
	// mille sign: 0, 2 or 3.
	Shift uint8
	// Currency is what stood before or behind the digits, or none.
	Currency Currency
}

// Reason says why a cell cannot be read.
type Reason uint8

// The reasons.
const (
	// Read is no reason: the cell was read.
	Read Reason = iota
	// Empty is a cell with nothing but white space.
	Empty
	// Dash is a dash alone, perhaps beside a currency: accounts write it for
	// zero, others for nothing. It is left to the caller.
	Dash
	// NotNumber is text that is no number, or has more than one beside it.
	NotNumber
	// Signs are two signs, or a parenthesis that is not closed.
	Signs
	// Separators are separators that stand where none can.
	Separators
	// OtherStyle is a number that would need another separator between the
	// thousands than the column has, and may be a fraction as well.
	OtherStyle
	// TwoWays is a number whose separator may stand before a fraction or between
	// thousands, and the style does not say which.
	TwoWays
	// Currencies are two currencies in one cell.
	Currencies
	// TooLong is text of more than 1,000 bytes.
	TooLong
	// TooLarge is a number with digits more than 400 places from the decimal
	// sign.
	TooLarge
)

// maxCell is how many bytes a cell may have, white space at its ends left out.
const maxCell = 1000

// Code is the reason as a name for machines, such as two_ways.
func (r Reason) Code() string { return reasonCodes[r].name }

// Message says what is wrong with the cell.
func (r Reason) Message() intray.Message { return intray.NewMessage(reasonCodes[r].code, nil) }

// reasonCodes holds for each reason its name and the code of its message; none where
// nothing is wrong.
var reasonCodes = [...]struct{ name, code string }{
	Read:       {"read", ""},
	Empty:      {"empty", ""},
	Dash:       {"dash", "number.only_dash"},
	NotNumber:  {"not_a_number", "number.invalid"},
	Signs:      {"signs", "number.contradictory_signs"},
	Separators: {"separators", "number.misplaced_separators"},
	OtherStyle: {"other_style", "number.other_style"},
	TwoWays:    {"two_ways", "number.ambiguous"},
	Currencies: {"currencies", "number.two_currencies"},
	TooLong:    {"too_long", "number.too_long"},
	TooLarge:   {"too_large", "number.too_many_digits"},
}
