package httpapi

import (
	"context"
	"fmt"
	"iter"
	"math"
	"net/http"
	"net/url"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/wire"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
)

func wireUpload(u model.Upload) wire.Upload {
	out := wire.Upload{
		ID: u.ID, ImportIdentifier: u.ImportIdentifier, User: wireUser(u.User), CreatedDate: formatTime(u.Created),
		RawUpload:    wire.RawUpload{Filename: u.Filename},
		UploadStatus: string(u.Status), TotalNumRows: u.TotalRows, InvalidRowIndexes: u.Problems.InvalidRows,
		Errors: wireNotices(u.Problems.Errors), StorageKey: u.Result.Key, FieldOrder: u.FieldOrder,
	}
	if u.Raw.Stored() {
		out.RawUpload.StorageKey = u.Raw.Key
	}
	if out.InvalidRowIndexes == nil {
		out.InvalidRowIndexes = []int64{}
	}
	if out.FieldOrder == nil {
		out.FieldOrder = []string{}
	}
	return out
}

func (a *API) listUploads(c *call) (*response, error) {
	query := c.r.URL.Query()
	start, end, err := uploadWindow(query)
	if err != nil {
		return nil, err
	}
	page := model.PageRequest{Offset: start, Limit: end - start, After: model.Cursor(query.Get("cursor"))}
	filter, err := dateFilter(query)
	if err != nil {
		return nil, err
	}
	last := lastRow{page: page}
	answer, err := a.listResponse(nil, func(out *listWriter) error {
		return a.cfg.Service.Uploads(c.context(), c.org, filter, page, func(total int64, list iter.Seq2[model.Upload, error]) error {
			out.frame = wire.Uploads{Start: start, End: end, TotalNumUploads: total, Data: []wire.Upload{}}
			for u, err := range list {
				if err != nil {
					return err
				}
				last.passed(u.Cursor())
				if err := out.append(wireUpload(u)); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err == nil && last.isFull() {
		answer.header = a.nextLink(c, "start", end, "end", end+page.Limit, "cursor", last.cursor)
	}
	return answer, err
}

// exampleDate and exampleTime are examples of valid values for error messages.
const exampleDate, exampleTime = "2026-11-21", "2026-11-21T09:30:00Z"

// uploadWindow parses the query parameters start and end. The window contains at
// most MaxUploads uploads.
func uploadWindow(query url.Values) (start, end int64, err error) {
	if start, err = intParam(query, "start", 0, math.MaxInt64, 0); err != nil {
		return 0, 0, err
	}
	otherwise := int64(imports.MaxUploads)
	if start > otherwise {
		otherwise = start + min(imports.MaxUploads, math.MaxInt64-start)
	}
	if end, err = intParam(query, "end", 0, math.MaxInt64, otherwise); err != nil {
		return 0, 0, err
	}
	if start > end {
		return 0, 0, invalidField("start", intray.NewMessage("request.start_after_end", nil))
	}
	return start, start + min(end-start, imports.MaxUploads), nil
}

// dateFilter parses the query parameters start_date and end_date, which are both
// inclusive. A date without a time means the whole day in UTC.
func dateFilter(query url.Values) (f model.UploadFilter, err error) {
	if f.From, _, err = dateParam(query, "start_date"); err != nil {
		return f, err
	}
	to, day, err := dateParam(query, "end_date")
	if day {
		to = to.Add(24*time.Hour - time.Microsecond)
	}
	f.To = to
	return f, err
}

func dateParam(query url.Values, name string) (at time.Time, day bool, err error) {
	value := query.Get(name)
	if value == "" {
		return time.Time{}, false, nil
	}
	if at, err := time.Parse(time.DateOnly, value); err == nil {
		return at, true, nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02T15:04Z07:00", "2006-01-02T15:04"} {
		if at, err := time.Parse(layout, value); err == nil {
			return at.UTC(), false, nil
		}
	}
	return time.Time{}, false, invalidField(name, intray.NewMessage("request.not_a_date", intray.Params{"date": exampleDate, "time": exampleTime}))
}

func (a *API) uploadMetadata(c *call) (*response, error) {
	u, err := loadByID(c, a.cfg.Service.Upload)
	if err != nil {
		return nil, err
	}
	out := wireUpload(u)
	if u.Raw.Stored() {
		out.RawUpload.DownloadURL, err = a.downloadURL(c, u, imports.RawFile)
	}
	return jsonResponse(http.StatusOK, out, err)
}

func (a *API) uploadURL(c *call) (*response, error) {
	return a.resultURL(c, a.cfg.Service.ProcessedUpload)
}

// resultURL responds with a signed URL for the result of the upload that get returns.
func (a *API) resultURL(c *call, get func(ctx context.Context, org, id string) (model.Upload, error)) (*response, error) {
	id, err := c.pathID("id")
	if err != nil {
		return nil, err
	}
	format, err := formatOf(c.r.URL.Query())
	if err != nil {
		return nil, err
	}
	u, err := get(c.context(), c.org, id)
	if err != nil {
		return nil, err
	}
	address, err := a.downloadURL(c, u, string(format))
	return jsonResponse(http.StatusOK, wire.PresignedURL{URL: address}, err)
}

func (a *API) downloadURL(c *call, u model.Upload, what string) (string, error) {
	token, err := a.cfg.Service.DownloadToken(u, what, c.licence.ID)
	return fmt.Sprintf("%s/download/%s?token=%s", a.baseURL(c.r), u.ID, token), err
}

// goneOperation responds to a call to an operation that was removed from the contract.
func (a *API) goneOperation(c *call) (*response, error) {
	if _, err := c.pathID("id"); err != nil {
		return nil, err
	}
	return nil, newError(http.StatusGone, "removed", intray.NewMessage("request.operation_removed", nil))
}

func (a *API) deleteUpload(c *call) (*response, error) {
	return jsonResponse(http.StatusOK, nil, c.deleteByID("id", a.cfg.Service.DeleteUpload))
}
