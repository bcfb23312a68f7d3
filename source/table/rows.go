package table

import (
	"context"
	"slices"
	"strings"
)

// Names gives the names of the columns that a header makes: its rows joined with
// a space, column by column, and "" where it has none.
func (l Layout) Names(rows [][]string) []string {
	width := l.Width
	for _, row := range rows[l.First:l.Body()] {
		width = max(width, extent(row))
	}
	names := make([]string, width)
	for _, row := range rows[l.First:l.Body()] {
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
		return slices.Contains(totals, strings.Trim(first, ":.")) || slices.Contains(totals, cell)
	}
	return false
}

var totals = []string{
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
	for _, begin := range notes {
		if strings.HasPrefix(lower, begin) {
			return true
		}
	}
	return behindBlank && !KindOf(text).Typed()
}

var notes = []string{
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
	rows := leftmost(append([][]string{row}, below...))
	f := finder{rows: rows, width: max(extent(rows[0]), usualWidth(rows[1:]))}
	_ = f.measure(context.Background()) // only a context can fail it
	score, _ := f.headerScore(0)
	return score > 0.5
}
