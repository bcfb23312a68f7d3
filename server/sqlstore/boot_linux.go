package sqlstore

import (
	"syscall"
	"time"
)

// bootTime returns the time when the system was started, rounded up. It reports whether that
// time is known.
func bootTime() (time.Time, bool) {
	var info syscall.Sysinfo_t
	if syscall.Sysinfo(&info) != nil {
		return time.Time{}, false
	}
	return time.Now().Add(-time.Duration(info.Uptime) * time.Second), true
}
