package output

import (
	"errors"
	"fmt"
	"sort"

	"github.com/intraydata/intray"
)

// Explain returns the output step of a trace: the content of a cell in the result, with the
// reasons. The cell is in row i of the batch. field is the index of its field in the schema.
//
// Text is the JSON that [Write] writes: strings are in quotes, numbers and lists are not. It
// is nil if the cell is null or the row is not in the result. The first reason states which of
// these applies. Explain returns the same errors as Write, except that a row that BLOCK_SUBMIT
// rejects is not an error.
func Explain(schema *intray.Schema, b *intray.Batch, i, field int) (intray.TraceStep, error) {
	step := intray.TraceStep{Step: "output"}
	r, f, err := rowAndField(schema, b, i, field)
	if err != nil {
		return step, fmt.Errorf("explain what is written: %w", err)
	}
	kept, err := r.advance(r.keep)
	behavior := schema.Settings.InvalidDataBehavior
	switch {
	case errors.Is(err, ErrInvalidRow):
		step.Reasons = []intray.Message{intray.NewMessage("output.nothing_written", intray.Params{"behavior": behavior})}
		return step, nil
	case err != nil:
		return step, fmt.Errorf("explain what is written: %w", err)
	case !kept:
		step.Reasons = []intray.Message{intray.NewMessage("output.row_dropped", intray.Params{"behavior": behavior})}
		return step, nil
	}
	v, kind, err := r.outputValue(field, f)
	if err != nil {
		return step, fmt.Errorf("explain what is written: %w", err)
	}
	text, err := f.appendJSON(nil, v, kind)
	if err != nil {
		return step, fmt.Errorf("explain what is written: %w", err)
	}
	if kind != null {
		written := string(text)
		step.Text = &written
	}
	step.Reasons = f.explainCell(r.cells[field].invalid, kind, r.keep, behavior)
	return step, nil
}

// rowAndField returns a cursor positioned before row i of a batch, and the given field.
func rowAndField(schema *intray.Schema, b *intray.Batch, i, at int) (*rowCursor, *field, error) {
	if len(b.Fields) != len(schema.Fields) {
		return nil, nil, fmt.Errorf("the batch has %d fields, and the schema %d", len(b.Fields), len(schema.Fields))
	}
	keep, err := policyFor(schema.Settings.InvalidDataBehavior)
	if err != nil {
		return nil, nil, err
	}
	fields, err := compileFields(&intray.Schema{Fields: schema.Fields[at : at+1], Settings: schema.Settings})
	if err != nil {
		return nil, nil, err
	}
	r := newRowCursor(b, len(schema.Fields), nil)
	r.index, r.keep = i, keep
	r.problem = sort.Search(len(b.Problems), func(p int) bool { return b.Problems[p].Row >= i })
	return r, &fields[0], nil
}

// explainCell returns the reasons for the output of a cell in a row that is written. A
// valid value needs no reason.
func (f *field) explainCell(invalid bool, kind content, keep policy, behavior intray.InvalidDataBehavior) []intray.Message {
	params := intray.Params{"behavior": behavior}
	var reasons []intray.Message
	switch {
	case kind == null && (!invalid || f.manyColumns):
		reasons = []intray.Message{intray.NewMessage("output.null_without_value", nil)}
	case kind == null && keep == keepReceived:
		reasons = []intray.Message{intray.NewMessage("output.null_without_text", nil), intray.NewMessage("output.cell_invalid", params)}
	case kind == null:
		reasons = []intray.Message{intray.NewMessage("output.null_as_invalid", params)}
	case kind == received:
		reasons = []intray.Message{intray.NewMessage("output.raw_text_as_invalid", params)}
	case invalid && f.manyColumns && keep == keepReceived:
		reasons = []intray.Message{intray.NewMessage("output.raw_text_for_columns", params)}
	case invalid && f.manyColumns:
		reasons = []intray.Message{intray.NewMessage("output.null_for_columns", params)}
	case invalid:
		reasons = []intray.Message{intray.NewMessage("output.value_kept", params)}
	}
	if kind == canonical && f.write != nil {
		reasons = append(reasons, intray.NewMessage("output.field_format", nil))
	}
	return reasons
}
