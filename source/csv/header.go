package csv

import (
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source/table"
)

// leastHeader is how well a mended header must read.
const leastHeader = -4

// mendHeader looks for the reading of the first row that makes it a header as
// wide as the table, where the row as it was cut is not.
func (s *sheet) mendHeader(rows []sampled, sample []byte) {
	if len(rows) < 3 || s.width < 2 {
		return
	}
	first := &rows[0]
	found := len(first.cells)
	if first.fine && found == s.width || table.Filled(first.cells) < 2 {
		return
	}
	names, done := s.rereadHeader(rows, sample)
	if names == nil && first.fine && found == s.width-1 && table.Filled(first.cells) == found {
		names, done = s.oneNameFewer(first.cells, rows[1:])
	}
	if names == nil {
		return
	}
	first.cells, first.fine = names, true
	s.evidence = append(s.evidence, intray.Evidence{Choice: "header", Value: strings.Join(names, " | "),
		Reason: intray.NewMessage("csv.header_repaired", intray.Params{
			"line": first.line, "cells": cellCount(found), "columns": columnCount(s.width), "repair": done.message(),
		})})
}

// rereadHeader reads the first row as a broken record is read.
func (s *sheet) rereadHeader(rows []sampled, sample []byte) (names []string, done repair) {
	if len(rows) < fewestRows || s.width < 3 {
		return nil, repair{}
	}
	from := rows[0].from
	text := sample[from:]
	r := newRepairer(s.dialect, s.width, nil)
	r.score = s.nameScore
	var found record
	s.dialect.cut(text, none, &found)
	best, ok := r.repair(text[:max(found.next, physicalLine(text))], &found, nil)
	if !ok || from+best.next > rows[1].from && found.loose {
		return nil, repair{}
	}
	return best.cells, best.repair
}

// oneNameFewer reads a header that has one name fewer than the rows below have
// cells: two names have lost their separator, or the first column has no name,
// as programs for statistics write the names or numbers of rows.
func (s *sheet) oneNameFewer(names []string, body []sampled) (whole []string, done repair) {
	for _, name := range names {
		if table.KindOf(name).Typed() {
			return nil, repair{}
		}
	}
	n := newNaming(s.width, body)
	if cut, ok := n.split(names); ok {
		return cut, repair{kind: nameSplit}
	}
	if s.firstNamesRows(body) {
		return append([]string{""}, names...), repair{kind: firstColumnUnnamed}
	}
	return nil, repair{}
}

// firstNamesRows says whether all rows have the width of the table, none has the
// first cell of another, and the last column is in use.
func (s *sheet) firstNamesRows(body []sampled) bool {
	seen := map[string]bool{}
	rows, last := 0, 0
	for _, row := range body {
		if table.Filled(row.cells) == 0 {
			continue
		}
		if rows++; !row.fine || len(row.cells) != s.width || row.cells[0] == "" || seen[row.cells[0]] {
			return false
		}
		seen[row.cells[0]] = true
		if row.cells[s.width-1] != "" {
			last++
		}
	}
	return rows > 1 && 2*last > rows
}

// nameScore says how well a cell serves as the name of a column.
func (s *sheet) nameScore(_ int, f features) (score float64) {
	switch {
	case f.text == "":
		return -3
	case f.kind.Typed():
		return -4
	}
	if strings.Contains(f.text, s.dialect.delim) || strings.ContainsAny(f.text, "\r\n") {
		score -= 4
	}
	if s.dialect.open != "" && strings.Contains(f.text, s.dialect.open) {
		score -= 4
	}
	if len(f.text) > 60 {
		score -= 2
	}
	if len(f.text) < 2 {
		score--
	}
	return score
}
