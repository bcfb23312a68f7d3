package filesys

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path"
	"syscall"

	"golang.org/x/sys/windows"
)

// folderLock is the name of the file that is locked in place of its folder, which Windows cannot lock.
const folderLock = ".lock"

// Lock locks a file. It waits until no other open file holds the lock.
func Lock(file *os.File) error { return lock(file, windows.LOCKFILE_EXCLUSIVE_LOCK) }

// TryLock locks a file and returns true, or returns false if another open file holds the lock.
func TryLock(file *os.File) (bool, error) {
	return tryLock(file, windows.LOCKFILE_EXCLUSIVE_LOCK)
}

// TryLockShared is like TryLock, but any number of open files can hold shared locks at the same time.
func TryLockShared(file *os.File) (bool, error) { return tryLock(file, 0) }

func tryLock(file *os.File, flags uint32) (bool, error) {
	err := lock(file, flags|windows.LOCKFILE_FAIL_IMMEDIATELY)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, err
}

// lock locks the last byte that a file can have. Windows prevents other processes from reading and
// writing the locked bytes, so the bytes of the file itself must not be locked.
func lock(file *os.File, flags uint32) error {
	const end = math.MaxInt64 - 1
	at := &windows.Overlapped{Offset: uint32(end & math.MaxUint32), OffsetHigh: uint32(end >> 32)}
	return windows.LockFileEx(windows.Handle(file.Fd()), flags, 0, 1, 0, at)
}

// OpenFolderLock opens the file that represents a folder in Lock and TryLock. It creates the file if
// it does not exist.
func OpenFolderLock(root *os.Root, folder string) (*os.File, error) {
	return root.OpenFile(path.Join(folder, folderLock), os.O_RDWR|os.O_CREATE, 0o600)
}

// RemoveFolderLock deletes the file that OpenFolderLock created.
func RemoveFolderLock(root *os.Root, folder string) error {
	return root.Remove(path.Join(folder, folderLock))
}

// SyncOpenFolder does nothing, because Windows cannot flush folders. NTFS restores a consistent state
// after a power failure, in which the latest entries may be missing.
func SyncOpenFolder(*os.File) error { return nil }

// ownerForRoot returns false, because this system has no root.
func ownerForRoot(fs.FileInfo) (uid, gid int, known bool) { return 0, 0, false }

// IsDiskFull reports whether err means that the disk or the quota of its user is full.
func IsDiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, windows.ERROR_DISK_FULL) ||
		errors.Is(err, windows.ERROR_HANDLE_DISK_FULL) || errors.Is(err, windows.ERROR_DISK_QUOTA_EXCEEDED)
}

// IsTooManyOpenFiles reports whether err means that the process or the system may not open more files.
func IsTooManyOpenFiles(err error) bool { return errors.Is(err, windows.ERROR_TOO_MANY_OPEN_FILES) }
