package httpapi

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/internal/jsonschema"
	"github.com/intraydata/intray/server/auth"
	"github.com/intraydata/intray/server/blob/blobtest"
	"github.com/intraydata/intray/server/connectors"
	"github.com/intraydata/intray/server/queue"
	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/server/service"
	"github.com/intraydata/intray/server/sqlstore"
	"github.com/intraydata/intray/source/formats"
)

// server is an API with a real database that runs in the test process.
type server struct {
	*testing.T
	api  *API
	svc  *service.Service
	key  string
	seen map[string]bool
	// faults makes calls to the stores fail. If withFaults is set, the method do makes each call
	// fail once.
	faults     *faults
	withFaults bool
	// bucket receives direct uploads. It is nil unless newDirectServer created the server.
	bucket *blobtest.Memory
}

func newServer(t *testing.T, change func(*Config), changeService ...func(*service.Config)) *server {
	t.Helper()
	rows, err := sqlstore.Open(t.Context(), sqlstore.Config{Path: filepath.Join(t.TempDir(), "intray.db"), Queue: queue.Config{Node: "a/1"}})
	check(t, err)
	t.Cleanup(func() { check(t, rows.Close()) })
	master, err := secrets.ParseMaster(base64.StdEncoding.EncodeToString([]byte(strings.Repeat("m", 32))))
	check(t, err)
	f := &faults{left: -1}
	serviceConfig := service.Config{
		Store: faultyStore{rows, f}, Blobs: faultyBlobs{blobtest.NewMemory(), f}, Keys: master.Keyring(), SFTP: nowhere{}, WebhookSender: fakeWebhookSender{}, Remotes: harbour{}, Node: "a/1",
		Engine: engine.New(engine.Config{Formats: formats.Formats(""), Workers: 1}),
	}
	for _, change := range changeService {
		change(&serviceConfig)
	}
	svc, err := service.New(serviceConfig)
	check(t, err)
	check(t, svc.Join(t.Context()))
	keys, err := svc.Bootstrap(t.Context(), auth.FirstKeys{})
	check(t, err)
	_, err = svc.Authenticate(t.Context(), keys[0].Key) // stores the time of the first use
	check(t, err)
	cfg := Config{Service: svc, TempDir: t.TempDir(), BaseURL: "http://intray.test", Version: "test"}
	if change != nil {
		change(&cfg)
	}
	return &server{T: t, api: New(cfg), svc: svc, key: keys[0].Key, seen: map[string]bool{}, faults: f}
}

// nowhere is a fake SFTP client that reports a successful connection to every server.
type nowhere struct{}

func (nowhere) TestConnection(context.Context, connectors.Login) (connectors.SFTPReport, error) {
	return connectors.SFTPReport{HostKey: "key", HostKeyFingerprint: "SHA256:x"}, nil
}
func (nowhere) Fingerprint(secrets.Secret) (string, error) { return "SHA256:y", nil }
func (nowhere) ValidHostname(string) error                 { return nil }

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// send sends a request and returns the response. headers alternates between names and values.
func (s *server) send(method, path, body string, headers ...string) *httptest.ResponseRecorder {
	s.Helper()
	w := httptest.NewRecorder()
	s.api.ServeHTTP(w, s.request(method, path, body, headers...))
	return w
}

func (s *server) request(method, path, body string, headers ...string) *http.Request {
	r := httptest.NewRequestWithContext(s.Context(), method, strings.TrimPrefix(path, "http://intray.test"), strings.NewReader(body))
	r.Header.Set("X-Service-License-Key", s.key)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

var variable = regexp.MustCompile(`\{[^}]+\}`)

// operation returns the operation that handles a request.
func (s *server) operation(method, path string) *operation {
	s.Helper()
	path, _, _ = strings.Cut(strings.TrimPrefix(path, "http://intray.test"), "?")
	for i := range s.api.table {
		op := &s.api.table[i]
		pattern := "^" + variable.ReplaceAllString(op.path, "[^/]+") + "$"
		if op.method == method && regexp.MustCompile(pattern).MatchString(path) {
			return op
		}
	}
	s.Fatalf("no operation for %s %s", method, path)
	return nil
}

// do sends a request that must succeed, and validates the response against the
// schema of the operation.
func (s *server) do(method, path, body string, headers ...string) *httptest.ResponseRecorder {
	s.Helper()
	op := s.operation(method, path)
	s.seen[op.id] = true
	var w *httptest.ResponseRecorder
	if s.withFaults {
		w = s.sendWithFaults(op, method, path, body, headers...)
	} else {
		w = s.send(method, path, body, headers...)
	}
	if w.Code != op.status {
		s.Fatalf("%s %s: status %d, want %d: %s", method, path, w.Code, op.status, w.Body)
	}
	if op.response == nil {
		return w
	}
	doc, err := jsonschema.Decode(bytes.NewReader(w.Body.Bytes()), jsonschema.Limits{})
	check(s.T, err)
	if issues := op.response.Validate(doc); len(issues) > 0 {
		s.Errorf("%s %s: invalid response: %v: %s", method, path, issues, w.Body)
	}
	return w
}

// text returns a string property of a JSON response.
func (s *server) text(w *httptest.ResponseRecorder, name string) string {
	s.Helper()
	var doc map[string]any
	check(s.T, json.Unmarshal(w.Body.Bytes(), &doc))
	value, ok := doc[name].(string)
	if !ok {
		s.Fatalf("no text %q in %s", name, w.Body)
	}
	return value
}

func (s *server) runAll() {
	s.Helper()
	for {
		ran, err := s.svc.RunNext(s.Context())
		check(s.T, err)
		if !ran {
			return
		}
	}
}

const mailFields = `"fields":[{"key":"email","label":"E-Mail","type":"email"}]`

// TestEveryOperation calls each operation at least once, in the order in which a client
// would, and validates each response.
func TestEveryOperation(t *testing.T) {
	s := newDirectServer(t)
	s.live()
	for _, op := range s.api.table {
		if !s.seen[op.id] && op.status != 0 {
			t.Errorf("%s (%s %s) was not called", op.id, op.method, op.path)
		}
	}
}

func (s *server) live() {
	s.Helper()
	for _, path := range []string{"/healthz", "/readyz", "/openapi.json", "/openapi-3.0.json"} {
		s.do("GET", path, "")
	}
	s.schemas()
	s.imports()
	s.credentials()
	s.sessions()
	s.importLinks()
	s.embed()
	s.webhooks()
	s.connectors()
	s.retention()
}

// orgID returns the id of the only organization.
func (s *server) orgID() string {
	s.Helper()
	licence, err := s.svc.Authenticate(s.Context(), s.key)
	check(s.T, err)
	return licence.Org
}

func (s *server) schemas() {
	const all = "/api/v1/schemas/"
	id := s.text(s.do("POST", all, `{"name":"Contacts","settings":{},`+mailFields+`}`), "id")
	s.do("GET", all, "")
	s.do("GET", all+id+"/", "")
	s.do("PUT", all+id+"/", `{"name":"People","settings":{},`+mailFields+`}`)
	s.do("GET", all+id+"/extensions/", "")
	s.do("PUT", all+id+"/extensions/", `{"fields":{"email":{"missingValues":["keine"]}}}`)
	s.do("DELETE", all+id+"/", "")
}

func (s *server) imports() {
	const all = "/api/v1/headless/imports/"
	made := s.do("POST", all, `{`+mailFields+`,"original_filename":"list.csv"}`)
	id, upload := s.text(made, "id"), s.text(made, "upload")
	s.review(id)
	created := s.send("POST", upload, "", "Tus-Resumable", "1.0.0", "Upload-Length", "5")
	s.do("HEAD", created.Header().Get("Location"), "", "Tus-Resumable", "1.0.0")
	s.do("PATCH", created.Header().Get("Location"), "E-", "Tus-Resumable", "1.0.0", "Upload-Offset", "0", "Content-Type", offsetStream)
	put := s.do("PUT", upload, "E-Mail\nada@example.org\nnobody\n", "Content-Type", "text/csv")
	if put.Header().Get("ETag") == "" || put.Body.Len() > 0 {
		s.Errorf("the response to the upload: %v, %q", put.Header(), put.Body)
	}
	s.runAll()
	s.do("GET", all, "")
	done := s.do("GET", all+id+"/", "")
	s.review(id)
	s.do("POST", all+id+"/review-link/", "")
	s.review(id)
	s.do("DELETE", all+id+"/review-link/", "")
	download := s.do("GET", s.text(s.do("GET", all+id+"/url/", ""), "presigned_url"), "")
	if got := strings.TrimSpace(download.Body.String()); got != `[{"email":"ada@example.org"}]` {
		s.Errorf("the result is %s", got)
	}
	var doc struct {
		Metadata struct{ ID string } `json:"result_metadata"`
	}
	check(s.T, json.Unmarshal(done.Body.Bytes(), &doc))
	s.cells(id)
	s.uploads(doc.Metadata.ID)
	s.questions()
	s.remembered()
	s.reviewing()
	s.relaying()
	s.direct()
	form, contentType := form(s.T, "list.csv", "E-Mail\nada@example.org\n")
	second := s.do("POST", all, `{`+mailFields+`}`)
	s.do("POST", s.text(second, "upload"), form, "Content-Type", contentType)
	s.do("DELETE", all+s.text(second, "id")+"/", "")
}

func (s *server) questions() {
	made := s.do("POST", "/api/v1/headless/imports/", `{`+mailFields+`}`)
	path := "/api/v1/headless/imports/" + s.text(made, "id") + "/questions/"
	s.do("GET", path, "")
	s.do("PUT", s.text(made, "upload"), "e mail,e_mail\nada@example.org,x\n", "Content-Type", "text/csv")
	s.runAll()
	if got := s.do("GET", path, "").Body.String(); !strings.Contains(got, `"id":"column:email"`) {
		s.Errorf("the questions are %s", got)
	}
	id := s.text(made, "id")
	s.do("POST", "/api/review/v1/"+id+"/questions/", `{"answers":{"column:email":"0"}}`, "Cookie", s.opened(id))
	second := s.do("POST", "/api/v1/headless/imports/", `{`+mailFields+`}`)
	s.do("PUT", s.text(second, "upload"), "e mail,e_mail\nada@example.org,x\n", "Content-Type", "text/csv")
	s.runAll()
	s.do("POST", "/api/v1/headless/imports/"+s.text(second, "id")+"/questions/", `{"answers":{"column:email":"0"}}`)
}

// opened opens the review of an import and returns its cookie.
func (s *server) opened(id string) string {
	s.Helper()
	address := s.text(s.do("GET", "/api/v1/headless/imports/"+id+"/", ""), "review_url")
	_, token, _ := strings.Cut(address, "#")
	opened := s.do("POST", "/api/review/v1/"+id+"/session/", "", "Authorization", "Bearer "+token)
	cookie, _, _ := strings.Cut(opened.Header().Get("Set-Cookie"), ";")
	return cookie
}

func (s *server) review(id string) {
	s.Helper()
	s.do("GET", "/api/v1/headless/imports/"+id+"/rehydration/", "")
	w := s.do("GET", "/api/review/v1/"+id+"/", "", "Cookie", s.opened(id))
	if w.Header().Get("Cache-Control") != "no-store" {
		s.Error("caches may store the response to the review page")
	}
}

func (s *server) uploads(id string) {
	const one = "/api/v1/upload/"
	s.do("GET", "/api/v1/uploads/?start=0&end=10", "")
	raw := s.do("GET", one+id+"/metadata/", "")
	var doc struct {
		Raw struct {
			URL string `json:"download_url"`
		} `json:"raw_upload"`
	}
	check(s.T, json.Unmarshal(raw.Body.Bytes(), &doc))
	if got := s.do("GET", doc.Raw.URL, "").Body.String(); got != "E-Mail\nada@example.org\nnobody\n" {
		s.Errorf("the received file is %q", got)
	}
	csv := s.do("GET", s.text(s.do("GET", one+id+"/url/?format=csv", ""), "presigned_url"), "")
	if csv.Body.String() != "email\nada@example.org\n" || !strings.Contains(csv.Header().Get("Content-Disposition"), "list.result.csv") {
		s.Errorf("as CSV: %q, %v", csv.Body, csv.Header())
	}
	s.do("POST", one+id+"/delete/", "")
}

func form(t testing.TB, name, text string) (body, contentType string) {
	t.Helper()
	var b strings.Builder
	w := multipart.NewWriter(&b)
	part, err := w.CreateFormFile("file", name)
	check(t, err)
	_, err = part.Write([]byte(text))
	check(t, err)
	check(t, w.Close())
	return b.String(), w.FormDataContentType()
}

func (s *server) credentials() {
	const all = "/api/v1/headless/sftp/credentials/"
	body := `{"hostname":"sftp.example.org","port":22,"user":"u","auth_type":"PASSWORD","password":"p"}`
	id := s.text(s.do("POST", all, body), "id")
	s.do("GET", all, "")
	s.do("GET", all+id+"/", "")
	s.do("PUT", all+id+"/", body)
	s.do("POST", all+id+"/test_connection/", "")
	s.do("DELETE", all+id+"/", "")
}

func (s *server) sessions() {
	const base = "/api/widget/session/v2"
	made := s.do("POST", base+"/auth/", `{"expires_in":60}`)
	id := s.text(made, "sessionId")
	token := s.text(s.do("POST", base+"/"+id+"/auth/", ""), "hydrationId")
	saved := s.do("PUT", base+"/state/", `{"step": 1}`, "X-Hydration-Id", token)
	again := s.send("PUT", base+"/state/", `{"step": 2}`, "X-Hydration-Id", token, "If-Match", `"other"`)
	if again.Code != http.StatusPreconditionFailed {
		s.Errorf("a state over a newer one: status %d", again.Code)
	}
	s.do("PUT", base+"/state/", `{"step": 2}`, "X-Hydration-Id", token, "If-Match", saved.Header().Get("ETag"))
	if got := s.do("GET", base+"/state/?hydrationId="+token, "").Body.String(); got != `{"step": 2}` {
		s.Errorf("the state is %s", got)
	}
	s.do("PUT", base+"/file/", "a,b\n", "X-Hydration-Id", token, "X-File-Name", "list.csv", "Content-Type", "text/csv")
	if got := s.do("GET", base+"/file/", "", "X-Hydration-Id", token); got.Body.String() != "a,b\n" || got.Header().Get("Content-Type") != "text/csv" {
		s.Errorf("the file is %q, %v", got.Body, got.Header())
	}
	s.do("DELETE", base+"/"+id+"/", "")
	if got := s.send("GET", base+"/state/", "", "X-Hydration-Id", token); got.Code != http.StatusForbidden {
		s.Errorf("after the deletion: status %d", got.Code)
	}
}

// TestEveryOperationRefuses sends invalid requests to each operation. None may
// cause an internal error, and each error response must have a body.
func TestEveryOperationRefuses(t *testing.T) {
	s := newServer(t, nil)
	const someID = "0f8fad5b-d9cb-469f-a165-70867728950e"
	for i := range s.api.table {
		op := &s.api.table[i]
		path := variable.ReplaceAllString(op.path, someID)
		var tries []refused
		switch op.auth {
		case authNone:
			continue
		case authBackendKey:
			tries = append(tries, refused{"no key", "", []string{"X-Service-License-Key", ""}, 401},
				refused{"an unknown key", "", []string{"X-Service-License-Key", "bk_" + strings.Repeat("x", 43)}, 401})
			if op.body != nil {
				tries = append(tries, refused{"no object", `[]`, nil, 400}, refused{"broken JSON", `{`, nil, 400}, refused{"an unknown property", `{"surprise":1}`, nil, 400},
					refused{"a form", `a=b`, []string{"Content-Type", "application/x-www-form-urlencoded"}, 415})
			}
		case authFrontendKey: // see TestWidget
			continue
		case authReviewCookie:
			tries = append(tries, refused{"no cookie", "", nil, 401}, refused{"a wrong cookie", "", []string{"Cookie", visitCookie + "=x", "Authorization", "Bearer x"}, 401})
		default:
			missing := 403
			if op.auth == authReviewLink || op.auth == authImportLink || op.auth == authLinkSession || op.auth == authWidgetSession {
				missing = 401
			}
			tries = append(tries, refused{"no token", "", nil, missing}, refused{"a wrong token", "", []string{"X-Hydration-Id", "x", "Authorization", "Bearer x"}, 403})
		}
		if op.auth == authBackendKey && strings.Contains(op.path, "{id}") && op.body == nil {
			status := http.StatusNotFound
			if op.status == 0 {
				status = http.StatusGone
			}
			tries = append(tries, refused{"an unknown id", "", nil, status})
		}
		for _, try := range tries {
			s.refuses(op, path, try)
		}
	}
}

// refused is a request that must be refused, and the expected error.
type refused struct {
	name, body string
	headers    []string
	status     int
}

func (s *server) refuses(op *operation, path string, try refused) {
	s.Helper()
	for _, path := range []string{path, strings.TrimSuffix(path, "/")} {
		w := s.send(op.method, path, try.body, try.headers...)
		var body struct {
			Detail, Code string
			RequestID    string `json:"request_id"`
		}
		err := json.Unmarshal(w.Body.Bytes(), &body)
		if w.Code != try.status || err != nil || body.Detail == "" || body.Code == "" || body.RequestID == "" || body.RequestID != w.Header().Get("X-Request-Id") {
			s.Errorf("%s %s with %s: status %d, %s; want %d and a body with the reason", op.method, path, try.name, w.Code, w.Body, try.status)
		}
	}
}
