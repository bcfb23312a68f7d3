package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/intraydata/intray"
)

// needSandbox skips the test if no sandbox can be built.
func needSandbox(t testing.TB) {
	t.Helper()
	if lacks := ProbeCapabilities().missingRequired(); len(lacks) > 0 {
		t.Skip(strings.Join(intray.RenderAll(lacks), "; "))
	}
}

// openPool returns a pool that is closed after the test.
func openPool(t testing.TB, cfg Config) *Pool {
	t.Helper()
	needSandbox(t)
	setDefault(&cfg.StartTimeout, generousBudget)
	c, err := New(cfg)
	if err != nil {
		t.Fatalf("open the pool: %v", err)
	}
	t.Cleanup(c.Close)
	return c
}

// getWorker returns a worker that is closed after the test.
func getWorker(t testing.TB, c *Pool) *Worker {
	t.Helper()
	w, err := c.Worker(context.Background(), Limits{})
	if err != nil {
		t.Fatalf("get a worker: %v", err)
	}
	t.Cleanup(w.Close)
	return w
}

// mustCall makes a call that must succeed.
func mustCall(t testing.TB, w *Worker, request string) string {
	t.Helper()
	answer, err := w.Call(context.Background(), []byte(request), generousBudget)
	if err != nil {
		t.Fatalf("%.40s: %v", request, err)
	}
	return answer
}

// waitForExit waits until a process has ended. The process does not have to be a child of
// this one.
func waitForExit(t testing.TB, pid int) {
	t.Helper()
	fd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ESRCH) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(generousBudget.Milliseconds()))
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			t.Fatal(err)
		case n == 0:
			t.Fatalf("the process %d is still running", pid)
		default:
			return
		}
	}
}

// makeInheritable removes the close-on-exec flag of a file.
func makeInheritable(file *os.File) error {
	raw, err := file.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) { _, failed = unix.FcntlInt(fd, unix.F_SETFD, 0) })
	return errors.Join(err, failed)
}

func TestCalls(t *testing.T) {
	w := getWorker(t, openPool(t, Config{MaxAnswer: 32 << 20}))
	for _, length := range []int{0, 1, 100, maxSingleWrite, maxSingleWrite + 1, growStep + 1, 5 << 20} {
		text := strings.Repeat("é", length)
		if got := mustCall(t, w, "echo "+text); got != text {
			t.Errorf("%d bytes came back as %d", len(text), len(got))
		}
	}
}

// TestConcurrentCalls checks that calls succeed if there are more at once than a worker accepts.
func TestConcurrentCalls(t *testing.T) {
	w := getWorker(t, openPool(t, Config{}))
	var all sync.WaitGroup
	for i := range maxInFlight + 2 {
		all.Go(func() {
			want := fmt.Sprint(i)
			if answer, err := w.Call(t.Context(), []byte("echo "+want), generousBudget); err != nil || answer != want {
				t.Errorf("got %q, %v, want %s", answer, err, want)
			}
		})
	}
	all.Wait()
}

// TestFailureEndsAllCalls checks that the second call fails if the first one ends the worker.
func TestFailureEndsAllCalls(t *testing.T) {
	w := getWorker(t, openPool(t, Config{}))
	kinds := make(chan Kind, 2)
	for _, request := range []string{"spin", "spin"} {
		go func() {
			_, err := w.Call(context.Background(), []byte(request), 100*time.Millisecond)
			var f *Failure
			errors.As(err, &f)
			kinds <- f.Kind
		}()
	}
	if one, two := <-kinds, <-kinds; one != KindDeadline || two != KindDeadline {
		t.Errorf("got %s and %s", one, two)
	}
}

func TestTooLongRequest(t *testing.T) {
	w := getWorker(t, openPool(t, Config{MaxRequest: 1000}))
	if _, err := w.Call(t.Context(), make([]byte, 1001), 0); err == nil || errors.As(err, new(*Failure)) {
		t.Errorf("got %v", err)
	}
	if got := mustCall(t, w, "echo well"); got != "well" {
		t.Errorf("the worker answered %q", got)
	}
}

func TestLimitsOfOneWorker(t *testing.T) {
	c := openPool(t, Config{})
	for _, test := range []struct {
		limits  Limits
		command string
		kind    Kind
	}{
		{Limits{Memory: 64 << 20}, "allocate", KindMemory},
		{Limits{MaxAnswer: 1 << 20}, "large", KindOutput},
	} {
		w, err := c.Worker(t.Context(), test.limits)
		if err != nil {
			t.Fatal(err)
		}
		if f := mustFail(t, w, test.command, budgetOf(test.command)); f.Kind != test.kind {
			t.Errorf("%s: %s: %v", test.command, f.Kind, f)
		}
	}
	wide, err := c.Worker(t.Context(), Limits{Memory: 1 << 40, MaxAnswer: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	defer wide.Close()
	if wide.maxMemory != DefaultMemory || wide.maxAnswer != DefaultMaxAnswer {
		t.Errorf("the limits grew to %d and %d", wide.maxMemory, wide.maxAnswer)
	}
}

func TestCancelledCall(t *testing.T) {
	w := getWorker(t, openPool(t, Config{}))
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err := w.Call(ctx, []byte("spin"), time.Hour)
	var f *Failure
	if !errors.As(err, &f) || f.Kind != KindClosed || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// TestSignals checks that the signals that stop a service do not end its workers.
func TestSignals(t *testing.T) {
	w := getWorker(t, openPool(t, Config{}))
	for _, one := range []unix.Signal{unix.SIGTERM, unix.SIGINT, unix.SIGHUP} {
		if err := unix.Kill(w.proc.os.Pid, one); err != nil {
			t.Fatal(err)
		}
		if got := mustCall(t, w, "echo alive"); got != "alive" {
			t.Errorf("after %v the worker answered %q", one, got)
		}
	}
}

func TestIdleTimeout(t *testing.T) {
	w := getWorker(t, openPool(t, Config{IdleTimeout: 50 * time.Millisecond}))
	<-w.dead
	if f := mustFail(t, w, "echo x", generousBudget); f.Kind != KindIdle {
		t.Errorf("got %s: %v", f.Kind, f)
	}
}

func TestFailedStarts(t *testing.T) {
	needSandbox(t)
	for _, test := range []struct {
		setup string
		kind  Kind
		words string
	}{
		{"refuse", KindFault, "no such runtime"},
		{"die", KindDied, "status 7"},
		{"sleep", KindStart, "not ready within 100ms"},
	} {
		timeout := generousBudget
		if test.kind == KindStart {
			timeout = 100 * time.Millisecond
		}
		c, err := New(Config{Setup: []byte(test.setup), StartTimeout: timeout})
		var f *Failure
		if !errors.As(err, &f) || f.Kind != test.kind || !strings.Contains(err.Error(), test.words) {
			t.Errorf("%s: got %v, %v", test.setup, c, err)
		}
	}
}

func TestInvalidConfigs(t *testing.T) {
	for want, cfg := range map[string]Config{
		"unknown hook runtime \"deno\"":     {Runtime: "deno"},
		"unknown hook sandbox mode \"lax\"": {Mode: "lax"},
		"exceed the maximum":                {IdleWorkers: 3, MaxWorkers: 2},
		"negative":                          {Memory: -1},
		"limited to":                        {MaxAnswer: 2 << 30},
		"Node isn't installed":              {Runtime: Node, NodePath: "/no/such/node"},
		"script for Node":                   {Runtime: Node, Script: strings.Repeat("x", 121<<10)},
		"not a memory cgroup":               {Cgroup: "/tmp"},
	} {
		if c, err := New(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %s, got %v, %v", want, c, err)
		}
	}
}

// TestWorkersAreFresh checks that no worker is used twice and that idle workers are replaced.
func TestWorkersAreFresh(t *testing.T) {
	c := openPool(t, Config{IdleWorkers: 2, MaxWorkers: 3})
	var seen []int
	for range 10 {
		w := getWorker(t, c)
		seen = append(seen, w.proc.os.Pid)
		w.Close()
	}
	slices.Sort(seen)
	if all := len(slices.Compact(slices.Clone(seen))); all != 10 {
		t.Errorf("10 workers had %d process ids: %v", all, seen)
	}
}

// TestFilesAreClosed checks that a closed pool leaves no files of its workers open.
func TestFilesAreClosed(t *testing.T) {
	before, err := listOpenFiles()
	if err != nil {
		t.Fatal(err)
	}
	c := openPool(t, Config{})
	for i := range 20 {
		w := getWorker(t, c)
		if i%2 == 0 {
			mustFail(t, w, "exit", generousBudget)
		}
		w.Close()
	}
	c.Close()
	if after, err := listOpenFiles(); err != nil || len(after) > len(before)+2 {
		t.Errorf("open files: before %v, after %v, %v", before, after, err)
	}
}

// TestMaxWorkers checks that a caller waits until a worker is available or the caller cancels.
func TestMaxWorkers(t *testing.T) {
	c := openPool(t, Config{IdleWorkers: 1, MaxWorkers: 2})
	one, _ := getWorker(t, c), getWorker(t, c)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if w, err := c.Worker(ctx, Limits{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v, %v", w, err)
	}
	go one.Close()
	if got := mustCall(t, getWorker(t, c), "echo third"); got != "third" {
		t.Errorf("got %q", got)
	}
}

func TestDeadIdleWorkerIsReplaced(t *testing.T) {
	c := openPool(t, Config{MaxWorkers: 1})
	first := c.aliveWorkers()[0]
	_ = unix.Kill(first.proc.os.Pid, unix.SIGKILL)
	<-first.dead
	w := getWorker(t, c)
	if got := mustCall(t, w, "echo new"); got != "new" || w == first {
		t.Errorf("got %q", got)
	}
}

// TestDeadWorkerIsSkipped checks that a caller does not get a worker that died just before the pool passed
// it on.
func TestDeadWorkerIsSkipped(t *testing.T) {
	c := openPool(t, Config{MaxWorkers: 2})
	dead, alive := getWorker(t, c), getWorker(t, c)
	dead.Close()
	ready := make(chan *Worker, 2)
	ready <- dead
	ready <- alive
	p := &Pool{ready: ready, closing: make(chan struct{})}
	if w, err := p.waitForWorker(t.Context()); err != nil || w != alive {
		t.Errorf("got the dead worker: %t, error %v", w == dead, err)
	}
}

// aliveWorkers returns the workers whose processes have not ended.
func (c *Pool) aliveWorkers() (list []*Worker) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for w := range c.alive {
		list = append(list, w)
	}
	return list
}

func TestCloseEndsAll(t *testing.T) {
	c := openPool(t, Config{IdleWorkers: 2, MaxWorkers: 4})
	failures := make(chan error, 2)
	for range 2 {
		w := getWorker(t, c)
		go func() {
			_, err := w.Call(context.Background(), []byte("spin"), time.Hour)
			failures <- err
		}()
	}
	all := append(c.aliveWorkers(), <-c.ready, <-c.ready) // including the idle workers
	c.Close()
	for range 2 {
		var f *Failure
		if err := <-failures; !errors.As(err, &f) || f.Kind != KindClosed {
			t.Errorf("got %v", err)
		}
	}
	for _, w := range all {
		select {
		case <-w.dead:
		default:
			t.Errorf("the process %d is still running", w.proc.os.Pid)
		}
	}
	if w, err := c.Worker(t.Context(), Limits{}); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v, %v", w, err)
	}
}

// TestConcurrentWorkers checks that many workers can be used, ended and closed at once.
func TestConcurrentWorkers(t *testing.T) {
	c := openPool(t, Config{IdleWorkers: 2, MaxWorkers: 6})
	commands := []string{"echo ok", "exit", "socket", "fault x", "echo ok"}
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			w, err := c.Worker(t.Context(), Limits{})
			if err != nil {
				t.Error(err)
				return
			}
			defer w.Close()
			command := commands[i%len(commands)]
			answer, err := w.Call(t.Context(), []byte(command), generousBudget)
			if good := command == "echo ok"; good != (err == nil) || good && answer != "ok" {
				t.Errorf("%s: %q, %v", command, answer, err)
			}
		})
	}
	all.Wait()
}

// TestNotes checks that a failure contains only the last note of its call.
func TestNotes(t *testing.T) {
	c := openPool(t, Config{IdleWorkers: 2})
	w := getWorker(t, c)
	if got := mustCall(t, w, "note one two"); got != "noted" {
		t.Errorf("got %q", got)
	}
	if got := w.LastNote(); got != "two" {
		t.Errorf("the answer came with the note %q", got)
	}
	if mustCall(t, w, "echo x"); w.LastNote() != "" {
		t.Errorf("an answer without notes came with the note %q", w.LastNote())
	}
	f := mustFail(t, w, "note "+strings.Repeat("x ", 500)+"last sleep", time.Second)
	if f.Kind != KindDeadline || f.Note != "last" || f.Noted <= 0 {
		t.Errorf("got the note %q, %v before the end, %v", f.Note, f.Noted, f)
	}
	w = getWorker(t, c)
	mustCall(t, w, "note one")
	if f := mustFail(t, w, "spin", 100*time.Millisecond); f.Note != "" || f.Noted != 0 {
		t.Errorf("got the note %q, %v before the end", f.Note, f.Noted)
	}
	w = getWorker(t, c)
	if f := mustFail(t, w, "raw "+frame('N', 4, "four")+frame('Q', 0, ""), 0); f.Kind != KindProtocol || f.Note != "four" {
		t.Errorf("got %q, %v", f.Note, f)
	}
	for _, forged := range []string{frame('N', maxNoteText+1, "x"), strings.Repeat(frame('N', 0, ""), maxNotes+1)} {
		if f := mustFail(t, getWorker(t, c), "raw "+forged, generousBudget); f.Kind != KindProtocol {
			t.Errorf("%.20q: got %v", forged, f)
		}
	}
}

// TestTryWorker checks that TryWorker returns no worker while all are in use, and returns
// one as soon as a worker has ended.
func TestTryWorker(t *testing.T) {
	c := openPool(t, Config{MaxWorkers: 2, IdleWorkers: 1})
	first := getWorker(t, c)
	second, some, err := c.TryWorker(t.Context(), Limits{})
	if err != nil || !some {
		t.Fatalf("got no second worker: %v", err)
	}
	t.Cleanup(second.Close)
	for range 3 {
		if w, some, err := c.TryWorker(t.Context(), Limits{}); w != nil || some || err != nil {
			t.Fatalf("got a third worker of two: %v, %v", w, err)
		}
	}
	first.Close()
	for some = false; !some; runtime.Gosched() { // the slot of the first one is released in the background
		var w *Worker
		if w, some, err = c.TryWorker(t.Context(), Limits{}); err != nil {
			t.Fatal(err)
		}
		if some {
			mustCall(t, w, "echo x")
			w.Close()
		}
	}
	c.Close()
	if w, some, err := c.TryWorker(t.Context(), Limits{}); w != nil || some || !errors.Is(err, ErrClosed) {
		t.Errorf("a closed pool returned %v, %v", w, err)
	}
}

// BenchmarkCall measures a call without computation. A batch of 1,000 rows is about 174 kB long.
func BenchmarkCall(b *testing.B) {
	w := getWorker(b, openPool(b, Config{}))
	for _, size := range []int{100, 174_000, 4 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			request := append([]byte("size "), bytes.Repeat([]byte("x"), size)...)
			b.SetBytes(int64(size))
			for b.Loop() {
				if _, err := w.Call(b.Context(), request, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkStart measures starting, restricting and closing a worker.
func BenchmarkStart(b *testing.B) {
	c := openPool(b, Config{MaxWorkers: 2})
	for b.Loop() {
		w, err := c.startWorker(<-c.slots)
		if err != nil {
			b.Fatal(err)
		}
		w.Close()
	}
}
