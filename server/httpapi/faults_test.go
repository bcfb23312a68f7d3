package httpapi

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/blob/blobtest"
	"github.com/intraydata/intray/server/model"
)

// faults makes one call to the stores fail.
type faults struct {
	mu sync.Mutex
	// left is the number of calls that succeed before the one that fails. If it is
	// negative, no call fails.
	left int
	hit  bool
	// hook, unless nil, is called before each call.
	hook func()
}

var errFault = errors.New("the store fails")

func (f *faults) arm(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.left, f.hit = n, false
}

// disarm stops the injection of faults and reports whether a call has failed.
func (f *faults) disarm() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.left = -1
	return f.hit
}

func (f *faults) onNext(hook func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hook = hook
}

func (f *faults) next() error {
	f.mu.Lock()
	hook := f.hook
	f.mu.Unlock()
	if hook != nil {
		hook()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.left--; f.left != -1 {
		return nil
	}
	f.hit = true
	return errFault
}

// faultyStore is a store whose transactions fail as determined by faults.
type faultyStore struct {
	model.Store
	*faults
}

func (s faultyStore) Update(ctx context.Context, work func(model.Tx) error) error {
	if err := s.next(); err != nil {
		return err
	}
	return s.Store.Update(ctx, work)
}

func (s faultyStore) View(ctx context.Context, work func(model.Tx) error) error {
	if err := s.next(); err != nil {
		return err
	}
	return s.Store.View(ctx, work)
}

func (s faultyStore) ViewOne(ctx context.Context, work func(model.Tx) error) error {
	if err := s.next(); err != nil {
		return err
	}
	return s.Store.ViewOne(ctx, work)
}

func (s faultyStore) Ping(ctx context.Context) error {
	if err := s.next(); err != nil {
		return err
	}
	return s.Store.Ping(ctx)
}

// faultyBlobs is a blob store whose calls fail as determined by faults.
type faultyBlobs struct {
	*blobtest.Memory
	*faults
}

func (b faultyBlobs) Create(ctx context.Context, key string) (blob.Writer, error) {
	if err := b.next(); err != nil {
		return nil, err
	}
	return b.Memory.Create(ctx, key)
}

func (b faultyBlobs) Append(ctx context.Context, key string) (blob.Appender, error) {
	if err := b.next(); err != nil {
		return nil, err
	}
	return b.Memory.Append(ctx, key)
}

func (b faultyBlobs) Open(ctx context.Context, key string) (blob.Reader, error) {
	if err := b.next(); err != nil {
		return nil, err
	}
	return b.Memory.Open(ctx, key)
}

func (b faultyBlobs) OpenVersion(ctx context.Context, key, etag string) (blob.Reader, error) {
	if err := b.next(); err != nil {
		return nil, err
	}
	return b.Memory.OpenVersion(ctx, key, etag)
}

func (b faultyBlobs) CheckWritable(ctx context.Context) error {
	if err := b.next(); err != nil {
		return err
	}
	return b.Memory.CheckWritable(ctx)
}

// TestEveryOperationReportsFaults calls each operation repeatedly, with a fault in
// a different call to the stores each time. Every fault must be reported.
func TestEveryOperationReportsFaults(t *testing.T) {
	s := newDirectServer(t)
	s.withFaults = true
	s.live()
}

// harmless maps an operation to the index, counted from 0, of the call in which a fault has no
// effect. This call looks for an import that an earlier attempt created.
var harmless = map[string]int{"createImport": 1}

// callsBefore maps an operation to the index, counted from 0, of the last call in which
// sendWithFaults injects a fault. A fault in a later call would leave an effect that cannot be
// repeated.
var callsBefore = map[string]int{"relayReview": 1}

// sendWithFaults sends a request repeatedly, with a fault in a different call to the stores
// each time. It returns the response to the first request in which no fault occurs. A fault
// during a streamed response must abort the response.
func (s *server) sendWithFaults(op *operation, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	s.Helper()
	for n := range 100 {
		if most, limited := callsBefore[op.id]; limited && n > most {
			return s.send(method, path, body, headers...)
		}
		if n > 0 && harmless[op.id] == n {
			continue
		}
		s.faults.arm(n)
		w, aborted := s.sendAborted(method, path, body, headers...)
		if !s.faults.disarm() {
			return w
		}
		if w.Code < http.StatusInternalServerError && !aborted {
			s.Errorf("%s (%s %s): after the fault in call %d the status is %d", op.id, method, path, n, w.Code)
		}
	}
	s.Fatalf("%s (%s %s) never ends", op.id, method, path)
	return nil
}

// sendAborted sends a request and reports whether the response was aborted.
func (s *server) sendAborted(method, path, body string, headers ...string) (w *httptest.ResponseRecorder, aborted bool) {
	s.Helper()
	w = httptest.NewRecorder()
	defer func() {
		if fault := recover(); fault != nil {
			err, _ := fault.(error)
			if aborted = errors.Is(err, http.ErrAbortHandler); !aborted {
				panic(fault)
			}
		}
	}()
	s.api.ServeHTTP(w, s.request(method, path, body, headers...))
	return w, false
}

// TestReviewWithoutFirstRows checks that the review page opens even if its first
// rows cannot be loaded. The page then loads them itself.
func TestReviewWithoutFirstRows(t *testing.T) {
	s := newServer(t, nil)
	_, path, cookie := s.underReview(reviewFileText)
	if got := s.do("GET", path+"/?rows=2", "", "Cookie", cookie).Body.String(); !strings.Contains(got, `"first":{"table":{`) {
		t.Fatalf("the review is %s", got)
	}
	lost := 0
	for n := range 100 {
		s.faults.arm(n)
		w := s.send("GET", path+"/?rows=2", "", "Cookie", cookie)
		if !s.faults.disarm() {
			break
		}
		if w.Code == http.StatusOK {
			lost++
			if strings.Contains(w.Body.String(), `"first"`) {
				t.Errorf("after the fault in call %d the review is %s", n, w.Body)
			}
		}
	}
	if lost == 0 {
		t.Error("no fault while the rows are loaded")
	}
}

// TestDamagedSchema checks that operations on an import whose stored schema is damaged return
// an error.
func TestDamagedSchema(t *testing.T) {
	a := New(Config{})
	imp := model.Import{Outcome: &model.Outcome{}, Schema: model.Document{Fields: []byte(`{`)}}
	c := &call{r: httptest.NewRequestWithContext(t.Context(), "GET", "/", nil), reviewed: imp}
	_, outcome := wireOutcome(imp)
	_, retrieved := a.Retrieved(imp, model.Upload{})
	_, full := a.fullImport(c, imp)
	_, table := a.loadReviewTable(c)
	_, layout := a.replyLayout(c, imp)
	for name, err := range map[string]error{"the outcome": outcome, "the message": retrieved, "the import": full, "the table": table, "the layout": layout} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for name, serve := range map[string]func(*API, *call) (*response, error){
		"table": (*API).getReviewTable, "rows": (*API).getReviewRows, "counts": (*API).getReviewCounts, "values": (*API).getReviewValues, "next": (*API).getReviewNext,
		"edit": (*API).postEdit, "undo": (*API).postUndo, "file": (*API).getReviewFile, "corrections": (*API).putReviewFile,
	} {
		if _, err := serve(a, c); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// brokenWriter is a ResponseWriter whose client disconnects after some bytes.
type brokenWriter struct {
	*httptest.ResponseRecorder
	left int
}

func (w *brokenWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, errWriter
	}
	return w.ResponseRecorder.Write(p)
}

// TestInterruptedResponses checks responses to clients that disconnect. A streamed
// response must be aborted, so that no client treats a part as the whole.
func TestInterruptedResponses(t *testing.T) {
	s := newServer(t, nil)
	_, path, cookie := s.underReview("E-Mail,Country\n" + strings.Repeat("nobody,Germny\n", 2000))
	for what, aborted := range map[string]bool{"/rows/?count=1000": true, "/submit/": false, "/file/": true} {
		r := httptest.NewRequestWithContext(t.Context(), "GET", path+what, nil)
		r.Header.Set("Cookie", cookie)
		fault := func() (fault any) {
			defer func() { fault = recover() }()
			s.api.ServeHTTP(&brokenWriter{ResponseRecorder: httptest.NewRecorder(), left: 10}, r)
			return nil
		}()
		if err, _ := fault.(error); errors.Is(err, http.ErrAbortHandler) != aborted {
			t.Errorf("%s: it ends with %v, aborted: want %v", what, fault, aborted)
		}
	}
}

// TestEventStreamReportsErrors checks that a stream ends when the page disconnects,
// when the request ends and when the import cannot be read.
func TestEventStreamReportsErrors(t *testing.T) {
	s := newServer(t, nil)
	id, path, cookie := s.underReview(reviewFileText)
	org := s.orgID()
	broken := &eventStream{api: s.api, imp: model.Import{Org: org, ID: id}, send: func(string) error { return errWriter }}
	if err := broken.run(t.Context()); !errors.Is(err, errWriter) {
		t.Errorf("run with a page that disconnects: error %v", err)
	}
	if err := broken.poll(t.Context()); !errors.Is(err, errWriter) {
		t.Errorf("poll with a page that disconnects: error %v", err)
	}
	var progress error
	s.faults.onNext(func() {
		if _, changing := s.svc.ChangeProgress(id); changing && progress == nil {
			progress = broken.sendProgress()
		}
	})
	s.do("POST", path+"/edits/", `{"op":"1","kind":"clear","keys":["email"]}`, "Cookie", cookie)
	s.faults.onNext(nil)
	if !errors.Is(progress, errWriter) {
		t.Errorf("progress for a page that disconnects: error %v", progress)
	}
	open := &eventStream{api: s.api, imp: model.Import{Org: org, ID: id}, send: func(string) error { return nil }}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := open.run(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("a request that has ended: error %v", err)
	}
	s.faults.arm(0)
	if err := open.poll(t.Context()); !errors.Is(err, errFault) {
		t.Errorf("poll with a fault: error %v", err)
	}
	s.faults.disarm()
}
