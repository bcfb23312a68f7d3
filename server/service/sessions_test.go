package service_test

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/service"
)

const week = 7 * 24 * time.Hour

func (f *fixture) newSession() imports.Hydration {
	f.Helper()
	h, err := f.CreateSession(f.ctx, f.org, imports.NewSession{ImportIdentifier: "orders"})
	must(f.T, err)
	return h
}

// saveSessionFile saves the file of a session and returns the session.
func (f *fixture) saveSessionFile(session model.Session, text string) model.Session {
	f.Helper()
	saved, err := f.SaveSessionFile(f.ctx, session, imports.IncomingFile{
		Body: strings.NewReader(text), Length: int64(len(text)), Filename: "orders.csv",
	}, "text/csv")
	must(f.T, err)
	return saved
}

func TestSessionsExpire(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	idle, used := f.newSession().Session, f.newSession().Session
	file := f.saveSessionFile(used, "a,b\n").File.Key
	f.Clock.Advance(week)
	used, err := f.SaveState(f.ctx, used, []byte(`{}`), nil)
	must(t, err)
	if _, err := f.ResumeSession(f.ctx, f.org, idle.ID, 0, ""); err != nil {
		t.Errorf("at the end of its week: %v", err)
	}
	f.Clock.Advance(time.Microsecond)
	_, err = f.ResumeSession(f.ctx, f.org, idle.ID, 0, "")
	f.wantError(err, model.NotFound, "not_found")
	if _, err := f.ResumeSession(f.ctx, f.org, used.ID, 0, ""); err != nil {
		t.Errorf("the session that was saved: %v", err)
	}
	must(t, f.RunMaintenance(f.ctx))
	if n := f.countSessions(idle.ID, used.ID); n != 1 {
		t.Errorf("%d of two sessions exist after maintenance, want 1", n)
	}
	f.Clock.Advance(week)
	must(t, f.RunMaintenance(f.ctx)) // deletes the session
	must(t, f.RunMaintenance(f.ctx)) // empties the trash
	if n := f.countSessions(idle.ID, used.ID); n != 0 {
		t.Errorf("%d sessions exist after another week", n)
	}
	if left := f.Blobs.Keys(file); len(left) > 0 {
		t.Errorf("the file of the session exists: %v", left)
	}
}

func (f *fixture) countSessions(ids ...string) (n int) {
	f.Helper()
	must(f.T, f.Store.View(f.ctx, func(tx model.Tx) error {
		for _, id := range ids {
			if _, err := tx.Sessions.Get(f.ctx, f.org, id); err == nil {
				n++
			}
		}
		return nil
	}))
	return n
}

// A token is invalid after its session has expired.
func TestTokenOfExpiredSession(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	session := f.newSession().Session
	f.Clock.Advance(time.Hour)
	h, err := f.ResumeSession(f.ctx, f.org, session.ID, imports.MaxTokenLife, "")
	must(t, err)
	f.Clock.Advance(week - time.Minute)
	_, err = f.Hydrated(f.ctx, h.Token)
	f.wantError(err, model.Denied, "session_expired")
}

func TestTokenLife(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	session := f.newSession()
	if session.Life != 6*time.Hour {
		t.Errorf("the default life is %v, want 6 h", session.Life)
	}
	for _, life := range []time.Duration{-time.Second, time.Millisecond, week + time.Second} {
		_, err := f.ResumeSession(f.ctx, f.org, session.Session.ID, life, "")
		f.wantError(err, model.Invalid, "invalid")
	}
}

func TestDeletedSession(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	h := f.newSession()
	second, err := f.ResumeSession(f.ctx, f.org, h.Session.ID, 0, "")
	must(t, err)
	saved := f.saveSessionFile(h.Session, "a,b\n")
	must(t, f.DeleteSession(f.ctx, f.org, h.Session.ID))
	for _, token := range []string{h.Token, second.Token} {
		_, err := f.Hydrated(f.ctx, token)
		f.wantError(err, model.Denied, "session_expired")
	}
	_, err = f.SaveState(f.ctx, h.Session, []byte(`{}`), nil)
	f.wantError(err, model.Denied, "session_expired")
	_, err = f.SaveSessionFile(f.ctx, h.Session, imports.IncomingFile{Body: strings.NewReader("x"), Length: -1}, "")
	f.wantError(err, model.Denied, "session_expired")
	must(t, f.RunMaintenance(f.ctx))
	if left := f.Blobs.Keys("sessions/"); len(left) > 0 {
		t.Errorf("files remain: %v (the file was %s)", left, saved.File.Key)
	}
	must(t, f.DeleteSession(f.ctx, f.org, h.Session.ID))
	must(t, f.DeleteSession(f.ctx, f.org, "00000000-0000-4000-8000-000000000000"))
}

func TestConditionalSave(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	session := f.newSession().Session
	_, err := f.SaveState(f.ctx, session, []byte(`{}`), []string{"*"})
	f.wantError(err, model.Conflict, "state_changed")
	first, err := f.SaveState(f.ctx, session, []byte(`{"n":1}`), nil)
	must(t, err)
	second, err := f.SaveState(f.ctx, session, []byte(`{"n":2}`), []string{"other", first.Tag})
	must(t, err)
	if first.Tag == second.Tag {
		t.Error("two states have the same tag")
	}
	_, err = f.SaveState(f.ctx, session, []byte(`{"n":3}`), []string{"other", first.Tag})
	f.wantError(err, model.Conflict, "state_changed")
	_, err = f.SaveState(f.ctx, session, []byte(`{"n":4}`), []string{"*"})
	must(t, err)
	h, err := f.ResumeSession(f.ctx, f.org, session.ID, 0, "")
	must(t, err)
	if _, state, err := f.SessionState(f.ctx, h.Session); err != nil || string(state) != `{"n":4}` {
		t.Errorf("the state is %s, error %v", state, err)
	}
}

func TestSessionFileIsReplaced(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	session := f.newSession().Session
	_, err := f.SessionFile(f.ctx, session)
	f.wantError(err, model.NotFound, "not_found")
	first := f.saveSessionFile(session, "first")
	second := f.saveSessionFile(first, "second")
	r, err := f.SessionFile(f.ctx, second)
	must(t, err)
	text, err := io.ReadAll(io.NewSectionReader(r, 0, r.Size()))
	must(t, err)
	if string(text) != "second" {
		t.Errorf("the file is %q", text)
	}
	must(t, f.RunMaintenance(f.ctx))
	if left := f.Blobs.Keys("sessions/"); len(left) != 1 || left[0] != second.File.Key {
		t.Errorf("blobs %v, want only %s", left, second.File.Key)
	}
	_, err = f.SaveSessionFile(f.ctx, session, imports.IncomingFile{Body: strings.NewReader("short"), Length: 10}, "")
	f.wantError(err, model.Invalid, "body_too_short")
	if left := f.Blobs.Keys("sessions/"); len(left) != 1 {
		t.Errorf("a rejected file leaves %v", left)
	}
}

// Saving a session file that exceeds the server's size limit returns an error with the limit.
func TestLargeSessionFile(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(_ *fixture, cfg *service.Config) { cfg.MaxFileSize = 10 })
	session := f.newSession().Session
	f.saveSessionFile(session, strings.Repeat("x", 10))
	_, err := f.SaveSessionFile(f.ctx, session, imports.IncomingFile{Body: strings.NewReader(strings.Repeat("x", 11)), Length: -1}, "")
	f.wantError(err, model.TooLarge, "file_too_large")
	if diff := cmp.Diff(intray.NewMessage("file.too_large_for_service", intray.Params{"size": int64(10)}), intray.MessageOf(err)); diff != "" {
		t.Errorf("the message (-want +got):\n%s", diff)
	}
	saved, err := f.SaveState(f.ctx, session, []byte(`{}`), nil)
	if err != nil || len(saved.Tag) != 32 {
		t.Errorf("the tag is %q, %v; want 128 bits in hexadecimal", saved.Tag, err)
	}
}

func TestInvalidSessions(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, label := range []string{strings.Repeat("é", 256), "a\nb"} {
		_, err := f.CreateSession(f.ctx, f.org, imports.NewSession{ImportIdentifier: label})
		f.wantError(err, model.Invalid, "invalid")
	}
	if _, err := f.CreateSession(f.ctx, f.org, imports.NewSession{ImportIdentifier: strings.Repeat("é", 255)}); err != nil {
		t.Errorf("255 characters: %v", err)
	}
}
