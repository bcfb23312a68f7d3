package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// launcher knows how to start sandboxed processes on this system.
type launcher struct {
	cfg       *Config
	available Capabilities
	groups    *cgroups
	// modeIndex is how processes are started. It moves on where the system refuses,
	// until the first has started: what was told of the sandbox then stays true.
	modeIndex atomic.Int32
	settled   atomic.Bool
}

// launchMode is what a child gets when it is made, besides what it does to itself.
type launchMode struct{ user, namespaces bool }

// launchModes stand in the order in which they are tried. Containers often forbid
// making namespaces, and sometimes changing the user.
var launchModes = []launchMode{{true, true}, {true, false}, {false, true}, {false, false}}

// newLauncher refuses a strict sandbox that the system cannot build.
func newLauncher(cfg *Config, has Capabilities) (*launcher, error) {
	j := &launcher{cfg: cfg, available: has}
	if lacks := has.missingRequired(); len(lacks) > 0 && cfg.Mode == Strict {
		return nil, &RefusedError{Lacks: lacks}
	}
	if cfg.Cgroup == "" {
		return j, nil
	}
	groups, err := openCgroups(cfg.Cgroup, cfg.Memory)
	switch {
	case err == nil:
		j.groups = groups
	case cfg.Mode == Strict:
		return nil, err
	}
	return j, nil
}

// capabilities are those of the system, less what was refused when it was tried.
func (j *launcher) capabilities() Capabilities {
	has, way := j.available, launchModes[j.modeIndex.Load()]
	has.Users = has.Users && way.user
	has.Namespaces = way.namespaces
	has.Cgroup = j.groups.version()
	return has
}

// restrictions tells the worker which walls to build; it must build just these.
func (j *launcher) restrictions() restrictions {
	has := j.capabilities()
	o := restrictions{
		Memory:   j.cfg.Memory,
		Landlock: has.Landlock, Seccomp: has.Seccomp, NoNewPrivs: has.NoNewPrivs, Threads: has.Users,
	}
	if j.cfg.Runtime == Node {
		o.Node = newNodeCommand(j.cfg)
	}
	return o
}

// startProcess starts a process in the best way that the system allows.
func (j *launcher) startProcess(slot int) (*process, error) {
	for {
		at := j.modeIndex.Load()
		proc, err := j.startProcessAs(launchModes[at], slot)
		if err == nil {
			j.settled.Store(true)
			return proc, nil
		}
		if j.settled.Load() || !isForbidden(err) || int(at) == len(launchModes)-1 {
			return nil, fmt.Errorf("starting a hook worker: %w", err)
		}
		j.modeIndex.CompareAndSwap(at, at+1)
	}
}

// isForbidden tells what a system says where it does not allow a way: EACCES
// where another user may not run this program, ENOSPC where there may be no
// more namespaces.
func isForbidden(err error) bool {
	for _, code := range []syscall.Errno{unix.EPERM, unix.EINVAL, unix.EACCES, unix.ENOSPC, unix.ENOSYS, unix.EUSERS} {
		if errors.Is(err, code) {
			return true
		}
	}
	return false
}

func (j *launcher) startProcessAs(w launchMode, slot int) (*process, error) {
	ends, err := openPipes()
	if err != nil {
		return nil, err
	}
	attr := &os.ProcAttr{Dir: "/", Env: environment(), Files: ends.childEnds(), Sys: j.sysProcAttr(w, slot)}
	child, err := os.StartProcess("/proc/self/exe", append([]string{"intray"}, j.cfg.Command...), attr)
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
	if err := proc.gauge.open(child.Pid, j.groups, j.cfg.Memory); err != nil {
		proc.kill()
		proc.wait()
		proc.close()
		return nil, err
	}
	return proc, nil
}

func (j *launcher) sysProcAttr(w launchMode, slot int) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if w.user && j.available.Users {
		id := uint32(j.cfg.FirstUserID + slot)
		attr.Credential = &syscall.Credential{Uid: id, Gid: id}
	}
	if !w.namespaces {
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

// enlargePipe makes room in a pipe for a whole batch, so that who writes does not
// wait for who reads. The system may refuse; it is then slower.
func enlargePipe(end *os.File) {
	raw, err := end.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, 1<<20) })
}

func (j *launcher) close() {}

// wait returns when the process is dead, what was left of its group is killed,
// and nothing of it is to be seen in the table of processes.
func (p *process) wait() exitStatus {
	for {
		// The process stays in the table, so that its number, which is that of
		// its group, cannot be given to others before the group is killed.
		err := unix.Waitid(unix.P_PID, p.os.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	p.mu.Lock()
	_ = unix.Kill(-p.os.Pid, unix.SIGKILL)
	starved := p.gauge.isKilledForMemory()
	state, _ := p.os.Wait()
	p.reaped = true
	p.mu.Unlock()
	close(p.gone)
	end := newExitStatus(state)
	end.outOfMemory = starved
	if state != nil {
		if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			end.signal = unix.SignalName(status.Signal())
		}
	}
	return end
}

// kill ends the process and its group at once.
func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.reaped {
		_ = unix.Kill(-p.os.Pid, unix.SIGKILL)
	}
}

// gauge shows what a process holds.
type gauge struct {
	stat  *os.File
	group *cgroup
}

// open is called while the process still is as it was made: a sandboxed one may be
// hidden in /proc, but a file that is open stays readable.
func (g *gauge) open(pid int, groups *cgroups, memory int64) (err error) {
	if g.stat, err = os.Open(fmt.Sprintf("/proc/%d/stat", pid)); err != nil {
		return fmt.Errorf("watching the memory of a hook worker: %w", err)
	}
	if g.group, err = groups.addProcess(pid, memory); err != nil {
		return fmt.Errorf("putting a hook worker into its cgroup: %w", err)
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

// usage gives the memory in bytes and the number of threads.
func (g *gauge) usage() (held int64, threads int, ok bool) {
	buf := make([]byte, 1024)
	n, _ := g.stat.ReadAt(buf, 0)
	return parseStat(buf[:n])
}

// The fields of /proc/PID/stat behind the name, which are 20 and 24 of all.
const (
	statThreads  = 17
	statResident = 21
)

// parseStat reads behind the last bracket: the process chooses its own name.
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
