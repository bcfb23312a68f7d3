// Package jsregexp matches text against JavaScript regular expressions.
//
// An expression is a source without slashes, and four [Flags]. Its grammar is the pattern
// grammar of ECMAScript 2024 with annex B. [Compile] parses the source and reports an error with
// its position and the reason. Text matches if RegExp.prototype.test returns true, that is, if
// the expression matches anywhere in the text. Like JavaScript, the package counts UTF-16 code
// units unless the u flag is set: a character above U+FFFF counts as two.
//
// An [Expr] runs in one of three engines. An expression without backreferences or lookarounds,
// other than lookaheads at the start of an anchored expression, is translated into a table of
// states, which takes one step per character, or into an expression for Go's regexp if the table
// would be too large. Any other expression runs in regexp2, which backtracks. A match in regexp2
// has a time limit, because it can take very long. All engines receive the same character sets:
// escapes, flags and case folding are resolved beforehand.
//
// Out of scope are replacing, splitting, captures, the v flag, and features
// added after ECMAScript 2024.
package jsregexp

import (
	"errors"
	"slices"
	"time"

	"github.com/intraydata/intray"
)

// Flags are the flags of a JavaScript regular expression that affect matching.
// In the zero value, no flag is set.
type Flags struct {
	// IgnoreCase is the flag i, DotAll s, Multiline m, and Unicode u.
	IgnoreCase, DotAll, Multiline, Unicode bool
}

// String returns the flags in JavaScript notation.
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

// MatchLimit is the time limit of a match by an expression that is not translated. regexp2
// checks its clock every 100 ms, so a match can take up to twice as long.
const MatchLimit = 100 * time.Millisecond

// ErrTimeout reports that a match was abandoned because it exceeded
// [MatchLimit] or needed too much memory. It is unknown whether the text
// matches. The caller decides how many timeouts to tolerate.
var ErrTimeout = errors.New("the regular expression takes too long for this text")

// Expr is a compiled expression. It is safe for concurrent use.
type Expr struct {
	source string
	flags  Flags
	// clauses is the translated expression: the text matches if all clauses
	// match. It is nil if the expression is not translated.
	clauses     []clause
	backtracker *backtracker
	risk        intray.Message
}

// Compile compiles an expression. If JavaScript would reject the expression, Compile returns a
// [*SyntaxError]; any other error means that the expression is too large. The maximum length of
// a source is 131,072 bytes, and groups may be nested up to 200 deep.
func Compile(source string, f Flags) (*Expr, error) {
	steps := maxWork
	return CompileWithin(source, f, &steps)
}

// CompileWithin is like [Compile], but subtracts the number of steps for building the tables of
// the expression from steps. If too few steps are left, the expression runs in Go's regexp
// instead, which is slower. An expression that is too large for Go's regexp gets its table.
func CompileWithin(source string, f Flags, steps *int) (*Expr, error) {
	root, err := parse(source, f)
	if err != nil {
		return nil, err
	}
	e := &Expr{source: source, flags: f}
	var took int
	e.clauses, took = translateWithin(root, f, maxWork, min(max(*steps, 0), maxWork))
	*steps -= took
	if e.clauses != nil {
		return e, nil
	}
	if e.backtracker, err = newBacktracker(root, f); err != nil {
		return nil, err
	}
	e.risk = findRisk(root, source, f)
	return e, nil
}

// Match reports whether the expression matches anywhere in text. The text is
// UTF-8; each invalid byte counts as one U+FFFD. The only possible error is
// [ErrTimeout], which translated expressions never return.
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

// Tables returns the number of tables that a match uses, each in one step per character. It
// returns 0 if the expression needs another engine, too.
func (e *Expr) Tables() int {
	for i := range e.clauses {
		if e.clauses[i].table == nil {
			return 0
		}
	}
	return len(e.clauses)
}

// Translated reports whether the time of a match is proportional to the length
// of the text, whatever the text is.
func (e *Expr) Translated() bool { return e.backtracker == nil }

// Risk returns a reason why a match may take much longer than the length of the
// text suggests. The reason is a sentence without a full stop. It is zero if no
// risk was found, and for every translated expression.
func (e *Expr) Risk() intray.Message { return e.risk }

// String returns the expression in JavaScript notation.
func (e *Expr) String() string { return "/" + e.source + "/" + e.flags.String() }

// Report is what [Inspect] found out about an expression without compiling it.
type Report struct {
	// Translated is the result of [Expr.Translated]. For an expression with thousands of parts,
	// it is known only after [Compile] has built the table. Until then, it is false.
	Translated bool
	// Risk is the result of [Expr.Risk].
	Risk intray.Message
	// Empty reports whether the expression matches the empty string.
	Empty bool
}

// Inspect parses an expression. It rejects the same expressions as [Compile],
// with the same errors. It takes only slightly longer than parsing, because it
// usually builds no table and no engine.
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
		// The table may be the only engine that can run this expression.
		r.Translated = !certain && translate(root, f, maxWork) != nil
		if !r.Translated {
			return Report{}, err
		}
		return r, nil
	}
	r.Risk = findRisk(root, source, f)
	return r, nil
}

// Check reports the error that [Compile] would return. It takes only slightly longer than
// parsing, except for an expression that only a table can run because it is too large for the
// other engines. Building that table and folding the cases of large classes takes at most the
// given number of steps, which Check subtracts from steps. If too few steps are left, it reports
// that the expression is too large.
func Check(source string, f Flags, steps *int) error {
	root, err := parseWithin(source, f, steps)
	if err != nil {
		return err
	}
	if _, err = writeRegexp2(root, f); err == nil {
		return nil
	}
	most := min(max(*steps, 0), maxWork)
	list, took := translateWithin(root, f, most, most)
	*steps -= took
	if list != nil {
		return nil
	}
	return err
}

// QuickSteps is the maximum number of steps of [CompileQuick], which take about a millisecond.
const QuickSteps = 1 << 15

// CompileQuick is like [Compile], but reports false if building the table of
// the expression takes more than [QuickSteps] steps.
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

// predictTranslation predicts whether translate returns clauses. certain
// reports whether the prediction is possible without building the tables.
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

// matchesEmpty reports whether a node matches the empty string. In an empty
// string, groups capture nothing, so a backreference always matches.
func matchesEmpty(n *node) bool {
	switch n.kind {
	case kindChar:
		return false
	case kindWordEdge:
		return n.negated
	case kindAlternation:
		return slices.ContainsFunc(n.children, matchesEmpty)
	case kindLookaround:
		return matchesEmpty(n.children[0]) != n.negated
	case kindRepeat:
		return n.min == 0 || matchesEmpty(n.children[0])
	}
	return !slices.ContainsFunc(n.children, func(k *node) bool { return !matchesEmpty(k) })
}

// SyntaxError reports why a source is not a valid regular expression.
type SyntaxError struct {
	// Character is the position in the source in characters, counted from 1.
	Character int
	// Reason is a sentence without a full stop.
	Reason intray.Message
}

// Describe returns the message that describes the error.
func (e *SyntaxError) Describe() intray.Message {
	return intray.NewMessage("regexp.invalid", intray.Params{"character": e.Character, "problem": e.Reason})
}

// Error returns the message in English.
func (e *SyntaxError) Error() string { return e.Describe().String() }

// trailingBackslash is the reason for rejecting a source that ends with a backslash.
var trailingBackslash = intray.NewMessage("regexp.trailing_backslash", intray.Params{"escaped": `\\`})

// failAt stops parsing with an error at an offset in the source. The offset is
// in units, counted from 0. parse recovers the panic.
func (p *parser) failAt(at int, reason intray.Message) {
	panic(&SyntaxError{Character: characterAt(p.src, p.unicode, at), Reason: reason})
}

// characterAt returns the position, counted from 1, of the character at an offset in units.
func characterAt(src []rune, points bool, at int) int {
	n := 1
	for i := 1; i <= min(at, len(src)); i++ {
		if points || i == len(src) || !isPair(src[i-1], src[i]) {
			n++
		}
	}
	return n
}
