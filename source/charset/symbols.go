package charset

import "unicode"

// symbol says how a character that is no letter is used in text.
type symbol uint8

const (
	plainSymbol   symbol = iota // @ [ ] ^ _ { | } ~ and the like
	apostrophe                  // ’ inside and behind words
	quotation                   // “ ” » … at the edges of words
	opening                     // « „ ‘ ¿ at the beginning of words
	dash                        // – — • between words
	money                       // € £ beside numbers
	degree                      // ° behind numbers
	ordinal                     // º ª behind numbers and N
	numero                      // № before numbers
	hardSpace                   // between numbers and words
	commonSymbol                // § ² ½ ® ™ and the like
	rareSymbol                  // accents without a letter, mathematics
	boxSymbol                   // lines and blocks
	controlSymbol               // characters that no text has
	undefinedByte               // bytes that stand for nothing
)

var symbolKinds = map[rune]symbol{
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

func kindOf(r rune) symbol {
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

// Costs in nats of a symbol where it belongs and where it does not.
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

// Capital letters have their places.
const (
	capitalInside  = 5.0 // behind a small letter: McDonald
	smallInCapital = 4.0 // behind two capital letters: USAir
	capitalRun     = 0.4 // behind a capital letter: most text is not all capitals
	otherScript    = 3.0
)

// shape says what the symbols and the capital letters of a segment cost, in
// any language.
func (p *page) shape(s segment) float64 {
	cost := 0.0
	prev, before := p.signs[s.before], sign{}
	for i, b := range s.bytes {
		here := p.signs[b]
		if here.letter {
			cost += capitals(before, prev, here)
		} else {
			next := p.signs[s.after]
			if i+1 < len(s.bytes) {
				next = p.signs[s.bytes[i+1]]
			}
			cost += symbolCost(prev, here, next)
		}
		before, prev = prev, here
	}
	return cost
}

// capitals judges a letter by the two signs before it.
func capitals(before, prev, here sign) float64 {
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

func symbolCost(prev, here, next sign) float64 {
	costs := symbolCosts[here.kind]
	if fits(prev, here, next) {
		return costs.fitting
	}
	return costs.odd
}

// fits says whether a symbol stands where it belongs.
func fits(prev, here, next sign) bool {
	digit := func(s sign) bool { return s.r < 0x80 && isDigit(byte(s.r)) }
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
