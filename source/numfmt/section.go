package numfmt

type shape uint8

const (
	shapeNumber shape = iota
	shapeGeneral
	shapeScientific
	shapeFraction
	shapeDate
)

type itemKind uint8

const (
	itemLiteral     itemKind = iota
	itemGeneral              // the number in the format General, or the text
	itemWhole                // a digit before the decimal point
	itemDecimal              // a digit after the decimal point
	itemExponent             // E+ or E-
	itemPower                // a digit of the exponent
	itemNumerator            // a digit of the numerator
	itemSlash                // the slash
	itemDenominator          // a digit of the denominator
	itemFixed                // a fixed denominator
	itemDate                 // a date letter
)

// item is an element of a compiled section, such as a placeholder or a literal.
type item struct {
	kind itemKind
	// mark is the placeholder: 0, # or ?. It is 0x00 for a digit position that the code
	// does not contain but that must display digits.
	mark byte
	// first is true for the first placeholder of a run. It also displays all digits to its left.
	first bool
	// place is the position of the digit: the power of ten, or the number of places
	// after the point for decimals, both counted from 0.
	place int
	// letter and count describe a date letter.
	letter tokenKind
	count  int
	// text is the text of a literal.
	text string
}

// section is a compiled section for numbers.
type section struct {
	shape    shape
	when     condition
	unsigned bool
	items    []item

	// scale is the power of ten by which the number is multiplied.
	scale int
	// wholes and decimals are the numbers of placeholders before and after the decimal point.
	wholes, decimals int
	grouped          bool

	// denominator is the fixed denominator, or 0 if there is none. denominators is the
	// number of placeholders in the denominator.
	denominator, denominators int

	// roundTo is the unit to which times are rounded, in milliseconds. twelveHour is
	// true for the 12-hour clock.
	roundTo    int64
	twelveHour bool
	// elapsedOnly is true if the only letters of the section are those of one elapsed unit.
	elapsedOnly bool
	islamic     bool
	buddhist    bool
	names       *names
}

// compileSection compiles a section for numbers. It returns false if the section
// combines incompatible placeholders.
func compileSection(p rawSection) (section, bool) {
	s := section{when: p.when}
	if p.isDate() {
		ok := s.compileDate(p)
		return s, ok
	}
	digits, generals := p.countTokens(tokDigit), p.countTokens(tokGeneral)+p.countTokens(tokText)
	switch slash := p.fractionSlash(); {
	case generals > 0:
		s.shape = shapeGeneral
		for _, t := range p.tokens {
			s.items = appendGeneralItem(s.items, t)
		}
		return s, digits == 0
	case slash >= 0:
		s.shape = shapeFraction
		s.compileFraction(p.tokens, slash)
	default:
		s.compileNumber(p.tokens)
	}
	for _, kind := range [...]itemKind{itemWhole, itemPower, itemNumerator, itemDenominator} {
		s.numberPlacesOf(kind)
	}
	for i := range s.items {
		switch it := &s.items[i]; {
		case it.kind == itemDecimal:
			it.place = s.decimals
			s.decimals++
		case it.kind == itemWhole && it.mark != 0:
			s.wholes++
		}
	}
	return s, true
}

func (p *rawSection) countTokens(kind tokenKind) int {
	n := 0
	for _, t := range p.tokens {
		if t.kind == kind {
			n++
		}
	}
	return n
}

// fractionSlash returns the index of the slash of a fraction, or -1 if there is none. The slash
// must come directly after a placeholder, and directly before a placeholder or a number.
func (p *rawSection) fractionSlash() int {
	for i, t := range p.tokens {
		if t.kind != tokSlash || i == 0 || p.tokens[i-1].kind != tokDigit {
			continue
		}
		if t.count > 0 || i+1 < len(p.tokens) && p.tokens[i+1].kind == tokDigit {
			return i
		}
	}
	return -1
}

// appendGeneralItem appends the item for a token in a section without placeholders.
func appendGeneralItem(items []item, t token) []item {
	if t.kind == tokGeneral || t.kind == tokText {
		return append(items, item{kind: itemGeneral})
	}
	return append(items, item{text: t.text})
}

// compileNumber compiles a section that is neither a date nor a fraction.
func (s *section) compileNumber(tokens []token) {
	s.shape = shapeNumber
	kind := itemWhole
	for i, t := range tokens {
		switch t.kind {
		case tokDigit:
			s.items = append(s.items, item{kind: kind, mark: t.text[0]})
		case tokPoint:
			s.addPoint(&kind)
		case tokComma:
			s.addComma(tokens, i, kind)
		case tokPercent:
			s.scale += 2
			s.items = append(s.items, item{text: t.text})
		case tokExponent:
			s.addExponent(tokens, i, &kind)
		default:
			s.items = append(s.items, item{text: t.text})
		}
	}
}

// addPoint adds the decimal point. Further points are literals. If there are no placeholders
// before the point, it adds a position for the digits that must be displayed there.
func (s *section) addPoint(kind *itemKind) {
	if *kind == itemWhole {
		if s.countPlaces(itemWhole) == 0 {
			s.items = append(s.items, item{kind: itemWhole})
		}
		*kind = itemDecimal
	}
	s.items = append(s.items, item{text: "."})
}

// addComma handles a comma. A comma between placeholders groups thousands, and a comma
// after the last placeholder divides by 1,000. Any other comma is a literal.
func (s *section) addComma(tokens []token, i int, kind itemKind) {
	before := i - 1
	for before >= 0 && tokens[before].kind == tokComma {
		before--
	}
	if before < 0 || tokens[before].kind != tokDigit && tokens[before].kind != tokPoint {
		s.items = append(s.items, item{text: ","})
		return
	}
	if kind == itemWhole && moreDigits(tokens[i+1:]) {
		s.grouped = true
		return
	}
	s.scale -= 3
}

// moreDigits reports whether tokens contain a placeholder before the decimal point.
func moreDigits(tokens []token) bool {
	for _, t := range tokens {
		if t.kind == tokPoint || t.kind == tokExponent {
			return false
		}
		if t.kind == tokDigit {
			return true
		}
	}
	return false
}

// addExponent adds an E+ or E-, which starts the exponent. If no placeholders follow,
// it is a literal.
func (s *section) addExponent(tokens []token, i int, kind *itemKind) {
	digits := i+1 < len(tokens) && tokens[i+1].kind == tokDigit
	if !digits || s.shape == shapeScientific || s.countPlaces(itemWhole)+s.countPlaces(itemDecimal) == 0 {
		s.items = append(s.items, item{text: tokens[i].text})
		return
	}
	s.shape = shapeScientific
	s.items = append(s.items, item{kind: itemExponent, mark: tokens[i].text[1]})
	*kind = itemPower
}

// compileFraction compiles a section that contains the slash of a fraction.
func (s *section) compileFraction(tokens []token, slash int) {
	first := slash
	for first > 0 && tokens[first-1].kind == tokDigit {
		first--
	}
	last := slash + 1
	for s.denominator = tokens[slash].count; s.denominator == 0 && last < len(tokens) && tokens[last].kind == tokDigit; {
		last++
	}
	s.addRun(tokens[:first], itemWhole)
	s.addRun(tokens[first:slash], itemNumerator)
	s.items = append(s.items, item{kind: itemSlash, text: "/"})
	if s.denominator > 0 {
		s.items = append(s.items, item{kind: itemFixed, text: tokens[slash].text[1:]})
	}
	s.addRun(tokens[slash+1:last], itemDenominator)
	s.addRun(tokens[last:], itemLiteral)
	s.denominators = s.countPlaces(itemDenominator)
}

// addRun adds tokens. Their placeholders become items of the given kind.
func (s *section) addRun(tokens []token, kind itemKind) {
	for i, t := range tokens {
		switch {
		case t.kind == tokDigit && kind != itemLiteral:
			s.items = append(s.items, item{kind: kind, mark: t.text[0]})
		case t.kind == tokComma && kind == itemWhole:
			s.addComma(tokens, i, kind)
		case t.kind == tokPercent:
			s.scale += 2
			s.items = append(s.items, item{text: t.text})
		default:
			s.items = append(s.items, item{text: t.text})
		}
	}
}

func (s *section) countPlaces(kind itemKind) int {
	n := 0
	for i := range s.items {
		if s.items[i].kind == kind {
			n++
		}
	}
	return n
}

// numberPlacesOf sets the positions of the digits of one kind, from the leftmost one
// down to the units.
func (s *section) numberPlacesOf(kind itemKind) {
	place := s.countPlaces(kind)
	first := true
	for i := range s.items {
		if s.items[i].kind == kind {
			place--
			s.items[i].place, s.items[i].first = place, first
			first = false
		}
	}
}
