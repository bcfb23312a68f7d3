package jsregexp

import (
	"regexp"
	"regexp/syntax"
	"slices"
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
