package sandbox

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"
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
	headerSize = 5
	maxFrame   = 1 << 30
	// maxFaultText bounds the text of a fault, maxNoteText that of a note, and
	// maxNotes how many a call may have.
	maxFaultText = 64 << 10
	maxNoteText  = 1 << 10
	maxNotes     = 1 << 20
	// maxSingleWrite is the longest payload that is copied behind its header.
	maxSingleWrite = 64 << 10
	// growStep is how much of a payload is made room for before it is there.
	growStep = 1 << 20
)

// frameWriter writes frames; room is where short ones are put together.
type frameWriter struct {
	to  io.Writer
	buf []byte
}

// write writes a whole frame.
func (w *frameWriter) write(kind byte, payload []byte) error {
	w.buf = binary.LittleEndian.AppendUint32(append(w.buf[:0], kind), uint32(len(payload)))
	if len(payload) <= maxSingleWrite {
		w.buf = append(w.buf, payload...)
		_, err := w.to.Write(w.buf)
		return err
	}
	if _, err := w.to.Write(w.buf); err != nil {
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
		next := min(size, max(have+growStep, cap(buf)))
		buf = slices.Grow(buf, next-have)[:next]
		if _, err := io.ReadFull(from, buf[have:]); err != nil {
			return nil, fmt.Errorf("reading a payload of %d bytes: %w", size, unexpectedEOF(err))
		}
	}
	return buf, nil
}

func unexpectedEOF(err error) error {
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

// Handler answers a request. The request is valid until it returns. An error
// ends the worker, and its text reaches who called.
type Handler func(request []byte) (answer []byte, err error)

// SendNote tells who called what the worker does now, in at most 1,000 bytes. It is
// for a Handle, while it answers, and only where Serve runs it.
func SendNote(text string) error {
	_, to := stdio()
	return writeFrame(to, frameNote, []byte(text[:min(len(text), maxNoteText)]))
}

// restrictions is what a worker is told before anything else.
type restrictions struct {
	Memory     int64
	Landlock   int
	Seccomp    bool
	NoNewPrivs bool
	// Threads says that the number of threads can be bounded, because nobody
	// else has this user id.
	Threads bool
	Node    *nodeCommand `json:",omitempty"`
}

// nodeCommand is a program to become, in the sandbox.
type nodeCommand struct {
	Path string
	Args []string
	Env  []string
}

// maxKeptBuffer is the largest room for requests that is kept between them.
const maxKeptBuffer = 1 << 20

// Serve makes this process a worker: it is what the command hook-worker does,
// and does at once, before it opens a file or starts a timer. It builds the
// outer walls, calls setup with the Setup of the Config, closes the sandbox and
// answers requests, one after another, until the other side hangs up.
//
// Where it returns, the process must end and do nothing else: what is forbidden
// in the sandbox kills it. For Node, Serve becomes that program and setup is not
// called.
func Serve(setup func(first []byte) (Handler, error)) error {
	// A system that stops a service may tell all of its processes. It is the
	// service that ends its workers, once it has what they still owe it.
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	from, to := stdio()
	err := serve(from, to, setup)
	if err != nil {
		text := err.Error()
		_ = writeFrame(to, frameFault, []byte(text[:min(len(text), maxFaultText)]))
	}
	return err
}

func serve(from io.Reader, to io.Writer, setup func(first []byte) (Handler, error)) error {
	text, err := readFrame(from, frameLimits, nil)
	if err != nil {
		return fmt.Errorf("reading the orders for a hook worker, which only intray itself gives: %w", err)
	}
	var rules restrictions
	if err := json.Unmarshal(text, &rules); err != nil {
		return fmt.Errorf("reading the orders for a hook worker: %w", err)
	}
	if rules.Node != nil {
		return execConfined(rules)
	}
	if err := rules.restrictOuter(); err != nil {
		return err
	}
	first, err := readFrame(from, frameSetup, nil)
	if err != nil {
		return err
	}
	handle, err := setup(first)
	if err != nil {
		return err
	}
	// The runtime makes what it polls with when it first sleeps, for however
	// long. In the sandbox it could not.
	time.Sleep(time.Nanosecond)
	if err := rules.restrictSyscalls(); err != nil {
		return err
	}
	if err := writeFrame(to, frameReady, nil); err != nil {
		return err
	}
	return answerAll(from, to, handle)
}

func answerAll(from io.Reader, to io.Writer, handle Handler) error {
	var room []byte
	out := frameWriter{to: to}
	for {
		request, err := readFrame(from, frameRequest, room)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		answer, err := handle(request)
		if err != nil {
			return err
		}
		if err := out.write(frameAnswer, answer); err != nil {
			return err
		}
		if room = request; cap(room) > maxKeptBuffer {
			room = nil
		}
	}
}
