//go:build !unix

package lint_test

import (
	"testing"
	"time"
)

// cpu returns the elapsed time, because the processor time is not available.
func cpu(*testing.T) time.Duration { return time.Duration(time.Now().UnixNano()) }
