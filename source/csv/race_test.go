//go:build race

package csv

// corpusStep selects a tenth of the files, because each takes ten times as long.
const corpusStep = 10
