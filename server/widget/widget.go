// Package widget lets pages of an organization embed an importer.
//
// A page passes a frontend key, which is public, to the widget: a page of this server in a frame. The
// widget opens a session with the key and the origin of the page around it, and creates imports
// through that session. Such an import has its own upload and review tokens, and its mode determines
// what remains of it after its rows were handed over to the page.
package widget

import (
	"context"
	"slices"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/schema"
	"github.com/intraydata/intray/server/auth"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/schemas"
	"github.com/intraydata/intray/server/secrets"
)

// Service opens embedded importers. It is safe for concurrent use.
type Service struct {
	env        *model.Env
	auth       *auth.Service
	imports    *imports.Service
	schemas    *schemas.Service
	sessionKey secrets.Key
	*Broker
}

// New returns a Service.
func New(env *model.Env, auth *auth.Service, imports *imports.Service, schemas *schemas.Service, broker *Broker) *Service {
	return &Service{env: env, auth: auth, imports: imports, schemas: schemas, sessionKey: env.Keys.TokenKey("widget sessions"), Broker: broker}
}

// sessionName names the session in messages.
var sessionName = intray.NewMessage("link.widget_session", nil)

// Source is the schema of an importer: a saved schema or the fields that the page defines.
type Source struct {
	// Schema is the id or the name of a saved schema, or "" if Doc contains the fields.
	Schema string
	// Doc contains the fields of the page. If Schema is set, its settings override those of the saved
	// schema, key by key. It contains no hooks, because those of the page run in the page.
	Doc schema.Doc
	// DevelopmentMode is set if the page is being developed.
	DevelopmentMode bool
	// Hydration is the hydration token of the session that keeps the work of the person, or "".
	Hydration string
}

// Opened is what the widget needs to show an importer.
type Opened struct {
	// Session is the token of the session.
	Session string
	// SchemaID is the id of the saved schema, or "".
	SchemaID string
	Schema   *intray.Schema
	// Document is the merged schema document.
	Document schema.Doc
	Sync     model.SyncMode
	// MaxFileSize is the maximum size of a file, in bytes.
	MaxFileSize int64
	// SavedImport is the import that the session of a hydration token keeps, or nil.
	SavedImport *imports.SavedImport
}

// OpenImporter opens a session for a page. It returns a Denied error if the key is not a valid frontend
// key, does not allow the origin of the page, or the hydration token is not valid, an Invalid error if the
// schema is invalid, NotFound if the saved schema does not exist, and a Conflict if work on it cannot be
// saved in the session of the hydration token.
func (s *Service) OpenImporter(ctx context.Context, key, origin string, from Source) (Opened, error) {
	licence, err := s.auth.Authenticate(ctx, key)
	if err != nil {
		return Opened{}, err
	}
	if licence.Kind != model.Frontend {
		return Opened{}, model.NewError(model.Denied, "backend_key", intray.NewMessage("widget.backend_key", nil))
	}
	ctx = model.InOrg(ctx, licence.Org)
	opened, err := s.describe(ctx, licence.Org, from)
	if err != nil {
		return Opened{}, err
	}
	if !licence.Origins.Allow(origin, from.DevelopmentMode || opened.Schema.Settings.DevelopmentMode) {
		return Opened{}, originRefused(licence, origin)
	}
	saved := ""
	if from.Hydration != "" {
		if saved, opened.SavedImport, err = s.hydrate(ctx, licence, from.Hydration, opened.Document); err != nil {
			return Opened{}, err
		}
	}
	opened.Session, err = auth.SignGrant(s.sessionKey, auth.Grant{
		Org: licence.Org, ID: saved, Licence: licence.ID, What: origin, Expires: auth.ExpiryUnix(s.env.Now().Add(model.EmbeddedLife)),
	})
	return opened, err
}

// hydrate returns the id of the session of a hydration token, and the import that it keeps.
func (s *Service) hydrate(ctx context.Context, licence model.Licence, token string, doc schema.Doc) (string, *imports.SavedImport, error) {
	session, err := s.imports.Hydrated(ctx, token)
	if err != nil {
		return "", nil, err
	}
	if session.Org != licence.Org {
		return "", nil, model.NewError(model.Denied, "session_expired", intray.NewMessage("session.expired", nil))
	}
	if err := checkSaving(session, doc); err != nil {
		return "", nil, err
	}
	saved, err := s.imports.SavedImport(ctx, session, licence.ID)
	return session.ID, saved, err
}

// checkSaving returns a Conflict if a session cannot keep imports with a schema.
func checkSaving(session model.Session, doc schema.Doc) error {
	if syncMode(doc) != model.SyncFull {
		return model.NewError(model.Conflict, "saving_needs_full_data", intray.NewMessage("widget.saving_needs_full_data", nil))
	}
	if of := identifierOf(doc); session.ImportIdentifier != "" && session.ImportIdentifier != of {
		return model.NewError(model.Conflict, "other_session", intray.NewMessage("widget.other_identifier", intray.Params{"session": session.ImportIdentifier, "importer": of}))
	}
	return nil
}

func identifierOf(doc schema.Doc) string {
	settings, _ := doc.Settings.(map[string]any)
	identifier, _ := settings["importIdentifier"].(string)
	return identifier
}

// DescribeImporter describes the importer of a session that is open already.
func (s *Service) DescribeImporter(ctx context.Context, session Session, from Source) (Opened, error) {
	return s.describe(ctx, session.Org, from)
}

func (s *Service) describe(ctx context.Context, org string, from Source) (Opened, error) {
	draft, err := s.draft(ctx, org, from)
	if err != nil {
		return Opened{}, err
	}
	_, doc, err := s.imports.MergedDocument(ctx, org, draft)
	if err != nil {
		return Opened{}, err
	}
	parse := schemas.Parse
	if draft.SchemaID != "" {
		parse = schemas.ParseSaved
	}
	parsed, err := parse(doc)
	if err != nil {
		return Opened{}, err
	}
	return Opened{SchemaID: draft.SchemaID, Schema: parsed, Document: doc, Sync: syncMode(doc), MaxFileSize: s.imports.MaxFileSize(parsed)}, nil
}

// originRefused returns the error for a page whose origin a key does not allow.
func originRefused(licence model.Licence, origin string) error {
	if licence.Origins == "" {
		return model.NewError(model.Denied, "origin_refused", intray.NewMessage("widget.no_origins", intray.Params{"key": licence.ID, "origin": origin}))
	}
	return model.NewError(model.Denied, "origin_refused", intray.NewMessage("widget.origin_refused", intray.Params{"key": licence.ID, "origin": origin}))
}

// draft returns the draft of an import with the schema of an importer.
func (s *Service) draft(ctx context.Context, org string, from Source) (imports.Draft, error) {
	draft := imports.Draft{Doc: from.Doc}
	if _, ok := from.Doc.Settings.(map[string]any); ok {
		// A frontend key is public, so it must not let anyone make the server call arbitrary URLs. Those of
		// saved schemas remain.
		draft.Doc.Settings = schemas.WithoutURLs(from.Doc.Settings)
	}
	if from.Schema == "" {
		return draft, nil
	}
	if id, ok := model.ParseID(from.Schema); ok {
		draft.SchemaID = id
		return draft, nil
	}
	id, err := s.schemas.IDByName(ctx, org, from.Schema)
	if model.IsKind(err, model.NotFound) {
		err = model.NotFoundError(intray.NewMessage("widget.schema_not_found", intray.Params{"name": model.Truncate(from.Schema)}))
	}
	draft.SchemaID = id
	return draft, err
}

// syncMode returns the mode that a schema document selects.
func syncMode(doc schema.Doc) model.SyncMode {
	settings, _ := doc.Settings.(map[string]any)
	if mode, ok := settings["backendSyncMode"].(string); ok {
		return model.SyncMode(mode)
	}
	if full, _ := settings["backendSync"].(bool); full {
		return model.SyncFull
	}
	return model.SyncDisabled
}

// Session is an open session.
type Session struct {
	Org string
	// Licence is the id of the frontend key.
	Licence string
	// SessionID is the id of the session that keeps the work of the person, or "".
	SessionID string
}

// WidgetSession returns the session of a token. It returns a Denied error if the session has expired, its
// key was revoked, or the session that keeps the work of the person was deleted.
func (s *Service) WidgetSession(ctx context.Context, token string) (Session, error) {
	g, err := auth.VerifyGrant(ctx, s.env, s.sessionKey, token, sessionName)
	if err == nil && g.ID != "" {
		_, err = s.imports.SessionByID(model.InOrg(ctx, g.Org), g.Org, g.ID)
	}
	return Session{Org: g.Org, Licence: g.Licence, SessionID: g.ID}, err
}

// StartEmbeddedImport creates an import through a session. draft contains the file name, the user and
// the rows. If save is set and no hydration token was passed when the session was opened, the import gets
// a session of its own, which the organization can resume.
func (s *Service) StartEmbeddedImport(ctx context.Context, session Session, from Source, draft imports.Draft, save bool) (model.Import, error) {
	own, err := s.draft(ctx, session.Org, from)
	if err != nil {
		return model.Import{}, err
	}
	_, doc, err := s.imports.MergedDocument(ctx, session.Org, own)
	if err != nil {
		return model.Import{}, err
	}
	switch {
	case session.SessionID != "":
		saved, err := s.imports.SessionByID(ctx, session.Org, session.SessionID)
		if err != nil {
			return model.Import{}, err
		}
		if err := checkSaving(saved, doc); err != nil {
			return model.Import{}, err
		}
		draft.SessionID = session.SessionID
	case save:
		if err := checkSaving(model.Session{}, doc); err != nil {
			return model.Import{}, err
		}
		draft.NewSession = &imports.NewSession{ImportIdentifier: identifierOf(doc)}
	}
	draft.SchemaID, draft.Doc, draft.Licence, draft.Sync = own.SchemaID, own.Doc, session.Licence, syncMode(doc)
	return s.imports.CreateImport(ctx, session.Org, draft)
}

// EmbeddingOrigins returns the origins of all frontend keys that are valid. everywhere reports whether a
// key has no origins, so that any page may embed the widget in development mode.
func (s *Service) EmbeddingOrigins(ctx context.Context) (origins []string, everywhere bool, err error) {
	ctx = model.AcrossOrgs(ctx)
	list, err := model.Get(ctx, s.env.Store, func(tx model.Tx) ([]model.Licence, error) { return tx.Accounts.Licences(ctx) })
	now := s.env.Now()
	for _, l := range list {
		if l.Kind != model.Frontend || !l.Revoked.IsZero() || !l.Expires.IsZero() && !now.Before(l.Expires) {
			continue
		}
		origins = append(origins, l.Origins.List()...)
		everywhere = everywhere || l.Origins == ""
	}
	slices.Sort(origins)
	return slices.Compact(origins), everywhere, err
}
