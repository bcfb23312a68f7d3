//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd)

package server

import (
	"errors"
	"os"
)

func tryLock(*os.File) (bool, error) {
	return false, errors.New("serving needs file locks, which this program lacks on this system")
}

// openFiles is not known on this system.
func openFiles() uint64 { return 0 }
