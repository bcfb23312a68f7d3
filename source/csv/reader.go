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
	"github.com/intraydata/intray/source/table"
)

const (
	// maxHeld is the most rows that are held back because they may stand below
	// the table.
	maxHeld = 20
	// maxMendWork is how much work the search for readings may be, counted as
	// the repairer does: some seconds, in which a hundred thousand rows and more
	// are mended. When it is used up, rows stay as found.
	maxMendWork = 8 << 30
	// maxLineWork is how many bytes may be read again to tell which quotes of
	// lines are text, where one is never closed. Then all of them are.
	maxLineWork = 1 << 29
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
	// ragged says that a record had fewer cells than there are columns.
	ragged bool
	// gaveUp says that the work for mending is used up, and that this was told.
	gaveUp bool
	// lineWork is how much of maxLineWork is used.
	lineWork int64
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
	filled int
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
		if at < len(rest) && r.w.placeOf(at) < r.open {
			if line := physicalLine(rest[at:]); at+line < len(rest) {
				r.sheet.dialect.cut(rest[at:at+line], none, rec)
				return r.check(rec)
			}
		}
		if at < len(rest) || r.w.done {
			r.sheet.dialect.cut(rest[min(at, len(rest)):], none, rec)
			if rec.over() || at+rec.next < len(rest) || r.w.done {
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
	return &source.LimitError{Line: r.line, Reason: intray.NewMessage("csv.record_too_long", intray.Params{"limit": r.limits.RecordBytes})}
}

// check holds a record against the limits.
func (r *reader) check(rec *record) error {
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
		return &source.LimitError{Line: r.line, Reason: intray.NewMessage("sheet.too_many_cells", intray.Params{"limit": r.limits.Cells})}
	}
	return nil
}

// texts gives the cells of a record.
func (r *reader) texts(rec *record, at int) []string {
	return r.sheet.dialect.texts(r.w.rest()[at:], rec)
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
		Text: intray.NewMessage("csv.invalid_bytes", intray.Params{"line": r.line})})
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

// chunkBytes is how much is read at once.
const chunkBytes = 256 << 10

// window shows the text from where the next record begins, as much of it as is
// wanted.
type window struct {
	text *decoded
	// from gives the text behind buf; it is nil before anything is read.
	from io.Reader
	// buf[pos:end] is read and not yet used.
	buf      []byte
	pos, end int
	// at is the place of buf[pos], as the units of the text have it.
	at int64
	// done says that nothing follows buf[end].
	done bool
}

// windowAt shows the text from a place on.
func windowAt(text *decoded, place int64) window { return window{text: text, at: place} }

// rest is what is read so far.
func (w *window) rest() []byte { return w.buf[w.pos:w.end] }

// place is where rest begins.
func (w *window) place() int64 { return w.at }

// placeOf is the place of a byte of rest.
func (w *window) placeOf(at int) int64 { return w.at + w.text.units.length(w.rest()[:at]) }

// use takes n bytes off the front.
func (w *window) use(n int) {
	w.at = w.placeOf(n)
	w.pos += n
}

// more reads on. It says false where the text has ended.
func (w *window) more(ctx context.Context) (bool, error) {
	if err := ctx.Err(); err != nil || w.done {
		return false, err
	}
	if w.from == nil {
		from, err := w.text.from(w.at)
		if err != nil {
			return false, fmt.Errorf("read the file at byte %d: %w", w.at, err)
		}
		w.from = from
	}
	w.makeRoom()
	n, err := io.ReadFull(w.from, w.buf[w.end:])
	w.end += n
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		w.done, err = true, nil
	}
	if err != nil {
		return false, fmt.Errorf("read the file at byte %d: %w", w.placeOf(len(w.rest())), err)
	}
	return n > 0, nil
}

// makeRoom moves what is not used to the front, and doubles the buffer where
// that is more than half of it.
func (w *window) makeRoom() {
	rest := w.rest()
	if 2*len(rest) >= len(w.buf) {
		fresh := make([]byte, max(chunkBytes, 2*len(w.buf)))
		copy(fresh, rest)
		w.buf = fresh
	} else {
		copy(w.buf, rest)
	}
	w.pos, w.end = 0, len(rest)
}

// blankText says whether there is nothing but white space.
func blankText(b []byte) bool { return len(bytes.TrimSpace(b)) == 0 }
