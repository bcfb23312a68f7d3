package parquet

import (
	"encoding/binary"

	"github.com/intraydata/intray"
)

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
