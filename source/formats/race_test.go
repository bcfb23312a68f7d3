//go:build race

package formats

// The race detector makes reading fifteen times as slow. It looks for races, which
// need no large files; the limits of time and memory are held without it.
const (
	// wideColumns is the width of tables that are wide.
	wideColumns = 500
	// lookStep cancels at some of the looks at a context.
	lookStep = 7
)
