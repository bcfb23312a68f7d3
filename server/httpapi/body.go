package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/jsonschema"
)

const (
	// maxBody is the maximum size of an ordinary request body: 1 MiB.
	maxBody = 1 << 20
	// maxRows is the maximum size of initial_data as sent: 15 MiB.
	maxRows = 15728640
	// maxValues is the maximum number of values and names in a request body. The limit is
	// needed because a small body with many empty arrays needs a lot of memory.
	maxValues = 250_000
	// maxCells and maxCellValues are the limits for changes to rows: a body of 16 MiB, and
	// about 100,000 cells. They are higher because cells may be pasted.
	maxCells, maxCellValues = 16 << 20, 1_500_000
)

// body is a request body.
type body struct {
	// text is the JSON as sent, without the rows. It is empty if nothing was sent.
	// doc is the decoded JSON.
	text *spool
	doc  any
	// values is the memory that the decoded values may need in addition to the text, in bytes.
	values int64
	// rows is the JSON of initial_data, or nil if there is none.
	rows *spool
	// digest is a hash of the bytes as sent, or "" if some were not read.
	digest string
	// err is the error if the body is invalid.
	err error
	// maxValues is the maximum number of values and names.
	maxValues int
}

func (b *body) hasContent() bool { return b.text != nil && b.text.size > 0 }

func (b *body) close() {
	b.doc = nil
	for _, s := range []*spool{b.text, b.rows} {
		if s != nil {
			s.close()
		}
	}
}

// weight returns the memory that the decoded body may need, in bytes.
func (b *body) weight() int64 {
	if !b.hasContent() || b.err != nil {
		return 0
	}
	return 2*b.text.size + min(b.values, valueWeight*int64(b.maxValues))
}

// readBody reads the whole body of an operation into a spool.
func (a *API) readBody(op *operation, w http.ResponseWriter, r *http.Request) *body {
	if op.body == nil {
		return &body{digest: "none"}
	}
	whole, most := int64(maxBody), maxValues
	if op.cells {
		whole, most = maxCells, maxCellValues
	}
	limit := whole
	if op.rows {
		limit += maxRows
	}
	if r.ContentLength > limit {
		return &body{err: bodyTooLarge(limit)}
	}
	if err := refuseContentEncoding(r.Header); err != nil {
		return &body{err: err}
	}
	sum := &hashingReader{from: a.pacedReader(w, r), sum: sha256.New(), left: limit}
	b := &body{text: a.newSpool(whole, bodyTooLarge(whole)), maxValues: most}
	b.err = bodyError(a.receiveBody(b, op, r, sum))
	if _, err := io.Copy(io.Discard, sum); err != nil {
		if b.err == nil {
			b.err = bodyError(err)
		}
		return b // without a digest, because the rest of the body is unknown
	}
	if sum.left < 0 {
		b.err = bodyTooLarge(limit)
		return b
	}
	b.digest = hex.EncodeToString(sum.sum.Sum(nil))
	return b
}

// receiveBody reads the body from the connection into spools.
func (a *API) receiveBody(b *body, op *operation, r *http.Request, from io.Reader) error {
	head := make([]byte, 1)
	n, err := io.ReadFull(from, head)
	switch {
	case n == 0 && errors.Is(err, io.EOF):
		if !op.optionalBody {
			return newError(http.StatusBadRequest, "body_missing", intray.NewMessage("request.body_missing", nil))
		}
		return nil
	case err != nil:
		return err
	case !isJSON(r.Header.Get("Content-Type")):
		return newError(http.StatusUnsupportedMediaType, "unsupported_media_type", intray.NewMessage("request.body_not_json", nil))
	}
	from = io.MultiReader(bytes.NewReader(head), from)
	to := &memoryEstimator{to: b.text}
	if op.rows {
		b.rows, err = a.splitRows(from, to)
	} else {
		_, err = io.Copy(to, onlyReader{from})
	}
	b.values = to.weight
	return err
}

// decode decodes the JSON in the spool.
func (b *body) decode() {
	if !b.hasContent() || b.err != nil {
		return
	}
	from, err := b.text.reader()
	if err == nil {
		b.doc, err = jsonschema.Decode(from, jsonschema.Limits{MaxValues: b.maxValues})
	}
	var syntax *jsonschema.SyntaxError
	if errors.As(err, &syntax) {
		if again, fault := b.text.reader(); fault == nil {
			_ = syntax.FindLine(again) // without the line, the error still has the offset
		}
	}
	b.err = bodyError(err)
}

func isJSON(contentType string) bool {
	media, params, err := mime.ParseMediaType(contentType)
	if err != nil || media != "application/json" {
		return false
	}
	charset, given := params["charset"]
	return !given || strings.EqualFold(charset, "utf-8")
}

func bodyTooLarge(limit int64) *apiError {
	return newError(http.StatusRequestEntityTooLarge, "body_too_large", intray.NewMessage("request.body_too_large", intray.Params{"size": limit}))
}

// refuseContentEncoding returns an error if the body is encoded, for example compressed.
func refuseContentEncoding(header http.Header) error {
	coding := header.Get("Content-Encoding")
	if coding == "" || strings.EqualFold(coding, "identity") {
		return nil
	}
	return newError(http.StatusUnsupportedMediaType, "unsupported_media_type", intray.NewMessage("request.content_encoding", nil))
}

// bodyError returns the error for a client whose body cannot be read or decoded. It
// returns internal errors unchanged.
func bodyError(err error) error {
	var mine *apiError
	var ours *spoolError
	var syntax *jsonschema.SyntaxError
	var sender *senderError
	switch {
	case err == nil, errors.As(err, &mine), errors.As(err, &ours):
		return err
	case errors.As(err, &syntax):
		return newError(http.StatusBadRequest, "malformed_json", intray.NewMessage("request.malformed_json", intray.Params{"problem": syntax.Describe()}))
	case errors.Is(err, os.ErrDeadlineExceeded):
		return newError(http.StatusRequestTimeout, "too_slow", intray.NewMessage("request.too_slow", nil))
	case errors.As(err, &sender), errors.Is(err, io.ErrUnexpectedEOF):
		return newError(http.StatusBadRequest, "body_too_short", intray.NewMessage("request.body_too_short", nil))
	case errors.Is(err, jsonschema.ErrTooLarge):
		return newError(http.StatusRequestEntityTooLarge, "body_too_large", intray.NewMessage("request.too_many_values", intray.Params{"n": maxValues}))
	}
	return err
}

// hashingReader hashes the bytes that it reads. left is the number of bytes that may still be
// read. It is negative if the body was too long. The reader stops after an error.
type hashingReader struct {
	from io.Reader
	sum  hash.Hash
	left int64
	err  error
}

func (h *hashingReader) Read(p []byte) (int, error) {
	if h.left < 0 {
		return 0, io.EOF
	}
	if h.err != nil {
		return 0, h.err
	}
	var n int
	n, h.err = h.from.Read(p)
	h.left -= int64(n)
	h.sum.Write(p[:n])
	return n, h.err
}

// cappedReader reads no more bytes than the limit in left. If there are more, it returns the
// error in over.
type cappedReader struct {
	from io.Reader
	left int64
	over error
}

func (c *cappedReader) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	if c.left -= int64(n); c.left < 0 {
		return 0, c.over
	}
	return n, err
}

// rowsField is the property that is stored separately from the rest of the body. It
// is not decoded because it may be large.
const rowsField = "initial_data"

// splitRows copies a body to the writer rest, but replaces the value of initial_data with an
// empty array. It returns the original value. If the property is missing or null, the rows are
// nil. The caller must close the rows.
func (a *API) splitRows(from io.Reader, rest io.Writer) (rows *spool, err error) {
	s := &rowSplitter{Scanner: jsonschema.NewScanner(from, rest), rest: rest, api: a}
	if err := s.splitBody(); err != nil {
		if s.rows != nil {
			s.rows.close()
		}
		return nil, err
	}
	return s.rows, nil
}

// rowSplitter splits a body into initial_data and the rest.
type rowSplitter struct {
	*jsonschema.Scanner
	api  *API
	rest io.Writer
	rows *spool
}

func (s *rowSplitter) splitBody() error {
	b, err := s.Peek()
	if err != nil {
		return err
	}
	if b == '{' {
		err = s.ScanObject(s.member)
	} else {
		err = s.SkipValue() // the validation of the rest reports that it is not an object
	}
	if err != nil {
		return err
	}
	return s.Finish()
}

func (s *rowSplitter) member(name string) error {
	if name == rowsField {
		return s.divertRows()
	}
	return s.SkipValue()
}

// divertRows copies the next JSON value to the rows.
func (s *rowSplitter) divertRows() error {
	b, err := s.Peek()
	if err != nil {
		return err
	}
	if b != '[' {
		if b == 'n' || !beginsValue(b) {
			return s.SkipValue() // null, or an error of the scanner
		}
		return invalidField(rowsField, intray.NewMessage("import.initial_data_not_objects", nil))
	}
	s.rows = s.api.newSpool(maxRows, newError(http.StatusRequestEntityTooLarge, "initial_data_too_large", intray.NewMessage("import.initial_data_too_large", intray.Params{"size": maxRows})))
	if err := s.SetOutput(s.rows); err != nil {
		return err
	}
	if err := s.ScanArray(s.checkRow); err != nil {
		return err
	}
	if err := s.SetOutput(s.rest); err != nil {
		return err
	}
	_, err = io.WriteString(s.rest, "[]")
	return err
}

func (s *rowSplitter) checkRow(i int) error {
	b, err := s.Peek()
	if err != nil {
		return err
	}
	if b != '{' && beginsValue(b) {
		return invalidField(rowsField, intray.NewMessage("import.initial_data_element_not_object", intray.Params{"element": i}))
	}
	return s.SkipValue()
}

// beginsValue reports whether a JSON value can begin with b.
func beginsValue(b byte) bool { return strings.IndexByte(`{["-0123456789tfn`, b) >= 0 }
