//go:build linux && !race

package sandbox

// shadowed says that the race detector takes more address space than any limit.
const shadowed = false
