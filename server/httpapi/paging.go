package httpapi

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/wire"
	"github.com/intraydata/intray/server/model"
)

// These are the default and the maximum number of elements in a page.
const (
	pageSize    = 100
	maxPageSize = 1000
)

// listPage responds with the page of a list that the query parameters select.
func listPage[T, W any](a *API, c *call, list func(ctx context.Context, org string, page model.PageRequest) (model.Page[T], error), convert func(T) W, repeated ...string) (*response, error) {
	page, err := pageRequest(c.r.URL.Query(), maxPageSize)
	if err != nil {
		return nil, err
	}
	found, err := list(c.context(), c.org, page)
	return jsonResponse(http.StatusOK, paginate(a, c, mapEach(found.Rows, convert), found.Total, found.Next, page, repeated...), err)
}

// pageRequest reads the query parameters offset, limit and cursor. A limit above the maximum is
// replaced by the maximum.
func pageRequest(query url.Values, maxLimit int64) (p model.PageRequest, err error) {
	if p.Offset, err = intParam(query, "offset", 0, math.MaxInt64, 0); err != nil {
		return p, err
	}
	if p.Limit, err = intParam(query, "limit", 1, math.MaxInt64, pageSize); err != nil {
		return p, err
	}
	p.Limit, p.After = min(p.Limit, maxLimit), model.Cursor(query.Get("cursor"))
	return p, nil
}

// paginate returns a page of a list with the URLs of the previous and the next page. The URL of the
// next page contains its offset, for clients that read it, and the cursor next. The URLs repeat the
// query parameters in repeated, which alternates between names and values.
func paginate[T any](a *API, c *call, results []T, total int64, next model.Cursor, page model.PageRequest, repeated ...string) wire.Page[T] {
	p := wire.Page[T]{Count: total, Results: results}
	at := func(offset int64, cursor model.Cursor) *string {
		query := url.Values{"limit": {strconv.FormatInt(page.Limit, 10)}}
		for i := 0; i+1 < len(repeated); i += 2 {
			query.Set(repeated[i], repeated[i+1])
		}
		if offset > 0 {
			query.Set("offset", strconv.FormatInt(offset, 10))
		}
		if cursor != "" {
			query.Set("cursor", string(cursor))
		}
		address := a.baseURL(c.r) + strings.Replace(c.op.path, "{id}", c.r.PathValue("id"), 1) + "?" + query.Encode()
		return &address
	}
	if next != "" {
		p.Next = at(page.Offset+int64(len(results)), next)
	}
	if page.Offset > 0 {
		p.Previous = at(max(0, page.Offset-page.Limit), "")
	}
	return p
}

// lastRow keeps the position of the last row of a page while the page is written.
type lastRow struct {
	page   model.PageRequest
	rows   int64
	cursor model.Cursor
}

func (l *lastRow) passed(cursor model.Cursor) { l.rows, l.cursor = l.rows+1, cursor }

// isFull reports whether the page has as many rows as it can, so that more may follow.
func (l *lastRow) isFull() bool { return l.rows > 0 && l.rows == l.page.Limit }

// nextLink returns a header with the URL of the next page, for lists whose pages have no property for
// it (RFC 8288). The URL has the query parameters of the request, changed by set, which alternates
// between names and values.
func (a *API) nextLink(c *call, set ...any) http.Header {
	query := c.r.URL.Query()
	for i := 0; i+1 < len(set); i += 2 {
		query.Set(fmt.Sprint(set[i]), fmt.Sprint(set[i+1]))
	}
	return http.Header{"Link": {fmt.Sprintf("<%s%s?%s>; rel=\"next\"", a.baseURL(c.r), c.op.path, query.Encode())}}
}

// mapEach calls convert for each element of a list and returns the results.
func mapEach[T, W any](list []T, convert func(T) W) []W {
	out := make([]W, len(list))
	for i, one := range list {
		out[i] = convert(one)
	}
	return out
}

// intParam reads a query parameter that must be an integer in the range [least, most]. If the
// parameter is missing, it returns the last argument.
func intParam(query url.Values, name string, least, most, otherwise int64) (int64, error) {
	if !query.Has(name) {
		return otherwise, nil
	}
	n, err := strconv.ParseInt(query.Get(name), 10, 64)
	if err != nil || n < least || n > most {
		if most == math.MaxInt64 {
			return 0, invalidField(name, intray.NewMessage("request.not_at_least", intray.Params{"min": least}))
		}
		return 0, invalidField(name, intray.NewMessage("request.not_in_range", intray.Params{"min": least, "max": most}))
	}
	return n, nil
}
