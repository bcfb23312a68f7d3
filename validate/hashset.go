package validate

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/zeebo/xxh3"
	"golang.org/x/sync/errgroup"
)

// entry is the hash of a value and its row.
type entry struct {
	hash xxh3.Uint128
	row  uint32
}

const (
	// entryBytes is the size of an entry in a part.
	entryBytes = 20
	// maxBlock is the most entries of a part that wait in memory, minBlock the
	// fewest; buffered bounds those of all sets together, in bytes.
	maxBlock, minBlock = 800, 40
	maxBufferedBytes   = 32 << 20
	// maxLargeSets is how many sets have many parts.
	maxLargeSets = 32
)

// spillFile is the temporary file of all sets, made when the first of them needs it.
type spillFile struct {
	dir string
	// end is where the next block goes.
	end        atomic.Int64
	createOnce sync.Once
	file       *os.File
	createErr  error
}

// hashSet keeps entries, in memory and beyond that in the file. They are divided
// into parts, by the first bits of the hashes: one is compared at a time.
type hashSet struct {
	spill *spillFile
	shift uint
	// blockBytes is how many bytes of a part are in memory.
	blockBytes int
	partitions []partition
}

// partition holds the entries whose hashes begin alike.
type partition struct {
	mu           sync.Mutex
	buffer       []byte
	blockOffsets []int64
}

// newHashSet makes one of so many sets that share a file.
func newHashSet(to *spillFile, sets int) *hashSet {
	bits := uint(8)
	if sets > maxLargeSets {
		bits = 4
	}
	s := &hashSet{spill: to, shift: 64 - bits, partitions: make([]partition, 1<<bits)}
	s.blockBytes = entryBytes * max(minBlock, min(maxBlock, maxBufferedBytes/(entryBytes*sets<<bits)))
	return s
}

func (s *hashSet) partitionOf(e *entry) int { return int(e.hash.Hi >> s.shift) }

// entryBatch are the entries of one batch on their way into the parts of a set. It
// is used again, so that a batch costs no memory of its own.
type entryBatch struct {
	entries []entry
	// sorted holds the entries as they are kept, part by part, and ends where
	// those of each part end.
	sorted []byte
	ends   []int
	// text is where values are put into the form in which they are compared.
	text []byte
}

// sortByPartition brings the entries into the order of the parts of a set.
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
		to := g.sorted[*at : *at+entryBytes]
		binary.LittleEndian.PutUint64(to, e.hash.Hi)
		binary.LittleEndian.PutUint64(to[8:], e.hash.Lo)
		binary.LittleEndian.PutUint32(to[16:], e.row)
		*at += entryBytes
	}
}

// addEntries takes the entries of a batch.
func (s *hashSet) addEntries(g *entryBatch) error {
	g.sortByPartition(s)
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

// write appends a block and says where it is.
func (f *spillFile) write(block []byte) (int64, error) {
	f.createOnce.Do(func() {
		if f.file, f.createErr = os.CreateTemp(f.dir, "intray-values-*"); f.createErr == nil {
			// Where the system allows it, the file goes with the process.
			_ = os.Remove(f.file.Name())
		}
	})
	if f.createErr != nil {
		return 0, f.createErr
	}
	at := f.end.Add(int64(len(block))) - int64(len(block))
	_, err := f.file.WriteAt(block, at)
	return at, err
}

// duplicateRows gives the rows whose hash another row has too.
func (s *hashSet) duplicateRows() (*roaring.Bitmap, error) {
	var next atomic.Int64
	var mu sync.Mutex
	all := roaring.New()
	var group errgroup.Group
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() error {
			c := duplicateFinder{rows: roaring.New(), block: make([]byte, s.blockBytes)}
			for i := next.Add(1) - 1; i < int64(len(s.partitions)); i = next.Add(1) - 1 {
				if err := c.findInPartition(s, &s.partitions[i]); err != nil {
					return err
				}
			}
			mu.Lock()
			defer mu.Unlock()
			all.Or(c.rows)
			return nil
		})
	}
	err := group.Wait()
	return all, err
}

// duplicateFinder finds equal hashes in one part after the other.
type duplicateFinder struct {
	rows  *roaring.Bitmap
	block []byte
	// slots is a table with open addresses, some of them used; marks are the
	// rows found in this part.
	slots      []slot
	used       int
	duplicates []uint32
}

// slot holds a hash and the first row that has it.
type slot struct {
	hash xxh3.Uint128
	row  uint32
	// state is 0 for none, 1 for one row, 2 for several.
	state uint8
}

func (c *duplicateFinder) findInPartition(s *hashSet, p *partition) error {
	clear(c.slots)
	c.used, c.duplicates = 0, c.duplicates[:0]
	for _, at := range p.blockOffsets {
		if _, err := s.spill.file.ReadAt(c.block, at); err != nil {
			return err
		}
		c.addEntries(c.block)
	}
	c.addEntries(p.buffer)
	c.flush()
	return nil
}

func (c *duplicateFinder) addEntries(entries []byte) {
	for ; len(entries) > 0; entries = entries[entryBytes:] {
		hash := xxh3.Uint128{Hi: binary.LittleEndian.Uint64(entries), Lo: binary.LittleEndian.Uint64(entries[8:])}
		c.addEntry(hash, binary.LittleEndian.Uint32(entries[16:]))
	}
}

func (c *duplicateFinder) addEntry(hash xxh3.Uint128, row uint32) {
	if 2*c.used >= len(c.slots) {
		c.grow()
	}
	at := c.findSlot(hash)
	switch at.state {
	case 0:
		*at = slot{hash, row, 1}
		c.used++
		return
	case 1:
		at.state = 2
		c.markDuplicate(at.row)
	}
	c.markDuplicate(row)
}

// maxPendingRows is how many rows wait to be put into the bitmap.
const maxPendingRows = 1 << 16

func (c *duplicateFinder) markDuplicate(row uint32) {
	if c.duplicates = append(c.duplicates, row); len(c.duplicates) >= maxPendingRows {
		c.flush()
	}
}

func (c *duplicateFinder) flush() {
	c.rows.AddMany(c.duplicates)
	c.duplicates = c.duplicates[:0]
}

// findSlot gives the slot of a hash, or the free one where it goes. Some slot is
// always free.
func (c *duplicateFinder) findSlot(hash xxh3.Uint128) *slot {
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

func (f *spillFile) close() error {
	if f.file == nil {
		return nil
	}
	err := f.file.Close()
	if gone := os.Remove(f.file.Name()); gone != nil && !errors.Is(gone, os.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	if err != nil {
		return fmt.Errorf("remove the values of all rows: %w", err)
	}
	return nil
}
