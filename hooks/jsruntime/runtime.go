// Package jsruntime runs the JavaScript hooks of organizations and defines the protocol
// between the service and the processes that run them.
//
// A [Runtime] is a QuickJS engine that has loaded the prelude: scripts of this package that
// replace the clock and random numbers, remove features that hooks must not use, pass rows as
// records and collect changes. Node runs the same prelude ([NodeScript]). On machines whose
// memory layout allows it, direct calls into QuickJS replace the parts of the prelude that would
// take longer than most hooks (native.go): the loop over rows, reading the changes that row hooks
// return, and writing these changes. The *Call types are requests to a worker that has a
// runtime. An [Answer] is the result of a request, and a [Failure] is the reason why a request
// ended early.
//
// The package does not start processes, and does not enforce a time limit from outside the
// engine. It has no knowledge of imports: it decides neither when hooks run nor what happens to
// their changes. A runtime is not a security boundary, so hooks must run in a sandboxed process.
//
// # Records
//
// A row hook receives {row, index, rowId}. row contains every field of the schema, in order,
// as {value, resultValue, info}, with selectOptions if the cell has options other than those
// of the field. value is the displayed value, and resultValue is the value in the result. A
// many-to-one field also has manyToOne, an array with one such cell per column; its value and
// resultValue are arrays that hooks can only read. index is a number, counted from 0, and
// rowId is a string. Changes to a record have an effect only if the hook returns the record.
//
// A hook returns nothing, null, or {row} with the fields that change. In a returned cell,
// properties that are undefined do not change. A value is a string, a finite number, true,
// false, null, or an array of these. Any other value is an error, and so is a field that is not
// in the schema. A value that is equal to the value of the cell is not a change. info replaces
// the messages of the cell. manyToOne must have as many elements as the field has columns, and
// is an error for any other field. If a bulk or column hook changes a cell more than once, the
// last change is used. A hook may be async: its promise settles before the next hook runs. A
// promise that can never settle is reported as an error immediately.
//
// A call may run several hooks of a kind. Each hook sees the changes that earlier hooks made.
// For a changed cell, resultValue is the value as the earlier hook returned it. A caller that
// parses values between hooks makes a separate call for each hook. In a call with several row
// hooks, all of them run on one row before any of them runs on the next.
//
// # Repeatable results
//
// Date.now, new Date() and formatting functions without a date use [Pins].Now. Math.random
// depends on the seed, the hook and the index of the row, but not on how rows are split
// into calls. A hook whose source starts with the comment
//
//	// intray: live-clock
//
// uses the real clock. Hooks cannot use the network, timers, modules, files or code created
// from strings, and cannot observe the garbage collector or other threads. Nothing depends on
// the machine: in both runtimes, the time zone is UTC and the locale is en-US unless the
// [Pins] set others. The TZ and LANG environment variables of the process have no effect.
//
// QuickJS supports only UTC and has no locales: Intl, localeCompare, toLocaleString and
// similar functions throw an error that refers to Node. Data that a hook stores between
// rows lasts as long as its worker, but hooks must not rely on it, because calls go to
// several workers and may be repeated. A Fresh call starts without such data.
//
// The runtimes can silently differ in four ways: the messages of the engines' own errors, the
// positions of some of these errors, how Date parses strings that are not in ISO 8601 format,
// and the supported features of newer language editions.
//
// # Methods
//
// Step hooks and beforeFinishCallback receive an object with methods, which can be called
// until the hook ends. A method reads its arguments once and throws an error if they are
// invalid, so the failure has the position of the call. The caller of this package checks
// whether a field is valid; the addField command includes its position for that purpose.
//
// # Protocol
//
// A request and its answer are JSON in UTF-8. Every request starts with {"budget":MS, the
// time limit in milliseconds, where 0 means the limit of the worker. Then comes "op":
//
//	load    memory, fields [{key, many?}], hooks [{kind, name, source, reads?}],
//	        pins {now, seed, timeZone, locale}, limit, sparse
//	rows    hooks? [name], mode, learn?, fresh?, lazy?, trace?, limit?, and rows; so do
//	        bulk and delete
//	column  hooks [name], lazy?, limit?, field, part (-1: the whole field), and rows
//	keep    field, part (-1: the field is not many-to-one), from, size, pack
//	more
//	step    step?, hooks [name], about (any JSON), newIds, nextId
//	finish  rows (a number), keys, lazy?, fresh?, values (columns), about, newIds, nextId
//
// Rows are: rows (the number of rows), first (the index of the first row), indexes and ids
// if they cannot be derived from first, and columns, one for each field. A column is 0 if
// it is not sent. Otherwise, it is {value, result?, lists?, infos?, options?}, or {parts}
// with a list of these. value and result have a value for each row; infos and options
// alternate between a row and its list; lists is true if any value is a list.
//
// The answer to load is {faults}, each {kind, hook, name?, message, line, column}. Hooks
// with a fault cannot run. Any other answer is one of
//
//	{changes, times, used?, commands?, cancel?, message?}
//	           commands are {hook, name, args, line?, column?}
//	{changes, more: true}   the next request asks for more
//	{miss}     a hook used columns that were not sent; nothing was changed
//	{failure}  {kind, hook, row, name, message, line, column}
//
// and also has console, the last lines that hooks printed. changes is one flat list of
// numbers, (row * fields + field) * 16 + flags, each followed by the items that its flags
// specify: part (8), value (1), info (2) and selectOptions (4). A string in place of a
// number is the value of the same field in the next row, after a change that has only a
// value. Lines and columns are counted from 1; 0 means unknown.
//
// reads marks row hooks that only read individual cells and cannot keep the record. They
// receive the same record for all rows of a call.
//
// A call with learn receives all columns, and its answer lists the columns that the hooks
// used. Later calls send only these. If a hook uses a further column, the call ends with
// miss, even if the hook catches every exception. The caller then repeats the call with
// that column and with fresh.
//
// # Many rows
//
// Calls with very many rows are lazy. Their columns are sent ahead in packs of rows. keep
// contains {value, result?, lists?, infos?, options?}, where value and result are {text,
// sizes, kinds?, long?}: text is the concatenation of all values, sizes contains the length of
// each value as the code of a character above 255, kinds is omitted if all values are strings,
// and long contains the lengths that are too large for sizes. In the columns of the call, a
// column that was sent ahead is a number: 1 plus the number of its parts. The arrays that
// hooks receive create their elements on access and keep the elements that a hook changes.
// Hooks can see two differences: an unchanged element is a new object if it is accessed again
// much later, and elements cannot be frozen. Changes may arrive in several answers.
//
// # Notes
//
// Before it calls a hook with all rows, at a step or at the end, and before it evaluates a
// hook's source, the runtime sends a note with the name of the hook. With trace, it also
// sends the name and the index before each row. If the process is killed, the last note
// identifies what it was doing.
//
// # Changed language objects
//
// A hook may change any object that it can reach, such as Array.prototype or JSON. The prelude
// saves everything that it needs before any hook runs, and answers as if nothing had changed. If
// a hook makes arrays unwritable, for example by defining a numeric key of Array.prototype, it
// fails with that reason. Objects to which the prelude writes have no prototype that could
// interfere. The runtime detects unwritable arrays at the end of a call; with trace, the failure
// includes the row.
//
// [ReadLoaded] and [ReadAnswer] treat answers as untrusted, because a hook that escapes
// its engine can write anything.
package jsruntime

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"modernc.org/quickjs"
)

// These are the defaults of a Config.
const (
	// DefaultMemory is the default memory limit: 64 MiB.
	DefaultMemory = 64 << 20
	// DefaultBudget is the default time limit: 4 seconds.
	DefaultBudget = 4 * time.Second
	// DefaultMaxAnswer is the default maximum length of an answer: 16 MiB.
	DefaultMaxAnswer = 16 << 20
)

// Config configures a Runtime. The zero Config works.
type Config struct {
	// Memory is the memory limit of the engine, in bytes. Default DefaultMemory.
	Memory int
	// Budget is the time limit of requests that do not set one. Default DefaultBudget. The engine
	// cannot interrupt loops in its built-in functions. Only ending the process stops those.
	Budget time.Duration
	// MaxAnswer is the maximum length of an answer, in bytes. Default DefaultMaxAnswer.
	MaxAnswer int
	// Prelude is the output of [Compile] in the same program. With it, a runtime starts
	// many times faster. It is not verified, so it must come from a trusted source.
	// Default: compile the prelude.
	Prelude []byte
	// Note is called with the name of the hook that is called next. If the request enables
	// Trace, the name is followed by a space and the index of the row. If the process is
	// killed, the last note identifies what it was doing. Nil disables notes.
	Note func(text string) error
}

// Runtime is a QuickJS engine that has loaded the prelude. It is not safe for concurrent use.
type Runtime struct {
	cfg Config
	// memory is the current memory limit.
	memory   int
	vm       *quickjs.VM
	dispatch quickjs.Value
	// changes is the JSON of the changes if the current request has written it directly.
	changes []byte
	// forget removes the runtime from the map that native functions use.
	forget func()
}

// New starts an engine. The time zone of the process must be UTC, because the engine uses it.
func New(cfg Config) (*Runtime, error) {
	cfg.Memory = cmp.Or(cfg.Memory, DefaultMemory)
	cfg.Budget = cmp.Or(cfg.Budget, DefaultBudget)
	cfg.MaxAnswer = cmp.Or(cfg.MaxAnswer, DefaultMaxAnswer)
	vm, err := quickjs.NewVM()
	if err != nil {
		return nil, fmt.Errorf("start a JavaScript engine: %w", err)
	}
	r := &Runtime{cfg: cfg, memory: cfg.Memory, vm: vm, dispatch: quickjs.UndefinedValue, forget: func() {}}
	if err := r.initialize(); err != nil {
		r.Close()
		return nil, fmt.Errorf("prepare a JavaScript engine for hooks: %w", err)
	}
	return r, nil
}

func (r *Runtime) initialize() error {
	r.vm.SetMemoryLimit(uintptr(r.memory))
	r.vm.SetModuleLoader(func(*quickjs.VM, string) (string, error) {
		return "", errors.New("hooks cannot load modules")
	}, nil)
	for _, month := range []int{0, 6} {
		offset, err := r.vm.Eval(fmt.Sprintf("new Date(2026, %d, 1).getTimezoneOffset()", month), quickjs.EvalGlobal)
		if err != nil {
			return err
		}
		if offset != 0 {
			return errors.New("the process is not in UTC: start it with TZ=UTC")
		}
	}
	start := time.Now()
	clock := func([]any) (any, error) { return float64(time.Since(start)) / float64(time.Millisecond), nil }
	if err := r.vm.RegisterHostFunc("intrayClock", clock); err != nil {
		return err
	}
	note := func(args []any) (any, error) {
		text, is := args[0].(string)
		if !is || r.cfg.Note == nil {
			return nil, nil
		}
		return nil, r.cfg.Note(text)
	}
	if err := r.vm.RegisterHostFunc("intrayNote", note); err != nil {
		return err
	}
	if err := r.registerNatives(); err != nil {
		return err
	}
	enter, err := r.cfg.evalPrelude(r.vm)
	if err != nil {
		return err
	}
	r.dispatch = enter
	return nil
}

// evalPrelude runs the prelude and returns the function that answers requests.
func (cfg *Config) evalPrelude(vm *quickjs.VM) (quickjs.Value, error) {
	if len(cfg.Prelude) == 0 {
		return vm.EvalValue(preludeProgram(), quickjs.EvalGlobal)
	}
	return vm.EvalBytecodeValue(cfg.Prelude)
}

// preludeProgram returns a program that runs the prelude without a host object.
func preludeProgram() string { return prelude() + "()" }

// Compile returns the prelude as bytecode, whose size is about 250 KiB. It takes as long as
// starting a runtime without bytecode.
func Compile() ([]byte, error) {
	vm, err := quickjs.NewVM()
	if err != nil {
		return nil, fmt.Errorf("start a JavaScript engine: %w", err)
	}
	code, err := vm.Compile(preludeProgram(), quickjs.EvalGlobal)
	if err == nil && len(code) == 0 {
		err = errors.New("the bytecode is empty")
	}
	_ = vm.Close() // this error cannot be handled
	if err != nil {
		return nil, fmt.Errorf("compile the prelude: %w", err)
	}
	return code, nil
}

// Close frees the memory of the engine.
func (r *Runtime) Close() {
	r.forget()
	r.dispatch.Free()
	_ = r.vm.Close() // this error cannot be handled
}

// Handle answers a request. If it returns an error, or a failure for which [Failure.Fatal]
// returns true, the runtime is unusable.
func (r *Runtime) Handle(request []byte) (answer []byte, err error) {
	deadline := time.Now().Add(r.requestBudget(request))
	if memory := requestedMemory(request); memory > 0 {
		r.memory = int(memory)
		r.vm.SetMemoryLimit(uintptr(memory))
	}
	r.resetChanges()
	text, err := r.callPrelude(deadline, "handle", string(request))
	if err == nil && text == "" {
		text, err = r.runPendingJobs(deadline)
	}
	if err != nil {
		switch {
		case errors.Is(err, errDeadline):
			return r.answerFailure(KindTime, "the hook took longer than it may")
		case errors.Is(err, errStarved):
			return r.answerFailure(KindMemory, "the hook needs more memory than it may have")
		default:
			return nil, fmt.Errorf("run hooks: %w", err)
		}
	}
	if len(text)+len(r.changes) > r.cfg.MaxAnswer {
		return r.answerFailure(KindReturned, fmt.Sprintf("the changes of one call are larger than %d bytes", r.cfg.MaxAnswer))
	}
	rest, separate := strings.CutPrefix(text, separateChanges)
	if !separate {
		return []byte(text), nil
	}
	return slices.Concat([]byte(`{"changes":`), r.changes, []byte(rest)), nil
}

// separateChanges is the start of an answer whose changes were written by writeChanges.
const separateChanges = `{"changes":0`

// maxKeptChanges is the maximum size, in bytes, of a buffer for changes that is kept for the next
// request.
const maxKeptChanges = 1 << 20

func (r *Runtime) resetChanges() {
	r.changes = r.changes[:0]
	if cap(r.changes) > maxKeptChanges {
		r.changes = nil
	}
}

// runPendingJobs runs promise jobs until there is an answer or no job is left.
func (r *Runtime) runPendingJobs(deadline time.Time) (string, error) {
	for {
		if err := r.setDeadline(deadline); err != nil {
			return "", err
		}
		n, _ := r.vm.ExecutePendingJobs() // the prelude handles exceptions from jobs
		text, err := r.callPrelude(deadline, "answer", "")
		if err != nil || text != "" {
			return text, err
		}
		if n == 0 {
			return r.callPrelude(deadline, "stuck", "")
		}
	}
}

// These are the reasons why a call to the prelude can fail.
var (
	errDeadline = errors.New("the time limit is exceeded")
	errStarved  = errors.New("the engine is out of memory")
)

// setDeadline sets the time limit of the next call.
func (r *Runtime) setDeadline(deadline time.Time) error {
	left := time.Until(deadline)
	if left <= 0 {
		return errDeadline
	}
	return r.vm.SetEvalTimeout(left)
}

// callPrelude calls the prelude. It returns "" if there is no answer yet.
func (r *Runtime) callPrelude(deadline time.Time, what, text string) (string, error) {
	if err := r.setDeadline(deadline); err != nil {
		return "", err
	}
	out, err := r.dispatch.Call(quickjs.UndefinedValue, what, text)
	switch {
	case err != nil && time.Until(deadline) <= 0: // the engine is not interrupted earlier
		return "", fmt.Errorf("%w: %w", errDeadline, err)
	case err != nil:
		// The prelude catches every exception. An error therefore means that there was not
		// enough memory to pass the request or the answer.
		return "", fmt.Errorf("%w: %w", errStarved, err)
	}
	answer, _ := out.(string)
	return answer, lost(answer)
}

// The prelude returns these answers if it cannot continue.
const (
	starvedAnswer = `{"starved":true}`
	lostHead      = `{"lost":`
)

// lost returns an error if the answer means that the prelude could not continue.
func lost(answer string) error {
	if answer == starvedAnswer {
		return errStarved
	}
	if rest, is := strings.CutPrefix(answer, lostHead); is {
		return fmt.Errorf("the prelude failed: %s", strings.TrimSuffix(rest, "}"))
	}
	return nil
}

// extraMemory is added to the memory limit, in bytes, so that the engine can report that it
// ran out of memory.
const extraMemory = 4 << 20

// answerFailure returns an answer with a failure. It asks the prelude for the current hook
// and row.
func (r *Runtime) answerFailure(kind Kind, message string) ([]byte, error) {
	r.vm.SetMemoryLimit(uintptr(r.memory + extraMemory))
	text, err := r.callPrelude(time.Now().Add(time.Second), string(kind), message)
	if err != nil || text == "" {
		text = fmt.Sprintf(`{"failure":{"kind":%q,"hook":"","row":-1,"name":"","message":%q,"line":0,"column":0}}`, kind, message)
	}
	return []byte(text), nil
}

// budgetHead is the start of each request, so that the budget can be read without parsing
// the rest.
const budgetHead = `{"budget":`

func (r *Runtime) requestBudget(request []byte) time.Duration {
	ms, _ := leadingNumber(request, budgetHead)
	if ms <= 0 {
		return r.cfg.Budget
	}
	return time.Duration(ms) * time.Millisecond
}

// requestedMemory returns the memory limit in a load request, in bytes, or 0 if there is none.
func requestedMemory(request []byte) int64 {
	_, rest := leadingNumber(request, budgetHead)
	memory, _ := leadingNumber(rest, memoryHead)
	return memory
}

// memoryHead follows the budget in a load request.
const memoryHead = `"op":"load","memory":`

// leadingNumber reads the number that follows head. rest is the text after that number and
// a comma.
func leadingNumber(request []byte, head string) (n int64, rest []byte) {
	rest, found := bytes.CutPrefix(request, []byte(head))
	if !found {
		return 0, nil
	}
	digits, rest, found := bytes.Cut(rest[:min(len(rest), 100)], []byte(","))
	if !found {
		return 0, nil
	}
	n, err := strconv.ParseInt(string(digits), 10, 64)
	if err != nil {
		return 0, nil
	}
	return n, rest
}

//go:embed js/*.js
var scripts embed.FS

// preludeFiles are the scripts of the prelude, in the order in which they run.
var preludeFiles = []string{"1-guard.js", "2-absent.js", "3-pins.js", "4-cells.js", "5-changes.js", "6-load.js", "7-large.js", "8-jobs.js", "8-methods.js", "9-answer.js"}

// readScript returns the text of an embedded script.
func readScript(name string) string {
	text, err := scripts.ReadFile("js/" + name)
	if err != nil {
		panic("jsruntime: a script is not embedded: " + err.Error())
	}
	return stripComments(string(text))
}

// stripComments removes comment lines and indentation. It assumes that no string in the
// scripts spans several lines.
func stripComments(text string) string {
	var plain strings.Builder
	for line := range strings.Lines(text) {
		if line = strings.TrimLeft(line, "\t"); !strings.HasPrefix(line, "//") && line != "\n" {
			plain.WriteString(line)
		}
	}
	return plain.String()
}

// prelude returns the source of a function. The function's argument is the host object, or
// undefined if there is none. The function's result is the function that answers requests.
func prelude() string {
	var text strings.Builder
	text.WriteString("(function (host) { \"use strict\";\n")
	for _, name := range preludeFiles {
		text.WriteString(readScript(name))
	}
	text.WriteString("})")
	return text.String()
}

// NodeScript returns the program that a Node worker runs: the loop that reads frames, and
// the prelude. Its size is about 90 KiB. It needs Node 20.18 or later.
func NodeScript() string {
	quoted, err := json.Marshal(prelude())
	if err != nil {
		panic("jsruntime: quoting the prelude: " + err.Error())
	}
	return strings.Replace(readScript("node.js"), `"@prelude@"`, string(quoted), 1)
}
