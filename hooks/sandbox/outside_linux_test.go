package sandbox

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestKilledParentLeavesNoWorker checks that both busy and idle workers end when their
// parent is killed.
func TestKilledParentLeavesNoWorker(t *testing.T) {
	needSandbox(t)
	program := exec.Command("/proc/self/exe", "hook-parent", "spin")
	out, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	var workers []int
	for lines := bufio.NewScanner(out); lines.Scan() && lines.Text() != "ready"; {
		pid, err := strconv.Atoi(lines.Text())
		if err != nil {
			t.Fatal(lines.Text())
		}
		workers = append(workers, pid)
	}
	children := childrenOf(t, program.Process.Pid)
	if len(workers) != 3 || len(children) < 3 {
		t.Fatalf("the program has the workers %v and the children %v", workers, children)
	}
	_ = program.Process.Kill()
	_ = program.Wait()
	for _, pid := range children {
		waitForExit(t, pid)
	}
}

// childrenOf returns the children of all threads of a process.
func childrenOf(t *testing.T, pid int) (list []int) {
	t.Helper()
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Skipf("this kernel does not list children: %v", err)
		}
		for _, word := range strings.Fields(string(text)) {
			child, _ := strconv.Atoi(word)
			list = append(list, child)
		}
	}
	return list
}

// TestWithoutRoot checks that the sandbox works in a program that runs as an ordinary user,
// but without separate user IDs.
func TestWithoutRoot(t *testing.T) {
	needSandbox(t)
	if os.Geteuid() != 0 {
		t.Skip("all tests run without root already")
	}
	program := exec.Command("/proc/self/exe", "hook-parent", "report", "echo hello", "spin", "socket", "fork", "allocate", "threads", "open")
	program.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 64900, Gid: 64900}}
	program.Dir, program.Stderr = "/", os.Stderr
	out, err := program.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	wants := []string{"hello", "deadline", "SIGSYS", "SIGSYS", "memory", "threads", "operation not permitted SIGSYS"}
	reports := json.NewDecoder(strings.NewReader(string(out)))
	for _, want := range wants {
		var one callReport
		if err := reports.Decode(&one); err != nil {
			t.Fatalf("%v in %s", err, out)
		}
		got := one.Answer + one.Kind + ": " + one.Detail
		if !containsAny(got, strings.Fields(want)) {
			t.Errorf("got %s, want %s", got, want)
		}
		if one.Capabilities.Users || !one.Capabilities.Seccomp || one.Capabilities.Landlock == 0 {
			t.Errorf("the pool had %+v", one.Capabilities)
		}
	}
	if err := reports.Decode(&callReport{}); err != io.EOF {
		t.Errorf("the program reported more calls: %s", out)
	}
}

// TestFewerRights checks that the sandbox works without optional capabilities and reports
// them as missing.
func TestFewerRights(t *testing.T) {
	needSandbox(t)
	if !ProbeCapabilities().Users {
		t.Skip("changing the user needs root")
	}
	text, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	private := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(private, text, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, program, mode string
		users, namespaces   bool
		missing             string
	}{
		{"a container without namespaces", "/proc/self/exe", "confined", true, false, "no empty network"},
		{"a program that others may not run", private, "report", false, true, "user of this program"},
		{"both", private, "confined", false, false, "user of this program"},
	} {
		t.Run(test.name, func(t *testing.T) {
			first, second := twoReports(t, exec.Command(test.program, "hook-parent", test.mode, "echo hello", "socket"))
			if first.Answer != "hello" || !strings.Contains(second.Detail, "SIGSYS") {
				t.Errorf("got %+v and %+v", first, second)
			}
			has := first.Capabilities
			if has.Users != test.users || has.Namespaces != test.namespaces || !strings.Contains(strings.Join(has.Missing(), " "), test.missing) {
				t.Errorf("it had %+v", has)
			}
		})
	}
}

// twoReports runs a program that makes two calls and returns their results.
func twoReports(t *testing.T, program *exec.Cmd) (first, second callReport) {
	t.Helper()
	out, err := program.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	reports := json.NewDecoder(strings.NewReader(string(out)))
	if err := errors.Join(reports.Decode(&first), reports.Decode(&second)); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return first, second
}

func containsAny(text string, words []string) bool {
	for _, word := range words {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// memoryFolder creates a version 1 cgroup.
func memoryFolder(t *testing.T) string {
	t.Helper()
	folder := filepath.Join("/sys/fs/cgroup/memory", fmt.Sprintf("intray-test-%d", os.Getpid()))
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Skipf("cannot create a cgroup of the memory controller: %v", err)
	}
	t.Cleanup(func() {
		left, _ := filepath.Glob(filepath.Join(folder, groupPrefix+"*"))
		if len(left) > 0 {
			t.Errorf("the pool left the cgroups %v", left)
		}
		if err := os.Remove(folder); err != nil {
			t.Error(err)
		}
	})
	return folder
}

func TestCgroup(t *testing.T) {
	folder := memoryFolder(t)
	stale := filepath.Join(folder, groupPrefix+"999999999-1")
	if err := os.Mkdir(stale, 0o755); err != nil {
		t.Fatal(err)
	}
	c := openPool(t, Config{Cgroup: folder, Memory: 64 << 20})
	defer c.Close()
	if exists(stale) {
		t.Error("the cgroup of an ended program was not removed")
	}
	if c.Capabilities().Cgroup != "v1" || strings.Contains(strings.Join(c.Capabilities().Missing(), " "), "20 ms") {
		t.Errorf("the pool has %+v", c.Capabilities())
	}
	// The kernel alone must end the worker, without the usage monitor.
	w := <-c.ready
	w.maxMemory = 1 << 40
	w.assign(Limits{})
	if f := mustFail(t, w, "allocate", generousBudget); f.Kind != KindMemory {
		t.Errorf("got %s: %v", f.Kind, f)
	}
	if exists(w.proc.gauge.group.folder) {
		t.Error("the cgroup of the worker was not removed")
	}
}

// TestCgroupV2Files checks which files are written for cgroup version 2. It does not need
// kernel support.
func TestCgroupV2Files(t *testing.T) {
	folder := t.TempDir()
	controllers := filepath.Join(folder, "cgroup.controllers")
	if err := os.WriteFile(controllers, []byte("cpu pids\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := findCgroups(folder); err == nil || !strings.Contains(err.Error(), "memory controller") {
		t.Errorf("got %v", err)
	}
	if err := os.WriteFile(controllers, []byte("cpu memory pids\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	groups, err := findCgroups(folder)
	if err != nil || groups.version() != "v2" {
		t.Fatalf("got %v, %v", groups, err)
	}
	one := &cgroup{folder: folder, isV2: true}
	for name, text := range map[string]string{"memory.max": "max", "memory.swap.max": "max", "memory.events": "low 0\noom 3\noom_kill 2\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := one.setMemoryLimit(1 << 20); err != nil || !one.isKilledForMemory() {
		t.Errorf("%v, killed for memory %v", err, one.isKilledForMemory())
	}
	for name, want := range map[string]string{"memory.max": "1048576", "memory.swap.max": "0"} {
		if got, _ := os.ReadFile(filepath.Join(folder, name)); string(got) != want {
			t.Errorf("%s is %q", name, got)
		}
	}
}

// TestUnusableCgroups checks that New reports an unusable cgroup folder and the solution.
func TestUnusableCgroups(t *testing.T) {
	needSandbox(t)
	second := func(t *testing.T) string {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "cgroup.controllers"), []byte("memory\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return folder
	}
	for name, test := range map[string]struct {
		folder func(t *testing.T) string
		words  string
	}{
		"none":              {func(t *testing.T) string { return filepath.Join(t.TempDir(), "gone") }, "create it"},
		"another folder":    {func(t *testing.T) string { return t.TempDir() }, "not a memory cgroup"},
		"not delegated":     {second, "write +memory to its cgroup.subtree_control"},
		"a system folder":   {func(*testing.T) string { return "/proc/self/net" }, "not a memory cgroup"},
		"a mounted version": {mounted, "has no memory controller"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := test.folder(t)
			if _, err := New(Config{Cgroup: folder}); err == nil || !strings.Contains(err.Error(), folder) || !strings.Contains(err.Error(), test.words) {
				t.Errorf("got %v", err)
			}
			c, err := New(Config{Cgroup: folder, Mode: BestEffort})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if c.Capabilities().Cgroup != "" || !strings.Contains(strings.Join(c.Capabilities().Missing(), " "), "20 ms") {
				t.Errorf("the pool has %+v", c.Capabilities())
			}
		})
	}
}

// mounted mounts cgroup version 2 in a temporary folder and returns the folder. It skips the
// test if version 2 has the memory controller.
func mounted(t *testing.T) string {
	folder := t.TempDir()
	if err := unix.Mount("none", folder, "cgroup2", 0, ""); err != nil {
		t.Skipf("no cgroup2 can be mounted: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(folder, 0) })
	if text, _ := os.ReadFile(filepath.Join(folder, "cgroup.controllers")); strings.Contains(string(text), "memory") {
		t.Skip("the memory controller is one of version 2 here")
	}
	return folder
}
