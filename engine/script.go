package engine

import (
	"context"
	"iter"

	"github.com/intraydata/intray"
)

// Script makes ready what runs the hooks of one import.
type Script func(ctx context.Context, hooks intray.Hooks, pins intray.Pins) (Hooks, error)

// Hooks are the hooks of one import. What a hook does wrong is an
// [intray.HookError]; every other error is a fault of the machinery. Rows may be
// called from several goroutines at once.
//
// The batches must not be changed, and are gone when the call returns.
type Hooks interface {
	// Step calls the hooks of a step.
	Step(ctx context.Context, call intray.StepCall) (intray.StepChanges, error)
	// Column calls a column hook, by its place, with all cells of its field.
	// Other fields may be empty.
	Column(ctx context.Context, hook int, rows intray.HookRows) ([]intray.Change, error)
	// Bulk calls a bulk hook, by its place, with all rows, or with those that a
	// person changed.
	Bulk(ctx context.Context, hook int, rows intray.HookRows) ([]intray.Change, error)
	// Rows calls a row hook, by its place, with each row.
	Rows(ctx context.Context, hook int, rows intray.HookRows) ([]intray.Change, error)
	// Deleted tells the hooks for it of rows that a person deletes.
	Deleted(ctx context.Context, rows intray.HookRows) error
	// Finish calls beforeFinishCallback with the rows of the result, which may be
	// gone through several times. A message that is not nil cancels the import.
	Finish(ctx context.Context, schema *intray.Schema, rows iter.Seq2[*intray.Batch, error], about intray.Finish) (cancel *string, err error)
	// Close lets go of all.
	Close() error
}
