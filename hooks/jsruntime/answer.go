package jsruntime

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/intraydata/intray"
)

// Answer is the result of a call.
type Answer struct {
	// Used lists the indexes of the fields that the hooks use, if the call requested this list.
	Used []int
	// Missed lists the indexes of the fields that a hook used but that were not sent. If there
	// are any, the answer contains nothing else, and the call must be repeated with these
	// fields and with Fresh set.
	Missed []int
	// Times are the approximate running times of the hooks.
	Times []HookTime
	// Console contains the last lines that hooks printed.
	Console []string
	// Commands are the method calls of step hooks and beforeFinishCallback.
	Commands []Command
	// Cancelled reports whether beforeFinishCallback cancels the import. Message is the reason
	// for the cancellation.
	Cancelled bool
	Message   string
	// Failure is the reason why the call ended early, or nil.
	Failure *Failure
	// More reports whether there are more changes. [MoreCall] requests them. A later answer
	// may still be a failure.
	More bool
}

// Change is a change that a hook made in one cell.
type Change struct {
	// Row is the index of the row, counted from the first row of the call.
	Row int
	// Field is the index of the field in the [LoadCall]. Part is the index of a column of a
	// many-to-one field.
	Field, Part int
	// HasValue, HasInfos and HasOptions report what changed.
	HasValue, HasInfos, HasOptions bool
	Value                          Value
	// Infos replace the messages of the cell.
	Infos []Info
	// Options replace the select options of the cell.
	Options []intray.SelectOption
}

// Value is a value that a hook returned.
type Value struct {
	Kind ValueKind
	// Text is a string, or the JSON of any other value. It shares the memory of the answer.
	Text string
}

// HookTime is the running time of a hook.
type HookTime struct {
	Hook string
	Took time.Duration
}

// Command is a call to a method of the object that is passed to a step hook or
// beforeFinishCallback.
type Command struct {
	Hook string
	// Name is addField, removeField, updateInfoMessages, setHeaderRowOverride, addRows,
	// removeRows, setUser, setDevelopmentMode or setConfirmationMessage.
	Name string
	// Args are the arguments as JSON. The arguments of addRows are the rows and their IDs.
	Args []json.RawMessage
	// Line and Column are the position of the call in the hook's source, counted from 1, or
	// 0 if unknown.
	Line, Column int
}

// Kind is the reason for a failure.
type Kind string

// These are the kinds of failures.
const (
	// KindThrew: the hook threw, or its promise was rejected.
	KindThrew Kind = "threw"
	// KindReturned: the hook returned an invalid value.
	KindReturned Kind = "returned"
	// KindStuck: the promise of the hook never settles.
	KindStuck Kind = "stuck"
	// KindTime: the hook exceeded its time limit.
	KindTime Kind = "time"
	// KindMemory: the hook exceeded its memory limit.
	KindMemory Kind = "memory"
	// KindNull: null was thrown, either by the hook or by an engine that had no memory left
	// for an error object.
	KindNull Kind = "null"
)

// Failure is the reason why a call ended early.
//
//nolint:errname // Failure is a part of an answer, and only sometimes used as an error.
type Failure struct {
	Kind Kind
	// Hook is the name of the hook, or "" if unknown.
	Hook string
	// Row is the index of the row, or -1 if unknown.
	Row int64
	// Name is the name of the error, such as TypeError, or "" if it has none.
	Name    string
	Message string
	// Line and Column are the position in the hook's source, counted from 1, or 0 if unknown.
	Line, Column int
}

// Fatal reports whether the worker is unusable after this failure.
func (f *Failure) Fatal() bool { return f.Kind != KindThrew && f.Kind != KindReturned }

// Error returns a message with the hook, the position, the row and the reason.
func (f *Failure) Error() string {
	text := f.Hook
	text = cmp.Or(text, "a hook")
	if f.Line > 0 {
		text += fmt.Sprintf(", line %d", f.Line)
		if f.Column > 0 {
			text += fmt.Sprintf(", column %d", f.Column)
		}
	}
	if f.Row >= 0 {
		text += fmt.Sprintf(", on row %d", f.Row)
	}
	text += ": "
	if f.Name != "" {
		text += f.Name + ": "
	}
	return text + f.Message
}

// FaultKind is the reason why a hook cannot be loaded.
type FaultKind string

// These are the kinds of faults.
const (
	// FaultSyntax: the source is not valid JavaScript.
	FaultSyntax FaultKind = "syntax"
	// FaultNotFunction: the source is valid JavaScript but not a single function.
	FaultNotFunction FaultKind = "notFunction"
	// FaultModule: the source calls import().
	FaultModule FaultKind = "module"
	// FaultThrew: evaluating the source threw an error.
	FaultThrew FaultKind = "threw"
)

// Fault is the reason why a hook cannot be loaded.
type Fault struct {
	Kind FaultKind
	// Hook is the name of the hook, or "" if no hook is at fault.
	Hook string
	// Name is the name of the error, such as SyntaxError, or "" if it has none.
	Name    string
	Message string
	// Line and Column are the position in the hook's source, counted from 1, or 0 if unknown.
	Line, Column int
}

// Bounds are the limits of an answer, which depend on the call.
type Bounds struct {
	// Rows is the number of rows that were sent.
	Rows int
	// Fields has an entry for each field in the [LoadCall].
	Fields []FieldBounds
	// Learn reports whether the call requested a list of the fields that the hooks use.
	Learn bool
	// MaxChanges is the maximum number of changes in an answer.
	MaxChanges int
}

// FieldBounds are the limits for changes in one field.
type FieldBounds struct {
	// ManyToOne reports whether a change refers to one of the Columns that are mapped to
	// the field.
	ManyToOne bool
	Columns   int
}

// These are the flags of a change. They specify what follows its position.
const (
	flagValue = 1 << iota
	flagInfos
	flagOptions
	flagPart
	flagsEnd
)

// predictedFields is the number of fields at the start of the schema after whose changes the cell of
// the next change is predicted. After others, it is expected in the next row. predictedFields equals
// predicted in the prelude.
const predictedFields = 64

// changesScanner reads the flat list of changes. A string in place of a position is the value of the
// expected cell: it is as far from the last change as the next change was the last time that the
// same field changed. At first, this is the same field in the next row.
type changesScanner struct {
	*scanner
	bounds *Bounds
	// c is the last change.
	c Change
	// next contains, for each predicted field, the distance from its last change to the one after it.
	next [predictedFields]distance
}

// distance is the distance between two cells.
type distance struct{ rows, fields int }

// readChanges reads the flat list of changes and passes every change to the function each.
func (s *scanner) readChanges(bounds *Bounds, each func(c *Change)) {
	s.expect('[')
	if s.accept(']') {
		return
	}
	r := &changesScanner{scanner: s, bounds: bounds}
	for f := range r.next {
		r.next[f].rows = 1
	}
	for n := 0; s.err == nil; n++ {
		if n >= bounds.MaxChanges {
			s.fail("there are more than %d changes", bounds.MaxChanges)
			return
		}
		switch {
		case s.peek() != '"':
			r.readChange(n > 0)
		case n == 0 || !r.moveOn():
			s.fail("a value has no position")
		default:
			r.c.Value = Value{Text: s.readText(maxValue)}
		}
		if s.err != nil {
			return
		}
		each(&r.c)
		n += r.readRun(bounds.MaxChanges-1-n, each)
		if s.accept(']') {
			return
		}
		s.expect(',')
	}
}

// moveOn turns the last change into a change of a value in the expected cell. It returns false if
// there is no such cell.
func (r *changesScanner) moveOn() bool {
	by := distance{rows: 1}
	if r.c.Field < predictedFields {
		by = r.next[r.c.Field]
	}
	row, field := r.c.Row+by.rows, r.c.Field+by.fields
	if row < 0 || row >= r.bounds.Rows || r.bounds.Fields[field].ManyToOne {
		return false
	}
	if r.c.HasInfos || r.c.HasOptions || !r.c.HasValue || r.c.Part != 0 {
		r.c = Change{HasValue: true}
	}
	r.c.Row, r.c.Field = row, field
	return true
}

// readRun reads strings without escapes, which have no positions, and returns their number.
func (r *changesScanner) readRun(most int, each func(c *Change)) (n int) {
	for ; n < most; n++ {
		rest := r.raw[r.at:]
		if len(rest) < 2 || rest[0] != ',' || rest[1] != '"' {
			break
		}
		text := rest[2:]
		size := verbatimLength(text, 0)
		if size > maxValue || size == len(text) || text[size] != '"' || !r.moveOn() {
			break
		}
		r.c.Value = Value{Text: text[:size]}
		r.at += 2 + size + 1
		each(&r.c)
	}
	return n
}

// readChange reads a change with its position, which includes its flags. follows reports whether it
// follows another change.
func (r *changesScanner) readChange(follows bool) {
	s, last := r.scanner, distance{r.c.Row, r.c.Field}
	fields := int64(len(r.bounds.Fields))
	position := s.readInteger(0, int64(r.bounds.Rows)*fields*flagsEnd-1)
	flags := position % flagsEnd
	if s.err == nil && flags&(flagsEnd-1-flagPart) == 0 {
		s.fail("a change is empty")
	}
	if s.err != nil {
		return
	}
	cell := position / flagsEnd
	c := Change{Row: int(cell / fields), Field: int(cell % fields)}
	field := &r.bounds.Fields[c.Field]
	if hasPart := flags&flagPart != 0; hasPart != field.ManyToOne {
		s.fail("a change names a column of a field without columns, or none of a many-to-one field")
		return
	}
	if field.ManyToOne {
		s.expect(',')
		c.Part = int(s.readInteger(0, int64(field.Columns)-1))
	}
	if c.HasValue = flags&flagValue != 0; c.HasValue {
		s.expect(',')
		c.Value = s.readValue()
	}
	if c.HasInfos = flags&flagInfos != 0; c.HasInfos {
		s.expect(',')
		s.readList(maxInfos, func(int) { c.Infos = append(c.Infos, s.readInfo()) })
	}
	if c.HasOptions = flags&flagOptions != 0; c.HasOptions {
		s.expect(',')
		s.readList(maxOptions, func(int) { c.Options = append(c.Options, s.readOption()) })
	}
	if follows && last.fields < predictedFields {
		r.next[last.fields] = distance{c.Row - last.rows, c.Field - last.fields}
	}
	r.c = c
}

// readValue reads a scalar or a list of scalars.
func (s *scanner) readValue() Value {
	if s.peek() != '[' {
		return s.readScalar()
	}
	from := s.at
	s.readList(maxList, func(int) { s.readScalar() })
	if s.err != nil {
		return Value{}
	}
	return Value{Kind: ValueList, Text: s.raw[from:s.at]}
}

func (s *scanner) readInfo() (info Info) {
	s.readObject(func(name string) {
		switch name {
		case "message":
			info.Message = s.readText(maxMessage)
		case "level":
			level, known := intray.ParseLevel(s.readText(maxName))
			if !known {
				s.fail("an info has an unknown level")
			}
			info.Level = level
		default:
			s.fail("an info has an unknown member")
		}
	})
	return info
}

func (s *scanner) readOption() (option intray.SelectOption) {
	s.readObject(func(name string) {
		switch name {
		case "label":
			option.Label = s.readText(maxValue)
		case "value":
			option.Value = s.readText(maxValue)
		case "alternateMatches":
			s.readList(maxList, func(int) {
				option.AlternateMatches = append(option.AlternateMatches, s.readText(maxValue))
			})
		default:
			s.fail("an option has an unknown member")
		}
	})
	return option
}

// These are the limits of an answer. The prelude enforces lower limits and explains them to
// the author of a hook, so only a forged answer exceeds these.
const (
	maxName     = 1 << 10 // bytes in a name
	maxValue    = 3 << 20 // bytes in a string
	maxList     = 10_000  // elements in a value that is a list
	maxInfos    = 100     // messages for a cell
	maxMessage  = 8 << 10 // bytes in a message
	maxOptions  = 10_000  // options for a cell
	maxCommands = 10_000  // commands in a call
	maxArgs     = 4       // arguments of a command
	maxConsole  = 20      // lines of console output
	maxHooks    = 10_000  // hooks in a schema
	maxPosition = 1 << 31 // the highest line or column
)

// answerJSON is an answer without its changes.
type answerJSON struct {
	Faults  []Fault
	Failure *Failure
	Used    []int
	Miss    *[]int
	Times   []struct {
		Hook string
		MS   float64
	}
	Console  []string
	Commands []Command
	More     bool
	Cancel   bool
	Message  string
}

// ReadLoaded reads the answer to a [LoadCall]. It returns the hooks that cannot be loaded,
// or the failure that ended the loading.
func ReadLoaded(raw string) ([]Fault, *Failure, error) {
	s := &scanner{raw: raw}
	wire := s.readAnswer(func() { s.fail("loading cannot change cells") })
	for _, f := range wire.Faults {
		s.require(slices.Contains([]FaultKind{FaultSyntax, FaultNotFunction, FaultThrew}, f.Kind), "a fault has an unknown kind")
		s.checkError(f.Hook, f.Name, f.Message, f.Line, f.Column)
	}
	s.require(len(wire.Faults) <= maxHooks, "there are more than %d faults", maxHooks)
	if s.err != nil {
		return nil, nil, s.err
	}
	return wire.Faults, wire.Failure, nil
}

// ReadAnswer reads the answer to any other call. It passes all changes to the function each, one
// at a time, in the order in which hooks made them. A Change is valid until that function
// returns. Strings share the memory of raw.
//
// The answer may be forged. If the answer contains anything that the call does not allow,
// ReadAnswer returns an error, and the changes that it has already passed on are invalid.
func ReadAnswer(raw string, bounds Bounds, each func(c *Change)) (*Answer, error) {
	s := &scanner{raw: raw}
	wire := s.readAnswer(func() { s.readChanges(&bounds, each) })
	a := &Answer{
		Used: wire.Used, Console: wire.Console, Commands: wire.Commands,
		Cancelled: wire.Cancel, Message: wire.Message, Failure: wire.Failure, More: wire.More,
	}
	if wire.Miss != nil {
		a.Missed = *wire.Miss
		s.require(len(a.Missed) > 0, "it misses columns but names none")
	}
	s.require(wire.Faults == nil, "it has the faults of a load")
	s.require(bounds.Learn || len(a.Used) == 0, "it names columns that the call did not ask for")
	for _, fields := range [][]int{a.Used, a.Missed} {
		s.require(len(fields) <= len(bounds.Fields), "it names too many fields")
		for _, field := range fields {
			s.require(field >= 0 && field < len(bounds.Fields), "there is no field %d", field)
		}
	}
	s.require(len(wire.Times) <= maxHooks, "there are more than %d times", maxHooks)
	for _, t := range wire.Times {
		if !(t.MS >= 0 && t.MS < 1e9) {
			t.MS = 0
		}
		a.Times = append(a.Times, HookTime{Hook: t.Hook, Took: time.Duration(t.MS * float64(time.Millisecond))})
	}
	s.require(len(a.Commands) <= maxCommands, "there are more than %d commands", maxCommands)
	for _, c := range a.Commands {
		s.require(commandNames[c.Name], "a command has an unknown name")
		s.require(len(c.Args) <= maxArgs, "a command has more than %d arguments", maxArgs)
		s.checkError(c.Hook, "", "", c.Line, c.Column)
	}
	if s.err != nil {
		return nil, s.err
	}
	return a, nil
}

// commandNames contains the names of all commands.
var commandNames = map[string]bool{
	"addField": true, "removeField": true, "updateInfoMessages": true, "setHeaderRowOverride": true, "addRows": true,
	"removeRows": true, "setUser": true, "setDevelopmentMode": true, "setConfirmationMessage": true,
}

// readAnswer reads an answer. It calls readChanges to read the changes and returns all
// other parts.
func (s *scanner) readAnswer(readChanges func()) (wire answerJSON) {
	s.require(utf8.ValidString(s.raw), "it is not UTF-8")
	rest := []byte{'{'}
	s.readObject(func(name string) {
		if name == "changes" {
			readChanges()
			return
		}
		rest = appendText(appendComma(rest, len(rest)-1), name)
		rest = append(append(rest, ':'), s.readAny(0)...)
	})
	if s.err == nil && s.peek() != 0 || s.at < len(s.raw) {
		s.fail("there is more than one value")
	}
	if s.err != nil {
		return answerJSON{}
	}
	d := json.NewDecoder(bytes.NewReader(append(rest, '}')))
	d.DisallowUnknownFields()
	if err := d.Decode(&wire); err != nil {
		s.fail("%v", err)
		return answerJSON{}
	}
	s.require(len(wire.Console) <= maxConsole, "there are more than %d lines of console output", maxConsole)
	for _, line := range wire.Console {
		s.require(len(line) <= maxName, "a line of console output is too long")
	}
	s.require(len(wire.Message) <= maxMessage, "a message is too long")
	if f := wire.Failure; f != nil {
		s.require(slices.Contains([]Kind{KindThrew, KindReturned, KindStuck, KindTime, KindMemory, KindNull}, f.Kind), "a failure has an unknown kind")
		s.require(f.Row >= -1 && f.Row <= 1<<53, "there is no row %d", f.Row)
		s.checkError(f.Hook, f.Name, f.Message, f.Line, f.Column)
	}
	return wire
}

// checkError checks the parts of an answer that describe an error in a hook.
func (s *scanner) checkError(hook, name, message string, line, column int) {
	s.require(len(hook) <= maxName && len(name) <= maxName && len(message) <= maxMessage, "a text about an error is too long")
	s.require(line >= 0 && line <= maxPosition && column >= 0 && column <= maxPosition, "there is no line %d, column %d", line, column)
}
