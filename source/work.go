package source

import "sync/atomic"

// Work counts the work of finding the structure of the sheets of a file: dialects, headers and
// columns. One unit is the work for parsing about one byte, which takes about 1 ns. Formats count
// units instead of measuring time, so that results do not depend on the machine. A nil *Work
// counts nothing. Work is safe for concurrent use.
type Work struct{ units atomic.Int64 }

// Add counts n units.
func (w *Work) Add(n int64) {
	if w != nil {
		w.units.Add(n)
	}
}

// Units returns the number of units so far.
func (w *Work) Units() int64 {
	if w == nil {
		return 0
	}
	return w.units.Load()
}
