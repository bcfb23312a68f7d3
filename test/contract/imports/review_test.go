package imports_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/test/livetest"
)

// openReview exchanges the token of a review link for a cookie.
func (c client) openReview(id, token string) *livetest.Reply {
	c.T.Helper()
	return c.WithoutKey().Call("POST", reviewPath+id+"/session/", nil, "Authorization", "Bearer "+token)
}

// review requests the import with the calls of the review page.
func (c client) review(id, token string) *livetest.Reply {
	c.T.Helper()
	opened := c.openReview(id, token).WantStatus(http.StatusOK)
	cookie, err := http.ParseSetCookie(opened.Header.Get("Set-Cookie"))
	if err != nil || !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Path != strings.TrimSuffix(reviewPath+id, "/") || cookie.MaxAge != 12*60*60 {
		c.T.Errorf("the review cookie is %v: %v", cookie, err)
	}
	reply := c.WithoutKey().Call("GET", reviewPath+id+"/", nil, "Cookie", cookie.Name+"="+cookie.Value)
	if diff := cmp.Diff(opened.Text(), reply.Text()); diff != "" {
		c.T.Errorf("the facts when opened and when requested:\n%s", diff)
	}
	return reply
}

// TestReviewCookie checks that only the cookie of an import gives access to its review.
func TestReviewCookie(t *testing.T) {
	each(t, func(c client) {
		made, other := c.create(inline(people())), c.create(inline(people())).String("id")
		id, token := made.String("id"), c.address(made.String("review_url")).Fragment
		visit, _, _ := strings.Cut(c.openReview(id, token).WantStatus(http.StatusOK).Header.Get("Set-Cookie"), ";")
		name, value, _ := strings.Cut(visit, "=")
		path := reviewPath + id + "/"
		for _, wrong := range append(alterText(value, 1), "", token, c.Key, value[:len(value)-1]) {
			c.WithoutKey().Call("GET", path, nil, "Cookie", name+"="+wrong).WantStatus(http.StatusUnauthorized)
		}
		c.WithoutKey().Call("GET", reviewPath+other+"/", nil, "Cookie", visit).WantStatus(http.StatusUnauthorized)
		for _, headers := range [][]string{{}, {"Authorization", "Bearer " + token}, {"Authorization", "Bearer " + value}} {
			c.WithoutKey().Call("GET", path, nil, headers...).WantStatus(http.StatusUnauthorized)
		}
		c.Call("GET", path, nil).WantStatus(http.StatusUnauthorized)
		c.WithoutKey().Call("GET", path, nil, "Cookie", visit).WantStatus(http.StatusOK)
		// The cookie is not a link token.
		c.openReview(id, value).WantStatus(http.StatusForbidden)
	})
}

// TestReviewAPI checks that the review token of an import gives access to it in each state in
// which it is not running, and that the response contains no secrets.
func TestReviewAPI(t *testing.T) {
	files := map[string]string{"SUCCESSFUL": goodFile, "FAILED": "", "NEEDS_REVIEW": "phone\n1\n"}
	each(t, func(c client) {
		body := inline(people(), settings(m{"title": "<b>People</b>"}), m{"original_filename": "<i>.csv"})
		made := c.create(body).Object()
		token := c.address(made["review_url"]).Fragment
		doc := c.review(made["id"].(string), token).WantStatus(http.StatusOK).Object()
		want := m{"id": made["id"], "title": "<b>People</b>", "status": "AWAITING_UPLOAD", "original_filename": "<i>.csv",
			"num_data_rows": 0.0, "num_rows_with_error": 0.0, "import_errors": []any{},
			"invalidDataBehavior": "REMOVE_INVALID_ROWS", "styleOverrides": m{}, "openQuestions": 0.0, "hasRows": false, "unmatchedValues": nil, "finished": nil}
		if diff := cmp.Diff(want, doc); diff != "" {
			c.T.Error(diff)
		}
		for status, file := range files {
			e := c.run(body, file).want(status)
			token := c.address(e.doc["review_url"]).Fragment
			reply := c.review(e.id, token).WantStatus(http.StatusOK)
			if got := reply.Object(); got["status"] != status || len(got["import_errors"].([]any)) != len(e.notices()) {
				c.T.Errorf("%s: %s", status, reply.Body)
			}
			for _, secret := range []string{token, c.Key, c.tokenOf(e.doc["upload"].(string))} {
				if strings.Contains(reply.Text(), secret) {
					c.T.Errorf("%s: the response contains a secret", status)
				}
			}
		}
	})
}

// TestReviewFirstRows checks that the response that opens the review includes the first rows
// only if there are rows to review, and that they equal those of a separate request.
func TestReviewFirstRows(t *testing.T) {
	each(t, func(c client) {
		blocked := c.run(inline(people(), settings(m{"invalidDataBehavior": "BLOCK_SUBMIT"})), mixed).want("NEEDS_REVIEW")
		path, token := reviewPath+blocked.id+"/", c.address(blocked.doc["review_url"]).Fragment
		opened := c.WithoutKey().Call("POST", path+"session/?rows=3", nil, "Authorization", "Bearer "+token).WantStatus(http.StatusOK)
		visit, _, _ := strings.Cut(opened.Header.Get("Set-Cookie"), ";")
		get := func(call string) *livetest.Reply {
			return c.WithoutKey().Call("GET", path+call, nil, "Cookie", visit).WantStatus(http.StatusOK)
		}
		rows := get("rows/?count=3").Object()
		want := m{"table": get("table/").Object(), "rows": rows}
		if len(rows["rows"].([]any)) != 3 {
			c.T.Errorf("not three rows: %s", show(rows))
		}
		for _, reply := range []*livetest.Reply{opened, get("?rows=3")} {
			facts := reply.Object()
			if diff := cmp.Diff(want, m{"table": facts["first"].(m)["table"], "rows": facts["first"].(m)["rows"]}); diff != "" {
				c.T.Error(diff)
			}
			delete(facts, "first")
			if diff := cmp.Diff(get("").Object(), facts); diff != "" {
				c.T.Errorf("the facts that came with the rows: %s", diff)
			}
		}
		for _, wrong := range []string{"x", "-1", "1001"} {
			c.WithoutKey().Call("GET", path+"?rows="+wrong, nil, "Cookie", visit).WantStatus(http.StatusBadRequest)
		}
		for status, file := range map[string]string{"SUCCESSFUL": goodFile, "NEEDS_REVIEW": "phone\n1\n"} {
			e := c.run(inline(people()), file).want(status)
			token := c.address(e.doc["review_url"]).Fragment
			reply := c.WithoutKey().Call("POST", reviewPath+e.id+"/session/?rows=3", nil, "Authorization", "Bearer "+token).WantStatus(http.StatusOK)
			if _, some := reply.Object()["first"]; some {
				c.T.Errorf("%s: the response includes rows: %s", status, reply.Body)
			}
		}
	})
}

// TestReviewTokenAltered checks that altered review tokens are rejected.
func TestReviewTokenAltered(t *testing.T) {
	each(t, func(c client) {
		made := c.create(inline(people()))
		id, token := made.String("id"), c.address(made.String("review_url")).Fragment
		for _, other := range append(alterText(token, 1), "", token[:len(token)-1], token+"A", id, c.Key) {
			c.refusedReview(id, other)
		}
		other := c.create(inline(people())).String("id")
		c.refusedReview(other, token)
		c.WithoutKey().Call("POST", reviewPath+id+"/session/", nil).WantStatus(http.StatusUnauthorized)
		c.WithoutKey().Call("POST", reviewPath+id+"/session/?token="+token, nil).WantStatus(http.StatusUnauthorized)
		c.Call("POST", reviewPath+id+"/session/", nil).WantStatus(http.StatusUnauthorized)
		// The review token gives no other access.
		for _, path := range []string{importsPath + id + "/", importsPath, schemasPath} {
			c.WithoutKey().Call("GET", path, nil, "Authorization", "Bearer "+token).WantStatus(http.StatusUnauthorized)
			c.Call("GET", path, nil, "X-Service-License-Key", token).WantStatus(http.StatusUnauthorized)
		}
		c.review(id, token).WantStatus(http.StatusOK)
	})
}

var loads = regexp.MustCompile(`(?:src|href)="([^"]+)"`)

// TestReviewPage checks that the page is the same for every import, contains no data of the
// import, and loads only resources of the server.
func TestReviewPage(t *testing.T) {
	each(t, func(c client) {
		e := c.run(inline(people(), m{"original_filename": "secret-name.csv"}), "phone\n1\n").want("NEEDS_REVIEW")
		at := c.address(e.doc["review_url"])
		page := c.WithoutKey().Call("GET", c.Site.URL+at.Path, nil).WantStatus(http.StatusOK)
		policy := page.Header.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"} {
			if !strings.Contains(policy, want) {
				c.T.Errorf("the policy %q lacks %q", policy, want)
			}
		}
		if strings.Contains(policy, "unsafe") || strings.Contains(policy, "*") {
			c.T.Errorf("the policy is %q", policy)
		}
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Content-Type": "text/html; charset=utf-8"} {
			if got := page.Header.Get(name); got != want {
				c.T.Errorf("%s is %q", name, got)
			}
		}
		for _, fact := range []string{"secret-name", e.id, at.Fragment} {
			if strings.Contains(page.Text(), fact) {
				c.T.Errorf("the page holds %q", fact)
			}
		}
		if other := c.WithoutKey().Call("GET", "/review/"+unknownID+"/", nil); other.Text() != page.Text() {
			c.T.Errorf("the page of another id differs: %d", other.Status)
		}
		c.checkLoads(page)
	})
}

// checkLoads requests every resource of the page.
func (c client) checkLoads(page *livetest.Reply) {
	c.T.Helper()
	found := loads.FindAllStringSubmatch(page.Text(), -1)
	if len(found) < 2 {
		c.T.Errorf("the page loads %v", found)
	}
	for _, match := range found {
		if !strings.HasPrefix(match[1], "/assets/") {
			c.T.Errorf("the page loads %s", match[1])
			continue
		}
		c.WithoutKey().Call("GET", match[1], nil).WantStatus(http.StatusOK)
	}
	if strings.Contains(page.Text(), "<script>") || strings.Contains(page.Text(), "onclick") {
		c.T.Error("the page has inline script")
	}
}
