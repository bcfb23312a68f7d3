package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"syscall"

	"github.com/intraydata/intray/internal/filesys"
	"github.com/intraydata/intray/server/model"
)

// keepInMemory is the maximum number of bytes of a body or a response that are kept
// in memory. If there are more, all of them are kept in a file.
const keepInMemory = 16 << 10

const (
	// maxOnFullDisk is the maximum number of bytes that a spool keeps in memory because the disk is
	// full, so that clients can still read.
	maxOnFullDisk = 1 << 20
	// maxFullSpools is the maximum number of spools that do so at the same time.
	maxFullSpools = 64
)

// spool holds bytes until they are read. It keeps a few bytes in memory and many in
// a file, so that a slow client needs hardly any memory.
type spool struct {
	dir string
	// most is the maximum size in bytes. 0 means no limit. over is the error if the
	// size is exceeded.
	most int64
	over error

	size   int64
	memory []byte
	file   *filesys.TempFile
	// full means that the disk is full, and that the bytes stay in memory. fullSpools counts such
	// spools.
	full       bool
	fullSpools *atomic.Int64
}

func (a *API) newSpool(most int64, over error) *spool {
	return &spool{dir: a.cfg.TempDir, most: most, over: over, fullSpools: &a.fullSpools}
}

func (s *spool) Write(p []byte) (int, error) {
	if s.size += int64(len(p)); s.most > 0 && s.size > s.most {
		return 0, s.over
	}
	if s.file == nil && (s.size <= keepInMemory || s.full && s.size <= maxOnFullDisk) {
		s.memory = append(s.memory, p...)
		return len(p), nil
	}
	if s.full {
		return 0, wrapSpoolError(syscall.ENOSPC)
	}
	err := s.writeToFile(p)
	if model.IsDiskFull(err) && s.size <= maxOnFullDisk && s.moveToMemory(s.size-int64(len(p))) {
		s.memory = append(s.memory, p...)
		err = nil
	}
	if err != nil {
		return 0, wrapSpoolError(err)
	}
	return len(p), nil
}

// writeToFile writes p to a file. If there is none, it first moves the bytes in memory to a
// temporary file.
func (s *spool) writeToFile(p []byte) error {
	if s.file == nil {
		file, err := filesys.CreateTemp(s.dir, "spool-*")
		if err != nil {
			return err
		}
		s.file = file
		if _, err := file.Write(s.memory); err != nil {
			return err
		}
		s.memory = nil
	}
	_, err := s.file.Write(p)
	return err
}

// moveToMemory moves the first size bytes from the file to memory and closes the file. It reports
// whether it succeeded. It does not if too many spools are in memory because the disk is full.
func (s *spool) moveToMemory(size int64) bool {
	if s.fullSpools.Add(1) > maxFullSpools {
		s.fullSpools.Add(-1)
		return false
	}
	s.full = true // until the spool is closed
	if s.memory == nil && size > 0 {
		s.memory = make([]byte, size)
		if _, err := s.file.ReadAt(s.memory, 0); err != nil {
			return false
		}
	}
	s.closeFile()
	s.file = nil
	return true
}

// closeFile closes and removes the file, if there is one. A file that cannot be removed is deleted when the
// server starts again.
func (s *spool) closeFile() {
	if s.file != nil {
		_ = s.file.Close()
	}
}

// reader returns a reader of all bytes from the beginning.
func (s *spool) reader() (io.Reader, error) {
	if s.file == nil {
		return bytes.NewReader(s.memory), nil
	}
	_, err := s.file.Seek(0, io.SeekStart)
	return s.file, wrapSpoolError(err)
}

// readerAt returns a reader for any part of the bytes.
func (s *spool) readerAt() io.ReaderAt {
	if s.file == nil {
		return bytes.NewReader(s.memory)
	}
	return s.file
}

// bytes returns all bytes.
func (s *spool) bytes() ([]byte, error) {
	from, err := s.reader()
	if err != nil {
		return nil, err
	}
	all := make([]byte, s.size)
	_, err = io.ReadFull(from, all)
	return all, wrapSpoolError(err)
}

// stream writes all bytes to w and closes the spool, so it can be called only once.
func (s *spool) stream(w io.Writer) error {
	defer s.close()
	from, err := s.reader()
	if err != nil {
		return err
	}
	_, err = io.Copy(w, onlyReader{from})
	return err
}

func (s *spool) close() {
	s.memory = nil
	if s.full {
		s.full = false
		s.fullSpools.Add(-1)
	}
	s.closeFile()
}

// onlyReader hides the other methods of a reader, so that io.Copy uses only Read and Write, and
// a paced writer sees every chunk.
type onlyReader struct{ io.Reader }

// spoolError reports that a body or a response could not be stored. It is never the
// client's fault.
type spoolError struct{ cause error }

func (e *spoolError) Error() string {
	return fmt.Sprintf("write a body or a response to the temporary folder: %v", e.cause)
}
func (e *spoolError) Unwrap() error { return e.cause }

func wrapSpoolError(err error) error {
	if err == nil {
		return nil
	}
	return &spoolError{err}
}

// listBuffer is the number of bytes of a list that are buffered before they are written.
const listBuffer = 32 << 10

// listWriter encodes a JSON document that ends with a list, one element at a time,
// so that its memory use does not grow with the list.
type listWriter struct {
	to io.Writer
	// frame is the document with an empty list. It is either the list itself or a struct whose
	// last field is the list. It must be set before the first element is written.
	frame any

	buffer bytes.Buffer
	// end is the part of the document after the elements. It is nil until the frame is written.
	end []byte
}

// append adds an element to the list.
func (w *listWriter) append(element any) error {
	if w.end == nil {
		if err := w.begin(); err != nil {
			return err
		}
	} else {
		w.buffer.WriteByte(',')
	}
	if err := w.encode(element); err != nil {
		return err
	}
	if w.buffer.Len() < listBuffer {
		return nil
	}
	return w.flush()
}

// close writes the part of the document after the list.
func (w *listWriter) close() error {
	if w.end == nil {
		if err := w.begin(); err != nil {
			return err
		}
	}
	w.buffer.Write(w.end)
	return w.flush()
}

// begin writes the part of the frame before the elements.
func (w *listWriter) begin() error {
	if err := w.encode(w.frame); err != nil {
		return err
	}
	text := w.buffer.Bytes()
	at := bytes.LastIndex(text, []byte("[]")) + 1
	w.end = bytes.Clone(text[at:])
	w.buffer.Truncate(at)
	return nil
}

func (w *listWriter) encode(v any) error {
	enc := json.NewEncoder(&w.buffer)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("encode a response: %w", err)
	}
	w.buffer.Truncate(w.buffer.Len() - 1) // the line feed
	return nil
}

func (w *listWriter) flush() error {
	_, err := w.buffer.WriteTo(w.to)
	return err
}

// listResponse responds with a list. It completes the list before it sends the
// first byte, so that no store transaction waits for a slow client.
func (a *API) listResponse(frame any, write func(*listWriter) error) (*response, error) {
	file := a.newSpool(0, nil)
	list := &listWriter{to: file, frame: frame}
	err := write(list)
	if err == nil {
		err = list.close()
	}
	if err != nil {
		file.close()
		return nil, err
	}
	return &response{status: http.StatusOK, stream: file.stream}, nil
}
