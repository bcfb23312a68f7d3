package validate

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/intraydata/intray"
)

// Key is a unique key of a table: one field, or several fields whose combined
// values must be unique.
type Key struct {
	key uniqueKey
	// seed is the seed of all hashes of the key, so that they are comparable.
	seed hashSeed
}

// UniqueKeys returns the keys that the rules require to be unique, in a fixed
// order. Hashes that belong to different calls are not comparable.
func (r *Rules) UniqueKeys() []Key {
	keys := make([]Key, 0, len(r.unique))
	for _, k := range r.unique {
		keys = append(keys, Key{k, newHashSeed()})
	}
	return keys
}

// Fields returns the indexes of the fields of the key.
func (k Key) Fields() []int { return slices.Clone(k.key.fields) }

// Problems returns the problems of a row that has the same key as another row,
// one problem per rule. Their Row is 0.
func (k Key) Problems() []intray.Problem { return slices.Clone(k.key.problems) }

// Index finds the rows of a table by the hash of a key. It uses 20 bytes per
// row, and writes them to temporary files after the first few megabytes.
//
// Any number of goroutines may add rows, each with a separate [Hasher]. After
// that, call Finish once. Rows can be called only after Finish.
type Index struct {
	set *hashSet
	// unsorted holds the entries as they were added. sorted holds the runs that Finish writes.
	unsorted, sorted spillFile
	runs             [][]sortedRun
}

// NewIndex returns an empty index. Temporary files are created in the directory
// temp, or in os.TempDir if temp is "".
func NewIndex(temp string) *Index {
	x := &Index{unsorted: spillFile{dir: temp}, sorted: spillFile{dir: temp}}
	x.set = newHashSet(&x.unsorted, 1)
	return x
}

// Hasher hashes the keys of rows. It is not safe for concurrent use.
type Hasher struct {
	key   Key
	batch entryBatch
}

// Hasher returns a new Hasher. All hashers of a key return the same hash for the same row.
func (k Key) Hasher() *Hasher { return &Hasher{key: k} }

// Hash returns the hash of the key of a row. It reports false if all cells of
// the key are empty: such a row is not compared with other rows.
func (h *Hasher) Hash(b *intray.Batch, row int) (Hash, bool) {
	text, has := h.key.key.appendKeyText(b, row, &h.batch.text)
	if !has {
		return Hash{}, false
	}
	return h.key.seed.hash(text), true
}

// QueueRow queues row i of a batch. row is the number of that row in the index.
func (h *Hasher) QueueRow(b *intray.Batch, i int, row uint32) {
	if hash, has := h.Hash(b, i); has {
		h.batch.entries = append(h.batch.entries, entry{hash, row})
	}
}

// Flush adds the queued rows to an index.
func (h *Hasher) Flush(to *Index) error {
	if len(h.batch.entries) == 0 {
		return nil
	}
	if err := to.set.addEntries(&h.batch); err != nil {
		return fmt.Errorf("spill values: %w", err)
	}
	return nil
}

// Finish completes the index. It returns the rows that have the same key as another row.
func (x *Index) Finish() (*roaring.Bitmap, error) {
	rows, err := x.set.duplicateRows()
	if err == nil {
		err = x.buildRuns()
	}
	if err == nil {
		err = x.unsorted.close()
		x.unsorted, x.set.partitions = spillFile{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find duplicate values: %w", err)
	}
	return rows, nil
}

// Close removes the temporary files.
func (x *Index) Close() error { return errors.Join(x.unsorted.close(), x.sorted.close()) }

// maxRun is the maximum number of entries that are sorted at a time. A larger partition is split
// into several runs, so that a value in most rows does not need more memory.
const maxRun = 1 << 18

// sortedRun is a run of sorted entries of one partition, with their number and their offset in
// the file.
type sortedRun struct {
	offset int64
	count  int
}

// buildRuns sorts the entries of each partition and writes them as runs.
func (x *Index) buildRuns() error {
	x.runs = make([][]sortedRun, len(x.set.partitions))
	return x.set.eachPartition(func() partitionWorker {
		s := &runSorter{index: x}
		return partitionWorker{
			begin:   func(i int) { s.partition = i },
			entries: s.addEntries,
			end:     s.flush,
			merge:   func() {},
		}
	})
}

// runSorter sorts the entries of a partition. It is reused for the next partition.
type runSorter struct {
	index     *Index
	partition int
	entries   []entry
	encoded   []byte
}

func (s *runSorter) addEntries(encoded []byte) error {
	for ; len(encoded) > 0; encoded = encoded[entryBytes:] {
		s.entries = append(s.entries, readEntry(encoded))
	}
	if len(s.entries) < maxRun {
		return nil
	}
	return s.flush()
}

// flush sorts the collected entries and writes them as a run.
func (s *runSorter) flush() error {
	if len(s.entries) == 0 {
		return nil
	}
	slices.SortFunc(s.entries, func(a, b entry) int {
		if c := a.hash.compare(b.hash); c != 0 {
			return c
		}
		return cmp.Compare(a.row, b.row)
	})
	s.encoded = slices.Grow(s.encoded[:0], entryBytes*len(s.entries))[:entryBytes*len(s.entries)]
	for i := range s.entries {
		putEntry(s.encoded[i*entryBytes:], &s.entries[i])
	}
	at, err := s.index.sorted.write(s.encoded)
	s.index.runs[s.partition] = append(s.index.runs[s.partition], sortedRun{at, len(s.entries)})
	s.entries = s.entries[:0]
	return err
}

// Rows calls yield for each row with the given hash, until yield returns false.
// It is safe for concurrent use.
func (x *Index) Rows(h Hash, yield func(row uint32) bool) error {
	for _, r := range x.runs[h.Hi>>x.set.shift] {
		if going, err := x.search(r, h, yield); err != nil || !going {
			return err
		}
	}
	return nil
}

// search calls yield for each row with the given hash in a run. It reports whether to continue
// with the next run.
func (x *Index) search(r sortedRun, h Hash, yield func(row uint32) bool) (more bool, err error) {
	var one [entryBytes]byte
	first := sort.Search(r.count, func(i int) bool {
		if err == nil {
			_, err = x.sorted.file.ReadAt(one[:], r.offset+int64(i)*entryBytes)
		}
		return readEntry(one[:]).hash.compare(h) >= 0
	})
	if err != nil {
		return false, err
	}
	const atOnce = 64
	block := make([]byte, atOnce*entryBytes)
	for i := first; i < r.count; i += atOnce {
		some := block[:min(atOnce, r.count-i)*entryBytes]
		if _, err := x.sorted.file.ReadAt(some, r.offset+int64(i)*entryBytes); err != nil {
			return false, err
		}
		for ; len(some) > 0; some = some[entryBytes:] {
			e := readEntry(some)
			if e.hash != h {
				return true, nil
			}
			if !yield(e.row) {
				return false, nil
			}
		}
	}
	return true, nil
}
