package lint

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/intraydata/intray"
)

// requirement is one of the eight validators that make a cell required if other fields meet a
// condition.
type requirement struct {
	// without negates the condition. all requires that all fields meet it. If byValue is set, the
	// condition is that the fields have certain values. Otherwise, it is that they are filled.
	without, all, byValue bool
	keys                  []string
	values                map[string]any
}

// parseRequirement parses a validator. It reports false if v is not a requirement.
func parseRequirement(v intray.Validator) (requirement, bool) {
	name, byValue := strings.CutSuffix(v.Rule, "_values")
	name, all := strings.CutSuffix(name, "_all")
	if name != "require_with" && name != "require_without" {
		return requirement{}, false
	}
	d := requirement{without: name == "require_without", all: all, byValue: byValue}
	if byValue {
		d.values, _ = v.Options["fieldValues"].(map[string]any)
		d.keys = slices.Sorted(maps.Keys(d.values))
		return d, true
	}
	list, _ := v.Options["fields"].([]any)
	for _, one := range list {
		if key, ok := one.(string); ok {
			d.keys = append(d.keys, key)
		}
	}
	return d, true
}

// propertyName returns the name of the property that lists the fields.
func (d requirement) propertyName() string {
	if d.byValue {
		return "fieldValues"
	}
	return "fields"
}

// checkRequireRule checks a validator that is a requirement. It ignores other validators.
func (l *linter) checkRequireRule(i, n int, f intray.Field, k *ruleState) {
	v := f.Validators[n]
	d, is := parseRequirement(v)
	if !is {
		return
	}
	if l.budget.keys < len(d.keys) {
		l.budget.rulesLeft++
		return
	}
	l.budget.keys -= len(d.keys)
	if len(d.keys) == 0 {
		effect := intray.NewMessage("lint.no_fields_no_effect", nil)
		if d.all {
			effect = intray.NewMessage("lint.no_fields_always_required", nil)
		}
		l.warn(l.ruleAt(i, n, d.propertyName()), "no_fields_named", effect)
		return
	}
	if k.required >= 0 && f.Validators[k.required].Level <= v.Level {
		l.info(l.ruleAt(i, n, ""), "rule_without_effect", intray.NewMessage("lint.already_required", intray.Params{"path": indexed("validators", k.required)}))
	}
	l.checkRequiresItself(i, n, d)
	l.checkRequiresHidden(i, n, d)
	l.checkRequiresTwice(i, n, d)
	l.checkAlwaysRequired(i, n, f, d, k)
	if d.byValue {
		l.checkRequiredValues(i, n, d)
		return
	}
	l.checkRequiresRequired(i, n, f, d)
}

func (l *linter) checkRequiresItself(i, n int, d requirement) {
	if !slices.Contains(d.keys, l.schema.Fields[i].Key) {
		return
	}
	effect := intray.NewMessage("lint.names_itself", nil)
	switch {
	case d.byValue:
	case d.without && !d.all:
		effect = intray.NewMessage("lint.names_itself_always_broken", nil)
	case !d.without && (d.all || len(d.keys) == 1):
		effect = intray.NewMessage("lint.names_itself_no_effect", nil)
	}
	l.warn(l.ruleAt(i, n, d.propertyName()), "names_itself", effect)
}

// checkRequiresHidden reports a condition on a field that is always empty.
func (l *linter) checkRequiresHidden(i, n int, d requirement) {
	for _, key := range d.keys {
		at, there := l.keys[key]
		if !there || !l.neverFilled(l.schema.Fields[at]) {
			continue
		}
		l.info(l.ruleAt(i, n, d.propertyName()), "names_hidden", intray.NewMessage("lint.names_hidden_field", intray.Params{"field": shorten(key)}))
		return
	}
}

func (l *linter) checkRequiresTwice(i, n int, d requirement) {
	seen := map[string]bool{}
	for _, key := range d.keys {
		if seen[key] {
			l.info(l.ruleAt(i, n, d.propertyName()), "repeated_name", intray.NewMessage("lint.field_named_twice", intray.Params{"field": shorten(key)}))
			return
		}
		seen[key] = true
	}
}

// conditions returns the conditions as strings. Each of them alone makes the cell required.
func (d requirement) conditions() []string {
	if d.all && len(d.keys) > 1 {
		return nil
	}
	if !d.byValue {
		return d.keys
	}
	var list []string
	for _, key := range d.keys {
		list = append(list, strconv.Quote(key)+" is "+wireText(d.values[key]))
	}
	return list
}

// checkAlwaysRequired reports two validators of the same level that make the cell required in
// opposite cases.
func (l *linter) checkAlwaysRequired(i, n int, f intray.Field, d requirement, k *ruleState) {
	same, other := k.with, k.without
	if d.without {
		same, other = other, same
	}
	reported := false
	for _, c := range d.conditions() {
		c += " " + f.Validators[n].Level.String()
		if _, known := same[c]; !known {
			same[c] = n
		}
		first, both := other[c]
		if !both || reported {
			continue
		}
		reported = true
		l.warn(l.ruleAt(i, n, ""), "always_required",
			intray.NewMessage("lint.always_required_with", intray.Params{"path": indexed("validators", first), "rule": f.Validators[first].Rule}))
	}
}

// checkRequiresRequired reports conditions on fields that are always filled.
func (l *linter) checkRequiresRequired(i, n int, f intray.Field, d requirement) {
	filled, key := 0, ""
	for _, other := range d.keys {
		if at, there := l.keys[other]; there && at != i && l.isRequired(at) {
			filled++
			key = other
		}
	}
	switch {
	case filled == 0 || hasRequired(f):
	case d.without && (d.all || filled == len(d.keys)):
		l.info(l.ruleAt(i, n, "fields"), "rule_without_effect", intray.NewMessage("lint.other_field_never_empty", intray.Params{"field": shorten(key)}))
	case !d.without && (!d.all || filled == len(d.keys)):
		l.info(l.ruleAt(i, n, "fields"), "always_required", intray.NewMessage("lint.other_field_always_filled", intray.Params{"field": shorten(key)}))
	}
}

// isRequired reports whether a field has the validator required with the level error.
func (l *linter) isRequired(i int) bool {
	if l.required == nil {
		l.required = make([]bool, len(l.schema.Fields))
		for n, f := range l.schema.Fields {
			l.required[n] = hasRequired(f)
		}
	}
	return l.required[i]
}

func hasRequired(f intray.Field) bool {
	return slices.ContainsFunc(f.Validators, func(v intray.Validator) bool {
		return v.Rule == "required" && v.Level == intray.LevelError
	})
}

// checkRequiredValues reports conditions on values that the other field can never have.
func (l *linter) checkRequiredValues(i, n int, d requirement) {
	for _, key := range d.keys {
		at, there := l.keys[key]
		if !there {
			continue
		}
		why := l.impossibleReason(at, d.values[key])
		if why.IsZero() {
			continue
		}
		params := intray.Params{"field": shorten(key), "value": shorten(wireText(d.values[key])), "problem": why}
		effect := intray.NewMessage("lint.condition_never_holds", params)
		if d.without {
			effect = intray.NewMessage("lint.condition_always_holds", params)
		}
		l.warn(l.ruleAt(i, n, "fieldValues"), "value_never_held", effect)
	}
}

// wireText returns a JSON value in the format in which validators compare it with cells.
func wireText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	text, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(text)
}

// impossibleReason returns the reason why a field can never have a value, or the zero
// message if it can.
func (l *linter) impossibleReason(field int, value any) intray.Message {
	f, text := l.schema.Fields[field], wireText(value)
	if text == "" {
		return intray.Message{}
	}
	if f.ManyToOne {
		var list []any
		return reasonUnless(json.Unmarshal([]byte(text), &list) == nil, intray.NewMessage("lint.value_many_columns", intray.Params{"example": `["a","b"]`}))
	}
	switch f.Type.Name {
	case intray.TypeCheckbox:
		return reasonUnless(text == "true" || text == "false", intray.NewMessage("lint.value_checkbox", nil))
	case intray.TypeSelect:
		return l.optionProblem(field, text)
	case intray.TypeMultiSelect:
		return l.optionsProblem(field, text)
	case intray.TypeNumber:
		return numberProblem(f, text)
	case intray.TypeDate:
		return timeProblem(text, time.DateOnly)
	case intray.TypeDatetime:
		return timeProblem(text, layoutWithSeconds(f, "2006-01-02T15:04"))
	case intray.TypeTime:
		return timeProblem(text, layoutWithSeconds(f, "15:04"))
	case intray.TypeEmail:
		return reasonUnless(strings.Contains(text, "@"), intray.NewMessage("lint.value_email", nil))
	case intray.TypeURL:
		return reasonUnless(strings.Contains(text, ":"), intray.NewMessage("lint.value_url", intray.Params{"example": "https:"}))
	case intray.TypeDomain:
		return reasonUnless(strings.Contains(text, ".") && strings.ToLower(text) == text, intray.NewMessage("lint.value_domain", intray.Params{"example": "example.org"}))
	}
	return codeProblem(f, text)
}

func reasonUnless(is bool, why intray.Message) intray.Message {
	if is {
		return intray.Message{}
	}
	return why
}

// optionProblem returns the reason why no option of a select has the given value.
func (l *linter) optionProblem(field int, text string) intray.Message {
	f := l.schema.Fields[field]
	if boolOption(f, "allowCustom") || l.hooksMayOffer {
		return intray.Message{}
	}
	names := l.optionNames(field)
	if names.values[text] {
		return intray.Message{}
	}
	if value, known := names.labels[text]; known {
		return intray.NewMessage("lint.value_is_label", intray.Params{"value": shorten(value)})
	}
	if value, known := names.folded[optionName(text)]; known {
		return intray.NewMessage("lint.value_misspelled", intray.Params{"value": shorten(value)})
	}
	return intray.NewMessage("lint.value_no_option", nil)
}

// optionNameSet maps the names of a field's options (values and labels, exact and
// case-insensitive) to the values of the options.
type optionNameSet struct {
	values         map[string]bool
	labels, folded map[string]string
}

func (l *linter) optionNames(field int) optionNameSet {
	if names, known := l.optionNameCache[field]; known {
		return names
	}
	names := optionNameSet{map[string]bool{}, map[string]string{}, map[string]string{}}
	for _, o := range l.schema.Fields[field].SelectOptions {
		names.values[o.Value] = true
		names.labels[o.Label] = o.Value
		names.folded[optionName(o.Label)] = o.Value
		names.folded[optionName(o.Value)] = o.Value
	}
	if l.optionNameCache == nil {
		l.optionNameCache = map[int]optionNameSet{}
	}
	l.optionNameCache[field] = names
	return names
}

// optionsProblem returns the reason why a multi-select cannot have the given value, which should
// be a JSON array.
func (l *linter) optionsProblem(field int, text string) intray.Message {
	var list []string
	if json.Unmarshal([]byte(text), &list) != nil || list == nil {
		return intray.NewMessage("lint.value_list_of_options", intray.Params{"example": `["a","b"]`})
	}
	for _, one := range list {
		if why := l.optionProblem(field, one); !why.IsZero() {
			return intray.NewMessage("lint.value_of_list", intray.Params{"value": shorten(one), "problem": why})
		}
	}
	return intray.Message{}
}

func numberProblem(f intray.Field, text string) intray.Message {
	n, err := strconv.ParseFloat(text, 64)
	low, high := numberBounds(f)
	switch {
	case err != nil && !math.IsInf(n, 0) || strings.TrimLeft(text, "+-0123456789.eE") != "":
		return intray.NewMessage("lint.value_not_number", nil)
	case n < low:
		return intray.NewMessage("lint.value_too_small", intray.Params{"limit": fmt.Sprint(low)})
	case n > high:
		return intray.NewMessage("lint.value_too_large", intray.Params{"limit": fmt.Sprint(high)})
	}
	return intray.Message{}
}

// layoutWithSeconds returns a layout, with seconds if the field keeps them.
func layoutWithSeconds(f intray.Field, layout string) string {
	if boolOption(f, "withSeconds") {
		return layout + ":05"
	}
	return layout
}

// timeProblem returns the reason why a date or time does not have the layout in which
// validators compare it. This layout does not depend on the field's output format.
func timeProblem(text, layout string) intray.Message {
	if _, err := time.Parse(layout, text); err == nil {
		return intray.Message{}
	}
	example := time.Date(2024, 12, 31, 15, 20, 0, 0, time.UTC).Format(layout)
	return intray.NewMessage("lint.value_not_in_iso_format", intray.Params{"example": example})
}

// codeProblem returns the reason why text does not have the format of the type's codes.
func codeProblem(f intray.Field, text string) intray.Message {
	has := formOf(f)
	first, _ := utf8.DecodeRuneInString(text)
	n := codePoints(text)
	switch {
	case n < has.least || has.most >= 0 && n > has.most:
		return intray.NewMessage("lint.value_length", intray.Params{"type": string(f.Type.Name), "length": lengthText(has)})
	case has.first != nil && !overlap(has.first, []rune{first, first}):
		return intray.NewMessage("lint.value_first_character", intray.Params{"type": string(f.Type.Name), "character": string(first)})
	}
	return intray.Message{}
}
