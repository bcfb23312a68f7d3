// Package livetest starts the built program and sends HTTP requests to it, for tests that must
// see the same behavior as users. It calls no code of the program directly.
//
// A [Server] is one process with its own data folder. It can be killed, and restarted with the
// same folder. [Listen], [ServeSFTP] and [OpenSSH] run servers to which the program connects.
// [StartPostgres] and [StartToxiproxy] run a database and a network that fail on request.
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
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// BackendKey and FrontendKey are the initial API keys of every server.
const (
	BackendKey  = "bk_livetest_livetest_livetest_livetest_livetest"
	FrontendKey = "fk_livetest_livetest_livetest_livetest_livetest"
)

// patience is the maximum time for a server to start or to end.
const patience = 30 * time.Second

// RepoRoot returns the root folder of the repository.
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

// build is a built program, or the error that building it returned.
type build struct {
	binary string
	err    error
}

// BuildBinary builds the program. Each test binary builds it once per set of tags. Cleanup
// removes it.
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

// compile builds the program. The caller must hold the lock of builds.
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

// Config configures a server. The zero value is valid.
type Config struct {
	// Binary is the path of the program. Default: the result of BuildBinary without tags.
	Binary string
	// Data is the data folder. Default: a new folder.
	Data string
	// Args are additional flags of intray serve. Env contains additional environment variables.
	Args []string
	Env  []string
}

// Server is one server process.
type Server struct {
	// URL is the base URL of the API.
	URL string
	cfg Config

	t       testing.TB
	command *exec.Cmd
	exited  chan struct{}
	log     *lockedBuffer
	out     *lockedBuffer
}

// PID returns the process ID.
func (s *Server) PID() int { return s.command.Process.Pid }

// Start starts a server and waits until it is healthy. The server is killed when the test ends.
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

// DataDir returns the data folder.
func (s *Server) DataDir() string { return s.cfg.Data }

// Restart starts the server again with the same folder and URL.
func (s *Server) Restart() {
	s.t.Helper()
	if err := s.TryRestart(); err != nil {
		s.t.Fatal(err)
	}
}

// TryRestart is like Restart, but for a process that may end while it starts.
func (s *Server) TryRestart() error {
	if s.URL == "" {
		s.URL = "http://" + FreeAddress(s.t)
	}
	address := strings.TrimPrefix(s.URL, "http://")
	args := append([]string{"serve", "--listen", address, "--data", s.cfg.Data}, s.cfg.Args...)
	s.command = exec.Command(s.cfg.Binary, args...)
	s.command.Env = append(environment(), "INTRAY_BACKEND_KEY="+BackendKey, "INTRAY_FRONTEND_KEY="+FrontendKey)
	s.command.Env = append(s.command.Env, s.cfg.Env...)
	s.log, s.out = &lockedBuffer{}, &lockedBuffer{}
	s.command.Stderr, s.command.Stdout = s.log, s.out
	if err := s.command.Start(); err != nil {
		return err
	}
	s.exited = make(chan struct{})
	go func(c *exec.Cmd, done chan struct{}) { _ = c.Wait(); close(done) }(s.command, s.exited)
	return s.awaitHealth()
}

// environment returns the environment of the tests without the variables of Intray, which select suites.
func environment() []string {
	return slices.DeleteFunc(os.Environ(), func(variable string) bool { return strings.HasPrefix(variable, "INTRAY_") })
}

// FreeAddress returns an address on the loopback interface on which nothing listens.
func FreeAddress(t testing.TB) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

func (s *Server) awaitHealth() error {
	for end := time.Now().Add(patience); time.Now().Before(end); {
		answer, err := client.Get(s.URL + "/healthz")
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
	return fmt.Errorf("the server did not start: %s", s.Stderr())
}

// Kill ends the process with SIGKILL.
func (s *Server) Kill() {
	_ = s.command.Process.Kill()
	<-s.exited
}

// Signal sends a signal to the process.
func (s *Server) Signal(sig syscall.Signal) { _ = s.command.Process.Signal(sig) }

// Wait waits for the process to end and returns its exit status, or -1 if a signal ended it.
func (s *Server) Wait() int {
	s.t.Helper()
	select {
	case <-s.exited:
	case <-time.After(patience):
		s.t.Fatalf("the server did not end: %s", s.Stderr())
	}
	return s.command.ProcessState.ExitCode()
}

// Exited returns a channel that is closed when the process has ended.
func (s *Server) Exited() <-chan struct{} { return s.exited }

// Stderr returns the standard error output of the process so far.
func (s *Server) Stderr() string { return s.log.String() }

// Stdout returns the standard output of the process so far.
func (s *Server) Stdout() string { return s.out.String() }

// CPUTime returns the CPU time that the process has used, without its children.
func (s *Server) CPUTime() time.Duration {
	s.t.Helper()
	used, err := cpuTime(s.PID(), false)
	if err != nil {
		s.t.Fatal(err)
	}
	return used
}

// cpuTime returns the CPU time that a process has used, and if ended is set, also that of its
// children that have ended.
func cpuTime(pid int, ended bool) (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:])) // the name before it may contain spaces
	var own, children [2]int64
	if _, err := fmt.Sscan(strings.Join(fields[11:15], " "), &own[0], &own[1], &children[0], &children[1]); err != nil {
		return 0, fmt.Errorf("parse /proc/%d/stat: %w", pid, err)
	}
	ticks := own[0] + own[1]
	if ended {
		ticks += children[0] + children[1]
	}
	return time.Duration(ticks) * 10 * time.Millisecond, nil // 100 ticks per second
}

// PeakMemory returns the peak resident memory of the process in bytes. On systems other
// than Linux, it returns 0.
func (s *Server) PeakMemory() int64 { return s.statusBytes("VmHWM") }

// Memory returns the resident memory of the process in bytes. On systems other than Linux, it
// returns 0.
func (s *Server) Memory() int64 { return s.statusBytes("VmRSS") }

// statusBytes returns a size in the status of the process, in bytes.
func (s *Server) statusBytes(name string) int64 {
	file, err := os.Open(fmt.Sprintf("/proc/%d/status", s.command.Process.Pid))
	if err != nil {
		return 0
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var kilobytes int64
		if n, _ := fmt.Sscanf(lines.Text(), name+": %d kB", &kilobytes); n == 1 {
			return kilobytes << 10
		}
	}
	return 0
}

// Run runs the program in a folder. It returns the program's output and exit status.
func Run(t testing.TB, folder string, env []string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, BuildBinary(t), args...)
	command.Dir = folder
	command.Env = append(environment(), env...)
	var out, log bytes.Buffer
	command.Stdout, command.Stderr = &out, &log
	err := command.Run()
	if command.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), log.String(), command.ProcessState.ExitCode()
}

// lockedBuffer is a buffer that is safe for concurrent use.
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

// PackageScope returns a testing.TB for fixtures that all tests of a package share. Cleanup
// runs its cleanup functions and removes its folders. After the test has ended, only those
// functions may use it.
func PackageScope(t testing.TB) testing.TB { return packageTB{t} }

type packageTB struct{ testing.TB }

// ends contains the functions that Cleanup calls, in order.
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

// Cleanup ends the fixtures of PackageScope and removes the built programs. TestMain must
// call it after the last test.
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
