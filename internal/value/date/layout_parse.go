package date

import "strings"

// found is what a cell holds by a layout.
type found struct {
	values [unixMilliField + 1]int64
	has    [unixMilliField + 1]bool
	// short says that the year has two digits.
	short  bool
	offset int16
	zone   bool
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
	if len(raw) > cellBytes {
		return Reading{Reason: TooLong}
	}
	var buf [2 * cellBytes]byte
	text := appendFolded(buf[:0], raw)
	var f found
	for i := range l.pieces {
		rest, ok := f.take(&l.pieces[i], skipSpaces(text))
		if !ok {
			return Reading{Reason: NotUnderstood}
		}
		text = rest
	}
	if len(skipSpaces(text)) > 0 {
		return Reading{Reason: NotUnderstood}
	}
	return f.reading(want)
}

func skipSpaces(text []byte) []byte {
	for len(text) > 0 && text[0] == ' ' {
		text = text[1:]
	}
	return text
}

// take reads one piece from the text.
func (f *found) take(p *piece, text []byte) ([]byte, bool) {
	switch p.field {
	case literal:
		return takeText(text, p.folded, false)
	case monthName, weekdayName, meridiemField, eraName:
		return f.takeName(p, text)
	case zoneID:
		f.zone = true
		return takeZoneID(text)
	case zoneNarrow, zoneColon, zonePlain:
		return f.takeOffset(text)
	}
	return f.takeNumber(p, text)
}

// takeText compares without spaces, and for names without points; but those end
// a number.
func takeText(text []byte, want string, points bool) ([]byte, bool) {
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

// takeName reads the longest name that fits. Where that means two things, as J
// does, nothing is read.
func (f *found) takeName(p *piece, text []byte) ([]byte, bool) {
	for i, key := range p.keys {
		rest, ok := takeText(text, key, true)
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
func (f *found) pointEnds(p *piece, rest []byte) bool {
	return p.field == meridiemField || len(rest) > 1 && rest[1] == ' '
}

func skipPoint(text []byte) []byte {
	if len(text) > 0 && text[0] == '.' {
		return text[1:]
	}
	return text
}

// set keeps a value. The same field a second time must have the same value.
func (f *found) set(field field, value int64) bool {
	same := !f.has[field] || f.values[field] == value
	f.values[field], f.has[field] = value, true
	return same
}

func takeZoneID(text []byte) ([]byte, bool) {
	n := 0
	for n < len(text) && (isLetter(text[n]) || isDigit(text[n]) || strings.IndexByte("_+-/:", text[n]) >= 0) {
		n++
	}
	return text[n:], n > 0
}

func (f *found) takeOffset(text []byte) ([]byte, bool) {
	n := 0
	for n < len(text) && (isDigit(text[n]) || text[n] == '+' && n == 0 || text[n] == '-' && n == 0 || text[n] == ':') {
		n++
	}
	var p parts
	ok := p.scanZone(text[:n])
	if n == 2 && isDigit(text[1]) { // +5
		ok = p.setOffset(text[0] == '-', int(text[1]-'0'), 0)
	}
	f.zone, f.offset = true, p.offset
	return text[n:], ok && n > 1
}

// digits gives the fewest and the most digits that a field is read from.
func (p *piece) digits() (least, most int) {
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

func (f *found) takeNumber(p *piece, text []byte) ([]byte, bool) {
	least, most := p.digits()
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
		f.short = p.width == 2
	}
	return text[n:], n >= least && f.set(p.field, value)
}

// reading puts the values together.
func (f *found) reading(want Want) Reading {
	r := Reading{HasZone: f.zone, Offset: f.offset}
	if f.has[unixField] || f.has[unixMilliField] {
		return f.unix(want)
	}
	if f.has[hourField] || f.has[hour12Field] || f.has[minuteField] { // mm:ss is a time, too
		r.HasClock = true
		r.Clock, r.Reason = f.clock()
	}
	switch {
	case r.Reason != Read:
	case want == WantClock && !r.HasClock:
		r.Reason = NoClock
	case want != WantClock:
		r.Date, r.Reason = f.day()
	}
	if r.Reason != Read {
		r.Moment = Moment{}
	}
	return r
}

func (f *found) clock() (Clock, Reason) {
	hour := f.values[hourField]
	if f.has[hour12Field] {
		hour = f.values[hour12Field]
		if hour < 1 || hour > 12 {
			return Clock{}, NoSuchTime
		}
		if f.has[meridiemField] {
			hour = hour%12 + 12*(f.values[meridiemField]-1)
		}
	}
	if f.has[hourField] { // the hour of the whole day is worth more than that of a half
		hour = f.values[hourField]
	}
	c, ok := newClock(int(hour), int(f.values[minuteField]), int(f.values[secondField]))
	if !ok {
		return Clock{}, NoSuchTime
	}
	c.Nano = uint32(f.values[milliField]*1_000_000 + f.values[centiField]*10_000_000 + f.values[deciField]*100_000_000)
	return c, Read
}

func (f *found) fullYear(field field) int {
	if f.short {
		var s Style
		return s.fullYear(int(f.values[field]))
	}
	return int(f.values[field])
}

func (f *found) day() (d Date, reason Reason) {
	ok := false
	year := f.fullYear(yearField)
	switch {
	case f.has[weekYearField] && f.has[weekField] && (f.has[weekdayField] || f.has[weekdayName]):
		d, ok = fromWeek(f.fullYear(weekYearField), int(f.values[weekField]), f.weekday())
	case !f.has[yearField]:
		return d, NoYear
	case year < 1 || year > 9999 || f.values[eraName] == 1:
		return d, YearOutside
	case f.has[yearDayField]:
		d, ok = fromYearDay(year, int(f.values[yearDayField]))
	case !f.has[dayField]:
		return d, NoDay
	default:
		d, ok = NewDate(year, f.month(), int(f.values[dayField]))
	}
	switch {
	case !ok:
		return d, NoSuchDay
	case f.weekday() != 0 && f.weekday() != d.Weekday():
		return d, WrongWeekday
	}
	return d, Read
}

func (f *found) month() int {
	if f.has[monthName] {
		return int(f.values[monthName])
	}
	return int(f.values[monthField])
}

func (f *found) weekday() int {
	if f.has[weekdayName] {
		return int(f.values[weekdayName])
	}
	return int(f.values[weekdayField])
}

// unix reads seconds or milliseconds since 1970, in UTC.
func (f *found) unix(want Want) Reading {
	millis := f.values[unixField] * 1000
	if f.has[unixMilliField] {
		millis = f.values[unixMilliField]
	}
	days, rest := millis/dayMillis, millis%dayMillis
	if rest < 0 {
		days, rest = days-1, rest+dayMillis
	}
	r := serial(rest, Since1900, WantClock)
	r.HasZone = true
	if want != WantClock {
		if days < -unixEpoch || days > 1<<40 {
			return Reading{Reason: YearOutside}
		}
		if r.Date = fromNumber(int(days) + unixEpoch); r.IsZero() {
			return Reading{Reason: YearOutside}
		}
	}
	return r
}
