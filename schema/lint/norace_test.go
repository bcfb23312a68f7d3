//go:build !race

package lint_test

// slowdown extends the time limits of tests, to allow for a busy machine.
const slowdown = 2
