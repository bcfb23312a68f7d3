//go:build linux && race

package sandbox

// shadowed reports whether the race detector needs more address space than any limit.
const shadowed = true
