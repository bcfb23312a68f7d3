package jsregexp

import (
	"errors"
	"time"

	"github.com/intraydata/intray"
)

// Flags are the flags of a JavaScript regular expression that change its
// meaning. The zero value has none.
type Flags struct {
	// IgnoreCase is i, DotAll is s, Multiline is m, Unicode is u.
	IgnoreCase, DotAll, Multiline, Unicode bool
}

// String returns the flags as JavaScript writes them.
func (f Flags) String() string {
	s := ""
	for _, one := range []struct {
		on     bool
		letter string
	}{{f.IgnoreCase, "i"}, {f.Multiline, "m"}, {f.DotAll, "s"}, {f.Unicode, "u"}} {
		if one.on {
			s += one.letter
		}
	}
	return s
}

// MatchLimit is the most time for a match of an expression that is not
// translated. The clock ticks ten times a second, so that a match may take up
// to twice as long.
const MatchLimit = 100 * time.Millisecond

// ErrTimeout reports that a match was abandoned because it took longer than
// [MatchLimit], or needed too much memory. Whether the text matches is unknown.
// The caller decides how many timeouts to tolerate.
var ErrTimeout = errors.New("the regular expression takes too long for this text")

// Expr is a compiled expression. It is safe for concurrent use.
type Expr struct {
	source string
	flags  Flags
	// clauses must all match; nil if the expression is not translated.
	clauses     []clause
	backtracker *backtracker
	risk        intray.Message
}

// Compile compiles an expression. It returns a [*SyntaxError] for what
// JavaScript rejects; other errors mean that the expression is too large. A
// source has at most 131,072 bytes, and groups are nested at most 200 deep.
func Compile(source string, f Flags) (*Expr, error) {
	root, err := parse(source, f)
	if err != nil {
		return nil, err
	}
	e := &Expr{source: source, flags: f}
	if e.clauses = translate(root, f, maxWork); e.clauses != nil {
		return e, nil
	}
	if e.backtracker, err = newBacktracker(root, f); err != nil {
		return nil, err
	}
	e.risk = findRisk(root, source, f)
	return e, nil
}

// Match reports whether the expression is found in a text. The text is UTF-8;
// each invalid byte counts as one U+FFFD. The only error is [ErrTimeout], which
// translated expressions never return.
func (e *Expr) Match(text []byte) (bool, error) {
	if e.backtracker != nil {
		return e.backtracker.match(text)
	}
	for i := range e.clauses {
		if !e.clauses[i].matches(text) {
			return false, nil
		}
	}
	return true, nil
}

// Translated reports whether the time of a match is proportional to the length
// of the text, for any text.
func (e *Expr) Translated() bool { return e.backtracker == nil }

// Risk explains why a match may take far longer than its text suggests, as a
// sentence without its end. It is zero if no risk was found, and for every
// translated expression.
func (e *Expr) Risk() intray.Message { return e.risk }

// String returns the expression as JavaScript writes it.
func (e *Expr) String() string { return "/" + e.source + "/" + e.flags.String() }

// Report is what is known of an expression that was not compiled.
type Report struct {
	// Translated is the result of [Expr.Translated]. For an expression of
	// thousands of parts it is known only after its table was built; until then
	// it is false.
	Translated bool
	// Risk is the result of [Expr.Risk].
	Risk intray.Message
	// Empty reports whether the empty text matches.
	Empty bool
}

// Inspect parses an expression and rejects what [Compile] rejects, with the
// same errors. It builds no table and no engine, so that it takes little more
// time than parsing.
func Inspect(source string, f Flags) (Report, error) {
	root, err := parse(source, f)
	if err != nil {
		return Report{}, err
	}
	r := Report{Empty: matchesEmpty(root)}
	translated, certain := predictTranslation(root, f)
	if translated {
		r.Translated = true
		return r, nil
	}
	if _, err := writeRegexp2(root, f); err != nil {
		// The table may be the only engine that can run it.
		r.Translated = !certain && translate(root, f, maxWork) != nil
		if !r.Translated {
			return Report{}, err
		}
		return r, nil
	}
	r.Risk = findRisk(root, source, f)
	return r, nil
}

// QuickSteps bounds the steps of [CompileQuick]: about a millisecond.
const QuickSteps = 1 << 15

// CompileQuick is [Compile] for expressions whose table is built within
// [QuickSteps]. For others it reports false.
func CompileQuick(source string, f Flags) (*Expr, bool) {
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

// predictTranslation predicts whether translate returns clauses, as far as that
// is certain without building tables.
func predictTranslation(root *node, f Flags) (translated, certain bool) {
	parts := splitConditions(root, false)
	if len(parts) > maxClauses {
		return false, true
	}
	translated = true
	for _, part := range parts {
		p, ok := newProgram(part, f)
		if !ok {
			return false, true
		}
		translated = translated && p.fitsGoRegexp()
	}
	return translated, translated
}

// matchesEmpty reports whether a node matches the empty text. Groups capture
// nothing there, so that a reference always matches.
func matchesEmpty(n *node) bool {
	switch n.kind {
	case kindChar:
		return false
	case kindWordEdge:
		return n.negated
	case kindAlternation:
		for _, k := range n.children {
			if matchesEmpty(k) {
				return true
			}
		}
		return false
	case kindLookaround:
		return matchesEmpty(n.children[0]) != n.negated
	case kindRepeat:
		return n.min == 0 || matchesEmpty(n.children[0])
	}
	for _, k := range n.children {
		if !matchesEmpty(k) {
			return false
		}
	}
	return true
}

// SyntaxError is why a source is not a regular expression.
type SyntaxError struct {
	// Character is the position in the source, in characters starting at 1.
	Character int
	// Reason is a sentence without its end.
	Reason intray.Message
}

// Describe returns the message of the error.
func (e *SyntaxError) Describe() intray.Message {
	return intray.NewMessage("regexp.invalid", intray.Params{"character": e.Character, "problem": e.Reason})
}

// Error returns the message in English.
func (e *SyntaxError) Error() string { return e.Describe().String() }

// trailingBackslash is the reason if nothing follows a backslash.
var trailingBackslash = intray.NewMessage("regexp.trailing_backslash", intray.Params{"escaped": `\\`})

// failAt stops parsing at an offset of the source, in units starting at 0.
// parse recovers the panic.
func (p *parser) failAt(at int, reason intray.Message) {
	panic(&SyntaxError{Character: characterAt(p.src, p.unicode, at), Reason: reason})
}

// characterAt returns the number, starting at 1, of the character at an offset
// in units.
func characterAt(src []rune, points bool, at int) int {
	n := 1
	for i := 1; i <= min(at, len(src)); i++ {
		if points || i == len(src) || !isPair(src[i-1], src[i]) {
			n++
		}
	}
	return n
}
