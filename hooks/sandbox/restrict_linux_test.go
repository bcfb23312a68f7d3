package sandbox

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// outcome returns the answer to a call, or the kind and the details of its failure.
func outcome(t *testing.T, w *Worker, request string, budget time.Duration) string {
	t.Helper()
	answer, err := w.Call(t.Context(), []byte(request), budget)
	var f *Failure
	if errors.As(err, &f) {
		return string(f.Kind) + ": " + f.Detail
	}
	return answer
}

// TestEachRestrictionAlone checks the effect of each restriction without the others.
func TestEachRestrictionAlone(t *testing.T) {
	both := ProbeCapabilities()
	if both.Landlock < 4 || !both.Seccomp {
		t.Skip("this kernel has no Landlock of version 4, or no seccomp")
	}
	onlyFiles, onlyCalls, none := both, both, both
	onlyFiles.Seccomp = false
	onlyCalls.Landlock = 0
	none.Seccomp, none.Landlock = false, 0
	t.Cleanup(func() { _ = os.Remove(escape) })
	const sigsys, denied, done = "SIGSYS", "permission denied", "done"
	for _, test := range []struct {
		name  string
		has   Capabilities
		wants map[string]string
	}{
		{"Landlock", onlyFiles, map[string]string{
			"open": denied, "create": denied, "self": denied, "exec": denied, "socket": done,
			"hangup": "protocol", "spin": "deadline", "allocate": "memory", "threads": "threads",
		}},
		{"seccomp", onlyCalls, map[string]string{
			"exec": sigsys, "socket": sigsys, "udp": sigsys, "fork": sigsys, "kill": sigsys, "code": sigsys,
			"spin": "deadline", "allocate": "memory", "threads": "threads",
		}},
		{"neither", none, map[string]string{
			"open": done, "create": "file too large", "socket": done, "spin": "deadline", "allocate": "memory", "threads": "threads",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c, err := newPool(Config{Mode: BestEffort, IdleWorkers: 2, StartTimeout: generousBudget}, test.has)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(c.Close)
			for command, want := range test.wants {
				if got := outcome(t, getWorker(t, c), command, budgetOf(command)); !strings.Contains(got, want) {
					t.Errorf("%s: %s, want %s", command, got, want)
				}
			}
		})
	}
}

// TestProcessGroupIsKilled checks that a child of an unrestricted worker ends together with
// the worker.
func TestProcessGroupIsKilled(t *testing.T) {
	has := ProbeCapabilities()
	has.Seccomp, has.Landlock = false, 0
	c, err := newPool(Config{Mode: BestEffort, StartTimeout: generousBudget}, has)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	w := getWorker(t, c)
	child, err := strconv.Atoi(mustCall(t, w, "fork"))
	if err != nil || unix.Kill(child, 0) != nil {
		t.Fatalf("the worker started no child: %v", err)
	}
	w.Close()
	waitForExit(t, child)
}

func TestStrictRefuses(t *testing.T) {
	for _, test := range []struct {
		name   string
		remove func(*Capabilities)
		want   string
	}{
		{"seccomp", func(a *Capabilities) { a.Seccomp = false }, "seccomp filters are not available"},
		{"Landlock", func(a *Capabilities) { a.Landlock = 0 }, "does not support Landlock"},
		{"no_new_privs", func(a *Capabilities) { a.NoNewPrivs = false }, "no_new_privs"},
		{"Linux", func(a *Capabilities) { a.System = "plan9" }, "needs Linux, and this is plan9"},
	} {
		t.Run(test.name, func(t *testing.T) {
			has := ProbeCapabilities()
			test.remove(&has)
			c, err := newPool(Config{}, has)
			var refused *RefusedError
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "best-effort") {
				t.Fatalf("got %v, %v", c, err)
			}
			if lacks := strings.Join(has.Missing(), "; "); !strings.Contains(lacks, test.want) {
				t.Errorf("Missing does not name it: %s", lacks)
			}
		})
	}
}

// TestWorkerRefusesPartialSandbox checks that a worker fails if the kernel does not support
// one of its restrictions.
func TestWorkerRefusesPartialSandbox(t *testing.T) {
	needSandbox(t)
	has := ProbeCapabilities()
	has.Landlock = len(landlockVersions)
	if ProbeCapabilities().Landlock >= len(landlockVersions) {
		t.Skip("this kernel has all of Landlock that the library knows")
	}
	c, err := newPool(Config{}, has)
	var f *Failure
	if !errors.As(err, &f) || f.Kind != KindFault || !strings.Contains(f.Detail, "Landlock") {
		t.Fatalf("got %v, %v", c, err)
	}
}

func TestOwnUser(t *testing.T) {
	if !ProbeCapabilities().Users {
		t.Skip("changing the user needs root")
	}
	c := openPool(t, Config{IdleWorkers: 2, FirstUserID: 64700})
	one, other := getWorker(t, c), getWorker(t, c)
	users := map[string]bool{userOf(t, one): true, userOf(t, other): true}
	if len(users) != 2 {
		t.Errorf("the workers share a user: %v", users)
	}
	for user := range users {
		if id, err := strconv.Atoi(user); err != nil || id < 64700 || id >= 64700+c.cfg.MaxWorkers {
			t.Errorf("a worker has the user %q", user)
		}
	}
}

// userOf returns the first of the four user IDs of a process.
func userOf(t *testing.T, w *Worker) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(w.proc.os.Pid), "status"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "Uid:")
	return strings.Fields(rest)[0]
}

// TestNothingIsInherited checks that a worker inherits neither the environment of this program
// nor its open files, not even inheritable ones.
func TestNothingIsInherited(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	if err := makeInheritable(write); err != nil {
		t.Fatal(err)
	}
	w := getWorker(t, openPool(t, Config{}))
	if got := mustCall(t, w, "env"); got != "[TZ=UTC]" {
		t.Errorf("the worker has the environment %s", got)
	}
	write.Close()
	_ = read.SetReadDeadline(time.Now().Add(generousBudget))
	if n, err := read.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("the pipe is still open: %d, %v", n, err)
	}
}
