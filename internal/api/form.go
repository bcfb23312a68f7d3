package api

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/service"
)

// formFile finds the part named file of a multipart form. A form may have a
// megabyte beside the file. The digests in the header of the request are about
// the form; those of the file stand in the header of its part.
func formFile(r *http.Request, body io.Reader, maxSize int64) (service.Incoming, error) {
	none := service.Incoming{}
	media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "multipart/form-data" || params["boundary"] == "" {
		return none, refuse(http.StatusUnsupportedMediaType, "unsupported_media_type", intray.NewMessage("upload.not_multipart", nil))
	}
	over := refuse(http.StatusRequestEntityTooLarge, "body_too_large", intray.NewMessage("upload.multipart_too_large", intray.Params{"size": maxSize}))
	if r.ContentLength > maxSize+maxBody {
		return none, over
	}
	form := multipart.NewReader(&capped{from: body, left: maxSize + maxBody, over: over}, params["boundary"])
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

// partFile reads what a part says of the file in it. The name in it is taken as
// it stands: it is no path.
func partFile(form *multipart.Reader, part *multipart.Part) (service.Incoming, error) {
	header := http.Header(part.Header)
	_, names, err := mime.ParseMediaType(header.Get("Content-Disposition"))
	if err != nil {
		return service.Incoming{}, invalidField("file", intray.NewMessage("upload.malformed_disposition", nil))
	}
	if err := bare(header); err != nil {
		return service.Incoming{}, err
	}
	switch coding := strings.ToLower(header.Get("Content-Transfer-Encoding")); coding {
	case "", "binary", "8bit", "7bit":
	default:
		return service.Incoming{}, refuse(http.StatusUnsupportedMediaType, "unsupported_media_type", intray.NewMessage("upload.transfer_encoding", nil))
	}
	in, err := incoming(header, &wholeForm{part: part, form: form}, -1)
	in.Filename = names["filename"]
	return in, err
}

// formError tells a malformed form from a body that did not come.
func formError(err error) error {
	var mine *refusal
	if errors.As(err, &mine) || errors.As(err, new(*senderError)) {
		return err
	}
	return refuse(http.StatusBadRequest, "malformed_form", intray.NewMessage("upload.malformed_multipart", nil))
}

// wholeForm reads the part that holds the file, and at its end makes sure that
// the form goes on to its closing boundary, without a second file: a form that
// was cut off is no file.
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
		if err == io.EOF { //nolint:errorlint // a wrapped one means that the closing boundary is missing
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
