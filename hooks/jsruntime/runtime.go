package jsruntime

import (
	"bytes"
	"errors"
	"fmt"
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
	// Budget is the time limit of requests that do not set one. Default DefaultBudget. The
	// engine cannot interrupt loops in its built-in functions. Only ending the process
	// stops those.
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

// Runtime is a QuickJS engine that has loaded the prelude. It is not safe for concurrent
// use.
type Runtime struct {
	cfg Config
	// memory is the current memory limit.
	memory   int
	vm       *quickjs.VM
	dispatch quickjs.Value
}

// New starts an engine. The time zone of the process must be UTC, because the engine uses
// it.
func New(cfg Config) (*Runtime, error) {
	if cfg.Memory == 0 {
		cfg.Memory = DefaultMemory
	}
	if cfg.Budget == 0 {
		cfg.Budget = DefaultBudget
	}
	if cfg.MaxAnswer == 0 {
		cfg.MaxAnswer = DefaultMaxAnswer
	}
	vm, err := quickjs.NewVM()
	if err != nil {
		return nil, fmt.Errorf("start a JavaScript engine: %w", err)
	}
	r := &Runtime{cfg: cfg, memory: cfg.Memory, vm: vm, dispatch: quickjs.UndefinedValue}
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
	if err := registerChangeReader(r.vm); err != nil {
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
	text, err := r.callPrelude(deadline, "handle", string(request))
	if err == nil && text == "" {
		text, err = r.runPendingJobs(deadline)
	}
	if err != nil {
		return r.answerError(err)
	}
	if len(text) > r.cfg.MaxAnswer {
		return r.answerFailure(KindReturned, fmt.Sprintf("the changes of one call are larger than %d bytes", r.cfg.MaxAnswer))
	}
	return []byte(text), nil
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

// These are the reasons for which a call to the prelude fails.
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
		// The prelude catches every exception. Therefore, there was not enough memory to pass
		// the request or the answer.
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

// answerError returns the answer for an error that the prelude could not catch.
func (r *Runtime) answerError(err error) ([]byte, error) {
	switch {
	case errors.Is(err, errDeadline):
		return r.answerFailure(KindTime, "the hook took longer than it may")
	case errors.Is(err, errStarved):
		return r.answerFailure(KindMemory, "the hook needs more memory than it may have")
	default:
		return nil, fmt.Errorf("run hooks: %w", err)
	}
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

// requestedMemory returns the memory limit in a load request, in bytes, or 0 if there is
// none.
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
