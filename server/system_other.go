//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd)

package server

import (
	"errors"
	"os"
)

func tryLock(*os.File) (bool, error) {
	return false, errors.New("file locks, which serving requires, are not supported on this system")
}

// openFiles returns 0, because the limit is unknown on this system.
func openFiles() uint64 { return 0 }

// fileIdentity returns "", because files have no identity on this system.
func fileIdentity(*os.File) string { return "" }
