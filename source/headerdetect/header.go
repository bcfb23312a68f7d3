package headerdetect

import (
	"context"
	"slices"
	"strings"

	"github.com/intraydata/intray"
)

const (
	// minNameScore is the least that a row must name to be taken for the header
	// by what it names, and minNameLead how far ahead of all others it must be.
	// Exports bring many columns that a schema does not want.
	minNameScore, minNameLead = 0.4, 0.2
	// goodNameScore is so much that no other row is looked at.
	goodNameScore = 1 - minNameLead
)

// Prefer gives the layout whose header names what is wanted: names says of a row
// how well it does, from 0 to 1; nil knows nothing. A row counts that has text in
// at least half of the columns. Where one row is clearly ahead of all others it
// is the header, which stays unsure where a record stands above it; else the
// layout stays as it is.
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
		l.Doubt = 0
		l.Reason = intray.JoinMessages(l.Reason, intray.NewMessage("header.names_fields", nil))
	case best >= 0 && score >= minNameScore && score-max(own, second) >= minNameLead:
		l = l.withHeader(rows, best)
	}
	return l
}

// withHeader makes another row the header. What looks like a record above it would be
// lost, and leaves that in doubt.
func (l Layout) withHeader(rows [][]string, header int) Layout {
	alternative := NoHeader
	if l.Headers > 0 {
		alternative = l.First
	}
	l.First, l.Headers, l.Doubt = header, 1, 0
	l.Reason = intray.NewMessage("header.names_fields", nil)
	if slices.ContainsFunc(rows[:header], l.isRecordLike) {
		l.Doubt, l.Alternative = 1, alternative
		l.Reason = intray.NewMessage("header.names_fields_below_record", nil)
	}
	return l
}

// isRecordLike says whether a row has text in half of the columns, and two values
// that are hardly ever names or titles.
func (l Layout) isRecordLike(row []string) bool {
	typed := 0
	for _, cell := range row {
		if KindOf(cell).IsTyped() {
			typed++
		}
	}
	return 2*Filled(row) >= l.Width && typed >= 2
}

// withoutTitles leaves the first rows out of a header that names more without
// them, and says how well it does.
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

// ColumnNames gives the names of the columns that a header makes: its rows joined with
// a space, column by column, and "" where it has none.
func (l Layout) ColumnNames(rows [][]string) []string {
	width := l.Width
	for _, row := range rows[l.First:l.BodyStart()] {
		width = max(width, filledWidth(row))
	}
	names := make([]string, width)
	for _, row := range rows[l.First:l.BodyStart()] {
		for i, cell := range row[:min(len(row), width)] {
			names[i] = strings.TrimSpace(names[i] + " " + strings.TrimSpace(cell))
		}
	}
	return names
}

// IsTotal says whether a row sums others up: its first cell with text says so.
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

// IsNote says whether a row is a remark below a table: one cell of it has text,
// and that reads like one.
func IsNote(row []string, behindBlank bool) bool {
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
	return behindBlank && !KindOf(text).IsTyped()
}

var notePrefixes = []string{
	"source:", "sources:", "note:", "notes:", "generated ", "exported ", "printed ", "report ", "created ", "©", "(c) ", "copyright",
	"* ", "** ", "end of ", "page ", "last updated", "data as of", "disclaimer",
	"quelle:", "hinweis:", "hinweise", "legende", "stand:", "erstellt ", "anmerkung", "fuente:", "nota:", "notas:", "note :", "notes :", "source :", "fonte:", "bron:", "źródło:",
}

// Filled counts the cells with text.
func Filled(row []string) int {
	n := 0
	for _, cell := range row {
		if strings.TrimSpace(cell) != "" {
			n++
		}
	}
	return n
}

// NamesColumns says whether a row looks like the header of the rows below it. The
// rows below are few.
func NamesColumns(row []string, below [][]string) bool {
	rows := truncateColumns(append([][]string{row}, below...))
	f := layoutFinder{rows: rows, width: max(filledWidth(rows[0]), commonWidth(rows[1:]))}
	_ = f.measure(context.Background()) // only a context can fail it
	score, _ := f.headerScore(0)
	return score > 0.5
}
