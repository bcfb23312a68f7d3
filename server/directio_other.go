//go:build !linux

package server

import (
	"errors"
	"os"
)

func alignedBlock(size, _ int) []byte { return make([]byte, 0, size) }

// setDirectIO returns an error, because direct I/O is not supported on this system.
func setDirectIO(*os.File, bool) error { return errors.ErrUnsupported }
