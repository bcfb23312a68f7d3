package parquetio

import (
	"encoding/binary"

	"github.com/intraydata/intray"
)

var errPageTruncated = Damaged(intray.NewMessage("parquet.page_ends_early", nil))

// readBits returns the number that is stored in width bits of b, starting at the given bit.
// width is at most 64. The least significant bit is first.
func readBits(b []byte, bit int, width uint) (uint64, error) {
	from, shift := bit>>3, uint(bit&7)
	if from+9 <= len(b) {
		n := binary.LittleEndian.Uint64(b[from:]) >> shift
		if shift > 0 {
			n |= uint64(b[from+8]) << (64 - shift)
		}
		return n & (1<<width - 1), nil
	}
	if uint(len(b))*8 < uint(bit)+width {
		return 0, errPageTruncated
	}
	n := uint64(0)
	for i := range width {
		at := uint(bit) + i
		n |= uint64(b[at>>3]>>(at&7)&1) << i
	}
	return n, nil
}

// rleDecoder decodes numbers of up to 32 bits in the RLE/bit-packing hybrid encoding, which
// Parquet uses for levels, dictionary indexes and booleans. Runs hold either bit-packed
// numbers or one repeated number. Decoding a run takes constant memory.
// https://github.com/apache/parquet-format/blob/master/Encodings.md
type rleDecoder struct {
	text  []byte
	pos   int
	width uint
	// left is the number of values left in the current run. In a packed run, bit is the index of
	// the bit at which the next number starts. In any other run, all numbers are equal to
	// repeated.
	left     uint64
	packed   bool
	bit      int
	repeated uint32
}

func (d *rleDecoder) next() (uint32, error) {
	for d.left == 0 {
		if err := d.beginRun(); err != nil {
			return 0, err
		}
	}
	d.left--
	if !d.packed {
		return d.repeated, nil
	}
	n, err := readBits(d.text, d.bit, d.width)
	d.bit += int(d.width)
	return uint32(n), err
}

func (d *rleDecoder) beginRun() error {
	head, size := binary.Uvarint(d.text[d.pos:])
	if size <= 0 {
		return errPageTruncated
	}
	d.pos += size
	if d.packed = head&1 == 1; d.packed {
		return d.beginPackedRun(head >> 1)
	}
	d.left, d.repeated = head>>1, 0
	for i := range (d.width + 7) / 8 {
		if d.pos == len(d.text) {
			return errPageTruncated
		}
		d.repeated |= uint32(d.text[d.pos]) << (8 * i)
		d.pos++
	}
	return nil
}

// beginPackedRun begins a run of packed numbers in groups of eight. Some programs omit the end
// of the last group.
func (d *rleDecoder) beginPackedRun(groups uint64) error {
	rest := uint64(len(d.text) - d.pos)
	if groups > 1<<32 || d.width > 0 && rest == 0 && groups > 0 {
		return errPageTruncated
	}
	d.left, d.bit = groups*8, d.pos*8
	if d.width > 0 {
		d.left = min(d.left, rest*8/uint64(d.width))
	}
	d.pos += int(min(groups*uint64(d.width), rest))
	return nil
}

// packedLevelDecoder decodes levels in the deprecated BIT_PACKED encoding, which stores the
// most significant bit first.
type packedLevelDecoder struct {
	text  []byte
	bit   int
	width uint
}

func (d *packedLevelDecoder) next() (n uint32, err error) {
	for range d.width {
		if d.bit>>3 >= len(d.text) {
			return 0, errPageTruncated
		}
		n = n<<1 | uint32(d.text[d.bit>>3]>>(7-d.bit&7)&1)
		d.bit++
	}
	return n, nil
}

const (
	// maxBlockValues is the maximum number of deltas in a block. maxMiniblocks is the maximum
	// number of miniblocks in a block.
	maxBlockValues = 1 << 20
	maxMiniblocks  = 1 << 12
)

var errDelta = Damaged(intray.NewMessage("parquet.invalid_delta_page", nil))

// deltaDecoder decodes the DELTA_BINARY_PACKED encoding, which stores the differences between
// successive numbers. A block stores the minimum difference. Its miniblocks store how much
// each difference exceeds that minimum, packed with a bit width per miniblock.
// https://github.com/apache/parquet-format/blob/master/Encodings.md
type deltaDecoder struct {
	text []byte
	// pos is the offset in text of the next header or miniblock. It is negative after a number
	// that could not be read.
	pos int
	// miniblocks is the number of miniblocks in a block, and miniblockValues is the number of
	// values in each. left is the number of values not yet read.
	miniblocks, miniblockValues int
	left                        uint64
	started                     bool
	last                        uint64

	minDelta uint64
	widths   []byte
	// miniblock is the index of the next miniblock in the block. miniblockLeft is the number of
	// values left in the current miniblock. bit is the index of the bit at which the next of
	// these values starts, and width is the number of bits per value.
	miniblock, miniblockLeft, bit int
	width                         uint
}

func (d *deltaDecoder) init(text []byte) error {
	*d = deltaDecoder{text: text}
	values, miniblocks := d.readVarint(), d.readVarint()
	d.left = d.readVarint()
	d.last = uint64(unzigzag(d.readVarint()))
	if d.pos < 0 || miniblocks == 0 || miniblocks > maxMiniblocks || values > maxBlockValues || values%(8*miniblocks) != 0 || values == 0 {
		return errDelta
	}
	d.miniblocks, d.miniblockValues = int(miniblocks), int(values/miniblocks)
	d.miniblock = d.miniblocks
	return nil
}

func (d *deltaDecoder) readVarint() uint64 {
	if d.pos < 0 {
		return 0
	}
	n, size := binary.Uvarint(d.text[d.pos:])
	if size <= 0 {
		d.pos = -1
		return 0
	}
	d.pos += size
	return n
}

func (d *deltaDecoder) next() (uint64, error) {
	if d.left == 0 {
		return 0, errPageTruncated
	}
	d.left--
	if !d.started {
		d.started = true
		return d.last, nil
	}
	for d.miniblockLeft == 0 {
		if err := d.nextMiniblock(); err != nil {
			return 0, err
		}
	}
	d.miniblockLeft--
	n, err := readBits(d.text, d.bit, d.width)
	d.bit += int(d.width)
	d.last += d.minDelta + n
	return d.last, err
}

func (d *deltaDecoder) nextMiniblock() error {
	if d.miniblock == d.miniblocks {
		d.minDelta = uint64(unzigzag(d.readVarint()))
		if d.pos < 0 || d.miniblocks > len(d.text)-d.pos {
			return errPageTruncated
		}
		d.widths, d.miniblock = d.text[d.pos:d.pos+d.miniblocks], 0
		d.pos += d.miniblocks
	}
	if d.width = uint(d.widths[d.miniblock]); d.width > 64 {
		return errDelta
	}
	d.miniblock++
	d.miniblockLeft, d.bit = d.miniblockValues, d.pos*8
	d.pos = min(d.pos+int(d.width)*d.miniblockValues/8, len(d.text))
	return nil
}

// rest returns the bytes after the last number. The last block may have fewer miniblocks than
// the others.
func (d *deltaDecoder) rest() ([]byte, error) {
	c := *d
	for left := c.left; left > 1; left -= min(left-1, uint64(c.miniblockValues)) {
		if err := c.nextMiniblock(); err != nil {
			return nil, err
		}
	}
	return c.text[c.pos:], nil
}
