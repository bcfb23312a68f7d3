//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd)

package server

import "os"

// openFiles returns 0, because the limit is unknown on this system.
func openFiles() uint64 { return 0 }

// fileIdentity returns "", because files have no identity on this system.
func fileIdentity(*os.File) string { return "" }
