package charset

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/transform"
)

// readSize is how much a Reader reads at a time.
const readSize = 64 << 10

// maxGrowth is how many bytes of UTF-8 one byte of any encoding makes at most.
const maxGrowth = 3

// maxEmptyReads is how often in a row an input may give nothing.
const maxEmptyReads = 100

// Reader streams text as UTF-8.
type Reader struct {
	in      io.Reader
	decoder decoder
	invalid int64
	err     error

	raw  []byte // read, not yet decoded
	room []byte
	out  []byte // decoded, not yet handed on
	text []byte
}

// NewReader reads the bytes of an encoding from in and gives them as UTF-8. It
// takes in from its place on: a byte order mark that is still ahead (Guess.BOM)
// comes out as U+FEFF. What is broken comes out as U+FFFD. Errors of in are
// handed on unchanged, behind all text before them.
func NewReader(in io.Reader, e Encoding) *Reader {
	return &Reader{in: in, decoder: newDecoder(e), room: make([]byte, readSize), text: make([]byte, maxGrowth*readSize+minRoom)}
}

// Invalid counts what was broken in all that has been decoded so far; each
// stands as one U+FFFD in the text. It is exact once Read has given io.EOF.
func (r *Reader) Invalid() int64 { return r.invalid }

// Read gives the next piece of the text, cut anywhere.
func (r *Reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for len(r.out) == 0 {
		if r.err != nil && len(r.raw) == 0 {
			return 0, r.err
		}
		r.fill()
		r.decode()
	}
	n := copy(p, r.out)
	r.out = r.out[n:]
	return n, nil
}

// fill reads once, behind what is left.
func (r *Reader) fill() {
	if r.err != nil {
		return
	}
	kept := copy(r.room, r.raw)
	for range maxEmptyReads {
		n, err := r.in.Read(r.room[kept:])
		r.raw, r.err = r.room[:kept+n], err
		if n > 0 || err != nil {
			return
		}
	}
	r.err = io.ErrNoProgress
}

// decode turns what there is into text. Only at the end of the input is
// anything left over broken.
func (r *Reader) decode() {
	wrote, took, invalid := r.decoder.decode(r.text, r.raw, r.err != nil)
	r.out, r.raw = r.text[:wrote], r.raw[took:]
	r.invalid += int64(invalid)
	if wrote == 0 && took == 0 && r.err != nil {
		r.raw = nil
	}
}

// decoder turns bytes of one encoding into UTF-8, piece by piece. It writes at
// most len(dst) bytes and says how many it wrote, how many of src it took and
// how often it wrote U+FFFD for something broken. With end, src is the last
// piece, and it must take all of it when dst has room; without, it may leave
// the beginning of a character. dst has room for minRoom bytes or more.
type decoder interface {
	decode(dst, src []byte, end bool) (wrote, took, invalid int)
}

// minRoom is the least room a decoder asks for.
const minRoom = 16

// newDecoder makes the decoder of an encoding.
func newDecoder(e Encoding) decoder {
	switch {
	case e.spec == nil:
		return strictDecoder{}
	case e.spec.page != nil:
		return newPageDecoder(e.spec.page)
	case e.spec.multi != nil:
		return &multiDecoder{transformer: e.spec.multi.NewDecoder(), stateless: e.spec.name != "ISO-2022-JP", four: e.spec.name == "GB18030"}
	default:
		return wideDecoder{e.spec.wide}
	}
}

const replacement = "\uFFFD"

// strictDecoder copies UTF-8 and replaces each byte that has no place in it.
type strictDecoder struct{}

func (strictDecoder) decode(dst, src []byte, end bool) (wrote, took, invalid int) {
	for took < len(src) && len(dst)-wrote >= utf8.UTFMax {
		piece := src[took:min(len(src), took+len(dst)-wrote)]
		if n := copy(dst[wrote:], piece[:validPrefix(piece)]); n > 0 {
			wrote, took = wrote+n, took+n
			continue
		}
		if !end && !utf8.FullRune(piece) {
			break
		}
		wrote += copy(dst[wrote:], replacement)
		took, invalid = took+1, invalid+1
	}
	return wrote, took, invalid
}

// pageDecoder knows the UTF-8 form of each of the 256 bytes.
type pageDecoder struct {
	size  [256]uint8
	bytes [256][utf8.UTFMax]byte
	bad   [256]bool
}

func newPageDecoder(page *charmap.Charmap) *pageDecoder {
	d := &pageDecoder{}
	for b := range 256 {
		r := page.DecodeByte(byte(b))
		d.size[b] = uint8(utf8.EncodeRune(d.bytes[b][:], r))
		d.bad[b] = r == utf8.RuneError
	}
	return d
}

func (d *pageDecoder) decode(dst, src []byte, _ bool) (wrote, took, invalid int) {
	for took < len(src) && len(dst)-wrote >= utf8.UTFMax {
		if src[took] < 0x80 {
			n := copy(dst[wrote:], src[took:took+asciiPrefix(src[took:min(len(src), took+len(dst)-wrote)])])
			wrote, took = wrote+n, took+n
			continue
		}
		b := src[took]
		*(*[utf8.UTFMax]byte)(dst[wrote:]) = d.bytes[b]
		wrote += int(d.size[b])
		took++
		if d.bad[b] {
			invalid++
		}
	}
	return wrote, took, invalid
}

// wideDecoder reads UTF-16 and UTF-32.
type wideDecoder struct{ wideEncoding }

func (d wideDecoder) decode(dst, src []byte, end bool) (wrote, took, invalid int) {
	for took < len(src) && len(dst)-wrote >= utf8.UTFMax {
		r, size, ok := d.decodeRune(src[took:], end)
		if size == 0 {
			break
		}
		if !ok {
			invalid++
		}
		if r < 0x80 {
			dst[wrote] = byte(r)
			wrote++
		} else {
			wrote += utf8.EncodeRune(dst[wrote:], r)
		}
		took += size
	}
	return wrote, took, invalid
}

// multiDecoder reads the encodings of East Asia.
type multiDecoder struct {
	transformer transform.Transformer
	stateless   bool
	// four says that characters of four bytes are read.
	four bool
}

// writtenRuneError is U+FFFD as GB18030 writes it, which is nothing broken.
var writtenRuneError = []byte{0x84, 0x31, 0xA4, 0x37}

func (d *multiDecoder) decode(dst, src []byte, end bool) (wrote, took, invalid int) {
	if d.stateless {
		wrote = copy(dst, src[:asciiPrefix(src[:min(len(src), len(dst))])])
		took = wrote
		if took == len(src) || len(dst)-wrote < minRoom {
			return wrote, took, 0
		}
	}
	rest := src[took:]
	if d.four {
		if whole := beforeFalseFour(rest); whole == 0 && len(rest) > 0 {
			return wrote + copy(dst[wrote:], replacement), took + 1, 1
		} else if whole < len(rest) {
			rest, end = rest[:whole], true
		}
	}
	n, m, err := d.transformer.Transform(dst[wrote:], rest, end)
	invalid = bytes.Count(dst[wrote:wrote+n], []byte(replacement))
	invalid -= min(invalid, bytes.Count(src[took:took+m], writtenRuneError))
	wrote, took = wrote+n, took+m
	if err != nil && !errors.Is(err, transform.ErrShortDst) && !errors.Is(err, transform.ErrShortSrc) && took < len(src) {
		// A decoder that gives up on a byte gets past it, as all others do.
		wrote += copy(dst[wrote:], replacement)
		took, invalid = took+1, invalid+1
	}
	return wrote, took, invalid
}

// beforeFalseFour is where the first high byte stands that one of : ; < = > ?
// follows. GB18030 goes on with a digit there; x/text takes those six for
// digits too, and a semicolon between two cells would be gone.
func beforeFalseFour(src []byte) int {
	for i := 0; i < len(src); {
		size := 1
		if src[i] > 0x80 && src[i] < 0xFF && i+1 < len(src) {
			switch next := src[i+1]; {
			case next > '9' && next < '@':
				return i
			case next >= '0' && next <= '9':
				if i+3 < len(src) && src[i+2] > 0x80 && src[i+2] < 0xFF && src[i+3] >= '0' && src[i+3] <= '9' {
					size = 4
				}
			case next >= '@' && next != 0x7F && next < 0xFF:
				size = 2
			}
		}
		i += size
	}
	return len(src)
}
