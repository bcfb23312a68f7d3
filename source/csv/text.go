package csv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/charset"
)

// decoded is a file as UTF-8.
type decoded struct {
	in    source.Input
	guess charset.Guess
	units units
	// sample is the beginning of the text, and whole says that it is all.
	sample []byte
	whole  bool
	// wrapped says that each line has quotes around it, which are no text.
	wrapped bool
}

// decode finds out the encoding of a file and reads the beginning of it.
func decode(ctx context.Context, in source.Input, name string) (*decoded, error) {
	raw := make([]byte, min(in.Size, sampleBytes))
	if err := readAt(in, raw, 0); err != nil {
		return nil, err
	}
	d := &decoded{in: in, whole: int64(len(raw)) == in.Size}
	d.guess = charset.Detect(raw, d.whole)
	switch {
	case name != "":
		encoding, known := charset.Lookup(name)
		if !known {
			return nil, &source.UnreadableError{Reason: intray.NewMessage("encoding.unknown", intray.Params{"encoding": excerpt(name)})}
		}
		if encoding != d.guess.Encoding {
			d.guess = charset.Guess{Encoding: encoding, BOM: d.guess.BOM}
		}
		d.guess.Confidence, d.guess.Reason, d.guess.Second = 1, intray.NewMessage("option.requested", nil), nil
	case d.guess.ASCII && !d.whole:
		if err := d.lookFurther(ctx); err != nil {
			return nil, err
		}
	}
	d.units = unitsOf(d.guess.Encoding)
	if d.direct() {
		d.sample = raw[d.guess.BOM:]
		return d, nil
	}
	text, err := io.ReadAll(charset.NewReader(bytes.NewReader(raw[d.guess.BOM:]), d.guess.Encoding))
	d.sample = text
	return d, err
}

// direct says whether the bytes of the file are its text.
func (d *decoded) direct() bool { return d.guess.Encoding == charset.UTF8 && !d.wrapped }

// from gives the text from a place on, as the units have it.
func (d *decoded) from(at int64) (io.Reader, error) {
	start := int64(d.guess.BOM)
	if d.units.known() {
		start += at
	}
	left := max(d.in.Size-start, 0)
	raw := &promised{io.NewSectionReader(d.in, start, left), left}
	if d.direct() {
		return raw, nil
	}
	var text io.Reader = charset.NewReader(raw, d.guess.Encoding)
	if d.units.known() {
		return text, nil
	}
	if d.wrapped {
		text = newUnwrapped(text)
	}
	_, err := io.CopyN(io.Discard, text, at)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return text, err
}

// promised is a reader that must give a number of bytes: a store that ends before
// that has failed.
type promised struct {
	io.Reader
	left int64
}

var errEndedEarly = errors.New("the file ended before its size")

func (p *promised) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	p.left -= int64(n)
	if errors.Is(err, io.EOF) && p.left > 0 {
		err = errEndedEarly
	}
	return n, err
}

// lookBytes is how much is looked at around the first byte that is not UTF-8.
const lookBytes = 256 << 10

// lookFurther looks for letters beyond ASCII behind the sample: without any the
// encoding does not matter.
func (d *decoded) lookFurther(ctx context.Context) error {
	var check charset.Checker
	chunk := make([]byte, 1<<20)
	for at := int64(0); at < d.in.Size && check.First() < 0; at += int64(len(chunk)) {
		if err := ctx.Err(); err != nil {
			return err
		}
		chunk = chunk[:min(int64(len(chunk)), d.in.Size-at)]
		if err := readAt(d.in, chunk, at); err != nil {
			return err
		}
		_, _ = check.Write(chunk)
	}
	if check.First() < 0 {
		if !check.ASCII() {
			d.guess.Reason, d.guess.ASCII = intray.NewMessage("encoding.utf8_throughout", nil), false
		}
		return nil
	}
	from := max(0, check.First()-lookBytes/2)
	around := make([]byte, min(lookBytes, d.in.Size-from))
	if err := readAt(d.in, around, from); err != nil {
		return err
	}
	if i := bytes.IndexAny(around, "\r\n"); from > 0 && i >= 0 {
		around = around[i+1:]
	}
	d.guess = charset.Detect(around, false)
	d.guess.BOM = 0
	return nil
}

// length is that of the file without its byte order mark.
func (d *decoded) length() int64 { return d.in.Size - int64(d.guess.BOM) }

// rawSize is about how much of the file makes so much text.
func (d *decoded) rawSize(text int) int {
	if d.direct() {
		return text
	}
	return max(d.units.size*text/2, 1)
}

// decode gives a piece of the file as UTF-8, in memory that it may use. A file of
// UTF-8 is its text.
func (d *decoded) decode(into, raw []byte) []byte {
	if d.direct() {
		return raw
	}
	from := charset.NewReader(bytes.NewReader(raw), d.guess.Encoding)
	text := slices.Grow(into[:0], len(raw)/d.units.size*9/8+bytes.MinRead)
	for {
		n, err := from.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		if err != nil { // the end: nothing else can go wrong in memory
			return text
		}
		if len(text) == cap(text) {
			text = slices.Grow(text, bytes.MinRead)
		}
	}
}

// evidence tells the encoding.
func (d *decoded) evidence() intray.Evidence {
	e := intray.Evidence{Choice: "encoding", Value: d.guess.Encoding.Name(), Reason: d.guess.Explain()}
	if e.Tie = d.guess.Unsure(); e.Tie {
		name, reason := d.guess.Rival()
		e.Rivals = []intray.Choice{{Value: name, Reason: reason}}
	}
	return e
}

// readAt fills b from a place in the file.
func readAt(in source.Input, b []byte, at int64) error {
	n, err := in.ReadAt(b, at)
	if n == len(b) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("read the file at byte %d: %w", at, err)
}
