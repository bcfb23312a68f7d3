package httpapi

import (
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/intraydata/intray/internal/wire"
	"github.com/intraydata/intray/server/model"
)

func query(pairs ...string) url.Values {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
	}
	return q
}

func TestPageRequest(t *testing.T) {
	for _, c := range []struct {
		query url.Values
		want  model.PageRequest
		wrong bool
	}{
		{query(), model.PageRequest{Limit: 100}, false},
		{query("offset", "7", "limit", "3"), model.PageRequest{Offset: 7, Limit: 3}, false},
		{query("limit", "1000"), model.PageRequest{Limit: 1000}, false},
		{query("limit", "1001"), model.PageRequest{Limit: 1000}, false},
		{query("cursor", "abc", "offset", "2"), model.PageRequest{Offset: 2, Limit: 100, After: "abc"}, false},
		{query("limit", "0"), model.PageRequest{}, true},
		{query("limit", "-1"), model.PageRequest{}, true},
		{query("offset", "-1"), model.PageRequest{}, true},
		{query("offset", "x"), model.PageRequest{}, true},
	} {
		got, err := pageRequest(c.query, 1000)
		if (err != nil) != c.wrong || err == nil && got != c.want {
			t.Errorf("%v: %v, error %v; want %v, an error: %v", c.query, got, err, c.want, c.wrong)
		}
	}
}

// TestIntParamReportsItsRange checks that the error for an invalid number contains
// the minimum.
func TestIntParamReportsItsRange(t *testing.T) {
	for name, from := range map[string]string{"limit": "1", "offset": "0"} {
		for _, value := range []string{"-1", "x", "1.5", "99999999999999999999"} {
			_, err := pageRequest(query(name, value), 1000)
			if want := name + ": must be a whole number of at least " + from + "."; err == nil || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("%s %s: %v, want %q", name, value, err, want)
			}
		}
	}
	if _, err := pageRequest(query("limit", "0"), 1000); err == nil || !strings.Contains(err.Error(), "at least 1") {
		t.Errorf("limit 0: %v", err)
	}
}

// TestPagesReachEverything checks that following next from the first page, or previous from the
// last one, reaches every element. It also requests pages after the end.
func TestPagesReachEverything(t *testing.T) {
	a := &API{cfg: Config{BaseURL: "https://intray.example.org"}}
	c := &call{op: &operation{path: "/things/{id}/parts/"}, r: httptest.NewRequest("GET", "/things/7/parts/", nil)}
	c.r.SetPathValue("id", "7")
	rapid.Check(t, func(t *rapid.T) {
		total, limit := rapid.Int64Range(0, 500).Draw(t, "total"), rapid.Int64Range(1, 200).Draw(t, "limit")
		offset, seen := int64(0), int64(0)
		page := func(offset int64) wire.Page[int] {
			next := model.Cursor("")
			if offset+limit < total {
				next = "c"
			}
			return paginate(a, c, make([]int, max(0, min(limit, total-offset))), total, next, model.PageRequest{Offset: offset, Limit: limit})
		}
		for {
			seen += min(limit, total-offset)
			next := page(offset).Next
			if next == nil {
				break
			}
			if !strings.Contains(*next, "cursor=c") {
				t.Fatalf("the next page has no cursor: %s", *next)
			}
			at := follow(t, *next, limit)
			if at != offset+limit || at >= total {
				t.Fatalf("after %d of %d comes %d", offset, total, at)
			}
			offset = at
		}
		if seen != total {
			t.Fatalf("%d of %d were on the pages", seen, total)
		}
		for offset > 0 {
			at := follow(t, *page(offset).Previous, limit)
			if at >= offset || at < 0 {
				t.Fatalf("before %d comes %d", offset, at)
			}
			offset = at
		}
		beyond := page(rapid.Int64Range(total, 1<<40).Draw(t, "beyond"))
		if beyond.Next != nil {
			t.Fatalf("after the end comes %s", *beyond.Next)
		}
	})
}

// follow returns the offset in the URL of a page.
func follow(t *rapid.T, address string, limit int64) int64 {
	u, err := url.Parse(address)
	if err != nil || u.Path != "/things/7/parts/" || u.Host != "intray.example.org" {
		t.Fatalf("the URL %q, error %v", address, err)
	}
	page, err := pageRequest(u.Query(), 1000)
	if err != nil || page.Limit != limit {
		t.Fatalf("the URL %q has the limit %d, error %v; want %d", address, page.Limit, err, limit)
	}
	return page.Offset
}
