package date

import "unicode/utf8"

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
