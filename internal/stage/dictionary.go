package stage

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
)

const (
	// maxEntries and minRepeats say when a dictionary pays: few entries, each
	// used several times.
	maxEntries = 8192
	minRepeats = 4
	// maxPlain bounds a dictionary in bytes, and so the page that holds it.
	maxPlain = 16 << 20
	// After so many texts a dictionary is given up that has nearly as many
	// entries. It is decided within each batch, so that a run repeated gives
	// the same bytes whatever the order of its workers.
	firstLook, firstMost   = 256, 192
	secondLook, secondMost = 1000, 600
)

// dictionary numbers the different texts of a column. Its memory is used
// again from column to column.
type dictionary struct {
	seed maphash.Seed
	// slots is an open hash table of entry numbers plus one.
	slots  []uint32
	hashes []uint32
	// starts and ends are where the entries lie in plain.
	starts, ends []uint32
	plain        []byte
	indexes      []int32
}

func (d *dictionary) count() int { return len(d.starts) }

// build numbers the texts and says whether a dictionary pays.
func (d *dictionary) build(arena []byte, offsets []uint32) bool {
	n := len(offsets) - 1
	most := min(n/minRepeats, maxEntries)
	if most == 0 {
		return false
	}
	d.reset(most)
	for i := range n {
		d.indexes = append(d.indexes, d.number(arena[offsets[i]:offsets[i+1]]))
		if d.count() > most || len(d.plain) > maxPlain || d.hopeless(i) {
			return false
		}
	}
	return true
}

// hopeless says, at its two looks, that nearly every text is a new one.
func (d *dictionary) hopeless(i int) bool {
	return i == firstLook && d.count() > firstMost || i == secondLook && d.count() > secondMost
}

func (d *dictionary) reset(most int) {
	if d.slots == nil {
		d.seed = maphash.MakeSeed()
	}
	size := 4
	for size < 2*(most+1) {
		size *= 2
	}
	if cap(d.slots) < size {
		d.slots = make([]uint32, size)
	}
	d.slots = d.slots[:size]
	clear(d.slots)
	d.hashes, d.starts, d.ends = d.hashes[:0], d.starts[:0], d.ends[:0]
	d.plain, d.indexes = d.plain[:0], d.indexes[:0]
}

// number gives the entry of a text, a new one where it was not seen before.
func (d *dictionary) number(text []byte) int32 {
	hash := uint32(maphash.Bytes(d.seed, text))
	mask := uint32(len(d.slots) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		slot := d.slots[at]
		if slot == 0 {
			d.slots[at] = uint32(d.count() + 1)
			return d.add(text, hash)
		}
		entry := slot - 1
		if d.hashes[entry] == hash && bytes.Equal(d.plain[d.starts[entry]:d.ends[entry]], text) {
			return int32(entry)
		}
	}
}

// add lays the text out as the dictionary page wants it: length, then bytes.
func (d *dictionary) add(text []byte, hash uint32) int32 {
	d.plain = binary.LittleEndian.AppendUint32(d.plain, uint32(len(text)))
	d.starts = append(d.starts, uint32(len(d.plain)))
	d.plain = append(d.plain, text...)
	d.ends = append(d.ends, uint32(len(d.plain)))
	d.hashes = append(d.hashes, hash)
	return int32(d.count() - 1)
}
