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
	// shortBudget is the budget of calls that must exceed it.
	shortBudget = 300 * time.Millisecond
	// patient is the budget of all other calls, which a busy machine must not exceed.
	patient = time.Minute
)

// budgetOf returns the budget of a command.
func budgetOf(command string) time.Duration {
	if command == "spin" || command == "sleep" {
		return shortBudget
	}
	return patient
}

// broken makes a call that must fail and leave no process.
func broken(t *testing.T, w *Worker, request string, budget time.Duration) *Failure {
	t.Helper()
	answer, err := w.Call(context.Background(), []byte(request), budget)
	var f *Failure
	if !errors.As(err, &f) {
		t.Fatalf("%.40q was answered with %.200q, %v", request, answer, err)
	}
	if stat, err := os.ReadFile("/proc/" + strconv.Itoa(w.proc.os.Pid) + "/stat"); err == nil {
		t.Errorf("the process is still there: %s", stat)
	}
	if again, err := w.Call(context.Background(), []byte("echo x"), budget); !errors.Is(err, f) {
		t.Errorf("the next call gave %q, %v", again, err)
	}
	return f
}

func TestHostileCommands(t *testing.T) {
	c := open(t, Config{IdleWorkers: 2, MaxAnswer: 1 << 20})
	neighbour := lend(t, c)
	for _, test := range []struct {
		request string
		kind    Kind
		words   string
	}{
		{"spin", KindDeadline, "not answered within 300ms"},
		{"sleep", KindDeadline, "not answered within 300ms"},
		{"hangup", KindDied, "SIGSYS"},
		{"hoard", KindMemory, "memory"},
		{"crowd", KindThreads, "threads"},
		{"shout", KindOutput, "standard error"},
		{"large", KindOutput, "2097152 bytes, more than 1048576"},
		{"exit", KindDied, "status 3"},
		{"panic now", KindDied, "status 2"},
		{"fault my words", KindFault, "my words"},
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
			w := lend(t, c)
			f := broken(t, w, test.request, budgetOf(test.request))
			if f.Kind != test.kind || !strings.Contains(f.Error(), test.words) {
				t.Errorf("got %s: %v, want %s: …%s…; stderr: %.500s", f.Kind, f, test.kind, test.words, f.Stderr)
			}
			if got := ask(t, neighbour, "echo still here"); got != "still here" {
				t.Errorf("the neighbour says %q", got)
			}
		})
	}
}

// TestFilesAreClosed checks that opening files fails in a program with a C library, and
// kills one without.
func TestFilesAreClosed(t *testing.T) {
	c := open(t, Config{IdleWorkers: 2})
	for _, command := range []string{"open", "create", "self", "start"} {
		if got := outcome(t, lend(t, c), command, budgetOf(command)); !strings.HasPrefix(got, "refused") && !strings.Contains(got, "SIGSYS") {
			t.Errorf("%s: %s", command, got)
		}
	}
}

// frame returns a forged frame.
func frame(kind byte, length uint32, payload string) string {
	return string(binary.LittleEndian.AppendUint32([]byte{kind}, length)) + payload
}

func TestForgedFrames(t *testing.T) {
	c := open(t, Config{IdleWorkers: 2, MaxAnswer: 1 << 20})
	for _, test := range []struct {
		name, bytes string
		kind        Kind
	}{
		{"a second greeting", frame('R', 0, ""), KindProtocol},
		{"a greeting with words", frame('R', 5, "hello"), KindProtocol},
		{"no kind", frame(0, 0, ""), KindProtocol},
		{"a kind for workers", frame('Q', 1, "x"), KindProtocol},
		{"an order", frame('L', 2, "{}"), KindProtocol},
		{"an answer over the cap", frame('A', 1<<20+1, ""), KindOutput},
		{"an answer of 4 GiB", frame('A', 1<<32-1, ""), KindOutput},
		{"a fault of 1 GiB", frame('F', 1<<30, ""), KindProtocol},
		{"half a header", "A\x01\x00", KindDeadline},
		{"half an answer", frame('A', 1<<20, "x"), KindDeadline},
		{"text", "hello, world: how are you?\n", KindProtocol},
	} {
		t.Run(test.name, func(t *testing.T) {
			budget := patient
			if test.kind == KindDeadline {
				budget = shortBudget
			}
			if f := broken(t, lend(t, c), "raw "+test.bytes, budget); f.Kind != test.kind {
				t.Errorf("got %s: %v, want %s", f.Kind, f, test.kind)
			}
		})
	}
}

// TestForgedAnswer shows what the pool does not check: any code in the worker can write
// the answer. An answer without a call is refused.
func TestForgedAnswer(t *testing.T) {
	w := lend(t, open(t, Config{}))
	one := frame('A', 6, "forged")
	answer, err := w.Call(context.Background(), []byte("raw "+one+one), patient)
	if answer != "forged" || err != nil {
		t.Fatalf("got %q, %v", answer, err)
	}
	<-w.dead
	if f := broken(t, w, "echo x", patient); f.Kind != KindProtocol {
		t.Errorf("got %s: %v", f.Kind, f)
	}
}

func TestGarbage(t *testing.T) {
	c := open(t, Config{IdleWorkers: 2})
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
		if f := broken(t, lend(t, c), "raw "+string(text), patient); f.Kind != KindProtocol {
			t.Errorf("%q gave %s: %v", text, f.Kind, f)
		}
	}
}

func TestLastWords(t *testing.T) {
	w := lend(t, open(t, Config{}))
	f := broken(t, w, "shout the very last", patient)
	if f.Kind != KindDied || f.Exit != 4 || !strings.HasSuffix(f.Stderr, "x\nthe very last") {
		t.Errorf("got %s, exit %d, stderr %q", f.Kind, f.Exit, f.Stderr)
	}
	if strings.Contains(f.Error(), "last") {
		t.Errorf("the error repeats what the worker wrote: %v", f)
	}
}

// TestFirstWords checks that the beginning of the standard error is kept, which has the
// reason.
func TestFirstWords(t *testing.T) {
	w := lend(t, open(t, Config{}))
	f := broken(t, w, "wail fatal error: runtime: cannot allocate memory\n"+strings.Repeat("frame\n", 10_000), patient)
	if f.Kind != KindMemory || !strings.HasPrefix(f.Stderr, "fatal error: runtime: cannot") || !strings.HasSuffix(f.Stderr, "frame\n") || len(f.Stderr) > headSize+len(omission)+tailSize {
		t.Errorf("got %s, stderr of %d bytes %.80q", f.Kind, len(f.Stderr), f.Stderr)
	}
}
