//go:build race

package lint_test

// slowdown is how much slower the race detector makes a look, generously.
const slowdown = 10
