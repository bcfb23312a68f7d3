package charset

import (
	"encoding/binary"
	"unicode/utf8"
)

// Checker checks whether a stream is strict UTF-8, without stray bytes, overlong encodings or
// surrogates. The zero value is ready to use. Write the stream to it in parts of any size.
type Checker struct {
	offset  int64
	invalid int64
	first   int64
	high    bool
	pending int
	tail    [utf8.UTFMax]byte
}

// Write checks the next part of the stream. It never returns an error.
func (c *Checker) Write(p []byte) (int, error) {
	size := len(p)
	for c.pending > 0 && len(p) > 0 {
		p = c.resume(p)
	}
	for len(p) > 0 {
		good := validPrefix(p)
		c.accept(p[:good])
		p = p[good:]
		if len(p) == 0 {
			break
		}
		if !utf8.FullRune(p) {
			c.pending = copy(c.tail[:], p)
			break
		}
		c.reject()
		p = p[1:]
	}
	return size, nil
}

// resume adds one byte to an incomplete character and returns the rest of p.
func (c *Checker) resume(p []byte) []byte {
	c.tail[c.pending] = p[0]
	c.pending++
	if !utf8.FullRune(c.tail[:c.pending]) {
		return p[1:]
	}
	held := c.tail
	count := c.pending
	c.pending = 0
	if _, n := utf8.DecodeRune(held[:count]); n == count {
		c.accept(held[:count])
		return p[1:]
	}
	// The new byte may start a character, so it is not rejected. All bytes before it are invalid.
	for range count - 1 {
		c.reject()
	}
	return p
}

func (c *Checker) accept(good []byte) {
	c.offset += int64(len(good))
	c.high = c.high || !isASCII(good)
}

func (c *Checker) reject() {
	if c.invalid == 0 {
		c.first = c.offset
	}
	c.invalid++
	c.high = true
	c.offset++
}

// Invalid returns the number of invalid bytes. It does not count an incomplete character at
// the end of the stream. See Unfinished.
func (c *Checker) Invalid() int64 { return c.invalid }

// FirstInvalid returns the offset of the first invalid byte, or -1 if there is none. The text
// around it is the best sample for Detect.
func (c *Checker) FirstInvalid() int64 {
	if c.invalid == 0 {
		return -1
	}
	return c.first
}

// Unfinished reports whether the stream ends inside a character.
func (c *Checker) Unfinished() bool { return c.pending > 0 }

// ASCII reports whether all bytes are ASCII.
func (c *Checker) ASCII() bool { return !c.high && c.pending == 0 }

// isASCII reports whether all bytes of p are ASCII.
func isASCII(p []byte) bool { return asciiPrefix(p) == len(p) }

const highBits = 0x8080808080808080

// asciiPrefix returns the number of ASCII bytes at the start of p.
func asciiPrefix(p []byte) int {
	i := 0
	for ; i+32 <= len(p); i += 32 {
		q := p[i : i+32 : i+32]
		all := binary.LittleEndian.Uint64(q) | binary.LittleEndian.Uint64(q[8:]) |
			binary.LittleEndian.Uint64(q[16:]) | binary.LittleEndian.Uint64(q[24:])
		if all&highBits != 0 {
			break
		}
	}
	for i < len(p) && p[i] < 0x80 {
		i++
	}
	return i
}

// Blocks grow from firstBlock to lastBlock while they are valid, so the cost of finding an
// invalid byte is proportional to the number of bytes before it.
const (
	firstBlock = 64
	lastBlock  = 4096
)

// validPrefix returns the number of bytes of p before the first invalid or incomplete character.
func validPrefix(p []byte) int {
	i, ok := skipValidRunes(p, firstBlock)
	for size := firstBlock; ok && i < len(p); size = min(2*size, lastBlock) {
		block := p[i:min(len(p), i+size)]
		block = block[:wholeCharacters(block)]
		if len(block) == 0 || !utf8.Valid(block) {
			break
		}
		i += len(block)
	}
	n, _ := skipValidRunes(p[i:], len(p))
	return i + n
}

// skipValidRunes returns the offset after the valid characters that start before limit. ok is
// false if it stopped at an invalid or incomplete character.
func skipValidRunes(p []byte, limit int) (i int, ok bool) {
	for i < min(limit, len(p)) {
		r, n := utf8.DecodeRune(p[i:])
		if r == utf8.RuneError && n <= 1 {
			return i, false
		}
		i += n
	}
	return i, true
}

// wholeCharacters returns the offset of the last character of p, which may be incomplete.
func wholeCharacters(p []byte) int {
	for i := len(p) - 1; i >= max(0, len(p)-utf8.UTFMax); i-- {
		if utf8.RuneStart(p[i]) {
			return i
		}
	}
	return 0
}
