package lint

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/jsonschema"
	"github.com/intraydata/intray/validate/jsregexp"
)

// ruleState collects information about the validators of a field that were already checked.
type ruleState struct {
	// seen maps the kind and the properties of validators to the index of the first such
	// validator.
	seen map[string]int
	// required is the index of the strictest required validator, or -1.
	required int
	// values are the indexes of the validators that check values. never are the indexes of
	// those that no filled cell satisfies.
	values, never []int
	// accepted holds the forms of text that each validator accepts.
	accepted []acceptedForms
	// patterns maps each expression to the index of the first validator that has it.
	patterns map[*pattern]int
	// with maps each condition on other fields to the index of the first validator that makes
	// the cell required if the condition is met. without is the same for validators that make
	// the cell required if the condition is not met.
	with, without map[string]int
}

// acceptedForms holds the forms of text that a validator accepts.
type acceptedForms struct {
	rule  int
	forms []form
}

// checkRules checks the validators of a field.
func (l *linter) checkRules(i int, f intray.Field) {
	if len(f.Validators) == 0 {
		return
	}
	k := ruleState{seen: map[string]int{}, required: -1, patterns: map[*pattern]int{}, with: map[string]int{}, without: map[string]int{}}
	for n, v := range f.Validators {
		if v.Rule == "required" && (k.required < 0 || v.Level < f.Validators[k.required].Level) {
			k.required = n
		}
	}
	values := l.possibleValues(f)
	for n, v := range f.Validators {
		if l.checkRepeatedRule(i, n, f, &k) {
			continue
		}
		never := false
		switch v.Rule {
		case "length":
			never = l.checkLength(i, n, f, values, &k)
		case "alphabetical":
			never = l.checkAlphabetical(i, n, f, values, &k)
		case "regex_match", "regex_exclude":
			never = l.checkRegexp(i, n, f, values, &k)
		default:
			l.checkRequireRule(i, n, f, &k)
			continue
		}
		k.values = append(k.values, n)
		if never {
			k.never = append(k.never, n)
		}
	}
	l.checkContradictions(i, f, &k)
	l.checkUnreachable(i, f, &k)
}

// ruleKey returns a key that identifies a validator without its level and message.
func ruleKey(v intray.Validator) string {
	switch v.Rule {
	case "required", "unique", "unique_case_insensitive", "alphabetical":
		return v.Rule
	case "length":
		return fmt.Sprint(v.Rule, " ", v.Options["min"], " ", v.Options["max"])
	}
	if len(v.Options) == 1 && v.Options["regex"] != nil {
		return fmt.Sprint(v.Rule, " ", v.Options["regex"])
	}
	text, err := json.Marshal(v.Options)
	if err != nil {
		return ""
	}
	return v.Rule + string(text)
}

// checkRepeatedRule reports the less strict of two validators that check the same.
func (l *linter) checkRepeatedRule(i, n int, f intray.Field, k *ruleState) bool {
	v := f.Validators[n]
	key := ruleKey(v)
	first, again := k.seen[key]
	switch {
	case key == "" || !again:
		k.seen[key] = n
		return false
	case v.Level == f.Validators[first].Level: // package schema rejects it
	default:
		low, high := n, first
		if v.Level < f.Validators[first].Level {
			low, high = first, n
		}
		l.warn(l.ruleAt(i, low, "level"), "rule_repeated",
			intray.NewMessage("lint.rule_repeated_at_lower_level", intray.Params{"path": indexed("validators", high), "level": f.Validators[high].Level.String(), "own_level": f.Validators[low].Level.String()}))
	}
	return true
}

// notText returns a message that suggests what to use instead of a length validator, or the
// zero message if the values of the type are text.
func notText(t intray.TypeName) intray.Message {
	switch t {
	case intray.TypeNumber:
		return intray.NewMessage("lint.length_of_number", intray.Params{"type": string(t)})
	case intray.TypeMultiSelect:
		return intray.NewMessage("lint.length_of_list", intray.Params{"type": string(t)})
	case intray.TypeDate, intray.TypeDatetime, intray.TypeTime:
		return intray.NewMessage("lint.length_of_date", intray.Params{"type": string(t)})
	case intray.TypeCheckbox:
		return intray.NewMessage("lint.length_of_checkbox", intray.Params{"type": string(t)})
	}
	return intray.Message{}
}

// checkLength checks a length validator. It returns true if no filled cell can satisfy it.
func (l *linter) checkLength(i, n int, f intray.Field, values []string, k *ruleState) bool {
	v := f.Validators[n]
	least, most := lengthBounds(v)
	want := form{max(least, 1), most, nil}
	if most == 0 {
		l.warn(l.ruleAt(i, n, "max"), "rule_never_kept", withRequired(k, intray.NewMessage("lint.length_of_zero", nil)))
		return true
	}
	if why := notText(f.Type.Name); !why.IsZero() {
		l.warn(l.ruleAt(i, n, ""), "rule_not_for_type", why)
		return false
	}
	if values != nil {
		return l.checkValues(i, n, values, func(text string) bool {
			c := codePoints(text)
			return c >= least && (most < 0 || c <= most)
		})
	}
	has := formOf(f)
	switch {
	case has.isDisjoint(want):
		l.warn(l.ruleAt(i, n, ""), "rule_never_kept", withRequired(k, intray.NewMessage("lint.length_never_kept", intray.Params{"type": string(f.Type.Name), "length": lengthText(has)})))
		return true
	case has.most >= 0 && has.least >= least && (most < 0 || has.most <= most):
		l.info(l.ruleAt(i, n, ""), "rule_without_effect", intray.NewMessage("lint.length_always_kept", intray.Params{"type": string(f.Type.Name), "length": lengthText(has)}))
	}
	k.accepted = append(k.accepted, newAcceptedForms(n, want))
	return false
}

func newAcceptedForms(rule int, forms ...form) acceptedForms { return acceptedForms{rule, forms} }

// withRequired extends the message about a validator that no filled cell satisfies. It adds
// the consequence if empty cells are invalid, too.
func withRequired(k *ruleState, text intray.Message) intray.Message {
	if k.required < 0 {
		return text
	}
	return intray.NewMessage("lint.with_required", intray.Params{"problem": text, "path": indexed("validators", k.required)})
}

// lengthBounds returns the minimum and the maximum of a length validator. most is negative
// if there is no maximum.
func lengthBounds(v intray.Validator) (least, most int) {
	if n, ok := jsonschema.Int64(v.Options["min"]); ok {
		least = int(min(n, unbounded))
	}
	most = -1
	if n, ok := jsonschema.Int64(v.Options["max"]); ok {
		most = int(min(n, unbounded))
	}
	return least, most
}

func lengthText(f form) intray.Message {
	switch {
	case f.most < 0:
		return intray.NewMessage("lint.length_at_least", intray.Params{"n": f.least})
	case f.least == f.most:
		return intray.NewMessage("lint.length_exactly", intray.Params{"n": f.least})
	}
	return intray.NewMessage("lint.length_between", intray.Params{"min": f.least, "n": f.most})
}

// checkAlphabetical checks an alphabetical validator.
func (l *linter) checkAlphabetical(i, n int, f intray.Field, values []string, k *ruleState) bool {
	switch f.Type.Name {
	case intray.TypeNumber, intray.TypeDate, intray.TypeDatetime, intray.TypeTime, intray.TypeMultiSelect, intray.TypeEmail,
		intray.TypePhone, intray.TypeURL, intray.TypeDomain, intray.TypeZIP, intray.TypeSSN, intray.TypeUUID:
		l.warn(l.ruleAt(i, n, ""), "rule_never_kept", withRequired(k, intray.NewMessage("lint.never_letters_only", intray.Params{"type": string(f.Type.Name)})))
		return true
	case intray.TypeState, intray.TypeCountry, intray.TypeCheckbox:
		l.info(l.ruleAt(i, n, ""), "rule_without_effect", intray.NewMessage("lint.always_letters_only", intray.Params{"type": string(f.Type.Name)}))
		return false
	}
	if values != nil {
		return l.checkValues(i, n, values, alphabeticalText)
	}
	k.accepted = append(k.accepted, newAcceptedForms(n, form{1, -1, letters}))
	return false
}

func alphabeticalText(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r > 'z' || !isAlnum(byte(r)) || r <= '9' }) < 0
}

// maxComparedRules is the maximum number of validators of a field that are compared with
// each other.
const maxComparedRules = 20

// checkContradictions reports pairs of validators that no text can satisfy at the same time.
func (l *linter) checkContradictions(i int, f intray.Field, k *ruleState) {
	wants := k.accepted[:min(len(k.accepted), maxComparedRules)]
	for a := range wants {
		for _, b := range wants[:a] {
			if allDisjoint(wants[a].forms, b.forms) {
				l.warn(l.ruleAt(i, wants[a].rule, ""), "rules_contradict",
					withRequired(k, intray.NewMessage("lint.rules_contradict", intray.Params{"path": indexed("validators", b.rule), "rule": f.Validators[b.rule].Rule})))
				break
			}
		}
	}
}

// checkUnreachable reports validators that have no effect because no value satisfies a
// different validator of the field.
func (l *linter) checkUnreachable(i int, f intray.Field, k *ruleState) {
	if len(k.never) == 0 || f.Validators[k.never[0]].Level != intray.LevelError {
		return
	}
	var later []string
	for _, n := range k.values {
		if !slices.Contains(k.never, n) {
			later = append(later, indexed("validators", n))
		}
	}
	if len(later) > 0 {
		l.info(l.ruleAt(i, k.never[0], ""), "rules_unreachable", intray.NewMessage("lint.rules_unreachable", intray.Params{"rules": listed(later, len(later))}))
	}
}

// checkRegexp checks a validator that has a regular expression. It returns true if no
// filled cell can satisfy the validator.
func (l *linter) checkRegexp(i, n int, f intray.Field, values []string, k *ruleState) bool {
	v := f.Validators[n]
	p := l.patternOf(v)
	if p == nil || p.report == nil {
		return false
	}
	l.checkSpeed(i, n, p)
	exclude := v.Rule == "regex_exclude"
	if first, again := k.patterns[p]; !again {
		k.patterns[p] = n
	} else if twin := f.Validators[first].Rule; twin != v.Rule {
		l.warn(l.ruleAt(i, n, ""), "rules_contradict",
			intray.NewMessage("lint.same_expression_contradicts", intray.Params{"path": indexed("validators", first), "rule": twin}))
		return false
	}
	if values != nil && l.checkRegexpValues(i, n, values, p, exclude) {
		return true
	}
	if exclude {
		if !p.fitsAll() {
			return false
		}
		l.warn(l.ruleAt(i, n, "regex"), "rule_never_kept", intray.NewMessage("lint.regex_excludes_everything", nil))
		return true
	}
	return l.checkMatch(i, n, f, values, p, k)
}

// checkRegexpValues tries an expression on all possible values of a field, unless that
// would take long. It returns true if no value satisfies the validator.
func (l *linter) checkRegexpValues(i, n int, values []string, p *pattern, exclude bool) bool {
	if !p.report.Translated {
		return false // checkSpeed reports it
	}
	expr, ok := jsregexp.CompileQuick(p.source, p.flags)
	if !ok {
		l.info(l.ruleAt(i, n, "regex"), "not_all_checked", intray.NewMessage("lint.expression_not_tried", nil))
		return false
	}
	return l.checkValues(i, n, values, func(text string) bool {
		fits, _ := expr.Match([]byte(text)) // a state table has no errors
		return fits != exclude
	})
}

// checkSpeed reports expressions that may be slow.
func (l *linter) checkSpeed(i, n int, p *pattern) {
	switch risk := p.report.Risk; {
	case !risk.IsZero():
		l.warn(l.ruleAt(i, n, "regex"), "regex_risky", intray.NewMessage("lint.regex_risky", intray.Params{"problem": risk}))
	case !p.report.Translated:
		l.info(l.ruleAt(i, n, "regex"), "regex_slow", intray.NewMessage("lint.regex_slow", nil))
	}
}

// fitsAll reports whether all text without a line break matches.
func (p *pattern) fitsAll() bool {
	return slices.ContainsFunc(p.branches, func(b branch) bool { return b.all })
}

// checkMatch reports a regex_match rule that accepts everything or nothing. It returns true
// if no value can satisfy the rule.
func (l *linter) checkMatch(i, n int, f intray.Field, values []string, p *pattern, k *ruleState) bool {
	if p.fitsAll() {
		l.warn(l.ruleAt(i, n, "regex"), "rule_without_effect", intray.NewMessage("lint.regex_matches_everything", nil))
		return false
	}
	forms, limited := p.textForms()
	switch {
	case limited && len(forms) == 0:
		l.warn(l.ruleAt(i, n, "regex"), "rule_never_kept", withRequired(k, intray.NewMessage("lint.regex_matches_nothing", nil)))
		return true
	case limited && values == nil && allDisjoint(forms, []form{formOf(f)}):
		l.warn(l.ruleAt(i, n, "regex"), "rule_never_kept", withRequired(k, intray.NewMessage("lint.regex_against_type", intray.Params{"type": string(f.Type.Name)})))
		return true
	case p.looksWhole():
		l.info(l.ruleAt(i, n, "regex"), "regex_not_anchored", intray.NewMessage("lint.regex_not_anchored", nil))
	}
	if limited && values == nil {
		k.accepted = append(k.accepted, acceptedForms{n, forms})
	}
	if !p.report.Empty && k.required < 0 && f.Validators[n].Level == intray.LevelError {
		l.info(l.ruleAt(i, n, "regex"), "regex_refuses_empty", intray.NewMessage("lint.regex_refuses_empty", nil))
	}
	return false
}

// looksWhole reports whether an expression without ^ and $ begins and ends with a character
// that has a limited count. The author probably meant to match the whole text, because such
// a count has little effect within longer text.
func (p *pattern) looksWhole() bool {
	for _, b := range p.branches {
		if b.start || b.end || !b.counted {
			return false
		}
	}
	return len(p.branches) > 0
}

// fieldRule is the location of a unique_with validator.
type fieldRule struct{ field, rule int }

// checkUnique checks the cross-row validators.
func (l *linter) checkUnique() {
	groups := map[string][]fieldRule{}
	for i, f := range l.schema.Fields {
		exact, loose := -1, -1
		for n, v := range f.Validators {
			switch v.Rule {
			case "unique":
				exact = firstOf(exact, n)
				l.checkFewValues(i, n, f)
			case "unique_case_insensitive":
				loose = firstOf(loose, n)
				l.checkFewValues(i, n, f)
			case "unique_with":
				name := fmt.Sprint(v.Options["uniqueKey"])
				groups[name] = append(groups[name], fieldRule{i, n})
			}
		}
		if exact >= 0 && loose >= 0 && f.Validators[loose].Level <= f.Validators[exact].Level {
			l.info(l.ruleAt(i, exact, ""), "rule_without_effect", intray.NewMessage("lint.unique_contained", intray.Params{"path": indexed("validators", loose)}))
		}
	}
	for name, all := range groups {
		if isSingleField(all) && !l.schema.Fields[all[0].field].ManyToOne {
			l.warn(l.ruleAt(all[0].field, all[0].rule, "uniqueKey"), "unique_with_alone",
				intray.NewMessage("lint.unique_with_alone", intray.Params{"key": shorten(name)}))
		}
	}
}

func firstOf(known, n int) int {
	if known < 0 {
		return n
	}
	return known
}

func isSingleField(all []fieldRule) bool {
	return !slices.ContainsFunc(all, func(m fieldRule) bool { return m.field != all[0].field })
}

// manyOptions is the minimum number of options for which a different option in each row is
// plausible.
const manyOptions = 1000

// checkFewValues reports a unique field that has few possible values.
func (l *linter) checkFewValues(i, n int, f intray.Field) {
	most := l.schema.Settings.MaxRecords
	switch values := l.possibleValues(f); {
	case f.Type.Name == intray.TypeCheckbox:
		l.warn(l.ruleAt(i, n, ""), "unique_few_values", intray.NewMessage("lint.unique_checkbox", nil))
	case values == nil || len(values) >= manyOptions || most > 0 && most <= int64(len(values)):
	default:
		l.info(l.ruleAt(i, n, ""), "unique_few_values", intray.NewMessage("lint.unique_few_options", intray.Params{"n": len(values)}))
	}
}
