// Package numfmt displays numbers like a spreadsheet.
//
// A [Format] is a compiled number format code, such as "#,##0.00;[Red]-0.00" or
// "dd/mm/yyyy". It knows the kind of values with this format, and returns their
// displayed text and their plain value. A code has up to four sections. A section is a
// sequence of placeholders, date letters and literals. A serial is the number of a date
// and time. The package does not know files, colours or column widths.
//
// # Sources
//
// ECMA-376 part 1, 18.8.30 (built-in numbers) and 18.8.31 (codes), Microsoft's article
// Q67469 (conditions), and the CSV files that Excel 2007 and later save. If they
// differ, the CSV files decide.
//
// # Digits
//
// A number has 15 significant decimal digits, as in Excel. All rounding is done on
// them, half away from zero. The placeholder 0 always displays a digit, # only a
// significant one, and ? a space instead of an insignificant one. Each placeholder
// applies to its place, and the first one displays all remaining digits. Literals keep
// their position. A comma between placeholders groups thousands, and after the last one
// it divides by 1,000. Each percent sign multiplies by 100. The exponent is a multiple
// of the number of places before the point. A fraction is the last continued fraction
// whose denominator fits. A zero fraction next to a whole is blank. A leading minus
// sign remains if all digits round to zero: -0.001 in 0.00 is -0.00.
//
// # General
//
// General displays at most 11 characters and a minus sign: 10 digits and a point, with
// fewer decimals for larger numbers. Numbers from 1E+11, and those below 0.0001 that
// need more than 9 decimals, are scientific with 5 decimals (4 if the exponent has
// three digits).
//
// # Sections
//
// One section applies to all numbers. Of two, the first applies to numbers from 0. Of
// three, the first applies to positive numbers, the second to negative ones and the
// third to zero. Conditions replace this, and the first one that holds decides. A
// section that only negative numbers reach displays no minus sign. If the only
// condition does not hold, the format is General. If none of several holds, the result
// is a row of #. Text uses the fourth section, or the last one if it has an @, and is
// otherwise displayed unchanged. An underscore with a character is one space, and a
// fill (* with a character) is nothing.
//
// # Dates
//
// Serial 1 is 1900-01-01, 60 is the nonexistent 29 February 1900, and 0 is 0 January.
// In the 1904 system, serial 0 is 1904-01-01. Times are rounded to the last displayed
// place of seconds, or to seconds if none is displayed, and then truncated. m means
// minutes after h and before s. Negative dates and those from year 10000 are a row of
// 255 #, as in a CSV file. In the 1904 system, negative dates have a minus sign. Month
// and day names are English unless a locale tag selects German, French, Spanish,
// Italian, Portuguese or Dutch. b displays Buddhist years. B2 and tags of the Hijri
// calendar select the tabular Islamic calendar. Codes in other calendars (Japanese
// eras, Taiwan, Korea, Hebrew) are not supported. Eastern digits (DBNum, Thai) are
// displayed as 0 to 9.
package numfmt

import (
	"bytes"
	"math"
	"strconv"

	"github.com/intraydata/intray"
)

// maxCodeChars is the most characters of a code. Others are ignored.
const maxCodeChars = 255

// Format is a compiled format code. It is safe for concurrent use.
type Format struct {
	kind intray.CellKind
	// elapsed is set if times are durations, not times of day.
	elapsed bool
	// sections are the sections for numbers. Without any, numbers use text.
	sections []section
	// text displays texts. nil displays them unchanged.
	text []item
}

// Compile compiles a format code, of which at most 255 characters count. For an invalid
// code, it returns a format that displays like General, and ok is false. If only the
// calendar is unsupported, the kind of that format is still a date. The empty code is
// General.
func Compile(code string) (f *Format, ok bool) {
	parts, ok := tokenize(truncateCode(code))
	if !ok || len(parts) > 4 {
		return newGeneralFormat(intray.CellNumber), false
	}
	f = &Format{kind: intray.CellNumber}
	parts = f.cutTextSection(parts)
	f.classify(parts)
	for _, p := range parts {
		s, ok := compileSection(p)
		switch {
		case !ok && p.readable(): // date letters among digits have no meaning
			return newGeneralFormat(intray.CellNumber), false
		case !ok:
			return &Format{kind: f.kind, elapsed: f.elapsed, sections: generalSections()}, false
		}
		f.sections = append(f.sections, s)
	}
	resolveConditions(f.sections)
	return f, true
}

func newGeneralFormat(kind intray.CellKind) *Format {
	return &Format{kind: kind, sections: generalSections()}
}

func generalSections() []section {
	return []section{{shape: shapeGeneral, items: []item{{kind: itemGeneral}}}}
}

// truncateCode truncates a code to maxCodeChars characters.
func truncateCode(code string) string {
	n := 0
	for i := range code {
		if n == maxCodeChars {
			return code[:i]
		}
		n++
	}
	return code
}

// cutTextSection removes the section for text from the end.
func (f *Format) cutTextSection(parts []rawSection) []rawSection {
	last := len(parts) - 1
	if last != 3 && !parts[last].isText() {
		return parts
	}
	f.text = make([]item, 0, len(parts[last].tokens))
	for _, t := range parts[last].tokens {
		f.text = appendGeneralItem(f.text, t)
	}
	if last == 0 {
		f.kind = intray.CellText
	}
	return parts[:last]
}

// classify determines the kind of the numbers. A single date section makes it a date.
func (f *Format) classify(parts []rawSection) {
	var day, clock bool
	for _, p := range parts {
		for _, t := range p.tokens {
			day = day || t.kind.isDateLetter()
			clock = clock || t.kind.isTimeLetter()
			f.elapsed = f.elapsed || t.kind == tokElapsed
		}
	}
	switch {
	case day && clock:
		f.kind = intray.CellDateTime
	case day:
		f.kind = intray.CellDate
	case clock:
		f.kind = intray.CellTime
	}
}

// Kind returns the kind of a number with this format: CellNumber, CellDate,
// CellDateTime or CellTime. For a text format (@) it is CellText.
func (f *Format) Kind() intray.CellKind { return f.kind }

// AppendFormatted appends the displayed text of a number. epoch1904 selects the date
// system of serials. Invalid dates (negative, or after 9999-12-31) display as a row of
// 255 #, and NaN and infinities as #NUM!.
func (f *Format) AppendFormatted(dst []byte, v float64, epoch1904 bool) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return append(dst, "#NUM!"...)
	}
	if len(f.sections) == 0 {
		return appendThroughText(dst, f.text, v)
	}
	s := f.sectionFor(v)
	if s == nil {
		return appendHashes(dst)
	}
	if s.shape == shapeDate {
		return s.appendDate(dst, v, epoch1904)
	}
	if v < 0 && !s.unsigned {
		dst = append(dst, '-')
	}
	var d decimal
	d.set(math.Abs(v))
	return s.appendNumber(dst, &d, v)
}

// AppendFormattedText appends the displayed text of a text.
func (f *Format) AppendFormattedText(dst, text []byte) []byte {
	if f.text == nil {
		return append(dst, text...)
	}
	for i := range f.text {
		if f.text[i].kind == itemGeneral {
			dst = append(dst, text...)
		} else {
			dst = append(dst, f.text[i].text...)
		}
	}
	return dst
}

// appendThroughText displays a number in a format that is only for text.
func appendThroughText(dst []byte, items []item, v float64) []byte {
	var d decimal
	for i := range items {
		if items[i].kind != itemGeneral {
			dst = append(dst, items[i].text...)
			continue
		}
		if v < 0 {
			dst = append(dst, '-')
		}
		d.set(math.Abs(v))
		dst = appendGeneral(dst, &d)
	}
	return dst
}

// overflowWidth is the length of the row of # that Excel writes to a CSV file for an
// invalid date.
const overflowWidth = 255

func appendHashes(dst []byte) []byte {
	for range overflowWidth {
		dst = append(dst, '#')
	}
	return dst
}

// AppendValue appends the plain value of a number by the kind of its format, as
// described at [intray.CellKind]: a number with all its digits, a date or a time. It
// returns the actual kind. Serials that cannot be dates are numbers: those below 1 and
// 60 in the 1900 system, negative ones, and those from year 10000. A date is without
// its time, and a time of day without its date, as displayed. Times are rounded to
// milliseconds. A number in a text format is a number. NaN and infinities are the error
// #NUM!.
//
// Integers have all their digits. Others have at most 15 significant digits, which is
// all that Excel ever displays: further digits come from binary arithmetic, as in
// 0.30000000000000004. Numbers that would need more than 21 digits have an exponent,
// such as 1.5e300.
func (f *Format) AppendValue(dst []byte, v float64, epoch1904 bool) (_ []byte, kind intray.CellKind) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return append(dst, "#NUM!"...), intray.CellError
	}
	switch f.kind {
	case intray.CellTime:
		if math.Abs(v) < maxSerial {
			return f.appendTime(dst, v), intray.CellTime
		}
	case intray.CellDate, intray.CellDateTime:
		total, ok := serialMillis(v, epoch1904, 1)
		if days := total / dayMillis; ok && days > 0 && days != 60 {
			return f.appendDay(dst, total), f.kind
		}
	}
	return appendPlain(dst, v), intray.CellNumber
}

// appendDay appends a date such as 2006-01-02, with T15:04:05 if the format has a time.
func (f *Format) appendDay(dst []byte, total int64) []byte {
	m := splitSerial(total)
	dst = append(appendPadded(dst, int64(m.year), 4), '-')
	dst = append(appendPadded(dst, int64(m.month), 2), '-')
	dst = appendPadded(dst, int64(m.day), 2)
	if f.kind == intray.CellDateTime {
		dst = appendClock(append(dst, 'T'), m.clock)
	}
	return dst
}

// appendTime appends the time of day, or the whole duration.
func (f *Format) appendTime(dst []byte, v float64) []byte {
	total := int64(math.Round(v * dayMillis))
	if total < 0 {
		dst = append(dst, '-')
		total = -total
	} else if !f.elapsed {
		total %= dayMillis
	}
	return appendClock(dst, total)
}

// appendClock appends a time such as 15:04:05, with milliseconds if they are not 0.
func appendClock(dst []byte, total int64) []byte {
	dst = append(appendPadded(dst, total/(60*60*1000), 2), ':')
	dst = append(appendPadded(dst, total/60000%60, 2), ':')
	dst = appendPadded(dst, total/1000%60, 2)
	millis := total % 1000
	if millis == 0 {
		return dst
	}
	dst = appendPadded(append(dst, '.'), millis, 3)
	for dst[len(dst)-1] == '0' {
		dst = dst[:len(dst)-1]
	}
	return dst
}

// plainDigits is the most digits of a number without an exponent.
const plainDigits = 21

// appendPlain appends a number with all its digits.
func appendPlain(dst []byte, v float64) []byte {
	if v == math.Trunc(v) {
		return appendInteger(dst, v)
	}
	if v < 0 {
		dst = append(dst, '-')
	}
	var d decimal
	d.set(math.Abs(v))
	if max(d.point, 1)+max(d.n-d.point, 0) <= plainDigits {
		return d.appendFixed(dst)
	}
	exponent := d.point - 1
	d.point = 1
	dst = append(d.appendFixed(dst), 'e')
	return strconv.AppendInt(dst, int64(exponent), 10)
}

// appendInteger appends an integer: the shortest digits that identify it, and zeros.
func appendInteger(dst []byte, v float64) []byte {
	if math.Abs(v) < 1e21 {
		return strconv.AppendFloat(dst, v+0, 'f', -1, 64) // + 0 turns -0 into 0
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, v, 'e', -1, 64)
	plus := start + bytes.IndexByte(dst[start:], '+')
	return append(dst[:plus], dst[plus+1:]...)
}
