//go:build !linux

package server

// freeSpace reports that the free space is unknown on this system.
func freeSpace(string) (int64, bool) { return 0, false }
