//go:build !race

package lint_test

// slowdown leaves room for a machine that is busy.
const slowdown = 2
