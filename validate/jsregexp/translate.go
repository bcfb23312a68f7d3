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

// maxClauses is the maximum number of clauses in an expression.
const maxClauses = 32

// clause is one condition of a translated expression. Each lookahead at the
// start of an anchored expression is a separate clause.
type clause struct {
	negated bool
	table   *table
	// re2 is set if there is no table.
	re2 *regexp.Regexp
	// units reports whether a set in the clause contains surrogates. If so, the
	// clause matches both halves of a character above U+FFFF separately.
	units bool
}

// translate returns the clauses of an expression. It returns nil if no linear-time engine can
// run the expression, or if the expression is too large. Building the tables takes at most the
// number of steps given by work.
func translate(root *node, f Flags, work int) []clause {
	list, _ := translateWithin(root, f, work, work)
	return list
}

// translateWithin is like translate, but uses a separate number of steps, optional, for the
// tables of conditions that Go's regexp can run, too. It also returns the number of steps that
// building the tables took.
func translateWithin(root *node, f Flags, work, optional int) (list []clause, took int) {
	parts := splitConditions(root, false)
	if len(parts) > maxClauses {
		return nil, 0
	}
	list = make([]clause, 0, len(parts))
	for _, part := range parts {
		c, steps, ok := newClause(part, f, work/len(parts), optional/len(parts))
		took += steps
		if !ok {
			return nil, took
		}
		list = append(list, c)
	}
	return list, took
}

func newClause(part condition, f Flags, work, optional int) (c clause, took int, ok bool) {
	p, ok := newProgram(part, f)
	if !ok {
		return clause{}, 0, false
	}
	if p.fitsGoRegexp() {
		work = optional
	}
	c = clause{negated: part.negated, units: p.units}
	if c.table, took = newTable(p.prog, c.units, work); c.table != nil {
		return c, took, true
	}
	if !p.fitsGoRegexp() {
		return clause{}, took, false
	}
	var err error
	c.re2, err = regexp.Compile(p.text)
	return c, took, err == nil
}

// program is a compiled condition in the syntax of Go's regexp.
type program struct {
	text  string
	prog  *syntax.Prog
	units bool
}

// newProgram compiles a condition. It reports false if Go's regexp cannot express the condition.
func newProgram(part condition, f Flags) (program, bool) {
	if part.root.contains(hasKind(kindBackReference, kindLookaround)) {
		return program{}, false
	}
	w := re2Writer{flags: f}
	text, ok := w.writeExpression(part.root)
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

// fitsGoRegexp reports whether a program is small enough for Go's regexp.
func (p program) fitsGoRegexp() bool { return len(p.prog.Inst) <= maxProgram }

func (c *clause) matches(text []byte) bool {
	if c.table != nil {
		return c.table.match(text) != c.negated
	}
	if c.units {
		text = splitSurrogates(text)
	}
	return c.re2.Match(text) != c.negated
}

// splitSurrogates replaces each character above U+FFFF with its two surrogates, which are
// shifted so that UTF-8 can encode them.
func splitSurrogates(text []byte) []byte {
	first := slices.IndexFunc(text, func(b byte) bool { return b >= 0xF0 })
	if first < 0 {
		return text
	}
	out := append(make([]byte, 0, len(text)*2), text[:first]...)
	for text = text[first:]; len(text) > 0; {
		r, size := utf8.DecodeRune(text)
		if r > maxCodeUnit {
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

// condition is a part of an expression that can be matched independently.
type condition struct {
	root    *node
	negated bool
}

// splitConditions separates the lookaheads at the start of an anchored
// expression from the rest. All parts are matched at the same position, so they
// are independent of each other. The part that consumes text is last.
func splitConditions(root *node, inLook bool) []condition {
	parts := root.flatten()
	if len(parts) == 0 || parts[0].kind != kindStart || root.contains(hasKind(kindBackReference)) {
		return []condition{{root: root}}
	}
	var list []condition
	next := 1
	for ; next < len(parts) && parts[next].kind == kindLookaround && !parts[next].lookbehind; next++ {
		list = append(list, lookaheadConditions(parts[0], parts[next])...)
	}
	rest := append([]*node{parts[0]}, parts[next:]...)
	if inLook && len(rest) == 1 {
		return list
	}
	return append(list, condition{root: newSequence(rest...)})
}

func lookaheadConditions(start, look *node) []condition {
	body := newSequence(start, look.children[0])
	if look.negated {
		return []condition{{root: body, negated: true}}
	}
	return splitConditions(body, true)
}

const (
	// maxProgram is the maximum number of instructions in a program for Go's
	// regexp. The work per character is proportional to it.
	maxProgram = 2000
	// maxTableProgram is the maximum number of instructions in a program for a
	// table. A table takes one step per character, whatever its size.
	maxTableProgram = 100_000
	// maxWritten is the maximum length of a translated expression, in bytes.
	maxWritten = 1 << 20
	// maxCount is the largest repeat count that Go's regexp accepts.
	maxCount = 1000
)

// re2Writer writes an expression in the syntax of Go's regexp.
type re2Writer struct {
	flags       Flags
	out         strings.Builder
	unsupported bool
	surrogates  bool
}

// writeExpression returns the expression in RE2 syntax. It reports false if RE2
// cannot express it, or if the result is too large.
func (w *re2Writer) writeExpression(root *node) (string, bool) {
	if programSize(root) > maxTableProgram {
		return "", false
	}
	w.writeNode(root, true, true)
	return w.out.String(), !w.unsupported && w.out.Len() <= maxWritten
}

// programSize estimates the number of instructions of a node.
func programSize(n *node) int {
	total := 1
	for _, k := range n.children {
		total = min(total+programSize(k), unbounded)
	}
	if n.kind != kindRepeat {
		return total
	}
	times := n.min + 1
	if n.max != unbounded {
		times = max(n.max, 1)
	}
	return min(total*min(times, maxTableProgram+1), unbounded)
}

// writeNode writes a node. first reports whether nothing precedes the node in the whole
// expression, and last whether nothing follows it.
func (w *re2Writer) writeNode(n *node, first, last bool) {
	if w.out.Len() > maxWritten {
		w.unsupported = true
		return
	}
	switch n.kind {
	case kindChar:
		w.writeSet(n.set)
	case kindSequence:
		for i, k := range n.children {
			w.writeNode(k, first && i == 0, last && i == len(n.children)-1)
		}
	case kindAlternation:
		w.writeAlternatives(n.children, first, last)
	case kindGroup:
		w.writeAlternatives(n.children, first, last)
	case kindRepeat:
		w.writeRepeat(n)
	case kindStart:
		w.out.WriteString(`\A`)
	case kindEnd:
		w.out.WriteString(`\z`)
	case kindLineStart:
		w.writeLineAnchor(first, `\A`)
	case kindLineEnd:
		w.writeLineAnchor(last, `\z`)
	case kindWordEdge:
		w.writeWordEdge(n.negated)
	default:
		w.unsupported = true
	}
}

func (w *re2Writer) writeAlternatives(kids []*node, first, last bool) {
	w.out.WriteString("(?:")
	for i, k := range kids {
		if i > 0 {
			w.out.WriteByte('|')
		}
		w.writeNode(k, first, last)
	}
	w.out.WriteByte(')')
}

// writeLineAnchor writes ^ or $ with the m flag. RE2 recognizes only one of the
// four line terminators. At the start or end of the expression, the anchor may
// consume the terminator, because only the existence of a match matters.
func (w *re2Writer) writeLineAnchor(outermost bool, whole string) {
	if !outermost {
		w.unsupported = true
		return
	}
	w.out.WriteString("(?:" + whole + "|")
	w.writeSet(lineTerminators())
	w.out.WriteByte(')')
}

// writeWordEdge writes \b or \B. RE2 and JavaScript have the same word
// characters, except for the two that the flags u and i add.
func (w *re2Writer) writeWordEdge(negated bool) {
	w.unsupported = w.unsupported || w.flags.Unicode && w.flags.IgnoreCase
	if negated {
		// There is no word boundary between two surrogates.
		w.surrogates = w.surrogates || !w.flags.Unicode
		w.out.WriteString(`\B`)
		return
	}
	w.out.WriteString(`\b`)
}

func (w *re2Writer) writeSet(s set) {
	s = s.encodeSurrogates(!w.flags.Unicode)
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

// writeRepeat splits repeat counts into counts that RE2 accepts.
func (w *re2Writer) writeRepeat(n *node) {
	kid := n.children[0]
	if n.max > 1 && n.max != unbounded || n.min > 1 {
		if kid.contains(isCounted) {
			w.writeCopies(n)
			return
		}
	}
	for left := n.min; left > 0; left -= maxCount {
		w.writeQuantified(kid, fmt.Sprintf("{%d}", min(left, maxCount)))
	}
	if n.max == unbounded {
		w.writeQuantified(kid, "*")
		return
	}
	for left := n.max - n.min; left > 0; left -= maxCount {
		w.writeQuantified(kid, fmt.Sprintf("{0,%d}", min(left, maxCount)))
	}
}

func isCounted(n *node) bool {
	return n.kind == kindRepeat && (n.min > 1 || n.max > 1 && n.max != unbounded)
}

// writeCopies writes a node once for each repetition, because RE2 multiplies
// the counts of nested repeats and rejects products over a thousand.
func (w *re2Writer) writeCopies(n *node) {
	for range n.min {
		w.writeQuantified(n.children[0], "")
	}
	if n.max == unbounded {
		w.writeQuantified(n.children[0], "*")
		return
	}
	for range n.max - n.min {
		w.writeQuantified(n.children[0], "?")
	}
}

// writeQuantified writes a node with its quantifier.
func (w *re2Writer) writeQuantified(n *node, quantifier string) {
	w.out.WriteString("(?:")
	w.writeNode(n, false, false)
	w.out.WriteString(")" + quantifier)
}
