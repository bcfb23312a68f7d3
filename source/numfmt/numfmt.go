// Package numfmt displays numbers as a spreadsheet does.
//
// A [Format] is a compiled number format code, such as "#,##0.00;[Red]-0.00" or
// "dd/mm/yyyy". It says what kind of value a number with this format is, and
// gives the text that is displayed (shown) and the value's plain form. A code
// has up to four sections; a section is a run of placeholders, date letters and
// literals; a serial is the number that stands for a day and its time. The
// package knows no files, no colours and no widths of columns.
//
// # Sources
//
// ECMA-376 part 1, 18.8.30 (built-in numbers) and 18.8.31 (codes), Microsoft's
// article Q67469 (conditions), and what Excel 2007 and later write when a sheet
// is saved as CSV. Where they differ, the CSV counts.
//
// # Digits
//
// A number has 15 significant decimal digits, as in Excel; all rounding is done
// on them, half away from zero. 0 shows a digit always, # where it counts, ? a
// space where it does not. Each placeholder decides for its own place, and the
// first takes what is left of the number. Literals stay where they stand. A
// comma between placeholders groups thousands; behind the last, it divides by
// 1,000. Each percent sign multiplies by 100. The exponent is a multiple of the
// number of places before the point. A fraction is the last continued fraction
// whose denominator fits; a fraction of nothing beside a whole is blank.
// A minus in front is kept when all digits round away: -0.001 in 0.00 is -0.00.
//
// # General
//
// General takes at most 11 characters beside the minus: 10 digits and a point,
// fewer decimals before more; from 1E+11, and below 0.0001 where 9 decimals do
// not hold all digits, scientific with 5 decimals (4 with three digits of
// exponent).
//
// # Sections
//
// One section takes all numbers; two take those from 0 and the others; three
// those above, those below and zero. A condition replaces this; the first that
// holds counts. A section that only negative numbers reach shows no minus of its
// own. Where one section has a condition that does not hold, General is shown;
// where several do and none holds, a row of #. Text goes through the fourth
// section, or the last if it has an @; else it is shown as it is. The letter
// after _ is one space, a fill (* and a letter) is nothing.
//
// # Dates
//
// Serial 1 is 1900-01-01 and 60 the 29 February 1900 that never was; 0 is the
// 0 January. In the 1904 system, serial 0 is 1904-01-01. Times are rounded to the
// last place of seconds that is shown, to seconds where none is, and then cut. m
// means minutes behind h and before s. Negative dates and those from year 10000
// are a row of 255 #, as in a CSV file; in the 1904 system negative dates have a
// minus. Month and day names are English unless a locale tag names German,
// French, Spanish, Italian, Portuguese or Dutch. b gives Buddhist years; B2 and
// tags of the Hijri calendar the tabular Islamic one. Codes in other calendars
// (Japanese eras, Taiwan, Korea, Hebrew) are not readable. Eastern digits
// (DBNum, Thai) are shown as 0 to 9.
package numfmt

import (
	"bytes"
	"math"
	"strconv"

	"github.com/intraydata/intray"
)

// maxCodeChars is how many characters of a code count.
const maxCodeChars = 255

// Format is a compiled format code. It may be used by many goroutines.
type Format struct {
	kind intray.CellKind
	// elapsed is set where times are lengths, not times of day.
	elapsed bool
	// sections are those for numbers. None means that numbers go through text.
	sections []section
	// text shows texts; nil where they are shown as they are.
	text []item
}

// Compile reads a format code, at most 255 characters of which count. A code
// that cannot be read displays as General does, and ok is false; it is a date
// all the same where only its calendar is unknown. The empty code is General.
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
		case !ok && p.readable(): // letters of dates among digits mean nothing
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

// truncateCode cuts a code to maxCodeChars characters.
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

// cutTextSection takes the section for text off the end.
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

// classify finds the kind of the numbers: a date where any section is one.
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

// Kind says what a number with this format is: CellNumber, CellDate,
// CellDateTime or CellTime; CellText where the format is text (@).
func (f *Format) Kind() intray.CellKind { return f.kind }

// AppendFormatted appends what is displayed for a number. epoch1904 says which date
// system serial numbers count in. Dates that cannot be (negative, beyond
// 9999-12-31) display as a row of 255 #; what is no number displays as #NUM!.
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

// AppendFormattedText appends what is displayed for a text.
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

// overflowWidth is what Excel writes to a CSV file for a date that cannot be.
const overflowWidth = 255

func appendHashes(dst []byte) []byte {
	for range overflowWidth {
		dst = append(dst, '#')
	}
	return dst
}

// AppendValue appends the plain form of a number by the kind of its format, as
// [intray.CellKind] describes it: a number with all its digits, a day, a time.
// What cannot be a date is a number; kind says which it became. Those are serials
// below 1 and 60 in the 1900 system, negative days and those from year 10000. A
// day is without its time, and a time of day without its day, as they are
// displayed; times are rounded to milliseconds. A number in a text format is a
// number. What is no number at all is the error #NUM!.
//
// Whole numbers have all their digits. Others have at most 15 significant ones,
// which is all that the application ever shows: the rest is noise of binary
// arithmetic, such as 0.30000000000000004. Numbers that need more than 21 digits
// in full have an exponent: 1.5e300.
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

// appendDay appends 2006-01-02, with T15:04:05 where the format has a time.
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

// appendTime appends the time of the day, or the whole length of time.
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

// appendClock appends 15:04:05 with the milliseconds that there are.
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

// plainDigits is the most digits that are written out.
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

// appendInteger appends a whole number: the least digits that stand for it alone,
// and zeros.
func appendInteger(dst []byte, v float64) []byte {
	if math.Abs(v) < 1e21 {
		return strconv.AppendFloat(dst, v+0, 'f', -1, 64) // + 0 makes -0 a 0
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, v, 'e', -1, 64)
	plus := start + bytes.IndexByte(dst[start:], '+')
	return append(dst[:plus], dst[plus+1:]...)
}
