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
	clauses []clause
	slow    *backtracker
	risk    intray.Message
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
	if e.slow, err = newBacktracker(root, f); err != nil {
		return nil, err
	}
	e.risk = risk(root, source, f)
	return e, nil
}

// Match says whether the expression is found in a text. The text is UTF-8;
// each byte that is not counts as one U+FFFD. The only error is [ErrTimeout],
// which a translated expression never has.
func (e *Expr) Match(text []byte) (bool, error) {
	if e.slow != nil {
		return e.slow.match(text)
	}
	for i := range e.clauses {
		if !e.clauses[i].holds(text) {
			return false, nil
		}
	}
	return true, nil
}

// Translated says whether a match takes time in proportion to the length of
// the text, whatever the text is.
func (e *Expr) Translated() bool { return e.slow == nil }

// Risky says why a match may take far longer than its text lets expect, as a
// sentence without its end; the zero message where none was found. It is so for
// every translated expression.
func (e *Expr) Risky() intray.Message { return e.risk }

// String gives the expression as JavaScript writes it.
func (e *Expr) String() string { return "/" + e.source + "/" + e.flags.String() }
