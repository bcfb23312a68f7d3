package headerdetect

import (
	"context"
	"slices"

	"github.com/intraydata/intray"
)

// Span is a rectangle of merged cells. Rows and columns are indices that include the last one.
type Span struct{ FirstRow, LastRow, FirstColumn, LastColumn int }

// maxSpans is the maximum number of spans that FindMergedLayout examines.
const maxSpans = 1 << 12

// FindMergedLayout is like FindLayout, but also uses merged cells. If merged cells name groups of
// columns and the row below names each of these columns, both rows are the header.
func FindMergedLayout(ctx context.Context, rows [][]string, spans []Span) (Layout, error) {
	layout, err := FindLayout(ctx, rows, 0)
	if err != nil || len(spans) > maxSpans {
		return layout, err
	}
	f := layoutFinder{rows: truncateColumns(rows), width: min(layout.Width, MaxColumns)}
	first, headers := f.findMergedHeader(spans)
	switch {
	case headers == 0:
		return layout, nil
	case first > max(layout.First, layout.BodyStart()-1) || first+headers < layout.First:
		return layout, nil // merged cells of records
	case layout.First <= first && layout.BodyStart() >= first+headers && !layout.Unsure():
		return layout, nil
	}
	if err := f.measure(ctx); err != nil {
		return layout, err
	}
	merged := Layout{Width: layout.Width, First: first, Headers: headers, Alternative: NoHeader,
		Reason: intray.NewMessage("header.merged_groups", intray.Params{"n": headers})}
	f.doubtRowsAbove(&merged)
	return merged, nil
}

// MayHaveGroups reports whether the header may consist of names of groups and, in the next row, the
// names of their columns, so that merged cells could decide: the next row has text below a blank
// cell, and no text below another name.
func (l Layout) MayHaveGroups(rows [][]string) bool {
	if l.Headers != 1 || l.BodyStart() >= len(rows) {
		return false
	}
	f := layoutFinder{rows: rows}
	named, blank := false, false
	for c := range min(l.Width, MaxColumns) {
		above, below := f.hasCell(l.First, c), f.hasCell(l.BodyStart(), c)
		named, blank = named || below && !above, blank || above && !below
	}
	return named && blank
}

// findMergedHeader returns the first row and the number of rows of a header whose first row has
// merged names of groups. It returns 0 rows if there is no such header.
func (f *layoutFinder) findMergedHeader(spans []Span) (first, headers int) {
	byRow := map[int][]Span{}
	for _, s := range spans {
		byRow[s.FirstRow] = append(byRow[s.FirstRow], s)
	}
	for first := range min(len(f.rows), MaxAbove) {
		if headers := f.mergedHeaderAt(first, byRow[first], spans); headers > 0 {
			return first, headers
		}
	}
	return 0, 0
}

// mergedHeaderAt returns the number of rows of a header that starts at a row in which the given
// spans start. Each column must have a name, and only some columns are in a group. The cells of a
// group in the next row must all have text. A group that occurs again further down belongs to the
// records.
func (f *layoutFinder) mergedHeaderAt(first int, own, spans []Span) int {
	groups, last := 0, first+1
	named := make([]bool, f.width)
	for _, s := range own {
		if s.LastColumn >= f.width || !f.hasCell(first, s.FirstColumn) {
			return 0
		}
		if name := f.cellText(first, s.FirstColumn); KindOf(name).IsTyped() && !isYear(name) {
			return 0
		}
		for c := s.FirstColumn; c <= s.LastColumn; c++ {
			named[c] = true
		}
		if s.FirstColumn == s.LastColumn {
			last = max(last, s.LastRow)
			continue
		}
		groups++
		again := func(o Span) bool {
			return o.FirstRow > first+1 && o.FirstColumn == s.FirstColumn && o.LastColumn == s.LastColumn
		}
		if s.LastRow > first || s.LastColumn-s.FirstColumn+1 == f.width || slices.ContainsFunc(spans, again) || !f.hasCells(first+1, s) {
			return 0
		}
	}
	headers := last - first + 1
	if groups == 0 || headers > MaxHeaders || first+headers >= len(f.rows) || len(own) == 1 && !f.hasCell(first, 0) {
		return 0
	}
	if slices.Contains(f.addNames(first, named), false) {
		return 0
	}
	return headers
}

// addNames sets named for the columns with text in a row or the next one, and returns it.
func (f *layoutFinder) addNames(at int, named []bool) []bool {
	for c := range named {
		named[c] = named[c] || f.hasCell(at, c) || f.hasCell(at+1, c)
	}
	return named
}

// hasCells reports whether a row has text in all columns of a span.
func (f *layoutFinder) hasCells(at int, s Span) bool {
	if at >= len(f.rows) {
		return false
	}
	for c := s.FirstColumn; c <= s.LastColumn; c++ {
		if !f.hasCell(at, c) {
			return false
		}
	}
	return true
}
