package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/ordered"
	"github.com/intraydata/intray/internal/rowplan"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/validate"
)

// extraSlots is the number of batches in use in addition to those of the workers: one is being
// read while another is being committed. It bounds the memory of a run, regardless of the size
// of the file.
const extraSlots = 2

// manyRows is the number of rows from which the time of a garbage collection is negligible.
const manyRows = 1_000_000

// stagedBatch is a staged batch that is waiting to be committed.
type stagedBatch struct {
	recs    *intray.Records
	commit  func() error
	summary rowplan.Summary
}

// pipeline connects the reader, the workers and the committer of one run.
type pipeline struct {
	plan *rowplan.Plan
	sink Sink
	// budget limits the work of the rules.
	budget *validate.Budget
	// maxCells and maxProblems are the limits of the run.
	maxCells, maxProblems int64
	maxRowProblems        int
	// free holds the records that are not in use: not being read, processed or committed.
	free chan *intray.Records

	times stageTimes
	// reading is the time of all calls of the reader. Only the goroutine that reads uses it.
	reading time.Duration

	// fileErr is the error that ended the file. The rows before it are committed
	// first, so that the same file always yields the same outcome.
	fileErr error
	// uniques runs the cross-row validators. It is nil if the schema has none. If uniques is not nil,
	// errorRows holds the rows in which an error was found so far.
	uniques   *validate.UniqueChecker
	errorRows *roaring.Bitmap
}

// runPipeline reads all rows, processes them, writes them to the sink and updates out.
// It calls progress after each batch.
func (e *Engine) runPipeline(ctx context.Context, reader source.Reader, p *rowplan.Plan, sink Sink, out *Outcome, progress func(rows int64)) (err error) {
	slots, budget := e.cfg.Workers+extraSlots, validate.NewRunBudget(e.cfg.RuleSteps, e.cfg.RowProblems)
	b := &pipeline{
		plan: p, sink: sink, budget: budget,
		maxCells: e.cfg.Options.Limits.WithDefaults().Cells, maxProblems: e.cfg.Problems, maxRowProblems: e.cfg.RowProblems,
		uniques: p.Rules.UniqueChecker(e.cfg.Temp, budget), errorRows: roaring.New(),
		free: make(chan *intray.Records, slots),
	}
	if b.uniques != nil {
		defer func() { err = errors.Join(err, b.uniques.Close()) }()
	}
	stop := context.AfterFunc(ctx, budget.Stop)
	defer stop()
	defer func() { out.Timings = b.times.timings(reader, b.reading) }()
	for range slots {
		b.free <- &intray.Records{Width: p.RowWeight()}
	}
	if err := b.run(ctx, e.cfg.Workers, reader, out, progress); err != nil {
		return err
	}
	if b.fileErr == nil {
		if err := b.addCrossRowProblems(ctx, out); err != nil {
			return err
		}
	}
	return b.fileErr
}

// run reads and processes batches on several goroutines and commits them in order.
func (b *pipeline) run(ctx context.Context, workers int, reader source.Reader, out *Outcome, progress func(int64)) error {
	// While one batch is being committed, all other batches can be in progress.
	batches := ordered.Start(ctx, workers, cap(b.free)-1, func(ctx context.Context) (*intray.Records, error) {
		return b.readRecords(ctx, reader, out.addNotice)
	}, b.newWorker)
	defer batches.Close()
	for {
		staged, err := batches.Next(ctx)
		if errors.Is(err, io.EOF) {
			return ctx.Err()
		}
		if err != nil {
			return err
		}
		if err := b.checkProblemLimit(out, staged.summary.Problems); err != nil {
			return err
		}
		start := time.Now()
		if err := staged.commit(); err != nil {
			return fmt.Errorf("commit rows from %d: %w", staged.recs.First, err)
		}
		b.times.add(StageCommit, start)
		out.AddSummary(staged.summary)
		if b.uniques != nil {
			b.errorRows.AddMany(staged.summary.ErrorRowNumbers())
		}
		progress(out.DataRows)
		b.free <- staged.recs
	}
}

// recoverPanic turns a panic into an error of the run, so that one hostile file
// cannot stop all imports.
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

// readRecords reads the next records and reports the notices of the source. It returns io.EOF at
// the end of the file and after an error in the file. It stores such an error in fileErr.
func (b *pipeline) readRecords(ctx context.Context, reader source.Reader, report func(intray.Notice)) (*intray.Records, error) {
	recs := <-b.free
	for {
		start := time.Now()
		err := reader.Next(ctx, recs)
		b.reading += time.Since(start)
		for _, n := range recs.Notices {
			report(n)
		}
		if err == nil {
			err = b.checkCellLimit(recs)
		}
		if err != nil && isFileError(err) {
			b.fileErr = err
			err = io.EOF
		}
		if err != nil || recs.Len() > 0 {
			return recs, err
		}
	}
}

// isFileError reports whether an error concerns the file.
func isFileError(err error) bool {
	var broken *source.UnreadableError
	var limit *source.LimitError
	return errors.As(err, &broken) || errors.As(err, &limit)
}

// checkCellLimit returns an error if the rows so far exceed the cell limit. Every row
// counts as [rowplan.Plan.CellsPerRow] cells, because a file need not store empty cells.
func (b *pipeline) checkCellLimit(recs *intray.Records) error {
	each := int64(b.plan.CellsPerRow())
	if (recs.First+int64(recs.Len()))*each <= b.maxCells {
		return nil
	}
	return &source.LimitError{Reason: intray.NewMessage("limit.cells_of_rows", intray.Params{"limit": b.maxCells, "cells": each})}
}

// checkProblemLimit returns an error if the given number of additional problems would exceed the
// limit.
func (b *pipeline) checkProblemLimit(out *Outcome, more int64) error {
	if out.Problems+more <= b.maxProblems {
		return nil
	}
	return &source.LimitError{Reason: intray.NewMessage("limit.problems", intray.Params{"limit": b.maxProblems})}
}

// newWorker returns a function that parses and stages records. Only one goroutine may call the
// returned function.
func (b *pipeline) newWorker() func(context.Context, *intray.Records) (stagedBatch, error) {
	var batch intray.Batch
	scratch := make([]byte, 0, rowplan.ScratchBytes)
	return func(ctx context.Context, recs *intray.Records) (stagedBatch, error) {
		start := time.Now()
		b.plan.Parse(recs, &batch, scratch)
		if err := b.plan.FillAdded(&batch, recs.Added, scratch); err != nil {
			return stagedBatch{}, err
		}
		start = b.times.add(StageParse, start)
		if err := b.plan.RunHooks(ctx, &batch, scratch); err != nil {
			return stagedBatch{}, err
		}
		if b.plan.RowHooks > 0 {
			start = b.times.add(StageHooks, start)
		}
		if err := b.checkRules(ctx, &batch); err != nil {
			return stagedBatch{}, err
		}
		start = b.times.add(StageCheck, start)
		b.plan.FoldColumns(&batch)
		commit, err := b.sink.StageBatch(&batch)
		if err != nil {
			return stagedBatch{}, fmt.Errorf("stage rows from %d: %w", batch.First, err)
		}
		b.times.add(StageEncode, start)
		return stagedBatch{recs: recs, commit: commit, summary: b.plan.Summarize(&batch)}, nil
	}
}

// checkRules applies the rules to a batch.
func (b *pipeline) checkRules(ctx context.Context, batch *intray.Batch) error {
	err := ctx.Err() // the cells of a canceled run are incomplete
	if err == nil {
		err = b.plan.Rules.Apply(batch, b.budget)
	}
	if err == nil && b.uniques != nil {
		err = b.uniques.AddBatch(batch)
	}
	if errors.Is(err, validate.ErrTooManyProblems) {
		return &source.LimitError{Reason: intray.NewMessage("limit.row_problems", intray.Params{"limit": b.maxRowProblems})}
	}
	return limitOfRules(ctx, err)
}

// limitOfRules returns the error for a file whose rules took too much work. If the run was
// canceled, which exhausts the budget, it returns the error of ctx.
func limitOfRules(ctx context.Context, err error) error {
	if !errors.Is(err, validate.ErrTooMuchWork) {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return &source.LimitError{Reason: intray.NewMessage("limit.rules", nil)}
}

// addCrossRowProblems adds the problems of cross-row validators after the last row.
func (b *pipeline) addCrossRowProblems(ctx context.Context, out *Outcome) error {
	if b.uniques == nil {
		return nil
	}
	start := time.Now()
	defer func() { b.times.add(StageCompare, start) }()
	b.free = nil
	if out.DataRows >= manyRows {
		// The memory of the workers is garbage now. Until it is collected, the heap would grow by as much as the
		// comparison needs.
		runtime.GC()
	}
	found, err := b.uniques.Finish()
	if err != nil {
		return limitOfRules(ctx, err)
	}
	for i := range found {
		if err := ctx.Err(); err != nil {
			return err
		}
		b.plan.FoldProblem(&found[i].Problem)
		if err := b.addDuplicates(out, found[i]); err != nil || b.fileErr != nil {
			return err
		}
	}
	if len(found) > 0 {
		out.listDuplicates(b.plan, found, b.errorRows)
	}
	return nil
}

// addDuplicates adds a problem to committed rows. If there are too many problems, it
// sets fileErr instead.
func (b *pipeline) addDuplicates(out *Outcome, d validate.Duplicates) error {
	n := int64(d.Rows.GetCardinality())
	if b.fileErr = b.checkProblemLimit(out, n); b.fileErr != nil {
		return nil //nolint:nilerr // the caller returns fileErr
	}
	if sink, takes := b.sink.(CrossRowSink); takes {
		if err := sink.AddProblem(d.Problem, d.Rows); err != nil {
			return fmt.Errorf("stage cross-row problems: %w", err)
		}
	}
	out.Problems += n
	if d.Problem.Level == intray.LevelError {
		b.errorRows.Or(d.Rows)
	}
	return nil
}

// listDuplicates merges cross-row problems into the listed problems and recounts the rows
// with an error.
func (o *Outcome) listDuplicates(p *rowplan.Plan, found []validate.Duplicates, errorRows *roaring.Bitmap) {
	for _, d := range found {
		listed, rows := len(o.Listed), d.Rows.Iterator()
		for range min(d.Rows.GetCardinality(), MaxNotices) {
			row := int64(rows.Next())
			if listed == MaxNotices && row >= *o.Listed[listed-1].Row {
				break
			}
			n := intray.Notice{Type: intray.Validation, Level: d.Problem.Level, Text: d.Problem.Text, Row: &row}
			p.SetLocation(&n, d.Problem.Field, d.Problem.Part)
			o.Listed = append(o.Listed, n)
		}
		// Truncate the list after each problem, because a thousand fields can have one in each row.
		slices.SortStableFunc(o.Listed, func(a, b intray.Notice) int { return cmp.Compare(*a.Row, *b.Row) })
		clear(o.Listed[min(len(o.Listed), MaxNotices):])
		o.Listed = o.Listed[:min(len(o.Listed), MaxNotices)]
	}
	o.ErrorRows = int64(errorRows.GetCardinality())
	o.RowsWithError = o.RowsWithError[:0]
	rows := errorRows.Iterator()
	for range min(o.ErrorRows, MaxRowsWithError) {
		o.RowsWithError = append(o.RowsWithError, int64(rows.Next()))
	}
}

// LacksValues reports whether any notice about a cell lacks the raw text. Such a notice comes
// from a cross-row validator, which added it after the row was staged.
func (o *Outcome) LacksValues() bool {
	return slices.ContainsFunc(o.Listed, func(n intray.Notice) bool { return n.Field != "" && n.Value == nil })
}

// FillValues adds the raw text of cells to the notices that lack it. read must return up to
// n staged rows, starting at row first.
func (o *Outcome) FillValues(ctx context.Context, fields []intray.Field, read func(ctx context.Context, first int64, n int) (*intray.Batch, error)) error {
	var b *intray.Batch
	var excerpts rowplan.Excerpts
	row := int64(-1)
	for i := range o.Listed {
		n := &o.Listed[i]
		field := slices.IndexFunc(fields, func(f intray.Field) bool { return f.Key == n.Field })
		if n.Value != nil || field < 0 {
			continue
		}
		if *n.Row != row { // the notices are in row order
			var err error
			if b, err = read(ctx, *n.Row, 1); err != nil {
				return fmt.Errorf("read a row again: %w", err)
			}
			row = *n.Row
		}
		n.Value = excerpts.Raw(b.Fields[field].Raw(0), n.Part)
	}
	return nil
}
