package check

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/zeebo/xxh3"
	"golang.org/x/sync/errgroup"
)

// Tally counts how often texts are there. It holds 20 bytes for each, beyond some
// megabytes in a temporary file; two texts are taken for one as [Uniques] tells.
//
// Texts are put, also from several goroutines; then Most, once.
type Tally struct {
	seed uint64
	set  *hashSet
	file spill
}

// Tallied is a text, by its hash: how often it is there, and the first row that has
// it.
type Tallied struct {
	Hash  Hash
	Count int64
	Row   uint32
}

// before says which of two is there more often, or first.
func (a Tallied) before(b Tallied) int {
	return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Row, b.Row), cmp.Compare(a.Hash.Hi, b.Hash.Hi), cmp.Compare(a.Hash.Lo, b.Hash.Lo))
}

// NewTally makes one of no texts. A temporary file is made in the folder temp, by
// default os.TempDir.
func NewTally(temp string) *Tally {
	t := &Tally{seed: rand.Uint64(), file: spill{temp: temp}}
	t.set = newHashSet(&t.file, 1)
	return t
}

// Hash gives the hash of a text.
func (t *Tally) Hash(text []byte) Hash { return xxh3.Hash128Seed(text, t.seed) }

// Counter puts texts into a tally, for one goroutine.
type Counter struct {
	tally *Tally
	g     gathered
}

// Counter makes one.
func (t *Tally) Counter() *Counter { return &Counter{tally: t} }

// Put makes the text of a row ready to be counted.
func (c *Counter) Put(text []byte, row uint32) {
	c.g.entries = append(c.g.entries, entry{c.tally.Hash(text), row})
}

// Flush counts what was made ready.
func (c *Counter) Flush() error {
	err := c.tally.set.add(&c.g)
	c.g.entries = c.g.entries[:0]
	if err != nil {
		return fmt.Errorf("count texts: %w", err)
	}
	return nil
}

// Most gives the n texts that are there most often, and how many different ones
// there are.
func (t *Tally) Most(n int) (most []Tallied, different int64, err error) {
	var next atomic.Int64
	var mu sync.Mutex
	var group errgroup.Group
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() error {
			block := make([]byte, t.set.block)
			of := map[Hash]Tallied{}
			var top []Tallied
			var found int64
			for i := next.Add(1) - 1; i < int64(len(t.set.parts)); i = next.Add(1) - 1 {
				clear(of)
				if err := t.part(&t.set.parts[i], block, of); err != nil {
					return err
				}
				for _, one := range of {
					top = append(top, one)
				}
				found += int64(len(of))
				top = best(top, n)
			}
			mu.Lock()
			defer mu.Unlock()
			most, different = append(most, top...), different+found
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, 0, fmt.Errorf("count texts: %w", err)
	}
	return best(most, n), different, nil
}

func best(all []Tallied, n int) []Tallied {
	slices.SortFunc(all, Tallied.before)
	return all[:min(n, len(all))]
}

// part counts the entries of a part.
func (t *Tally) part(p *part, block []byte, of map[Hash]Tallied) error {
	for _, at := range p.blocks {
		if _, err := t.file.file.ReadAt(block, at); err != nil {
			return err
		}
		countIn(block, of)
	}
	countIn(p.recent, of)
	return nil
}

func countIn(entries []byte, of map[Hash]Tallied) {
	for ; len(entries) > 0; entries = entries[entryBytes:] {
		e := readEntry(entries)
		one, known := of[e.hash]
		if !known || e.row < one.Row {
			one.Row = e.row
		}
		of[e.hash] = Tallied{e.hash, one.Count + 1, one.Row}
	}
}

// Close removes the temporary file.
func (t *Tally) Close() error { return t.file.close() }
