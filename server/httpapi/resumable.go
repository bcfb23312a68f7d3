package httpapi

import (
	"crypto/md5"  //nolint:gosec // a checksum of the tus protocol, not a security measure
	"crypto/sha1" //nolint:gosec // likewise
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"hash"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/imports"
)

// Resumable uploads follow the tus protocol, https://tus.io/protocols/resumable-upload. A POST to
// the upload URL of an import creates an upload and returns its own URL. HEAD returns its offset,
// and PATCH appends to it.
const (
	tusVersion    = "1.0.0"
	tusExtensions = "creation,expiration,checksum"
	// offsetStream is the Content-Type of a PATCH.
	offsetStream = "application/offset+octet-stream"
	// statusChecksumMismatch is the status of the protocol for a chunk with a wrong checksum.
	statusChecksumMismatch = 460
)

var tusChecksums = map[string]func() hash.Hash{"sha1": sha1.New, "sha256": sha256.New, "md5": md5.New}

// describeTus sets the headers that describe what the server supports.
func describeTus(h http.Header) {
	h.Set("Tus-Resumable", tusVersion)
	h.Set("Tus-Version", tusVersion)
	h.Set("Tus-Extension", tusExtensions)
	h.Set("Tus-Checksum-Algorithm", "sha1,sha256,md5")
}

// authorizeResumable checks the signed URL and the protocol version of a call.
func (a *API) authorizeResumable(c *call) error {
	c.w.Header().Set("Tus-Resumable", tusVersion)
	if err := a.authorizeUpload(c); err != nil {
		return err
	}
	if c.r.Header.Get("Tus-Resumable") != tusVersion {
		c.w.Header().Set("Tus-Version", tusVersion)
		return newError(http.StatusPreconditionFailed, "unsupported_tus_version", intray.NewMessage("upload.unsupported_version", intray.Params{"version": tusVersion}))
	}
	return nil
}

// postUpload receives the file of an import in a form. If the request follows the tus protocol, it
// creates a resumable upload instead.
func (a *API) postUpload(c *call) (*response, error) {
	header := c.r.Header
	switch {
	case header.Get("Tus-Resumable") == "" && header.Get("Upload-Length") == "":
		return a.receiveUpload(c)
	case header.Get("X-HTTP-Method-Override") == http.MethodPatch:
		return a.patchUpload(c)
	}
	if err := a.authorizeResumable(c); err != nil {
		return nil, err
	}
	if c.upload.What != "" {
		return nil, invalidField("Upload-Length", intray.NewMessage("upload.not_created", nil))
	}
	length, err := countHeader(header, "Upload-Length", "upload.invalid_length")
	if err != nil {
		return nil, err
	}
	filename, err := metadataFilename(header.Get("Upload-Metadata"))
	if err != nil {
		return nil, err
	}
	u, token, err := a.cfg.Service.CreateResumable(c.context(), c.upload, length, filename)
	if err != nil {
		return nil, err
	}
	done := offsetResponse(http.StatusCreated, u, 0)
	done.header.Set("Location", fmt.Sprintf("%s/upload/%s?token=%s", a.baseURL(c.r), c.upload.ID, token))
	return done, nil
}

// getUploadOffset returns how much of a resumable upload has arrived.
func (a *API) getUploadOffset(c *call) (*response, error) {
	u, err := a.openResumable(c)
	if err != nil {
		return nil, err
	}
	offset, err := u.Offset(c.context())
	if err != nil {
		return nil, err
	}
	done := offsetResponse(http.StatusOK, u, offset)
	done.header.Set("Upload-Length", strconv.FormatInt(u.Length, 10))
	return done, nil
}

func (a *API) openResumable(c *call) (*imports.ResumableUpload, error) {
	if err := a.authorizeResumable(c); err != nil {
		return nil, err
	}
	return a.cfg.Service.OpenResumable(c.context(), c.upload)
}

// patchUpload appends a chunk to a resumable upload.
func (a *API) patchUpload(c *call) (*response, error) {
	u, err := a.openResumable(c)
	if err != nil {
		return nil, err
	}
	chunk, err := parseChunk(c.r)
	if err != nil {
		return nil, err
	}
	body, end := a.pacedReader(c.w, c.r), func() {}
	if !u.Complete() {
		if body, end, err = a.admitUpload(c, u.Org(), u.Length, body); err != nil {
			return nil, err
		}
	}
	defer end()
	var stop func()
	chunk.Body = body
	chunk.Interrupt, stop = interrupter(c.w)
	offset, err := u.Receive(c.context(), chunk)
	stop()
	switch {
	case errors.Is(err, imports.ErrChecksum):
		return nil, newError(statusChecksumMismatch, "checksum_mismatch", intray.NewMessage("upload.checksum_mismatch", nil))
	case err != nil:
		return nil, receiveError(err)
	}
	return offsetResponse(http.StatusNoContent, u, offset), nil
}

// interrupter returns a function that makes reading the body of a request fail. After a call to stop,
// the function does nothing, because the connection may be serving another request.
func interrupter(w http.ResponseWriter) (interrupt, stop func()) {
	var mu sync.Mutex
	control := http.NewResponseController(w)
	interrupt = func() {
		mu.Lock()
		defer mu.Unlock()
		if control != nil {
			_ = control.SetReadDeadline(time.Now())
		}
	}
	return interrupt, func() {
		mu.Lock()
		defer mu.Unlock()
		control = nil
	}
}

// offsetResponse returns the response to a successful request of the protocol.
func offsetResponse(status int, u *imports.ResumableUpload, offset int64) *response {
	header := http.Header{}
	header.Set("Upload-Offset", strconv.FormatInt(offset, 10))
	if !u.Complete() {
		header.Set("Upload-Expires", u.Expires.UTC().Format(http.TimeFormat))
	}
	return &response{status: status, raw: []byte{}, header: header}
}

// parseChunk reads the headers of a PATCH.
func parseChunk(r *http.Request) (imports.Chunk, error) {
	c := imports.Chunk{Length: r.ContentLength}
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != offsetStream {
		return c, newError(http.StatusUnsupportedMediaType, "unsupported_media_type", intray.NewMessage("upload.not_offset_stream", nil))
	}
	err := requireWholeFile(r.Header)
	if err == nil {
		c.Offset, err = countHeader(r.Header, "Upload-Offset", "upload.invalid_offset")
	}
	if value := r.Header.Get("Upload-Checksum"); err == nil && value != "" {
		c.Checksum, c.Sum, err = parseChecksum(value)
	}
	return c, err
}

// countHeader parses a header with a number of bytes.
func countHeader(header http.Header, name, problem string) (int64, error) {
	value := header.Get(name)
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < 0 || strings.HasPrefix(value, "+") || strings.HasPrefix(value, "-") {
		return 0, invalidField(name, intray.NewMessage(problem, nil))
	}
	return n, nil
}

// parseChecksum parses the header Upload-Checksum.
func parseChecksum(value string) (hash.Hash, []byte, error) {
	name, text, _ := strings.Cut(value, " ")
	create := tusChecksums[name]
	if create != nil {
		sum, err := base64.StdEncoding.DecodeString(text)
		if h := create(); err == nil && len(sum) == h.Size() {
			return h, sum, nil
		}
	}
	return nil, nil, invalidField("Upload-Checksum", intray.NewMessage("upload.invalid_checksum", nil))
}

// metadataFilename returns the value of filename in the header Upload-Metadata, or "". It ignores
// other keys.
func metadataFilename(value string) (string, error) {
	for pair := range strings.SplitSeq(value, ",") {
		key, encoded, _ := strings.Cut(strings.TrimSpace(pair), " ")
		if key != "filename" {
			continue
		}
		name, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil || !utf8.Valid(name) {
			return "", invalidField("Upload-Metadata", intray.NewMessage("upload.invalid_metadata", nil))
		}
		return string(name), nil
	}
	return "", nil
}
