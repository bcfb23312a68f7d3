package intray

import (
	"strconv"
)

// Schema lists the fields of a clean row, and the settings and hooks of an import.
type Schema struct {
	Name     string
	Fields   []Field
	Settings Settings
	Hooks    Hooks
}

// Field is one column of a clean row.
type Field struct {
	Key         string
	Label       string
	Type        FieldType
	Description string
	// AlternateMatches are further headers of the field's column.
	AlternateMatches []string
	Validators       []Validator
	// InvalidValueMessage replaces the text of problems that the type reports.
	InvalidValueMessage string
	// ReadOnly fields can be changed by hooks but not edited by people.
	ReadOnly bool
	// Hidden fields are neither matched to a column nor shown.
	Hidden bool
	// RequireMapping rejects imports in which no column maps to the field, even
	// if its cells may be empty.
	RequireMapping bool
	// ManyToOne is set if several columns may map to the field. Its value is a
	// list.
	ManyToOne     bool
	SelectOptions []SelectOption
}

// FieldType is a cell type and its options. Missing options have the defaults of
// the type.
type FieldType struct {
	Name    TypeName
	Options map[string]any
}

// TypeName is the wire name of a cell type.
type TypeName string

// Cell types.
const (
	TypeString      TypeName = "string"
	TypeNumber      TypeName = "number"
	TypeDate        TypeName = "date"
	TypeDatetime    TypeName = "datetime"
	TypeTime        TypeName = "time"
	TypeCheckbox    TypeName = "checkbox"
	TypeSelect      TypeName = "select"
	TypeMultiSelect TypeName = "multi-select"
	TypeEmail       TypeName = "email"
	TypePhone       TypeName = "phone-number"
	TypeURL         TypeName = "url"
	TypeDomain      TypeName = "domain"
	TypeZIP         TypeName = "us-zip-code"
	TypeState       TypeName = "us-state-territory"
	TypeSSN         TypeName = "ssn"
	TypeCountry     TypeName = "country"
	TypeUUID        TypeName = "uuid"
)

// SelectOption is one allowed value of a select field.
type SelectOption struct {
	Label            string
	Value            string
	AlternateMatches []string
}

// Validator is a rule that the cells of a field must satisfy.
type Validator struct {
	// Rule is the wire name of the rule, such as "required".
	Rule string
	// Message replaces the default text of the rule, unless it is empty.
	Message string
	// Level is the level of the problem if a cell violates the rule.
	Level Level
	// Options are the other properties of the rule by wire name.
	Options map[string]any
}

// Hooks are the JavaScript sources of the functions that an organization runs on
// its imports.
type Hooks struct {
	Row          []string
	BulkRow      []string
	RowDelete    []string
	BeforeFinish string
	Column       []ColumnHook
	Step         []StepHook
}

// ColumnHook runs on all cells of one field.
type ColumnHook struct {
	Field  string
	Source string
}

// StepHook runs at one step of an import.
type StepHook struct {
	// Step is UPLOAD_STEP, REVIEW_STEP or REVIEW_STEP_POST_HOOKS.
	Step   string
	Source string
}

// Count returns the number of functions.
func (h Hooks) Count() int {
	n := len(h.Row) + len(h.BulkRow) + len(h.RowDelete) + len(h.Column) + len(h.Step)
	if h.BeforeFinish != "" {
		n++
	}
	return n
}

// Source returns the source of a hook by its name as in a [HookError]: rowHooks[0],
// beforeFinishCallback. It returns "" if there is no such hook.
func (h Hooks) Source(name string) string {
	if name == "beforeFinishCallback" {
		return h.BeforeFinish
	}
	for i, hook := range h.Column {
		if name == hookName("columnHooks", i) {
			return hook.Source
		}
	}
	for i, hook := range h.Step {
		if name == hookName("stepHooks", i) {
			return hook.Source
		}
	}
	for _, group := range []struct {
		name    string
		sources []string
	}{{"rowHooks", h.Row}, {"bulkRowHooks", h.BulkRow}, {"rowDeleteHooks", h.RowDelete}} {
		for i, source := range group.sources {
			if name == hookName(group.name, i) {
				return source
			}
		}
	}
	return ""
}

func hookName(group string, i int) string { return group + "[" + strconv.Itoa(i) + "]" }

// FieldIndex returns the index of the field with this key, or -1.
func (s *Schema) FieldIndex(key string) int {
	for i := range s.Fields {
		if s.Fields[i].Key == key {
			return i
		}
	}
	return -1
}

// MaxFileSize is the default and the maximum of [Settings.MaxFileSize]: 1 GiB.
const MaxFileSize int64 = 1 << 30

// InvalidDataBehavior decides what happens to rows with a problem of [LevelError].
type InvalidDataBehavior string

const (
	// BlockSubmit sends the import to review.
	BlockSubmit InvalidDataBehavior = "BLOCK_SUBMIT"
	// RemoveInvalidRows drops such rows from the result. It is the default.
	RemoveInvalidRows InvalidDataBehavior = "REMOVE_INVALID_ROWS"
	// IncludeInvalidRows includes such rows, with null in each invalid cell.
	IncludeInvalidRows InvalidDataBehavior = "INCLUDE_INVALID_ROWS"
	// IncludeInvalidValues includes such rows, with the raw text in each invalid
	// cell.
	IncludeInvalidValues InvalidDataBehavior = "INCLUDE_INVALID_ROWS_AND_VALUES"
)

// Settings control one import. The zero value is not the default: use
// [DefaultSettings].
type Settings struct {
	// ImportIdentifier groups imports of one kind.
	ImportIdentifier string
	// Title is shown to the person who reviews the import.
	Title string
	// InvalidDataBehavior defaults to RemoveInvalidRows.
	InvalidDataBehavior InvalidDataBehavior
	// PassThroughUnmappedColumns adds the cells of unmapped columns to each row
	// of the result, under "$unmapped".
	PassThroughUnmappedColumns bool
	// MaxRecords is the maximum number of data rows. Further rows are dropped
	// with a warning. 0, the default, means no limit.
	MaxRecords int64
	// MaxFileSize is the maximum size of a file in bytes. The default is the
	// constant MaxFileSize.
	MaxFileSize int64
	// DevelopmentMode marks the import as a trial.
	DevelopmentMode bool
	// WebhookURL receives an event for each completed import. "" means none.
	WebhookURL string
	// NeedsReviewWebhookURL receives an event for each import that waits for a
	// person. "" means none.
	NeedsReviewWebhookURL string
}

// DefaultSettings returns the settings of a schema that sets none.
func DefaultSettings() Settings {
	return Settings{InvalidDataBehavior: RemoveInvalidRows, MaxFileSize: MaxFileSize}
}
