package htmltable

import (
	"context"
	"errors"
	"io"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/workbook"
)

// markupBytes is the number of bytes by which a tag may exceed the maximum length of a cell.
const markupBytes = 1 << 20

// rows returns the rows of one table in the order in which browsers display them: head,
// body, foot. The page may have them in a different order.
type rows struct {
	page   *page
	place  tableLocation
	limits source.Limits
	// passes lists the passes over the table and its sections, in order. nextPass is the index
	// of the next pass.
	passes   []tablePass
	nextPass int
	tokens   *tokenizer
	walker   *tableWalker
	cells    []workbook.Cell
	// merged holds the ranges that start in the last row returned.
	merged []workbook.Range
	err    error
}

// tablePass is one pass over the table, or over one of its sections.
type tablePass struct {
	offset      int64
	sectionOnly bool
}

// startPass starts the next pass over the page.
func (r *rows) startPass(ctx context.Context) error {
	s := r.passes[r.nextPass]
	r.nextPass++
	text, err := r.page.newReader(s.offset)
	if err != nil {
		return err
	}
	r.tokens = newTokenizer(ctx, text, r.limits.CellBytes+markupBytes)
	r.tokens.end = s.offset
	count := int64(0)
	if r.walker != nil {
		count = r.walker.rowCount
	}
	r.walker = newTableWalker(r.limits)
	r.walker.rowCount, r.walker.sectionOnly, r.walker.formats, r.walker.epoch1904 = count, s.sectionOnly, r.page.formats, r.page.epoch1904
	if s.sectionOnly {
		return nil
	}
	r.walker.skip = [2]int64{r.place.head, r.place.foot}
	return r.tokens.next() // skip the start tag of the table
}

func (r *rows) Close() error {
	r.err, r.tokens = errClosed, nil
	return nil
}

var errClosed = errors.New("read a closed table")

func (r *rows) Next(ctx context.Context) (workbook.Row, error) {
	for r.err == nil {
		if err := ctx.Err(); err != nil {
			return workbook.Row{}, err
		}
		r.tokens.checkContext = ctx.Err
		if err := r.advance(ctx); err != nil {
			if ctx.Err() != nil {
				return workbook.Row{}, err
			}
			r.err = r.withRow(err)
		}
		if r.walker.rowEnded && len(r.walker.previous.cells) > 0 {
			row := r.walker.previous
			r.cells, r.merged = r.cells[:0], row.merged
			for _, c := range row.cells {
				out := workbook.Cell{Column: c.column, Kind: c.kind, Value: row.arena[c.valueStart:c.valueEnd:c.valueEnd]}
				if c.formattedEnd > c.valueEnd {
					out.Formatted = row.arena[c.valueEnd:c.formattedEnd:c.formattedEnd]
				}
				r.cells = append(r.cells, out)
			}
			return workbook.Row{Number: row.number, Hidden: row.hidden, Cells: r.cells}, nil
		}
	}
	return workbook.Row{}, r.err
}

// advance reads up to the end of the next row with cells or the end of the pass.
func (r *rows) advance(ctx context.Context) error {
	if r.walker.tableEnded {
		if r.nextPass == len(r.passes) {
			r.walker.rowEnded = false
			return io.EOF
		}
		if err := r.startPass(ctx); err != nil {
			return err
		}
	}
	for {
		err := r.tokens.next()
		if errors.Is(err, io.EOF) {
			if r.walker.finish(r.tokens) {
				return &source.UnreadableError{Line: r.walker.rowCount + 1, Reason: intray.NewMessage("html.cut_in_row", nil)}
			}
			return nil
		}
		if err == nil {
			err = r.walker.handleToken(r.tokens)
		}
		if err != nil || r.walker.tableEnded || r.walker.rowEnded && len(r.walker.previous.cells) > 0 {
			r.walker.rowEnded = r.walker.rowEnded && err == nil
			return err
		}
	}
}

// withRow adds the number of the current row to an error that has no line.
func (r *rows) withRow(err error) error {
	var limit *source.LimitError
	if errors.As(err, &limit) && limit.Line == 0 {
		return &source.LimitError{Line: r.walker.rowCount + 1, Reason: limit.Reason}
	}
	return err
}

// PendingMerges implements [workbook.MergeReporter]. A range extends beyond its section if the
// page specifies such a row span.
func (r *rows) PendingMerges() []workbook.Range {
	ranges := r.merged
	r.merged = nil
	return ranges
}

// noTable returns the error for a page without tables.
func noTable(s *pageInfo) error {
	reason, advice := intray.NewMessage("html.no_table", nil), intray.Message{}
	if s.title != "" {
		reason = intray.NewMessage("html.no_table_titled", intray.Params{"title": s.title})
	}
	switch {
	case len(s.office.sheets) > 0 && s.office.sheets[0].href != "":
		advice = intray.NewMessage("html.sheets_in_other_files", intray.Params{"file": truncateLine(s.office.sheets[0].href)})
	case s.password:
		advice = intray.NewMessage("html.login_page", nil)
	case isErrorTitle(s.title):
		advice = intray.NewMessage("html.error_page", nil)
	}
	return &source.UnreadableError{Reason: intray.JoinMessages(reason, advice)}
}
