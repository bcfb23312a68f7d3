package cage

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// wait returns when the process is dead, what was left of its group is killed,
// and nothing of it is to be seen in the table of processes.
func (p *process) wait() ending {
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
	starved := p.gauge.starved()
	state, _ := p.os.Wait()
	p.buried = true
	p.mu.Unlock()
	close(p.gone)
	end := exited(state)
	end.starved = starved
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
	if !p.buried {
		_ = unix.Kill(-p.os.Pid, unix.SIGKILL)
	}
}

// gauge shows what a process holds.
type gauge struct {
	stat  *os.File
	group *cgroup
}

// open is called while the process still is as it was made: a jailed one may be
// hidden in /proc, but a file that is open stays readable.
func (g *gauge) open(pid int, groups *cgroups, memory int64) (err error) {
	if g.stat, err = os.Open(fmt.Sprintf("/proc/%d/stat", pid)); err != nil {
		return fmt.Errorf("watching the memory of a hook worker: %w", err)
	}
	if g.group, err = groups.add(pid, memory); err != nil {
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

func (g *gauge) starved() bool { return g.group.starved() }

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
