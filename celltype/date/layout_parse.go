package date

import (
	"cmp"
	"strings"
)

// parsedFields holds the values that a cell has for the fields of a layout.
type parsedFields struct {
	values [unixMilliField + 1]int64
	has    [unixMilliField + 1]bool
	// shortYear reports whether the year has two digits.
	shortYear bool
	offset    int16
	hasZone   bool
}

// Read reads a cell in the layout. It ignores case, accents, spaces, the dots of abbreviations
// and the script of digits. Two-digit years are read as in the zero Style. The reading of a cell
// that does not match the layout is NotUnderstood. Read does not allocate.
func (l *Layout) Read(raw []byte, want Want) Reading {
	if l.iso {
		var s Style
		return s.Read(raw, want)
	}
	raw = trim(raw)
	if len(raw) > maxCellBytes {
		return Reading{Reason: TooLong}
	}
	var buf [2 * maxCellBytes]byte
	text, ok := appendFolded(buf[:0], raw), false
	var f parsedFields
	for i := range l.elements {
		p := &l.elements[i]
		text = skipSpaces(text)
		switch p.field {
		case literal:
			text, ok = matchText(text, p.folded, false)
		case monthName, weekdayName, meridiemField, eraName:
			text, ok = f.readName(p, text)
		case zoneID:
			n := 0
			for n < len(text) && (isLetter(text[n]) || isDigit(text[n]) || strings.IndexByte("_+-/:", text[n]) >= 0) {
				n++
			}
			text, f.hasZone, ok = text[n:], true, n > 0
		case zoneOffset:
			text, ok = f.readOffset(text)
		default:
			text, ok = f.readNumber(p, text)
		}
		if !ok {
			return Reading{Reason: NotUnderstood}
		}
	}
	if len(skipSpaces(text)) > 0 {
		return Reading{Reason: NotUnderstood}
	}
	return f.resolve(want)
}

func skipSpaces(text []byte) []byte {
	for len(text) > 0 && text[0] == ' ' {
		text = text[1:]
	}
	return text
}

// matchText removes the prefix want from text. It ignores spaces unless they separate digits. If
// ignorePoints is set, it ignores dots as well.
func matchText(text []byte, want string, ignorePoints bool) ([]byte, bool) {
	for i := 0; i < len(want); {
		switch {
		case len(text) == 0:
			return nil, false
		case text[0] == want[i]:
			i++
		case text[0] != ' ' && (text[0] != '.' || !ignorePoints), i > 0 && isDigit(want[i-1]) && isDigit(want[i]):
			return nil, false
		}
		text = text[1:]
	}
	return text, true
}

// readName reads the longest name that matches. It does not match a name with
// two meanings, such as J.
func (f *parsedFields) readName(p *element, text []byte) ([]byte, bool) {
	for i, key := range p.keys {
		rest, ok := matchText(text, key.text, true)
		if !ok {
			continue
		}
		for _, other := range p.keys[i+1:] {
			if other.text == key.text && other.number != key.number {
				return nil, false
			}
		}
		// Treat the dot as part of an abbreviation, not of the layout's literal text.
		isPoint := len(rest) > 0 && rest[0] == '.'
		if isPoint && (strings.HasSuffix(p.names[0], ".") || p.field == meridiemField || len(rest) > 1 && rest[1] == ' ') {
			rest = rest[1:]
		}
		return rest, f.set(p.field, int64(key.number))
	}
	return nil, false
}

// set stores a value. It reports false if the field already has a different value.
func (f *parsedFields) set(field field, value int64) bool {
	same := !f.has[field] || f.values[field] == value
	f.values[field], f.has[field] = value, true
	return same
}

func (f *parsedFields) readOffset(text []byte) ([]byte, bool) {
	n := 0
	for n < len(text) && (isDigit(text[n]) || text[n] == '+' && n == 0 || text[n] == '-' && n == 0 || text[n] == ':') {
		n++
	}
	var p parts
	ok := p.scanZone(text[:n])
	if n == 2 && isDigit(text[1]) { // +5
		ok = p.setOffset(text[0] == '-', int(text[1]-'0'), 0)
	}
	f.hasZone, f.offset = true, p.offset
	return text[n:], ok && n > 1
}

// digitRange returns the minimum and maximum number of digits of a field.
func (p *element) digitRange() (least, most int) {
	least, most = int(p.width), 2
	switch p.field {
	case unixField, unixMilliField:
		most = 15
	case yearField, weekYearField:
		if most = least; least == 1 {
			most = 6
		}
	case milliField, yearDayField:
		most = 3
	case deciField, weekdayField:
		most = 1
	}
	return least, most
}

func (f *parsedFields) readNumber(p *element, text []byte) ([]byte, bool) {
	least, most := p.digitRange()
	negative := p.field >= unixField && len(text) > 0 && text[0] == '-'
	if negative {
		text = text[1:]
	}
	n, value := 0, int64(0)
	for n < len(text) && n < most && isDigit(text[n]) {
		value = value*10 + int64(text[n]-'0')
		n++
	}
	if negative {
		value = -value
	}
	if p.field == yearField || p.field == weekYearField {
		f.shortYear = p.width == 2
	}
	return text[n:], n >= least && f.set(p.field, value)
}

// resolve combines the values of all fields into a reading.
func (f *parsedFields) resolve(want Want) Reading {
	r := Reading{HasZone: f.hasZone, Offset: f.offset}
	if f.has[unixField] || f.has[unixMilliField] {
		return f.resolveUnix(want)
	}
	if f.has[hourField] || f.has[hour12Field] || f.has[minuteField] { // mm:ss is also a time
		r.HasTime = true
		r.Time, r.Reason = f.resolveTime()
	}
	switch {
	case r.Reason != Read:
	case want == WantTime && !r.HasTime:
		r.Reason = NoTime
	case want != WantTime:
		r.Date, r.Reason = f.resolveDate()
	}
	if r.Reason != Read {
		r.Timestamp = Timestamp{}
	}
	return r
}

// resolveTime combines the fields of the time. It prefers a 24-hour field to a 12-hour field.
func (f *parsedFields) resolveTime() (Time, Reason) {
	hour := f.values[hourField]
	if f.has[hour12Field] {
		half := f.values[hour12Field]
		if half < 1 || half > 12 {
			return Time{}, NoSuchTime
		}
		if f.has[meridiemField] {
			half = half%12 + 12*(f.values[meridiemField]-1)
		}
		if !f.has[hourField] {
			hour = half
		}
	}
	c, ok := newTime(int(hour), int(f.values[minuteField]), int(f.values[secondField]))
	if !ok {
		return Time{}, NoSuchTime
	}
	c.Nano = uint32(f.values[milliField]*1_000_000 + f.values[centiField]*10_000_000 + f.values[deciField]*100_000_000)
	return c, Read
}

func (f *parsedFields) fullYear(field field) int {
	year := int(f.values[field])
	if f.shortYear {
		var s Style
		year = s.fullYear(year)
	}
	return year
}

func (f *parsedFields) resolveDate() (d Date, reason Reason) {
	ok := false
	year := f.fullYear(yearField)
	weekday := int(cmp.Or(f.values[weekdayName], f.values[weekdayField]))
	switch {
	case f.has[weekYearField] && f.has[weekField] && (f.has[weekdayField] || f.has[weekdayName]):
		d, ok = dateFromWeek(f.fullYear(weekYearField), int(f.values[weekField]), weekday)
	case !f.has[yearField]:
		return d, NoYear
	case year < 1 || year > 9999 || f.values[eraName] == 1:
		return d, YearOutside
	case f.has[yearDayField]:
		d, ok = dateFromYearDay(year, int(f.values[yearDayField]))
	case !f.has[dayField]:
		return d, NoDay
	default:
		d, ok = NewDate(year, int(cmp.Or(f.values[monthName], f.values[monthField])), int(f.values[dayField]))
	}
	switch {
	case !ok:
		return d, NoSuchDay
	case weekday != 0 && weekday != d.Weekday():
		return d, WrongWeekday
	}
	return d, Read
}

// resolveUnix reads a number of seconds or milliseconds since 1970 in UTC.
func (f *parsedFields) resolveUnix(want Want) Reading {
	millis := f.values[unixField] * 1000
	if f.has[unixMilliField] {
		millis = f.values[unixMilliField]
	}
	days, rest := millis/dayMillis, millis%dayMillis
	if rest < 0 {
		days, rest = days-1, rest+dayMillis
	}
	r := fromSerialMillis(rest, Since1900, WantTime)
	r.HasZone = true
	if want != WantTime {
		if days < -unixEpoch || days > 1<<40 {
			return Reading{Reason: YearOutside}
		}
		if r.Date = dateFromDayNumber(int(days) + unixEpoch); r.IsZero() {
			return Reading{Reason: YearOutside}
		}
	}
	return r
}
