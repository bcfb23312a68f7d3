package attacks

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

const (
	// memoryLimit is the memory of the server.
	memoryLimit = 512 << 20
	// softLimit is the value of GOMEMLIMIT where no memory cgroup can be created. With a cgroup,
	// the server derives the same limit from it.
	softLimit = memoryLimit / 10 * 9
	// cores is the number of processors of the server.
	cores = 2
)

// limits restricts the memory and the processors of a program.
type limits struct {
	// binary runs the program with the limits.
	binary string
	env    []string
	// group is the folder of a memory cgroup, or "" if none can be created.
	group string
}

// newLimits returns limits for a program. Where it can create a memory cgroup in the one of the
// test, the kernel kills the program if it exceeds the limit. Otherwise, GOMEMLIMIT is set, and
// the test must check the peak.
func newLimits(t *testing.T, binary string) limits {
	t.Helper()
	c := limits{binary: filepath.Join(t.TempDir(), "limited"), env: []string{fmt.Sprintf("GOMAXPROCS=%d", cores)}}
	script := "#!/bin/sh\n"
	group, err := newMemoryGroup(memoryLimit)
	if err != nil {
		t.Logf("the server is limited by GOMEMLIMIT and its peak is checked, because no memory cgroup can be created: %v", err)
		c.env = append(c.env, fmt.Sprintf("GOMEMLIMIT=%d", softLimit))
	} else {
		t.Logf("the server is in a memory cgroup of %d MiB: %s", memoryLimit>>20, group)
		c.group = group
		script += fmt.Sprintf("echo $$ >'%s/cgroup.procs' || exit 1\n", group)
		t.Cleanup(func() {
			if err := os.Remove(group); err != nil {
				t.Errorf("remove the cgroup: %v", err)
			}
		})
	}
	pin := ""
	if taskset, err := exec.LookPath("taskset"); runtime.NumCPU() > cores && err == nil {
		pin = fmt.Sprintf("%s -c %s ", taskset, firstProcessors(t))
	}
	script += fmt.Sprintf("exec %s'%s' \"$@\"\n", pin, binary)
	if err := os.WriteFile(c.binary, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return c
}

// firstProcessors returns the numbers of the first processors on which the test may run.
func firstProcessors(t *testing.T) string {
	t.Helper()
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		t.Fatal(err)
	}
	var list []string
	for cpu := 0; len(list) < min(cores, set.Count()); cpu++ {
		if set.IsSet(cpu) {
			list = append(list, fmt.Sprint(cpu))
		}
	}
	return strings.Join(list, ",")
}

// newMemoryGroup creates a cgroup with a memory limit and without swap in the cgroup of the
// test. It supports both versions of cgroups.
func newMemoryGroup(limit int64) (folder string, err error) {
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return "", err
	}
	parent, settings := "", map[string]int64{}
	for line := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		switch {
		case len(parts) < 3:
		case strings.Contains(","+parts[1]+",", ",memory,"):
			parent = filepath.Join("/sys/fs/cgroup/memory", parts[2])
			settings = map[string]int64{"memory.limit_in_bytes": limit, "memory.swappiness": 0}
		case parts[1] == "" && parent == "":
			parent = filepath.Join("/sys/fs/cgroup", parts[2])
			settings = map[string]int64{"memory.max": limit, "memory.swap.max": 0}
		}
	}
	if parent == "" {
		return "", errors.New("/proc/self/cgroup names no memory cgroup")
	}
	folder = filepath.Join(parent, fmt.Sprintf("intray-attacks-%d", os.Getpid()))
	if err := os.Mkdir(folder, 0o755); err != nil {
		return "", err
	}
	for name, value := range settings {
		err := os.WriteFile(filepath.Join(folder, name), fmt.Append(nil, value), 0)
		// Kernels without swap accounting lack memory.swap.max.
		if err != nil && (name != "memory.swap.max" || !errors.Is(err, fs.ErrNotExist)) {
			return "", errors.Join(err, os.Remove(folder))
		}
	}
	return folder, nil
}

// groupUsage returns the peak memory of the cgroup, including the page cache, and how often the
// limit was reached. It returns "" if there is no cgroup.
func (c limits) groupUsage() string {
	if c.group == "" {
		return ""
	}
	var list []string
	for _, name := range []string{"memory.max_usage_in_bytes", "memory.failcnt", "memory.peak", "memory.events"} {
		if text, err := os.ReadFile(filepath.Join(c.group, name)); err == nil {
			list = append(list, name+" "+strings.Join(strings.Fields(string(text)), " "))
		}
	}
	return strings.Join(list, ", ")
}
