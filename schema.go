package intray

import (
	"strconv"
)

// Schema says what an import must deliver.
type Schema struct {
	Name     string
	Fields   []Field
	Settings Settings
	Hooks    Hooks
}

// Field is one target of an import: what a row of the result holds under Key.
type Field struct {
	Key         string
	Label       string
	Type        FieldType
	Description string
	// AlternateMatches are further header names under which a file may bring
	// the field.
	AlternateMatches []string
	Validators       []Validator
	// InvalidValueMessage replaces the text of the type's own problem.
	InvalidValueMessage string
	// ReadOnly fields cannot be edited by a person; hooks may.
	ReadOnly bool
	// Hidden fields are never matched to a column nor shown.
	Hidden bool
	// RequireMapping refuses an import in which no column feeds the field,
	// whether or not its cells may be empty.
	RequireMapping bool
	// ManyToOne fields are fed by several columns; their value is a list.
	ManyToOne     bool
	SelectOptions []SelectOption
}

// FieldType is the name of a type and its options. The zero options are the
// type's defaults.
type FieldType struct {
	Name    TypeName
	Options map[string]any
}

// TypeName names one of the 17 field types.
type TypeName string

// The field types.
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

// SelectOption is one value that a select field may take.
type SelectOption struct {
	Label            string
	Value            string
	AlternateMatches []string
}

// Validator is one rule that a field's cells must keep.
type Validator struct {
	// Rule is the wire name of the rule, such as "required".
	Rule string
	// Message replaces the rule's own text. Empty keeps it.
	Message string
	// Level is how bad a breach is. The zero value is LevelError.
	Level Level
	// Options are the rule's further properties, under their wire names.
	Options map[string]any
}

// Hooks are the functions, as JavaScript source, that an organization runs over
// its imports.
type Hooks struct {
	Row          []string
	BulkRow      []string
	RowDelete    []string
	BeforeFinish string
	Column       []ColumnHook
	Step         []StepHook
}

// ColumnHook runs over all cells of one field.
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

// Count says how many functions there are.
func (h Hooks) Count() int {
	n := len(h.Row) + len(h.BulkRow) + len(h.RowDelete) + len(h.Column) + len(h.Step)
	if h.BeforeFinish != "" {
		n++
	}
	return n
}

// Source gives the source of the hook with a name as a [HookError] has it:
// rowHooks[0], beforeFinishCallback. It is "" where no single hook has the name.
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

// FieldIndex gives the place of the field with this key, or -1.
func (s *Schema) FieldIndex(key string) int {
	for i := range s.Fields {
		if s.Fields[i].Key == key {
			return i
		}
	}
	return -1
}

// MaxFileSize is the default and the highest value of [Settings.MaxFileSize]:
// 1 GiB.
const MaxFileSize int64 = 1 << 30

// InvalidDataBehavior says what becomes of rows with a problem of [LevelError].
type InvalidDataBehavior string

const (
	// BlockSubmit sends the import to review.
	BlockSubmit InvalidDataBehavior = "BLOCK_SUBMIT"
	// RemoveInvalidRows leaves such rows out of the result. It is the default.
	RemoveInvalidRows InvalidDataBehavior = "REMOVE_INVALID_ROWS"
	// IncludeInvalidRows keeps them, with null in each invalid cell.
	IncludeInvalidRows InvalidDataBehavior = "INCLUDE_INVALID_ROWS"
	// IncludeInvalidValues keeps them, with the raw text in each invalid cell.
	IncludeInvalidValues InvalidDataBehavior = "INCLUDE_INVALID_ROWS_AND_VALUES"
)

// Settings steer one import. The zero value is not the default; take
// [DefaultSettings].
type Settings struct {
	// ImportIdentifier groups imports of one kind. Default "".
	ImportIdentifier string
	// Title is shown to the person who reviews. Default "".
	Title string
	// InvalidDataBehavior defaults to RemoveInvalidRows.
	InvalidDataBehavior InvalidDataBehavior
	// PassThroughUnmappedColumns adds the cells of columns that feed no field
	// to each row of the result, under "$unmapped". Default false.
	PassThroughUnmappedColumns bool
	// MaxRecords is the most data rows that are taken; further rows are
	// dropped with a warning. 0 means no limit and is the default.
	MaxRecords int64
	// MaxFileSize is the most bytes a file may have. Default MaxFileSize.
	MaxFileSize int64
	// DevelopmentMode marks the import as a trial. Default false.
	DevelopmentMode bool
	// WebhookURL is told of completed imports. Default "", nobody.
	WebhookURL string
	// NeedsReviewWebhookURL is told of imports that wait for a person.
	// Default "", nobody.
	NeedsReviewWebhookURL string
}

// DefaultSettings are the settings of a schema that sets none.
func DefaultSettings() Settings {
	return Settings{InvalidDataBehavior: RemoveInvalidRows, MaxFileSize: MaxFileSize}
}
