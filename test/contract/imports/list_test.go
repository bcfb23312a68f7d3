package imports_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestList checks that paging through the imports of an organization returns all of them,
// newest first.
func TestList(t *testing.T) {
	eachFresh(t, func(c client) {
		empty := c.Call("GET", importsPath, nil).WantStatus(http.StatusOK).Object()
		if diff := cmp.Diff(m{"count": 0.0, "next": nil, "previous": nil, "results": []any{}}, empty); diff != "" {
			c.T.Error(diff)
		}
		const total = 23
		var ids []string
		for i := range total {
			ids = append([]string{c.create(inline(people(), m{"original_filename": fmt.Sprint(i)})).String("id")}, ids...)
		}
		for _, limit := range []int{1, 7, 22, 23, 100, 1000} {
			c.checkPages(fmt.Sprintf("%s?limit=%d", importsPath, limit), limit, ids)
		}
		c.checkPages(importsPath, 100, ids)
		c.checkPages(importsPath+"?limit=5000", 1000, ids)
	})
}

// checkPages follows the "next" links to the last page and checks all pages.
func (c client) checkPages(first string, limit int, ids []string) {
	c.T.Helper()
	var got []string
	var pages []string
	for at := any(first); at != nil; {
		page := c.Call("GET", at.(string), nil).WantStatus(http.StatusOK).Object()
		pages = append(pages, at.(string))
		if page["count"] != float64(len(ids)) || len(page["results"].([]any)) > limit {
			c.T.Fatalf("%s: %s", at, show(page))
		}
		for _, item := range page["results"].([]any) {
			got = append(got, c.checkItem(item.(m)))
		}
		if at = page["next"]; at != nil && !strings.HasPrefix(at.(string), c.Site.URL+importsPath+"?") {
			c.T.Fatalf("next is %v", at)
		}
		if (page["previous"] == nil) != (len(pages) == 1) {
			c.T.Errorf("%s: previous is %v", pages[len(pages)-1], page["previous"])
		}
	}
	if diff := cmp.Diff(ids, got); diff != "" {
		c.T.Errorf("%s: %s", first, diff)
	}
	if want := (len(ids) + limit - 1) / limit; len(pages) != want {
		c.T.Errorf("%s: %d pages, want %d", first, len(pages), want)
	}
}

// checkItem checks an import as it appears in a list.
func (c client) checkItem(item m) string {
	c.T.Helper()
	want := []string{"created_date", "id", "modified_date", "original_filename", "schema_id", "status"}
	if diff := cmp.Diff(want, keysOf(item)); diff != "" {
		c.T.Error(diff)
	}
	return item["id"].(string)
}

// TestListWindow checks that invalid values of limit and offset return 400, and that
// windows beyond the end are empty.
func TestListWindow(t *testing.T) {
	each(t, func(c client) {
		c.create(inline(people()))
		for _, query := range []string{"limit=0", "limit=-1", "limit=x", "limit=1.5", "offset=-1", "offset=x", "limit=99999999999999999999", "offset=1e3", "limit=%00", "offset=9223372036854775808", "offset=-9223372036854775809"} {
			reply := c.Call("GET", importsPath+"?"+query, nil)
			name, _, _ := strings.Cut(query, "=")
			if reply.Status != 400 || reply.Object()[name] == nil {
				c.T.Errorf("%s: status %d: %.200s", query, reply.Status, reply.Body)
			}
		}
		page := c.Call("GET", importsPath+"?offset=1000000&limit=5&unknown=1", nil).WantStatus(http.StatusOK).Object()
		if len(page["results"].([]any)) != 0 || page["next"] != nil || page["previous"] == nil {
			c.T.Errorf("beyond the end: %s", show(page))
		}
		for _, query := range []string{"offset=9007199254740993", "offset=9223372036854775807", "offset=9007199254740992&limit=9007199254740992"} {
			page := c.Call("GET", importsPath+"?"+query, nil).WantStatus(http.StatusOK).Object()
			if len(page["results"].([]any)) != 0 || page["next"] != nil {
				c.T.Errorf("%s: %s", query, show(page))
			}
		}
		c.Call("GET", importsPath+"?limit=&offset=", nil).WantStatus(http.StatusBadRequest)
	})
}

// TestListShowsStatus checks the status in the list for each state in which an import is not
// running.
func TestListShowsStatus(t *testing.T) {
	eachFresh(t, func(c client) {
		want := []string{"FAILED", "NEEDS_REVIEW", "SUCCESSFUL", "AWAITING_UPLOAD"}
		c.create(inline(people()))
		c.run(inline(people()), goodFile).want("SUCCESSFUL")
		c.run(inline(people()), "phone\n1\n").want("NEEDS_REVIEW")
		last := c.run(inline(people()), "").want("FAILED")
		var got []string
		items := c.Call("GET", importsPath, nil).Object()["results"].([]any)
		for _, item := range items {
			got = append(got, item.(m)["status"].(string))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			c.T.Error(diff)
		}
		for key, value := range items[0].(m) {
			if value != last.doc[key] {
				c.T.Errorf("%s is %v in the list and %v in the import", key, value, last.doc[key])
			}
		}
	})
}
