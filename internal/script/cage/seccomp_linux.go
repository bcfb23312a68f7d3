package cage

import (
	"slices"

	"golang.org/x/sys/unix"
)

// quickCalls are what the runtime of Go needs to compute: memory, threads,
// clocks and the two pipes. They were found by leaving each one out.
func quickCalls() calls {
	c := calls{
		allow: []uint32{
			unix.SYS_READ, unix.SYS_WRITE, unix.SYS_FUTEX, unix.SYS_NANOSLEEP, unix.SYS_MADVISE, unix.SYS_MUNMAP,
			unix.SYS_TGKILL, unix.SYS_GETPID, unix.SYS_GETTID, unix.SYS_RT_SIGRETURN, unix.SYS_RT_SIGPROCMASK,
			unix.SYS_SIGALTSTACK, unix.SYS_SCHED_YIELD, unix.SYS_EPOLL_PWAIT, unix.SYS_CLOCK_GETTIME,
			unix.SYS_RESTART_SYSCALL, unix.SYS_EXIT, unix.SYS_EXIT_GROUP, unix.SYS_RT_SIGACTION,
			unix.SYS_GETRANDOM, unix.SYS_SCHED_GETAFFINITY,
		},
		plain:   []uint32{unix.SYS_MMAP, unix.SYS_MPROTECT},
		refuse:  []uint32{unix.SYS_PRCTL},
		threads: []uint32{goThread},
	}
	if withC {
		c.allow = append(c.allow, cCalls...)
		c.threads = append(c.threads, cThread, muslThread)
		c.absent = []uint32{unix.SYS_CLONE3}
		// It looks into /sys for the number of processors when it gives a
		// thread memory of its own, and does without.
		c.refuse = append(c.refuse, unix.SYS_OPENAT)
	}
	return c
}

// cCalls are what a C library needs besides to start threads, and to wait where
// there are too many.
var cCalls = []uint32{unix.SYS_SET_ROBUST_LIST, unix.SYS_RSEQ, unix.SYS_BRK, unix.SYS_MREMAP, unix.SYS_CLOCK_NANOSLEEP}

// The flags with which threads are made, by two C libraries.
const (
	cThread    = 0x3d0f00
	muslThread = 0x7d0f00
)

// nodeCalls are what Node needs to start and to compute. It opens files, and
// starts from another program: which ones, Landlock says. Its compiler writes
// code, so memory may be executed.
func nodeCalls() calls {
	c := calls{
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
		threads: []uint32{cThread, muslThread},
	}
	return c
}
