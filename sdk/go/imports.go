package intray

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"path/filepath"
	"time"

	"github.com/intraydata/intray/sdk/go/api"
)

// Polling an import starts with firstPoll between two requests, and slows down to maxPoll.
const (
	firstPoll = 200 * time.Millisecond
	maxPoll   = 5 * time.Second
)

// File is a file to import. *os.File, *bytes.Reader and *strings.Reader implement it. The whole file
// is imported, wherever its offset is.
type File interface {
	io.ReaderAt
	io.Seeker
}

// ImportOptions are the options of an import. The zero value is valid.
type ImportOptions struct {
	// Name is the name of the file. Default: the base name of the file, if it has a method Name.
	Name string
	// IdempotencyKey identifies the import. If your program ends during an import and calls ImportFile
	// again with the same key within 72 hours, it continues the same import. Default: a random key.
	IdempotencyKey string
	// OnProgress is called during the upload and when the status of the import changes. The calls
	// come from different goroutines.
	OnProgress func(Progress)
	// OnReview is called once if a person must review the import, for example to send them ReviewURL.
	// ImportFile then waits until the person submits the import. Without OnReview, ImportFile returns
	// an [*ImportError].
	OnReview func(*api.Import)
}

// Progress describes an import that has not ended.
type Progress struct {
	Status api.ImportStatus
	// SentBytes and TotalBytes describe the upload. They are 0 after it.
	SentBytes, TotalBytes int64
}

// SavedSchema returns the draft of an import with the saved schema that has the ID.
func SavedSchema(id string) api.ImportDraft { return api.ImportDraft{SchemaID: &id} }

// InlineSchema returns the draft of an import with a schema as JSON: an object with fields and,
// optionally, settings and hooks.
func InlineSchema(schema []byte) (draft api.ImportDraft, err error) {
	decoder := json.NewDecoder(bytes.NewReader(schema))
	decoder.DisallowUnknownFields()
	return draft, decoder.Decode(&draft)
}

// ImportFile creates an import from a draft, uploads the file and waits until the import is
// SUCCESSFUL. [Rows] and [Client.Download] then return the result. ImportFile returns an
// [*ImportError] if the import failed or needs a review.
func (c *Client) ImportFile(ctx context.Context, draft api.ImportDraft, file File, options ImportOptions) (*api.Import, error) {
	started, err := c.StartImport(ctx, draft, file, options)
	if err != nil {
		return nil, err
	}
	return c.WaitForImport(ctx, started.ID, options)
}

// StartImport creates an import from a draft and uploads the file. It returns when the server has
// stored the file. Use it if a webhook reports the end of the import.
func (c *Client) StartImport(ctx context.Context, draft api.ImportDraft, file File, options ImportOptions) (*api.Import, error) {
	size, err := sizeOf(file)
	if err != nil {
		return nil, err
	}
	name := options.Name
	if named, ok := file.(interface{ Name() string }); ok && name == "" {
		name = filepath.Base(named.Name())
	}
	if name != "" {
		draft.OriginalFilename = &name
	}
	var params api.CreateImportParams
	if options.IdempotencyKey != "" {
		params.IdempotencyKey = &options.IdempotencyKey
	}
	created, err := c.API.CreateImportWithResponse(ctx, &params, draft)
	if err != nil {
		return nil, err
	}
	imp := created.JSON201
	if imp == nil {
		return nil, notJSON(created.HTTPResponse)
	}
	err = c.upload(ctx, imp.Upload, file, size, options.OnProgress)
	if hasCode(err, "expired") {
		// The server repeated an old response to the same Idempotency-Key.
		if imp, err = c.getImport(ctx, imp.ID); err == nil {
			err = c.upload(ctx, imp.Upload, file, size, options.OnProgress)
		}
	}
	if err != nil && !hasCode(err, "already_uploaded") { // an earlier attempt has uploaded the file
		return nil, err
	}
	return imp, nil
}

func hasCode(err error, code string) bool {
	var e *APIError
	return errors.As(err, &e) && e.Code == code
}

// sizeOf returns the size of a file, and leaves its offset unchanged.
func sizeOf(file File) (int64, error) {
	offset, err := file.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0, err
	}
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, err
	}
	_, err = file.Seek(offset, io.SeekStart)
	return size, err
}

// upload sends a file to a signed URL.
func (c *Client) upload(ctx context.Context, address string, file File, size int64, onProgress func(Progress)) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, address, nil)
	if err != nil {
		return err
	}
	request.GetBody = func() (io.ReadCloser, error) {
		if size == 0 {
			return http.NoBody, nil
		}
		return io.NopCloser(&progressReader{io.NewSectionReader(file, 0, size), 0, size, onProgress}), nil
	}
	if request.Body, err = request.GetBody(); err != nil {
		return err
	}
	request.ContentLength = size
	request.Header.Set("Content-Type", "application/octet-stream")
	response, err := c.sender.Do(request)
	if err != nil {
		return err
	}
	return response.Body.Close()
}

// progressReader reports how much has been read.
type progressReader struct {
	io.Reader
	sent, total int64
	report      func(Progress)
}

func (r *progressReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.sent += int64(n)
	if n > 0 && r.report != nil {
		r.report(Progress{api.ImportStatusAWAITINGUPLOAD, r.sent, r.total})
	}
	return n, err
}

func (c *Client) getImport(ctx context.Context, id string) (*api.Import, error) {
	got, err := c.API.GetImportWithResponse(ctx, id)
	if err != nil {
		return nil, err
	}
	if got.JSON200 == nil {
		return nil, notJSON(got.HTTPResponse)
	}
	return got.JSON200, nil
}

// WaitForImport polls an import until it is SUCCESSFUL. It uses OnProgress and OnReview of the
// options. It returns an [*ImportError] if the import failed or needs a review.
func (c *Client) WaitForImport(ctx context.Context, id string, options ImportOptions) (*api.Import, error) {
	var status api.ImportStatus
	onReview := options.OnReview
	for delay := firstPoll; ; delay = min(delay*3/2, maxPoll) {
		imp, err := c.getImport(ctx, id)
		if err != nil {
			return nil, err
		}
		if imp.Status != status && options.OnProgress != nil {
			options.OnProgress(Progress{Status: imp.Status})
		}
		status = imp.Status
		switch {
		case status == api.ImportStatusSUCCESSFUL:
			return imp, nil
		case status == api.ImportStatusFAILED, status == api.ImportStatusNEEDSREVIEW && options.OnReview == nil:
			return nil, newImportError(imp)
		case status == api.ImportStatusNEEDSREVIEW && onReview != nil:
			onReview(imp)
			onReview = nil
		}
		if err := c.sender.pause(ctx, delay); err != nil {
			return nil, err
		}
	}
}

// Rows returns the rows of a SUCCESSFUL import, in order, without reading all of them into memory.
// Each row is decoded from JSON into a Row, such as a struct or a map[string]any. After an error,
// there are no more rows.
func Rows[Row any](ctx context.Context, c *Client, importID string) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		body, err := c.Download(ctx, importID, api.GetImportResultParamsFormatNdjson)
		if err != nil {
			var none Row
			yield(none, err)
			return
		}
		defer body.Close()
		for decoder := json.NewDecoder(body); ; {
			var row Row
			err := decoder.Decode(&row)
			if err == io.EOF || !yield(row, err) || err != nil {
				return
			}
		}
	}
}

// Download returns the result of a SUCCESSFUL import in a format. The caller must close it. Reading
// fails if the result is incomplete.
func (c *Client) Download(ctx context.Context, importID string, format api.GetImportResultParamsFormat) (io.ReadCloser, error) {
	result, err := c.API.GetImportResultWithResponse(ctx, importID, &api.GetImportResultParams{Format: &format})
	if err != nil {
		return nil, err
	}
	if result.JSON200 == nil {
		return nil, notJSON(result.HTTPResponse)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, result.JSON200.PresignedURL, nil)
	if err != nil {
		return nil, err
	}
	response, err := c.sender.Do(request)
	if err != nil {
		return nil, err
	}
	return response.Body, nil
}
