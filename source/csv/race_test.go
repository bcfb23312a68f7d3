//go:build race

package csv

// corpusStep leaves most files out where each takes ten times as long.
const corpusStep = 10
