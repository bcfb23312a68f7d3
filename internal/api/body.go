package api

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
	"github.com/intraydata/intray/internal/shape"
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
	// wrong is why the body cannot be used; nil where it can.
	wrong error
	// most is the most values that are taken.
	most int
}

func (b *body) sent() bool { return b.text != nil && b.text.size > 0 }

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
	if !b.sent() || b.wrong != nil {
		return 0
	}
	return 2*b.text.size + min(b.values, valueWeight*int64(b.most))
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
		return &body{wrong: bodyTooLarge(limit)}
	}
	if err := plainly(r.Header); err != nil {
		return &body{wrong: err}
	}
	sum := &hashed{from: a.paced(w, r), sum: sha256.New(), left: limit}
	b := &body{text: a.newSpool(whole, bodyTooLarge(whole)), most: most}
	b.wrong = bodyError(a.fill(b, op, r, sum))
	if _, err := io.Copy(io.Discard, sum); err != nil {
		if b.wrong == nil {
			b.wrong = bodyError(err)
		}
		return b // without a digest: it is not known what was sent
	}
	if sum.left < 0 {
		b.wrong = bodyTooLarge(limit)
		return b
	}
	b.digest = hex.EncodeToString(sum.sum.Sum(nil))
	return b
}

// fill takes the body in as it arrives.
func (a *API) fill(b *body, op *operation, r *http.Request, from io.Reader) error {
	head := make([]byte, 1)
	n, err := io.ReadFull(from, head)
	switch {
	case n == 0 && errors.Is(err, io.EOF):
		if !op.optionalBody {
			return refuse(http.StatusBadRequest, "body_missing", intray.NewMessage("request.body_missing", nil))
		}
		return nil
	case err != nil:
		return err
	case !isJSON(r.Header.Get("Content-Type")):
		return refuse(http.StatusUnsupportedMediaType, "unsupported_media_type", intray.NewMessage("request.body_not_json", nil))
	}
	from = io.MultiReader(bytes.NewReader(head), from)
	to := &weigher{to: b.text}
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
	if !b.sent() || b.wrong != nil {
		return
	}
	from, err := b.text.reader()
	if err == nil {
		b.doc, err = shape.Decode(from, shape.Limits{MaxValues: b.most})
	}
	b.wrong = bodyError(err)
}

func isJSON(contentType string) bool {
	media, params, err := mime.ParseMediaType(contentType)
	if err != nil || media != "application/json" {
		return false
	}
	charset, given := params["charset"]
	return !given || strings.EqualFold(charset, "utf-8")
}

func bodyTooLarge(limit int64) *refusal {
	return refuse(http.StatusRequestEntityTooLarge, "body_too_large", intray.NewMessage("request.body_too_large", intray.Params{"size": limit}))
}

// plainly refuses a body that is not the thing itself.
func plainly(header http.Header) error {
	coding := header.Get("Content-Encoding")
	if coding == "" || strings.EqualFold(coding, "identity") {
		return nil
	}
	return refuse(http.StatusUnsupportedMediaType, "unsupported_media_type", intray.NewMessage("request.content_encoding", nil))
}

// bodyError tells what is wrong with a body that cannot be read or decoded.
// Faults of ours stay what they are.
func bodyError(err error) error {
	var mine *refusal
	var ours *spoolError
	var syntax *shape.SyntaxError
	var sender *senderError
	switch {
	case err == nil, errors.As(err, &mine), errors.As(err, &ours):
		return err
	case errors.As(err, &syntax):
		return refuse(http.StatusBadRequest, "malformed_json", intray.NewMessage("request.malformed_json", intray.Params{"problem": syntax.Describe()}))
	case errors.Is(err, os.ErrDeadlineExceeded):
		return refuse(http.StatusRequestTimeout, "too_slow", intray.NewMessage("request.too_slow", nil))
	case errors.As(err, &sender), errors.Is(err, io.ErrUnexpectedEOF):
		return refuse(http.StatusBadRequest, "body_too_short", intray.NewMessage("request.body_too_short", nil))
	case errors.Is(err, shape.ErrTooLarge):
		return refuse(http.StatusRequestEntityTooLarge, "body_too_large", intray.NewMessage("request.too_many_values", intray.Params{"n": maxValues}))
	}
	return err
}

// drain reads on so that the sender, who may read nothing before he has sent
// all, comes to see the answer.
func drain(r io.Reader) { _, _ = io.CopyN(io.Discard, r, maxDrain) }

// hashed hashes what passes, and notes when it is more than was allowed. It
// does not read on after an error.
type hashed struct {
	from io.Reader
	sum  hash.Hash
	left int64
	err  error
}

func (h *hashed) Read(p []byte) (int, error) {
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

// capped reads at most left bytes; more is refused.
type capped struct {
	from io.Reader
	left int64
	over error
}

func (c *capped) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	if c.left -= int64(n); c.left < 0 {
		return 0, c.over
	}
	return n, err
}
