// Package celltype parses the cells of a column according to the type of its field.
//
// A [Parser] belongs to one field and is compiled once. A [Cell] holds the raw text from the
// source and, if the source is a workbook, the typed value. The parser returns the canonical
// text of the cell's value, or a problem. If cells can be read in several ways (12/04/2021,
// 1.234), a [Sniffer] first observes the whole column. It then decides on a style, or returns an
// [Ambiguity], which is a question for the user.
//
// Rows and validators are out of scope. An empty cell is valid in every type.
package celltype

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype/date"
	"github.com/intraydata/intray/celltype/number"
)

// Cell is a cell of the source.
type Cell struct {
	// Raw is the raw text. In a workbook, it is the text that the application displays.
	Raw []byte
	// Kind and Typed are the typed value, as in [intray.Records].
	Kind  intray.CellKind
	Typed []byte
}

// Parser parses the cells of one field. It is safe for concurrent use.
type Parser interface {
	// Parse parses a cell. If the value differs from the raw text, Result.Value
	// points into scratch, into the raw text or to newly allocated memory.
	Parse(c Cell, scratch []byte) Result
}

// Result is the result of parsing a cell.
type Result struct {
	State State
	// Missing reports that State is Empty because the raw text marks a missing value.
	Missing bool
	// Remarks are what else is worth reporting.
	Remarks Remarks
	// Value is the canonical text if State is Parsed.
	Value []byte
	// Problem describes the problem if State is Invalid. Otherwise, it is nil.
	Problem *intray.Message
	// Note reports how the cell was read. It is nil for most cells, and must not be modified.
	Note *Note
}

// Canonical returns the canonical text of the value of a cell, given the cell, and false if the cell
// has no value.
func (r Result) Canonical(c Cell) ([]byte, bool) {
	if r.State == Unchanged {
		return c.Raw, true
	}
	return r.Value, r.State == Parsed
}

// Note is a remark about a cell that was parsed successfully.
type Note struct {
	// Code is the code of the problem that the note is reported as.
	Code  string
	Level intray.Level
	Text  intray.Message
}

// CodeMapped is the code of the note on a cell that was mapped to a similar value.
const CodeMapped = "value_mapped"

// State is the outcome of parsing a cell.
type State uint8

// The states of a cell.
const (
	// Unchanged: the value is the raw text.
	Unchanged State = iota
	// Parsed: the value is Result.Value.
	Parsed
	// Empty: the cell has no value, and nothing is wrong.
	Empty
	// Invalid: the raw text is not valid for the type.
	Invalid
)

// compilers maps each type, except those with select options, to the function that compiles its
// parser.
var compilers = map[intray.TypeName]func(f intray.Field, o options) (Parser, error){
	intray.TypeString:   newStringParser,
	intray.TypeEmail:    newEmail,
	intray.TypeNumber:   newNumberParser,
	intray.TypeDate:     newDateTimeParser(date.WantDate),
	intray.TypeDatetime: newDateTimeParser(date.WantDateTime),
	intray.TypeTime:     newDateTimeParser(date.WantTime),
	intray.TypeCheckbox: newCheckbox,
	intray.TypePhone:    newPhoneParser,
	intray.TypeURL:      newURL,
	intray.TypeDomain:   newDomain,
	intray.TypeZIP:      newZIP,
	intray.TypeState:    newState,
	intray.TypeSSN:      newSSN,
	intray.TypeCountry:  newCountry,
	intray.TypeUUID:     newUUID,
}

// Compile returns the parser of a field. It fails if the type or its options are invalid.
func Compile(f intray.Field) (Parser, error) {
	return CompileWithBudget(f, NewSearchBudget(MaxSearchSteps))
}

// CompileWithBudget is like Compile, but uses a budget that several fields can share.
func CompileWithBudget(f intray.Field, budget *SearchBudget) (Parser, error) {
	switch f.Type.Name {
	case intray.TypeSelect:
		return newSelect(f, f.Type.Options, budget), nil
	case intray.TypeMultiSelect:
		return newMultiSelect(f, f.Type.Options, budget), nil
	}
	compile, known := compilers[f.Type.Name]
	if !known {
		return nil, fmt.Errorf("the type %q is not supported by this version", f.Type.Name)
	}
	return compile(f, options(f.Type.Options))
}

// Check reports the error that Compile would return. It does not prepare the options of a
// select, which takes long if there are many.
func Check(f intray.Field) error {
	if f.Type.Name == intray.TypeSelect || f.Type.Name == intray.TypeMultiSelect {
		return nil
	}
	_, err := Compile(f)
	return err
}

// options maps the names of the options of a field's type to their values. A missing option has
// the type's default.
type options map[string]any

func (o options) boolean(name string, fallback bool) bool {
	if value, set := o[name].(bool); set {
		return value
	}
	return fallback
}

func (o options) text(name, fallback string) string {
	if value, set := o[name].(string); set {
		return value
	}
	return fallback
}

// integer returns an integer option. It accepts every Go type to which a JSON
// number can be decoded.
func (o options) integer(name string) (int, bool) {
	n, err := strconv.Atoi(fmt.Sprint(o[name]))
	return n, err == nil
}

func (o options) stringList(name string) (list []string) {
	all, _ := o[name].([]any)
	for _, value := range all {
		if text, ok := value.(string); ok {
			list = append(list, text)
		}
	}
	return list
}

// invalidResult returns the result for an invalid cell. The field's InvalidValueMessage, if set,
// replaces the problem.
func invalidResult(f intray.Field, problem intray.Message) Result {
	if f.InvalidValueMessage != "" {
		problem = intray.Literal(f.InvalidValueMessage)
	}
	return Result{State: Invalid, Problem: &problem}
}

// newResult returns the result for a cell with this value, which must be in
// scratch or part of raw.
func newResult(raw, value []byte) Result {
	if len(value) == len(raw) && bytes.Equal(value, raw) {
		return Result{State: Unchanged}
	}
	return Result{State: Parsed, Value: value}
}

// stringParser parses the type string. It accepts any text and does not change
// it. The value of an empty cell is the empty string. TextRemarks returns the remarks.
type stringParser struct{}

func newStringParser(intray.Field, options) (Parser, error) { return stringParser{}, nil }

func (stringParser) Parse(Cell, []byte) Result { return Result{State: Unchanged} }

// IsBlank reports whether raw is empty or consists of white space. Such a cell
// is empty in every type.
func IsBlank(raw []byte) bool { return len(trimSpace(raw)) == 0 }

// trimSpace returns raw without leading and trailing white space.
func trimSpace(raw []byte) []byte {
	if n := len(raw); n > 0 && raw[0]-'!' < utf8.RuneSelf-'!' && raw[n-1]-'!' < utf8.RuneSelf-'!' {
		return raw // the usual case
	}
	return bytes.TrimSpace(raw)
}

// SniffingParser is a Parser for cells that can be ambiguous. Without a Decision,
// it reads only unambiguous cells.
type SniffingParser interface {
	Parser
	// NewSniffer returns a sniffer for a column of the field.
	NewSniffer() Sniffer
	// Restore returns the Parser for the Spec of a Decision. It returns an
	// error for any other string.
	Restore(form string) (Parser, error)
}

// Sniffer observes the cells of one column, in order. Its memory is bounded. It
// is not safe for concurrent use.
type Sniffer interface {
	// Observe adds the next cell.
	Observe(c Cell)
	// Decide decides how to read the column. answers maps the keys of
	// ambiguities to the user's choices. Decide may be called again.
	Decide(answers map[string]string, neighbors []Neighbor) Decision
}

// Neighbor is another column of the file, with the decision about it.
type Neighbor struct {
	Header   string
	Decision Decision
}

// Decision describes how to read a column and why.
type Decision struct {
	// Parser reads the column.
	Parser Parser
	// Spec is the serialized form of Parser; see SniffingParser.Restore.
	Spec string
	// Style is the style that can serve as a hint for other columns of the
	// file. It is "" if no cell needs a style.
	Style string
	// Reasons explain the decision.
	Reasons []intray.Message
	// Ambiguities are the questions for the user.
	Ambiguities []Ambiguity

	style any
}

// Ambiguity is a question that the cells of a column do not answer.
type Ambiguity struct {
	// Key identifies the question within its column. It is "" if a column can have only one.
	Key  string
	Text intray.Message
	// Choices are the possible answers, each with readings of example cells.
	Choices []intray.Choice
}

// exampleTexts formats readings as the examples of a choice. API clients use
// the readings instead.
func exampleTexts(readings []intray.Reading) (texts []string) {
	for _, r := range readings {
		texts = append(texts, r.Raw+" is "+r.Value)
	}
	return texts
}

// CanonicalBytes returns the bytes that canonical text of a type can contain, or "" if it can
// contain any.
func CanonicalBytes(t intray.TypeName) string {
	const digits = "0123456789"
	switch t {
	case intray.TypeNumber:
		return digits + "-.e"
	case intray.TypeDate:
		return digits + "-"
	case intray.TypeTime:
		return digits + ":"
	case intray.TypeDatetime:
		return digits + "-:T"
	}
	return ""
}

// OutputFormatter returns a function that formats canonical text in the field's
// outputFormat, or nil if the result contains the canonical text.
func OutputFormatter(f intray.Field) (func(dst, canonical []byte) []byte, error) {
	return newFormatter(f, "outputFormat")
}

// DisplayFormatter returns a function that formats canonical text in the
// field's displayFormat, or nil if the canonical text is displayed.
func DisplayFormatter(f intray.Field) (func(dst, canonical []byte) []byte, error) {
	return newFormatter(f, "displayFormat")
}

// newFormatter returns a function that formats canonical text as an option of
// the field's type requires.
func newFormatter(f intray.Field, option string) (func(dst, canonical []byte) []byte, error) {
	o := options(f.Type.Options)
	if o[option] == nil {
		return nil, nil
	}
	switch f.Type.Name {
	case intray.TypeNumber:
		return newNumberFormatter(o, option)
	case intray.TypeDate:
		return newDateTimeFormatter(o, option, date.WantDate)
	case intray.TypeDatetime:
		return newDateTimeFormatter(o, option, date.WantDateTime)
	case intray.TypeTime:
		return newDateTimeFormatter(o, option, date.WantTime)
	}
	return nil, nil
}

func newNumberFormatter(o options, option string) (func(dst, canonical []byte) []byte, error) {
	compiled, err := number.CompileOptions(o)
	switch {
	case err != nil:
		return nil, err
	case option == "displayFormat":
		return compiled.Display.Append, nil
	case compiled.Output == nil:
		return nil, nil
	}
	return compiled.Output.Append, nil
}

func newDateTimeFormatter(o options, option string, want date.Want) (func(dst, canonical []byte) []byte, error) {
	format := o.text(option, date.ISO)
	if format == date.ISO {
		return nil, nil
	}
	layout, err := date.CompileLayout(format, o.text("locale", ""), want, o.boolean("withSeconds", false))
	if err != nil {
		return nil, err
	}
	var iso date.Style
	return func(dst, canonical []byte) []byte {
		r := iso.Read(canonical, want)
		if r.Reason != date.Read {
			return append(dst, canonical...)
		}
		return layout.Append(dst, r.Timestamp)
	}, nil
}
