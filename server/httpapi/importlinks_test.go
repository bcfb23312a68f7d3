package httpapi

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray/server/service"
)

// importLinks calls the operations of import links in the order in which clients would.
func (s *server) importLinks() {
	const all, page = "/api/v1/import-links/", "/api/in/v1/"
	schemaID := s.text(s.do("POST", "/api/v1/schemas/", `{"name":"Sent by link","settings":{},`+mailFields+`}`), "id")
	made := s.do("POST", all, `{"schema_id":"`+schemaID+`","name":"Acme","page":{"title":"Your list","accentColor":"#0a66c2"},"max_uses":5,"password":"correct horse","import_metadata":{"user":{"id":"7"}}}`)
	id := s.text(made, "id")
	s.do("GET", all, "")
	s.do("GET", all+id+"/", "")
	s.do("PUT", all+id+"/logo/", pngText)
	s.do("PUT", all+id+"/", `{"schema_id":"`+schemaID+`","page":{"title":"Your contacts"}}`)
	_, token, _ := strings.Cut(s.text(made, "url"), "/in/")
	opened := s.do("POST", page+"session/", `{"password":"correct horse"}`, "Authorization", "Bearer "+token)
	if title := s.text(opened, "title"); title != "Your contacts" {
		s.Errorf("the page has the title %q", title)
	}
	session := []string{"Authorization", "Bearer " + s.text(opened, "session")}
	s.do("GET", page+"page/", "", session...)
	if template := s.do("GET", page+"template/?lang=de", "", session...).Body.String(); !strings.HasPrefix(template, "PK") {
		s.Errorf("the template is %.20q", template)
	}
	s.do("GET", s.text(opened, "logoUrl"), "")
	started := s.do("POST", page+"imports/", `{"original_filename":"list.csv"}`, session...)
	s.do("PUT", s.text(started, "upload"), "E-Mail\nada@example.org\n", "Content-Type", "text/csv")
	s.runAll()
	one := "/api/review/v1/" + s.text(started, "id") + "/"
	visit := s.do("POST", one+"session/", "", "Authorization", "Bearer "+s.text(started, "reviewToken"))
	if status := s.text(visit, "status"); status != "NEEDS_REVIEW" {
		s.Errorf("the import is %s before it is submitted", status)
	}
	cookie, _, _ := strings.Cut(visit.Header().Get("Set-Cookie"), ";")
	s.do("POST", one+"submit/", "", "Cookie", cookie)
	if status := s.text(s.do("GET", one, "", "Cookie", cookie), "status"); status != "SUCCESSFUL" {
		s.Errorf("the import is %s after it was submitted", status)
	}
	second := s.do("POST", page+"imports/", `{}`, session...)
	two := "/api/review/v1/" + s.text(second, "id") + "/"
	visit = s.do("POST", two+"session/", "", "Authorization", "Bearer "+s.text(second, "reviewToken"))
	mine, _, _ := strings.Cut(visit.Header().Get("Set-Cookie"), ";")
	s.do("DELETE", two, "", "Cookie", mine)
	if w := s.send("DELETE", one, "", "Cookie", cookie); w.Code != http.StatusConflict {
		s.Errorf("discarding an import that was submitted: %d", w.Code)
	}
	s.do("DELETE", all+id+"/logo/", "")
	s.do("DELETE", all+id+"/", "")
}

// linkTest is an import link and what its tests need.
type linkTest struct {
	*server
	id, token string
}

func newLinkTest(t *testing.T, properties string, change ...func(*service.Config)) *linkTest {
	t.Helper()
	// With the real time, a new minute could begin while attempts are counted.
	s := newServer(t, func(cfg *Config) { cfg.Clock = newMinutes().Now }, change...)
	schemaID := s.text(s.do("POST", "/api/v1/schemas/", `{"name":"Sent by link","settings":{},`+mailFields+`}`), "id")
	made := s.do("POST", "/api/v1/import-links/", `{"schema_id":"`+schemaID+`"`+properties+`}`)
	return &linkTest{s, s.text(made, "id"), after(s.text(made, "url"), "/in/")}
}

// refusal returns the status and the code of the error with which opening the link is refused.
func (l *linkTest) refusal(body string) string {
	w := l.send("POST", "/api/in/v1/session/", body, "Authorization", "Bearer "+l.token)
	if w.Code == http.StatusOK {
		return "opened"
	}
	return l.text(w, "code")
}

func (l *linkTest) open(body string) string {
	l.Helper()
	return l.text(l.do("POST", "/api/in/v1/session/", body, "Authorization", "Bearer "+l.token), "session")
}

func (l *linkTest) start(session string) (id, upload string) {
	l.Helper()
	started := l.do("POST", "/api/in/v1/imports/", `{}`, "Authorization", "Bearer "+session)
	return l.text(started, "id"), l.text(started, "upload")
}

func (l *linkTest) property(name string) any {
	l.Helper()
	var doc map[string]any
	check(l.T, json.Unmarshal(l.do("GET", "/api/v1/import-links/"+l.id+"/", "").Body.Bytes(), &doc))
	return doc[name]
}

func TestImportLinkPassword(t *testing.T) {
	l := newLinkTest(t, `,"password":"correct horse"`)
	if got := l.refusal(""); got != "password_required" {
		t.Errorf("without a password: %s", got)
	}
	session := l.open(`{"password":"correct horse"}`)
	for range linkAttemptsPerAddress {
		if got := l.refusal(`{"password":"wrong horse"}`); got != "wrong_password" {
			t.Fatalf("with a wrong password: %s", got)
		}
	}
	if got := l.refusal(`{"password":"correct horse"}`); got != "too_many_requests" {
		t.Errorf("after %d wrong passwords: %s", linkAttemptsPerAddress, got)
	}
	// A new password ends the sessions.
	l.start(session)
	schemaID := l.property("schema_id").(string)
	l.do("PUT", "/api/v1/import-links/"+l.id+"/", `{"schema_id":"`+schemaID+`"}`)
	l.start(session)
	l.do("PUT", "/api/v1/import-links/"+l.id+"/", `{"schema_id":"`+schemaID+`","password":null}`)
	if w := l.send("POST", "/api/in/v1/imports/", `{}`, "Authorization", "Bearer "+session); w.Code != http.StatusForbidden {
		t.Errorf("after the password was removed: %d", w.Code)
	}
	l.start(l.open(""))
}

func TestImportLinkLimits(t *testing.T) {
	l := newLinkTest(t, `,"max_uses":1,"max_bytes":100`)
	session := l.open("")
	_, first := l.start(session)
	failing, second := l.start(session)
	l.do("PUT", second, "%PDF-1.7", "Content-Type", "application/pdf")
	if w := l.send("PUT", first, "E-Mail\na@example.org\n"); w.Code != http.StatusConflict || l.text(w, "code") != "link_used_up" {
		t.Errorf("a second file while the first is in progress: %d %s", w.Code, w.Body)
	}
	l.runAll()
	if status := l.text(l.do("GET", "/api/v1/headless/imports/"+failing+"/", ""), "status"); status != "FAILED" {
		t.Fatalf("the import is %s", status)
	}
	if uses := l.property("uses"); uses != 0.0 {
		t.Errorf("a failed import counts as %v uses", uses)
	}
	l.do("PUT", first, "E-Mail\na@example.org\n", "Content-Type", "text/csv")
	l.runAll()
	if got := l.refusal(""); got != "link_used_up" || l.property("status") != "USED_UP" || l.property("bytes_received") != 29.0 {
		t.Errorf("a used link is %s, status %v with %v bytes", got, l.property("status"), l.property("bytes_received"))
	}
	if w := l.send("POST", "/api/in/v1/imports/", `{}`, "Authorization", "Bearer "+session); w.Code != http.StatusConflict {
		t.Errorf("a further import: %d", w.Code)
	}
}

func TestImportLinkEnds(t *testing.T) {
	clock := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	l := newLinkTest(t, `,"expires_at":"2026-03-04T06:00:00Z"`, func(c *service.Config) { c.Clock = func() time.Time { return clock } })
	session := l.open("")
	_, upload := l.start(session)
	clock = clock.Add(time.Hour)
	if got := l.refusal(""); got != "expired" || l.property("status") != "EXPIRED" {
		t.Errorf("an expired link: %s, status %v", got, l.property("status"))
	}
	for name, w := range map[string]int{
		"a session": l.send("POST", "/api/in/v1/imports/", `{}`, "Authorization", "Bearer "+session).Code,
		"an upload": l.send("PUT", upload, "E-Mail\n").Code,
	} {
		if w != http.StatusForbidden {
			t.Errorf("%s of an expired link: %d", name, w)
		}
	}
	l.do("DELETE", "/api/v1/import-links/"+l.id+"/", "")
	if got := l.refusal(""); got != "revoked" {
		t.Errorf("a revoked link: %s", got)
	}
}

// TestImportLinkRevokedUpload checks that a file cannot arrive through a link that was revoked after
// the upload had been authorized.
func TestImportLinkRevokedUpload(t *testing.T) {
	l := newLinkTest(t, "")
	_, upload := l.start(l.open(""))
	l.do("DELETE", "/api/v1/import-links/"+l.id+"/", "")
	if w := l.send("PUT", upload, "E-Mail\na@example.org\n"); w.Code != http.StatusForbidden {
		t.Errorf("the upload: %d %s", w.Code, w.Body)
	}
}

// TestImportLinkStarts checks that one address cannot create any number of imports.
func TestImportLinkStarts(t *testing.T) {
	l := newLinkTest(t, "")
	session := l.open("")
	for range linkStarts {
		l.start(session)
	}
	if w := l.send("POST", "/api/in/v1/imports/", `{}`, "Authorization", "Bearer "+session); w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" {
		t.Errorf("import %d in a minute: %d", linkStarts+1, w.Code)
	}
}

func TestImportLinkInvalid(t *testing.T) {
	l := newLinkTest(t, "")
	schemaID := l.property("schema_id").(string)
	for name, properties := range map[string]string{
		"password too short": `"password":"short"`, "password too long": `"password":"` + strings.Repeat("x", 73) + `"`,
		"expired": `"expires_at":"2020-01-01T00:00:00Z"`, "no time": `"expires_at":"tomorrow"`, "no uses": `"max_uses":0`,
		"color": `"page":{"accentColor":"red"}`, "script": `"page":{"returnUrl":"javascript:alert(1)"}`, "user": `"page":{"returnUrl":"https://a@b.example"}`,
		"unknown text": `"page":{"html":"<b>"}`, "name": `"name":"a\u0000b"`, "logo by URL": `"logo_url":"https://example.org/a.png"`,
	} {
		if w := l.send("POST", "/api/v1/import-links/", `{"schema_id":"`+schemaID+`",`+properties+`}`); w.Code != http.StatusBadRequest {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	for name, content := range map[string]string{"svg": `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`, "html": "<script>", "empty": ""} {
		if w := l.send("PUT", "/api/v1/import-links/"+l.id+"/logo/", content); w.Code != http.StatusBadRequest {
			t.Errorf("a logo that is %s: %d %s", name, w.Code, w.Body)
		}
	}
	if w := l.send("PUT", "/api/v1/import-links/"+l.id+"/logo/", pngText+strings.Repeat("x", 256<<10)); w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("a large logo: %d", w.Code)
	}
	first := "A"
	if l.token[0] == 'A' {
		first = "B"
	}
	for name, token := range map[string]string{"guessed": strings.Repeat("A", 22) + "." + strings.Repeat("A", 43), "shortened": l.token[:40], "altered": first + l.token[1:]} {
		if w := l.send("POST", "/api/in/v1/session/", "", "Authorization", "Bearer "+token); w.Code != http.StatusForbidden {
			t.Errorf("a %s token: %d %s", name, w.Code, w.Body)
		}
	}
}

// TestAbandonedImports checks that an import that a person began through a link is deleted if its file
// never arrives, and that the link can then be used again.
func TestAbandonedImports(t *testing.T) {
	w := newWidgetTest(t)
	schema := w.text(w.do("POST", "/api/v1/schemas/", `{"name":"Contacts","settings":{},`+mailFields+`}`), "id")
	link := w.do("POST", "/api/v1/import-links/", `{"schema_id":"`+schema+`","max_uses":1}`)
	_, token, _ := strings.Cut(w.text(link, "url"), "/in/")
	session := w.text(w.do("POST", "/api/in/v1/session/", "", "Authorization", "Bearer "+token), "session")
	begin := func() string {
		return w.text(w.do("POST", "/api/in/v1/imports/", `{}`, "Authorization", "Bearer "+session), "id")
	}
	id := begin()
	w.now = w.now.Add(47 * time.Hour)
	check(t, w.svc.RunMaintenance(t.Context()))
	w.do("GET", "/api/v1/headless/imports/"+id+"/", "")
	w.now = w.now.Add(2 * time.Hour)
	check(t, w.svc.RunMaintenance(t.Context()))
	if code := w.send("GET", "/api/v1/headless/imports/"+id+"/", "").Code; code != http.StatusNotFound {
		t.Errorf("the import: %d", code)
	}
	if receipts := w.do("GET", "/api/v1/receipts/", "").Body.String(); !strings.Contains(receipts, `"count":0`) {
		t.Errorf("the receipts are %s", receipts)
	}
	session = w.text(w.do("POST", "/api/in/v1/session/", "", "Authorization", "Bearer "+token), "session")
	begin()
}
