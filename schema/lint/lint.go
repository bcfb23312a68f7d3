// Package lint finds likely mistakes in schemas.
//
// A [Finding] has a path as the issues of package schema have it, a level, a code, and a
// text that says what is wrong and what to do. A warning is about what will go wrong: a
// validator that no value satisfies, options or fields that no file can distinguish, or a
// setting that another one overrides. An info is about what has no effect or may
// surprise.
//
// The package reports only what follows from the schema, and nothing that could make
// sense in some import. It refuses nothing; package schema does, and only schemas that it
// accepts are checked. It does not run hooks and does not know files.
package lint

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/intraydata/intray"
)

// MaxFindings is the most findings of a schema. If there are more, the last one has the
// code more_findings and the number of the others.
const MaxFindings = 500

// Finding is a likely mistake in a schema.
type Finding struct {
	// Path is the location, such as fields[2].validators[0].regex, or "" for the whole
	// schema.
	Path string
	// Level is intray.LevelWarning or intray.LevelInfo.
	Level intray.Level
	// Code names the kind of finding. It does not change when the text does.
	Code string
	// Text explains the finding and how to fix it.
	Text intray.Message
}

// Describe returns the text after the path.
func (f Finding) Describe() intray.Message {
	if f.Path == "" {
		return f.Text
	}
	return intray.NewMessage("property.problem", intray.Params{"path": f.Path, "problem": f.Text})
}

// String returns the path and the text in one line.
func (f Finding) String() string { return f.Describe().String() }

// Check returns the findings of a schema that schema.Parse accepts, in the order of the
// schema: the whole, each field with its validators and options, the settings, the hooks.
// The same schema always has the same findings. It takes well under a second for the
// largest schema.
//
// A schema does not have the settings that only imports in a browser use; CheckWritten
// checks them too.
func Check(s *intray.Schema) []Finding { return CheckWritten(s, nil) }

// CheckWritten is like Check, but also checks the settings as they are written. They are
// decoded JSON, as encoding/json or jsonschema.Decode return it, or nil.
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

// linter checks one schema.
type linter struct {
	schema *intray.Schema
	// keys maps the keys of fields to their indexes.
	keys     map[string]int
	found    []locatedFinding
	budget   budget
	patterns map[string]*pattern
	// required reports which fields are required; nil until it is first needed.
	required []bool
	// optionNameCache has the names of the options of fields that were needed so far.
	optionNameCache map[int]optionNameSet
	// hooksMayOffer reports whether hooks may offer other options.
	hooksMayOffer bool
}

// locatedFinding is a finding and its location in the schema.
type locatedFinding struct {
	location location
	Finding
}

// location is a part of a schema. Findings are sorted by field and part.
type location struct {
	field, part int
	path        string
}

// firstOption is the part of a field at which its options begin, after all validators.
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

// sorted returns the findings in the order of the schema, at most MaxFindings. Warnings
// take precedence over infos.
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

// Texts name at most maxNamed items and shorten each to maxQuote characters.
const (
	maxNamed = 5
	maxQuote = 60
)

// shorten returns as much of a text as a message shows.
func shorten(text string) string {
	n := 0
	for i := range text {
		if n++; n > maxQuote {
			return text[:i] + "…"
		}
	}
	return text
}

// listed names the first of total items and counts the others.
func listed[T string | intray.Message](all []T, total int) intray.Message {
	shown := all[:min(len(all), maxNamed)]
	if more := total - len(shown); more > 0 {
		return intray.NewMessage("lint.list_and_more", intray.Params{"list": shown, "n": more})
	}
	return intray.NewMessage("lint.list", intray.Params{"list": shown})
}

// quoted returns a text of the schema for a list.
func quoted(text string) intray.Message {
	return intray.NewMessage("lint.quoted", intray.Params{"text": shorten(text)})
}

// budget limits the cost of a check. It counts instead of measuring time, so that the
// same schema always has the same findings.
type budget struct {
	// patterns is the number of expressions that may still be compiled, and source that
	// of their bytes.
	patterns, source int
	// valueBytes is the number of bytes of options that may still be tried with
	// validators.
	valueBytes int
	// keys is the number of field names in validators that may still be looked up.
	keys int
	// variants is the number of spellings of option names that may still be created.
	variants int

	// The others count what was skipped.
	patternsLeft, optionsLeft, rulesLeft int
}

func newBudget() budget {
	return budget{patterns: 200, source: 32 << 10, valueBytes: 4 << 20, keys: 500_000, variants: 500_000}
}

// takePattern reports whether an expression with a source of so many bytes may be
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

// reportSkipped reports what was not checked.
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
