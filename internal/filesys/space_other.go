//go:build !linux

package filesys

// FreeSpace reports that the free space is unknown on this system.
func FreeSpace(string) (int64, bool) { return 0, false }
