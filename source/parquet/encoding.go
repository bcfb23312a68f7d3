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

var errBits = damage{intray.NewMessage("parquet.page_ends_early", nil)}

// packed gives the number of so many bits, at most 64, that begins at a bit; the
// least significant bit comes first.
func packed(b []byte, bit int, width uint) (uint64, error) {
	from, shift := bit>>3, uint(bit&7)
	if from+9 <= len(b) {
		n := binary.LittleEndian.Uint64(b[from:]) >> shift
		if shift > 0 {
			n |= uint64(b[from+8]) << (64 - shift)
		}
		return n & ones(width), nil
	}
	if uint(len(b))*8 < uint(bit)+width {
		return 0, errBits
	}
	n := uint64(0)
	for i := uint(0); i < width; i++ {
		at := uint(bit) + i
		n |= uint64(b[at>>3]>>(at&7)&1) << i
	}
	return n, nil
}

func ones(width uint) uint64 { return 1<<width - 1 }

// runs reads levels, indexes and truths: numbers of a few bits, packed or once
// for a whole run. A run costs nothing however long it is.
type runs struct {
	text  []byte
	at    int
	width uint
	// left is how much is left of the run at hand: of packed numbers from bit
	// on, or of one.
	left   uint64
	packed bool
	bit    int
	one    uint32
}

func (r *runs) next() (uint32, error) {
	for r.left == 0 {
		if err := r.begin(); err != nil {
			return 0, err
		}
	}
	r.left--
	if !r.packed {
		return r.one, nil
	}
	n, err := packed(r.text, r.bit, r.width)
	r.bit += int(r.width)
	return uint32(n), err
}

// begin reads the head of the next run.
func (r *runs) begin() error {
	head, size := binary.Uvarint(r.text[r.at:])
	if size <= 0 {
		return errBits
	}
	r.at += size
	if r.packed = head&1 == 1; r.packed {
		return r.beginPacked(head >> 1)
	}
	r.left, r.one = head>>1, 0
	for i := range int(r.width+7) / 8 {
		if r.at == len(r.text) {
			return errBits
		}
		r.one |= uint32(r.text[r.at]) << (8 * i)
		r.at++
	}
	return nil
}

// beginPacked notes so many groups of eight. Some programs leave out the end of
// the last group.
func (r *runs) beginPacked(groups uint64) error {
	rest := uint64(len(r.text) - r.at)
	if groups > 1<<32 || r.width > 0 && rest == 0 && groups > 0 {
		return errBits
	}
	r.left, r.bit = groups*8, r.at*8
	if r.width > 0 {
		r.left = min(r.left, rest*8/uint64(r.width))
	}
	r.at += int(min(groups*uint64(r.width), rest))
	return nil
}

// oldLevels reads levels as the oldest files have them: packed with the most
// significant bit first.
type oldLevels struct {
	text  []byte
	bit   int
	width uint
}

func (o *oldLevels) next() (n uint32, err error) {
	for range o.width {
		if o.bit>>3 >= len(o.text) {
			return 0, errBits
		}
		n = n<<1 | uint32(o.text[o.bit>>3]>>(7-o.bit&7)&1)
		o.bit++
	}
	return n, nil
}

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
