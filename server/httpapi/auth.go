package httpapi

import (
	"net/http"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
)

// authorize returns an error if the caller may not call the operation.
func (a *API) authorize(c *call) error {
	switch c.op.auth {
	case authBackendKey:
		if err := a.authorizeBackend(c); err != nil {
			return err
		}
	case authHydrationToken:
		if err := a.authorizeHydration(c); err != nil {
			return err
		}
	case authSignedURL:
		if c.op.body != nil { // other operations check their URLs themselves
			if err := a.authorizeUpload(c); err != nil {
				return err
			}
		}
	case authLinkSession:
		if err := a.authorizeLinkSession(c); err != nil {
			return err
		}
	case authWidgetSession:
		if err := a.authorizeWidgetSession(c); err != nil {
			return err
		}
	case authReviewCookie:
		if err := a.authorizeReviewer(c); err != nil {
			return err
		}
	}
	return a.limitPolls(c)
}

func (a *API) authorizeBackend(c *call) error {
	key := a.licenceKey(c.r)
	switch {
	case key == "" && c.r.Header.Get("Authorization") != "":
		return unauthorized(intray.NewMessage("license_key.in_authorization", intray.Params{"header": a.cfg.KeyHeaders[0]}))
	case key != strings.Trim(key, `"'`):
		return unauthorized(intray.NewMessage("license_key.quoted", nil))
	case key == "":
		return unauthorized(intray.NewMessage("license_key.missing", intray.Params{"header": a.cfg.KeyHeaders[0]}))
	}
	licence, err := a.cfg.Service.Authenticate(c.context(), key)
	if model.IsKind(err, model.Denied) {
		return a.refuseCredential(c, err, unauthorized(intray.MessageOf(err)))
	}
	if err != nil {
		return err
	}
	if licence.Kind != model.Backend {
		return newError(http.StatusForbidden, "frontend_key", intray.NewMessage("license_key.frontend", nil))
	}
	if scope := scopeOf[c.op.id]; !licence.Scopes.Contains(scope) {
		return newError(http.StatusForbidden, "missing_scope", intray.NewMessage("license_key.missing_scope", intray.Params{"scope": string(scope)}))
	}
	c.enter(licence.Org)
	c.licence = licence
	a.markAuthenticated(c.context())
	return nil
}

func (a *API) licenceKey(r *http.Request) string {
	for _, name := range a.cfg.KeyHeaders {
		if key := strings.TrimSpace(r.Header.Get(name)); key != "" {
			return key
		}
	}
	return ""
}

func unauthorized(message intray.Message) *apiError {
	return newError(http.StatusUnauthorized, "unauthorized", message)
}

// authorizeHydration checks the hydration token and loads its session.
func (a *API) authorizeHydration(c *call) error {
	token := c.r.Header.Get("X-Hydration-Id")
	if token == "" {
		token = c.r.URL.Query().Get("hydrationId")
	}
	if token == "" {
		return newError(http.StatusForbidden, "no_hydration_token", intray.NewMessage("session.no_token", nil))
	}
	session, err := a.cfg.Service.Hydrated(c.context(), token)
	if err := a.checkGrant(c, err); err != nil {
		return err
	}
	c.enter(session.Org)
	c.session = session
	return nil
}

// limitPolls limits how often an import is retrieved. It counts separately for each
// organization, so that no organization can use up the limit of another.
func (a *API) limitPolls(c *call) error {
	if c.op.limit != perPoll {
		return nil
	}
	id, _ := model.ParseID(c.r.PathValue("id"))
	_, err := a.polls.allow(c.context(), c.org+" "+id)
	return err
}

// crossOrigin reports whether pages from other origins may call the operation.
func (op *operation) crossOrigin() bool {
	return op.auth == authHydrationToken || op.auth == authSignedURL
}

func allowOrigins(h http.Header) {
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", "ETag, Content-Disposition, X-Request-Id, Retry-After, "+
		"Location, Tus-Resumable, Tus-Version, Tus-Extension, Tus-Checksum-Algorithm, Upload-Offset, Upload-Length, Upload-Expires")
}

// preflight returns a handler for CORS preflight requests. If resumable is set, the response also
// describes resumable uploads.
func preflight(methods string, resumable bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		if resumable {
			describeTus(h)
		}
		allowOrigins(h)
		h.Set("Access-Control-Allow-Methods", methods)
		h.Set("Access-Control-Allow-Headers", "Content-Type, Content-MD5, Repr-Digest, If-Match, If-None-Match, X-Hydration-Id, X-File-Name, Idempotency-Key, "+
			"Tus-Resumable, Upload-Length, Upload-Offset, Upload-Metadata, Upload-Checksum, X-HTTP-Method-Override, X-Requested-With, X-Request-ID")
		h.Set("Access-Control-Max-Age", "7200")
		h.Add("Vary", "Origin, Access-Control-Request-Method, Access-Control-Request-Headers")
		w.WriteHeader(http.StatusNoContent)
	}
}
