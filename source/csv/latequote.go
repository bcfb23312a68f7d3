package csv

import (
	"bytes"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// splitLateQuote reads the lines of the current record as rows of their own if a quote that is closed
// too late hides them. That is the case if the quote is certainly or probably misplaced. It sets
// r.verdict, appends the first line and reports the quote.
func (r *reader) splitLateQuote(batch *intray.Records) (bool, error) {
	r.verdict = r.judgeQuotes(batch)
	if r.verdict < quotesLikelyMisplaced {
		return false, nil
	}
	if r.verdict == quotesLikelyMisplaced {
		r.doubts.add(r.sheet, r.window.unread()[:r.rec.next], &r.rec, r.line, source.MisplacedAsText)
	}
	return true, r.splitLines(batch)
}

// judgeQuotes decides whether the quotes of the current record are misplaced.
func (r *reader) judgeQuotes(batch *intray.Records) quoteVerdict {
	if r.rec.breaks == 0 || r.sheet.misplaced == source.MisplacedAsQuotes {
		return quotesEnclose
	}
	if r.judge.work > maxJudgeWork {
		r.reportTooManyRepairs(batch)
		return quotesEnclose
	}
	r.judge.sheet = r.sheet
	return r.judge.verdict(r.window.unread()[:r.rec.next], &r.rec)
}

// splitLines appends the first line of the current record, makes each of the other lines a row of its
// own, and reports the quote.
func (r *reader) splitLines(batch *intray.Records) error {
	row := r.window.unread()[:r.rec.next]
	opened, closed := quotedLines(row, &r.rec, r.line)
	end := r.window.offsetOf(r.rec.next)
	r.unclosedUntil = max(r.unclosedUntil, end)
	// In the middle of these lines, a worker would parse the closing quote as an opening one.
	r.parallel.sequentialUntil = max(r.parallel.sequentialUntil, end)
	line := row[:firstLineLength(row)]
	r.unclosedWork += r.sheet.dialect.parseUnclosedLine(line, &r.lookahead, min(maxUnclosedLineWork, maxUnclosedWork-r.unclosedWork))
	r.releaseHeldRows(batch, false)
	r.addLateQuoteNotice(batch, "csv.late_quote_is_text", opened, closed, row)
	if err := r.appendTexts(batch, &r.lookahead); err != nil {
		return err
	}
	r.advance(len(line), 0)
	return r.checkCellLimit()
}

// quotedLines returns the lines on which the longest quoted cell of a record begins and ends. line is
// the line on which the record begins.
func quotedLines(row []byte, rec *record, line int64) (opened, closed int64) {
	longest, most := longestQuoted(row, rec)
	opened = line + countLineBreaks(row[:longest.from])
	return opened, opened + most
}

// longestQuoted returns the quoted cell with the most line ends, and their number.
func longestQuoted(row []byte, rec *record) (longest cell, most int64) {
	for _, c := range rec.cells {
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

// reportLateQuote reports a quoted cell of the current record that seems to contain other rows. If the
// quote may be misplaced, it is a doubt as well.
func (r *reader) reportLateQuote(batch *intray.Records) {
	if r.verdict == quotesEnclose {
		return
	}
	row := r.window.unread()[:r.rec.next]
	opened, closed := quotedLines(row, &r.rec, r.line)
	r.releaseHeldRows(batch, false)
	r.addLateQuoteNotice(batch, "csv.quote_closed_late", opened, closed, row)
	if r.verdict == quotesMaybeMisplaced {
		r.doubts.add(r.sheet, row, &r.rec, r.line, source.MisplacedAsQuotes)
	}
}
