// Package textinput reads files that contain text in any encoding.
//
// A [Reader] reads the bytes of a file to its end. It returns an error if the store has fewer
// bytes than the file should have, so text is never truncated silently. [NewTextReader]
// decodes the bytes to UTF-8. [Request] and [Decide] set the encoding that a person or a
// document requires. [Evidence] returns the evidence about the encoding for all text formats.
// [DecodeHead] decodes the beginning of a file for format detection.
//
// The package returns errors of the store, wrapped, and a *source.UnreadableError for an unknown
// encoding. Readers have buffers of constant size. Callers must limit the text that they store.
//
// The package does not detect encodings, because package charset does that. It does not
// resolve conflicts between the declared encoding of a document and its bytes.
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

// errTruncated reports that a store has fewer bytes than the file should have. It is not
// io.ErrUnexpectedEOF, because decoders return that error for truncated text.
var errTruncated = errors.New("the file ended before its size")

// Reader reads a file from an offset to its end. It must not be used concurrently.
type Reader struct {
	src  *io.SectionReader
	left int64
	err  error
}

// NewReader returns a reader that starts at an offset in a file.
func NewReader(in source.Input, at int64) *Reader {
	left := max(in.Size-at, 0)
	return &Reader{src: io.NewSectionReader(in, at, left), left: left}
}

// Read reads the next bytes. It returns io.EOF only at the end of the file.
func (r *Reader) Read(b []byte) (int, error) {
	n, err := r.src.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		n = 0 // the bytes may be wrong
	}
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

// Failure returns the last error of the store, or nil if the store has not failed.
func (r *Reader) Failure() error { return r.err }

// readBytes is the number of bytes that a reader from NewTextReader reads at a time.
const readBytes = 128 << 10

// NewTextReader returns a reader that yields a file as UTF-8 text, starting at an offset in that
// text. It skips the byte order marks, whose total length is part of the guess. If the encoding
// is not UTF-8, it decodes the file from the beginning.
func NewTextReader(in source.Input, g charset.Guess, at int64) (io.Reader, error) {
	if g.Encoding == charset.UTF8 {
		return bufio.NewReaderSize(NewReader(in, int64(g.BOM)+at), readBytes), nil
	}
	text := charset.NewReader(bufio.NewReaderSize(NewReader(in, int64(g.BOM)), readBytes), g.Encoding)
	return text, Discard(text, at)
}

// Discard reads and discards n bytes, or all remaining bytes if there are fewer.
func Discard(r io.Reader, n int64) error {
	if _, err := io.CopyN(io.Discard, r, n); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// Request sets the guess to the encoding that a person requested by name. quoted is the name
// as it appears in the error for an unknown encoding.
func Request(g *charset.Guess, name, quoted string) error {
	encoding, known := charset.Lookup(name)
	if !known {
		return &source.UnreadableError{Reason: intray.NewMessage("encoding.unknown", intray.Params{"encoding": quoted})}
	}
	Decide(g, encoding, intray.NewMessage("option.requested", nil))
	return nil
}

// Decide sets the guess to an encoding with a confidence of 1 and a reason.
func Decide(g *charset.Guess, encoding charset.Encoding, reason intray.Message) {
	if encoding != g.Encoding {
		*g = charset.Guess{Encoding: encoding, BOM: g.BOM}
	}
	g.Confidence, g.Reason, g.Second = 1, reason, nil
}

// Evidence returns the evidence about an encoding. It includes the alternative if a person
// should decide.
func Evidence(g charset.Guess) intray.Evidence {
	e := intray.Evidence{Choice: "encoding", Value: g.Encoding.Name(), Reason: g.Explain()}
	if e.Tie = g.Unsure(); e.Tie {
		name, reason := g.Alternative()
		e.Alternatives = []intray.Choice{{Value: name, Reason: reason}}
	}
	return e
}

// DecodeHead decodes the beginning of a file to UTF-8, without its byte order mark, if the
// encoding is UTF-8, UTF-16 or UTF-32. It returns the bytes of any other encoding unchanged,
// because markup is ASCII in all of them.
func DecodeHead(head []byte) []byte {
	wide := len(head) > 1 && (head[0] == 0 || head[1] == 0 || head[0] >= 0xFE)
	if !wide {
		return bytes.TrimPrefix(head, []byte("\uFEFF"))
	}
	g := charset.Detect(head, false)
	text, _ := io.ReadAll(charset.NewReader(bytes.NewReader(head[g.BOM:]), g.Encoding)) // memory reads do not fail
	return text
}
