package httpapi

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/intraydata/intray/server/model"
)

// credential is a caller of the API.
type credential struct {
	name string
	// auth is the kind of operation that the credential is for.
	auth authMethod
	// scopes are the scopes of a backend key.
	scopes model.Scopes
	// foreign means that the credential belongs to a different organization than the objects.
	foreign bool
	headers []string
	// token is the token in a signed URL.
	token string
}

// access is the expected result of a call.
type access string

const (
	allowed   access = "allowed"
	notFound  access = "not found"
	unknown   access = "401"
	forbidden access = "403"
	noScope   access = "403 missing_scope"
	denied    access = "denied"
)

// expected returns what the credential may do with an operation whose path contains an id of
// the first organization, or none.
func (c credential) expected(op *operation) access {
	switch {
	case op.auth == authNone:
		return allowed
	case op.auth == authBackendKey:
		return c.expectedWithKey(op)
	case op.auth != c.auth || c.foreign && !opensOwn(op.auth):
		return denied
	case op.auth == authSignedURL && !strings.HasSuffix(c.name, signedURLs[op.id]):
		return denied
	}
	return allowed
}

// opensOwn reports whether a credential opens only the object that it was issued for, which is not in
// the path.
func opensOwn(auth authMethod) bool {
	return auth == authHydrationToken || auth == authImportLink || auth == authLinkSession || auth == authFrontendKey || auth == authWidgetSession
}

// signedURLs contains the kind of signed URL that each operation accepts.
var signedURLs = map[string]string{"uploadFile": "upload URL", "uploadForm": "upload URL", "getUploadOffset": "upload URL", "patchUpload": "upload URL", "createDirectUpload": "upload URL", "commitDirectUpload": "upload URL", "downloadFile": "download URL", "getLogo": "logo URL"}

// expectedWithKey is like expected, for an operation that requires a backend key.
func (c credential) expectedWithKey(op *operation) access {
	respondsAlike := op.id == "deleteSession" || op.id == "getUploadRows" // whether or not the object exists
	noDelivery := op.id == "tellForwarded" || op.id == "redeliver"        // the delivery does not exist
	switch {
	case strings.HasSuffix(c.name, "frontend key"):
		return forbidden
	case c.auth != authBackendKey:
		return unknown
	case !c.scopes.Contains(scopeOf[op.id]):
		return noScope
	case c.foreign && strings.Contains(op.path, "{") && !respondsAlike, noDelivery:
		return notFound
	}
	return allowed
}

// outcome returns the result of a call.
func outcome(op *operation, w *httptest.ResponseRecorder) access {
	body := w.Body.String()
	switch {
	case op.auth != authBackendKey && (w.Code == http.StatusUnauthorized || w.Code == http.StatusForbidden):
		return denied
	case w.Code == http.StatusForbidden && strings.Contains(body, "missing_scope"):
		return noScope
	case w.Code == http.StatusForbidden && strings.Contains(body, "frontend_key"):
		return forbidden
	case w.Code == http.StatusUnauthorized:
		return unknown
	case w.Code == http.StatusNotFound:
		return notFound
	}
	return allowed
}

// objects are the ids and tokens of one organization, keyed by what the placeholder {id} means in
// a path.
type objects map[string]string

// createObjects creates one object of each kind with the given keys.
func (s *server) createObjects(key, frontend, name string) objects {
	s.Helper()
	call := func(method, path, body string, headers ...string) *httptest.ResponseRecorder {
		w := s.send(method, path, body, append([]string{"X-Service-License-Key", key}, headers...)...)
		if w.Code >= 300 {
			s.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
		}
		return w
	}
	o := objects{"key": key}
	o["schema"] = s.text(call("POST", "/api/v1/schemas/", `{"name":"`+name+`","settings":{},"hooks":{},`+mailFields+`}`), "id")
	o["credential"] = s.text(call("POST", "/api/v1/headless/sftp/credentials/", credentialText), "id")
	o["connector"] = s.text(call("POST", "/api/v1/headless/sftp/connectors/", o.connector()), "id")
	o["webhook"] = s.text(call("POST", "/api/v1/webhooks/", webhookText), "id")
	link := call("POST", "/api/v1/import-links/", `{"schema_id":"`+o["schema"]+`"}`)
	o["link"], o["link token"] = s.text(link, "id"), after(s.text(link, "url"), "/in/")
	call("PUT", "/api/v1/import-links/"+o["link"]+"/logo/", pngText)
	page := call("POST", "/api/in/v1/session/", "", "Authorization", "Bearer "+o["link token"])
	o["link session"], o["logo token"] = s.text(page, "session"), after(s.text(page, "logoUrl"), "token=")
	importer := call("POST", "/api/widget/v1/session/", `{"origin":"https://app.example.com","development_mode":true,`+mailFields+`}`, "X-Service-License-Key", frontend)
	o["widget session"] = s.text(importer, "session")
	session := call("POST", "/api/widget/session/v2/auth/", "")
	o["session"], o["hydration"] = s.text(session, "sessionId"), s.text(session, "hydrationId")
	call("PUT", "/api/widget/session/v2/state/", "{}", "X-Hydration-Id", o["hydration"])
	call("PUT", "/api/widget/session/v2/file/", "a", "X-Hydration-Id", o["hydration"])
	waiting := call("POST", "/api/v1/headless/imports/", `{`+mailFields+`}`)
	o["waiting"], o["upload token"] = s.text(waiting, "id"), after(s.text(waiting, "upload"), "token=")
	done := call("POST", "/api/v1/headless/imports/", `{`+mailFields+`,"initial_data":[{"email":"a@example.org"}]}`)
	s.runAll()
	o["import"], o["review token"] = s.text(done, "id"), after(s.text(done, "review_url"), "#")
	result := s.text(call("GET", "/api/v1/headless/imports/"+o["import"]+"/url/", ""), "presigned_url")
	o["download token"], o["upload"] = after(result, "token="), strings.TrimPrefix(strings.Split(result, "?")[0], "http://intray.test/download/")
	opened := call("POST", "/api/review/v1/"+o["import"]+"/session/", "", "Authorization", "Bearer "+o["review token"])
	o["rehydration key"] = s.text(call("GET", "/api/v1/headless/imports/"+o["import"]+"/rehydration/", ""), "licenseKey")
	o["review in a frame"] = s.text(call("POST", "/api/review/v1/"+o["import"]+"/session/", "", "Authorization", "Bearer "+o["rehydration key"]), "session")
	o["cookie"] = strings.Split(opened.Header().Get("Set-Cookie"), ";")[0]
	return o
}

const (
	credentialText = `{"hostname":"h","port":22,"user":"u","auth_type":"PASSWORD","password":"p"}`
	pngText        = "\x89PNG\r\n\x1a\n"
	webhookText    = `{"url":"https://example.org/x"}`
)

func (o objects) connector() string {
	return `{"credentials":"` + o["credential"] + `","schema":"` + o["schema"] + `","directory":"/in","schedule":{"type":"every_n_minutes","minutes":5}}`
}

func after(text, mark string) string {
	_, rest, _ := strings.Cut(text, mark)
	return rest
}

// call returns the path and a valid body of a call to an operation with these objects.
func (o objects) call(op *operation) (path, body string) {
	kind := "import"
	for part, name := range map[string]string{"/schemas/": "schema", "/credentials/": "credential", "/connectors/": "connector", "/webhooks/": "webhook", "/import-links/": "link", "/logo/": "link", "/v1/upload/": "upload", "/download/": "upload"} {
		if strings.Contains(op.path, part) {
			kind = name
		}
	}
	if strings.HasPrefix(op.path, "/upload/") {
		kind = "waiting"
	}
	path = strings.NewReplacer("{id}", o[kind], "{sessionId}", o["session"]).Replace(op.path)
	switch op.id {
	case "getCells":
		path += "?row=0"
	case "listMemory", "forgetMemory", "getLexicon":
		path += "?import_identifier=x"
	case "replaceLexicon":
		path += "?import_identifier=x"
		body = `{}`
	case "replaceSchema":
		body = `{"name":"x","settings":{},` + mailFields + `}`
	case "replaceSchemaExtensions":
		body = `{}`
	case "replaceCredential":
		body = credentialText
	case "replaceConnector":
		body = o.connector()
	case "replaceWebhook":
		body = webhookText
	case "replaceImportLink":
		body = `{"schema_id":"` + o["schema"] + `"}`
	case "startLinkImport", "callPageHooks":
		body = `{}`
	case "openWidget":
		body = `{"origin":"https://app.example.com","development_mode":true,` + mailFields + `}`
	case "saveProgress":
		body = `{"step":"cells"}`
	case "startWidgetImport", "getWidgetTemplate":
		body = `{` + mailFields + `}`
	case "answerQuestions":
		body = `{"answers":{}}`
	case "tellForwarded":
		body = `{"delivery_id":"x","status_code":200,"message":"ok"}`
	case "redeliver":
		body = `{"delivery_id":"x"}`
	}
	return path, body
}

// credentials returns all credentials of the two organizations. Those that may delete the
// objects of the first one are last.
func (s *server) allCredentials(own, other objects) []credential {
	list := []credential{
		{name: "no key"},
		{name: "an unknown key", headers: []string{"X-Service-License-Key", "bk_" + strings.Repeat("x", 43)}},
		{name: "a frontend key", auth: authFrontendKey, headers: []string{"X-Service-License-Key", own["frontend"]}},
		{name: "another organization's frontend key", auth: authFrontendKey, foreign: true, headers: []string{"X-Service-License-Key", other["frontend"]}},
	}
	for i, o := range []objects{other, own} {
		prefix, foreign := []string{"another organization's ", ""}[i], i == 0
		list = append(list,
			credential{name: prefix + "review link", auth: authReviewLink, foreign: foreign, headers: []string{"Authorization", "Bearer " + o["review token"]}},
			credential{name: prefix + "review cookie", auth: authReviewCookie, foreign: foreign, headers: []string{"Cookie", o["cookie"]}},
			credential{name: prefix + "key of a rehydrated import", auth: authReviewLink, foreign: foreign, headers: []string{"Authorization", "Bearer " + o["rehydration key"]}},
			credential{name: prefix + "review in a frame", auth: authReviewCookie, foreign: foreign, headers: []string{"Authorization", "Bearer " + o["review in a frame"]}},
			credential{name: prefix + "hydration token", auth: authHydrationToken, foreign: foreign, headers: []string{"X-Hydration-Id", o["hydration"]}},
			credential{name: prefix + "upload URL", auth: authSignedURL, foreign: foreign, token: o["upload token"]},
			credential{name: prefix + "download URL", auth: authSignedURL, foreign: foreign, token: o["download token"]},
			credential{name: prefix + "logo URL", auth: authSignedURL, foreign: foreign, token: o["logo token"]},
			credential{name: prefix + "import link", auth: authImportLink, foreign: foreign, headers: []string{"Authorization", "Bearer " + o["link token"]}},
			credential{name: prefix + "session of an importer", auth: authWidgetSession, foreign: foreign, headers: []string{"Authorization", "Bearer " + o["widget session"]}},
			credential{name: prefix + "session of an import link", auth: authLinkSession, foreign: foreign, headers: []string{"Authorization", "Bearer " + o["link session"]}},
		)
		for _, scopes := range []model.Scopes{"read", "import", "review", "admin", "read,review", ""} {
			name := "a key with the scopes " + string(scopes)
			list = append(list, credential{name: prefix + name, auth: authBackendKey, scopes: scopes, foreign: foreign, headers: []string{"X-Service-License-Key", o["key "+string(scopes)]}})
		}
	}
	return list
}

// TestAccess calls each operation with each credential, with the objects of the first of two
// organizations. Objects that a call may have deleted are created again.
func TestAccess(t *testing.T) {
	s := newServer(t, nil)
	keys := map[string]objects{}
	for _, org := range []string{"default", "other"} {
		keys[org] = objects{}
		if org != "default" {
			_, err := s.svc.CreateOrg(t.Context(), org)
			check(t, err)
		}
		for _, scopes := range []string{"read", "import", "review", "admin", "read,review", ""} {
			made, err := s.svc.CreateKey(t.Context(), org, model.Backend, 0, strings.FieldsFunc(scopes, func(c rune) bool { return c == ',' })...)
			check(t, err)
			keys[org]["key "+scopes] = made.Key
		}
		made, err := s.svc.CreateKey(t.Context(), org, model.Frontend, 0)
		check(t, err)
		keys[org]["frontend"] = made.Key
	}
	create := func(org, name string) objects {
		o := s.createObjects(keys[org]["key "], keys[org]["frontend"], name)
		maps.Copy(o, keys[org])
		return o
	}
	other := create("other", "theirs")
	cells := 0
	for i := range s.api.table {
		op := &s.api.table[i]
		if op.id == "getReviewEvents" { // it does not end; getReview checks the same cookie
			continue
		}
		own := create("default", op.id)
		for _, c := range s.allCredentials(own, other) {
			want := c.expected(op)
			if got := s.callWith(c, op, own); got != want {
				t.Errorf("%s with %s: %s, want %s", op.id, c.name, got, want)
			}
			if want == allowed && (op.method == "DELETE" || op.id == "deleteUpload") {
				break // what the other credentials need is gone
			}
			cells++
		}
		// An organization may have only 100 connectors and 100 webhooks.
		for _, path := range []string{"/api/v1/headless/sftp/connectors/" + own["connector"] + "/", "/api/v1/webhooks/" + own["webhook"] + "/"} {
			s.send("DELETE", path, "", "X-Service-License-Key", own["key "])
		}
	}
	t.Logf("%d combinations", cells)
}

// callWith calls an operation as the owner of a credential.
func (s *server) callWith(c credential, op *operation, o objects) access {
	s.Helper()
	path, body := o.call(op)
	if c.token != "" {
		path += "?token=" + c.token
	}
	r := s.request(op.method, path, body, c.headers...)
	if !slices.Contains(c.headers, "X-Service-License-Key") {
		r.Header.Del("X-Service-License-Key")
	}
	w := httptest.NewRecorder()
	s.api.ServeHTTP(w, r)
	return outcome(op, w)
}

// TestScopeOf checks that the table of scopes lists exactly the operations that need a key.
func TestScopeOf(t *testing.T) {
	var want []string
	for _, op := range operations() {
		if op.auth == authBackendKey {
			want = append(want, op.id)
		}
	}
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(scopeOf)); !slices.Equal(got, want) {
		t.Errorf("the table has the operations\n%s\nwant\n%s", got, want)
	}
}

// TestFindingS7 checks that a review link is the same each time, that renewing or revoking it
// ends it and the sessions opened with it, and that it expires.
func TestFindingS7(t *testing.T) {
	s := newServer(t, nil)
	o := s.createObjects(s.key, s.frontendKey(), "x")
	one := "/api/v1/headless/imports/" + o["import"] + "/"
	opens := func(token string) bool {
		w := s.send("POST", "/api/review/v1/"+o["import"]+"/session/", "", "Authorization", "Bearer "+token)
		return w.Code == http.StatusOK
	}
	sees := func(cookie string) bool {
		return s.send("GET", "/api/review/v1/"+o["import"]+"/", "", "Cookie", cookie).Code == http.StatusOK
	}
	first := o["review token"]
	if again := after(s.text(s.do("GET", one, ""), "review_url"), "#"); again != first || !opens(first) || !sees(o["cookie"]) {
		t.Errorf("the link changed from %s to %s, or does not work", first, again)
	}
	second := after(s.text(s.do("POST", one+"review-link/", ""), "review_url"), "#")
	if second == first || opens(first) || sees(o["cookie"]) || !opens(second) {
		t.Error("the old link or session still works, or the new link does not")
	}
	if current := after(s.text(s.do("GET", one, ""), "review_url"), "#"); current != second {
		t.Errorf("the import has the link %s, want %s", current, second)
	}
	s.do("DELETE", one+"review-link/", "")
	if current := after(s.text(s.do("GET", one, ""), "review_url"), "#"); current != "" || opens(second) {
		t.Errorf("the revoked link still works, or the import has the link %s", current)
	}
	for _, method := range []string{"POST", "DELETE"} {
		if w := s.send(method, "/api/v1/headless/imports/0f8fad5b-d9cb-469f-a165-70867728950e/review-link/", ""); w.Code != http.StatusNotFound {
			t.Errorf("%s for an unknown import: %d", method, w.Code)
		}
	}
}

// TestFindingS7RevokedKey checks that revoking a key ends the links and tokens that it obtained.
func TestFindingS7RevokedKey(t *testing.T) {
	s := newServer(t, nil)
	made, err := s.svc.CreateKey(t.Context(), "default", model.Backend, 0)
	check(t, err)
	o := s.createObjects(made.Key, s.frontendKey(), "x")
	calls := map[string]func() *httptest.ResponseRecorder{
		"upload": func() *httptest.ResponseRecorder {
			return s.send("PUT", "/upload/"+o["waiting"]+"?token="+o["upload token"], "", "Content-Type", "application/pdf")
		},
		"download": func() *httptest.ResponseRecorder {
			return s.send("GET", "/download/"+o["upload"]+"?token="+o["download token"], "")
		},
		"review link": func() *httptest.ResponseRecorder {
			return s.send("POST", "/api/review/v1/"+o["import"]+"/session/", "", "Authorization", "Bearer "+o["review token"])
		},
		"review cookie": func() *httptest.ResponseRecorder {
			return s.send("GET", "/api/review/v1/"+o["import"]+"/", "", "Cookie", o["cookie"])
		},
		"hydration token": func() *httptest.ResponseRecorder {
			return s.send("GET", "/api/widget/session/v2/state/", "", "X-Hydration-Id", o["hydration"])
		},
	}
	for name, call := range calls {
		if w := call(); w.Code == http.StatusForbidden || w.Code == http.StatusUnauthorized {
			t.Errorf("%s: %d before the key is revoked: %s", name, w.Code, w.Body)
		}
	}
	check(t, s.svc.RevokeKey(t.Context(), made.Licence.ID))
	for name, call := range calls {
		if w := call(); w.Code != http.StatusForbidden && w.Code != http.StatusUnauthorized || !strings.Contains(w.Body.String(), "revoked") {
			t.Errorf("%s: %d after the key was revoked: %s", name, w.Code, w.Body)
		}
	}
}

// TestURLsWithoutScopes checks that a caller receives only the tokens that its scopes allow it to
// use, also when it repeats the request of a different key.
func TestURLsWithoutScopes(t *testing.T) {
	s := newServer(t, nil)
	o := s.createObjects(s.key, s.frontendKey(), "x")
	for scopes, want := range map[string]string{"read": "", "read,import": "upload", "read,review": "review_url"} {
		made, err := s.svc.CreateKey(t.Context(), "default", model.Backend, 0, strings.Split(scopes, ",")...)
		check(t, err)
		w := s.send("GET", "/api/v1/headless/imports/"+o["import"]+"/", "", "X-Service-License-Key", made.Key)
		for name, mark := range map[string]string{"upload": "token=", "review_url": "#"} {
			if got := after(s.text(w, name), mark) != ""; got != (name == want) {
				t.Errorf("%s: %s has a token: %t", scopes, name, got)
			}
		}
	}
	importer, err := s.svc.CreateKey(t.Context(), "default", model.Backend, 0, "import")
	check(t, err)
	body := `{` + mailFields + `}`
	s.do("POST", "/api/v1/headless/imports/", body, "Idempotency-Key", "k")
	if w := s.send("POST", "/api/v1/headless/imports/", body, "Idempotency-Key", "k", "X-Service-License-Key", importer.Key); w.Code != http.StatusConflict {
		t.Errorf("a key without the scope review received the stored response: %d %s", w.Code, w.Body)
	}
}

// frontendKey creates a frontend key.
func (s *server) frontendKey(origins ...string) string {
	s.Helper()
	made, err := s.svc.CreateFrontendKey(s.Context(), "default", 0, origins)
	check(s.T, err)
	return made.Key
}
