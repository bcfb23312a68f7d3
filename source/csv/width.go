package csv

import (
	"maps"
	"slices"
	"strings"

	"github.com/intraydata/intray/source/headerdetect"
)

// tableWidth returns the number of columns: the number of cells of the rows that have names and
// optional last cells, if there are such rows, and otherwise the common number of cells.
func (s *sheet) tableWidth(rows []sampledRow, sample []byte) int {
	width := commonWidth(rows)
	if width < 2 {
		return width
	}
	counts := map[int]bool{}
	for _, row := range rows {
		if row.wellFormed && len(row.cells) > width {
			counts[len(row.cells)] = true
		}
	}
	wider := slices.Sorted(maps.Keys(counts))
	for _, count := range slices.Backward(wider[:min(len(wider), maxCounts)]) {
		if s.hasOptionalCells(rows, sample, width, count) {
			return count
		}
	}
	return width
}

const (
	// maxCounts is the maximum number of different numbers of cells that are examined.
	maxCounts = 8
	// maxCompared is the maximum number of rows that are compared with the common rows, and
	// maxLearned is the maximum number of common rows.
	maxCompared, maxLearned = 40, 200
	// maxRowsAboveNames is the maximum number of rows with the common number of cells above the
	// names.
	maxRowsAboveNames = 2
	// minWiderShare is the minimum share of rows with optional last cells, unless the first record
	// is one.
	minWiderShare = 0.1
)

// hasOptionalCells reports whether the rows with the given number of cells are complete, and the
// more common rows with width cells omit their last cells or belong to a table further down. The first
// row with that many cells must consist of names, and cells of the rows below it must not be parts of
// a text with an unquoted delimiter.
func (s *sheet) hasOptionalCells(rows []sampledRow, sample []byte, width, count int) bool {
	split, ok := splitByWidth(rows, width, count)
	if !ok || split.above > maxRowsAboveNames || len(split.wide) == 0 || len(split.common) == 0 {
		return false
	}
	if share := float64(len(split.wide)) / float64(len(split.wide)+len(split.common)); !split.startsWide && share < minWiderShare {
		return false
	}
	return !s.haveExtraDelimiters(split.wide, split.common, sample, width)
}

// splitRows are the rows below the names of a table, by their number of cells.
type splitRows struct {
	wide, common []sampledRow
	// startsWide reports whether the first of these rows is wide.
	startsWide bool
	// above is the number of rows with the common number of cells above the names.
	above int
}

// splitByWidth splits the rows below the first row with count cells. It returns false if there is none,
// or if it has values.
func splitByWidth(rows []sampledRow, width, count int) (split splitRows, ok bool) {
	var names []string
	for _, row := range rows {
		cells := row.cells
		switch isWide := len(cells) == count; {
		case headerdetect.Filled(cells) < 2 || !row.wellFormed, !isWide && len(cells) != width:
		case isWide && names == nil && namesColumns(cells):
			names = cells
		case isWide && names == nil:
			if filledWidth(cells) > 2 {
				return split, false
			}
		case isWide && split.addWide(row, names, width):
		case names == nil && !isWide:
			split.above++
		case !isWide:
			split.common = append(split.common, row)
		}
	}
	return split, names != nil
}

// addWide adds a wide row if it has values of its own in the extra columns.
func (split *splitRows) addWide(row sampledRow, names []string, width int) bool {
	if filledWidth(row.cells) <= width || continuesText(row.cells, width) || slices.Equal(row.cells, names) {
		return false
	}
	split.startsWide = split.startsWide || len(split.wide)+len(split.common) == 0
	split.wide = append(split.wide, row)
	return true
}

// namesColumns reports whether a row can consist of names.
func namesColumns(cells []string) bool {
	return !slices.ContainsFunc(cells, isValue) && !strings.HasSuffix(strings.TrimSpace(cells[0]), ":")
}

// continuesText reports whether only the extra cells of a row begin with a space, as in a text with an
// unquoted comma in the last column.
func continuesText(cells []string, width int) bool {
	spaced := func(cell string) bool { return strings.HasPrefix(cell, " ") }
	return len(cells) > width && spaced(cells[width]) && !slices.ContainsFunc(cells[:width], spaced)
}

// filledWidth returns the number of cells up to and including the last cell with text.
func filledWidth(cells []string) int {
	for len(cells) > 0 && strings.TrimSpace(cells[len(cells)-1]) == "" {
		cells = cells[:len(cells)-1]
	}
	return len(cells)
}

// haveExtraDelimiters reports whether most of the wide rows fit the common rows better if cells are
// joined than if the last cells are cut off.
func (s *sheet) haveExtraDelimiters(wide, common []sampledRow, sample []byte, width int) bool {
	texts := make([][]byte, 0, maxLearned)
	for _, row := range common[:min(len(common), maxLearned)] {
		texts = append(texts, sample[row.from:row.to])
	}
	r := newRepairer(s.dialect, width, s.newProfile(texts, width))
	joined := 0
	wide = wide[:min(len(wide), maxCompared)]
	for _, row := range wide {
		if r.fitsBetterJoined(sample[row.from:row.to]) {
			joined++
		}
	}
	return 2*joined > len(wide)
}

// fitsBetterJoined reports whether a row with too many cells fits the columns better if cells are
// joined than without its last cells.
func (p *repairer) fitsBetterJoined(row []byte) bool {
	if len(row) > maxRepairBytes {
		return false
	}
	p.readings, p.workLimit = p.readings[:0], p.work+maxRowWork
	p.parse(row, notFound)
	p.addReading(row, slices.Clone(p.rec.cells[:min(len(p.rec.cells), p.width)]), len(row), repair{}, 0)
	p.tryFewerDelimiters(row)
	return slices.ContainsFunc(p.readings[1:], func(r reading) bool { return r.score > p.readings[0].score })
}

// commonWidth returns the most frequent number of cells per row. It ignores blank rows and
// rows of one cell at both ends, because these are titles and remarks.
func commonWidth(rows []sampledRow) int {
	counts := map[int]int{}
	rows = trimNarrowEdges(rows)
	first := 0
	anyFine := slices.ContainsFunc(rows, func(row sampledRow) bool { return row.wellFormed && headerdetect.Filled(row.cells) > 0 })
	for _, row := range rows {
		if row.wellFormed == anyFine && headerdetect.Filled(row.cells) > 0 {
			counts[len(row.cells)]++
			if first == 0 {
				first = len(row.cells)
			}
		}
	}
	width, n := mostFrequent(counts)
	if counts[first] == n { // the first row breaks a tie
		return first
	}
	if wider, rows := widestRun(rows); wider >= width+2 && 2*rows >= n {
		return wider
	}
	return width
}

// minWiderRows is the minimum number of adjacent rows with more cells that determine the width of the
// table, although more rows have fewer cells. Those rows may belong to another table.
const minWiderRows = 5

// widestRun returns the largest number of cells that at least minWiderRows adjacent rows have, and the
// number of all rows with that many cells.
func widestRun(rows []sampledRow) (width, n int) {
	run, last := 0, 0
	for _, row := range rows {
		cells := len(row.cells)
		if run++; cells != last || !row.wellFormed {
			run, last = 1, cells
		}
		if run == minWiderRows && cells > width {
			width = cells
		}
	}
	for _, row := range rows {
		if len(row.cells) == width {
			n++
		}
	}
	return width, n
}

// trimNarrowEdges removes rows of one cell from both ends if at least two wider rows remain.
func trimNarrowEdges(rows []sampledRow) []sampledRow {
	wide := func(row sampledRow) bool {
		return row.wellFormed && len(row.cells) > 1 && headerdetect.Filled(row.cells) > 1
	}
	from := slices.IndexFunc(rows, wide)
	to := len(rows)
	for to > 0 && !wide(rows[to-1]) {
		to--
	}
	if from < 0 || to-from < 2 {
		return rows
	}
	return rows[from:to]
}
