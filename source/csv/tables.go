package csv

import (
	"slices"
	"strconv"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source/headerdetect"
)

// beginsTable reports whether a row is the header of a second table. The row must look like the
// header of the rows below it, and have as many cells as each of the next two rows. A blank row or a
// title must precede it, or it must share names with the header, because rows with fewer cells are
// records more often than a table. The caller checks that the number of cells is not the number of
// columns in this table.
func (s *sheet) beginsTable(cells []string, below [][]string, separate bool) bool {
	if len(below) < 2 || len(cells) < 2 || headerdetect.Filled(cells) < len(cells) {
		return false
	}
	for _, row := range below[:2] {
		if len(row) != len(cells) {
			return false
		}
	}
	if slices.ContainsFunc(cells, isValue) || !separate && !s.sharesNames(cells) {
		return false
	}
	return headerdetect.NamesColumns(cells, below)
}

// isValue reports whether a cell is rarely a column name.
func isValue(cell string) bool {
	return headerdetect.KindOf(cell).IsTyped() && len(strings.TrimSpace(cell)) != len("2025")
}

// sharesNames reports whether at least half of the cells are names in the header.
func (s *sheet) sharesNames(cells []string) bool {
	shared := 0
	for _, name := range s.header {
		if len(name) > 0 && slices.ContainsFunc(cells, func(c string) bool { return strings.EqualFold(strings.TrimSpace(c), string(name)) }) {
			shared++
		}
	}
	return 2*shared >= len(cells)
}

// findTableBelow searches the sample for another table below the first one. body is the index of the
// first record. If the rows of the other table have another number of cells, the reader does not read
// them. Otherwise, it reads them as records. In both cases, the choice of the header becomes a tie.
func (s *sheet) findTableBelow(rows []sampledRow, body int) {
	if s.headerRequested || s.width < 2 {
		return
	}
	separate := false
	for at := body; at < len(rows); at++ {
		cells := rows[at].cells
		filled := headerdetect.Filled(cells)
		if len(cells) != s.width && filled > 1 && rows[at].wellFormed {
			if s.beginsTable(cells, rowsAfter(rows, at), separate) {
				s.evidence = s.evidenceWithTable(rows[at].line)
				s.tableLine = rows[at].line
				return
			}
		}
		separate = filled == 0 && len(cells) == 1 || filled == 1
	}
	texts := make([][]string, 0, len(rows)-min(body, len(rows)))
	for _, row := range rows[min(body, len(rows)):] {
		texts = append(texts, row.cells)
	}
	if at := s.records.FindTable(texts); at >= 0 && !s.equalsHeader(texts[at]) {
		s.askAboutNames(body + at + 1)
	}
}

// rowsAfter returns the cells of the next rows of the sample that are not blank.
func rowsAfter(rows []sampledRow, at int) (below [][]string) {
	for _, row := range rows[at+1:] {
		if headerdetect.Filled(row.cells) > 0 {
			below = append(below, row.cells)
		}
		if len(below) == lookaheadRows {
			break
		}
	}
	return below
}

// equalsHeader reports whether a row repeats the header.
func (s *sheet) equalsHeader(cells []string) bool {
	return slices.EqualFunc(cells, s.header, func(cell string, name []byte) bool { return strings.TrimSpace(cell) == string(name) })
}

// askAboutNames makes the choice of the header a tie, because a row within the table seems to name the
// columns of another table.
func (s *sheet) askAboutNames(row int) {
	at := slices.IndexFunc(s.evidence, func(e intray.Evidence) bool { return e.Choice == "header row" })
	if at < 0 || s.evidence[at].Tie || len(s.header) == 0 {
		return
	}
	e := &s.evidence[at]
	e.Tie, e.Reason = true, intray.JoinMessages(e.Reason, intray.NewMessage("header.names_within", intray.Params{"row": row}))
	if row <= len(s.rowLines) {
		e.Alternatives = []intray.Choice{{Value: strconv.Itoa(row), Label: intray.NewMessage("header.row", intray.Params{"row": row}), Reason: intray.NewMessage("header.could_name_columns", nil)}}
	}
}
