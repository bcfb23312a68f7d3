package csv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
)

// chunkBytes is how much is read at once.
const chunkBytes = 256 << 10

// window shows the text from where the next record begins, as much of it as is
// wanted.
type window struct {
	text *decoded
	// from gives the text behind buf; it is nil before anything is read.
	from io.Reader
	// buf[pos:end] is read and not yet used.
	buf      []byte
	pos, end int
	// at is the place of buf[pos], as the units of the text have it.
	at int64
	// done says that nothing follows buf[end].
	done bool
}

// windowAt shows the text from a place on.
func windowAt(text *decoded, place int64) window { return window{text: text, at: place} }

// rest is what is read so far.
func (w *window) rest() []byte { return w.buf[w.pos:w.end] }

// place is where rest begins.
func (w *window) place() int64 { return w.at }

// placeOf is the place of a byte of rest.
func (w *window) placeOf(at int) int64 { return w.at + w.text.units.length(w.rest()[:at]) }

// use takes n bytes off the front.
func (w *window) use(n int) {
	w.at = w.placeOf(n)
	w.pos += n
}

// more reads on. It says false where the text has ended.
func (w *window) more(ctx context.Context) (bool, error) {
	if err := ctx.Err(); err != nil || w.done {
		return false, err
	}
	if w.from == nil {
		from, err := w.text.from(w.at)
		if err != nil {
			return false, fmt.Errorf("read the file at byte %d: %w", w.at, err)
		}
		w.from = from
	}
	w.makeRoom()
	n, err := io.ReadFull(w.from, w.buf[w.end:])
	w.end += n
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		w.done, err = true, nil
	}
	if err != nil {
		return false, fmt.Errorf("read the file at byte %d: %w", w.placeOf(len(w.rest())), err)
	}
	return n > 0, nil
}

// makeRoom moves what is not used to the front, and doubles the buffer where
// that is more than half of it.
func (w *window) makeRoom() {
	rest := w.rest()
	if 2*len(rest) >= len(w.buf) {
		fresh := make([]byte, max(chunkBytes, 2*len(w.buf)))
		copy(fresh, rest)
		w.buf = fresh
	} else {
		copy(w.buf, rest)
	}
	w.pos, w.end = 0, len(rest)
}

// blankText says whether there is nothing but white space.
func blankText(b []byte) bool { return len(bytes.TrimSpace(b)) == 0 }
