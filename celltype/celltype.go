// Package celltype reads the cells of a column as the type of its field.
//
// A [Parser] belongs to one field and is compiled once. A [Cell] is what the
// source gave: raw text, and from a workbook the typed value behind it. A
// [Parser] turns a cell into the canonical text of its value, or says what is
// wrong with it. Where cells can be read in several ways (12/04/2021, 1.234), a
// [Sniffer] looks at the whole column first and decides on a style, or says that
// the column leaves it open.
//
// The package looks at one column at a time: it knows neither rows nor
// validators, and an empty cell is never wrong to it.
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

// Cell is a cell as the source gave it.
type Cell struct {
	// Raw is the text; of a workbook's cell what the application displays.
	Raw []byte
	// Kind and Typed are the value behind it, as [intray.Records] has them.
	Kind  intray.CellKind
	Typed []byte
}

// Parser reads the cells of one field. It may be used from several goroutines.
type Parser interface {
	// Parse reads a cell. Where the value differs from the raw text, Result.Value
	// stands in scratch, in the raw text or in memory of its own.
	Parse(c Cell, scratch []byte) Result
}

// Result is what a cell was read as.
type Result struct {
	State State
	// Value is the canonical text where State is Parsed.
	Value []byte
	// Problem says what is wrong where State is Invalid.
	Problem intray.Message
	// Note tells what was done to read the cell; nil, as most cells need none.
	// It must not be changed.
	Note *Note
}

// Note is something to tell about a cell that was read.
type Note struct {
	// Code is that of the problem that it becomes.
	Code  string
	Level intray.Level
	Text  intray.Message
}

// CodeMapped is the code of the note that a text was taken for a value that it is
// close to.
const CodeMapped = "value_mapped"

// State says how a cell was read.
type State uint8

// The states of a cell.
const (
	// Unchanged: the value is the raw text itself.
	Unchanged State = iota
	// Parsed: the value is Result.Value.
	Parsed
	// Empty: the cell has no value, and nothing is wrong.
	Empty
	// Invalid: the raw text is no value of the type.
	Invalid
)

// compilers hold for each type how its parser is made.
var compilers = map[intray.TypeName]func(f intray.Field, o options) (Parser, error){
	intray.TypeString:      newStringParser,
	intray.TypeEmail:       newEmail,
	intray.TypeNumber:      newNumberParser,
	intray.TypeDate:        newDateTimeParser(date.WantDate),
	intray.TypeDatetime:    newDateTimeParser(date.WantDateTime),
	intray.TypeTime:        newDateTimeParser(date.WantTime),
	intray.TypeCheckbox:    newCheckbox,
	intray.TypeSelect:      newSelect,
	intray.TypeMultiSelect: newMultiSelect,
	intray.TypePhone:       newPhoneParser,
	intray.TypeURL:         newURL,
	intray.TypeDomain:      newDomain,
	intray.TypeZIP:         newZIP,
	intray.TypeState:       newState,
	intray.TypeSSN:         newSSN,
	intray.TypeCountry:     newCountry,
	intray.TypeUUID:        newUUID,
}

// Compile makes the parser of a field.
func Compile(f intray.Field) (Parser, error) {
	compile, known := compilers[f.Type.Name]
	if !known {
		return nil, fmt.Errorf("the type %q is not supported by this version", f.Type.Name)
	}
	return compile(f, options(f.Type.Options))
}

// options are those of a field's type. One that is missing has the type's default.
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

// integer reads a JSON number, however it was decoded.
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

// invalidResult gives the result for a cell that cannot be read: with the message of the
// field where it has one.
func invalidResult(f intray.Field, problem intray.Message) Result {
	if f.InvalidValueMessage != "" {
		problem = intray.Literal(f.InvalidValueMessage)
	}
	return Result{State: Invalid, Problem: problem}
}

// newResult is the result for a cell whose value is the text given, written in
// scratch or a part of raw.
func newResult(raw, value []byte) Result {
	if len(value) == len(raw) && bytes.Equal(value, raw) {
		return Result{State: Unchanged}
	}
	return Result{State: Parsed, Value: value}
}

// stringParser is the type string: anything, unchanged. An empty cell is the empty
// text, which is a value.
type stringParser struct{}

func newStringParser(intray.Field, options) (Parser, error) { return stringParser{}, nil }

func (stringParser) Parse(Cell, []byte) Result { return Result{State: Unchanged} }

// IsBlank says whether raw holds nothing but white space. Such a cell counts as
// empty, whatever the type.
func IsBlank(raw []byte) bool { return len(trimSpace(raw)) == 0 }

// trimSpace is raw without the white space at its ends.
func trimSpace(raw []byte) []byte {
	if n := len(raw); n > 0 && raw[0]-'!' < utf8.RuneSelf-'!' && raw[n-1]-'!' < utf8.RuneSelf-'!' {
		return raw // the usual case
	}
	return bytes.TrimSpace(raw)
}

// SniffingParser is a Parser whose cells can be read in several ways. Used without a
// survey it reads what can be read in one way alone.
type SniffingParser interface {
	Parser
	// NewSniffer begins to look at a column.
	NewSniffer() Sniffer
	// Restore gives the Parser of a Decision by its Form. Any other text is an
	// error.
	Restore(form string) (Parser, error)
}

// Sniffer looks at the cells of one column, in their order. It is for one
// goroutine, and its memory is bounded.
type Sniffer interface {
	// Observe takes the next cell.
	Observe(c Cell)
	// Decide says how the column is to be read. Answers hold what a person chose,
	// by the forms of ties. It can be asked again.
	Decide(answers map[string]string, beside []Neighbor) Decision
}

// Neighbor is another column of the file whose cells have decided how it is read.
type Neighbor struct {
	Header   string
	Decision Decision
}

// Decision is how a column is read, and why.
type Decision struct {
	// Parser reads the column so.
	Parser Parser
	// Spec is that as text, from which SniffingParser.Restore makes the Parser again.
	Spec string
	// Style is that in words, as other columns are told; "" where no cell needs
	// one.
	Style string
	// Reasons tell why.
	Reasons []intray.Message
	// Ambiguities are what a person has to choose.
	Ambiguities []Ambiguity

	style any
}

// Ambiguity is a choice that the cells of a column leave open.
type Ambiguity struct {
	// Key names it among those of its column; "" where a column has only one.
	Key  string
	Text intray.Message
	// Choices are the ways to read the cells, each with readings.
	Choices []intray.Choice
}

// exampleTexts gives readings as the examples of a choice. Programs that need the
// parts use the readings.
func exampleTexts(readings []intray.Reading) (texts []string) {
	for _, r := range readings {
		texts = append(texts, r.Raw+" is "+r.Value)
	}
	return texts
}

// OutputFormatter gives what writes the canonical text of a field in the field's
// outputFormat; nil where the result holds the canonical text itself.
func OutputFormatter(f intray.Field) (func(dst, canonical []byte) []byte, error) {
	return newFormatter(f, "outputFormat")
}

// DisplayFormatter gives what writes the canonical text of a field in the field's
// displayFormat; nil where people see the canonical text itself.
func DisplayFormatter(f intray.Field) (func(dst, canonical []byte) []byte, error) {
	return newFormatter(f, "displayFormat")
}

// newFormatter writes in the format that an option of the field's type names.
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
