package engine

import (
	"errors"
	"slices"

	"github.com/intraydata/intray"
)

// Bounds of what an outcome tells. Everything else is in the staged rows.
const (
	// MaxRowsWithError is the most row numbers that are listed.
	MaxRowsWithError = 10000
	// MaxNotices is the most notices; one of type Truncated may follow.
	MaxNotices = 1000
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
	// Untold counts the notices about the import that were left out.
	Untold int64 `json:"Untold"`
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

// All gives the notices about the import and then those about cells and rows:
// at most MaxNotices, and where there are more, one of type Truncated that says
// how many.
func (o *Outcome) All() []intray.Notice {
	all := append(slices.Clip(o.Notices), o.Listed...)
	total := int64(len(o.Notices)) + o.Untold + o.Problems
	if total <= MaxNotices {
		return all
	}
	all = all[:min(len(all), MaxNotices)]
	return append(all, intray.Notice{
		Type: intray.Truncated, Level: intray.LevelInfo, Total: total,
		Text: intray.NewMessage("import.notices_listed", intray.Params{"listed": len(all), "n": total}),
	})
}

func (o *Outcome) fail(kind intray.NoticeType, text intray.Message) *Outcome {
	o.Verdict = Broken
	o.tell(intray.Notice{Type: kind, Level: intray.LevelError, Text: text})
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
	o.tell(intray.Notice{Type: intray.HookFailed, Level: intray.LevelError, Text: text, Row: failed.Row})
	return true
}

// stop leaves the file to a person, without a question that could be answered.
func (o *Outcome) stop(kind intray.NoticeType, text intray.Message) *Outcome {
	o.Verdict = Open
	o.tell(intray.Notice{Type: kind, Level: intray.LevelError, Text: text})
	return o
}

// tell adds a notice about the import as a whole, or counts it where there are
// many.
func (o *Outcome) tell(n intray.Notice) {
	if len(o.Notices) >= MaxNotices {
		o.Untold++
		return
	}
	o.Notices = append(o.Notices, n)
}

// judge gives the verdict of a run that read the file to its end, of which hooks removed
// so many rows.
func (o *Outcome) judge(s intray.Settings, removed int) *Outcome {
	switch {
	case o.DataRows == 0 && removed > 0:
		return o.stop(intray.NoRows, intray.NewMessage("hook.removed_all_rows", intray.Params{"step": intray.ReviewStep}))
	case o.DataRows == 0:
		return o.stop(intray.NoRows, intray.NewMessage("file.no_data_rows", nil))
	case o.ErrorRows == 0:
	case s.InvalidDataBehavior == intray.BlockSubmit:
		o.Verdict = Open
	case o.ErrorRows == o.DataRows && s.InvalidDataBehavior == intray.RemoveInvalidRows:
		o.tell(intray.Notice{
			Type: intray.AllRowsRemoved, Level: intray.LevelWarning,
			Text: intray.NewMessage("import.all_rows_invalid", intray.Params{"n": o.DataRows}),
		})
	}
	return o
}
