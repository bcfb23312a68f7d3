package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/service"
)

// TestFindingSecurityS6Streams checks that no review and no organization can occupy all event
// streams, and that closed streams make room.
func TestFindingSecurityS6Streams(t *testing.T) {
	t.Parallel()
	quotas := &model.Env{Quotas: model.Quotas{ByOrg: map[string]map[model.Quota]int64{
		"unlimited": {model.StreamQuota: 0, model.ReviewStreamQuota: 0},
	}}}
	var s streamCounter
	closes := map[string][]func(){}
	// open opens streams until one is refused, and returns their number and the error.
	open := func(org, importID string) (n int, err error) {
		for {
			closed, err := s.open(org, importID, quotas.CheckQuota)
			if err != nil {
				return n, err
			}
			closes[importID] = append(closes[importID], closed)
			n++
		}
	}
	want := func(org, importID string, streams, status int, code string) {
		t.Helper()
		n, err := open(org, importID)
		if e := toAPIError(err); n != streams || e.status != status || e.code != code {
			t.Errorf("%s: %d streams and %d %s, want %d and %d %s", importID, n, e.status, e.code, streams, status, code)
		}
	}
	for review := range 10 {
		want("a", fmt.Sprint("a", review), 50, 429, "quota_event_streams_per_review")
	}
	want("a", "a10", 0, 429, "quota_event_streams")
	want("b", "b1", 50, 429, "quota_event_streams_per_review")
	want("unlimited", "u1", 1000-550, 503, "too_many_streams")
	want("c", "c1", 0, 503, "too_many_streams")
	for review := range 10 {
		for _, closed := range closes[fmt.Sprint("a", review)] {
			closed()
		}
	}
	want("a", "a10", 50, 429, "quota_event_streams_per_review")
	for importID, list := range closes {
		if !strings.HasPrefix(importID, "a") || importID == "a10" {
			for _, closed := range list {
				closed()
			}
		}
	}
	if s.all != 0 || len(s.byOrg) != 0 || len(s.byImport) != 0 {
		t.Errorf("after all streams have ended: %d, %v, %v", s.all, s.byOrg, s.byImport)
	}
}

// TestQuotaResponses checks the responses of requests that a quota refuses, and that their
// idempotency keys can be used again.
func TestQuotaResponses(t *testing.T) {
	t.Parallel()
	s := newServer(t, nil, func(cfg *service.Config) {
		cfg.Quotas = model.Quotas{ForAll: map[model.Quota]int64{
			model.ImportQuota: 2, model.QueuedImportQuota: 1, model.ReviewStreamQuota: 1,
		}}
	})
	const all = "/api/v1/headless/imports/"
	wantRefused := func(w *httptest.ResponseRecorder, status int, retry, code, detail string) {
		t.Helper()
		var body struct {
			Detail, Code string
			MessageCode  string `json:"message_code"`
			Params       map[string]int64
		}
		check(t, json.Unmarshal(w.Body.Bytes(), &body))
		if w.Code != status || w.Header().Get("Retry-After") != retry || body.Code != code || body.Detail != detail {
			t.Errorf("status %d, Retry-After %q, %s", w.Code, w.Header().Get("Retry-After"), w.Body)
		}
		if body.MessageCode != strings.Replace(code, "quota_", "quota.", 1) || body.Params["limit"] != body.Params["used"] || body.Params["limit"] == 0 {
			t.Errorf("%s: message %s, parameters %v", code, body.MessageCode, body.Params)
		}
	}
	waiting := s.do("POST", all, `{`+mailFields+`}`)
	first := s.text(s.do("POST", all, `{`+mailFields+`,"initial_data":[]}`), "id")
	keyed := func() *httptest.ResponseRecorder {
		return s.send("POST", all, `{`+mailFields+`}`, "Idempotency-Key", "k")
	}
	const imports = "This organization has reached its limit: it has 2 of 2 imports. Delete imports you no longer need, or ask the operator of this service to raise the limit."
	wantRefused(keyed(), 403, "", "quota_imports", imports)
	wantRefused(keyed(), 403, "", "quota_imports", imports)
	wantRefused(s.send("PUT", s.text(waiting, "upload"), "a"), 429, "10", "quota_queued_imports",
		"This organization has reached its limit: 1 of 1 imports are waiting or running. Try again once some of them have finished, or ask the operator of this service to raise the limit.")
	s.runAll()
	s.do("DELETE", all+first+"/", "")
	if w := keyed(); w.Code != 201 {
		t.Errorf("with the same key after a deletion: %d %s", w.Code, w.Body)
	}

	id := s.text(waiting, "id")
	s.do("PUT", s.text(waiting, "upload"), "a\n", "Content-Type", "text/csv")
	s.runAll()
	path, cookie := "/api/review/v1/"+id, s.opened(id)
	ctx, stop := context.WithCancel(t.Context())
	r := s.request("GET", path+"/events/", "", "Cookie", cookie).WithContext(ctx)
	w := &firstWrite{ResponseRecorder: httptest.NewRecorder(), began: make(chan struct{})}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.api.ServeHTTP(w, r)
	}()
	<-w.began
	wantRefused(s.send("GET", path+"/events/", "", "Cookie", cookie), 429, "30", "quota_event_streams_per_review",
		"This import has reached its limit: 1 of 1 review pages are open. You can keep working, but this page won't show other people's changes. Close pages you no longer need, or ask the operator of this service to raise the limit.")
	stop()
	<-ended
	s.api.EndStreams()
	if again := s.send("GET", path+"/events/", "", "Cookie", cookie); again.Code != 200 {
		t.Errorf("after the other stream has ended: %d %s", again.Code, again.Body)
	}
}

// firstWrite is a response that closes began at its first write.
type firstWrite struct {
	*httptest.ResponseRecorder
	began chan struct{}
	once  bool
}

func (w *firstWrite) Write(p []byte) (int, error) {
	if !w.once {
		w.once = true
		defer close(w.began)
	}
	return w.ResponseRecorder.Write(p)
}
