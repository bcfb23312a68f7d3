package bench

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/hooks"
	"github.com/intraydata/intray/hooks/jsruntime"
	"github.com/intraydata/intray/hooks/sandbox"
	"github.com/intraydata/intray/server"
)

// serveHooks runs this process as a sandboxed worker, like the hook-worker command of the built
// program.
func serveHooks() (status int) {
	if err := server.HookWorker(); err != nil {
		fmt.Fprintln(os.Stderr, "hook worker:", err)
		return 1
	}
	return 0
}

// hookRun describes a run to the child process that performs it.
type hookRun struct {
	Runner runner
	Source string
	// Repeats is the number of times that each distinct row occurs in the Records.
	Records, Repeats int
	// Warm is the number of rows before the measurement. Rows is the number of measured rows.
	Rows, Warm int
}

// hookCost is the cost of a run.
type hookCost struct {
	Rows int
	// CPU is the CPU time of all processes in seconds, with one worker. Wall is the elapsed
	// time in seconds for the same number of rows, with a worker per core, or with the
	// single thread of plain Node.
	CPU, Wall float64
	// Sum is the checksum of the changes to all records.
	Sum string
}

// openWorkers starts workers of a runtime. The workers run this test binary.
func openWorkers(who runner) (*sandbox.Pool, error) {
	cfg := sandbox.Config{Runtime: sandbox.Runtime(who), Script: jsruntime.NodeScript(), MaxAnswer: 64 << 20}
	if who == quickJS {
		var err error
		if cfg.Setup, err = jsruntime.Compile(); err != nil {
			return nil, err
		}
	}
	return sandbox.New(cfg)
}

// runHooks is the task of the child process that calls a hook in workers.
func runHooks(args []string) (any, error) {
	var todo hookRun
	if err := json.Unmarshal([]byte(strings.Join(args, "")), &todo); err != nil {
		return nil, err
	}
	workers, err := openWorkers(todo.Runner)
	if err != nil {
		return nil, err
	}
	defer workers.Close()
	session, err := hooks.New(workers, hooks.Config{BatchTimeout: time.Minute}).Open(context.Background(), intray.Hooks{Row: []string{todo.Source}}, intray.HookEnv{})
	if err != nil {
		return nil, err
	}
	defer session.Close()
	c := &caller{session: session, fields: loadFields(), batches: loadBatches(todo.Records, todo.Repeats)}
	return c.measure(todo)
}

// caller calls a hook repeatedly with the same rows.
type caller struct {
	session *hooks.Session
	fields  []intray.Field
	batches []*intray.Batch
}

func (c *caller) measure(todo hookRun) (got hookCost, err error) {
	got.Rows = todo.Rows
	if got.Sum, err = c.sum(); err != nil {
		return got, err
	}
	slots := runtime.NumCPU()
	if err := c.call(slots*max(todo.Warm, batchRows(todo.Records)), slots); err != nil {
		return got, err
	}
	if got.CPU, err = spent(func() error { return c.call(todo.Rows, 1) }); err != nil {
		return got, err
	}
	began := time.Now()
	err = c.call(todo.Rows, slots)
	got.Wall = time.Since(began).Seconds()
	return got, err
}

// call calls the hook with a number of rows, using a number of concurrent callers.
func (c *caller) call(rows, callers int) error {
	size := c.batches[0].Rows()
	var left, next atomic.Int64
	left.Store(int64(rows / size))
	group, ctx := errgroup.WithContext(context.Background())
	for range callers {
		group.Go(func() error {
			var reuse []intray.Change // as an import does
			for left.Add(-1) >= 0 {
				changes, err := c.rows(ctx, c.batches[int(next.Add(1))%len(c.batches)], reuse)
				if err != nil {
					return err
				}
				reuse = changes
				if len(changes) < size {
					return fmt.Errorf("%d changes in %d rows", len(changes), size)
				}
			}
			return nil
		})
	}
	return group.Wait()
}

func (c *caller) rows(ctx context.Context, b *intray.Batch, reuse []intray.Change) ([]intray.Change, error) {
	return c.session.RunRows(ctx, 0, intray.HookRows{Fields: c.fields, Parts: make([]int, len(c.fields)), Batches: []*intray.Batch{b}, Reuse: reuse})
}

// sum runs the hook once on each row. It returns the checksum of the changes.
func (c *caller) sum() (string, error) {
	hash := sha256.New()
	for _, b := range c.batches {
		changes, err := c.rows(context.Background(), b, nil)
		if err != nil {
			return "", err
		}
		for _, one := range changes {
			writeChange(hash, b.First, c.fields, one)
		}
	}
	return fmt.Sprintf("%x", hash.Sum(nil)), nil
}

func writeChange(to io.Writer, first int64, fields []intray.Field, c intray.Change) {
	value, info := "", ""
	if c.Value != nil {
		value = *c.Value
	}
	if len(c.Infos) > 0 {
		info = c.Infos[0].Text
	}
	fmt.Fprintf(to, "%d %s %s %s\n", first+int64(c.Row), fields[c.Field].Key, value, info)
}

// spent returns the CPU time, in seconds, that a function uses in this process and all its
// descendants. It excludes the time to read their CPU time.
func spent(do func() error) (float64, error) {
	others, err := othersSpent()
	if err != nil {
		return 0, err
	}
	own, err := ownSpent()
	if err == nil {
		err = do()
	}
	if err != nil {
		return 0, err
	}
	ownAfter, err := ownSpent()
	if err != nil {
		return 0, err
	}
	othersAfter, err := othersSpent()
	return (ownAfter - own + othersAfter - others).Seconds(), err
}

// ownSpent returns the CPU time of this process and of its children that have ended.
func ownSpent() (total time.Duration, err error) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var used syscall.Rusage
		if err := syscall.Getrusage(who, &used); err != nil {
			return 0, err
		}
		total += time.Duration(used.Utime.Nano() + used.Stime.Nano())
	}
	return total, nil
}

// othersSpent returns the CPU time of running children.
func othersSpent() (total time.Duration, err error) {
	all, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(all) == 0 {
		return 0, errors.New("this system does not report the processor time of a running process")
	}
	for _, name := range all {
		total += childSpent(name, os.Getpid())
	}
	return total, nil
}

// childSpent returns the CPU time of a process if it is a child of parent, and otherwise 0.
func childSpent(stat string, parent int) (total time.Duration) {
	text, err := os.ReadFile(stat)
	if err != nil {
		return 0 // the process has ended
	}
	// The name, which is in parentheses, may contain any characters. Field 4 is the parent.
	// Fields 14 and 15 are the ticks in user and kernel mode.
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) < 13 || fields[1] != strconv.Itoa(parent) {
		return 0
	}
	for _, field := range fields[11:13] {
		ticks, _ := strconv.Atoi(field)
		total += time.Duration(ticks) * time.Second / 100
	}
	return total
}

// startWorkers is the task of the child process that uses new workers, one after another. It
// returns the times, in seconds, between receiving each worker and the next. A sandbox starts
// a spare worker only when the previous one is in use. No spare is ready here, so each time is
// measured from the start of a process until its worker is ready.
func startWorkers(args []string) (any, error) {
	if len(args) != 2 {
		return nil, errors.New("want a runtime and how many workers")
	}
	count, err := strconv.Atoi(args[1])
	if err != nil {
		return nil, err
	}
	workers, err := openWorkers(runner(args[0]))
	if err != nil {
		return nil, err
	}
	defer workers.Close()
	last, err := workers.Worker(context.Background(), sandbox.Limits{})
	var took []float64
	for taken := time.Now(); err == nil && len(took) < count; {
		var next *sandbox.Worker
		if next, err = workers.Worker(context.Background(), sandbox.Limits{}); err != nil {
			break
		}
		now := time.Now()
		took = append(took, now.Sub(taken).Seconds())
		last.Close()
		last, taken = next, now
	}
	return took, err
}

func TestChildSpent(t *testing.T) {
	name := filepath.Join(t.TempDir(), "stat")
	if err := os.WriteFile(name, []byte("12 (a ) 9 (b) S 7 12 12 0 -1 4194560 1 2 3 4 150 25 0 0 20 0 8 0"), 0o600); err != nil {
		t.Fatal(err)
	}
	for parent, want := range map[int]time.Duration{7: 1750 * time.Millisecond, 12: 0} {
		if got := childSpent(name, parent); got != want {
			t.Errorf("the child of %d spent %v, want %v", parent, got, want)
		}
	}
	if got := childSpent(name+"s", 7); got != 0 {
		t.Errorf("a process that ended spent %v", got)
	}
}
