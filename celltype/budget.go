package celltype

import (
	"sync"
	"sync/atomic"
)

// MaxSearchSteps is the maximum number of steps of all searches for similar options in an import.
// A step compares a text with the signature of a name, or computes one cell of an edit distance.
// The steps take about ten seconds of CPU time.
const MaxSearchSteps = 1 << 33

// SearchBudget limits the work of the searches for similar options. When it is exhausted, a
// value that is not an option is invalid, whatever options are similar. It is safe for
// concurrent use.
type SearchBudget struct{ left atomic.Int64 }

// NewSearchBudget returns a budget of the given number of steps.
func NewSearchBudget(steps int64) *SearchBudget {
	b := &SearchBudget{}
	b.left.Store(steps)
	return b
}

// Stop exhausts the budget, because nobody needs the results of further searches.
func (b *SearchBudget) Stop() { b.left.Store(0) }

// spend subtracts the steps of a search.
func (b *SearchBudget) spend(steps int) { b.left.Add(-int64(steps)) }

// isExhausted reports whether no steps are left.
func (b *SearchBudget) isExhausted() bool { return b.left.Load() <= 0 }

const (
	// minRemembered is the minimum number of names of a field whose search results are
	// remembered. With fewer names, searching again is as fast.
	minRemembered = 32
	// maxRememberedLength is the maximum length, in bytes, of a text that is remembered.
	maxRememberedLength = 96
)

// rememberedOptions remembers the results of searches, so that an import searches for each
// distinct value once. It holds up to twice the given number of results: when recent is full,
// it replaces older.
type rememberedOptions struct {
	mu            sync.Mutex
	recent, older map[string]*choice
}

// find returns the result of the search for a text, and whether it is known.
func (r *rememberedOptions) find(text []byte) (found *choice, known bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if found, known = r.recent[string(text)]; known {
		return found, true
	}
	if found, known = r.older[string(text)]; known {
		r.recent[string(text)] = found
	}
	return found, known
}

// add remembers the result of the search for a text. most is the size of a generation.
func (r *rememberedOptions) add(text []byte, found *choice, most int) {
	if len(text) > maxRememberedLength {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.recent == nil || len(r.recent) >= most {
		r.recent, r.older = map[string]*choice{}, r.recent
	}
	r.recent[string(text)] = found
}
