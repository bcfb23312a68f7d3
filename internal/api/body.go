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
	"strconv"
	"strings"

	"github.com/intraydata/intray/internal/shape"
)

const (
	// maxBody is the most bytes of an ordinary request body: 1 MiB.
	maxBody = 1 << 20
	// maxRows is the most bytes of initial_data as it is sent.
	maxRows = 15728640
	// maxDrain is how much of a refused body is read to its end, so that the
	// sender sees the answer.
	maxDrain = 32 << 20
)

// body is a request body that was read.
type body struct {
	// sent says that there was a body; doc is its decoded JSON.
	sent bool
	doc  any
	// rows is the text of initial_data, apart from the rest; nil without one.
	rows *os.File
	// digest is a hash of the bytes as sent; "" where they were not all read.
	digest string
	// wrong is why the body cannot be used; nil where it can.
	wrong error
}

func (b *body) close() {
	if b.rows != nil {
		_ = b.rows.Close()
	}
}

// readBody reads and decodes the body of an operation.
func (a *API) readBody(op *operation, w http.ResponseWriter, r *http.Request) *body {
	if op.body == nil {
		return &body{digest: "none"}
	}
	limit := int64(maxBody)
	if op.rows {
		limit += maxRows
	}
	if r.ContentLength > limit {
		return &body{wrong: bodyTooLarge(limit)}
	}
	sum := &hashed{from: http.MaxBytesReader(w, io.NopCloser(a.paced(w, r)), maxDrain), sum: sha256.New(), left: limit}
	b := a.decodeBody(op, r, sum)
	if _, err := io.Copy(io.Discard, sum); err != nil {
		if b.wrong == nil {
			b.wrong = bodyError(err, limit)
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

func (a *API) decodeBody(op *operation, r *http.Request, from io.Reader) *body {
	b := &body{}
	head := make([]byte, 1)
	n, err := io.ReadFull(from, head)
	switch {
	case n == 0 && errors.Is(err, io.EOF):
		if !op.optionalBody {
			b.wrong = refuse(http.StatusBadRequest, "body_missing", "The request has no body. Send a JSON object.")
		}
		return b
	case err != nil:
		b.wrong = bodyError(err, maxBody)
		return b
	case !isJSON(r.Header.Get("Content-Type")):
		b.wrong = refuse(http.StatusUnsupportedMediaType, "unsupported_media_type", "The body must be JSON with the header Content-Type: application/json.")
		return b
	}
	from = io.MultiReader(bytes.NewReader(head), from)
	if op.rows {
		from, b.rows, err = a.splitRows(from)
		if err != nil {
			b.wrong = bodyError(err, maxBody)
			return b
		}
	}
	b.sent = true
	if b.doc, err = shape.Decode(from, shape.Limits{}); err != nil {
		b.wrong = bodyError(err, maxBody)
	}
	return b
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
	return refuse(http.StatusRequestEntityTooLarge, "body_too_large", "The body is larger than the "+grouped(limit)+" bytes that this operation takes.")
}

// bodyError tells what is wrong with a body that cannot be read or decoded.
func bodyError(err error, limit int64) error {
	var mine *refusal
	var syntax *shape.SyntaxError
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &mine):
		return mine
	case errors.As(err, &syntax):
		return refuse(http.StatusBadRequest, "malformed_json", "The body is not valid JSON: "+syntax.Error()+".")
	case errors.As(err, &over):
		return bodyTooLarge(limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return refuse(http.StatusRequestTimeout, "too_slow", "The body arrived too slowly. Send it again.")
	}
	var sender *senderError
	if errors.As(err, &sender) || errors.Is(err, io.ErrUnexpectedEOF) {
		return refuse(http.StatusBadRequest, "body_too_short", "The body ended before it was complete. Send it again.")
	}
	if errors.Is(err, shape.ErrTooLarge) {
		return refuse(http.StatusRequestEntityTooLarge, "body_too_large", "The body has more values than this operation takes.")
	}
	return err
}

// drain reads on so that the sender, who may read nothing before he has sent
// all, comes to see the answer.
func drain(r io.Reader) { _, _ = io.CopyN(io.Discard, r, maxDrain) }

// hashed hashes what passes, and notes when it is more than was allowed.
type hashed struct {
	from io.Reader
	sum  hash.Hash
	left int64
}

func (h *hashed) Read(p []byte) (int, error) {
	if h.left < 0 {
		return 0, io.EOF
	}
	n, err := h.from.Read(p)
	h.left -= int64(n)
	h.sum.Write(p[:n])
	return n, err
}

// grouped writes a number with commas between thousands.
func grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}
