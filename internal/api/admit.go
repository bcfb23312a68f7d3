package api

import (
	"net/http"
	"strings"

	"github.com/intraydata/intray/internal/service"
)

// admit lets a call in or says why not.
func (a *API) admit(c *call) error {
	switch c.op.door {
	case backend:
		if err := a.admitBackend(c); err != nil {
			return err
		}
	case hydrated:
		if err := a.admitHydrated(c); err != nil {
			return err
		}
	case reviewed:
		if err := a.admitReviewer(c); err != nil {
			return err
		}
	}
	return a.admitPace(c)
}

func (a *API) admitBackend(c *call) error {
	key := a.licenceKey(c.r)
	if key == "" {
		return unauthorized("Send the backend licence key in the header " + a.cfg.KeyHeaders[0] + ".")
	}
	licence, err := a.cfg.Service.Authenticate(c.ctx(), key)
	if service.IsKind(err, service.Denied) {
		return unauthorized(err.Error())
	}
	if err != nil {
		return err
	}
	if licence.Kind != service.Backend {
		return refuse(http.StatusForbidden, "frontend_key", "This is a frontend licence key. The operation needs the backend key, which only servers may hold.")
	}
	c.org, c.licence = licence.Org, licence
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

func unauthorized(text string) *refusal {
	return refuse(http.StatusUnauthorized, "unauthorized", text)
}

// admitHydrated opens the session of the hydration token.
func (a *API) admitHydrated(c *call) error {
	token := c.r.Header.Get("X-Hydration-Id")
	if token == "" {
		token = c.r.URL.Query().Get("hydrationId")
	}
	if token == "" {
		return refuse(http.StatusForbidden, "no_hydration_token", "Send the hydration token in the header X-Hydration-Id or as hydrationId in the query.")
	}
	session, err := a.cfg.Service.Hydrated(c.ctx(), token)
	if err != nil {
		return err
	}
	c.session, c.org = session, session.Org
	return nil
}

// admitPace keeps the limit of polls, by organization, so that nobody uses up
// the limit of another's import.
func (a *API) admitPace(c *call) error {
	if c.op.limit != perPoll {
		return nil
	}
	id, _ := service.ParseID(c.r.PathValue("id"))
	_, err := a.polls.take(c.org + " " + id)
	return err
}

// crossOrigin says whether pages of other sites may call the operation.
func (op *operation) crossOrigin() bool { return op.door == hydrated || op.door == signed }

func allowOrigins(h http.Header) {
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", "ETag, Content-Disposition, X-Request-Id, Retry-After")
}

// preflight answers the question of a browser whether a page may call.
func preflight(methods string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		allowOrigins(h)
		h.Set("Access-Control-Allow-Methods", methods)
		h.Set("Access-Control-Allow-Headers", "Content-Type, Content-MD5, Repr-Digest, If-Match, If-None-Match, X-Hydration-Id, X-File-Name, Idempotency-Key")
		h.Set("Access-Control-Max-Age", "7200")
		h.Add("Vary", "Origin, Access-Control-Request-Method, Access-Control-Request-Headers")
		w.WriteHeader(http.StatusNoContent)
	}
}
