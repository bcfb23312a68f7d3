package parquetio

import (
	"encoding/binary"

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

// AppendPlainTexts appends strings in the encoding PLAIN: each is preceded by its length.
func AppendPlainTexts(dst []byte, t *intray.Texts) []byte {
	for i := range t.Len() {
		dst = AppendPlainText(dst, t.At(i))
	}
	return dst
}

// AppendPlainText appends a string in the encoding PLAIN.
func AppendPlainText(dst, text []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(dst, uint32(len(text))), text...)
}
