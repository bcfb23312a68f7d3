//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package filesys

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

var errNoLock = errors.New("Intray stores files only on systems with file locks, which this system does not support")

// Lock returns an error.
func Lock(*os.File) error { return errNoLock }

// TryLock returns an error.
func TryLock(*os.File) (bool, error) { return false, errNoLock }

// TryLockShared returns an error.
func TryLockShared(*os.File) (bool, error) { return false, errNoLock }

// OpenFolderLock returns an error.
func OpenFolderLock(*os.Root, string) (*os.File, error) { return nil, errNoLock }

// RemoveFolderLock does nothing.
func RemoveFolderLock(*os.Root, string) error { return nil }

// SyncOpenFolder makes the entries of a folder durable, if the system supports it.
func SyncOpenFolder(folder *os.File) error { return folder.Sync() }

// ownerForRoot returns false, because this system has no root.
func ownerForRoot(fs.FileInfo) (uid, gid int, known bool) { return 0, 0, false }

// IsDiskFull reports whether err means that the disk is full.
func IsDiskFull(err error) bool { return errors.Is(err, syscall.ENOSPC) }

// IsTooManyOpenFiles reports whether err means that the process may not open more files.
func IsTooManyOpenFiles(err error) bool { return errors.Is(err, syscall.EMFILE) }
