package htmltable

import (
	"context"
	"errors"
	"io"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/grid"
)

// markupBytes is how much longer a tag may be than a cell.
const markupBytes = 1 << 20

// rows gives the rows of one table, in the order of a browser: those of the
// head, of the body, of the foot, wherever the page has them.
type rows struct {
	page   *page
	place  place
	limits source.Limits
	// stages are the places where reading goes on, next is the one to come.
	stages []stage
	next   int
	t      *tokens
	w      *walk
	cells  []grid.Cell
	// merged are the ranges that begin in the row handed on last.
	merged []grid.Range
	err    error
}

// stage is one pass through the table, or through one of its sections.
type stage struct {
	at   int64
	only bool
}

func openRows(ctx context.Context, p *page, at place, limits source.Limits) (*rows, error) {
	r := &rows{page: p, place: at, limits: limits}
	if at.head >= 0 {
		r.stages = append(r.stages, stage{at.head, true})
	}
	r.stages = append(r.stages, stage{at.at, false})
	if at.foot >= 0 {
		r.stages = append(r.stages, stage{at.foot, true})
	}
	return r, r.begin(ctx)
}

// begin opens the next stage.
func (r *rows) begin(ctx context.Context) error {
	s := r.stages[r.next]
	r.next++
	text, err := r.page.text(s.at)
	if err != nil {
		return err
	}
	r.t = newTokens(ctx, text, r.limits.CellBytes+markupBytes)
	r.t.end = s.at
	count := int64(0)
	if r.w != nil {
		count = r.w.rows
	}
	r.w = newWalk(r.limits)
	r.w.rows, r.w.only, r.w.formats, r.w.epoch1904 = count, s.only, r.page.formats, r.page.epoch1904
	if s.only {
		return nil
	}
	r.w.skip = [2]int64{r.place.head, r.place.foot}
	return r.t.next() // the tag that begins the table
}

func (r *rows) Close() error {
	r.err, r.t = errClosed, nil
	return nil
}

var errClosed = errors.New("read a closed table")

func (r *rows) Next(ctx context.Context) (grid.Row, error) {
	for r.err == nil {
		if err := ctx.Err(); err != nil {
			return grid.Row{}, err
		}
		r.t.ctx = ctx.Err
		if err := r.advance(ctx); err != nil {
			if ctx.Err() != nil {
				return grid.Row{}, err
			}
			r.err = r.onRow(err)
		}
		if r.w.ended && len(r.w.done.cells) > 0 {
			return r.row(r.w.done), nil
		}
	}
	return grid.Row{}, r.err
}

// advance reads on to the end of a row that holds something, or further.
func (r *rows) advance(ctx context.Context) error {
	if r.w.over {
		if r.next == len(r.stages) {
			r.w.ended = false
			return io.EOF
		}
		if err := r.begin(ctx); err != nil {
			return err
		}
	}
	for {
		err := r.t.next()
		if errors.Is(err, io.EOF) {
			return r.atEnd()
		}
		if err == nil {
			err = r.w.feed(r.t)
		}
		if err != nil || r.w.over || r.w.ended && len(r.w.done.cells) > 0 {
			r.w.ended = r.w.ended && err == nil
			return err
		}
	}
}

// atEnd takes the end of the page inside the table.
func (r *rows) atEnd() error {
	if r.w.finish(r.t) {
		return &source.UnreadableError{Line: r.w.rows + 1, Reason: intray.NewMessage("html.cut_in_row", nil)}
	}
	return nil
}

// onRow says in an error which row it is about.
func (r *rows) onRow(err error) error {
	var limit *source.LimitError
	if errors.As(err, &limit) && limit.Line == 0 {
		return &source.LimitError{Line: r.w.rows + 1, Reason: limit.Reason}
	}
	return err
}

func (r *rows) row(l *line) grid.Row {
	r.cells, r.merged = r.cells[:0], l.merged
	for _, c := range l.cells {
		out := grid.Cell{Column: c.column, Kind: c.kind, Value: l.arena[c.from:c.middle:c.middle]}
		if c.end > c.middle {
			out.Shown = l.arena[c.middle:c.end:c.end]
		}
		r.cells = append(r.cells, out)
	}
	return grid.Row{Number: l.number, Hidden: l.hidden, Cells: r.cells}
}

// Merged is described at [grid.Merged]. A range that is said to reach beyond its
// section is told as the page has it.
func (r *rows) Merged() []grid.Range {
	ranges := r.merged
	r.merged = nil
	return ranges
}

// noTable says what a page is that has no table.
func noTable(s *survey) error {
	reason, advice := intray.NewMessage("html.no_table", nil), intray.Message{}
	if s.title != "" {
		reason = intray.NewMessage("html.no_table_titled", intray.Params{"title": s.title})
	}
	switch {
	case len(s.office.sheets) > 0 && s.office.sheets[0].href != "":
		advice = intray.NewMessage("html.sheets_in_other_files", intray.Params{"file": clip(s.office.sheets[0].href)})
	case s.password:
		advice = intray.NewMessage("html.login_page", nil)
	case isErrorTitle(s.title):
		advice = intray.NewMessage("html.error_page", nil)
	}
	return &source.UnreadableError{Reason: intray.JoinMessages(reason, advice)}
}
