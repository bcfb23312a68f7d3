//go:build linux && cgo

package sandbox

// cgoEnabled reports whether this program contains a C library.
const cgoEnabled = true
