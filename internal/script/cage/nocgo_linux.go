//go:build linux && !cgo

package cage

// withC says that this program has a C library in it.
const withC = false
