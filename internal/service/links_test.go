package service_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray/internal/service"
)

// expiring is a right that a token gives for a time.
type expiring struct {
	name  string
	life  time.Duration
	token func(f *fixture) string
	use   func(f *fixture, token string) error
}

// rights are all rights that expire, each upon one import or session.
func rights(f *fixture) []expiring {
	waiting := f.create("")
	done := f.finished(goodFile, "")
	upload, err := f.Upload(f.ctx, f.org, done.UploadID)
	must(f.T, err)
	session, err := f.CreateSession(f.ctx, f.org, service.NewSession{})
	must(f.T, err)
	hydration := func(name string, asked, life time.Duration) expiring {
		return expiring{name, life, func(f *fixture) string {
			h, err := f.ResumeSession(f.ctx, f.org, session.Session.ID, asked)
			must(f.T, err)
			return h.Token
		}, func(f *fixture, token string) error { _, err := f.Hydrated(f.ctx, token); return err }}
	}
	download := func(what string) expiring {
		return expiring{"download of " + what, 1800 * time.Second,
			func(f *fixture) string { return f.token(f.DownloadToken(upload, what)) },
			func(f *fixture, token string) error {
				d, err := f.Download(f.ctx, upload.ID, token)
				if err != nil {
					return err
				}
				return d.Close()
			}}
	}
	return []expiring{
		{"upload", 1800 * time.Second,
			func(f *fixture) string { return f.token(f.UploadToken(waiting)) },
			func(f *fixture, token string) error {
				_, err := f.BeginUpload(f.ctx, waiting.ID, token, -1)
				return err
			}},
		download(service.RawFile), download("json"), download("csv"),
		hydration("hydration by default", 0, 6*time.Hour),
		hydration("hydration of a second", time.Second, time.Second),
		hydration("hydration of a day", 24*time.Hour, 24*time.Hour),
	}
}

func (f *fixture) token(token string, err error) string {
	f.Helper()
	must(f.T, err)
	return token
}

func TestTokensExpire(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, right := range rights(f) {
		// Tokens count whole seconds.
		f.clock.Advance(time.Second - time.Duration(f.clock.Now().Nanosecond()))
		token := right.token(f)
		f.clock.Advance(right.life - time.Microsecond)
		if err := right.use(f, token); err != nil {
			t.Errorf("%s: a microsecond before its end: %v", right.name, err)
		}
		f.clock.Advance(time.Microsecond)
		f.refused(right.use(f, token), service.Denied, "expired")
	}
}

func TestReviewLinksLastAsLongAsTheImport(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.create("")
	token := f.token(f.ReviewToken(imp))
	f.clock.Advance(10 * 365 * 24 * time.Hour)
	_, visit, err := f.Visit(f.ctx, imp.ID, token)
	if err != nil {
		t.Fatalf("after ten years: %v", err)
	}
	if seen, err := f.Reviewed(f.ctx, imp.ID, visit); err != nil || seen.ID != imp.ID {
		t.Errorf("the visit: %v", err)
	}
	f.clock.Advance(service.VisitLife + time.Second)
	_, err = f.Reviewed(f.ctx, imp.ID, visit)
	f.refused(err, service.Denied, "expired")
	must(t, f.DeleteImport(f.ctx, f.org, imp.ID))
	_, _, err = f.Visit(f.ctx, imp.ID, token)
	f.refused(err, service.NotFound, "not_found")
}

// TestTokensServeOnePurpose tries every token where every other one belongs.
func TestTokensServeOnePurpose(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.finished(goodFile, "")
	upload, err := f.Upload(f.ctx, f.org, imp.UploadID)
	must(t, err)
	session, err := f.CreateSession(f.ctx, f.org, service.NewSession{})
	must(t, err)
	_, visit, err := f.Visit(f.ctx, imp.ID, f.token(f.ReviewToken(imp)))
	must(t, err)
	tokens := map[string]string{
		"visit":     visit,
		"upload":    f.token(f.UploadToken(imp)),
		"download":  f.token(f.DownloadToken(upload, service.RawFile)),
		"review":    f.token(f.ReviewToken(imp)),
		"hydration": session.Token,
	}
	uses := map[string]func(token string) error{
		"upload":    func(token string) error { _, err := f.BeginUpload(f.ctx, imp.ID, token, -1); return err },
		"download":  func(token string) error { _, err := f.Download(f.ctx, upload.ID, token); return err },
		"review":    func(token string) error { _, _, err := f.Visit(f.ctx, imp.ID, token); return err },
		"visit":     func(token string) error { _, err := f.Reviewed(f.ctx, imp.ID, token); return err },
		"hydration": func(token string) error { _, err := f.Hydrated(f.ctx, token); return err },
	}
	for purpose, use := range uses {
		for made, token := range tokens {
			if made == purpose {
				continue
			}
			if err := use(token); !service.IsKind(err, service.Denied) {
				t.Errorf("a token for %s as one for %s: %v, want a denial", made, purpose, err)
			}
		}
		altered := tokens[purpose]
		for _, token := range []string{"", "x", altered + "A", altered[1:], strings.ToUpper(altered)} {
			f.refused(use(token), service.Denied, "bad_signature")
		}
	}
}

// A token opens one thing, not another of the same kind.
func TestTokensNameOneThing(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	one, other := f.finished(goodFile, ""), f.finished(goodFile, "")
	upload, err := f.Upload(f.ctx, f.org, one.UploadID)
	must(t, err)
	_, err = f.BeginUpload(f.ctx, other.ID, f.token(f.UploadToken(one)), -1)
	f.refused(err, service.Denied, "bad_signature")
	_, err = f.Download(f.ctx, other.UploadID, f.token(f.DownloadToken(upload, "json")))
	f.refused(err, service.Denied, "bad_signature")
	_, _, err = f.Visit(f.ctx, other.ID, f.token(f.ReviewToken(one)))
	f.refused(err, service.Denied, "bad_signature")
	_, visit, err := f.Visit(f.ctx, one.ID, f.token(f.ReviewToken(one)))
	must(t, err)
	_, err = f.Reviewed(f.ctx, other.ID, visit)
	f.refused(err, service.Denied, "bad_signature")
}

func TestTokensSurviveARestart(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.create("")
	token := f.token(f.UploadToken(imp))
	if _, err := f.node("folder/two").BeginUpload(context.Background(), imp.ID, token, -1); err != nil {
		t.Errorf("another process with the same master key: %v", err)
	}
}
