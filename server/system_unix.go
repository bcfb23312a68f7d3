//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package server

import (
	"fmt"
	"os"
	"syscall"
)

// openFiles returns the maximum number of files that this process may open.
func openFiles() uint64 {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 0
	}
	return uint64(limit.Cur) //nolint:unconvert // Cur is signed on some systems
}

// fileIdentity returns a text that no other file has, on any machine, until the machine is
// restarted. It returns "" if there is none.
func fileIdentity(file *os.File) string {
	boot := bootID()
	info, err := file.Stat()
	if boot == "" || err != nil {
		return ""
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%s %d:%d", boot, stat.Dev, stat.Ino)
}
