package parquetio

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"

	"github.com/parquet-go/parquet-go/format"

	"github.com/intraydata/intray"
)

// Dictionary holds the entries of a dictionary page.
type Dictionary struct {
	// width is the number of bytes per entry. If it is 0, each entry is preceded by its length.
	width int
	plain []byte
	// ends holds the end offset of each entry in plain if width is 0.
	ends  []uint32
	count int
}

// Load replaces the entries with those of a dictionary page. count is the number of entries
// that the page declares.
func (d *Dictionary) Load(l *Leaf, plain []byte, count int) error {
	d.width, d.plain, d.ends = l.Width(), plain, d.ends[:0]
	switch {
	case d.width > 0:
		d.count = len(plain) / d.width
	case l.Type != format.ByteArray:
		return Damaged(intray.NewMessage("parquet.dictionary_of_booleans", nil))
	default:
		if most := min(count, len(plain)/4); cap(d.ends) < most {
			d.ends = make([]uint32, 0, most)
		}
		for entries := (plainDecoder{text: plain}); len(entries.text) > 0; {
			if _, err := entries.next(); err != nil {
				return err
			}
			d.ends = append(d.ends, uint32(len(plain)-len(entries.text)))
		}
		d.count = len(d.ends)
	}
	if count > d.count {
		return Damaged(intray.NewMessage("parquet.dictionary_too_short", intray.Params{"found": d.count, "declared": count}))
	}
	return nil
}

var errOutsideDictionary = Damaged(intray.NewMessage("parquet.outside_dictionary", nil))

// Lookup returns the entry at index. It returns an error if index is out of range or d is nil.
func (d *Dictionary) Lookup(index uint32) ([]byte, error) {
	if d == nil || uint64(index) >= uint64(d.count) {
		return nil, errOutsideDictionary
	}
	return d.entry(int(index)), nil
}

func (d *Dictionary) entry(i int) []byte {
	if d.width > 0 {
		return d.plain[i*d.width : (i+1)*d.width]
	}
	from := uint32(4)
	if i > 0 {
		from += d.ends[i-1]
	}
	return d.plain[from:d.ends[i]]
}

// Len returns the number of entries in the dictionary.
func (d *Dictionary) Len() int { return d.count }

// Plain returns the entries in the encoding PLAIN. They must not be changed.
func (d *Dictionary) Plain() []byte { return d.plain }

// Bytes returns the uncompressed size of the dictionary page in bytes.
func (d *Dictionary) Bytes() int { return len(d.plain) }

// AppendPlainTexts appends strings in the encoding PLAIN: each is preceded by its length.
func AppendPlainTexts(dst []byte, t *intray.Texts) []byte {
	for i := range t.Len() {
		text := t.At(i)
		dst = append(binary.LittleEndian.AppendUint32(dst, uint32(len(text))), text...)
	}
	return dst
}

// DictionaryBuilder numbers the distinct values of a column. Call Reset before the first value.
type DictionaryBuilder struct {
	Dictionary
	seed maphash.Seed
	// slots is a hash table with open addressing. It holds entry numbers plus one.
	slots  []uint32
	hashes []uint32
}

// Reset removes all entries and makes room for the given number of entries. width is the
// number of bytes per value, or 0 for byte arrays.
func (b *DictionaryBuilder) Reset(width, entries int) {
	if b.slots == nil {
		b.seed = maphash.MakeSeed()
	}
	size := max(64, len(b.slots))
	for size < 2*(entries+1) {
		size *= 2
	}
	if len(b.slots) < size {
		b.slots = make([]uint32, size)
	} else {
		clear(b.slots)
	}
	b.width, b.count, b.plain, b.ends, b.hashes = width, 0, b.plain[:0], b.ends[:0], b.hashes[:0]
}

// Close removes all entries whose number is at least count, and frees the memory that is needed
// only for adding values. After Close, call Reset before adding values.
func (b *DictionaryBuilder) Close(count int) {
	size := count * b.width
	if b.width == 0 {
		b.ends = b.ends[:count]
		if count > 0 {
			size = int(b.ends[count-1])
		}
	}
	if b.plain = b.plain[:size]; size == 0 {
		b.plain = nil
	}
	b.slots, b.hashes, b.count = nil, nil, count
}

// Index returns the number of a value, counted from 0. It adds the value if it is new.
func (b *DictionaryBuilder) Index(value []byte) int32 {
	if 2*(b.count+1) > len(b.slots) {
		b.grow()
	}
	hash := uint32(maphash.Bytes(b.seed, value))
	mask := uint32(len(b.slots) - 1)
	at := hash & mask
	for ; b.slots[at] != 0; at = (at + 1) & mask {
		if i := b.slots[at] - 1; b.hashes[i] == hash && bytes.Equal(b.entry(int(i)), value) {
			return int32(i)
		}
	}
	b.count++
	b.slots[at] = uint32(b.count)
	b.hashes = append(b.hashes, hash)
	if b.width > 0 {
		b.plain = append(b.plain, value...)
	} else {
		b.plain = append(binary.LittleEndian.AppendUint32(b.plain, uint32(len(value))), value...)
		b.ends = append(b.ends, uint32(len(b.plain)))
	}
	return int32(b.count - 1)
}

// grow doubles the size of the hash table.
func (b *DictionaryBuilder) grow() {
	b.slots = make([]uint32, 2*len(b.slots))
	mask := uint32(len(b.slots) - 1)
	for i, hash := range b.hashes {
		at := hash & mask
		for b.slots[at] != 0 {
			at = (at + 1) & mask
		}
		b.slots[at] = uint32(i + 1)
	}
}
