package httpapi

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray/server/model"
)

const savedFields = widgetFields + `,"settings":{"importIdentifier":"contacts","backendSyncMode":"FULL_DATA"}`

// savedWidget is an embedded importer that saves the work of a person.
type savedWidget struct {
	*widgetTest
	frontend, sessionID, token string
}

func newSavedWidget(t *testing.T) *savedWidget {
	t.Helper()
	w := &savedWidget{widgetTest: newWidgetTest(t)}
	w.frontend = w.frontendKey(hostPage)
	made := w.do("POST", "/api/widget/session/v2/auth/", `{"import_identifier":"contacts"}`)
	w.sessionID, w.token = w.text(made, "sessionId"), w.text(made, "hydrationId")
	return w
}

type savedImport struct{ ID, Upload, ReviewToken, OriginalFilename, Step string }

// reopen opens the importer, as another tab would, and returns the session and the saved import.
func (w *savedWidget) reopen() (session string, saved *savedImport, code string) {
	w.Helper()
	reply := w.send("POST", "/api/widget/v1/session/", `{"origin":"`+hostPage+`",`+savedFields+`,"hydration_id":"`+w.token+`"}`, "X-Service-License-Key", w.frontend)
	if reply.Code != http.StatusOK {
		return "", nil, w.text(reply, "code")
	}
	var setup struct {
		Session string
		Saved   *savedImport
	}
	check(w.T, json.Unmarshal(reply.Body.Bytes(), &setup))
	return setup.Session, setup.Saved, ""
}

// review opens the review of a saved import.
func (w *savedWidget) review(one *savedImport) (path string, headers []string) {
	w.Helper()
	path = "/api/review/v1/" + one.ID + "/"
	visit := w.do("POST", path+"session/", "", "Authorization", "Bearer "+one.ReviewToken)
	return path, []string{"Authorization", "Bearer " + w.text(visit, "session")}
}

// sendFile sends a file of two rows, one of which has an error.
func (w *savedWidget) sendFile(session string) *savedImport {
	w.Helper()
	reply := w.do("POST", "/api/widget/v1/imports/", `{`+savedFields+`,"original_filename":"list.csv"}`, "Authorization", "Bearer "+session)
	var started savedImport
	check(w.T, json.Unmarshal(reply.Body.Bytes(), &started))
	w.do("PUT", started.Upload, "E-Mail\nada@example.org\nno address\n")
	w.runAll()
	return &started
}

// TestWidgetSaved checks that the file, the changes and the step of a person are there when they return,
// and that a submitted import is not.
func TestWidgetSaved(t *testing.T) {
	w := newSavedWidget(t)
	session, saved, _ := w.reopen()
	if saved != nil {
		t.Fatalf("a new session keeps %+v", saved)
	}
	w.sendFile(session)
	_, saved, _ = w.reopen()
	if saved == nil || saved.OriginalFilename != "list.csv" || saved.Step != "" {
		t.Fatalf("the session keeps %+v", saved)
	}
	path, headers := w.review(saved)
	w.do("PUT", path+"progress/", `{"step":"columns"}`, headers...)
	w.do("POST", path+"edits/", `{"op":"1","kind":"set","cells":[{"id":"1","key":"email","text":"ben@example.org","version":0,"seen":"no address"}]}`, headers...)
	w.now = w.now.Add(3 * time.Hour)
	_, again, _ := w.reopen()
	if again == nil || again.ID != saved.ID || again.Step != "columns" {
		t.Fatalf("the session keeps %+v", again)
	}
	other, otherHeaders := w.review(again)
	if rows := w.do("GET", other+"result/", "", otherHeaders...).Body.String(); !strings.Contains(rows, "ben@example.org") {
		t.Errorf("the rows are %s", rows)
	}
	w.do("POST", path+"submit/", "", headers...)
	if _, done, code := w.reopen(); done != nil || code != "" {
		t.Errorf("after it was submitted, the session keeps %+v (%s)", done, code)
	}
	if code := w.send("PUT", path+"progress/", `{"step":"cells"}`, headers...).Code; code != http.StatusOK {
		t.Errorf("saving the progress of a submitted import: %d", code)
	}
	if _, done, _ := w.reopen(); done != nil {
		t.Errorf("saving its progress restores a submitted import: %+v", done)
	}
	next := w.sendFile(session)
	nextPath, nextHeaders := w.review(next)
	w.do("PUT", nextPath+"progress/", `{"step":"columns"}`, nextHeaders...)
	w.send("PUT", path+"progress/", `{"step":"cells"}`, headers...)
	if _, kept, _ := w.reopen(); kept == nil || kept.ID != next.ID || kept.Step != "columns" {
		t.Errorf("saving the progress of an earlier import changes the session: %+v", kept)
	}
}

// TestWidgetSessionDeleted checks that deleting a session, or not saving it for a week, ends its importers
// at once and deletes the data.
func TestWidgetSessionDeleted(t *testing.T) {
	for _, way := range []string{"deleted", "forgotten"} {
		t.Run(way, func(t *testing.T) {
			w := newSavedWidget(t)
			session, _, _ := w.reopen()
			one := w.sendFile(session)
			path, headers := w.review(one)
			if way == "deleted" {
				w.do("DELETE", "/api/widget/session/v2/"+w.sessionID+"/", "")
			} else {
				w.now = w.now.Add(8 * 24 * time.Hour)
				check(t, w.svc.RunMaintenance(t.Context()))
			}
			for name, call := range map[string]func() int{
				"the review": func() int { return w.send("GET", path, "", headers...).Code },
				"the rows":   func() int { return w.send("GET", path+"result/", "", headers...).Code },
				"another visit": func() int {
					return w.send("POST", path+"session/", "", "Authorization", "Bearer "+one.ReviewToken).Code
				},
				"another file": func() int { return w.send("PUT", one.Upload, "E-Mail\n").Code },
				"another import": func() int {
					return w.send("POST", "/api/widget/v1/imports/", `{`+savedFields+`}`, "Authorization", "Bearer "+session).Code
				},
				"through the API":  func() int { return w.send("GET", "/api/v1/headless/imports/"+one.ID+"/", "").Code },
				"another importer": func() int { _, _, code := w.reopen(); return map[string]int{"": http.StatusOK}[code] },
				"saving the step":  func() int { return w.send("PUT", path+"progress/", `{"step":"cells"}`, headers...).Code },
				"a template": func() int {
					return w.send("POST", "/api/widget/v1/template/", `{`+savedFields+`}`, "Authorization", "Bearer "+session).Code
				},
				"submitting": func() int { return w.send("POST", path+"submit/", "", headers...).Code },
			} {
				if code := call(); code != 0 && code < http.StatusBadRequest {
					t.Errorf("%s: %d", name, code)
				}
			}
			check(t, w.svc.RunMaintenance(t.Context()))
			w.now = w.now.Add(time.Hour)
			check(t, w.svc.RunMaintenance(t.Context()))
			if keys := w.blobs.Keys("imports/" + one.ID); len(keys) > 0 {
				t.Errorf("these files remain: %v", keys)
			}
			if receipts := w.do("GET", "/api/v1/receipts/", "").Body.String(); !strings.Contains(receipts, one.ID) {
				t.Errorf("the receipts are %s", receipts)
			}
		})
	}
}

// TestWidgetNothingToContinue checks that an import without a file, a failed one, and one whose review link
// was revoked do not come back, and that other keys continue an import.
func TestWidgetNothingToContinue(t *testing.T) {
	w := newSavedWidget(t)
	session, _, _ := w.reopen()
	begin := func() (id, upload string) {
		started := w.do("POST", "/api/widget/v1/imports/", `{`+savedFields+`,"original_filename":"list.xlsx"}`, "Authorization", "Bearer "+session)
		return w.text(started, "id"), w.text(started, "upload")
	}
	_, upload := begin()
	if _, saved, _ := w.reopen(); saved != nil {
		t.Errorf("an import without a file comes back: %+v", saved)
	}
	w.do("PUT", upload, "PK\x03\x04 no workbook")
	w.runAll()
	if _, saved, _ := w.reopen(); saved != nil {
		t.Errorf("a failed import comes back: %+v", saved)
	}
	one := w.sendFile(session)
	w.frontend = w.frontendKey(hostPage)
	_, saved, _ := w.reopen()
	if saved == nil || saved.ID != one.ID {
		t.Fatalf("another key continues %+v", saved)
	}
	w.review(saved)
	check(t, w.svc.RevokeReviewLink(t.Context(), w.orgID(), one.ID))
	if _, saved, _ := w.reopen(); saved != nil {
		t.Errorf("an import whose link was revoked comes back: %+v", saved)
	}
}

// TestWidgetSessionChecks checks that an import with another schema than that of the opened importer is
// not saved in its session, and that a refused import leaves no session.
func TestWidgetSessionChecks(t *testing.T) {
	w := newSavedWidget(t)
	session, _, _ := w.reopen()
	for name, properties := range map[string]string{
		"another mode": widgetFields + `,"settings":{"importIdentifier":"contacts"}`, "another identifier": strings.Replace(savedFields, "contacts", "products", 1),
	} {
		if code := w.send("POST", "/api/widget/v1/imports/", `{`+properties+`}`, "Authorization", "Bearer "+session).Code; code != http.StatusConflict {
			t.Errorf("%s: %d", name, code)
		}
	}
	other, _ := w.open(w.frontend, hostPage, savedFields)
	before := w.sessions()
	if code := w.send("POST", "/api/widget/v1/imports/", `{`+savedFields+`,"save":true,"original_filename":"a\u0000b"}`, "Authorization", "Bearer "+other).Code; code < http.StatusBadRequest {
		t.Errorf("an invalid name: %d", code)
	}
	if now := w.sessions(); now != before {
		t.Errorf("%d sessions, before %d", now, before)
	}
}

// sessions returns the number of sessions.
func (w *savedWidget) sessions() (n int64) {
	w.Helper()
	usage, err := model.Get(w.Context(), w.store, func(tx model.Tx) (model.Usage, error) { return tx.Usage.Get(w.Context(), w.orgID()) })
	check(w.T, err)
	return usage.Sessions
}

// TestWidgetSessionDeletedMeanwhile checks that a submission that was in progress when the session was
// deleted does not complete.
func TestWidgetSessionDeletedMeanwhile(t *testing.T) {
	w := newSavedWidget(t)
	session, _, _ := w.reopen()
	one := w.sendFile(session)
	imp, err := w.svc.Import(t.Context(), w.orgID(), one.ID)
	check(t, err)
	check(t, w.svc.DeleteSession(t.Context(), w.orgID(), w.sessionID))
	if _, _, err := w.svc.SubmitReview(t.Context(), imp); !model.IsKind(err, model.NotFound) {
		t.Errorf("submitting: %v", err)
	}
	if list := w.do("GET", "/api/v1/uploads/", "").Body.String(); strings.Contains(list, "list.csv") {
		t.Errorf("the uploads are %s", list)
	}
}

// TestWidgetSessionInUse checks that a tab cannot replace the import of another one, but that a discarded
// import makes room.
func TestWidgetSessionInUse(t *testing.T) {
	w := newSavedWidget(t)
	session, _, _ := w.reopen()
	first := w.sendFile(session)
	path, headers := w.review(first)
	begin := func() *httptest.ResponseRecorder {
		return w.send("POST", "/api/widget/v1/imports/", `{`+savedFields+`,"original_filename":"other.csv"}`, "Authorization", "Bearer "+session)
	}
	if reply := begin(); w.text(reply, "code") != "session_in_use" {
		t.Fatalf("another file: %d %s", reply.Code, reply.Body)
	}
	w.do("GET", path, "", headers...)
	if _, saved, _ := w.reopen(); saved == nil || saved.ID != first.ID {
		t.Errorf("the session keeps %+v, not %s", saved, first.ID)
	}
	w.do("DELETE", path, "", headers...)
	if reply := begin(); reply.Code != http.StatusCreated {
		t.Errorf("another file after the first one was discarded: %d %s", reply.Code, reply.Body)
	}
}

func TestWidgetSessionRefused(t *testing.T) {
	w := newSavedWidget(t)
	open := func(properties, token string) string {
		return w.text(w.send("POST", "/api/widget/v1/session/", `{"origin":"`+hostPage+`",`+properties+`,"hydration_id":"`+token+`"}`, "X-Service-License-Key", w.frontend), "code")
	}
	_, err := w.svc.CreateOrg(t.Context(), "other")
	check(t, err)
	other, err := w.svc.CreateKey(t.Context(), "other", model.Backend, 0)
	check(t, err)
	foreign := w.text(w.do("POST", "/api/widget/session/v2/auth/", `{}`, "X-Service-License-Key", other.Key), "hydrationId")
	short := w.text(w.do("POST", "/api/widget/session/v2/"+w.sessionID+"/auth/", `{"expires_in":60}`), "hydrationId")
	w.now = w.now.Add(time.Minute)
	for _, try := range []struct{ name, properties, token, code string }{
		{"another identifier", strings.Replace(savedFields, "contacts", "products", 1), w.token, "other_session"},
		{"a mode that keeps nothing", widgetFields + `,"settings":{"importIdentifier":"contacts"}`, w.token, "saving_needs_full_data"},
		{"an altered token", savedFields, w.token + "x", "bad_signature"},
		{"the id of the session", savedFields, w.sessionID, "bad_signature"},
		{"another organization", savedFields, foreign, "session_expired"},
		{"an expired token", savedFields, short, "expired"},
	} {
		if code := open(try.properties, try.token); code != try.code {
			t.Errorf("%s: %q, want %q", try.name, code, try.code)
		}
	}
	session, _ := w.open(w.frontend, hostPage, widgetFields)
	if reply := w.send("POST", "/api/widget/v1/imports/", `{`+widgetFields+`,"save":true}`, "Authorization", "Bearer "+session); w.text(reply, "code") != "saving_needs_full_data" {
		t.Errorf("saving an import whose mode keeps nothing: %d %s", reply.Code, reply.Body)
	}
}

// TestWidgetOwnSession checks that an importer without a token gets a session, which the organization can
// resume.
func TestWidgetOwnSession(t *testing.T) {
	w := newSavedWidget(t)
	session, code := w.open(w.frontend, hostPage, savedFields)
	if code != "" {
		t.Fatal(code)
	}
	started := w.do("POST", "/api/widget/v1/imports/", `{`+savedFields+`,"save":true,"initial_data":[{"email":"a@example.org"}]}`, "Authorization", "Bearer "+session)
	imp, err := w.svc.Import(t.Context(), w.orgID(), w.text(started, "id"))
	check(t, err)
	if imp.HookPins().Session != imp.SessionID || imp.SessionID == "" {
		t.Fatalf("the session of the import is %q", imp.SessionID)
	}
	w.token = w.text(w.do("POST", "/api/widget/session/v2/"+imp.SessionID+"/auth/", ""), "hydrationId")
	if _, saved, _ := w.reopen(); saved == nil || saved.ID != imp.ID {
		t.Errorf("the session keeps %+v", saved)
	}
}

// TestRehydration checks that the key of a rehydrated import opens its review in a frame, and nothing else.
func TestRehydration(t *testing.T) {
	w := newWidgetTest(t)
	imp := w.do("POST", "/api/v1/headless/imports/", `{`+widgetFields+`,"settings":{"invalidDataBehavior":"BLOCK_SUBMIT","webhookUrl":"https://example.org/hook"},"initial_data":[{"email":"no address"}]}`)
	id := w.text(imp, "id")
	w.runAll()
	reply := w.do("GET", "/api/v1/headless/imports/"+id+"/rehydration/", "")
	var out struct {
		LicenseKey, HeadlessImportID string
		Fields                       []struct{ Key string }
		Settings, Hooks              map[string]any
	}
	check(t, json.Unmarshal(reply.Body.Bytes(), &out))
	if out.HeadlessImportID != id || len(out.Fields) != 1 || out.Settings["invalidDataBehavior"] != "BLOCK_SUBMIT" || strings.Contains(reply.Body.String(), "example.org/hook") {
		t.Errorf("the rehydration is %s", reply.Body)
	}
	path := "/api/review/v1/" + id + "/"
	visit := w.do("POST", path+"session/", "", "Authorization", "Bearer "+out.LicenseKey)
	if cookie := visit.Header().Get("Set-Cookie"); cookie != "" {
		t.Errorf("the visit sets the cookie %s", cookie)
	}
	headers := []string{"Authorization", "Bearer " + w.text(visit, "session")}
	w.do("GET", path, "", headers...)
	for name, call := range map[string]int{
		"a cookie":               w.send("GET", path, "", "Cookie", visitCookie+"="+w.text(visit, "session")).Code,
		"as an API key":          w.send("GET", "/api/v1/headless/imports/", "", "X-Service-License-Key", out.LicenseKey).Code,
		"as the key of a widget": w.send("POST", "/api/widget/v1/session/", `{"origin":"`+hostPage+`",`+widgetFields+`}`, "X-Service-License-Key", out.LicenseKey).Code,
		"discarding the import":  w.send("DELETE", path, "", headers...).Code,
		"saving the step":        w.send("PUT", path+"progress/", `{"step":"cells"}`, headers...).Code,
	} {
		if call < http.StatusBadRequest {
			t.Errorf("%s: %d", name, call)
		}
	}
	w.do("DELETE", "/api/v1/headless/imports/"+id+"/review-link/", "")
	if code := w.send("GET", path, "", headers...).Code; code < http.StatusBadRequest {
		t.Errorf("after the review link was revoked: %d", code)
	}
	if code := w.send("GET", "/api/v1/headless/imports/"+id+"/rehydration/", "").Code; code != http.StatusConflict {
		t.Errorf("the rehydration after the review link was revoked: %d", code)
	}
}
