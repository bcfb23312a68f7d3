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

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/hooks"
	"github.com/intraydata/intray/hooks/jsruntime"
	"github.com/intraydata/intray/hooks/sandbox"
)

var _ engine.HookRunner = (*hooks.Session)(nil)

// TestMain makes a worker of the program of the tests where a pool starts it.
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

// workers are the processes that this one started and that are still there.
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

// compiled is what the runtimes of the workers run in.
var compiled = sync.OnceValues(jsruntime.Compile)

// newScript opens a pool of a runtime that is closed after the test.
func newScript(t testing.TB, runtime sandbox.Runtime, cfg hooks.Config, cagecfg sandbox.Config) *hooks.Runner {
	t.Helper()
	if runtime == sandbox.Node {
		if _, err := exec.LookPath("node"); err != nil {
			t.Skip("SKIPPED: Node is not installed, and is NOT tested here")
		}
		cagecfg.Script = jsruntime.NodeScript()
	}
	prelude, err := compiled()
	if err != nil {
		t.Fatal(err)
	}
	cagecfg.Runtime, cagecfg.MaxAnswer, cagecfg.Setup = runtime, 64<<20, prelude
	c, err := sandbox.New(cagecfg)
	var refused *sandbox.RefusedError
	if errors.As(err, &refused) {
		t.Skipf("SKIPPED: hooks are NOT tested here: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return hooks.New(c, cfg)
}

// open makes a session that is closed after the test.
func open(t testing.TB, s *hooks.Runner, hooks intray.Hooks) *hooks.Session {
	t.Helper()
	session, err := s.Open(context.Background(), hooks, intray.HookEnv{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// everywhere runs a test with both runtimes.
func everywhere(t *testing.T, test func(t *testing.T, s *hooks.Runner)) {
	everywhereWith(t, hooks.Config{}, test)
}

func everywhereWith(t *testing.T, cfg hooks.Config, test func(t *testing.T, s *hooks.Runner)) {
	for _, runtime := range []sandbox.Runtime{sandbox.QuickJS, sandbox.Node} {
		t.Run(string(runtime), func(t *testing.T) {
			test(t, newScript(t, runtime, cfg, sandbox.Config{}))
		})
	}
}

func rowHooks(sources ...string) intray.Hooks { return intray.Hooks{Row: sources} }

// read is a cell whose value was read from other text.
type read struct{ value, raw string }

// wrong is a cell whose text could not be read.
type wrong string

// batch makes one of rows of cells: a text, nil for an empty cell, read or wrong.
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

// count makes a batch of n rows, each with its number and then some text.
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

// countFields are those of count.
var countFields = []intray.Field{text("n"), text("b"), text("out")}

func rowsOf(fields []intray.Field, batches ...*intray.Batch) intray.HookRows {
	return intray.HookRows{Fields: fields, Parts: make([]int, len(fields)), Batches: batches}
}

// describeChanges writes changes so that they can be compared.
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

// hookError gives the error of a hook that must have failed.
func hookError(t testing.TB, err error) *intray.HookError {
	t.Helper()
	var failed *intray.HookError
	if !errors.As(err, &failed) {
		t.Fatalf("got %v, and want the error of a hook", err)
	}
	return failed
}

// outlast waits until only the spare of a pool is there.
func outlast(t *testing.T, spares int) {
	t.Helper()
	for until := time.Now().Add(10 * time.Second); len(workers()) > spares; {
		if time.Now().After(until) {
			t.Fatal("the worker does not end")
		}
		time.Sleep(5 * time.Millisecond)
	}
}
