package api

import (
	"errors"
	"io"
	"mime/multipart"
)

func newForm(body io.Reader, boundary string) *multipart.Reader {
	return multipart.NewReader(body, boundary)
}

// wholeForm reads the part that holds the file, and at its end makes sure that
// the form goes on to its closing boundary: a form that was cut off is no file.
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
		_, next := w.form.NextRawPart()
		if next == io.EOF { //nolint:errorlint // a wrapped one means that the closing boundary is missing
			return n, io.EOF
		}
		if next != nil {
			return n, io.ErrUnexpectedEOF
		}
	}
}
