package hooks_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/hooks"
	"github.com/intraydata/intray/hooks/jsruntime"
	"github.com/intraydata/intray/hooks/sandbox"
)

var _ engine.HookRunner = (*hooks.Session)(nil)

// TestMain runs the test binary as a worker if a pool started it.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "hook-worker" {
		_ = sandbox.Serve(func(prelude []byte) (sandbox.Handler, error) {
			engine, err := jsruntime.New(jsruntime.Config{Memory: 96 << 20, MaxAnswer: 64 << 20, Prelude: prelude, Note: sandbox.SendNote})
			if err != nil {
				return nil, err
			}
			return engine.Handle, nil
		})
		os.Exit(0)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if left := workers(); len(left) > 0 {
			fmt.Println("worker processes are still running:", left)
			code = 1
		}
		os.Exit(code)
	}))
}

// workers returns the /proc/PID/stat line of each child process.
func workers() (list []string) {
	all, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range all {
		text, err := os.ReadFile(name)
		_, rest, _ := strings.Cut(string(text), ") ")
		if words := strings.Fields(rest); err == nil && len(words) > 1 && words[1] == strconv.Itoa(os.Getpid()) {
			list = append(list, string(text))
		}
	}
	return list
}

// compilePrelude compiles the prelude of the workers only once.
var compilePrelude = sync.OnceValues(jsruntime.Compile)

// newRunner returns a Runner with a pool that is closed after the test. The BatchTimeout of the
// Runner is generousTimeout by default.
func newRunner(t testing.TB, runtime sandbox.Runtime, cfg hooks.Config, sandboxCfg sandbox.Config) *hooks.Runner {
	t.Helper()
	cfg.BatchTimeout = cmp.Or(cfg.BatchTimeout, generousTimeout)
	return hooks.New(newPool(t, runtime, sandboxCfg), cfg)
}

// newPool returns a pool that is closed after the test.
func newPool(t testing.TB, runtime sandbox.Runtime, sandboxCfg sandbox.Config) *sandbox.Pool {
	t.Helper()
	if runtime == sandbox.Node {
		if _, err := exec.LookPath("node"); err != nil {
			t.Skip("SKIPPED: Node is not installed, and is NOT tested here")
		}
		sandboxCfg.Script = jsruntime.NodeScript()
	}
	prelude, err := compilePrelude()
	if err != nil {
		t.Fatal(err)
	}
	sandboxCfg.Runtime, sandboxCfg.MaxAnswer, sandboxCfg.Setup, sandboxCfg.StartTimeout = runtime, 64<<20, prelude, generousTimeout
	pool, err := sandbox.New(sandboxCfg)
	var refused *sandbox.RefusedError
	if errors.As(err, &refused) {
		t.Skipf("SKIPPED: hooks are NOT tested here: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// openSession returns a session that is closed after the test.
func openSession(t testing.TB, s *hooks.Runner, hooks intray.Hooks) *hooks.Session {
	t.Helper()
	session, err := s.Open(context.Background(), hooks, intray.HookEnv{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// generousTimeout is the BatchTimeout of tests that do not check timeouts.
const generousTimeout = time.Minute

// forEachRuntime runs a test with both runtimes, or only with QuickJS if -short is set. The
// timeout is long enough for any machine.
func forEachRuntime(t *testing.T, test func(t *testing.T, r *hooks.Runner)) {
	forEachRuntimeWith(t, hooks.Config{}, sandbox.Config{}, test)
}

// forEachRuntimeWith is like forEachRuntime, but uses the given limits.
func forEachRuntimeWith(t *testing.T, cfg hooks.Config, sandboxCfg sandbox.Config, test func(t *testing.T, r *hooks.Runner)) {
	runtimes := []sandbox.Runtime{sandbox.QuickJS, sandbox.Node}
	if testing.Short() {
		runtimes = runtimes[:1]
	}
	for _, runtime := range runtimes {
		t.Run(string(runtime), func(t *testing.T) {
			test(t, newRunner(t, runtime, cfg, sandboxCfg))
		})
	}
}

// isFull reports whether all sizes, all hostile hooks and all combinations are tested with
// both runtimes. Use make torture to enable this.
func isFull() bool { return os.Getenv("INTRAY_TORTURE") == "full" }

func rowHooks(sources ...string) intray.Hooks { return intray.Hooks{Row: sources} }

// parsedCell is a cell whose value differs from its raw text.
type parsedCell struct{ value, raw string }

// invalidCell is the raw text of a cell that cannot be parsed.
type invalidCell string

// batch returns a batch of rows. Each cell is a string, nil for an empty cell, a parsedCell
// or an invalidCell.
func batch(first int64, rows ...[]any) *intray.Batch {
	b := &intray.Batch{}
	b.Reset(len(rows[0]))
	b.First = first
	for i, row := range rows {
		b.Lines = append(b.Lines, int64(i)+2)
		for f, cell := range row {
			switch cell := cell.(type) {
			case string:
				b.Fields[f].AppendValue([]byte(cell))
			case parsedCell:
				b.Fields[f].AppendParsed([]byte(cell.value), []byte(cell.raw))
			case invalidCell:
				b.Fields[f].AppendNull([]byte(cell))
			default:
				b.Fields[f].AppendNull(nil)
			}
		}
	}
	return b
}

// numberedRows returns a batch of n rows. Each row has its number and a text value.
func numberedRows(first int64, n int) *intray.Batch {
	rows := make([][]any, n)
	for i := range rows {
		rows[i] = []any{strconv.Itoa(int(first) + i), "text", nil}
	}
	return batch(first, rows...)
}

func textField(key string) intray.Field { return typedField(key, intray.TypeString) }

func typedField(key string, name intray.TypeName) intray.Field {
	return intray.Field{Key: key, Label: strings.ToUpper(key), Type: intray.FieldType{Name: name}}
}

// numberedFields are the fields of numberedRows.
var numberedFields = []intray.Field{textField("n"), textField("b"), textField("out")}

func rowsOf(fields []intray.Field, batches ...*intray.Batch) intray.HookRows {
	return intray.HookRows{Fields: fields, Parts: make([]int, len(fields)), Batches: batches}
}

// describeChanges formats changes for comparison.
func describeChanges(changes []intray.Change) (list []string) {
	for _, c := range changes {
		one := fmt.Sprintf("%d.%d", c.Row, c.Field)
		if c.Part > 0 {
			one += fmt.Sprintf("/%d", c.Part)
		}
		switch {
		case c.HasValue && c.Value == nil:
			one += " null"
		case c.HasValue && c.IsNumber:
			one += " #" + *c.Value
		case c.HasValue:
			one += " " + *c.Value
		}
		if c.HasInfos {
			one += fmt.Sprint(" infos", c.Infos)
		}
		if c.Options != nil {
			one += fmt.Sprint(" options", c.Options)
		}
		list = append(list, one)
	}
	return list
}

// hookError returns err as a hook error. If it is any other error, the test fails.
func hookError(t testing.TB, err error) *intray.HookError {
	t.Helper()
	var failed *intray.HookError
	if !errors.As(err, &failed) {
		t.Fatalf("got %v, want the error of a hook", err)
	}
	return failed
}

// waitForWorkers waits until this process has at most n child processes.
func waitForWorkers(t *testing.T, n int) {
	t.Helper()
	for list := workers(); len(list) > n; list = workers() {
		var polled []unix.PollFd
		for _, stat := range list {
			text, _, _ := strings.Cut(stat, " ")
			pid, _ := strconv.Atoi(text)
			if fd, err := unix.PidfdOpen(pid, 0); err == nil {
				polled = append(polled, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN})
			}
		}
		ended, err := 0, error(nil)
		if len(polled) == len(list) { // otherwise, one has ended since it was listed
			ended, err = unix.Poll(polled, int(generousTimeout.Milliseconds()))
		}
		for _, one := range polled {
			_ = unix.Close(int(one.Fd))
		}
		if ended == 0 && len(polled) == len(list) && err == nil {
			t.Fatalf("%d workers are running, want at most %d", len(list), n)
		}
	}
}
