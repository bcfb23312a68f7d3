package csv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/table"
)

const (
	// maxHeld is the most rows that are held back because they may stand below
	// the table.
	maxHeld = 20
	// maxMends is how many rows are mended; the others stay as found.
	maxMends = 5000
	// lookAhead is how many rows below one that does not fit are looked at.
	lookAhead = 4
)

// reader pulls the records of a sheet, one after the other, and looks at each
// that does not fit.
type reader struct {
	sheet  *sheet
	limits source.Limits
	w      window
	side   sideBySide
	rec    record
	ahead  record
	repair repairer

	// line is where the next record begins, counted from 1.
	line int64
	// rows counts the records handed on, cells those of the sheet.
	rows, cells int64
	// blanks counts the blank rows right above; as found they are records.
	blanks int64
	// held are rows that may stand below the table.
	held []heldRow
	// open is up to where a quote was looked for that closes a cell, in vain.
	// Before that a record is one line, or a text of quotes would be gone through
	// again for each of its lines.
	open int64
	// ended says that the table ends before the text does.
	ended bool
	mends int
	// told counts the notices of each kind that are told only so often.
	told map[string]int
	// first is told with the first batch.
	first []intray.Notice
	// failed is what every further call of Next answers.
	failed error
}

// heldRow is a row that may be no record.
type heldRow struct {
	cells  []string
	line   int64
	blanks int64
}

func (r *reader) Columns() []intray.Column { return r.sheet.columns }

func (r *reader) Evidence() []intray.Evidence { return r.sheet.evidence }

func (r *reader) Close() error {
	r.failed = fmt.Errorf("read a closed sheet: %w", fs.ErrClosed)
	r.side.stop()
	r.w = window{}
	return nil
}

func (r *reader) Next(ctx context.Context, batch *intray.Records) error {
	batch.Reset()
	if r.failed != nil {
		return r.failed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	batch.First = r.rows
	defer func() {
		batch.Notices = append(r.first, batch.Notices...)
		r.first = nil
	}()
	whole, err := r.nextChunk(ctx, batch)
	for err == nil && !whole && !batch.Full() {
		err = r.step(ctx, batch)
		whole = r.side.mayGoOn(r) && batch.Len() > 0
	}
	r.rows += int64(batch.Len())
	if err != nil && ctx.Err() == nil {
		r.failed = err
	}
	if batch.Len() > 0 {
		return nil
	}
	return err
}

// step takes one row off the text.
func (r *reader) step(ctx context.Context, batch *intray.Records) error {
	if r.ended {
		return io.EOF
	}
	if err := r.cut(ctx, 0, &r.rec); err != nil {
		return err
	}
	row := r.w.rest()[:r.rec.next]
	if len(r.w.rest()) == 0 {
		r.settle(batch, true)
		return io.EOF
	}
	switch {
	case len(r.rec.cells) == 1 && blankText(row):
		r.blanks++
		r.pass(r.rec.next, r.rec.breaks)
		return nil
	case !isText(row):
		return r.broken(batch)
	case r.sheet.asIs:
		return r.handAsIs(batch)
	case r.fits(&r.rec) && !r.repeatsHeader() && !r.mayEnd():
		return r.hand(batch)
	}
	return r.odd(ctx, batch)
}

// cut cuts the record that begins at a place of the rest of the text, reading on
// until all of it is there.
func (r *reader) cut(ctx context.Context, at int, rec *record) error {
	for {
		rest := r.w.rest()
		if at < len(rest) && r.w.place()+int64(at) < r.open {
			if line := physicalLine(rest[at:]); at+line < len(rest) {
				r.sheet.dialect.cut(rest[at:at+line], none, rec)
				return r.check(rec)
			}
		}
		if at < len(rest) || r.w.done {
			r.sheet.dialect.cut(rest[min(at, len(rest)):], none, rec)
			if at+rec.next < len(rest) || r.w.done {
				return r.check(rec)
			}
		}
		if len(rest)-at > r.limits.RecordBytes {
			return r.tooLong(rest[at:], rec)
		}
		if _, err := r.w.more(ctx); err != nil {
			return err
		}
	}
}

// tooLong sees to a record beyond the limit: one whose quote is never closed can
// be read line by line.
func (r *reader) tooLong(rest []byte, rec *record) error {
	if line := physicalLine(rest); line < r.limits.RecordBytes {
		r.sheet.dialect.cut(rest[:line], none, rec)
		rec.unclosed = true
		return r.check(rec)
	}
	return &source.LimitError{Line: r.line, Reason: fmt.Sprintf("a record is longer than %d bytes; is a quote left open?", r.limits.RecordBytes)}
}

// check holds a record against the limits.
func (r *reader) check(rec *record) error {
	if len(rec.cells) > r.limits.Columns {
		return &source.LimitError{Line: r.line, Reason: fmt.Sprintf("a record has more than %d cells", r.limits.Columns)}
	}
	for _, c := range rec.cells {
		if c.to-c.from > r.limits.CellBytes && !rec.unclosed {
			return &source.LimitError{Line: r.line, Reason: fmt.Sprintf("a cell is longer than %d bytes", r.limits.CellBytes)}
		}
	}
	return nil
}

// fits says whether a record is as the dialect has it and as wide as the table.
func (r *reader) fits(rec *record) bool {
	return len(rec.cells) == r.sheet.width && !rec.loose && !rec.unclosed && !rec.inner
}

// pass goes on behind a row.
func (r *reader) pass(next int, breaks int64) {
	r.w.use(next)
	r.line += breaks + 1
}

// hand appends the record cut last.
func (r *reader) hand(batch *intray.Records) error {
	r.settle(batch, false)
	row := r.w.rest()
	var scratch []byte
	for _, c := range r.rec.cells {
		if c.escaped {
			scratch = r.sheet.dialect.append(scratch[:0], row, c)
			batch.AppendCell(scratch)
			continue
		}
		batch.AppendCell(row[c.from:c.to])
	}
	r.end(batch, r.line, len(r.rec.cells))
	r.pass(r.rec.next, r.rec.breaks)
	return r.counted()
}

// handAsIs appends the record cut last and the blank rows above it.
func (r *reader) handAsIs(batch *intray.Records) error {
	for above := r.blanks; above > 0; above-- {
		batch.AppendCell(nil)
		r.end(batch, r.line-above, 1)
	}
	return r.hand(batch)
}

// handCells appends a row of texts.
func (r *reader) handCells(batch *intray.Records, cells []string, line int64) {
	for _, c := range cells {
		batch.AppendCell([]byte(c))
	}
	r.end(batch, line, len(cells))
}

func (r *reader) end(batch *intray.Records, line int64, cells int) {
	batch.EndRecord(line)
	r.cells += int64(cells)
	r.blanks = 0
}

func (r *reader) counted() error {
	if r.cells > r.limits.Cells {
		return &source.LimitError{Line: r.line, Reason: fmt.Sprintf("the sheet has more than %d cells", r.limits.Cells)}
	}
	return nil
}

// texts gives the cells of a record.
func (r *reader) texts(rec *record, at int) []string {
	row := r.w.rest()[at:]
	cells := make([]string, len(rec.cells))
	for i, c := range rec.cells {
		cells[i] = clean(string(r.sheet.dialect.append(nil, row, c)))
	}
	return cells
}

// isText says whether a row holds nothing but text.
func isText(row []byte) bool { return utf8.Valid(row) && bytes.IndexByte(row, 0) < 0 }

// clean puts U+FFFD in place of what is no text.
func clean(cell string) string {
	if utf8.ValidString(cell) && strings.IndexByte(cell, 0) < 0 {
		return cell
	}
	return strings.ReplaceAll(strings.ToValidUTF8(cell, "\uFFFD"), "\x00", "\uFFFD")
}

// broken hands on a row with bytes that are no text, and says so.
func (r *reader) broken(batch *intray.Records) error {
	if r.rec.unclosed {
		return r.unclosed(batch)
	}
	r.settle(batch, false)
	row := r.rows + int64(batch.Len())
	r.tell(batch, "bytes", intray.Notice{Type: intray.EncodingUncertain, Level: intray.LevelWarning, Row: &row,
		Text: fmt.Sprintf("Line %d holds bytes that are no text in this encoding; each stands as U+FFFD (\uFFFD).", r.line)})
	r.handCells(batch, r.texts(&r.rec, 0), r.line)
	r.pass(r.rec.next, r.rec.breaks)
	return r.counted()
}

// repeatsHeader says whether the record cut last is the header again.
func (r *reader) repeatsHeader() bool {
	header := r.sheet.header
	if len(header) == 0 || len(r.rec.cells) != len(header) {
		return false
	}
	row := r.w.rest()
	for i, c := range r.rec.cells {
		if !bytes.Equal(bytes.TrimSpace(row[c.from:c.to]), header[i]) {
			return false
		}
	}
	return true
}

// mayEnd says whether a row that fits may stand below the table all the same: a
// row of totals, or a remark with its empty cells.
func (r *reader) mayEnd() bool {
	row := r.w.rest()
	filled := 0
	for _, c := range r.rec.cells {
		if !blankText(row[c.from:c.to]) {
			filled++
		}
	}
	if 2*filled > r.sheet.width || r.sheet.width < 2 {
		return filled > 0 && r.sheet.width > 2 && startsTotal(row, r.rec.cells)
	}
	return true
}

// startsTotal is a quick look at whether the first cell with text may be that of
// a row of totals.
func startsTotal(row []byte, cells []cell) bool {
	for _, c := range cells {
		text := bytes.TrimSpace(row[c.from:c.to])
		if len(text) > 0 {
			return len(text) < 32 && table.IsTotal([]string{string(text)})
		}
	}
	return false
}

// odd sees to a row that does not fit.
func (r *reader) odd(ctx context.Context, batch *intray.Records) error {
	if r.rec.unclosed {
		r.open = max(r.open, r.w.place()+int64(r.rec.next))
		if done, err := r.mend(ctx, batch); done || err != nil {
			return err
		}
		return r.unclosed(batch)
	}
	row := r.w.rest()[:r.rec.next]
	cells := r.texts(&r.rec, 0)
	switch {
	case r.repeatsHeader():
		r.leaveOut(batch, "header", "The header stands here again; the row is left out.")
		return nil
	case len(cells) != r.sheet.width && isComment(row, r.sheet.comment):
		r.leaveOut(batch, "comment", "A line of comment is left out.")
		return nil
	}
	if len(cells) != r.sheet.width {
		below, err := r.below(ctx, r.rec.next)
		if err != nil {
			return err
		}
		if r.beginsTable(cells, below) {
			r.settle(batch, true)
			batch.Notices = append(batch.Notices, intray.Notice{Type: intray.OtherTables, Level: intray.LevelWarning,
				Text: fmt.Sprintf("Another table begins in line %d. It is not read: send it as a file of its own.", r.line)})
			r.ended = true
			return nil
		}
	}
	if !r.fits(&r.rec) {
		if done, err := r.mend(ctx, batch); done || err != nil {
			return err
		}
	}
	return r.asFound(batch, cells)
}

// leaveOut passes over a row and says so.
func (r *reader) leaveOut(batch *intray.Records, kind, text string) {
	r.tell(batch, kind, intray.Notice{Type: intray.OtherTables, Level: intray.LevelInfo, Text: fmt.Sprintf("Line %d: %s", r.line, text)})
	r.pass(r.rec.next, r.rec.breaks)
}

// maxTold is how often a notice of one kind is told.
const maxTold = 1000

func (r *reader) tell(batch *intray.Records, kind string, n intray.Notice) {
	if r.told[kind]++; r.told[kind] <= maxTold {
		batch.Notices = append(batch.Notices, n)
	}
}

func isComment(row []byte, mark string) bool {
	return mark != "" && bytes.HasPrefix(bytes.TrimLeft(row, " \t\""), []byte(mark))
}

// below cuts some rows below a place, without those that are blank.
func (r *reader) below(ctx context.Context, at int) (rows [][]string, err error) {
	for len(rows) < lookAhead {
		err := r.cut(ctx, at, &r.ahead)
		var limit *source.LimitError
		if errors.As(err, &limit) {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		if at >= len(r.w.rest()) {
			return rows, nil
		}
		if !blankText(r.w.rest()[at : at+r.ahead.next]) {
			rows = append(rows, r.texts(&r.ahead, at))
		}
		at += r.ahead.next
	}
	// The record cut last stays what it was: reading on may have moved it.
	return rows, nil
}

// beginsTable says whether a row is the header of another table: the rows below
// it have its width, which is not that of this table, and it names their
// columns.
func (r *reader) beginsTable(cells []string, below [][]string) bool {
	if len(below) < 2 || len(cells) < 2 || table.Filled(cells) < len(cells) {
		return false
	}
	for _, row := range below[:2] {
		if len(row) != len(cells) {
			return false
		}
	}
	return table.NamesColumns(cells, below)
}

// mend looks for the one reading of the row that clearly fits.
func (r *reader) mend(ctx context.Context, batch *intray.Records) (bool, error) {
	if r.sheet.profiles == nil || r.mends > maxMends {
		return false, nil
	}
	if r.mends++; r.mends > maxMends {
		r.tell(batch, "mends", intray.Notice{Type: intray.RepairedRow, Level: intray.LevelWarning,
			Text: fmt.Sprintf("More than %d rows do not fit the table. From line %d on they stay as they are.", maxMends, r.line)})
		return false, nil
	}
	text := r.w.rest()
	text = text[:physicalLine(text)]
	if !r.rec.unclosed && !r.rec.loose {
		text = r.w.rest()[:r.rec.next]
	}
	follows := func(next int) bool {
		if next >= len(r.w.rest()) {
			return r.w.done
		}
		err := r.cut(ctx, next, &r.ahead)
		return err == nil && (r.fits(&r.ahead) || blankText(r.w.rest()[next:next+r.ahead.next]))
	}
	best, ok := r.repair.repair(bytes.Clone(text), &r.rec, follows)
	if !ok {
		return false, nil
	}
	r.settle(batch, false)
	row := r.rows + int64(batch.Len())
	raw := excerpt(string(bytes.TrimRight(r.w.rest()[:best.next], "\r\n")))
	r.tell(batch, "repair", intray.Notice{Type: intray.RepairedRow, Level: intray.LevelWarning, Row: &row, Value: &raw,
		Text: fmt.Sprintf("Line %d has %d cells where the table has %d columns: %s. It reads: %s", r.line, len(r.rec.cells), r.sheet.width, best.what, excerpt(strings.Join(best.cells, " | ")))})
	r.handCells(batch, best.cells, r.line)
	line := r.w.rest()[:best.next]
	r.pass(best.next, lineBreaks(bytes.TrimRight(line, "\r\n")))
	return true, r.counted()
}

// excerptBytes is how much of a row a notice shows.
const excerptBytes = 300

func excerpt(text string) string {
	if len(text) <= excerptBytes {
		return text
	}
	return strings.ToValidUTF8(text[:excerptBytes], "") + "…"
}

// asFound hands on a row as it was found, or holds it back where it may stand
// below the table.
func (r *reader) asFound(batch *intray.Records, cells []string) error {
	total, note := table.IsTotal(cells), table.IsNote(cells, r.blanks > 0)
	small := 2*table.Filled(cells) <= r.sheet.width
	if r.sheet.width > 1 && len(r.held) < maxHeld && (total || note || len(r.held) > 0 && small) {
		r.held = append(r.held, heldRow{cells, r.line, r.blanks})
		r.blanks = 0
		r.pass(r.rec.next, r.rec.breaks)
		return nil
	}
	return r.hand(batch)
}

// unclosed reads a row whose quote is never closed line by line: the quote is
// text.
func (r *reader) unclosed(batch *intray.Records) error {
	rest := r.w.rest()
	line := rest[:physicalLine(rest)]
	r.sheet.dialect.cutLine(line, &r.ahead)
	r.settle(batch, false)
	cells := r.texts(&r.ahead, 0)
	r.tell(batch, "quote", intray.Notice{Type: intray.RepairedRow, Level: intray.LevelWarning,
		Text: fmt.Sprintf("Line %d: a quote is opened here and never closed; it is read as text.", r.line)})
	r.handCells(batch, cells, r.line)
	r.pass(len(line), 0)
	return r.counted()
}

// settle decides about the rows held back: at the end of the table they are left
// out and told, else they are records like all others.
func (r *reader) settle(batch *intray.Records, end bool) {
	for _, h := range r.held {
		if !end {
			r.handCells(batch, h.cells, h.line)
			continue
		}
		raw := excerpt(strings.Join(slices.DeleteFunc(slices.Clone(h.cells), func(c string) bool { return strings.TrimSpace(c) == "" }), " | "))
		r.tell(batch, "footer", intray.Notice{Type: intray.OtherTables, Level: intray.LevelInfo, Value: &raw,
			Text: fmt.Sprintf("Line %d stands below the table and is left out.", h.line)})
	}
	r.held = r.held[:0]
}
