//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package filesys

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// Lock locks a file. It waits until no other open file holds the lock.
func Lock(file *os.File) error {
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// TryLock locks a file and returns true, or returns false if another open file holds the lock.
func TryLock(file *os.File) (bool, error) { return tryFlock(file, syscall.LOCK_EX) }

// TryLockShared is like TryLock, but any number of open files can hold shared locks at the same time.
func TryLockShared(file *os.File) (bool, error) { return tryFlock(file, syscall.LOCK_SH) }

func tryFlock(file *os.File, how int) (bool, error) {
	err := syscall.Flock(int(file.Fd()), how|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// OpenFolderLock opens the file that represents a folder in Lock and TryLock: the folder itself.
func OpenFolderLock(root *os.Root, folder string) (*os.File, error) { return root.Open(folder) }

// RemoveFolderLock does nothing, because no file was created for the lock.
func RemoveFolderLock(*os.Root, string) error { return nil }

// SyncOpenFolder makes the entries of a folder durable: the files and folders that were created,
// renamed or deleted in it.
func SyncOpenFolder(folder *os.File) error { return folder.Sync() }

// ownerForRoot returns the owner and group of a file or folder. It returns false unless this process
// is root.
func ownerForRoot(info fs.FileInfo) (uid, gid int, known bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || os.Geteuid() != 0 {
		return 0, 0, false
	}
	return int(stat.Uid), int(stat.Gid), true
}

// IsDiskFull reports whether err means that the disk or the quota of its user is full.
func IsDiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// IsTooManyOpenFiles reports whether err means that the process or the system may not open more files.
func IsTooManyOpenFiles(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}
