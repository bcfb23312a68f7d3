package draft

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strings"
	"unicode/utf8"
)

// needle is the text of a search that ignores case.
type needle struct {
	text []byte
	// whole is set if texts must equal the needle instead of containing it.
	whole bool
	// ascii is set if the text is ASCII. folds is set if letters outside ASCII fold to some of its letters:
	// it contains i, k or s. For example, the Kelvin sign folds to k.
	ascii, folds bool
	// probes are three successive bytes of the text, repeated in each byte of a word. The first is at
	// position probe of the text. ignored are the bits that are set before a word is compared with a probe:
	// the bit that distinguishes lower case or, if the text is shorter, all bits.
	probes, ignored [probeCount]uint64
	probe           int
}

const probeCount = 3

const (
	// eachByte is a word whose bytes are 1. caseBits has the bit set that distinguishes the case of ASCII
	// letters, in each byte, and highBits the bit of bytes outside ASCII.
	eachByte = 0x0101010101010101
	caseBits = 0x20 * eachByte
	highBits = 0x80 * eachByte
	anyByte  = 0xff * eachByte
)

func newNeedle(text string) *needle {
	n := &needle{text: foldCase([]byte(text), nil)}
	n.ascii = isASCII(n.text)
	n.folds = bytes.ContainsAny(n.text, "iks")
	least := -1
	for i := range max(1, len(n.text)-probeCount+1) {
		common := 0
		for k := i; k < min(i+probeCount, len(n.text)); k++ {
			common += commonness(n.text[k])
		}
		if least < 0 || common < least {
			n.probe, least = i, common
		}
	}
	for i := range n.probes {
		n.ignored[i], n.probes[i] = anyByte, anyByte
		if n.probe+i < len(n.text) {
			n.ignored[i], n.probes[i] = caseBits, uint64(n.text[n.probe+i])*eachByte|caseBits
		}
	}
	return n
}

// commonness estimates how often a byte occurs in cells.
func commonness(c byte) int {
	switch {
	case strings.IndexByte("etaoinsr ./", c) >= 0:
		return 3
	case c >= '0' && c <= '9' || strings.IndexByte("lhdcumpg", c) >= 0:
		return 2
	}
	return 1
}

// foldCase returns text with case differences removed.
func foldCase(text, scratch []byte) []byte {
	if !isASCII(text) {
		return bytes.ToLower(bytes.ToUpper(text))
	}
	return appendLower(scratch[:0], text)
}

func isASCII(text []byte) bool {
	all := uint64(0)
	for ; len(text) >= 8; text = text[8:] {
		all |= binary.LittleEndian.Uint64(text)
	}
	last := byte(0)
	for _, c := range text {
		last |= c
	}
	return all&highBits == 0 && last < utf8.RuneSelf
}

// lower returns c in lower case if it is an ASCII letter.
func lower(c byte) byte {
	if c-'A' < 26 {
		c |= 0x20
	}
	return c
}

// appendLower appends text, with the letters A to Z converted to lower case.
func appendLower(to, text []byte) []byte {
	at := len(to)
	to = append(to, text...)
	for i, c := range to[at:] {
		to[at+i] = lower(c)
	}
	return to
}

// mayFold reports whether text may contain the needle after letters outside ASCII have been folded.
func (n *needle) mayFold(text []byte) bool {
	switch {
	case n.ascii && !n.folds || isASCII(text):
		return false
	case !n.ascii:
		return true
	}
	for _, letter := range asciiFolds {
		if bytes.Contains(text, letter) {
			return true
		}
	}
	return false
}

// asciiFolds are the letters outside ASCII that fold to ASCII: ı, İ, ſ and the Kelvin sign.
var asciiFolds = [][]byte{[]byte("\u0131"), []byte("\u0130"), []byte("\u017f"), []byte("\u212a")}

// occurrences finds the occurrences of a needle in a text. It ignores the case of ASCII letters only.
type occurrences struct {
	needle *needle
	text   []byte
	// wasted is the number of bytes that were compared in vain.
	wasted int
	// lowered is the rest of the text in lower case, from position lowerFrom, or nil.
	lowered   []byte
	lowerFrom int
}

// maxWasted is the maximum of wasted for each byte of the text.
const maxWasted = 8

// next returns the position of the first occurrence that does not begin before from, or -1.
func (o *occurrences) next(from int, scratch *[]byte) int {
	n, text := o.needle, o.text
	at := from + n.probe
	probes, ignored := n.probes, n.ignored
	for ; o.lowered == nil && at+8+probeCount-1 <= len(text); at += 8 {
		words := text[at : at+8+probeCount-1]
		differs := (binary.LittleEndian.Uint64(words) | ignored[0]) ^ probes[0]
		differs |= (binary.LittleEndian.Uint64(words[1:]) | ignored[1]) ^ probes[1]
		differs |= (binary.LittleEndian.Uint64(words[2:]) | ignored[2]) ^ probes[2]
		equal := (differs - eachByte) &^ differs & highBits
		if equal == 0 {
			continue
		}
		// Each byte without a difference has its highest bit set, and possibly others.
		for ; equal != 0; equal &= equal - 1 {
			start := at + bits.TrailingZeros64(equal)/8 - n.probe
			if o.isAt(start) {
				return start
			}
		}
		if o.wasted > maxWasted*len(text) {
			o.lowerFrom = max(at+8-n.probe, 0)
			*scratch = appendLower((*scratch)[:0], text[o.lowerFrom:])
			o.lowered = *scratch
		}
	}
	if o.lowered != nil {
		from = max(from, o.lowerFrom)
		if found := bytes.Index(o.lowered[min(from-o.lowerFrom, len(o.lowered)):], n.text); found >= 0 {
			return from + found
		}
		return -1
	}
	for start := at - n.probe; start+len(n.text) <= len(text); start++ {
		if o.isAt(start) {
			return start
		}
	}
	return -1
}

// isAt reports whether the needle occurs at a position.
func (o *occurrences) isAt(start int) bool {
	end := start + len(o.needle.text)
	if end > len(o.text) {
		return false
	}
	for i, c := range o.text[start:end] {
		if lower(c) != o.needle.text[i] {
			o.wasted += i + 1
			return false
		}
	}
	return true
}
