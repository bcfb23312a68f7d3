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

// Kind is the reason for a failure.
type Kind string

// These are the kinds of failures.
const (
	// KindDeadline: a call exceeded its budget.
	KindDeadline Kind = "deadline"
	// KindMemory: the worker exceeded its memory limit.
	KindMemory Kind = "memory"
	// KindThreads: the worker had too many threads.
	KindThreads Kind = "threads"
	// KindDied: the process ended on its own, or was killed by SIGSYS because of a
	// forbidden system call.
	KindDied Kind = "died"
	// KindKilled: the process was killed from outside the sandbox, for example by an operator,
	// or by the kernel because the machine ran out of memory.
	KindKilled Kind = "killed"
	// KindProtocol: the worker wrote an invalid or unexpected frame.
	KindProtocol Kind = "protocol"
	// KindOutput: the worker wrote more output than allowed.
	KindOutput Kind = "output"
	// KindFault: the worker reported that it cannot continue.
	KindFault Kind = "fault"
	// KindIdle: the worker received no call within IdleTimeout.
	KindIdle Kind = "idle"
	// KindClosed: the caller closed the worker or cancelled a call.
	KindClosed Kind = "closed"
	// KindStart: the worker did not become ready.
	KindStart Kind = "start"
)

// Failure is the reason why a worker ended. It is returned only after the process is gone.
//
//nolint:errname // Failure describes the end of a worker, and callers keep it as a value.
type Failure struct {
	Kind Kind
	// Detail is a description for logs.
	Detail string
	// Signal is the name of the signal that ended the process, or "" if the pool ended it
	// or there was no signal. Exit is the exit status, or -1.
	Signal string
	Exit   int
	// Stderr is the standard error output of the worker. If it is long, only the first 1
	// KiB and the last 8 KiB are kept. It is untrusted.
	Stderr string
	// Note is the last note of the running call, or "". It is untrusted. Noted is the time
	// between the note and the end of the worker.
	Note  string
	Noted time.Duration
	// Cause is the underlying error, or nil.
	Cause error
}

// Error describes the failure. It does not include any output of the worker.
func (f *Failure) Error() string { return "the hook worker was ended: " + f.Detail }

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Cause }

// exitFailure returns the failure of a process that was not ended by the pool.
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

// externalSignals are the signals that a worker cannot send, because the sandbox forbids it.
var externalSignals = []string{"SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"}

// outOfMemoryMessages are messages of runtimes that end because they are out of memory.
// Forging such a message only changes the text of an error.
var outOfMemoryMessages = []string{"cannot allocate memory", "runtime: out of memory", "JavaScript heap out of memory", "Allocation failed - process out of memory"}

// addStderr adds the standard error output of a process. The output may show that the
// process ran out of memory.
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

// exitStatus describes how a process ended.
type exitStatus struct {
	exit   int
	signal string
	// outOfMemory reports whether the kernel killed the process because of its memory use.
	outOfMemory bool
}

func newExitStatus(state *os.ProcessState) exitStatus {
	if state == nil {
		return exitStatus{exit: -1}
	}
	return exitStatus{exit: state.ExitCode()}
}

// TooLongError reports that a request was too long to send.
type TooLongError struct {
	// Size is the length of the request and Most is the maximum length, both in bytes.
	Size, Most int
}

// Error returns a message with both sizes.
func (e *TooLongError) Error() string {
	return fmt.Sprintf("a request of %d bytes exceeds the limit of %d bytes of a hook worker", e.Size, e.Most)
}

// RefusedError reports that this system cannot build a strict sandbox.
type RefusedError struct {
	// Lacks describes the missing features, such as "the kernel has no Landlock".
	Lacks []intray.Message
	// Blocked means that the system probably has Landlock, but a filter of system calls blocks it.
	Blocked bool
}

// Error returns the message from Describe in English.
func (e *RefusedError) Error() string { return e.Describe().String() }

// Describe returns a message with the missing features and the possible solutions. It does not
// end with a period.
func (e *RefusedError) Describe() intray.Message {
	if e.Blocked {
		return intray.NewMessage("hook.sandbox_blocked", intray.Params{"lacks": e.Lacks})
	}
	return intray.NewMessage("hook.no_strict_sandbox", intray.Params{"lacks": e.Lacks})
}

// RuntimeError reports that this system cannot start the runtime of a Config.
type RuntimeError struct {
	// Reason is a message with the reason and the possible solutions. It does not end with a period.
	Reason intray.Message
	// Cause is the underlying error, or nil.
	Cause error
}

// Error returns the reason in English, and the cause.
func (e *RuntimeError) Error() string {
	if e.Cause == nil {
		return e.Reason.String()
	}
	return e.Reason.String() + ": " + e.Cause.Error()
}

// Unwrap returns the cause.
func (e *RuntimeError) Unwrap() error { return e.Cause }

// Describe returns the reason.
func (e *RuntimeError) Describe() intray.Message { return e.Reason }

const (
	// headSize and tailSize are the numbers of bytes of the standard error output that are
	// kept from its start and end. A runtime writes the reason first and details last.
	headSize = 1 << 10
	tailSize = 8 << 10
	// maxStderr is the maximum length of the standard error output of a worker, in bytes.
	maxStderr = 4 << 20
	// omission replaces the middle of the output.
	omission = "\n[...]\n"
)

// headTail keeps the start and the end of a stream.
type headTail struct {
	mu   sync.Mutex
	head []byte
	tail []byte
	cut  bool
}

// readFrom reads a stream to its end. It stops and returns true if the length of the stream, in
// bytes, exceeds most.
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
