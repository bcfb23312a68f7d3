package app

import (
	"os"

	"golang.org/x/sys/unix"
)

// beginWriteBack asks the system to begin to bring a part of a file to the disk,
// and does not wait. It only saves time later: what fails here fails again when
// the file is synced.
func beginWriteBack(file *os.File, from, length int64) {
	_ = unix.SyncFileRange(int(file.Fd()), from, length, unix.SYNC_FILE_RANGE_WRITE)
}
