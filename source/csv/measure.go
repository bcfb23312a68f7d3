package csv

import (
	"bytes"
	"strings"

	"github.com/intraydata/intray/source/table"
)

// measure says how well a dialect explains a sample: how far its records have
// one width, and how many of their cells are of a known kind.
func (d dialect) measure(sample []byte, looks *looks) float64 {
	widths := map[int]int{}
	var known, cells, spoiled float64
	rows := 0
	r := record{most: sniffWidth}
	for at := 0; at < len(sample) && rows < sniffRecords; {
		d.cut(sample[at:], none, &r)
		text := sample[at : at+r.next]
		at += r.next
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		rows++
		widths[len(r.cells)]++
		if r.loose {
			spoiled++
		}
		if r.unclosed && len(text) > 4096 {
			spoiled += float64(bytes.Count(text, []byte{'\n'}))
		}
		for _, c := range r.cells[:min(len(r.cells), sniffCells)] {
			cells++
			known += d.known(text, c, looks)
		}
	}
	if rows == 0 {
		return 0
	}
	return usual(d.delim) * usual(d.open) * consistency(widths, rows) * (0.02 + known/max(cells, 1)) / (1 + 2*spoiled/float64(rows))
}

// usual is how much less a delimiter or a quote is worth that also stands inside
// values: words, times, addresses.
func usual(mark string) float64 {
	switch mark {
	case "'":
		return 0.85
	case " ":
		return 0.45
	case ":", "::", gap:
		return 0.6
	case ", ":
		return 0.95
	case "^", "~":
		return 0.9
	}
	return 1
}

// consistency is near 1 where all records have one width of many cells. It
// follows the pattern score of van den Burg, Nazábal and Sutton, "Wrangling messy
// CSV files by detecting row and type patterns" (2019), but counts widths by
// their shares, so that a few broken rows do not weigh as much as the rest.
func consistency(widths map[int]int, rows int) float64 {
	cells, same := 0.0, 0.0
	for width, n := range widths {
		share := float64(n) / float64(rows)
		cells += share * max(0.001, float64(width-1)) / float64(width)
		same += share * share
	}
	return cells * same
}

// known says how far a cell is what cells of tables are.
func (d dialect) known(text []byte, c cell, looks *looks) float64 {
	if c.quoted {
		return 1
	}
	cell := bytes.TrimSpace(text[c.from:c.to])
	if bytes.IndexByte(cell, '"') >= 0 || d.open != "'" && (bytes.HasPrefix(cell, []byte{'\''}) || bytes.HasSuffix(cell, []byte{'\''})) {
		return 0.2 // a quote that the dialect does not take for one
	}
	look := looks.of(cell)
	if look.words && d.delim == " " {
		return 0.1 // words are separated by spaces in any text
	}
	return look.known
}

// A look is what a bare cell looks like, whatever stands around it.
type look struct {
	known float64
	words bool
}

// looks remembers cells: most dialects cut most of a sample alike.
type looks struct{ seen map[string]look }

// maxLooks bounds what is remembered.
const maxLooks = 1 << 15

func (l *looks) of(cell []byte) look {
	if seen, ok := l.seen[string(cell)]; ok {
		return seen
	}
	found := lookAt(string(cell))
	if len(l.seen) < maxLooks && len(cell) <= 256 {
		l.seen[string(cell)] = found
	}
	return found
}

func lookAt(cell string) look {
	switch table.KindOf(cell) {
	case table.Text:
		return look{known: knownText(cell), words: true}
	case table.Code:
		if strings.ContainsAny(cell, "/:#") && !strings.Contains(cell, "-") {
			return look{known: 0.8}
		}
	}
	return look{known: 1}
}

// knownText says how far a text is one that stands in a cell: not one with
// separators, or with several values.
func knownText(cell string) float64 {
	switch {
	case strings.ContainsAny(cell, ";\t|^~") || strings.Contains(cell, "::"):
		return 0.3
	case strings.Count(cell, ",") > 1:
		return 0.5
	case severalValues(cell):
		return 0.2
	}
	return 0.9
}

// severalValues says whether a text is a row of values rather than one: it has a
// date, a number, a code beside each other.
func severalValues(cell string) bool {
	var seen [table.Kinds]bool
	sorts := 0
	for word := range strings.FieldsSeq(cell) {
		kind := table.KindOf(word)
		if (kind.Typed() || kind == table.Code) && !seen[kind] {
			seen[kind] = true
			sorts++
		}
	}
	return sorts >= 2
}
