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

// These are the kinds of frames; see the package comment.
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
	// maxFaultText and maxNoteText are the maximum payload lengths in bytes. maxNotes is
	// the maximum number of notes per call.
	maxFaultText = 64 << 10
	maxNoteText  = 1 << 10
	maxNotes     = 1 << 20
	// maxSingleWrite is the maximum length, in bytes, of a payload that is copied to the
	// buffer of its header, so that one write sends both.
	maxSingleWrite = 64 << 10
	// growStep is the number of bytes allocated in advance while a payload arrives.
	growStep = 1 << 20
)

// frameWriter writes frames. It assembles short frames in buf.
type frameWriter struct {
	to  io.Writer
	buf []byte
}

// write writes a frame.
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

// readHeader reads the header of a frame. It returns io.EOF only if the stream ends between
// two frames.
func readHeader(from io.Reader) (kind byte, size int, err error) {
	var head [headerSize]byte
	if _, err := io.ReadFull(from, head[:]); err != nil {
		return 0, 0, err
	}
	return head[0], int(binary.LittleEndian.Uint32(head[1:])), nil
}

// readPayload reads a payload of size bytes into buf. If buf is too small, it allocates
// memory only as bytes arrive, because size is untrusted.
func readPayload(from io.Reader, size int, buf []byte) ([]byte, error) {
	buf = buf[:0]
	for len(buf) < size {
		have := len(buf)
		next := min(size, max(have+growStep, cap(buf)))
		buf = slices.Grow(buf, next-have)[:next]
		if _, err := io.ReadFull(from, buf[have:]); err != nil {
			return nil, fmt.Errorf("read a payload of %d bytes: %w", size, unexpectedEOF(err))
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

// readFrame reads a frame of the given kind. Only workers use it, because it trusts the sender.
func readFrame(from io.Reader, want byte, buf []byte) ([]byte, error) {
	kind, size, err := readHeader(from)
	if err != nil {
		return nil, err
	}
	if kind != want {
		return nil, fmt.Errorf("got a frame of kind %q, want %q", kind, want)
	}
	return readPayload(from, size, buf)
}

// Handler answers a request. The request is valid only until Handler returns. An error ends
// the worker, and the failure includes its text.
type Handler func(request []byte) (answer []byte, err error)

// SendNote reports what the worker is doing, in at most 1 KiB. Only the Handler passed to
// Serve may call it, while it is answering a request.
func SendNote(text string) error {
	_, to := stdio()
	return writeFrame(to, frameNote, []byte(text[:min(len(text), maxNoteText)]))
}

// restrictions is the first message to a worker.
type restrictions struct {
	Memory     int64
	Landlock   int
	Seccomp    bool
	NoNewPrivs bool
	// Threads reports whether the number of threads can be limited. This requires a user ID
	// that no other process has.
	Threads bool
	Node    *nodeCommand `json:",omitempty"`
}

// nodeCommand is the program that a worker executes in its sandbox.
type nodeCommand struct {
	Path string
	Args []string
	Env  []string
}

// maxKeptBuffer is the maximum size, in bytes, of a request buffer that is kept for the
// next request.
const maxKeptBuffer = 1 << 20

// Serve turns this process into a worker. The command hook-worker must call it before it opens a
// file or starts a timer. Serve applies the outer restrictions, calls setup with Config.Setup,
// and restricts system calls. It then answers requests until its parent closes the pipe.
//
// When Serve returns, the process must exit immediately, because forbidden actions kill it.
// For Node, Serve executes the Node program and does not call setup.
func Serve(setup func(first []byte) (Handler, error)) error {
	// The system may send these signals to all processes of a service. The service itself
	// ends its workers after it has received their answers.
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
		return fmt.Errorf("read the restrictions of a hook worker, which only intray sends: %w", err)
	}
	var rules restrictions
	if err := json.Unmarshal(text, &rules); err != nil {
		return fmt.Errorf("decode the restrictions of a hook worker: %w", err)
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
	// The Go runtime creates its poller at the first sleep. It could not do so in the sandbox.
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
