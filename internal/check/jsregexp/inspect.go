package jsregexp

import "github.com/intraydata/intray"

// Report is what an expression tells without being made ready.
type Report struct {
	// Translated is what [Expr.Translated] says. Of an expression of thousands
	// of parts that is known only once its table is made; until then it counts
	// as not translated.
	Translated bool
	// Risk is what [Expr.Risky] says.
	Risk intray.Message
	// Empty says whether the empty text matches.
	Empty bool
}

// Inspect reads an expression and refuses what [Compile] refuses, with the same
// errors. It makes no table and no engine, and so takes little more time than
// reading the source does.
func Inspect(source string, f Flags) (Report, error) {
	root, err := parse(source, f)
	if err != nil {
		return Report{}, err
	}
	r := Report{Empty: takesNothing(root)}
	translated, certain := foresee(root, f)
	if translated {
		r.Translated = true
		return r, nil
	}
	if _, err := spell(root, f); err != nil {
		// What only the table can run is not refused.
		r.Translated = !certain && translate(root, f, maxWork) != nil
		if !r.Translated {
			return Report{}, err
		}
		return r, nil
	}
	r.Risk = risk(root, source, f)
	return r, nil
}

// QuickSteps bounds the steps in which [Quick] makes a table: about a
// millisecond.
const QuickSteps = 1 << 15

// Quick is [Compile] for the expressions of which a table is made within
// [QuickSteps]; of any other it says false.
func Quick(source string, f Flags) (*Expr, bool) {
	root, err := parse(source, f)
	if err != nil {
		return nil, false
	}
	e := &Expr{source: source, flags: f, clauses: translate(root, f, QuickSteps)}
	for _, c := range e.clauses {
		if c.table == nil {
			return nil, false
		}
	}
	return e, e.clauses != nil
}

// foresee says whether translate makes clauses of an expression, as far as that
// is certain without making tables.
func foresee(root *node, f Flags) (translated, certain bool) {
	parts := conditions(root, false)
	if len(parts) > maxClauses {
		return false, true
	}
	translated = true
	for _, part := range parts {
		p, ok := newProgram(part, f)
		if !ok {
			return false, true
		}
		translated = translated && p.runs()
	}
	return translated, translated
}

// takesNothing says whether a node matches within the empty text. There a group
// takes nothing if it takes part, so that a reference always matches.
func takesNothing(n *node) bool {
	switch n.kind {
	case isChar:
		return false
	case isWordEdge:
		return n.negated
	case isAlt:
		for _, k := range n.kids {
			if takesNothing(k) {
				return true
			}
		}
		return false
	case isLook:
		return takesNothing(n.kids[0]) != n.negated
	case isRepeat:
		return n.min == 0 || takesNothing(n.kids[0])
	}
	for _, k := range n.kids {
		if !takesNothing(k) {
			return false
		}
	}
	return true
}
