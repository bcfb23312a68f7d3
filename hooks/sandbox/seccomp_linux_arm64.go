package sandbox

import "golang.org/x/sys/unix"

// These numbers and flags are from the source of the kernel and the Go runtime. They were
// not tested on an arm64 machine.
const (
	filterArch = unix.AUDIT_ARCH_AARCH64
	// goThread holds the flags with which the Go runtime creates a thread.
	goThread = 0x50f00
)

var nodeOldCalls = []uint32{unix.SYS_FSTATAT, unix.SYS_GETRLIMIT, unix.SYS_SETRLIMIT}
