//go:build linux && race

package sandbox

// raceEnabled reports whether the race detector, which needs more address space than any
// limit, is part of this program.
const raceEnabled = true
