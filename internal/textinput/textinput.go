// Package textinput reads files that contain text in any encoding.
//
// A [Reader] reads the bytes of a file to its end. A store that ends before the size of the
// file has failed, so its end is never mistaken for the end of the text. [NewTextReader]
// decodes the bytes to UTF-8. [Request] and [Decide] set the encoding that a person or a
// document requested, and [Evidence] is the evidence of every text format. [DecodeHead] is
// for detection.
//
// Errors are those of the store, wrapped, and *source.UnreadableError for an unknown
// encoding. Readers hold buffers of constant size. Callers must bound the text that they
// keep.
//
// The package does not detect encodings, which package charset does, and does not resolve
// conflicts between what a document declares and what its bytes show.
package textinput

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/charset"
)

// errTruncated reports a store that ends before the size of the file. It differs from
// io.ErrUnexpectedEOF, which decoders return for truncated text.
var errTruncated = errors.New("the file ended before its size")

// Reader reads a file from an offset to its end. It must not be used concurrently.
type Reader struct {
	src  *io.SectionReader
	left int64
	err  error
}

// NewReader returns a reader of a file from an offset.
func NewReader(in source.Input, at int64) *Reader {
	left := max(in.Size-at, 0)
	return &Reader{src: io.NewSectionReader(in, at, left), left: left}
}

// Read reads bytes. It returns io.EOF only at the size of the file.
func (r *Reader) Read(b []byte) (int, error) {
	n, err := r.src.Read(b)
	r.left -= int64(n)
	if errors.Is(err, io.EOF) && r.left > 0 {
		err = errTruncated
	}
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = fmt.Errorf("read the file: %w", err)
		return n, r.err
	}
	return n, err
}

// Failure returns the last error of the store, and nil if it has not failed.
func (r *Reader) Failure() error { return r.err }

// readBytes is the number of bytes NewTextReader reads at a time.
const readBytes = 128 << 10

// NewTextReader returns the text of a file as UTF-8, from an offset in the text. It skips
// the byte order marks of the guess. An encoding other than UTF-8 is decoded from the
// beginning of the file.
func NewTextReader(in source.Input, g charset.Guess, at int64) (io.Reader, error) {
	if g.Encoding == charset.UTF8 {
		return bufio.NewReaderSize(NewReader(in, int64(g.BOM)+at), readBytes), nil
	}
	text := charset.NewReader(bufio.NewReaderSize(NewReader(in, int64(g.BOM)), readBytes), g.Encoding)
	return text, Discard(text, at)
}

// Discard reads and drops n bytes, or the rest if there are fewer.
func Discard(r io.Reader, n int64) error {
	if _, err := io.CopyN(io.Discard, r, n); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// Request sets the guess to the encoding that a person requested by name. quoted is the
// name as the error shows it.
func Request(g *charset.Guess, name, quoted string) error {
	encoding, known := charset.Lookup(name)
	if !known {
		return &source.UnreadableError{Reason: intray.NewMessage("encoding.unknown", intray.Params{"encoding": quoted})}
	}
	Decide(g, encoding, intray.NewMessage("option.requested", nil))
	return nil
}

// Decide sets the guess to an encoding, with certainty and a reason.
func Decide(g *charset.Guess, encoding charset.Encoding, reason intray.Message) {
	if encoding != g.Encoding {
		*g = charset.Guess{Encoding: encoding, BOM: g.BOM}
	}
	g.Confidence, g.Reason, g.Second = 1, reason, nil
}

// Evidence returns the evidence of an encoding, with the alternative if a person
// should choose.
func Evidence(g charset.Guess) intray.Evidence {
	e := intray.Evidence{Choice: "encoding", Value: g.Encoding.Name(), Reason: g.Explain()}
	if e.Tie = g.Unsure(); e.Tie {
		name, reason := g.Alternative()
		e.Alternatives = []intray.Choice{{Value: name, Reason: reason}}
	}
	return e
}

// DecodeHead returns the beginning of a file as UTF-8 if it is UTF-8, UTF-16 or UTF-32,
// without its byte order mark. Other encodings are returned unchanged, because markup is
// ASCII in all of them.
func DecodeHead(head []byte) []byte {
	wide := len(head) > 1 && (head[0] == 0 || head[1] == 0 || head[0] >= 0xFE)
	if !wide {
		return bytes.TrimPrefix(head, []byte("\uFEFF"))
	}
	g := charset.Detect(head, false)
	text, _ := io.ReadAll(charset.NewReader(bytes.NewReader(head[g.BOM:]), g.Encoding)) // memory does not fail
	return text
}
