package csv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/headerdetect"
)

const (
	// maxHeldRows is the maximum number of rows that are held back because they may not belong
	// to the table, maxHeldCells is the maximum number of their cells if there are more than a tenth
	// as many rows, and maxHeldBytes is their maximum length.
	maxHeldRows, maxHeldCells, maxHeldBytes = 200, 4096, 4 << 20
	// maxRepairWork is the maximum work for finding readings in one file, in units of the
	// repairer. It corresponds to a few seconds and is enough for at least 100,000 rows. After
	// that, the reader returns irregular rows as found.
	maxRepairWork = 8 << 30
	// maxUnclosedWork is the maximum number of bytes that are read again to decide which quotes
	// are text in lines with a quote that is never closed. After that, all quotes in such lines
	// are treated as text.
	maxUnclosedWork = 1 << 29
	// lookaheadRows is the number of rows examined after an irregular row.
	lookaheadRows = 4
)

// reader reads the records of a sheet in order. It examines each irregular row.
type reader struct {
	sheet     *sheet
	limits    source.Limits
	window    window
	parallel  parallelReader
	rec       record
	lookahead record
	repair    repairer

	// line is the number of the line where the next record starts, counted from 1.
	line int64
	// rows is the number of records returned, and cells is the total number of their cells.
	rows, cells int64
	// blankRows is the number of blank rows directly above the current row. If the file is
	// read as is, they are records.
	blankRows int64
	// held holds rows that may not belong to the table. heldBytes is their length, heldCells is the
	// number of their cells, and heldText reports whether one of them has text.
	held                 []heldRow
	heldBytes, heldCells int
	heldText             bool
	// unclosedUntil is the offset up to which no closing quote was found. Every line before it
	// is treated as one record, so that the text is not scanned again for each line.
	unclosedUntil int64
	// tableEnded reports whether the table ended before the end of the text.
	tableEnded bool
	// evidence replaces that of the sheet if it is not nil.
	evidence []intray.Evidence
	// ragged reports whether a record with several cells, but fewer than columns, was read.
	ragged bool
	// repairExhausted reports whether maxRepairWork was reached, and a notice about it was added.
	repairExhausted bool
	// unclosedWork is the part of maxUnclosedWork already used, in bytes.
	unclosedWork int64
	// judge decides which quotes are misplaced, verdict is its verdict about the current irregular record,
	// and doubts are the records that can be read in two ways.
	judge   quoteJudge
	verdict quoteVerdict
	doubts  quoteDoubts
	// noticeCounts holds the number of notices added, by kind.
	noticeCounts map[string]int
	// pendingNotices are returned with the first batch.
	pendingNotices []intray.Notice
	// nuls counts the NUL bytes read, and rules the lines that only draw the frame of the table.
	nuls  nulCount
	rules ruleCount
	// nextErr is the error that all further calls to Next return.
	nextErr error
}

// heldRow is a row that may not be a record.
type heldRow struct {
	cells  []string
	filled int
	line   int64
	blanks int64
	// crossing holds the line if its text crosses the start of a column. Otherwise, it is "".
	crossing string
}

func (r *reader) Columns() []intray.Column { return r.sheet.columns }

func (r *reader) Evidence() []intray.Evidence {
	list := r.sheet.evidence
	if r.evidence != nil {
		list = r.evidence
	}
	return r.doubts.addTo(list)
}

func (r *reader) Close() error {
	r.nextErr = fmt.Errorf("read a closed sheet: %w", fs.ErrClosed)
	r.parallel.stop()
	r.window = window{}
	return nil
}

func (r *reader) Next(ctx context.Context, batch *intray.Records) error {
	batch.Reset()
	if r.nextErr != nil {
		return r.nextErr
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	batch.First = r.rows
	defer func() {
		batch.Notices = append(r.pendingNotices, batch.Notices...)
		r.pendingNotices = nil
	}()
	whole, err := r.nextChunk(ctx, batch)
	for err == nil && !whole && !batch.IsFull() {
		err = r.readRow(ctx, batch)
		whole = r.parallel.canResume(r) && batch.Len() > 0
	}
	r.rows += int64(batch.Len())
	if err != nil && ctx.Err() == nil {
		r.nextErr = err
	}
	if batch.Len() > 0 {
		return nil
	}
	return err
}

// readRow reads one row of the text.
func (r *reader) readRow(ctx context.Context, batch *intray.Records) error {
	if r.tableEnded {
		r.nuls.report(batch)
		r.rules.report(batch)
		return io.EOF
	}
	if err := r.parseRecordAt(ctx, 0, &r.rec); err != nil {
		return err
	}
	row := r.window.unread()[:r.rec.next]
	if len(r.window.unread()) == 0 {
		r.releaseHeldRows(batch, true)
		r.nuls.report(batch)
		r.rules.report(batch)
		return io.EOF
	}
	switch {
	case len(r.rec.cells) == 1 && isBlankOrNULs(row):
		r.nuls.add(row, r.line)
		r.blankRows++
		r.advance(r.rec.next, r.rec.breaks)
		return nil
	case r.skipRule(row):
		return nil
	case !isText(row):
		return r.appendInvalidText(batch)
	case r.sheet.asIs:
		for above := r.blankRows; above > 0; above-- {
			batch.AppendCell(nil)
			r.endRecord(batch, r.line-above, 1)
		}
		return r.appendRecord(batch)
	case r.isRegular(&r.rec) && !r.repeatsHeader() && !r.mayBeBelowTable() && r.judgeQuotes(batch) == quotesEnclose:
		return r.appendRecord(batch)
	}
	return r.readIrregular(ctx, batch)
}

// parseRecordAt parses the record at an offset in the unread text. It reads more text until the
// record is complete.
func (r *reader) parseRecordAt(ctx context.Context, at int, rec *record) error {
	for {
		rest := r.window.unread()
		if at < len(rest) && r.window.offsetOf(at) < r.unclosedUntil {
			if line := firstLineLength(rest[at:]); at+line < len(rest) {
				if err := r.parseText(ctx, rest[at:at+line], rec); err != nil {
					return err
				}
				return r.checkLimits(rec)
			}
		}
		if at < len(rest) || r.window.done {
			if err := r.parseText(ctx, rest[min(at, len(rest)):], rec); err != nil {
				return err
			}
			if rec.hasTooManyCells() || at+rec.next < len(rest) || r.window.done {
				return r.checkLimits(rec)
			}
		}
		if len(rest)-at > r.limits.RecordBytes {
			return r.parseOverlongRecord(rest[at:], rec)
		}
		if err := r.window.readMore(ctx); err != nil {
			return err
		}
	}
}

// parseText parses the record at the start of text. The only error is the error of ctx.
func (r *reader) parseText(ctx context.Context, text []byte, rec *record) error {
	rec.done = ctx.Done()
	r.sheet.dialect.parseRecord(text, notFound, rec)
	rec.done = nil
	if rec.unclosed {
		return ctx.Err()
	}
	return nil
}

// parseOverlongRecord parses the first line of a record that exceeds Limits.RecordBytes
// because a quote is never closed. It returns an error if that line is too long, too.
func (r *reader) parseOverlongRecord(rest []byte, rec *record) error {
	if line := firstLineLength(rest); line < r.limits.RecordBytes {
		r.sheet.dialect.parseRecord(rest[:line], notFound, rec)
		rec.unclosed = true
		return r.checkLimits(rec)
	}
	return &source.LimitError{Line: r.line, Reason: intray.NewMessage("csv.record_too_long", intray.Params{"limit": r.limits.RecordBytes})}
}

// checkLimits returns an error if a record exceeds a limit.
func (r *reader) checkLimits(rec *record) error {
	if len(rec.cells) > r.limits.Columns {
		return &source.LimitError{Line: r.line, Reason: tooManyCells(r.limits)}
	}
	for _, c := range rec.cells {
		if c.to-c.from > r.limits.CellBytes && !rec.unclosed {
			return &source.LimitError{Line: r.line, Reason: intray.NewMessage("cell.too_long", intray.Params{"limit": r.limits.CellBytes})}
		}
	}
	return nil
}

func tooManyCells(limits source.Limits) intray.Message {
	return intray.NewMessage("csv.too_many_cells", intray.Params{"limit": limits.Columns})
}

// isRegular reports whether a record follows the dialect and has one cell per column.
func (r *reader) isRegular(rec *record) bool { return r.sheet.isRegular(rec) }

// advance moves past the current row, given its length in bytes and the number of line ends in
// its cells.
func (r *reader) advance(next int, breaks int64) {
	r.window.advance(next)
	r.line += breaks + 1
}

// appendRecord appends the current record to the batch.
func (r *reader) appendRecord(batch *intray.Records) error {
	r.releaseHeldRows(batch, false)
	row := r.window.unread()
	var scratch []byte
	for _, c := range r.rec.cells {
		if c.escaped {
			scratch = r.sheet.dialect.appendCell(scratch[:0], row, c)
			batch.AppendCell(scratch)
			continue
		}
		batch.AppendCell(row[c.from:c.to])
	}
	r.endRecord(batch, r.line, len(r.rec.cells))
	r.advance(r.rec.next, r.rec.breaks)
	return r.checkCellLimit()
}

// appendCells appends a record with the given cells.
func (r *reader) appendCells(batch *intray.Records, cells []string, line int64) {
	for _, c := range cells {
		batch.AppendCell([]byte(c))
	}
	r.endRecord(batch, line, len(cells))
}

// appendTexts appends the record that starts at the unread text. It replaces invalid text in one
// cell at a time, because each replacement copies the cell.
func (r *reader) appendTexts(batch *intray.Records, rec *record) error {
	row := r.window.unread()
	var scratch []byte
	for _, c := range rec.cells {
		scratch = r.sheet.dialect.appendCell(scratch[:0], row, c)
		cell := scratch
		if !isText(cell) {
			cell = []byte(replaceInvalid(string(cell)))
		}
		if len(cell) > r.limits.CellBytes && len(cell) > len(scratch) {
			return &source.LimitError{Line: r.line, Reason: intray.NewMessage("cell.too_long", intray.Params{"limit": r.limits.CellBytes})}
		}
		batch.AppendCell(cell)
	}
	r.endRecord(batch, r.line, len(rec.cells))
	return nil
}

func (r *reader) endRecord(batch *intray.Records, line int64, cells int) {
	batch.EndRecord(line)
	r.cells += int64(cells)
	r.blankRows = 0
}

func (r *reader) checkCellLimit() error {
	if r.cells > r.limits.Cells {
		return &source.LimitError{Line: r.line, Reason: intray.NewMessage("sheet.too_many_cells", intray.Params{"limit": r.limits.Cells})}
	}
	return nil
}

// cellTexts returns the cells of the record at an offset in the unread text.
func (r *reader) cellTexts(rec *record, at int) []string {
	return r.sheet.dialect.cellTexts(r.window.unread()[at:], rec)
}

// isText reports whether a row is valid UTF-8 without NUL.
func isText(row []byte) bool { return utf8.Valid(row) && bytes.IndexByte(row, 0) < 0 }

// replaceInvalid replaces invalid UTF-8 with U+FFFD, and removes or replaces NUL characters.
func replaceInvalid(cell string) string { return cleanNULs(strings.ToValidUTF8(cell, "\uFFFD")) }

// appendInvalidText appends a row that contains invalid UTF-8 or NUL characters. It reports invalid
// UTF-8, and counts NUL characters.
func (r *reader) appendInvalidText(batch *intray.Records) error {
	if r.rec.unclosed {
		return r.appendUnclosedLine(batch)
	}
	r.releaseHeldRows(batch, false)
	row := r.rows + int64(batch.Len())
	text := r.window.unread()[:r.rec.next]
	r.nuls.add(text, r.line)
	if !utf8.Valid(text) {
		r.addNotice(batch, "bytes", intray.Notice{Type: intray.EncodingUncertain, Level: intray.LevelWarning, Row: &row,
			Text: intray.NewMessage("csv.invalid_bytes", intray.Params{"line": r.line})})
	}
	if err := r.appendTexts(batch, &r.rec); err != nil {
		return err
	}
	r.advance(r.rec.next, r.rec.breaks)
	return r.checkCellLimit()
}

// repeatsHeader reports whether the current record equals the header.
func (r *reader) repeatsHeader() bool {
	header := r.sheet.header
	if len(header) == 0 || len(r.rec.cells) != len(header) {
		return false
	}
	row := r.window.unread()
	for i, c := range r.rec.cells {
		if !bytes.Equal(bytes.TrimSpace(row[c.from:c.to]), header[i]) {
			return false
		}
	}
	return true
}

// mayBeBelowTable reports whether a regular row may not belong to the table, because it looks
// like a row of totals or a remark with empty cells.
func (r *reader) mayBeBelowTable() bool {
	row := r.window.unread()
	filled := 0
	for _, c := range r.rec.cells {
		if !isBlank(row[c.from:c.to]) {
			filled++
		}
	}
	if 2*filled > r.sheet.width || r.sheet.width < 2 {
		return filled > 0 && r.sheet.width > 2 && mayStartTotal(row, r.rec.cells)
	}
	return true
}

// mayStartTotal reports whether the first cell with text may start a row of totals. It passes
// only that cell to headerdetect.IsTotal, and only if the cell is short.
func mayStartTotal(row []byte, cells []cell) bool {
	for _, c := range cells {
		text := bytes.TrimSpace(row[c.from:c.to])
		if len(text) > 0 {
			return len(text) < 32 && headerdetect.IsTotal([]string{string(text)})
		}
	}
	return false
}

// chunkBytes is the number of bytes that window reads at a time.
const chunkBytes = 256 << 10

// window holds the part of the unread text that was read ahead, from the start of the next
// record.
type window struct {
	text *decodedText
	// src reads the text after buf. It is nil before the first read.
	src io.Reader
	// buf[pos:end] holds the text that has been read but not used yet.
	buf      []byte
	pos, end int
	// start is the offset of buf[pos] in the file.
	start int64
	// done reports whether the end of the text was read into buf.
	done bool
	// padding counts NUL bytes if they separate cells in the same way as spaces. Otherwise, it is
	// nil. line is then the number of the line at the end of buf.
	padding *nulCount
	line    int64
}

// newWindow returns a window that starts at an offset in the file.
func newWindow(text *decodedText, place int64) window { return window{text: text, start: place} }

// unread returns the text in the buffer that has not been used yet.
func (w *window) unread() []byte { return w.buf[w.pos:w.end] }

// offset returns the offset of the unread text in the file.
func (w *window) offset() int64 { return w.start }

// offsetOf returns the offset in the file of the byte at the given index in the unread text.
func (w *window) offsetOf(at int) int64 { return w.start + w.text.units.encodedLength(w.unread()[:at]) }

// advance removes the first n bytes of the unread text.
func (w *window) advance(n int) {
	w.start = w.offsetOf(n)
	w.pos += n
}

// readMore reads more text into the buffer. At the end of the text, it sets done.
func (w *window) readMore(ctx context.Context) error {
	if err := ctx.Err(); err != nil || w.done {
		return err
	}
	if w.src == nil {
		from, err := w.text.readerFrom(w.start)
		if err != nil {
			return fmt.Errorf("read the file at byte %d: %w", w.start, err)
		}
		w.src = from
	}
	w.compact()
	n, err := io.ReadFull(w.src, w.buf[w.end:])
	if fresh := w.buf[w.end : w.end+n]; w.padding != nil {
		w.padding.blank(fresh, w.line)
		w.line += countLineBreaks(fresh)
	}
	w.end += n
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		w.done, err = true, nil
	}
	if err != nil {
		return fmt.Errorf("read the file at byte %d: %w", w.offsetOf(len(w.unread())), err)
	}
	return nil
}

// compact moves the unread text to the start of the buffer. It doubles the buffer if at least
// half of it is in use.
func (w *window) compact() {
	rest := w.unread()
	if 2*len(rest) >= len(w.buf) {
		size := max(chunkBytes, 2*len(w.buf))
		if w.buf == nil && w.text.whole { // a small file, which is usually read several times
			size = min(size, len(w.text.sample)+64)
		}
		fresh := make([]byte, size)
		copy(fresh, rest)
		w.buf = fresh
	} else {
		copy(w.buf, rest)
	}
	w.pos, w.end = 0, len(rest)
}

// isBlank reports whether b is empty or white space.
func isBlank(b []byte) bool { return len(bytes.TrimSpace(b)) == 0 }
