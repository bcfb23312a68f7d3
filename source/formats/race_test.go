//go:build race

package formats

// The race detector makes reading 15 times slower. Races need no large files, and tests
// without it check the limits on time and memory.
const (
	// wideColumns is the number of columns of wide tables.
	wideColumns = 500
	// lookStep is the distance between the checks of the context to cancel at.
	lookStep = 7
)
