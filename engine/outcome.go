package engine

import (
	"errors"
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/rowplan"
	"github.com/intraydata/intray/mapping"
)

// These are the limits of an outcome. Row indexes, problems and notices beyond these limits
// are not listed, but the staged rows contain all problems.
const (
	// MaxRowsWithError is the maximum length of [Outcome.RowsWithError].
	MaxRowsWithError = 10000
	// MaxNotices is the maximum length of [Outcome.Notices] and [Outcome.Listed].
	MaxNotices = rowplan.MaxNotices
)

// Verdict is the result of a run.
type Verdict uint8

const (
	// Done means that all rows were staged.
	Done Verdict = iota
	// Open means that a person must decide something.
	Open
	// Broken means that the file cannot be imported.
	Broken
)

// Outcome describes how a run ended and what it found.
type Outcome struct {
	Verdict Verdict
	// Headers are the headers as they appear in the file.
	Headers []string
	// Examples are a few cells of each column, truncated if they are long.
	Examples [][]string
	Mapping  intray.Mapping
	// Derived is the number of columns at the end of Headers that a person added.
	Derived int `json:",omitempty"`
	// Evidence lists the choices made about the file.
	Evidence []intray.Evidence
	// DataRows is the number of data rows, up to Settings.MaxRecords.
	DataRows int64
	// ErrorRows is the number of rows with a problem of level error.
	ErrorRows int64
	// RowsWithError are the indexes of the first MaxRowsWithError rows with a problem of
	// level error.
	RowsWithError []int64
	// Notices are the first MaxNotices notices about the import as a whole.
	Notices []intray.Notice
	// OmittedNotices is the number of notices beyond MaxNotices.
	OmittedNotices int64 `json:"Untold"`
	// Problems is the number of problems in cells and rows. Unmatched is the number of cells whose text matches
	// no option of their field.
	Problems, Unmatched int64
	// Listed holds the first MaxNotices problems of cells and rows, in row order.
	Listed []intray.Notice
	// Fields holds the fields of the schema after hooks added or removed fields. It is nil if
	// hooks did neither.
	Fields []intray.Field
	// User and DevelopmentMode are nil unless a step hook set them.
	User            []byte
	DevelopmentMode *bool
	// Hook is the hook failure that broke the import, or nil.
	Hook *intray.HookError
	// Forms maps field keys to the formats that were decided for the fields' columns.
	// Revalidation uses these formats to parse edited cells.
	Forms map[string]string
	// ReadMissing holds the keys of the fields in which markers of missing values are read as
	// empty. Revalidation uses it to parse edited cells.
	ReadMissing []string
	// Timings are the times of the stages that took any, in the order of the data.
	Timings []Timing `json:",omitempty"`
	// Questions must be answered before the import can continue.
	Questions []intray.Question
}

// AllNotices returns the first MaxNotices notices: those about the import, followed by those
// about cells and rows. If there are more, it appends a notice of type Truncated with the total.
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

// failHook sets the verdict to Broken if err is the failure of a hook. It reports whether err
// is such a failure.
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

// stop sets the verdict to Open, with a notice but without a question.
func (o *Outcome) stop(kind intray.NoticeType, text intray.Message) *Outcome {
	o.Verdict = Open
	o.addNotice(intray.Notice{Type: kind, Level: intray.LevelError, Text: text})
	return o
}

// addNotice adds a notice about the import as a whole. Beyond MaxNotices, it only counts
// the notice.
func (o *Outcome) addNotice(n intray.Notice) {
	if len(o.Notices) >= MaxNotices {
		o.OmittedNotices++
		return
	}
	o.Notices = append(o.Notices, n)
}

// decideVerdict sets the verdict of a run that processed all rows. removed is the
// number of rows that hooks removed.
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

// AddSummary adds the summary of a batch. Batches must be added in the order of their rows.
func (o *Outcome) AddSummary(a rowplan.Summary) {
	o.DataRows += a.Rows
	o.ErrorRows += int64(len(a.ErrorRows))
	o.Problems += a.Problems
	o.Unmatched += a.Unmatched
	o.RowsWithError = appendUpTo(o.RowsWithError, a.ErrorRows, MaxRowsWithError)
	o.Listed = appendUpTo(o.Listed, a.Notices, MaxNotices)
}

func appendUpTo[T any](list, more []T, limit int) []T {
	return append(list, more[:min(len(more), limit-len(list))]...)
}

// formatOf, followed by the key of a field, is the value of Evidence.Choice for the format
// of the field's column.
const formatOf = "format of "

// Explain traces a cell. Row i of batch b is the row as the run staged it. field is the
// index of the field in the run's schema. The trace has the steps read, map, parse and
// check; the caller may add the step output.
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

// problemsAt returns the problems of a cell and, separately, those of its row as a whole.
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

// readStep explains how the file was read and how the row was repaired.
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

// parseStep explains how the raw text was parsed.
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
