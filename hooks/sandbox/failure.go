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

// Kind says what was broken.
type Kind string

// The kinds of failures.
const (
	// KindDeadline: a call took longer than its budget.
	KindDeadline Kind = "deadline"
	// KindMemory: the worker held more memory than it may.
	KindMemory Kind = "memory"
	// KindThreads: the worker had more threads than it may.
	KindThreads Kind = "threads"
	// KindDied: the process ended by itself. A worker that did what the sandbox
	// forbids dies by the signal SIGSYS.
	KindDied Kind = "died"
	// KindKilled: something outside ended the process: an operator, the end of
	// the service's whole group, or a system that has no memory left.
	KindKilled Kind = "killed"
	// KindProtocol: the worker wrote what is no frame, or none that fits.
	KindProtocol Kind = "protocol"
	// KindOutput: the worker wrote more than it may.
	KindOutput Kind = "output"
	// KindFault: the worker itself said that it cannot go on.
	KindFault Kind = "fault"
	// KindIdle: nobody called the worker for too long.
	KindIdle Kind = "idle"
	// KindClosed: who used the worker closed it, or gave up.
	KindClosed Kind = "closed"
	// KindStart: the worker did not become ready.
	KindStart Kind = "start"
)

// Failure is the error after which a worker is dead. It is given when its
// process is gone.
type Failure struct {
	Kind Kind
	// Detail says more, for a log.
	Detail string
	// Signal is the name of the signal by which a process died that nobody
	// here ended, else empty; Exit is its exit status, else -1.
	Signal string
	Exit   int
	// Stderr is what the worker wrote to its standard error, of long words the
	// first KiB and the last 8. Strangers may have written it.
	Stderr string
	// Note is the last note of the call that was under way, "" where there was
	// none; a stranger may have forged it. Noted is how long before the end that
	// was.
	Note  string
	Noted time.Duration
	// Cause is the error behind it, if there is one.
	Cause error
}

// Error tells it without the words of the worker.
func (f *Failure) Error() string { return "the hook worker was ended: " + f.Detail }

// Unwrap gives the cause.
func (f *Failure) Unwrap() error { return f.Cause }

// exitFailure tells of a process that ended unasked.
func exitFailure(end exitStatus) *Failure {
	f := &Failure{Kind: KindDied, Exit: end.exit, Signal: end.signal}
	switch {
	case end.outOfMemory:
		f.Kind, f.Detail = KindMemory, "it held more memory than its cgroup may"
	case end.signal == "SIGSYS":
		f.Detail = "it tried a system call that the sandbox forbids (SIGSYS)"
	case slices.Contains(externalSignals, end.signal):
		f.Kind, f.Detail = KindKilled, "something else killed it ("+end.signal+"), as a system does that has no memory left"
	case end.signal != "":
		f.Detail = "it died by " + end.signal
	default:
		f.Detail = fmt.Sprintf("it exited with status %d", end.exit)
	}
	return f
}

// externalSignals are signals that no worker can send itself: its sandbox forbids that.
var externalSignals = []string{"SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"}

// outOfMemoryMessages are what runtimes write where they end for want of memory. Who
// forges them gains nothing but another word in the error.
var outOfMemoryMessages = []string{"cannot allocate memory", "runtime: out of memory", "JavaScript heap out of memory", "Allocation failed - process out of memory"}

// addStderr looks at the last words of a process that ended by itself.
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
	// outOfMemory says that the system ended it for its memory.
	outOfMemory bool
}

func newExitStatus(state *os.ProcessState) exitStatus {
	if state == nil {
		return exitStatus{exit: -1}
	}
	return exitStatus{exit: state.ExitCode()}
}

// TooLongError says that a request was not sent.
type TooLongError struct {
	// Size is how long it is, Most how long one may be, in bytes.
	Size, Most int
}

// Error gives both.
func (e *TooLongError) Error() string {
	return fmt.Sprintf("a request of %d bytes is too long for a hook worker, which takes %d", e.Size, e.Most)
}

// RefusedError says that a strict sandbox cannot be built here.
type RefusedError struct {
	// Lacks are parts of sentences, such as "the kernel has no Landlock".
	Lacks []intray.Message
}

// Error gives the text of Describe in English.
func (e *RefusedError) Error() string { return e.Describe().String() }

// Describe tells what lacks and what to do, without a full stop.
func (e *RefusedError) Describe() intray.Message {
	return intray.NewMessage("hook.no_strict_sandbox", intray.Params{"lacks": e.Lacks})
}

const (
	// headSize and tailSize are how much of the standard error is kept. A
	// runtime that ends tells why first, and then all that it was at.
	headSize = 1 << 10
	tailSize = 8 << 10
	// maxStderr is how much a worker may write to its standard error before it
	// counts as a flood.
	maxStderr = 4 << 20
	// omission stands for what was between.
	omission = "\n[...]\n"
)

// headTail keeps the beginning and the end of a stream.
type headTail struct {
	mu   sync.Mutex
	head []byte
	tail []byte
	cut  bool
}

// readFrom reads until the end, or until the stream gave more than most bytes; it
// then says true.
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
