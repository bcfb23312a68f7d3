//go:build race

package lint_test

// slowdown is a generous factor for the race detector.
const slowdown = 10
