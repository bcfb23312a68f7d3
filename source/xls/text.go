package xls

import (
	"errors"
	"fmt"
	"io"
	"strconv"
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

// table holds the strings that the cells share, one behind the other.
type table struct {
	arena []byte
	// ends holds where each string ends in the arena.
	ends []uint32
}

// at gives a string by its number.
func (t *table) at(number uint32) (text []byte, ok bool) {
	if int64(number) >= int64(len(t.ends)) {
		return nil, false
	}
	start := uint32(0)
	if number > 0 {
		start = t.ends[number-1]
	}
	return t.arena[start:t.ends[number]:t.ends[number]], true
}

// readTable reads an SST record and its continuation. The counts in it are not
// asked: strings are read as long as there are any. One that is cut off is left
// out, and a cell that wants it says so.
func readTable(from *records, rec record, limit int) (table, error) {
	var t table
	for p := newPieces(from, rec, 8); !p.empty(); {
		start := len(t.arena)
		t.arena = p.appendText(t.arena, int(p.u16()))
		if p.err != nil {
			return t, p.err
		}
		if p.short {
			t.arena = t.arena[:start]
			break
		}
		t.ends = append(t.ends, uint32(len(t.arena)))
		if len(t.arena)+4*len(t.ends) > limit {
			return t, &source.LimitError{Reason: intray.NewMessage("workbook.strings_too_large", intray.Params{"limit": limit})}
		}
	}
	return t, nil
}

// codepage is how workbooks older than BIFF8 write their texts.
type codepage struct {
	name     string
	encoding encoding.Encoding
	// reason says where the choice comes from.
	reason intray.Message
}

// latin is the codepage of most workbooks that name none.
const latin = 1252

// findCodepage gives the one of a CODEPAGE record.
func findCodepage(number int) codepage {
	name, enc := lookCodepage(number)
	if enc == nil {
		name, enc = lookCodepage(latin)
		return codepage{name, enc, intray.NewMessage("encoding.codepage_unknown", intray.Params{"codepage": strconv.Itoa(number)})}
	}
	return codepage{name, enc, intray.NewMessage("encoding.codepage", intray.Params{"codepage": strconv.Itoa(number)})}
}

// noCodepage is for workbooks that name none.
func noCodepage() codepage {
	name, enc := lookCodepage(latin)
	return codepage{name, enc, intray.NewMessage("encoding.no_codepage", nil)}
}

// lookCodepage knows the codepages; enc is nil for others.
func lookCodepage(number int) (name string, enc encoding.Encoding) {
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
	return lookWindows(number)
}

func lookWindows(number int) (name string, enc encoding.Encoding) {
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
		number = latin
	}
	if number < 1250 || number >= 1250+len(list) {
		return "", nil
	}
	return fmt.Sprintf("windows-%d", number), list[number-1250]
}

// appendText turns a text into UTF-8.
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
	if err != nil { // these decoders write U+FFFD for what they cannot read
		return append(dst, raw...)
	}
	return append(dst, text...)
}
