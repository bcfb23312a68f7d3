package xls

import (
	"errors"
	"fmt"
	"io"
	"math"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// continuedReader reads the body of a record and of the CONTINUE records that follow
// it. Reading past the end sets truncated and returns zeros.
type continuedReader struct {
	from *recordReader
	rest []byte
	// err is the error that occurred while reading a CONTINUE record, or nil.
	err error
	// truncated is true if the data ended too early, for example because a CONTINUE record is
	// missing.
	truncated bool
}

func newContinuedReader(from *recordReader, rec record, skip int) *continuedReader {
	return &continuedReader{from: from, rest: rec.body[min(skip, len(rec.body)):]}
}

func (p *continuedReader) valid() bool { return p.err == nil && !p.truncated }

// nextContinue moves to the next CONTINUE record.
func (p *continuedReader) nextContinue() bool {
	if !p.valid() {
		return false
	}
	rec, err := p.from.next()
	switch {
	case err == nil && rec.id == recContinue:
		p.rest = rec.body
		return true
	case err == nil:
		p.from.unread(rec)
		p.truncated = true
	case errors.Is(err, io.EOF):
		p.truncated = true
	default:
		p.err = err
	}
	p.rest = nil
	return false
}

// atEnd reports whether no bytes are left.
func (p *continuedReader) atEnd() bool {
	for len(p.rest) == 0 {
		if !p.nextContinue() {
			return true
		}
	}
	return false
}

func (p *continuedReader) readUint8() byte {
	if p.atEnd() {
		return 0
	}
	b := p.rest[0]
	p.rest = p.rest[1:]
	return b
}

func (p *continuedReader) readUint16() uint16 {
	return uint16(p.readUint8()) | uint16(p.readUint8())<<8
}

func (p *continuedReader) readUint32() uint32 {
	return uint32(p.readUint16()) | uint32(p.readUint16())<<16
}

func (p *continuedReader) skip(n int64) {
	for n > 0 && !p.atEnd() {
		some := min(n, int64(len(p.rest)))
		p.rest, n = p.rest[some:], n-some
	}
}

// Flags of a string.
const (
	flagUTF16    = 1
	flagPhonetic = 4
	flagRich     = 8
)

// appendText reads the flags and the given number of characters of a string, appends
// the characters to dst, and skips the data after them, which is not text.
func (p *continuedReader) appendText(dst []byte, chars int) []byte {
	flags := p.readUint8()
	skip := int64(0)
	if flags&flagRich != 0 {
		skip += 4 * int64(p.readUint16())
	}
	if flags&flagPhonetic != 0 {
		skip += int64(p.readUint32())
	}
	dst = p.appendChars(dst, chars, flags&flagUTF16 != 0)
	p.skip(skip)
	return dst
}

// appendChars appends characters of two bytes if wide is true, and of one byte otherwise. Each
// CONTINUE record starts with a flag that determines the width of the characters in it.
func (p *continuedReader) appendChars(dst []byte, chars int, wide bool) []byte {
	text := textDecoder{dst: dst}
	for chars > 0 {
		if len(p.rest) == 0 {
			if p.atEnd() {
				break
			}
			wide = p.rest[0]&flagUTF16 != 0
			p.rest = p.rest[1:]
			continue
		}
		n := 0
		if wide {
			n = text.appendUTF16(p.rest, chars)
		} else {
			n = text.appendLatin1(p.rest, chars)
		}
		if n == 0 { // split within a character
			text.appendUnit(p.readSplitUnit())
			n = 1
		} else if p.rest = p.rest[n:]; wide {
			p.rest = p.rest[n:]
		}
		chars -= n
	}
	text.flushSurrogate()
	return text.dst
}

// readSplitUnit reads a 16-bit character that is split between two records.
func (p *continuedReader) readSplitUnit() uint16 {
	low := uint16(p.rest[0])
	if p.rest = nil; p.atEnd() {
		return low
	}
	p.rest = p.rest[1:] // skip the flag
	return low | uint16(p.readUint8())<<8
}

// textDecoder converts Latin-1 and UTF-16 to UTF-8.
type textDecoder struct {
	dst []byte
	// highSurrogate is a pending first half of a surrogate pair, or 0.
	highSurrogate uint16
}

// appendLatin1 appends at most n characters of Latin-1 and returns the number appended.
func (d *textDecoder) appendLatin1(raw []byte, n int) int {
	raw = raw[:min(n, len(raw))]
	d.flushSurrogate()
	for _, b := range raw {
		if b < utf8.RuneSelf {
			d.dst = append(d.dst, b)
		} else {
			d.dst = utf8.AppendRune(d.dst, rune(b))
		}
	}
	return len(raw)
}

// appendUTF16 appends at most n 16-bit characters and returns the number appended.
func (d *textDecoder) appendUTF16(raw []byte, n int) int {
	n = min(n, len(raw)/2)
	for i := range n {
		if unit := little.Uint16(raw[2*i:]); unit < utf8.RuneSelf && d.highSurrogate == 0 {
			d.dst = append(d.dst, byte(unit))
		} else {
			d.appendUnit(unit)
		}
	}
	return n
}

// appendUnit appends a character or half of a surrogate pair.
func (d *textDecoder) appendUnit(unit uint16) {
	if d.highSurrogate != 0 {
		if r := utf16.DecodeRune(rune(d.highSurrogate), rune(unit)); r != utf8.RuneError {
			d.dst, d.highSurrogate = utf8.AppendRune(d.dst, r), 0
			return
		}
	}
	d.flushSurrogate()
	if unit >= 0xD800 && unit < 0xDC00 {
		d.highSurrogate = unit
		return
	}
	d.dst = utf8.AppendRune(d.dst, rune(unit)) // AppendRune encodes an unpaired half as U+FFFD
}

// flushSurrogate appends U+FFFD if the second half of a surrogate pair is missing.
func (d *textDecoder) flushSurrogate() {
	if d.highSurrogate != 0 {
		d.dst, d.highSurrogate = utf8.AppendRune(d.dst, utf8.RuneError), 0
	}
}

// sharedStrings holds the shared strings, concatenated in blocks. Blocks do not move as the table
// grows, so that it never needs twice its size.
type sharedStrings struct {
	blocks [][]byte
	// ends holds the end of each string, in groups of stringGroup strings. The lower blockBits
	// bits are the offset in the block, and the upper bits are the index of the block.
	ends  [][]uint32
	count int
}

const (
	blockBits = 22
	// blockBytes is the size of a block in bytes. It is less than 1 << blockBits, so that an end
	// can be the end of a block.
	blockBytes = 1<<blockBits - 1
	// maxStringBytes is the maximum length of a shared string in UTF-8, in bytes.
	maxStringBytes = 3 * math.MaxUint16
	groupBits      = 14
	stringGroup    = 1 << groupBits
)

func (t *sharedStrings) end(number int) uint32 {
	return t.ends[number>>groupBits][number&(stringGroup-1)]
}

// lookup returns the string with the given index.
func (t *sharedStrings) lookup(number uint32) (text []byte, ok bool) {
	if int64(number) >= int64(t.count) {
		return nil, false
	}
	end := t.end(int(number))
	block, start := end>>blockBits, uint32(0)
	if number > 0 {
		if before := t.end(int(number) - 1); before>>blockBits == block {
			start = before & (1<<blockBits - 1)
		}
	}
	end &= 1<<blockBits - 1
	return t.blocks[block][start:end:end], true
}

// lastBlock returns the index of a block that has room for another string.
func (t *sharedStrings) lastBlock() int {
	last := len(t.blocks) - 1
	if last >= 0 && cap(t.blocks[last])-len(t.blocks[last]) >= maxStringBytes {
		return last
	}
	size := min(blockBytes, maxStringBytes<<max(last+1, 0)) // workbooks with little text need small blocks
	t.blocks = append(t.blocks, make([]byte, 0, size))
	return last + 1
}

// addEnd ends the string at the end of a block.
func (t *sharedStrings) addEnd(block int) {
	if t.count&(stringGroup-1) == 0 {
		t.ends = append(t.ends, make([]uint32, 0, stringGroup))
	}
	last := len(t.ends) - 1
	t.ends[last] = append(t.ends[last], uint32(block)<<blockBits|uint32(len(t.blocks[block])))
	t.count++
}

// readSharedStrings reads an SST record and its continuation. It ignores the counts and
// reads strings to the end. It drops a truncated string. A cell that refers to a
// dropped string is an error.
func readSharedStrings(from *recordReader, rec record, limit int) (sharedStrings, error) {
	var t sharedStrings
	size := 0
	for p := newContinuedReader(from, rec, 8); !p.atEnd(); {
		block := t.lastBlock()
		start := len(t.blocks[block])
		text := p.appendText(t.blocks[block], int(p.readUint16()))
		if p.err != nil {
			return t, p.err
		}
		if p.truncated {
			break
		}
		t.blocks[block] = text
		t.addEnd(block)
		if size += len(text) - start + 4; size > limit {
			return t, &source.LimitError{Reason: intray.NewMessage("workbook.strings_too_large", intray.Params{"limit": limit})}
		}
	}
	return t, nil
}

// codepage is the text encoding of workbooks older than BIFF8.
type codepage struct {
	number   int
	name     string
	encoding encoding.Encoding
	// reason is the reason for choosing the codepage.
	reason intray.Message
}

// defaultCodepageNumber is the codepage of text that is the same in all of them.
const defaultCodepageNumber = 1252

// lookupCodepage returns the name and encoding of the codepage with the given number.
// The encoding is nil if the number is unknown.
func lookupCodepage(number int) (name string, enc encoding.Encoding) {
	switch number {
	case 437:
		return "IBM437", charmap.CodePage437
	case 850:
		return "IBM850", charmap.CodePage850
	case 852:
		return "IBM852", charmap.CodePage852
	case 855:
		return "IBM855", charmap.CodePage855
	case 858:
		return "IBM858", charmap.CodePage858
	case 860:
		return "IBM860", charmap.CodePage860
	case 862:
		return "IBM862", charmap.CodePage862
	case 863:
		return "IBM863", charmap.CodePage863
	case 865:
		return "IBM865", charmap.CodePage865
	case 866:
		return "IBM866", charmap.CodePage866
	case 874:
		return "windows-874", charmap.Windows874
	case 932:
		return "Shift_JIS", japanese.ShiftJIS
	case 936:
		return "GBK", simplifiedchinese.GBK
	case 949:
		return "EUC-KR", korean.EUCKR
	case 950:
		return "Big5", traditionalchinese.Big5
	}
	return lookupWindowsCodepage(number)
}

func lookupWindowsCodepage(number int) (name string, enc encoding.Encoding) {
	list := [...]*charmap.Charmap{
		charmap.Windows1250, charmap.Windows1251, charmap.Windows1252, charmap.Windows1253, charmap.Windows1254,
		charmap.Windows1255, charmap.Windows1256, charmap.Windows1257, charmap.Windows1258,
	}
	switch number {
	case 10000, 32768:
		return "macintosh", charmap.Macintosh
	case 10007:
		return "x-mac-cyrillic", charmap.MacintoshCyrillic
	case 367, 32769:
		number = defaultCodepageNumber
	}
	if number < 1250 || number >= 1250+len(list) {
		return "", nil
	}
	return fmt.Sprintf("windows-%d", number), list[number-1250]
}

// appendText decodes raw and appends it as UTF-8.
func (c codepage) appendText(dst, raw []byte) []byte {
	if table, ok := c.encoding.(*charmap.Charmap); ok {
		for _, b := range raw {
			if b < 0x80 {
				dst = append(dst, b)
			} else {
				dst = append(dst, string(table.DecodeByte(b))...)
			}
		}
		return dst
	}
	text, err := c.encoding.NewDecoder().Bytes(raw)
	if err != nil { // not reached for invalid text, which these decoders replace with U+FFFD
		return append(dst, raw...)
	}
	return append(dst, text...)
}
