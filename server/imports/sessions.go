package imports

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/auth"
	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/model"
)

// keepSessions is how long a session lives without being saved.
const keepSessions = 7 * 24 * time.Hour

var hydrationLink = intray.NewMessage("link.hydration_token", nil)

const (
	// DefaultTokenLife is how long a hydration token is valid unless asked
	// otherwise: 6 hours.
	DefaultTokenLife = 6 * time.Hour
	// MaxTokenLife is the longest that can be asked for: a session's life.
	MaxTokenLife = keepSessions
	// MaxState is the most bytes of a session's state: 8 MiB.
	MaxState = 8 << 20
)

// NewSession is a session as it was asked for.
type NewSession struct {
	ID               string
	ImportIdentifier string
	// Life is how long the token is valid; 0 means DefaultTokenLife.
	Life time.Duration
}

// Hydration is the right to read and write a session.
type Hydration struct {
	Session model.Session
	Token   string
	Life    time.Duration
}

// CreateSession makes a session with a token.
func (s *Service) CreateSession(ctx context.Context, org string, draft NewSession) (Hydration, error) {
	if utf8.RuneCountInString(draft.ImportIdentifier) > model.MaxLabel || !model.IsPrintable(draft.ImportIdentifier) {
		return Hydration{}, model.InvalidField("import_identifier", intray.NewMessage("session.invalid_identifier", intray.Params{"n": model.MaxLabel}))
	}
	id, err := s.env.IDOrNew(draft.ID)
	if err != nil {
		return Hydration{}, err
	}
	now := s.env.Now()
	session := model.Session{ID: id, Org: org, ImportIdentifier: draft.ImportIdentifier, Created: now, Saved: now}
	err = s.env.Store.Update(ctx, func(tx model.Tx) error {
		if made, err := tx.Sessions.Get(ctx, org, id); draft.ID != "" && err == nil {
			session = made
			return nil
		}
		return tx.Sessions.Insert(ctx, session)
	})
	if err != nil {
		return Hydration{}, err
	}
	return s.newHydration(session, draft.Life)
}

// ResumeSession gives a further token for a session that was saved within
// seven days.
func (s *Service) ResumeSession(ctx context.Context, org, id string, life time.Duration) (Hydration, error) {
	session, err := s.session(ctx, org, id)
	if err != nil {
		return Hydration{}, err
	}
	return s.newHydration(session, life)
}

func (s *Service) session(ctx context.Context, org, id string) (session model.Session, err error) {
	err = s.env.Store.View(ctx, func(tx model.Tx) (err error) {
		session, err = tx.Sessions.Get(ctx, org, id)
		return err
	})
	if err == nil && session.Saved.Before(s.env.Now().Add(-keepSessions)) {
		err = model.NotFoundError(model.SessionMissing)
	}
	return session, model.DescribeNotFound(err, model.SessionMissing)
}

func (s *Service) newHydration(session model.Session, life time.Duration) (Hydration, error) {
	if life == 0 {
		life = DefaultTokenLife
	}
	if life < time.Second || life > MaxTokenLife {
		return Hydration{}, model.InvalidField("expires_in", intray.NewMessage("session.invalid_lifetime", intray.Params{"n": int(MaxTokenLife / time.Second)}))
	}
	token, err := auth.SignGrant(s.hydrationKey, auth.Grant{Org: session.Org, ID: session.ID, Expires: auth.ExpiryUnix(s.env.Now().Add(life))})
	return Hydration{session, token, life}, err
}

// DeleteSession removes a session with its state and file; all its tokens end
// with the same transaction. A session that is not there, or is another
// organization's, is left as it is without an error.
func (s *Service) DeleteSession(ctx context.Context, org, id string) error {
	return s.env.Store.Update(ctx, func(tx model.Tx) error {
		return s.dropSession(ctx, tx, org, id, time.Time{})
	})
}

// dropSession removes a session. With a time, only if it was last saved before.
func (s *Service) dropSession(ctx context.Context, tx model.Tx, org, id string, before time.Time) error {
	session, err := tx.Sessions.Get(ctx, org, id)
	if model.IsKind(err, model.NotFound) {
		return nil
	}
	if err != nil || !before.IsZero() && !session.Saved.Before(before) {
		return err
	}
	if err := tx.Sessions.Delete(ctx, org, id); err != nil {
		return err
	}
	// Also without a file: with the trash goes what the store remembers.
	return tx.Trash.Schedule(ctx, model.Trash{Prefix: "sessions/" + session.ID, Due: s.env.Now()})
}

// Hydrated gives the session that a token opens. A token that is not one of
// ours, has expired, or whose session is gone is Denied.
func (s *Service) Hydrated(ctx context.Context, token string) (model.Session, error) {
	g, err := auth.VerifyGrant(s.hydrationKey, token, hydrationLink, s.env.Now())
	if err != nil {
		return model.Session{}, err
	}
	session, err := s.session(ctx, g.Org, g.ID)
	return session, sessionGoneError(err)
}

func sessionGoneError(err error) error {
	if model.IsKind(err, model.NotFound) {
		return model.NewError(model.Denied, "session_expired", intray.NewMessage("session.expired", nil))
	}
	return err
}

// SessionState gives a session as it is now, with its state; before one was saved that
// is NotFound.
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

// SaveState keeps a session's state. Unless ifMatch is nil it is kept only where
// the state in place has one of those tags; "*" means any state.
func (s *Service) SaveState(ctx context.Context, session model.Session, state []byte, ifMatch []string) (model.Session, error) {
	sum := sha256.Sum256(state)
	err := s.env.Store.Update(ctx, func(tx model.Tx) error {
		current, err := tx.Sessions.Get(ctx, session.Org, session.ID)
		if err != nil {
			return sessionGoneError(err)
		}
		fits := func(tag string) bool { return tag == "*" || tag == current.Tag }
		if ifMatch != nil && (current.Tag == "" || !slices.ContainsFunc(ifMatch, fits)) {
			return model.NewError(model.Conflict, "state_changed", intray.NewMessage("session.state_changed", nil))
		}
		current.Tag, current.Saved = hex.EncodeToString(sum[:16]), s.env.Now()
		session = current
		return tx.Sessions.SaveState(ctx, current, state)
	})
	return session, err
}

// SessionFile opens the file of a session; before one was saved it is
// NotFound.
func (s *Service) SessionFile(ctx context.Context, session model.Session) (blob.Reader, error) {
	if session.File.Key == "" {
		return nil, model.NotFoundError(intray.NewMessage("session.no_file", nil))
	}
	return s.env.OpenFile(ctx, session.File.Key)
}

// SaveSessionFile keeps the file of a session, in place of an earlier one.
func (s *Service) SaveSessionFile(ctx context.Context, session model.Session, in IncomingFile, contentType string) (model.Session, error) {
	if err := checkFilename("filename", in.Filename); err != nil {
		return model.Session{}, err
	}
	attempt, err := s.env.NewID()
	if err != nil {
		return model.Session{}, err
	}
	key := "sessions/" + session.ID + "/" + attempt
	if err := s.env.GuardBlob(ctx, key); err != nil {
		return model.Session{}, err
	}
	r := &UploadReceiver{MaxSize: s.cfg.MaxFileSize}
	done, err := s.env.StoreFile(ctx, key, io.LimitReader(in.Body, r.MaxSize+1), func(d model.StoredFile) error { return r.verify(in, d) })
	if err != nil {
		s.env.DiscardBlobs(context.WithoutCancel(ctx), key)
		// A session deleted meanwhile took the unfinished file with it.
		if _, ended := s.session(ctx, session.Org, session.ID); model.IsKind(ended, model.NotFound) {
			err = sessionGoneError(ended)
		}
		return model.Session{}, err
	}
	file := model.File{Key: key, Size: done.Size, SHA256: hex.EncodeToString(done.SHA256)}
	ctx, cancel := model.DetachedContext(ctx)
	defer cancel()
	kept, err := s.keepSessionFile(ctx, session, file, in.Filename, contentType)
	if err != nil && model.IsRolledBack(err) {
		s.env.DiscardBlobs(context.WithoutCancel(ctx), key)
	}
	return kept, err
}

func (s *Service) keepSessionFile(ctx context.Context, session model.Session, file model.File, name, contentType string) (model.Session, error) {
	err := s.env.Store.Update(ctx, func(tx model.Tx) error {
		current, err := tx.Sessions.Get(ctx, session.Org, session.ID)
		if err != nil {
			return sessionGoneError(err)
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

// ForgetSessions deletes the sessions that were not saved for too long, a batch at a time.
func (s *Service) ForgetSessions(ctx context.Context) error {
	before := s.env.Now().Add(-keepSessions)
	var stale []model.Session
	err := s.env.Store.View(ctx, func(tx model.Tx) (err error) {
		stale, err = tx.Sessions.ListStale(ctx, before, model.MaintenanceBatch)
		return err
	})
	if err != nil || len(stale) == 0 {
		return err
	}
	return s.env.Store.Update(ctx, func(tx model.Tx) error {
		for _, session := range stale {
			if err := s.dropSession(ctx, tx, session.Org, session.ID, before); err != nil {
				return err
			}
		}
		return nil
	})
}
