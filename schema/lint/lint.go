// Package lint finds likely mistakes in schemas.
//
// A [Finding] has a path, as in the issues of package schema, a level, a code, and a message
// that explains the problem and how to fix it. A warning reports a mistake that will cause
// problems: a validator that no value satisfies, options or fields that no file can
// distinguish, or a setting that a second setting overrides. A finding with the level info
// reports something that has no effect or may be surprising.
//
// The package relies on the schema alone, and reports nothing that could be intended in some
// import. It checks only schemas that package schema accepts, and rejects none. It does not
// run hooks or read files.
package lint

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/intraydata/intray"
)

// MaxFindings is the maximum number of findings for a schema. If there are more, the last
// one has the code more_findings and states how many were omitted.
const MaxFindings = 500

// Finding is a likely mistake in a schema.
type Finding struct {
	// Path is the location, such as fields[2].validators[0].regex, or "" for the whole schema.
	Path string
	// Level is intray.LevelWarning or intray.LevelInfo.
	Level intray.Level
	// Code identifies the kind of finding. It stays the same if the wording of Text changes.
	Code string
	// Text explains the finding and how to fix it.
	Text intray.Message
}

// Describe returns the path followed by the text.
func (f Finding) Describe() intray.Message {
	if f.Path == "" {
		return f.Text
	}
	return intray.NewMessage("property.problem", intray.Params{"path": f.Path, "problem": f.Text})
}

// String returns the path and the text in one line.
func (f Finding) String() string { return f.Describe().String() }

// Check returns the findings for a schema, which schema.Parse must have accepted. They are
// in the order of the schema: the schema as a whole, each field with its validators and
// options, the settings, and the hooks. The same schema always has the same findings. Check
// takes well under a second for the largest schema.
//
// An intray.Schema does not contain the settings that only imports in a browser use.
// CheckWritten checks these, too.
func Check(s *intray.Schema) []Finding { return CheckWritten(s, nil) }

// CheckWritten is like Check, but also checks the settings as they are in the document.
// settings is decoded JSON, as returned by encoding/json or jsonschema.Decode, or nil.
func CheckWritten(s *intray.Schema, settings any) []Finding {
	l := &linter{
		schema: s, keys: make(map[string]int, len(s.Fields)), hooksMayOffer: mayOfferOptions(s.Hooks),
		budget: newBudget(), patterns: map[string]*pattern{}, valueSizes: map[*string]int{},
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
	if n := l.budget.patternsLeft; n > 0 {
		l.info(location{field: -1}, "not_all_checked", intray.NewMessage("lint.expressions_not_checked", intray.Params{"n": n}))
	}
	if n := l.budget.optionsLeft; n > 0 {
		l.info(location{field: -1}, "not_all_checked", intray.NewMessage("lint.options_not_checked", intray.Params{"n": n}))
	}
	if n := l.budget.rulesLeft; n > 0 {
		l.info(location{field: -1}, "not_all_checked", intray.NewMessage("lint.rules_not_checked", intray.Params{"n": n}))
	}
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
	// required reports which fields are required. It is nil until its first use.
	required []bool
	// optionNameCache holds the option names of the fields for which they were needed so far.
	optionNameCache map[int]optionNameSet
	// valueSizes holds the sizes of lists of values, in bytes, by their first elements.
	valueSizes map[*string]int
	// hooksMayOffer reports whether hooks may offer options that the fields do not have.
	hooksMayOffer bool
}

// locatedFinding is a finding and its location in the schema.
type locatedFinding struct {
	location location
	Finding
}

// location is the position of a part in a schema. Findings are sorted by field and part.
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

// sorted returns at most MaxFindings findings in the order of the schema. If there are more,
// it drops those with the level info first.
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

// Messages list at most maxNamed items and truncate each to maxQuote characters.
const (
	maxNamed = 5
	maxQuote = 60
)

// shorten returns the part of text that a message shows.
func shorten(text string) string {
	n := 0
	for i := range text {
		if n++; n > maxQuote {
			return text[:i] + "…"
		}
	}
	return text
}

// listed returns a message that lists the first items and states how many of the total
// items follow.
func listed[T string | intray.Message](all []T, total int) intray.Message {
	shown := all[:min(len(all), maxNamed)]
	if more := total - len(shown); more > 0 {
		return intray.NewMessage("lint.list_and_more", intray.Params{"list": shown, "n": more})
	}
	return intray.NewMessage("lint.list", intray.Params{"list": shown})
}

// quoted returns text from the schema as an element of a list.
func quoted(text string) intray.Message {
	return intray.NewMessage("lint.quoted", intray.Params{"text": shorten(text)})
}

// budget limits the cost of a check. It counts operations instead of measuring time, so
// that the same schema always has the same findings.
type budget struct {
	// patterns is the number of expressions that may still be examined. source is the maximum
	// total size of these expressions, in bytes.
	patterns, source int
	// valueBytes is the number of bytes of options that may still be tried with validators.
	valueBytes int
	// unusualBytes is the number of bytes of option names that may still be normalized if they
	// are not ASCII.
	unusualBytes int
	// keys is the number of field names in validators that may still be looked up.
	keys int
	// variants is the number of spellings of option names that may still be created.
	variants int

	// These fields count skipped checks.
	patternsLeft, optionsLeft, rulesLeft int
}

func newBudget() budget {
	return budget{patterns: 200, source: 32 << 10, valueBytes: 4 << 20, unusualBytes: 256 << 10, keys: 500_000, variants: 500_000}
}

// takePattern reports whether the budget allows examining an expression of the given size, in
// bytes.
func (b *budget) takePattern(size int) bool {
	if b.patterns < 1 || b.source < size {
		b.patternsLeft++
		return false
	}
	b.patterns--
	b.source -= size
	return true
}
