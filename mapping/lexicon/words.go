package lexicon

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// MaxText is how many bytes of a text are read; what is behind them names
// nothing.
const MaxText = 256

// Fold writes a text the way names are compared: lower case, compatible forms
// alike, letters without accents, and the letters of other alphabets that
// stand for one sound as one. It takes no account of word limits.
func Fold(text string) string {
	lower := strings.ToLower(norm.NFKC.String(text))
	var b strings.Builder
	for _, r := range norm.NFD.String(lower) {
		// The marks of Latin, Greek, Cyrillic, Arabic and Hebrew vowels are
		// left out by people who are in a hurry; those of Indic scripts are
		// letters.
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

// plainLetters are those that Unicode does not take apart.
var plainLetters = map[rune]string{
	'ß': "ss", 'ø': "o", 'æ': "ae", 'œ': "oe", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'ı': "i", 'ħ': "h",
	'أ': "ا", 'إ': "ا", 'آ': "ا", 'ٱ': "ا", 'ة': "ه", 'ى': "ي", '°': "o",
}

// Words cuts a text into folded words: at spaces, at punctuation, between the
// humps of camel case, and between letters and digits. The signs % and # are
// words where they stand for something.
func Words(text string) []string {
	if len(text) > MaxText {
		text = strings.ToValidUTF8(text[:MaxText], "")
	}
	var words []string
	var word []rune
	flush := func() {
		if folded := Fold(genitive.Replace(string(word) + " ")); strings.TrimSpace(folded) != "" {
			words = append(words, strings.TrimSpace(folded))
		}
		word = word[:0]
	}
	letters := []rune(norm.NFKC.String(text))
	for i, r := range letters {
		switch {
		case r == '%', r == '#' && (i > 0 || len(letters) == 1):
			flush()
			words = append(words, string(r))
		case !inWord(r):
			flush()
		default:
			if i > 0 && hump(letters, i) {
				flush()
			}
			word = append(word, r)
		}
	}
	flush()
	return words
}

// genitive takes away the ending of "parent's".
var genitive = strings.NewReplacer("'s ", "", "’s ", "", "'S ", "", "’S ", "")

func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '\'' || r == '’' || r == '°'
}

// hump says whether a new word begins at i within what is written together:
// firstName, address1, XMLFile.
func hump(letters []rune, i int) bool {
	before, at := letters[i-1], letters[i]
	if unicode.IsDigit(before) != unicode.IsDigit(at) {
		return inWord(before) && !unicode.IsMark(at)
	}
	if !unicode.IsUpper(at) {
		return false
	}
	return unicode.IsLower(before) || unicode.IsUpper(before) && i+1 < len(letters) && unicode.IsLower(letters[i+1])
}

// isDense says whether a word is of a script that writes words without spaces
// between them.
func isDense(word string) bool {
	for _, r := range word {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai) {
			return true
		}
	}
	return false
}

// spellings are the ways in which people write a name who have not all letters
// at hand: Straße, Strasse; Größe, Groesse.
func spellings(name string) []string {
	all := []string{name}
	if spelled := twoLetters.Replace(strings.ToLower(norm.NFC.String(name))); spelled != strings.ToLower(name) {
		all = append(all, spelled)
	}
	return all
}

var twoLetters = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "å", "aa", "ø", "oe")

// Noise says whether a folded word changes nothing in a name.
func (l *Lexicon) Noise(word string) bool { return l.noise[word] }
