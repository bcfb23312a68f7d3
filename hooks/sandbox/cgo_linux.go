//go:build linux && cgo

package sandbox

// withC reports whether this program contains a C library.
const withC = true
