// Package numfmt formats numbers as spreadsheets display them.
//
// A [Format] is a compiled number format code, such as "#,##0.00;[Red]-0.00" or
// "dd/mm/yyyy". It determines the kind of a value, its displayed text and its plain
// value. A code has up to four sections. A section is a sequence of placeholders, date
// letters and literals. A serial is a number that represents a date and time. The
// package does not handle files, colors or column widths.
//
// # Sources
//
// ECMA-376 part 1, 18.8.30 (built-in formats) and 18.8.31 (codes), Microsoft's article
// Q67469 (conditions), and the CSV files that Excel 2007 and later save. If these
// sources differ, the package follows the CSV files.
//
// # Digits
//
// A number has 15 significant decimal digits, as in Excel. The package rounds these digits, half
// away from zero. The placeholder 0 always displays a digit. The placeholder # displays only a
// significant digit. The placeholder ? displays a space instead of an insignificant digit. Each
// placeholder displays the digit at its position, and the first one also displays all digits to
// its left. Literals keep their position. A comma between placeholders groups thousands, and a
// comma after the last placeholder divides by 1,000. Each percent sign multiplies by 100. The
// exponent is a multiple of the number of placeholders before the point. A fraction is a
// convergent of the number's continued fraction: the last one with a denominator that fits the
// placeholders. A zero fraction after an integer is blank. The minus sign that the package adds
// is omitted if all displayed digits are zero: -0.001 in 0.00 is 0.00. The stored number chooses
// the section, so -0.001 in 0.00;(0.00) is (0.00).
//
// # General
//
// General displays at most 11 characters and a minus sign. Larger numbers have fewer
// decimals, so that 10 digits and a point fit. Numbers from 1E+11, and numbers below
// 0.0001 that need more than 9 decimals, are displayed in scientific notation with 5
// decimals (4 if the exponent has three digits).
//
// # Sections
//
// If a code has one section, it applies to all numbers. If it has two, the first applies to
// positive numbers and zero, and the second to negative numbers. If it has three, the first
// applies to positive numbers, the second to negative numbers and the third to zero. Conditions
// replace these rules: the first section whose condition is true applies. A section that applies
// only to negative numbers displays no minus sign. If the condition of the only section is
// false, the format is General. If the conditions of several sections are all false, the result
// is a row of # characters. Text uses the fourth section, or the last section if it contains an
// @. Otherwise, text is displayed unchanged. An underscore followed by a character displays one
// space, and an asterisk followed by a character (a fill) displays nothing.
//
// # Dates
//
// Serial 1 is 1900-01-01, 60 is the nonexistent 29 February 1900, and 0 is 0 January. In the
// 1904 system, serial 0 is 1904-01-01. Times are rounded to the last displayed digit of seconds,
// or to whole seconds if no fraction is displayed, and then truncated to the displayed units. m
// means minutes after h or before s. Negative dates and dates from the year 10000 on are
// displayed as a row of 255 # characters, as in CSV files that Excel saves. In the 1904 system,
// and in sections that display only one elapsed unit, such as [h], negative serials are displayed
// with a minus sign instead. Month and day names are English unless
// a locale tag selects German, French, Spanish, Italian, Portuguese or Dutch. The letter b
// displays Buddhist years. The locale tag F800 selects the long date of the operating system. B2 and locale tags of the Hijri calendar select the tabular Islamic
// calendar. Codes for other calendars (Japanese, Taiwanese, Korean and Hebrew) are not
// supported. Eastern digits (DBNum, Thai) are displayed as 0 to 9.
package numfmt

import (
	"bytes"
	"math"
	"slices"
	"strconv"

	"github.com/intraydata/intray"
)

// maxCodeChars is the maximum length of a code, in characters. Further characters are ignored.
const maxCodeChars = 255

// Format is a compiled format code. It is safe for concurrent use.
type Format struct {
	kind intray.CellKind
	// elapsed is true if times are durations rather than times of day.
	elapsed bool
	// sections are the sections for numbers. Without any, numbers use the section for text.
	sections []section
	// text is the section for text. If it is nil, text is displayed unchanged.
	text []item
}

// Compile compiles the first 255 characters of a format code. If the code is invalid, ok is false
// and the format displays numbers like General. If the code is invalid only because its calendar
// is not supported, the kind of the format is still a date or time. The empty code means General.
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
		case !ok && p.readable(): // date letters cannot be combined with digits
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

// cutTextSection removes the section for text, if any, from the end of parts and compiles it.
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

// classify sets the kind of numbers with this format. It is a date or time if any
// section contains date or time letters.
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
// CellDateTime or CellTime. For a text format (@), it is CellText.
func (f *Format) Kind() intray.CellKind { return f.kind }

// AppendFormatted appends the displayed text of a number. If epoch1904 is true, serials are in
// the 1904 date system instead of the 1900 one. Invalid dates (negative, or after 9999-12-31)
// are displayed as a row of 255 # characters, and NaN and infinities as #NUM!.
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
	from := len(dst)
	signed := v < 0 && !s.unsigned
	if signed {
		dst = append(dst, '-')
	}
	var d decimal
	d.set(math.Abs(v))
	dst, zero := s.appendNumber(dst, &d, v)
	if signed && zero {
		return slices.Delete(dst, from, from+1)
	}
	return dst
}

// AppendFormattedText appends text as the format displays it.
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

// appendThroughText appends a number in a format that has only a section for text.
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

// overflowWidth is the length of the row of # characters that Excel writes to a CSV file for an
// invalid date.
const overflowWidth = 255

func appendHashes(dst []byte) []byte {
	for range overflowWidth {
		dst = append(dst, '#')
	}
	return dst
}

// AppendValue appends the plain value of a number in the format that [intray.CellKind]
// describes for the kind of f: a number with all its digits, a date or a time. It
// returns the kind of the value, which can be different. In a date format, a serial
// that cannot be a date is a number: negative serials, serials from the year 10000 on,
// and in the 1900 system also 60 and serials below 1. A date in a format
// without a time has the time of the number, if there is one, although it is not displayed. A time
// of day has no date, as displayed. Times are rounded to milliseconds. In a text format,
// the value is a number. NaN and infinities are the error "#NUM!".
//
// Integers have all their digits. Other numbers have at most 15 significant digits,
// because Excel never displays more. Further digits are artifacts of binary arithmetic,
// as in 0.30000000000000004. Numbers that would need more than 21 digits have an
// exponent, such as 1.5e300.
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
			return f.appendDay(dst, total)
		}
	}
	return appendPlain(dst, v), intray.CellNumber
}

// appendDay appends a date such as 2006-01-02, followed by a time such as T15:04:05 if
// the format or the number has one. It returns the kind of the value.
func (f *Format) appendDay(dst []byte, total int64) ([]byte, intray.CellKind) {
	m := splitSerial(total)
	dst = append(appendPadded(dst, int64(m.year), 4), '-')
	dst = append(appendPadded(dst, int64(m.month), 2), '-')
	dst = appendPadded(dst, int64(m.day), 2)
	if f.kind == intray.CellDate && m.clock == 0 {
		return dst, intray.CellDate
	}
	return appendClock(append(dst, 'T'), m.clock), intray.CellDateTime
}

// appendTime appends the time of day, or the whole duration if the format displays elapsed time.
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

// plainDigits is the maximum number of digits in a number without an exponent.
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

// appendInteger appends an integer: the fewest digits that identify it, followed by zeros.
func appendInteger(dst []byte, v float64) []byte {
	if math.Abs(v) < 1<<53 {
		return strconv.AppendInt(dst, int64(v), 10)
	}
	if math.Abs(v) < 1e21 {
		return strconv.AppendFloat(dst, v+0, 'f', -1, 64) // + 0 converts -0 to 0
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, v, 'e', -1, 64)
	plus := start + bytes.IndexByte(dst[start:], '+')
	return append(dst[:plus], dst[plus+1:]...)
}
