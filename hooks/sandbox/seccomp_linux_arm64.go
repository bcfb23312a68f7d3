package sandbox

import "golang.org/x/sys/unix"

// The numbers and flags come from the kernel and the Go runtime. They were not tested on
// a machine.
const (
	filterArch = unix.AUDIT_ARCH_AARCH64
	// goThread are the flags with which the Go runtime creates a thread.
	goThread = 0x50f00
)

var nodeOldCalls = []uint32{unix.SYS_FSTATAT, unix.SYS_GETRLIMIT, unix.SYS_SETRLIMIT}
