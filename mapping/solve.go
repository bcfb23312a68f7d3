package mapping

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// solveAssignment returns the best overall assignment of columns to fields, in which each field
// and each column occurs at most once. It solves each connected group of candidates separately.
// It returns an error only if ctx is canceled.
func solveAssignment(ctx context.Context, all []candidate) ([]candidate, error) {
	var chosen []candidate
	for _, group := range connectedGroups(all) {
		best, err := bestAssignment(ctx, group)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, best...)
	}
	return chosen, nil
}

// connectedGroups divides candidates into groups that have no field and no column in common.
func connectedGroups(all []candidate) [][]candidate {
	parent := map[int]int{}
	var root func(int) int
	root = func(n int) int {
		if p, ok := parent[n]; ok && p != n {
			parent[n] = root(p)
			return parent[n]
		}
		return n
	}
	for _, c := range all {
		a, b := root(c.field), root(-1-c.entry)
		parent[a] = b
	}
	parts := map[int][]candidate{}
	var order []int
	for _, c := range all {
		r := root(c.field)
		if parts[r] == nil {
			order = append(order, r)
		}
		parts[r] = append(parts[r], c)
	}
	list := make([][]candidate, 0, len(order))
	for _, r := range order {
		list = append(list, parts[r])
	}
	return list
}

// weight returns the weight of a score. A certain match has more weight than two doubtful ones.
func weight(score float64) float64 { return 1 / (1.03 - score) }

// maxExact is the maximum number of fields in a group that is solved exactly. In a larger
// group, the candidates with the best scores are assigned first.
const maxExact = 200

// bestAssignment returns the assignment of one group with the highest total weight. It uses
// the Hungarian algorithm with shortest augmenting paths.
func bestAssignment(ctx context.Context, group []candidate) ([]candidate, error) {
	if len(group) == 1 {
		return group, nil
	}
	fields, entries := numberGroup(group)
	if len(fields) > maxExact {
		return greedy(group), nil
	}
	n, m := len(fields), len(entries)+len(fields)
	at := make(map[[2]int]candidate, len(group))
	for _, c := range group {
		at[[2]int{fields[c.field], entries[c.entry]}] = c
	}
	// The last columns represent fields without a column, one for each field.
	price := func(i, j int) float64 {
		if c, ok := at[[2]int{i, j}]; ok {
			return -weight(c.rankScore())
		}
		if j == len(entries)+i {
			return 0
		}
		return 1000
	}
	rows, err := hungarian(ctx, n, m, price)
	if err != nil {
		return nil, err
	}
	var chosen []candidate
	for j, i := range rows {
		if c, ok := at[[2]int{i, j}]; ok {
			chosen = append(chosen, c)
		}
	}
	return chosen, nil
}

// numberGroup assigns consecutive numbers to the fields and columns of a group.
func numberGroup(group []candidate) (fields, entries map[int]int) {
	fields, entries = map[int]int{}, map[int]int{}
	for _, c := range group {
		if _, ok := fields[c.field]; !ok {
			fields[c.field] = len(fields)
		}
		if _, ok := entries[c.entry]; !ok {
			entries[c.entry] = len(entries)
		}
	}
	return fields, entries
}

func greedy(group []candidate) []candidate {
	sorted := slices.Clone(group)
	slices.SortStableFunc(sorted, func(a, b candidate) int { return cmp.Compare(b.rankScore(), a.rankScore()) })
	fields, entries := map[int]bool{}, map[int]bool{}
	var chosen []candidate
	for _, c := range sorted {
		if !fields[c.field] && !entries[c.entry] {
			fields[c.field], entries[c.entry] = true, true
			chosen = append(chosen, c)
		}
	}
	return chosen
}

// hungarian assigns n rows to m columns at the lowest total price. It returns the row of
// each column, or -1 if it has none. n must not exceed m. It returns an error only if ctx is
// canceled.
func hungarian(ctx context.Context, n, m int, price func(i, j int) float64) ([]int, error) {
	u, v := make([]float64, n+1), make([]float64, m+1)
	row, way := make([]int, m+1), make([]int, m+1)
	for i := 1; i <= n; i++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		row[0] = i
		last := 0
		lowest, done := make([]float64, m+1), make([]bool, m+1)
		for j := range lowest {
			lowest[j] = math.Inf(1)
		}
		for row[last] != 0 {
			done[last] = true
			next, delta := 0, math.Inf(1)
			for j := 1; j <= m; j++ {
				if done[j] {
					continue
				}
				if c := price(row[last]-1, j-1) - u[row[last]] - v[j]; c < lowest[j] {
					lowest[j], way[j] = c, last
				}
				if lowest[j] < delta {
					delta, next = lowest[j], j
				}
			}
			for j := 0; j <= m; j++ {
				if done[j] {
					u[row[j]] += delta
					v[j] -= delta
				} else {
					lowest[j] -= delta
				}
			}
			last = next
		}
		for last != 0 {
			row[last] = row[way[last]]
			last = way[last]
		}
	}
	for j := range row {
		row[j]--
	}
	return row[1:], nil
}
