package script

import (
	"sync"
	"time"
)

const (
	// batchRows is how many rows a worker is given at once.
	batchRows = 1000
	// mostRows, longCall and longRequest, in bytes, bound how many more it is given
	// where hooks are so quick that most of the time would go into handing rows over.
	// Longer texts are kept apart by engines, at a price.
	mostRows    = 5 * batchRows
	longCall    = 3 * time.Millisecond
	longRequest = 96 << 10
)

// pace says how many rows a call of row hooks is about: a thousand, or more while
// that takes next to no time. What goes wrong with more is done again with a
// thousand, and a thousand it is from then on: no hook gets less time or memory
// for its rows than it was promised.
type pace struct {
	mu     sync.Mutex
	rows   int
	steady bool
}

func (p *pace) next() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(p.rows, batchRows)
}

// learn takes how long a call with so many rows took, and how many bytes it had.
func (p *pace) learn(rows, size int, took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.steady || rows == 0 {
		return
	}
	quick := int(int64(rows) * int64(longCall) / max(int64(took), 1))
	p.rows = min(quick, rows*longRequest/max(size, 1), 2*rows, mostRows)
}

func (p *pace) slow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rows, p.steady = batchRows, true
}
