//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package server

import (
	"errors"
	"os"
	"syscall"
)

func tryLock(file *os.File) (free bool, err error) {
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// openFiles returns the maximum number of files that this process may open.
func openFiles() uint64 {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 0
	}
	return uint64(limit.Cur) //nolint:unconvert // Cur is signed on some systems
}
