package api

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/intraydata/intray/internal/service"
)

// newSession is a session that was just made.
type newSession struct {
	SessionID   string `json:"sessionId"`
	HydrationID string `json:"hydrationId"`
	ExpiresIn   int64  `json:"expiresIn"`
	SavedAt     string `json:"savedAt"`
}

// hydration is a further token for a session.
type hydration struct {
	HydrationID string `json:"hydrationId"`
	ExpiresIn   int64  `json:"expiresIn"`
}

type success struct {
	Success bool `json:"success"`
}

// saved tells that a state or file was kept.
type saved struct {
	SavedAt string `json:"savedAt"`
}

// life reads expires_in, whose range the shape has checked.
func life(doc map[string]any) time.Duration {
	return time.Duration(integer(doc, "expires_in")) * time.Second
}

func (a *API) createSession(c *call) (*answer, error) {
	doc := c.object()
	h, err := a.cfg.Service.CreateSession(c.ctx(), c.org, service.NewSession{
		ID: c.fixedID, ImportIdentifier: text(doc, "import_identifier"), Life: life(doc),
	})
	if err != nil {
		return nil, err
	}
	return reply(http.StatusCreated, newSession{h.Session.ID, h.Token, int64(h.Life / time.Second), stamp(h.Session.Saved)})
}

func (a *API) resumeSession(c *call) (*answer, error) {
	id, err := c.id("sessionId")
	if err != nil {
		return nil, err
	}
	h, err := a.cfg.Service.ResumeSession(c.ctx(), c.org, id, life(c.object()))
	if err != nil {
		return nil, err
	}
	return reply(http.StatusOK, hydration{h.Token, int64(h.Life / time.Second)})
}

func (a *API) deleteSession(c *call) (*answer, error) {
	id, err := c.id("sessionId")
	if err != nil {
		return nil, err
	}
	if err := a.cfg.Service.DeleteSession(c.ctx(), c.org, id); err != nil {
		return nil, err
	}
	return reply(http.StatusOK, success{true})
}

func etag(tag string) http.Header { return http.Header{"Etag": {`"` + tag + `"`}} }

func (a *API) getState(c *call) (*answer, error) {
	if c.session.State == nil {
		return nil, refuse(http.StatusNotFound, "not_found", "No state was saved in this session.")
	}
	return &answer{status: http.StatusOK, raw: c.session.State, header: etag(c.session.Tag)}, nil
}

// putState keeps the document as it was sent, to the byte.
func (a *API) putState(c *call) (*answer, error) {
	state, err := a.readState(c)
	if err != nil {
		return nil, err
	}
	ifMatch := strings.Trim(strings.TrimPrefix(c.r.Header.Get("If-Match"), "W/"), `"`)
	session, err := a.cfg.Service.SaveState(c.ctx(), c.session, state, ifMatch)
	if service.IsKind(err, service.Conflict) {
		return nil, changed(err)
	}
	if err != nil {
		return nil, err
	}
	return &answer{status: http.StatusOK, body: saved{stamp(session.Saved)}, header: etag(session.Tag)}, nil
}

// changed gives a failed condition the status that HTTP has for it.
func changed(err error) *refusal {
	e := refusalOf(err)
	return &refusal{status: http.StatusPreconditionFailed, code: e.code, text: e.text}
}

func (a *API) readState(c *call) ([]byte, error) {
	if !isJSON(c.r.Header.Get("Content-Type")) {
		return nil, refuse(http.StatusUnsupportedMediaType, "unsupported_media_type", "The state must be JSON with the header Content-Type: application/json.")
	}
	if c.r.ContentLength > service.MaxState {
		return nil, bodyTooLarge(service.MaxState)
	}
	body := a.paced(c.w, c.r)
	state, err := io.ReadAll(io.LimitReader(body, service.MaxState+1))
	if err != nil {
		return nil, bodyError(err, service.MaxState)
	}
	if len(state) > service.MaxState {
		return nil, bodyTooLarge(service.MaxState)
	}
	return state, validJSON(bytes.NewReader(state))
}

func (a *API) getSessionFile(c *call) (*answer, error) {
	file, err := a.cfg.Service.SessionFile(c.ctx(), c.session)
	if err != nil {
		return nil, err
	}
	header := http.Header{"Content-Disposition": {attachment(c.session.FileName)}}
	return fileAnswer(file, c.session.ContentType, c.session.File.SHA256, header), nil
}

func (a *API) putSessionFile(c *call) (*answer, error) {
	in, err := incoming(c.r, a.paced(c.w, c.r))
	if err != nil {
		return nil, err
	}
	contentType := c.r.Header.Get("Content-Type")
	session, err := a.cfg.Service.SaveSessionFile(c.ctx(), c.session, in, contentType)
	if err != nil {
		return nil, receiveError(err)
	}
	return &answer{status: http.StatusOK, body: saved{stamp(session.Saved)}, header: etag(session.File.SHA256)}, nil
}
