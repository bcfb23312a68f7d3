package service_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray/server/auth"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/review"
	"github.com/intraydata/intray/server/schemas"
)

func (f *fixture) createKey(kind model.LicenceKind, life time.Duration) auth.NewKey {
	f.Helper()
	made, err := f.CreateKey(f.ctx, "Alpha", kind, life)
	must(f.T, err)
	return made
}

func TestKeys(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for kind, prefix := range map[model.LicenceKind]string{model.Backend: "bk_", model.Frontend: "fk_"} {
		made := f.createKey(kind, 0)
		if !strings.HasPrefix(made.Key, prefix) || len(made.Key) < len(prefix)+43 {
			t.Errorf("the key %q has less than 256 bits after %s", made.Key, prefix)
		}
		if rest := made.Key[7:]; strings.Contains(made.Licence.Hint, rest) || strings.Contains(string(made.Licence.Hash), rest) {
			t.Errorf("the licence contains its key: %+v", made.Licence)
		}
		l, err := f.Authenticate(f.ctx, made.Key)
		if err != nil || l.ID != made.Licence.ID || l.Kind != kind || l.Org != f.org {
			t.Errorf("licence %+v, error %v", l, err)
		}
		for _, wrong := range []string{"", made.Key[:len(made.Key)-1], made.Key + "x", strings.ToUpper(made.Key)} {
			_, err := f.Authenticate(f.ctx, wrong)
			f.wantError(err, model.Denied, "unknown_key")
		}
	}
}

func TestKeysExpire(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	made := f.createKey(model.Backend, time.Hour)
	f.Clock.Advance(time.Hour - time.Microsecond)
	if _, err := f.Authenticate(f.ctx, made.Key); err != nil {
		t.Errorf("a microsecond before it expires: %v", err)
	}
	f.Clock.Advance(time.Microsecond)
	_, err := f.Authenticate(f.ctx, made.Key)
	f.wantError(err, model.Denied, "key_expired")
}

func TestRevokedKeys(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	made, other := f.createKey(model.Backend, 0), f.createKey(model.Backend, 0)
	must(t, f.RevokeKey(f.ctx, made.Licence.ID))
	_, err := f.Authenticate(f.ctx, made.Key)
	f.wantError(err, model.Denied, "unknown_key")
	_, err = f.newNode("folder/two").Authenticate(f.ctx, made.Key)
	f.wantError(err, model.Denied, "unknown_key")
	if _, err := f.Authenticate(f.ctx, other.Key); err != nil {
		t.Errorf("the other key of the organization: %v", err)
	}
	must(t, f.RevokeKey(f.ctx, made.Licence.ID))
	f.wantError(f.RevokeKey(f.ctx, "00000000-0000-4000-8000-000000000000"), model.NotFound, "not_found")
}

// Bootstrap accepts keys that the operator chose. After it refuses an invalid key,
// the store is still empty.
func TestFirstKeys(t *testing.T) {
	t.Parallel()
	f := emptyFixture(t)
	forty := strings.Repeat("a-_9", 10)
	good := auth.FirstKeys{Backend: "bk_" + forty, Frontend: "fk_" + strings.Repeat("x", 200)}
	for name, key := range map[string]string{
		"one too few":              "bk_" + forty[1:],
		"one too many":             "bk_" + strings.Repeat("x", 201),
		"prefix of the other kind": "fk_" + forty,
		"no prefix":                forty + forty,
		"a space":                  "bk_" + forty + " ",
		"a trailing newline":       "bk_" + forty + "\n",
		"not ASCII":                "bk_" + forty + "é",
	} {
		made, err := f.Bootstrap(f.ctx, auth.FirstKeys{Backend: key, Frontend: good.Frontend})
		if !model.IsKind(err, model.Invalid) || made != nil {
			t.Errorf("%s: created %v, error %v; want Invalid", name, made, err)
		}
	}
	made, err := f.Bootstrap(f.ctx, good)
	must(t, err)
	if len(made) != 2 || made[0].Key != good.Backend || made[1].Key != good.Frontend {
		t.Errorf("created %+v, want the given keys", made)
	}
	for key, kind := range map[string]model.LicenceKind{good.Backend: model.Backend, good.Frontend: model.Frontend} {
		if l, err := f.Authenticate(f.ctx, key); err != nil || l.Kind != kind {
			t.Errorf("the %s key: licence %+v, error %v", kind, l, err)
		}
	}
	if again, err := f.Bootstrap(f.ctx, auth.FirstKeys{}); again != nil || err != nil {
		t.Errorf("at the second start: created %v, error %v; want neither", again, err)
	}
	list, orgs, err := f.Licences(f.ctx)
	if err != nil || len(list) != 2 || len(orgs) != 1 || orgs[list[0].Org].Name != auth.DefaultOrg {
		t.Errorf("licences %+v of %+v, error %v", list, orgs, err)
	}
}

func TestGeneratedFirstKeys(t *testing.T) {
	t.Parallel()
	f := emptyFixture(t)
	made, err := f.Bootstrap(f.ctx, auth.FirstKeys{})
	must(t, err)
	for i, kind := range []model.LicenceKind{model.Backend, model.Frontend} {
		if l, err := f.Authenticate(f.ctx, made[i].Key); err != nil || l.Kind != kind {
			t.Errorf("the %s key: licence %+v, error %v", kind, l, err)
		}
	}
}

func TestInvalidAccounts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, name := range []string{"", "  ", strings.Repeat("n", 201), "a\nb", "a\u0085b"} {
		_, err := f.CreateOrg(f.ctx, name)
		f.wantError(err, model.Invalid, "invalid")
	}
	_, err := f.CreateOrg(f.ctx, " Alpha ")
	f.wantError(err, model.Conflict, "name_taken")
	_, err = f.CreateKey(f.ctx, "Nobody", model.Backend, 0)
	f.wantError(err, model.NotFound, "not_found")
	_, err = f.CreateKey(f.ctx, "Alpha", "admin", 0)
	f.wantError(err, model.Invalid, "invalid")
	_, err = f.CreateKey(f.ctx, "Alpha", model.Backend, -time.Second)
	f.wantError(err, model.Invalid, "invalid")
}

// An organization cannot see the objects of a different organization.
func TestTenantIsolation(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	other, err := f.CreateOrg(f.ctx, "Beta")
	must(t, err)
	imp := f.finishedImport(goodFile, "")
	schema, _, err := f.CreateSchema(f.ctx, f.org, schemas.Draft{Doc: namedSchema(t, "Contacts")})
	must(t, err)
	credential, err := f.CreateCredential(f.ctx, f.org, passwordDraft())
	must(t, err)
	session, err := f.CreateSession(f.ctx, f.org, imports.NewSession{})
	must(t, err)
	for name, call := range map[string]func() error{
		"import":        func() error { _, err := f.Import(f.ctx, other.ID, imp.ID); return err },
		"result":        func() error { _, err := f.ImportResult(f.ctx, other.ID, imp.ID); return err },
		"delete import": func() error { return f.DeleteImport(f.ctx, other.ID, imp.ID) },
		"upload":        func() error { _, err := f.Upload(f.ctx, other.ID, imp.UploadID); return err },
		"processed":     func() error { _, err := f.ProcessedUpload(f.ctx, other.ID, imp.UploadID); return err },
		"delete upload": func() error { return f.DeleteUpload(f.ctx, other.ID, imp.UploadID) },
		"schema":        func() error { _, err := f.Schema(f.ctx, other.ID, schema.ID); return err },
		"delete schema": func() error { return f.DeleteSchema(f.ctx, other.ID, schema.ID) },
		"replace schema": func() error {
			_, _, err := f.ReplaceSchema(f.ctx, other.ID, schema.ID, schemas.Draft{Doc: namedSchema(t, "Mine")})
			return err
		},
		"import with the schema": func() error {
			_, err := f.CreateImport(f.ctx, other.ID, imports.Draft{SchemaID: schema.ID})
			return err
		},
		"credential":        func() error { _, err := f.Credential(f.ctx, other.ID, credential.ID); return err },
		"delete credential": func() error { return f.DeleteCredential(f.ctx, other.ID, credential.ID) },
		"test credential":   func() error { _, _, err := f.TestCredential(f.ctx, other.ID, credential.ID); return err },
		"replace credential": func() error {
			_, err := f.ReplaceCredential(f.ctx, other.ID, credential.ID, passwordDraft())
			return err
		},
		"resume session": func() error { _, err := f.ResumeSession(f.ctx, other.ID, session.Session.ID, 0, ""); return err },
	} {
		if err := call(); !model.IsKind(err, model.NotFound) {
			t.Errorf("%s: error %v, want NotFound", name, err)
		}
	}
	must(t, f.DeleteSession(f.ctx, other.ID, session.Session.ID))
	if _, err := f.Hydrated(f.ctx, session.Token); err != nil {
		t.Errorf("another organization deleted the session: %v", err)
	}
	f.wantStatus(imp, model.Successful)
}

// expiringToken describes a kind of token that expires.
type expiringToken struct {
	name  string
	life  time.Duration
	token func(f *fixture) string
	use   func(f *fixture, token string) error
}

// expiringTokens returns every kind of token that expires.
func expiringTokens(f *fixture) []expiringToken {
	waiting := f.newImport("")
	done := f.finishedImport(goodFile, "")
	upload, err := f.Upload(f.ctx, f.org, done.UploadID)
	must(f.T, err)
	session, err := f.CreateSession(f.ctx, f.org, imports.NewSession{})
	must(f.T, err)
	hydration := func(name string, asked, life time.Duration) expiringToken {
		return expiringToken{name, life, func(f *fixture) string {
			h, err := f.ResumeSession(f.ctx, f.org, session.Session.ID, asked, "")
			must(f.T, err)
			return h.Token
		}, func(f *fixture, token string) error { _, err := f.Hydrated(f.ctx, token); return err }}
	}
	download := func(what string) expiringToken {
		return expiringToken{"download of " + what, 1800 * time.Second,
			func(f *fixture) string { return f.mustToken(f.DownloadToken(upload, what, "")) },
			func(f *fixture, token string) error {
				d, err := f.Download(f.ctx, upload.ID, token)
				if err != nil {
					return err
				}
				return d.Close()
			}}
	}
	return []expiringToken{
		{"upload", 1800 * time.Second,
			func(f *fixture) string { return f.mustToken(f.UploadToken(waiting, "")) },
			func(f *fixture, token string) error {
				_, err := f.BeginUpload(f.ctx, waiting.ID, token, -1)
				return err
			}},
		download(imports.RawFile), download("json"), download("csv"),
		hydration("hydration by default", 0, 6*time.Hour),
		hydration("hydration of a second", time.Second, time.Second),
		hydration("hydration of a day", 24*time.Hour, 24*time.Hour),
	}
}

func (f *fixture) mustToken(token string, err error) string {
	f.Helper()
	must(f.T, err)
	return token
}

func TestTokensExpire(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, kind := range expiringTokens(f) {
		// Tokens expire on whole seconds.
		f.Clock.Advance(time.Second - time.Duration(f.Clock.Now().Nanosecond()))
		token := kind.token(f)
		f.Clock.Advance(kind.life - time.Microsecond)
		if err := kind.use(f, token); err != nil {
			t.Errorf("%s: a microsecond before it expires: %v", kind.name, err)
		}
		f.Clock.Advance(time.Microsecond)
		f.wantError(kind.use(f, token), model.Denied, "expired")
	}
}

func TestReviewTokens(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.newImport("")
	token := f.mustToken(f.ReviewToken(imp))
	f.Clock.Advance(29 * 24 * time.Hour)
	_, reviewSession, err := f.StartReviewSession(f.ctx, imp.ID, token)
	if err != nil {
		t.Fatalf("after 29 days: %v", err)
	}
	if seen, err := f.ReviewSession(f.ctx, imp.ID, reviewSession); err != nil || seen.Import.ID != imp.ID {
		t.Errorf("the review session: %v", err)
	}
	f.Clock.Advance(review.SessionLife + time.Second)
	_, err = f.ReviewSession(f.ctx, imp.ID, reviewSession)
	f.wantError(err, model.Denied, "expired")
	_, lateSession, err := f.StartReviewSession(f.ctx, imp.ID, token)
	must(t, err)
	f.Clock.Advance(12 * time.Hour) // the 30 days of the link end before the session does
	_, err = f.ReviewSession(f.ctx, imp.ID, lateSession)
	f.wantError(err, model.Denied, "expired")
	_, _, err = f.StartReviewSession(f.ctx, imp.ID, token)
	f.wantError(err, model.Denied, "expired")
	if expired := f.mustToken(f.ReviewToken(imp)); expired != "" {
		t.Errorf("the expired link has the token %q", expired)
	}
	renewed, err := f.RenewReviewLink(f.ctx, f.org, imp.ID, "")
	must(t, err)
	token = f.mustToken(f.ReviewToken(renewed))
	must(t, f.DeleteImport(f.ctx, f.org, imp.ID))
	_, _, err = f.StartReviewSession(f.ctx, imp.ID, token)
	f.wantError(err, model.NotFound, "not_found")
}

// Review links of earlier versions of Intray contain no expiry. They expire 30 days after the
// import was created.
func TestEarlierReviewTokens(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.newImport("")
	must(t, f.Store.Update(f.ctx, func(tx model.Tx) error {
		return tx.Imports.SetReviewLink(f.ctx, f.org, imp.ID, model.ReviewLink{})
	}))
	token := f.mustToken(auth.SignGrant(f.Keys.Derive("review links"), auth.Grant{Org: f.org, ID: imp.ID}))
	session := f.mustToken(auth.SignGrant(f.Keys.Derive("review visits"), auth.Grant{Org: f.org, ID: imp.ID}))
	uses := map[string]func() error{
		"link":    func() error { _, _, err := f.StartReviewSession(f.ctx, imp.ID, token); return err },
		"session": func() error { _, err := f.ReviewSession(f.ctx, imp.ID, session); return err },
	}
	f.Clock.Advance(30*24*time.Hour - time.Microsecond)
	for name, use := range uses {
		if err := use(); err != nil {
			t.Errorf("%s: before it expires: %v", name, err)
		}
	}
	f.Clock.Advance(time.Microsecond)
	for _, use := range uses {
		f.wantError(use(), model.Denied, "expired")
	}
}

// TestLastUse checks that the first use of a key and then one use per hour is stored.
func TestLastUse(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	key := f.createKey(model.Backend, 0)
	used := func() time.Time {
		list, _, err := f.Licences(f.ctx)
		must(t, err)
		for _, l := range list {
			if l.ID == key.Licence.ID {
				return l.Used
			}
		}
		t.Fatal("the key is not listed")
		return time.Time{}
	}
	if at := used(); !at.IsZero() {
		t.Errorf("an unused key was used at %s", at)
	}
	first := f.Clock.Now()
	for _, c := range []struct {
		later time.Duration
		want  time.Time
	}{{0, first}, {time.Hour - time.Second, first}, {time.Second, first.Add(time.Hour)}} {
		f.Clock.Advance(c.later)
		_, err := f.Authenticate(f.ctx, key.Key)
		must(t, err)
		if at := used(); !at.Equal(c.want) {
			t.Errorf("the key was used at %s, want %s", at, c.want)
		}
	}
}

// TestLastUseNotStored checks that a key is valid although its use cannot be stored, that storing
// it is tried at most once a minute, and that FindKey does not count as a use.
func TestLastUseNotStored(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	key := f.createKey(model.Backend, 0)
	const write = "Accounts.SetLicenceUsed"
	for i, c := range []struct {
		later time.Duration
		find  func(context.Context, string) (model.Licence, error)
		want  string
	}{
		{0, f.FindKey, ""},
		{0, f.Authenticate, write},
		{59 * time.Second, f.Authenticate, ""},
		{time.Second, f.Authenticate, write},
	} {
		f.Clock.Advance(c.later)
		f.Faults.ArmUse(write, 1)
		_, err := c.find(f.ctx, key.Key)
		must(t, err)
		if got := f.Faults.Disarm(); got != c.want {
			t.Errorf("call %d: the failing write is %q, want %q", i+1, got, c.want)
		}
	}
}

// TestScopesOfKeys checks which scopes a key can have.
func TestScopesOfKeys(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	_, err := f.CreateKey(f.ctx, "Alpha", model.Backend, 0, "read", "write")
	f.wantError(err, model.Invalid, "invalid")
	_, err = f.CreateKey(f.ctx, "Alpha", model.Frontend, 0, "read")
	f.wantError(err, model.Invalid, "invalid")
	made, err := f.CreateKey(f.ctx, "Alpha", model.Backend, 0, "read", "review")
	must(t, err)
	l, err := f.Authenticate(f.ctx, made.Key)
	must(t, err)
	for scope, want := range map[model.Scope]bool{model.ScopeRead: true, model.ScopeReview: true, model.ScopeImport: false, model.ScopeAdmin: false} {
		if l.Scopes.Contains(scope) != want {
			t.Errorf("the scopes %q contain %s: %t", l.Scopes, scope, !want)
		}
	}
}

// A token is valid only for its purpose.
func TestTokensServeOnePurpose(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.finishedImport(goodFile, "")
	upload, err := f.Upload(f.ctx, f.org, imp.UploadID)
	must(t, err)
	session, err := f.CreateSession(f.ctx, f.org, imports.NewSession{})
	must(t, err)
	_, reviewSession, err := f.StartReviewSession(f.ctx, imp.ID, f.mustToken(f.ReviewToken(imp)))
	must(t, err)
	tokens := map[string]string{
		"review session": reviewSession,
		"upload":         f.mustToken(f.UploadToken(imp, "")),
		"download":       f.mustToken(f.DownloadToken(upload, imports.RawFile, "")),
		"review":         f.mustToken(f.ReviewToken(imp)),
		"hydration":      session.Token,
	}
	uses := map[string]func(token string) error{
		"upload":         func(token string) error { _, err := f.BeginUpload(f.ctx, imp.ID, token, -1); return err },
		"download":       func(token string) error { _, err := f.Download(f.ctx, upload.ID, token); return err },
		"review":         func(token string) error { _, _, err := f.StartReviewSession(f.ctx, imp.ID, token); return err },
		"review session": func(token string) error { _, err := f.ReviewSession(f.ctx, imp.ID, token); return err },
		"hydration":      func(token string) error { _, err := f.Hydrated(f.ctx, token); return err },
	}
	for purpose, use := range uses {
		for made, token := range tokens {
			if made == purpose {
				continue
			}
			if err := use(token); !model.IsKind(err, model.Denied) {
				t.Errorf("a token for %s as one for %s: %v, want a denial", made, purpose, err)
			}
		}
		altered := tokens[purpose]
		for _, token := range []string{"", "x", altered + "A", altered[1:], strings.ToUpper(altered)} {
			f.wantError(use(token), model.Denied, "bad_signature")
		}
	}
}

// A token is valid only for its object.
func TestTokensOfOtherObjects(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	one, other := f.finishedImport(goodFile, ""), f.finishedImport(goodFile, "")
	upload, err := f.Upload(f.ctx, f.org, one.UploadID)
	must(t, err)
	_, err = f.BeginUpload(f.ctx, other.ID, f.mustToken(f.UploadToken(one, "")), -1)
	f.wantError(err, model.Denied, "bad_signature")
	_, err = f.Download(f.ctx, other.UploadID, f.mustToken(f.DownloadToken(upload, "json", "")))
	f.wantError(err, model.Denied, "bad_signature")
	_, _, err = f.StartReviewSession(f.ctx, other.ID, f.mustToken(f.ReviewToken(one)))
	f.wantError(err, model.Denied, "bad_signature")
	_, reviewSession, err := f.StartReviewSession(f.ctx, one.ID, f.mustToken(f.ReviewToken(one)))
	must(t, err)
	_, err = f.ReviewSession(f.ctx, other.ID, reviewSession)
	f.wantError(err, model.Denied, "bad_signature")
}

func TestTokensSurviveARestart(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.newImport("")
	token := f.mustToken(f.UploadToken(imp, ""))
	if _, err := f.newNode("folder/two").BeginUpload(context.Background(), imp.ID, token, -1); err != nil {
		t.Errorf("another process with the same master key: %v", err)
	}
}
