package validate

import (
	"slices"
	"strings"

	"github.com/intraydata/intray"
)

// requiresValue reports whether a rule is required or one of the eight rules that require a
// value depending on other fields. Only such rules and regular expressions report empty cells.
func requiresValue(rule string) bool {
	return rule == "required" || strings.HasPrefix(rule, "require_")
}

// canOverlap reports whether two validators can report the same empty cell, and one of them
// requires a value.
func canOverlap(validators []intray.Validator) bool {
	requiring, all := 0, 0
	for _, v := range validators {
		switch {
		case requiresValue(v.Rule):
			requiring, all = requiring+1, all+1
		case v.Rule == "regex_match" || v.Rule == "regex_exclude":
			all++
		}
	}
	return requiring > 0 && all > 1
}

// dropRepeatedEmptyCells drops the other problems of an empty cell that a rule requires to have
// a value. The rule required wins over rules that depend on other fields, and these win over
// regular expressions. A stricter problem is never dropped. The problems must be sorted by row
// and field.
func dropRepeatedEmptyCells(problems []intray.Problem) []intray.Problem {
	kept := problems[:0]
	for len(problems) > 0 {
		n := 1
		for n < len(problems) && compareRow(problems[0], problems[n]) == 0 {
			n++
		}
		kept = append(kept, cellProblems(problems[:n])...)
		problems = problems[n:]
	}
	return kept
}

// cellProblems returns the problems of a cell without those that repeat that it is empty.
func cellProblems(all []intray.Problem) []intray.Problem {
	required, conditional := noLevel, noLevel
	for _, p := range all {
		switch {
		case p.Code == "required":
			required = min(required, p.Level)
		case requiresValue(p.Code):
			conditional = min(conditional, p.Level)
		}
	}
	if required == noLevel && conditional == noLevel {
		return all
	}
	return slices.DeleteFunc(all, func(p intray.Problem) bool {
		switch {
		case p.Code == "regex_match" || p.Code == "regex_exclude":
			return min(required, conditional) <= p.Level
		case p.Code != "required" && requiresValue(p.Code):
			return required <= p.Level
		}
		return false
	})
}

// noLevel is less strict than every level.
const noLevel intray.Level = 127
