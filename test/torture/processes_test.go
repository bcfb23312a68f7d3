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

// process is one of the machine's. Its birth tells it from a later one with the
// same number.
type process struct {
	pid  int
	born string
}

// needProcesses skips where the table of processes cannot be read.
func needProcesses(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: hooks are jailed, and their processes looked at, on Linux only")
	}
}

// The fields of /proc/PID/stat behind the name.
const (
	statState = 0
	statUp    = 1
	statUser  = 11
	statKern  = 12
	statBorn  = 19
)

// stat gives those fields; nil where there is no such process.
func stat(pid int) []string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) <= statBorn {
		return nil
	}
	return fields
}

// alive says whether the process still runs; one that only waits for its
// parent to take note does not.
func (p process) alive() bool {
	fields := stat(p.pid)
	return fields != nil && fields[statBorn] == p.born && fields[statState] != "Z" && fields[statState] != "X"
}

// used is the processor time that the process took, in ticks.
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

// childrenOf are the processes that one has started.
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

// serverPID finds the process of a server: the child of this one that was given
// its folder.
func serverPID(t *testing.T, server *livetest.Server) int {
	t.Helper()
	for _, child := range childrenOf(t, os.Getpid()) {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", child.pid))
		if slices.Contains(strings.Split(string(line), "\x00"), server.DataDir()) {
			return child.pid
		}
	}
	t.Fatalf("the service has no process: %s", server.Stderr())
	return 0
}

// hookWorkers are the processes of hooks that a server has. It starts no others
// while it runs.
func hookWorkers(t *testing.T, server *livetest.Server) []process {
	t.Helper()
	return childrenOf(t, serverPID(t, server))
}

// mustEnd makes sure that hook workers which were killed, or whose service is
// gone, end.
func mustEnd(t *testing.T, list []process) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		list = slices.DeleteFunc(list, func(p process) bool { return !p.alive() })
		if len(list) == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("hook workers live on: %v", list)
		}
	}
}

// killHard ends a server as kill -9 does, and makes sure that no hook worker
// outlives it. It is frozen first, so that it has the workers that were seen.
func killHard(t *testing.T, server *livetest.Server) {
	t.Helper()
	server.Signal(syscall.SIGSTOP)
	workers := hookWorkers(t, server)
	server.Kill()
	mustEnd(t, workers)
}

// stop ends a server in good order, and says likewise.
func stop(t *testing.T, server *livetest.Server) {
	t.Helper()
	workers := hookWorkers(t, server)
	server.Signal(syscall.SIGTERM)
	if status := server.Wait(); status != 0 {
		t.Fatalf("exit status %d: %s", status, server.Stderr())
	}
	mustEnd(t, workers)
}
