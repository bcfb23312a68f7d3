package csv

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/intraydata/intray"
)

// extent is the part of a line that the cells of an aligned column occupy, in characters.
type extent struct{ from, to int }

// minAlignedRows is the minimum number of rows from which the extents of columns are learned.
const minAlignedRows = 3

// learnExtents finds the columns of a table that spaces align, from the rows of the samples with one
// cell per column, and adds the positions where the columns start to the evidence. It finds none if
// cells of adjacent columns overlap.
func (s *sheet) learnExtents(body []sampledRow, sample []byte) {
	if !s.dialect.joinsSpaces() || s.dialect.fixed != nil || s.width < 2 {
		return
	}
	found := make([]extent, s.width)
	rows := 0
	for _, row := range body {
		if row.wellFormed && len(row.cells) == s.width && s.widenExtents(found, sample[row.from:row.to], rows > 0) {
			rows++
		}
	}
	for _, lines := range s.far {
		for at := 0; at < len(lines); {
			line := lines[at : at+firstLineLength(lines[at:])]
			if at += len(line); s.widenExtents(found, line, rows > 0) {
				rows++
			}
		}
	}
	if rows < minAlignedRows {
		return
	}
	starts := []string{strconv.Itoa(found[0].from + 1)}
	for i := 1; i < len(found); i++ {
		if found[i-1].to >= found[i].from {
			return
		}
		starts = append(starts, strconv.Itoa(found[i].from+1))
	}
	s.extents = found
	s.evidence = append(s.evidence, intray.Evidence{Choice: "column starts", Value: strings.Join(starts, ", "),
		Reason: intray.NewMessage("csv.column_starts", intray.Params{"n": rows})})
}

// widenExtents adds the cells of a line to the extents of the columns, or sets them if known is not
// set. It reports whether the line has one cell per column.
func (s *sheet) widenExtents(found []extent, line []byte, known bool) bool {
	var r record
	if s.dialect.parseRecord(line, notFound, &r); r.breaks > 0 || r.loose || r.unclosed || len(r.cells) != s.width {
		return false
	}
	for i, c := range r.cells {
		e := extentOf(line, c)
		if known {
			e = extent{min(e.from, found[i].from), max(e.to, found[i].to)}
		}
		found[i] = e
	}
	return true
}

// extentOf returns the part of a line that a cell occupies.
func extentOf(line []byte, c cell) extent {
	from := utf8.RuneCount(line[:c.from])
	return extent{from, from + utf8.RuneCount(line[c.from:c.to])}
}

// placeCells adds empty cells to a record with too few cells if each of its cells, at least two,
// overlaps exactly one aligned column.
func (s *sheet) placeCells(line []byte, r *record) {
	if len(s.extents) != s.width || len(r.cells) >= s.width || len(r.cells) < 2 || r.loose || r.unclosed || r.breaks > 0 {
		return
	}
	placed := make([]cell, s.width)
	next := 0
	for _, c := range r.cells {
		e := extentOf(line, c)
		for next < s.width && s.extents[next].to <= e.from {
			next++
		}
		if next == s.width || e.to <= s.extents[next].from || next+1 < s.width && e.to > s.extents[next+1].from {
			r.crossing = true
			return
		}
		placed[next] = c
		next++
	}
	r.cells = append(r.cells[:0], placed...)
}
