package csv

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/headerdetect"
)

// maxExaminedBytes is the maximum length of an irregular row that is held back or compared with
// other rows, in bytes. Longer rows are records, because examining a row copies its cells.
const maxExaminedBytes = 256 << 10

// readIrregular handles a row that does not follow the dialect or may not be a record. It
// repairs, appends, holds back or skips the row.
func (r *reader) readIrregular(ctx context.Context, batch *intray.Records) error {
	if r.rec.unclosed {
		r.unclosedUntil = max(r.unclosedUntil, r.window.offsetOf(r.rec.next))
		if done, err := r.repairRow(ctx, batch); done || err != nil {
			return err
		}
		return r.appendUnclosedLine(batch)
	}
	if done, err := r.splitLateQuote(batch); done || err != nil {
		return err
	}
	r.sheet.placeCells(r.window.unread()[:r.rec.next], &r.rec)
	row := r.window.unread()[:r.rec.next]
	if r.verdict < quotesMaybeMisplaced && r.skipKnownRow(batch, row) {
		return nil
	}
	if len(row) > maxExaminedBytes {
		return r.readLongIrregular(ctx, batch)
	}
	cells := r.cellTexts(&r.rec, 0)
	if len(cells) != r.sheet.width {
		below, err := r.rowsBelow(ctx, r.rec.next)
		if err != nil {
			return err
		}
		if r.sheet.beginsTable(cells, below, r.blankRows > 0 || r.hasTitleAbove()) {
			r.endAtNextTable(batch)
			return nil
		}
	}
	if width := r.sheet.width; len(cells) > width+1 && !r.rec.loose && headerdetect.Filled(cells[width:]) == 0 {
		// The extra cells are empty, so there is nothing to repair.
		r.rec.cells, cells = r.rec.cells[:width], cells[:width]
	}
	if !r.isRegular(&r.rec) {
		if done, err := r.repairRow(ctx, batch); done || err != nil {
			return err
		}
	}
	return r.appendOrHold(batch, cells)
}

// skipKnownRow skips the row if it is a comment or repeats the header. If there is a title above the
// repeated header, another table starts.
func (r *reader) skipKnownRow(batch *intray.Records, row []byte) bool {
	switch {
	case r.repeatsHeader() && r.hasTitleAbove():
		r.endAtNextTable(batch)
	case r.repeatsHeader():
		r.skipRow(batch, "header", intray.NewMessage("csv.header_repeated", intray.Params{"line": r.line}))
	case len(r.rec.cells) != r.sheet.width && r.sheet.comment != "" && bytes.HasPrefix(bytes.TrimLeft(row, " \t\""), []byte(r.sheet.comment)):
		r.skipRow(batch, "comment", intray.NewMessage("csv.comment_dropped", intray.Params{"line": r.line}))
	default:
		return false
	}
	return true
}

// readLongIrregular is readIrregular for a row that is longer than maxExaminedBytes. It repairs the
// first line of such a row at most.
func (r *reader) readLongIrregular(ctx context.Context, batch *intray.Records) error {
	if width := r.sheet.width; len(r.rec.cells) > width+1 && !r.rec.loose {
		row := r.window.unread()
		if !slices.ContainsFunc(r.rec.cells[width:], func(c cell) bool { return !isBlank(row[c.from:c.to]) }) {
			r.rec.cells = r.rec.cells[:width]
		}
	}
	if !r.isRegular(&r.rec) {
		if done, err := r.repairRow(ctx, batch); done || err != nil {
			return err
		}
	}
	return r.appendIrregular(batch)
}

// hasTitleAbove reports whether the row directly above has only one cell with text, as a title
// does.
func (r *reader) hasTitleAbove() bool {
	n := len(r.held)
	return n > 0 && r.held[n-1].filled == 1
}

// endAtNextTable ends the table before the current row, where another table starts.
func (r *reader) endAtNextTable(batch *intray.Records) {
	r.releaseHeldRows(batch, true)
	batch.Notices = append(batch.Notices, intray.Notice{Type: intray.OtherTables, Level: intray.LevelWarning,
		Text: intray.NewMessage("csv.other_table", intray.Params{"line": r.line})})
	r.tableEnded = true
	r.evidence = r.sheet.evidenceWithTable(r.line)
}

// skipRow skips a row and reports it.
func (r *reader) skipRow(batch *intray.Records, kind string, text intray.Message) {
	raw := excerptOf(bytes.TrimRight(r.window.unread()[:r.rec.next], "\r\n"))
	r.addNotice(batch, kind, intray.Notice{Type: intray.OtherTables, Level: intray.LevelInfo, Value: &raw, Text: text})
	r.advance(r.rec.next, r.rec.breaks)
}

// maxNoticesPerKind is the maximum number of notices of one kind.
const maxNoticesPerKind = 1000

func (r *reader) addNotice(batch *intray.Records, kind string, n intray.Notice) {
	if r.noticeCounts[kind]++; r.noticeCounts[kind] <= maxNoticesPerKind {
		batch.Notices = append(batch.Notices, n)
	}
}

// rowsBelow parses the next few rows after an offset in the unread text. It skips blank rows.
func (r *reader) rowsBelow(ctx context.Context, at int) (rows [][]string, err error) {
	for len(rows) < lookaheadRows {
		err := r.parseRecordAt(ctx, at, &r.lookahead)
		var limit *source.LimitError
		if errors.As(err, &limit) {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		if at >= len(r.window.unread()) {
			return rows, nil
		}
		if r.lookahead.next > maxExaminedBytes {
			return rows, nil
		}
		if !isBlank(r.window.unread()[at : at+r.lookahead.next]) {
			rows = append(rows, r.cellTexts(&r.lookahead, at))
		}
		at += r.lookahead.next
	}
	return rows, nil
}

// excerptBytes is the maximum length of the excerpt of a row in a notice, in bytes.
const excerptBytes = 300

func excerpt(text string) string {
	if len(text) <= excerptBytes {
		return text
	}
	return strings.ToValidUTF8(text[:excerptBytes], "") + "…"
}

// excerptOf is like excerpt but does not copy all of the text.
func excerptOf(text []byte) string { return excerpt(string(text[:min(len(text), excerptBytes+1)])) }

// appendOrHold appends a row as found, or holds it back if it may not belong to the table, for
// example because it looks like a row of totals or a remark.
func (r *reader) appendOrHold(batch *intray.Records, cells []string) error {
	if r.verdict != quotesEnclose {
		return r.appendIrregular(batch) // the row may hide other rows
	}
	total := headerdetect.IsTotal(cells)
	note := headerdetect.IsNote(cells, r.followsBlankRow(cells)) || isRulerRow(cells) || isAside(cells) || r.isRemark(cells)
	filled := headerdetect.Filled(cells)
	below := r.heldText && 2*filled <= r.sheet.width && !r.sheet.records.IsRecord(cells, r.blankRows > 0)
	if r.sheet.width > 1 && r.canHold() && (total || note || filled == 0 || below) {
		r.held = append(r.held, heldRow{cells, filled, r.line, r.blankRows, r.crossingLine()})
		r.heldBytes += r.rec.next
		r.heldCells += len(cells)
		r.heldText = r.heldText || filled > 0
		r.blankRows = 0
		r.advance(r.rec.next, r.rec.breaks)
		return nil
	}
	return r.appendIrregular(batch)
}

// canHold reports whether one more row can be held back. The rows are appended together, so that few
// rows with many cells can be held.
func (r *reader) canHold() bool {
	return len(r.held) < maxHeldRows && r.heldBytes < maxHeldBytes && (len(r.held) < maxHeldRows/10 || r.heldCells < maxHeldCells)
}

// appendIrregular appends a row as found, and reports a quoted cell that seems to contain other
// rows. If misplaced quotes are text, it splits the row instead.
func (r *reader) appendIrregular(batch *intray.Records) error {
	if r.verdict == quotesMaybeMisplaced && r.sheet.misplaced == source.MisplacedAsText {
		return r.splitLines(batch)
	}
	if n := len(r.rec.cells); n > 1 && n < r.sheet.width {
		r.ragged = true
	}
	r.reportLateQuote(batch)
	if raw := r.crossingLine(); raw != "" {
		r.releaseHeldRows(batch, false)
		r.reportCrossing(batch, raw, r.line)
	}
	return r.appendRecord(batch)
}

// followsBlankRow reports whether the row above is blank. A row of empty cells counts as blank
// only above a remark, because it may be a record.
func (r *reader) followsBlankRow(cells []string) bool {
	if n := len(r.held); r.blankRows > 0 || n == 0 || r.held[n-1].filled > 0 {
		return r.blankRows > 0
	}
	return len(cells) == 1 || len(cells) > 2 && len(strings.Fields(strings.Join(cells, " "))) >= remarkWords
}

// remarkWords is the minimum number of words in a remark.
const remarkWords = 3

// isRemark reports whether a row has a single cell with several words, or is otherwise a remark, in a
// table in which no record omits its last cells.
func (r *reader) isRemark(cells []string) bool {
	if r.ragged {
		return false
	}
	if len(cells) == 1 && r.sheet.width > 2 && len(strings.Fields(cells[0])) >= remarkWords && !headerdetect.KindOf(cells[0]).IsTyped() {
		return true
	}
	return r.sheet.records.IsRemark(cells, r.followsBlankRow(cells))
}

// isAside reports whether the text of a row is in parentheses, such as "(3 rows)".
func isAside(cells []string) bool {
	text := strings.TrimSpace(strings.Join(cells, ""))
	return headerdetect.Filled(cells) == 1 && len(text) > 2 && text[0] == '(' && text[len(text)-1] == ')' && !headerdetect.KindOf(text).IsTyped()
}

// appendUnclosedLine appends one line of a row with a quote that is never closed. It treats
// that quote as text.
func (r *reader) appendUnclosedLine(batch *intray.Records) error {
	rest := r.window.unread()
	line := rest[:firstLineLength(rest)]
	r.unclosedWork += r.sheet.dialect.parseUnclosedLine(line, &r.lookahead, min(maxUnclosedLineWork, maxUnclosedWork-r.unclosedWork))
	r.releaseHeldRows(batch, false)
	row := r.rows + int64(batch.Len())
	r.addNotice(batch, "quote", intray.Notice{Type: intray.RepairedRow, Level: intray.LevelWarning, Row: &row,
		Text: intray.NewMessage("csv.unclosed_quote", intray.Params{"line": r.line})})
	if err := r.appendTexts(batch, &r.lookahead); err != nil {
		return err
	}
	r.advance(len(line), 0)
	return r.checkCellLimit()
}

// minHeldRecords is the minimum number of rows with several cells that are records although they
// were held back.
const minHeldRecords = 5

// holdsRecords reports whether the rows held back are records: if the table has no other records,
// or if several of them have at least two cells. In some tables, many records begin with a word such as
// "Total".
func (r *reader) holdsRecords(batch *intray.Records) bool {
	if r.rows == 0 && batch.Len() == 0 {
		return true
	}
	n := 0
	for _, h := range r.held {
		if h.filled > 1 && (!headerdetect.IsTotal(h.cells) || r.sheet.records.IsRecord(h.cells, true)) {
			n++
		}
	}
	return n >= minHeldRecords
}

// releaseHeldRows handles the rows held back. If end is set, the table has ended, and
// releaseHeldRows drops and reports the rows, except for empty rows at the very end and records.
// Otherwise, releaseHeldRows appends them as records.
func (r *reader) releaseHeldRows(batch *intray.Records, end bool) {
	end = end && !r.holdsRecords(batch)
	if line := r.heldTable(r.rows + int64(batch.Len())); end && line > 0 {
		r.evidence = r.sheet.evidenceWithTable(line)
	}
	last := len(r.held)
	for end && last > 0 && r.held[last-1].filled == 0 {
		last-- // empty rows at the very end are records
	}
	for i, h := range r.held {
		switch raw := excerpt(h.text()); {
		case !end || i >= last:
			r.reportCrossing(batch, h.crossing, h.line)
			r.appendCells(batch, h.cells, h.line)
		case raw != "":
			r.addNotice(batch, "footer", intray.Notice{Type: intray.OtherTables, Level: intray.LevelInfo, Value: &raw,
				Text: intray.NewMessage("csv.line_below_table", intray.Params{"line": h.line})})
		}
	}
	r.held, r.heldBytes, r.heldCells, r.heldText = r.held[:0], 0, 0, false
}

// heldTable returns the line of the first row held back that may belong to a small table, or 0.
func (r *reader) heldTable(records int64) (line int64) {
	rows := make([][]string, len(r.held))
	for i, h := range r.held {
		rows[i] = h.cells
	}
	if at := headerdetect.FindSmallTable(rows, records); at >= 0 {
		return r.held[at].line
	}
	return 0
}

// text joins the cells of a row.
func (h heldRow) text() string {
	return strings.Join(slices.DeleteFunc(slices.Clone(h.cells), func(c string) bool { return strings.TrimSpace(c) == "" }), " | ")
}

// repairRow appends the reading of the row that clearly fits best, and reports whether there
// is one.
func (r *reader) repairRow(ctx context.Context, batch *intray.Records) (bool, error) {
	if r.sheet.profile == nil || r.repairExhausted {
		return false, nil
	}
	if r.repair.profile == nil { // the first row to repair
		work := r.repair.work
		r.repair = newRepairer(r.sheet.dialect, r.sheet.width, r.sheet.profile())
		r.repair.work = work
	}
	if r.repair.work > maxRepairWork {
		r.reportTooManyRepairs(batch)
		return false, nil
	}
	text := r.window.unread()
	text = text[:firstLineLength(text)]
	if !r.rec.unclosed && !r.rec.loose {
		text = r.window.unread()[:r.rec.next]
	}
	if len(text) > maxRepairBytes {
		return false, nil
	}
	text = bytes.Clone(text) // readMore may move it
	follows := func(next int) bool {
		if next >= len(r.window.unread()) {
			return r.window.done
		}
		err := r.parseRecordAt(ctx, next, &r.lookahead)
		return err == nil && (r.isRegular(&r.lookahead) || isBlank(r.window.unread()[next:next+r.lookahead.next]))
	}
	r.repair.nearbyScore = r.nearbyScore(ctx, len(text))
	best, ok := r.repair.repair(text, &r.rec, follows)
	if err := ctx.Err(); err != nil {
		return false, err // follows fails then
	}
	if !ok {
		return false, nil
	}
	r.releaseHeldRows(batch, false)
	row := r.rows + int64(batch.Len())
	raw := excerptOf(bytes.TrimRight(r.window.unread()[:best.next], "\r\n"))
	r.addNotice(batch, "repair", intray.Notice{Type: intray.RepairedRow, Level: intray.LevelWarning, Row: &row, Value: &raw, Text: r.repairMessage(&best)})
	r.appendCells(batch, best.cells, r.line)
	line := r.window.unread()[:best.next]
	r.advance(best.next, countLineBreaks(bytes.TrimRight(line, "\r\n")))
	return true, r.checkCellLimit()
}

// reportTooManyRepairs stops all repairs, and reports that once.
func (r *reader) reportTooManyRepairs(batch *intray.Records) {
	if r.repairExhausted {
		return
	}
	r.repairExhausted = true
	r.addNotice(batch, "repair work", intray.Notice{Type: intray.RepairedRow, Level: intray.LevelWarning,
		Text: intray.NewMessage("csv.too_many_repairs", intray.Params{"line": r.line})})
}

// repairMessage returns the message about the repair of the current record. If a quote that was read
// as text is closed on a later line or never, the message names the lines.
func (r *reader) repairMessage(best *reading) intray.Message {
	if best.repair.kind == quoteIsText && r.rec.unclosed {
		return intray.NewMessage("csv.unclosed_quote", intray.Params{"line": r.line})
	}
	if best.repair.kind == quoteIsText && r.rec.breaks > 0 && best.next < r.rec.next {
		opened, closed := quotedLines(r.window.unread()[:r.rec.next], &r.rec, r.line)
		return intray.NewMessage("csv.late_quote_is_text", intray.Params{"line": opened, "end": closed})
	}
	return intray.NewMessage("csv.row_repaired", intray.Params{
		"line": r.line, "cells": cellCount(len(r.rec.cells)), "columns": columnCount(r.sheet.width), "repair": best.repair.message(),
		"row": excerpt(strings.Join(best.cells, " | ")),
	})
}

// nearbyScore returns the score of the next regular row within a few rows. It is needed
// because later rows of a long table can differ from the sample.
func (r *reader) nearbyScore(ctx context.Context, at int) float64 {
	for range lookaheadRows {
		if at >= len(r.window.unread()) || r.parseRecordAt(ctx, at, &r.lookahead) != nil {
			break
		}
		if r.lookahead.next > maxExaminedBytes {
			break
		}
		if r.isRegular(&r.lookahead) {
			row := make(rowFeatures, len(r.lookahead.cells))
			for i, text := range r.cellTexts(&r.lookahead, at) {
				row[i] = featuresOf(text, r.lookahead.cells[i].quoted)
			}
			return r.repair.profile.rowScore(row)
		}
		at += r.lookahead.next
	}
	return r.repair.profile.meanScore
}
