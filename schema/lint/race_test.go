//go:build race

package lint_test

// slowdown extends the time limits of tests, because the race detector slows them down.
const slowdown = 10
