package imports

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
)

// An embedded importer keeps its work in a session. The file, the answers and the changes of rows are
// part of the import, so the session contains only the import and the step in which the person was.

// progress is the state of a session that keeps an import.
type progress struct {
	ImportID string `json:"importId"`
	Step     string `json:"step,omitempty"`
}

// keepInSession makes the session of a new import keep it. It returns a Conflict if the session keeps
// another one that a person can continue, because its changes would be lost.
func (s *Service) keepInSession(ctx context.Context, tx model.Tx, imp model.Import) error {
	session, err := tx.Sessions.Get(ctx, imp.Org, imp.SessionID)
	if err != nil {
		return sessionGoneError(err)
	}
	if session.ImportID != "" {
		before, err := tx.Imports.Get(ctx, session.Org, session.ImportID)
		if err == nil && canContinue(before) {
			err = model.NewError(model.Conflict, "session_in_use", intray.NewMessage("session.in_use", nil))
		}
		if model.IgnoreKind(err, model.NotFound) != nil {
			return err
		}
	}
	if err := s.releaseImport(ctx, tx, session); err != nil {
		return err
	}
	session.ImportID = imp.ID
	return s.saveProgress(ctx, tx, session, progress{ImportID: imp.ID})
}

// saveProgress saves a session together with its state.
func (s *Service) saveProgress(ctx context.Context, tx model.Tx, session model.Session, at progress) error {
	state, err := json.Marshal(at)
	if err != nil {
		return fmt.Errorf("save the progress of an import: %w", err)
	}
	session.Tag, session.Saved = stateTag(state), s.env.Now()
	return s.saveState(ctx, tx, session, state)
}

// releaseImport releases the import that a session keeps. ForgetUnseen deletes it.
func (s *Service) releaseImport(ctx context.Context, tx model.Tx, session model.Session) error {
	if session.ImportID == "" {
		return nil
	}
	imp, err := tx.Imports.Get(ctx, session.Org, session.ImportID)
	if err != nil {
		return model.IgnoreKind(err, model.NotFound)
	}
	if imp.Status == model.Successful || imp.SessionID != session.ID { // it belongs to the organization
		return nil
	}
	return tx.Embedded.Release(ctx, imp.Org, imp.ID)
}

// clearSession removes a submitted import from its session, so that the next file starts over. It returns
// NotFound if the import was released.
func (s *Service) clearSession(ctx context.Context, tx model.Tx, imp model.Import) error {
	if imp.SessionID == "" {
		return nil
	}
	now, err := tx.Imports.Get(ctx, imp.Org, imp.ID)
	if err != nil {
		return err
	}
	if now.IsReleased() { // the session was deleted, or got another file, meanwhile
		return model.NotFoundError(model.ImportMissing)
	}
	session, err := tx.Sessions.Get(ctx, imp.Org, imp.SessionID)
	if err != nil || session.ImportID != imp.ID {
		return model.IgnoreKind(err, model.NotFound)
	}
	session.ImportID, session.Tag, session.Saved = "", "", s.env.Now()
	return tx.Sessions.SaveState(ctx, session, nil)
}

// SaveProgress records in the session of an import in which step the person is. It returns a Conflict if
// the import has no session.
func (s *Service) SaveProgress(ctx context.Context, imp model.Import, step string) (session model.Session, err error) {
	if imp.SessionID == "" {
		return session, model.NewError(model.Conflict, "not_saved", intray.NewMessage("session.not_saved", nil))
	}
	err = s.env.Store.Update(ctx, func(tx model.Tx) error {
		if session, err = tx.Sessions.Get(ctx, imp.Org, imp.SessionID); err != nil {
			return sessionGoneError(err)
		}
		if session.ImportID != imp.ID { // it was submitted, or another file was sent
			return nil
		}
		return s.saveProgress(ctx, tx, session, progress{ImportID: imp.ID, Step: step})
	})
	return session, err
}

// SavedImport is an import that a session keeps.
type SavedImport struct {
	Import model.Import
	// Step is the step in which the person was, or "" if it was not recorded.
	Step string
}

// SavedImport returns the import that a session keeps, and extends the time for which it can be opened by
// the API key with the id licence. It returns nil if there is nothing to continue: no import, one that was
// submitted or failed, one whose file has not arrived, or one whose review link was revoked.
func (s *Service) SavedImport(ctx context.Context, session model.Session, licence string) (saved *SavedImport, err error) {
	err = s.env.Store.Update(ctx, func(tx model.Tx) error {
		saved = nil
		now, err := tx.Sessions.Get(ctx, session.Org, session.ID)
		if err != nil || now.ImportID == "" {
			return sessionGoneError(err)
		}
		imp, err := tx.Imports.Get(ctx, now.Org, now.ImportID)
		if err != nil || !canContinue(imp) {
			return model.IgnoreKind(err, model.NotFound)
		}
		state, err := tx.Sessions.LoadState(ctx, now.Org, now.ID)
		if err != nil {
			return err
		}
		var at progress
		if json.Unmarshal(state, &at) != nil || at.ImportID != imp.ID { // someone else saved a state
			at = progress{}
		}
		if expires := s.env.Now().Add(min(s.cfg.ReviewLinkLife, model.EmbeddedLife)); expires.After(imp.Review.Expires) {
			imp.Review.Expires = expires
		}
		imp.Review.Licence = licence
		saved = &SavedImport{imp, at.Step}
		return tx.Imports.SetReviewLink(ctx, imp.Org, imp.ID, imp.Review)
	})
	return saved, err
}

// canContinue reports whether a person can continue an import that a session keeps.
func canContinue(imp model.Import) bool {
	switch imp.Status {
	case model.Successful, model.Failed:
		return false
	case model.AwaitingUpload:
		if !imp.Inline {
			return false
		}
	}
	return !imp.IsReleased() && imp.Review.Licence != "" // without a key, the link was revoked
}
