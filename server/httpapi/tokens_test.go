package httpapi

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray/server/model"
)

// tokenTest is an organization with one of each kind of token.
type tokenTest struct {
	*widgetTest
	backend, frontend string
	// backendID and frontendID are the ids of the keys.
	backendID, frontendID        string
	importID, linkID, sessionID  string
	uploadID                     string
	imp, waiting, link, logo     string
	hydration, widget, linkVisit string
	review, visit, rehydration   string
	upload, resumable, download  string
	embedded, embeddedVisit      string
}

func newTokenTest(t *testing.T) *tokenTest {
	t.Helper()
	w := &tokenTest{widgetTest: newWidgetTest(t)}
	backend, err := w.svc.CreateKey(t.Context(), "default", model.Backend, 0)
	check(t, err)
	frontend, err := w.svc.CreateFrontendKey(t.Context(), "default", 0, []string{hostPage})
	check(t, err)
	w.backend, w.backendID, w.frontend, w.frontendID = backend.Key, backend.Licence.ID, frontend.Key, frontend.Licence.ID
	own := []string{"X-Service-License-Key", w.backend}

	schema := w.text(w.do("POST", "/api/v1/schemas/", `{"name":"Contacts","settings":{},`+mailFields+`}`, own...), "id")
	link := w.do("POST", "/api/v1/import-links/", `{"schema_id":"`+schema+`"}`, own...)
	w.linkID, w.link = w.text(link, "id"), after(w.text(link, "url"), "/in/")
	w.do("PUT", "/api/v1/import-links/"+w.linkID+"/logo/", pngText, own...)
	page := w.do("POST", "/api/in/v1/session/", "", "Authorization", "Bearer "+w.link)
	w.linkVisit, w.logo = w.text(page, "session"), w.text(page, "logoUrl")

	session := w.do("POST", "/api/widget/session/v2/auth/", "", own...)
	w.sessionID, w.hydration = w.text(session, "sessionId"), w.text(session, "hydrationId")
	w.do("PUT", "/api/widget/session/v2/state/", "{}", "X-Hydration-Id", w.hydration)
	w.widget, _ = w.open(w.frontend, hostPage, widgetFields)

	w.imp = "/api/v1/headless/imports/"
	waiting := w.do("POST", w.imp, `{`+mailFields+`}`, own...)
	w.waiting, w.upload = w.text(waiting, "id"), w.text(waiting, "upload")
	resumable := w.send("POST", w.text(w.do("POST", w.imp, `{`+mailFields+`}`, own...), "upload"), "", "Upload-Length", "21", "Tus-Resumable", tusVersion)
	w.resumable = resumable.Header().Get("Location")

	w.importID = w.text(w.do("POST", w.imp, `{`+mailFields+`,"settings":{"invalidDataBehavior":"BLOCK_SUBMIT"},"initial_data":[{"email":"x"}]}`, own...), "id")
	done := w.text(w.do("POST", w.imp, `{`+mailFields+`,"initial_data":[{"email":"a@example.org"}]}`, own...), "id")
	w.runAll()
	w.review = after(w.text(w.do("GET", w.imp+w.importID+"/", "", own...), "review_url"), "#")
	w.visit = strings.Split(w.do("POST", "/api/review/v1/"+w.importID+"/session/", "", "Authorization", "Bearer "+w.review).Header().Get("Set-Cookie"), ";")[0]
	w.rehydration = w.text(w.do("GET", w.imp+w.importID+"/rehydration/", "", own...), "licenseKey")
	w.download = w.text(w.do("GET", w.imp+done+"/url/", "", own...), "presigned_url")
	w.uploadID = after(strings.Split(w.download, "?")[0], "/download/")

	embedded := w.do("POST", "/api/widget/v1/imports/", `{`+widgetFields+`,"settings":{"backendSyncMode":"FULL_DATA"},"initial_data":[{"email":"a@example.org"}]}`, "Authorization", "Bearer "+w.widget)
	w.embedded = w.text(embedded, "id")
	w.embeddedVisit = w.text(w.do("POST", "/api/review/v1/"+w.embedded+"/session/", "", "Authorization", "Bearer "+w.text(embedded, "reviewToken")), "session")
	return w
}

// uses returns a call with each kind of token, which returns the status.
func (w *tokenTest) uses() map[string]func() int {
	call := func(method, path, body string, headers ...string) func() int {
		return func() int { return w.send(method, path, body, headers...).Code }
	}
	review := "/api/review/v1/" + w.importID + "/"
	return map[string]func() int{
		"backend key":               call("GET", "/api/v1/schemas/", "", "X-Service-License-Key", w.backend),
		"frontend key":              call("POST", "/api/widget/v1/session/", `{"origin":"`+hostPage+`",`+widgetFields+`}`, "X-Service-License-Key", w.frontend),
		"session of an importer":    call("POST", "/api/widget/v1/template/", `{`+widgetFields+`}`, "Authorization", "Bearer "+w.widget),
		"hydration token":           call("GET", "/api/widget/session/v2/state/", "", "X-Hydration-Id", w.hydration),
		"import link":               call("POST", "/api/in/v1/session/", "", "Authorization", "Bearer "+w.link),
		"session of an import link": call("GET", "/api/in/v1/page/", "", "Authorization", "Bearer "+w.linkVisit),
		"logo URL":                  call("GET", w.logo, ""),
		"upload URL":                call("PUT", w.upload, "x", "Content-Length", "1", "Content-MD5", "AAAAAAAAAAAAAAAAAAAAAA=="),
		"resumable upload":          call("HEAD", w.resumable, "", "Tus-Resumable", tusVersion),
		"review link":               call("POST", review+"session/", "", "Authorization", "Bearer "+w.review),
		"rehydration key":           call("POST", review+"session/", "", "Authorization", "Bearer "+w.rehydration),
		"review session":            call("GET", review, "", "Cookie", w.visit),
		"session in an importer":    call("GET", "/api/review/v1/"+w.embedded+"/", "", "Authorization", "Bearer "+w.embeddedVisit),
		"download URL":              call("GET", w.download, ""),
	}
}

// isOpen reports whether a status means that the token was accepted. An upload with a wrong digest is
// refused after that.
func isOpen(code int) bool { return code < 400 || code == http.StatusBadRequest }

// TestTokens checks how long each kind of token is valid, and how it ends, as docs/tokens.md says.
func TestTokens(t *testing.T) {
	const hour, day = time.Hour, 24 * time.Hour
	t.Run("lives", func(t *testing.T) {
		w := newTokenTest(t)
		lives := map[string]time.Duration{
			"session of an importer": 12 * hour, "hydration token": 6 * hour, "session of an import link": 12 * hour,
			"upload URL": 30 * time.Minute, "resumable upload": 24 * hour, "review link": 30 * day, "rehydration key": 30 * day,
			"review session": 12 * hour, "session in an importer": 12 * hour, "download URL": 30 * time.Minute,
		}
		start := w.now
		for name, use := range w.uses() {
			life, expires := lives[name]
			for _, at := range []time.Duration{life - time.Second, life + time.Second} {
				if w.now = start.Add(at); expires && isOpen(use()) != (at < life) {
					t.Errorf("%s: after %v, isOpen is %v", name, at, at >= life)
				}
			}
			if w.now = start.Add(400 * day); !expires && !isOpen(use()) {
				t.Errorf("%s: it expires", name)
			}
			w.now = start
		}
	})
	backend, frontend, review := []string{"upload URL", "resumable upload", "review link", "rehydration key", "review session", "download URL"}, []string{"session of an importer", "session in an importer"}, []string{"review link", "rehydration key", "review session"}
	own := func(w *tokenTest, method, path string) { w.do(method, path, "", "X-Service-License-Key", w.key) }
	for name, end := range map[string]struct {
		act  func(w *tokenTest)
		ends []string
	}{
		"revoke the backend key":  {func(w *tokenTest) { check(t, w.svc.RevokeKey(t.Context(), w.backendID)) }, append([]string{"backend key", "hydration token"}, backend...)},
		"revoke the frontend key": {func(w *tokenTest) { check(t, w.svc.RevokeKey(t.Context(), w.frontendID)) }, append([]string{"frontend key"}, frontend...)},
		"delete the session":      {func(w *tokenTest) { own(w, "DELETE", "/api/widget/session/v2/"+w.sessionID+"/") }, []string{"hydration token"}},
		"revoke the link":         {func(w *tokenTest) { own(w, "DELETE", "/api/v1/import-links/"+w.linkID+"/") }, []string{"import link", "session of an import link", "logo URL"}},
		"delete the logo":         {func(w *tokenTest) { own(w, "DELETE", "/api/v1/import-links/"+w.linkID+"/logo/") }, []string{"logo URL"}},
		"replace the review link": {func(w *tokenTest) { own(w, "POST", w.imp+w.importID+"/review-link/") }, review},
		"revoke the review link":  {func(w *tokenTest) { own(w, "DELETE", w.imp+w.importID+"/review-link/") }, review},
		"delete the import":       {func(w *tokenTest) { own(w, "DELETE", w.imp+w.importID+"/") }, review},
		"delete another import":   {func(w *tokenTest) { own(w, "DELETE", w.imp+w.waiting+"/") }, []string{"upload URL"}},
		"delete the upload":       {func(w *tokenTest) { own(w, "POST", "/api/v1/upload/"+w.uploadID+"/delete/") }, []string{"download URL"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newTokenTest(t)
			for token, use := range w.uses() {
				if code := use(); !isOpen(code) {
					t.Fatalf("%s: %d before anything ends", token, code)
				}
			}
			end.act(w)
			ended := map[string]bool{}
			for _, token := range end.ends {
				ended[token] = true
			}
			for token, use := range w.uses() {
				if code := use(); isOpen(code) == ended[token] {
					t.Errorf("%s: %d, ended is %v", token, code, ended[token])
				}
			}
		})
	}
}
