//go:build !race

package lint_test

// slowdown is the factor by which tests extend their time limits, to allow for a busy machine.
const slowdown = 2
