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
	// maxBody is the most bytes of an ordinary request body: 1 MiB.
	maxBody = 1 << 20
	// maxRows is the most bytes of initial_data as it is sent.
	maxRows = 15728640
	// maxValues is the most values, with names, of a request body: a small body
	// of many empty arrays needs much memory.
	maxValues = 250_000
	// maxCells and maxCellValues are the same two of a change of rows, which may be
	// pasted: 16 MiB, and some 100,000 cells.
	maxCells, maxCellValues = 16 << 20, 1_500_000
	// maxDrain is how much of a refused body is read to its end, so that the
	// sender sees the answer.
	maxDrain = 32 << 20
)

// body is a request body.
type body struct {
	// text is the JSON as it was sent, without the rows; empty where nothing
	// was sent. doc is what was decoded of it.
	text *spool
	doc  any
	// values is how much memory its values may need beside their text.
	values int64
	// rows is the text of initial_data; nil without one.
	rows *spool
	// digest is a hash of the bytes as sent; "" where they were not all read.
	digest string
	// err is why the body cannot be used; nil where it can.
	err error
	// maxValues is the most values that are taken.
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

// weight is how much memory the decoded body may need.
func (b *body) weight() int64 {
	if !b.hasContent() || b.err != nil {
		return 0
	}
	return 2*b.text.size + min(b.values, valueWeight*int64(b.maxValues))
}

// readBody keeps the body of an operation till it is whole.
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
		return b // without a digest: it is not known what was sent
	}
	if sum.left < 0 {
		b.err = bodyTooLarge(limit)
		return b
	}
	b.digest = hex.EncodeToString(sum.sum.Sum(nil))
	return b
}

// receiveBody takes the body in as it arrives.
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

// decode reads the body that was kept.
func (b *body) decode() {
	if !b.hasContent() || b.err != nil {
		return
	}
	from, err := b.text.reader()
	if err == nil {
		b.doc, err = jsonschema.Decode(from, jsonschema.Limits{MaxValues: b.maxValues})
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

// refuseContentEncoding refuses a body that is not the thing itself.
func refuseContentEncoding(header http.Header) error {
	coding := header.Get("Content-Encoding")
	if coding == "" || strings.EqualFold(coding, "identity") {
		return nil
	}
	return newError(http.StatusUnsupportedMediaType, "unsupported_media_type", intray.NewMessage("request.content_encoding", nil))
}

// bodyError tells what is wrong with a body that cannot be read or decoded.
// Faults of ours stay what they are.
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

// drainBody reads on so that the sender, who may read nothing before he has sent
// all, comes to see the answer.
func drainBody(r io.Reader) { _, _ = io.CopyN(io.Discard, r, maxDrain) }

// hashingReader hashes what passes, and notes when it is more than was allowed. It
// does not read on after an error.
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

// cappedReader reads at most left bytes; more is refused.
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

// rowsField is the property whose value is kept apart from the rest of the
// body: it may be large, and nobody needs it decoded.
const rowsField = "initial_data"

// splitRows passes over a body and keeps the value of its top-level property
// initial_data apart; the rest gets an empty array in its place. A body without
// the property, or with null, has no rows. Rows without an error must be
// closed.
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

// rowSplitter sorts a body into the rows and the rest.
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
		err = s.SkipValue() // the check of the rest says that it is no object
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

// divertRows keeps the value that follows apart.
func (s *rowSplitter) divertRows() error {
	b, err := s.Peek()
	if err != nil {
		return err
	}
	if b != '[' {
		if b == 'n' || !beginsValue(b) {
			return s.SkipValue() // null, or the scanner says what is wrong
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

// beginsValue says whether a JSON value may begin so.
func beginsValue(b byte) bool { return strings.IndexByte(`{["-0123456789tfn`, b) >= 0 }
