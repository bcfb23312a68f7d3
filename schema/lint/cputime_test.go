//go:build unix

package lint_test

import (
	"syscall"
	"testing"
	"time"
)

// cpu returns the processor time of this process, which depends less on other processes
// than elapsed time.
func cpu(t *testing.T) time.Duration {
	t.Helper()
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		t.Skip("processor time is not available: ", err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}
