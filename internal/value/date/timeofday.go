package date

// findClock reads the time of day among the tokens, and takes its tokens out of
// the row. Signs that only times have are looked for first: a point can also
// stand in a day.
func (l *loose) findClock(want Want) {
	if l.signedClock(false) || l.signedClock(true) {
		return
	}
	numbers := 0
	for i := range l.tokens[:l.n] {
		t := &l.tokens[i]
		if t.kind == name && (t.id == 0 || t.hasMonths()) {
			numbers++ // a named month is as good as its number
		}
		if t.kind != number {
			continue
		}
		if l.basicClock(i, want) || l.pointClock(i, numbers, want) {
			return
		}
		numbers++
	}
}

// signedClock looks for a clock with signs of its own, or for a bare hour.
func (l *loose) signedClock(bare bool) bool {
	for i := range l.tokens[:l.n] {
		if t := &l.tokens[i]; t.kind != number || t.width() > 2 {
			continue
		}
		if bare && l.bareHour(i) || !bare && l.plainClock(i) {
			return true
		}
	}
	return false
}

// plainClock reads 15:20 and 15h20 at token i.
func (l *loose) plainClock(i int) bool {
	next := &l.tokens[i+1]
	switch {
	case next.isSign(':') && l.tokens[i+2].kind == number:
		return l.colonClock(i)
	case i > 0 && l.tokens[i-1].isSign('.') && !l.tokens[i].gap:
		return false // the minutes of 14.30 Uhr
	case next.is(isHour):
		return l.unitClock(i)
	}
	return false
}

// bareHour reads 3 PM at token i.
func (l *loose) bareHour(i int) bool {
	next := &l.tokens[i+1]
	switch {
	case i > 0 && l.tokens[i-1].isSign('.') && !l.tokens[i].gap:
		return false
	case next.is(isAM|isPM) && !next.is(isSkipped) && !next.hasDays(), next.is(isAM|isPM) && l.meridiemEnds(i+1):
		return l.tokens[i].number <= 12 && l.endClock(i, i+1, [3]int32{l.tokens[i].number}, 0)
	}
	return false
}

// meridiemEnds says whether a word that can mean other things, too, ends the
// cell behind its only number.
func (l *loose) meridiemEnds(i int) bool {
	return i == 1 && l.tokens[i+1].kind == used
}

func (l *loose) colonClock(i int) bool {
	hms := [3]int32{l.tokens[i].number, l.tokens[i+2].number}
	if l.tokens[i+2].width() != 2 {
		return false
	}
	end, nano := i+3, uint32(0)
	if l.tokens[end].isSign(':') && l.tokens[end+1].kind == number && l.tokens[end+1].width() == 2 {
		hms[2] = l.tokens[end+1].number
		end += 2
		point := &l.tokens[end]
		if digits := &l.tokens[end+1]; digits.kind == number && !point.gap && !digits.gap && (point.isSign('.') || point.isSign(',')) {
			nano, _ = fraction(l.text[digits.from:digits.to])
			end += 2
		}
	}
	return l.endClock(i, end, hms, nano)
}

// unitClock reads 14h30, 14 h 30 min 5 s, 14 Uhr and 15時20分7秒.
func (l *loose) unitClock(i int) bool {
	hms := [3]int32{l.tokens[i].number}
	end := i + 2
	for place, unit := range [2]wordFlag{isMinute, isSecond} {
		t, next := &l.tokens[end], &l.tokens[end+1]
		named := next.is(unit)
		if t.kind != number || t.width() > 2 || !named && next.kind == sign || next.kind == number || next.is(isYear|isMonthAfter|isDay) {
			break
		}
		if !named && (t.width() != 2 || next.hasMonths()) {
			break
		}
		hms[place+1] = t.number
		end++
		if !named {
			break
		}
		end++
	}
	return l.endClock(i, end, hms, 0)
}

// basicClock reads the time without signs: behind T, as the whole cell of a
// time field, or as the end of 20210328152000.
func (l *loose) basicClock(i int, want Want) bool {
	t := &l.tokens[i]
	text := l.text[t.from:t.to]
	whole := want == WantClock && i == 0 && l.count(number) == 1
	switch behindT := i > 0 && l.isT(i-1) && !t.gap; {
	case len(text) == 12 || len(text) == 14:
		return l.stamp(i, text)
	case len(text) == 2 && behindT, (len(text) == 4 || len(text) == 6) && (behindT || whole):
		return l.endClock(i, i+1, splitClock(text), 0)
	}
	return false
}

func (l *loose) count(kind tokenKind) (n int) {
	for i := range l.tokens[:l.n] {
		if l.tokens[i].kind == kind {
			n++
		}
	}
	return n
}

func (l *loose) isT(i int) bool {
	t := &l.tokens[i]
	return t.kind == name && t.width() == 1 && l.text[t.from] == 't'
}

func splitClock(text []byte) (hms [3]int32) {
	for i := 0; i+1 < len(text); i += 2 {
		hms[i/2] = int32(twoDigits(text[i:]))
	}
	return hms
}

func (l *loose) stamp(i int, text []byte) bool {
	year := twoDigits(text)*100 + twoDigits(text[2:])
	l.date, l.dayReason = l.dayOf(year, twoDigits(text[4:]), twoDigits(text[6:]))
	l.kind = wholeDay
	return l.endClock(i, i+1, splitClock(text[8:]), 0)
}

// pointClock reads 14.30 where it cannot belong to a day: behind a whole day, at
// a word for clocks, or as all that a time field has.
func (l *loose) pointClock(i, before int, want Want) bool {
	t := l.tokens[i:]
	if t[0].width() > 2 || !t[1].isSign('.') || t[2].kind != number || t[1].gap || t[2].gap || t[2].width() != 2 {
		return false
	}
	hms, end := [3]int32{t[0].number, t[2].number}, i+3
	if t[3].isSign('.') && t[4].kind == number {
		if t[4].width() != 2 {
			return false
		}
		hms[2] = t[4].number
		end += 2
	}
	after := &l.tokens[end]
	switch {
	case before >= 3 && t[0].gap, want == WantClock && before == 0 && (end == l.n || after.is(isZone)):
	case after.is(isHour | isAM | isPM), i > 0 && end == i+3 && l.tokens[i-1].is(isSkipped):
	default:
		return false
	}
	return l.endClock(i, end, hms, 0)
}

// endClock takes the time of day from its numbers and what stands around them:
// the half of the day, a word such as Uhr, and the zone.
func (l *loose) endClock(from, to int, hms [3]int32, nano uint32) bool {
	hour, first, last := hms[0], from, to
	switch {
	case l.isMeridiem(to, hour, false):
		hour = l.halfDay(to, hour)
		last++
	case from > 0 && l.isMeridiem(from-1, hour, true):
		hour = l.halfDay(from-1, hour)
		first--
	}
	if l.tokens[last].is(isHour) {
		last++
	}
	if first > 0 && l.isT(first-1) {
		first--
	}
	first = l.zoneBefore(first)
	last = l.zone(last)
	l.setClock(int(hour), int(hms[1]), int(hms[2]), nano)
	l.use(first, last)
	return true
}

// isMeridiem says whether token i names the half of the day. Some names have
// another meaning: those are no halves where the hour is past 12, and de and du
// only before the clock.
func (l *loose) isMeridiem(i int, hour int32, before bool) bool {
	t := &l.tokens[i]
	if !t.is(isAM | isPM) {
		return false
	}
	ends := i+1 == l.n
	switch {
	case t.is(isSkipped) && l.text[t.from] == 'a': // am, which is a German word as well
		return hour <= 12 || ends
	case t.is(isSkipped):
		return hour <= 12 && before
	case t.hasDays() || t.hasMonths():
		return hour <= 12 && !before && ends
	}
	return true
}

// halfDay turns an hour of half a day into one of the whole day. Hours past 12
// are those already; in the morning there are none.
func (l *loose) halfDay(i int, hour int32) int32 {
	afternoon := l.tokens[i].is(isPM)
	switch {
	case afternoon && hour < 12:
		return hour + 12
	case !afternoon && hour == 12:
		return 0
	case !afternoon && hour > 12:
		return 99 // no such time
	}
	return hour
}

// zoneBefore reads the zone where it stands before the clock, as Chinese and
// Icelandic have it, and gives where it begins.
func (l *loose) zoneBefore(first int) int {
	at := first - 1
	if at > 0 && l.tokens[at].isSign('-') {
		at--
	}
	if at < 0 || !l.tokens[at].is(isZone) {
		return first
	}
	l.hasZone, l.offset = true, int16(l.tokens[at].id.word().value)
	return at
}

// zone reads the zone behind the clock, and gives where it ends.
func (l *loose) zone(i int) int {
	bracket := l.tokens[i].isSign('(') || l.tokens[i].isSign('[')
	if t := &l.tokens[i+1]; bracket && t.is(isZone) {
		l.hasZone, l.offset = true, int16(t.id.word().value)
	}
	if (l.tokens[i].isSign(',') || l.tokens[i].isSign(';')) && l.tokens[i+1].is(isZone) {
		i++
	}
	if t := &l.tokens[i]; t.is(isZone) {
		l.hasZone, l.offset = true, int16(t.id.word().value)
		i++
	}
	i = l.numericZone(i)
	if l.hasZone && l.tokens[i].is(isZone) {
		i++ // +0000 UTC
	}
	open := &l.tokens[i]
	if !l.hasZone || !open.isSign('(') && !open.isSign('[') {
		return i
	}
	for j := i; j < l.n; j++ {
		if l.tokens[j].isSign(')') || l.tokens[j].isSign(']') {
			return j + 1
		}
	}
	return i
}

func (l *loose) numericZone(i int) int {
	signs, hours := &l.tokens[i], &l.tokens[i+1]
	if !signs.isSign('+') && !signs.isSign('-') || hours.kind != number || hours.gap {
		return i
	}
	west, end, minutes := signs.sign == '-', i+2, 0
	value := int(hours.number)
	switch {
	case hours.width() == 4:
		value, minutes = value/100, value%100
	case hours.width() > 2 || l.tokens[end].kind == sign && l.tokens[end].sign != ':' && l.tokens[end].sign != '(' && l.tokens[end].sign != '[':
		return i
	case l.tokens[end].isSign(':') && l.tokens[end+1].kind == number:
		minutes = int(l.tokens[end+1].number)
		end += 2
	}
	if !l.setOffset(west, value, minutes) {
		return i
	}
	return end
}
