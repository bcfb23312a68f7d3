package filesys

import "syscall"

// FreeSpace returns the number of bytes that this process can still write to the file system of a
// folder. It reports whether the number is known.
func FreeSpace(folder string) (int64, bool) {
	var stat syscall.Statfs_t
	if syscall.Statfs(folder, &stat) != nil {
		return 0, false
	}
	return int64(stat.Bavail) * int64(stat.Bsize), true //nolint:unconvert // Bsize has 32 bits on some systems
}
