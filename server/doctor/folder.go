package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

const (
	// littleSpace and fewInodes are what should be free on a disk: the largest file of an import, and the
	// files of some thousand imports.
	littleSpace = 1 << 30
	fewInodes   = 10_000
	// fileClockSkew is the difference to the clock of a file system that is not reported. Some store the
	// time in steps of 2 s.
	fileClockSkew = 5 * time.Second
)

// fileSystem describes the file system of a folder.
type fileSystem struct {
	// kind is its name, such as nfs, or "" if it is unknown. network means that it is on another machine.
	kind    string
	network bool
	// free is the free space in bytes and inodes the number of files that can be created. They are -1 if
	// they are unknown.
	free, inodes int64
}

// Folder is a data folder.
type Folder struct {
	Path string
	// HasDatabase means that the folder contains, or will contain, an SQLite database.
	HasDatabase bool
}

// CheckFolder checks a data folder. It creates a file in it and deletes the file.
func CheckFolder(r *Result, f Folder) {
	where := Setting("data") + ": " + f.Path
	stat, err := os.Stat(f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.checkMissing(r, where)
		return
	case err != nil:
		r.Fail(where, fmt.Sprintf("The data folder cannot be read: %v.", cause(err)), "Run intray doctor as the user of the server, or give this user access to the folder.")
		return
	case !stat.IsDir():
		r.Fail(where, "The data folder is a file.", "Set --data to a folder.")
		return
	}
	r.Detail = f.Path
	if stat.Mode().Perm()&0o002 != 0 {
		r.Warn(where, fmt.Sprintf("All users of this machine can replace the files of the data folder (mode %04o).", stat.Mode().Perm()), "Run: chmod o-w "+f.Path)
	}
	checkOwners(r, f.Path, stat)
	CheckWritable(r, where, f.Path)
	f.checkFileSystem(r, where)
}

// checkMissing checks that a missing folder can be created.
func (f Folder) checkMissing(r *Result, where string) {
	parent := filepath.Dir(filepath.Clean(f.Path))
	for _, err := os.Stat(parent); errors.Is(err, fs.ErrNotExist) && parent != filepath.Dir(parent); _, err = os.Stat(parent) {
		parent = filepath.Dir(parent)
	}
	trial, err := os.MkdirTemp(parent, ".intray-doctor-*")
	if err == nil {
		err = os.Remove(trial)
	}
	if err != nil {
		r.Fail(where, fmt.Sprintf("The data folder does not exist and cannot be created in %s: %v.", parent, cause(err)), "Create the folder for the user of the server, or set --data to a folder in which this user can write.")
		return
	}
	r.Detail = f.Path + " will be created"
	if f.HasDatabase {
		r.Warn(where, "The data folder does not exist. intray serve creates it, with an empty database.", "If this installation already has data, set --data to its folder. Otherwise, start the server.")
	}
}

// checkOwners checks that the files in a data folder belong to its owner.
func checkOwners(r *Result, folder string, stat fs.FileInfo) {
	owner, known := ownerOf(stat)
	if !known {
		return
	}
	if user := os.Geteuid(); user == 0 && owner != 0 {
		r.addDetail(fmt.Sprintf("checked as root; the folder belongs to user %d", owner))
	}
	for _, name := range []string{"master.key", "intray.db", "intray.db-wal", "intray.db-shm", "folder.id", "serve.lock", "blobs", "spool"} {
		path := filepath.Join(folder, name)
		file, err := os.Stat(path)
		if err != nil {
			continue // the checks of this file report it if it is required
		}
		if other, known := ownerOf(file); known && other != owner {
			r.Fail(path, fmt.Sprintf("The file belongs to user %d, but the data folder to user %d, which the server probably runs as.", other, owner), fmt.Sprintf("Run: sudo chown -R --reference=%s %s", folder, path))
		}
	}
}

// CheckWritable writes a file to a folder, deletes it, and compares its time with the clock.
func CheckWritable(r *Result, where, folder string) {
	stat, err := os.Stat(folder)
	if err != nil {
		r.Fail(where, fmt.Sprintf("The folder cannot be read: %v.", cause(err)), "Run intray doctor as the user of the server, or give this user access to the folder.")
		return
	}
	began := time.Now()
	written, left, err := writeTrial(folder)
	if left != "" {
		r.Warn(left, "The test file of intray doctor could not be deleted.", "Delete the file.")
	}
	switch {
	case err != nil:
		problem, fix := explainWriteError(err, folder, stat, inContainer())
		r.Fail(where, problem, fix)
	case written.Before(began.Add(-fileClockSkew)) || written.After(time.Now().Add(fileClockSkew)):
		r.Warn(where, fmt.Sprintf("The clock of the file system is %s the clock of this machine.", ClockText(written.Sub(began))), "Synchronize the clocks of this machine and of the file server with NTP.")
	}
}

// explainWriteError returns why a file cannot be written to a folder, and what to do about it.
func explainWriteError(err error, folder string, stat fs.FileInfo, container bool) (problem, fix string) {
	owner, known := ownerOf(stat)
	user := os.Geteuid()
	switch {
	case isFull(err):
		return "The disk is full, so the server accepts no imports.", "Free or add space on the disk of this folder. The server can then run again without a restart."
	case errors.Is(err, syscall.EROFS):
		return "The file system is read-only.", "Mount it for writing. If it was remounted because of an error, check the disk first."
	case errors.Is(err, fs.ErrPermission) && known && owner == user:
		return fmt.Sprintf("User %d cannot write to the folder because of its mode, %04o.", user, stat.Mode().Perm()), "Run: chmod u+rwx " + folder
	case errors.Is(err, fs.ErrPermission) && known && container:
		return fmt.Sprintf("User %d cannot write to the folder, which belongs to user %d.", user, owner), fmt.Sprintf("On the host, find the folder or volume that is mounted at %s, and run: sudo chown -R %d FOLDER", folder, user)
	case errors.Is(err, fs.ErrPermission) && known:
		return fmt.Sprintf("User %d cannot write to the folder, which belongs to user %d.", user, owner), fmt.Sprintf("If the server runs as another user, run intray doctor as that user. Otherwise, run: sudo chown -R %d %s", user, folder)
	}
	return fmt.Sprintf("A file cannot be written to the folder: %v.", cause(err)), "Repair the disk or its mount, or use another folder."
}

// inContainer reports whether this process runs in a container of Docker, Podman or Kubernetes. Paths and
// commands are then different on the host.
func inContainer() bool {
	for _, mark := range []string{"/.dockerenv", "/run/.containerenv", "/var/run/secrets/kubernetes.io"} {
		if _, err := os.Stat(mark); err == nil {
			return true
		}
	}
	return false
}

// writeTrial writes, flushes and deletes a file, and returns the time at which it was written. left is
// the path of the file if it could not be deleted.
func writeTrial(folder string) (written time.Time, left string, err error) {
	file, err := os.CreateTemp(folder, ".intray-doctor-*")
	if err != nil {
		return time.Time{}, "", err
	}
	_, err = file.Write(make([]byte, 1<<16))
	err = errors.Join(err, file.Sync())
	stat, statErr := file.Stat()
	err = errors.Join(err, statErr, file.Close())
	if os.Remove(file.Name()) != nil {
		left = file.Name()
	}
	if err != nil {
		return time.Time{}, left, err
	}
	return stat.ModTime(), left, nil
}

func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, errQuota)
}

func (f Folder) checkFileSystem(r *Result, where string) {
	system := fileSystemOf(f.Path)
	if system.kind != "" {
		r.addDetail(system.kind)
	}
	if system.network && f.HasDatabase {
		r.Fail(where, fmt.Sprintf("The data folder is on a network file system (%s), on which SQLite loses data.", system.kind), "Move the folder to a local disk, or use PostgreSQL with --database-url.")
	}
	if system.free >= 0 {
		r.addDetail(FormatBytes(system.free) + " free")
	}
	if system.free >= 0 && system.free < littleSpace {
		r.Warn(where, fmt.Sprintf("Only %s are free on the disk.", FormatBytes(system.free)), "Free or add space. An import needs two to four times the size of its file, which can be up to 1 GiB.")
	}
	if system.inodes >= 0 && system.inodes < fewInodes {
		r.Warn(where, fmt.Sprintf("Only %d more files can be created on the disk.", system.inodes), "Delete files, or use a file system with more inodes.")
	}
}

// CheckTemp checks the folders for temporary files: spool, in the data folder, and that of the system. If
// spool is "", it checks only the latter.
func CheckTemp(r *Result, spool string) {
	for _, folder := range []struct{ path, where, fix string }{
		{spool, spool, "Give the user of the server write access to the folder, or delete it: the server creates it when it starts."},
		{os.TempDir(), "TMPDIR: " + os.TempDir(), "Set TMPDIR to a folder in which the user of the server can write."},
	} {
		if folder.path == "" {
			continue
		}
		stat, err := os.Stat(folder.path)
		if errors.Is(err, fs.ErrNotExist) && folder.path == spool {
			continue // the server creates it when it starts
		}
		r.addDetail(folder.path)
		left := ""
		if err == nil {
			_, left, err = writeTrial(folder.path)
		}
		if left != "" {
			r.Warn(left, "The test file of intray doctor could not be deleted.", "Delete the file.")
		}
		switch {
		case isFull(err), errors.Is(err, syscall.EROFS):
			problem, fix := explainWriteError(err, folder.path, stat, false)
			r.Fail(folder.where, problem, fix)
		case err != nil:
			r.Fail(folder.where, fmt.Sprintf("Temporary files cannot be written to %s: %v.", folder.path, cause(err)), folder.fix)
		}
	}
}

// FormatBytes returns a size with a unit.
func FormatBytes(n int64) string {
	switch {
	case n >= 10<<30:
		return fmt.Sprintf("%d GiB", n>>30)
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	}
	return fmt.Sprintf("%d MiB", n>>20)
}
