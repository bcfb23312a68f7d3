// Package filesys contains the file operations that differ between operating systems: locks between
// processes, flushing folders, and the codes of some errors.
//
// A lock belongs to an open file. The operating system releases it when the file is closed or the
// process ends, even after a crash. A lock does not prevent other processes from reading or writing
// the file.
package filesys

import (
	"errors"
	"os"
)

// SyncFolder makes the entries of the named folder durable, as SyncOpenFolder does.
func SyncFolder(name string) error {
	folder, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(SyncOpenFolder(folder), folder.Close())
}
