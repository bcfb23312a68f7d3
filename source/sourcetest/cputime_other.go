//go:build !unix

package sourcetest

import "time"

// CPUTime returns 0, because the CPU time is unknown on this system.
func CPUTime() time.Duration { return 0 }
