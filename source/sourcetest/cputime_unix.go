//go:build unix

package sourcetest

import (
	"syscall"
	"time"
)

// CPUTime returns the CPU time that the process has used.
func CPUTime() time.Duration {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		return 0
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}
