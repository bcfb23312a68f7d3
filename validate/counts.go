package validate

import (
	"cmp"
	"fmt"
	"slices"
)

// ValueCounts counts the occurrences of texts. It holds 20 bytes for each
// occurrence, beyond some megabytes in a temporary file. Texts with equal
// hashes are treated as equal; see [UniqueChecker].
//
// Any number of goroutines may add texts, each with its own [Counter]. After
// that, call MostFrequent once.
type ValueCounts struct {
	seed hashSeed
	set  *hashSet
	file spillFile
}

// ValueCount is the hash of a text, the number of its occurrences, and the
// first row that has it.
type ValueCount struct {
	Hash  Hash
	Count int64
	Row   uint32
}

// moreFrequent orders by descending count, then by row.
func (a ValueCount) moreFrequent(b ValueCount) int {
	return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Row, b.Row), a.Hash.compare(b.Hash))
}

// NewValueCounts returns empty counts. Temporary files go to the folder temp,
// by default os.TempDir.
func NewValueCounts(temp string) *ValueCounts {
	t := &ValueCounts{seed: newHashSeed(), file: spillFile{dir: temp}}
	t.set = newHashSet(&t.file, 1)
	return t
}

// Hash returns the hash of a text.
func (t *ValueCounts) Hash(text []byte) Hash { return t.seed.hash(text) }

// Counter adds texts to counts. It is not safe for concurrent use.
type Counter struct {
	counts *ValueCounts
	batch  entryBatch
}

// Counter returns a new counter.
func (t *ValueCounts) Counter() *Counter { return &Counter{counts: t} }

// QueueText queues the text of a row.
func (c *Counter) QueueText(text []byte, row uint32) {
	c.batch.entries = append(c.batch.entries, entry{c.counts.Hash(text), row})
}

// Flush counts the queued texts.
func (c *Counter) Flush() error {
	if err := c.counts.set.addEntries(&c.batch); err != nil {
		return fmt.Errorf("count texts: %w", err)
	}
	return nil
}

// MostFrequent returns the n most frequent texts, and the number of different
// texts.
func (t *ValueCounts) MostFrequent(n int) (most []ValueCount, different int64, err error) {
	err = t.set.eachPartition(func() partitionWorker {
		counts := map[Hash]ValueCount{}
		var top []ValueCount
		var found int64
		return partitionWorker{
			begin: func(int) { clear(counts) },
			entries: func(encoded []byte) error {
				for ; len(encoded) > 0; encoded = encoded[entryBytes:] {
					e := readEntry(encoded)
					one, known := counts[e.hash]
					if !known || e.row < one.Row {
						one.Row = e.row
					}
					counts[e.hash] = ValueCount{e.hash, one.Count + 1, one.Row}
				}
				return nil
			},
			end: func() error {
				for _, one := range counts {
					top = append(top, one)
				}
				found += int64(len(counts))
				top = topN(top, n)
				return nil
			},
			merge: func() { most, different = append(most, top...), different+found },
		}
	})
	if err != nil {
		return nil, 0, fmt.Errorf("count texts: %w", err)
	}
	return topN(most, n), different, nil
}

func topN(all []ValueCount, n int) []ValueCount {
	slices.SortFunc(all, ValueCount.moreFrequent)
	return all[:min(n, len(all))]
}

// Close removes the temporary file.
func (t *ValueCounts) Close() error { return t.file.close() }
