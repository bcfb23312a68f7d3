package headerdetect

import (
	"slices"
	"strings"

	"github.com/intraydata/intray"
)

// certainty measures how certain it is that a row belongs to the header next to it.
type certainty uint8

const (
	// unlikely means that the row is probably a record or a title.
	unlikely certainty = iota
	// possible means that the row can be either, so that a person should decide.
	possible
	certain
)

// extendHeader adds the adjacent rows that belong to the header with at least the given certainty.
func (f *layoutFinder) extendHeader(l *Layout, least certainty) {
	f.extendUp(l, least)
	l.Headers = max(l.Headers, f.bodyStart(l.First, least)-l.First)
	for l.Headers < MaxHeaders && l.BodyStart() < len(f.rows) && f.belongsBelow(l.BodyStart(), l.First, l.BodyStart()+1) >= least {
		l.Headers++
	}
	f.extendUp(l, least)
	if l.Headers > 1 {
		l.Reason = intray.NewMessage("header.rows_above_values", intray.Params{"n": l.Headers})
	}
}

// extendUp adds the rows directly above the header that belong to it with at least the given
// certainty.
func (f *layoutFinder) extendUp(l *Layout, least certainty) {
	for l.Headers < MaxHeaders && l.First > 0 {
		at := l.First - 1
		if f.filled[at] == 0 && at > 0 && l.Headers+1 < MaxHeaders {
			at-- // a blank row between the groups and the names
		}
		if f.belongsAbove(at, l.First, l.BodyStart()) < least {
			break
		}
		l.Headers += l.First - at
		l.First = at
	}
}

// doubtHeaderRows makes the layout unsure if more rows may belong to the header.
func (f *layoutFinder) doubtHeaderRows(l *Layout) {
	more := *l
	f.extendHeader(&more, possible)
	if more.Headers > l.Headers {
		l.Doubt, l.Alternative, l.AlternativeHeaders = 1, more.First, more.Headers
	}
}

// bodyStart returns the index of the first row after a header of one or more rows that starts
// at the given row. Each of its rows belongs to it with at least the given certainty.
func (f *layoutFinder) bodyStart(header int, least certainty) int {
	if f.isSideBySideText(header) {
		return header + 1
	}
	for body := min(header+MaxHeaders, len(f.rows)-1); body > header+1; body-- {
		at := header + 1
		for at < body && f.belongsBelow(at, header, body) >= least {
			at++
		}
		if at == body && f.isTextAboveTyped(header, header, body) {
			return body
		}
	}
	return header + 1
}

// isSideBySideText reports whether a row has only text in adjacent columns and at least the
// last quarter of the columns is empty. Such a row is a title or a note, because names of
// column groups extend over all columns and records rarely contain only text.
func (f *layoutFinder) isSideBySideText(at int) bool {
	end := filledWidth(f.rows[at])
	return f.filled[at] == end && 4*end <= 3*f.width && !f.hasValues(at)
}

// hasValues reports whether a row has cells that are rarely part of a header.
func (f *layoutFinder) hasValues(at int) bool {
	return slices.ContainsFunc(f.cells[at], func(l cellInfo) bool { return l.kind.IsTyped() || l.kind == Code })
}

// belongsBelow returns how certain it is that a row below the first row of a header belongs to
// that header. below is the index of the first record.
//
// Such a row repeats the header, completes names that are blank or not unique, or has text in
// typed columns. A record can have text in typed columns, too, if its values are missing.
// Therefore, markers of missing values do not count, and neither does text that occurs in the
// typed columns of later records.
func (f *layoutFinder) belongsBelow(at, header, below int) certainty {
	switch {
	case f.filled[at] >= 2 && at == header+1 && f.isSequence(at, at+1) && !f.hasValues(header):
		return certain
	case f.filled[at] < 2 || f.hasValues(at) || f.isLabeledValues(header):
		return unlikely
	case f.equalRows(at, header):
		return certain
	case f.completesLabels(at, header, below):
		return certain
	case 2*f.filled[at] <= f.width:
		return unlikely
	}
	text := f.textAboveTyped(at, header, below)
	switch {
	case text.cells < 2 || text.repeatsValues:
		return unlikely
	case text.completesNames, 2*text.units > text.cells:
		return certain
	case text.headerWords > 0 && text.distinct == text.columns && text.columns > 2, text.distinct > 1 && 2*text.headerWords >= text.cells:
		return certain
	}
	return possible
}

func (f *layoutFinder) equalRows(a, b int) bool {
	return slices.EqualFunc(f.rows[a], f.rows[b], func(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) })
}

// fullShare is the minimum share of filled cells in a column in which a record is expected to
// have a cell.
const fullShare = 0.9

// completesLabels reports whether a row names at least two columns below blank cells of the
// header, but has no cell in a column in which nearly all records have one. In exported surveys,
// the first row holds questions and the second row holds the possible answers.
func (f *layoutFinder) completesLabels(at, header, below int) bool {
	names, missing := 0, 0
	for c := range f.width {
		named, labeled := f.hasCell(at, c), f.nameAbove(header, at, c) != noName
		switch {
		case named && !labeled && c > 0:
			names++
		case !named && labeled && f.fillShare(columnBody{c, below, f.firstEqual[header]}) >= fullShare:
			missing++
		}
	}
	return names >= 2 && missing > 0
}

// noName is the result of nameAbove for a column without a name.
const noName = 0

// nameAbove returns a checksum of the name of a column in the rows of a header above a row, or
// noName.
func (f *layoutFinder) nameAbove(header, at, column int) (sum uint64) {
	for i := header; i < at; i++ {
		if f.hasCell(i, column) {
			sum = sum*31 + uint64(f.cells[i][column].sum) + 1
		}
	}
	return sum
}

// hasCell reports whether a row has text in a column.
func (f *layoutFinder) hasCell(at, column int) bool {
	return column < len(f.rows[at]) && strings.TrimSpace(f.rows[at][column]) != ""
}

// fillShare returns the share of the rows of a body that have text in its column. Blank rows do
// not count. If there are fewer than three rows, it returns 0.
func (f *layoutFinder) fillShare(b columnBody) float64 {
	filled, rows := 0, 0
	repeated := f.repetitions(b.header)
	for i := b.from; i < min(len(f.rows), b.from+maxBodyRows); i++ {
		if f.filled[i] == 0 || repeated[i] {
			continue
		}
		rows++
		if f.hasCell(i, b.column) {
			filled++
		}
	}
	if rows < 3 {
		return 0
	}
	return float64(filled) / float64(rows)
}

// typedText describes the text of a row in typed columns.
type typedText struct {
	// columns is the number of typed columns. cells is the number of cells with text in them, and
	// distinct is the number of different texts.
	columns, cells, distinct int
	// headerWords is the number of cells that contain a word of column names, and units is the
	// number of cells that contain only a unit or the name of a data type.
	headerWords, units int
	// completesNames reports whether the row has text below a blank cell of the header, or
	// distinguishes equal names.
	completesNames bool
	// repeatsValues reports whether a cell in another column is a value of that column.
	repeatsValues bool
}

// textAboveTyped examines the text of a row in columns that are typed in the records. below is
// the index of the first record.
func (f *layoutFinder) textAboveTyped(at, header, below int) (text typedText) {
	typed := f.typedColumnsOf(below, f.firstEqual[header])
	seen := map[uint32]bool{}
	names := map[uint64]map[uint32]bool{} // the texts below each name in the header
	for c, l := range f.cells[at] {
		body := columnBody{c, below, f.firstEqual[header]}
		if !typed.columns[c] {
			if l.kind != Empty && f.containsText(body, l, f.cellText(at, c)) {
				text.repeatsValues = true
			}
			continue
		}
		text.columns++
		if l.kind == Empty || typed.texts[l.sum] {
			continue
		}
		text.cells++
		seen[l.sum] = true
		switch cell := f.cellText(at, c); {
		case isUnit(cell):
			text.units++
		case headerWordScore(cell) > 0:
			text.headerWords++
		}
		name := f.nameAbove(header, at, c)
		if name == noName {
			text.completesNames = true
			continue
		}
		if names[name] == nil {
			names[name] = map[uint32]bool{}
		}
		names[name][l.sum] = true
		text.completesNames = text.completesNames || len(names[name]) > 1
	}
	text.distinct = len(seen)
	return text
}

// isUnit reports whether a cell, in lower case, contains only a unit, the name of a data type, or
// text in brackets.
func isUnit(cell string) bool {
	return unitWords[strings.Trim(cell, "()[]. ")] || len(cell) > 2 && strings.ContainsAny(cell[:1], "([") && strings.ContainsAny(cell[len(cell)-1:], ")]")
}

var unitWords = wordSet("% ％ ‰ percent prozent pct € $ £ ¥ eur usd gbp chf jpy kr zł kg g mg t ton tons tonne tonnes lb lbs oz m km cm mm mi ft in m² m2 km² ha l ml gal " +
	"s sec min h hr hrs hours days weeks months years °c °f k kwh mwh w kw mw v a hz pa bar mol ppm ppb thousand thousands million millions tsd mio mrd '000 000s stück pcs " +
	"text string str char varchar number numeric integer int bigint float double decimal real bool boolean date datetime timestamp time")

// typedColumns describes the typed columns of a body.
type typedColumns struct {
	from, header int
	columns      []bool
	// texts holds the checksums of the texts in typed columns, which mark missing values.
	texts map[uint32]bool
}

// typedColumnsOf returns the typed columns of the body that starts at a row: those in which most
// cells are of the same typed kind. header is the value of columnBody.header. It remembers the
// last result, because the rows of a header are compared with the same body.
func (f *layoutFinder) typedColumnsOf(from, header int) *typedColumns {
	if last := f.typed; last != nil && last.from == from && last.header == header {
		return last
	}
	typed := &typedColumns{from: from, header: header, columns: make([]bool, max(f.width, f.longest)), texts: map[uint32]bool{}}
	for c := range typed.columns {
		body := columnBody{c, from, header}
		if col := f.columnStats(body); !col.kind.IsTyped() || col.share < 0.8 {
			continue
		}
		typed.columns[c] = true
		for i := range f.filledRows(body) {
			if l := f.cells[i][c]; !l.kind.IsTyped() && l.kind != Code {
				typed.texts[l.sum] = true
			}
		}
	}
	f.typed = typed
	return typed
}

// isTextAboveTyped reports whether a row has no values, but has text in at least two columns that
// are typed in the records. below is the index of the first record.
func (f *layoutFinder) isTextAboveTyped(at, header, below int) bool {
	return !f.hasValues(at) && f.textAboveTyped(at, header, below).cells >= 2
}

// belongsAbove returns how certain it is that a row above the first row of a header belongs to
// that header. below is the index of the first record.
func (f *layoutFinder) belongsAbove(at, header, below int) certainty {
	if f.equalRows(at, header) || at == header-1 && f.isGroupOfValues(at) && f.isTextAboveTyped(header, header, below) {
		return certain
	}
	if f.isLabeledValues(at) || at < header-1 && f.isLabelAndValue(at) {
		return unlikely
	}
	if 2*f.filled[at] > f.width && f.filled[at] > 1 && !f.isSideBySideText(at) && f.isTextAboveTyped(at, header, below) {
		return certain
	}
	return f.namesGroups(at, header)
}

// namesGroups returns how certain it is that a row above a header names groups of columns. Each
// name is above the first column of its group, and the cells above the other columns are blank.
// The row can also name columns that the header leaves blank. A title is above the first column
// of the table, above a single column, or in several adjacent cells.
func (f *layoutFinder) namesGroups(at, header int) certainty {
	labels, groups, completed, first := 0, 0, 0, -1
	width := 0 // the number of columns of the current group
	for c := range f.width {
		switch {
		case f.hasCell(at, c) && !f.isGroupLabel(at, c):
			return unlikely
		case f.hasCell(at, c):
			if width > 1 {
				groups++
			}
			if labels++; first < 0 {
				first = c
			}
			width = 1
			if !f.hasCell(header, c) {
				completed++
				width = 0
			}
		case f.hasCell(header, c) && width > 0:
			width++
		}
	}
	if width > 1 && (labels == 1 || groups > 0 || completed > 0) {
		groups++ // otherwise, only the last name has blank cells, as in a title in adjacent cells
	}
	switch {
	case groups == 0:
		return unlikely
	case f.repeatsNames(at, header), completed > 0, labels > 1 && (first > 0 || groups == labels):
		return certain
	case labels > 1, first > 0 && !f.hasTitleAbove(at):
		return possible
	}
	return unlikely
}

// isGroupLabel reports whether a cell can be the name of a group of columns.
func (f *layoutFinder) isGroupLabel(at, column int) bool {
	l := f.cells[at][column]
	text := f.cellText(at, column)
	return !strings.HasSuffix(text, ":") && l.runes <= maxLabelRunes && (l.kind == Text || l.kind == Flag || l.kind == Code || l.kind == Integer && isYear(text))
}

// maxLabelRunes is the maximum length of the name of a group of columns, in characters.
const maxLabelRunes = 60

// repeatsNames reports whether a header has equal names below different groups.
func (f *layoutFinder) repeatsNames(at, header int) bool {
	groupOf := map[uint32]int{} // the column of the last group with the name
	group := -1
	for c := range min(f.width, len(f.cells[header])) {
		if f.hasCell(at, c) {
			group = c
		}
		if !f.hasCell(header, c) {
			continue
		}
		name := f.cells[header][c].sum
		if before, found := groupOf[name]; found && before != group {
			return true
		}
		groupOf[name] = group
	}
	return false
}
