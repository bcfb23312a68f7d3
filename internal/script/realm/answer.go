package realm

import (
	"fmt"
	"time"

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
	// More says that these are not all changes: [More] asks for the next ones.
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

// Fault is what is wrong with the source of a hook.
type Fault struct {
	// Hook is the name of the hook, or "" where it is not a hook's fault.
	Hook    string
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
