package cage

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// The kinds of frames; see the package comment.
const (
	frameLimits  = 'L'
	frameSetup   = 'S'
	frameRequest = 'Q'
	frameReady   = 'R'
	frameNote    = 'N'
	frameAnswer  = 'A'
	frameFault   = 'F'
)

const (
	headerSize   = 5
	longestFrame = 1 << 30
	// longestFault bounds the text of a fault, longestNote that of a note, and
	// mostNotes how many a call may have.
	longestFault = 64 << 10
	longestNote  = 1 << 10
	mostNotes    = 1 << 20
	// oneWrite is the longest payload that is copied behind its header.
	oneWrite = 64 << 10
	// step is how much of a payload is made room for before it is there.
	step = 1 << 20
)

// frameWriter writes frames; room is where short ones are put together.
type frameWriter struct {
	to   io.Writer
	room []byte
}

// write writes a whole frame.
func (w *frameWriter) write(kind byte, payload []byte) error {
	w.room = binary.LittleEndian.AppendUint32(append(w.room[:0], kind), uint32(len(payload)))
	if len(payload) <= oneWrite {
		w.room = append(w.room, payload...)
		_, err := w.to.Write(w.room)
		return err
	}
	if _, err := w.to.Write(w.room); err != nil {
		return err
	}
	_, err := w.to.Write(payload)
	return err
}

func writeFrame(to io.Writer, kind byte, payload []byte) error {
	w := frameWriter{to: to}
	return w.write(kind, payload)
}

// readHeader gives io.EOF only where the stream ends between two frames.
func readHeader(from io.Reader) (kind byte, size int, err error) {
	var head [headerSize]byte
	if _, err := io.ReadFull(from, head[:]); err != nil {
		return 0, 0, err
	}
	return head[0], int(binary.LittleEndian.Uint32(head[1:])), nil
}

// readPayload reads a payload into the room of buf, and makes more only as
// bytes come in: the length is what the other side says.
func readPayload(from io.Reader, size int, buf []byte) ([]byte, error) {
	buf = buf[:0]
	for len(buf) < size {
		have := len(buf)
		next := min(size, max(have+step, cap(buf)))
		buf = slices.Grow(buf, next-have)[:next]
		if _, err := io.ReadFull(from, buf[have:]); err != nil {
			return nil, fmt.Errorf("reading a payload of %d bytes: %w", size, noEOF(err))
		}
	}
	return buf, nil
}

func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// readFrame reads a frame that must be of one kind. Only the worker uses it: it
// trusts who started it.
func readFrame(from io.Reader, want byte, buf []byte) ([]byte, error) {
	kind, size, err := readHeader(from)
	if err != nil {
		return nil, err
	}
	if kind != want {
		return nil, fmt.Errorf("got a frame of kind %q in place of %q", kind, want)
	}
	return readPayload(from, size, buf)
}
