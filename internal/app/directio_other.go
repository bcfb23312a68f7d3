//go:build !linux

package app

import (
	"errors"
	"os"
)

func alignedBlock(size, _ int) []byte { return make([]byte, 0, size) }

// passCache cannot be done here.
func passCache(*os.File, bool) error { return errors.ErrUnsupported }
