package parquet

import (
	"encoding/binary"
	"math/bits"

	"github.com/parquet-go/parquet-go/format"

	"github.com/intraydata/intray"
)

// legacyDictionary is how older files name the encodings of dictionaries and of
// the places in them.
const legacyDictionary = format.Encoding(2)

// value is one value as it is stored: numbers and truths in bits, all else in
// bytes, which are gone with the next one.
type value struct {
	bits  uint64
	bytes []byte
}

// valueDecoder pulls the values of a page, one after the other.
type valueDecoder interface {
	next() (value, error)
}

// fixedWidth is how many bytes a value has, 0 where each tells its own.
func (l *leaf) fixedWidth() int {
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

// newValueDecoder reads the values of a page by its encoding.
func newValueDecoder(l *leaf, encoding format.Encoding, body []byte, dict *dictionary) (valueDecoder, error) {
	ints := l.physical == format.Int32 || l.physical == format.Int64
	fixed := l.fixedWidth()
	switch {
	case encoding == format.Plain:
		return newPlainDecoder(l, body), nil
	case encoding == legacyDictionary || encoding == format.RLEDictionary:
		return newDictionaryIndexDecoder(body, dict)
	case encoding == format.RLE && l.physical == format.Boolean:
		if len(body) < 4 {
			return nil, errPageTruncated
		}
		return &rleBoolDecoder{rleDecoder{text: body[4:], width: 1}}, nil
	case encoding == format.DeltaBinaryPacked && ints:
		return newDeltaDecoder(body)
	case encoding == format.DeltaLengthByteArray && l.physical == format.ByteArray:
		return newDeltaLengthDecoder(body)
	case encoding == format.DeltaByteArray && (l.physical == format.ByteArray || l.physical == format.FixedLenByteArray):
		return newDeltaByteArrayDecoder(body)
	case encoding == format.ByteStreamSplit && fixed > 0 && l.physical != format.Int96:
		return &byteStreamSplitDecoder{text: body, size: fixed, count: len(body) / fixed, number: l.isNumber()}, nil
	}
	return nil, damageError{intray.NewMessage("parquet.unknown_encoding", intray.Params{"encoding": encoding.String(), "type": l.physicalName()})}
}

func newPlainDecoder(l *leaf, body []byte) valueDecoder {
	switch {
	case l.physical == format.Boolean:
		return &plainBoolDecoder{text: body}
	case l.physical == format.ByteArray:
		return &plainByteArrayDecoder{text: body}
	case l.isNumber():
		return &plainNumberDecoder{text: body, size: l.fixedWidth()}
	}
	return &plainFixedDecoder{text: body, size: l.fixedWidth()}
}

type plainNumberDecoder struct {
	text []byte
	size int
}

func (p *plainNumberDecoder) next() (value, error) {
	if len(p.text) < p.size {
		return value{}, errPageTruncated
	}
	v := value{bits: readUint(p.text, p.size)}
	p.text = p.text[p.size:]
	return v, nil
}

// readUint reads 4 or 8 bytes.
func readUint(b []byte, size int) uint64 {
	if size == 4 {
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

type plainBoolDecoder struct {
	text []byte
	bit  int
}

func (p *plainBoolDecoder) next() (value, error) {
	n, err := readBits(p.text, p.bit, 1)
	p.bit++
	return value{bits: n}, err
}

type plainByteArrayDecoder struct{ text []byte }

func (p *plainByteArrayDecoder) next() (value, error) {
	if len(p.text) < 4 {
		return value{}, errPageTruncated
	}
	size := uint64(binary.LittleEndian.Uint32(p.text))
	if size > uint64(len(p.text)-4) {
		return value{}, errPageTruncated
	}
	v := value{bytes: p.text[4 : 4+size]}
	p.text = p.text[4+size:]
	return v, nil
}

type plainFixedDecoder struct {
	text []byte
	size int
}

func (p *plainFixedDecoder) next() (value, error) {
	if len(p.text) < p.size {
		return value{}, errPageTruncated
	}
	v := value{bytes: p.text[:p.size]}
	p.text = p.text[p.size:]
	return v, nil
}

// rleBoolDecoder are truths in runs.
type rleBoolDecoder struct{ runs rleDecoder }

func (t *rleBoolDecoder) next() (value, error) {
	n, err := t.runs.next()
	return value{bits: uint64(n)}, err
}

// byteStreamSplitDecoder have the first bytes of all values, then the second bytes, and so on.
type byteStreamSplitDecoder struct {
	text        []byte
	size, count int
	at          int
	number      bool
	one         []byte
}

func (s *byteStreamSplitDecoder) next() (value, error) {
	if s.at >= s.count {
		return value{}, errPageTruncated
	}
	s.one = s.one[:0]
	for i := range s.size {
		s.one = append(s.one, s.text[i*s.count+s.at])
	}
	s.at++
	if s.number {
		return value{bits: readUint(s.one, s.size)}, nil
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
	switch width := l.fixedWidth(); {
	case width > 0:
		d.count = len(text) / width
	case l.physical != format.ByteArray:
		return nil, damageError{intray.NewMessage("parquet.dictionary_of_booleans", nil)}
	default:
		d.ends = make([]uint32, 0, min(max(count, 0), len(text)/4))
		for p := (plainByteArrayDecoder{text}); len(p.text) > 0; {
			if _, err := p.next(); err != nil {
				return nil, err
			}
			d.ends = append(d.ends, uint32(len(text)-len(p.text)))
		}
		d.count = len(d.ends)
	}
	if count > d.count {
		return nil, damageError{intray.NewMessage("parquet.dictionary_too_short", intray.Params{"found": d.count, "declared": count})}
	}
	return d, nil
}

// memory is the memory that a dictionary holds.
func (d *dictionary) memory() int { return cap(d.text) + 4*cap(d.ends) }

func (d *dictionary) lookup(i uint32) (value, error) {
	if d == nil || uint64(i) >= uint64(d.count) {
		return value{}, damageError{intray.NewMessage("parquet.outside_dictionary", nil)}
	}
	switch width := d.leaf.fixedWidth(); {
	case width == 0:
		from := uint32(4)
		if i > 0 {
			from += d.ends[i-1]
		}
		return value{bytes: d.text[from:d.ends[i]]}, nil
	case d.leaf.isNumber():
		return value{bits: readUint(d.text[int(i)*width:], width)}, nil
	default:
		return value{bytes: d.text[int(i)*width : (int(i)+1)*width]}, nil
	}
}

// dictionaryIndexDecoder are places in a dictionary.
type dictionaryIndexDecoder struct {
	runs rleDecoder
	dict *dictionary
}

func newDictionaryIndexDecoder(body []byte, dict *dictionary) (valueDecoder, error) {
	if len(body) == 0 || body[0] > 32 {
		return nil, errPageTruncated
	}
	return &dictionaryIndexDecoder{rleDecoder{text: body[1:], width: uint(body[0])}, dict}, nil
}

func (x *dictionaryIndexDecoder) next() (value, error) {
	i, err := x.runs.next()
	if err != nil {
		return value{}, err
	}
	return x.dict.lookup(i)
}

// bitsFor is how many bits a level up to most takes.
func bitsFor(most int) uint { return uint(bits.Len(uint(most))) }

var errPageTruncated = damageError{intray.NewMessage("parquet.page_ends_early", nil)}

// readBits gives the number of so many bits, at most 64, that begins at a bit; the
// least significant bit comes first.
func readBits(b []byte, bit int, width uint) (uint64, error) {
	from, shift := bit>>3, uint(bit&7)
	if from+9 <= len(b) {
		n := binary.LittleEndian.Uint64(b[from:]) >> shift
		if shift > 0 {
			n |= uint64(b[from+8]) << (64 - shift)
		}
		return n & bitMask(width), nil
	}
	if uint(len(b))*8 < uint(bit)+width {
		return 0, errPageTruncated
	}
	n := uint64(0)
	for i := uint(0); i < width; i++ {
		at := uint(bit) + i
		n |= uint64(b[at>>3]>>(at&7)&1) << i
	}
	return n, nil
}

func bitMask(width uint) uint64 { return 1<<width - 1 }

// rleDecoder reads levels, indexes and truths: numbers of a few bits, packed or once
// for a whole run. A run costs nothing however long it is.
type rleDecoder struct {
	text  []byte
	at    int
	width uint
	// left is how much is left of the run at hand: of packed numbers from bit
	// on, or of one.
	left     uint64
	packed   bool
	bit      int
	runValue uint32
}

func (r *rleDecoder) next() (uint32, error) {
	for r.left == 0 {
		if err := r.beginRun(); err != nil {
			return 0, err
		}
	}
	r.left--
	if !r.packed {
		return r.runValue, nil
	}
	n, err := readBits(r.text, r.bit, r.width)
	r.bit += int(r.width)
	return uint32(n), err
}

// beginRun reads the head of the next run.
func (r *rleDecoder) beginRun() error {
	head, size := binary.Uvarint(r.text[r.at:])
	if size <= 0 {
		return errPageTruncated
	}
	r.at += size
	if r.packed = head&1 == 1; r.packed {
		return r.beginPackedRun(head >> 1)
	}
	r.left, r.runValue = head>>1, 0
	for i := range int(r.width+7) / 8 {
		if r.at == len(r.text) {
			return errPageTruncated
		}
		r.runValue |= uint32(r.text[r.at]) << (8 * i)
		r.at++
	}
	return nil
}

// beginPackedRun notes so many groups of eight. Some programs leave out the end of
// the last group.
func (r *rleDecoder) beginPackedRun(groups uint64) error {
	rest := uint64(len(r.text) - r.at)
	if groups > 1<<32 || r.width > 0 && rest == 0 && groups > 0 {
		return errPageTruncated
	}
	r.left, r.bit = groups*8, r.at*8
	if r.width > 0 {
		r.left = min(r.left, rest*8/uint64(r.width))
	}
	r.at += int(min(groups*uint64(r.width), rest))
	return nil
}

// bitPackedDecoder reads levels as the oldest files have them: packed with the most
// significant bit first.
type bitPackedDecoder struct {
	text  []byte
	bit   int
	width uint
}

func (o *bitPackedDecoder) next() (n uint32, err error) {
	for range o.width {
		if o.bit>>3 >= len(o.text) {
			return 0, errPageTruncated
		}
		n = n<<1 | uint32(o.text[o.bit>>3]>>(7-o.bit&7)&1)
		o.bit++
	}
	return n, nil
}

const (
	// maxBlockValues is the most numbers of a block of deltas, maxMiniblocks the most parts
	// that it is cut into.
	maxBlockValues = 1 << 20
	maxMiniblocks  = 1 << 12
)

var errDelta = damageError{intray.NewMessage("parquet.invalid_delta_page", nil)}

// deltaDecoder are numbers by their differences: blocks of parts, each packed with a
// width of its own above the least difference of the block.
// https://github.com/apache/parquet-format/blob/master/Encodings.md
type deltaDecoder struct {
	text []byte
	at   int
	// parts are the parts of a block, valuesPerMiniblock the numbers of each; total counts
	// those that are still to come.
	miniblocks, valuesPerMiniblock int
	total                          uint64
	last                           uint64

	minDelta  uint64
	bitWidths []byte
	miniblock int
	// miniblockLeft is how many are left of the part at hand, which are read from bit.
	miniblockLeft int
	bit           int
	first         bool
}

func newDeltaDecoder(text []byte) (*deltaDecoder, error) {
	d := &deltaDecoder{text: text, first: true}
	block, parts, total := d.varint(), d.varint(), d.varint()
	d.last = uint64(unzigzag(d.varint()))
	if d.at < 0 || parts == 0 || parts > maxMiniblocks || block > maxBlockValues || block%(8*parts) != 0 || block == 0 {
		return nil, errDelta
	}
	d.miniblocks, d.valuesPerMiniblock, d.total = int(parts), int(block/parts), total
	d.miniblock = d.miniblocks
	return d, nil
}

// varint reads a number; at is negative behind one that is none.
func (d *deltaDecoder) varint() uint64 {
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

func (d *deltaDecoder) next() (value, error) {
	n, err := d.nextUint()
	return value{bits: n}, err
}

func (d *deltaDecoder) nextUint() (uint64, error) {
	if d.total == 0 {
		return 0, errPageTruncated
	}
	d.total--
	if d.first {
		d.first = false
		return d.last, nil
	}
	for d.miniblockLeft == 0 {
		if err := d.nextMiniblock(); err != nil {
			return 0, err
		}
	}
	d.miniblockLeft--
	width := uint(d.bitWidths[d.miniblock-1])
	n, err := readBits(d.text, d.bit, width)
	d.bit += int(width)
	d.last += d.minDelta + n
	return d.last, err
}

// nextMiniblock goes on to the next part, and the next block where there is none.
func (d *deltaDecoder) nextMiniblock() error {
	if d.miniblock == d.miniblocks {
		d.minDelta = uint64(unzigzag(d.varint()))
		if d.at < 0 || d.miniblocks > len(d.text)-d.at {
			return errPageTruncated
		}
		d.bitWidths, d.miniblock = d.text[d.at:d.at+d.miniblocks], 0
		d.at += d.miniblocks
	}
	width := int(d.bitWidths[d.miniblock])
	if width > 64 {
		return errDelta
	}
	d.miniblock++
	d.miniblockLeft, d.bit = d.valuesPerMiniblock, d.at*8
	d.at = min(d.at+width*d.valuesPerMiniblock/8, len(d.text))
	return nil
}

// endOffset is where the bytes behind the numbers begin. Of the last block only the
// parts that hold numbers are written.
func (d *deltaDecoder) endOffset() (int, error) {
	c := *d
	for left := c.total; left > 1; {
		if err := c.nextMiniblock(); err != nil {
			return 0, err
		}
		left -= min(left-1, uint64(c.valuesPerMiniblock))
	}
	return c.at, nil
}

// deltaLengthDecoder are texts whose lengths stand before them all.
type deltaLengthDecoder struct {
	sizes *deltaDecoder
	text  []byte
}

func newDeltaLengthDecoder(text []byte) (*deltaLengthDecoder, error) {
	sizes, err := newDeltaDecoder(text)
	if err != nil {
		return nil, err
	}
	end, err := sizes.endOffset()
	return &deltaLengthDecoder{sizes, text[end:]}, err
}

func (l *deltaLengthDecoder) next() (value, error) {
	size, err := l.sizes.nextUint()
	if err != nil {
		return value{}, err
	}
	if size = uint64(uint32(size)); size > uint64(len(l.text)) {
		return value{}, errPageTruncated
	}
	v := value{bytes: l.text[:size]}
	l.text = l.text[size:]
	return v, nil
}

// deltaByteArrayDecoder are texts that begin like the one before.
type deltaByteArrayDecoder struct {
	shared *deltaDecoder
	rest   *deltaLengthDecoder
	last   []byte
}

func newDeltaByteArrayDecoder(text []byte) (*deltaByteArrayDecoder, error) {
	shared, err := newDeltaDecoder(text)
	if err != nil {
		return nil, err
	}
	end, err := shared.endOffset()
	if err != nil {
		return nil, err
	}
	rest, err := newDeltaLengthDecoder(text[end:])
	return &deltaByteArrayDecoder{shared: shared, rest: rest}, err
}

func (p *deltaByteArrayDecoder) next() (value, error) {
	same, err := p.shared.nextUint()
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
