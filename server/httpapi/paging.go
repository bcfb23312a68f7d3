package httpapi

import (
	"context"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/wire"
)

// These are the default and the maximum number of elements in a page.
const (
	pageSize    = 100
	maxPageSize = 1000
)

// listPage responds with the page of a list that the query parameters offset and limit select.
func listPage[T, W any](a *API, c *call, list func(ctx context.Context, org string, offset, limit int64) ([]T, int64, error), convert func(T) W, repeated ...string) (*response, error) {
	offset, limit, err := pageWindow(c.r.URL.Query())
	if err != nil {
		return nil, err
	}
	elements, total, err := list(c.context(), c.org, offset, limit)
	return jsonResponse(http.StatusOK, paginate(a, c, mapEach(elements, convert), total, offset, limit, repeated...), err)
}

// pageWindow reads the query parameters offset and limit. A limit above the maximum
// is replaced by the maximum.
func pageWindow(query url.Values) (offset, limit int64, err error) {
	if offset, err = intParam(query, "offset", 0, math.MaxInt64, 0); err != nil {
		return 0, 0, err
	}
	if limit, err = intParam(query, "limit", 1, math.MaxInt64, pageSize); err != nil {
		return 0, 0, err
	}
	return offset, min(limit, maxPageSize), nil
}

// paginate returns a page of a list with the URLs of the previous and the next page. The URLs
// repeat the query parameters in repeated, which alternates between names and values.
func paginate[T any](a *API, c *call, results []T, total, offset, limit int64, repeated ...string) wire.Page[T] {
	p := wire.Page[T]{Count: total, Results: results}
	at := func(offset int64) *string {
		query := url.Values{"limit": {strconv.FormatInt(limit, 10)}}
		for i := 0; i+1 < len(repeated); i += 2 {
			query.Set(repeated[i], repeated[i+1])
		}
		if offset > 0 {
			query.Set("offset", strconv.FormatInt(offset, 10))
		}
		address := a.baseURL(c.r) + strings.Replace(c.op.path, "{id}", c.r.PathValue("id"), 1) + "?" + query.Encode()
		return &address
	}
	if offset < total-limit {
		p.Next = at(offset + limit)
	}
	if offset > 0 {
		p.Previous = at(max(0, offset-limit))
	}
	return p
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
