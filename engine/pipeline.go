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
	"github.com/intraydata/intray/internal/rowplan"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/validate"
)

// extraSlots is how many batches may be read or wait for their turn beside those
// that workers hold. It bounds the memory of a run, whatever the file's size.
const extraSlots = 2

// workItem is a batch of records under way, with its place in the order.
type workItem struct {
	seq  int
	recs *intray.Records
}

// stagedBatch is a staged batch that waits for its turn to be committed.
type stagedBatch struct {
	workItem
	commit  func() error
	summary rowplan.Summary
	// failed is what a hook did wrong in the batch; there is nothing to commit.
	failed error
}

// pipeline joins the reader, the workers and the committer of one run. Loads go
// round: from free to the reader, to the workers, to the committer, to free.
type pipeline struct {
	plan *rowplan.Plan
	sink Sink
	// maxCells and problems are the most that the run takes.
	maxCells, maxProblems int64
	free                  chan *intray.Records
	work                  chan workItem
	done                  chan stagedBatch

	// fileErr is what the reader said of the file. The rows before it go their
	// way first, so that the same file gives the same outcome.
	fileErr error
	// uniques compares the values of all rows, where a rule asks for it; errorRows
	// are then the rows with an error so far.
	uniques   *validate.UniqueChecker
	errorRows *roaring.Bitmap
}

// runPipeline moves all rows of the reader into the sink and fills out.
func (e *Engine) runPipeline(ctx context.Context, reader source.Reader, p *rowplan.Plan, sink Sink, out *Outcome) (err error) {
	slots := e.cfg.Workers + extraSlots
	b := &pipeline{
		plan: p, sink: sink,
		maxCells: e.cfg.Options.Limits.WithDefaults().Cells, maxProblems: e.cfg.Problems,
		uniques: p.Rules.UniqueChecker(e.cfg.Temp), errorRows: roaring.New(),
		free: make(chan *intray.Records, slots),
		work: make(chan workItem, slots),
		done: make(chan stagedBatch, slots),
	}
	if b.uniques != nil {
		defer func() { err = errors.Join(err, b.uniques.Close()) }()
	}
	for range slots {
		b.free <- &intray.Records{Width: p.RowWeight()}
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(recoverPanic(func() error { return b.readRecords(ctx, reader, out.addNotice) }))
	var workers sync.WaitGroup
	for range e.cfg.Workers {
		workers.Add(1)
		group.Go(recoverPanic(func() error {
			defer workers.Done()
			return b.processRecords(ctx)
		}))
	}
	go func() {
		workers.Wait()
		close(b.done)
	}()
	group.Go(recoverPanic(func() error { return b.commitInOrder(ctx, out, e.cfg.Progress) }))
	if err := group.Wait(); err != nil {
		return err
	}
	if b.fileErr == nil {
		if err := b.addCrossRowProblems(out); err != nil {
			return err
		}
	}
	return b.fileErr
}

// recoverPanic turns a panic of one run into an error of that run, so that one
// stranger's file cannot stop everybody's imports.
func recoverPanic(work func() error) func() error {
	return func() (err error) {
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("panic in the engine: %v\n%s", r, debug.Stack())
			}
		}()
		return work()
	}
}

// readRecords reads records until there are no more. What the source has to say of them is
// told.
func (b *pipeline) readRecords(ctx context.Context, reader source.Reader, report func(intray.Notice)) error {
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
			report(n)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = b.checkCellLimit(recs)
		}
		if err != nil && isFileError(err) {
			b.fileErr = err
			return nil
		}
		if err != nil {
			return err
		}
		if recs.Len() > 0 {
			b.work <- workItem{seq, recs}
		}
	}
}

// isFileError says whether an error is the file's fault.
func isFileError(err error) bool {
	var broken *source.UnreadableError
	var limit *source.LimitError
	return errors.As(err, &broken) || errors.As(err, &limit)
}

// checkCellLimit refuses a file whose rows come to too many cells. A row costs a cell
// for each field and column, though the file may write down none of them.
func (b *pipeline) checkCellLimit(recs *intray.Records) error {
	each := int64(b.plan.CellsPerRow())
	if (recs.First+int64(recs.Len()))*each <= b.maxCells {
		return nil
	}
	return &source.LimitError{Reason: intray.NewMessage("limit.cells_of_rows", intray.Params{"limit": b.maxCells, "cells": each})}
}

// checkProblemLimit refuses a file with too many problems.
func (b *pipeline) checkProblemLimit(out *Outcome, a rowplan.Summary) error {
	if out.Problems+a.Problems <= b.maxProblems {
		return nil
	}
	return &source.LimitError{Reason: intray.NewMessage("limit.problems", intray.Params{"limit": b.maxProblems})}
}

// processRecords turns records into staged batches until there are no more.
func (b *pipeline) processRecords(ctx context.Context) error {
	var batch intray.Batch
	scratch := make([]byte, 0, rowplan.ScratchBytes)
	for l := range b.work {
		if err := ctx.Err(); err != nil {
			return err
		}
		b.plan.Parse(l.recs, &batch, scratch)
		if err := b.plan.FillAdded(&batch, l.recs.Added, scratch); err != nil {
			return err
		}
		if err := b.plan.RunHooks(ctx, &batch, scratch); rowplan.IsHookError(err) {
			b.done <- stagedBatch{workItem: l, failed: err}
			continue
		} else if err != nil {
			return err
		}
		b.plan.Rules.Apply(&batch)
		if b.uniques != nil {
			if err := b.uniques.AddBatch(&batch); err != nil {
				return err
			}
		}
		b.plan.FoldColumns(&batch)
		commit, err := b.sink.StageBatch(&batch)
		if err != nil {
			return fmt.Errorf("stage rows from %d: %w", batch.First, err)
		}
		b.done <- stagedBatch{workItem: l, commit: commit, summary: b.plan.Summarize(&batch)}
	}
	return nil
}

// commitInOrder brings the parcels back into order.
func (b *pipeline) commitInOrder(ctx context.Context, out *Outcome, progress func(int64)) error {
	waiting := map[int]stagedBatch{}
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
			if err := b.checkProblemLimit(out, p.summary); err != nil {
				return err
			}
			if err := p.commit(); err != nil {
				return fmt.Errorf("commit rows from %d: %w", p.recs.First, err)
			}
			out.AddSummary(p.summary)
			if b.uniques != nil {
				b.errorRows.AddMany(p.summary.ErrorRowNumbers())
			}
			progress(out.DataRows)
			b.free <- p.recs
		}
	}
	return ctx.Err()
}

// addCrossRowProblems adds the problems that show only when all rows are known: values that
// several rows have.
func (b *pipeline) addCrossRowProblems(out *Outcome) error {
	if b.uniques == nil {
		return nil
	}
	found, err := b.uniques.Finish()
	if err != nil {
		return err
	}
	for i := range found {
		b.plan.FoldProblem(&found[i].Problem)
		if err := b.addDuplicates(out, found[i]); err != nil || b.fileErr != nil {
			return err
		}
	}
	if len(found) > 0 {
		out.addDuplicates(b.plan, found, b.errorRows)
	}
	return nil
}

// addDuplicates adds a problem to rows that were committed.
func (b *pipeline) addDuplicates(out *Outcome, d validate.Duplicates) error {
	n := int64(d.Rows.GetCardinality())
	if b.exceedsProblems(out, n) {
		return nil
	}
	if sink, takes := b.sink.(CrossRowSink); takes {
		if err := sink.AddProblem(d.Problem, d.Rows); err != nil {
			return fmt.Errorf("stage late problems: %w", err)
		}
	}
	out.Problems += n
	if d.Problem.Level == intray.LevelError {
		b.errorRows.Or(d.Rows)
	}
	return nil
}

// exceedsProblems ends the run where so many more problems are too many.
func (b *pipeline) exceedsProblems(out *Outcome, more int64) bool {
	b.fileErr = b.checkProblemLimit(out, rowplan.Summary{Problems: more})
	return b.fileErr != nil
}

// addDuplicates lists late problems among the others and counts the rows again.
func (o *Outcome) addDuplicates(p *rowplan.Plan, found []validate.Duplicates, errorRows *roaring.Bitmap) {
	for _, d := range found {
		rows := d.Rows.Iterator()
		for range min(d.Rows.GetCardinality(), MaxNotices) {
			row := int64(rows.Next())
			n := intray.Notice{Type: intray.Validation, Level: d.Problem.Level, Text: d.Problem.Text, Row: &row}
			p.SetLocation(&n, d.Problem.Field, d.Problem.Part)
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
		n.Value = rowplan.RawExcerpt(b.Fields[field].Raw(0), n.Part)
	}
	return nil
}
