package imports

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/auth"
	"github.com/intraydata/intray/server/model"
)

// sessionLife is the time for which a session is kept after it was last saved.
const sessionLife = 7 * 24 * time.Hour

var hydrationLink = intray.NewMessage("link.hydration_token", nil)

const (
	// DefaultTokenLife is the default lifetime of a hydration token.
	DefaultTokenLife = 6 * time.Hour
	// MaxTokenLife is the maximum lifetime of a hydration token.
	MaxTokenLife = sessionLife
	// MaxState is the maximum size of a session's state, in bytes.
	MaxState = 8 << 20
)

// NewSession describes a session to create.
type NewSession struct {
	// ID is the id of the session. "" generates a new id.
	ID               string
	ImportIdentifier string
	// Life is the lifetime of the token. 0 means DefaultTokenLife.
	Life time.Duration
	// Licence is the id of the API key for which the token is issued.
	Licence string
}

// Hydration is a session with a token that grants permission to read and write it.
type Hydration struct {
	Session model.Session
	Token   string
	Life    time.Duration
}

// CreateSession creates a session and a token for it. If a session with this ID
// exists, CreateSession returns that session.
func (s *Service) CreateSession(ctx context.Context, org string, draft NewSession) (Hydration, error) {
	session, err := s.draftSession(org, draft)
	if err != nil {
		return Hydration{}, err
	}
	err = s.env.Store.Update(ctx, func(tx model.Tx) error {
		if err := model.CheckRequest(ctx, tx); err != nil {
			return err
		}
		if draft.ID != "" {
			existing, err := tx.Sessions.Get(ctx, org, session.ID)
			if !model.IsKind(err, model.NotFound) {
				session = existing
				return err
			}
		}
		return s.insertSession(ctx, tx, session)
	})
	if err != nil {
		return Hydration{}, err
	}
	return s.newHydration(session, draft.Life, draft.Licence)
}

// draftSession returns a new session that is not stored yet.
func (s *Service) draftSession(org string, draft NewSession) (model.Session, error) {
	if utf8.RuneCountInString(draft.ImportIdentifier) > model.MaxLabel || !model.IsPrintable(draft.ImportIdentifier) {
		return model.Session{}, model.InvalidField("import_identifier", intray.NewMessage("session.invalid_identifier", intray.Params{"n": model.MaxLabel}))
	}
	id, err := s.env.IDOrNew(draft.ID)
	now := s.env.Now()
	return model.Session{ID: id, Org: org, ImportIdentifier: draft.ImportIdentifier, Created: now, Saved: now}, err
}

func (s *Service) insertSession(ctx context.Context, tx model.Tx, session model.Session) error {
	if err := s.env.CheckQuotas(ctx, tx, session.Org, model.Addition{Quota: model.SessionQuota, N: 1}); err != nil {
		return err
	}
	return tx.Sessions.Insert(ctx, session)
}

// ResumeSession returns a new token for a session that was saved within the last seven days.
// licence is the id of the API key for which it is issued.
func (s *Service) ResumeSession(ctx context.Context, org, id string, life time.Duration, licence string) (Hydration, error) {
	session, err := s.session(ctx, org, id)
	if err != nil {
		return Hydration{}, err
	}
	return s.newHydration(session, life, licence)
}

func (s *Service) session(ctx context.Context, org, id string) (session model.Session, err error) {
	session, err = model.Get(ctx, s.env.Store, func(tx model.Tx) (model.Session, error) { return tx.Sessions.Get(ctx, org, id) })
	if err == nil && session.Saved.Before(s.env.Now().Add(-sessionLife)) {
		err = model.NotFoundError(model.SessionMissing)
	}
	return session, model.DescribeNotFound(err, model.SessionMissing)
}

func (s *Service) newHydration(session model.Session, life time.Duration, licence string) (Hydration, error) {
	life = cmp.Or(life, DefaultTokenLife)
	if life < time.Second || life > MaxTokenLife {
		return Hydration{}, model.InvalidField("expires_in", intray.NewMessage("session.invalid_lifetime", intray.Params{"n": int(MaxTokenLife / time.Second)}))
	}
	token, err := auth.SignGrant(s.hydrationKey, auth.Grant{Org: session.Org, ID: session.ID, Licence: licence, Expires: auth.ExpiryUnix(s.env.Now().Add(life))})
	return Hydration{session, token, life}, err
}

// DeleteSession deletes a session with its state and file. This invalidates its
// tokens. It is not an error if the organization has no such session.
func (s *Service) DeleteSession(ctx context.Context, org, id string) error {
	return s.env.UpdateToFree(ctx, func(tx model.Tx) error {
		return s.deleteSession(ctx, tx, org, id, time.Time{})
	})
}

// deleteSession deletes a session. If before is not zero, it keeps a session that
// was saved at or after that time.
func (s *Service) deleteSession(ctx context.Context, tx model.Tx, org, id string, before time.Time) error {
	session, err := tx.Sessions.Get(ctx, org, id)
	if model.IsKind(err, model.NotFound) {
		return nil
	}
	if err != nil || !before.IsZero() && !session.Saved.Before(before) {
		return err
	}
	if err := s.releaseImport(ctx, tx, session); err != nil {
		return err
	}
	if err := tx.Sessions.Delete(ctx, org, id); err != nil {
		return err
	}
	// Sessions without a file also need this: emptying the trash overwrites deleted rows.
	return tx.Trash.Schedule(ctx, model.Trash{Prefix: "sessions/" + session.ID, Due: s.env.Now()})
}

// Hydrated returns the session of a token. It returns a Denied error if the token is
// invalid or expired, or if the session was deleted.
func (s *Service) Hydrated(ctx context.Context, token string) (model.Session, error) {
	g, err := auth.VerifyGrant(ctx, s.env, s.hydrationKey, token, hydrationLink)
	if err != nil {
		return model.Session{}, err
	}
	session, err := s.session(model.InOrg(ctx, g.Org), g.Org, g.ID)
	return session, sessionGoneError(err)
}

// SessionByID returns a session. It returns a Denied error if the session was deleted or has expired.
func (s *Service) SessionByID(ctx context.Context, org, id string) (model.Session, error) {
	session, err := s.session(ctx, org, id)
	return session, sessionGoneError(err)
}

func sessionGoneError(err error) error {
	if model.IsKind(err, model.NotFound) {
		return model.NewError(model.Denied, "session_expired", intray.NewMessage("session.expired", nil))
	}
	return err
}

// SessionState returns the current session and its state. If no state was saved, it
// returns NotFound.
func (s *Service) SessionState(ctx context.Context, session model.Session) (_ model.Session, state []byte, err error) {
	err = s.env.Store.View(ctx, func(tx model.Tx) (err error) {
		if session, err = tx.Sessions.Get(ctx, session.Org, session.ID); err != nil {
			return sessionGoneError(err)
		}
		state, err = tx.Sessions.LoadState(ctx, session.Org, session.ID)
		return err
	})
	if err == nil && session.Tag == "" {
		err = model.NotFoundError(intray.NewMessage("session.no_state", nil))
	}
	return session, state, err
}

// SaveState saves the state of a session. If ifMatch is not nil, the tag of the
// current state must be in ifMatch. "*" matches any state.
func (s *Service) SaveState(ctx context.Context, session model.Session, state []byte, ifMatch []string) (model.Session, error) {
	err := s.env.Store.Update(ctx, func(tx model.Tx) error {
		current, err := tx.Sessions.Get(ctx, session.Org, session.ID)
		if err != nil {
			return sessionGoneError(err)
		}
		matches := func(tag string) bool { return tag == "*" || tag == current.Tag }
		if ifMatch != nil && (current.Tag == "" || !slices.ContainsFunc(ifMatch, matches)) {
			return model.NewError(model.Conflict, "state_changed", intray.NewMessage("session.state_changed", nil))
		}
		current.Tag, current.Saved = stateTag(state), s.env.Now()
		session = current
		return s.saveState(ctx, tx, current, state)
	})
	return session, err
}

func stateTag(state []byte) string {
	sum := sha256.Sum256(state)
	return hex.EncodeToString(sum[:16])
}

// saveState saves the state of a session, unless that exceeds a quota. A state that is not larger
// than the previous one never does.
func (s *Service) saveState(ctx context.Context, tx model.Tx, session model.Session, state []byte) error {
	before, err := tx.Usage.Get(ctx, session.Org)
	if err != nil {
		return err
	}
	if err := tx.Sessions.SaveState(ctx, session, state); err != nil {
		return err
	}
	after, err := tx.Usage.Get(ctx, session.Org)
	if err != nil {
		return err
	}
	added := after.SessionStateBytes - before.SessionStateBytes
	return s.env.CheckUsage(before, model.Addition{Quota: model.SessionStateBytesQuota, N: added}, model.Addition{Quota: model.StoredBytesQuota, N: added})
}

// SessionFile opens the file of a session. If the session has no file, it returns NotFound. If
// the file was lost or has changed, it returns a Damaged error.
func (s *Service) SessionFile(ctx context.Context, session model.Session) (*model.FileReader, error) {
	if session.File.Key == "" {
		return nil, model.NotFoundError(intray.NewMessage("session.no_file", nil))
	}
	file, err := s.env.OpenFile(ctx, session.File)
	if !model.IsKind(err, model.Damaged) {
		return file, err
	}
	// The file may have been replaced, or the session deleted, after it was loaded.
	now, gone := s.session(ctx, session.Org, session.ID)
	switch {
	case gone != nil:
		return nil, sessionGoneError(gone)
	case now.File.Key != session.File.Key:
		return s.env.OpenFile(ctx, now.File)
	}
	return nil, err
}

// SaveSessionFile saves the file of a session. It replaces any earlier file.
func (s *Service) SaveSessionFile(ctx context.Context, session model.Session, in IncomingFile, contentType string) (model.Session, error) {
	if err := checkFilename("filename", in.Filename); err != nil {
		return model.Session{}, err
	}
	attempt, err := s.env.NewID()
	if err != nil {
		return model.Session{}, err
	}
	key := "sessions/" + session.ID + "/" + attempt
	if err := s.env.CheckQuotasEarly(ctx, session.Org, model.Addition{Quota: model.StoredBytesQuota, N: max(in.Length, 1) - session.File.Size}); err != nil {
		return model.Session{}, err
	}
	if err := s.env.GuardBlob(ctx, key); err != nil {
		return model.Session{}, err
	}
	r := &UploadReceiver{MaxSize: s.cfg.MaxFileSize}
	done, err := r.store(ctx, s.env, key, in)
	if err != nil {
		s.env.DiscardBlobs(context.WithoutCancel(ctx), key)
		// Writing may have failed because the session was deleted together with its
		// unfinished file.
		if _, ended := s.session(ctx, session.Org, session.ID); model.IsKind(ended, model.NotFound) {
			err = sessionGoneError(ended)
		}
		return model.Session{}, err
	}
	file := model.File{Key: key, Size: done.Size, SHA256: hex.EncodeToString(done.SHA256)}
	ctx, cancel := model.DetachedContext(ctx)
	defer cancel()
	saved, err := s.replaceSessionFile(ctx, session, file, in.Filename, contentType)
	if err != nil && model.IsRolledBack(err) {
		s.env.DiscardBlobs(context.WithoutCancel(ctx), key)
	}
	return saved, err
}

func (s *Service) replaceSessionFile(ctx context.Context, session model.Session, file model.File, name, contentType string) (model.Session, error) {
	err := s.env.Store.Update(ctx, func(tx model.Tx) error {
		current, err := tx.Sessions.Get(ctx, session.Org, session.ID)
		if err != nil {
			return sessionGoneError(err)
		}
		if err := s.env.CheckQuotas(ctx, tx, session.Org, model.Addition{Quota: model.StoredBytesQuota, N: file.Size - current.File.Size}); err != nil {
			return err
		}
		if current.File.Key != "" {
			if err := tx.Trash.Schedule(ctx, model.Trash{Prefix: current.File.Key, Due: s.env.Now()}); err != nil {
				return err
			}
		}
		current.File, current.FileName, current.ContentType, current.Saved = file, name, contentType, s.env.Now()
		session = current
		if err := tx.Trash.Remove(ctx, file.Key); err != nil {
			return err
		}
		return tx.Sessions.Save(ctx, current)
	})
	return session, err
}

// ForgetSessions deletes at most MaintenanceBatch expired sessions.
func (s *Service) ForgetSessions(ctx context.Context) error {
	before := s.env.Now().Add(-sessionLife)
	stale, err := model.Get(ctx, s.env.Store, func(tx model.Tx) ([]model.Session, error) {
		return tx.Sessions.ListStale(ctx, before, model.MaintenanceBatch)
	})
	if err != nil || len(stale) == 0 {
		return err
	}
	return s.env.Store.Update(ctx, func(tx model.Tx) error {
		for _, session := range stale {
			if err := s.deleteSession(ctx, tx, session.Org, session.ID, before); err != nil {
				return err
			}
		}
		return nil
	})
}
