package date

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/intraydata/intray"
)

// ISO is the format that selects the canonical format of the field:
// 2022-03-27, 2022-03-27T15:20 or 15:20.
const ISO = "[ISO]"

// Layout is a compiled format. It is immutable and safe for concurrent use.
//
// A format consists of the tokens of Luxon 3 (https://moment.github.io/luxon, "Formatting" and
// "Parsing"). Text in single quotes is literal, two consecutive quotes are a quote, and
// characters that are not tokens represent themselves. There are two differences from Luxon: the
// tokens for local weeks (n, nn, ii and iiii) format ISO weeks, and the zone of all timestamps
// is UTC. Localized patterns are Gregorian in all locales.
type Layout struct {
	elements []element
	iso      bool
	want     Want
	seconds  bool
	zero     rune // the digit 0 in the locale
}

// element is a token, or the literal text between tokens.
type element struct {
	field field
	width uint8
	// text is the output of a literal or a zone. folded is text in the form used for comparison.
	text, folded string
	// names are the names to write. keys are the names to accept.
	names []string
	keys  []elementKey
}

// elementKey is the folded name of a month or weekday, with its number.
type elementKey struct {
	text   string
	number uint8
}

// field is the part of a date or time that a token represents. The constants are in this order:
// fields of a time, fields of a date, counts since 1970, and zones.
type field uint8

const (
	literal field = iota
	hourField
	hour12Field
	minuteField
	secondField
	milliField
	centiField
	deciField
	meridiemField
	yearField
	monthField
	dayField
	weekdayField
	weekYearField
	weekField
	yearDayField
	quarterField
	monthName
	weekdayName
	eraName
	unixField
	unixMilliField
	zoneOffset
	zoneID
)

// plainTokens are the tokens of numbers and zones, with the minimum number of
// digits. A two-digit year has the width 2.
var plainTokens = map[string]element{
	"y": {field: yearField, width: 1}, "yy": {field: yearField, width: 2}, "yyyy": {field: yearField, width: 4},
	"yyyyy": {field: yearField, width: 4}, "yyyyyy": {field: yearField, width: 6},
	"M": {field: monthField, width: 1}, "MM": {field: monthField, width: 2},
	"L": {field: monthField, width: 1}, "LL": {field: monthField, width: 2},
	"d": {field: dayField, width: 1}, "dd": {field: dayField, width: 2},
	"H": {field: hourField, width: 1}, "HH": {field: hourField, width: 2},
	"h": {field: hour12Field, width: 1}, "hh": {field: hour12Field, width: 2},
	"m": {field: minuteField, width: 1}, "mm": {field: minuteField, width: 2},
	"s": {field: secondField, width: 1}, "ss": {field: secondField, width: 2},
	"S": {field: milliField, width: 1}, "SSS": {field: milliField, width: 3}, "u": {field: milliField, width: 3},
	"uu": {field: centiField, width: 2}, "uuu": {field: deciField, width: 1},
	"E": {field: weekdayField, width: 1}, "c": {field: weekdayField, width: 1},
	"ZZZZ": {field: zoneID, text: "UTC"}, "ZZZZZ": {field: zoneID, text: "UTC"}, "z": {field: zoneID, text: "UTC"},
	"Z": {field: zoneOffset, text: "+0"}, "ZZ": {field: zoneOffset, text: "+00:00"}, "ZZZ": {field: zoneOffset, text: "+0000"},
	"kk": {field: weekYearField, width: 2}, "kkkk": {field: weekYearField, width: 4},
	"ii": {field: weekYearField, width: 2}, "iiii": {field: weekYearField, width: 4},
	"W": {field: weekField, width: 1}, "WW": {field: weekField, width: 2},
	"n": {field: weekField, width: 1}, "nn": {field: weekField, width: 2},
	"o": {field: yearDayField, width: 1}, "ooo": {field: yearDayField, width: 3},
	"q": {field: quarterField, width: 1}, "qq": {field: quarterField, width: 2},
	"X": {field: unixField, width: 1}, "x": {field: unixMilliField, width: 1},
}

// nameTokens maps the tokens of names to their lists in the locale.
var nameTokens = map[string]struct {
	field field
	list  string
}{
	"MMM": {monthName, "months.short"}, "MMMM": {monthName, "months.long"}, "MMMMM": {monthName, "months.narrow"},
	"LLL": {monthName, "months.short.alone"}, "LLLL": {monthName, "months.long.alone"}, "LLLLL": {monthName, "months.narrow"},
	"EEE": {weekdayName, "days.short"}, "EEEE": {weekdayName, "days.long"}, "EEEEE": {weekdayName, "days.narrow"},
	"EEEEEE": {weekdayName, "days.sentence"}, // used only in localized patterns
	"ccc":    {weekdayName, "days.short.alone"}, "cccc": {weekdayName, "days.long.alone"}, "ccccc": {weekdayName, "days.narrow"},
	"a": {meridiemField, "meridiems"}, "G": {eraName, "eras.short"}, "GG": {eraName, "eras.long"}, "GGGGG": {eraName, "eras.narrow"},
}

// maxFormat is the maximum length of a format in bytes, about ten times that of real formats.
const maxFormat = 256

// CompileLayout compiles a format for a locale, which is en-US by default. The
// arguments want and seconds affect only [ISO]. The format must have at least
// one token and at most 256 bytes. An unknown locale is an error.
func CompileLayout(format, locale string, want Want, seconds bool) (*Layout, error) {
	l := &Layout{want: want, seconds: seconds, zero: '0'}
	if format == ISO {
		l.iso = true
		return l, nil
	}
	if len(format) > maxFormat {
		return nil, &intray.MessageError{Message: intray.NewMessage("date_format.too_long", intray.Params{"n": len(format), "limit": maxFormat})}
	}
	locale = cmp.Or(locale, "en-US")
	where, ok := FindLocale(locale)
	if !ok {
		return nil, UnknownLocale(locale)
	}
	if zero := where.lookup("digits"); zero != "" {
		l.zero, _ = utf8.DecodeRuneInString(zero)
	}
	l.compile(format, where)
	if !l.contains(func(p element) bool { return p.field != literal }) {
		return nil, &intray.MessageError{Message: intray.NewMessage("date_format.no_token", intray.Params{"format": format})}
	}
	return l, nil
}

// compile splits a format into quoted literals and runs of the same letter.
func (l *Layout) compile(format string, where *Locale) {
	for format != "" {
		if format[0] == '\'' {
			var text string
			if text, format, _ = strings.Cut(format[1:], "'"); text == "" {
				text = "'"
			}
			l.addText(text)
			continue
		}
		_, size := utf8.DecodeRuneInString(format)
		end := size
		for strings.HasPrefix(format[end:], format[:size]) {
			end += size
		}
		token := format[:end]
		format = format[end:]
		if p, is := plainTokens[token]; is {
			l.elements = append(l.elements, p)
			continue
		}
		if n, is := nameTokens[token]; is {
			l.elements = append(l.elements, where.nameElement(n.field, n.list))
			continue
		}
		if strings.Trim(token, "DtTfF") == "" && len(token) <= 4 {
			if pattern := where.lookup(token); pattern != "" {
				l.compile(pattern, where)
				continue
			}
		}
		l.addText(token)
	}
}

func (l *Layout) addText(text string) {
	if n := len(l.elements); n > 0 && l.elements[n-1].field == literal {
		text = l.elements[n-1].text + text
		l.elements = l.elements[:n-1]
	}
	l.elements = append(l.elements, element{text: text, folded: strings.ReplaceAll(foldString(text), " ", "")})
}

// nameSeparators removes the characters of names that are optional in a cell.
var nameSeparators = strings.NewReplacer(" ", "", ".", "")

// nameElement returns an element that writes names from one list but accepts
// names from all lists of the same kind, so that a cell is not rejected because
// of a longer, shorter or differently cased name. The layouts of a locale share
// their elements, because a schema can have a thousand fields with many names each.
func (l *Locale) nameElement(f field, list string) element {
	if known, ok := l.nameElements.Load(list); ok {
		return known.(element)
	}
	p := element{field: f, names: l.nameList(list)}
	lists := []string{list}
	if kind, _, _ := strings.Cut(list, "."); (kind == "months" || kind == "days") && !strings.HasSuffix(list, ".narrow") {
		lists = []string{list, kind + ".long", kind + ".long.alone", kind + ".short", kind + ".short.alone"}
	}
	for _, other := range lists {
		for i, name := range l.nameList(other) {
			key := elementKey{nameSeparators.Replace(foldString(name)), uint8(i + 1)}
			if key.text != "" && !slices.Contains(p.keys, key) {
				p.keys = append(p.keys, key)
			}
		}
	}
	// The longest name that matches must be found first.
	slices.SortStableFunc(p.keys, func(a, b elementKey) int { return len(b.text) - len(a.text) })
	l.nameElements.Store(list, p)
	return p
}

// DateOrder returns the order of day, month and year if all three are numbers.
// Otherwise, it returns Undecided.
func (l *Layout) DateOrder() Order {
	if l.iso {
		return YMD
	}
	var pattern []byte
	for _, p := range l.elements {
		switch p.field {
		case dayField:
			pattern = append(pattern, 'd')
		case monthField:
			pattern = append(pattern, 'M')
		case yearField:
			pattern = append(pattern, 'y')
		}
	}
	return patternOrder(string(pattern))
}

func (l *Layout) contains(is func(element) bool) bool { return slices.ContainsFunc(l.elements, is) }

// HasOffset reports whether the layout shows an offset, a zone or a count since
// 1970, which timestamps without a zone do not have.
func (l *Layout) HasOffset() bool {
	return l.contains(func(p element) bool { return p.field >= unixField })
}

// Components reports whether the layout shows a date and whether it shows a time of day.
func (l *Layout) Components() (day, clock bool) {
	if l.iso {
		return l.want != WantTime, l.want != WantDate
	}
	isUnix := func(p element) bool { return p.field == unixField || p.field == unixMilliField }
	day = l.contains(func(p element) bool { return p.field >= yearField && p.field <= eraName || isUnix(p) })
	clock = l.contains(func(p element) bool { return p.field >= hourField && p.field <= meridiemField || isUnix(p) })
	return day, clock
}

// Append appends m in the layout. It omits components that m does not have, such as the month of
// a time of day. Append does not allocate if dst has sufficient capacity.
func (l *Layout) Append(dst []byte, m Timestamp) []byte {
	if l.iso {
		return m.AppendISO(dst, l.want, l.seconds)
	}
	for i := range l.elements {
		switch p := &l.elements[i]; p.field {
		case literal, zoneOffset, zoneID:
			dst = append(dst, p.text...)
		case monthName, weekdayName, meridiemField, eraName:
			if at := p.nameIndex(m); at >= 0 && at < len(p.names) {
				dst = append(dst, p.names[at]...)
			}
		default:
			if !m.IsZero() || p.field < yearField {
				dst = l.appendNumber(dst, p.number(m), int(p.width))
			}
		}
	}
	return dst
}

// nameIndex returns the index of the name for m in the element's list of names, or -1 if m does
// not have the component.
func (p *element) nameIndex(m Timestamp) int {
	switch {
	case p.field == meridiemField:
		return int(m.Hour) / 12
	case p.field == eraName:
		return 1
	case p.field == monthName:
		return int(m.Month) - 1
	case m.IsZero():
		return -1
	}
	return m.Weekday() - 1
}

// number returns the value of a numeric field in m.
func (p *element) number(m Timestamp) int64 {
	year := int64(m.Year)
	switch p.field {
	case hourField:
		return int64(m.Hour)
	case hour12Field:
		return int64(m.Hour+11)%12 + 1
	case minuteField:
		return int64(m.Minute)
	case secondField:
		return int64(m.Second)
	case milliField:
		return int64(m.Nano / 1_000_000)
	case centiField:
		return int64(m.Nano / 10_000_000)
	case deciField:
		return int64(m.Nano / 100_000_000)
	case monthField:
		return int64(m.Month)
	case dayField:
		return int64(m.Day)
	case weekdayField:
		return int64(m.Weekday())
	case yearDayField:
		return int64(m.YearDay())
	case quarterField:
		return int64(m.Month+2) / 3
	case unixField, unixMilliField:
		seconds := int64(m.dayNumber()-unixEpoch)*86400 + int64(m.Hour)*3600 + int64(m.Minute)*60 + int64(m.Second)
		if p.field == unixField {
			return seconds
		}
		return seconds*1000 + int64(m.Nano/1_000_000)
	case weekField, weekYearField:
		weekYear, week := m.ISOWeek()
		if p.field == weekField {
			return int64(week)
		}
		year = int64(weekYear)
	}
	if p.width == 2 {
		year %= 100
	}
	return year
}

// appendNumber appends n in the digits of the locale.
func (l *Layout) appendNumber(dst []byte, n int64, width int) []byte {
	if n < 0 {
		dst, n = append(dst, '-'), -n
	}
	var room [20]byte
	digits := strconv.AppendInt(room[:0], n, 10)
	for range width - len(digits) {
		dst = utf8.AppendRune(dst, l.zero)
	}
	for _, c := range digits {
		dst = utf8.AppendRune(dst, l.zero+rune(c-'0'))
	}
	return dst
}
