package intray

import (
	"slices"
	"strings"
	"time"
)

// HookRows are the rows that hooks receive.
type HookRows struct {
	// Fields are the fields of the schema, in order.
	Fields []Field
	// Parts holds the number of columns of each many-to-one field, and 0 for all other fields.
	Parts []int
	// Batches holds the rows in order. The value of a many-to-one field is a JSON array.
	Batches []*Batch
	// Update is set if these are rows that a person edited, not all rows of the file.
	Update bool
	// Reuse is memory that the changes of row hooks may overwrite. It may be nil.
	Reuse []Change
}

// Change is a modification of one cell by a hook. Changes with equal values, messages or options may share
// their memory.
type Change struct {
	// Row is the index of the row among the rows that the hook received.
	Row int
	// Field is the index of the field in the schema.
	Field int
	// Part is the index of the column within a many-to-one field, or 0 for any other field.
	Part int
	// HasValue is set if Value replaces the cell's value. Value is parsed as the type of
	// the field. It is nil for null.
	HasValue bool
	Value    *string
	// IsNumber is set if Value is a JSON number, as opposed to a string whose number format
	// may be ambiguous.
	IsNumber bool
	// HasInfos is set if Infos replaces the messages that hooks set on the cell earlier.
	HasInfos bool
	Infos    []Info
	// Options replaces the field's select options for this cell. If it is nil, the options
	// stay unchanged.
	Options []SelectOption
}

// Info is a message from a hook about a cell.
type Info struct {
	Level Level
	Text  string
}

// HookCode is the code of the problem that a hook's message becomes.
const HookCode = "hook"

// HookError reports a failure of a hook's own code. Failures of the sandbox are plain errors.
type HookError struct {
	// Hook is the name of the hook, such as rowHooks[0] or beforeFinishCallback. It is "" if no hook
	// can run on this system.
	Hook string
	// Line and Column are the position in the hook's source, counted from 1, or 0 if unknown.
	Line, Column int
	// Row is the index of the failed row among all data rows. It is nil if the failure
	// concerns no row or several rows. In the latter case, Text mentions them.
	Row *int64
	// Text is the reason, without a final period. It is a literal message if it comes from
	// the hook or from the JavaScript engine.
	Text Message
	// Load is set if the hook's source could not be loaded. The hook was never called.
	Load bool
}

// Error returns the message from Describe in English.
func (e *HookError) Error() string { return e.Describe().String() }

// Describe returns a message for people that names the hook, where it failed and why.
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
	case e.Hook == "":
		return NewMessage("hook.cannot_run", params)
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
	// Filename is the name of the file. Preview holds the first rows of the file as raw text.
	// Preview is set only for UPLOAD_STEP.
	Filename string
	Preview  [][]string
	// Headers are the headers of the file, and Mapping is their mapping to fields. They are
	// not set for UPLOAD_STEP.
	Headers []string
	Mapping Mapping
	Fields  []Field
}

// These are the names of the steps.
const (
	UploadStep     = "UPLOAD_STEP"
	ReviewStep     = "REVIEW_STEP"
	ReviewStepPost = "REVIEW_STEP_POST_HOOKS"
)

// StepChanges are the changes that the hooks of a step requested, in the order of their calls.
type StepChanges []StepChange

// StepChange is one method call on the instance that step hooks receive. Exactly one
// of the fields from AddField on is set.
type StepChange struct {
	// Hook is the name of the hook. Line and Column are the position of the call in the hook's
	// source, counted from 1, or 0 if unknown.
	Hook         string
	Line, Column int

	AddField *AddedField
	// RemoveField is the key of the field to remove.
	RemoveField string
	// HeaderRow is the header row, counted from 0. Only UPLOAD_STEP sets it.
	HeaderRow *int
	// Infos replaces the messages that hooks set on cells.
	Infos []Change
	// AddRows lists the rows to add. Each is inserted before the row with its index, or appended
	// if it has no index.
	AddRows []AddedRow
	// RemoveRows lists the IDs of the rows to remove.
	RemoveRows []string
	// User is JSON that replaces the user of the import.
	User []byte
	// DevelopmentMode replaces the setting of the same name.
	DevelopmentMode *bool
}

// AddedField is a field that a hook adds, before the field with the key Before or after the
// field with the key After. If both are empty, the field becomes the last one.
type AddedField struct {
	Field         Field
	Before, After string
}

// HookEnv fixes the clock and the random numbers of hooks, so that runs are repeatable.
type HookEnv struct {
	// Now is the current time as hooks see it. The zero time means 1970-01-01.
	Now time.Time
	// Seed is the seed of Math.random.
	Seed uint32
	// Import is the id of the import, for hooks of the page that embeds its importer.
	Import string
	// Session is the id of the session that keeps the import, or "". Step hooks receive it.
	Session string
}

// The sources of hooks that run in the page that embeds an importer. They are no JavaScript, so no other
// hook can have them. In lists of hooks, they follow those that run on the server.
const (
	PageHook = "(page)"
	// PageBatchHook is a row hook that receives each row of the file once, in numbered batches.
	PageBatchHook = "(page batch)"
)

// WithoutPage returns the hooks that run on the server, and whether there are others.
func (h Hooks) WithoutPage() (server Hooks, others bool) {
	onServer := func(list []string) []string {
		at := slices.IndexFunc(list, func(source string) bool { return source == PageHook || source == PageBatchHook })
		if at < 0 {
			return list
		}
		others = true
		return list[:at]
	}
	server = Hooks{Row: onServer(h.Row), BulkRow: onServer(h.BulkRow), RowDelete: onServer(h.RowDelete), BeforeFinish: h.BeforeFinish}
	for _, hook := range h.Column {
		if hook.Source == PageHook {
			others = true
			continue
		}
		server.Column = append(server.Column, hook)
	}
	for _, hook := range h.Step {
		if hook.Source == PageHook {
			others = true
			continue
		}
		server.Step = append(server.Step, hook)
	}
	return server, others
}

// FinishCall is the input of beforeFinishCallback, except for the rows.
type FinishCall struct {
	Filename string
	Headers  []string
	Mapping  Mapping
	// RowsWithError are the indexes of the first data rows with an error. Notices holds the
	// first notices about cells and rows.
	RowsWithError []int64
	Notices       []Notice
	// ID is the ID of the upload, or "". User is the user of the import as JSON, or nil.
	ID   string
	User []byte
}
