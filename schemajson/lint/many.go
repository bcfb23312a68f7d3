package lint

import "github.com/intraydata/intray"

// manyToOne looks at what a field that several columns feed may do otherwise
// than is expected: its type and its rules are about each column by itself.
func (l *linter) manyToOne(i int, f intray.Field) {
	if !f.ManyToOne || f.Hidden {
		return
	}
	if f.Type.Name == intray.TypeMultiSelect {
		l.info(l.fieldAt(i, "manyToOne"), "list_of_lists",
			"Several columns may feed this field, and each gives a list, so that the result holds a list of lists. Make it a select where each column has one value.")
	}
	for n, v := range f.Validators {
		switch v.Rule {
		case "required":
			l.info(l.ruleAt(i, n, ""), "required_in_each_column",
				"Several columns may feed this field, and this rule wants each of them filled in every row. If one is enough, use requireMapping in its place.")
		case "unique", "unique_case_insensitive":
			l.info(l.ruleAt(i, n, ""), "unique_in_each_column",
				"Several columns may feed this field, and this rule compares each of them with itself. If the list as a whole must be unique, use unique_with with a uniqueKey that no other field has.")
		}
	}
}
