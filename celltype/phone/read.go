package phone

import (
	"bytes"
)

const (
	// minNational and maxNational are the limits for the number of digits in a
	// national number, as in libphonenumber.
	minNational = 2
	maxNational = 17
	// maxDigits is greater than the number of digits in any phone number with its prefixes.
	maxDigits = 32
)

// number is a national number in its plan. It copies the digits of the cell,
// because a reference to them would move them to the heap.
type number struct {
	plan *plan
	outcome
	digits [maxNational]byte
	count  int
	// notation is the notation of the number, as evidence for the convention of the column.
	notation notation
}

func (n *number) national() []byte { return n.digits[:n.count] }

// prefixBuffer is a buffer for transforming a national prefix.
type prefixBuffer [maxDigits + ruleSize]byte

// read interprets digits as a phone number.
func (n *number) read(r *Reader, digits []byte, plus bool) Problem {
	home := r.home
	switch {
	case plus:
		return n.readInternational(digits)
	case home == nil:
		return n.readWithoutCountry(digits)
	}
	if rest, cut := home.cutInternationalPrefix(digits); cut {
		return n.readInternational(rest)
	}
	p := n.readDomestic(r, digits)
	if p.Code != Read && hasDoubleZero(digits) && n.readInternational(digits[2:]).Code == Read {
		return Problem{}
	}
	return p
}

// readWithoutCountry reads a number if no country is configured. It accepts 00, the international
// prefix of most countries, in place of the plus sign. It does not recognize national numbers.
func (n *number) readWithoutCountry(digits []byte) Problem {
	if hasDoubleZero(digits) {
		if p := n.readInternational(digits[2:]); p.Code != UnknownCode {
			return p
		}
	}
	return Problem{Code: NoCountry}
}

func hasDoubleZero(digits []byte) bool {
	return len(digits) > 2 && digits[0] == '0' && digits[1] == '0'
}

// readInternational reads digits that start with a calling code.
func (n *number) readInternational(digits []byte) Problem {
	if len(digits) <= minNational {
		return Problem{Code: TooShort}
	}
	p, rest := metadata.planOf(digits)
	if p == nil {
		return Problem{Code: UnknownCode}
	}
	return n.lookUp(p.main, rest)
}

// readDomestic reads a number in the configured country. The number may have a
// calling code without the plus sign.
func (n *number) readDomestic(r *Reader, digits []byte) Problem {
	home, code := r.home, r.home.plan.text[1:]
	if len(digits) < len(code) || string(digits[:len(code)]) != code {
		p := n.readNational(home, digits)
		if n.notation = notationPrefix; n.count == len(digits) {
			n.notation = notationBare
		}
		return p
	}
	var space prefixBuffer
	bare, o := home.cutNationalPrefix(digits[len(code):], space[:])
	if o.matchesRegion(home) && !home.plan.outcome(digits).matchesRegion(home) || home.fitLength(len(digits)) == lengthTooLong {
		n.notation = notationCode
		return n.lookUp(home.plan.main, bare)
	}
	if home.trunkPrefix != "" && home.ambiguous(digits, bare) {
		switch r.convention {
		case NoConvention:
			return Problem{TwoReadings, home}
		case WithCode:
			return n.lookUp(home.plan.main, bare)
		}
	}
	return n.readNational(home, digits)
}

// readNational reads a number as it is dialed in a region. A number that belongs to the plan as
// a whole is read by the rules of the plan's main region: 0800 numbers in the United Kingdom can
// be one digit shorter than any number in Jersey.
func (n *number) readNational(home *region, digits []byte) Problem {
	p := n.lookUp(home, digits)
	if p.Code == Read {
		return p
	}
	var second number
	if main := home.plan.main; main != home && second.lookUp(main, digits).Code == Read || second.readTrunkOnly(home, digits) {
		*n = second
		return Problem{}
	}
	return p
}

// readTrunkOnly reads a number in a region that has a transform rule, but
// strips only the national prefix. For example, 011 1546-9864 starts like an
// Argentine mobile number but is a fixed line.
func (n *number) readTrunkOnly(home *region, digits []byte) bool {
	if home.transformRule == "" || home.trunkPrefix == "" || !bytes.HasPrefix(digits, []byte(home.trunkPrefix)) {
		return false
	}
	bare := digits[len(home.trunkPrefix):]
	return n.assign(home, bare, home.plan.outcome(bare)) && home.plan.main.readsAsItself(bare)
}

// assign sets the national number and reports whether it is valid.
func (n *number) assign(r *region, digits []byte, o outcome) bool {
	n.plan, n.outcome = r.plan, o
	n.count = copy(n.digits[:], digits)
	return o.valid && len(digits) >= minNational && len(digits) <= maxNational
}

// ambiguous reports whether digits are a number without a national prefix, and
// bare, the digits after the calling code, are a different number.
func (r *region) ambiguous(digits, bare []byte) bool {
	var whole, rest number
	return whole.lookUp(r, digits).Code == Read && string(whole.national()) == string(digits) &&
		rest.lookUp(r.plan.main, bare).Code == Read && string(rest.national()) != string(digits)
}

// lookUp removes the national prefix and looks up the number.
func (n *number) lookUp(r *region, digits []byte) Problem {
	if len(digits) < minNational {
		return Problem{TooShort, r}
	}
	var space prefixBuffer
	bare, o := r.cutNationalPrefix(digits, space[:])
	if !mayCutPrefix(r.fitLength(len(bare))) {
		bare, o = digits, r.plan.outcome(digits)
	}
	switch {
	case n.assign(r, bare, o) && r.plan.main.readsAsItself(bare):
		return Problem{}
	case len(bare) < minNational:
		return Problem{TooShort, r}
	case len(bare) > maxNational:
		return Problem{TooLong, r}
	}
	return Problem{r.plan.main.lengthProblem(len(bare)), r}
}

// readsAsItself reports whether the digits after a calling code are read as the same national
// number. A few numbers start with the digits of a national prefix and are read differently,
// so they are ambiguous.
func (r *region) readsAsItself(digits []byte) bool {
	if _, found := r.nationalPrefix.match(digits); !found {
		return true
	}
	var space prefixBuffer
	bare, _ := r.cutNationalPrefix(digits, space[:])
	return string(bare) == string(digits) || !mayCutPrefix(r.fitLength(len(bare)))
}

// mayCutPrefix reports whether a national prefix may be removed if the rest has
// this length. If not, the original digits may be a short number.
func mayCutPrefix(f lengthFit) bool { return f == lengthFits || f == lengthTooLong }

// lengthProblem returns the reason why a number with this many digits is invalid.
func (r *region) lengthProblem(length int) Code {
	switch r.fitLength(length) {
	case lengthTooShort, lengthLocalOnly:
		return TooShort
	case lengthTooLong:
		return TooLong
	}
	return NotValid
}

// scannedCell holds the digits of a cell, and what else affects how they are read.
type scannedCell struct {
	digits [maxDigits]byte
	count  int
	plus   bool
	// extension reports whether an extension was removed.
	extension bool
	// slash is the number of digits before the last slash, or 0.
	slash, slashes int
	// dot is the number of digits before the last dot.
	dot int
	// bracket and closingBracket are the numbers of digits before the last
	// opening and the last closing bracket.
	bracket, closingBracket int
	// spaced reports whether the cell has characters other than digits, the plus sign and dots.
	spaced bool
}

// byteKind is the role of a byte in a plain number.
type byteKind uint8

const (
	kindOther byteKind = iota
	kindDigit
	kindSpace
	kindPlus
	kindDot
	kindSlash
	kindOpenBracket
	kindCloseBracket
)

var byteKinds = [256]byteKind{
	'0': kindDigit, '1': kindDigit, '2': kindDigit, '3': kindDigit, '4': kindDigit, '5': kindDigit, '6': kindDigit, '7': kindDigit, '8': kindDigit, '9': kindDigit,
	' ': kindSpace, '-': kindSpace, '(': kindOpenBracket, ')': kindCloseBracket, '+': kindPlus, '.': kindDot, '/': kindSlash,
}

// scan reads a cell of plain characters. It reports false if the cell has other
// characters, or has a plain character in an invalid position.
func (w *scannedCell) scan(raw []byte) bool {
	if w.scanBytes(raw) < len(raw) {
		return false
	}
	w.dropFraction()
	return w.count > 0 && !w.endsInBrackets()
}

// endsInBrackets reports whether the last digits are in brackets after a
// complete number. They are a second ending, or a note.
func (w *scannedCell) endsInBrackets() bool {
	return w.bracket >= minNationalDigits && w.closingBracket == w.count && w.count > w.bracket
}

// scanBytes returns the offset of the first byte that is not part of a plain number.
func (w *scannedCell) scanBytes(raw []byte) int {
	count := 0
	for i, c := range raw {
		switch kind := byteKinds[c]; kind {
		case kindDigit:
			if count == maxDigits {
				return i
			}
			w.digits[count] = c
			count++
		case kindSpace:
			w.spaced = true
		case kindDot:
			w.dot = w.countDot(w.dot, count)
		case kindSlash:
			w.slash, w.slashes, w.spaced = count, w.slashes+1, true
		case kindOpenBracket:
			w.bracket, w.spaced = count, true
		case kindCloseBracket:
			w.closingBracket, w.spaced = count, true
		case kindPlus:
			if count > 0 {
				return i
			}
			w.plus = true
		default:
			return i
		}
	}
	w.count = count
	return len(raw)
}

// countDot records a dot. It treats a second dot like any other separator.
func (w *scannedCell) countDot(before, count int) int {
	w.spaced = w.spaced || before != 0
	return count
}

// minFraction is the minimum number of digits before a fraction. Fewer digits are an area code.
const minFraction = 7

// dropFraction removes the .0 that is added by programs that store phone
// numbers as floating-point numbers.
func (w *scannedCell) dropFraction() {
	if !w.spaced && w.dot >= minFraction && w.count == w.dot+1 && w.digits[w.dot] == '0' {
		w.count = w.dot
	}
}

const (
	// minNationalDigits is the minimum number of digits in a number with an
	// area code. minInternationalDigits is the minimum if it also has a calling
	// code. No area code is that long.
	minNationalDigits, minInternationalDigits = 7, 10
	// maxSlashes is the maximum number of slashes that separate two numbers. If
	// there are more, they separate the groups of one number.
	maxSlashes = 2
)

// isTwoNumbers reports whether the last slash separates two numbers or two
// endings, rather than following an area code.
func (w *scannedCell) isTwoNumbers(n *number, code Code) bool {
	if w.slash == 0 || w.slash == w.count || w.slashes > maxSlashes {
		return false
	}
	if code != Read && code != TooLong && code != NotValid {
		return false
	}
	least := minNationalDigits + w.slashes - 1
	if w.plus || n.plan != nil && w.count-n.count > 1 {
		least = minInternationalDigits
	}
	return w.slash >= least
}
