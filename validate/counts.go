package validate

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

// ValueCounts counts how often texts are there. It holds 20 bytes for each, beyond some
// megabytes in a temporary file; two texts are taken for one as [UniqueChecker] tells.
//
// Texts are put, also from several goroutines; then Most, once.
type ValueCounts struct {
	seed uint64
	set  *hashSet
	file spillFile
}

// ValueCount is a text, by its hash: how often it is there, and the first row that has
// it.
type ValueCount struct {
	Hash  Hash
	Count int64
	Row   uint32
}

// moreFrequent says which of two is there more often, or first.
func (a ValueCount) moreFrequent(b ValueCount) int {
	return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Row, b.Row), cmp.Compare(a.Hash.Hi, b.Hash.Hi), cmp.Compare(a.Hash.Lo, b.Hash.Lo))
}

// NewValueCounts makes one of no texts. A temporary file is made in the folder temp, by
// default os.TempDir.
func NewValueCounts(temp string) *ValueCounts {
	t := &ValueCounts{seed: rand.Uint64(), file: spillFile{dir: temp}}
	t.set = newHashSet(&t.file, 1)
	return t
}

// Hash gives the hash of a text.
func (t *ValueCounts) Hash(text []byte) Hash { return xxh3.Hash128Seed(text, t.seed) }

// Counter puts texts into a tally, for one goroutine.
type Counter struct {
	counts *ValueCounts
	batch  entryBatch
}

// Counter makes one.
func (t *ValueCounts) Counter() *Counter { return &Counter{counts: t} }

// QueueText makes the text of a row ready to be counted.
func (c *Counter) QueueText(text []byte, row uint32) {
	c.batch.entries = append(c.batch.entries, entry{c.counts.Hash(text), row})
}

// Flush counts what was made ready.
func (c *Counter) Flush() error {
	err := c.counts.set.addEntries(&c.batch)
	c.batch.entries = c.batch.entries[:0]
	if err != nil {
		return fmt.Errorf("count texts: %w", err)
	}
	return nil
}

// MostFrequent gives the n texts that are there most often, and how many different ones
// there are.
func (t *ValueCounts) MostFrequent(n int) (most []ValueCount, different int64, err error) {
	var next atomic.Int64
	var mu sync.Mutex
	var group errgroup.Group
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() error {
			block := make([]byte, t.set.blockBytes)
			of := map[Hash]ValueCount{}
			var top []ValueCount
			var found int64
			for i := next.Add(1) - 1; i < int64(len(t.set.partitions)); i = next.Add(1) - 1 {
				clear(of)
				if err := t.countPartition(&t.set.partitions[i], block, of); err != nil {
					return err
				}
				for _, one := range of {
					top = append(top, one)
				}
				found += int64(len(of))
				top = topN(top, n)
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
	return topN(most, n), different, nil
}

func topN(all []ValueCount, n int) []ValueCount {
	slices.SortFunc(all, ValueCount.moreFrequent)
	return all[:min(n, len(all))]
}

// countPartition counts the entries of a part.
func (t *ValueCounts) countPartition(p *partition, block []byte, of map[Hash]ValueCount) error {
	for _, at := range p.blockOffsets {
		if _, err := t.file.file.ReadAt(block, at); err != nil {
			return err
		}
		countEntries(block, of)
	}
	countEntries(p.buffer, of)
	return nil
}

func countEntries(entries []byte, of map[Hash]ValueCount) {
	for ; len(entries) > 0; entries = entries[entryBytes:] {
		e := readEntry(entries)
		one, known := of[e.hash]
		if !known || e.row < one.Row {
			one.Row = e.row
		}
		of[e.hash] = ValueCount{e.hash, one.Count + 1, one.Row}
	}
}

// Close removes the temporary file.
func (t *ValueCounts) Close() error { return t.file.close() }
