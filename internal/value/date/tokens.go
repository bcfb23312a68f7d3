package date

import (
	"unicode/utf8"
)

// token is a number, a word or a sign of a cell. Spaces are no tokens.
type token struct {
	kind tokenKind
	// gap says that a space stands before the token.
	gap      bool
	sign     byte
	from, to uint8
	number   int32
	id       wordID
}

type tokenKind uint8

const (
	used tokenKind = iota // taken out of the row, or no token
	number
	name
	sign
)

func (t *token) width() int { return int(t.to - t.from) }

// is says whether the token is a word of one of these kinds.
func (t *token) is(flags wordFlag) bool {
	return t.kind == name && t.id != 0 && t.id.word().flags&flags != 0
}

func (t *token) hasMonths() bool { return t.kind == name && t.id != 0 && t.id.word().months != nil }

func (t *token) hasDays() bool { return t.kind == name && t.id != 0 && t.id.word().days != nil }

func (t *token) isSign(c byte) bool { return t.kind == sign && t.sign == c }

// maxTokens is more than any way to write a date has.
const maxTokens = 28

// loose reads cells that are not three plain numbers.
type loose struct {
	*parts
	text   []byte
	tokens [maxTokens + 3]token // the last ones stay empty, so that looking ahead is safe
	n      int
}

// tokenize splits the folded text. False where there are too many tokens.
func (l *loose) tokenize(words map[string]wordID) bool {
	gap := false
	for at := 0; at < len(l.text); {
		c := l.text[at]
		if c == ' ' {
			gap = true
			at++
			continue
		}
		if l.n == maxTokens {
			return false
		}
		t := &l.tokens[l.n]
		t.gap, t.from, t.sign = gap, uint8(at), c
		at = l.token(t, at, words)
		t.to = uint8(at)
		l.n++
		gap = false
	}
	return true
}

func (l *loose) token(t *token, at int, words map[string]wordID) int {
	switch c := l.text[at]; {
	case isDigit(c):
		t.kind = number
		for at < len(l.text) && isDigit(l.text[at]) {
			if t.number < 100_000_000 {
				t.number = t.number*10 + int32(l.text[at]-'0')
			}
			at++
		}
		return at
	case isLetter(c):
		t.kind = name
		return l.letters(t, at, words)
	default:
		t.kind = sign
		return at + 1
	}
}

// letters reads a word. Points inside of it belong to it, as in a.m.; a sign
// such as 年 behind a number is a word of its own.
func (l *loose) letters(t *token, at int, words map[string]wordID) int {
	if l.n > 0 && !t.gap && l.tokens[l.n-1].kind == number && l.text[at] >= utf8.RuneSelf {
		_, size := utf8.DecodeRune(l.text[at:])
		if id := words[string(l.text[at:at+size])]; id != 0 && id.word().flags&unitFlags != 0 {
			t.id = id
			return at + size
		}
	}
	end := at + 1
	for end < len(l.text) && (isLetter(l.text[end]) || l.text[end] == '.' && end+1 < len(l.text) && isLetter(l.text[end+1])) {
		end++
	}
	var key [2 * cellBytes]byte
	t.id = words[string(appendLetters(key[:0], l.text[at:end]))]
	if end < len(l.text) && l.text[end] == '.' && t.id != 0 {
		end++ // the point of an abbreviation
	}
	return end
}

const unitFlags = isHour | isMinute | isSecond | isYear | isMonthAfter | isDay

func appendLetters(dst, text []byte) []byte {
	for _, c := range text {
		if isLetter(c) {
			dst = append(dst, c)
		}
	}
	return dst
}

// joinNames makes one token of names that have several words, such as thứ hai
// and segunda-feira.
func (l *loose) joinNames(words map[string]wordID) {
	for i := range l.tokens[:l.n] {
		t := &l.tokens[i]
		if t.kind == name && (t.id == 0 || t.is(isPrefix)) {
			l.joinAt(i, words)
		}
	}
	n := 0
	for i := range l.tokens[:l.n] {
		if l.tokens[i].kind != used {
			l.tokens[n] = l.tokens[i]
			n++
		}
	}
	clear(l.tokens[n:l.n])
	l.n = n
}

func (l *loose) joinAt(i int, words map[string]wordID) {
	var key [2 * cellBytes]byte
	text, parts := appendLetters(key[:0], l.text[l.tokens[i].from:l.tokens[i].to]), 1
	for j := i + 1; j < l.n && parts < 4; j++ {
		t := &l.tokens[j]
		if t.isSign('-') || t.isSign('\'') {
			continue
		}
		if t.kind != name {
			return
		}
		text = appendLetters(text, l.text[t.from:t.to])
		parts++
		if id := words[string(text)]; id != 0 && id.word().flags != isPrefix {
			l.tokens[i].id = id
			l.tokens[i].to = t.to
			l.use(i+1, j+1)
		}
	}
}

// use takes tokens out of the row.
func (l *loose) use(from, to int) {
	for i := from; i < to; i++ {
		l.tokens[i].kind = used
	}
}

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

// settle says what day the items are.
func (l *loose) settle(r *row) bool {
	month := -1
	for i := range r.items[:r.n] {
		if r.items[i].role == monthRole {
			if month >= 0 {
				return false
			}
			month = i
		}
	}
	switch {
	case month >= 0 && r.n == 3:
		return l.settleNamed(r, month)
	case r.n == 3:
		return l.settleNumbers(r)
	case r.n == 2:
		return l.settleTwo(r, month)
	case r.n == 1:
		return l.settleOne(r.items[0])
	}
	return l.hasClock || l.weekday != 0
}

// settleNamed orders year, month and day where one of the items is the month.
func (l *loose) settleNamed(r *row, month int) bool {
	a, b := 0, 2
	switch month {
	case 0:
		a = 1
	case 2:
		b = 1
	}
	l.kind, l.form, l.name = namedMonth, Named, r.items[month].months
	if l.name == 0 {
		l.months = 1 << min(uint32(r.items[month].value), 15)
	}
	l.put(0, r.items[a])
	l.put(2, r.items[b])
	l.widths[1] = 2
	l.buddhist()
	return l.orderNamed(r.items[a], r.items[b], month)
}

// buddhist turns the year beside a Thai name of a month into that of the
// Gregorian calendar, where it can only be one of the Buddhist era.
func (l *loose) buddhist() {
	if l.name == 0 {
		return
	}
	for _, s := range l.name.word().months {
		if s.languages != locales().thai {
			return
		}
	}
	for i := 0; i < 3; i += 2 {
		if l.widths[i] == 4 && l.nums[i] >= 2400 && l.nums[i] < 2700 {
			l.nums[i] -= 543
		}
	}
}

func (l *loose) orderNamed(a, b item, month int) bool {
	switch {
	case a.width == 3 || b.width == 3 || a.width > 4 || b.width > 4 || a.width == 4 && b.width == 4:
		return false
	case a.role == dayRole || b.role == yearRole || b.width == 4:
		l.order = DMY
	case b.role == dayRole || a.role == yearRole || a.width == 4:
		l.order = YMD
	case month == 0:
		l.order = DMY
	case month == 2:
		return false
	}
	return true
}

func (p *parts) put(i int, it item) { p.nums[i], p.widths[i] = it.value, it.width }

// settleNumbers reads three numbers.
func (l *loose) settleNumbers(r *row) bool {
	first, second := r.signs[0], r.signs[1]
	if first != second && second != 0 && (first != '/' || second != '-') {
		return false
	}
	for i, it := range r.items {
		l.put(i, it)
	}
	if !l.classify(signForm(first)) {
		return false
	}
	switch {
	case r.items[0].role == yearRole:
		l.order = YMD
	case l.form == YearFirst:
	case r.items[0].role == dayRole:
		l.order = DMY
	case r.items[1].role == dayRole:
		l.order = MDY
	}
	return true
}

// settleTwo reads the day of a year, 2021-087. All else lacks something.
func (l *loose) settleTwo(r *row, month int) bool {
	a, b := r.items[0], r.items[1]
	switch {
	case month < 0 && a.width == 4 && b.width == 3 && r.signs[0] == '-':
		l.setYearDay(int(a.value), int(b.value))
	case a.width == 4 || b.width == 4:
		l.dayReason = NoDay
	case a.width <= 2 && b.width <= 2:
		l.dayReason = NoYear
	default:
		return false
	}
	return true
}

func (l *loose) setYearDay(year, day int) {
	var ok bool
	l.kind = wholeDay
	if l.date, ok = fromYearDay(year, day); !ok {
		l.dayReason = NoSuchDay
	}
}

// settleOne reads a day without signs: 20210328, 28032021, 280321 or 2021087.
func (l *loose) settleOne(it item) bool {
	switch {
	case it.width == 8:
		l.settleEight(it.value)
	case it.width == 7:
		l.setYearDay(int(it.value/1000), int(it.value%1000))
	case it.width == 6:
		l.kind, l.form = threeNumbers, ShortBare
		l.nums = [3]int32{it.value / 10000, it.value / 100 % 100, it.value % 100}
		l.widths = [3]uint8{2, 2, 2}
	case it.role != anyRole || it.width == 4:
		l.dayReason = NoDay
	default:
		return false
	}
	return true
}

// settleEight tells the year by its place: month and day never look like a year
// of these centuries.
func (l *loose) settleEight(v int32) {
	l.kind, l.form = threeNumbers, Bare
	l.nums, l.widths = [3]int32{v / 1000000, v / 10000 % 100, v % 10000}, [3]uint8{2, 2, 4}
	if year := v % 10000; year < 1500 || year > 2500 {
		l.nums, l.widths = [3]int32{v / 10000, v / 100 % 100, v % 100}, [3]uint8{4, 2, 2}
		l.form, l.order = YearFirst, YMD
	}
}
