package intray

import (
	"strings"
	"time"
)

// HookRows are rows as hooks are given them.
type HookRows struct {
	// Fields are those of the schema, in its order.
	Fields []Field
	// Parts holds for each field with ManyToOne how many columns feed it, and
	// 0 for all others.
	Parts []int
	// Batches hold the rows, one behind the other. A field with ManyToOne holds
	// the JSON arrays of its values.
	Batches []*Batch
	// Update says that these are rows that a person changed, and not all rows as
	// they were read.
	Update bool
}

// Change is what a hook made of one cell.
type Change struct {
	// Row counts from the first row that the hook was given.
	Row int
	// Field is the place of the field in the schema.
	Field int
	// Part is which of the columns of a field with ManyToOne is concerned,
	// counted from 0; 0 for all other fields.
	Part int
	// HasValue says that Value replaces what the cell holds: text that is read
	// as the type of the field, or nil for none.
	HasValue bool
	Value    *string
	// IsNumber says that Value is a number as JSON writes it, and not a text that
	// may be read in several ways.
	IsNumber bool
	// HasInfos says that Infos replace those that hooks gave the cell before.
	HasInfos bool
	Infos    []Info
	// Options are what the cell may hold instead of the options of its field;
	// nil leaves these.
	Options []SelectOption
}

// Info is a message of a hook about a cell.
type Info struct {
	Level Level
	Text  string
}

// HookCode is the code of the problem that a hook's message becomes.
const HookCode = "hook"

// HookError says that a hook failed: that of the schema, not the machinery.
type HookError struct {
	// Hook names it: rowHooks[0], beforeFinishCallback.
	Hook string
	// Line and Column are in the hook's own source, counted from 1; 0 where
	// that is not known.
	Line, Column int
	// Row is the data row at which it failed, counted from 0 among all; nil where
	// none or several are concerned, which Text then tells.
	Row *int64
	// Text says what happened, without a full stop: a literal where those are the
	// words of the hook or of its engine.
	Text Message
	// Load says that the hook was not called: its source is none.
	Load bool
}

// Error gives the sentence for a person in English.
func (e *HookError) Error() string { return e.Describe().String() }

// Describe returns the sentence for a person: which hook failed, where and why.
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

// StepCall is what the hooks of a step are told.
type StepCall struct {
	// Step is UPLOAD_STEP, REVIEW_STEP or REVIEW_STEP_POST_HOOKS.
	Step string
	// Filename and Preview are the file's name and its first rows as they
	// stand there, at UPLOAD_STEP.
	Filename string
	Preview  [][]string
	// Headers are those of the file, and Mapping says which fields they feed,
	// from REVIEW_STEP on.
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

// StepChanges are what the hooks of a step asked for, in the order in which they
// did.
type StepChanges []StepChange

// StepChange is one call of a method of the instance that step hooks are given.
// One of what it asks for is set.
type StepChange struct {
	// Hook names the hook, and Line and Column the call in its own source; 0 where
	// that is not known.
	Hook         string
	Line, Column int

	AddField *AddedField
	// RemoveField is the key of a field.
	RemoveField string
	// HeaderRow is the row of the header, counted from 0; at UPLOAD_STEP.
	HeaderRow *int
	// Infos replace the messages of hooks about cells.
	Infos []Change
	// AddRows are put in before the row of their index, or behind the last.
	AddRows []AddedRow
	// RemoveRows are the ids of rows.
	RemoveRows []string
	// User replaces the user of the import; JSON.
	User []byte
	// DevelopmentMode replaces that setting.
	DevelopmentMode *bool
}

// AddedField is a field that a hook adds, before or behind another one; where
// neither is named it is the last.
type AddedField struct {
	Field         Field
	Before, After string
}

// HookEnv are what would else differ from one run of the hooks to the next.
type HookEnv struct {
	// Now is what the clock shows. The zero time is 1970-01-01.
	Now time.Time
	// Seed decides what Math.random gives.
	Seed uint32
}

// FinishCall is what beforeFinishCallback is told of the import beside its rows.
type FinishCall struct {
	Filename string
	Headers  []string
	Mapping  Mapping
	// RowsWithError are the first data rows with an error, and Notices the first
	// things to tell about cells and rows.
	RowsWithError []int64
	Notices       []Notice
	// ID is that of the import's upload, "" where it has none. User is the user,
	// as JSON; nil where there is none.
	ID   string
	User []byte
}
