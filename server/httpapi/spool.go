package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
)

// keepInMemory is the number of bytes of a body or a response that wait in memory. More
// wait in a file.
const keepInMemory = 16 << 10

// spool holds bytes until they are read: a few in memory, many in a file, so that a slow
// client costs next to no memory.
type spool struct {
	dir string
	// most is the maximum size, and over the error beyond it; 0 means no limit.
	most int64
	over error

	size   int64
	memory []byte
	file   *os.File
}

func (a *API) newSpool(most int64, over error) *spool {
	return &spool{dir: a.cfg.TempDir, most: most, over: over}
}

func (s *spool) Write(p []byte) (int, error) {
	if s.size += int64(len(p)); s.most > 0 && s.size > s.most {
		return 0, s.over
	}
	if s.file == nil && s.size <= keepInMemory {
		s.memory = append(s.memory, p...)
		return len(p), nil
	}
	if s.file == nil {
		if err := s.moveToFile(); err != nil {
			return 0, err
		}
	}
	n, err := s.file.Write(p)
	return n, wrapSpoolError(err)
}

// moveToFile moves the bytes in memory to a file without a name, which disappears when
// it is closed.
func (s *spool) moveToFile() error {
	file, err := os.CreateTemp(s.dir, "spool-*")
	if err != nil {
		return wrapSpoolError(err)
	}
	s.file = file
	if err := os.Remove(file.Name()); err != nil {
		return wrapSpoolError(err)
	}
	_, err = file.Write(s.memory)
	s.memory = nil
	return wrapSpoolError(err)
}

// reader reads everything from the beginning.
func (s *spool) reader() (io.Reader, error) {
	if s.file == nil {
		return bytes.NewReader(s.memory), nil
	}
	_, err := s.file.Seek(0, io.SeekStart)
	return s.file, wrapSpoolError(err)
}

// readerAt reads any part.
func (s *spool) readerAt() io.ReaderAt {
	if s.file == nil {
		return bytes.NewReader(s.memory)
	}
	return s.file
}

// bytes returns everything.
func (s *spool) bytes() ([]byte, error) {
	from, err := s.reader()
	if err != nil {
		return nil, err
	}
	all := make([]byte, s.size)
	_, err = io.ReadFull(from, all)
	return all, wrapSpoolError(err)
}

// stream writes everything, once, and closes the spool.
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
	if s.file != nil {
		_ = s.file.Close() // it has no name, so nothing is left
	}
}

// onlyReader hides the other methods of a file, so that its bytes pass the writer that
// limits the pace.
type onlyReader struct{ io.Reader }

// spoolError is a failure to hold a body or a response. It is never the client's fault.
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

// listBuffer is the number of bytes of a list that are collected before they are
// written.
const listBuffer = 32 << 10

// listWriter encodes a JSON document that ends with a list, one element at a time, so
// that memory does not grow with the list.
type listWriter struct {
	to io.Writer
	// frame is the document with an empty list: the list itself, or a struct whose last
	// field it is. It must be set before the first element.
	frame any

	buffer bytes.Buffer
	// end is what follows the elements; nil before the frame is written.
	end []byte
}

// append writes an element.
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

// close writes the rest of the document.
func (w *listWriter) close() error {
	if w.end == nil {
		if err := w.begin(); err != nil {
			return err
		}
	}
	w.buffer.Write(w.end)
	return w.flush()
}

// begin writes the frame up to its list.
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
	w.buffer.Truncate(w.buffer.Len() - 1) // the line end
	return nil
}

func (w *listWriter) flush() error {
	_, err := w.buffer.WriteTo(w.to)
	return err
}

// listResponse responds with a list that is complete before the first byte is sent, so
// that no transaction of the store waits for a slow client.
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
