package parquet

import (
	"encoding/binary"

	"github.com/intraydata/intray"
)

const (
	// maxBlock is the most numbers of a block of deltas, maxParts the most parts
	// that it is cut into.
	maxBlock = 1 << 20
	maxParts = 1 << 12
)

var errDelta = damage{intray.NewMessage("parquet.invalid_delta_page", nil)}

// deltas are numbers by their differences: blocks of parts, each packed with a
// width of its own above the least difference of the block.
// https://github.com/apache/parquet-format/blob/master/Encodings.md
type deltas struct {
	text []byte
	at   int
	// parts are the parts of a block, perPart the numbers of each; total counts
	// those that are still to come.
	parts, perPart int
	total          uint64
	last           uint64

	least  uint64
	widths []byte
	part   int
	// inPart is how many are left of the part at hand, which are read from bit.
	inPart int
	bit    int
	first  bool
}

func newDeltas(text []byte) (*deltas, error) {
	d := &deltas{text: text, first: true}
	block, parts, total := d.varint(), d.varint(), d.varint()
	d.last = uint64(unzigzag(d.varint()))
	if d.at < 0 || parts == 0 || parts > maxParts || block > maxBlock || block%(8*parts) != 0 || block == 0 {
		return nil, errDelta
	}
	d.parts, d.perPart, d.total = int(parts), int(block/parts), total
	d.part = d.parts
	return d, nil
}

// varint reads a number; at is negative behind one that is none.
func (d *deltas) varint() uint64 {
	if d.at < 0 {
		return 0
	}
	n, size := binary.Uvarint(d.text[d.at:])
	if size <= 0 {
		d.at = -1
		return 0
	}
	d.at += size
	return n
}

func (d *deltas) next() (value, error) {
	n, err := d.number()
	return value{bits: n}, err
}

func (d *deltas) number() (uint64, error) {
	if d.total == 0 {
		return 0, errBits
	}
	d.total--
	if d.first {
		d.first = false
		return d.last, nil
	}
	for d.inPart == 0 {
		if err := d.turn(); err != nil {
			return 0, err
		}
	}
	d.inPart--
	width := uint(d.widths[d.part-1])
	n, err := packed(d.text, d.bit, width)
	d.bit += int(width)
	d.last += d.least + n
	return d.last, err
}

// turn goes on to the next part, and the next block where there is none.
func (d *deltas) turn() error {
	if d.part == d.parts {
		d.least = uint64(unzigzag(d.varint()))
		if d.at < 0 || d.parts > len(d.text)-d.at {
			return errBits
		}
		d.widths, d.part = d.text[d.at:d.at+d.parts], 0
		d.at += d.parts
	}
	width := int(d.widths[d.part])
	if width > 64 {
		return errDelta
	}
	d.part++
	d.inPart, d.bit = d.perPart, d.at*8
	d.at = min(d.at+width*d.perPart/8, len(d.text))
	return nil
}

// end is where the bytes behind the numbers begin. Of the last block only the
// parts that hold numbers are written.
func (d *deltas) end() (int, error) {
	c := *d
	for left := c.total; left > 1; {
		if err := c.turn(); err != nil {
			return 0, err
		}
		left -= min(left-1, uint64(c.perPart))
	}
	return c.at, nil
}

// lengths are texts whose lengths stand before them all.
type lengths struct {
	sizes *deltas
	text  []byte
}

func newLengths(text []byte) (*lengths, error) {
	sizes, err := newDeltas(text)
	if err != nil {
		return nil, err
	}
	end, err := sizes.end()
	return &lengths{sizes, text[end:]}, err
}

func (l *lengths) next() (value, error) {
	size, err := l.sizes.number()
	if err != nil {
		return value{}, err
	}
	if size = uint64(uint32(size)); size > uint64(len(l.text)) {
		return value{}, errBits
	}
	v := value{bytes: l.text[:size]}
	l.text = l.text[size:]
	return v, nil
}

// prefixed are texts that begin like the one before.
type prefixed struct {
	shared *deltas
	rest   *lengths
	last   []byte
}

func newPrefixed(text []byte) (*prefixed, error) {
	shared, err := newDeltas(text)
	if err != nil {
		return nil, err
	}
	end, err := shared.end()
	if err != nil {
		return nil, err
	}
	rest, err := newLengths(text[end:])
	return &prefixed{shared: shared, rest: rest}, err
}

func (p *prefixed) next() (value, error) {
	same, err := p.shared.number()
	if err != nil {
		return value{}, err
	}
	rest, err := p.rest.next()
	if err != nil {
		return value{}, err
	}
	if same = uint64(uint32(same)); same > uint64(len(p.last)) {
		return value{}, errDelta
	}
	p.last = append(p.last[:same], rest.bytes...)
	return value{bytes: p.last}, nil
}
