package engine

import (
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/mapping"
)

// formatOf begins the choice of the evidence about how a field's cells are read.
const formatOf = "format of "

// Explain tells of a cell where it came from and what the run made of it. b
// holds the row, at place i, as the run staged it; field is the place of a field
// in the schema of the run.
//
// The steps read, map, parse and check are told; a text of [intray.Problem] for
// each thing that is wrong. What becomes of the cell in a result is not the
// engine's business.
func (o *Outcome) Explain(schema *intray.Schema, b *intray.Batch, i, field int) intray.Trace {
	key, cells := schema.Fields[field].Key, &b.Fields[field]
	t := intray.Trace{Row: b.First + int64(i), Line: b.Lines[i], Field: key, Raw: string(cells.Raw(i))}
	if value, there := cells.Value(i); there {
		text := string(value)
		t.Value = &text
	}
	match := o.Mapping.Fields[field]
	for _, column := range match.All() {
		t.Columns = append(t.Columns, intray.TracedColumn{Index: column, Header: o.Headers[column]})
	}
	own, row := problemsAt(b, i, field)
	t.Problems = slices.Concat(own, row)
	if len(t.Columns) > 0 {
		t.Steps = append(t.Steps, o.readStep(t), intray.TraceStep{Step: "map", Text: &t.Raw, Reasons: match.Reasons})
		t.Steps = append(t.Steps, o.parseStep(t, schema.Fields[field]))
	} else {
		t.Steps = append(t.Steps, intray.TraceStep{Step: "map", Reasons: append([]intray.Message{intray.NewMessage("trace.no_column", nil)}, match.Reasons...)})
	}
	t.Steps = append(t.Steps, intray.TraceStep{Step: "check", Text: t.Value, Reasons: checkReasons(own, row)})
	return t
}

// problemsAt are the problems of a cell, and those of its row as a whole.
func problemsAt(b *intray.Batch, i, field int) (own, row []intray.Problem) {
	for _, p := range b.Problems {
		switch {
		case p.Row != i:
		case p.Field == field:
			own = append(own, p)
		case p.Field == intray.NoField:
			row = append(row, p)
		}
	}
	return own, row
}

// readStep tells how the file was read, and what was repaired in the row.
func (o *Outcome) readStep(t intray.Trace) intray.TraceStep {
	step := intray.TraceStep{Step: "read", Text: &t.Raw}
	for _, e := range o.Evidence {
		if !strings.HasPrefix(e.Choice, formatOf) {
			step.Reasons = append(step.Reasons, intray.NewMessage("trace.choice", intray.Params{"choice": e.Choice, "value": e.Value, "reason": e.Reason}))
		}
	}
	for _, n := range o.Notices {
		if n.Row != nil && *n.Row == t.Row {
			step.Reasons = append(step.Reasons, n.Text)
		}
	}
	return step
}

// parseStep tells what the text was read as.
func (o *Outcome) parseStep(t intray.Trace, f intray.Field) intray.TraceStep {
	step := intray.TraceStep{Step: "parse", Text: t.Value}
	params := intray.Params{"type": f.Type.Name}
	switch {
	case t.Value != nil && *t.Value == t.Raw:
		step.Reasons = []intray.Message{intray.NewMessage("trace.text_is_value", params)}
	case t.Value != nil:
		step.Reasons = []intray.Message{intray.NewMessage("trace.read_as_type", params)}
	case strings.TrimSpace(t.Raw) == "":
		step.Reasons = []intray.Message{intray.NewMessage("trace.cell_empty", nil)}
	default:
		step.Reasons = []intray.Message{intray.NewMessage("trace.no_value_of_type", params)}
	}
	for _, e := range o.Evidence {
		if e.Choice == formatOf+mapping.Shorten(f.Key) {
			step.Reasons = append(step.Reasons, intray.NewMessage("trace.column_read_as", intray.Params{"value": e.Value, "reason": e.Reason}))
		}
	}
	return step
}

func checkReasons(own, row []intray.Problem) (reasons []intray.Message) {
	for _, p := range own {
		reasons = append(reasons, intray.NewMessage("trace.problem", intray.Params{"level": levelMessage(p.Level), "code": p.Code, "problem": p.Text}))
	}
	for _, p := range row {
		reasons = append(reasons, intray.NewMessage("trace.row_problem", intray.Params{"level": levelMessage(p.Level), "code": p.Code, "problem": p.Text}))
	}
	if len(reasons) == 0 {
		reasons = []intray.Message{intray.NewMessage("trace.no_problem", nil)}
	}
	return reasons
}

func levelMessage(l intray.Level) intray.Message {
	switch l {
	case intray.LevelError:
		return intray.NewMessage("level.error", nil)
	case intray.LevelWarning:
		return intray.NewMessage("level.warning", nil)
	}
	return intray.NewMessage("level.info", nil)
}
