package csv

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source/headerdetect"
)

// minHeaderScore is the minimum score of a repaired header.
const minHeaderScore = -4

// repairHeader repairs the first row if it has more or fewer cells than the table has columns,
// and one reading of it is a header with the right number of cells.
func (s *sheet) repairHeader(rows []sampledRow, sample []byte) {
	if len(rows) < 3 || s.width < 2 {
		return
	}
	first := &rows[0]
	found := len(first.cells)
	if first.wellFormed && found == s.width || headerdetect.Filled(first.cells) < 2 {
		return
	}
	names, done := s.rereadHeader(rows, sample)
	if names == nil && first.wellFormed && found == s.width-1 && headerdetect.Filled(first.cells) == found {
		names, done = s.completeHeader(first.cells, rows[1:])
	}
	if names == nil {
		return
	}
	first.cells, first.wellFormed = names, true
	s.evidence = append(s.evidence, intray.Evidence{Choice: "header", Value: strings.Join(names, " | "),
		Reason: intray.NewMessage("csv.header_repaired", intray.Params{
			"line": first.line, "cells": cellCount(found), "columns": columnCount(s.width), "repair": done.message(),
		})})
}

// rereadHeader repairs the first row in the same way as the repairer repairs records. It
// returns nil if it cannot.
func (s *sheet) rereadHeader(rows []sampledRow, sample []byte) (names []string, done repair) {
	if len(rows) < minProfileRows || s.width < 3 || s.dialect.padded || s.dialect.fixed != nil {
		return nil, repair{}
	}
	from := rows[0].from
	text := sample[from:]
	r := newRepairer(s.dialect, s.width, nil)
	r.score = s.nameScore
	var found record
	s.dialect.parseRecord(text, notFound, &found)
	best, ok := r.repair(text[:max(found.next, firstLineLength(text))], &found, nil)
	if !ok || from+best.next > rows[1].from && found.loose {
		return nil, repair{}
	}
	return best.cells, best.repair
}

// completeHeader repairs a header that has one name too few for the rows below it. Either the
// separator between two names is missing, or the first column has no name because it holds the
// row names or numbers of a statistics program.
func (s *sheet) completeHeader(names []string, body []sampledRow) (whole []string, done repair) {
	for _, name := range names {
		if headerdetect.KindOf(name).IsTyped() {
			return nil, repair{}
		}
	}
	n := newNameChecker(s.width, body)
	if cut, ok := n.splitMerged(names); ok {
		return cut, repair{kind: nameSplit}
	}
	if s.firstColumnIsRowID(body) {
		return append([]string{""}, names...), repair{kind: firstColumnUnnamed}
	}
	return nil, repair{}
}

// firstColumnIsRowID reports whether all rows have one cell per column, no two rows have the
// same first cell, and most cells of the last column contain text.
func (s *sheet) firstColumnIsRowID(body []sampledRow) bool {
	seen := map[string]bool{}
	rows, last := 0, 0
	for _, row := range body {
		if headerdetect.Filled(row.cells) == 0 {
			continue
		}
		if rows++; !row.wellFormed || len(row.cells) != s.width || row.cells[0] == "" || seen[row.cells[0]] {
			return false
		}
		seen[row.cells[0]] = true
		if row.cells[s.width-1] != "" {
			last++
		}
	}
	return rows > 1 && 2*last > rows
}

// nameScore returns a score for a cell as a column name. Higher is more likely.
func (s *sheet) nameScore(_ int, f features) (score float64) {
	switch {
	case f.text == "":
		return -3
	case f.kind.IsTyped():
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

// nameChecker compares column names with the content of the columns.
type nameChecker struct {
	kinds []headerdetect.Kind
}

// newNameChecker learns the kinds of the columns from rows of the given width.
func newNameChecker(width int, rows []sampledRow) nameChecker {
	n := nameChecker{kinds: make([]headerdetect.Kind, width)}
	for c := range width {
		counts := map[int]int{}
		for _, row := range rows {
			if !row.wellFormed || len(row.cells) != width {
				continue
			}
			if kind := headerdetect.KindOf(row.cells[c]); kind != headerdetect.Empty {
				counts[int(kind)]++
			}
		}
		most, _ := mostFrequent(counts)
		n.kinds[c] = headerdetect.Kind(most)
	}
	return n
}

// scoreName returns 1 if the words of a name match the content of a column, -1 if they contradict
// it, and otherwise 0.
func (n nameChecker) scoreName(column int, name string) float64 {
	if n.kinds[column] == headerdetect.Empty {
		return 0
	}
	for _, word := range nameWords(name) {
		if kinds := wordKinds(word); len(kinds) > 0 {
			if slices.Contains(kinds, n.kinds[column]) {
				return 1
			}
			return -1
		}
	}
	return 0
}

const (
	// minSplitLead is the minimum lead of the best split of two names over every other split.
	minSplitLead = 0.5
	// minLeadOverFound is the minimum lead of the best split over the names as found.
	minLeadOverFound = 2
	// maxMergedBytes is the maximum length of two names with a missing separator, in bytes. It
	// limits the work, because each half of each split is searched for words.
	maxMergedBytes = 256
)

// splitMerged inserts the missing separator between two names. There must be one name fewer
// than columns. ok is false unless exactly one offset is clearly the best.
func (n nameChecker) splitMerged(names []string) (whole []string, ok bool) {
	// before[i] is the score of names[:i] in their own columns. after[i] is the score of
	// names[i:], each one column to the right.
	before, after := make([]float64, len(names)+1), make([]float64, len(names)+1)
	for i, name := range names {
		before[i+1] = before[i] + n.scoreName(i, name)
	}
	for i, name := range slices.Backward(names) {
		after[i] = after[i+1] + n.scoreName(i+1, name)
	}
	found := max(after[0], before[len(names)])
	best, second := found, found
	var split, offset int
	for i, name := range names {
		if len(name) > maxMergedBytes {
			continue
		}
		for at := range name {
			left, right := name[:at], name[at:]
			if at == 0 || !isNameBoundary(left, right) {
				continue
			}
			score := before[i] + n.scoreName(i, left) + n.scoreName(i+1, right) + after[i+1]
			for _, half := range []string{left, right} {
				if isColumnName(strings.ToLower(half)) {
					score += 0.5
				}
			}
			if score > best {
				best, second, split, offset = score, best, i, at
			} else {
				second = max(second, score)
			}
		}
	}
	if best-second < minSplitLead || best-found < minLeadOverFound {
		return nil, false
	}
	merged := names[split]
	return slices.Concat(names[:split], []string{merged[:offset], merged[offset:]}, names[split+1:]), true
}

// isNameBoundary reports whether one name can end with left and the next can start with right:
// if the case changes between them, or if both are common column names.
func isNameBoundary(left, right string) bool {
	last, _ := utf8.DecodeLastRuneInString(left)
	first, size := utf8.DecodeRuneInString(right)
	next, _ := utf8.DecodeRuneInString(right[size:])
	switch {
	case utf8.RuneCountInString(left) < 2 || utf8.RuneCountInString(right) < 2:
		return false
	case unicode.IsLower(last) && unicode.IsUpper(first):
		return true
	case unicode.IsUpper(last) && unicode.IsUpper(first) && unicode.IsLower(next):
		return true
	}
	return isColumnName(strings.ToLower(left)) && isColumnName(strings.ToLower(right))
}

// nameWords returns the words of a name such as "unitPrice" or "unit_price" in lower case.
func nameWords(name string) []string {
	var spaced strings.Builder
	before := ' '
	for _, r := range name {
		if unicode.IsUpper(r) && unicode.IsLower(before) || !unicode.IsLetter(r) {
			spaced.WriteByte(' ')
		}
		if unicode.IsLetter(r) {
			spaced.WriteRune(unicode.ToLower(r))
		}
		before = r
	}
	return strings.Fields(spaced.String())
}

// isColumnName reports whether a word is a common column name.
func isColumnName(word string) bool {
	return len(wordKinds(word)) > 0 || slices.Contains(plainNames, word)
}

// plainNames lists common names of columns that can hold any text.
var plainNames = strings.Fields("name title type description comment comments note notes remark remarks status category group " +
	"product item customer client company address street city town country region state gender language " +
	"bezeichnung beschreibung bemerkung kunde artikel straße ort stadt land nom ville pays nombre ciudad país nome città paese")

// wordKinds returns the expected kinds of cells in a column whose name contains the word. It
// returns nil if any kind is possible.
func wordKinds(word string) []headerdetect.Kind {
	switch word {
	case "date", "day", "birthday", "birthdate", "datum", "fecha", "data", "created", "updated":
		return []headerdetect.Kind{headerdetect.Date}
	case "time", "hour", "uhrzeit", "zeit", "hora", "ora", "heure":
		return []headerdetect.Kind{headerdetect.Time, headerdetect.Date}
	case "qty", "quantity", "count", "menge", "anzahl", "quantité", "cantidad", "quantità", "age", "year", "jahr", "année", "año", "anno":
		return []headerdetect.Kind{headerdetect.Integer, headerdetect.Number}
	case "price", "amount", "cost", "total", "sum", "tax", "balance", "rate", "percent", "preis", "betrag", "summe", "prix", "montant", "precio", "importe", "prezzo", "importo",
		"latitude", "longitude", "lat", "lon", "lng":
		return []headerdetect.Kind{headerdetect.Number, headerdetect.Integer}
	case "id", "number", "no", "code", "sku", "nr", "nummer", "zip", "plz":
		return []headerdetect.Kind{headerdetect.Integer, headerdetect.Code}
	case "email", "mail":
		return []headerdetect.Kind{headerdetect.Email}
	case "url", "link", "website", "homepage":
		return []headerdetect.Kind{headerdetect.Link}
	}
	return nil
}
