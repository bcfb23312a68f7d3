// Package filesys contains the file operations that differ between operating systems: locks between
// processes, flushing folders, owners, temporary files, free space, and the codes of some errors.
//
// A lock belongs to an open file. The operating system releases it when the file is closed or the
// process ends, even after a crash. A lock does not prevent other processes from reading or writing
// the file.
package filesys

import (
	"errors"
	"os"
	"path"
)

// InheritOwner changes the owner and group of a file that this process has created to those of the
// file or folder with the given name, if this process is root. A service of another user can then
// use what an administrator created. If the system refuses the change, for example because root has
// no such capability, the file still belongs to root.
func InheritOwner(file *os.File, from string) {
	info, err := os.Stat(from)
	if err != nil {
		return
	}
	if uid, gid, known := ownerForRoot(info); known {
		_ = file.Chown(uid, gid)
	}
}

// InheritFolderOwner changes the owner and group of a file or folder that this process has created in
// root to those of its folder, as InheritOwner does.
func InheritFolderOwner(root *os.Root, name string) {
	folder, err := root.Stat(path.Dir(name))
	if err != nil {
		return
	}
	if uid, gid, known := ownerForRoot(folder); known {
		_ = root.Lchown(name, uid, gid)
	}
}

// SyncFolder makes the entries of the named folder durable, as SyncOpenFolder does.
func SyncFolder(name string) error {
	folder, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(SyncOpenFolder(folder), folder.Close())
}
