package date

// findTime reads the time of day from the tokens and consumes the tokens that it used. It looks
// for colons and units first, because a dot can also be part of a date.
func (l *tokenParser) findTime(want Want) {
	if l.findMarkedTime(false) || l.findMarkedTime(true) {
		return
	}
	numbers := 0
	for i := range l.tokens[:l.tokenCount] {
		t := &l.tokens[i]
		if t.kind == tokenName && (t.id == 0 || t.hasMonths()) {
			numbers++ // a named month counts as a number
		}
		if t.kind != tokenNumber {
			continue
		}
		if l.readCompactTime(i, want) || l.readDottedTime(i, numbers, want) {
			return
		}
		numbers++
	}
}

// findMarkedTime looks for a time with a colon or a unit, or for a bare hour.
func (l *tokenParser) findMarkedTime(bare bool) bool {
	for i := range l.tokens[:l.tokenCount] {
		if t := &l.tokens[i]; t.kind != tokenNumber || t.width() > 2 {
			continue
		}
		if bare && l.readHourWithMeridiem(i) || !bare && l.readColonOrUnitTime(i) {
			return true
		}
	}
	return false
}

// readColonOrUnitTime reads a time such as 15:20 or 15h20 that starts at token i.
func (l *tokenParser) readColonOrUnitTime(i int) bool {
	next := &l.tokens[i+1]
	switch {
	case next.isSign(':') && l.tokens[i+2].kind == tokenNumber:
		return l.readColonTime(i)
	case i > 0 && l.tokens[i-1].isSign('.') && !l.tokens[i].spaceBefore:
		return false // the minutes of 14.30 Uhr
	case next.hasFlag(flagHour):
		return l.readUnitTime(i)
	}
	return false
}

// readHourWithMeridiem reads a time such as 3 PM that starts at token i.
func (l *tokenParser) readHourWithMeridiem(i int) bool {
	next := &l.tokens[i+1]
	if i > 0 && l.tokens[i-1].isSign('.') && !l.tokens[i].spaceBefore || !next.hasFlag(flagAM|flagPM) {
		return false
	}
	// A word with other meanings must be the end of a cell with a single number.
	ambiguous := next.hasFlag(flagSkipped) || next.hasDays()
	if ambiguous && (i > 0 || l.tokens[i+2].kind != tokenUsed) {
		return false
	}
	return l.tokens[i].number <= 12 && l.finishTime(i, i+1, [3]int32{l.tokens[i].number}, 0)
}

func (l *tokenParser) readColonTime(i int) bool {
	hms := [3]int32{l.tokens[i].number, l.tokens[i+2].number}
	if l.tokens[i+2].width() != 2 {
		return false
	}
	end, nano := i+3, uint32(0)
	if l.tokens[end].isSign(':') && l.tokens[end+1].kind == tokenNumber && l.tokens[end+1].width() == 2 {
		hms[2] = l.tokens[end+1].number
		end += 2
		point := &l.tokens[end]
		if digits := &l.tokens[end+1]; digits.kind == tokenNumber && !point.spaceBefore && !digits.spaceBefore && (point.isSign('.') || point.isSign(',')) {
			nano, _ = parseFraction(l.text[digits.from:digits.to])
			end += 2
		}
	}
	return l.finishTime(i, end, hms, nano)
}

// readUnitTime reads a time such as 14h30, 14 h 30 min 5 s, 14 Uhr or 15時20分7秒.
func (l *tokenParser) readUnitTime(i int) bool {
	hms := [3]int32{l.tokens[i].number}
	end := i + 2
	for place, unit := range [2]wordFlag{flagMinute, flagSecond} {
		t, next := &l.tokens[end], &l.tokens[end+1]
		named := next.hasFlag(unit)
		if t.kind != tokenNumber || t.width() > 2 || next.hasFlag(flagYear|flagMonthAfter|flagDay) {
			break
		}
		// In 14h30, the 30 is never part of a date. In "14 h 30 March", it is.
		adjoining := t.width() == 2 && isLetter(l.text[t.from-1])
		if !named && !adjoining && (t.width() != 2 || next.kind == tokenSign || next.kind == tokenNumber || next.hasMonths()) {
			break
		}
		hms[place+1] = t.number
		end++
		if !named {
			break
		}
		end++
	}
	return l.finishTime(i, end, hms, 0)
}

// readCompactTime reads a time without separators: after T, as the whole cell
// of a time field, or at the end of 20210328152000.
func (l *tokenParser) readCompactTime(i int, want Want) bool {
	t := &l.tokens[i]
	text := l.text[t.from:t.to]
	whole := want == WantTime && i == 0 && l.countTokens(tokenNumber) == 1
	switch behindT := i > 0 && l.isTimeMarker(i-1) && !t.spaceBefore; {
	case len(text) == 12 || len(text) == 14:
		year := parseTwoDigits(text)*100 + parseTwoDigits(text[2:])
		l.date, l.dateReason = new(Style).checkedDate(l.parts, year, parseTwoDigits(text[4:]), parseTwoDigits(text[6:]))
		l.kind = wholeDate
		return l.finishTime(i, i+1, splitTimeDigits(text[8:]), 0)
	case len(text) == 2 && behindT, (len(text) == 4 || len(text) == 6) && (behindT || whole):
		return l.finishTime(i, i+1, splitTimeDigits(text), 0)
	}
	return false
}

func (l *tokenParser) countTokens(kind tokenKind) (n int) {
	for i := range l.tokens[:l.tokenCount] {
		if l.tokens[i].kind == kind {
			n++
		}
	}
	return n
}

func (l *tokenParser) isTimeMarker(i int) bool {
	t := &l.tokens[i]
	return t.kind == tokenName && t.width() == 1 && l.text[t.from] == 't'
}

func splitTimeDigits(text []byte) (hms [3]int32) {
	for i := 0; i+1 < len(text); i += 2 {
		hms[i/2] = int32(parseTwoDigits(text[i:]))
	}
	return hms
}

// readDottedTime reads a time such as 14.30 if it cannot be part of a date: after a complete
// date, next to a word that marks a time, or as the whole cell of a time field.
func (l *tokenParser) readDottedTime(i, before int, want Want) bool {
	t := l.tokens[i:]
	if t[0].width() > 2 || !t[1].isSign('.') || t[2].kind != tokenNumber || t[1].spaceBefore || t[2].spaceBefore || t[2].width() != 2 {
		return false
	}
	hms, end := [3]int32{t[0].number, t[2].number}, i+3
	if t[3].isSign('.') && t[4].kind == tokenNumber {
		if t[4].width() != 2 {
			return false
		}
		hms[2] = t[4].number
		end += 2
	}
	after := &l.tokens[end]
	switch {
	case before >= 3 && t[0].spaceBefore, want == WantTime && before == 0 && (end == l.tokenCount || after.hasFlag(flagZone)):
	case after.hasFlag(flagHour | flagAM | flagPM), i > 0 && end == i+3 && l.tokens[i-1].hasFlag(flagSkipped):
	default:
		return false
	}
	return l.finishTime(i, end, hms, 0)
}

// finishTime sets the time of day from its numbers and from the tokens next to
// them: AM or PM, a word such as Uhr, and the zone.
func (l *tokenParser) finishTime(from, to int, hms [3]int32, nano uint32) bool {
	hour, first, last := hms[0], from, to
	switch {
	case l.isMeridiem(to, hour, false):
		hour = l.to24Hour(to, hour)
		last++
	case from > 0 && l.isMeridiem(from-1, hour, true):
		hour = l.to24Hour(from-1, hour)
		first--
	}
	if l.tokens[last].hasFlag(flagHour) {
		last++
	}
	if first > 0 && l.isTimeMarker(first-1) {
		first--
	}
	first = l.readLeadingZone(first)
	last = l.readZone(last)
	l.setTime(int(hour), int(hms[1]), int(hms[2]), nano)
	l.consume(first, last)
	return true
}

// isMeridiem reports whether token i means AM or PM in any language. Except for am at the end of
// a cell, words with other meanings count only if the hour is 12 or less; de and du count only
// before the time.
func (l *tokenParser) isMeridiem(i int, hour int32, before bool) bool {
	t := &l.tokens[i]
	if !t.hasFlag(flagAM | flagPM) {
		return false
	}
	ends := i+1 == l.tokenCount
	switch {
	case t.hasFlag(flagSkipped) && l.text[t.from] == 'a': // am is also a German word
		return hour <= 12 || ends
	case t.hasFlag(flagSkipped):
		return hour <= 12 && before
	case t.hasDays() || t.hasMonths():
		return hour <= 12 && !before && ends
	}
	return true
}

// to24Hour converts an hour of a 12-hour clock. It returns an hour past 12
// unchanged after noon; before noon, such an hour is invalid.
func (l *tokenParser) to24Hour(i int, hour int32) int32 {
	afternoon := l.tokens[i].hasFlag(flagPM)
	switch {
	case afternoon && hour < 12:
		return hour + 12
	case !afternoon && hour == 12:
		return 0
	case !afternoon && hour > 12:
		return 99 // an invalid hour
	}
	return hour
}

// readLeadingZone reads a zone before the time, as is usual in Chinese and
// Icelandic. It returns the index of the zone's first token.
func (l *tokenParser) readLeadingZone(first int) int {
	at := first - 1
	if at > 0 && l.tokens[at].isSign('-') {
		at--
	}
	if at < 0 || !l.tokens[at].hasFlag(flagZone) {
		return first
	}
	l.hasZone, l.offset = true, int16(l.tokens[at].id.entry().value)
	return at
}

// readZone reads a zone after the time. It returns the index of the token after the zone.
func (l *tokenParser) readZone(i int) int {
	bracket := l.tokens[i].isSign('(') || l.tokens[i].isSign('[')
	if t := &l.tokens[i+1]; bracket && t.hasFlag(flagZone) {
		l.hasZone, l.offset = true, int16(t.id.entry().value)
	}
	if (l.tokens[i].isSign(',') || l.tokens[i].isSign(';')) && l.tokens[i+1].hasFlag(flagZone) {
		i++
	}
	if t := &l.tokens[i]; t.hasFlag(flagZone) {
		l.hasZone, l.offset = true, int16(t.id.entry().value)
		i++
	}
	i = l.readNumericZone(i)
	if l.hasZone && l.tokens[i].hasFlag(flagZone) {
		i++ // as in +0000 UTC
	}
	open := &l.tokens[i]
	if !l.hasZone || !open.isSign('(') && !open.isSign('[') {
		return i
	}
	for j := i; j < l.tokenCount; j++ {
		if l.tokens[j].isSign(')') || l.tokens[j].isSign(']') {
			return j + 1
		}
	}
	return i
}

func (l *tokenParser) readNumericZone(i int) int {
	signs, hours := &l.tokens[i], &l.tokens[i+1]
	if !signs.isSign('+') && !signs.isSign('-') || hours.kind != tokenNumber || hours.spaceBefore {
		return i
	}
	west, end, minutes := signs.sign == '-', i+2, 0
	value := int(hours.number)
	switch {
	case hours.width() == 4:
		value, minutes = value/100, value%100
	case hours.width() > 2 || l.tokens[end].kind == tokenSign && l.tokens[end].sign != ':' && l.tokens[end].sign != '(' && l.tokens[end].sign != '[':
		return i
	case !l.hasZone && l.tokens[end].hasFlag(flagHour|flagMinute):
		return i // a second time of day, as in 14h-15h
	case l.tokens[end].isSign(':') && l.tokens[end+1].kind == tokenNumber:
		minutes = int(l.tokens[end+1].number)
		end += 2
	}
	if !l.setOffset(west, value, minutes) {
		return i
	}
	return end
}
