package httpapi

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/output"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
)

// receiveUpload receives the file of an import, as a raw PUT or as a multipart POST with a
// part named file.
func (a *API) receiveUpload(c *call) (*response, error) {
	if _, err := c.pathID("id"); err != nil {
		return nil, err
	}
	id := c.r.PathValue("id") // as sent, because the signature covers this spelling only
	length := c.r.ContentLength
	if c.r.Method == http.MethodPost {
		length = -1
	}
	receiving, err := a.cfg.Service.BeginUpload(c.context(), id, c.r.URL.Query().Get("token"), length)
	if err := a.checkGrant(c, err); err != nil {
		return nil, err
	}
	c.enter(receiving.Org())
	body, end, err := a.admitUpload(c, c.org, c.r.ContentLength, a.pacedReader(c.w, c.r))
	if err != nil {
		return nil, err
	}
	defer end()
	receipt, err := a.receive(c, receiving, body)
	if err != nil {
		return nil, receiveError(err)
	}
	return &response{status: http.StatusOK, raw: []byte{}, header: http.Header{"Etag": {`"` + receipt.MD5 + `"`}}}, nil
}

func (a *API) receive(c *call, receiving *imports.UploadReceiver, body io.Reader) (imports.UploadReceipt, error) {
	if err := requireWholeFile(c.r.Header); err != nil {
		return imports.UploadReceipt{}, err
	}
	var in imports.IncomingFile
	var err error
	if c.r.Method == http.MethodPost {
		in, err = formFile(c.r, body, receiving.MaxSize)
	} else {
		in, err = parseFileHeaders(c.r.Header, body, c.r.ContentLength)
	}
	if err != nil {
		return imports.UploadReceipt{}, err
	}
	return receiving.Receive(c.context(), in)
}

// requireWholeFile returns an error if the body is encoded or contains only part of a file.
func requireWholeFile(header http.Header) error {
	if header.Get("Content-Range") != "" {
		return invalidField("Content-Range", intray.NewMessage("upload.content_range", nil))
	}
	return refuseContentEncoding(header)
}

// parseFileHeaders reads the name and the digests of a file from the headers of a
// request or of a multipart part.
func parseFileHeaders(header http.Header, body io.Reader, length int64) (imports.IncomingFile, error) {
	in := imports.IncomingFile{Body: body, Length: length}
	var err error
	if in.MD5, err = contentMD5(header.Get("Content-MD5")); err != nil {
		return in, err
	}
	if in.SHA256, err = reprDigest(header.Values("Repr-Digest")); err != nil {
		return in, err
	}
	in.Filename, err = url.PathUnescape(header.Get("X-File-Name"))
	if err != nil {
		return in, invalidField("X-File-Name", intray.NewMessage("upload.invalid_file_name", nil))
	}
	return in, nil
}

// contentMD5 parses the header Content-MD5 (RFC 1864).
func contentMD5(value string) ([]byte, error) {
	if value == "" {
		return nil, nil
	}
	sum, err := base64.StdEncoding.DecodeString(value)
	if err != nil || len(sum) != 16 {
		return nil, invalidField("Content-MD5", intray.NewMessage("upload.invalid_md5", nil))
	}
	return sum, nil
}

var sha256Member = regexp.MustCompile(`^\s*sha-256=:([A-Za-z0-9+/=]*):\s*$`)

// reprDigest parses the sha-256 digest in the header Repr-Digest (RFC 9530). It
// ignores other digests.
func reprDigest(values []string) ([]byte, error) {
	for member := range strings.SplitSeq(strings.Join(values, ","), ",") {
		if !strings.HasPrefix(strings.TrimSpace(member), "sha-256=") {
			continue
		}
		if match := sha256Member.FindStringSubmatch(member); match != nil {
			if sum, err := base64.StdEncoding.DecodeString(match[1]); err == nil && len(sum) == 32 {
				return sum, nil
			}
		}
		return nil, invalidField("Repr-Digest", intray.NewMessage("upload.invalid_sha256", nil))
	}
	return nil, nil
}

// receiveError returns a 4xx error for an error that the client caused. It returns
// other errors unchanged.
func receiveError(err error) error {
	var mine *apiError
	var ours *model.Error
	switch {
	case errors.As(err, &mine), errors.As(err, &ours):
		return err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return newError(http.StatusRequestTimeout, "too_slow", intray.NewMessage("upload.too_slow", nil))
	case errors.As(err, new(*senderError)), imports.IsShort(err):
		return newError(http.StatusBadRequest, "body_too_short", intray.NewMessage("upload.body_too_short", nil))
	}
	return err
}

// serveDownload sends the file to which a signed URL refers.
func (a *API) serveDownload(c *call) (*response, error) {
	if _, err := c.pathID("id"); err != nil {
		return nil, err
	}
	d, err := a.cfg.Service.Download(c.context(), c.r.PathValue("id"), c.r.URL.Query().Get("token"))
	if err := a.checkGrant(c, err); err != nil {
		return nil, err
	}
	if d.What == imports.RawFile {
		header := http.Header{"Content-Disposition": {attachment(d.Upload.Filename)}}
		return fileResponse(d.Stored, "application/octet-stream", d.Upload.Raw.SHA256, header), nil
	}
	format := output.Format(d.What)
	header := http.Header{"Content-Disposition": {attachment(resultName(d.Upload, format))}}
	if d.Stored != nil {
		return fileResponse(d.Stored, format.ContentType(), d.Upload.Result.SHA256, header), nil
	}
	header.Set("Content-Type", format.ContentType())
	return &response{status: http.StatusOK, header: header, stream: d.Write}, nil
}

func resultName(u model.Upload, format output.Format) string {
	stem := strings.TrimSuffix(u.Filename, path.Ext(u.Filename))
	stem = cmp.Or(stem, u.ImportID)
	return stem + ".result." + string(format)
}

// storedFile is an open file that the service has stored.
type storedFile interface {
	io.WriterTo
	io.Closer
	Size() int64
}

// fileResponse streams a stored file. The file is untrusted: browsers are made to
// save it instead of showing it. If the file turns out to be damaged, the connection is closed
// before the last byte.
func fileResponse(file storedFile, contentType, sha string, header http.Header) *response {
	contentType = cmp.Or(contentType, "application/octet-stream")
	header.Set("Content-Type", contentType)
	header.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	header.Set("Content-Length", strconv.FormatInt(file.Size(), 10))
	if sum, err := hex.DecodeString(sha); err == nil && len(sum) == 32 {
		header.Set("Etag", `"`+sha+`"`)
		header.Set("Repr-Digest", "sha-256=:"+base64.StdEncoding.EncodeToString(sum)+":")
	}
	return &response{status: http.StatusOK, header: header, stream: func(w io.Writer) error {
		defer file.Close()
		_, err := file.WriteTo(w)
		return err
	}}
}

// attachment returns a Content-Disposition header (RFC 6266) with an ASCII name for
// old clients and the percent-encoded name for all other clients.
func attachment(name string) string {
	name = withoutPath(cmp.Or(name, "file"))
	ascii := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || strings.ContainsRune(`"\/:*?<>|%;`, r) {
			return '_'
		}
		return r
	}, name)
	return `attachment; filename="` + ascii + `"; filename*=UTF-8''` + extValue(name)
}

// withoutPath replaces slashes in the name of a file, because a client may have sent a path.
func withoutPath(name string) string { return strings.NewReplacer("/", "_", `\`, "_").Replace(name) }

// extValue percent-encodes everything except attr-char (RFC 8187).
func extValue(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		if '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || strings.IndexByte("!#$&+-.^_`|~", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}

// formFile returns the file in the part named file of a multipart form. All other parts together
// may have up to 1 MiB. Digests in the request header cover the form, so formFile reads the
// digests of the file from the header of its part.
func formFile(r *http.Request, body io.Reader, maxSize int64) (imports.IncomingFile, error) {
	none := imports.IncomingFile{}
	media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "multipart/form-data" || params["boundary"] == "" {
		return none, newError(http.StatusUnsupportedMediaType, "unsupported_media_type", intray.NewMessage("upload.not_multipart", nil))
	}
	over := newError(http.StatusRequestEntityTooLarge, "body_too_large", intray.NewMessage("upload.multipart_too_large", intray.Params{"size": maxSize}))
	if r.ContentLength > maxSize+maxBody {
		return none, over
	}
	form := multipart.NewReader(&cappedReader{from: body, left: maxSize + maxBody, over: over}, params["boundary"])
	for {
		part, err := form.NextRawPart()
		if errors.Is(err, io.EOF) {
			return none, invalidField("file", intray.NewMessage("upload.no_file_part", nil))
		}
		if err != nil {
			return none, formError(err)
		}
		if part.FormName() == "file" {
			return partFile(form, part)
		}
	}
}

// partFile reads the name and the digests of the file in a part. The name is the one that the
// client sent, even if it contains a path.
func partFile(form *multipart.Reader, part *multipart.Part) (imports.IncomingFile, error) {
	header := http.Header(part.Header)
	_, names, err := mime.ParseMediaType(header.Get("Content-Disposition"))
	if err != nil {
		return imports.IncomingFile{}, invalidField("file", intray.NewMessage("upload.malformed_disposition", nil))
	}
	if err := requireWholeFile(header); err != nil {
		return imports.IncomingFile{}, err
	}
	switch coding := strings.ToLower(header.Get("Content-Transfer-Encoding")); coding {
	case "", "binary", "8bit", "7bit":
	default:
		return imports.IncomingFile{}, newError(http.StatusUnsupportedMediaType, "unsupported_media_type", intray.NewMessage("upload.transfer_encoding", nil))
	}
	in, err := parseFileHeaders(header, &wholeForm{part: part, form: form}, -1)
	in.Filename = names["filename"]
	return in, err
}

// formError returns the error for a malformed form. It returns an *apiError or
// *senderError unchanged.
func formError(err error) error {
	var mine *apiError
	if errors.As(err, &mine) || errors.As(err, new(*senderError)) {
		return err
	}
	return newError(http.StatusBadRequest, "malformed_form", intray.NewMessage("upload.malformed_multipart", nil))
}

// wholeForm reads the part that contains the file. At the end of the part, it
// checks that the form is complete up to the closing boundary and contains no
// second file.
type wholeForm struct {
	part io.Reader
	form *multipart.Reader
}

func (w *wholeForm) Read(p []byte) (int, error) {
	n, err := w.part.Read(p)
	if !errors.Is(err, io.EOF) {
		return n, err
	}
	for {
		part, err := w.form.NextRawPart()
		if err == io.EOF { // a wrapped io.EOF means that the closing boundary is missing
			return n, io.EOF
		}
		if err != nil {
			return n, formError(err)
		}
		if part.FormName() == "file" {
			return n, invalidField("file", intray.NewMessage("upload.two_file_parts", nil))
		}
	}
}
