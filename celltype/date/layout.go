package date

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/intraydata/intray"
)

// ISO is the format that stands for the canonical form: 2022-03-27,
// 2022-03-27T15:20 or 15:20, by what the field holds.
const ISO = "[ISO]"

// Layout is a compiled format. It is read only, and may be used from several
// goroutines.
//
// Formats are made of the tokens of Luxon 3 (https://moment.github.io/luxon,
// "Formatting" and "Parsing"), with text between single quotes; two quotes
// with nothing between them are a quote, and signs that are no tokens stand for
// themselves. Two differences:
// the tokens of local weeks, n nn ii iiii, give ISO weeks, and the zone of all
// moments is UTC. Localized patterns are for the Gregorian calendar in all
// locales.
type Layout struct {
	elements []element
	iso      bool
	want     Want
	seconds  bool
	zero     rune // the digit 0 of the locale
}

// element is one token, or text between tokens.
type element struct {
	field field
	width uint8
	// text is what a literal is, folded how it is compared.
	text, folded string
	// names are what a name is written as, keys what it is read as; numbers says
	// which month or day a key means.
	names   []string
	keys    []string
	numbers []uint8
}

type field uint8

const (
	literal field = iota
	yearField
	monthField
	dayField
	hourField
	hour12Field
	minuteField
	secondField
	milliField
	centiField
	deciField
	meridiemField
	monthName
	weekdayName
	weekdayField
	eraName
	zoneNarrow
	zoneColon
	zonePlain
	zoneID
	weekYearField
	weekField
	yearDayField
	quarterField
	unixField
	unixMilliField
)

// numericTokens are the tokens of numbers, with their field and fewest digits. A year
// of two digits has the width 2.
var numericTokens = map[string]element{
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
	"ZZZZ": {field: zoneID}, "ZZZZZ": {field: zoneID},
	"Z": {field: zoneNarrow}, "ZZ": {field: zoneColon}, "ZZZ": {field: zonePlain}, "z": {field: zoneID},
	"kk": {field: weekYearField, width: 2}, "kkkk": {field: weekYearField, width: 4},
	"ii": {field: weekYearField, width: 2}, "iiii": {field: weekYearField, width: 4},
	"W": {field: weekField, width: 1}, "WW": {field: weekField, width: 2},
	"n": {field: weekField, width: 1}, "nn": {field: weekField, width: 2},
	"o": {field: yearDayField, width: 1}, "ooo": {field: yearDayField, width: 3},
	"q": {field: quarterField, width: 1}, "qq": {field: quarterField, width: 2},
	"X": {field: unixField, width: 1}, "x": {field: unixMilliField, width: 1},
}

// nameTokens are the tokens of names, with the list of the locale they are from.
var nameTokens = map[string]struct {
	field field
	list  string
}{
	"MMM": {monthName, "months.short"}, "MMMM": {monthName, "months.long"}, "MMMMM": {monthName, "months.narrow"},
	"LLL": {monthName, "months.short.alone"}, "LLLL": {monthName, "months.long.alone"}, "LLLLL": {monthName, "months.narrow"},
	"EEE": {weekdayName, "days.short"}, "EEEE": {weekdayName, "days.long"}, "EEEEE": {weekdayName, "days.narrow"},
	"EEEEEE": {weekdayName, "days.sentence"}, // of our own patterns only
	"ccc":    {weekdayName, "days.short.alone"}, "cccc": {weekdayName, "days.long.alone"}, "ccccc": {weekdayName, "days.narrow"},
	"a": {meridiemField, "meridiems"}, "G": {eraName, "eras.short"}, "GG": {eraName, "eras.long"}, "GGGGG": {eraName, "eras.narrow"},
}

// maxFormat is the longest format in bytes; real ones have a tenth of it.
const maxFormat = 256

// CompileLayout compiles a format for a locale, en-US where that is empty. Want
// and seconds only say what [ISO] is. A locale that is not known is an error, as
// is a format without any token or of more than 256 bytes.
func CompileLayout(format, locale string, want Want, seconds bool) (*Layout, error) {
	l := &Layout{want: want, seconds: seconds, zero: '0'}
	if format == ISO {
		l.iso = true
		return l, nil
	}
	if len(format) > maxFormat {
		return nil, &intray.MessageError{Message: intray.NewMessage("date_format.too_long", intray.Params{"n": len(format), "limit": maxFormat})}
	}
	if locale == "" {
		locale = "en-US"
	}
	where, ok := FindLocale(locale)
	if !ok {
		return nil, &intray.MessageError{Message: intray.NewMessage("date_format.unknown_locale", intray.Params{"locale": locale})}
	}
	if zero := where.lookup("digits"); zero != "" {
		l.zero, _ = utf8.DecodeRuneInString(zero)
	}
	l.compile(format, where)
	for _, p := range l.elements {
		if p.field != literal {
			return l, nil
		}
	}
	return nil, &intray.MessageError{Message: intray.NewMessage("date_format.no_token", intray.Params{"format": format})}
}

// compile splits a format into runs of the same letter, and text in quotes.
func (l *Layout) compile(format string, where *Locale) {
	for format != "" {
		if format[0] == '\'' {
			format = l.addQuoted(format[1:])
			continue
		}
		_, size := utf8.DecodeRuneInString(format)
		end := size
		for strings.HasPrefix(format[end:], format[:size]) {
			end += size
		}
		l.addToken(format[:end], where)
		format = format[end:]
	}
}

func (l *Layout) addQuoted(format string) (rest string) {
	text, rest, _ := strings.Cut(format, "'")
	if text == "" {
		text = "'"
	}
	l.addText(text)
	return rest
}

func (l *Layout) addToken(token string, where *Locale) {
	if p, is := numericTokens[token]; is {
		l.elements = append(l.elements, p)
		return
	}
	if n, is := nameTokens[token]; is {
		l.elements = append(l.elements, newNameElement(n.field, n.list, where))
		return
	}
	if strings.Trim(token, "DtTfF") == "" && len(token) <= 4 {
		if pattern := where.lookup(token); pattern != "" {
			l.compile(pattern, where)
			return
		}
	}
	l.addText(token)
}

func (l *Layout) addText(text string) {
	if n := len(l.elements); n > 0 && l.elements[n-1].field == literal {
		text = l.elements[n-1].text + text
		l.elements = l.elements[:n-1]
	}
	folded := appendFolded(make([]byte, 0, 4*len(text)+utf8.UTFMax), []byte(text))
	l.elements = append(l.elements, element{text: text, folded: strings.ReplaceAll(string(folded), " ", "")})
}

// newNameElement writes the names of one list, and reads those of all lists of its
// kind: the case of the long and the short form is no reason to refuse a cell.
func newNameElement(f field, list string, where *Locale) element {
	p := element{field: f, names: where.nameList(strings.TrimSuffix(list, ".alone"))}
	if strings.HasSuffix(list, ".alone") {
		p.names = strings.Split(where.lookup(list), "|")
	}
	lists := []string{list}
	if kind, _, _ := strings.Cut(list, "."); (kind == "months" || kind == "days") && !strings.HasSuffix(list, ".narrow") {
		lists = []string{list, kind + ".long", kind + ".long.alone", kind + ".short", kind + ".short.alone"}
	}
	for _, list := range lists {
		names := where.nameList(list)
		if strings.HasSuffix(list, ".alone") {
			names = strings.Split(where.lookup(list), "|")
		}
		for i, name := range names {
			p.addKey(nameKey(name), uint8(i+1))
		}
	}
	p.sortKeys()
	return p
}

// nameKey is a name as it is compared: without spaces and points.
func nameKey(name string) string {
	folded := appendFolded(make([]byte, 0, 4*len(name)+utf8.UTFMax), []byte(name))
	return strings.NewReplacer(" ", "", ".", "").Replace(string(folded))
}

func (p *element) addKey(key string, number uint8) {
	for i, k := range p.keys {
		if k == key && p.numbers[i] == number {
			return
		}
	}
	if key != "" {
		p.keys, p.numbers = append(p.keys, key), append(p.numbers, number)
	}
}

// sortKeys puts longer names first: the longest that fits is the one meant.
func (p *element) sortKeys() {
	at := make([]int, len(p.keys))
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(a, b int) int { return len(p.keys[b]) - len(p.keys[a]) })
	keys, numbers := make([]string, len(at)), make([]uint8, len(at))
	for i, from := range at {
		keys[i], numbers[i] = p.keys[from], p.numbers[from]
	}
	p.keys, p.numbers = keys, numbers
}

// DateOrder is the order of day, month and year where all three are numbers, and
// Undecided otherwise.
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

// hasShortYear says whether the year has two digits.
func (l *Layout) hasShortYear() bool {
	for _, p := range l.elements {
		if p.field == yearField && p.width == 2 {
			return true
		}
	}
	return false
}

// HasOffset says whether the layout shows an offset, a zone or a count since
// 1970: what a day and a time without a zone do not have.
func (l *Layout) HasOffset() bool {
	for _, p := range l.elements {
		switch p.field {
		case zoneNarrow, zoneColon, zonePlain, zoneID, unixField, unixMilliField:
			return true
		}
	}
	return false
}

// Components says what of a moment the layout shows.
func (l *Layout) Components() (day, clock bool) {
	if l.iso {
		return l.want != WantTime, l.want != WantDate
	}
	for _, p := range l.elements {
		switch p.field {
		case hourField, hour12Field, minuteField, secondField, milliField, centiField, deciField, meridiemField:
			clock = true
		case unixField, unixMilliField:
			day, clock = true, true
		case literal, zoneNarrow, zoneColon, zonePlain, zoneID:
		default:
			day = true
		}
	}
	return day, clock
}

// Append appends m in the layout. What m lacks, as a time of day lacks a month,
// is left out. It allocates nothing where dst is large enough.
func (l *Layout) Append(dst []byte, m Timestamp) []byte {
	if l.iso {
		return l.appendISO(dst, m)
	}
	for i := range l.elements {
		dst = l.appendElement(dst, &l.elements[i], m)
	}
	return dst
}

func (l *Layout) appendISO(dst []byte, m Timestamp) []byte {
	switch l.want {
	case WantDate:
		return m.Date.Append(dst)
	case WantTime:
		return m.Time.Append(dst, l.seconds)
	}
	return m.Append(dst, l.seconds)
}

func (l *Layout) appendElement(dst []byte, p *element, m Timestamp) []byte {
	switch p.field {
	case literal:
		return append(dst, p.text...)
	case monthName, weekdayName, meridiemField, eraName:
		return append(dst, p.nameOf(m)...)
	case zoneNarrow:
		return append(dst, "+0"...)
	case zoneColon:
		return append(dst, "+00:00"...)
	case zonePlain:
		return append(dst, "+0000"...)
	case zoneID:
		return append(dst, "UTC"...)
	}
	if m.IsZero() && p.needsDate() {
		return dst
	}
	return l.appendNumber(dst, p.numberOf(m), int(p.width))
}

// needsDate says whether the number needs a day.
func (p *element) needsDate() bool {
	switch p.field {
	case yearField, monthField, dayField, weekdayField, weekYearField, weekField, yearDayField, quarterField, unixField, unixMilliField:
		return true
	}
	return false
}

func (p *element) nameOf(m Timestamp) string {
	at := 0
	switch p.field {
	case monthName:
		at = int(m.Month) - 1
	case weekdayName:
		if m.IsZero() {
			return ""
		}
		at = m.Weekday() - 1
	case meridiemField:
		at = int(m.Hour) / 12
	case eraName:
		at = 1
	}
	if uint(at) >= uint(len(p.names)) {
		return ""
	}
	return p.names[at]
}

func (p *element) numberOf(m Timestamp) int64 {
	switch p.field {
	case yearField:
		return p.shortYear(int64(m.Year))
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
	case weekYearField, weekField:
		return p.weekOf(m.Date)
	case unixField, unixMilliField:
		return p.unixOf(m)
	}
	return p.timeOf(m.Time)
}

func (p *element) timeOf(c Time) int64 {
	switch p.field {
	case hourField:
		return int64(c.Hour)
	case hour12Field:
		return int64(c.Hour+11)%12 + 1
	case minuteField:
		return int64(c.Minute)
	case secondField:
		return int64(c.Second)
	case milliField:
		return int64(c.Nano / 1_000_000)
	case centiField:
		return int64(c.Nano / 10_000_000)
	}
	return int64(c.Nano / 100_000_000)
}

func (p *element) shortYear(year int64) int64 {
	if p.width == 2 {
		return year % 100
	}
	return year
}

func (p *element) weekOf(d Date) int64 {
	year, week := d.ISOWeek()
	if p.field == weekField {
		return int64(week)
	}
	return p.shortYear(int64(year))
}

func (p *element) unixOf(m Timestamp) int64 {
	seconds := int64(m.dayNumber()-unixEpoch)*86400 + int64(m.Hour)*3600 + int64(m.Minute)*60 + int64(m.Second)
	if p.field == unixField {
		return seconds
	}
	return seconds*1000 + int64(m.Nano/1_000_000)
}

// appendNumber appends n in the digits of the locale.
func (l *Layout) appendNumber(dst []byte, n int64, width int) []byte {
	from := len(dst)
	if n < 0 {
		dst, n = append(dst, '-'), -n
		from++
	}
	for limit := int64(10); width > 1; width, limit = width-1, limit*10 {
		if n < limit {
			dst = append(dst, "000000"[:width-1]...)
			break
		}
	}
	dst = strconv.AppendInt(dst, n, 10)
	if l.zero == '0' {
		return dst
	}
	var digits [32]byte
	plain := digits[:copy(digits[:], dst[from:])]
	dst = dst[:from]
	for _, c := range plain {
		dst = utf8.AppendRune(dst, l.zero+rune(c-'0'))
	}
	return dst
}
