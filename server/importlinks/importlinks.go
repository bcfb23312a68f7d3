// Package importlinks manages import links and lets the people who open them create imports.
//
// The token of a link contains only its id, so that the address of the page stays short. Opening a
// link yields the token of a session, with which imports can be created. Each import is an ordinary
// import of the saved schema, with its own upload and review tokens.
package importlinks

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"golang.org/x/crypto/bcrypt"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/schema"
	"github.com/intraydata/intray/server/auth"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/schemas"
	"github.com/intraydata/intray/server/secrets"
)

// Service manages import links. It is safe for concurrent use.
type Service struct {
	env                              *model.Env
	imports                          *imports.Service
	schemas                          *schemas.Service
	linkKey, linkSessionKey, logoKey secrets.Key
}

// New returns a Service.
func New(env *model.Env, imports *imports.Service, schemas *schemas.Service) *Service {
	return &Service{
		env: env, imports: imports, schemas: schemas,
		linkKey: env.Keys.TokenKey("import links"), linkSessionKey: env.Keys.TokenKey("import link sessions"), logoKey: env.Keys.TokenKey("logos"),
	}
}

// The limits of import links.
const (
	// MaxLinks is the maximum number of links of an organization.
	MaxLinks = 10_000
	// MinPassword is the minimum length of a password, in bytes.
	MinPassword = 8
	// MaxPassword is the maximum length of a password, in bytes. bcrypt accepts no more.
	MaxPassword = 72
	// MaxLogo is the maximum size of a logo, in bytes.
	MaxLogo = 256 << 10
)

// Draft describes an import link to create, or the new version of one.
type Draft struct {
	// ID is the id of a new link. "" generates a new id. If a link with this ID exists,
	// CreateImportLink returns that link.
	ID       string
	SchemaID string
	Name     string
	// Page is an object as in schema.PageShape, or nil.
	Page any
	// Expires is zero if the link does not expire.
	Expires time.Time
	// MaxUses and MaxBytes are 0 if there is no limit.
	MaxUses, MaxBytes int64
	// Password is nil to keep the password. "" means that there is none.
	Password *string
	// User may be nil.
	User *model.User
}

// CreateImportLink creates an import link.
func (s *Service) CreateImportLink(ctx context.Context, org string, draft Draft) (model.ImportLink, error) {
	id, err := s.env.IDOrNew(draft.ID)
	if err != nil {
		return model.ImportLink{}, err
	}
	now := s.env.Now()
	link := model.ImportLink{ID: id, Org: org, Created: now, Version: 1}
	if err := s.apply(ctx, &link, draft); err != nil {
		return model.ImportLink{}, err
	}
	err = s.env.Store.Update(ctx, func(tx model.Tx) error {
		if err := model.CheckRequest(ctx, tx); err != nil {
			return err
		}
		if draft.ID != "" {
			existing, err := tx.ImportLinks.Get(ctx, org, id)
			if !model.IsKind(err, model.NotFound) {
				link = existing
				return err
			}
		}
		links, err := tx.ImportLinks.List(ctx, org, model.PageRequest{})
		if err != nil {
			return err
		}
		if links.Total >= MaxLinks {
			return model.NewError(model.OverQuota, "too_many_import_links", intray.NewMessage("import_link.too_many", intray.Params{"n": MaxLinks}))
		}
		return tx.ImportLinks.Insert(ctx, link)
	})
	return link, err
}

// ReplaceImportLink replaces an import link. Its logo, its numbers of uses and bytes and, if
// draft.Password is nil, its password remain. Another password ends the sessions of the link.
func (s *Service) ReplaceImportLink(ctx context.Context, org, id string, draft Draft) (model.ImportLink, error) {
	changed := model.ImportLink{Org: org, Version: 1}
	if err := s.apply(ctx, &changed, draft); err != nil {
		return model.ImportLink{}, err
	}
	var link model.ImportLink
	err := s.env.Store.Update(ctx, func(tx model.Tx) error {
		before, err := tx.ImportLinks.Get(ctx, org, id)
		if err != nil {
			return model.DescribeNotFound(err, model.ImportLinkMissing)
		}
		link = changed
		link.ID, link.Created, link.LogoSHA256, link.Uses, link.Bytes, link.Version = before.ID, before.Created, before.LogoSHA256, before.Uses, before.Bytes, before.Version
		if draft.Password == nil {
			link.Password = before.Password
		} else {
			link.Version++
		}
		return tx.ImportLinks.Save(ctx, link)
	})
	return link, err
}

// apply validates a draft and copies it to a link.
func (s *Service) apply(ctx context.Context, link *model.ImportLink, draft Draft) error {
	now := s.env.Now()
	switch saved, err := s.schemas.Schema(ctx, link.Org, draft.SchemaID); {
	case model.IsKind(err, model.NotFound), err == nil && saved.Inline:
		e := model.NotFoundError(intray.NewMessage("schema.saved_not_found", nil))
		e.Fields = model.FieldMessage("schema_id", schemas.NotSaved)
		return e
	case err != nil:
		return err
	case utf8.RuneCountInString(draft.Name) > model.MaxLabel || !model.IsPrintable(draft.Name):
		return model.InvalidField("name", intray.NewMessage("import_link.invalid_name", intray.Params{"n": model.MaxLabel}))
	case !draft.Expires.IsZero() && !draft.Expires.After(now):
		return model.InvalidField("expires_at", intray.NewMessage("import_link.expires_in_past", nil))
	}
	page, err := pageDocument(draft.Page)
	if err != nil {
		return err
	}
	if draft.Password != nil && *draft.Password != "" {
		if n := len(*draft.Password); n < MinPassword || n > MaxPassword {
			return model.InvalidField("password", intray.NewMessage("import_link.invalid_password", intray.Params{"min": MinPassword, "max": MaxPassword}))
		}
		if link.Password, err = bcrypt.GenerateFromPassword([]byte(*draft.Password), bcrypt.DefaultCost); err != nil {
			return fmt.Errorf("hash a password: %w", err)
		}
	}
	link.SchemaID, link.Name, link.Page, link.Expires, link.MaxUses, link.MaxBytes = draft.SchemaID, draft.Name, page, draft.Expires, draft.MaxUses, draft.MaxBytes
	link.Modified = now
	if draft.User != nil {
		link.HasUser, link.User = true, *draft.User
	}
	return nil
}

func pageDocument(page any) (json.RawMessage, error) {
	if page == nil {
		return json.RawMessage(`{}`), nil
	}
	if issues := schema.CheckPage(page); len(issues) > 0 {
		for i := range issues {
			issues[i].Path = "page." + issues[i].Path
		}
		return nil, model.ValidationError(issues)
	}
	return json.Marshal(page)
}

// ImportLink returns the import link with the given id.
func (s *Service) ImportLink(ctx context.Context, org, id string) (model.ImportLink, error) {
	link, err := model.Get(ctx, s.env.Store, func(tx model.Tx) (model.ImportLink, error) { return tx.ImportLinks.Get(ctx, org, id) })
	return link, model.DescribeNotFound(err, model.ImportLinkMissing)
}

// ImportLinks returns a page of the import links, newest first.
func (s *Service) ImportLinks(ctx context.Context, org string, page model.PageRequest) (model.Page[model.ImportLink], error) {
	return model.View(ctx, s.env.Store, func(tx model.Tx) (model.Page[model.ImportLink], error) {
		return tx.ImportLinks.List(ctx, org, page)
	})
}

// DeleteImportLink revokes an import link. When it returns, no session of the link can create
// further imports. Existing imports remain.
func (s *Service) DeleteImportLink(ctx context.Context, org, id string) error {
	return s.env.UpdateToFree(ctx, func(tx model.Tx) error {
		return model.DescribeNotFound(tx.ImportLinks.Delete(ctx, org, id), model.ImportLinkMissing)
	})
}

// LinkToken returns the token in the address of an import link. It is the same each time.
func (s *Service) LinkToken(link model.ImportLink) (string, error) {
	id, err := uuid.Parse(link.ID)
	if err != nil {
		return "", fmt.Errorf("sign an import link: %w", err)
	}
	return s.linkKey.Sign(id[:]), nil
}

var linkName = intray.NewMessage("link.import_link", nil)

// LinkStatus returns the status of a link.
func (s *Service) LinkStatus(link model.ImportLink) model.LinkStatus {
	return link.StatusAt(s.env.Now())
}

// linkOfToken returns the link of a token, whatever its status.
func (s *Service) linkOfToken(ctx context.Context, token string) (model.ImportLink, error) {
	altered := model.NewError(model.Denied, "bad_signature", intray.NewMessage("link.bad_signature", intray.Params{"link": linkName}))
	payload, err := s.linkKey.Verify(token)
	if err != nil {
		return model.ImportLink{}, altered
	}
	id, err := uuid.FromBytes(payload)
	if err != nil {
		return model.ImportLink{}, altered
	}
	ctx = model.AcrossOrgs(ctx)
	link, err := model.Get(ctx, s.env.Store, func(tx model.Tx) (model.ImportLink, error) { return tx.ImportLinks.Find(ctx, id.String()) })
	if model.IsKind(err, model.NotFound) {
		return model.ImportLink{}, auth.RevokedError(linkName)
	}
	if err != nil {
		return model.ImportLink{}, err
	}
	return link, s.env.CheckOrg(link.Org)
}
