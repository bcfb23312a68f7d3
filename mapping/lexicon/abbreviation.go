package lexicon

import (
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ReadAbbreviated is like Read, but also accepts abbreviated words of known names, such as
// "Descr." for "Description" and "Str. u. Hausnr." for "Straße und Hausnummer". It prefers names
// in the given languages and then in English. If languages is 0, it considers names in all
// languages. It is slower than Read.
func (l *Lexicon) ReadAbbreviated(text string, languages uint64) []Reading {
	return l.read(text, readOptions{abbreviations: true, languages: languages})
}

// CommonLanguages returns the languages in which a list of names is most likely written, given
// the languages of each name. It returns 0 if the names do not decide.
func (l *Lexicon) CommonLanguages(names []uint64) uint64 {
	weights := make([]float64, len(l.languages))
	best := 0.0
	for _, set := range names {
		set &^= l.language(anyLanguage)
		for i := range weights {
			if set&(1<<i) != 0 {
				weights[i] += 1 / float64(bits.OnesCount64(set))
				best = max(best, weights[i])
			}
		}
	}
	if best < enoughLanguage {
		return 0
	}
	common := l.language(anyLanguage)
	for i, weight := range weights {
		if weight >= best*nearlyBest {
			common |= 1 << i
		}
	}
	return common
}

// A language is considered if its weight is at least enoughLanguage, which is the weight of one
// name that no other language has, and at least nearlyBest of the highest weight.
const (
	enoughLanguage = 1.0
	nearlyBest     = 0.6
)

// anyLanguage is the code for names that are the same in all languages.
const anyLanguage = "xx"

// language returns the set that contains only the language with the given code.
func (l *Lexicon) language(code string) uint64 {
	if i := slices.Index(l.languages, code); i >= 0 {
		return 1 << i
	}
	return 0
}

// longName is a name that may be abbreviated.
type longName struct {
	key string
	// words are the words of the name that are not noise.
	words []string
}

// longKey selects names by the first letter and the number of words.
type longKey struct {
	first rune
	words int
}

// addLongName adds a name to the index of names that may be abbreviated.
func (l *Lexicon) addLongName(key string, words []string) {
	isNoise := func(w string) bool { return l.noise[w] }
	if slices.ContainsFunc(words, isNoise) {
		words = slices.DeleteFunc(slices.Clone(words), isNoise)
	}
	if len(words) == 0 || len(words) > maxSpan || utf8.RuneCountInString(key) < shortestLong {
		return
	}
	first, _ := utf8.DecodeRuneInString(words[0])
	at := longKey{first, len(words)}
	l.longNames[at] = append(l.longNames[at], int32(len(l.long)))
	l.long = append(l.long, longName{key, words})
}

// shortestLong is the minimum length, in letters, of a name that may be abbreviated.
const shortestLong = 4

// maxExpansions is the maximum number of concepts that an abbreviation may stand for.
const maxExpansions = 4

// expand returns the senses of the names that adjacent words abbreviate, and the cost. It returns
// nil if there are none or too many.
func (l *Lexicon) expand(span []word, languages uint64) ([]sense, float64) {
	span = slices.DeleteFunc(slices.Clone(span), func(w word) bool { return l.isNoise(w) })
	letters, dotted := 0, false
	for _, w := range span {
		letters += utf8.RuneCountInString(w.text)
		dotted = dotted || w.dotted
	}
	if len(span) == 0 || letters < shortestAbbreviation {
		return nil, 0
	}
	cost := costAbbreviation
	if !dotted {
		cost = costUndotted
	}
	masks := []uint64{languages, l.language("en")}
	if languages == 0 {
		masks, cost = []uint64{^uint64(0)}, cost+costAnyLanguage
	}
	for i, mask := range masks {
		if senses := l.expandIn(span, mask); senses != nil {
			return senses, cost + costAnyLanguage*float64(i)
		}
	}
	return nil, 0
}

// shortestAbbreviation is the minimum number of letters of the words that abbreviate a name.
const shortestAbbreviation = 2

// expandIn returns the senses of the names in some languages that adjacent words abbreviate.
// Names of which the words are the beginning come before names with other missing letters.
func (l *Lexicon) expandIn(span []word, mask uint64) []sense {
	first, _ := utf8.DecodeRuneInString(span[0].text)
	var begins, others []string
	offer := func(name longName, match func() (ok, begin bool)) {
		if !slices.ContainsFunc(l.names[name.key], func(s sense) bool { return s.langs&mask != 0 }) {
			return
		}
		if ok, begin := match(); ok && begin {
			begins = append(begins, name.key)
		} else if ok {
			others = append(others, name.key)
		}
	}
	for _, i := range l.longNames[longKey{first, len(span)}] {
		name := l.long[i]
		offer(name, func() (bool, bool) { return abbreviatesAll(span, name.words) })
	}
	if len(span) == 2 {
		for _, i := range l.longNames[longKey{first, 1}] {
			name := l.long[i]
			offer(name, func() (bool, bool) { return l.abbreviatesCompound(span, name.words[0]), true })
		}
	}
	if len(begins) == 0 {
		begins = others
	}
	return l.commonSenses(begins, mask)
}

// commonSenses returns the senses of several names in some languages. If they are different
// concepts, all of them are doubtful.
func (l *Lexicon) commonSenses(keys []string, mask uint64) []sense {
	var all []sense
	concepts := 0
	for _, key := range keys {
		for _, s := range l.names[key] {
			if s.langs&mask == 0 || slices.ContainsFunc(all, s.sameTarget) {
				continue
			}
			if s.concept != nil {
				concepts++
			}
			all = append(all, s)
		}
	}
	if concepts > maxExpansions {
		return nil
	}
	for i := range all {
		all[i].doubtful = all[i].doubtful || concepts > 1 && all[i].concept != nil
	}
	return all
}

// abbreviatesAll reports whether each word equals or abbreviates the word of a name, and whether
// each is its beginning. At least one word must be an abbreviation.
func abbreviatesAll(short []word, long []string) (ok, begin bool) {
	begin = true
	for i, w := range short {
		if w.text == long[i] {
			continue
		}
		if !w.abbreviates(long[i]) {
			return false, false
		}
		ok, begin = true, begin && strings.HasPrefix(long[i], w.text)
	}
	return ok, begin
}

// abbreviatesCompound reports whether two words abbreviate a compound, such as "Geb.-Dat." for
// Geburtsdatum.
func (l *Lexicon) abbreviatesCompound(short []word, long string) bool {
	head, tail := short[0].text, short[1]
	if utf8.RuneCountInString(head) < shortestAbbreviation || !strings.HasPrefix(long, head) {
		return false
	}
	for at := range long {
		end := long[at:]
		if at > len(head) && (end == tail.text || l.names[end] != nil && tail.abbreviates(end)) {
			return true
		}
	}
	return false
}

// abbreviates reports whether a word abbreviates a longer one. A word without a full stop must be
// longer than one with it, because it can be a different word by chance.
func (w word) abbreviates(long string) bool {
	if w.dotted {
		return strings.HasPrefix(long, w.text) && len(w.text) < len(long) || omitsLetters(w.text, long)
	}
	return Abbreviates(w.text, long)
}

// Abbreviates reports whether short abbreviates long: it is its beginning, or it omits vowels and
// some consonants, as in cust for customer, nbr for number and dpto for departamento.
func Abbreviates(short, long string) bool {
	n := utf8.RuneCountInString(short)
	return n >= 4 && len(short) < len(long) && strings.HasPrefix(long, short) || n >= 3 && omitsLetters(short, long)
}

// omitsLetters reports whether short consists of the beginning of long and some of its later
// consonants in order. The last letter of short may also be a vowel if it is the last letter of
// long.
func omitsLetters(short, long string) bool {
	x, y := []rune(short), []rune(long)
	if len(x) < 2 || len(x) >= len(y) || x[0] != y[0] {
		return false
	}
	same := 0
	for same < len(x) && x[same] == y[same] {
		same++
	}
	at := same
	for i := same; i < len(x); i++ {
		last := i == len(x)-1 && x[i] == y[len(y)-1]
		if strings.ContainsRune("aeiouy", x[i]) && !last || !unicode.IsLetter(x[i]) {
			return false
		}
		if last {
			return at < len(y)
		}
		for at < len(y) && y[at] != x[i] {
			at++
		}
		if at++; at > len(y) {
			return false
		}
	}
	return same < len(x)
}
