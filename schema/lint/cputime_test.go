//go:build unix

package lint_test

import (
	"syscall"
	"testing"
	"time"
)

// cpu is the time that the processors have worked for this program, which a
// busy machine changes less than what the clock says.
func cpu(t *testing.T) time.Duration {
	t.Helper()
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		t.Skip("the time of the processors is not told here: ", err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}
