package lint

import (
	"fmt"

	"github.com/intraydata/intray"
)

// member is a rule unique_with.
type member struct{ field, rule int }

// uniqueGroups looks at the rules about all rows of a table.
func (l *linter) uniqueGroups() {
	groups := map[string][]member{}
	for i, f := range l.schema.Fields {
		exact, loose := -1, -1
		for n, v := range f.Validators {
			switch v.Rule {
			case "unique":
				exact = firstOf(exact, n)
				l.fewValues(i, n, f)
			case "unique_case_insensitive":
				loose = firstOf(loose, n)
				l.fewValues(i, n, f)
			case "unique_with":
				name := fmt.Sprint(v.Options["uniqueKey"])
				groups[name] = append(groups[name], member{i, n})
			}
		}
		if exact >= 0 && loose >= 0 && f.Validators[loose].Level <= f.Validators[exact].Level {
			l.info(l.ruleAt(i, exact, ""), "rule_without_effect", intray.NewMessage("lint.unique_contained", intray.Params{"path": indexed("validators", loose)}))
		}
	}
	for name, all := range groups {
		if alone(all) && !l.schema.Fields[all[0].field].ManyToOne {
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

func alone(all []member) bool {
	for _, m := range all {
		if m.field != all[0].field {
			return false
		}
	}
	return true
}

// manyOptions is from how many options on a select may well have one for each
// row.
const manyOptions = 1000

// fewValues tells of a field that must be unique and has few values.
func (l *linter) fewValues(i, n int, f intray.Field) {
	most := l.schema.Settings.MaxRecords
	switch values := l.closed(f); {
	case f.Type.Name == intray.TypeCheckbox:
		l.warn(l.ruleAt(i, n, ""), "unique_few_values", intray.NewMessage("lint.unique_checkbox", nil))
	case values == nil || len(values) >= manyOptions || most > 0 && most <= int64(len(values)):
	default:
		l.info(l.ruleAt(i, n, ""), "unique_few_values", intray.NewMessage("lint.unique_few_options", intray.Params{"n": len(values)}))
	}
}
