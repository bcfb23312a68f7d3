package engine

import (
	"errors"
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/rowplan"
	"github.com/intraydata/intray/mapping"
)

// Bounds of what an outcome tells. Everything else is in the staged rows.
const (
	// MaxRowsWithError is the most row numbers that are listed.
	MaxRowsWithError = 10000
	// MaxNotices is the most notices; one of type Truncated may follow.
	MaxNotices = rowplan.MaxNotices
)

// Verdict says how a run ended.
type Verdict uint8

// The verdicts.
const (
	// Done: nothing is left to settle.
	Done Verdict = iota
	// Open: a person must settle something.
	Open
	// Broken: the file cannot become a result.
	Broken
)

// Outcome is what a run found.
type Outcome struct {
	Verdict Verdict
	// Headers are the file's headers as they stand there.
	Headers []string
	// Examples are a few cells of each column, shortened.
	Examples [][]string
	Mapping  intray.Mapping
	// Evidence lists the choices made about the file.
	Evidence []intray.Evidence
	// DataRows counts the data rows, after the limit of records.
	DataRows int64
	// ErrorRows counts those with a problem of level error.
	ErrorRows int64
	// RowsWithError are the first MaxRowsWithError of those.
	RowsWithError []int64
	// Notices tell what there is to tell about the import as a whole: the
	// first MaxNotices.
	Notices []intray.Notice
	// OmittedNotices counts the notices about the import that were left out.
	OmittedNotices int64 `json:"Untold"`
	// Problems counts all problems of cells and rows.
	Problems int64
	// Listed are the first MaxNotices of those, in the order of the rows.
	Listed []intray.Notice
	// Fields are those of the schema after hooks added or removed some; nil where
	// they did not.
	Fields []intray.Field
	// User and DevelopmentMode are what step hooks set; nil where they did not.
	User            []byte
	DevelopmentMode *bool
	// Hook is what a hook did wrong, where that broke the import.
	Hook *intray.HookError
	// Forms say how the cells of columns are read that can be read in several
	// ways, by the keys of their fields: what reads them again later.
	Forms map[string]string
	// Questions are what a person must answer before the run can go on.
	Questions []intray.Question
}

// AllNotices gives the notices about the import and then those about cells and rows:
// at most MaxNotices, and where there are more, one of type Truncated that says
// how many.
func (o *Outcome) AllNotices() []intray.Notice {
	all := append(slices.Clip(o.Notices), o.Listed...)
	total := int64(len(o.Notices)) + o.OmittedNotices + o.Problems
	if total <= MaxNotices {
		return all
	}
	all = all[:min(len(all), MaxNotices)]
	return append(all, intray.Notice{
		Type: intray.Truncated, Level: intray.LevelInfo, Total: total,
		Text: intray.NewMessage("import.notices_listed", intray.Params{"listed": len(all), "n": total}),
	})
}

func (o *Outcome) reject(kind intray.NoticeType, text intray.Message) *Outcome {
	o.Verdict = Broken
	o.addNotice(intray.Notice{Type: kind, Level: intray.LevelError, Text: text})
	return o
}

// failHook ends an import that a hook broke, and says whether the error is such
// a one.
func (o *Outcome) failHook(err error) bool {
	var failed *intray.HookError
	if !errors.As(err, &failed) {
		return false
	}
	o.Hook = failed
	o.Verdict = Broken
	text := intray.NewMessage("hook.nothing_imported", intray.Params{"failure": failed.Describe()})
	o.addNotice(intray.Notice{Type: intray.HookFailed, Level: intray.LevelError, Text: text, Row: failed.Row})
	return true
}

// stop leaves the file to a person, without a question that could be answered.
func (o *Outcome) stop(kind intray.NoticeType, text intray.Message) *Outcome {
	o.Verdict = Open
	o.addNotice(intray.Notice{Type: kind, Level: intray.LevelError, Text: text})
	return o
}

// addNotice adds a notice about the import as a whole, or counts it where there are
// many.
func (o *Outcome) addNotice(n intray.Notice) {
	if len(o.Notices) >= MaxNotices {
		o.OmittedNotices++
		return
	}
	o.Notices = append(o.Notices, n)
}

// decideVerdict gives the verdict of a run that read the file to its end, of which hooks removed
// so many rows.
func (o *Outcome) decideVerdict(s intray.Settings, removed int) *Outcome {
	switch {
	case o.DataRows == 0 && removed > 0:
		return o.stop(intray.NoRows, intray.NewMessage("hook.removed_all_rows", intray.Params{"step": intray.ReviewStep}))
	case o.DataRows == 0:
		return o.stop(intray.NoRows, intray.NewMessage("file.no_data_rows", nil))
	case o.ErrorRows == 0:
	case s.InvalidDataBehavior == intray.BlockSubmit:
		o.Verdict = Open
	case o.ErrorRows == o.DataRows && s.InvalidDataBehavior == intray.RemoveInvalidRows:
		o.addNotice(intray.Notice{
			Type: intray.AllRowsRemoved, Level: intray.LevelWarning,
			Text: intray.NewMessage("import.all_rows_invalid", intray.Params{"n": o.DataRows}),
		})
	}
	return o
}

// AddSummary adds the summary of the next batch, in the order of the rows.
func (o *Outcome) AddSummary(a rowplan.Summary) {
	o.DataRows += a.Rows
	o.ErrorRows += int64(len(a.ErrorRows))
	o.Problems += a.Problems
	o.RowsWithError = appendUpTo(o.RowsWithError, a.ErrorRows, MaxRowsWithError)
	o.Listed = appendUpTo(o.Listed, a.Notices, MaxNotices)
}

func appendUpTo[T any](list, more []T, limit int) []T {
	return append(list, more[:min(len(more), limit-len(list))]...)
}

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
	for _, column := range match.AllColumns() {
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
