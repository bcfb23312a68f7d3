package parquetio

import (
	"encoding/binary"
	"slices"

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

// AppendPlainTexts appends the texts [from, to) in the encoding PLAIN: each is preceded by its length.
func AppendPlainTexts(dst []byte, t *intray.Texts, from, to int) []byte {
	const block = 16
	if from == to {
		return dst
	}
	start := uint32(0)
	if from > 0 {
		start = t.Ends[from-1]
	}
	at := len(dst)
	size := int(t.Ends[to-1]-start) + (to-from)*PlainLength
	dst = slices.Grow(dst, size)[:at+size]
	for _, end := range t.Ends[from:to] {
		binary.LittleEndian.PutUint32(dst[at:], end-start)
		at += PlainLength
		if n := int(end - start); n <= block && at+block <= len(dst) && int(start)+block <= len(t.Arena) {
			// A copy of constant size needs no call. The next string overwrites the excess.
			*(*[block]byte)(dst[at:]) = [block]byte(t.Arena[start:])
			at += n
		} else {
			at += copy(dst[at:], t.Arena[start:end])
		}
		start = end
	}
	return dst
}

// PlainLength is the size of the length of a string in the encoding PLAIN, in bytes.
const PlainLength = 4

// AppendPlainText appends a string in the encoding PLAIN.
func AppendPlainText(dst, text []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(dst, uint32(len(text))), text...)
}
