package httpapi

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray/server/blob/blobtest"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/service"
)

const (
	hostPage     = "https://app.example.com"
	widgetFields = `"fields":[{"key":"email","label":"E-Mail","type":"email"}]`
)

// embed calls the operations of an embedded importer in the order in which the widget would.
func (s *server) embed() {
	made, err := s.svc.CreateFrontendKey(s.Context(), "default", 0, []string{hostPage})
	check(s.T, err)
	_, err = s.svc.Authenticate(s.Context(), made.Key) // stores the time of the first use
	check(s.T, err)
	key := []string{"X-Service-License-Key", made.Key}
	setup := s.do("POST", "/api/widget/v1/session/", `{"origin":"`+hostPage+`",`+widgetFields+`,"settings":{"title":"Contacts","backendSyncMode":"FULL_DATA"}}`, key...)
	session := []string{"Authorization", "Bearer " + s.text(setup, "session")}
	if template := s.do("POST", "/api/widget/v1/template/", `{`+widgetFields+`,"lang":"de"}`, session...).Body.String(); !strings.HasPrefix(template, "PK") {
		s.Errorf("the template is %.20q", template)
	}
	started := s.do("POST", "/api/widget/v1/imports/", `{`+widgetFields+`,"settings":{"backendSyncMode":"FULL_DATA"},"original_filename":"list.csv","save":true}`, session...)
	s.do("PUT", s.text(started, "upload"), "E-Mail\nada@example.org\n", "Content-Type", "text/csv")
	s.runAll()
	one := "/api/review/v1/" + s.text(started, "id") + "/"
	visit := s.do("POST", one+"session/", "", "Authorization", "Bearer "+s.text(started, "reviewToken"))
	if cookie := visit.Header().Get("Set-Cookie"); cookie != "" {
		s.Errorf("an embedded import sets the cookie %s", cookie)
	}
	review := []string{"Authorization", "Bearer " + s.text(visit, "session")}
	s.do("POST", one+"page-hooks/", `{}`, review...)
	s.do("PUT", one+"progress/", `{"step":"cells"}`, review...)
	for range 2 { // before and after the rows are submitted
		if rows := s.do("GET", one+"result/", "", review...).Body.String(); rows != `{"email":"ada@example.org"}`+"\n" {
			s.Errorf("the rows are %q", rows)
		}
		if rows := s.do("GET", one+"result/metadata/", "", review...).Body.String(); !strings.Contains(rows, `"numDataRows":1,"numOutputRows":1`) {
			s.Errorf("the metadata is %s", rows)
		}
		if w := s.send("POST", one+"submit/", "", review...); w.Code != http.StatusOK && w.Code != http.StatusConflict {
			s.Errorf("submitting: %d %s", w.Code, w.Body)
		}
	}
	if w := s.send("DELETE", one, "", review...); w.Code != http.StatusConflict {
		s.Errorf("discarding an import whose data belongs to the organization: %d", w.Code)
	}
	if list := s.do("GET", "/api/v1/headless/imports/", "").Body.String(); strings.Contains(list, s.text(started, "id")) {
		s.Errorf("the list of imports contains the embedded one: %s", list)
	}
	if list := s.do("GET", "/api/v1/uploads/", "").Body.String(); !strings.Contains(list, `"filename":"list.csv"`) {
		s.Errorf("the list of uploads lacks the embedded one: %s", list)
	}
}

// widgetTest is an organization with pages that embed importers.
type widgetTest struct {
	*server
	now   time.Time
	blobs *blobtest.Memory
	store model.Store
}

func newWidgetTest(t *testing.T) *widgetTest {
	w := &widgetTest{now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}
	clock := func() time.Time { return w.now }
	w.server = newServer(t, func(c *Config) { c.Clock = clock }, func(c *service.Config) { c.Clock, w.blobs, w.store = clock, c.Blobs.(faultyBlobs).Memory, c.Store })
	return w
}

// open opens an importer. It returns the token of the session, and the code of the error.
func (w *widgetTest) open(key, origin, properties string) (session, code string) {
	w.Helper()
	reply := w.send("POST", "/api/widget/v1/session/", `{"origin":"`+origin+`",`+properties+`}`, "X-Service-License-Key", key)
	if reply.Code == http.StatusOK {
		return w.text(reply, "session"), ""
	}
	return "", w.text(reply, "code")
}

// start creates an import with one row and returns its review URL and the headers that open it.
func (w *widgetTest) start(session, properties string) (review string, headers []string) {
	w.Helper()
	started := w.do("POST", "/api/widget/v1/imports/", `{`+properties+`,"initial_data":[{"email":"canary@example.org"}]}`, "Authorization", "Bearer "+session)
	w.runAll()
	review = "/api/review/v1/" + w.text(started, "id") + "/"
	visit := w.do("POST", review+"session/", "", "Authorization", "Bearer "+w.text(started, "reviewToken"))
	return review, []string{"Authorization", "Bearer " + w.text(visit, "session")}
}

func TestWidgetOrigins(t *testing.T) {
	w := newWidgetTest(t)
	limited, unlimited := w.frontendKey(hostPage, "http://localhost:3000"), w.frontendKey()
	for _, try := range []struct{ name, key, origin, properties, code string }{
		{"a page of the list", limited, hostPage, widgetFields, ""},
		{"a page with a port", limited, "http://localhost:3000", widgetFields, ""},
		{"another port", limited, "http://localhost:3001", widgetFields, "origin_refused"},
		{"another scheme", limited, "http://app.example.com", widgetFields, "origin_refused"},
		{"another host", limited, "https://app.example.com.evil.example", widgetFields, "origin_refused"},
		{"a page without an origin", limited, "null", widgetFields, "origin_refused"},
		{"another page in development mode", limited, "https://evil.example", widgetFields + `,"development_mode":true`, "origin_refused"},
		{"a key without a list", unlimited, hostPage, widgetFields, "origin_refused"},
		{"a key without a list in development mode", unlimited, hostPage, widgetFields + `,"development_mode":true`, ""},
		{"development mode in the settings", unlimited, hostPage, widgetFields + `,"settings":{"developmentMode":true}`, ""},
		{"a backend key", w.key, hostPage, widgetFields, "backend_key"},
		{"an unknown key", "fk_" + strings.Repeat("x", 43), hostPage, widgetFields, "unauthorized"},
		{"no key", "", hostPage, widgetFields, "unauthorized"},
		{"no schema", limited, hostPage, `"settings":{}`, "invalid"},
		{"two schemas", limited, hostPage, widgetFields + `,"schema":"Contacts"`, "invalid"},
		{"an unknown schema", limited, hostPage, `"schema":"Contacts"`, "not_found"},
		{"hooks", limited, hostPage, widgetFields + `,"hooks":{}`, "invalid"},
	} {
		if _, code := w.open(try.key, try.origin, try.properties); code != try.code {
			t.Errorf("%s: %q, want %q", try.name, code, try.code)
		}
	}
	origins, everywhere, err := w.svc.EmbeddingOrigins(t.Context())
	if err != nil || !everywhere || strings.Join(origins, " ") != "http://localhost:3000 "+hostPage {
		t.Errorf("the pages that may embed the widget are %v %v %v", origins, everywhere, err)
	}
}

func TestInvalidOrigins(t *testing.T) {
	for _, origin := range []string{"", "app.example.com", "https://", "https://a.example/path", "https://a.example?x", "ftp://a.example", "https://*.example.com", "https://u@a.example", "https://a.example;", "null", "*"} {
		if got, err := model.ParseOrigins([]string{origin}); !model.IsKind(err, model.Invalid) {
			t.Errorf("%q is accepted as %q", origin, got)
		}
	}
	if got, err := model.ParseOrigins([]string{"https://App.Example.com/", "https://app.example.com"}); err != nil || got != hostPage {
		t.Errorf("the origins are %q, %v", got, err)
	}
}

// TestWidgetSchemas checks that a page sees of a saved schema only what an importer shows, and that a
// public key cannot make the server call addresses.
func TestWidgetSchemas(t *testing.T) {
	w := newWidgetTest(t)
	id := w.text(w.do("POST", "/api/v1/schemas/", `{"name":"Contacts","settings":{"title":"Your contacts","webhookUrl":"https://example.org/secret-hook"},"hooks":{"rowHooks":["(row) => row // secret hook"]},`+widgetFields+`}`), "id")
	key := w.frontendKey(hostPage)
	for _, schema := range []string{id, "Contacts"} {
		reply := w.send("POST", "/api/widget/v1/session/", `{"origin":"`+hostPage+`","schema":"`+schema+`"}`, "X-Service-License-Key", key)
		if text := reply.Body.String(); w.text(reply, "title") != "Your contacts" || strings.Contains(text, "secret") {
			t.Errorf("the importer of %s shows %s", schema, text)
		}
	}
	session, _ := w.open(key, hostPage, `"schema":"Contacts"`)
	started := w.do("POST", "/api/widget/v1/imports/", `{"schema":"Contacts","settings":{"webhookUrl":"https://evil.example/"},"initial_data":[{"email":"a@example.org"}]}`, "Authorization", "Bearer "+session)
	imp, err := w.svc.Import(t.Context(), w.orgID(), w.text(started, "id"))
	check(t, err)
	if settings := string(imp.Schema.Settings); !strings.Contains(settings, "secret-hook") || strings.Contains(settings, "evil") {
		t.Errorf("the settings of the import are %s", settings)
	}
}

// TestWidgetSyncModes checks what remains of an import after its rows were handed over, and after its
// page was closed.
func TestWidgetSyncModes(t *testing.T) {
	for mode, remains := range map[string]bool{"DISABLED": false, "MAPPINGS_ONLY": false, "FULL_DATA": true} {
		for _, leave := range []string{"handed over", "page closed"} {
			t.Run(mode+" "+leave, func(t *testing.T) {
				w := newWidgetTest(t)
				properties := widgetFields + `,"settings":{"importIdentifier":"contacts","backendSyncMode":"` + mode + `"}`
				session, _ := w.open(w.frontendKey(hostPage), hostPage, properties)
				review, headers := w.start(session, properties)
				if leave == "handed over" {
					w.do("POST", review+"submit/", "", headers...)
					w.do("GET", review+"result/", "", headers...)
					if list := w.do("GET", "/api/v1/uploads/", "").Body.String(); strings.Contains(list, "contacts") != remains {
						t.Errorf("the list of uploads is %s", list)
					}
					if code := w.send("DELETE", review, "", headers...).Code; code != map[bool]int{true: http.StatusConflict, false: http.StatusNoContent}[remains] {
						t.Errorf("deleting the import: %d", code)
					}
				} else {
					w.now = w.now.Add(59 * time.Minute)
					w.do("GET", review, "", headers...) // the page is still open
					w.now = w.now.Add(59 * time.Minute)
					check(t, w.svc.RunMaintenance(t.Context()))
					if code := w.send("GET", review, "", headers...).Code; code != http.StatusOK {
						t.Errorf("the import of an open page is gone: %d", code)
					}
					w.now = w.now.Add(2 * time.Hour)
				}
				check(t, w.svc.RunMaintenance(t.Context()))
				if code := w.send("GET", review, "", headers...).Code; (code == http.StatusOK) != remains {
					t.Errorf("the import: %d, remains is %v", code, remains)
				}
				deletions := w.do("GET", "/api/v1/receipts/", "").Body.String()
				var page struct{ Count int }
				check(t, json.Unmarshal([]byte(deletions), &page))
				if page.Count != 0 {
					t.Errorf("there are receipts: %s", deletions)
				}
			})
		}
	}
}

// TestWidgetKeyRevoked checks that revoking a key ends its importers.
func TestWidgetKeyRevoked(t *testing.T) {
	w := newWidgetTest(t)
	made, err := w.svc.CreateFrontendKey(t.Context(), "default", 0, []string{hostPage})
	check(t, err)
	session, _ := w.open(made.Key, hostPage, widgetFields)
	review, headers := w.start(session, widgetFields)
	check(t, w.svc.RevokeKey(t.Context(), made.Licence.ID))
	if code := w.send("GET", review, "", headers...).Code; code != http.StatusUnauthorized {
		t.Errorf("the review of a revoked key: %d", code)
	}
	if code := w.send("POST", "/api/widget/v1/imports/", `{`+widgetFields+`}`, "Authorization", "Bearer "+session).Code; code != http.StatusForbidden {
		t.Errorf("the session of a revoked key: %d", code)
	}
	if _, code := w.open(made.Key, hostPage, widgetFields); code != "unauthorized" {
		t.Errorf("the revoked key: %s", code)
	}
}

// TestWidgetReading checks that a page can decide how files are read.
func TestWidgetReading(t *testing.T) {
	w := newWidgetTest(t)
	session, _ := w.open(w.frontendKey(hostPage), hostPage, widgetFields)
	started := w.do("POST", "/api/widget/v1/imports/", `{`+widgetFields+`,"header_row":2,"delimiter":"|"}`, "Authorization", "Bearer "+session)
	w.do("PUT", w.text(started, "upload"), "Name|E-Mail\nx|y@example.org\nE-Mail|Name\nada@example.org|Ada\n")
	w.runAll()
	review := "/api/review/v1/" + w.text(started, "id") + "/"
	visit := w.do("POST", review+"session/", "", "Authorization", "Bearer "+w.text(started, "reviewToken"))
	rows := w.do("GET", review+"result/", "", "Authorization", "Bearer "+w.text(visit, "session")).Body.String()
	if rows != `{"email":"ada@example.org"}`+"\n" {
		t.Errorf("the rows are %s", rows)
	}
}

// TestWidgetBlockedRows checks that rows that cannot be submitted are not handed over either.
func TestWidgetBlockedRows(t *testing.T) {
	w := newWidgetTest(t)
	properties := widgetFields + `,"settings":{"invalidDataBehavior":"BLOCK_SUBMIT"}`
	session, _ := w.open(w.frontendKey(hostPage), hostPage, properties)
	started := w.do("POST", "/api/widget/v1/imports/", `{`+properties+`,"initial_data":[{"email":"a@example.org"},{"email":"no address"}]}`, "Authorization", "Bearer "+session)
	w.runAll()
	review := "/api/review/v1/" + w.text(started, "id") + "/"
	visit := w.do("POST", review+"session/", "", "Authorization", "Bearer "+w.text(started, "reviewToken"))
	reply := w.send("GET", review+"result/", "", "Authorization", "Bearer "+w.text(visit, "session"))
	if reply.Code != http.StatusConflict || w.text(reply, "code") != "rows_with_error" {
		t.Errorf("the rows: %d %s", reply.Code, reply.Body)
	}
}

func TestAfterFirstByte(t *testing.T) {
	refused := errors.New("refused")
	for _, c := range []struct {
		name       string
		write      func(w io.Writer) error
		text       string
		first, end bool
	}{
		{"all", func(w io.Writer) error { _, err := io.WriteString(w, "rows"); return err }, "rows", false, false},
		{"nothing", func(io.Writer) error { return nil }, "", false, false},
		{"an error at first", func(io.Writer) error { return refused }, "", true, false},
		{"a panic at first", func(io.Writer) error { panic("oh") }, "", true, false},
		{"an error later", func(w io.Writer) error { _, _ = io.WriteString(w, "ro"); return refused }, "ro", false, true},
	} {
		stream, err := afterFirstByte(c.write)
		if (err != nil) != c.first {
			t.Errorf("%s: %v", c.name, err)
		}
		if err != nil {
			continue
		}
		var text strings.Builder
		if err := stream(&text); (err != nil) != c.end || text.String() != c.text {
			t.Errorf("%s: %q, %v", c.name, text.String(), err)
		}
	}
	stream, err := afterFirstByte(func(w io.Writer) error {
		for {
			if _, err := w.Write(make([]byte, 1<<10)); err != nil {
				return err
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := stream(headWriter{}); err == nil {
		t.Error("a client that leaves does not end the stream")
	}
}

// TestWidgetSeen checks that an open event stream and a file that still arrives keep an import whose data
// must not remain on the server.
func TestWidgetSeen(t *testing.T) {
	w := newWidgetTest(t)
	session, _ := w.open(w.frontendKey(hostPage), hostPage, widgetFields)
	started := w.do("POST", "/api/widget/v1/imports/", `{`+widgetFields+`}`, "Authorization", "Bearer "+session)
	tus := []string{"Tus-Resumable", tusVersion}
	created := w.send("POST", w.text(started, "upload"), "", append([]string{"Upload-Length", "21"}, tus...)...)
	upload := created.Header().Get("Location")
	keep := func(how string, act func()) {
		w.now = w.now.Add(50 * time.Minute)
		act()
		w.now = w.now.Add(50 * time.Minute)
		check(t, w.svc.RunMaintenance(t.Context()))
		if _, err := w.svc.Import(t.Context(), w.orgID(), w.text(started, "id")); err != nil {
			t.Fatalf("%s: the import is gone: %v", how, err)
		}
	}
	keep("uploading", func() {
		if reply := w.send("HEAD", upload, "", tus...); reply.Code != http.StatusOK {
			t.Fatalf("the offset: %d, %s", reply.Code, upload)
		}
	})
	imp, err := w.svc.Import(t.Context(), w.orgID(), w.text(started, "id"))
	check(t, err)
	stream := &eventStream{api: w.api, imp: imp, send: func(string) error { return nil }}
	keep("watching", func() { check(t, stream.poll(t.Context())) })
	if before := stream.imp.Seen; !before.Equal(w.now.Add(-50 * time.Minute)) {
		t.Errorf("the page was seen at %v, now it is %v", before, w.now)
	}
}

// TestWidgetErrors checks that the metadata lists the problems of the rows, before and after they are
// submitted.
func TestWidgetErrors(t *testing.T) {
	w := newWidgetTest(t)
	properties := widgetFields + `,"settings":{"invalidDataBehavior":"INCLUDE_INVALID_ROWS"}`
	session, _ := w.open(w.frontendKey(hostPage), hostPage, properties)
	started := w.do("POST", "/api/widget/v1/imports/", `{`+properties+`,"initial_data":[{"email":"a@example.org"},{"email":"no address"}]}`, "Authorization", "Bearer "+session)
	w.runAll()
	review := "/api/review/v1/" + w.text(started, "id") + "/"
	visit := w.do("POST", review+"session/", "", "Authorization", "Bearer "+w.text(started, "reviewToken"))
	headers := []string{"Authorization", "Bearer " + w.text(visit, "session")}
	for range 2 {
		var metadata struct {
			RowsWithError []int
			Errors        []struct {
				RowIndex        int
				FieldKey, Value string
			}
		}
		check(t, json.Unmarshal(w.do("GET", review+"result/metadata/", "", headers...).Body.Bytes(), &metadata))
		if e := metadata.Errors; len(metadata.RowsWithError) != 1 || len(e) != 1 || e[0].RowIndex != 1 || e[0].FieldKey != "email" || e[0].Value != "no address" {
			t.Errorf("the metadata is %+v", metadata)
		}
		w.send("POST", review+"submit/", "", headers...)
	}
}

// TestWidgetMappings checks that with MAPPINGS_ONLY, decisions remain after the import was deleted.
func TestWidgetMappings(t *testing.T) {
	w := newWidgetTest(t)
	const properties = `"fields":[{"key":"name","label":"Name","validators":[{"validate":"required"}]}],"settings":{"importIdentifier":"contacts","backendSyncMode":"MAPPINGS_ONLY"}`
	session, _ := w.open(w.frontendKey(hostPage), hostPage, properties)
	started := w.do("POST", "/api/widget/v1/imports/", `{`+properties+`}`, "Authorization", "Bearer "+session)
	w.do("PUT", w.text(started, "upload"), "qzx,wvu\ncanary,1\n")
	w.runAll()
	review := "/api/review/v1/" + w.text(started, "id") + "/"
	visit := w.do("POST", review+"session/", "", "Authorization", "Bearer "+w.text(started, "reviewToken"))
	headers := []string{"Authorization", "Bearer " + w.text(visit, "session")}
	w.do("POST", review+"questions/", `{"answers":{"column:name":"0"}}`, headers...)
	w.runAll()
	w.do("POST", review+"submit/", "", headers...)
	learned := func() string {
		return w.do("GET", "/api/v1/headless/memory/?import_identifier=contacts", "").Body.String()
	}
	before := learned()
	if !strings.Contains(before, "qzx") || strings.Contains(before, "canary") {
		t.Errorf("the learned mappings are %s", before)
	}
	w.do("DELETE", review, "", headers...)
	if after := learned(); after != before {
		t.Errorf("after the import was deleted, the learned mappings are %s", after)
	}
}
