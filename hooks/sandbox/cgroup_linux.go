package sandbox

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// cgroups makes a folder for each worker in a folder of the memory controller.
// The nil cgroups makes none.
type cgroups struct {
	folder string
	isV2   bool
	next   atomic.Int64
}

// cgroup is the folder of one worker. The nil cgroup holds nothing.
type cgroup struct {
	folder string
	isV2   bool
}

const groupPrefix = "intray-hooks-"

// openCgroups tries the folder out, so that who names one that is of no use is
// told why when the service starts, and not when a hook is to run.
func openCgroups(folder string, memory int64) (*cgroups, error) {
	g, err := findCgroups(folder)
	if err != nil {
		return nil, err
	}
	g.removeStale()
	return g, g.checkUsable(memory)
}

// findCgroups tells which version a folder is of.
func findCgroups(folder string) (*cgroups, error) {
	g := &cgroups{folder: folder}
	controllers, err := os.ReadFile(filepath.Join(folder, "cgroup.controllers"))
	switch {
	case err == nil:
		g.isV2 = true
		if !bytes.Contains(controllers, []byte("memory")) {
			return nil, fmt.Errorf("the cgroup %s for hooks cannot bound memory: give it the memory controller, by writing +memory into the cgroup.subtree_control above it", folder)
		}
	case !exists(folder):
		return nil, fmt.Errorf("there is no folder %s, in which hooks shall have their cgroups: make it", folder)
	case !exists(filepath.Join(folder, "memory.limit_in_bytes")):
		return nil, fmt.Errorf("%s is no cgroup of the memory controller, and hooks shall have theirs in it", folder)
	}
	return g, nil
}

// checkUsable makes a cgroup without a process, and bounds it.
func (g *cgroups) checkUsable(memory int64) error {
	one := g.nextGroup()
	if err := os.Mkdir(one.folder, 0o755); err != nil {
		return fmt.Errorf("the cgroup %s for hooks is of no use: %w. Give the folder to the user of this program", g.folder, err)
	}
	defer one.remove()
	if g.isV2 && !exists(filepath.Join(one.folder, "memory.max")) {
		return fmt.Errorf("the cgroup %s for hooks does not bound the memory of what is in it: write +memory into its cgroup.subtree_control, which works while no process is in it itself", g.folder)
	}
	if err := one.setMemoryLimit(memory); err != nil {
		return fmt.Errorf("the cgroup %s for hooks is of no use: bounding memory in it: %w. Give the folder to the user of this program", g.folder, err)
	}
	return nil
}

// nextGroup is a cgroup that is yet to be made.
func (g *cgroups) nextGroup() *cgroup {
	return &cgroup{
		folder: filepath.Join(g.folder, fmt.Sprintf("%s%d-%d", groupPrefix, os.Getpid(), g.next.Add(1))),
		isV2:   g.isV2,
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// removeStale removes what a program left behind that was killed. Only the empty
// folders of programs that are gone can be removed.
func (g *cgroups) removeStale() {
	old, _ := filepath.Glob(filepath.Join(g.folder, groupPrefix+"*"))
	for _, folder := range old {
		pid, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(folder), groupPrefix), "-")
		if !exists("/proc/" + pid) {
			_ = os.Remove(folder)
		}
	}
}

func (g *cgroups) version() string {
	switch {
	case g == nil:
		return ""
	case g.isV2:
		return "v2"
	}
	return "v1"
}

// addProcess bounds the memory of a process.
func (g *cgroups) addProcess(pid int, memory int64) (*cgroup, error) {
	if g == nil {
		return nil, nil
	}
	one := g.nextGroup()
	if err := os.Mkdir(one.folder, 0o755); err != nil {
		return nil, err
	}
	err := one.setMemoryLimit(memory)
	if err == nil {
		err = one.write("cgroup.procs", int64(pid))
	}
	if err != nil {
		one.remove()
		return nil, err
	}
	return one, nil
}

// setMemoryLimit writes the limits. That of memory and swap together is not there where
// the system does not count swap.
func (c *cgroup) setMemoryLimit(memory int64) error {
	if c.isV2 {
		return errors.Join(c.write("memory.max", memory), c.writeOptional("memory.swap.max", 0), c.writeOptional("memory.oom.group", 1))
	}
	return errors.Join(c.write("memory.limit_in_bytes", memory), c.writeOptional("memory.memsw.limit_in_bytes", memory))
}

func (c *cgroup) write(name string, value int64) error {
	return os.WriteFile(filepath.Join(c.folder, name), strconv.AppendInt(nil, value, 10), 0)
}

func (c *cgroup) writeOptional(name string, value int64) error {
	if !exists(filepath.Join(c.folder, name)) {
		return nil
	}
	return c.write(name, value)
}

// isKilledForMemory says whether the system killed in this cgroup for want of memory.
func (c *cgroup) isKilledForMemory() bool {
	if c == nil {
		return false
	}
	name := "memory.oom_control"
	if c.isV2 {
		name = "memory.events"
	}
	text, err := os.ReadFile(filepath.Join(c.folder, name))
	if err != nil {
		return false
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		if count, found := strings.CutPrefix(lines.Text(), "oom_kill "); found {
			return count != "0"
		}
	}
	return false
}

// remove waits shortly where the kernel still counts the process that ended.
func (c *cgroup) remove() {
	if c == nil {
		return
	}
	for range 20 {
		if err := os.Remove(c.folder); err == nil || errors.Is(err, os.ErrNotExist) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}
