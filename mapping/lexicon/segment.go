package lexicon

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MaxText is the maximum number of bytes of a name that are read. Later bytes are ignored.
const MaxText = 256

// Fold returns text in the form in which names are compared: in lower case, with
// compatibility characters unified and without accents. It unifies letters of other
// alphabets that represent the same sound. The result does not depend on word boundaries.
func Fold(text string) string {
	if isASCII(text) {
		return strings.ReplaceAll(strings.ToLower(text), "'", "")
	}
	var buffer [4 * maxPart]byte
	lower := strings.ToLower(norm.NFKC.String(text))
	var b strings.Builder
	b.Grow(len(lower))
	rest := norm.NFD.AppendString(buffer[:0], lower)
	for len(rest) > 0 {
		r, size := utf8.DecodeRune(rest)
		rest = rest[size:]
		// Writers often omit diacritics in Latin, Greek and Cyrillic text and vowel marks
		// in Arabic and Hebrew text. In Indic scripts, vowel marks are letters.
		if r >= 0x300 && r <= 0x36f || r >= 0x64b && r <= 0x65f || r == 0x640 || r >= 0x591 && r <= 0x5c7 || r == '\'' || r == '’' || r == 'ʻ' {
			continue
		}
		if plain, ok := plainLetters[r]; ok {
			b.WriteString(plain)
			continue
		}
		b.WriteRune(r)
	}
	return norm.NFC.String(b.String())
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// plainLetters holds the plain equivalents of letters that Unicode does not decompose.
var plainLetters = map[rune]string{
	'ß': "ss", 'ø': "o", 'æ': "ae", 'œ': "oe", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'ı': "i", 'ħ': "h",
	'أ': "ا", 'إ': "ا", 'آ': "ا", 'ٱ': "ا", 'ة': "ه", 'ى': "ي", '°': "o",
}

// SplitWords splits text into folded words at spaces, at punctuation, at word boundaries in camel
// case, and between letters and digits. The signs %, # and 〒 are words if they have a meaning.
func SplitWords(text string) []string {
	split := splitWords(text)
	words := make([]string, len(split))
	for i, w := range split {
		words[i] = w.text
	}
	return words
}

// word is a folded word of a name.
type word struct {
	text string
	// dotted reports whether a full stop follows the word. short reports whether the word is also
	// a single letter at the beginning or the end of the name, so that it is not a conjunction or
	// an article, as the u in "Str. u. Nr.".
	dotted, short bool
}

func splitWords(text string) []word {
	if len(text) > MaxText {
		text = strings.ToValidUTF8(text[:MaxText], "")
	}
	var words []word
	current := make([]rune, 0, len(text))
	flush := func(dotted bool) {
		if len(current) > 0 {
			if folded := foldWord(string(current)); folded != "" {
				words = append(words, word{text: folded, dotted: dotted})
			}
		}
		current = current[:0]
	}
	letters := []rune(norm.NFKC.String(text))
	for i, r := range letters {
		switch {
		case r == '%', r == '〒', r == '#' && (i > 0 || len(letters) == 1):
			flush(false)
			words = append(words, word{text: string(r)})
		case !inWord(r):
			flush(r == '.')
		default:
			if i > 0 && isWordStart(letters, i) {
				flush(false)
			}
			current = append(current, r)
		}
	}
	flush(false)
	for _, i := range []int{0, len(words) - 1} {
		if i >= 0 && i < len(words) {
			words[i].short = words[i].dotted && utf8.RuneCountInString(words[i].text) == 1
		}
	}
	return words
}

// foldWord returns a folded word without a final 's, as in "parent's".
func foldWord(text string) string {
	for _, genitive := range []string{"'s", "’s", "'S", "’S"} {
		if plain, ok := strings.CutSuffix(text, genitive); ok {
			return Fold(plain)
		}
	}
	return Fold(text)
}

func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '\'' || r == '’' || r == '°'
}

// isWordStart reports whether a new word starts at index i within a compound such as
// firstName, address1 or XMLFile.
func isWordStart(letters []rune, i int) bool {
	before, at := letters[i-1], letters[i]
	if unicode.IsDigit(before) != unicode.IsDigit(at) {
		return inWord(before) && !unicode.IsMark(at)
	}
	if !unicode.IsUpper(at) {
		return false
	}
	return unicode.IsLower(before) || unicode.IsUpper(before) && i+1 < len(letters) && unicode.IsLower(letters[i+1])
}

// spellings returns the spellings of a name with and without special letters, such as
// Straße and Strasse, or Größe and Groesse.
func spellings(name string) []string {
	all := []string{name}
	if isASCII(name) {
		return all
	}
	if spelled := twoLetters.Replace(strings.ToLower(norm.NFC.String(name))); spelled != strings.ToLower(name) {
		all = append(all, spelled)
	}
	return all
}

var twoLetters = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "å", "aa", "ø", "oe")

// IsNoise reports whether a folded word does not change the meaning of a name.
func (l *Lexicon) IsNoise(word string) bool { return l.noise[word] }

// isNoise reports whether a word does not change the meaning of a name.
func (l *Lexicon) isNoise(w word) bool { return l.noise[w.text] && !w.short }

// segment is a part of the text that is read: a known name, a noise word or an unknown word.
type segment struct {
	senses  []sense
	noise   bool
	letters int
	// cost is the cost of a typo or an abbreviation.
	cost float64
}

// cutPath is the cheapest split of the text before an offset: the last parts, their start and
// the total cost. The cost is negative if there is no split.
type cutPath struct {
	cost  float64
	begin int
	parts []segment
}

// backtrace returns the parts of a path in order.
func backtrace(best []cutPath) []segment {
	var back [][]segment
	for end := len(best) - 1; end > 0; end = best[end].begin {
		back = append(back, best[end].parts)
	}
	slices.Reverse(back)
	return slices.Concat(back...)
}

// maxSpan is the maximum number of words in a name.
const maxSpan = 7

// maxWords is the maximum number of words of a name that are read.
const maxWords = 24

// These are the costs of the segments of a split. cutUnknown exceeds the cost of many known
// segments, so that the split contains as few unknown words as possible.
const (
	cutName    = 1.0
	cutNoise   = 0.1
	cutUnknown = 30.0
	cutTypo    = 8.0
	cutShort   = 4.0
	cutInWord  = 0.3
)

// readOptions selects how unknown words are read.
type readOptions struct {
	typos, abbreviations bool
	// languages are the preferred languages of abbreviated names.
	languages uint64
}

// segments splits words into names. It prefers few names and few unknown words.
func (l *Lexicon) segments(words []word, o readOptions) []segment {
	words = words[:min(len(words), maxWords)]
	var text strings.Builder
	place := make([]int, len(words)+1)
	for i, w := range words {
		text.WriteString(w.text)
		place[i+1] = text.Len()
	}
	best := make([]cutPath, len(words)+1)
	for end := 1; end <= len(words); end++ {
		best[end].cost = -1
		for begin := end - 1; begin >= 0 && begin >= end-maxSpan; begin-- {
			cost, parts := l.readSpan(text.String()[place[begin]:place[end]], words[begin:end], len(words) > 1, o)
			if parts != nil && (best[end].cost < 0 || best[begin].cost+cost < best[end].cost) {
				best[end] = cutPath{best[begin].cost + cost, begin, parts}
			}
		}
	}
	return backtrace(best)
}

// readSpan reads adjacent words, which together are key, as one name, or returns nil if they are
// not a name. It always returns a segment for a single word. If others is set, the text has other
// words, and a noise word counts only as noise even if it is also a name.
func (l *Lexicon) readSpan(key string, span []word, others bool, o readOptions) (float64, []segment) {
	senses, single, n := l.names[key], len(span) == 1, utf8.RuneCountInString(key)
	noise := l.noise[key] && (!single || l.isNoise(span[0]))
	switch {
	case others && noise:
		return cutNoise, []segment{{noise: true, letters: n}}
	case senses != nil:
		return cutName, []segment{{senses: senses, letters: n}}
	case noise && single:
		return cutNoise, []segment{{noise: true, letters: n}}
	}
	if single {
		if cost, parts := l.splitCompound(key); parts != nil && cost < cutUnknown+float64(n) {
			return cost, parts
		}
	}
	if o.abbreviations {
		if senses, cost := l.expand(span, o.languages); senses != nil {
			return cutShort, []segment{{senses: senses, letters: n, cost: cost}}
		}
	}
	if !single {
		return 0, nil
	}
	if senses := l.misspelled(key, n); o.typos && senses != nil {
		return cutTypo, []segment{{senses: senses, letters: n, cost: costTypo}}
	}
	return cutUnknown + float64(n), []segment{{letters: n}}
}

// A compound is split if it has at most maxJoined letters. Each part has at most maxPart letters.
const (
	maxJoined = 60
	maxPart   = 24
)

// splitCompound splits a compound such as Rechnungsnummer or 注文番号. In scripts with spaces,
// all parts must be known except the letters that join them.
func (l *Lexicon) splitCompound(word string) (float64, []segment) {
	dense := strings.ContainsFunc(word, func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
	})
	place := make([]int, 0, len(word)+1)
	for i := range word {
		place = append(place, i)
	}
	n := len(place)
	place = append(place, len(word))
	if n > maxJoined || !dense && n < 2*shortestPart {
		return 0, nil
	}
	best := make([]cutPath, n+1)
	for end := 1; end <= n; end++ {
		best[end].cost = -1
		for begin := end - 1; begin >= 0 && end-begin <= maxPart; begin-- {
			if best[begin].cost < 0 {
				continue
			}
			cost, part, ok := l.readPart(word[place[begin]:place[end]], end-begin, begin > 0 && end < n, begin >= shortestPart && end == n, dense)
			if ok && (best[end].cost < 0 || best[begin].cost+cost < best[end].cost) {
				best[end] = cutPath{cost: best[begin].cost + cost, begin: begin}
				if part.letters > 0 {
					best[end].parts = []segment{part}
				}
			}
		}
	}
	if best[n].cost < 0 {
		return 0, nil
	}
	return best[n].cost, mergeUnknown(backtrace(best))
}

// shortestPart is the minimum length of a part of a compound, in letters. Shorter parts often
// match by chance.
const shortestPart = 4

// readPart reads a part of a compound. The part has n letters. within is set if other parts
// precede and follow it, and tail is set if it ends the word after at least shortestPart letters.
func (l *Lexicon) readPart(key string, n int, within, tail, dense bool) (float64, segment, bool) {
	if dense || n >= shortestPart || tail && slices.Contains(tails, key) {
		if senses := l.names[key]; senses != nil {
			return cutName + cutInWord, segment{senses: senses, letters: n}, true
		}
	}
	switch {
	case dense && l.noise[key]:
		return cutNoise, segment{noise: true, letters: n}, true
	case dense && n == 1:
		return cutUnknown, segment{letters: 1}, true
	case !dense && within && n <= 2 && slices.Contains(joints, key):
		return cutInWord, segment{}, true
	}
	return 0, segment{}, false
}

// tails are short words at the end of compounds such as Kundennr and Lieferort.
var tails = []string{"nr", "id", "tlf", "tel", "ort", "plz"}

// joints are the letters that may join the parts of compounds.
var joints = []string{"s", "n", "en", "es", "e", "o"}

// mergeUnknown merges adjacent unknown parts.
func mergeUnknown(segments []segment) []segment {
	var kept []segment
	for _, s := range segments {
		last := len(kept) - 1
		if last >= 0 && s.senses == nil && !s.noise && kept[last].senses == nil && !kept[last].noise {
			kept[last].letters += s.letters
			continue
		}
		kept = append(kept, s)
	}
	return kept
}

// shortestTypo is the minimum length, in letters, of a word in which a typo is considered.
// In shorter words, a wrong letter often makes a different word.
const shortestTypo = 6

// misspelled returns the senses of the known name that is one typo away from word. It returns
// nil if there is none or if several such names have different senses.
func (l *Lexicon) misspelled(word string, n int) []sense {
	if n < shortestTypo {
		return nil
	}
	first, _ := utf8.DecodeRuneInString(word)
	found := ""
	for length := n - 1; length <= n+1; length++ {
		for _, name := range l.typoIndex[typoKey{first, length}] {
			if !oneApart(word, name) {
				continue
			}
			if found != "" && !l.names[found][0].sameTarget(l.names[name][0]) {
				return nil
			}
			found = name
		}
	}
	return l.names[found]
}

// oneApart reports whether a and b differ by one wrong, missing or additional letter, or by
// two swapped adjacent letters.
func oneApart(a, b string) bool {
	x, y := []rune(a), []rune(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	i := 0
	for i < len(x) && x[i] == y[i] {
		i++
	}
	j := 0
	for j < len(x)-i && x[len(x)-1-j] == y[len(y)-1-j] {
		j++
	}
	rest := len(x) - i - j
	if len(x) < len(y) {
		return rest == 0
	}
	return rest <= 1 || rest == 2 && x[i] == y[i+1] && x[i+1] == y[i]
}
