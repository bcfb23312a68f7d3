package phone

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
