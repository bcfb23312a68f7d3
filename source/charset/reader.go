package charset

import "io"

// chunk is how much a Reader reads at a time.
const chunk = 64 << 10

// growth is how many bytes of UTF-8 one byte of any encoding makes at most.
const growth = 3

// patience is how often in a row an input may give nothing.
const patience = 100

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
	return &Reader{in: in, decoder: newDecoder(e), room: make([]byte, chunk), text: make([]byte, growth*chunk+minRoom)}
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
	for range patience {
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
