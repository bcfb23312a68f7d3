//go:build !race

package lint_test

// slowdown allows for a busy machine.
const slowdown = 2
