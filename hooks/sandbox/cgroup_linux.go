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

// cgroups creates a cgroup for each worker under a parent cgroup that has the memory
// controller. A nil *cgroups does not create any.
type cgroups struct {
	folder string
	isV2   bool
	next   atomic.Int64
}

// cgroup is the cgroup of one worker. A nil *cgroup has no effect.
type cgroup struct {
	folder string
	isV2   bool
}

const groupPrefix = "intray-hooks-"

// openCgroups returns the cgroups for a parent folder. It checks that the folder is usable, so
// that the service reports an error when it starts rather than when a hook runs.
func openCgroups(folder string, memory int64) (*cgroups, error) {
	g, err := findCgroups(folder)
	if err != nil {
		return nil, err
	}
	g.removeStale()
	return g, g.checkUsable(memory)
}

// findCgroups returns the cgroups for a parent folder of cgroup version 1 or 2.
func findCgroups(folder string) (*cgroups, error) {
	g := &cgroups{folder: folder}
	controllers, err := os.ReadFile(filepath.Join(folder, "cgroup.controllers"))
	switch {
	case err == nil:
		g.isV2 = true
		if !bytes.Contains(controllers, []byte("memory")) {
			return nil, fmt.Errorf("the hook cgroup %s has no memory controller: write +memory to the cgroup.subtree_control above it", folder)
		}
	case !exists(folder):
		return nil, fmt.Errorf("the hook cgroup %s does not exist: create it", folder)
	case !exists(filepath.Join(folder, "memory.limit_in_bytes")):
		return nil, fmt.Errorf("%s is not a memory cgroup; hook workers need one", folder)
	}
	return g, nil
}

// checkUsable creates a cgroup without a process and sets its memory limit.
func (g *cgroups) checkUsable(memory int64) error {
	one := g.nextGroup()
	if err := os.Mkdir(one.folder, 0o755); err != nil { //nolint:gosec // Monitoring may read the statistics.
		return fmt.Errorf("use the hook cgroup %s: %w; make the user of this program its owner", g.folder, err)
	}
	defer one.remove()
	if g.isV2 && !exists(filepath.Join(one.folder, "memory.max")) {
		return fmt.Errorf("the hook cgroup %s does not limit memory: write +memory to its cgroup.subtree_control while no process is in it", g.folder)
	}
	if err := one.setMemoryLimit(memory); err != nil {
		return fmt.Errorf("set a memory limit in the hook cgroup %s: %w; make the user of this program its owner", g.folder, err)
	}
	return nil
}

// nextGroup returns a cgroup that has not been created yet.
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

// removeStale removes the cgroups of earlier runs that were killed. Only empty cgroups can
// be removed.
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

// addProcess moves a process into a new cgroup with a memory limit.
func (g *cgroups) addProcess(pid int, memory int64) (*cgroup, error) {
	if g == nil {
		return nil, nil
	}
	one := g.nextGroup()
	if err := os.Mkdir(one.folder, 0o755); err != nil { //nolint:gosec // Monitoring may read the statistics.
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

// setMemoryLimit writes the limits. The limit on memory and swap together is missing on
// systems that do not count swap.
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

// isKilledForMemory reports whether the kernel killed a process of the cgroup because of
// its memory use.
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

// remove removes the cgroup. It retries for a short time, because the kernel may still
// count a process that has ended.
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
