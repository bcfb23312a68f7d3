package check

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
	buffered           = 32 << 20
	// fewKeys is how many sets have many parts.
	fewKeys = 32
)

// spill is the temporary file of all sets, made when the first of them needs it.
type spill struct {
	temp string
	// end is where the next block goes.
	end    atomic.Int64
	making sync.Once
	file   *os.File
	failed error
}

// hashSet keeps entries, in memory and beyond that in the file. They are divided
// into parts, by the first bits of the hashes: one is compared at a time.
type hashSet struct {
	spill *spill
	shift uint
	// block is how many bytes of a part are in memory.
	block int
	parts []part
}

// part holds the entries whose hashes begin alike.
type part struct {
	mu     sync.Mutex
	recent []byte
	blocks []int64
}

// newHashSet makes one of so many sets that share a file.
func newHashSet(to *spill, sets int) *hashSet {
	bits := uint(8)
	if sets > fewKeys {
		bits = 4
	}
	s := &hashSet{spill: to, shift: 64 - bits, parts: make([]part, 1<<bits)}
	s.block = entryBytes * max(minBlock, min(maxBlock, buffered/(entryBytes*sets<<bits)))
	return s
}

func (s *hashSet) partOf(e entry) int { return int(e.hash.Hi >> s.shift) }

// add takes the entries of a batch, which it brings into the order of their parts.
func (s *hashSet) add(entries []entry) error {
	starts := make([]int, len(s.parts)+1)
	for _, e := range entries {
		starts[s.partOf(e)+1]++
	}
	for i := range s.parts {
		starts[i+1] += starts[i]
	}
	sorted, next := make([]entry, len(entries)), slices.Clone(starts)
	for _, e := range entries {
		p := s.partOf(e)
		sorted[next[p]] = e
		next[p]++
	}
	for i := range s.parts {
		if run := sorted[starts[i]:starts[i+1]]; len(run) > 0 {
			if err := s.addTo(&s.parts[i], run); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *hashSet) addTo(p *part, run []entry) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range run {
		p.recent = binary.LittleEndian.AppendUint64(p.recent, e.hash.Hi)
		p.recent = binary.LittleEndian.AppendUint64(p.recent, e.hash.Lo)
		p.recent = binary.LittleEndian.AppendUint32(p.recent, e.row)
		if len(p.recent) < s.block {
			continue
		}
		at, err := s.spill.write(p.recent)
		if err != nil {
			return err
		}
		p.blocks, p.recent = append(p.blocks, at), p.recent[:0]
	}
	return nil
}

// write appends a block and says where it is.
func (f *spill) write(block []byte) (int64, error) {
	f.making.Do(func() {
		if f.file, f.failed = os.CreateTemp(f.temp, "intray-values-*"); f.failed == nil {
			// Where the system allows it, the file goes with the process.
			_ = os.Remove(f.file.Name())
		}
	})
	if f.failed != nil {
		return 0, f.failed
	}
	at := f.end.Add(int64(len(block))) - int64(len(block))
	_, err := f.file.WriteAt(block, at)
	return at, err
}

// repeated gives the rows whose hash another row has too.
func (s *hashSet) repeated() (*roaring.Bitmap, error) {
	var next atomic.Int64
	var mu sync.Mutex
	all := roaring.New()
	var group errgroup.Group
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() error {
			c := comparison{rows: roaring.New(), block: make([]byte, s.block)}
			for i := next.Add(1) - 1; i < int64(len(s.parts)); i = next.Add(1) - 1 {
				if err := c.compare(s, &s.parts[i]); err != nil {
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

// comparison finds equal hashes in one part after the other.
type comparison struct {
	rows  *roaring.Bitmap
	block []byte
	// slots is a table with open addresses, some of them used; marks are the
	// rows found in this part.
	slots []slot
	used  int
	marks []uint32
}

// slot holds a hash and the first row that has it.
type slot struct {
	hash xxh3.Uint128
	row  uint32
	// state is 0 for none, 1 for one row, 2 for several.
	state uint8
}

func (c *comparison) compare(s *hashSet, p *part) error {
	clear(c.slots)
	c.used, c.marks = 0, c.marks[:0]
	for _, at := range p.blocks {
		if _, err := s.spill.file.ReadAt(c.block, at); err != nil {
			return err
		}
		c.take(c.block)
	}
	c.take(p.recent)
	c.flush()
	return nil
}

func (c *comparison) take(entries []byte) {
	for ; len(entries) > 0; entries = entries[entryBytes:] {
		hash := xxh3.Uint128{Hi: binary.LittleEndian.Uint64(entries), Lo: binary.LittleEndian.Uint64(entries[8:])}
		c.put(hash, binary.LittleEndian.Uint32(entries[16:]))
	}
}

func (c *comparison) put(hash xxh3.Uint128, row uint32) {
	if 2*c.used >= len(c.slots) {
		c.grow()
	}
	at := c.find(hash)
	switch at.state {
	case 0:
		*at = slot{hash, row, 1}
		c.used++
		return
	case 1:
		at.state = 2
		c.mark(at.row)
	}
	c.mark(row)
}

// markedAtOnce is how many rows wait to be put into the bitmap.
const markedAtOnce = 1 << 16

func (c *comparison) mark(row uint32) {
	if c.marks = append(c.marks, row); len(c.marks) >= markedAtOnce {
		c.flush()
	}
}

func (c *comparison) flush() {
	c.rows.AddMany(c.marks)
	c.marks = c.marks[:0]
}

// find gives the slot of a hash, or the free one where it goes. Some slot is
// always free.
func (c *comparison) find(hash xxh3.Uint128) *slot {
	mask := uint64(len(c.slots) - 1)
	for at := hash.Lo & mask; ; at = (at + 1) & mask {
		if s := &c.slots[at]; s.state == 0 || s.hash == hash {
			return s
		}
	}
}

func (c *comparison) grow() {
	before := c.slots
	c.slots = make([]slot, max(1024, 2*len(before)))
	for _, s := range before {
		if s.state != 0 {
			*c.find(s.hash) = s
		}
	}
}

func (f *spill) close() error {
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
