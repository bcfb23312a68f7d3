package parquet

import (
	"encoding/binary"
	"math/bits"

	"github.com/parquet-go/parquet-go/format"

	"github.com/intraydata/intray"
)

// olderDictionary is how older files name the encodings of dictionaries and of
// the places in them.
const olderDictionary = format.Encoding(2)

// value is one value as it is stored: numbers and truths in bits, all else in
// bytes, which are gone with the next one.
type value struct {
	bits  uint64
	bytes []byte
}

// values pulls the values of a page, one after the other.
type values interface {
	next() (value, error)
}

// widthOf is how many bytes a value has, 0 where each tells its own.
func (l *leaf) widthOf() int {
	switch l.physical {
	case format.Int32, format.Float:
		return 4
	case format.Int64, format.Double:
		return 8
	case format.Int96:
		return int96Bytes
	case format.FixedLenByteArray:
		return l.length
	}
	return 0
}

// isNumber says that the values stand in bits.
func (l *leaf) isNumber() bool {
	return l.physical != format.ByteArray && l.physical != format.FixedLenByteArray && l.physical != format.Int96
}

// newValues reads the values of a page by its encoding.
func newValues(l *leaf, encoding format.Encoding, body []byte, dict *dictionary) (values, error) {
	ints := l.physical == format.Int32 || l.physical == format.Int64
	fixed := l.widthOf()
	switch {
	case encoding == format.Plain:
		return newPlain(l, body), nil
	case encoding == olderDictionary || encoding == format.RLEDictionary:
		return newIndexes(body, dict)
	case encoding == format.RLE && l.physical == format.Boolean:
		if len(body) < 4 {
			return nil, errBits
		}
		return &truths{runs{text: body[4:], width: 1}}, nil
	case encoding == format.DeltaBinaryPacked && ints:
		return newDeltas(body)
	case encoding == format.DeltaLengthByteArray && l.physical == format.ByteArray:
		return newLengths(body)
	case encoding == format.DeltaByteArray && (l.physical == format.ByteArray || l.physical == format.FixedLenByteArray):
		return newPrefixed(body)
	case encoding == format.ByteStreamSplit && fixed > 0 && l.physical != format.Int96:
		return &streams{text: body, size: fixed, count: len(body) / fixed, number: l.isNumber()}, nil
	}
	return nil, damage{intray.NewMessage("parquet.unknown_encoding", intray.Params{"encoding": encoding.String(), "type": l.physicalName()})}
}

func newPlain(l *leaf, body []byte) values {
	switch {
	case l.physical == format.Boolean:
		return &plainTruths{text: body}
	case l.physical == format.ByteArray:
		return &plainTexts{text: body}
	case l.isNumber():
		return &plainNumbers{text: body, size: l.widthOf()}
	}
	return &plainChunks{text: body, size: l.widthOf()}
}

type plainNumbers struct {
	text []byte
	size int
}

func (p *plainNumbers) next() (value, error) {
	if len(p.text) < p.size {
		return value{}, errBits
	}
	v := value{bits: number(p.text, p.size)}
	p.text = p.text[p.size:]
	return v, nil
}

// number reads 4 or 8 bytes.
func number(b []byte, size int) uint64 {
	if size == 4 {
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

type plainTruths struct {
	text []byte
	bit  int
}

func (p *plainTruths) next() (value, error) {
	n, err := packed(p.text, p.bit, 1)
	p.bit++
	return value{bits: n}, err
}

type plainTexts struct{ text []byte }

func (p *plainTexts) next() (value, error) {
	if len(p.text) < 4 {
		return value{}, errBits
	}
	size := uint64(binary.LittleEndian.Uint32(p.text))
	if size > uint64(len(p.text)-4) {
		return value{}, errBits
	}
	v := value{bytes: p.text[4 : 4+size]}
	p.text = p.text[4+size:]
	return v, nil
}

type plainChunks struct {
	text []byte
	size int
}

func (p *plainChunks) next() (value, error) {
	if len(p.text) < p.size {
		return value{}, errBits
	}
	v := value{bytes: p.text[:p.size]}
	p.text = p.text[p.size:]
	return v, nil
}

// truths are truths in runs.
type truths struct{ runs runs }

func (t *truths) next() (value, error) {
	n, err := t.runs.next()
	return value{bits: uint64(n)}, err
}

// streams have the first bytes of all values, then the second bytes, and so on.
type streams struct {
	text        []byte
	size, count int
	at          int
	number      bool
	one         []byte
}

func (s *streams) next() (value, error) {
	if s.at >= s.count {
		return value{}, errBits
	}
	s.one = s.one[:0]
	for i := range s.size {
		s.one = append(s.one, s.text[i*s.count+s.at])
	}
	s.at++
	if s.number {
		return value{bits: number(s.one, s.size)}, nil
	}
	return value{bytes: s.one}, nil
}

// dictionary holds the values that a chunk refers to.
type dictionary struct {
	leaf *leaf
	text []byte
	// ends are where the entries end whose length is their own.
	ends  []uint32
	count int
}

// newDictionary finds the entries of a page; count is what the page declares.
func newDictionary(l *leaf, text []byte, count int) (*dictionary, error) {
	d := &dictionary{leaf: l, text: text}
	switch width := l.widthOf(); {
	case width > 0:
		d.count = len(text) / width
	case l.physical != format.ByteArray:
		return nil, damage{intray.NewMessage("parquet.dictionary_of_booleans", nil)}
	default:
		d.ends = make([]uint32, 0, min(max(count, 0), len(text)/4))
		for p := (plainTexts{text}); len(p.text) > 0; {
			if _, err := p.next(); err != nil {
				return nil, err
			}
			d.ends = append(d.ends, uint32(len(text)-len(p.text)))
		}
		d.count = len(d.ends)
	}
	if count > d.count {
		return nil, damage{intray.NewMessage("parquet.dictionary_too_short", intray.Params{"found": d.count, "declared": count})}
	}
	return d, nil
}

// bytes is the memory that a dictionary holds.
func (d *dictionary) bytes() int { return cap(d.text) + 4*cap(d.ends) }

func (d *dictionary) at(i uint32) (value, error) {
	if d == nil || uint64(i) >= uint64(d.count) {
		return value{}, damage{intray.NewMessage("parquet.outside_dictionary", nil)}
	}
	switch width := d.leaf.widthOf(); {
	case width == 0:
		from := uint32(4)
		if i > 0 {
			from += d.ends[i-1]
		}
		return value{bytes: d.text[from:d.ends[i]]}, nil
	case d.leaf.isNumber():
		return value{bits: number(d.text[int(i)*width:], width)}, nil
	default:
		return value{bytes: d.text[int(i)*width : (int(i)+1)*width]}, nil
	}
}

// indexes are places in a dictionary.
type indexes struct {
	runs runs
	dict *dictionary
}

func newIndexes(body []byte, dict *dictionary) (values, error) {
	if len(body) == 0 || body[0] > 32 {
		return nil, errBits
	}
	return &indexes{runs{text: body[1:], width: uint(body[0])}, dict}, nil
}

func (x *indexes) next() (value, error) {
	i, err := x.runs.next()
	if err != nil {
		return value{}, err
	}
	return x.dict.at(i)
}

// bitsFor is how many bits a level up to most takes.
func bitsFor(most int) uint { return uint(bits.Len(uint(most))) }
