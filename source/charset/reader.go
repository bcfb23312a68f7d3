package charset

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"golang.org/x/text/transform"
)

// readSize is the number of bytes that a Reader reads at a time.
const readSize = 64 << 10

// maxGrowth is the maximum number of UTF-8 bytes per input byte in any encoding.
const maxGrowth = 3

// maxEmptyReads is the maximum number of consecutive reads that return no data.
const maxEmptyReads = 100

// Reader decodes a stream to UTF-8.
type Reader struct {
	in      io.Reader
	decoder decoder
	invalid int64
	err     error

	raw  []byte // read but not decoded yet
	room []byte
	out  []byte // decoded but not returned yet
	text []byte
}

// NewReader returns a reader that decodes a stream to UTF-8. It starts at the current position
// of the stream. It decodes invalid bytes to U+FFFD, and a byte order mark to U+FEFF (see
// Guess.BOM). It returns errors from the stream unchanged, after the text that precedes them.
func NewReader(in io.Reader, e Encoding) *Reader {
	return &Reader{in: in, decoder: newDecoder(e), room: make([]byte, readSize), text: make([]byte, maxGrowth*readSize+minRoom)}
}

// Invalid returns the number of invalid sequences decoded so far. Each becomes one U+FFFD in
// the text. The number is final after Read returns io.EOF.
func (r *Reader) Invalid() int64 { return r.invalid }

// Read reads the next part of the text, which may end inside a character.
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

// fill reads once from the input and appends the bytes to those not decoded yet.
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

// decode decodes the bytes read so far. An incomplete character is invalid only at the end of
// the input.
func (r *Reader) decode() {
	wrote, took, invalid := r.decoder.decode(r.text, r.raw, r.err != nil)
	r.out, r.raw = r.text[:wrote], r.raw[took:]
	r.invalid += int64(invalid)
	if wrote == 0 && took == 0 && r.err != nil {
		r.raw = nil
	}
}

// decoder decodes one encoding to UTF-8 in parts. decode writes to dst, which must have at least
// minRoom bytes. It returns the number of bytes written, the number of bytes of src used, and the
// number of U+FFFD characters written for invalid bytes. If end is set, src is the last part, and
// decode uses all of it if dst has room. Otherwise it may leave an incomplete character.
type decoder interface {
	decode(dst, src []byte, end bool) (wrote, took, invalid int)
}

// minRoom is the minimum length of dst for a decoder, in bytes.
const minRoom = 16

// newDecoder returns a decoder for an encoding.
func newDecoder(e Encoding) decoder {
	switch {
	case e.spec == nil:
		return strictDecoder{}
	case e.spec.page != nil:
		d := &pageDecoder{}
		for b := range 256 {
			r := e.spec.page.DecodeByte(byte(b))
			d.size[b] = uint8(utf8.EncodeRune(d.bytes[b][:], r))
			d.bad[b] = r == utf8.RuneError
		}
		return d
	case e.spec.multi != nil:
		return &multiDecoder{transformer: e.spec.multi.NewDecoder(), stateless: e.spec.name != "ISO-2022-JP", four: e.spec.name == "GB18030"}
	default:
		return wideDecoder{e.spec.wide}
	}
}

const replacement = "\uFFFD"

// strictDecoder copies UTF-8 and replaces each invalid byte with U+FFFD.
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

// pageDecoder decodes single-byte encodings. It holds the UTF-8 encoding of the character for
// each byte.
type pageDecoder struct {
	size  [256]uint8
	bytes [256][utf8.UTFMax]byte
	bad   [256]bool
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

// wideDecoder decodes UTF-16 and UTF-32.
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

// multiDecoder decodes the East Asian encodings.
type multiDecoder struct {
	transformer transform.Transformer
	stateless   bool
	// four reports whether the encoding has four-byte characters, as GB18030 does.
	four bool
}

// writtenRuneError is the GB18030 encoding of U+FFFD.
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
		// A transformer does not skip the byte that it rejects.
		wrote += copy(dst[wrote:], replacement)
		took, invalid = took+1, invalid+1
	}
	return wrote, took, invalid
}

// beforeFalseFour returns the offset of the first high byte that is followed by one of : ; < =
// > ? or the length of src if there is none. GB18030 allows only a digit there. x/text also
// accepts these six characters and would drop a semicolon between two cells.
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
