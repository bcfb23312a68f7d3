// Package livetest starts the built program and speaks HTTP to it, for tests
// that must see what a user sees: nothing of the program is called directly.
//
// A [Server] is one process with a data folder of its own. It can be killed and
// started again on the same folder. Beside it there is what servers of
// strangers are made of: [Listen] and [ServeSFTP].
package livetest

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// BackendKey and FrontendKey are the first keys of every server.
const (
	BackendKey  = "bk_livetest_livetest_livetest_livetest_livetest"
	FrontendKey = "fk_livetest_livetest_livetest_livetest_livetest"
)

// patience is how long a server may take to come up or to end.
const patience = 30 * time.Second

// RepoRoot gives the folder of the repository.
func RepoRoot(t testing.TB) string {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder
		}
		up := filepath.Dir(folder)
		if up == folder {
			t.Fatal("no go.mod above the test")
		}
		folder = up
	}
}

var builds struct {
	sync.Mutex
	done   map[string]build
	folder string
}

// build is a program, or why there is none.
type build struct {
	binary string
	err    error
}

// BuildBinary builds the program, once for each set of tags in a test binary. Clean
// removes what it built.
func BuildBinary(t testing.TB, tags ...string) string {
	t.Helper()
	builds.Lock()
	defer builds.Unlock()
	set := strings.Join(tags, ",")
	b, done := builds.done[set]
	if !done {
		b.binary, b.err = compile(RepoRoot(t), set)
		if builds.done == nil {
			builds.done = map[string]build{}
		}
		builds.done[set] = b
	}
	if b.err != nil {
		t.Fatal(b.err)
	}
	return b.binary
}

// compile is called with builds locked.
func compile(root, tags string) (binary string, err error) {
	if builds.folder == "" {
		if builds.folder, err = os.MkdirTemp("", "intray-build-*"); err != nil {
			return "", err
		}
	}
	binary = filepath.Join(builds.folder, fmt.Sprintf("intray-%d", len(builds.done)))
	command := exec.Command("go", "build", "-tags", tags, "-o", binary, "./cmd/intray")
	command.Dir = root
	if out, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return binary, nil
}

// Config says how a server is started. The zero Config works.
type Config struct {
	// Binary is the program. Default: what Build gives without tags.
	Binary string
	// Data is the data folder. Default a fresh one.
	Data string
	// Args are further flags of serve, Env further variables.
	Args []string
	Env  []string
}

// Server is one process.
type Server struct {
	// URL is the address of the API.
	URL string
	cfg Config

	t       testing.TB
	command *exec.Cmd
	exited  chan struct{}
	log     *lockedBuffer
	out     *lockedBuffer
}

// PID is the number of the process.
func (s *Server) PID() int { return s.command.Process.Pid }

// Start starts a server and waits until it serves. It is ended with the test.
func Start(t testing.TB, cfg Config) *Server {
	t.Helper()
	if cfg.Binary == "" {
		cfg.Binary = BuildBinary(t)
	}
	if cfg.Data == "" {
		cfg.Data = filepath.Join(t.TempDir(), "data")
	}
	s := &Server{cfg: cfg, t: t}
	s.Restart()
	t.Cleanup(s.Kill)
	return s
}

// DataDir is the server's data folder.
func (s *Server) DataDir() string { return s.cfg.Data }

// Restart starts the process again, on the same folder and address.
func (s *Server) Restart() {
	s.t.Helper()
	if err := s.TryRestart(); err != nil {
		s.t.Fatal(err)
	}
}

// TryRestart is Restart for a process that may die at once.
func (s *Server) TryRestart() error {
	address := strings.TrimPrefix(s.URL, "http://")
	if address == "" {
		address = freeAddress(s.t)
	}
	args := append([]string{"serve", "--listen", address, "--data", s.cfg.Data}, s.cfg.Args...)
	s.command = exec.Command(s.cfg.Binary, args...)
	s.command.Env = append(os.Environ(), "INTRAY_BACKEND_KEY="+BackendKey, "INTRAY_FRONTEND_KEY="+FrontendKey)
	s.command.Env = append(s.command.Env, s.cfg.Env...)
	s.log, s.out = &lockedBuffer{}, &lockedBuffer{}
	s.command.Stderr, s.command.Stdout = s.log, s.out
	if err := s.command.Start(); err != nil {
		return err
	}
	s.exited = make(chan struct{})
	go func(c *exec.Cmd, done chan struct{}) { _ = c.Wait(); close(done) }(s.command, s.exited)
	s.URL = "http://" + address
	return s.awaitHealth()
}

func freeAddress(t testing.TB) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

func (s *Server) awaitHealth() error {
	for end := time.Now().Add(patience); time.Now().Before(end); {
		answer, err := http.Get(s.URL + "/healthz")
		if err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-s.exited:
			return fmt.Errorf("the server ended: %s", s.Stderr())
		case <-time.After(10 * time.Millisecond):
		}
	}
	return fmt.Errorf("the server did not come up: %s", s.Stderr())
}

// Kill ends the process as kill -9 does.
func (s *Server) Kill() {
	_ = s.command.Process.Kill()
	<-s.exited
}

// Signal sends the process a signal.
func (s *Server) Signal(sig syscall.Signal) { _ = s.command.Process.Signal(sig) }

// Wait waits for the process to end and gives its exit status, -1 if a signal
// ended it.
func (s *Server) Wait() int {
	s.t.Helper()
	select {
	case <-s.exited:
	case <-time.After(patience):
		s.t.Fatalf("the server did not end: %s", s.Stderr())
	}
	return s.command.ProcessState.ExitCode()
}

// Exited is closed when the process has ended.
func (s *Server) Exited() <-chan struct{} { return s.exited }

// Stderr is what the process has written to its standard error.
func (s *Server) Stderr() string { return s.log.String() }

// Stdout is what the process has written to its standard output.
func (s *Server) Stdout() string { return s.out.String() }

// PeakMemory is the most memory that the process has had so far, in bytes. It
// works on Linux; elsewhere it is 0.
func (s *Server) PeakMemory() int64 {
	file, err := os.Open(fmt.Sprintf("/proc/%d/status", s.command.Process.Pid))
	if err != nil {
		return 0
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var kilobytes int64
		if n, _ := fmt.Sscanf(lines.Text(), "VmHWM: %d kB", &kilobytes); n == 1 {
			return kilobytes << 10
		}
	}
	return 0
}

// Run runs the program once with args, in folder, and gives its output and
// exit status.
func Run(t testing.TB, folder string, env []string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, BuildBinary(t), args...)
	command.Dir = folder
	command.Env = append(os.Environ(), env...)
	var out, log bytes.Buffer
	command.Stdout, command.Stderr = &out, &log
	err := command.Run()
	if command.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), log.String(), command.ProcessState.ExitCode()
}

// lockedBuffer is written by a process and read by a test.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// PackageScope gives a test under which things live as long as all tests of a
// package: its cleanups and its folders wait for Clean. What it is given to
// must not use it after the test has ended, but in such a cleanup.
func PackageScope(t testing.TB) testing.TB { return packageTB{t} }

type packageTB struct{ testing.TB }

// ends is what Clean does, the latest first.
var ends struct {
	sync.Mutex
	list []func()
}

func (packageTB) Cleanup(end func()) {
	ends.Lock()
	defer ends.Unlock()
	ends.list = append([]func(){end}, ends.list...)
}

func (l packageTB) TempDir() string {
	l.Helper()
	folder, err := os.MkdirTemp("", "intray-live-*")
	if err != nil {
		l.Fatal(err)
	}
	l.Cleanup(func() { _ = os.RemoveAll(folder) })
	return folder
}

// Cleanup removes what Build made and what Lasting kept. TestMain calls it after
// the last test.
func Cleanup() {
	ends.Lock()
	list := ends.list
	ends.list = nil
	ends.Unlock()
	for _, end := range list {
		end()
	}
	builds.Lock()
	defer builds.Unlock()
	if builds.folder != "" {
		_ = os.RemoveAll(builds.folder)
	}
}
