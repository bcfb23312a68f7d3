package charset

import (
	"embed"
	"math"
	"strings"
	"sync"
	"unicode"
)

//go:embed words/*.txt
var wordFiles embed.FS

// tongue is a language as a chain of letters: what it costs, in nats, that one
// letter follows another in a word. The edge of a word counts as a letter.
type tongue struct {
	name    string // the code of the message that is its name
	letters map[rune]uint8
	size    int
	costs   []float32 // by previous letter times size plus next letter
}

// Letters that every tongue has: its own follow.
const (
	edge = iota
	strangeLatin1
	strangeLatin
	strange
	firstLetter
)

// What a letter that the language does not have costs: names from elsewhere
// have some, other scripts do not mix into a word.
var strangeShare = [firstLetter]float64{strangeLatin1: 2e-4, strangeLatin: 3e-5, strange: 2e-6}

// trust says how many pairs of a letter must be seen until they outweigh how
// frequent the next letter is at all.
const trust = 6

// tongueNames are the languages there are words of, each with the code of the
// message that is its name.
var tongueNames = map[string]string{
	"ar": "language.ar", "be": "language.be", "bg": "language.bg", "ca": "language.ca", "cs": "language.cs",
	"da": "language.da", "de": "language.de", "el": "language.el", "en": "language.en", "es": "language.es",
	"et": "language.et", "fa": "language.fa", "fi": "language.fi", "fr": "language.fr", "he": "language.he",
	"hr": "language.hr_or_sr", "hu": "language.hu", "is": "language.is", "it": "language.it",
	"lt": "language.lt", "lv": "language.lv", "mk": "language.mk", "nl": "language.nl", "no": "language.nb",
	"pl": "language.pl", "pt": "language.pt", "ro": "language.ro", "ru": "language.ru", "sk": "language.sk",
	"sl": "language.sl", "sq": "language.sq", "sr": "language.sr", "sv": "language.sv", "th": "language.th",
	"tr": "language.tr", "uk": "language.uk", "vi": "language.vi",
}

// tongues builds all languages, once, when they are first needed.
var tongues = sync.OnceValue(func() map[string]*tongue {
	known := map[string]*tongue{}
	for code, name := range tongueNames {
		words, err := wordFiles.ReadFile("words/" + code + ".txt")
		if err != nil {
			panic("charset: the words of " + code + " are missing: " + err.Error())
		}
		known[code] = learn(name, string(words))
	}
	return known
})

// learn counts letters and pairs of letters in a list of words.
func learn(name, words string) *tongue {
	t := &tongue{name: name, letters: map[rune]uint8{}, size: firstLetter}
	for c := 'a'; c <= 'z'; c++ {
		t.add(c)
	}
	for _, c := range words {
		if isLetter(c) {
			t.add(fold(c))
		}
	}
	pairs := make([]float64, t.size*t.size)
	prev := edge
	for _, c := range words + " " {
		next := t.letter(c)
		if next != edge || prev != edge {
			pairs[prev*t.size+next]++
		}
		prev = next
	}
	t.weigh(pairs)
	return t
}

func (t *tongue) add(c rune) {
	if _, known := t.letters[c]; !known {
		t.letters[c] = uint8(t.size)
		t.size++
	}
}

// letter gives the number of a letter; everything else is the edge of a word.
func (t *tongue) letter(c rune) int {
	if !isLetter(c) {
		return edge
	}
	if n, known := t.letters[fold(c)]; known {
		return int(n)
	}
	switch {
	case c <= 0xFF && !strings.ContainsRune("ðÐþÞýÝ", c):
		return strangeLatin1
	case unicode.Is(unicode.Latin, c):
		return strangeLatin
	default:
		return strange
	}
}

// weigh turns counts into costs: pairs that were seen, eked out by how frequent
// the next letter is at all.
func (t *tongue) weigh(pairs []float64) {
	single, total := make([]float64, t.size), 0.0
	for i, n := range pairs {
		single[i%t.size] += n
		total += n
	}
	alone := func(next int) float64 {
		if next > edge && next < firstLetter {
			return strangeShare[next]
		}
		return (single[next] + 0.4) / (total + 0.4*float64(t.size))
	}
	t.costs = make([]float32, len(pairs))
	for prev := range t.size {
		sum := 0.0
		for next := range t.size {
			sum += pairs[prev*t.size+next]
		}
		for next := range t.size {
			p := (pairs[prev*t.size+next] + trust*alone(next)) / (sum + trust)
			t.costs[prev*t.size+next] = float32(-math.Log(p))
		}
	}
}

// isLetter counts the signs that stand on letters as letters.
func isLetter(c rune) bool {
	return c != 'ª' && c != 'º' && c != 'ƒ' && (unicode.IsLetter(c) || unicode.Is(unicode.Mn, c))
}

// fold gives the small letter, and one form to letters that the older
// encodings do not tell apart.
func fold(c rune) rune {
	switch c {
	case 'ی', 'ى':
		return 'ي'
	case 'ک':
		return 'ك'
	case 'ș', 'Ș':
		return 'ş'
	case 'ț', 'Ț':
		return 'ţ'
	}
	return unicode.ToLower(c)
}

// listed gives the tongues of a list of codes.
func listed(codes string) []*tongue {
	var list []*tongue
	for _, code := range strings.Fields(codes) {
		list = append(list, tongues()[code])
	}
	return list
}
