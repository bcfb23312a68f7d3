package headerdetect

import (
	"slices"
	"strings"
)

// Body describes the records of a table, to distinguish them from other rows. The zero Body has no
// typed columns.
type Body struct {
	typed []Kind // the kind of the cells in a typed column, or Empty
	// first is the index of the first column that has text.
	first int
	// hasSingles reports whether records can have a single cell: if two adjacent rows that have one
	// are above a row with more cells.
	hasSingles bool
}

// NewBody returns a description of a table, given its first records. It examines at most 200 records
// and MaxColumns columns.
func NewBody(records [][]string) Body {
	f := layoutFinder{rows: truncateColumns(records[:min(len(records), maxBodyRows)])}
	for _, row := range f.rows {
		looks := make([]cellInfo, len(row))
		for c, cell := range row {
			looks[c].kind = kindOfCell(cell)
		}
		f.cells = append(f.cells, looks)
		f.firstEqual = append(f.firstEqual, noRow)
		f.longest = max(f.longest, len(row))
	}
	b := Body{typed: make([]Kind, f.longest), first: f.longest}
	singles := 0
	for _, row := range f.rows {
		switch n := Filled(row); {
		case n == 1:
			singles++
		case n > 1:
			b.hasSingles = b.hasSingles || singles > 1
			singles = 0
		}
	}
	for c := range b.typed {
		col := f.columnStats(columnBody{c, 0, noRow})
		if col.filled > 0 {
			b.first = min(b.first, c)
		}
		if col.kind.IsTyped() && col.share >= 0.7 {
			b.typed[c] = col.kind
		}
	}
	return b
}

// compare returns the number of cells with text in a row. values is the number of its cells in typed
// columns that have the kind of their column, and texts is the number of texts in typed columns. other
// is the number of other values.
func (b Body) compare(row []string) (filled, values, texts, other int) {
	for c, cell := range row[:min(len(row), MaxColumns)] {
		kind := kindOfCell(cell)
		column := Empty
		if c < len(b.typed) {
			column = b.typed[c]
		}
		switch {
		case kind == Empty:
			continue
		case kind.IsTyped() && (kind == column || isNumeric(kind) && isNumeric(column)):
			values++
		case kind.IsTyped() && !isYear(cell):
			other++
		case column != Empty:
			texts++
		}
		filled++
	}
	return filled, values, texts, other
}

func isNumeric(k Kind) bool { return k == Integer || k == Number }

// IsRecord reports whether a row has values in the columns that have such values in the records.
// separate reports whether a blank row precedes it. A row without one needs two values, because totals
// are often followed by taxes and averages.
func (b Body) IsRecord(row []string, separate bool) bool {
	filled, values, texts, _ := b.compare(row)
	return filled >= 2 && values > texts && (separate || values >= 2)
}

// NamesColumns reports whether a row has text, and no values, in at least two columns that have values
// in the records, as the names of another table have.
func (b Body) NamesColumns(row []string) bool {
	_, values, texts, other := b.compare(row)
	return values == 0 && other == 0 && texts >= 2
}

// FindTable returns the index of the first row that names the columns of another table below the first
// records, or -1. Such a row follows a blank row or a total, and the next row is a record.
func (b Body) FindTable(rows [][]string) int {
	records, separate := 0, false
	for at, row := range rows {
		switch filled := Filled(row); {
		case filled == 0, IsTotal(row):
			separate = true
		case separate && records > 0 && b.NamesColumns(row) && at+1 < len(rows) && b.IsRecord(rows[at+1], true):
			return at
		default:
			records++
			separate = filled == 1 && separate // a title above the names
		}
	}
	return -1
}

// FindSmallTable returns the index of the first row that may belong to a small table among rows below
// the last record, or -1. Two rows with several cells that are no totals may be a table. One such row
// may be its names if the next row fits below it, and it may be a record if the table above does not
// have more records than there are rows with text below it.
func FindSmallTable(rows [][]string, records int64) int {
	first, n, texts, names := -1, 0, int64(0), false
	for i, row := range rows {
		filled := Filled(row)
		if filled > 0 {
			texts++
		}
		if filled < 2 || IsTotal(row) && slices.ContainsFunc(row, hasTypedWord) {
			continue
		}
		if n++; first < 0 {
			first = i
		}
		names = names || i+1 < len(rows) && mayName(row, rows[i+1])
	}
	if n >= 2 || names || n == 1 && texts >= records {
		return first
	}
	return -1
}

// hasTypedWord reports whether a cell has a value such as 180, or 180 records.
func hasTypedWord(cell string) bool {
	return isTypedCell(cell) || slices.ContainsFunc(strings.Fields(cell), isTypedCell)
}

func isTypedCell(cell string) bool { return KindOf(cell).IsTyped() }

// mayName reports whether a row has texts in adjacent columns, and the next row has text in the first
// of these columns and in no others.
func mayName(row, next []string) bool {
	end := filledWidth(row)
	if Filled(row) < end || slices.ContainsFunc(row, func(cell string) bool { return isTypedCell(cell) || strings.HasSuffix(strings.TrimSpace(cell), ":") }) {
		return false
	}
	return filledWidth(next) <= end && Filled(next) > 0 && strings.TrimSpace(next[0]) != "" && !IsNote(next, false) && !IsTotal(next)
}

// remarkWords is the minimum number of words in a remark that directly follows a record and does not
// otherwise look like a remark.
const remarkWords = 5

// IsRemark reports whether a row is a remark below a table, like [IsNote]. In addition, a remark can
// begin in the first column that has text, a row of a single cell can be a sentence or a footnote if
// no record consists of a single cell, and a remark after a blank row can have one or two cells if one
// of them has text where the records have values.
func (b Body) IsRemark(row []string, afterBlank bool) bool {
	if b.first > 0 && b.first < len(row) && Filled(row[:b.first]) == 0 {
		row = append([]string{}, row[b.first:]...)
	}
	if IsNote(row, afterBlank) || len(row) == 1 && len(b.typed) > 1 && !b.hasSingles && isFootnote(row[0]) {
		return true
	}
	filled := Filled(row)
	if !afterBlank || filled > 2 || len(row) < 4 {
		return false
	}
	_, values, texts, other := b.compare(row)
	return texts > 0 && values == 0 && other == 0
}

// isFootnote reports whether a text looks like a sentence, a footnote or the title of remarks.
func isFootnote(text string) bool {
	text = strings.TrimSpace(text)
	words := len(strings.Fields(text))
	switch {
	case KindOf(text).IsTyped():
		return false
	case strings.HasSuffix(text, ":"), words >= remarkWords:
		return true
	case words < 3:
		return false
	}
	mark := strings.IndexAny(text, ".) ")
	return strings.HasSuffix(text, ".") || strings.HasPrefix(text, "*") || strings.HasPrefix(text, "(") || mark > 0 && mark <= 2 && hasDigit(text[:mark])
}
