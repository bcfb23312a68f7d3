package sandbox

import "golang.org/x/sys/unix"

// The numbers and flags are those of the kernel and of the runtime. They were
// not tried on a machine.
const (
	filterArch = unix.AUDIT_ARCH_AARCH64
	// goThread is what the runtime makes a thread with.
	goThread = 0x50f00
)

var nodeOldCalls = []uint32{unix.SYS_FSTATAT, unix.SYS_GETRLIMIT, unix.SYS_SETRLIMIT}
