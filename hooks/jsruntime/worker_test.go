package jsruntime_test

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/intraydata/intray/hooks/jsruntime"
)

func TestMain(m *testing.M) {
	time.Local = time.UTC
	if err := os.Setenv("TZ", "UTC"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// worker answers requests in one of the two runtimes.
type worker interface {
	Handle(request []byte) ([]byte, error)
	Close()
}

// compilePrelude compiles the prelude of the workers only once.
var compilePrelude = sync.OnceValues(jsruntime.Compile)

func newQuickJS(t testing.TB) worker {
	t.Helper()
	prelude, err := compilePrelude()
	if err != nil {
		t.Fatalf("Compile: %v", err)
	}
	r, err := jsruntime.New(jsruntime.Config{Prelude: prelude})
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	t.Cleanup(r.Close)
	return r
}

// nodeWorker is a child process that runs NodeScript.
type nodeWorker struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func newNode(t testing.TB) worker { return newNodeIn(t, []string{}) }

// newNodeIn starts Node with the given environment.
func newNodeIn(t testing.TB, env []string) worker {
	t.Helper()
	path, err := exec.LookPath("node")
	if err != nil {
		t.Skip("Node is not installed: its runtime is NOT tested here")
	}
	cmd := exec.Command(path, "--max-old-space-size=256", "--single-threaded-gc", "--v8-pool-size=0", "--disallow-code-generation-from-strings", "-e", jsruntime.NodeScript())
	cmd.Env = append([]string{}, env...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("starting Node: %v", err)
	}
	w := &nodeWorker{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 1<<16)}
	t.Cleanup(w.Close)
	w.write('S', nil)
	if kind, text, err := w.read(); err != nil || kind != 'R' {
		t.Fatalf("Node is not ready: %c %s %v", kind, text, err)
	}
	return w
}

func (w *nodeWorker) Close() {
	_ = w.in.Close()
	_ = w.cmd.Wait()
}

func (w *nodeWorker) write(kind byte, payload []byte) {
	head := binary.LittleEndian.AppendUint32([]byte{kind}, uint32(len(payload)))
	_, _ = w.in.Write(append(head, payload...)) // reading the answer reports a broken pipe
}

func (w *nodeWorker) read() (byte, []byte, error) {
	var head [5]byte
	if _, err := io.ReadFull(w.out, head[:]); err != nil {
		return 0, nil, fmt.Errorf("reading a frame: %w", err)
	}
	payload := make([]byte, binary.LittleEndian.Uint32(head[1:]))
	_, err := io.ReadFull(w.out, payload)
	return head[0], payload, err
}

func (w *nodeWorker) Handle(request []byte) ([]byte, error) {
	w.write('Q', request)
	kind, answer, err := w.read()
	for kind == 'N' && err == nil { // a note
		kind, answer, err = w.read()
	}
	if err != nil || kind != 'A' {
		return nil, errors.Join(fmt.Errorf("got the frame %c %s, want A", kind, answer), err)
	}
	return answer, nil
}

// runtimeUnderTest starts workers of one runtime.
type runtimeUnderTest struct {
	name string
	open func(testing.TB) worker
}

// runtimes are the two runtimes, whose results must be the same.
var runtimes = []runtimeUnderTest{{"quickjs", newQuickJS}, {"node", newNode}}

// runtimesOfVariants returns the runtimes for tests that start a worker for each of many
// similar cases. Because Node starts slowly, short mode runs them only in QuickJS.
func runtimesOfVariants() []runtimeUnderTest {
	if testing.Short() {
		return runtimes[:1]
	}
	return runtimes
}
