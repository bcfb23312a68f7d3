//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package app

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
