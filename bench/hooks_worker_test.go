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

// serveHooks makes this process a worker of a cage, as the program itself is.
func serveHooks() (status int) {
	if err := server.HookWorker(); err != nil {
		fmt.Fprintln(os.Stderr, "hook worker:", err)
		return 1
	}
	return 0
}

// hookRun is what a child is to do.
type hookRun struct {
	Runner  runner
	Source  string
	Records int
	// Rows are measured, after as many as Warm were not.
	Rows, Warm int
}

// hookCost is what a run took.
type hookCost struct {
	Rows int
	// CPU are seconds of all processes together, where one worker is called at
	// a time; Wall are seconds of the clock for as many rows with a worker for
	// each core, or in Node alone with its one thread.
	CPU, Wall float64
	// Sum is that of all changes of all records.
	Sum string
}

// openWorkers starts workers of a runtime, of which this program is one itself.
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

// runHooks is the child that calls a hook by way of workers.
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
	c := &caller{session: session, fields: loadFields(), batches: loadBatches(todo.Records)}
	return c.measure(todo)
}

// caller calls a hook with the same rows again and again.
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

// call hands over rows, by as many callers at a time.
func (c *caller) call(rows, callers int) error {
	size := c.batches[0].Rows()
	var left, next atomic.Int64
	left.Store(int64(rows / size))
	group, ctx := errgroup.WithContext(context.Background())
	for range callers {
		group.Go(func() error {
			for left.Add(-1) >= 0 {
				changes, err := c.rows(ctx, c.batches[int(next.Add(1))%len(c.batches)])
				if err != nil {
					return err
				}
				if len(changes) < size {
					return fmt.Errorf("%d changes in %d rows", len(changes), size)
				}
			}
			return nil
		})
	}
	return group.Wait()
}

func (c *caller) rows(ctx context.Context, b *intray.Batch) ([]intray.Change, error) {
	return c.session.RunRows(ctx, 0, intray.HookRows{Fields: c.fields, Parts: make([]int, len(c.fields)), Batches: []*intray.Batch{b}})
}

// sum calls the hook once with each row.
func (c *caller) sum() (string, error) {
	hash := sha256.New()
	for _, b := range c.batches {
		changes, err := c.rows(context.Background(), b)
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

// spent are the seconds of processor time that something takes this process and
// all that it started. What it takes to ask for those of the others is left out.
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

// ownSpent is that of this process, and of children that are gone.
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

// othersSpent is that of children that run.
func othersSpent() (total time.Duration, err error) {
	all, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(all) == 0 {
		return 0, errors.New("this system does not tell the processor time of a process that runs")
	}
	for _, name := range all {
		total += childSpent(name, os.Getpid())
	}
	return total, nil
}

// childSpent reads the processor time of a process, in hundredths of a second,
// where another one is its parent.
func childSpent(stat string, parent int) (total time.Duration) {
	text, err := os.ReadFile(stat)
	if err != nil {
		return 0 // it has ended
	}
	// The name, in brackets, may hold anything. The fields 4, 14 and 15 of all are
	// the parent and the ticks of the program and of the kernel for it.
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

// startWorkers is the child that takes one fresh worker after the other. Its
// answer are the seconds from one to the next: a cage starts a spare when the one
// before it is taken, so that there is none at hand then, and each is waited for
// from the start of its process until it is jailed and ready.
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
