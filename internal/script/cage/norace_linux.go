//go:build linux && !race

package cage

// shadowed says that the race detector takes more address space than any limit.
const shadowed = false
