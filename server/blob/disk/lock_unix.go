//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package disk

import (
	"errors"
	"os"
	"syscall"
)

// The operating system releases these locks when the process ends, even after a crash.

func lockWait(file *os.File) error {
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

func lockShared(file *os.File) (bool, error) {
	return tryFlock(file, syscall.LOCK_SH)
}

func lockTry(file *os.File) (bool, error) {
	return tryFlock(file, syscall.LOCK_EX)
}

func tryFlock(file *os.File, how int) (bool, error) {
	err := syscall.Flock(int(file.Fd()), how|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}
