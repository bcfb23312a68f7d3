package importer

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/staging"
)

// ProblemGroup counts the problems that have the same field, code and level.
type ProblemGroup struct {
	// Field is the key of the field, or "" if the problems concern whole rows.
	Field string
	// Code identifies the violated rule.
	Code  string
	Level intray.Level
	// Problems and Rows are the numbers of problems and of rows that have one.
	Problems, Rows int64
	// Examples are a few of the problems, in row order. Their values differ if possible.
	Examples []Problem
}

// exampleRows is the number of rows of a group from which its examples are chosen.
const exampleRows = 20

// ProblemGroups returns all groups of problems. Errors come first, and large groups come before
// small ones. Each of the first groups, up to the given number, has up to the given number of
// examples. The cost does not depend on the number of problems. If HasRows returns false,
// there are no groups.
func (i *Import) ProblemGroups(ctx context.Context, groups, examples int) ([]ProblemGroup, error) {
	if i.staged == nil {
		return nil, nil
	}
	kinds := slices.Clone(i.staged.Manifest().Kinds)
	slices.SortStableFunc(kinds, func(a, b staging.ProblemKind) int {
		return cmp.Or(cmp.Compare(levelOf(a), levelOf(b)), cmp.Compare(b.Problems, a.Problems))
	})
	list := make([]ProblemGroup, 0, len(kinds))
	for n, kind := range kinds {
		group := ProblemGroup{Code: kind.Code, Level: levelOf(kind), Problems: kind.Problems, Rows: kind.Rows}
		if kind.Field != intray.NoField {
			group.Field = i.Schema.Fields[kind.Field].Key
		}
		if n < groups {
			found, err := i.problemsOfKind(ctx, kind)
			if err != nil {
				return nil, fmt.Errorf("read examples of problems: %w", err)
			}
			group.Examples = chooseExamples(found, examples)
		}
		list = append(list, group)
	}
	return list, nil
}

func levelOf(kind staging.ProblemKind) intray.Level {
	level, _ := intray.ParseLevel(kind.Level) // the stage contains only known levels
	return level
}

// problemsOfKind returns the problems of a kind in the first rows that have one.
func (i *Import) problemsOfKind(ctx context.Context, kind staging.ProblemKind) ([]Problem, error) {
	bitmap, err := i.staged.RowsWithProblem(ctx, kind)
	if err != nil {
		return nil, err
	}
	var rows []int64
	for it := bitmap.Iterator(); it.HasNext() && len(rows) < exampleRows; {
		rows = append(rows, int64(it.Next()))
	}
	b, err := i.staged.Rows(ctx, rows)
	if err != nil {
		return nil, err
	}
	b.Numbers = rows
	b.Problems = slices.DeleteFunc(b.Problems, func(p intray.Problem) bool {
		return p.Field != kind.Field || p.Code != kind.Code || p.Level != levelOf(kind)
	})
	return slices.Collect(ProblemsOf(i.Schema, b)), nil
}

// chooseExamples returns up to n of the problems in their order. It prefers problems with
// different values.
func chooseExamples(found []Problem, n int) []Problem {
	var chosen, repeated []Problem
	seen := map[string]bool{}
	for _, p := range found {
		if seen[p.Value] {
			repeated = append(repeated, p)
		} else {
			chosen = append(chosen, p)
		}
		seen[p.Value] = true
	}
	chosen = chosen[:min(n, len(chosen))]
	chosen = append(chosen, repeated[:min(n-len(chosen), len(repeated))]...)
	slices.SortStableFunc(chosen, func(a, b Problem) int { return cmp.Compare(a.Row, b.Row) })
	return chosen
}
