package check

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"runtime"
	"slices"
	"sort"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

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
