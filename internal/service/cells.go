package service

import (
	"context"
	"errors"
	"fmt"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/blob"
	"github.com/intraydata/intray/internal/stage"
	"github.com/intraydata/intray/output"
)

// Trace tells of the cells of a data row, counted from 0, where they came from,
// what each step made of them, and why: of all fields in the order of the schema,
// or of the one with the key, where it is not "". Each cell is gone when use has
// returned. An import without staged rows is a Conflict.
func (s *Service) Trace(ctx context.Context, imp Import, row int64, key string, use func(f intray.Field, cell intray.Trace) error) error {
	if imp.Stage == "" || imp.Outcome == nil {
		return imp.noRows()
	}
	schema, err := s.FrozenSchema(imp)
	if err != nil {
		return err
	}
	only := schema.FieldIndex(key)
	if key != "" && only < 0 {
		e := refuse(NotFound, "not_found", "The schema of this import has no field with the key %q.", clip(key))
		e.Fields = map[string][]string{"field": {"names no field of the schema"}}
		return e
	}
	b, err := s.stagedRow(ctx, imp, row)
	if err != nil {
		return err
	}
	for field, f := range schema.Fields {
		if key != "" && field != only {
			continue
		}
		cell, err := imp.trace(schema, b, field)
		if err != nil {
			return err
		}
		if err := use(f, cell); err != nil {
			return err
		}
	}
	return nil
}

// noRows says why there are no rows to look at.
func (imp Import) noRows() error {
	why := "there are rows to look at once it is SUCCESSFUL"
	switch imp.Status {
	case NeedsReview:
		why = "and its rows are read once its questions are answered"
	case Failed:
		why = "and none of its rows was kept"
	}
	return refuse(Conflict, "no_rows", "The import is %s, %s.", imp.Status, why)
}

// trace tells of one cell of the only row of a batch.
func (imp Import) trace(schema *intray.Schema, b *intray.Batch, field int) (intray.Trace, error) {
	cell := imp.Outcome.Explain(schema, b, 0, field)
	written, err := imp.written(schema, b, field)
	if err != nil {
		return cell, fmt.Errorf("tell of a cell: %w", err)
	}
	cell.Steps = append(cell.Steps, written)
	return cell, nil
}

// written tells what the result holds of a cell; where there is no result, it
// says so of every row alike.
func (imp Import) written(schema *intray.Schema, b *intray.Batch, field int) (intray.TraceStep, error) {
	if imp.Status == Successful {
		return output.Explain(schema, b, 0, field)
	}
	return intray.TraceStep{Step: "output", Reasons: []intray.Message{intray.Literal(fmt.Sprintf("there is no result yet: the import is %s", imp.Status))}}, nil
}

// stagedRow reads a row by itself.
func (s *Service) stagedRow(ctx context.Context, imp Import, row int64) (*intray.Batch, error) {
	b, rows, err := s.readRow(ctx, imp.Stage, row)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, refuse(NotFound, "not_found", "The rows of this import were deleted with its upload.")
	}
	if err == nil && b.Rows() == 0 {
		e := refuse(NotFound, "not_found", "There is no data row %d: the import has %d, and they count from 0.", row, rows)
		e.Fields = map[string][]string{"row": {"is beyond the last data row"}}
		return nil, e
	}
	return b, err
}

func (s *Service) readRow(ctx context.Context, prefix string, row int64) (b *intray.Batch, rows int64, err error) {
	staged, err := stage.Open(ctx, s.cfg.Blobs, prefix)
	if err != nil {
		return nil, 0, fmt.Errorf("open the staged rows: %w", err)
	}
	defer func() { _ = staged.Close() }()
	b, err = staged.Window(ctx, row, 1)
	return b, staged.Manifest().Rows, err
}
