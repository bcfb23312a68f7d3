//go:build !unix

package lint_test

import (
	"testing"
	"time"
)

// cpu stands in with the clock.
func cpu(*testing.T) time.Duration { return time.Duration(time.Now().UnixNano()) }
