package doctor

import (
	"io/fs"
	"syscall"
)

// These are the errors of the operating system that a check must recognize: WSAEADDRINUSE, WSAEACCES,
// ERROR_DISK_FULL and WSAECONNREFUSED.
var (
	errAddressInUse = syscall.Errno(10048)
	errNoPermission = syscall.Errno(10013)
	errQuota        = syscall.Errno(112)
	errRefused      = syscall.Errno(10061)
)

// ownerOf returns false, because the owner of a file is no number on this system.
func ownerOf(fs.FileInfo) (user int, known bool) { return 0, false }
