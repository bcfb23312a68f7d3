package zipfile

import (
	"compress/flate"
	"encoding/binary"
	"errors"
	"io"
	"sync"
)

const (
	// historyBytes is the maximum distance to a repeated string, in bytes.
	historyBytes = 32 << 10
	// chunkBytes is the number of bytes to inflate at a time.
	chunkBytes = 32 << 10
	// fullBytes is the number of bytes after which the output must be returned.
	fullBytes = historyBytes + chunkBytes
	// maxStepBytes is the maximum number of bytes that one step of inflateBlock writes, including
	// bytes after the string that it copies.
	maxStepBytes = 2 + 258 + 8
	// inputBytes is the number of compressed bytes to read at a time.
	inputBytes = 8 << 10
)

// inflater inflates data in the format Deflate (RFC 1951). Its results and errors are those of
// compress/flate, which is slower because it moves fewer bits at a time. The offset in a
// flate.CorruptInputError can be two bytes less.
type inflater struct {
	src    io.Reader
	srcErr error
	// taken is the number of bytes that were read from src.
	taken int64
	// in[pos:end] was read but not used. bits holds the count bits before them, the next one lowest.
	in       [inputBytes]byte
	pos, end int
	bits     uint64
	count    uint

	// out[:written] was inflated, out[read:written] of it was not returned.
	out           [fullBytes + maxStepBytes]byte
	read, written int

	// inBlock is true within a block. stored is the number of bytes that a stored block still has, or -1
	// in a block with codes. last is true in the last block.
	inBlock, last bool
	stored        int
	err           error

	// fixed is true if the tables hold the codes that need no description. endBits is the length of the code
	// of the end of the block.
	fixed     bool
	endBits   uint
	literals  literalTable
	distances distanceTable
}

// inflaters are the inflaters that can be used again, because most workbooks have many small parts.
var inflaters = sync.Pool{New: func() any { return new(inflater) }}

func newInflater(src io.Reader) io.ReadCloser {
	d, ok := inflaters.Get().(*inflater)
	if !ok {
		d = new(inflater)
	}
	d.reset(src)
	return &pooledInflater{d: d}
}

// reset makes the inflater read src. It keeps the codes, of which the fixed ones can be used again.
func (d *inflater) reset(src io.Reader) {
	d.src, d.srcErr, d.taken, d.err = src, nil, 0, nil
	d.pos, d.end, d.bits, d.count = 0, 0, 0, 0
	d.read, d.written, d.inBlock, d.last, d.stored = 0, 0, false, false, 0
}

// pooledInflater is an inflater that Close returns to the pool. Another part can then use it, so a late Read
// must not reach it.
type pooledInflater struct {
	mu sync.Mutex
	d  *inflater // nil after Close
}

var errClosed = errors.New("read a closed part")

// Read returns inflated bytes.
func (p *pooledInflater) Read(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.d == nil {
		return 0, errClosed
	}
	return p.d.Read(b)
}

// Close returns the inflater to the pool.
func (p *pooledInflater) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.d != nil {
		p.d.reset(nil)
		inflaters.Put(p.d)
		p.d = nil
	}
	return nil
}

// Read returns inflated bytes. It returns io.ErrUnexpectedEOF if the data ends early, and io.EOF after the
// last block.
func (d *inflater) Read(p []byte) (int, error) {
	for d.read == d.written {
		if d.err != nil {
			return 0, d.err
		}
		if len(p) == 0 {
			return 0, nil
		}
		if d.written > historyBytes {
			copy(d.out[:], d.out[d.written-historyBytes:d.written])
			d.read, d.written = historyBytes, historyBytes
		}
		for d.err == nil && d.written < fullBytes {
			d.err = d.advance()
		}
	}
	n := copy(p, d.out[d.read:d.written])
	d.read += n
	return n, nil
}

// advance reads the header of a block or inflates some of its bytes.
func (d *inflater) advance() error {
	switch {
	case !d.inBlock && d.last:
		return io.EOF
	case !d.inBlock:
		return d.startBlock()
	case d.stored >= 0:
		return d.copyStored()
	}
	if d.end-d.pos < 16 {
		d.fill()
	}
	if err := d.inflateBlock(); err != nil || !d.inBlock || d.end-d.pos >= 8 || d.written >= fullBytes || d.srcErr == nil {
		return err
	}
	return d.inflateSymbol()
}

// fill reads more of the input.
func (d *inflater) fill() {
	if d.srcErr != nil {
		return
	}
	d.end = copy(d.in[:], d.in[d.pos:d.end])
	d.pos = 0
	for empty := 0; d.srcErr == nil && d.end < len(d.in)/2; {
		n, err := d.src.Read(d.in[d.end:])
		d.end += n
		d.taken += int64(n)
		if empty++; n > 0 {
			empty = 0
		} else if err == nil && empty > 100 {
			err = io.ErrNoProgress
		}
		d.srcErr = err
	}
}

// corrupt returns the error of data that is not in the format Deflate.
func (d *inflater) corrupt() error {
	return flate.CorruptInputError(d.taken - int64(d.end-d.pos) - int64(d.count/8))
}

// early returns the error of the input after its last byte.
func (d *inflater) early() error {
	if errors.Is(d.srcErr, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return d.srcErr
}

// take returns the next n bits, at most 32.
func (d *inflater) take(n uint) (uint32, error) {
	for d.count < n {
		if d.pos == d.end {
			if d.fill(); d.pos == d.end {
				return 0, d.early()
			}
		}
		d.bits |= uint64(d.in[d.pos]) << d.count
		d.pos++
		d.count += 8
	}
	taken := d.bits & (1<<n - 1)
	d.bits >>= n
	d.count -= n
	return uint32(taken), nil
}

// startBlock reads the header of a block.
func (d *inflater) startBlock() error {
	header, err := d.take(3)
	if err != nil {
		return err
	}
	d.inBlock, d.last, d.stored = true, header&1 != 0, -1
	switch header >> 1 {
	case 0:
		return d.startStored()
	case 1:
		d.useFixedCodes()
		return nil
	case 2:
		return d.readCodes()
	}
	return d.corrupt()
}

// startStored reads the length of a stored block, which starts at the next whole byte.
func (d *inflater) startStored() error {
	if _, err := d.take(d.count % 8); err != nil {
		return err
	}
	size, err := d.take(32)
	if err != nil {
		return err
	}
	if uint16(size) != ^uint16(size>>16) {
		return d.corrupt()
	}
	d.stored = int(size & 0xFFFF)
	return nil
}

// copyStored copies bytes of a stored block.
func (d *inflater) copyStored() error {
	for ; d.stored > 0 && d.count >= 8 && d.written < fullBytes; d.stored-- {
		b, err := d.take(8)
		if err != nil {
			return err
		}
		d.out[d.written] = byte(b)
		d.written++
	}
	if d.stored > 0 && d.written < fullBytes && d.pos == d.end {
		if d.fill(); d.pos == d.end {
			return d.early()
		}
	}
	n := copy(d.out[d.written:fullBytes], d.in[d.pos:min(d.end, d.pos+d.stored)])
	d.pos, d.written, d.stored = d.pos+n, d.written+n, d.stored-n
	d.inBlock = d.stored > 0
	return nil
}

// inflateBlock inflates the current block until it ends, the chunk is full, or less than eight bytes of the
// input are left.
func (d *inflater) inflateBlock() error {
	in, out := d.in[:d.end], &d.out
	pos, bits, count, w, corrupt := d.pos, d.bits, d.count, d.written, false
	for pos+8 <= len(in) && w < fullBytes {
		// At least 56 bits are left after this. Bits above count are those of in[pos:].
		bits |= binary.LittleEndian.Uint64(in[pos:]) << (count & 63)
		pos += int((63 - count) >> 3)
		count |= 56
		e := d.literals[bits&literalMask]
		if e&isLiteral != 0 {
			out[w] = byte(e >> valueShift)
			w++
			bits >>= e & lengthMask
			count -= uint(e & lengthMask)
			if e = d.literals[bits&literalMask]; e&isLiteral != 0 {
				out[w] = byte(e >> valueShift)
				w++
				bits >>= e & lengthMask
				count -= uint(e & lengthMask)
				e = d.literals[bits&literalMask]
				if e&isLiteral != 0 {
					continue
				}
			}
			if pos+8 > len(in) {
				break
			}
			bits |= binary.LittleEndian.Uint64(in[pos:]) << (count & 63)
			pos += int((63 - count) >> 3)
			count |= 56
		}
		if e&isSpecial != 0 {
			if e&isSubtable != 0 {
				e = d.literals[uint64(e>>valueShift)+bits>>literalBits&(1<<(e>>extraShift&extraMask)-1)]
			}
			if e&isLiteral != 0 {
				out[w] = byte(e >> valueShift)
				w++
				bits >>= e & lengthMask
				count -= uint(e & lengthMask)
				continue
			}
			if e&isSpecial != 0 {
				bits >>= e & lengthMask
				count -= uint(e & lengthMask)
				corrupt = e&isInvalid != 0
				d.inBlock = corrupt
				break
			}
		}
		bits >>= e & lengthMask
		count -= uint(e & lengthMask)
		extra := e >> extraShift & extraMask
		length := int(e>>valueShift) + int(bits&(1<<extra-1))
		bits >>= extra
		count -= uint(extra)

		e = d.distances[bits&distanceMask]
		if e&isSpecial != 0 {
			if e&isSubtable != 0 {
				e = d.distances[uint64(e>>valueShift)+bits>>distanceBits&(1<<(e>>extraShift&extraMask)-1)]
			}
			if e&isSpecial != 0 {
				bits >>= e & lengthMask
				count -= uint(e & lengthMask)
				corrupt = true
				break
			}
		}
		bits >>= e & lengthMask
		count -= uint(e & lengthMask)
		extra = e >> extraShift & extraMask
		from := w - int(e>>valueShift) - int(bits&(1<<extra-1))
		bits >>= extra
		count -= uint(extra)
		if from < 0 {
			corrupt = true
			break
		}
		copyString(out, from, w, length)
		w += length
	}
	d.pos, d.bits, d.count, d.written = pos, bits&(1<<count-1), count, w
	if corrupt {
		return d.corrupt()
	}
	return nil
}

// copyString copies length bytes to out[to:] from out[from:], which may overlap. It may change up to eight
// bytes after them.
func copyString(out *[fullBytes + maxStepBytes]byte, from, to, length int) {
	if to-from >= 8 {
		if length > 32 && to-from >= length {
			copy(out[to:to+length], out[from:to])
			return
		}
		for end := to + length; to < end; to, from = to+8, from+8 {
			binary.LittleEndian.PutUint64(out[to:], binary.LittleEndian.Uint64(out[from:]))
		}
		return
	}
	for end := to + length; to < end; to, from = to+1, from+1 {
		out[to] = out[from]
	}
}

// inflateSymbol inflates one symbol at the end of the input. Like compress/flate, it needs as many bits as the
// code of the end of the block has, because that code follows.
func (d *inflater) inflateSymbol() error {
	for d.count <= 56 && d.pos < d.end {
		d.bits |= uint64(d.in[d.pos]) << d.count
		d.pos++
		d.count += 8
	}
	if d.count < d.endBits {
		return d.early()
	}
	e := d.literals[d.bits&literalMask]
	if e&isSubtable != 0 {
		e = d.literals[uint64(e>>valueShift)+d.bits>>literalBits&(1<<(e>>extraShift&extraMask)-1)]
	}
	bits, count := d.bits, d.count
	if err := d.check(e, &bits, &count); err != nil {
		return err
	}
	switch {
	case e&isLiteral != 0:
		d.out[d.written] = byte(e >> valueShift)
		d.written++
		d.bits, d.count = bits, count
		return nil
	case e&isSpecial != 0:
		d.inBlock, d.bits, d.count = false, bits, count
		return nil
	}
	length, ok := takeValue(e, &bits, &count)
	if !ok {
		return d.early()
	}
	e = d.distances[bits&distanceMask]
	if e&isSubtable != 0 {
		e = d.distances[uint64(e>>valueShift)+bits>>distanceBits&(1<<(e>>extraShift&extraMask)-1)]
	}
	if err := d.check(e, &bits, &count); err != nil {
		return err
	}
	distance, ok := takeValue(e, &bits, &count)
	switch {
	case !ok:
		return d.early()
	case distance > d.written:
		d.bits, d.count = bits, count
		return d.corrupt()
	}
	copyString(&d.out, d.written-distance, d.written, length)
	d.written += length
	d.bits, d.count = bits, count
	return nil
}

// check takes the code of an entry. It returns an error if the code is incomplete or invalid.
func (d *inflater) check(e entryCode, bits *uint64, count *uint) error {
	n := uint(e & lengthMask)
	if n > *count {
		return d.early()
	}
	*bits >>= n
	*count -= n
	if e&isInvalid != 0 {
		d.bits, d.count = *bits, *count
		return d.corrupt()
	}
	return nil
}

// takeValue takes the extra bits of an entry and returns its value. It returns false if there are not
// enough bits.
func takeValue(e entryCode, bits *uint64, count *uint) (int, bool) {
	n := uint(e >> extraShift & extraMask)
	if n > *count {
		return 0, false
	}
	value := int(e>>valueShift) + int(*bits&(1<<n-1))
	*bits >>= n
	*count -= n
	return value, true
}
