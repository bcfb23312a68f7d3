//go:build unix

package lint_test

import (
	"syscall"
	"testing"
	"time"
)

// cpu returns the processor time of this program, which depends less on other programs
// than the clock.
func cpu(t *testing.T) time.Duration {
	t.Helper()
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		t.Skip("processor time is not available: ", err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}
