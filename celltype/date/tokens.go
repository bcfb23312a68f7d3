package date

import (
	"slices"
	"unicode/utf8"
)

// token is a number, a word or a punctuation mark in a cell. Spaces are not tokens.
type token struct {
	kind tokenKind
	// spaceBefore reports whether a space precedes the token.
	spaceBefore bool
	sign        byte
	from, to    uint8
	number      int32
	id          wordID
}

type tokenKind uint8

const (
	tokenUsed tokenKind = iota // consumed, or an empty slot
	tokenNumber
	tokenName
	tokenSign
)

func (t *token) width() int { return int(t.to - t.from) }

// hasFlag reports whether the token is a word with one of the flags.
func (t *token) hasFlag(flags wordFlag) bool {
	return t.kind == tokenName && t.id != 0 && t.id.entry().flags&flags != 0
}

func (t *token) hasMonths() bool {
	return t.kind == tokenName && t.id != 0 && t.id.entry().months != nil
}

func (t *token) hasDays() bool { return t.kind == tokenName && t.id != 0 && t.id.entry().days != nil }

func (t *token) isSign(c byte) bool { return t.kind == tokenSign && t.sign == c }

// maxTokens is greater than the number of tokens in any date format.
const maxTokens = 28

// tokenParser parses cells that are not three plain numbers.
type tokenParser struct {
	*parts
	text       []byte
	tokens     [maxTokens + 3]token // the last ones stay empty, so that lookahead is safe
	tokenCount int
}

// tokenize splits the folded text into tokens. It reports false if there are too many.
func (l *tokenParser) tokenize(words map[string]wordID) bool {
	gap := false
	for at := 0; at < len(l.text); {
		c := l.text[at]
		if c == ' ' {
			gap = true
			at++
			continue
		}
		if l.tokenCount == maxTokens {
			return false
		}
		t := &l.tokens[l.tokenCount]
		t.spaceBefore, t.from, t.sign = gap, uint8(at), c
		switch {
		case isDigit(c):
			t.kind = tokenNumber
			for at < len(l.text) && isDigit(l.text[at]) {
				if t.number < 100_000_000 {
					t.number = t.number*10 + int32(l.text[at]-'0')
				}
				at++
			}
		case isLetter(c):
			t.kind = tokenName
			at = l.readWord(t, at, words)
		default:
			t.kind = tokenSign
			at++
		}
		t.to = uint8(at)
		l.tokenCount++
		gap = false
	}
	return true
}

// readWord reads a word. Dots within it are part of the word, as in a.m. A unit
// such as 年 directly after a number is a separate word.
func (l *tokenParser) readWord(t *token, at int, words map[string]wordID) int {
	if l.tokenCount > 0 && !t.spaceBefore && l.tokens[l.tokenCount-1].kind == tokenNumber && l.text[at] >= utf8.RuneSelf {
		_, size := utf8.DecodeRune(l.text[at:])
		if id := words[string(l.text[at:at+size])]; id != 0 && id.entry().flags&unitFlags != 0 {
			t.id = id
			return at + size
		}
	}
	end := at + 1
	for end < len(l.text) && (isLetter(l.text[end]) || l.text[end] == '.' && end+1 < len(l.text) && isLetter(l.text[end+1])) {
		end++
	}
	var key [2 * maxCellBytes]byte
	t.id = words[string(appendLetters(key[:0], l.text[at:end]))]
	if end < len(l.text) && l.text[end] == '.' && t.id != 0 {
		end++ // the dot of an abbreviation
	}
	return end
}

const unitFlags = flagHour | flagMinute | flagSecond | flagYear | flagMonthAfter | flagDay

func appendLetters(dst, text []byte) []byte {
	for _, c := range text {
		if isLetter(c) {
			dst = append(dst, c)
		}
	}
	return dst
}

// joinNames joins the words of a name, such as thứ hai or segunda-feira, into one token.
func (l *tokenParser) joinNames(words map[string]wordID) {
	for i := range l.tokens[:l.tokenCount] {
		t := &l.tokens[i]
		if t.kind == tokenName && (t.id == 0 || t.hasFlag(flagPrefix)) {
			l.joinAt(i, words)
		}
	}
	left := slices.DeleteFunc(l.tokens[:l.tokenCount], func(t token) bool { return t.kind == tokenUsed })
	l.tokenCount = len(left)
}

func (l *tokenParser) joinAt(i int, words map[string]wordID) {
	var key [2 * maxCellBytes]byte
	text, parts := appendLetters(key[:0], l.text[l.tokens[i].from:l.tokens[i].to]), 1
	for j := i + 1; j < l.tokenCount && parts < 4; j++ {
		t := &l.tokens[j]
		if t.isSign('-') || t.isSign('\'') {
			continue
		}
		if t.kind != tokenName {
			return
		}
		text = appendLetters(text, l.text[t.from:t.to])
		parts++
		if id := words[string(text)]; id != 0 && id.entry().flags != flagPrefix {
			l.tokens[i].id = id
			l.tokens[i].to = t.to
			l.consume(i+1, j+1)
		}
	}
}

// consume marks the tokens [from, to) as used.
func (l *tokenParser) consume(from, to int) {
	for i := from; i < to; i++ {
		l.tokens[i].kind = tokenUsed
	}
}

// scanTokens parses a cell by its words and punctuation marks.
func (p *parts) scanTokens(raw []byte, want Want) {
	var buf [2 * maxCellBytes]byte
	l := tokenParser{parts: p, text: appendFolded(buf[:0], raw)}
	words := locales().index
	if len(l.text) == 0 || !l.tokenize(words) {
		p.reason = NotUnderstood
		return
	}
	l.joinNames(words)
	l.findTime(want)
	if p.reason == Read && !l.findDate() {
		p.reason = NotUnderstood
	}
}

// dateItem is one of the three parts of a date.
type dateItem struct {
	value  int32
	width  uint8
	role   itemRole
	months wordID
}

// itemRole is what is known about the role of an item regardless of its position.
type itemRole uint8

const (
	anyRole itemRole = iota
	yearRole
	monthRole
	dayRole
)

// dateItems collects the items of a date.
type dateItems struct {
	items      [3]dateItem
	count      int
	separators [2]byte
	era        wordID
	eraToken   int // index of the year of the era
	monthToken int // index of a name that can also be a weekday
}

// findDate reads the date from the remaining tokens. It reports false if one of
// them cannot be part of a date.
func (l *tokenParser) findDate() bool {
	if l.kind == wholeDate || l.readWeekDate() {
		return l.countTokens(tokenName)+l.countTokens(tokenNumber) == 0
	}
	r := dateItems{monthToken: l.ambiguousMonth()}
	for i := range l.tokens[:l.tokenCount] {
		ok := true
		switch t := &l.tokens[i]; t.kind {
		case tokenNumber:
			ok = l.addNumber(&r, i)
		case tokenName:
			ok = l.addName(&r, i)
		case tokenSign:
			ok = r.addSeparator(t)
		}
		if !ok {
			return false
		}
	}
	return l.resolveItems(&r)
}

// ambiguousMonth returns the index of a name, such as mar, that can be a month
// or a weekday but must be the month, because there is no other month name and
// there are too few numbers. It returns -1 if there is none.
func (l *tokenParser) ambiguousMonth() int {
	at := -1
	for i := range l.tokens[:l.tokenCount] {
		t := &l.tokens[i]
		if !t.hasMonths() {
			continue
		}
		if !t.hasDays() {
			return -1
		}
		at = i
	}
	if l.countTokens(tokenNumber) > 2 {
		return -1
	}
	return at
}

// readWeekDate reads a week date such as 2021-W12-7 or 2021W127.
func (l *tokenParser) readWeekDate() bool {
	for i := 1; i+1 < l.tokenCount; i++ {
		t := &l.tokens[i]
		if t.kind != tokenName || t.width() != 1 || l.text[t.from] != 'w' {
			continue
		}
		year, week := i-1, &l.tokens[i+1]
		if l.tokens[year].isSign('-') && year > 0 {
			year--
		}
		if l.tokens[year].kind != tokenNumber || l.tokens[year].width() != 4 || week.kind != tokenNumber {
			return false
		}
		w, day, end := week.number, int32(0), i+2
		if week.width() == 3 {
			w, day = w/10, w%10
		} else if l.tokens[end].isSign('-') && l.tokens[end+1].kind == tokenNumber {
			day = l.tokens[end+1].number
			end += 2
		}
		var ok bool
		l.kind = wholeDate
		l.date, ok = dateFromWeek(int(l.tokens[year].number), int(w), int(day))
		switch {
		case day == 0:
			l.dateReason = NoDay
		case !ok:
			l.dateReason = NoSuchDay
		}
		l.consume(year, end)
		return true
	}
	return false
}

func (l *tokenParser) addNumber(r *dateItems, i int) bool {
	t, next := &l.tokens[i], &l.tokens[i+1]
	it := dateItem{value: t.number, width: uint8(t.width())}
	switch {
	case next.hasFlag(flagYear):
		it.role = yearRole
	case next.hasFlag(flagMonthAfter), i > 0 && l.tokens[i-1].hasFlag(flagMonthBefore):
		it.role = monthRole
	case next.hasFlag(flagDay), next.hasFlag(flagOrdinal) && !next.spaceBefore && t.number <= 31:
		it.role = dayRole
	}
	if next.hasFlag(flagYear|flagMonthAfter|flagDay) || it.role == dayRole {
		l.consume(i+1, i+2)
	}
	if r.era != 0 && it.role <= yearRole && r.eraToken == i {
		era := r.era.entry()
		if it.value < 1 || era.last != 0 && it.value > era.last {
			return false
		}
		it.role, it.width = yearRole, 4
		it.value += era.value
		l.buddhist = l.buddhist || era.value == -buddhistOffset
	}
	return r.addItem(it)
}

func (r *dateItems) addItem(it dateItem) bool {
	if r.count == len(r.items) || it.width > 8 {
		return false
	}
	r.items[r.count] = it
	r.count++
	return true
}

func (l *tokenParser) addName(r *dateItems, i int) bool {
	t := &l.tokens[i]
	switch {
	case t.id == 0:
		return false
	case t.hasMonths() && (!t.hasDays() || i == r.monthToken):
		return r.addItem(dateItem{role: monthRole, months: t.id})
	case t.hasDays() && l.weekday == 0 && (i == 0 || !t.hasFlag(flagSkipped)):
		l.weekday = t.id
		return true
	case t.hasFlag(flagFirstYear):
		return r.addItem(dateItem{value: t.id.entry().value, width: 4, role: yearRole})
	case t.hasFlag(flagEra) && l.tokens[i+1].kind == tokenNumber && (t.width() > 1 || r.count == 0 && !l.tokens[i+1].spaceBefore):
		r.era, r.eraToken = t.id, i+1
		return true
	}
	if t.hasFlag(flagHour) && i > 0 && l.tokens[i-1].kind == tokenNumber {
		return false // a second time of day, as in 14h 15h
	}
	return t.hasFlag(flagSkipped|flagMonthBefore) || l.hasTime && t.hasFlag(flagHour)
}

func (r *dateItems) addSeparator(t *token) bool {
	switch t.sign {
	case '/', '-', '.':
		if r.count == 0 || r.count == 3 && t.sign != '.' {
			return t.sign == '.'
		}
		if r.count < 3 && r.separators[r.count-1] == 0 {
			r.separators[r.count-1] = t.sign
		}
		return true
	case ',', ';', '(', ')', '\'':
		return true
	}
	return false
}

// resolveItems combines the items into a date.
func (l *tokenParser) resolveItems(r *dateItems) bool {
	month := -1
	for i := range r.items[:r.count] {
		if r.items[i].role == monthRole {
			if month >= 0 {
				return false
			}
			month = i
		}
	}
	switch {
	case month >= 0 && r.count == 3:
		return l.resolveNamedMonth(r, month)
	case r.count == 3:
		return l.resolveThreeNumbers(r)
	case r.count == 2:
		return l.resolveTwoNumbers(r, month)
	case r.count == 1:
		return l.resolveOneNumber(r.items[0])
	}
	return l.hasTime || l.weekday != 0
}

// resolveNamedMonth determines year, month and day if one of the items is a named month.
func (l *tokenParser) resolveNamedMonth(r *dateItems, month int) bool {
	a, b := 0, 2
	switch month {
	case 0:
		a = 1
	case 2:
		b = 1
	}
	l.kind, l.pattern, l.name = namedMonth, Named, r.items[month].months
	if l.name == 0 {
		l.months = 1 << min(uint32(r.items[month].value), 15)
	}
	l.setNumber(0, r.items[a])
	l.setNumber(2, r.items[b])
	l.widths[1] = 2
	// Next to a Thai name, the year may be in the Buddhist era.
	isThai := l.name != 0 && !slices.ContainsFunc(l.name.entry().months, func(s sense) bool { return s.languages != locales().thai })
	l.thai = isThai
	for i := 0; i < 3 && isThai; i += 2 {
		if l.widths[i] == 4 && l.numbers[i] >= 2400 && l.numbers[i] < 2700 {
			l.numbers[i] -= buddhistOffset
			l.buddhist = true
		}
	}
	return l.setNamedOrder(r.items[a], r.items[b], month)
}

func (l *tokenParser) setNamedOrder(a, b dateItem, month int) bool {
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

func (p *parts) setNumber(i int, it dateItem) { p.numbers[i], p.widths[i] = it.value, it.width }

// resolveThreeNumbers combines three numbers into a date.
func (l *tokenParser) resolveThreeNumbers(r *dateItems) bool {
	first, second := r.separators[0], r.separators[1]
	if first != second && second != 0 && (first != '/' || second != '-') {
		return false
	}
	for i, it := range r.items {
		l.setNumber(i, it)
	}
	if !l.classify(patternOfSeparator(first)) {
		return false
	}
	switch {
	case r.items[0].role == yearRole:
		l.order = YMD
	case l.pattern == YearFirst:
	case r.items[0].role == dayRole:
		l.order = DMY
	case r.items[1].role == dayRole:
		l.order = MDY
	}
	return true
}

// resolveTwoNumbers reads a year and a day of the year, such as 2021-087. Any
// other two numbers are an incomplete date.
func (l *tokenParser) resolveTwoNumbers(r *dateItems, month int) bool {
	a, b := r.items[0], r.items[1]
	switch {
	case month < 0 && a.width == 4 && b.width == 3 && r.separators[0] == '-':
		l.setYearDay(int(a.value), int(b.value))
	case a.width == 4 || b.width == 4:
		l.dateReason = NoDay
	case a.width <= 2 && b.width <= 2:
		l.dateReason = NoYear
	default:
		return false
	}
	return true
}

func (l *tokenParser) setYearDay(year, day int) {
	var ok bool
	l.kind = wholeDate
	if l.date, ok = dateFromYearDay(year, day); !ok {
		l.dateReason = NoSuchDay
	}
}

// resolveOneNumber reads a date without separators: 20210328, 28032021, 280321
// or 2021087. In eight digits, the year is last if the last four digits are
// between 1500 and 2500, which a month and day never are.
func (l *tokenParser) resolveOneNumber(it dateItem) bool {
	v := it.value
	switch {
	case it.width == 8 && v%10000 >= 1500 && v%10000 <= 2500:
		l.kind, l.pattern = threeNumbers, Bare
		l.numbers, l.widths = [3]int32{v / 1000000, v / 10000 % 100, v % 10000}, [3]uint8{2, 2, 4}
	case it.width == 8:
		l.kind, l.pattern, l.order = threeNumbers, YearFirst, YMD
		l.numbers, l.widths = [3]int32{v / 10000, v / 100 % 100, v % 100}, [3]uint8{4, 2, 2}
	case it.width == 7:
		l.setYearDay(int(v/1000), int(v%1000))
	case it.width == 6:
		l.kind, l.pattern = threeNumbers, ShortBare
		l.numbers, l.widths = [3]int32{v / 10000, v / 100 % 100, v % 100}, [3]uint8{2, 2, 2}
	case it.role != anyRole || it.width == 4:
		l.dateReason = NoDay
	default:
		return false
	}
	return true
}
