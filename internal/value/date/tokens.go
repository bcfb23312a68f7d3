package date

// scanLoose reads a cell by its words and signs.
func (p *parts) scanLoose(raw []byte, want Want) {
	var buf [2 * cellBytes]byte
	l := loose{parts: p, text: appendFolded(buf[:0], raw)}
	words := locales().index
	if len(l.text) == 0 || !l.tokenize(words) {
		p.reason = NotUnderstood
		return
	}
	l.joinNames(words)
	l.findClock(want)
	if p.reason == Read && !l.findDay() {
		p.reason = NotUnderstood
	}
}

// item is one of the three parts of a day.
type item struct {
	value  int32
	width  uint8
	role   role
	months wordID
}

// role is what is known of an item beside its place.
type role uint8

const (
	anyRole role = iota
	yearRole
	monthRole
	dayRole
)

// row collects the items of a day.
type row struct {
	items   [3]item
	n       int
	signs   [2]byte
	era     wordID
	eraOf   int // token of the year that the era counts
	monthAt int // token of a name that can be a weekday as well
}

// findDay reads the day from the tokens that are left. False where one of them
// has no place in a day.
func (l *loose) findDay() bool {
	if l.kind == wholeDay || l.weekDate() {
		return l.count(name)+l.count(number) == 0
	}
	r := row{monthAt: l.doubtfulMonth()}
	for i := range l.tokens[:l.n] {
		ok := true
		switch t := &l.tokens[i]; t.kind {
		case number:
			ok = l.addNumber(&r, i)
		case name:
			ok = l.addName(&r, i)
		case sign:
			ok = r.addSign(t)
		}
		if !ok {
			return false
		}
	}
	return l.settle(&r)
}

// doubtfulMonth finds the name that means a month and a weekday, such as mar,
// and has to be the month: no other name is one, and there are too few numbers.
func (l *loose) doubtfulMonth() int {
	at := -1
	for i := range l.tokens[:l.n] {
		t := &l.tokens[i]
		if !t.hasMonths() {
			continue
		}
		if !t.hasDays() {
			return -1
		}
		at = i
	}
	if l.count(number) > 2 {
		return -1
	}
	return at
}

// weekDate reads 2021-W12-7 and 2021W127.
func (l *loose) weekDate() bool {
	for i := 1; i+1 < l.n; i++ {
		t := &l.tokens[i]
		if t.kind != name || t.width() != 1 || l.text[t.from] != 'w' {
			continue
		}
		year, week := i-1, &l.tokens[i+1]
		if l.tokens[year].isSign('-') && year > 0 {
			year--
		}
		if l.tokens[year].kind != number || l.tokens[year].width() != 4 || week.kind != number {
			return false
		}
		w, day, end := week.number, int32(0), i+2
		if week.width() == 3 {
			w, day = w/10, w%10
		} else if l.tokens[end].isSign('-') && l.tokens[end+1].kind == number {
			day = l.tokens[end+1].number
			end += 2
		}
		l.setWeek(int(l.tokens[year].number), int(w), int(day))
		l.use(year, end)
		return true
	}
	return false
}

func (l *loose) setWeek(year, week, day int) {
	var ok bool
	l.kind = wholeDay
	l.date, ok = fromWeek(year, week, day)
	switch {
	case day == 0:
		l.dayReason = NoDay
	case !ok:
		l.dayReason = NoSuchDay
	}
}

func (l *loose) addNumber(r *row, i int) bool {
	t, next := &l.tokens[i], &l.tokens[i+1]
	it := item{value: t.number, width: uint8(t.width())}
	switch {
	case next.is(isYear):
		it.role = yearRole
	case next.is(isMonthAfter), i > 0 && l.tokens[i-1].is(isMonthBefore):
		it.role = monthRole
	case next.is(isDay), next.is(isOrdinal) && !next.gap && t.number <= 31:
		it.role = dayRole
	}
	if next.is(isYear|isMonthAfter|isDay) || it.role == dayRole {
		l.use(i+1, i+2)
	}
	if r.era != 0 && it.role <= yearRole && r.eraOf == i {
		era := r.era.word()
		if it.value < 1 || era.last != 0 && it.value > era.last {
			return false
		}
		it.role, it.width = yearRole, 4
		it.value += era.value
	}
	return r.add(it)
}

func (r *row) add(it item) bool {
	if r.n == len(r.items) || it.width > 8 {
		return false
	}
	r.items[r.n] = it
	r.n++
	return true
}

func (l *loose) addName(r *row, i int) bool {
	t := &l.tokens[i]
	switch {
	case t.id == 0:
		return false
	case t.hasMonths() && (!t.hasDays() || i == r.monthAt):
		return r.add(item{role: monthRole, months: t.id})
	case t.hasDays() && l.weekday == 0 && (i == 0 || !t.is(isSkipped)):
		l.weekday = t.id
		return true
	case t.is(isFirstYear):
		return r.add(item{value: t.id.word().value, width: 4, role: yearRole})
	case t.is(isEra) && l.tokens[i+1].kind == number && (t.width() > 1 || r.n == 0 && !l.tokens[i+1].gap):
		r.era, r.eraOf = t.id, i+1
		return true
	}
	return t.is(isSkipped|isMonthBefore) || l.hasClock && t.is(isHour)
}

func (r *row) addSign(t *token) bool {
	switch t.sign {
	case '/', '-', '.':
		if r.n == 0 || r.n == 3 && t.sign != '.' {
			return t.sign == '.'
		}
		if r.n < 3 && r.signs[r.n-1] == 0 {
			r.signs[r.n-1] = t.sign
		}
		return true
	case ',', ';', '(', ')', '\'':
		return true
	}
	return false
}
