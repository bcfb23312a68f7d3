package validate

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sort"
	"sync/atomic"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/zeebo/xxh3"
	"golang.org/x/sync/errgroup"

	"github.com/intraydata/intray"
)

// Key is what must be unique among all rows of a table: the value of a field, or
// those of several together.
type Key struct {
	key uniqueKey
	// seed is that of all hashes of the key, so that they can be compared.
	seed uint64
}

// UniqueKeys are what the rules about all rows compare, in a fixed order. Those of two
// calls have hashes of their own.
func (r *Rules) UniqueKeys() []Key {
	keys := make([]Key, 0, len(r.unique))
	for _, k := range r.unique {
		keys = append(keys, Key{k, rand.Uint64()})
	}
	return keys
}

// Fields are the places of the fields that are compared.
func (k Key) Fields() []int { return slices.Clone(k.key.fields) }

// Problems are those of a row whose key another row has too, one for each rule
// that says so; their Row is 0.
func (k Key) Problems() []intray.Problem { return slices.Clone(k.key.problems) }

// Hash stands for a key: two are taken for one where it is the same, as [UniqueChecker]
// tells.
type Hash = xxh3.Uint128

// Index finds the rows of a table by the hashes of one key. It holds 20 bytes for each row,
// beyond some megabytes in temporary files.
//
// Add takes rows, also from several goroutines; then Seal, once; then Rows.
type Index struct {
	set *hashSet
	// unsorted holds what is added, sorted what Seal makes of it.
	unsorted, sorted spillFile
	runs             [][]sortedRun
}

// NewIndex makes an index without rows. Temporary files are made in the folder
// temp, by default os.TempDir.
func NewIndex(temp string) *Index {
	x := &Index{unsorted: spillFile{dir: temp}, sorted: spillFile{dir: temp}}
	x.set = newHashSet(&x.unsorted, 1)
	return x
}

// Hasher puts the keys of rows into the form in which they are compared. It
// serves one goroutine at a time.
type Hasher struct {
	key   Key
	batch entryBatch
}

// Hasher makes one. All of a key give the same hashes.
func (k Key) Hasher() *Hasher { return &Hasher{key: k} }

// Hash gives the hash of the key of a row of a batch, and false where all of its
// cells are empty, so that it is compared to none.
func (h *Hasher) Hash(b *intray.Batch, row int) (Hash, bool) {
	text, has := h.key.key.appendKeyText(b, row, &h.batch.text)
	if !has {
		return Hash{}, false
	}
	return xxh3.Hash128Seed(text, h.key.seed), true
}

// QueueRow makes row i of a batch ready to be added as this row of the table.
func (h *Hasher) QueueRow(b *intray.Batch, i int, row uint32) {
	if hash, has := h.Hash(b, i); has {
		h.batch.entries = append(h.batch.entries, entry{hash, row})
	}
}

// Flush adds the rows that were made ready to an index.
func (h *Hasher) Flush(to *Index) error {
	if len(h.batch.entries) == 0 {
		return nil
	}
	err := to.set.addEntries(&h.batch)
	h.batch.entries = h.batch.entries[:0]
	if err != nil {
		return fmt.Errorf("keep the values of rows: %w", err)
	}
	return nil
}

// Finish ends adding, and gives the rows whose key another row has too.
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
		return nil, fmt.Errorf("compare the values of all rows: %w", err)
	}
	return rows, nil
}

// Close removes the temporary files.
func (x *Index) Close() error { return errors.Join(x.unsorted.close(), x.sorted.close()) }

// maxRun is the most entries that are sorted at a time. A part with more has
// several runs, so that a value that most rows have takes no more memory.
const maxRun = 1 << 18

// sortedRun is sorted entries of one part: n of them, at a place of the file.
type sortedRun struct {
	offset int64
	count  int
}

// buildRuns brings the entries of each part into runs.
func (x *Index) buildRuns() error {
	x.runs = make([][]sortedRun, len(x.set.partitions))
	var next atomic.Int64
	var group errgroup.Group
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() error {
			s := runSorter{index: x, block: make([]byte, x.set.blockBytes)}
			for i := next.Add(1) - 1; i < int64(len(x.set.partitions)); i = next.Add(1) - 1 {
				if err := s.sortPartition(int(i)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// runSorter sorts one part after the other.
type runSorter struct {
	index   *Index
	block   []byte
	entries []entry
	text    []byte
}

func (s *runSorter) sortPartition(i int) error {
	p := &s.index.set.partitions[i]
	for _, at := range p.blockOffsets {
		if _, err := s.index.unsorted.file.ReadAt(s.block, at); err != nil {
			return err
		}
		if err := s.addEntries(i, s.block); err != nil {
			return err
		}
	}
	if err := s.addEntries(i, p.buffer); err != nil {
		return err
	}
	return s.flush(i)
}

func (s *runSorter) addEntries(part int, block []byte) error {
	for ; len(block) > 0; block = block[entryBytes:] {
		s.entries = append(s.entries, readEntry(block))
	}
	if len(s.entries) < maxRun {
		return nil
	}
	return s.flush(part)
}

func (s *runSorter) flush(part int) error {
	if len(s.entries) == 0 {
		return nil
	}
	slices.SortFunc(s.entries, func(a, b entry) int {
		switch {
		case a.hash.Hi != b.hash.Hi:
			return compareUint64(a.hash.Hi, b.hash.Hi)
		case a.hash.Lo != b.hash.Lo:
			return compareUint64(a.hash.Lo, b.hash.Lo)
		}
		return cmp.Compare(a.row, b.row)
	})
	s.text = s.text[:0]
	for _, e := range s.entries {
		s.text = appendEntry(s.text, e)
	}
	at, err := s.index.sorted.write(s.text)
	s.index.runs[part] = append(s.index.runs[part], sortedRun{at, len(s.entries)})
	s.entries = s.entries[:0]
	return err
}

func compareUint64(a, b uint64) int {
	if a < b {
		return -1
	}
	return 1
}

func appendEntry(to []byte, e entry) []byte {
	to = binary.LittleEndian.AppendUint64(to, e.hash.Hi)
	to = binary.LittleEndian.AppendUint64(to, e.hash.Lo)
	return binary.LittleEndian.AppendUint32(to, e.row)
}

func readEntry(from []byte) entry {
	return entry{
		Hash{Hi: binary.LittleEndian.Uint64(from), Lo: binary.LittleEndian.Uint64(from[8:])},
		binary.LittleEndian.Uint32(from[16:]),
	}
}

// Rows calls yield with each row that was added under the hash, until it says
// false. It may be called from several goroutines.
func (x *Index) Rows(h Hash, yield func(row uint32) bool) error {
	for _, r := range x.runs[h.Hi>>x.set.shift] {
		if going, err := x.search(r, h, yield); err != nil || !going {
			return err
		}
	}
	return nil
}

// search walks the entries of a run that have the hash.
func (x *Index) search(r sortedRun, h Hash, yield func(row uint32) bool) (going bool, err error) {
	var one [entryBytes]byte
	first := sort.Search(r.count, func(i int) bool {
		if err == nil {
			_, err = x.sorted.file.ReadAt(one[:], r.offset+int64(i)*entryBytes)
		}
		e := readEntry(one[:])
		return e.hash.Hi > h.Hi || e.hash.Hi == h.Hi && e.hash.Lo >= h.Lo
	})
	if err != nil {
		return false, err
	}
	wanted := appendEntry(nil, entry{hash: h})[:16]
	const atOnce = 64
	block := make([]byte, atOnce*entryBytes)
	for i := first; i < r.count; i += atOnce {
		some := block[:min(atOnce, r.count-i)*entryBytes]
		if _, err := x.sorted.file.ReadAt(some, r.offset+int64(i)*entryBytes); err != nil {
			return false, err
		}
		for ; len(some) > 0; some = some[entryBytes:] {
			if !bytes.Equal(some[:16], wanted) {
				return true, nil
			}
			if !yield(readEntry(some).row) {
				return false, nil
			}
		}
	}
	return true, nil
}
