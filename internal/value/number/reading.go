package number

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
func (r Reason) Code() string { return reasonTexts[r].code }

// Text tells a person what is wrong with the cell.
func (r Reason) Text() string { return reasonTexts[r].text }

var reasonTexts = [...]struct{ code, text string }{
	Read:       {"read", ""},
	Empty:      {"empty", "There is no number here."},
	Dash:       {"dash", "There is only a dash here. Write 0, or leave the cell empty."},
	NotNumber:  {"not_a_number", "This is not a number. Write it like 1234.5."},
	Signs:      {"signs", "The signs around this number contradict each other. Write it with one minus before it, or none."},
	Separators: {"separators", "The points, commas or spaces in this number stand where none can. Write it like 1234.5."},
	OtherStyle: {"other_style", "The other numbers of this column are written differently, and this one could be read in two ways. Write it without a sign between the thousands."},
	TwoWays:    {"two_ways", "This number can be read in two ways: the sign in it may stand before a fraction or between thousands. Write it without a sign between the thousands."},
	Currencies: {"currencies", "Two currencies stand beside this number. Write one, or none."},
	TooLong:    {"too_long", "This text is too long for a number: it has more than 1,000 bytes."},
	TooLarge:   {"too_large", "This number has more digits than can be kept: at most 400 before and 400 behind the decimal sign."},
}
