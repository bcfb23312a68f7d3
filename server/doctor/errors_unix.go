//go:build !windows

package doctor

import (
	"io/fs"
	"syscall"
)

// These are the errors of the operating system that a check must recognize.
var (
	errAddressInUse = syscall.EADDRINUSE
	errNoPermission = syscall.EACCES
	errQuota        = syscall.EDQUOT
	errRefused      = syscall.ECONNREFUSED
)

// ownerOf returns the user to whom a file belongs.
func ownerOf(stat fs.FileInfo) (user int, known bool) {
	if system, ok := stat.Sys().(*syscall.Stat_t); ok {
		return int(system.Uid), true
	}
	return 0, false
}
