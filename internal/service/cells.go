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
		e := missing(intray.NewMessage("import.no_such_field", intray.Params{"key": clip(key)}))
		e.Fields = fieldMessage("field", intray.NewMessage("import.names_no_field", nil))
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
	why := intray.NewMessage("import.no_rows_yet", intray.Params{"status": string(imp.Status), "wanted": string(Successful)})
	switch imp.Status {
	case NeedsReview:
		why = intray.NewMessage("import.no_rows_until_answered", intray.Params{"status": string(imp.Status)})
	case Failed:
		why = intray.NewMessage("import.no_rows_kept", intray.Params{"status": string(imp.Status)})
	}
	return refuse(Conflict, "no_rows", why)
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
	return intray.TraceStep{Step: "output", Reasons: []intray.Message{intray.NewMessage("trace.no_result_yet", intray.Params{"status": string(imp.Status)})}}, nil
}

// stagedRow reads a row by itself.
func (s *Service) stagedRow(ctx context.Context, imp Import, row int64) (*intray.Batch, error) {
	b, rows, err := s.readRow(ctx, imp.Stage, row)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, missing(intray.NewMessage("import.rows_deleted", nil))
	}
	if err == nil && b.Rows() == 0 {
		e := missing(intray.NewMessage("import.no_such_row", intray.Params{"row": row, "n": rows}))
		e.Fields = fieldMessage("row", intray.NewMessage("import.row_beyond_last", nil))
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
