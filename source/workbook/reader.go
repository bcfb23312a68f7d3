package workbook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/headerdetect"
)

// maxGap is the maximum number of consecutive empty rows that are returned if every row
// is read as is.
const maxGap = 10_000

const (
	// maxEmptyRatio is the maximum number of cells of a sheet, including empty cells, for each cell
	// that the file stores. Each row needs all columns, so a small file whose few cells are far to
	// the right could otherwise occupy the server for minutes.
	maxEmptyRatio = 256
	// minRatioCells is the number of cells above which maxEmptyRatio applies.
	minRatioCells = 1 << 26
)

// reader reads the records of a sheet.
type reader struct {
	rows     Rows
	opt      source.Options
	columns  []intray.Column
	evidence []intray.Evidence
	merges   mergeTracker
	// preload returns the merged ranges of the sheet if the file stores them after the rows. It
	// is nil if they are known.
	preload func(context.Context) ([]Range, error)
	// filling is true if merged ranges are filled as rows are read.
	filling bool
	hidden  hiddenRows

	// ahead holds rows that were read but not yet returned. decided is the number of
	// rows at its beginning that are known to be records.
	ahead   []Row
	decided int
	// end is the error after which no more rows are read, such as io.EOF.
	end error
	// body describes the records.
	body headerdetect.Body
	// notices are returned with the first batch.
	notices []intray.Notice
	// reported is true if the summary of the rows has been reported.
	reported bool
	// last is the number of the last row that was returned, or of the header row.
	last  int64
	count int64
	// cells counts the cells of the records, including empty ones. stored counts the cells of the
	// rows that were read, as the file stores them.
	cells, stored int64
	failed        error
}

func (r *reader) Columns() []intray.Column    { return r.columns }
func (r *reader) Evidence() []intray.Evidence { return r.evidence }

func (r *reader) Close() error {
	r.failed = fmt.Errorf("read a closed sheet: %w", fs.ErrClosed)
	return r.rows.Close()
}

func (r *reader) Next(ctx context.Context, batch *intray.Records) error {
	batch.Reset()
	if r.failed != nil {
		return r.failed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	batch.First = r.count
	batch.Notices, r.notices = append(batch.Notices, r.notices...), nil
	var err error
	for err == nil && !batch.IsFull() {
		err = r.appendNextRow(ctx, batch)
	}
	if err == nil { // return the notices at the end together with the last records
		err = r.decide(ctx, batch)
	}
	r.count += int64(batch.Len())
	if err != nil && ctx.Err() == nil {
		r.failed = err
	}
	if batch.Len() > 0 {
		return nil
	}
	return err
}

// appendNextRow appends the next row to the batch.
func (r *reader) appendNextRow(ctx context.Context, batch *intray.Records) error {
	if len(r.ahead) == 0 { // a record does not have to be copied, and most rows are records
		row, err := r.nextRow(ctx)
		if err != nil {
			return r.finishRows(batch, err)
		}
		if r.classify(row, 0, 0) == rowRecord && (!r.opt.AsIs || row.Number == r.last+1) {
			return r.appendRow(batch, row)
		}
		r.ahead = append(r.ahead, cloneRow(row))
	}
	if err := r.decide(ctx, batch); err != nil {
		return err
	}
	if r.opt.AsIs && r.appendEmptyRow(batch, r.ahead[0].Number) {
		return nil
	}
	row := r.ahead[0]
	r.ahead[0] = Row{} // free its text, because later rows are appended to the same array
	r.ahead, r.decided = r.ahead[1:], r.decided-1
	return r.appendRow(batch, row)
}

// decide reads ahead until it is known whether the next row is a record. A row that
// looks like a total or remark is a record if a later row is a record.
func (r *reader) decide(ctx context.Context, batch *intray.Records) error {
	for held, size := 0, 0; r.decided == 0; {
		if held == len(r.ahead) {
			row, err := r.nextRow(ctx)
			if err != nil {
				if err = r.finishRows(batch, err); err != nil {
					return err
				}
				continue
			}
			r.ahead = append(r.ahead, cloneRow(row))
		}
		switch r.classify(r.ahead[held], held, size) {
		case rowRecord:
			r.decided = held + 1
		case rowBelow:
			size += r.ahead[held].size()
			held++
		case rowBlank:
			r.ahead = slices.Delete(r.ahead, held, held+1)
		}
	}
	return nil
}

// nextRow returns the next row of the sheet.
func (r *reader) nextRow(ctx context.Context) (Row, error) {
	if r.end != nil {
		return Row{}, r.end
	}
	row, err := r.rows.Next(ctx)
	r.stored += int64(len(row.Cells))
	r.collectRanges()
	if err == nil && r.filling {
		row, err = r.merges.fillRow(row)
	}
	if err != nil && ctx.Err() == nil {
		r.end = err
	}
	return row, err
}

// collectRanges passes the merged ranges that the rows have found to the tracker.
func (r *reader) collectRanges() {
	if rows, ok := r.rows.(MergeReporter); ok && !r.merges.preloaded {
		r.merges.addRanges(rows.PendingMerges())
	}
}

// finishRows handles the rows that are still held back when the sheet ends or an error occurs.
// At the end of the sheet, it reports them as rows below the table. After an error, they are
// records. It returns err unless records must be returned first.
func (r *reader) finishRows(batch *intray.Records, err error) error {
	switch {
	case r.end == nil: // only the context has ended
	case !errors.Is(err, io.EOF), r.holdsRecords(batch):
		r.decided = len(r.ahead)
	default:
		r.askAboutHeldTable(r.count + int64(batch.Len()))
		for _, row := range r.ahead {
			raw := strings.Join(strings.Fields(strings.Join(row.displayTexts(), " ")), " ")
			batch.Notices = append(batch.Notices, intray.Notice{Type: intray.OtherTables, Level: intray.LevelInfo, Value: &raw,
				Text: intray.NewMessage("sheet.row_below_table", intray.Params{"row": row.Number})})
		}
		r.ahead = nil
		r.addSummaryNotices(batch)
	}
	if r.decided > 0 {
		return nil
	}
	return err
}

// minHeldRecords is the minimum number of rows with values that are records although they were held
// back.
const minHeldRecords = 5

// holdsRecords reports whether the rows held back are records: if the table has no other records, or if
// several of them have values. In some tables, many records begin with a word such as "Total".
func (r *reader) holdsRecords(batch *intray.Records) bool {
	n := 0
	for _, row := range r.ahead {
		if r.body.IsRecord(row.displayTexts(), true) {
			n++
		}
	}
	return n >= minHeldRecords || n > 0 && r.count == 0 && batch.Len() == 0
}

// askAboutHeldTable makes the choice of the header a tie if the rows that are skipped may contain a
// small table.
func (r *reader) askAboutHeldTable(records int64) {
	at := slices.IndexFunc(r.evidence, func(e intray.Evidence) bool { return e.Choice == "header row" })
	if at < 0 || r.opt.HeaderRow != 0 || r.evidence[at].Tie {
		return
	}
	rows := make([][]string, len(r.ahead))
	for i, row := range r.ahead {
		rows[i] = row.displayTexts()
	}
	table := headerdetect.FindSmallTable(rows, records)
	if table < 0 {
		return
	}
	first := r.ahead[table].Number
	r.evidence = slices.Clone(r.evidence)
	e := &r.evidence[at]
	e.Tie, e.Reason = true, intray.JoinMessages(e.Reason, intray.NewMessage("header.table_below", intray.Params{"line": first}))
	e.Alternatives = []intray.Choice{rowChoice(first)}
}

// appendEmptyRow appends one of the empty rows above the row with the given number. It
// reports whether there was an empty row left.
func (r *reader) appendEmptyRow(batch *intray.Records, number int64) bool {
	missing := number - r.last - 1
	if missing > maxGap {
		batch.Notices = append(batch.Notices, intray.Notice{Type: intray.OtherTables, Level: intray.LevelWarning,
			Text: intray.NewMessage("sheet.empty_rows_dropped", intray.Params{"n": missing, "row": number})})
		r.last, missing = number-1, 0
	}
	if missing <= 0 {
		return false
	}
	r.last++
	batch.AppendCell(nil)
	batch.EndRecord(r.last)
	return true
}

// appendRow appends a row to the batch.
func (r *reader) appendRow(batch *intray.Records, row Row) error {
	column := 0
	for _, c := range row.Cells {
		for ; column < c.Column; column++ {
			batch.AppendTyped(nil, intray.CellText, nil)
		}
		shown := c.displayText()
		if r.opt.Typed && c.Kind != intray.CellText {
			shown = c.Value
		}
		if c.Kind == intray.CellText {
			batch.AppendTyped(shown, intray.CellText, nil) // only other kinds have a typed value
		} else {
			batch.AppendTyped(shown, c.Kind, c.Value)
		}
		column++
	}
	for ; column < len(r.columns) && !r.opt.AsIs; column++ {
		batch.AppendTyped(nil, intray.CellText, nil)
	}
	batch.EndRecord(row.Number)
	r.last = row.Number
	r.cells += int64(column)
	if row.Hidden {
		r.hidden.add(row.Number)
	}
	if column > r.opt.Limits.Columns {
		return &source.LimitError{Line: row.Number, Reason: intray.NewMessage("row.too_many_cells", intray.Params{"limit": r.opt.Limits.Columns})}
	}
	if r.cells > r.opt.Limits.Cells {
		return &source.LimitError{Line: row.Number, Reason: intray.NewMessage("sheet.too_many_cells", intray.Params{"limit": r.opt.Limits.Cells})}
	}
	if r.cells > minRatioCells && r.cells/maxEmptyRatio > r.stored {
		return &source.LimitError{Line: row.Number, Reason: intray.NewMessage("sheet.too_many_empty_cells", intray.Params{"column": ColumnName(column - 1)})}
	}
	return nil
}

// rowKind describes how a row relates to the table.
type rowKind uint8

const (
	rowRecord rowKind = iota
	// rowBelow is a total, a remark, or a row after one of them. It is below the table
	// unless a record follows.
	rowBelow
	// rowBlank is a row without text.
	rowBlank
)

// maxHeldRows is the maximum number of rows that are held back because they may be
// below the table.
const maxHeldRows = 200

// maxHeldRowBytes is the maximum length of the text in a row that is held back, in bytes, and
// maxHeldTotalBytes that of all these rows. Further rows and longer rows are records.
const maxHeldRowBytes, maxHeldTotalBytes = 256 << 10, 4 << 20

// classify returns the kind of a row that follows the given number of held rows, which have the given
// size.
func (r *reader) classify(row Row, held, size int) rowKind {
	if r.opt.AsIs {
		return rowRecord
	}
	filled, first := row.countFilled(max(3, len(r.columns)/2+1))
	switch {
	case filled == 0:
		return rowBlank
	case len(r.columns) < 2 || held >= maxHeldRows:
		return rowRecord
	case len(first) > maxHeldRowBytes || size > maxHeldTotalBytes:
		return rowRecord
	}
	separate := row.Number > r.last+1+int64(held)
	switch {
	case held > 0 && 2*filled <= len(r.columns) && !r.body.IsRecord(row.displayTexts(), separate), isTotal(row, first),
		(filled == 1 || filled == 2 && separate && len(r.columns) > 3) && r.body.IsRemark(row.displayTexts(), separate):
		if row.size() <= maxHeldRowBytes {
			return rowBelow
		}
	}
	return rowRecord
}

// isTotal reports whether a row is a total. It examines only the first text in the row, unless
// that text consists of punctuation.
func isTotal(row Row, first []byte) bool {
	if c := first[0]; c >= '0' && c <= '9' || c == '-' {
		return false // usually a number, which cannot be the label of a total
	}
	if len(bytes.Trim(first, " \t:.*")) == 0 {
		return headerdetect.IsTotal(row.displayTexts())
	}
	return headerdetect.IsTotal([]string{string(first)})
}
