//go:build linux && cgo

package sandbox

// withC says that this program has a C library in it.
const withC = true
