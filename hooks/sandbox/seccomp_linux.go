package sandbox

import (
	"fmt"
	"slices"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// syscallPolicy lists the system calls that a sandbox allows or refuses. Any other call
// kills the process.
type syscallPolicy struct {
	allow []uint32
	// refuse lists the calls that fail with EPERM, and absent lists those that fail with
	// ENOSYS, as on an older kernel.
	refuse, absent []uint32
	// nonExecutable lists the calls that are allowed unless they request executable memory.
	nonExecutable []uint32
	// threads lists the clone flags that only create a thread.
	threads []uint32
}

// These are the offsets in the data of a filter, in little-endian order: the system call
// number, the processor, the instruction pointer and six arguments.
const (
	offsetNumber    = 0
	offsetArch      = 4
	offsetArguments = 16
	argumentSize    = 8
)

// x32SyscallBit is set in the numbers of x32 ABI calls on amd64.
const x32SyscallBit = 0x40000000

// loadArgument loads the lower half of an argument. The upper half of each argument that is
// checked is 0.
func loadArgument(i uint32) bpf.Instruction {
	return bpf.LoadAbsolute{Off: offsetArguments + argumentSize*i, Size: 4}
}

func returnAction(action uint32) bpf.Instruction { return bpf.RetConstant{Val: action} }

// compile returns the filter. Each rule jumps over itself if it does not apply, so all
// jumps are short.
func (c syscallPolicy) compile() []bpf.Instruction {
	kill := returnAction(unix.SECCOMP_RET_KILL_PROCESS)
	out := []bpf.Instruction{
		bpf.LoadAbsolute{Off: offsetArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: filterArch, SkipTrue: 1}, kill,
		bpf.LoadAbsolute{Off: offsetNumber, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpLessThan, Val: x32SyscallBit, SkipTrue: 1}, kill,
	}
	rule := func(numbers []uint32, then ...bpf.Instruction) {
		for _, number := range numbers {
			out = append(out, bpf.JumpIf{Cond: bpf.JumpEqual, Val: number, SkipFalse: uint8(len(then))})
			out = append(out, then...)
		}
	}
	allowed := returnAction(unix.SECCOMP_RET_ALLOW)
	rule(c.allow, allowed)
	rule(c.nonExecutable, loadArgument(2), bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: unix.PROT_EXEC, SkipFalse: 1}, kill, allowed)
	for _, flags := range c.threads {
		rule([]uint32{unix.SYS_CLONE}, loadArgument(0), bpf.JumpIf{Cond: bpf.JumpEqual, Val: flags, SkipFalse: 1}, allowed,
			bpf.LoadAbsolute{Off: offsetNumber, Size: 4})
	}
	rule(c.refuse, returnAction(unix.SECCOMP_RET_ERRNO|uint32(unix.EPERM)))
	rule(c.absent, returnAction(unix.SECCOMP_RET_ERRNO|uint32(unix.ENOSYS)))
	return append(out, kill)
}

// installFilter installs a filter for this thread or, depending on flags, for all threads.
func installFilter(filter []bpf.Instruction, flags uintptr) error {
	raw, err := bpf.Assemble(filter)
	if err != nil {
		return fmt.Errorf("assemble the system call filter: %w", err)
	}
	code := make([]unix.SockFilter, len(raw))
	for i, one := range raw {
		code[i] = unix.SockFilter{Code: one.Op, Jt: one.Jt, Jf: one.Jf, K: one.K}
	}
	program := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("drop new privileges of a hook worker: %w", err)
	}
	left, _, failed := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&program)))
	switch {
	case failed != 0:
		return fmt.Errorf("restrict the system calls of a hook worker: %w", failed)
	case left != 0:
		return fmt.Errorf("restrict the system calls of a hook worker: thread %d is not restricted", left)
	}
	return nil
}

// quickJSPolicy allows the system calls that the Go runtime needs for memory, threads, clocks
// and the two pipes. The list was determined by removing one call at a time.
func quickJSPolicy() syscallPolicy {
	c := syscallPolicy{
		allow: []uint32{
			unix.SYS_READ, unix.SYS_WRITE, unix.SYS_FUTEX, unix.SYS_NANOSLEEP, unix.SYS_MADVISE, unix.SYS_MUNMAP,
			unix.SYS_TGKILL, unix.SYS_GETPID, unix.SYS_GETTID, unix.SYS_RT_SIGRETURN, unix.SYS_RT_SIGPROCMASK,
			unix.SYS_SIGALTSTACK, unix.SYS_SCHED_YIELD, unix.SYS_EPOLL_PWAIT, unix.SYS_CLOCK_GETTIME,
			unix.SYS_RESTART_SYSCALL, unix.SYS_EXIT, unix.SYS_EXIT_GROUP, unix.SYS_RT_SIGACTION,
			unix.SYS_GETRANDOM, unix.SYS_SCHED_GETAFFINITY,
		},
		nonExecutable: []uint32{unix.SYS_MMAP, unix.SYS_MPROTECT},
		refuse:        []uint32{unix.SYS_PRCTL},
		threads:       []uint32{goThread},
	}
	if cgoEnabled {
		c.allow = append(c.allow, libcSyscalls...)
		c.threads = append(c.threads, glibcThreadFlags, muslThreadFlags)
		c.absent = []uint32{unix.SYS_CLONE3}
		// glibc reads the number of processors from /sys when it allocates memory for a
		// thread. It also works if that fails.
		c.refuse = append(c.refuse, unix.SYS_OPENAT)
	}
	return c
}

// libcSyscalls are the additional calls that a C library needs to start threads and to wait
// for locks.
var libcSyscalls = []uint32{unix.SYS_SET_ROBUST_LIST, unix.SYS_RSEQ, unix.SYS_BRK, unix.SYS_MREMAP, unix.SYS_CLOCK_NANOSLEEP}

// These are the flags with which glibc and musl create threads.
const (
	glibcThreadFlags = 0x3d0f00
	muslThreadFlags  = 0x7d0f00
)

// nodePolicy allows the system calls that Node needs to start and to run JavaScript. These
// include the calls that open files and execute the program. Landlock restricts both. The
// JavaScript compiler needs executable memory.
func nodePolicy() syscallPolicy {
	c := syscallPolicy{
		allow: slices.Concat(nodeOldCalls, []uint32{
			unix.SYS_READ, unix.SYS_WRITE, unix.SYS_READV, unix.SYS_WRITEV, unix.SYS_PREAD64, unix.SYS_LSEEK, unix.SYS_CLOSE,
			unix.SYS_OPENAT, unix.SYS_FSTAT, unix.SYS_STATX, unix.SYS_READLINKAT, unix.SYS_FACCESSAT, unix.SYS_FACCESSAT2,
			unix.SYS_GETCWD, unix.SYS_GETDENTS64, unix.SYS_FCNTL, unix.SYS_IOCTL, unix.SYS_DUP, unix.SYS_DUP3, unix.SYS_PIPE2,
			unix.SYS_EVENTFD2, unix.SYS_EPOLL_CREATE1, unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_PWAIT, unix.SYS_PPOLL,
			unix.SYS_MMAP, unix.SYS_MPROTECT, unix.SYS_MUNMAP, unix.SYS_MREMAP, unix.SYS_MADVISE, unix.SYS_BRK, unix.SYS_MEMBARRIER,
			unix.SYS_FUTEX, unix.SYS_SET_TID_ADDRESS, unix.SYS_SET_ROBUST_LIST, unix.SYS_RSEQ, unix.SYS_PRCTL,
			unix.SYS_CAPGET, unix.SYS_PRLIMIT64, unix.SYS_GETRANDOM,
			unix.SYS_GETPID, unix.SYS_GETTID, unix.SYS_GETPPID, unix.SYS_GETUID, unix.SYS_GETEUID, unix.SYS_GETGID, unix.SYS_GETEGID,
			unix.SYS_UNAME, unix.SYS_SYSINFO, unix.SYS_SCHED_GETAFFINITY, unix.SYS_SCHED_YIELD, unix.SYS_SCHED_SETSCHEDULER,
			unix.SYS_SCHED_GETPARAM, unix.SYS_SCHED_GETSCHEDULER, unix.SYS_SETPRIORITY, unix.SYS_GETPRIORITY,
			unix.SYS_CLOCK_GETTIME, unix.SYS_CLOCK_GETRES, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_NANOSLEEP, unix.SYS_GETRUSAGE,
			unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_SIGALTSTACK, unix.SYS_TGKILL,
			unix.SYS_RESTART_SYSCALL, unix.SYS_EXIT, unix.SYS_EXIT_GROUP, unix.SYS_EXECVE,
		}),
		absent:  []uint32{unix.SYS_CLONE3, unix.SYS_IO_URING_SETUP, unix.SYS_PKEY_ALLOC, unix.SYS_PKEY_FREE, unix.SYS_PKEY_MPROTECT},
		threads: []uint32{glibcThreadFlags, muslThreadFlags},
	}
	return c
}
