package intray

import (
	"strings"
	"time"
)

// HookRows are the rows that hooks receive.
type HookRows struct {
	// Fields are the fields of the schema, in order.
	Fields []Field
	// Parts holds the number of columns of each many-to-one field, and 0 for
	// all other fields.
	Parts []int
	// Batches hold the rows in order. The value of a many-to-one field is a JSON
	// array.
	Batches []*Batch
	// Update is set if these are rows that a person edited, not all rows of the
	// file.
	Update bool
}

// Change is a change that a hook made to one cell.
type Change struct {
	// Row is counted from the first row that the hook received.
	Row int
	// Field is the index of the field in the schema.
	Field int
	// Part is the index of the column within a many-to-one field, or 0 for all
	// other fields.
	Part int
	// HasValue is set if Value replaces the cell's value. Value is text that is
	// parsed as the type of the field, or nil for null.
	HasValue bool
	Value    *string
	// IsNumber is set if Value is a JSON number, rather than a text that could be
	// read in several ways.
	IsNumber bool
	// HasInfos is set if Infos replace the messages that hooks set on the cell
	// before.
	HasInfos bool
	Infos    []Info
	// Options replace the field's select options for this cell. If it is nil,
	// they stay unchanged.
	Options []SelectOption
}

// Info is a message of a hook about a cell.
type Info struct {
	Level Level
	Text  string
}

// HookCode is the code of the problem that a hook's message becomes.
const HookCode = "hook"

// HookError reports a failure of a hook's own code. Failures of the sandbox are
// plain errors.
type HookError struct {
	// Hook is the name of the hook: rowHooks[0], beforeFinishCallback.
	Hook string
	// Line and Column are positions in the hook's source, counted from 1, or 0
	// if unknown.
	Line, Column int
	// Row is the index of the failed row among all data rows. It is nil if the
	// failure concerns no row or several, which Text then mentions.
	Row *int64
	// Text is the reason, without a final period. It is a literal if it comes
	// from the hook or from the JavaScript engine.
	Text Message
	// Load is set if the hook's source could not be loaded, so the hook was never
	// called.
	Load bool
}

// Error renders Describe in English.
func (e *HookError) Error() string { return e.Describe().String() }

// Describe returns a message for people: which hook failed, where and why.
func (e *HookError) Describe() Message {
	params := Params{"hook": e.Hook, "reason": e.Text}
	if e.Text.Code == "" {
		params["reason"] = strings.TrimRight(e.Text.literal, " .")
	}
	if e.Line > 0 {
		params["line"] = e.Line
	}
	atColumn := e.Line > 0 && e.Column > 0
	if atColumn {
		params["column"] = e.Column
	}
	if e.Row != nil {
		params["row"] = *e.Row + 1
	}
	switch onRow := e.Row != nil; {
	case atColumn && onRow:
		return NewMessage("hook.failed_at_column_on_row", params)
	case atColumn:
		return NewMessage("hook.failed_at_column", params)
	case e.Line > 0 && onRow:
		return NewMessage("hook.failed_at_line_on_row", params)
	case e.Line > 0:
		return NewMessage("hook.failed_at_line", params)
	case onRow:
		return NewMessage("hook.failed_on_row", params)
	}
	return NewMessage("hook.failed", params)
}

// StepCall is the input of step hooks.
type StepCall struct {
	// Step is UPLOAD_STEP, REVIEW_STEP or REVIEW_STEP_POST_HOOKS.
	Step string
	// Filename and Preview are the name of the file and its first rows as raw
	// text. Only UPLOAD_STEP has them.
	Filename string
	Preview  [][]string
	// Headers are the headers of the file, and Mapping is their mapping to
	// fields. UPLOAD_STEP does not have them.
	Headers []string
	Mapping Mapping
	Fields  []Field
}

// Step names.
const (
	UploadStep     = "UPLOAD_STEP"
	ReviewStep     = "REVIEW_STEP"
	ReviewStepPost = "REVIEW_STEP_POST_HOOKS"
)

// StepChanges are the changes that the hooks of a step requested, in the order of
// their calls.
type StepChanges []StepChange

// StepChange is one method call on the instance that step hooks receive. Exactly one
// of the fields from AddField on is set.
type StepChange struct {
	// Hook is the name of the hook. Line and Column are the position of the call
	// in its source, counted from 1, or 0 if unknown.
	Hook         string
	Line, Column int

	AddField *AddedField
	// RemoveField is the key of the field to remove.
	RemoveField string
	// HeaderRow is the header row, counted from 0. Only UPLOAD_STEP sets it.
	HeaderRow *int
	// Infos replace the messages that hooks set on cells.
	Infos []Change
	// AddRows are inserted before the row of their index, or appended.
	AddRows []AddedRow
	// RemoveRows are the IDs of the rows to remove.
	RemoveRows []string
	// User replaces the user of the import. It is JSON.
	User []byte
	// DevelopmentMode replaces the setting of the same name.
	DevelopmentMode *bool
}

// AddedField is a field that a hook adds. Before or After is the key of its
// neighbor. If both are empty, the field becomes the last one.
type AddedField struct {
	Field         Field
	Before, After string
}

// HookEnv fixes the clock and the random numbers of hooks, so that runs are
// repeatable.
type HookEnv struct {
	// Now is the current time that hooks see. The zero time means 1970-01-01.
	Now time.Time
	// Seed is the seed of Math.random.
	Seed uint32
}

// FinishCall is the input of beforeFinishCallback, except for the rows.
type FinishCall struct {
	Filename string
	Headers  []string
	Mapping  Mapping
	// RowsWithError are the indexes of the first data rows with an error.
	// Notices are the first notices about cells and rows.
	RowsWithError []int64
	Notices       []Notice
	// ID is the ID of the upload, or "". User is the user of the import as JSON,
	// or nil.
	ID   string
	User []byte
}
