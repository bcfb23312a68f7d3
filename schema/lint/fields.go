package lint

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/jsonschema"
)

// checkField checks everything about a field except its names.
func (l *linter) checkField(i int) {
	f := l.schema.Fields[i]
	l.checkHidden(i, f)
	l.checkReadOnly(i, f)
	l.checkManyToOne(i, f)
	l.checkTypeOptions(i, f)
	l.checkMessage(i, f)
	l.checkRules(i, f)
	l.checkOptions(i, f)
}

// checkAllHidden reports a schema in which all fields are hidden.
func (l *linter) checkAllHidden() {
	for _, f := range l.schema.Fields {
		if !f.Hidden || len(l.schema.Hooks.Step) > 0 {
			return // step hooks may add fields
		}
	}
	l.warn(location{field: -1, path: "fields"}, "all_hidden", intray.NewMessage("lint.all_fields_hidden", nil))
}

// checkHidden reports properties that have no effect on a hidden field.
func (l *linter) checkHidden(i int, f intray.Field) {
	if !f.Hidden {
		return
	}
	var idle []string
	for _, p := range []struct {
		name string
		set  bool
	}{
		{"alternateMatches", len(f.AlternateMatches) > 0}, {"requireMapping", f.RequireMapping},
		{"manyToOne", f.ManyToOne}, {"readOnly", f.ReadOnly},
	} {
		if p.set {
			idle = append(idle, p.name)
		}
	}
	if len(idle) > 0 {
		l.info(l.fieldAt(i, "hidden"), "hidden_without_effect", intray.NewMessage("lint.hidden_without_effect", intray.Params{"options": idle}))
	}
	if l.neverFilled(f) {
		l.info(l.fieldAt(i, "hidden"), "hidden_never_filled", intray.NewMessage("lint.hidden_never_filled", nil))
	}
}

// neverFilled reports whether a field is hidden and no hook fills it.
func (l *linter) neverFilled(f intray.Field) bool {
	return f.Hidden && l.schema.Hooks.Count() == len(l.schema.Hooks.RowDelete)
}

// checkReadOnly reports read-only fields whose invalid cells nobody can fix.
func (l *linter) checkReadOnly(i int, f intray.Field) {
	if !f.ReadOnly || f.Hidden || l.schema.Settings.InvalidDataBehavior != intray.BlockSubmit {
		return
	}
	for n, v := range f.Validators {
		if v.Level == intray.LevelError {
			l.info(l.ruleAt(i, n, ""), "read_only_blocks", intray.NewMessage("lint.read_only_blocks", nil))
			return
		}
	}
}

// checkMessage reports an invalidValueMessage that is never shown.
func (l *linter) checkMessage(i int, f intray.Field) {
	takesAll := f.Type.Name == intray.TypeString || f.Type.Name == intray.TypeCheckbox || f.Type.Name == intray.TypeSelect && boolOption(f, "allowCustom")
	if f.InvalidValueMessage != "" && takesAll {
		l.info(l.fieldAt(i, "invalidValueMessage"), "message_never_shown", intray.NewMessage("lint.message_never_shown", nil))
	}
}

// checkTypeOptions checks the options of the type.
func (l *linter) checkTypeOptions(i int, f intray.Field) {
	has := func(name string) bool { _, there := f.Type.Options[name]; return there }
	switch f.Type.Name {
	case intray.TypeNumber:
		l.checkRound(i, f)
		l.checkNumberRange(i, f)
		l.checkPercentBounds(i, f)
		l.checkCurrency(i, f)
	case intray.TypeDate:
		if has("withSeconds") {
			l.info(l.fieldAt(i, "type"), "option_without_effect", intray.NewMessage("lint.date_has_no_time", intray.Params{"option": "withSeconds"}))
		}
		l.checkDateFormats(i, f)
	case intray.TypeDatetime, intray.TypeTime:
		l.checkDateFormats(i, f)
	case intray.TypePhone:
		l.checkNationalPhone(i, f)
	case intray.TypeURL:
		l.checkAcceptedDomains(i, f)
	case intray.TypeZIP:
		if boolOption(f, "outputDash") && f.Type.Options["format"] != "9-digit" {
			l.info(l.fieldAt(i, "type"), "option_without_effect", intray.NewMessage("lint.zip_has_no_dash", intray.Params{"option": "outputDash"}))
		}
	}
}

// checkNationalPhone reports an option that removes the country from phone numbers.
func (l *linter) checkNationalPhone(i int, f intray.Field) {
	country, _ := f.Type.Options["country"].(string)
	if f.Type.Options["format"] == "national" && country == "" {
		l.warn(l.fieldAt(i, "type"), "country_lost",
			intray.NewMessage("lint.country_lost", intray.Params{"example": "+44 20 7946 0958", "result": "02079460958"}))
	}
}

// maxRoundDigits is the maximum number of digits before or after the decimal point to which
// rounding is plausible.
const maxRoundDigits = 20

// checkRound reports rounding that changes no number or removes all digits.
func (l *linter) checkRound(i int, f intray.Field) {
	places, _ := jsonschema.Int64(f.Type.Options["round"])
	switch {
	case places > maxRoundDigits:
		l.info(l.fieldAt(i, "type"), "round_too_far", intray.NewMessage("lint.round_changes_nothing", intray.Params{"n": places}))
	case places < -maxRoundDigits:
		l.warn(l.fieldAt(i, "type"), "round_too_far", intray.NewMessage("lint.round_makes_zero", nil))
	}
}

// numberBounds returns the smallest and the largest accepted number.
func numberBounds(f intray.Field) (low, high float64) {
	low, high = math.Inf(-1), math.Inf(1)
	if n, ok := floatOf(f.Type.Options["min"]); ok {
		low = n
	}
	if n, ok := floatOf(f.Type.Options["max"]); ok {
		high = n
	}
	return low, high
}

func floatOf(v any) (float64, bool) {
	switch n := v.(type) {
	case json.Number:
		f, err := n.Float64()
		return f, err == nil
	case float64:
		return n, true
	case int:
		return float64(n), true
	}
	return 0, false
}

// checkNumberRange reports bounds that no number satisfies.
func (l *linter) checkNumberRange(i int, f intray.Field) {
	low, high := numberBounds(f)
	places, rounds := roundOf(f)
	if !rounds || places < -300 || places > 300 || math.IsInf(low, 0) || math.IsInf(high, 0) {
		return
	}
	step := math.Pow(10, float64(-places))
	const slack = 1e-9
	if math.Ceil(low/step-slack) > math.Floor(high/step+slack) {
		l.warn(l.fieldAt(i, "type"), "number_never_taken",
			intray.NewMessage("lint.no_number_in_range", intray.Params{"n": places, "min": fmt.Sprint(low), "max": fmt.Sprint(high)}))
	}
}

// roundOf returns the number of decimal places to which a field is rounded. It reports
// false if the field is not rounded.
func roundOf(f intray.Field) (int, bool) {
	if n, ok := jsonschema.Int64(f.Type.Options["round"]); ok {
		return int(max(min(n, 1000), -1000)), true
	}
	preset, _ := f.Type.Options["preset"].(string)
	switch name, number, _ := strings.Cut(preset, "_"); {
	case preset == "integer":
		return 0, true
	case name == "decimal" && len(number) == 1:
		return int(number[0] - '0'), true
	case name == "percent" && len(number) == 1:
		return int(number[0]-'0') + 2, true
	case name == "usd", name == "eur", name == "gbp":
		return 2, true
	}
	return 0, false
}

// checkManyToOne reports types and validators that may behave unexpectedly in a many-to-one
// field, because they apply to each column separately.
func (l *linter) checkManyToOne(i int, f intray.Field) {
	if !f.ManyToOne || f.Hidden {
		return
	}
	if f.Type.Name == intray.TypeMultiSelect {
		l.info(l.fieldAt(i, "manyToOne"), "list_of_lists", intray.NewMessage("lint.list_of_lists", nil))
	}
	for n, v := range f.Validators {
		switch v.Rule {
		case "required":
			l.info(l.ruleAt(i, n, ""), "required_in_each_column", intray.NewMessage("lint.required_in_each_column", nil))
		case "unique", "unique_case_insensitive":
			l.info(l.ruleAt(i, n, ""), "unique_in_each_column", intray.NewMessage("lint.unique_in_each_column", nil))
		}
	}
}
