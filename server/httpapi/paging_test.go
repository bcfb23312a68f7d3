package httpapi

import (
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func query(pairs ...string) url.Values {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
	}
	return q
}

func TestPageWindow(t *testing.T) {
	for _, c := range []struct {
		query         url.Values
		offset, limit int64
		wrong         bool
	}{
		{query(), 0, 100, false},
		{query("offset", "7", "limit", "3"), 7, 3, false},
		{query("limit", "1000"), 0, 1000, false},
		{query("limit", "1001"), 0, 1000, false},
		{query("limit", "0"), 0, 0, true},
		{query("limit", "-1"), 0, 0, true},
		{query("offset", "-1"), 0, 0, true},
		{query("offset", "x"), 0, 0, true},
	} {
		offset, limit, err := pageWindow(c.query)
		if (err != nil) != c.wrong || err == nil && (offset != c.offset || limit != c.limit) {
			t.Errorf("%v: %d, %d, error %v; want %d, %d, an error: %v", c.query, offset, limit, err, c.offset, c.limit, c.wrong)
		}
	}
}

// TestIntParamReportsItsRange checks that the error for an invalid number contains
// the minimum.
func TestIntParamReportsItsRange(t *testing.T) {
	for name, from := range map[string]string{"limit": "1", "offset": "0"} {
		for _, value := range []string{"-1", "x", "1.5", "99999999999999999999"} {
			_, _, err := pageWindow(query(name, value))
			if want := name + ": must be a whole number of at least " + from + "."; err == nil || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("%s %s: %v, want %q", name, value, err, want)
			}
		}
	}
	if _, _, err := pageWindow(query("limit", "0")); err == nil || !strings.Contains(err.Error(), "at least 1") {
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
		for {
			seen += min(limit, total-offset)
			next := paginate[int](a, c, nil, total, offset, limit).Next
			if next == nil {
				break
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
			at := follow(t, *paginate[int](a, c, nil, total, offset, limit).Previous, limit)
			if at >= offset || at < 0 {
				t.Fatalf("before %d comes %d", offset, at)
			}
			offset = at
		}
		beyond := paginate[int](a, c, nil, total, rapid.Int64Min(total).Draw(t, "beyond"), limit)
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
	offset, size, err := pageWindow(u.Query())
	if err != nil || size != limit {
		t.Fatalf("the URL %q has the limit %d, error %v; want %d", address, size, err, limit)
	}
	return offset
}
