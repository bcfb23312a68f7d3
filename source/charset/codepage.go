package charset

import (
	"sync"
	"unicode"

	"golang.org/x/text/encoding/charmap"
)

// codePage is a single-byte encoding, prepared for scoring.
type codePage struct {
	encoding      Encoding
	penalty       float64 // cost of choosing the encoding, in nats
	chars         [256]charInfo
	models        []*languageModel
	letterIndexes [][256]uint8 // index of the letter, by model and byte
}

// charInfo describes the character that a byte decodes to.
type charInfo struct {
	r      rune
	letter bool
	upper  bool
	lower  bool
	kind   symbolKind
}

// These are the language codes for each family of encodings.
const (
	western  = "de fr es it pt nl sv da no fi is et ca sq en"
	central  = "pl cs sk hu ro hr sl sq de"
	cyrillic = "ru uk bg sr be mk"
	baltic   = "lt lv et pl"
)

// candidatePages lists the single-byte encodings that can be detected, with their penalties in
// nats. Older and rarer encodings have higher penalties, because they need more evidence.
var candidatePages = []struct {
	name  string
	rare  float64
	codes string
}{
	{"windows-1252", 0, western},
	{"ISO-8859-1", 2, western},
	{"ISO-8859-15", 2, western},
	{"macintosh", 2.5, western},
	{"IBM850", 2.5, western},
	{"IBM437", 3, western},
	{"windows-1250", 0.5, central},
	{"ISO-8859-2", 1.5, central},
	{"IBM852", 2.5, central},
	{"windows-1251", 0.5, cyrillic},
	{"KOI8-R", 1.5, "ru bg"},
	{"KOI8-U", 2, "uk ru be"},
	{"IBM866", 2, "ru bg uk be"},
	{"ISO-8859-5", 2, cyrillic},
	{"x-mac-cyrillic", 3, cyrillic},
	{"windows-1253", 1, "el"},
	{"ISO-8859-7", 1.5, "el"},
	{"windows-1254", 1, "tr"},
	{"ISO-8859-9", 2, "tr"},
	{"windows-1255", 1, "he"},
	{"ISO-8859-8", 2, "he"},
	{"windows-1256", 1, "ar fa"},
	{"windows-1257", 1, baltic},
	{"ISO-8859-13", 2, baltic},
	{"windows-1258", 1.5, "vi"},
	{"windows-874", 1.5, "th"},
}

// codePages returns all candidates. It prepares them on the first call.
var codePages = sync.OnceValue(func() []*codePage {
	var list []*codePage
	for _, c := range candidatePages {
		e := encodingByName(c.name)
		p := &codePage{encoding: e, penalty: c.rare, chars: charInfosOf(e.spec.page), models: modelsFor(c.codes)}
		for _, t := range p.models {
			p.letterIndexes = append(p.letterIndexes, p.letterIndexesIn(t))
		}
		list = append(list, p)
	}
	return list
})

func charInfosOf(table *charmap.Charmap) (signs [256]charInfo) {
	for b := range 256 {
		r := table.DecodeByte(byte(b))
		s := charInfo{r: r, letter: isLetter(r), upper: unicode.IsUpper(r), lower: unicode.IsLower(r)}
		if !s.letter {
			s.kind = symbolKindOf(r)
		}
		signs[b] = s
	}
	return signs
}

func (p *codePage) letterIndexesIn(t *languageModel) (letters [256]uint8) {
	for b, s := range p.chars {
		letters[b] = uint8(t.letterIndex(s.r))
	}
	return letters
}

// foreignWordCost is the additional cost, in nats, of a word in a language other than that of
// most words.
const foreignWordCost = 3

// segmentsCost returns the cost of a list of segments in this encoding, in nats. More
// plausible text has a lower cost. best is the most likely language of the text.
func (p *codePage) segmentsCost(list []segment) (cost float64, best *languageModel) {
	words := make([]float64, len(p.models)*len(list))
	totals := make([]float64, len(p.models))
	for i, s := range list {
		cost += p.shapeCost(s)
		row := words[i*len(p.models):]
		for j, t := range p.models {
			row[j] = t.spellingCost(s.bytes, &p.letterIndexes[j])
		}
		least := minCost(row[:len(p.models)])
		for j := range p.models {
			row[j] = min(row[j], least+foreignWordCost)
			totals[j] += row[j]
		}
	}
	least := 0
	for j := range totals {
		if totals[j] < totals[least] {
			least = j
		}
	}
	return cost + totals[least] + p.penalty, p.models[least]
}

func minCost(costs []float64) float64 {
	least := costs[0]
	for _, c := range costs[1:] {
		least = min(least, c)
	}
	return least
}

// spellingCost returns the cost, in nats, of the letters in a segment if it is in this language.
func (t *languageModel) spellingCost(text []byte, letters *[256]uint8) float64 {
	cost, prev := float32(0), 0
	for _, b := range text {
		next := int(letters[b])
		if next != wordEdge || prev != wordEdge {
			cost += t.costs[prev*t.size+next]
		}
		prev = next
	}
	if prev != wordEdge {
		cost += t.costs[prev*t.size+wordEdge]
	}
	return float64(cost)
}

// textCost returns the cost, in nats, of text if it is in this language.
func (t *languageModel) textCost(text string) float64 {
	cost, prev := 0.0, wordEdge
	for _, r := range text + " " {
		next := t.letterIndex(r)
		if next != wordEdge || prev != wordEdge {
			cost += float64(t.costs[prev*t.size+next])
		}
		if next == wordEdge && r >= 0x80 {
			cost += symbolCosts[symbolKindOf(r)].odd
		}
		prev = next
	}
	return cost
}

// symbolKind classifies characters that are not letters by their usual position in text.
type symbolKind uint8

const (
	plainSymbol   symbolKind = iota // @ [ ] ^ _ { | } ~ and similar
	apostrophe                      // ’ inside and after words
	quotation                       // “ ” » … at the edges of words
	opening                         // « „ ‘ ¿ at the beginning of words
	dash                            // – — • between words
	money                           // € £ next to numbers
	degree                          // ° after numbers
	ordinal                         // º ª after numbers and N
	numero                          // № before numbers
	hardSpace                       // between numbers and words
	commonSymbol                    // § ² ½ ® ™ and similar
	rareSymbol                      // accents without a letter, mathematics
	boxSymbol                       // lines and blocks
	controlSymbol                   // not possible in text
	undefinedByte                   // bytes without a character
)

var symbolKinds = map[rune]symbolKind{
	'’': apostrophe, '“': quotation, '”': quotation, '»': quotation, '›': quotation,
	'„': opening, '‘': opening, '‚': opening, '«': opening, '‹': opening, '¿': opening, '¡': opening,
	'…': quotation, '–': dash, '—': dash, '•': dash, '·': dash,
	'€': money, '£': money, '¥': money, '¢': money, '$': money, '₪': money, '₫': money, '฿': money,
	'°': degree, 'º': ordinal, 'ª': ordinal, '№': numero, '\u00A0': hardSpace,
	'§': commonSymbol, '©': commonSymbol, '®': commonSymbol, '™': commonSymbol, '²': commonSymbol,
	'³': commonSymbol, '½': commonSymbol, '¼': commonSymbol, '¾': commonSymbol, '×': commonSymbol,
	'±': commonSymbol, 'µ': commonSymbol, '´': commonSymbol, '،': commonSymbol, '؛': commonSymbol, '؟': commonSymbol,
	'¸': rareSymbol, '¨': rareSymbol, 'ˇ': rareSymbol, '˘': rareSymbol, '\u200C': dash, '\u0640': dash,
	unicode.ReplacementChar: undefinedByte,
}

func symbolKindOf(r rune) symbolKind {
	kind, listed := symbolKinds[r]
	switch {
	case listed:
		return kind
	case r >= 0x20 && r < 0x7F:
		return plainSymbol
	case unicode.IsControl(r):
		return controlSymbol
	case r >= 0x2500 && r < 0x25A0:
		return boxSymbol
	case unicode.IsDigit(r):
		return commonSymbol
	default:
		return rareSymbol
	}
}

// symbolCosts holds the costs, in nats, of a symbol in a usual position and in an unusual
// position.
var symbolCosts = [...]struct{ fitting, odd float64 }{
	plainSymbol:   {3.5, 3.5},
	apostrophe:    {4, 7},
	quotation:     {4.5, 11},
	opening:       {4.5, 9},
	dash:          {4.5, 8},
	money:         {4.5, 12},
	degree:        {4.5, 10},
	ordinal:       {5, 11},
	numero:        {4.5, 10},
	hardSpace:     {5, 6.5},
	commonSymbol:  {6, 10},
	rareSymbol:    {10, 12},
	boxSymbol:     {7, 13},
	controlSymbol: {16, 16},
	undefinedByte: {20, 20},
}

// These are the costs, in nats, of capital and small letters in unusual positions.
const (
	capitalInside  = 5.0 // after a small letter: McDonald
	smallInCapital = 4.0 // after two capital letters: USAir
	capitalRun     = 0.4 // after a capital letter: most text is not all capitals
	otherScript    = 3.0
)

// shapeCost returns the cost, in nats, of the symbols and capital letters in a segment. It
// does not depend on the language.
func (p *codePage) shapeCost(s segment) float64 {
	cost := 0.0
	prev, before := p.chars[s.before], charInfo{}
	for i, b := range s.bytes {
		here := p.chars[b]
		if here.letter {
			cost += capitalsCost(before, prev, here)
		} else {
			next := p.chars[s.after]
			if i+1 < len(s.bytes) {
				next = p.chars[s.bytes[i+1]]
			}
			cost += symbolCost(prev, here, next)
		}
		before, prev = prev, here
	}
	return cost
}

// capitalsCost returns the cost, in nats, of the case of a letter, given the two characters
// before it.
func capitalsCost(before, prev, here charInfo) float64 {
	cost := 0.0
	switch {
	case prev.lower && here.upper:
		cost = capitalInside
	case prev.upper && here.lower && before.upper:
		cost = smallInCapital
	case prev.upper && here.upper:
		cost = capitalRun
	}
	if prev.letter && (prev.r < 0x80) != (here.r < 0x80) && !unicode.Is(unicode.Latin, here.r) != !unicode.Is(unicode.Latin, prev.r) {
		cost += otherScript
	}
	return cost
}

func symbolCost(prev, here, next charInfo) float64 {
	costs := symbolCosts[here.kind]
	if symbolFits(prev, here, next) {
		return costs.fitting
	}
	return costs.odd
}

// symbolFits reports whether a symbol is in a usual position, given the characters before and
// after it.
func symbolFits(prev, here, next charInfo) bool {
	digit := func(s charInfo) bool { return s.r < 0x80 && isDigit(byte(s.r)) }
	switch here.kind {
	case apostrophe:
		return prev.letter
	case quotation:
		return !prev.letter || !next.letter
	case money:
		return !prev.letter && !next.letter
	case dash, commonSymbol, rareSymbol:
		return !prev.letter && !next.letter || !next.letter && here.kind == commonSymbol
	case degree:
		return digit(prev) || prev.r == ' '
	case ordinal:
		return digit(prev) || prev.r == 'N' || prev.r == 'n'
	case numero:
		return digit(next) || next.r == ' '
	case boxSymbol:
		return !prev.letter && !next.letter
	default:
		return !prev.letter
	}
}
