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

// Defaults of a Config.
const (
	// DefaultMemory is 64 MiB.
	DefaultMemory = 64 << 20
	// DefaultBudget is 4 seconds.
	DefaultBudget = 4 * time.Second
	// DefaultMaxAnswer is 16 MiB.
	DefaultMaxAnswer = 16 << 20
)

// Config bounds a Runtime. The zero Config works.
type Config struct {
	// Memory is the most that the engine may hold, in bytes. Default
	// DefaultMemory.
	Memory int
	// Budget is how long one request may take where it names no budget of its
	// own. Default DefaultBudget. Loops within the engine's own functions are
	// not broken off: for these a process is ended from outside.
	Budget time.Duration
	// MaxAnswer is the longest answer, in bytes. Default DefaultMaxAnswer.
	MaxAnswer int
	// Prelude is what [Compile] gave in this very program; with it a runtime opens
	// many times faster. It is not checked, so it must come from who starts this
	// process. Default: the prelude is compiled anew.
	Prelude []byte
	// Note is told which hook is called next, and on which row where the request
	// asks for it: the name of the hook and, behind a space, the index. Whoever
	// ends the process learns from it what hung. nil is told nothing.
	Note func(text string) error
}

// Runtime is one QuickJS engine with the prelude. It serves one goroutine.
type Runtime struct {
	cfg Config
	// memory is the most that the engine may hold now.
	memory   int
	vm       *quickjs.VM
	dispatch quickjs.Value
}

// New starts an engine. The process must be in UTC, for the engine takes its
// time zone from there.
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
		return nil, fmt.Errorf("starting a JavaScript engine: %w", err)
	}
	r := &Runtime{cfg: cfg, memory: cfg.Memory, vm: vm, dispatch: quickjs.UndefinedValue}
	if err := r.initialize(); err != nil {
		r.Close()
		return nil, fmt.Errorf("preparing a JavaScript engine for hooks: %w", err)
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

// evalPrelude runs the prelude, and gives what answers requests.
func (cfg *Config) evalPrelude(vm *quickjs.VM) (quickjs.Value, error) {
	if len(cfg.Prelude) == 0 {
		return vm.EvalValue(preludeProgram(), quickjs.EvalGlobal)
	}
	return vm.EvalBytecodeValue(cfg.Prelude)
}

// preludeProgram is the program that runs the prelude without a host.
func preludeProgram() string { return prelude() + "()" }

// Compile gives the prelude as code of the engine, about 250 KiB. It takes as long
// as opening a runtime without.
func Compile() ([]byte, error) {
	vm, err := quickjs.NewVM()
	if err != nil {
		return nil, fmt.Errorf("starting a JavaScript engine: %w", err)
	}
	code, err := vm.Compile(preludeProgram(), quickjs.EvalGlobal)
	if err == nil && len(code) == 0 {
		err = errors.New("there is no code")
	}
	_ = vm.Close() // it has nothing to say to anybody
	if err != nil {
		return nil, fmt.Errorf("compiling what hooks run in: %w", err)
	}
	return code, nil
}

// Close gives back the memory of the engine.
func (r *Runtime) Close() {
	r.dispatch.Free()
	_ = r.vm.Close() // it has nothing to say to anybody
}

// Handle answers one request. An error means that the engine is of no use any
// more. It is of none either after a failure that says [Failure.Fatal].
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

// runPendingJobs lets promises go on until the answer is there or nothing is left.
func (r *Runtime) runPendingJobs(deadline time.Time) (string, error) {
	for {
		if err := r.setDeadline(deadline); err != nil {
			return "", err
		}
		n, _ := r.vm.ExecutePendingJobs() // what jobs throw, the prelude sees
		text, err := r.callPrelude(deadline, "take", "")
		if err != nil || text != "" {
			return text, err
		}
		if n == 0 {
			return r.callPrelude(deadline, "stuck", "")
		}
	}
}

// Why a call into the engine came to nothing.
var (
	errDeadline = errors.New("the budget is used up")
	errStarved  = errors.New("the engine has no memory left")
)

// setDeadline sets what is left of the budget for the next call.
func (r *Runtime) setDeadline(deadline time.Time) error {
	left := time.Until(deadline)
	if left <= 0 {
		return errDeadline
	}
	return r.vm.SetEvalTimeout(left)
}

// callPrelude enters the prelude. "" means that there is no answer yet.
func (r *Runtime) callPrelude(deadline time.Time, what, text string) (string, error) {
	if err := r.setDeadline(deadline); err != nil {
		return "", err
	}
	out, err := r.dispatch.Call(quickjs.UndefinedValue, what, text)
	switch {
	case err != nil && time.Until(deadline) <= 0: // the engine is interrupted no sooner
		return "", fmt.Errorf("%w: %w", errDeadline, err)
	case err != nil:
		// The prelude catches whatever is thrown, so this is about handing the
		// request or the answer over, for which there was no memory.
		return "", fmt.Errorf("%w: %w", errStarved, err)
	}
	answer, _ := out.(string)
	return answer, lost(answer)
}

// What the prelude answers where it could not go on itself.
const (
	starvedAnswer = `{"starved":true}`
	lostHead      = `{"lost":`
)

// lost reads whether the prelude could not go on.
func lost(answer string) error {
	if answer == starvedAnswer {
		return errStarved
	}
	if rest, is := strings.CutPrefix(answer, lostHead); is {
		return fmt.Errorf("the prelude broke off: %s", strings.TrimSuffix(rest, "}"))
	}
	return nil
}

// answerError turns an error that the prelude could not catch into an answer.
func (r *Runtime) answerError(err error) ([]byte, error) {
	switch {
	case errors.Is(err, errDeadline):
		return r.answerFailure(KindTime, "the hook took longer than it may")
	case errors.Is(err, errStarved):
		return r.answerFailure(KindMemory, "the hook needs more memory than it may have")
	default:
		return nil, fmt.Errorf("running hooks: %w", err)
	}
}

// extraMemory is what the engine gets on top where it has none left for its last words.
const extraMemory = 4 << 20

// answerFailure asks the prelude which hook it was, and on which row.
func (r *Runtime) answerFailure(kind Kind, message string) ([]byte, error) {
	r.vm.SetMemoryLimit(uintptr(r.memory + extraMemory))
	text, err := r.callPrelude(time.Now().Add(time.Second), string(kind), message)
	if err != nil || text == "" {
		text = fmt.Sprintf(`{"failure":{"kind":%q,"hook":"","row":-1,"name":"","message":%q,"line":0,"column":0}}`, kind, message)
	}
	return []byte(text), nil
}

// budgetHead opens each request, so that it can be read without the rest.
const budgetHead = `{"budget":`

func (r *Runtime) requestBudget(request []byte) time.Duration {
	ms, _ := leadingNumber(request, budgetHead)
	if ms <= 0 {
		return r.cfg.Budget
	}
	return time.Duration(ms) * time.Millisecond
}

// requestedMemory is what a load says of the memory of the engine, or 0.
func requestedMemory(request []byte) int64 {
	_, rest := leadingNumber(request, budgetHead)
	memory, _ := leadingNumber(rest, memoryHead)
	return memory
}

// memoryHead follows the budget of a load.
const memoryHead = `"op":"load","memory":`

// leadingNumber reads the number behind a head, and gives what stands behind it and
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
