package jsregexp

import (
	"fmt"
	"strings"
)

const (
	// maxProgram bounds the instructions of an expression for Go's regexp: the
	// work for one character of a text is at most in proportion to them.
	maxProgram = 2000
	// maxSize bounds the instructions from which a table is made, which has one
	// step for each character however large it is.
	maxSize = 100_000
	// maxWritten bounds the text of a translated expression, in bytes.
	maxWritten = 1 << 20
	// maxCount is the greatest count that Go's regexp takes.
	maxCount = 1000
)

// writer writes an expression in the syntax of Go's regexp.
type writer struct {
	flags      Flags
	out        strings.Builder
	bad        bool
	surrogates bool
}

// expression gives the text, or false where it cannot be said in RE2's syntax
// or becomes too large.
func (w *writer) expression(root *node) (string, bool) {
	if size(root) > maxSize {
		return "", false
	}
	w.node(root, true, true)
	return w.out.String(), !w.bad && w.out.Len() <= maxWritten
}

// size estimates the instructions of a node.
func size(n *node) int {
	total := 1
	for _, k := range n.kids {
		total = min(total+size(k), unbounded)
	}
	if n.kind != isRepeat {
		return total
	}
	times := n.min + 1
	if n.max != unbounded {
		times = max(n.max, 1)
	}
	return min(total*min(times, maxSize+1), unbounded)
}

// node writes a node; first and last say that nothing stands before it, or
// behind it, in the whole expression.
func (w *writer) node(n *node, first, last bool) {
	if w.out.Len() > maxWritten {
		w.bad = true
		return
	}
	switch n.kind {
	case isChar:
		w.char(n.set)
	case isSeq:
		for i, k := range n.kids {
			w.node(k, first && i == 0, last && i == len(n.kids)-1)
		}
	case isAlt:
		w.alternatives(n.kids, first, last)
	case isGroup:
		w.alternatives(n.kids, first, last)
	case isRepeat:
		w.repeat(n)
	case isStart:
		w.out.WriteString(`\A`)
	case isEnd:
		w.out.WriteString(`\z`)
	case isLineStart:
		w.line(first, `\A`)
	case isLineEnd:
		w.line(last, `\z`)
	case isWordEdge:
		w.edge(n.negated)
	default:
		w.bad = true
	}
}

func (w *writer) alternatives(kids []*node, first, last bool) {
	w.out.WriteString("(?:")
	for i, k := range kids {
		if i > 0 {
			w.out.WriteByte('|')
		}
		w.node(k, first, last)
	}
	w.out.WriteByte(')')
}

// line writes ^ or $ under the m flag. RE2 knows but one of the four line
// terminators. At an end of the expression the terminator may as well be
// taken, for only whether there is a match is asked.
func (w *writer) line(outermost bool, whole string) {
	if !outermost {
		w.bad = true
		return
	}
	w.out.WriteString("(?:" + whole + "|")
	w.char(lineEnds())
	w.out.WriteByte(')')
}

// edge writes \b or \B. RE2's words are those of JavaScript, save the two
// letters that the flags u and i add.
func (w *writer) edge(negated bool) {
	w.bad = w.bad || w.flags.Unicode && w.flags.IgnoreCase
	if negated {
		// Between two surrogates there is none.
		w.surrogates = w.surrogates || !w.flags.Unicode
		w.out.WriteString(`\B`)
		return
	}
	w.out.WriteString(`\b`)
}

func (w *writer) char(s set) {
	s = s.carried(!w.flags.Unicode)
	if len(s) > 0 && s[len(s)-1].hi > surrogateShift && !w.flags.Unicode {
		w.surrogates = true
	}
	if r, ok := s.single(); ok {
		fmt.Fprintf(&w.out, `\x{%x}`, r)
		return
	}
	if len(s) == 0 {
		w.out.WriteString(`[^\x{0}-\x{10ffff}]`)
		return
	}
	w.out.WriteByte('[')
	for _, p := range s {
		fmt.Fprintf(&w.out, `\x{%x}-\x{%x}`, p.lo, p.hi)
	}
	w.out.WriteByte(']')
}

// repeat writes the counts in pieces that RE2 takes.
func (w *writer) repeat(n *node) {
	kid := n.kids[0]
	if n.max > 1 && n.max != unbounded || n.min > 1 {
		if kid.any(isCounted) {
			w.copies(n)
			return
		}
	}
	for left := n.min; left > 0; left -= maxCount {
		w.times(kid, fmt.Sprintf("{%d}", min(left, maxCount)))
	}
	if n.max == unbounded {
		w.times(kid, "*")
		return
	}
	for left := n.max - n.min; left > 0; left -= maxCount {
		w.times(kid, fmt.Sprintf("{0,%d}", min(left, maxCount)))
	}
}

func isCounted(n *node) bool {
	return n.kind == isRepeat && (n.min > 1 || n.max > 1 && n.max != unbounded)
}

// copies writes a node once for each time, because RE2 multiplies the counts
// of repeats that stand in each other and refuses more than a thousand.
func (w *writer) copies(n *node) {
	for range n.min {
		w.times(n.kids[0], "")
	}
	if n.max == unbounded {
		w.times(n.kids[0], "*")
		return
	}
	for range n.max - n.min {
		w.times(n.kids[0], "?")
	}
}

// times writes a node and its quantifier.
func (w *writer) times(n *node, quantifier string) {
	w.out.WriteString("(?:")
	w.node(n, false, false)
	w.out.WriteString(")" + quantifier)
}
