package api

import (
	"io"
	"net/http"
	"os"
	"time"
)

const (
	// idleLimit is how long a sender may be silent within a body.
	idleLimit = 30 * time.Second
	// minPace is how many bytes a second a body must bring on average, once it
	// has had idleLimit to begin.
	minPace = 1024
)

// pacedBody reads a body that must keep coming: a sender that holds a
// connection open and sends next to nothing is cut off.
type pacedBody struct {
	from    io.Reader
	control *http.ResponseController
	began   time.Time
	read    int64
}

func (a *API) paced(w http.ResponseWriter, r *http.Request) io.Reader {
	return &pacedBody{from: r.Body, control: http.NewResponseController(w), began: time.Now()}
}

func (p *pacedBody) Read(b []byte) (int, error) {
	// Where deadlines cannot be set, as in tests without a connection, only
	// the average counts.
	_ = p.control.SetReadDeadline(time.Now().Add(idleLimit))
	n, err := p.from.Read(b)
	p.read += int64(n)
	passed := time.Since(p.began)
	if err == nil && passed > idleLimit && p.read < minPace*int64(passed/time.Second) {
		return n, os.ErrDeadlineExceeded
	}
	switch err { //nolint:errorlint // only the bare io.EOF is the end of the body
	case nil:
		return n, nil
	case io.EOF:
		_ = p.control.SetReadDeadline(time.Time{})
		return n, io.EOF
	}
	return n, &senderError{err}
}

// senderError is a failure to read what the sender sends: a body that broke off
// or is malformed. It is never a fault of ours.
type senderError struct{ cause error }

func (e *senderError) Error() string { return "read the body: " + e.cause.Error() }
func (e *senderError) Unwrap() error { return e.cause }

// pacedWriter writes an answer to a reader that must keep reading.
type pacedWriter struct {
	to      io.Writer
	control *http.ResponseController
}

func (a *API) pacedWriter(w http.ResponseWriter) io.Writer {
	return &pacedWriter{w, http.NewResponseController(w)}
}

func (p *pacedWriter) Write(b []byte) (int, error) {
	_ = p.control.SetWriteDeadline(time.Now().Add(idleLimit))
	n, err := p.to.Write(b)
	_ = p.control.SetWriteDeadline(time.Time{})
	return n, err
}

// headWriter takes nothing: the answer to HEAD has no body.
type headWriter struct{}

func (headWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
