package validate

import (
	"cmp"
	"fmt"
	"slices"
)

// ValueCounts counts the occurrences of values. It uses 20 bytes per occurrence, and writes them
// to a temporary file after the first few megabytes. Values with equal hashes are treated as
// equal; see [UniqueChecker].
//
// Any number of goroutines may add values, each with a separate [Counter].
// After that, call MostFrequent once.
type ValueCounts struct {
	seed hashSeed
	set  *hashSet
	file spillFile
}

// ValueCount is the hash of a value, the number of its occurrences, and the
// first row that has it.
type ValueCount struct {
	Hash  Hash
	Count int64
	Row   uint32
}

// moreFrequent compares two counts for sorting: by descending count, then by row.
func (a ValueCount) moreFrequent(b ValueCount) int {
	return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Row, b.Row), a.Hash.compare(b.Hash))
}

// NewValueCounts returns empty counts. Temporary files are created in the
// directory temp, or in os.TempDir if temp is "".
func NewValueCounts(temp string) *ValueCounts {
	t := &ValueCounts{seed: newHashSeed(), file: spillFile{dir: temp}}
	t.set = newHashSet(&t.file, 1)
	return t
}

// Hash returns the hash of a value.
func (t *ValueCounts) Hash(text []byte) Hash { return t.seed.hash(text) }

// Counter adds values to a ValueCounts. It is not safe for concurrent use.
type Counter struct {
	counts *ValueCounts
	batch  entryBatch
}

// Counter returns a new Counter for t.
func (t *ValueCounts) Counter() *Counter { return &Counter{counts: t} }

// QueueText queues the value of a row.
func (c *Counter) QueueText(text []byte, row uint32) {
	c.batch.entries = append(c.batch.entries, entry{c.counts.Hash(text), row})
}

// Flush counts the queued values.
func (c *Counter) Flush() error {
	if err := c.counts.set.addEntries(&c.batch); err != nil {
		return fmt.Errorf("count texts: %w", err)
	}
	return nil
}

// MostFrequent returns the n most frequent values, and the number of distinct values.
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
