package jsruntime

import (
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/intraydata/intray"
)

// Answer is what came of a call.
type Answer struct {
	// Used are the fields whose cells the hooks touched, where the call was to
	// learn them.
	Used []int
	// Missed are fields that a hook touched and that were not sent. Nothing
	// else is in such an answer: the call must be made again with them, Fresh.
	Missed []int
	// Times is how long hooks took, about.
	Times []HookTime
	// Console are the last lines that hooks printed.
	Console []string
	// Commands are what step hooks and the last callback asked for.
	Commands []Command
	// Cancelled says that the last callback cancels the import, for the reason
	// of Message.
	Cancelled bool
	Message   string
	// Failure is why the call broke off, or nil.
	Failure *Failure
	// More says that these are not all changes: [MoreCall] asks for the next ones.
	// An answer that comes later can still be a failure.
	More bool
}

// Change is what a hook changed in one cell.
type Change struct {
	// Row counts from the first row of the call.
	Row int
	// Field is the place of the field, Part which of its columns, where several
	// feed it.
	Field, Part int
	// HasValue, HasInfos and HasOptions say what changed.
	HasValue, HasInfos, HasOptions bool
	Value                          Value
	// Infos take the place of those that the cell had.
	Infos []Info
	// Options take the place of those that the cell had of its own.
	Options []intray.SelectOption
}

// Value is what a hook gave as a value.
type Value struct {
	Kind ValueKind
	// Text is the text, or the JSON of a number, of true or false, or of a
	// list. It is part of the answer that was read.
	Text string
}

// HookTime is what one hook took.
type HookTime struct {
	Hook string
	Took time.Duration
}

// Command is one call of a method of the import that step hooks are given.
type Command struct {
	Hook string
	// Name is addField, removeField, updateInfoMessages, setHeaderRowOverride,
	// addRows, removeRows, setUser, setDevelopmentMode or
	// setConfirmationMessage.
	Name string
	// Args are its arguments, as JSON. Those of addRows are the rows and the
	// ids that they were given.
	Args [][]byte
	// Line and Column say where in the hook's own source it was called; 0 is unknown.
	Line, Column int
}

// Kind says why a call broke off.
type Kind string

// The kinds of failures.
const (
	// KindThrew: the hook threw, or its promise was rejected.
	KindThrew Kind = "threw"
	// KindReturned: what the hook returned cannot be taken.
	KindReturned Kind = "returned"
	// KindStuck: the promise of the hook never settles.
	KindStuck Kind = "stuck"
	// KindTime: the hook took longer than it may.
	KindTime Kind = "time"
	// KindMemory: the hook needs more memory than it may have.
	KindMemory Kind = "memory"
	// KindNull: null was thrown, by the hook or by an engine that had no memory left
	// for an error.
	KindNull Kind = "null"
)

// Failure is why a call broke off.
type Failure struct {
	Kind Kind
	// Hook is the name of the hook, or "".
	Hook string
	// Row is the index of the row, or -1.
	Row int64
	// Name is that of the error, such as TypeError; "" where it has none.
	Name    string
	Message string
	// Line and Column count from 1 in the hook's own source; 0 is unknown.
	Line, Column int
}

// Fatal says that the worker is of no use after this failure.
func (f *Failure) Fatal() bool { return f.Kind != KindThrew && f.Kind != KindReturned }

// Error gives one sentence: which hook, where, on which row, and why.
func (f *Failure) Error() string {
	text := f.Hook
	if text == "" {
		text = "a hook"
	}
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

// The kinds of faults.
const (
	// FaultSyntax: the source is not valid JavaScript.
	FaultSyntax FaultKind = "syntax"
	// FaultNotFunction: the source is valid but not one function.
	FaultNotFunction FaultKind = "notFunction"
	// FaultModule: the source calls import().
	FaultModule FaultKind = "module"
	// FaultThrew: evaluating the source threw an error.
	FaultThrew FaultKind = "threw"
)

// Fault is why a hook cannot be loaded.
type Fault struct {
	Kind FaultKind
	// Hook is the name of the hook. "" means that no hook is at fault.
	Hook string
	// Name is that of the error, such as SyntaxError; "" where it has none.
	Name    string
	Message string
	// Line and Column count from 1 in the hook's own source; 0 is unknown.
	Line, Column int
}

// Bounds are what an answer must keep to: those of the call.
type Bounds struct {
	// Rows is how many rows were sent.
	Rows int
	// Parts holds for each field of the load how many columns feed it where it
	// has Many, and else 0. -1 stands for a field with Many that no column feeds,
	// in which nothing can change.
	Parts []int
	// Learn says that the call was to learn columns.
	Learn bool
	// Changes is how many there may be; 0 stands for one for each cell, and below it
	// for none.
	Changes int
}

// The flags of a change; they say what follows it.
const (
	flagValue = 1 << iota
	flagInfos
	flagOptions
	flagPart
	flagsEnd
)

// readChanges reads the flat list: places with flags, and what these name.
func (s *scanner) readChanges(bounds Bounds, each func(c *Change)) {
	s.expect('[')
	if s.accept(']') {
		return
	}
	most := bounds.Changes
	if most == 0 {
		for _, parts := range bounds.Parts {
			most += bounds.Rows * max(parts, 1)
		}
	}
	var c Change
	for n, place := 0, int64(-1); s.err == nil; n++ {
		if n >= most {
			s.fail("there are more than %d changes", max(most, 0))
			return
		}
		if place = s.readChange(&c, bounds, place); s.err != nil {
			return
		}
		each(&c)
		if s.accept(']') {
			return
		}
		s.expect(',')
	}
}

// readChange reads where the next change is and what it changes. A text stands there for
// the value of the same field in the row after, where before that was a value alone.
func (s *scanner) readChange(c *Change, bounds Bounds, before int64) (place int64) {
	if s.peek() == '"' {
		return s.readNextRowValue(c, bounds, before)
	}
	fields := int64(len(bounds.Parts))
	place = s.readInteger(0, int64(bounds.Rows)*fields*flagsEnd-1)
	flags := place % flagsEnd
	if s.err == nil && flags&(flagsEnd-1-flagPart) == 0 {
		s.fail("a change changes nothing")
	}
	if s.err != nil {
		return place
	}
	cell := place / flagsEnd
	*c = Change{Row: int(cell / fields), Field: int(cell % fields)}
	parts := bounds.Parts[c.Field]
	if parts < 0 || (flags&flagPart != 0) != (parts > 0) {
		s.fail("a change names a part where there is none, or none where there are")
		return place
	}
	if flags&flagPart != 0 {
		s.expect(',')
		c.Part = int(s.readInteger(0, int64(parts)-1))
	}
	s.readContent(c, flags)
	return place
}

// readNextRowValue reads a value that stands below the one before it.
func (s *scanner) readNextRowValue(c *Change, bounds Bounds, before int64) (place int64) {
	place = before + int64(len(bounds.Parts))*flagsEnd
	if before < 0 || before%flagsEnd != flagValue || c.Row+1 >= bounds.Rows {
		s.fail("a value has no place")
		return place
	}
	c.Row++
	c.Value = Value{Text: s.readText(maxValue)}
	return place
}

// readContent reads what changes.
func (s *scanner) readContent(c *Change, flags int64) {
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
				s.fail("there is no level of that name")
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

// What an answer may hold; more than that is refused. The prelude keeps to the
// same bounds and tells the hook's author, so only a forged answer meets these.
const (
	maxName     = 1 << 10 // bytes of a name
	maxValue    = 3 << 20 // bytes of a text
	maxList     = 10_000  // elements of a value that is a list
	maxInfos    = 100     // messages of a cell
	maxMessage  = 8 << 10 // bytes of a message
	maxOptions  = 10_000  // options of a cell
	maxCommands = 10_000  // commands of a call
	maxConsole  = 20      // lines of console output
	maxHooks    = 10_000  // hooks of a schema
)

// ReadLoaded reads the answer to a [LoadCall]: nothing, or what is wrong.
func ReadLoaded(raw string) ([]Fault, error) {
	s := &scanner{raw: raw}
	if !utf8.ValidString(raw) {
		s.fail("it is no UTF-8")
	}
	var faults []Fault
	s.readObject(func(name string) {
		switch name {
		case "faults":
			s.readList(maxHooks, func(int) { faults = append(faults, s.readFault()) })
		case "console":
			s.readConsole()
		default:
			s.fail("it has an unknown member")
		}
	})
	s.expectEnd()
	if s.err != nil {
		return nil, s.err
	}
	return faults, nil
}

func (s *scanner) readFault() (f Fault) {
	s.readObject(func(name string) {
		switch name {
		case "kind":
			f.Kind = FaultKind(s.readText(maxName))
		case "hook":
			f.Hook = s.readText(maxName)
		case "name":
			f.Name = s.readText(maxName)
		case "message":
			f.Message = s.readText(maxMessage)
		case "line":
			f.Line = int(s.readInteger(0, 1<<31))
		case "column":
			f.Column = int(s.readInteger(0, 1<<31))
		default:
			s.fail("a fault has an unknown member")
		}
	})
	switch f.Kind {
	case FaultSyntax, FaultNotFunction, FaultThrew:
	default:
		s.fail("there is no fault of that kind")
	}
	return f
}

// ReadAnswer reads the answer to any other call. The bytes may be forged:
// whatever the call does not allow for is an error, and nothing is taken then.
// What it gives is part of raw.
//
// The changes are handed out one by one, in the order in which hooks made them; a
// later one of a cell counts. Each is gone with the next. Where there is an error
// in the end, those before it count for nothing.
func ReadAnswer(raw string, bounds Bounds, each func(c *Change)) (*Answer, error) {
	s := &scanner{raw: raw}
	if !utf8.ValidString(raw) {
		s.fail("it is no UTF-8")
	}
	a := &Answer{}
	s.readObject(func(name string) { s.readMember(a, name, bounds, each) })
	s.expectEnd()
	if s.err == nil && len(a.Used) > 0 && !bounds.Learn {
		s.fail("it names columns that nobody asked for")
	}
	if s.err != nil {
		return nil, s.err
	}
	return a, nil
}

func (s *scanner) readMember(a *Answer, name string, bounds Bounds, each func(c *Change)) {
	switch name {
	case "changes":
		s.readChanges(bounds, each)
	case "used":
		a.Used = s.readFields(bounds)
	case "miss":
		if a.Missed = s.readFields(bounds); len(a.Missed) == 0 {
			s.fail("it lacks columns and names none")
		}
	case "times":
		s.readList(maxHooks, func(int) { a.Times = append(a.Times, s.readTime()) })
	case "console":
		a.Console = s.readConsole()
	case "commands":
		s.readList(maxCommands, func(int) { a.Commands = append(a.Commands, s.readCommand()) })
	case "more":
		a.More = s.readBool()
	case "cancel":
		a.Cancelled = s.readBool()
	case "message":
		a.Message = s.readText(maxMessage)
	case "failure":
		a.Failure = s.readFailure()
	default:
		s.fail("it has an unknown member")
	}
}

func (s *scanner) readFields(bounds Bounds) []int {
	list := []int{}
	s.readList(len(bounds.Parts), func(int) {
		list = append(list, int(s.readInteger(0, int64(len(bounds.Parts))-1)))
	})
	return list
}

func (s *scanner) readConsole() (lines []string) {
	s.readList(maxConsole, func(int) { lines = append(lines, s.readText(maxName)) })
	return lines
}

func (s *scanner) readTime() (t HookTime) {
	s.readObject(func(name string) {
		switch name {
		case "hook":
			t.Hook = s.readText(maxName)
		case "ms":
			t.Took = s.readMilliseconds()
		default:
			s.fail("a time has an unknown member")
		}
	})
	return t
}

func (s *scanner) readCommand() (c Command) {
	s.readObject(func(name string) {
		switch name {
		case "hook":
			c.Hook = s.readText(maxName)
		case "name":
			c.Name = s.readText(maxName)
		case "args":
			s.readList(4, func(int) { c.Args = append(c.Args, []byte(s.readAny(0))) })
		case "line":
			c.Line = int(s.readInteger(0, 1<<31))
		case "column":
			c.Column = int(s.readInteger(0, 1<<31))
		default:
			s.fail("a command has an unknown member")
		}
	})
	if !commandNames[c.Name] {
		s.fail("there is no command of that name")
	}
	return c
}

// commandNames are the names of all commands.
var commandNames = map[string]bool{
	"addField": true, "removeField": true, "updateInfoMessages": true, "setHeaderRowOverride": true, "addRows": true,
	"removeRows": true, "setUser": true, "setDevelopmentMode": true, "setConfirmationMessage": true,
}

func (s *scanner) readFailure() *Failure {
	f := &Failure{}
	s.readObject(func(name string) {
		switch name {
		case "kind":
			f.Kind = Kind(s.readText(maxName))
		case "row":
			f.Row = s.readInteger(-1, 1<<53)
		case "hook":
			f.Hook = s.readText(maxName)
		case "name":
			f.Name = s.readText(maxName)
		case "message":
			f.Message = s.readText(maxMessage)
		case "line":
			f.Line = int(s.readInteger(0, 1<<31))
		case "column":
			f.Column = int(s.readInteger(0, 1<<31))
		default:
			s.fail("a failure has an unknown member")
		}
	})
	switch f.Kind {
	case KindThrew, KindReturned, KindStuck, KindTime, KindMemory, KindNull:
	default:
		s.fail("there is no failure of that kind")
	}
	return f
}
