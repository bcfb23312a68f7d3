package date

import "strings"

// parsedFields is what a cell holds by a layout.
type parsedFields struct {
	values [unixMilliField + 1]int64
	has    [unixMilliField + 1]bool
	// shortYear says that the year has two digits.
	shortYear bool
	offset    int16
	hasZone   bool
}

// Read reads a cell by the layout: capitals, accents, spaces, the points of
// abbreviations and the kind of digits make no difference. Years of two digits
// are those of the zero Style. It allocates nothing. A cell of another form is
// NotUnderstood.
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
	text := appendFolded(buf[:0], raw)
	var f parsedFields
	for i := range l.elements {
		rest, ok := f.readElement(&l.elements[i], skipSpaces(text))
		if !ok {
			return Reading{Reason: NotUnderstood}
		}
		text = rest
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

// readElement reads one piece from the text.
func (f *parsedFields) readElement(p *element, text []byte) ([]byte, bool) {
	switch p.field {
	case literal:
		return matchText(text, p.folded, false)
	case monthName, weekdayName, meridiemField, eraName:
		return f.readName(p, text)
	case zoneID:
		f.hasZone = true
		return skipZoneID(text)
	case zoneNarrow, zoneColon, zonePlain:
		return f.readOffset(text)
	}
	return f.readNumber(p, text)
}

// matchText compares without spaces, and for names without points; but those end
// a number.
func matchText(text []byte, want string, points bool) ([]byte, bool) {
	for i := 0; i < len(want); {
		switch {
		case len(text) == 0:
			return nil, false
		case text[0] == want[i]:
			i++
		case text[0] != ' ' && (text[0] != '.' || !points), i > 0 && isDigit(want[i-1]) && isDigit(want[i]):
			return nil, false
		}
		text = text[1:]
	}
	return text, true
}

// readName reads the longest name that fits. Where that means two things, as J
// does, nothing is read.
func (f *parsedFields) readName(p *element, text []byte) ([]byte, bool) {
	for i, key := range p.keys {
		rest, ok := matchText(text, key, true)
		if !ok {
			continue
		}
		for j, other := range p.keys[i+1:] {
			if other == key && p.numbers[i+1+j] != p.numbers[i] {
				return nil, false
			}
		}
		if strings.HasSuffix(p.names[0], ".") || len(rest) > 0 && rest[0] == '.' && f.pointEnds(p, rest) {
			rest = skipPoint(rest)
		}
		return rest, f.set(p.field, int64(p.numbers[i]))
	}
	return nil, false
}

// pointEnds says whether a point belongs to the name before it rather than to
// the text of the layout: names of months do not end a number.
func (f *parsedFields) pointEnds(p *element, rest []byte) bool {
	return p.field == meridiemField || len(rest) > 1 && rest[1] == ' '
}

func skipPoint(text []byte) []byte {
	if len(text) > 0 && text[0] == '.' {
		return text[1:]
	}
	return text
}

// set keeps a value. The same field a second time must have the same value.
func (f *parsedFields) set(field field, value int64) bool {
	same := !f.has[field] || f.values[field] == value
	f.values[field], f.has[field] = value, true
	return same
}

func skipZoneID(text []byte) ([]byte, bool) {
	n := 0
	for n < len(text) && (isLetter(text[n]) || isDigit(text[n]) || strings.IndexByte("_+-/:", text[n]) >= 0) {
		n++
	}
	return text[n:], n > 0
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

// digitRange gives the fewest and the most digits that a field is read from.
func (p *element) digitRange() (least, most int) {
	switch p.field {
	case unixField, unixMilliField:
		return 1, 15
	case yearField, weekYearField:
		switch p.width {
		case 2:
			return 2, 2
		case 1:
			return 1, 6
		}
		return int(p.width), int(p.width)
	case milliField, yearDayField:
		return int(p.width), 3
	case deciField, weekdayField:
		return 1, 1
	}
	return int(p.width), 2
}

func (f *parsedFields) readNumber(p *element, text []byte) ([]byte, bool) {
	least, most := p.digitRange()
	west := (p.field == unixField || p.field == unixMilliField) && len(text) > 0 && text[0] == '-'
	if west {
		text = text[1:]
	}
	n, value := 0, int64(0)
	for n < len(text) && n < most && isDigit(text[n]) {
		value = value*10 + int64(text[n]-'0')
		n++
	}
	if west {
		value = -value
	}
	if p.field == yearField || p.field == weekYearField {
		f.shortYear = p.width == 2
	}
	return text[n:], n >= least && f.set(p.field, value)
}

// resolve puts the values together.
func (f *parsedFields) resolve(want Want) Reading {
	r := Reading{HasZone: f.hasZone, Offset: f.offset}
	if f.has[unixField] || f.has[unixMilliField] {
		return f.resolveUnix(want)
	}
	if f.has[hourField] || f.has[hour12Field] || f.has[minuteField] { // mm:ss is a time, too
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

func (f *parsedFields) resolveTime() (Time, Reason) {
	hour := f.values[hourField]
	if f.has[hour12Field] {
		hour = f.values[hour12Field]
		if hour < 1 || hour > 12 {
			return Time{}, NoSuchTime
		}
		if f.has[meridiemField] {
			hour = hour%12 + 12*(f.values[meridiemField]-1)
		}
	}
	if f.has[hourField] { // the hour of the whole day is worth more than that of a half
		hour = f.values[hourField]
	}
	c, ok := newTime(int(hour), int(f.values[minuteField]), int(f.values[secondField]))
	if !ok {
		return Time{}, NoSuchTime
	}
	c.Nano = uint32(f.values[milliField]*1_000_000 + f.values[centiField]*10_000_000 + f.values[deciField]*100_000_000)
	return c, Read
}

func (f *parsedFields) fullYear(field field) int {
	if f.shortYear {
		var s Style
		return s.fullYear(int(f.values[field]))
	}
	return int(f.values[field])
}

func (f *parsedFields) resolveDate() (d Date, reason Reason) {
	ok := false
	year := f.fullYear(yearField)
	switch {
	case f.has[weekYearField] && f.has[weekField] && (f.has[weekdayField] || f.has[weekdayName]):
		d, ok = dateFromWeek(f.fullYear(weekYearField), int(f.values[weekField]), f.weekdayNumber())
	case !f.has[yearField]:
		return d, NoYear
	case year < 1 || year > 9999 || f.values[eraName] == 1:
		return d, YearOutside
	case f.has[yearDayField]:
		d, ok = dateFromYearDay(year, int(f.values[yearDayField]))
	case !f.has[dayField]:
		return d, NoDay
	default:
		d, ok = NewDate(year, f.monthNumber(), int(f.values[dayField]))
	}
	switch {
	case !ok:
		return d, NoSuchDay
	case f.weekdayNumber() != 0 && f.weekdayNumber() != d.Weekday():
		return d, WrongWeekday
	}
	return d, Read
}

func (f *parsedFields) monthNumber() int {
	if f.has[monthName] {
		return int(f.values[monthName])
	}
	return int(f.values[monthField])
}

func (f *parsedFields) weekdayNumber() int {
	if f.has[weekdayName] {
		return int(f.values[weekdayName])
	}
	return int(f.values[weekdayField])
}

// resolveUnix reads seconds or milliseconds since 1970, in UTC.
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
