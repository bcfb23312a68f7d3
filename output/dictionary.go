package output

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
)

// Bounds of a dictionary, and when it is given up: after few values of which most
// are different. What it holds in memory counts for the size of the row group.
const (
	dictEntries = 16_384
	dictBytes   = 1 << 20
	// minRepeats is how often each entry is to be used.
	minRepeats            = 3
	firstLook, firstMost  = 256, 192
	secondLook, moreTimes = 1024, 2
	// entryCost is what an entry takes beside its value.
	entryCost = 20
)

// dictionary numbers the different values of a column in a row group.
type dictionary struct {
	seed maphash.Seed
	// slots is an open hash table of entry numbers plus one.
	slots  []uint32
	hashes []uint32
	// ends are where the entries end in plain.
	ends  []uint32
	plain []byte
	// over says that it takes no further page.
	over bool
}

func (d *dictionary) count() int { return len(d.ends) }

func (d *dictionary) size() int { return len(d.plain) + entryCost*d.count() }

// reset empties it. What is large is let go: there may be thousands of columns.
func (d *dictionary) reset() {
	const slots, bytes = 4096, 64 << 10
	if len(d.slots) > slots || cap(d.plain) > bytes {
		*d = dictionary{}
		return
	}
	clear(d.slots)
	d.hashes, d.ends, d.plain, d.over = d.hashes[:0], d.ends[:0], d.plain[:0], false
}

// number adds the number of each value of a page, as the encoding PLAIN has them;
// width is that of a value, or 0 where each has its length before it. It is not
// ok where that does not pay; then the dictionary takes no further page.
func (d *dictionary) number(numbers []int32, plain []byte, width, values int) (_ []int32, ok bool) {
	if d.over || values == 0 {
		return numbers, false
	}
	known := d.count()
	for i := 0; len(plain) > 0; i++ {
		n := width
		if width == 0 {
			n = 4 + int(binary.LittleEndian.Uint32(plain))
		}
		numbers = append(numbers, d.entry(plain[:n]))
		plain = plain[n:]
		fresh := d.count() - known
		if d.count() > dictEntries || len(d.plain) > dictBytes || i == firstLook && fresh > firstMost || i == secondLook && fresh*moreTimes > i {
			d.end(known)
			return numbers, false
		}
	}
	if (d.count()-known)*minRepeats > values {
		d.end(known)
		return numbers, false
	}
	return numbers, true
}

// end closes the dictionary with the entries that earlier pages need.
func (d *dictionary) end(known int) {
	d.over = true
	d.slots, d.hashes = nil, nil
	d.ends = d.ends[:known]
	if known == 0 {
		d.plain = nil
		return
	}
	d.plain = d.plain[:d.ends[known-1]]
}

// entry gives the number of a value, a new one where it was not seen before.
func (d *dictionary) entry(v []byte) int32 {
	if 2*(d.count()+1) > len(d.slots) {
		d.grow()
	}
	hash := uint32(maphash.Bytes(d.seed, v))
	mask := uint32(len(d.slots) - 1)
	at := hash & mask
	for ; d.slots[at] != 0; at = (at + 1) & mask {
		if n := d.slots[at] - 1; d.hashes[n] == hash && bytes.Equal(d.value(n), v) {
			return int32(n)
		}
	}
	d.slots[at] = uint32(d.count() + 1)
	d.hashes = append(d.hashes, hash)
	d.plain = append(d.plain, v...)
	d.ends = append(d.ends, uint32(len(d.plain)))
	return int32(d.count() - 1)
}

func (d *dictionary) value(n uint32) []byte {
	from := uint32(0)
	if n > 0 {
		from = d.ends[n-1]
	}
	return d.plain[from:d.ends[n]]
}

// grow doubles the table.
func (d *dictionary) grow() {
	size := 2 * len(d.slots)
	if size == 0 {
		size = 64
		d.seed = maphash.MakeSeed()
	}
	d.slots = make([]uint32, size)
	mask := uint32(size - 1)
	for n, hash := range d.hashes {
		at := hash & mask
		for d.slots[at] != 0 {
			at = (at + 1) & mask
		}
		d.slots[at] = uint32(n + 1)
	}
}
