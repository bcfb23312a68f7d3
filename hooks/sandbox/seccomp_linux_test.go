package sandbox

import (
	"encoding/binary"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// runFilter runs a filter on the number, the processor and the arguments of a system call,
// as the kernel does. The virtual machine of package bpf reads big-endian numbers.
func runFilter(t *testing.T, c syscallPolicy, arch, number uint32, args ...uint32) uint32 {
	t.Helper()
	machine, err := bpf.NewVM(c.compile())
	if err != nil {
		t.Fatal(err)
	}
	seen := make([]byte, offsetArguments+6*argumentSize)
	binary.BigEndian.PutUint32(seen[offsetNumber:], number)
	binary.BigEndian.PutUint32(seen[offsetArch:], arch)
	for i, arg := range args {
		binary.BigEndian.PutUint32(seen[offsetArguments+argumentSize*i:], arg)
	}
	got, err := machine.Run(seen)
	if err != nil {
		t.Fatal(err)
	}
	return uint32(got)
}

func TestFilter(t *testing.T) {
	if filterArch == 0 {
		t.Skip("this processor has no filter")
	}
	const (
		allow = unix.SECCOMP_RET_ALLOW
		kill  = unix.SECCOMP_RET_KILL_PROCESS
		eperm = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
		older = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	)
	quick, node := quickJSPolicy(), nodePolicy()
	for _, test := range []struct {
		name   string
		calls  syscallPolicy
		arch   uint32
		number uint32
		args   []uint32
		want   uint32
	}{
		{"read", quick, filterArch, unix.SYS_READ, nil, allow},
		{"the last one allowed", quick, filterArch, quick.allow[len(quick.allow)-1], nil, allow},
		{"read on another processor", quick, filterArch + 1, unix.SYS_READ, nil, kill},
		{"read by its x32 number", quick, filterArch, x32SyscallBit | unix.SYS_READ, nil, kill},
		{"no such call", quick, filterArch, 1<<32 - 1, nil, kill},
		{"execve", quick, filterArch, unix.SYS_EXECVE, nil, kill},
		{"socket", quick, filterArch, unix.SYS_SOCKET, nil, kill},
		{"kill", quick, filterArch, unix.SYS_KILL, nil, kill},
		{"memory", quick, filterArch, unix.SYS_MMAP, []uint32{0, 4096, unix.PROT_READ | unix.PROT_WRITE}, allow},
		{"memory for code", quick, filterArch, unix.SYS_MMAP, []uint32{0, 4096, unix.PROT_EXEC}, kill},
		{"memory that becomes code", quick, filterArch, unix.SYS_MPROTECT, []uint32{0, 4096, unix.PROT_READ | unix.PROT_EXEC}, kill},
		{"a thread", quick, filterArch, unix.SYS_CLONE, []uint32{goThread}, allow},
		{"a process", quick, filterArch, unix.SYS_CLONE, []uint32{uint32(unix.SIGCHLD)}, kill},
		{"a thread in another namespace", quick, filterArch, unix.SYS_CLONE, []uint32{goThread | unix.CLONE_NEWUSER}, kill},
		{"prctl", quick, filterArch, unix.SYS_PRCTL, nil, eperm},
		{"Node: code", node, filterArch, unix.SYS_MMAP, []uint32{0, 4096, unix.PROT_EXEC}, allow},
		{"Node: clone3", node, filterArch, unix.SYS_CLONE3, nil, older},
		{"Node: a thread", node, filterArch, unix.SYS_CLONE, []uint32{glibcThreadFlags}, allow},
		{"Node: a process", node, filterArch, unix.SYS_CLONE, []uint32{uint32(unix.SIGCHLD)}, kill},
		{"Node: socket", node, filterArch, unix.SYS_SOCKET, nil, kill},
		{"Node: connect", node, filterArch, unix.SYS_CONNECT, nil, kill},
		{"Node: ptrace", node, filterArch, unix.SYS_PTRACE, nil, kill},
		{"Node: io_uring", node, filterArch, unix.SYS_IO_URING_SETUP, nil, older},
	} {
		if got := runFilter(t, test.calls, test.arch, test.number, test.args...); got != test.want {
			t.Errorf("%s: %#x, want %#x", test.name, got, test.want)
		}
	}
}

func TestParseStat(t *testing.T) {
	fields := " S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 12 18 19 20 1000 22"
	for name, want := range map[string]bool{
		"1 (exe)" + fields:                   true,
		"1 (a) S 1 (b) R 2 3 4)" + fields:    true,
		"1 (exe) S 1 2 3":                    false,
		"":                                   false,
		"1 (exe) S " + "x x x x x x x x x x": false,
	} {
		held, threads, ok := parseStat([]byte(name))
		if ok != want || ok && (threads != 12 || held != 1000*int64(unix.Getpagesize())) {
			t.Errorf("%q: got %d, %d, %v", name, held, threads, ok)
		}
	}
}
