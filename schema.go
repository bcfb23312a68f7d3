// Package intray defines the domain model that all packages of the importer
// share: schemas, records, mappings, batches of rows, problems and messages. To
// import a file, start with package importer.
//
// An import uses the main types in this order:
//
//   - A [Schema] lists the [Field]s of a clean row, with the [Settings] and
//     [Hooks] of the organization.
//   - A source file has [Column]s and yields [Records]: raw text, row by row,
//     with line numbers.
//   - A [Mapping] connects columns to fields and records the reasons. It is frozen
//     before the first row is parsed.
//   - A [Batch] is a sequence of parsed rows, stored field by field. [Cells] hold each value
//     next to the raw text that it was parsed from.
//   - Hooks are functions of the organization. They receive [HookRows] and return
//     [Change]s. A hook that fails yields a [HookError].
//   - A [Question] is something that only a person can decide. [Answers] are decisions
//     about this import. [LearnedMappings] are decisions from earlier imports.
//   - A [Trace] shows where one cell came from and what each step did to it.
//   - A [Problem] is one fault in a cell, row or table. Invalid data is reported as a
//     Problem, and a failed import as an error.
//
// The package does not depend on a database, HTTP, a clock or a file format. It imports
// only the standard library.
package intray

import "strconv"

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
	// AlternateMatches are additional headers that match the field.
	AlternateMatches []string
	Validators       []Validator
	// InvalidValueMessage replaces the message of problems that the type reports.
	InvalidValueMessage string
	// ReadOnly is set if hooks can change the field but people cannot edit it.
	ReadOnly bool
	// Hidden is set if the field is neither matched to a column nor shown.
	Hidden bool
	// RequireMapping is set if a column must map to the field, even if the cells of the field
	// may be empty.
	RequireMapping bool
	// ManyToOne is set if several columns may map to the field. The value of the field is
	// then a list.
	ManyToOne     bool
	SelectOptions []SelectOption
	// MissingValues are the texts that mean an empty cell, in any case. nil means the markers
	// that Intray knows, and an empty list means none.
	MissingValues []string
	// Lenient is set if all text means true in a checkbox, except a few words for false.
	Lenient bool
}

// FieldType is a cell type and its options. Missing options have the default values of the type.
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

// AcceptsValueAnswers reports whether people can decide how fields of the type read a raw value, with
// an answer whose ID begins with AnswerValue.
func (t TypeName) AcceptsValueAnswers() bool {
	switch t {
	case TypeSelect, TypeMultiSelect, TypeCountry, TypeState, TypeNumber, TypeDate, TypeDatetime:
		return true
	}
	return false
}

// HasOptions reports whether a cell of the type must be one of a list of options.
func (t TypeName) HasOptions() bool { return t == TypeSelect || t == TypeCountry || t == TypeState }

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
	// Message replaces the default message of the rule, unless it is empty.
	Message string
	// Level is the level of the problem if a cell violates the rule.
	Level Level
	// Options are the other properties of the rule by wire name.
	Options map[string]any
}

// Hooks holds the source code of the JavaScript functions that an organization runs on its
// imports.
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

// Source returns the source code of the hook with the given name, such as rowHooks[0] or
// beforeFinishCallback, as in a [HookError]. It returns "" if there is no such hook.
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

// InvalidDataBehavior specifies what happens to rows that have a problem of [LevelError].
type InvalidDataBehavior string

const (
	// BlockSubmit sends the import to review.
	BlockSubmit InvalidDataBehavior = "BLOCK_SUBMIT"
	// RemoveInvalidRows drops these rows from the result. It is the default.
	RemoveInvalidRows InvalidDataBehavior = "REMOVE_INVALID_ROWS"
	// IncludeInvalidRows includes these rows in the result, with null in each invalid cell.
	IncludeInvalidRows InvalidDataBehavior = "INCLUDE_INVALID_ROWS"
	// IncludeInvalidValues includes these rows in the result, with the raw text in each
	// invalid cell.
	IncludeInvalidValues InvalidDataBehavior = "INCLUDE_INVALID_ROWS_AND_VALUES"
)

// Settings control one import. The zero value is not the default: use [DefaultSettings].
type Settings struct {
	// ImportIdentifier is shared by imports of one kind. It groups them.
	ImportIdentifier string
	// Title is shown to the person who reviews the import.
	Title string
	// InvalidDataBehavior defaults to RemoveInvalidRows.
	InvalidDataBehavior InvalidDataBehavior
	// AllowCustomFields lets people create fields for columns that map to none.
	AllowCustomFields bool
	// PassThroughUnmappedColumns adds the cells of unmapped columns to each row
	// of the result, under "$unmapped".
	PassThroughUnmappedColumns bool
	// MaxRecords is the maximum number of data rows. Rows beyond it are dropped with a
	// warning. 0, the default, means no limit.
	MaxRecords int64
	// MaxFileSize is the maximum size of a file, in bytes. The default is the constant
	// MaxFileSize.
	MaxFileSize int64
	// DevelopmentMode marks the import as a trial.
	DevelopmentMode bool
	// WebhookURL is the URL that receives an event for each completed import, or "" for none.
	WebhookURL string
	// NeedsReviewWebhookURL is the URL that receives an event for each import that needs a
	// person's review, or "" for none.
	NeedsReviewWebhookURL string
}

// DefaultSettings returns the settings of a schema that does not specify any.
func DefaultSettings() Settings {
	return Settings{InvalidDataBehavior: RemoveInvalidRows, MaxFileSize: MaxFileSize}
}
