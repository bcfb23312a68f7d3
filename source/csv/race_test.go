//go:build race

package csv

// corpusStep selects every tenth file, because the race detector makes each file about ten
// times slower.
const corpusStep = 10
