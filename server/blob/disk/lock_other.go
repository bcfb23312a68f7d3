//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd)

package disk

import (
	"errors"
	"os"
)

var errNoLock = errors.New("blobs on the local disk need file locks, which are not supported on this system")

func lockWait(*os.File) error           { return errNoLock }
func lockShared(*os.File) (bool, error) { return false, errNoLock }
func lockTry(*os.File) (bool, error)    { return false, errNoLock }
