package xls

import (
	"errors"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// pieces reads a body that goes on in the CONTINUE records behind its record.
// Once something was missing, everything is: ok stays false.
type pieces struct {
	from *records
	rest []byte
	// err is what reading a CONTINUE failed with; short says that there was
	// none.
	err   error
	short bool
}

func newPieces(from *records, rec record, skip int) *pieces {
	return &pieces{from: from, rest: rec.body[min(skip, len(rec.body)):]}
}

func (p *pieces) ok() bool { return p.err == nil && !p.short }

// more goes on to the next CONTINUE.
func (p *pieces) more() bool {
	if !p.ok() {
		return false
	}
	rec, err := p.from.next()
	switch {
	case err == nil && rec.id == recContinue:
		p.rest = rec.body
		return true
	case err == nil:
		p.from.back(rec)
		p.short = true
	case errors.Is(err, io.EOF):
		p.short = true
	default:
		p.err = err
	}
	p.rest = nil
	return false
}

// empty says that nothing is left.
func (p *pieces) empty() bool {
	for len(p.rest) == 0 {
		if !p.more() {
			return true
		}
	}
	return false
}

func (p *pieces) u8() byte {
	if p.empty() {
		return 0
	}
	b := p.rest[0]
	p.rest = p.rest[1:]
	return b
}

func (p *pieces) u16() uint16 { return uint16(p.u8()) | uint16(p.u8())<<8 }

func (p *pieces) u32() uint32 { return uint32(p.u16()) | uint32(p.u16())<<16 }

func (p *pieces) skip(n int64) {
	for n > 0 && !p.empty() {
		some := min(n, int64(len(p.rest)))
		p.rest, n = p.rest[some:], n-some
	}
}

// The flags of a string.
const (
	flagWide     = 1
	flagPhonetic = 4
	flagRich     = 8
)

// appendText reads a string of so many characters: its flags, the characters,
// and what is not text behind them.
func (p *pieces) appendText(dst []byte, chars int) []byte {
	flags := p.u8()
	skip := int64(0)
	if flags&flagRich != 0 {
		skip += 4 * int64(p.u16())
	}
	if flags&flagPhonetic != 0 {
		skip += int64(p.u32())
	}
	dst = p.appendChars(dst, chars, flags&flagWide != 0)
	p.skip(skip)
	return dst
}

// appendChars reads characters of one or two bytes. Each CONTINUE in between
// begins with a flag of its own.
func (p *pieces) appendChars(dst []byte, chars int, wide bool) []byte {
	text := decoder{dst: dst}
	for chars > 0 {
		if len(p.rest) == 0 {
			if p.empty() {
				break
			}
			wide = p.rest[0]&flagWide != 0
			p.rest = p.rest[1:]
			continue
		}
		n := 0
		if wide {
			n = text.wide(p.rest, chars)
		} else {
			n = text.narrow(p.rest, chars)
		}
		if n == 0 { // cut within a character
			text.unit(p.halves())
			n = 1
		} else if p.rest = p.rest[n:]; wide {
			p.rest = p.rest[n:]
		}
		chars -= n
	}
	return text.end()
}

// halves reads a character of two bytes that two records share.
func (p *pieces) halves() uint16 {
	low := uint16(p.rest[0])
	if p.rest = nil; p.empty() {
		return low
	}
	p.rest = p.rest[1:] // the flag
	return low | uint16(p.u8())<<8
}

// decoder turns the two ways of writing characters into UTF-8.
type decoder struct {
	dst []byte
	// high is the first half of a pair, 0 where none is open.
	high uint16
}

// narrow takes at most n characters of one byte, which are those of Latin-1,
// and says how many.
func (d *decoder) narrow(raw []byte, n int) int {
	raw = raw[:min(n, len(raw))]
	d.closePair()
	for _, b := range raw {
		if b < utf8.RuneSelf {
			d.dst = append(d.dst, b)
		} else {
			d.dst = utf8.AppendRune(d.dst, rune(b))
		}
	}
	return len(raw)
}

// wide takes at most n characters of two bytes and says how many.
func (d *decoder) wide(raw []byte, n int) int {
	n = min(n, len(raw)/2)
	for i := range n {
		if unit := little.Uint16(raw[2*i:]); unit < utf8.RuneSelf && d.high == 0 {
			d.dst = append(d.dst, byte(unit))
		} else {
			d.unit(unit)
		}
	}
	return n
}

// unit takes one character or half of a pair.
func (d *decoder) unit(unit uint16) {
	if d.high != 0 {
		if r := utf16.DecodeRune(rune(d.high), rune(unit)); r != utf8.RuneError {
			d.dst, d.high = utf8.AppendRune(d.dst, r), 0
			return
		}
	}
	d.closePair()
	if unit >= 0xD800 && unit < 0xDC00 {
		d.high = unit
		return
	}
	d.dst = utf8.AppendRune(d.dst, rune(unit)) // a lone half becomes U+FFFD
}

// closePair writes U+FFFD for a first half without a second one.
func (d *decoder) closePair() {
	if d.high != 0 {
		d.dst, d.high = utf8.AppendRune(d.dst, utf8.RuneError), 0
	}
}

func (d *decoder) end() []byte {
	d.closePair()
	return d.dst
}
