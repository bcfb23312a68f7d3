package csv

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// quoteGenerator writes tables with quoted cells of several lines and with misplaced quotes.
type quoteGenerator struct{ *rand.Rand }

func (g quoteGenerator) pick(words ...string) string { return words[g.IntN(len(words))] }

func (g quoteGenerator) word() string {
	return g.pick("call", "back", "please", "monday", "the", "client", "asked", "for", "an", "offer", "and", "prices", "no", "answer", "yet", "Anna", "Berlin", "order", "sent", "on", "time", "3", "12", "2024")
}

// prose returns lines of words with some commas, as in notes.
func (g quoteGenerator) prose(lines int) string {
	var list []string
	for range lines {
		var line strings.Builder
		for i := range 1 + g.IntN(7) {
			if i > 0 {
				line.WriteString(g.pick(" ", " ", " ", ", ", ","))
			}
			line.WriteString(g.word())
		}
		list = append(list, line.String())
	}
	return strings.Join(list, "\n")
}

// cell returns a cell of a kind that one line can hold.
func (g quoteGenerator) cell(kind, row int) string {
	switch kind {
	case 0:
		return fmt.Sprint(1000 + row)
	case 1:
		return g.pick("Ada", "Bob", "Cyrus", "Dan", "Eve Lang", "Fay", "Gus", "Hal Orr") + " " + g.pick("Meyer", "Smith", "Li", "Kaya", "Ott") + fmt.Sprint(row)
	case 2:
		return g.pick("Berlin", "Ulm", "Köln", "Bonn", "Kiel", "Jena", "Trier", "Bad Homburg")
	case 3:
		return fmt.Sprintf("%.2f", g.Float64()*1000)
	case 4:
		return fmt.Sprintf("2024-%02d-%02d", 1+g.IntN(12), 1+g.IntN(28))
	case 5:
		return g.pick("open", "closed", "new")
	}
	return g.word() + " " + g.word()
}

// table returns records with the given number of columns. One column has unique names. quoted is the
// index of a column whose cells are quoted and contain commas, or -1.
func (g quoteGenerator) table(width, rows int) (records [][]string, quoted int) {
	kinds := make([]int, width)
	for i := range kinds {
		kinds[i] = g.IntN(7)
	}
	kinds[g.IntN(width)] = 1
	quoted = g.IntN(2*width) - width
	for row := range rows {
		var cells []string
		for _, kind := range kinds {
			cells = append(cells, g.cell(kind, row))
		}
		if quoted >= 0 && kinds[quoted] != 1 {
			cells[quoted] = `"` + g.word() + ", " + g.word() + `"`
		}
		records = append(records, cells)
	}
	return records, quoted
}

// misplaceQuote opens a quote in a cell. It closes it in a cell of a later record, at the end of the text
// or in the middle, or leaves that to the next quote of the table. It may damage a record in between.
func (g quoteGenerator) misplaceQuote(records [][]string, quoted int) {
	column := func() int {
		c := g.IntN(len(records[0]))
		if c == quoted {
			return (c + 1) % len(records[0])
		}
		return c
	}
	from := g.IntN(len(records) - 1)
	to := min(len(records)-1, from+1+g.IntN(5))
	first, last := records[from], records[to]
	a, b := column(), column()
	first[a] = `"` + first[a]
	switch at := len(last[b]) / 2; g.IntN(4) {
	case 0: // the next quote closes it
	case 1:
		last[b] = last[b][:at] + `"` + last[b][at:]
	default:
		last[b] += `"`
	}
	if between := to - from - 1; between > 1 && g.IntN(4) == 0 {
		damaged := &records[from+1+g.IntN(between)]
		*damaged = (*damaged)[:len(*damaged)-1]
	}
}

// addNotes replaces the cells of a column by notes, of which some have several lines.
func (g quoteGenerator) addNotes(records [][]string, column int) {
	share := g.Float64()
	for _, r := range records {
		lines := 1
		if g.Float64() < share {
			lines = 1 + g.IntN(5)
		}
		r[column] = `"` + g.prose(lines) + `"`
	}
}

// TestNoMisplacedQuoteIsSilent reads generated tables in which a quote is opened in one record and closed in
// another. Each record must be read, or the quotes must be a question. In tables with hardly any evidence, a
// warning is enough. In tables with notes of several lines, there must be hardly any question or warning, and
// no record may be split.
func TestNoMisplacedQuoteIsSilent(t *testing.T) {
	const tables = 4000
	var asked, warned, needless, needlessWarnings int
	for i := range tables {
		g := quoteGenerator{rand.New(rand.NewPCG(20261127, uint64(i)))}
		width, rows := 2+g.IntN(5), []int{4, 12, 60, 200}[g.IntN(4)]
		records, column := g.table(width, rows)
		hasNotes := i%2 == 1
		if hasNotes {
			g.addNotes(records, max(column, g.IntN(width)))
		} else {
			g.misplaceQuote(records, column)
		}
		names := namesIn(records)
		text := strings.Join([]string{"alpha", "beta", "gamma", "delta", "epsilon", "zeta"}[:width], ",") + "\n"
		for _, r := range records {
			text += strings.Join(r, ",") + "\n"
		}
		_, got, notices, err := readTable(t, []byte(text), source.Options{})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		question := slices.ContainsFunc(notices, func(n intray.Notice) bool { return n.Text.String() == misplacedChoice })
		warning := slices.ContainsFunc(notices, func(n intray.Notice) bool { return n.Text.Code == "csv.quote_closed_late" })
		hidden := hiddenNames(names, got, width)
		switch {
		case hasNotes && len(got) != rows && !question:
			t.Errorf("table %d: %d records, want %d\n%s", i, len(got), rows, text)
		case !hasNotes && len(hidden) > 0 && !question && !warning:
			t.Errorf("table %d: the records of %s are in another record: %v\n%.3000s", i, hidden, notices, text)
		case hasNotes:
			needless += toInt(question)
			needlessWarnings += toInt(warning && width == 2)
		default:
			asked += toInt(question)
			warned += toInt(len(hidden) > 0 && !question)
		}
	}
	t.Logf("of %d tables with misplaced quotes, %d led to a question, and %d to a warning about hidden records", tables/2, asked, warned)
	t.Logf("of %d tables with notes, %d led to a question, and %d of those with two columns to a warning", tables/2, needless, needlessWarnings)
	if 200*warned > tables || 200*needless > tables || 100*needlessWarnings > tables {
		t.Error("that is too many")
	}
}

var uniqueName = regexp.MustCompile(`^[A-Z][A-Za-z ]* (Meyer|Smith|Li|Kaya|Ott)\d+$`)

// namesIn returns the unique names in records.
func namesIn(records [][]string) map[string]bool {
	names := map[string]bool{}
	for _, r := range records {
		for _, cell := range r {
			if cell = strings.ReplaceAll(cell, `"`, ""); uniqueName.MatchString(cell) {
				names[cell] = true
			}
		}
	}
	return names
}

// hiddenNames returns the names that are not cells of their own. It ignores names in records that have more
// or fewer cells than columns, because an import reports these.
func hiddenNames(names map[string]bool, records [][]string, width int) (list []string) {
	found := namesIn(records)
	for name := range names {
		inside := func(r []string) bool {
			return len(r) == width && slices.ContainsFunc(r, func(cell string) bool { return strings.Contains(strings.ReplaceAll(cell, `"`, ""), name) })
		}
		if !found[name] && slices.ContainsFunc(records, inside) {
			list = append(list, name)
		}
	}
	return list
}
