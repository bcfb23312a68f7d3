// Package numfmt displays numbers as a spreadsheet does.
//
// A [Format] is a compiled number format code, such as "#,##0.00;[Red]-0.00" or
// "dd/mm/yyyy". It says what kind of value a number with this format is, and
// gives the text that is displayed and the value's plain form. The package knows
// no files.
package numfmt

import "github.com/intraydata/intray"

// Format is a compiled format code. It may be used by many goroutines.
type Format struct{ kind intray.CellKind }

// Builtin gives the code of a built-in format by its number; "" where the number
// is not one.
func Builtin(id int) string { return "" }

// Compile reads a format code, at most 255 characters of which count. A code
// that cannot be read displays as General does, and ok is false.
func Compile(code string) (f *Format, ok bool) { return &Format{kind: intray.CellNumber}, true }

// Kind says what a number with this format is: CellNumber, CellDate,
// CellDateTime or CellTime; CellText where the format is text (@).
func (f *Format) Kind() intray.CellKind { return f.kind }

// AppendShown appends what is displayed for a number. epoch1904 says which date
// system serial numbers count in. Dates that cannot be (negative, beyond
// 9999-12-31) display as the application shows them in a wide column.
func (f *Format) AppendShown(dst []byte, v float64, epoch1904 bool) []byte { return dst }

// AppendShownText appends what is displayed for a text.
func (f *Format) AppendShownText(dst, text []byte) []byte { return append(dst, text...) }

// AppendValue appends the plain form of a number by the kind of its format, as
// [intray.CellKind] describes it: a number with all its digits, a day, a time.
// What cannot be a date is a number; kind says which it became.
func (f *Format) AppendValue(dst []byte, v float64, epoch1904 bool) (_ []byte, kind intray.CellKind) {
	return dst, f.kind
}
