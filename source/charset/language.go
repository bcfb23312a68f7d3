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

// languageModel is a Markov chain of the letters in the words of a language. For each pair of
// letters, it holds the cost, in nats, of the second letter after the first. The edge of a word
// counts as a letter.
type languageModel struct {
	name    string // message code of its name
	letters map[rune]uint8
	size    int
	costs   []float32 // indexed by previous letter*size + next letter
}

// These letters are part of every model. The letters of the language follow.
const (
	wordEdge = iota
	strangeLatin1
	strangeLatin
	strange
	firstLetter
)

// strangeShare holds the probabilities of letters that are not part of the language. Foreign
// names can contain such letters, but a word never mixes scripts.
var strangeShare = [firstLetter]float64{strangeLatin1: 2e-4, strangeLatin: 3e-5, strange: 2e-6}

// pairTrust is the weight of the overall frequency of the next letter, expressed as a number of
// pairs: after a letter with pairTrust observed pairs, the overall frequency and the observed
// pairs have equal weight.
const pairTrust = 6

// languageNames maps the codes of the languages with word lists to the message codes of their
// names.
var languageNames = map[string]string{
	"ar": "language.ar", "be": "language.be", "bg": "language.bg", "ca": "language.ca", "cs": "language.cs",
	"da": "language.da", "de": "language.de", "el": "language.el", "en": "language.en", "es": "language.es",
	"et": "language.et", "fa": "language.fa", "fi": "language.fi", "fr": "language.fr", "he": "language.he",
	"hr": "language.hr_or_sr", "hu": "language.hu", "is": "language.is", "it": "language.it",
	"lt": "language.lt", "lv": "language.lv", "mk": "language.mk", "nl": "language.nl", "no": "language.nb",
	"pl": "language.pl", "pt": "language.pt", "ro": "language.ro", "ru": "language.ru", "sk": "language.sk",
	"sl": "language.sl", "sq": "language.sq", "sr": "language.sr", "sv": "language.sv", "th": "language.th",
	"tr": "language.tr", "uk": "language.uk", "vi": "language.vi",
}

// languageModels returns all models by language code. It builds them on the first call.
var languageModels = sync.OnceValue(func() map[string]*languageModel {
	known := map[string]*languageModel{}
	for code, name := range languageNames {
		words, err := wordFiles.ReadFile("words/" + code + ".txt")
		if err != nil {
			panic("charset: the words of " + code + " are missing: " + err.Error())
		}
		known[code] = trainModel(name, string(words))
	}
	return known
})

// trainModel builds a model from the letters and pairs of letters in a list of words.
func trainModel(name, words string) *languageModel {
	t := &languageModel{name: name, letters: map[rune]uint8{}, size: firstLetter}
	for c := 'a'; c <= 'z'; c++ {
		t.addLetter(c)
	}
	for _, c := range words {
		if isLetter(c) {
			t.addLetter(foldLetter(c))
		}
	}
	pairs := make([]float64, t.size*t.size)
	prev := wordEdge
	for _, c := range words + " " {
		next := t.letterIndex(c)
		if next != wordEdge || prev != wordEdge {
			pairs[prev*t.size+next]++
		}
		prev = next
	}
	t.setCosts(pairs)
	return t
}

func (t *languageModel) addLetter(c rune) {
	if _, known := t.letters[c]; !known {
		t.letters[c] = uint8(t.size)
		t.size++
	}
}

// letterIndex returns the index of a letter, or wordEdge for other characters.
func (t *languageModel) letterIndex(c rune) int {
	if !isLetter(c) {
		return wordEdge
	}
	if n, known := t.letters[foldLetter(c)]; known {
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

// setCosts computes the costs from the counts of pairs, smoothed by the overall frequency
// of the next letter.
func (t *languageModel) setCosts(pairs []float64) {
	single, total := make([]float64, t.size), 0.0
	for i, n := range pairs {
		single[i%t.size] += n
		total += n
	}
	alone := func(next int) float64 {
		if next > wordEdge && next < firstLetter {
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
			p := (pairs[prev*t.size+next] + pairTrust*alone(next)) / (sum + pairTrust)
			t.costs[prev*t.size+next] = float32(-math.Log(p))
		}
	}
}

// isLetter reports whether a character is a letter or a combining mark.
func isLetter(c rune) bool {
	return c != 'ª' && c != 'º' && c != 'ƒ' && (unicode.IsLetter(c) || unicode.Is(unicode.Mn, c))
}

// foldLetter returns the letter in lower case. If older encodings do not distinguish several
// letters, it maps them to one.
func foldLetter(c rune) rune {
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

// modelsFor returns the models for a list of language codes, separated by spaces.
func modelsFor(codes string) []*languageModel {
	list := make([]*languageModel, 0, strings.Count(codes, " ")+1)
	for code := range strings.FieldsSeq(codes) {
		list = append(list, languageModels()[code])
	}
	return list
}

//go:embed signs/*.txt
var characterFiles embed.FS

// scriptModel is a model of a language with many characters. It holds the cost of each
// character, in nats, based on its frequency.
type scriptModel struct {
	name          string // message code of its name
	costs         map[rune]float32
	level1        runeSet    // the more common half of the characters in the national standard
	level2        runeSet    // the other half
	unlistedCosts [3]float64 // in level 1, in level 2, and in neither
	kana          float64
	hangul        bool
	encodings     []scriptEncoding
}

// runeSet is a set of characters below U+10000.
type runeSet [1 << 10]uint64

func (s *runeSet) has(r rune) bool { return r < 1<<16 && s[r>>6]&(1<<(r&63)) != 0 }

// scriptEncoding is an encoding of a script, with the cost of choosing it.
type scriptEncoding struct {
	name    string
	penalty float64
}

// frequentCount is the number of characters at the start of a list that count as most frequent.
const frequentCount = 300

// codeBlock is a range of lead bytes of two-byte characters.
type codeBlock struct{ leadLow, leadHigh byte }

// decodeRunes returns the characters that a block has in an encoding.
func (c codeBlock) decodeRunes(e encoding.Encoding) (set runeSet) {
	decode := e.NewDecoder()
	for lead := int(c.leadLow); lead <= int(c.leadHigh); lead++ {
		for trail := 0x40; trail < 0xFF; trail++ {
			text, err := decode.Bytes([]byte{byte(lead), byte(trail)})
			if err != nil {
				continue
			}
			if r, n := utf8.DecodeRune(text); n == len(text) && r != utf8.RuneError {
				if r < 1<<16 {
					set[r>>6] |= 1 << (r & 63)
				}
			}
		}
	}
	return set
}

// scripts returns all script models. It builds them on the first call.
var scripts = sync.OnceValue(func() []*scriptModel {
	return []*scriptModel{
		{
			name: "language.ja", costs: loadFrequencies("ja", 7, 8), kana: 4.6, unlistedCosts: [3]float64{10.6, 13.4, 15},
			level1: runesOfBlock("EUC-JP", 0xB0, 0xCF), level2: runesOfBlock("EUC-JP", 0xD0, 0xF4),
			encodings: []scriptEncoding{{"Shift_JIS", 1}, {"EUC-JP", 1.5}},
		},
		{
			name: "language.ko", costs: loadFrequencies("ko", 5.6, 6.4), kana: 13, unlistedCosts: [3]float64{9.5, 13, 14},
			level1: runesOfBlock("EUC-KR", 0xB0, 0xC8), hangul: true,
			encodings: []scriptEncoding{{"EUC-KR", 1}},
		},
		{
			name: "language.zh_hans", costs: loadFrequencies("zh-hans", 6.6, 7.6), kana: 12, unlistedCosts: [3]float64{10.2, 12, 14},
			level1: runesOfBlock("GBK", 0xB0, 0xD7), level2: runesOfBlock("GBK", 0xD8, 0xF7),
			encodings: []scriptEncoding{{"GBK", 1}, {"GB18030", 1.5}},
		},
		{
			name: "language.zh_hant", costs: loadFrequencies("zh-hant", 6.6, 7.6), kana: 12, unlistedCosts: [3]float64{10.2, 12.5, 15},
			level1: runesOfBlock("Big5", 0xA4, 0xC6), level2: runesOfBlock("Big5", 0xC9, 0xF9),
			encodings: []scriptEncoding{{"Big5", 1}, {"GBK", 4}, {"GB18030", 4.5}},
		},
	}
})

func runesOfBlock(name string, low, high byte) runeSet {
	return codeBlock{low, high}.decodeRunes(encodingByName(name).spec.multi)
}

// loadFrequencies returns the costs of the characters in the list for a language code. The list
// starts with the most frequent characters. The first frequentCount characters have the cost
// given by the parameter first, and all later ones have the cost given by the parameter others,
// both in nats.
func loadFrequencies(code string, first, others float32) map[rune]float32 {
	text, err := characterFiles.ReadFile("signs/" + code + ".txt")
	if err != nil {
		panic("charset: the characters of " + code + " are missing: " + err.Error())
	}
	costs := map[rune]float32{}
	for _, r := range strings.Join(strings.Fields(string(text)), "") {
		if _, known := costs[r]; known {
			continue
		}
		costs[r] = first
		if len(costs) > frequentCount {
			costs[r] = others
		}
	}
	return costs
}

// These costs, in nats, do not depend on the script.
const (
	asciiBeside    = 3.2
	smallAdjoining = 3.0
	halfKanaRun    = 5.5
	halfKanaAlone  = 12.0
	wideMark       = 5.5
	foreignCost    = 12.0
	brokenCost     = 20.0
)

// textCost returns the cost, in nats, of text if it is in this script.
func (s *scriptModel) textCost(text []rune) float64 {
	cost, prev := 0.0, rune(' ')
	for _, r := range text {
		cost += s.runeCost(prev, r)
		prev = r
	}
	return cost
}

func (s *scriptModel) runeCost(prev, r rune) float64 {
	if r < 0x80 {
		return asciiBeside + adjoiningCost(r, prev)
	}
	cost := adjoiningCost(prev, r)
	if known, listed := s.costs[r]; listed {
		return cost + float64(known)
	}
	switch {
	case r == unicode.ReplacementChar:
		return brokenCost
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
		return cost + s.unlistedCost(r)
	default:
		return foreignCost
	}
}

// unlistedCost returns the cost, in nats, of a character that is not in the list of common
// characters.
func (s *scriptModel) unlistedCost(r rune) float64 {
	switch {
	case s.level1.has(r):
		return s.unlistedCosts[0]
	case s.level2.has(r) && !s.hangul:
		return s.unlistedCosts[1]
	default:
		return s.unlistedCosts[2]
	}
}

// adjoiningCost returns the cost, in nats, of a lower-case ASCII letter next to a wide
// character. The letter can be the second byte of a character in a different encoding.
func adjoiningCost(ascii, other rune) float64 {
	if ascii >= 'a' && ascii <= 'z' && other >= 0x80 {
		return smallAdjoining
	}
	return 0
}
