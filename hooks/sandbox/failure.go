package sandbox

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/intraydata/intray"
)

// Kind is the reason of a failure.
type Kind string

// Kinds of failures.
const (
	// KindDeadline: a call exceeded its budget.
	KindDeadline Kind = "deadline"
	// KindMemory: the worker exceeded its memory limit.
	KindMemory Kind = "memory"
	// KindThreads: the worker had too many threads.
	KindThreads Kind = "threads"
	// KindDied: the process ended on its own, or by SIGSYS because of a forbidden system
	// call.
	KindDied Kind = "died"
	// KindKilled: something else ended the process, such as an operator or a system
	// without free memory.
	KindKilled Kind = "killed"
	// KindProtocol: the worker wrote an invalid or unexpected frame.
	KindProtocol Kind = "protocol"
	// KindOutput: the worker wrote too much.
	KindOutput Kind = "output"
	// KindFault: the worker reported that it cannot continue.
	KindFault Kind = "fault"
	// KindIdle: the worker had no call for too long.
	KindIdle Kind = "idle"
	// KindClosed: the user of the worker closed it or cancelled a call.
	KindClosed Kind = "closed"
	// KindStart: the worker did not become ready.
	KindStart Kind = "start"
)

// Failure is the reason why a worker has ended. It is returned when its process is gone.
//
//nolint:errname // Failure describes the end of a worker, and callers keep it as a value.
type Failure struct {
	Kind Kind
	// Detail is a description for logs.
	Detail string
	// Signal is the name of the signal that ended a process without the pool, or "". Exit
	// is the exit status, or -1.
	Signal string
	Exit   int
	// Stderr is what the worker wrote to its standard error: all of it, or the first KiB
	// and the last 8. It is untrusted.
	Stderr string
	// Note is the last note of the running call, or "". It is untrusted. Noted is how
	// long before the end it came.
	Note  string
	Noted time.Duration
	// Cause is the underlying error, or nil.
	Cause error
}

// Error returns a text without the output of the worker.
func (f *Failure) Error() string { return "the hook worker was ended: " + f.Detail }

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Cause }

// exitFailure returns the failure of a process that ended without the pool.
func exitFailure(end exitStatus) *Failure {
	f := &Failure{Kind: KindDied, Exit: end.exit, Signal: end.signal}
	switch {
	case end.outOfMemory:
		f.Kind, f.Detail = KindMemory, "it exceeded the memory limit of its cgroup"
	case end.signal == "SIGSYS":
		f.Detail = "it made a system call that the sandbox forbids (SIGSYS)"
	case slices.Contains(externalSignals, end.signal):
		f.Kind, f.Detail = KindKilled, "something else killed it ("+end.signal+"), such as a system without free memory"
	case end.signal != "":
		f.Detail = "it was ended by " + end.signal
	default:
		f.Detail = fmt.Sprintf("it exited with status %d", end.exit)
	}
	return f
}

// externalSignals are signals that no worker can send, because the sandbox forbids it.
var externalSignals = []string{"SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"}

// outOfMemoryMessages are texts of runtimes that end for lack of memory. Forging them
// only changes the text of an error.
var outOfMemoryMessages = []string{"cannot allocate memory", "runtime: out of memory", "JavaScript heap out of memory", "Allocation failed - process out of memory"}

// addStderr adds the standard error of a process, which may show that it ran out of
// memory.
func (f *Failure) addStderr(stderr string) {
	f.Stderr = stderr
	if f.Kind != KindDied && f.Kind != KindKilled {
		return
	}
	for _, mark := range outOfMemoryMessages {
		if strings.Contains(stderr, mark) {
			f.Kind, f.Detail = KindMemory, "it ran out of memory ("+f.Detail+")"
			return
		}
	}
}

// exitStatus is how a process ended.
type exitStatus struct {
	exit   int
	signal string
	// outOfMemory reports whether the kernel ended it for its memory.
	outOfMemory bool
}

func newExitStatus(state *os.ProcessState) exitStatus {
	if state == nil {
		return exitStatus{exit: -1}
	}
	return exitStatus{exit: state.ExitCode()}
}

// TooLongError reports that a request was too long to be sent.
type TooLongError struct {
	// Size is the length of the request and Most the longest allowed, in bytes.
	Size, Most int
}

// Error returns both sizes.
func (e *TooLongError) Error() string {
	return fmt.Sprintf("a request of %d bytes exceeds the limit of %d bytes of a hook worker", e.Size, e.Most)
}

// RefusedError reports that this system cannot build a strict sandbox.
type RefusedError struct {
	// Lacks are the missing parts, such as "the kernel has no Landlock".
	Lacks []intray.Message
}

// Error returns the text of Describe in English.
func (e *RefusedError) Error() string { return e.Describe().String() }

// Describe returns what is missing and what to do, without a full stop.
func (e *RefusedError) Describe() intray.Message {
	return intray.NewMessage("hook.no_strict_sandbox", intray.Params{"lacks": e.Lacks})
}

const (
	// headSize and tailSize are how much of the standard error is stored, in bytes. A
	// runtime writes the reason first, and details up to the end.
	headSize = 1 << 10
	tailSize = 8 << 10
	// maxStderr is how much a worker may write to its standard error, in bytes.
	maxStderr = 4 << 20
	// omission replaces the middle.
	omission = "\n[...]\n"
)

// headTail stores the beginning and the end of a stream.
type headTail struct {
	mu   sync.Mutex
	head []byte
	tail []byte
	cut  bool
}

// readFrom reads to the end of a stream. It stops and returns true after more than most
// bytes.
func (t *headTail) readFrom(from io.Reader, most int) bool {
	buf := make([]byte, 4<<10)
	for total := 0; total <= most; {
		n, err := from.Read(buf)
		t.appendText(buf[:n])
		total += n
		if err != nil {
			return false
		}
	}
	return true
}

func (t *headTail) appendText(text []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	head := min(len(text), headSize-len(t.head))
	t.head = append(t.head, text[:head]...)
	t.tail = append(t.tail, text[head:]...)
	if over := len(t.tail) - tailSize; over > 0 {
		t.tail, t.cut = append(t.tail[:0], t.tail[over:]...), true
	}
}

func (t *headTail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	between := ""
	if t.cut {
		between = omission
	}
	return strings.ToValidUTF8(string(t.head)+between+string(t.tail), "\uFFFD")
}
