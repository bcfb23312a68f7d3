package headerdetect

import (
	"context"
	"hash/maphash"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/intraydata/intray"
)

const (
	// MaxAbove is the maximum number of rows above a header.
	MaxAbove = 40
	// MaxHeaders is the maximum number of rows in a header.
	MaxHeaders = 3
	// MaxColumns is the maximum number of columns that FindLayout compares, starting from the
	// left. More columns would increase the work without changing the result.
	MaxColumns = 2048
)

// Layout is the location of the table in the rows of a sheet.
type Layout struct {
	// Width is the number of columns in the table.
	Width int
	// First is the index of the first row of the header, or of the first record if there is
	// no header.
	First int
	// Headers is the number of rows in the header, from 0 to MaxHeaders.
	Headers int
	// Reason is the reason for the choice of the header, or for the absence of a header.
	Reason intray.Message
	// Doubt measures how close the best alternative, which has a different header or none, is to
	// the chosen layout. It ranges from 0, if nothing supports the alternative, to 1, if both
	// are equally likely. It is 1/(1+lead), where a lead of one point corresponds to one column
	// with text above numbers. Doubt is 0 if a person chose the header.
	Doubt float64
	// Alternative is the index of the first header row in the best alternative, or NoHeader.
	// AlternativeHeaders is the number of its header rows, where 0 means 1.
	Alternative, AlternativeHeaders int
	// RecordsAbove reports whether the layout is unsure because rows above the header look like
	// records.
	RecordsAbove bool
}

// NoHeader is the value of Layout.Alternative if the best alternative has no header.
const NoHeader = -1

// maxDoubt is the maximum doubt at which no person is asked. It corresponds to a lead of half
// a point, which is less than the score of one known column name.
const maxDoubt = 2.0 / 3

// Unsure reports whether a person should decide, because the header and the alternative are
// about equally likely.
func (l Layout) Unsure() bool { return l.Doubt > maxDoubt }

// BodyStart returns the index of the first record.
func (l Layout) BodyStart() int { return l.First + l.Headers }

// FindLayout locates the table in the first rows of a sheet. rows must include blank rows.
// width is the most frequent number of cells per row, or 0 to derive it from rows.
//
// The work is at most proportional to the product of the number of rows, [MaxColumns] and
// [MaxAbove]. The only error is the error of ctx.
func FindLayout(ctx context.Context, rows [][]string, width int) (Layout, error) {
	if width == 0 {
		width = commonWidth(rows)
	}
	f := layoutFinder{rows: truncateColumns(rows), width: min(width, MaxColumns)}
	if err := f.measure(ctx); err != nil {
		return Layout{}, err
	}
	layout, err := f.findLayout(ctx)
	layout.Width = width
	return layout, err
}

// truncateColumns returns rows with at most MaxColumns cells each.
func truncateColumns(rows [][]string) [][]string {
	cut := make([][]string, len(rows))
	for i, row := range rows {
		cut[i] = row[:min(len(row), MaxColumns)]
	}
	return cut
}

// commonWidth returns the most frequent filled width of the rows, or the greatest width that is
// at least a fifth as frequent.
func commonWidth(rows [][]string) int {
	counts := map[int]int{}
	for _, row := range rows {
		if w := filledWidth(row); w > 0 {
			counts[w]++
		}
	}
	best := 0
	for w, n := range counts {
		if n > counts[best] || n == counts[best] && w > best {
			best = w
		}
	}
	// Wider rows count if there are several of them, because last columns are often empty.
	least := counts[best]
	for w, n := range counts {
		if w > best && 5*n >= least {
			best = w
		}
	}
	return best
}

// filledWidth returns the number of cells up to and including the last cell with text.
func filledWidth(row []string) int {
	for i := len(row) - 1; i >= 0; i-- {
		if strings.TrimSpace(row[i]) != "" {
			return i + 1
		}
	}
	return 0
}

// layoutFinder finds the layout of a sheet. It holds the properties of the rows.
type layoutFinder struct {
	rows  [][]string
	width int
	// used is the number of columns, up to width, in which some rows have text.
	used   int
	filled []int
	cells  [][]cellInfo
	// firstEqual holds, for each row, the index of the first row with the same cells. With it,
	// rows are compared only once instead of once per cell.
	firstEqual []int
	// first is the index of the first row that can start a table, and last is the index of the
	// last row that is not blank.
	first, last int
	// longest is the number of cells in the longest row.
	longest int
	// typed is the last result of typedColumnsOf.
	typed *typedColumns
	// repeated holds the results of repetitions, by the value of columnBody.header.
	repeated map[int][]bool
}

func (f *layoutFinder) measure(ctx context.Context) error {
	seed := maphash.MakeSeed()
	firstOf := map[uint64][]int{}
	for i, row := range f.rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		looks := make([]cellInfo, 0, len(row))
		filled := 0
		var hash maphash.Hash
		hash.SetSeed(seed)
		for _, cell := range row {
			_, _ = hash.WriteString(cell)
			_ = hash.WriteByte(0)
			l := cellInfo{kind: kindOfCell(cell)}
			if cell = strings.TrimSpace(cell); cell != "" {
				filled++
			}
			if l.kind != Empty {
				l.sum, l.runes = uint32(maphash.String(seed, strings.ToLower(cell))), uint32(utf8.RuneCountInString(cell))
			}
			looks = append(looks, l)
		}
		f.cells = append(f.cells, looks)
		f.longest = max(f.longest, len(row))
		f.filled = append(f.filled, filled)
		f.firstEqual = append(f.firstEqual, i)
		sum := hash.Sum64()
		for _, earlier := range firstOf[sum] {
			if slices.Equal(f.rows[earlier], row) {
				f.firstEqual[i] = earlier
				break
			}
		}
		if f.firstEqual[i] == i {
			firstOf[sum] = append(firstOf[sum], i)
		}
	}
	f.used = f.countUsedColumns()
	f.first = f.skipMetadata(f.firstRow())
	for i, row := range f.rows {
		if f.filled[i] > 0 || len(row) > 1 {
			f.last = i
		}
	}
	return nil
}

// minUsedShare is the minimum share of rows that have text in a column that is in use.
const minUsedShare = 0.1

// countUsedColumns returns the number of columns in which at least minUsedShare of the rows have
// text. Sheets can have blank columns between values, and rows can end with blank cells.
func (f *layoutFinder) countUsedColumns() (used int) {
	rows, counts := 0, make([]int, f.width)
	for at, n := range f.filled {
		if n == 0 {
			continue
		}
		rows++
		for c := range min(f.width, len(f.rows[at])) {
			if f.hasCell(at, c) {
				counts[c]++
			}
		}
	}
	for _, n := range counts {
		if n > 0 && float64(n) >= minUsedShare*float64(rows) {
			used++
		}
	}
	return used
}

// firstRowBonus is added to the score of the first row, because most tables have their header
// there.
const firstRowBonus = 1

// headerCandidate is a row with its score as the header.
type headerCandidate struct {
	row int
	// score determines the choice. found is the part of the score that is based on the rows.
	score, found float64
	why          grounds
}

// findLayout chooses the best header among the rows that can precede the first record.
func (f *layoutFinder) findLayout(ctx context.Context) (Layout, error) {
	none := headerCandidate{row: NoHeader}
	first, best := f.first, none
	list := []headerCandidate{none}
	for at := first; at < min(len(f.rows), first+MaxAbove); at++ {
		if err := ctx.Err(); err != nil {
			return Layout{}, err
		}
		s := f.scoreRow(at, first)
		list = append(list, s)
		if s.score > best.score {
			best = s
		}
		if s.score > 0 && f.filled[at] >= f.width && at > max(best.row, first)+MaxHeaders {
			break
		}
	}
	l := Layout{Width: f.width, First: max(best.row, 0)}
	if best.row == NoHeader {
		l.First, l.Reason = first, f.noneReason()
	} else {
		l.Headers, l.Reason = 1, best.why.reason(f.width)
		f.extendHeader(&l, certain)
	}
	f.findAlternative(&l, best, list)
	if l.Headers > 0 {
		f.doubtHeaderRows(&l)
		f.doubtFirstRecord(&l)
		f.doubtRowsAbove(&l)
	} else {
		f.doubtSkippedRows(&l)
	}
	return l, nil
}

// noneReason returns the reason why no row is the header.
func (f *layoutFinder) noneReason() intray.Message {
	if f.first >= f.last && f.width > 1 {
		return intray.NewMessage("header.only_row_like_values", nil)
	}
	return intray.NewMessage("header.first_row_like_others", nil)
}

// scoreRow returns a row as a header candidate. Its score is headerScore, plus firstRowBonus
// if it is the first row of a table.
func (f *layoutFinder) scoreRow(at, first int) headerCandidate {
	s := headerCandidate{row: at}
	s.found, s.why = f.headerScore(at)
	s.score = s.found
	if at == first {
		s.score += firstRowBonus
	}
	return s
}

// findAlternative finds the best alternative to the chosen layout and computes the doubt. It
// compares scores without firstRowBonus, because the bonus is not evidence. Further rows of the
// same header, and repetitions of the header, are not alternatives.
func (f *layoutFinder) findAlternative(l *Layout, best headerCandidate, list []headerCandidate) {
	l.Alternative = NoHeader
	next := math.Inf(-1)
	for _, s := range list {
		if s.row == best.row || l.Headers > 0 && s.row != NoHeader && (s.row >= l.First && s.row < l.BodyStart() || f.firstEqual[s.row] == f.firstEqual[best.row]) {
			continue
		}
		if l.Headers > 0 && s.row == NoHeader && f.hasTitleAbove(l.First) || s.row >= 0 && f.filled[s.row] == 0 {
			continue
		}
		if s.found > next {
			next, l.Alternative = s.found, s.row
		}
	}
	l.Doubt = 1 / (1 + max(0, best.found-next))
}

// doubtRowsAbove makes the layout unsure if rows above the header look like records, because
// these records would be lost.
func (f *layoutFinder) doubtRowsAbove(l *Layout) {
	if f.hasRecordAbove(l.First, l.BodyStart()) || f.hasTableAbove(l.First) || f.hasWiderRowsAbove(l.First) || f.hasNumbersAbove(l.First, l.BodyStart()) || f.mayHaveUnnamedIndex(l.First-1) {
		l.Doubt, l.Alternative, l.AlternativeHeaders, l.RecordsAbove = 1, NoHeader, 0, true
		return
	}
	isTable := func(n int) bool { return n > 1 && 2*n >= f.used }
	if above := slices.IndexFunc(f.filled[:l.First], isTable); above >= 0 && !f.hasRecordFrom(l.BodyStart(), isTable) {
		// The header itself may be the only record.
		l.Doubt, l.Alternative, l.AlternativeHeaders, l.RecordsAbove = 1, above, 0, true
	}
}

// hasRecordFrom reports whether one of the rows from the given one on has a number of cells that isTable
// accepts, and is no total.
func (f *layoutFinder) hasRecordFrom(at int, isTable func(filled int) bool) bool {
	for ; at < len(f.rows); at++ {
		if isTable(f.filled[at]) && !IsTotal(f.rows[at]) {
			return true
		}
	}
	return false
}

// minTableRows is the minimum number of adjacent rows with values in the same column that are
// treated as a table of their own. Reports have fewer lines such as "Start date" and
// "2024-01-01" above their table.
const minTableRows = 5

// hasTableAbove reports whether the rows above a header contain a table: several adjacent rows
// that have at least two cells, with a typed cell in the same column.
func (f *layoutFinder) hasTableAbove(header int) bool {
	var runs []int // the number of adjacent rows so far with a typed cell, by column
	for at := range header {
		if f.filled[at] < 2 || strings.HasSuffix(f.cellText(at, 0), ":") {
			runs = nil
			continue
		}
		next := make([]int, len(f.cells[at]))
		for c, l := range f.cells[at] {
			if !l.kind.IsTyped() {
				continue
			}
			next[c] = 1
			if c < len(runs) {
				next[c] += runs[c]
			}
			if next[c] >= minTableRows {
				return true
			}
		}
		runs = next
	}
	return false
}

// hasRecordAbove reports whether a row above a header looks like the records below it. Such a row
// fills most columns, and in at least two typed columns, its cells have the kind of the column.
func (f *layoutFinder) hasRecordAbove(header, below int) bool {
	for at := range header {
		if 4*f.filled[at] < 3*f.width {
			continue
		}
		same, other := 0, 0
		for c, l := range f.cells[at] {
			col := f.columnStats(columnBody{c, below, noRow})
			switch {
			case l.kind == Empty || !col.kind.IsTyped() || col.share < 0.8:
			case l.kind == col.kind, l.kind == Integer && col.kind == Number:
				same++
			default:
				other++
			}
		}
		if same >= 2 && other == 0 {
			return true
		}
	}
	return false
}

// hasTitleAbove reports whether there are titles or notes above a row. Files with a title
// usually have a header.
func (f *layoutFinder) hasTitleAbove(at int) bool {
	return slices.ContainsFunc(f.filled[:at], func(n int) bool { return n > 0 && 2*n < f.width })
}

// firstRow returns the index of the first row that can start a table of this width. Titles and
// notes above the table have fewer cells.
func (f *layoutFinder) firstRow() int {
	for i, n := range f.filled {
		if f.isWideTitle(i) || f.isTitleAboveNames(i) {
			continue
		}
		if n > 0 && (f.width <= 1 || n >= 2 && 2*n >= f.used || f.hasTypedCells(i) || f.hasUnnamedIndex(i)) {
			return i
		}
	}
	for i, n := range f.filled {
		if n > 0 {
			return i
		}
	}
	return 0
}

// hasTypedCells reports whether a row has at least two typed cells in columns in which most
// cells below are of the same kind.
func (f *layoutFinder) hasTypedCells(at int) bool {
	if f.filled[at] < 2 {
		return false
	}
	typed := 0
	for c, l := range f.cells[at] {
		if l.kind.IsTyped() && f.columnStats(columnBody{c, at + 1, noRow}).share >= 0.8 {
			typed++
		}
	}
	return typed >= 2
}
