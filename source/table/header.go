package table

import (
	"context"
	"slices"
	"strings"

	"github.com/intraydata/intray"
)

const (
	// leastNamed is the least that a row must name to be taken for the header
	// by what it names, and namedLead how far ahead of all others it must be.
	// Exports bring many columns that a schema does not want.
	leastNamed, namedLead = 0.4, 0.2
	// wellNamed is so much that no other row is looked at.
	wellNamed = 1 - namedLead
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
	if own >= wellNamed && !l.Unsure() {
		return l
	}
	best, score, second := -1, 0.0, 0.0
	for i, row := range rows[:min(len(rows), MaxAbove+MaxHeaders)] {
		if 2*Filled(row) < l.Width {
			continue
		}
		s := names(row)
		if i >= l.First && i < l.Body() {
			continue
		}
		if s > score {
			best, score, second = i, s, score
		} else {
			second = max(second, s)
		}
	}
	switch {
	case own >= leastNamed && own-score >= namedLead:
		l.Doubt = 0
		l.Reason = intray.JoinMessages(l.Reason, intray.NewMessage("header.names_fields", nil))
	case best >= 0 && score >= leastNamed && score-max(own, second) >= namedLead:
		l = l.moved(rows, best)
	}
	return l
}

// moved makes another row the header. What looks like a record above it would be
// lost, and leaves that in doubt.
func (l Layout) moved(rows [][]string, header int) Layout {
	rival := NoHeader
	if l.Headers > 0 {
		rival = l.First
	}
	l.First, l.Headers, l.Doubt = header, 1, 0
	l.Reason = intray.NewMessage("header.names_fields", nil)
	if slices.ContainsFunc(rows[:header], l.recordLike) {
		l.Doubt, l.Rival = 1, rival
		l.Reason = intray.NewMessage("header.names_fields_below_record", nil)
	}
	return l
}

// recordLike says whether a row has text in half of the columns, and two values
// that are hardly ever names or titles.
func (l Layout) recordLike(row []string) bool {
	typed := 0
	for _, cell := range row {
		if KindOf(cell).Typed() {
			typed++
		}
	}
	return 2*Filled(row) >= l.Width && typed >= 2
}

// withoutTitles leaves the first rows out of a header that names more without
// them, and says how well it does.
func (l Layout) withoutTitles(rows [][]string, names func(row []string) float64) (Layout, float64) {
	if l.Headers == 0 || l.Body() > len(rows) {
		return l, 0
	}
	best, own := l, names(l.Names(rows))
	for less := l; less.Headers > 1; {
		less.First, less.Headers = less.First+1, less.Headers-1
		if score := names(less.Names(rows)); score >= leastNamed && score-own >= namedLead {
			best, own = less, score
		}
	}
	return best, own
}

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
