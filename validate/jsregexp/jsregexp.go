package jsregexp

import (
	"errors"
	"time"

	"github.com/intraydata/intray"
)

// Flags are those of a JavaScript regular expression that change its meaning.
// The zero value has none.
type Flags struct {
	// IgnoreCase is i, DotAll is s, Multiline is m, Unicode is u.
	IgnoreCase, DotAll, Multiline, Unicode bool
}

// String gives the flags as JavaScript writes them.
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

// MatchLimit is how long one match of an expression that is not translated may
// take. The clock ticks ten times a second, so that a match may run up to
// twice as long.
const MatchLimit = 100 * time.Millisecond

// ErrTimeout says that a match was given up: it ran longer than [MatchLimit],
// or wanted more memory than a match may have. Whether the text matches is not
// known. How many of them an import may have is for the caller to say.
var ErrTimeout = errors.New("the regular expression takes too long for this text")

// Expr is a compiled expression. It may be used from several goroutines.
type Expr struct {
	source string
	flags  Flags
	// clauses are all wanted at once; nil where the expression is not
	// translated.
	clauses     []clause
	backtracker *backtracker
	risk        intray.Message
}

// Compile reads an expression. What JavaScript refuses is a [*SyntaxError];
// other errors say that the expression is too large to be run. A source has
// at most 131,072 bytes, and groups stand at most 200 deep in each other.
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

// Match says whether the expression is found in a text. The text is UTF-8;
// each byte that is not counts as one U+FFFD. The only error is [ErrTimeout],
// which a translated expression never has.
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

// Translated says whether a match takes time in proportion to the length of
// the text, whatever the text is.
func (e *Expr) Translated() bool { return e.backtracker == nil }

// Risk says why a match may take far longer than its text lets expect, as a
// sentence without its end; the zero message where none was found. It is so for
// every translated expression.
func (e *Expr) Risk() intray.Message { return e.risk }

// String gives the expression as JavaScript writes it.
func (e *Expr) String() string { return "/" + e.source + "/" + e.flags.String() }

// Report is what an expression tells without being made ready.
type Report struct {
	// Translated is what [Expr.Translated] says. Of an expression of thousands
	// of parts that is known only once its table is made; until then it counts
	// as not translated.
	Translated bool
	// Risk is what [Expr.Risk] says.
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
	r := Report{Empty: matchesEmpty(root)}
	translated, certain := predictTranslation(root, f)
	if translated {
		r.Translated = true
		return r, nil
	}
	if _, err := writeRegexp2(root, f); err != nil {
		// What only the table can run is not refused.
		r.Translated = !certain && translate(root, f, maxWork) != nil
		if !r.Translated {
			return Report{}, err
		}
		return r, nil
	}
	r.Risk = findRisk(root, source, f)
	return r, nil
}

// QuickSteps bounds the steps in which [CompileQuick] makes a table: about a
// millisecond.
const QuickSteps = 1 << 15

// CompileQuick is [Compile] for the expressions of which a table is made within
// [QuickSteps]; of any other it says false.
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

// predictTranslation says whether translate makes clauses of an expression, as far as that
// is certain without making tables.
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

// matchesEmpty says whether a node matches within the empty text. There a group
// takes nothing if it takes part, so that a reference always matches.
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

// SyntaxError tells why a source is no regular expression.
type SyntaxError struct {
	// Character is the place in the source, counted from 1 in characters.
	Character int
	// Reason is a sentence without its end.
	Reason intray.Message
}

// Describe returns the message of the error.
func (e *SyntaxError) Describe() intray.Message {
	return intray.NewMessage("regexp.invalid", intray.Params{"character": e.Character, "problem": e.Reason})
}

// Error renders the message in English.
func (e *SyntaxError) Error() string { return e.Describe().String() }

// trailingBackslash is the reason where nothing follows a backslash.
var trailingBackslash = intray.NewMessage("regexp.trailing_backslash", intray.Params{"escaped": `\\`})

// failAt stops the reading at a place of the source, counted from 0 in units.
// The panic is caught in parse.
func (p *parser) failAt(at int, reason intray.Message) {
	panic(&SyntaxError{Character: characterAt(p.src, p.unicode, at), Reason: reason})
}

// characterAt gives the number, from 1, of the character at a place in units.
func characterAt(src []rune, points bool, at int) int {
	n := 1
	for i := 1; i <= min(at, len(src)); i++ {
		if points || i == len(src) || !isPair(src[i-1], src[i]) {
			n++
		}
	}
	return n
}
