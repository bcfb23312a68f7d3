package headerdetect

import (
	"context"
	"slices"
	"strings"

	"github.com/intraydata/intray"
)

const (
	// minNameScore is the minimum share of requested names in a row that is chosen as the header
	// because of its names. It is low because exports have many columns that a schema does not
	// need. minNameLead is the minimum lead of that row over all other rows.
	minNameScore, minNameLead = 0.4, 0.2
	// goodNameScore is the minimum score at which no other row is examined.
	goodNameScore = 1 - minNameLead
)

// Prefer returns the layout whose header has the requested names. names returns the share of
// requested names in a row, from 0 to 1, and may be nil. Prefer considers only rows with text in
// at least half of the columns. If the share in one row is clearly higher than in all other
// rows, that row is the header. If a row above the header looks like a record, the layout is
// unsure. If no row is clearly the best, the header does not change.
func (l Layout) Prefer(rows [][]string, names func(row []string) float64) Layout {
	if names == nil || len(rows) == 0 {
		return l
	}
	l, own := l.withoutTitles(rows, names)
	if own >= goodNameScore && !l.Unsure() {
		return l
	}
	best, score, second := -1, 0.0, 0.0
	for i, row := range rows[:min(len(rows), MaxAbove+MaxHeaders)] {
		if 2*Filled(row) < l.Width {
			continue
		}
		s := names(row)
		if i >= l.First && i < l.BodyStart() {
			continue
		}
		if s > score {
			best, score, second = i, s, score
		} else {
			second = max(second, s)
		}
	}
	switch {
	case own >= minNameScore && own-score >= minNameLead:
		if !l.RecordsAbove {
			l.Doubt = 0
		}
		l.Reason = intray.JoinMessages(l.Reason, intray.NewMessage("header.names_fields", nil))
	case best >= 0 && score >= minNameScore && score-max(own, second) >= minNameLead:
		l = l.withHeader(rows, best)
	}
	return l
}

// withHeader returns the layout with the header at a given row. If a row above it looks like a
// record, the layout is unsure, because that record would be lost.
func (l Layout) withHeader(rows [][]string, header int) Layout {
	alternative := NoHeader
	if l.Headers > 0 {
		alternative = l.First
	}
	l.First, l.Headers, l.Doubt, l.RecordsAbove = header, 1, 0, false
	l.Reason = intray.NewMessage("header.names_fields", nil)
	if slices.ContainsFunc(rows[:header], l.isRecordLike) || hasTable(rows[:header]) {
		l.Doubt, l.Alternative, l.AlternativeHeaders, l.RecordsAbove = 1, alternative, 0, true
		l.Reason = intray.NewMessage("header.names_fields_below_record", nil)
	}
	return l
}

// hasTable reports whether rows contain a table, as hasTableAbove does.
func hasTable(rows [][]string) bool {
	f := layoutFinder{rows: truncateColumns(rows)}
	_ = f.measure(context.Background()) // fails only if the context ends
	return f.hasTableAbove(len(rows))
}

// isRecordLike reports whether a row has text in at least half of the columns, and at least
// two values that are rarely names or titles.
func (l Layout) isRecordLike(row []string) bool {
	typed := 0
	for _, cell := range row {
		if KindOf(cell).IsTyped() {
			typed++
		}
	}
	return 2*Filled(row) >= l.Width && typed >= 2
}

// withoutTitles drops the first rows of the header if the header then contains a clearly higher
// share of requested names. It also returns that share.
func (l Layout) withoutTitles(rows [][]string, names func(row []string) float64) (Layout, float64) {
	if l.Headers == 0 || l.BodyStart() > len(rows) {
		return l, 0
	}
	best, own := l, names(l.ColumnNames(rows))
	for less := l; less.Headers > 1; {
		less.First, less.Headers = less.First+1, less.Headers-1
		if score := names(less.ColumnNames(rows)); score >= minNameScore && score-own >= minNameLead {
			best, own = less, score
		}
	}
	return best, own
}

// ColumnNames returns the column names in the header. If the header has several rows, it joins
// their cells with a space. If some names would be equal, the names of groups are repeated for
// each column of the group. A column without text in the header has the name "".
func (l Layout) ColumnNames(rows [][]string) []string {
	header := rows[l.First:l.BodyStart()]
	width := l.Width
	for _, row := range header {
		width = max(width, filledWidth(row))
	}
	names := joinNames(header, width, false)
	if equal := countEqual(names); len(header) > 1 && equal > 0 {
		if spread := joinNames(header, width, true); countEqual(spread) < equal {
			return spread
		}
	}
	return names
}

// joinNames joins the cells of each column of a header. If spread is true, the name of a group is
// added to the columns to its right in which the row is blank and the next row is not.
func joinNames(header [][]string, width int, spread bool) []string {
	names := make([]string, width)
	cell := func(row, column int) string {
		if row >= len(header) || column >= len(header[row]) {
			return ""
		}
		return strings.TrimSpace(header[row][column])
	}
	for row := range header {
		group := ""
		for i := range names {
			text := cell(row, i)
			below := cell(row+1, i) != ""
			switch {
			case text != "" && below:
				group = text
			case text != "":
				group = "" // the name of a single column
			case spread && below:
				text = group
			}
			names[i] = strings.TrimSpace(names[i] + " " + text)
		}
	}
	return names
}

// countEqual returns the number of names that are equal to an earlier one.
func countEqual(names []string) (equal int) {
	seen := map[string]bool{}
	for _, name := range names {
		if name != "" && seen[name] {
			equal++
		}
		seen[name] = true
	}
	return equal
}

// IsTotal reports whether a row is a total of other rows, as indicated by its first cell with
// text.
func IsTotal(row []string) bool {
	for _, cell := range row {
		cell = strings.ToLower(strings.Trim(cell, " \t:.*"))
		if cell == "" {
			continue
		}
		first, _, _ := strings.Cut(cell, " ")
		return slices.Contains(totalWords, strings.Trim(first, ":.")) || slices.Contains(totalWords, cell)
	}
	return false
}

var totalWords = []string{
	"total", "totals", "subtotal", "sub-total", "grand total", "sum", "sums", "overall",
	"summe", "gesamt", "gesamtsumme", "zwischensumme", "insgesamt",
	"endsaldo", "endbestand", "kontostand", "closing balance", "ending balance", "solde final", "saldo final", "saldo finale", "eindsaldo", "期末残高",
	"totale", "totaal", "somme", "suma", "totalt", "итого", "всего", "razem", "ogółem", "合計", "总计", "合计", "總計",
}

// IsNote reports whether a row is a remark below a table. Such a row has a single cell with
// text, and that text looks like a remark. afterBlank reports whether the row above is blank.
func IsNote(row []string, afterBlank bool) bool {
	text, filled := "", 0
	for _, cell := range row {
		if cell = strings.TrimSpace(cell); cell != "" {
			text = cell
			filled++
		}
	}
	if filled != 1 || len(row) > 1 && strings.TrimSpace(row[0]) == "" {
		return false
	}
	lower := strings.ToLower(text)
	for _, begin := range notePrefixes {
		if strings.HasPrefix(lower, begin) {
			return true
		}
	}
	return afterBlank && !KindOf(text).IsTyped()
}

var notePrefixes = []string{
	"source:", "sources:", "note:", "notes:", "generated ", "exported ", "printed ", "report ", "created ", "©", "(c) ", "copyright",
	"* ", "** ", "end of ", "page ", "last updated", "data as of", "disclaimer",
	"quelle:", "hinweis:", "hinweise", "legende", "stand:", "erstellt ", "anmerkung", "fuente:", "nota:", "notas:", "note :", "notes :", "source :", "fonte:", "bron:", "źródło:",
}

// Filled returns the number of cells with text.
func Filled(row []string) int {
	n := 0
	for _, cell := range row {
		if strings.TrimSpace(cell) != "" {
			n++
		}
	}
	return n
}

// NamesColumns reports whether a row looks like the header of the rows below it.
func NamesColumns(row []string, below [][]string) bool {
	rows := truncateColumns(append([][]string{row}, below...))
	f := layoutFinder{rows: rows, width: max(filledWidth(rows[0]), commonWidth(rows[1:]))}
	_ = f.measure(context.Background()) // fails only if the context ends
	score, _ := f.headerScore(0)
	return score > 0.5
}
