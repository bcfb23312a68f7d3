package torture

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/intraydata/intray/test/livetest"
)

// process is a process on this machine. Its start time distinguishes it from a later
// process with the same ID.
type process struct {
	pid  int
	born string
}

// needProcesses skips the test if the process table cannot be read.
func needProcesses(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: the processes of hooks can be observed on Linux only")
	}
}

// These are the indexes of fields in /proc/PID/stat, counted from the first field after the name.
const (
	statState = 0
	statUp    = 1
	statUser  = 11
	statKern  = 12
	statBorn  = 19
)

// stat returns the fields after the name, or nil if the process does not exist.
func stat(pid int) []string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) <= statBorn {
		return nil
	}
	return fields
}

// alive reports whether the process is running. A zombie is not.
func (p process) alive() bool {
	fields := stat(p.pid)
	return fields != nil && fields[statBorn] == p.born && fields[statState] != "Z" && fields[statState] != "X"
}

// used returns the CPU time of the process in ticks.
func (p process) used() (ticks int) {
	if fields := stat(p.pid); fields != nil {
		for _, at := range []int{statUser, statKern} {
			n, _ := strconv.Atoi(fields[at])
			ticks += n
		}
	}
	return ticks
}

func (p process) kill(t *testing.T) {
	t.Helper()
	if err := syscall.Kill(p.pid, syscall.SIGKILL); err != nil && err != syscall.ESRCH {
		t.Fatalf("kill %d: %v", p.pid, err)
	}
}

// childrenOf returns the child processes of a process.
func childrenOf(t *testing.T, pid int) (list []process) {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		child, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		if fields := stat(child); fields != nil && fields[statUp] == strconv.Itoa(pid) {
			list = append(list, process{child, fields[statBorn]})
		}
	}
	return list
}

// serverPID returns the process ID of the server: the child of this process that has the
// server's folder in its arguments.
func serverPID(t *testing.T, server *livetest.Server) int {
	t.Helper()
	for _, child := range childrenOf(t, os.Getpid()) {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", child.pid))
		if slices.Contains(strings.Split(string(line), "\x00"), server.DataDir()) {
			return child.pid
		}
	}
	t.Fatalf("no process of the service: %s", server.Stderr())
	return 0
}

// hookWorkers returns the hook workers of a server. All of its child processes are hook workers.
func hookWorkers(t *testing.T, server *livetest.Server) []process {
	t.Helper()
	return childrenOf(t, serverPID(t, server))
}

// mustEnd checks that hook workers end after they were killed, or after their server has ended.
func mustEnd(t *testing.T, list []process) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		list = slices.DeleteFunc(list, func(p process) bool { return !p.alive() })
		if len(list) == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("hook workers are still running: %v", list)
		}
	}
}

// killHard kills a server and checks that no hook worker outlives it. It first stops the
// process with a signal, so that the list of workers cannot change.
func killHard(t *testing.T, server *livetest.Server) {
	t.Helper()
	server.Signal(syscall.SIGSTOP)
	workers := hookWorkers(t, server)
	server.Kill()
	mustEnd(t, workers)
}

// stop terminates a server. It checks that the exit status is 0 and that the hook workers end.
func stop(t *testing.T, server *livetest.Server) {
	t.Helper()
	workers := hookWorkers(t, server)
	server.Signal(syscall.SIGTERM)
	if status := server.Wait(); status != 0 {
		t.Fatalf("exit status %d: %s", status, server.Stderr())
	}
	mustEnd(t, workers)
}
