//go:build race

package formats

// With the race detector, reading is 15 times slower. Small files are enough to find
// races, and tests without the detector check the limits on time and memory.
const (
	// wideColumns is the number of columns of wide tables.
	wideColumns = 500
	// lookStep is the interval, in context checks, at which a test cancels the context.
	lookStep = 7
)
