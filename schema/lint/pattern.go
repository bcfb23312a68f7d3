package lint

import (
	"regexp/syntax"
	"strings"
	"unicode"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/validate/jsregexp"
)

// pattern is the expression of a validator, with properties of the text that it matches.
type pattern struct {
	source string
	flags  jsregexp.Flags
	// report is nil if the expression is invalid.
	report *jsregexp.Report
	// branches holds the alternatives of the expression. It is nil if they are unknown.
	branches []branch
}

// patternOf parses the expression of a validator once. It returns nil if the schema has too
// many expressions.
func (l *linter) patternOf(v intray.Validator) *pattern {
	source, _ := v.Options["regex"].(string)
	options, _ := v.Options["regexOptions"].(map[string]any)
	on := func(name string) bool { is, _ := options[name].(bool); return is }
	flags := jsregexp.Flags{IgnoreCase: on("ignoreCase"), DotAll: on("dotAll"), Multiline: on("multiline"), Unicode: on("unicode")}
	key := flags.String() + "/" + source
	p, known := l.patterns[key]
	if known || !l.budget.takePattern(len(source)) {
		return p
	}
	p = &pattern{source: source, flags: flags}
	if report, err := jsregexp.Inspect(source, flags); err == nil {
		p.report = &report
		if tree := parseRegexp(source, flags); tree != nil {
			p.branches = branchesOf(tree)
		}
	}
	l.patterns[key] = p
	return p
}

// parseRegexp parses an expression so that it matches everything that JavaScript matches.
// It may match slightly more, because a dot matches more line breaks. It returns nil if
// that is not certain.
func parseRegexp(source string, f jsregexp.Flags) *syntax.Regexp {
	if f.Multiline || len(source) > 1000 {
		return nil
	}
	source, ok := translateRegexp(source)
	if !ok {
		return nil
	}
	flags := syntax.Perl
	if f.IgnoreCase {
		flags |= syntax.FoldCase
	}
	if f.DotAll {
		flags |= syntax.DotNL
	}
	tree, err := syntax.Parse(source, flags)
	if err != nil {
		return nil
	}
	return tree
}

// space is JavaScript's \s within a character class of Go.
const space = `\s\v\x{FEFF}\p{Z}`

// translateRegexp translates an expression from JavaScript to Go syntax. It fails if the
// expression uses syntax that the languages do not have in common, except \s.
func translateRegexp(source string) (string, bool) {
	var b strings.Builder
	class := false
	for i := 0; i < len(source); i++ {
		rest := source[i+1:]
		switch source[i] {
		case '\\':
			text, ok := translateEscape(rest, class)
			if !ok {
				return "", false
			}
			b.WriteString(text)
			i++
			continue
		case '(':
			if !class && strings.HasPrefix(rest, "?") && !strings.HasPrefix(rest, "?:") {
				return "", false
			}
		case '[':
			if any, found := strings.CutPrefix(rest, `\s\S]`); found && !class {
				b.WriteString(`(?s:.)`)
				i = len(source) - len(any) - 1
				continue
			}
			if strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, "]") || strings.HasPrefix(rest, "^]") {
				return "", false
			}
			class = true
		case ']':
			class = false
		}
		b.WriteByte(source[i])
	}
	return b.String(), true
}

// translateEscape translates an escape sequence to Go syntax.
func translateEscape(rest string, class bool) (string, bool) {
	switch {
	case rest == "" || rest[0] >= 0x80:
		return "", false
	case rest[0] == 's' && class:
		return space, true
	case rest[0] == 's':
		return "[" + space + "]", true
	case rest[0] == 'S' && !class:
		return "[^" + space + "]", true
	case isAlnum(rest[0]) && strings.IndexByte("dDwWtnrfv", rest[0]) < 0:
		return "", false
	}
	return `\` + rest[:1], true
}

func isAlnum(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' }

// branch is one way to match an expression: a sequence of atoms.
type branch struct {
	// start reports whether a match begins at the start of the text, and end reports whether
	// it ends at the end.
	start, end bool
	// least and most are the minimum and maximum number of characters that the branch
	// matches. most is negative if there is no maximum.
	least, most int
	// first holds the characters with which a match may begin, as ranges of first and last
	// character.
	first []rune
	// beyond reports whether the branch matches characters above U+FFFF, which JavaScript
	// may count twice.
	beyond bool
	// never reports whether no text matches. all reports whether all text without line breaks
	// matches. counted reports whether the branch begins and ends with an atom that has a count.
	never, all, counted bool
}

// maxBranches is the maximum number of branches that are examined.
const maxBranches = 16

// branchesOf returns the ways to match an expression, or nil if there are too many or they
// are too complex.
func branchesOf(tree *syntax.Regexp) []branch {
	sequences, ok := expand(tree)
	if !ok {
		return nil
	}
	var list []branch
	for _, atoms := range sequences {
		b, ok := branchOf(atoms)
		if !ok {
			return nil
		}
		list = append(list, b)
	}
	return list
}

// expand returns the alternatives of an expression without the groups around them.
func expand(re *syntax.Regexp) (list [][]*syntax.Regexp, ok bool) {
	switch re.Op {
	case syntax.OpCapture:
		return expand(re.Sub[0])
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			more, ok := expand(sub)
			if list = append(list, more...); !ok || len(list) > maxBranches {
				return nil, false
			}
		}
		return list, true
	case syntax.OpConcat:
		list = [][]*syntax.Regexp{nil}
		for _, sub := range re.Sub {
			tails, ok := expand(sub)
			if !ok || len(list)*len(tails) > maxBranches {
				return nil, false
			}
			list = concatenate(list, tails)
		}
		return list, true
	case syntax.OpEmptyMatch:
		return [][]*syntax.Regexp{nil}, true
	}
	return [][]*syntax.Regexp{{re}}, true
}

func concatenate(heads, tails [][]*syntax.Regexp) (list [][]*syntax.Regexp) {
	for _, head := range heads {
		for _, tail := range tails {
			list = append(list, append(append([]*syntax.Regexp(nil), head...), tail...))
		}
	}
	return list
}

// branchOf returns the branch of a sequence. It fails for ^ or $ within the sequence and
// for other assertions.
func branchOf(atoms []*syntax.Regexp) (branch, bool) {
	var b branch
	for len(atoms) > 0 && atoms[0].Op == syntax.OpBeginText {
		b.start, atoms = true, atoms[1:]
	}
	for n := len(atoms); n > 0 && atoms[n-1].Op == syntax.OpEndText; n-- {
		b.end, atoms = true, atoms[:n-1]
	}
	open := true
	for _, atom := range atoms {
		a, ok := atomOf(atom)
		if !ok {
			return b, false
		}
		b.least, b.most = addBounded(b.least, a.least), addBounded(b.most, a.most)
		b.never, b.beyond = b.never || a.never, b.beyond || a.beyond
		if open {
			b.first = append(b.first, a.first...)
			open = a.least == 0
		}
	}
	n := len(atoms)
	b.counted = n > 0 && hasCount(atoms[0]) && hasCount(atoms[n-1])
	b.all = !b.never && b.least == 0 && (!b.start || !b.end || n == 1 && takesAnything(atoms[0]))
	return b, true
}

// unbounded is the smallest number that counts as no limit. Sums of such numbers still fit
// into an int.
const unbounded = 1 << 30

func addBounded(a, b int) int {
	if a < 0 || b < 0 || a+b >= unbounded {
		return -1
	}
	return a + b
}

// hasCount reports whether an atom is a repeated character with a limited count of at
// least two, such as \d{5}.
func hasCount(atom *syntax.Regexp) bool {
	return atom.Op == syntax.OpRepeat && atom.Min > 1 && atom.Max > 1 && atom.Sub[0].Op == syntax.OpCharClass
}

func takesAnything(atom *syntax.Regexp) bool {
	return atom.Op == syntax.OpStar && (atom.Sub[0].Op == syntax.OpAnyChar || atom.Sub[0].Op == syntax.OpAnyCharNotNL)
}

// atomOf returns the branch for one atom of a sequence.
func atomOf(re *syntax.Regexp) (branch, bool) {
	switch re.Op {
	case syntax.OpLiteral:
		return literalBranch(re), true
	case syntax.OpCharClass:
		last := len(re.Rune) - 1
		return branch{least: 1, most: 1, first: re.Rune, beyond: last > 0 && re.Rune[last] > 0xFFFF, never: last < 0}, true
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return branch{least: 1, most: 1, first: []rune{0, unicode.MaxRune}, beyond: true}, true
	case syntax.OpNoMatch:
		return branch{never: true}, true
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		return repeatBranch(re)
	case syntax.OpEmptyMatch, syntax.OpConcat, syntax.OpAlternate, syntax.OpCapture:
		return groupBranch(re)
	}
	return branch{}, false
}

func literalBranch(re *syntax.Regexp) branch {
	b := branch{least: len(re.Rune), most: len(re.Rune), first: caseVariants(re.Rune[0], re.Flags)}
	for _, r := range re.Rune {
		b.beyond = b.beyond || r > 0xFFFF
	}
	return b
}

// caseVariants returns the characters that a literal character matches, as ranges: the character
// itself and, if the flags ignore case, its case variants.
func caseVariants(r rune, flags syntax.Flags) []rune {
	pairs := []rune{r, r}
	if flags&syntax.FoldCase != 0 {
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			pairs = append(pairs, f, f)
		}
	}
	return pairs
}

func repeatBranch(re *syntax.Regexp) (branch, bool) {
	least, most := re.Min, re.Max
	switch re.Op {
	case syntax.OpStar:
		least, most = 0, -1
	case syntax.OpPlus:
		least, most = 1, -1
	case syntax.OpQuest:
		least, most = 0, 1
	}
	b, ok := groupBranch(re.Sub[0])
	b.never = b.never && least > 0
	b.most = multiplyBounded(b.most, most)
	b.least = min(b.least*least, unbounded/2)
	return b, ok
}

func multiplyBounded(a, b int) int {
	switch {
	case a == 0 || b == 0:
		return 0
	case a < 0 || b < 0 || a*b >= unbounded:
		return -1
	}
	return a * b
}

// groupBranch returns one branch that covers all branches of a nested expression.
func groupBranch(re *syntax.Regexp) (branch, bool) {
	if re.Op != syntax.OpCapture && re.Op != syntax.OpConcat && re.Op != syntax.OpAlternate && re.Op != syntax.OpEmptyMatch {
		return atomOf(re)
	}
	all := branchesOf(re)
	if all == nil {
		return branch{}, false
	}
	whole := all[0]
	for i, b := range all {
		if b.start || b.end || b.never {
			return b, false
		}
		if i == 0 {
			continue
		}
		whole.least = min(whole.least, b.least)
		if whole.most < 0 || b.most < 0 {
			whole.most = -1
		} else {
			whole.most = max(whole.most, b.most)
		}
		whole.first = append(whole.first, b.first...)
		whole.beyond = whole.beyond || b.beyond
	}
	return whole, true
}

// form describes properties that nonempty strings have in common, such as all values of a
// type or all strings that an expression matches.
type form struct {
	// least and most are the minimum and maximum number of characters. most is negative if
	// there is no maximum.
	least, most int
	// first holds the characters with which the strings begin, as ranges of first and last
	// character. nil means any.
	first []rune
}

// anyForm returns the form that allows every nonempty string.
func anyForm() form { return form{least: 1, most: -1} }

var (
	digits  = []rune("09")
	capital = []rune("AZ")
	letters = []rune("AZaz")
	hex     = []rune("09AFaf")
	numeral = []rune("09--")
)

// fixedLength returns the form of strings with exactly n characters.
func fixedLength(n int, first []rune) form { return form{n, n, first} }

// formOf returns the form of the values of a field.
func formOf(f intray.Field) form {
	switch f.Type.Name {
	case intray.TypeState:
		return fixedLength(2, capital)
	case intray.TypeCountry:
		if f.Type.Options["format"] == "3-letter" {
			return fixedLength(3, capital)
		}
		return fixedLength(2, capital)
	case intray.TypeZIP:
		if f.Type.Options["format"] == "9-digit" {
			return digitForm(boolOption(f, "outputDash"), 9, 10)
		}
		return fixedLength(5, digits)
	case intray.TypeSSN:
		return digitForm(boolOption(f, "outputDash"), 9, 11)
	case intray.TypeUUID:
		return fixedLength(36, hex)
	case intray.TypeNumber:
		return form{1, -1, numeral}
	case intray.TypeDate:
		return fixedLength(10, digits)
	case intray.TypeDatetime:
		return digitForm(boolOption(f, "withSeconds"), 16, 19)
	case intray.TypeTime:
		return digitForm(boolOption(f, "withSeconds"), 5, 8)
	case intray.TypeEmail, intray.TypeDomain, intray.TypePhone, intray.TypeURL:
		return form{3, -1, nil}
	}
	return anyForm()
}

// digitForm returns the form of strings that begin with a digit. The second of the given lengths
// applies if the option is on, and the first applies otherwise.
func digitForm(on bool, without, with int) form {
	if on {
		return fixedLength(with, digits)
	}
	return fixedLength(without, digits)
}

// textForms returns the forms of the strings that an expression matches. known is false if it
// may match any string. If known is true and list is empty, it matches no nonempty string.
func (p *pattern) textForms() (list []form, known bool) {
	if p.branches == nil {
		return nil, false
	}
	for _, b := range p.branches {
		if b.never || b.start && b.end && b.most == 0 {
			continue
		}
		f := anyForm()
		f.least = max(1, b.least)
		if b.beyond && !p.flags.Unicode {
			f.least = max(1, (b.least+1)/2)
		}
		if b.start && b.end {
			f.most = b.most
		}
		if b.start && (b.end || b.least > 0) {
			f.first = b.first
		}
		list = append(list, f)
	}
	return list, true
}

// isDisjoint reports whether no string has both forms.
func (f form) isDisjoint(g form) bool {
	return f.most >= 0 && f.most < g.least || g.most >= 0 && g.most < f.least || f.first != nil && g.first != nil && !overlap(f.first, g.first)
}

func overlap(a, b []rune) bool {
	for i := 0; i+1 < len(a); i += 2 {
		for j := 0; j+1 < len(b); j += 2 {
			if a[i] <= b[j+1] && b[j] <= a[i+1] {
				return true
			}
		}
	}
	return false
}

// allDisjoint reports whether no string has both a form in the first list and a form in the
// second.
func allDisjoint(a, b []form) bool {
	for _, f := range a {
		for _, g := range b {
			if !f.isDisjoint(g) {
				return false
			}
		}
	}
	return true
}
