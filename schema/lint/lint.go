// Package lint looks a schema through for what cannot be meant.
//
// The nouns:
//
//   - A [Finding] is one such place: a path as the issues of package schema
//     write it, a level, a code, and a sentence that says what is wrong and
//     what to do.
//   - A warning is about what will go wrong: a rule that no value keeps, two
//     options or two fields that no file can tell apart, a setting that another
//     one overrules. An info is about what changes nothing or may surprise.
//
// The package says only what follows from the schema itself, and keeps silent
// where an import could still make sense of it. It refuses nothing: that is
// done by package schema, and only schemas that it accepts are looked at.
// It does not run hooks, and does not know what files will bring.
package lint

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/intraydata/intray"
)

// MaxFindings is the most findings that one look gives. Where there are more,
// the last one, of the code more_findings, says how many were left out.
const MaxFindings = 500

// Finding is something in a schema that cannot be meant.
type Finding struct {
	// Path leads to the place: fields[2].validators[0].regex. It is "" for the
	// schema as a whole.
	Path string
	// Level is intray.LevelWarning or intray.LevelInfo.
	Level intray.Level
	// Code names the kind of finding. It stays the same where the text changes.
	Code string
	// Text says what is wrong and what to do, in whole sentences.
	Text intray.Message
}

// Describe returns the text with the path in front of it.
func (f Finding) Describe() intray.Message {
	if f.Path == "" {
		return f.Text
	}
	return intray.NewMessage("property.problem", intray.Params{"path": f.Path, "problem": f.Text})
}

// String joins path and text, for a line of its own.
func (f Finding) String() string { return f.Describe().String() }

// Check looks through a schema that schema.Parse accepts, in the order of
// its parts: the whole, each field with its rules and options, the settings,
// the hooks. The same schema always gives the same findings. It takes well
// under a second for the largest schema there may be.
//
// Settings that only imports in a browser know are not in a schema; CheckWritten
// sees them too.
func Check(s *intray.Schema) []Finding { return CheckWritten(s, nil) }

// CheckWritten is Check, and looks at the settings as they were written, too.
// They are decoded JSON, as encoding/json or shape.Decode give it, or nil.
func CheckWritten(s *intray.Schema, settings any) []Finding {
	l := &linter{
		schema: s, keys: make(map[string]int, len(s.Fields)), hooksMayOffer: mayOfferOptions(s.Hooks),
		budget: newBudget(), patterns: map[string]*pattern{},
	}
	for i, f := range s.Fields {
		l.keys[f.Key] = i
	}
	l.checkAllHidden()
	l.checkNames()
	for i := range s.Fields {
		l.checkField(i)
	}
	l.checkUnique()
	l.reportSkipped()
	written, _ := settings.(map[string]any)
	l.checkSettings(written)
	l.checkHooks()
	return l.sorted()
}

// linter is one look at a schema.
type linter struct {
	schema *intray.Schema
	// keys gives the place of each field by its key.
	keys     map[string]int
	found    []locatedFinding
	budget   budget
	patterns map[string]*pattern
	// required says which fields are; nil before it is first asked for.
	required []bool
	// optionNameCache are the names of the options of fields, as far as asked for.
	optionNameCache map[int]optionNameSet
	// hooksMayOffer says that hooks may offer other options.
	hooksMayOffer bool
}

// locatedFinding is a finding and where in the schema it belongs.
type locatedFinding struct {
	location location
	Finding
}

// location is a part of a schema. Findings are sorted by field and part.
type location struct {
	field, part int
	path        string
}

// firstOption is the part of a field at which its options begin, behind all
// rules.
const firstOption = 1 << 30

func (l *linter) fieldAt(i int, name string) location {
	return location{i, 0, joinPath(indexed("fields", i), name)}
}

func (l *linter) ruleAt(i, rule int, name string) location {
	return location{i, 1 + rule, joinPath(joinPath(indexed("fields", i), indexed("validators", rule)), name)}
}

func (l *linter) optionAt(i, option int, name string) location {
	return location{i, firstOption + option, joinPath(joinPath(indexed("fields", i), indexed("selectOptions", option)), name)}
}

func (l *linter) settingAt(name string) location {
	return location{len(l.schema.Fields), 0, joinPath("settings", name)}
}

func indexed(name string, i int) string { return name + "[" + strconv.Itoa(i) + "]" }

func joinPath(path, name string) string {
	if name == "" {
		return path
	}
	return path + "." + name
}

func (l *linter) warn(at location, code string, text intray.Message) {
	l.addFinding(at, intray.LevelWarning, code, text)
}

func (l *linter) info(at location, code string, text intray.Message) {
	l.addFinding(at, intray.LevelInfo, code, text)
}

func (l *linter) addFinding(at location, level intray.Level, code string, text intray.Message) {
	l.found = append(l.found, locatedFinding{at, Finding{at.path, level, code, text}})
}

// sorted gives the findings in the order of the schema, as many as are told.
// Warnings are kept before infos are.
func (l *linter) sorted() []Finding {
	more := len(l.found) - MaxFindings
	if more > 0 {
		more++
		slices.SortStableFunc(l.found, func(a, b locatedFinding) int {
			return cmp.Or(cmp.Compare(a.Level, b.Level), compareLocation(a, b))
		})
		l.found = l.found[:MaxFindings-1]
	}
	slices.SortStableFunc(l.found, compareLocation)
	list := make([]Finding, 0, len(l.found)+1)
	for _, f := range l.found {
		list = append(list, f.Finding)
	}
	if more > 0 {
		list = append(list, Finding{"", intray.LevelInfo, "more_findings", intray.NewMessage("lint.more_findings", intray.Params{"n": more})})
	}
	return list
}

func compareLocation(a, b locatedFinding) int {
	return cmp.Or(cmp.Compare(a.location.field, b.location.field), cmp.Compare(a.location.part, b.location.part))
}

// Texts name at most maxNamed things and cut each behind maxQuote characters.
const (
	maxNamed = 5
	maxQuote = 60
)

// shorten leaves so much of a text of the schema as a message shows.
func shorten(text string) string {
	n := 0
	for i := range text {
		if n++; n > maxQuote {
			return text[:i] + "…"
		}
	}
	return text
}

// listed names the first of total things, and counts those left out.
func listed[T string | intray.Message](all []T, total int) intray.Message {
	shown := all[:min(len(all), maxNamed)]
	if more := total - len(shown); more > 0 {
		return intray.NewMessage("lint.list_and_more", intray.Params{"list": shown, "n": more})
	}
	return intray.NewMessage("lint.list", intray.Params{"list": shown})
}

// quoted is a text of the schema in a list.
func quoted(text string) intray.Message {
	return intray.NewMessage("lint.quoted", intray.Params{"text": shorten(text)})
}

// budget bounds what one look costs. It counts and does not look at a clock, so
// that the same schema always gives the same findings.
type budget struct {
	// patterns are the expressions that may still be compiled, source their
	// bytes together.
	patterns, source int
	// valueBytes are the bytes of options that may still be tried with rules.
	valueBytes int
	// keys are the names of fields in rules that may still be looked up.
	keys int
	// variants are the spellings that may still be made of the names of options.
	variants int

	// The rest is what was left out.
	patternsLeft, optionsLeft, rulesLeft int
}

func newBudget() budget {
	return budget{patterns: 200, source: 32 << 10, valueBytes: 4 << 20, keys: 500_000, variants: 500_000}
}

// takePattern says whether an expression with a source of so many bytes may be
// compiled.
func (b *budget) takePattern(size int) bool {
	if b.patterns < 1 || b.source < size {
		b.patternsLeft++
		return false
	}
	b.patterns--
	b.source -= size
	return true
}

// reportSkipped says what was not looked at.
func (l *linter) reportSkipped() {
	if n := l.budget.patternsLeft; n > 0 {
		l.info(location{field: -1}, "not_all_checked", intray.NewMessage("lint.expressions_not_checked", intray.Params{"n": n}))
	}
	if n := l.budget.optionsLeft; n > 0 {
		l.info(location{field: -1}, "not_all_checked", intray.NewMessage("lint.options_not_checked", intray.Params{"n": n}))
	}
	if n := l.budget.rulesLeft; n > 0 {
		l.info(location{field: -1}, "not_all_checked", intray.NewMessage("lint.rules_not_checked", intray.Params{"n": n}))
	}
}
