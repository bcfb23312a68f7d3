package csv

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/intraydata/intray"
)

// A frame is what programs draw around the cells of a table: bars at both ends of each line, as in
// Markdown, and lines of dashes between rows, as in the output of database clients.

// boxBar is the bar of tables that are drawn with box-drawing characters.
const boxBar = "│"

// minFramedShare is the minimum share of the lines with bars that begin and end with one, if bars are
// a frame.
const minFramedShare = 0.95

// findFrame reports whether bars in a sample are a frame. framed is set if the lines begin and end
// with one, and ruled is set if dashes that cross bars separate the first line from the next.
func findFrame(sample []byte, bar string) (framed, ruled bool) {
	if bar != "|" && bar != boxBar {
		return false, false
	}
	barred, complete, lines := 0, 0, 0
	opens := false
	for at := 0; at < len(sample) && lines < sniffRecords; {
		line := bytes.TrimSpace(sample[at : at+firstLineLength(sample[at:])])
		at += firstLineLength(sample[at:])
		switch {
		case len(line) == 0:
			continue
		case isRule(line):
			ruled = ruled || barred == 1 && bytes.ContainsAny(line, "|+┼╪")
			continue
		}
		if lines++; !bytes.Contains(line, []byte(bar)) {
			continue
		}
		barred++
		if bytes.HasPrefix(line, []byte(bar)) && bytes.HasSuffix(line, []byte(bar)) && len(line) > len(bar) {
			complete++
			opens = opens || barred == 1
		}
	}
	framed = opens && barred > 1 && 2*barred > lines && float64(complete) >= minFramedShare*float64(barred)
	return framed, ruled
}

// isRule reports whether a line only draws the frame of a table: dashes, optionally with bars, crossings
// and the colons with which Markdown aligns columns.
func isRule(line []byte) bool {
	if line = bytes.TrimSpace(line); len(line) < 3 {
		return false
	}
	if first, _ := utf8.DecodeRune(line); !strings.ContainsRune("|+-=:", first) && !isBoxRune(first) {
		return false
	}
	parts := 0
	isBar := func(r rune) bool { return r == '|' || r == '+' || isBoxRune(r) && !strings.ContainsRune(ruleDashes, r) }
	for part := range strings.FieldsFuncSeq(string(line), isBar) {
		bare := strings.Trim(part, ": \t")
		if strings.Trim(bare, ruleDashes) != "" || bare == "" || utf8.RuneCountInString(bare) < 3 && !strings.Contains(part, ":") {
			return false
		}
		parts++
	}
	return parts > 0
}

// ruleDashes are the characters of the lines between rows.
const ruleDashes = "-=─━═"

// isBoxRune reports whether a character is a box-drawing character.
func isBoxRune(r rune) bool { return r >= 0x2500 && r <= 0x257F }

// skipOpeningBar returns the offset after the bar with which a framed line begins.
func (d *dialect) skipOpeningBar(text []byte, at int) int {
	if bar := d.skipSpaces(text, at); hasPrefixAt(text, bar, d.delim) {
		return bar + len(d.delim)
	}
	return at
}

// skipClosingBar returns the offset of the line end that follows the delimiter at an offset, or
// notFound if a cell follows.
func (d *dialect) skipClosingBar(text []byte, at int) int {
	at = d.skipSpaces(text, at+len(d.delim))
	if at == len(text) || text[at] == '\n' || text[at] == '\r' {
		return at
	}
	return notFound
}

// trimPadding returns a cell without the spaces around its text.
func trimPadding(text []byte, c cell) cell {
	for c.from < c.to && (text[c.from] == ' ' || text[c.from] == '\t') {
		c.from++
	}
	for c.from < c.to && (text[c.to-1] == ' ' || text[c.to-1] == '\t') {
		c.to--
	}
	return c
}

// ruleCount counts the lines that only draw the frame of the table. line is the line of the first one.
type ruleCount struct{ n, line int64 }

func (c *ruleCount) add(line int64) {
	if c.n++; c.n == 1 {
		c.line = line
	}
}

// report adds a notice about the lines, if there are any, and forgets them.
func (c *ruleCount) report(batch *intray.Records) {
	if c.n > 0 {
		batch.Notices = append(batch.Notices, intray.Notice{Type: intray.OtherTables, Level: intray.LevelInfo,
			Text: intray.NewMessage("csv.rules_skipped", intray.Params{"n": c.n, "line": c.line})})
	}
	*c = ruleCount{}
}

// skipRule skips the current row if it only draws the frame of the table.
func (r *reader) skipRule(row []byte) bool {
	if !r.sheet.dialect.padded || r.sheet.asIs || r.rec.breaks > 0 || !isRule(row) {
		return false
	}
	r.rules.add(r.line)
	r.advance(r.rec.next, r.rec.breaks)
	return true
}

// blankRules clears the rows that only draw the frame of the table.
func (s *sheet) blankRules(rows []sampledRow, sample []byte) {
	if !s.dialect.padded {
		return
	}
	for i := range rows {
		if row := &rows[i]; isRule(sample[row.from:row.to]) {
			row.cells = nil
		}
	}
}

// countRulesAbove counts the rules among the rows above the first record. The reader counts the others.
func (s *sheet) countRulesAbove(rows []sampledRow, sample []byte) {
	for _, row := range rows {
		if s.dialect.padded && isRule(sample[row.from:row.to]) {
			s.rules.add(row.line)
		}
	}
}
