//go:build !linux

package sqlstore

import "time"

// bootTime reports that the time when the system was started is unknown.
func bootTime() (time.Time, bool) { return time.Time{}, false }
