package csv

import (
	"bytes"

	"github.com/intraydata/intray"
)

// minHiddenRowCells is the minimum number of columns of a table in which lines of a quoted cell can be
// rows although the record of the cell is regular. In narrower tables, sentences with commas look like
// rows.
const minHiddenRowCells = 3

// hasLinesLikeRows reports whether a quoted cell has at least one whole line between its first and
// last line, and each of them has as many cells as the table has columns.
func hasLinesLikeRows(cell []byte, delim string, width int) bool {
	if width < minHiddenRowCells {
		return false
	}
	n := 0
	for at := firstLineLength(cell); at < len(cell); n++ {
		line := cell[at : at+firstLineLength(cell[at:])]
		if at += len(line); at == len(cell) && len(bytes.TrimRight(line, "\r\n")) == len(line) {
			break // the last line, which the closing quote ends
		}
		if bytes.Count(line, []byte(delim)) != width-1 {
			return false
		}
	}
	return n > 0
}

// hidesRows reports whether the current record is regular, but a quoted cell of it has lines like
// rows.
func (r *reader) hidesRows() bool {
	if r.rec.breaks < 2 {
		return false
	}
	row := r.window.unread()
	for _, c := range r.rec.cells {
		if c.quoted && hasLinesLikeRows(row[c.from:c.to], r.sheet.dialect.delim, r.sheet.width) {
			return true
		}
	}
	return false
}

// splitLateQuote reads the lines of the current record as rows of their own if a quote that is closed
// too late hides them. That is certain if every line has one cell per column and the record or its
// quotes are irregular, or if the cells of every line fit the columns. It appends the first line and reports the quote.
func (r *reader) splitLateQuote(batch *intray.Records) (bool, error) {
	if r.rec.breaks == 0 || r.rec.next > maxRepairBytes || r.sheet.width < 2 {
		return false, nil
	}
	row := r.window.unread()[:r.rec.next]
	mayBeText := r.isRegular(&r.rec) || len(r.rec.cells) == r.sheet.width && (r.rec.breaks == 1 || r.sheet.width < minHiddenRowCells)
	if !r.everyLineIsRow(row, mayBeText) {
		return false, nil
	}
	opened, closed := r.quotedLines(row)
	r.unclosedUntil = max(r.unclosedUntil, r.window.offsetOf(r.rec.next))
	line := row[:firstLineLength(row)]
	r.unclosedWork += r.sheet.dialect.parseUnclosedLine(line, &r.lookahead, min(maxUnclosedLineWork, maxUnclosedWork-r.unclosedWork))
	r.releaseHeldRows(batch, false)
	r.addLateQuoteNotice(batch, "csv.late_quote_is_text", opened, closed, row)
	if err := r.appendTexts(batch, &r.lookahead); err != nil {
		return false, err
	}
	r.advance(len(line), 0)
	return true, r.checkCellLimit()
}

// everyLineIsRow reports whether each line of a record is a row if quotes are text. If fitting is set,
// the cells must also fit the columns.
func (r *reader) everyLineIsRow(row []byte, fitting bool) bool {
	if fitting && (r.sheet.width < minHiddenRowCells || r.sheet.profile == nil) {
		return false
	}
	bare := dialect{delim: r.sheet.dialect.delim}
	found := record{maxCells: r.sheet.width}
	for len(row) > 0 {
		line := row[:firstLineLength(row)]
		row = row[len(line):]
		bare.parseRecord(line, notFound, &found)
		if len(found.cells) != r.sheet.width || fitting && !r.fitsColumns(line, &found) {
			return false
		}
	}
	return true
}

// fitsColumns reports whether the cells of a line without their quotes fit the columns about as well
// as the cells of regular rows.
func (r *reader) fitsColumns(line []byte, found *record) bool {
	p := r.sheet.profile()
	row := make(rowFeatures, len(found.cells))
	for i, c := range found.cells {
		text := bytes.Trim(line[c.from:c.to], r.sheet.dialect.open+r.sheet.dialect.shut)
		// Whether a program quotes a cell says nothing about a line with a misplaced quote.
		row[i] = featuresOf(string(text), 2*p.columns[i].quoted > p.columns[i].n)
	}
	return p.rowScore(row) >= p.meanScore-3*p.scoreSpread-minReadingLead
}

// quotedLines returns the lines on which the longest quoted cell of a row begins and ends.
func (r *reader) quotedLines(row []byte) (opened, closed int64) {
	longest, most := r.longestQuoted(row)
	opened = r.line + countLineBreaks(row[:longest.from])
	return opened, opened + most
}

// longestQuoted returns the quoted cell with the most line ends, and their number.
func (r *reader) longestQuoted(row []byte) (longest cell, most int64) {
	for _, c := range r.rec.cells {
		if n := countLineBreaks(row[c.from:c.to]); c.quoted && n > most {
			longest, most = c, n
		}
	}
	return longest, most
}

// addLateQuoteNotice adds a notice about a quote of the next record that is opened and closed on the
// given lines.
func (r *reader) addLateQuoteNotice(batch *intray.Records, code string, opened, closed int64, text []byte) {
	row := r.rows + int64(batch.Len())
	raw := excerptOf(bytes.TrimRight(text, "\r\n"))
	r.addNotice(batch, "late quote", intray.Notice{Type: intray.RepairedRow, Level: intray.LevelWarning, Row: &row, Value: &raw,
		Text: intray.NewMessage(code, intray.Params{"line": opened, "end": closed})})
}

// reportLateQuote reports a quoted cell of the current record that seems to contain other rows: the
// record is irregular, and if quotes are text, a line within the cell has as many cells as the table
// has columns. If the cell has only two lines, both must have that many cells.
func (r *reader) reportLateQuote(batch *intray.Records) {
	if r.rec.breaks == 0 || r.sheet.width < 2 || r.isRegular(&r.rec) && !r.hidesRows() {
		return
	}
	row := r.window.unread()[:r.rec.next]
	longest, most := r.longestQuoted(row)
	bare := dialect{delim: r.sheet.dialect.delim}
	found := record{maxCells: r.sheet.width}
	hasRow := func(line []byte) bool {
		bare.parseRecord(line, notFound, &found)
		return len(found.cells) == r.sheet.width
	}
	opened := r.line + countLineBreaks(row[:longest.from])
	first := bytes.LastIndexAny(row[:longest.from], "\r\n") + 1
	rest := row[longest.from+firstLineLength(row[longest.from:]):]
	late := most == 1 && hasRow(row[first:]) && hasRow(rest)
	for n := int64(1); n < most && !late; n++ {
		late = hasRow(rest)
		rest = rest[firstLineLength(rest):]
	}
	if late {
		r.releaseHeldRows(batch, false)
		r.addLateQuoteNotice(batch, "csv.quote_closed_late", opened, opened+most, row)
	}
}
