package csv

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/intraydata/intray/source/table"
)

// delimiters are those that are looked for, the likelier first. "@" is none, or
// every list of addresses would be a table.
func delimiters() []string {
	return []string{",", ";", "\t", "|", "||", "::", "^", "~", ":", ", ", " "}
}

// quotes are the pairs that are looked for.
func quotes() [][2]string {
	return [][2]string{{`"`, `"`}, {"'", "'"}, {"“", "”"}}
}

const (
	// sniffRecords is how many records of the sample are cut for each dialect.
	sniffRecords = 400
	// sniffCells is how many cells of a record are looked at.
	sniffCells = 64
)

// sniffed is what was found out about a dialect.
type sniffed struct {
	dialect
	score    float64
	delimWhy string
	quoteWhy string
}

// sniff finds the dialect of a sample of UTF-8 text, among those with one of the
// delimiters, if any are given. whole says that the sample is all there is.
func sniff(sample []byte, whole bool, delims ...string) sniffed {
	sample = wholeLines(sample, whole)
	best := sniffed{dialect: dialect{delim: ",", open: `"`, shut: `"`}, score: -1}
	second := best
	if len(delims) == 0 {
		delims = delimiters()
	}
	for _, d := range candidates(sample, delims) {
		s := d.measure(sample)
		switch {
		case s > best.score+1e-9:
			if d.delim != best.delim {
				second = best
			}
			best = sniffed{dialect: d, score: s}
		case s > second.score && d.delim != best.delim:
			second = sniffed{dialect: d, score: s}
		}
	}
	if len(delims) > 1 && (best.score < leastScore && usual(best.delim) < 1 || !best.cuts(sample)) {
		best = oneColumn(best.dialect, sample)
	}
	best.explain(sample, second)
	return best
}

// leastScore is below what any table reaches: nothing but words is cut so badly.
const leastScore = 0.05

// noDelimiter is the unit separator, which no text has: it stands for none.
const noDelimiter = "\x1f"

// oneColumn is the dialect of a text without delimiters. That is called a comma
// where commas stand in quotes only.
func oneColumn(d dialect, sample []byte) sniffed {
	d.delim = ","
	if widths, _ := d.widths(sample); len(widths) > 1 {
		d.delim = noDelimiter
	}
	return sniffed{dialect: d}
}

// cuts says whether a dialect cuts enough of the rows, and alike; or at least the
// first one, which may be a header above rows that leave out their empty cells.
func (d dialect) cuts(sample []byte) bool {
	widths, rows := d.widths(sample)
	var r record
	d.cut(bytes.TrimLeft(sample, "\r\n"), none, &r)
	if len(r.cells) > 1 && usual(d.delim) == 1 {
		return true
	}
	delete(widths, 1)
	_, n := mostOf(widths)
	return 5*n >= rows && n > 0
}

// widths counts the rows of a sample by their cells.
func (d dialect) widths(sample []byte) (widths map[int]int, rows int) {
	widths = map[int]int{}
	var r record
	for at := 0; at < len(sample) && rows < sniffRecords; {
		d.cut(sample[at:], none, &r)
		if !blankText(sample[at : at+r.next]) {
			rows++
			widths[len(r.cells)]++
		}
		at += r.next
	}
	return widths, rows
}

// wholeLines cuts a sample behind its last line end.
func wholeLines(sample []byte, whole bool) []byte {
	if whole {
		return sample
	}
	if i := bytes.LastIndexAny(sample, "\r\n"); i > 0 {
		return sample[:i+1]
	}
	return sample
}

// candidates are the dialects that the characters of a sample allow.
func candidates(sample []byte, delims []string) []dialect {
	var list []dialect
	pairs := [][2]string{}
	for _, q := range quotes() {
		if bytes.Contains(sample, []byte(q[0])) {
			pairs = append(pairs, q)
		}
	}
	if len(pairs) == 0 {
		pairs = append(pairs, quotes()[0])
	}
	for _, delim := range delims {
		if !bytes.Contains(sample, []byte(delim)) || halfOf(delim, sample) {
			continue
		}
		for _, q := range pairs {
			list = append(list, dialect{delim: delim, open: q[0], shut: q[1]})
			if bytes.Contains(sample, []byte(`\`+q[1])) {
				list = append(list, dialect{delim: delim, open: q[0], shut: q[1], backslash: true})
			}
		}
	}
	if len(list) == 0 { // one column
		list = append(list, dialect{delim: delims[0], open: pairs[0][0], shut: pairs[0][1]})
	}
	return list
}

// halfOf says whether a delimiter is a part of a longer one wherever it stands.
func halfOf(delim string, sample []byte) bool {
	n := bytes.Count(sample, []byte(delim))
	switch delim {
	case "|", ":":
		return 2*bytes.Count(sample, []byte(delim+delim)) == n
	case ",":
		return bytes.Count(sample, []byte(", ")) == n
	}
	return false
}

// measure says how well a dialect explains a sample: how far its records have
// one width, and how many of their cells are of a known kind.
func (d dialect) measure(sample []byte) float64 {
	widths := map[int]int{}
	var known, cells, spoiled float64
	rows := 0
	var r record
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
			known += d.known(text, c)
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
	case ":", "::":
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
func (d dialect) known(text []byte, c cell) float64 {
	if c.quoted {
		return 1
	}
	cell := string(bytes.TrimSpace(text[c.from:c.to]))
	if strings.Contains(cell, `"`) {
		return 0.2 // a quote that the dialect does not take for one
	}
	switch table.KindOf(cell) {
	case table.Text:
		if d.delim == " " {
			return 0.1 // words are separated by spaces in any text
		}
		if strings.ContainsAny(cell, ";\t|^~") || strings.Contains(cell, "::") {
			return 0.3
		}
		if strings.Count(cell, ",") > 1 {
			return 0.5
		}
		if severalValues(cell) {
			return 0.2
		}
		return 0.9
	case table.Code:
		if strings.ContainsAny(cell, "/:#") && !strings.Contains(cell, "-") {
			return 0.8
		}
	}
	return 1
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

// explain says in words why the dialect is the one.
func (s *sniffed) explain(sample []byte, second sniffed) {
	widths, lines := s.widths(sample)
	width, n := mostOf(widths)
	switch {
	case width <= 1:
		s.delimWhy = "nothing separates the lines into cells: one column"
	default:
		s.delimWhy = fmt.Sprintf("it cuts %d of the first %d rows into %d cells", n, lines, width)
		if second.score > 0 {
			s.delimWhy += fmt.Sprintf("; next best is %s with %.0f %% of its score", spoken(second.delim), 100*second.score/max(s.score, 1e-9))
		}
	}
	switch {
	case !bytes.Contains(sample, []byte(s.open)):
		s.quoteWhy = "no cell of the first rows is quoted"
	case s.backslash:
		s.quoteWhy = "cells stand between two of them; a backslash stands before one inside"
	default:
		s.quoteWhy = "cells stand between two of them; one inside is written twice"
	}
}

// mostOf gives the key with the highest count; among equals the larger.
func mostOf(counts map[int]int) (key, n int) {
	for k, c := range counts {
		if c > n || c == n && k > key {
			key, n = k, c
		}
	}
	return key, n
}

// sepLine reads the line "sep=;" by which some spreadsheets are told the
// delimiter. It gives "" where there is none, and else the place behind it.
func sepLine(text []byte) (delim string, next int) {
	line := text[:physicalLine(text)]
	bare := strings.TrimRight(string(line), "\r\n")
	bare = strings.Trim(bare, `"`)
	if len(bare) < 5 || !strings.EqualFold(bare[:4], "sep=") || len(bare) > 8 {
		return "", 0
	}
	if d := bare[4:]; slices.Contains(delimiters(), d) || len(d) == 1 {
		return d, len(line)
	}
	return "", 0
}
