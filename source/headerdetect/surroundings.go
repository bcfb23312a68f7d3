package headerdetect

import (
	"slices"
	"strconv"
	"strings"
)

// minRepeatedNames is the minimum number of typed columns in which a repetition of the header has
// text.
const minRepeatedNames = 2

// repetitions returns, for each row, whether it repeats a header, which is a value of
// columnBody.header. A row also repeats the header if at least half of its cells are equal and it has
// text in typed columns, as in a report that repeats its names for each group.
func (f *layoutFinder) repetitions(header int) []bool {
	known, found := f.repeated[header]
	if !found {
		if f.repeated == nil {
			f.repeated = map[int][]bool{}
		}
		if known = make([]bool, len(f.rows)); header != noRow {
			f.findRepetitions(header, known)
		}
		f.repeated[header] = known
	}
	return known
}

// findRepetitions marks each row that repeats all or most of the header.
func (f *layoutFinder) findRepetitions(header int, repeated []bool) {
	for at, equal := range f.firstEqual {
		repeated[at] = equal == header
	}
	if f.hasTypedCell(header) {
		return
	}
	var typed []bool
	for at := header + 1; at < len(f.rows); at++ {
		if repeated[at] || f.filled[at] < minRepeatedNames || f.hasTypedCell(at) {
			continue
		}
		equal := 0
		for c, l := range f.cells[at] {
			if c < len(f.cells[header]) && l.kind != Empty && l.sum == f.cells[header][c].sum {
				equal++
			}
		}
		if equal < 2 || 2*equal < f.filled[header] {
			continue
		}
		if typed == nil {
			typed = f.typedFrom(header + 1)
		}
		if f.countTexts(at, typed) < minRepeatedNames {
			continue
		}
		repeated[at] = true
	}
}

// typedFrom returns, for each column, whether most of its cells from the given row on are typed.
func (f *layoutFinder) typedFrom(from int) []bool {
	typed := make([]bool, f.longest)
	for c := range typed {
		col := f.columnStats(columnBody{c, from, noRow})
		typed[c] = col.kind.IsTyped() && col.share >= 0.7
	}
	return typed
}

// countTexts returns the number of cells with text in the given columns.
func (f *layoutFinder) countTexts(at int, columns []bool) (texts int) {
	for c, l := range f.cells[at] {
		if columns[c] && (l.kind == Text || l.kind == Code) {
			texts++
		}
	}
	return texts
}

// countNames returns the number of cells with text in columns that are typed from the given row on.
func (f *layoutFinder) countNames(at, from int) int { return f.countTexts(at, f.typedFrom(from)) }

// isWideTitle reports whether a row has text in more cells than the table has columns, and the row
// below it is blank or names the columns. An unquoted title is cut at its delimiters.
func (f *layoutFinder) isWideTitle(at int) bool {
	if filledWidth(f.rows[at]) <= f.width || at+1 >= len(f.rows) {
		return false
	}
	next := f.filled[at+1]
	if next == 0 {
		return !f.hasValues(at)
	}
	return next == f.width && filledWidth(f.rows[at+1]) == f.width && !f.hasTypedCell(at+1) && f.isOnlyWide(at) && f.countNames(at+1, at+2) > 0 && f.hasUniqueTexts(at+1)
}

// isTitleAboveNames reports whether a row has only text, and after titles and at least one blank row, a
// row with more names follows.
func (f *layoutFinder) isTitleAboveNames(at int) bool {
	next := at + 1
	blank := false
	for next < len(f.rows) && next <= at+4 && f.filled[next] <= 1 {
		blank = blank || f.filled[next] == 0
		next++
	}
	return blank && next < len(f.rows) && f.filled[next] > f.filled[at] && !f.hasTypedCell(at) && !f.hasTypedCell(next) && f.filledTo(at)
}

// filledTo reports whether a row has no blank cells before its last cell.
func (f *layoutFinder) filledTo(at int) bool { return f.filled[at] == filledWidth(f.rows[at]) }

// isOnlyWide reports whether all other rows have fewer cells than a row. In tables with optional last
// cells, some rows have as many cells as the header.
func (f *layoutFinder) isOnlyWide(at int) bool {
	end := filledWidth(f.rows[at])
	for i, row := range f.rows {
		if i != at && len(row) >= end && filledWidth(row) >= end {
			return false
		}
	}
	return true
}

// hasUniqueTexts reports whether all cells of a row differ, and none of them occurs again in its column
// below. The texts of records often do.
func (f *layoutFinder) hasUniqueTexts(at int) bool {
	seen := map[uint32]bool{}
	for c, l := range f.cells[at] {
		if l.kind == Empty {
			continue
		}
		if seen[l.sum] || f.containsText(columnBody{c, at + 1, f.firstEqual[at]}, l, f.cellText(at, c)) {
			return false
		}
		seen[l.sum] = true
	}
	return true
}

// hasTypedCell reports whether a row has a cell that is rarely a name. Years can be names.
func (f *layoutFinder) hasTypedCell(at int) bool {
	for c, l := range f.cells[at] {
		if l.kind.IsTyped() && !isYear(f.cellText(at, c)) {
			return true
		}
	}
	return false
}

// hasUnnamedIndex reports whether a row names all columns but the first, directly above a row with
// values below these names. Programs for statistics write such a header if the first column holds the
// names or the numbers of the rows.
func (f *layoutFinder) hasUnnamedIndex(at int) bool {
	if f.filled[at] != f.width-1 || f.hasCell(at, 0) || at+1 >= len(f.rows) || !f.hasCell(at+1, 0) || f.hasTypedCell(at) {
		return false
	}
	if f.filled[at+1] == 1 { // the first record has no values
		return f.countNames(at, at+1) > 0
	}
	return slices.ContainsFunc(f.cells[at+1][1:], func(l cellInfo) bool { return l.kind.IsTyped() })
}

// mayHaveUnnamedIndex reports whether a row above the header may be the header of two columns, of which
// the first has no name. Below it, there are only blank rows and names of groups. at is the index of the
// row directly above the header.
func (f *layoutFinder) mayHaveUnnamedIndex(at int) bool {
	if f.width != 2 {
		return false
	}
	for at >= 0 && (f.filled[at] == 0 || f.filled[at] == 1 && f.hasCell(at, 0)) {
		at--
	}
	return at >= 0 && f.filled[at] == 1 && f.hasCell(at, 1) && !f.hasTypedCell(at)
}

// minSequence is the minimum number of columns that are named by consecutive years or by dates.
const minSequence = 3

// isSequence reports whether all typed cells of a row are dates, or years in ascending or descending
// order, above numbers that are not years. below is the index of the first record. Such cells are
// column names more often than values.
func (f *layoutFinder) isSequence(at, below int) bool {
	n, up, down, years, last := 0, true, true, false, ""
	for c, l := range f.cells[at] {
		text := f.cellText(at, c)
		year := isYear(text)
		if !l.kind.IsTyped() && !year {
			continue
		}
		if l.kind != Date && !year || n > 0 && years != year || f.sequenceScore(columnBody{c, below, noRow}, text) == 0 {
			return false
		}
		if n > 0 {
			up, down = up && text > last, down && text < last
		}
		n, years, last = n+1, year, text
	}
	return n >= minSequence && (!years || up || down)
}

// sequenceScore returns the score of a cell in a sequence of years or dates as the name of a column.
func (f *layoutFinder) sequenceScore(below columnBody, cell string) float64 {
	col := f.columnStats(below)
	if col.kind != Integer && col.kind != Number || isYear(cell) && isYear(col.any) {
		return 0
	}
	return col.share
}

// minMatrix is the minimum number of columns of a matrix.
const minMatrix = 3

// isMatrixHeader reports whether a row has a blank first cell and otherwise nearly only texts of the
// first column below it, as in a matrix whose rows and columns have the same names.
func (f *layoutFinder) isMatrixHeader(at int) bool {
	if f.hasCell(at, 0) || f.filled[at] < minMatrix {
		return false
	}
	names := map[uint32]bool{}
	for i := range f.filledRows(columnBody{0, at + 1, noRow}) {
		names[f.cells[i][0].sum] = true
	}
	found, others := map[uint32]bool{}, 0
	for _, l := range f.cells[at] {
		switch {
		case l.kind == Empty:
		case names[l.sum]:
			found[l.sum] = true
		default:
			others++
		}
	}
	return len(found) >= minMatrix && 2*len(found) > others && 2*len(found) > f.filled[at]
}

// isGroupOfValues reports whether the values in a row are years or similar numbers that name groups
// of columns: each value is repeated, or followed by a blank cell, and the row below has only text.
func (f *layoutFinder) isGroupOfValues(at int) bool {
	if at+1 >= len(f.rows) || f.hasValues(at+1) || f.filled[at+1] <= 1 {
		return false
	}
	values, groups := map[uint32]bool{}, 0
	for c := 0; c < len(f.cells[at]); c++ {
		l := f.cells[at][c]
		if !l.kind.IsTyped() && l.kind != Code {
			continue
		}
		if values[l.sum] {
			return false // the same group twice
		}
		values[l.sum] = true
		from := c
		for c+1 < len(f.cells[at]) && f.hasCell(at+1, c+1) && (f.cells[at][c+1].sum == l.sum || !f.hasCell(at, c+1)) {
			c++
		}
		if c == from {
			return false
		}
		groups++
	}
	return groups > 0
}

// isLabeledValues reports whether each value in a row follows its label, as in "Account", "4711",
// "Period", "2025". Such a row describes the table.
func (f *layoutFinder) isLabeledValues(at int) bool {
	pairs, values := 0, 0
	for c := range f.cells[at] {
		if !f.hasCell(at, c) {
			continue
		}
		pairs++
		if l := f.cells[at][c]; !l.kind.IsTyped() && l.kind != Code {
			continue
		}
		if pairs%2 == 1 {
			return false
		}
		values++
	}
	return pairs >= 4 && pairs < f.width && pairs%2 == 0 && 4*values >= pairs && filledWidth(f.rows[at]) == pairs
}

// isLabelAndValue reports whether a row consists of a label and a value in the first two cells.
func (f *layoutFinder) isLabelAndValue(at int) bool {
	return f.filled[at] == 2 && filledWidth(f.rows[at]) == 2 && f.cells[at][1].kind.IsTyped() && !f.cells[at][0].kind.IsTyped()
}

// minBodyRows is the minimum number of rows below a row of names above which a row of names and a row
// of values are treated as a description of the table.
const minBodyRows = 10

// skipMetadata returns the index of the first row that can start a table, given the first row that has
// enough cells. Some files have two rows above the table: names of properties of the whole table, and
// their values.
func (f *layoutFinder) skipMetadata(first int) int {
	names := first + 2
	for names < len(f.rows) && f.filled[names] == 0 {
		names++
	}
	if names+minBodyRows > len(f.rows) || f.filled[first] < 2 || f.hasTypedCell(first) || f.hasTypedCell(names) || !f.hasTypedCell(first+1) {
		return first
	}
	if 2*f.filled[names] < f.used || f.countNames(names, names+1) < 2 || !f.hasUniqueTexts(names) || f.fitsBody(first+1, names+1) {
		return first
	}
	return names
}

// fitsBody reports whether a row can be a record of the body that starts at the row below. It cannot
// if most of its cells in typed columns are of another kind. Bounds such as <5 can replace a value of
// any kind, and so can one text in several columns.
func (f *layoutFinder) fitsBody(at, below int) bool {
	same, other := 0, 0
	others := map[uint32]bool{}
	for c, l := range f.cells[at] {
		switch col := f.columnStats(columnBody{c, below, noRow}); {
		case l.kind == Empty || !col.kind.IsTyped() || col.share < 0.8 || strings.IndexByte("<>", f.rows[at][c][0]) >= 0:
		case l.kind == col.kind, l.kind == Integer && col.kind == Number:
			same++
		default:
			other++
			others[l.sum] = true
		}
	}
	return other < 2 || same > other || same > 0 && len(others) == 1
}

// hasWiderRowsAbove reports whether at least two rows above a header have only texts, in the same
// number of adjacent cells, which is larger than the number of columns. They may be the names and a
// record of another table.
func (f *layoutFinder) hasWiderRowsAbove(header int) bool {
	ends := map[int]bool{}
	for at := range header {
		end := filledWidth(f.rows[at])
		if end <= f.width || !f.filledTo(at) || f.hasTypedCell(at) {
			continue
		}
		if ends[end] {
			return true
		}
		ends[end] = true
	}
	return false
}

// hasNumbersAbove reports whether a row above a header has several adjacent numbers in columns that
// have numbers below the header, as a narrower table has that is followed by a wider one.
func (f *layoutFinder) hasNumbersAbove(header, below int) bool {
	for at := range header {
		run, most, other := 0, 0, 0
		for c, l := range f.cells[at] {
			col := f.columnStats(columnBody{c, below, noRow})
			number := col.share >= 0.7 && (col.kind == Integer || col.kind == Number)
			switch {
			case number && (l.kind == Integer || l.kind == Number):
				run++
				most = max(most, run)
			default:
				run = 0
				if l.kind != Empty && col.kind.IsTyped() && col.share >= 0.7 {
					other++
				}
			}
		}
		if most >= 2 && other == 0 && !f.isDimensions(at) && !f.isLabeledValues(at) && !f.isSequence(at, below) && !f.isGroupOfValues(at) {
			return true
		}
	}
	return false
}

// isDimensions reports whether a row has the numbers of rows and columns of the table only.
func (f *layoutFinder) isDimensions(at int) bool {
	return f.filled[at] == 2 && filledWidth(f.rows[at]) == 2 && f.width > 2 && f.cellText(at, 1) == strconv.Itoa(f.width)
}

// doubtSkippedRows makes a layout without a header unsure if it skips a row with several cells, which
// may be the header or a record.
func (f *layoutFinder) doubtSkippedRows(l *Layout) {
	for at := l.First - 1; at >= 0; at-- {
		adjacent := f.width == 2 && at == l.First-1 && f.filled[at] == 1 && len(f.rows[at]) > 0 && !strings.HasPrefix(f.cellText(at, 0), "#")
		if !adjacent && f.filled[at] < 2 || len(f.rows[at]) > 0 && strings.HasSuffix(f.cellText(at, 0), ":") {
			continue
		}
		l.Doubt, l.Alternative, l.AlternativeHeaders, l.RecordsAbove = 1, at, 0, true
		return
	}
}

// doubtFirstRecord makes the layout unsure if the first row below the header has only text, in columns
// that the header leaves blank, or after a blank row and above values.
func (f *layoutFinder) doubtFirstRecord(l *Layout) {
	at := l.BodyStart()
	for at < len(f.rows) && f.filled[at] == 0 {
		at++
	}
	if at >= len(f.rows) || f.filled[at] < 2 || 2*f.filled[at] > f.width || f.hasTypedCell(at) {
		return
	}
	separate := at > l.BodyStart() && f.countNames(at, at+1) > 0
	for c := range f.cells[at] {
		if f.hasCell(at, c) && f.nameAbove(l.First, l.BodyStart(), c) != noName && !separate {
			return
		}
	}
	l.Doubt, l.Alternative, l.AlternativeHeaders = 1, at, 0
}
