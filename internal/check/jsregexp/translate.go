package jsregexp

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxClauses bounds the clauses of an expression.
const maxClauses = 32

// clause is one condition of a translated expression. A lookahead at the very
// start of an expression tied to the start of the text is a clause of its own.
type clause struct {
	negated bool
	table   *table
	// re2 is set where there is no table.
	re2 *regexp.Regexp
	// units says that a set of the clause holds surrogates, so that it sees the
	// two halves of a character beyond U+FFFF.
	units bool
}

// translate makes the clauses of an expression, or nil where its meaning, or
// its size, is beyond a linear engine. Making their tables takes at most so many
// steps.
func translate(root *node, f Flags, work int) []clause {
	var list []clause
	parts := conditions(root, false)
	if len(parts) > maxClauses {
		return nil
	}
	for _, part := range parts {
		c, ok := newClause(part, f, work/len(parts))
		if !ok {
			return nil
		}
		list = append(list, c)
	}
	return list
}

func newClause(part condition, f Flags, work int) (clause, bool) {
	p, ok := newProgram(part, f)
	if !ok {
		return clause{}, false
	}
	c := clause{negated: part.negated, units: p.units}
	if c.table = newTable(p.prog, c.units, work); c.table != nil {
		return c, true
	}
	if !p.runs() {
		return clause{}, false
	}
	var err error
	c.re2, err = regexp.Compile(p.text)
	return c, err == nil
}

// program is a condition in the syntax of Go's regexp, and made into
// instructions.
type program struct {
	text  string
	prog  *syntax.Prog
	units bool
}

// newProgram writes a condition, or fails where Go's regexp cannot say it.
func newProgram(part condition, f Flags) (program, bool) {
	if part.root.any(isOf(isBack, isLook)) {
		return program{}, false
	}
	w := writer{flags: f}
	text, ok := w.expression(part.root)
	if !ok {
		return program{}, false
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return program{}, false
	}
	prog, err := syntax.Compile(tree.Simplify())
	return program{text, prog, w.surrogates}, err == nil
}

// runs says whether a program is small enough for Go's regexp.
func (p program) runs() bool { return len(p.prog.Inst) <= maxProgram }

func (c *clause) holds(text []byte) bool {
	if c.table != nil {
		return c.table.match(text) != c.negated
	}
	if c.units {
		text = inUnits(text)
	}
	return c.re2.Match(text) != c.negated
}

// inUnits writes each character beyond U+FFFF as its two surrogates, moved to
// where UTF-8 has room for them.
func inUnits(text []byte) []byte {
	first := slices.IndexFunc(text, func(b byte) bool { return b >= 0xF0 })
	if first < 0 {
		return text
	}
	out := append(make([]byte, 0, len(text)*2), text[:first]...)
	for text = text[first:]; len(text) > 0; {
		r, size := utf8.DecodeRune(text)
		if r > lastUnit {
			hi, lo := utf16.EncodeRune(r)
			out = utf8.AppendRune(out, hi+surrogateShift)
			out = utf8.AppendRune(out, lo+surrogateShift)
		} else {
			out = append(out, text[:size]...)
		}
		text = text[size:]
	}
	return out
}

// condition is a part of an expression that can be tried alone.
type condition struct {
	root    *node
	negated bool
}

// conditions takes the lookaheads off the start of an expression that is tied
// to the start of the text: they and the rest all look from the same place,
// and so hold or fail each for itself. The one whose text is taken comes last.
func conditions(root *node, inLook bool) []condition {
	parts := root.flat()
	if len(parts) == 0 || parts[0].kind != isStart || root.any(isOf(isBack)) {
		return []condition{{root: root}}
	}
	var list []condition
	next := 1
	for ; next < len(parts) && parts[next].kind == isLook && !parts[next].behind; next++ {
		list = append(list, lookCondition(parts[0], parts[next])...)
	}
	rest := append([]*node{parts[0]}, parts[next:]...)
	if inLook && len(rest) == 1 {
		return list
	}
	return append(list, condition{root: seq(rest...)})
}

func lookCondition(start, look *node) []condition {
	body := seq(start, look.kids[0])
	if look.negated {
		return []condition{{root: body, negated: true}}
	}
	return conditions(body, true)
}

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
