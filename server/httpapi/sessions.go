package httpapi

import (
	"errors"
	"mime"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/jsonschema"
	"github.com/intraydata/intray/internal/wire"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
)

// tokenLifetime returns the duration in expires_in, which must already have been validated.
func tokenLifetime(doc map[string]any) time.Duration {
	return time.Duration(intField(doc, "expires_in")) * time.Second
}

func (a *API) createSession(c *call) (*response, error) {
	doc := c.bodyObject()
	h, err := a.cfg.Service.CreateSession(c.context(), c.org, imports.NewSession{
		ID: c.fixedID, ImportIdentifier: stringField(doc, "import_identifier"), Life: tokenLifetime(doc), Licence: c.licence.ID,
	})
	return jsonResponse(http.StatusCreated, wire.Session{
		SessionID: h.Session.ID, HydrationID: h.Token, ExpiresIn: int64(h.Life / time.Second), SavedAt: formatTime(h.Session.Saved),
	}, err)
}

func (a *API) resumeSession(c *call) (*response, error) {
	id, err := c.pathID("sessionId")
	if err != nil {
		return nil, err
	}
	h, err := a.cfg.Service.ResumeSession(c.context(), c.org, id, tokenLifetime(c.bodyObject()), c.licence.ID)
	return jsonResponse(http.StatusOK, wire.HydrationToken{HydrationID: h.Token, ExpiresIn: int64(h.Life / time.Second)}, err)
}

func (a *API) deleteSession(c *call) (*response, error) {
	return jsonResponse(http.StatusOK, wire.Success{Success: true}, c.deleteByID("sessionId", a.cfg.Service.DeleteSession))
}

func etagHeader(tag string) http.Header { return http.Header{"Etag": {`"` + tag + `"`}} }

func (a *API) getState(c *call) (*response, error) {
	session, state, err := a.cfg.Service.SessionState(c.context(), c.session)
	if err != nil {
		return nil, err
	}
	return &response{status: http.StatusOK, raw: state, header: etagHeader(session.Tag)}, nil
}

// putState saves the state of a session without changing a byte.
func (a *API) putState(c *call) (*response, error) {
	tags, err := ifMatch(c.r.Header.Values("If-Match"))
	if err != nil {
		return nil, err
	}
	kept, err := a.spoolState(c)
	if err != nil {
		return nil, err
	}
	defer kept.close()
	// The state is in memory twice: once as read, and once in the store.
	if err := c.acquireMemory(a.memory, 2*kept.size); err != nil {
		return nil, err
	}
	state, err := kept.bytes()
	if err != nil {
		return nil, err
	}
	session, err := a.cfg.Service.SaveState(c.context(), c.session, state, tags)
	if model.IsKind(err, model.Conflict) {
		err = newError(http.StatusPreconditionFailed, "state_changed", intray.NewMessage("session.state_changed", nil))
	}
	if err != nil {
		return nil, err
	}
	return &response{status: http.StatusOK, body: wire.Saved{SavedAt: formatTime(session.Saved)}, header: etagHeader(session.Tag)}, nil
}

// spoolState reads the body, which is the state, into a spool.
func (a *API) spoolState(c *call) (*spool, error) {
	if err := requireWholeFile(c.r.Header); err != nil {
		return nil, err
	}
	if !isJSON(c.r.Header.Get("Content-Type")) {
		return nil, newError(http.StatusUnsupportedMediaType, "unsupported_media_type", intray.NewMessage("session.state_not_json", nil))
	}
	if c.r.ContentLength > imports.MaxState {
		return nil, bodyTooLarge(imports.MaxState)
	}
	kept := a.newSpool(imports.MaxState, bodyTooLarge(imports.MaxState))
	err := jsonschema.CopyValid(a.pacedReader(c.w, c.r), kept)
	if err == nil {
		return kept, nil
	}
	kept.close()
	if kept.size == 0 && errors.As(err, new(*jsonschema.SyntaxError)) {
		return nil, newError(http.StatusBadRequest, "body_missing", intray.NewMessage("session.state_missing", nil))
	}
	return nil, bodyError(err)
}

func (a *API) getSessionFile(c *call) (*response, error) {
	file, err := a.cfg.Service.SessionFile(c.context(), c.session)
	if err != nil {
		return nil, err
	}
	header := http.Header{"Content-Disposition": {attachment(c.session.FileName)}}
	return fileResponse(file, c.session.ContentType, c.session.File.SHA256, header), nil
}

func (a *API) putSessionFile(c *call) (*response, error) {
	if err := requireWholeFile(c.r.Header); err != nil {
		return nil, err
	}
	body, end, err := a.admitUpload(c, c.org, c.r.ContentLength, a.pacedReader(c.w, c.r))
	if err != nil {
		return nil, err
	}
	defer end()
	in, err := parseFileHeaders(c.r.Header, body, c.r.ContentLength)
	if err != nil {
		return nil, err
	}
	session, err := a.cfg.Service.SaveSessionFile(c.context(), c.session, in, mediaType(c.r.Header.Get("Content-Type")))
	if err != nil {
		return nil, receiveError(err)
	}
	return &response{status: http.StatusOK, body: wire.Saved{SavedAt: formatTime(session.Saved)}, header: etagHeader(session.File.SHA256)}, nil
}

// mediaType returns a valid media type unchanged. For an invalid one, it returns
// application/octet-stream.
func mediaType(sent string) string {
	media, _, err := mime.ParseMediaType(sent)
	if err != nil || !strings.Contains(media, "/") || len(sent) > 255 {
		return "application/octet-stream"
	}
	return sent
}

// maxTags is the maximum number of entity tags in an If-Match header.
const maxTags = 20

var entityTag = regexp.MustCompile(`^(W/)?"([!#-~]*)"[ \t]*(?:,|$)`)

// ifMatch parses the header If-Match (RFC 9110). It returns the entity tags, one of
// which must match. It returns "*" if any tag matches, and nil if the header is
// missing. The comparison is strong, so ifMatch drops weak tags, which never match.
func ifMatch(values []string) ([]string, error) {
	rest := strings.Trim(strings.Join(values, ","), " \t,")
	if len(values) == 0 {
		return nil, nil
	}
	if rest == "*" {
		return []string{"*"}, nil
	}
	tags := []string{}
	for count := 0; rest != "" || count == 0; count++ {
		match := entityTag.FindStringSubmatch(rest)
		if match == nil || count == maxTags {
			return nil, invalidField("If-Match", intray.NewMessage("request.invalid_if_match", intray.Params{"n": maxTags}))
		}
		if tag := match[2]; match[1] == "" && tag != "" && tag != "*" {
			tags = append(tags, tag)
		}
		rest = strings.TrimLeft(rest[len(match[0]):], " \t,")
	}
	return tags, nil
}

func expiresIn() jsonschema.Property {
	return optional("expires_in", &jsonschema.Schema{
		Kind: jsonschema.Integer, Min: jsonschema.Bound(1), Max: jsonschema.Bound(int64(imports.MaxTokenLife.Seconds())),
		Default: int64(imports.DefaultTokenLife.Seconds()), Description: "How long the hydration token is valid, in seconds.",
	})
}

func sessionBody() *jsonschema.Schema {
	return bodyType("SessionDraft", "A session to create.", map[string]any{"import_identifier": "contacts", "expires_in": 3600}, optional("import_identifier", &jsonschema.Schema{Kind: jsonschema.String, NoControl: true, MaxLength: model.MaxLabel, Default: "", Description: "A label for the session."}), expiresIn())
}

func resumeBody() *jsonschema.Schema {
	return bodyType("TokenRequest", "A token to create.", map[string]any{"expires_in": 3600}, expiresIn())
}
