package charset

import (
	"embed"
	"math"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
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

//go:embed signs/*.txt
var signFiles embed.FS

// script is a language of many characters: what each of them costs, in nats,
// by how common it is.
type script struct {
	name    string // the code of the message that is its name
	costs   map[rune]float32
	level1  runeSet    // the common half of the national standard
	level2  runeSet    // the rest of it
	rest    [3]float64 // cost of level 1, of level 2 and of all others
	kana    float64
	hangul  bool
	reading []reading
}

// runeSet is a set of characters of the first 65,536.
type runeSet [1 << 10]uint64

func (s *runeSet) add(r rune) {
	if r < 1<<16 {
		s[r>>6] |= 1 << (r & 63)
	}
}

func (s *runeSet) has(r rune) bool { return r < 1<<16 && s[r>>6]&(1<<(r&63)) != 0 }

// reading is an encoding in which a script is written, and what it costs.
type reading struct {
	name string
	rare float64
}

// frequent is how many characters of a list count as the most frequent.
const frequent = 300

// codes is a block of two-byte codes.
type codes struct{ leadLow, leadHigh byte }

// block lists the characters of a block.
func (c codes) block(e encoding.Encoding) (set runeSet) {
	decode := e.NewDecoder()
	for lead := int(c.leadLow); lead <= int(c.leadHigh); lead++ {
		for trail := 0x40; trail < 0xFF; trail++ {
			text, err := decode.Bytes([]byte{byte(lead), byte(trail)})
			if err != nil {
				continue
			}
			if r, n := utf8.DecodeRune(text); n == len(text) && r != utf8.RuneError {
				set.add(r)
			}
		}
	}
	return set
}

// scripts builds all of them, once, when they are first needed.
var scripts = sync.OnceValue(func() []*script {
	return []*script{
		{
			name: "language.ja", costs: frequency("ja", 7, 8), kana: 4.6, rest: [3]float64{10.6, 13.4, 15},
			level1: block("EUC-JP", 0xB0, 0xCF), level2: block("EUC-JP", 0xD0, 0xF4),
			reading: []reading{{"Shift_JIS", 1}, {"EUC-JP", 1.5}},
		},
		{
			name: "language.ko", costs: frequency("ko", 5.6, 6.4), kana: 13, rest: [3]float64{9.5, 13, 14},
			level1: block("EUC-KR", 0xB0, 0xC8), hangul: true,
			reading: []reading{{"EUC-KR", 1}},
		},
		{
			name: "language.zh_hans", costs: frequency("zh-hans", 6.6, 7.6), kana: 12, rest: [3]float64{10.2, 12, 14},
			level1: block("GBK", 0xB0, 0xD7), level2: block("GBK", 0xD8, 0xF7),
			reading: []reading{{"GBK", 1}, {"GB18030", 1.5}},
		},
		{
			name: "language.zh_hant", costs: frequency("zh-hant", 6.6, 7.6), kana: 12, rest: [3]float64{10.2, 12.5, 15},
			level1: block("Big5", 0xA4, 0xC6), level2: block("Big5", 0xC9, 0xF9),
			reading: []reading{{"Big5", 1}, {"GBK", 4}, {"GB18030", 4.5}},
		},
	}
})

func block(name string, low, high byte) runeSet {
	return codes{low, high}.block(named(name).spec.multi)
}

// frequency reads a list of common characters, the most frequent first.
func frequency(code string, first, others float32) map[rune]float32 {
	text, err := signFiles.ReadFile("signs/" + code + ".txt")
	if err != nil {
		panic("charset: the characters of " + code + " are missing: " + err.Error())
	}
	costs := map[rune]float32{}
	for _, r := range strings.Join(strings.Fields(string(text)), "") {
		if _, known := costs[r]; known {
			continue
		}
		costs[r] = first
		if len(costs) > frequent {
			costs[r] = others
		}
	}
	return costs
}

// Costs of what all scripts have beside their characters.
const (
	asciiBeside    = 3.2
	smallAdjoining = 3.0
	halfKanaRun    = 5.5
	halfKanaAlone  = 12.0
	wideMark       = 5.5
	foreign        = 12.0
	brokenSign     = 20.0
)

// judge says what text costs as this script.
func (s *script) judge(text []rune) float64 {
	cost, prev := 0.0, rune(' ')
	for _, r := range text {
		cost += s.one(prev, r)
		prev = r
	}
	return cost
}

func (s *script) one(prev, r rune) float64 {
	if r < 0x80 {
		return asciiBeside + adjoining(r, prev)
	}
	cost := adjoining(prev, r)
	if known, listed := s.costs[r]; listed {
		return cost + float64(known)
	}
	switch {
	case r == unicode.ReplacementChar:
		return brokenSign
	case r >= 0x3041 && r <= 0x30FE:
		return cost + s.kana
	case r >= 0xFF61 && r <= 0xFF9F:
		if prev >= 0xFF61 && prev <= 0xFF9F {
			return halfKanaRun
		}
		return halfKanaAlone
	case r >= 0x3000 && r <= 0x303F || r >= 0xFF01 && r <= 0xFF5E:
		return wideMark
	case unicode.Is(unicode.Han, r) || unicode.Is(unicode.Hangul, r):
		return cost + s.level(r)
	default:
		return foreign
	}
}

// level is the cost of a character that is in no list.
func (s *script) level(r rune) float64 {
	switch {
	case s.level1.has(r):
		return s.rest[0]
	case s.level2.has(r) && !s.hangul:
		return s.rest[1]
	default:
		return s.rest[2]
	}
}

// adjoining is the cost of a small ASCII letter right beside a wide character,
// which half a character of another encoding makes.
func adjoining(ascii, other rune) float64 {
	if ascii >= 'a' && ascii <= 'z' && other >= 0x80 {
		return smallAdjoining
	}
	return 0
}
