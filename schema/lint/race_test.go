//go:build race

package lint_test

// slowdown is the factor by which tests extend their time limits, because the race detector
// slows them down.
const slowdown = 10
