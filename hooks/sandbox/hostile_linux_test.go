package sandbox

import (
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	// shortBudget is the budget of calls that are meant to exceed it.
	shortBudget = 300 * time.Millisecond
	// generousBudget is the budget of all other calls. It is long enough for any machine.
	generousBudget = time.Minute
)

// budgetOf returns the budget of a command.
func budgetOf(command string) time.Duration {
	if command == "spin" || command == "sleep" {
		return shortBudget
	}
	return generousBudget
}

// mustFail makes a call that must fail and leave no process.
func mustFail(t *testing.T, w *Worker, request string, budget time.Duration) *Failure {
	t.Helper()
	answer, err := w.Call(context.Background(), []byte(request), budget)
	var f *Failure
	if !errors.As(err, &f) {
		t.Fatalf("%.40q was answered with %.200q, %v", request, answer, err)
	}
	if stat, err := os.ReadFile("/proc/" + strconv.Itoa(w.proc.os.Pid) + "/stat"); err == nil {
		t.Errorf("the process is still running: %s", stat)
	}
	if again, err := w.Call(context.Background(), []byte("echo x"), budget); !errors.Is(err, f) {
		t.Errorf("the next call returned %q, %v", again, err)
	}
	return f
}

func TestHostileCommands(t *testing.T) {
	c := openPool(t, Config{IdleWorkers: 2, MaxAnswer: 1 << 20})
	neighbor := getWorker(t, c)
	for _, test := range []struct {
		request string
		kind    Kind
		words   string
	}{
		{"spin", KindDeadline, "not answered within 300ms"},
		{"sleep", KindDeadline, "not answered within 300ms"},
		{"hangup", KindDied, "SIGSYS"},
		{"allocate", KindMemory, "memory"},
		{"threads", KindThreads, "threads"},
		{"flood", KindOutput, "standard error"},
		{"large", KindOutput, "2097152 bytes, more than 1048576"},
		{"exit", KindDied, "status 3"},
		{"panic now", KindDied, "status 2"},
		{"fault my text", KindFault, "my text"},
		{"nonsense", KindFault, "unknown command"},
		{"socket", KindDied, "SIGSYS"},
		{"tcp", KindDied, "SIGSYS"},
		{"udp", KindDied, "SIGSYS"},
		{"fork", KindDied, "SIGSYS"},
		{"exec", KindDied, "SIGSYS"},
		{"kill", KindDied, "SIGSYS"},
		{"code", KindDied, "SIGSYS"},
		{"ptrace", KindDied, "SIGSYS"},
	} {
		t.Run(strings.Fields(test.request)[0], func(t *testing.T) {
			w := getWorker(t, c)
			f := mustFail(t, w, test.request, budgetOf(test.request))
			if f.Kind != test.kind || !strings.Contains(f.Error(), test.words) {
				t.Errorf("got %s: %v, want %s: …%s…; stderr: %.500s", f.Kind, f, test.kind, test.words, f.Stderr)
			}
			if got := mustCall(t, neighbor, "echo still here"); got != "still here" {
				t.Errorf("the other worker answered %q", got)
			}
		})
	}
}

// TestFilesAreForbidden checks that opening a file either fails, as in a program with a C
// library, or kills the worker.
func TestFilesAreForbidden(t *testing.T) {
	c := openPool(t, Config{IdleWorkers: 2})
	for _, command := range []string{"open", "create", "self", "start"} {
		if got := outcome(t, getWorker(t, c), command, budgetOf(command)); !strings.HasPrefix(got, "refused") && !strings.Contains(got, "SIGSYS") {
			t.Errorf("%s: %s", command, got)
		}
	}
}

// frame returns a forged frame.
func frame(kind byte, length uint32, payload string) string {
	return string(binary.LittleEndian.AppendUint32([]byte{kind}, length)) + payload
}

func TestForgedFrames(t *testing.T) {
	c := openPool(t, Config{IdleWorkers: 2, MaxAnswer: 1 << 20})
	for _, test := range []struct {
		name, bytes string
		kind        Kind
	}{
		{"a second greeting", frame('R', 0, ""), KindProtocol},
		{"a greeting with a payload", frame('R', 5, "hello"), KindProtocol},
		{"no kind", frame(0, 0, ""), KindProtocol},
		{"a kind for workers", frame('Q', 1, "x"), KindProtocol},
		{"restrictions", frame('L', 2, "{}"), KindProtocol},
		{"an answer over the limit", frame('A', 1<<20+1, ""), KindOutput},
		{"an answer of 4 GiB", frame('A', 1<<32-1, ""), KindOutput},
		{"a fault of 1 GiB", frame('F', 1<<30, ""), KindProtocol},
		{"half a header", "A\x01\x00", KindDeadline},
		{"half an answer", frame('A', 1<<20, "x"), KindDeadline},
		{"text", "hello, world: how are you?\n", KindProtocol},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			budget := generousBudget
			if test.kind == KindDeadline {
				budget = shortBudget
			}
			if f := mustFail(t, getWorker(t, c), "raw "+test.bytes, budget); f.Kind != test.kind {
				t.Errorf("got %s: %v, want %s", f.Kind, f, test.kind)
			}
		})
	}
}

// TestForgedAnswer checks that the pool accepts a forged answer, because any code in the worker
// can write the answer. If the worker writes a second answer, the pool rejects it, because no
// call is running.
func TestForgedAnswer(t *testing.T) {
	w := getWorker(t, openPool(t, Config{}))
	one := frame('A', 6, "forged")
	answer, err := w.Call(context.Background(), []byte("raw "+one+one), generousBudget)
	if answer != "forged" || err != nil {
		t.Fatalf("got %q, %v", answer, err)
	}
	<-w.dead
	if f := mustFail(t, w, "echo x", generousBudget); f.Kind != KindProtocol {
		t.Errorf("got %s: %v", f.Kind, f)
	}
}

func TestRandomOutput(t *testing.T) {
	c := openPool(t, Config{IdleWorkers: 2})
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for range 20 {
		text := make([]byte, 5+random.IntN(200))
		for i := range text {
			text[i] = byte(random.Uint32())
		}
		if text[0] == 'A' || text[0] == 'F' {
			continue
		}
		if f := mustFail(t, getWorker(t, c), "raw "+string(text), generousBudget); f.Kind != KindProtocol {
			t.Errorf("%q: got %s: %v", text, f.Kind, f)
		}
	}
}

func TestEndOfStderr(t *testing.T) {
	w := getWorker(t, openPool(t, Config{}))
	f := mustFail(t, w, "flood the very last", generousBudget)
	if f.Kind != KindDied || f.Exit != 4 || !strings.HasSuffix(f.Stderr, "x\nthe very last") {
		t.Errorf("got %s, exit %d, stderr %q", f.Kind, f.Exit, f.Stderr)
	}
	if strings.Contains(f.Error(), "last") {
		t.Errorf("the error repeats what the worker wrote: %v", f)
	}
}

// TestStartOfStderr checks that a failure includes the beginning of the standard error
// output, which contains the reason.
func TestStartOfStderr(t *testing.T) {
	w := getWorker(t, openPool(t, Config{}))
	f := mustFail(t, w, "stderr fatal error: runtime: cannot allocate memory\n"+strings.Repeat("frame\n", 10_000), generousBudget)
	if f.Kind != KindMemory || !strings.HasPrefix(f.Stderr, "fatal error: runtime: cannot") || !strings.HasSuffix(f.Stderr, "frame\n") || len(f.Stderr) > headSize+len(omission)+tailSize {
		t.Errorf("got %s, stderr of %d bytes %.80q", f.Kind, len(f.Stderr), f.Stderr)
	}
}
