package phone

import (
	"bytes"
)

const (
	// minNational and maxNational are the fewest and most digits of a national
	// number in libphonenumber.
	minNational = 2
	maxNational = 17
	// maxDigits is more than any number has with all its prefixes.
	maxDigits = 32
)

// number is a national number in its plan. It keeps a copy of its digits: with a
// part of the cell's it would live on the heap.
type number struct {
	plan *plan
	outcome
	digits [maxNational]byte
	count  int
	// way is how the number is written, as far as habits go.
	way way
}

func (n *number) national() []byte { return n.digits[:n.count] }

// room is where a national prefix is exchanged.
type room [maxDigits + ruleSize]byte

// read finds the number that the digits mean.
func (n *number) read(r *Reader, digits []byte, plus bool) Problem {
	home := r.home
	switch {
	case plus:
		return n.abroad(digits)
	case home == nil:
		return n.stateless(digits)
	}
	if rest, cut := home.withoutAbroad(digits); cut {
		return n.abroad(rest)
	}
	p := n.domestic(r, digits)
	if p.Code != Read && twoZeroes(digits) && n.abroad(digits[2:]).Code == Read {
		return Problem{}
	}
	return p
}

// stateless reads a number where no country is configured: 00 is the prefix that
// most countries dial for the plus, and no national number is looked for.
func (n *number) stateless(digits []byte) Problem {
	if twoZeroes(digits) {
		if p := n.abroad(digits[2:]); p.Code != UnknownCode {
			return p
		}
	}
	return Problem{Code: NoCountry}
}

func twoZeroes(digits []byte) bool { return len(digits) > 2 && digits[0] == '0' && digits[1] == '0' }

// abroad reads digits that begin with a calling code.
func (n *number) abroad(digits []byte) Problem {
	if len(digits) <= minNational {
		return Problem{Code: TooShort}
	}
	p, rest := known.planOf(digits)
	if p == nil {
		return Problem{Code: UnknownCode}
	}
	return n.finish(p.main, rest)
}

// domestic reads a number of the configured country, which may have lost the
// plus before its calling code.
func (n *number) domestic(r *Reader, digits []byte) Problem {
	home, code := r.home, r.home.plan.text[1:]
	if len(digits) < len(code) || string(digits[:len(code)]) != code {
		p := n.nationally(home, digits)
		if n.way = prefixed; n.count == len(digits) {
			n.way = bareNational
		}
		return p
	}
	var space room
	bare, o := home.withoutNational(digits[len(code):], space[:])
	if o.of(home) && !home.takes(digits) || home.fit(len(digits)) == long {
		n.way = coded
		return n.finish(home.plan.main, bare)
	}
	if home.trunk != "" && home.ambiguous(digits, bare) {
		switch r.habit {
		case NoHabit:
			return Problem{TwoReadings, home}
		case WithCode:
			return n.finish(home.plan.main, bare)
		}
	}
	return n.nationally(home, digits)
}

// nationally reads a number as it is dialled in a region. One that belongs to the
// whole plan alone is found by the rules of the plan's main region: 0800 numbers
// of the United Kingdom can be one digit shorter than any number of Jersey.
func (n *number) nationally(home *region, digits []byte) Problem {
	p := n.finish(home, digits)
	if p.Code == Read {
		return p
	}
	var second number
	if main := home.plan.main; main != home && second.finish(main, digits).Code == Read || second.plain(home, digits) {
		*n = second
		return Problem{}
	}
	return p
}

// plain reads a number of a region with a rule of exchange by cutting the national
// prefix alone: 011 1546-9864 begins like an Argentine mobile number, and is one
// of a fixed line.
func (n *number) plain(home *region, digits []byte) bool {
	if home.rule == "" || home.trunk == "" || !bytes.HasPrefix(digits, []byte(home.trunk)) {
		return false
	}
	bare := digits[len(home.trunk):]
	return n.take(home, bare, home.plan.outcome(bare)) && home.plan.main.stays(bare)
}

// take keeps a national number and says whether it is valid.
func (n *number) take(r *region, digits []byte, o outcome) bool {
	n.plan, n.outcome = r.plan, o
	n.count = copy(n.digits[:], digits)
	return o.valid && len(digits) >= minNational && len(digits) <= maxNational
}

// ambiguous says whether digits are a number without its national prefix, and
// bare, the same ones without the calling code, are another number.
func (r *region) ambiguous(digits, bare []byte) bool {
	var whole, rest number
	return whole.finish(r, digits).Code == Read && string(whole.national()) == string(digits) &&
		rest.finish(r.plan.main, bare).Code == Read && string(rest.national()) != string(digits)
}

// finish cuts the national prefix and looks the number up.
func (n *number) finish(r *region, digits []byte) Problem {
	if len(digits) < minNational {
		return Problem{TooShort, r}
	}
	var space room
	bare, o := r.withoutNational(digits, space[:])
	if !usable(r.fit(len(bare))) {
		bare, o = digits, r.plan.outcome(digits)
	}
	switch {
	case n.take(r, bare, o) && r.plan.main.stays(bare):
		return Problem{}
	case len(bare) < minNational:
		return Problem{TooShort, r}
	case len(bare) > maxNational:
		return Problem{TooLong, r}
	}
	return Problem{r.plan.main.reason(len(bare)), r}
}

// stays says whether a number is read as itself behind its calling code. A few
// that begin like a national prefix are not: nobody could tell what they mean.
func (r *region) stays(digits []byte) bool {
	if _, found := r.national.match(digits); !found {
		return true
	}
	var space room
	bare, _ := r.withoutNational(digits, space[:])
	return string(bare) == string(digits) || !usable(r.fit(len(bare)))
}

// usable says whether a national prefix may be cut for this rest: else the digits
// may be a short number as they are.
func usable(f fit) bool { return f == fits || f == long }

// reason says why a number of this length is not valid.
func (r *region) reason(length int) Code {
	switch r.fit(length) {
	case short, nearby:
		return TooShort
	case long:
		return TooLong
	}
	return NotValid
}

// written is what a cell has: its digits, and what else tells how to read them.
type written struct {
	digits [maxDigits]byte
	count  int
	plus   bool
	// extension: one was cut off.
	extension bool
	// slash is the number of digits before the last slash; 0 where there is none.
	slash, slashes int
	// dot is the same for the last dot.
	dot int
	// bracket is the same for the last opening bracket, closed for the last
	// closing one.
	bracket, closed int
	// spaced: there are other signs than digits, the plus and dots.
	spaced bool
}

// sign is what a byte means in a plain number.
type sign uint8

const (
	other sign = iota
	digit
	space
	plus
	dot
	slash
	bracket
	closing
)

var signs = [256]sign{
	'0': digit, '1': digit, '2': digit, '3': digit, '4': digit, '5': digit, '6': digit, '7': digit, '8': digit, '9': digit,
	' ': space, '-': space, '(': bracket, ')': closing, '+': plus, '.': dot, '/': slash,
}

// scan reads a cell of plain signs. It gives false where the cell has others, or
// has them where a number does not.
func (w *written) scan(raw []byte) bool {
	if w.run(raw) < len(raw) {
		return false
	}
	w.dropFraction()
	return w.count > 0 && !w.bracketed()
}

// bracketed says whether the last digits stand in brackets behind a whole number:
// a second ending, or a note.
func (w *written) bracketed() bool {
	return w.bracket >= minWhole && w.closed == w.count && w.count > w.bracket
}

// run gives the place of the first byte that is no part of a plain number.
func (w *written) run(raw []byte) int {
	count := 0
	for i, c := range raw {
		switch kind := signs[c]; kind {
		case digit:
			if count == maxDigits {
				return i
			}
			w.digits[count] = c
			count++
		case space:
			w.spaced = true
		case dot:
			w.dot = w.mark(w.dot, count)
		case slash:
			w.slash, w.slashes, w.spaced = count, w.slashes+1, true
		case bracket:
			w.bracket, w.spaced = count, true
		case closing:
			w.closed, w.spaced = count, true
		case plus:
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

// mark keeps the place of a dot; a second one makes it a sign like the others.
func (w *written) mark(before, count int) int {
	w.spaced = w.spaced || before != 0
	return count
}

// minFraction is the fewest digits before a fraction: fewer are an area code.
const minFraction = 7

// dropFraction cuts the .0 that programs add which take the number for one to
// count with.
func (w *written) dropFraction() {
	if !w.spaced && w.dot >= minFraction && w.count == w.dot+1 && w.digits[w.dot] == '0' {
		w.count = w.dot
	}
}

const (
	// minWhole is the fewest digits of a number with its area code, minAbroad
	// of one with its calling code too. No area code has as many.
	minWhole, minAbroad = 7, 10
	// maxSlashes is the most slashes of two numbers: with more of them they stand
	// between all groups of one.
	maxSlashes = 2
)

// doubtful says whether the last slash stands between two numbers or two endings,
// and not behind an area code.
func (w *written) doubtful(n *number, code Code) bool {
	if w.slash == 0 || w.slash == w.count || w.slashes > maxSlashes {
		return false
	}
	if code != Read && code != TooLong && code != NotValid {
		return false
	}
	least := minWhole + w.slashes - 1
	if w.plus || n.plan != nil && w.count-n.count > 1 {
		least = minAbroad
	}
	return w.slash >= least
}
