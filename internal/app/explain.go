package app

import (
	"context"
	"fmt"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/internal/stage"
	"github.com/intraydata/intray/output"
)

// explain fills the traces of the rows that are asked for.
func (r *RunReport) explain(ctx context.Context, cfg RunConfig, staged *stage.Stage) error {
	for _, row := range cfg.Explain {
		b, err := staged.Window(ctx, row, 1)
		if err != nil {
			return fmt.Errorf("explain row %d: %w", row, err)
		}
		traces, err := r.trace(cfg.Schema, b)
		if err != nil {
			return fmt.Errorf("explain row %d: %w", row, err)
		}
		r.Traces = append(r.Traces, traces)
	}
	return nil
}

// trace tells of each field of a batch of one row; of none where it has no row.
func (r *RunReport) trace(schema *intray.Schema, b *intray.Batch) ([]intray.Trace, error) {
	if b.Rows() == 0 {
		return nil, nil
	}
	traces := make([]intray.Trace, len(schema.Fields))
	for field := range traces {
		step, err := r.outputStep(schema, b, field)
		if err != nil {
			return nil, err
		}
		traces[field] = r.Outcome.Explain(schema, b, 0, field)
		traces[field].Steps = append(traces[field].Steps, step)
	}
	return traces, nil
}

// outputStep tells what the result holds; where there is none, it says so of
// every row alike.
func (r *RunReport) outputStep(schema *intray.Schema, b *intray.Batch, field int) (intray.TraceStep, error) {
	if r.Outcome.Verdict == engine.Done {
		return output.Explain(schema, b, 0, field)
	}
	return intray.TraceStep{Step: "output", Reasons: []intray.Message{
		intray.NewMessage("output.no_result", intray.Params{"behavior": schema.Settings.InvalidDataBehavior}),
	}}, nil
}
