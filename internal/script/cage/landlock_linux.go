package cage

import (
	"fmt"

	"github.com/landlock-lsm/go-landlock/landlock"
	"golang.org/x/sys/unix"
)

// locks are what Landlock can close, by its version less one. Newer kernels
// close as much as the last.
var locks = []landlock.Config{
	landlock.V1, landlock.V2, landlock.V3, landlock.V4, landlock.V5, landlock.V6,
	landlock.V7, landlock.V8, landlock.V9, landlock.V10, landlock.V11,
}

// closeFiles closes all files to all threads, but those that are named. The
// library is told the exact version: with less it fails, and never does
// nothing in silence.
func (o order) closeFiles(open ...landlock.Rule) error {
	if o.NoNewPrivs {
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			return fmt.Errorf("giving up new rights for a hook worker: %w", err)
		}
	}
	if o.Landlock == 0 {
		return nil
	}
	lock := locks[min(o.Landlock, len(locks))-1]
	if err := lock.Restrict(open...); err != nil {
		return fmt.Errorf("closing the files to a hook worker: %w", err)
	}
	return nil
}
