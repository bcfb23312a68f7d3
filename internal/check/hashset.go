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

func (s *hashSet) partOf(e *entry) int { return int(e.hash.Hi >> s.shift) }

// gathered are the entries of one batch on their way into the parts of a set. It
// is used again, so that a batch costs no memory of its own.
type gathered struct {
	entries []entry
	// sorted holds the entries as they are kept, part by part, and ends where
	// those of each part end.
	sorted []byte
	ends   []int
	// text is where values are put into the form in which they are compared.
	text []byte
}

// sort brings the entries into the order of the parts of a set.
func (g *gathered) sort(s *hashSet) {
	g.ends = append(g.ends[:0], make([]int, len(s.parts)+1)...)
	for i := range g.entries {
		g.ends[s.partOf(&g.entries[i])+1] += entryBytes
	}
	for i := range s.parts {
		g.ends[i+1] += g.ends[i]
	}
	g.sorted = slices.Grow(g.sorted[:0], entryBytes*len(g.entries))[:entryBytes*len(g.entries)]
	for i := range g.entries {
		e := &g.entries[i]
		at := &g.ends[s.partOf(e)]
		to := g.sorted[*at : *at+entryBytes]
		binary.LittleEndian.PutUint64(to, e.hash.Hi)
		binary.LittleEndian.PutUint64(to[8:], e.hash.Lo)
		binary.LittleEndian.PutUint32(to[16:], e.row)
		*at += entryBytes
	}
}

// add takes the entries of a batch.
func (s *hashSet) add(g *gathered) error {
	g.sort(s)
	from := 0
	for i, end := range g.ends[:len(s.parts)] {
		if end > from {
			if err := s.addTo(&s.parts[i], g.sorted[from:end]); err != nil {
				return err
			}
		}
		from = end
	}
	return nil
}

func (s *hashSet) addTo(p *part, run []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(run) > 0 {
		n := min(len(run), s.block-len(p.recent))
		p.recent, run = append(p.recent, run[:n]...), run[n:]
		if len(p.recent) < s.block {
			break
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
