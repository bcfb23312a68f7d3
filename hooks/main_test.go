package hooks_test

import (
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

// TestMain makes the test binary a worker if a pool starts it as one.
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
			fmt.Println("processes are left:", left)
			code = 1
		}
		os.Exit(code)
	}))
}

// workers returns the entries of the child processes in /proc.
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

// compiled is the prelude for the workers.
var compiled = sync.OnceValues(jsruntime.Compile)

// newRunner returns a Runner with a pool that is closed after the test.
func newRunner(t testing.TB, runtime sandbox.Runtime, cfg hooks.Config, sandboxCfg sandbox.Config) *hooks.Runner {
	t.Helper()
	if runtime == sandbox.Node {
		if _, err := exec.LookPath("node"); err != nil {
			t.Skip("SKIPPED: Node is not installed, and is NOT tested here")
		}
		sandboxCfg.Script = jsruntime.NodeScript()
	}
	prelude, err := compiled()
	if err != nil {
		t.Fatal(err)
	}
	sandboxCfg.Runtime, sandboxCfg.MaxAnswer, sandboxCfg.Setup = runtime, 64<<20, prelude
	pool, err := sandbox.New(sandboxCfg)
	var refused *sandbox.RefusedError
	if errors.As(err, &refused) {
		t.Skipf("SKIPPED: hooks are NOT tested here: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return hooks.New(pool, cfg)
}

// open returns a session that is closed after the test.
func open(t testing.TB, s *hooks.Runner, hooks intray.Hooks) *hooks.Session {
	t.Helper()
	session, err := s.Open(context.Background(), hooks, intray.HookEnv{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// everywhere runs a test with both runtimes. Hooks have as much time as they need.
func everywhere(t *testing.T, test func(t *testing.T, r *hooks.Runner)) {
	everywhereWith(t, hooks.Config{BatchTimeout: time.Minute}, sandbox.Config{}, test)
}

// everywhereWith runs a test with both runtimes, and with -short in QuickJS only.
func everywhereWith(t *testing.T, cfg hooks.Config, sandboxCfg sandbox.Config, test func(t *testing.T, r *hooks.Runner)) {
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

// isFull reports whether the tests run with all sizes and all hostile hooks.
func isFull() bool { return os.Getenv("INTRAY_TORTURE") == "full" }

func rowHooks(sources ...string) intray.Hooks { return intray.Hooks{Row: sources} }

// read is a cell whose value was parsed from another text.
type read struct{ value, raw string }

// wrong is a cell whose text cannot be parsed.
type wrong string

// batch returns a batch with rows of cells: a text, nil for an empty cell, read or wrong.
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
			case read:
				b.Fields[f].AppendParsed([]byte(cell.value), []byte(cell.raw))
			case wrong:
				b.Fields[f].AppendNull([]byte(cell))
			default:
				b.Fields[f].AppendNull(nil)
			}
		}
	}
	return b
}

// count returns a batch of n rows, each with its number and a text.
func count(first int64, n int) *intray.Batch {
	rows := make([][]any, n)
	for i := range rows {
		rows[i] = []any{strconv.Itoa(int(first) + i), "text", nil}
	}
	return batch(first, rows...)
}

func text(key string) intray.Field { return typed(key, intray.TypeString) }

func typed(key string, name intray.TypeName) intray.Field {
	return intray.Field{Key: key, Label: strings.ToUpper(key), Type: intray.FieldType{Name: name}}
}

// countFields are the fields of count.
var countFields = []intray.Field{text("n"), text("b"), text("out")}

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

// hookError returns the hook error that err must be.
func hookError(t testing.TB, err error) *intray.HookError {
	t.Helper()
	var failed *intray.HookError
	if !errors.As(err, &failed) {
		t.Fatalf("got %v, and want the error of a hook", err)
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
		ended, err := unix.Poll(polled, 10_000)
		for _, one := range polled {
			_ = unix.Close(int(one.Fd))
		}
		if ended == 0 && len(polled) > 0 && err == nil {
			t.Fatalf("there are %d workers, want %d", len(list), n)
		}
	}
}
