package sandbox

import "golang.org/x/sys/unix"

const (
	filterArch = unix.AUDIT_ARCH_X86_64
	// goThread holds the flags with which the Go runtime creates a thread.
	goThread = 0xd0f00
)

// nodeOldCalls are calls that do not exist on newer processor architectures.
var nodeOldCalls = []uint32{
	unix.SYS_OPEN, unix.SYS_STAT, unix.SYS_LSTAT, unix.SYS_NEWFSTATAT, unix.SYS_READLINK, unix.SYS_ACCESS, unix.SYS_DUP2,
	unix.SYS_EPOLL_WAIT, unix.SYS_POLL, unix.SYS_ARCH_PRCTL, unix.SYS_GETRLIMIT, unix.SYS_SETRLIMIT,
}
