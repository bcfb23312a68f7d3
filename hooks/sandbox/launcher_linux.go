package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// launcher starts sandboxed processes.
type launcher struct {
	cfg       *Config
	available Capabilities
	groups    *cgroups
	// modeIndex is the index of the current launch mode. It advances if the system refuses
	// a mode, but only until the first process has started, so that the capabilities do not
	// change later.
	modeIndex atomic.Int32
	settled   atomic.Bool
}

// launchMode specifies what the parent does when it creates a process.
type launchMode struct{ user, namespaces bool }

// launchModes are the launch modes in the order in which they are tried. Containers often
// forbid namespaces, and sometimes forbid running processes as a different user.
var launchModes = []launchMode{{true, true}, {true, false}, {false, true}, {false, false}}

// newLauncher returns a launcher, or a *RefusedError if the system cannot build a strict sandbox.
func newLauncher(cfg *Config, has Capabilities) (*launcher, error) {
	l := &launcher{cfg: cfg, available: has}
	if lacks := has.missingRequired(); len(lacks) > 0 && cfg.Mode == Strict {
		return nil, &RefusedError{Lacks: lacks, Blocked: has.LandlockBlocked}
	}
	if cfg.Cgroup == "" {
		return l, nil
	}
	groups, err := openCgroups(cfg.Cgroup, cfg.Memory)
	switch {
	case err == nil:
		l.groups = groups
	case cfg.Mode == Strict:
		return nil, err
	}
	return l, nil
}

// capabilities returns the capabilities of the system, without those that it refused.
func (l *launcher) capabilities() Capabilities {
	has, mode := l.available, launchModes[l.modeIndex.Load()]
	has.Users = has.Users && mode.user
	has.Namespaces = mode.namespaces
	has.Cgroup = l.groups.version()
	return has
}

// restrictions returns the restrictions that a worker must apply to itself.
func (l *launcher) restrictions() restrictions {
	has := l.capabilities()
	r := restrictions{
		Memory:   l.cfg.Memory,
		Landlock: has.Landlock, Seccomp: has.Seccomp, NoNewPrivs: has.NoNewPrivs, Threads: has.Users,
	}
	if l.cfg.Runtime == Node {
		r.Node = newNodeCommand(l.cfg)
	}
	return r
}

// startProcess starts a process in the best mode that the system allows.
func (l *launcher) startProcess(slot int) (*process, error) {
	for {
		at := l.modeIndex.Load()
		proc, err := l.startProcessAs(launchModes[at], slot)
		if err == nil {
			l.settled.Store(true)
			return proc, nil
		}
		if l.settled.Load() || !isForbidden(err) || int(at) == len(launchModes)-1 {
			return nil, fmt.Errorf("start a hook worker: %w", err)
		}
		l.modeIndex.CompareAndSwap(at, at+1)
	}
}

// isForbidden reports whether err means that the system refuses a launch mode. EACCES means
// that the worker's user may not execute this program, and ENOSPC means that there are too
// many namespaces.
func isForbidden(err error) bool {
	return slices.ContainsFunc([]syscall.Errno{unix.EPERM, unix.EINVAL, unix.EACCES, unix.ENOSPC, unix.ENOSYS, unix.EUSERS}, func(code syscall.Errno) bool { return errors.Is(err, code) })
}

func (l *launcher) startProcessAs(mode launchMode, slot int) (*process, error) {
	ends, err := openPipes()
	if err != nil {
		return nil, err
	}
	attr := &os.ProcAttr{Dir: "/", Env: environment(), Files: ends.childEnds(), Sys: l.sysProcAttr(mode, slot)}
	child, err := os.StartProcess("/proc/self/exe", append([]string{"intray"}, l.cfg.Command...), attr)
	runtime.KeepAlive(ends)
	if err != nil {
		ends.close()
		return nil, err
	}
	ends.closeChildEnds()
	for _, end := range []*os.File{ends.in.write, ends.out.read} {
		enlargePipe(end)
	}
	proc := &process{os: child, in: ends.in.write, out: ends.out.read, err: ends.err.read, gone: make(chan struct{})}
	if err := proc.gauge.open(child.Pid, l.groups, l.cfg.Memory); err != nil {
		proc.kill()
		proc.wait()
		proc.close()
		return nil, err
	}
	return proc, nil
}

func (l *launcher) sysProcAttr(mode launchMode, slot int) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if mode.user && l.available.Users {
		id := uint32(l.cfg.FirstUserID + slot)
		attr.Credential = &syscall.Credential{Uid: id, Gid: id}
	}
	if !mode.namespaces {
		return attr
	}
	attr.Cloneflags = syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS
	if os.Geteuid() != 0 {
		attr.Cloneflags |= syscall.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
	}
	return attr
}

// enlargePipe enlarges the buffer of a pipe to hold a whole batch, so that the writer does
// not have to wait for the reader. It ignores an error.
func enlargePipe(end *os.File) {
	raw, err := end.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, 1<<20) })
}

func (l *launcher) close() {}

// wait waits until the process is dead, its group is killed, and its entry in the process
// table is removed.
func (p *process) wait() exitStatus {
	for {
		// The process stays in the process table until the group is killed. Therefore, its ID,
		// which is also the ID of the group, cannot be reused before that.
		err := unix.Waitid(unix.P_PID, p.os.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	p.mu.Lock()
	_ = unix.Kill(-p.os.Pid, unix.SIGKILL)
	outOfMemory := p.gauge.isKilledForMemory()
	state, _ := p.os.Wait()
	p.reaped = true
	p.mu.Unlock()
	close(p.gone)
	end := newExitStatus(state)
	end.outOfMemory = outOfMemory
	if state != nil {
		if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			end.signal = unix.SignalName(status.Signal())
		}
	}
	return end
}

// kill kills the process and its process group.
func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.reaped {
		_ = unix.Kill(-p.os.Pid, unix.SIGKILL)
	}
}

// gauge measures the resource usage of a process.
type gauge struct {
	stat  *os.File
	group *cgroup
}

// open opens the statistics of the process in /proc and moves the process into a cgroup. It must
// be called before the process restricts itself: /proc may hide the files later, but files that
// are already open remain readable.
func (g *gauge) open(pid int, groups *cgroups, memory int64) (err error) {
	if g.stat, err = os.Open(fmt.Sprintf("/proc/%d/stat", pid)); err != nil {
		return fmt.Errorf("open the memory statistics of a hook worker: %w", err)
	}
	if g.group, err = groups.addProcess(pid, memory); err != nil {
		return fmt.Errorf("move a hook worker to its cgroup: %w", err)
	}
	return nil
}

func (g *gauge) close() {
	if g.stat != nil {
		_ = g.stat.Close()
	}
	g.group.remove()
}

func (g *gauge) isKilledForMemory() bool { return g.group.isKilledForMemory() }

// usage returns the memory in bytes and the number of threads.
func (g *gauge) usage() (held int64, threads int, ok bool) {
	buf := make([]byte, 1024)
	n, _ := g.stat.ReadAt(buf, 0)
	return parseStat(buf[:n])
}

// These are the indexes of fields 20 and 24 of /proc/PID/stat, counted from the first field
// after the name.
const (
	statThreads  = 17
	statResident = 21
)

// parseStat parses /proc/PID/stat. It starts after the last parenthesis, because a process
// can choose its name.
func parseStat(text []byte) (held int64, threads int, ok bool) {
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) <= statResident {
		return 0, 0, false
	}
	pages, err := strconv.ParseInt(string(fields[statResident]), 10, 64)
	if err != nil {
		return 0, 0, false
	}
	threads, err = strconv.Atoi(string(fields[statThreads]))
	return pages * int64(os.Getpagesize()), threads, err == nil
}
