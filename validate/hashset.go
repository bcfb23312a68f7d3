package validate

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/zeebo/xxh3"
	"golang.org/x/sync/errgroup"

	"github.com/intraydata/intray/internal/filesys"
)

// Hash is the hash of a value. Two values with equal hashes are treated as equal; see
// [UniqueChecker] for the probability of a collision. Hashes are comparable only if they come
// from the same Key or ValueCounts, and only within one process.
type Hash struct{ Hi, Lo uint64 }

func (h Hash) compare(other Hash) int {
	return cmp.Or(cmp.Compare(h.Hi, other.Hi), cmp.Compare(h.Lo, other.Lo))
}

// hashSeed makes hashes unpredictable to people who choose the values.
type hashSeed uint64

func newHashSeed() hashSeed {
	return hashSeed(rand.Uint64()) //nolint:gosec // ChaCha8 with a key of the system is unpredictable
}

func (s hashSeed) hash(value []byte) Hash {
	h := xxh3.Hash128Seed(value, uint64(s))
	return Hash{h.Hi, h.Lo}
}

// entry is the hash of a value and its row.
type entry struct {
	hash Hash
	row  uint32
}

func putEntry(to []byte, e *entry) {
	binary.LittleEndian.PutUint64(to, e.hash.Hi)
	binary.LittleEndian.PutUint64(to[8:], e.hash.Lo)
	binary.LittleEndian.PutUint32(to[16:], e.row)
}

func readEntry(from []byte) entry {
	return entry{
		Hash{binary.LittleEndian.Uint64(from), binary.LittleEndian.Uint64(from[8:])},
		binary.LittleEndian.Uint32(from[16:]),
	}
}

const (
	// entryBytes is the size of an encoded entry in bytes.
	entryBytes = 20
	// maxBlock and minBlock are the maximum and minimum number of entries that
	// a partition buffers in memory. maxBufferedBytes limits the total size, in
	// bytes, of the buffers of all sets.
	maxBlock, minBlock = 800, 40
	maxBufferedBytes   = 32 << 20
	// maxLargeSets is the maximum number of sets with 256 partitions each, and maxMediumSets
	// with 16 partitions each. If there are more sets, each has two partitions.
	maxLargeSets, maxMediumSets = 32, 1024
)

// spillFile is a temporary file. The first write creates it.
type spillFile struct {
	dir string
	// end is the offset of the next block.
	end        atomic.Int64
	createOnce sync.Once
	file       *filesys.TempFile
	createErr  error
}

// write appends a block and returns its offset.
func (f *spillFile) write(block []byte) (int64, error) {
	f.createOnce.Do(func() {
		f.file, f.createErr = filesys.CreateTemp(f.dir, "intray-values-*")
	})
	if f.createErr != nil {
		return 0, f.createErr
	}
	at := f.end.Add(int64(len(block))) - int64(len(block))
	_, err := f.file.WriteAt(block, at)
	return at, err
}

func (f *spillFile) close() error {
	if f.file == nil {
		return nil
	}
	if err := f.file.Close(); err != nil {
		return fmt.Errorf("close the file of spilled values: %w", err)
	}
	return nil
}

// hashSet stores entries, first in memory and then in a spill file. It partitions them by the
// first bits of their hashes, so that it can look for equal hashes in one partition at a time.
type hashSet struct {
	spill *spillFile
	shift uint
	// blockBytes is the size of a block in the spill file, in bytes.
	blockBytes int
	partitions []partition
	// check, unless nil, is called before a partition is read. An error ends the search.
	check func() error
}

// partition holds the entries whose hashes start with the same bits.
type partition struct {
	mu           sync.Mutex
	buffer       []byte
	blockOffsets []int64
}

// newHashSet returns a set. sets is the number of sets that share the spill file.
func newHashSet(spill *spillFile, sets int) *hashSet {
	bits := uint(8)
	switch {
	case sets > maxMediumSets:
		bits = 1
	case sets > maxLargeSets:
		bits = 4
	}
	s := &hashSet{spill: spill, shift: 64 - bits, partitions: make([]partition, 1<<bits)}
	s.blockBytes = entryBytes * max(minBlock, min(maxBlock, maxBufferedBytes/(entryBytes*sets<<bits)))
	return s
}

func (s *hashSet) partitionOf(e *entry) int { return int(e.hash.Hi >> s.shift) }

// entryBatch holds the entries of one batch before they are added to a set. It
// is reused to avoid allocations.
type entryBatch struct {
	entries []entry
	// sorted holds the encoded entries, sorted by partition. ends holds the
	// offset in sorted at which each partition ends.
	sorted []byte
	ends   []int
	// text is a buffer for values in the form used for comparison.
	text []byte
}

// sortByPartition encodes the entries, sorted by the partitions of a set.
func (g *entryBatch) sortByPartition(s *hashSet) {
	g.ends = append(g.ends[:0], make([]int, len(s.partitions)+1)...)
	for i := range g.entries {
		g.ends[s.partitionOf(&g.entries[i])+1] += entryBytes
	}
	for i := range s.partitions {
		g.ends[i+1] += g.ends[i]
	}
	g.sorted = slices.Grow(g.sorted[:0], entryBytes*len(g.entries))[:entryBytes*len(g.entries)]
	for i := range g.entries {
		e := &g.entries[i]
		at := &g.ends[s.partitionOf(e)]
		putEntry(g.sorted[*at:*at+entryBytes], e)
		*at += entryBytes
	}
}

// addEntries adds the entries of a batch to the set and clears the batch. It is
// safe for concurrent use with different batches.
func (s *hashSet) addEntries(g *entryBatch) error {
	g.sortByPartition(s)
	g.entries = g.entries[:0]
	from := 0
	for i, end := range g.ends[:len(s.partitions)] {
		if end > from {
			if err := s.appendToPartition(&s.partitions[i], g.sorted[from:end]); err != nil {
				return err
			}
		}
		from = end
	}
	return nil
}

func (s *hashSet) appendToPartition(p *partition, run []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(run) > 0 {
		n := min(len(run), s.blockBytes-len(p.buffer))
		p.buffer, run = append(p.buffer, run[:n]...), run[n:]
		if len(p.buffer) < s.blockBytes {
			break
		}
		at, err := s.spill.write(p.buffer)
		if err != nil {
			return err
		}
		p.blockOffsets, p.buffer = append(p.blockOffsets, at), p.buffer[:0]
	}
	return nil
}

// partitionWorker holds the functions that one goroutine calls for its partitions.
type partitionWorker struct {
	// The goroutine calls begin before it reads partition i, then entries for each block of
	// encoded entries in that partition, and finally end.
	begin   func(i int)
	entries func(encoded []byte) error
	end     func() error
	// merge combines the results of the workers. Its calls do not overlap.
	merge func()
}

// eachPartition reads all partitions on several goroutines. Each goroutine has
// a separate worker and reads one partition at a time.
func (s *hashSet) eachPartition(newWorker func() partitionWorker) error {
	var next atomic.Int64
	var mu sync.Mutex
	var group errgroup.Group
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() error {
			w, block := newWorker(), make([]byte, s.blockBytes)
			for i := int(next.Add(1)) - 1; i < len(s.partitions); i = int(next.Add(1)) - 1 {
				if s.check != nil {
					if err := s.check(); err != nil {
						return err
					}
				}
				p := &s.partitions[i]
				w.begin(i)
				for _, at := range p.blockOffsets {
					if _, err := s.spill.file.ReadAt(block, at); err != nil {
						return err
					}
					if err := w.entries(block); err != nil {
						return err
					}
				}
				if err := w.entries(p.buffer); err != nil {
					return err
				}
				if err := w.end(); err != nil {
					return err
				}
			}
			mu.Lock()
			defer mu.Unlock()
			w.merge()
			return nil
		})
	}
	return group.Wait()
}

// entriesOf returns the number of entries of a partition.
func (s *hashSet) entriesOf(p *partition) int {
	return (len(p.blockOffsets)*s.blockBytes + len(p.buffer)) / entryBytes
}

// duplicateRows returns the rows that have the same hash as at least one other row.
func (s *hashSet) duplicateRows() (*roaring.Bitmap, error) {
	all := roaring.New()
	err := s.eachPartition(func() partitionWorker {
		c := &duplicateFinder{rows: roaring.New()}
		return partitionWorker{
			begin:   func(i int) { c.reset(s.entriesOf(&s.partitions[i])) },
			entries: func(encoded []byte) error { c.addEntries(encoded); return nil },
			end:     func() error { c.flush(); return nil },
			merge:   func() { all.Or(c.rows) },
		}
	})
	return all, err
}

// duplicateFinder finds equal hashes in a partition. It is reused for the next partition.
type duplicateFinder struct {
	rows *roaring.Bitmap
	// slots is a hash table with open addressing. Its length is a power of two. used is the number of
	// occupied slots.
	slots []slot
	used  int
	// pending holds rows that will be added to the bitmap.
	pending []uint32
}

// slot holds a hash and the row in which it was first found.
type slot struct {
	hash Hash
	row  uint32
	// state is 0 for a free slot, 1 for a hash in one row, and 2 for a hash in several rows.
	state uint8
}

// maxFirstSlots is the maximum number of slots for which the table is sized by the number of entries. If most
// entries of a larger partition are equal, it needs fewer.
const maxFirstSlots = 1 << 17

// reset empties the table and makes room for the given number of entries.
func (c *duplicateFinder) reset(entries int) {
	clear(c.slots)
	c.used = 0
	if want := min(entries*4/3, maxFirstSlots); want > len(c.slots) {
		c.slots = make([]slot, 1<<bits.Len(uint(want)))
	}
}

func (c *duplicateFinder) addEntries(encoded []byte) {
	for ; len(encoded) > 0; encoded = encoded[entryBytes:] {
		e := readEntry(encoded)
		if 4*c.used >= 3*len(c.slots) {
			c.grow()
		}
		s := c.findSlot(e.hash)
		switch s.state {
		case 0:
			*s = slot{e.hash, e.row, 1}
			c.used++
			continue
		case 1:
			s.state = 2
			c.pending = append(c.pending, s.row)
		}
		if c.pending = append(c.pending, e.row); len(c.pending) >= maxPendingRows {
			c.flush()
		}
	}
}

// maxPendingRows is the number of rows that are collected before they are added to the bitmap.
const maxPendingRows = 1 << 16

func (c *duplicateFinder) flush() {
	c.rows.AddMany(c.pending)
	c.pending = c.pending[:0]
}

// findSlot returns the slot that holds a hash, or the free slot in which to
// store it. At least a quarter of the slots are free.
func (c *duplicateFinder) findSlot(hash Hash) *slot {
	mask := uint64(len(c.slots) - 1)
	for at := hash.Lo & mask; ; at = (at + 1) & mask {
		if s := &c.slots[at]; s.state == 0 || s.hash == hash {
			return s
		}
	}
}

func (c *duplicateFinder) grow() {
	before := c.slots
	c.slots = make([]slot, max(1024, 2*len(before)))
	for _, s := range before {
		if s.state != 0 {
			*c.findSlot(s.hash) = s
		}
	}
}
