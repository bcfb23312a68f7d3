package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
	"golang.org/x/sync/errgroup"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/check"
	"github.com/intraydata/intray/source"
)

// reserve is how many batches may be read or wait for their turn beside those
// that workers hold. It bounds the memory of a run, whatever the file's size.
const reserve = 2

// scratchBytes is how long a value may be without costing memory of its own.
const scratchBytes = 1024

// load is a batch of records under way, with its place in the order.
type load struct {
	seq  int
	recs *intray.Records
}

// parcel is a staged batch that waits for its turn to be committed.
type parcel struct {
	load
	commit  func() error
	account account
	// failed is what a hook did wrong in the batch; there is nothing to commit.
	failed error
}

// belt joins the reader, the workers and the committer of one run. Loads go
// round: from free to the reader, to the workers, to the committer, to free.
type belt struct {
	plan *plan
	sink Sink
	// cells and problems are the most that the run takes.
	cells, problems int64
	free            chan *intray.Records
	work            chan load
	done            chan parcel

	// trouble is what the reader said of the file. The rows before it go their
	// way first, so that the same file gives the same outcome.
	trouble error
	// uniques compares the values of all rows, where a rule asks for it; errorRows
	// are then the rows with an error so far.
	uniques   *check.Uniques
	errorRows *roaring.Bitmap
}

// convey moves all rows of the reader into the sink and fills out.
func (e *Engine) convey(ctx context.Context, reader source.Reader, p *plan, sink Sink, out *Outcome) (err error) {
	slots := e.cfg.Workers + reserve
	b := &belt{
		plan: p, sink: sink,
		cells: e.cfg.Options.Limits.WithDefaults().Cells, problems: e.cfg.Problems,
		uniques: p.rules.Uniques(e.cfg.Temp), errorRows: roaring.New(),
		free: make(chan *intray.Records, slots),
		work: make(chan load, slots),
		done: make(chan parcel, slots),
	}
	if b.uniques != nil {
		defer func() { err = errors.Join(err, b.uniques.Close()) }()
	}
	for range slots {
		b.free <- &intray.Records{Width: p.width()}
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(guarded(func() error { return b.pull(ctx, reader, out.tell) }))
	var workers sync.WaitGroup
	for range e.cfg.Workers {
		workers.Add(1)
		group.Go(guarded(func() error {
			defer workers.Done()
			return b.parse(ctx)
		}))
	}
	go func() {
		workers.Wait()
		close(b.done)
	}()
	group.Go(guarded(func() error { return b.commit(ctx, out, e.cfg.Progress) }))
	if err := group.Wait(); err != nil {
		return err
	}
	if b.trouble == nil {
		if err := b.late(out); err != nil {
			return err
		}
	}
	return b.trouble
}

// guarded turns a panic of one run into an error of that run, so that one
// stranger's file cannot stop everybody's imports.
func guarded(work func() error) func() error {
	return func() (err error) {
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("panic in the engine: %v\n%s", r, debug.Stack())
			}
		}()
		return work()
	}
}

// pull reads records until there are no more. What the source has to say of them is
// told.
func (b *belt) pull(ctx context.Context, reader source.Reader, tell func(intray.Notice)) error {
	defer close(b.work)
	for seq := 0; ; seq++ {
		var recs *intray.Records
		select {
		case recs = <-b.free:
		case <-ctx.Done():
			return ctx.Err()
		}
		err := reader.Next(ctx, recs)
		for _, n := range recs.Notices {
			tell(n)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = b.weigh(recs)
		}
		if err != nil && ofTheFile(err) {
			b.trouble = err
			return nil
		}
		if err != nil {
			return err
		}
		if recs.Len() > 0 {
			b.work <- load{seq, recs}
		}
	}
}

// ofTheFile says whether an error is the file's fault.
func ofTheFile(err error) bool {
	var broken *source.UnreadableError
	var limit *source.LimitError
	return errors.As(err, &broken) || errors.As(err, &limit)
}

// weigh refuses a file whose rows come to too many cells. A row costs a cell
// for each field and column, though the file may write down none of them.
func (b *belt) weigh(recs *intray.Records) error {
	each := int64(b.plan.cells())
	if (recs.First+int64(recs.Len()))*each <= b.cells {
		return nil
	}
	return &source.LimitError{Reason: intray.NewMessage("limit.cells_of_rows", intray.Params{"limit": b.cells, "cells": each})}
}

// judge refuses a file with too many problems.
func (b *belt) judge(out *Outcome, a account) error {
	if out.Problems+a.problems <= b.problems {
		return nil
	}
	return &source.LimitError{Reason: intray.NewMessage("limit.problems", intray.Params{"limit": b.problems})}
}

// parse turns records into staged batches until there are no more.
func (b *belt) parse(ctx context.Context) error {
	var batch intray.Batch
	scratch := make([]byte, 0, scratchBytes)
	for l := range b.work {
		if err := ctx.Err(); err != nil {
			return err
		}
		b.plan.parse(l.recs, &batch, scratch)
		if err := b.plan.fill(&batch, l.recs.Added, scratch); err != nil {
			return err
		}
		if err := b.plan.runHooks(ctx, &batch, scratch); isHookError(err) {
			b.done <- parcel{load: l, failed: err}
			continue
		} else if err != nil {
			return err
		}
		b.plan.rules.Apply(&batch)
		if b.uniques != nil {
			if err := b.uniques.Add(&batch); err != nil {
				return err
			}
		}
		b.plan.fold(&batch)
		commit, err := b.sink.Stage(&batch)
		if err != nil {
			return fmt.Errorf("stage rows from %d: %w", batch.First, err)
		}
		b.done <- parcel{load: l, commit: commit, account: b.plan.account(&batch)}
	}
	return nil
}

// commit brings the parcels back into order.
func (b *belt) commit(ctx context.Context, out *Outcome, progress func(int64)) error {
	waiting := map[int]parcel{}
	next := 0
	for p := range b.done {
		waiting[p.seq] = p
		for {
			p, ready := waiting[next]
			if !ready {
				break
			}
			delete(waiting, next)
			next++
			if p.failed != nil {
				return p.failed
			}
			if err := b.judge(out, p.account); err != nil {
				return err
			}
			if err := p.commit(); err != nil {
				return fmt.Errorf("commit rows from %d: %w", p.recs.First, err)
			}
			p.account.addTo(out)
			if b.uniques != nil {
				b.errorRows.AddMany(p.account.rowNumbers())
			}
			progress(out.DataRows)
			b.free <- p.recs
		}
	}
	return ctx.Err()
}

// late adds the problems that show only when all rows are known: values that
// several rows have.
func (b *belt) late(out *Outcome) error {
	if b.uniques == nil {
		return nil
	}
	found, err := b.uniques.Finish()
	if err != nil {
		return err
	}
	for i := range found {
		b.plan.foldProblem(&found[i].Problem)
		if err := b.addLate(out, found[i]); err != nil || b.trouble != nil {
			return err
		}
	}
	if len(found) > 0 {
		out.addLate(b.plan, found, b.errorRows)
	}
	return nil
}

// addLate adds a problem to rows that were committed.
func (b *belt) addLate(out *Outcome, d check.Duplicates) error {
	n := int64(d.Rows.GetCardinality())
	if b.over(out, n) {
		return nil
	}
	if sink, takes := b.sink.(LateSink); takes {
		if err := sink.Late(d.Problem, d.Rows); err != nil {
			return fmt.Errorf("stage late problems: %w", err)
		}
	}
	out.Problems += n
	if d.Problem.Level == intray.LevelError {
		b.errorRows.Or(d.Rows)
	}
	return nil
}

// over ends the run where so many more problems are too many.
func (b *belt) over(out *Outcome, more int64) bool {
	b.trouble = b.judge(out, account{problems: more})
	return b.trouble != nil
}

// addLate lists late problems among the others and counts the rows again.
func (o *Outcome) addLate(p *plan, found []check.Duplicates, errorRows *roaring.Bitmap) {
	for _, d := range found {
		rows := d.Rows.Iterator()
		for range min(d.Rows.GetCardinality(), MaxNotices) {
			row := int64(rows.Next())
			n := intray.Notice{Type: intray.Validation, Level: d.Problem.Level, Text: d.Problem.Text, Row: &row}
			p.place(&n, d.Problem.Field, d.Problem.Part)
			o.Listed = append(o.Listed, n)
		}
	}
	slices.SortStableFunc(o.Listed, func(a, b intray.Notice) int { return cmp.Compare(*a.Row, *b.Row) })
	o.Listed = o.Listed[:min(len(o.Listed), MaxNotices)]
	o.ErrorRows = int64(errorRows.GetCardinality())
	o.RowsWithError = o.RowsWithError[:0]
	rows := errorRows.Iterator()
	for range min(o.ErrorRows, MaxRowsWithError) {
		o.RowsWithError = append(o.RowsWithError, int64(rows.Next()))
	}
}

// LacksValues says whether a notice about a cell came without its raw text,
// because its row had gone already.
func (o *Outcome) LacksValues() bool {
	return slices.ContainsFunc(o.Listed, func(n intray.Notice) bool { return n.Field != "" && n.Value == nil })
}

// FillValues adds the raw text of cells to the notices that lack it. read gives the rows from first on, as a
// stage does.
func (o *Outcome) FillValues(ctx context.Context, fields []intray.Field, read func(ctx context.Context, first int64, n int) (*intray.Batch, error)) error {
	for i := range o.Listed {
		n := &o.Listed[i]
		field := slices.IndexFunc(fields, func(f intray.Field) bool { return f.Key == n.Field })
		if n.Value != nil || field < 0 {
			continue
		}
		b, err := read(ctx, *n.Row, 1)
		if err != nil {
			return fmt.Errorf("read a row again: %w", err)
		}
		n.Value = rawOf(b.Fields[field].Raw(0), n.Part)
	}
	return nil
}
