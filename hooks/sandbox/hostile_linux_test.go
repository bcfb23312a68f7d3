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

// slack is how much later than its budget a worker may be gone, and patient how
// much on a machine that is too busy to be exact.
const (
	slack   = 250 * time.Millisecond
	patient = 10 * time.Second
)

// broken makes a call that must fail and leave no process.
func broken(t *testing.T, w *Worker, request string, budget time.Duration) *Failure {
	t.Helper()
	start := time.Now()
	answer, err := w.Call(context.Background(), []byte(request), budget)
	took := time.Since(start)
	var f *Failure
	if !errors.As(err, &f) {
		t.Fatalf("%.40q was answered with %.200q, %v", request, answer, err)
	}
	if took > budget+patient {
		t.Errorf("%.40q took %v", request, took)
	}
	if stat, err := os.ReadFile("/proc/" + strconv.Itoa(w.proc.os.Pid) + "/stat"); err == nil {
		t.Errorf("the process is still there: %s", stat)
	}
	if again, err := w.Call(context.Background(), []byte("echo x"), budget); !errors.Is(err, f) {
		t.Errorf("the next call gave %q, %v", again, err)
	}
	return f
}

// patience is the budget of a deed. Filling memory takes its time on a machine
// that has other things to do.
func patience(command string) time.Duration {
	if command == "hoard" || command == "crowd" {
		return 5 * time.Second
	}
	return 300 * time.Millisecond
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
		{"large", KindOutput, "2097152 bytes, and may have 1048576"},
		{"exit", KindDied, "status 3"},
		{"panic now", KindDied, "status 2"},
		{"fault my words", KindFault, "my words"},
		{"nonsense", KindFault, "no deed"},
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
			start := time.Now()
			f := broken(t, w, test.request, patience(test.request))
			t.Logf("%v: %v", time.Since(start).Round(100*time.Microsecond), f)
			if f.Kind != test.kind || !strings.Contains(f.Error(), test.words) {
				t.Errorf("got %s: %v, want %s: …%s…; stderr: %.500s", f.Kind, f, test.kind, test.words, f.Stderr)
			}
			if got := ask(t, neighbour, "echo still here"); got != "still here" {
				t.Errorf("the neighbour says %q", got)
			}
		})
	}
}

// TestInTime takes the best of some tries: others use this machine too.
func TestInTime(t *testing.T) {
	c := open(t, Config{IdleWorkers: 2})
	for request, budget := range map[string]time.Duration{
		"spin": 100 * time.Millisecond, "sleep": 100 * time.Millisecond, "shout": 0, "socket": 0, "exit": 0,
		"raw " + frame('A', 100, "x"): 100 * time.Millisecond,
	} {
		best := time.Hour
		for range 10 {
			w := lend(t, c)
			start := time.Now()
			if answer, err := w.Call(t.Context(), []byte(request), budget); err == nil {
				t.Fatalf("%s was answered with %s", request, answer)
			}
			if best = min(best, time.Since(start)); best <= budget+slack {
				break
			}
		}
		t.Logf("%.20q: gone %v after its budget of %v", request, best-budget, budget)
		if best > budget+slack {
			t.Errorf("%.20q takes %v, more than %v", request, best, budget+slack)
		}
	}
}

// TestFilesAreClosed: a program with a C library in it is refused, one without
// is killed.
func TestFilesAreClosed(t *testing.T) {
	c := open(t, Config{IdleWorkers: 2})
	for _, command := range []string{"open", "create", "self", "start"} {
		if got := outcome(t, lend(t, c), command, patience(command)); !strings.HasPrefix(got, "refused") && !strings.Contains(got, "SIGSYS") {
			t.Errorf("%s: %s", command, got)
		}
	}
}

// frame is a frame as a stranger would write it.
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
			if f := broken(t, lend(t, c), "raw "+test.bytes, 200*time.Millisecond); f.Kind != test.kind {
				t.Errorf("got %s: %v, want %s", f.Kind, f, test.kind)
			}
		})
	}
}

// TestForgedAnswer shows what the pool does not promise: an answer is taken,
// whoever in the worker wrote it. One that nobody asked for is refused.
func TestForgedAnswer(t *testing.T) {
	w := lend(t, open(t, Config{}))
	one := frame('A', 6, "forged")
	answer, err := w.Call(context.Background(), []byte("raw "+one+one), 200*time.Millisecond)
	if answer != "forged" || err != nil {
		t.Fatalf("got %q, %v", answer, err)
	}
	<-w.dead
	if f := broken(t, w, "echo x", time.Second); f.Kind != KindProtocol {
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
		if f := broken(t, lend(t, c), "raw "+string(text), time.Second); f.Kind != KindProtocol {
			t.Errorf("%q gave %s: %v", text, f.Kind, f)
		}
	}
}

func TestLastWords(t *testing.T) {
	w := lend(t, open(t, Config{}))
	f := broken(t, w, "shout the very last", time.Second)
	if f.Kind != KindDied || f.Exit != 4 || !strings.HasSuffix(f.Stderr, "x\nthe very last") {
		t.Errorf("got %s, exit %d, stderr %q", f.Kind, f.Exit, f.Stderr)
	}
	if strings.Contains(f.Error(), "last") {
		t.Errorf("the error repeats what the worker wrote: %v", f)
	}
}

// TestFirstWords: a runtime says why it ends before it lists all that it was at.
func TestFirstWords(t *testing.T) {
	w := lend(t, open(t, Config{}))
	f := broken(t, w, "wail fatal error: runtime: cannot allocate memory\n"+strings.Repeat("frame\n", 10_000), time.Second)
	if f.Kind != KindMemory || !strings.HasPrefix(f.Stderr, "fatal error: runtime: cannot") || !strings.HasSuffix(f.Stderr, "frame\n") || len(f.Stderr) > headSize+len(omission)+tailSize {
		t.Errorf("got %s, stderr of %d bytes %.80q", f.Kind, len(f.Stderr), f.Stderr)
	}
}
