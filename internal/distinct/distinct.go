// Package distinct numbers the distinct texts of a column.
//
// A [Table] assigns each distinct text a code, in the order of first occurrence. Codes replace the
// texts of columns that repeat, so that each distinct text is processed once.
package distinct

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math/bits"

	"github.com/intraydata/intray"
)

// Table numbers distinct texts. Call Reset before the first text. A Table reuses memory and must not be
// used concurrently.
type Table struct {
	// Texts holds the distinct texts, by code.
	Texts intray.Texts

	entries []entry
	// slots is a hash table with open addressing. It holds codes plus one. Its length is a power of two.
	slots []uint32
	seed  maphash.Seed
	seeds [2]uint64
}

// entry identifies a text. Up to 16 bytes, the length and two words that cover the text are the
// identity. Longer texts have a hash as the first word, and their bytes must be compared.
type entry struct {
	first, last uint64
	tag         uint64
}

// minSlots is the initial number of slots.
const minSlots = 256

// Reset removes all texts and retains the allocated memory.
func (t *Table) Reset() {
	if t.slots == nil {
		t.slots, t.seed = make([]uint32, minSlots), maphash.MakeSeed()
		// The texts are untrusted: nobody may be able to predict which of them collide.
		t.seeds[0], t.seeds[1] = maphash.String(t.seed, "first"), maphash.String(t.seed, "last")
	} else if len(t.entries) > 0 {
		clear(t.slots)
	}
	t.Texts.Reset()
	t.entries = t.entries[:0]
}

// Len returns the number of distinct texts.
func (t *Table) Len() int { return len(t.entries) }

// Code returns the code of a text, and adds the text if it is new. Equal texts with different marks have
// different codes.
func (t *Table) Code(text []byte, mark uint8) int32 {
	n := len(text)
	e := entry{tag: uint64(n)<<8 | uint64(mark)}
	switch {
	case n > 16:
		e.first = maphash.Bytes(t.seed, text)
	case n >= 8:
		e.first, e.last = binary.LittleEndian.Uint64(text), binary.LittleEndian.Uint64(text[n-8:])
	case n >= 4:
		e.first = uint64(binary.LittleEndian.Uint32(text)) | uint64(binary.LittleEndian.Uint32(text[n-4:]))<<32
	case n > 0:
		e.first = uint64(text[0]) | uint64(text[n>>1])<<8 | uint64(text[n-1])<<16
	}
	mask := uint64(len(t.slots) - 1)
	at := t.hash(&e) & mask
	for ; t.slots[at] != 0; at = (at + 1) & mask {
		code := t.slots[at] - 1
		if t.entries[code] == e && (n <= 16 || bytes.Equal(t.Texts.At(int(code)), text)) {
			return int32(code)
		}
	}
	return t.add(text, e, at)
}

func (t *Table) hash(e *entry) uint64 {
	high, low := bits.Mul64(e.first^t.seeds[0], e.last^t.seeds[1]^e.tag)
	return high ^ low
}

func (t *Table) add(text []byte, e entry, at uint64) int32 {
	t.Texts.Append(text)
	t.entries = append(t.entries, e)
	t.slots[at] = uint32(len(t.entries))
	if 2*len(t.entries) > len(t.slots) {
		t.grow()
	}
	return int32(len(t.entries) - 1)
}

// grow doubles the number of slots.
func (t *Table) grow() {
	t.slots = make([]uint32, 2*len(t.slots))
	mask := uint64(len(t.slots) - 1)
	for i := range t.entries {
		at := t.hash(&t.entries[i]) & mask
		for t.slots[at] != 0 {
			at = (at + 1) & mask
		}
		t.slots[at] = uint32(i + 1)
	}
}

const (
	// minTexts is the minimum number of texts for which numbering pays. maxTexts is the maximum number
	// of distinct texts, and minRepeats is the minimum of their occurrences, on average.
	minTexts   = 16
	maxTexts   = 8192
	minRepeats = 2
	// maxBytes is the maximum size of the distinct texts, in bytes.
	maxBytes = 16 << 20
	// Numbering ends early if there are more than firstMost texts among the first firstLook, or more
	// than secondMost among the first secondLook.
	firstLook, firstMost   = 256, 230
	secondLook, secondMost = 1000, 850
)

// MaxCodes returns the maximum number of distinct texts for which it pays to number n texts.
func MaxCodes(n int) int {
	if n < minTexts {
		return 0
	}
	return min(n/minRepeats, maxTexts)
}

// Pays reports whether it still pays to number the texts of a column, after the text with index i. most is
// MaxCodes of their number.
func (t *Table) Pays(i, most int) bool {
	n := len(t.entries)
	return n <= most && len(t.Texts.Arena) <= maxBytes && (i != firstLook || n <= firstMost) && (i != secondLook || n <= secondMost)
}
