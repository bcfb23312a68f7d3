package lint

import "github.com/intraydata/intray"

// manyToOne looks at what a field that several columns feed may do otherwise
// than is expected: its type and its rules are about each column by itself.
func (l *linter) manyToOne(i int, f intray.Field) {
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
