package check

import "slices"

// aboutAll are the rules that compare all rows of a table.
var aboutAll = []string{"unique", "unique_case_insensitive", "unique_with"}

// names are the rules about a row by itself.
var names = []string{
	"required", "regex_match", "regex_exclude", "length", "alphabetical",
	"require_with", "require_without", "require_with_all", "require_without_all",
	"require_with_values", "require_without_values", "require_with_all_values", "require_without_all_values",
}

// IsRule says whether a code of a problem is the name of a rule, and whether of
// one about all rows of the table.
func IsRule(code string) (rule, allRows bool) {
	allRows = slices.Contains(aboutAll, code)
	return allRows || slices.Contains(names, code), allRows
}
