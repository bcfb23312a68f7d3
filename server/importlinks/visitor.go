package importlinks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"golang.org/x/crypto/bcrypt"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/schema"
	"github.com/intraydata/intray/server/auth"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/schemas"
)

// SessionLife is the lifetime of a session. After that, the link must be opened again.
const SessionLife = 12 * time.Hour

// Opened is what the page of an import link shows.
type Opened struct {
	Link model.ImportLink
	// Session is the token of the session.
	Session string
	Page    schema.Page
	Schema  *intray.Schema
	// Document is the schema document, which contains the texts in other languages.
	Document schema.Doc
	// MaxFileSize is the maximum size of a file, in bytes.
	MaxFileSize int64
}

// LinkID returns the id of the link that a token opens, even if it has expired. Callers use it to
// count attempts.
func (s *Service) LinkID(ctx context.Context, token string) (string, error) {
	link, err := s.linkOfToken(ctx, token)
	return link.ID, err
}

// OpenLink opens a link with its token and password. It returns a Denied error with the code
// password_required or wrong_password if the link has a password that was not given, and a Conflict
// if the link is used up.
func (s *Service) OpenLink(ctx context.Context, token, password string) (Opened, error) {
	link, err := s.linkOfToken(ctx, token)
	if err != nil {
		return Opened{}, err
	}
	if err := s.checkUsable(link); err != nil {
		return Opened{}, err
	}
	if err := checkPassword(link, password); err != nil {
		return Opened{}, err
	}
	expires := s.env.Now().Add(SessionLife)
	if !link.Expires.IsZero() && link.Expires.Before(expires) {
		expires = link.Expires
	}
	session, err := auth.SignGrant(s.linkSessionKey, auth.Grant{Org: link.Org, ID: link.ID, Version: link.Version, Expires: auth.ExpiryUnix(expires)})
	if err != nil {
		return Opened{}, err
	}
	return s.describe(model.InOrg(ctx, link.Org), link, session)
}

// LinkPage returns what the page of a link shows, for a session that is open already.
func (s *Service) LinkPage(ctx context.Context, link model.ImportLink) (Opened, error) {
	return s.describe(ctx, link, "")
}

func (s *Service) describe(ctx context.Context, link model.ImportLink, session string) (Opened, error) {
	saved, err := s.schemas.Schema(ctx, link.Org, link.SchemaID)
	if model.IsKind(err, model.NotFound) {
		return Opened{}, model.NewError(model.Conflict, "schema_deleted", intray.NewMessage("import_link.schema_deleted", nil))
	}
	if err != nil {
		return Opened{}, err
	}
	doc, err := schemas.Decode(saved.Name, saved.Document)
	if err != nil {
		return Opened{}, err
	}
	var own any
	if err := json.Unmarshal(link.Page, &own); err != nil {
		return Opened{}, fmt.Errorf("decode the page of an import link: %w", err)
	}
	extensions, _ := doc.Extensions.(map[string]any)
	parsed := schema.ParseUnchecked(doc)
	return Opened{
		Link: link, Session: session, Page: schema.ReadPage(extensions["page"], own), Schema: parsed, Document: doc,
		MaxFileSize: s.maxFileSize(link, parsed),
	}, nil
}

func (s *Service) maxFileSize(link model.ImportLink, parsed *intray.Schema) int64 {
	most := s.imports.MaxFileSize(parsed)
	if link.MaxBytes > 0 {
		most = min(most, link.MaxBytes-link.Bytes)
	}
	return most
}

func (s *Service) checkUsable(link model.ImportLink) error {
	switch link.StatusAt(s.env.Now()) {
	case model.LinkExpired:
		return auth.ExpiredError(linkName)
	case model.LinkUsedUp:
		return model.LinkUsedUpError()
	case model.LinkActive:
	}
	return nil
}

func checkPassword(link model.ImportLink, password string) error {
	if link.Password == nil {
		return nil
	}
	if password == "" {
		return model.NewError(model.Denied, "password_required", intray.NewMessage("import_link.password_required", nil))
	}
	err := bcrypt.CompareHashAndPassword(link.Password, []byte(password))
	if errors.Is(err, bcrypt.ErrMismatchedHashAndPassword) || errors.Is(err, bcrypt.ErrPasswordTooLong) {
		return model.NewError(model.Denied, "wrong_password", intray.NewMessage("import_link.wrong_password", nil))
	}
	if err != nil {
		return fmt.Errorf("check a password: %w", err)
	}
	return nil
}

// LinkSession returns the link of a session. It returns a Denied error if the session has expired,
// if the link was revoked or has expired, or if its password was changed.
func (s *Service) LinkSession(ctx context.Context, session string) (model.ImportLink, error) {
	g, err := auth.VerifyGrant(ctx, s.env, s.linkSessionKey, session, linkName)
	if err != nil {
		return model.ImportLink{}, err
	}
	link, err := s.ImportLink(model.InOrg(ctx, g.Org), g.Org, g.ID)
	switch {
	case model.IsKind(err, model.NotFound), err == nil && g.Version != link.Version:
		return model.ImportLink{}, auth.RevokedError(linkName)
	case err == nil && link.StatusAt(s.env.Now()) == model.LinkExpired:
		return model.ImportLink{}, auth.ExpiredError(linkName)
	}
	return link, err
}

// StartImport creates an import through a link. filename is the name of the file to upload.
func (s *Service) StartImport(ctx context.Context, link model.ImportLink, filename string) (model.Import, error) {
	if err := s.checkUsable(link); err != nil {
		return model.Import{}, err
	}
	draft := imports.Draft{SchemaID: link.SchemaID, Filename: filename, LinkID: link.ID}
	if link.HasUser {
		draft.User = &link.User
	}
	imp, err := s.imports.CreateImport(ctx, link.Org, draft)
	if model.IsKind(err, model.NotFound) {
		err = model.NewError(model.Conflict, "schema_deleted", intray.NewMessage("import_link.schema_deleted", nil))
	}
	return imp, err
}
