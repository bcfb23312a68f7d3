package check

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

// Keys are what the rules about all rows compare, in a fixed order. Those of two
// calls have hashes of their own.
func (r *Rules) Keys() []Key {
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

// Hash stands for a key: two are taken for one where it is the same, as [Uniques]
// tells.
type Hash = xxh3.Uint128

// Index finds the rows of a table by the hashes of one key. It holds 20 bytes for each row,
// beyond some megabytes in temporary files.
//
// Add takes rows, also from several goroutines; then Seal, once; then Rows.
type Index struct {
	set *hashSet
	// gathering holds what is added, sorted what Seal makes of it.
	gathering, sorted spill
	runs              [][]run
}

// NewIndex makes an index without rows. Temporary files are made in the folder
// temp, by default os.TempDir.
func NewIndex(temp string) *Index {
	x := &Index{gathering: spill{temp: temp}, sorted: spill{temp: temp}}
	x.set = newHashSet(&x.gathering, 1)
	return x
}

// Hasher puts the keys of rows into the form in which they are compared. It
// serves one goroutine at a time.
type Hasher struct {
	key Key
	g   gathered
}

// Hasher makes one. All of a key give the same hashes.
func (k Key) Hasher() *Hasher { return &Hasher{key: k} }

// Hash gives the hash of the key of a row of a batch, and false where all of its
// cells are empty, so that it is compared to none.
func (h *Hasher) Hash(b *intray.Batch, row int) (Hash, bool) {
	text, has := h.key.key.text(b, row, &h.g.text)
	if !has {
		return Hash{}, false
	}
	return xxh3.Hash128Seed(text, h.key.seed), true
}

// Put makes row i of a batch ready to be added as this row of the table.
func (h *Hasher) Put(b *intray.Batch, i int, row uint32) {
	if hash, has := h.Hash(b, i); has {
		h.g.entries = append(h.g.entries, entry{hash, row})
	}
}

// Flush adds the rows that were made ready to an index.
func (h *Hasher) Flush(to *Index) error {
	if len(h.g.entries) == 0 {
		return nil
	}
	err := to.set.add(&h.g)
	h.g.entries = h.g.entries[:0]
	if err != nil {
		return fmt.Errorf("keep the values of rows: %w", err)
	}
	return nil
}

// Seal ends adding, and gives the rows whose key another row has too.
func (x *Index) Seal() (*roaring.Bitmap, error) {
	rows, err := x.set.repeated()
	if err == nil {
		err = x.sort()
	}
	if err == nil {
		err = x.gathering.close()
		x.gathering, x.set.parts = spill{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("compare the values of all rows: %w", err)
	}
	return rows, nil
}

// Close removes the temporary files.
func (x *Index) Close() error { return errors.Join(x.gathering.close(), x.sorted.close()) }

// maxRun is the most entries that are sorted at a time. A part with more has
// several runs, so that a value that most rows have takes no more memory.
const maxRun = 1 << 18

// run is sorted entries of one part: n of them, at a place of the file.
type run struct {
	at int64
	n  int
}

// sort brings the entries of each part into runs.
func (x *Index) sort() error {
	x.runs = make([][]run, len(x.set.parts))
	var next atomic.Int64
	var group errgroup.Group
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() error {
			s := sorter{index: x, block: make([]byte, x.set.block)}
			for i := next.Add(1) - 1; i < int64(len(x.set.parts)); i = next.Add(1) - 1 {
				if err := s.part(int(i)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// sorter sorts one part after the other.
type sorter struct {
	index   *Index
	block   []byte
	entries []entry
	text    []byte
}

func (s *sorter) part(i int) error {
	p := &s.index.set.parts[i]
	for _, at := range p.blocks {
		if _, err := s.index.gathering.file.ReadAt(s.block, at); err != nil {
			return err
		}
		if err := s.take(i, s.block); err != nil {
			return err
		}
	}
	if err := s.take(i, p.recent); err != nil {
		return err
	}
	return s.flush(i)
}

func (s *sorter) take(part int, block []byte) error {
	for ; len(block) > 0; block = block[entryBytes:] {
		s.entries = append(s.entries, readEntry(block))
	}
	if len(s.entries) < maxRun {
		return nil
	}
	return s.flush(part)
}

func (s *sorter) flush(part int) error {
	if len(s.entries) == 0 {
		return nil
	}
	slices.SortFunc(s.entries, func(a, b entry) int {
		switch {
		case a.hash.Hi != b.hash.Hi:
			return less(a.hash.Hi, b.hash.Hi)
		case a.hash.Lo != b.hash.Lo:
			return less(a.hash.Lo, b.hash.Lo)
		}
		return cmp.Compare(a.row, b.row)
	})
	s.text = s.text[:0]
	for _, e := range s.entries {
		s.text = appendEntry(s.text, e)
	}
	at, err := s.index.sorted.write(s.text)
	s.index.runs[part] = append(s.index.runs[part], run{at, len(s.entries)})
	s.entries = s.entries[:0]
	return err
}

func less(a, b uint64) int {
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
func (x *Index) search(r run, h Hash, yield func(row uint32) bool) (going bool, err error) {
	var one [entryBytes]byte
	first := sort.Search(r.n, func(i int) bool {
		if err == nil {
			_, err = x.sorted.file.ReadAt(one[:], r.at+int64(i)*entryBytes)
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
	for i := first; i < r.n; i += atOnce {
		some := block[:min(atOnce, r.n-i)*entryBytes]
		if _, err := x.sorted.file.ReadAt(some, r.at+int64(i)*entryBytes); err != nil {
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
