package service_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/connectors"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/schemas"
	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/server/servertest"
	"github.com/intraydata/intray/server/service"
)

// withQuotas sets limits for all organizations. It appends the quotas that refuse requests to refused.
func withQuotas(limits map[model.Quota]int64, refused *[]model.Quota) option {
	return func(_ *fixture, cfg *service.Config) {
		cfg.Quotas = model.Quotas{ForAll: limits}
		cfg.OverQuota = func(_ string, quota model.Quota) { *refused = append(*refused, quota) }
	}
}

// wantQuota checks that a quota refused a request, and that the message names the limit and the use.
func (f *fixture) wantQuota(err error, kind model.Kind, code string, limit, used int64) {
	f.Helper()
	f.wantError(err, kind, code)
	message := intray.MessageOf(err)
	if got := message.Params(); got["limit"] != limit || got["used"] != used {
		f.Errorf("%s: parameters %v, want the limit %d and the use %d", code, got, limit, used)
	}
}

// TestOrgLimits checks that the limits of an organization in the store take precedence over the
// configuration, and become effective in another process without a restart.
func TestOrgLimits(t *testing.T) {
	t.Parallel()
	var refused []model.Quota
	f := newFixture(t, withQuotas(map[model.Quota]int64{model.SchemaQuota: 2}, &refused))
	other := f.newNode("elsewhere/one")
	create := func(name string) error {
		_, _, err := f.CreateSchema(f.ctx, f.org, schemas.Draft{Doc: namedSchema(t, name)})
		return err
	}
	limit := func(n *int64) {
		t.Helper()
		_, err := other.SetOrgLimits(f.ctx, "Alpha", map[model.Quota]*int64{model.SchemaQuota: n})
		must(t, err)
		must(t, f.RecoverRuns(f.ctx))
	}
	must(t, create("a"))
	one, none := int64(1), int64(0)
	limit(&one)
	f.wantQuota(create("b"), model.OverQuota, "quota_schemas", 1, 1)
	limit(&none)
	for _, name := range []string{"b", "c", "d"} {
		must(t, create(name))
	}
	limit(nil)
	f.wantQuota(create("e"), model.OverQuota, "quota_schemas", 2, 4)
	_, err := f.SetOrgLimits(f.ctx, "Nobody", nil)
	f.wantError(err, model.NotFound, "not_found")
}

func (f *fixture) usage() model.Usage {
	f.Helper()
	u, err := model.View(f.ctx, f.Store, func(tx model.Tx) (model.Usage, error) { return tx.Usage.Get(f.ctx, f.org) })
	must(f.T, err)
	return u
}

// TestFindingSecurityS6Imports checks that the quotas of imports refuse new ones, and that finished
// and deleted imports make room.
func TestFindingSecurityS6Imports(t *testing.T) {
	t.Parallel()
	var refused []model.Quota
	f := newFixture(t, withQuotas(map[model.Quota]int64{model.ImportQuota: 3, model.QueuedImportQuota: 2}, &refused))
	create := func(rows string) error {
		draft := imports.Draft{Doc: doc(t, contacts, "")}
		if rows != "" {
			draft.Rows = strings.NewReader(rows)
		}
		_, err := f.CreateImport(f.ctx, f.org, draft)
		return err
	}
	waiting := f.newImport("")
	first := f.newImportWithRows(`[{"email":"a@example.org"}]`)
	must(t, create(`[]`))
	f.wantQuota(create(""), model.OverQuota, "quota_imports", 3, 3)
	f.wantQuota(create(`[]`), model.OverQuota, "quota_imports", 3, 3)
	f.wantQuota(f.upload(waiting, goodFile), model.TooMany, "quota_queued_imports", 2, 2)
	if status := f.reload(waiting).Status; status != model.AwaitingUpload {
		t.Errorf("after a refused upload: %s", status)
	}
	must(t, f.DeleteImport(f.ctx, f.org, first.ID))
	must(t, f.upload(waiting, goodFile))
	f.wantQuota(create(""), model.TooMany, "quota_queued_imports", 2, 2)
	f.runAll()
	must(t, create(""))
	f.wantQuota(create(""), model.OverQuota, "quota_imports", 3, 3)
	if len(refused) != 5 {
		t.Errorf("refused %v", refused)
	}
	if other, err := f.CreateOrg(f.ctx, "Beta"); err != nil {
		t.Fatal(err)
	} else if _, err := f.CreateImport(f.ctx, other.ID, imports.Draft{Doc: doc(t, contacts, "")}); err != nil {
		t.Errorf("another organization: %v", err)
	}
}

// TestFindingSecurityS6Bytes checks that the quota of bytes refuses files, leaves none of them, and
// that deletions make room.
func TestFindingSecurityS6Bytes(t *testing.T) {
	t.Parallel()
	var refused []model.Quota
	limit := int64(1000)
	f := newFixture(t, withQuotas(map[model.Quota]int64{model.StoredBytesQuota: limit}, &refused))
	text := func(size int) string {
		return goodFile + strings.Repeat("c@example.org,C\n", size/16)[:size-len(goodFile)]
	}
	imp, second := f.pendingImport(text(600), ""), f.newImport("")
	f.wantQuota(f.upload(second, text(401)), model.OverQuota, "quota_stored_bytes", limit, 600)

	// The size of the second file is known only at its end.
	token, err := f.UploadToken(second, "")
	must(t, err)
	r, err := f.BeginUpload(f.ctx, second.ID, token, -1)
	must(t, err)
	blobs := len(f.Blobs.Keys(""))
	_, err = r.Receive(f.ctx, imports.IncomingFile{Body: strings.NewReader(text(401)), Length: -1})
	f.wantQuota(err, model.OverQuota, "quota_stored_bytes", limit, 600)
	_, err = f.CreateImport(f.ctx, f.org, imports.Draft{Doc: doc(t, contacts, ""), Rows: strings.NewReader(`[{"email":"` + strings.Repeat("a", 500) + `"}]`)})
	f.wantQuota(err, model.OverQuota, "quota_stored_bytes", limit, 600)
	if now := len(f.Blobs.Keys("")); now != blobs {
		t.Errorf("%d blobs after refused files, want %d", now, blobs)
	}
	must(t, f.upload(second, text(400)))
	f.wantQuota(f.upload(f.newImport(""), text(100)), model.OverQuota, "quota_stored_bytes", limit, 1000)

	f.runAll() // results are never refused
	if used := f.usage().FileBytes; used <= limit {
		t.Errorf("%d bytes with results", used)
	}
	must(t, f.DeleteUpload(f.ctx, f.org, imp.UploadID))
	must(t, f.SetRetention(f.ctx, f.org, []model.Retention{{Originals: 1, Results: 1}}))
	f.Clock.Advance(25 * time.Hour)
	if _, err := f.Expire(f.ctx); err != nil {
		t.Fatal(err)
	}
	if used := f.usage(); used.FileBytes != 0 || used.Of(model.ImportQuota) != 3 {
		t.Errorf("usage after everything expired: %+v", used)
	}
}

// TestFindingSecurityS6Sessions checks the quotas of sessions, their files and their states.
func TestFindingSecurityS6Sessions(t *testing.T) {
	t.Parallel()
	var refused []model.Quota
	f := newFixture(t, withQuotas(map[model.Quota]int64{model.SessionQuota: 2, model.SessionStateBytesQuota: 100, model.StoredBytesQuota: 150}, &refused))
	a, b := f.newSession().Session, f.newSession().Session
	_, err := f.CreateSession(f.ctx, f.org, imports.NewSession{})
	f.wantQuota(err, model.OverQuota, "quota_sessions", 2, 2)
	if _, err := f.CreateSession(f.ctx, f.org, imports.NewSession{ID: a.ID}); err != nil {
		t.Errorf("the same session again: %v", err)
	}
	a, err = f.SaveState(f.ctx, a, []byte(strings.Repeat("1", 80)), nil)
	must(t, err)
	_, err = f.SaveState(f.ctx, b, []byte(strings.Repeat("1", 21)), nil)
	f.wantQuota(err, model.OverQuota, "quota_session_state_bytes", 100, 80)
	if _, _, err := f.SessionState(f.ctx, b); !model.IsKind(err, model.NotFound) {
		t.Errorf("the refused state: %v", err)
	}
	b = f.saveSessionFile(b, strings.Repeat("b", 70))
	_, err = f.SaveSessionFile(f.ctx, a, imports.IncomingFile{Body: strings.NewReader("a"), Length: 1}, "")
	f.wantQuota(err, model.OverQuota, "quota_stored_bytes", 150, 150)
	b = f.saveSessionFile(b, strings.Repeat("b", 60)) // replaces a larger file
	_, err = f.SaveSessionFile(f.ctx, b, imports.IncomingFile{Body: strings.NewReader(strings.Repeat("b", 71)), Length: -1}, "")
	f.wantQuota(err, model.OverQuota, "quota_stored_bytes", 150, 140)
	_, err = f.SaveState(f.ctx, a, []byte(strings.Repeat("1", 79)), nil)
	must(t, err)
	f.Clock.Advance(week + time.Microsecond)
	must(t, f.RunMaintenance(f.ctx))
	if used := f.usage(); used.Of(model.StoredBytesQuota) != 0 || used.Sessions != 0 {
		t.Errorf("usage after the sessions have expired: %+v", used)
	}
	f.newSession()
}

// TestFindingSecurityS6Others checks the quotas of schemas and SFTP credentials.
func TestFindingSecurityS6Others(t *testing.T) {
	t.Parallel()
	var refused []model.Quota
	f := newFixture(t, withQuotas(map[model.Quota]int64{model.SchemaQuota: 1, model.CredentialQuota: 1}, &refused))
	save := func(name string) (model.Schema, error) {
		d := doc(t, contacts, "")
		d.Name = name
		s, _, err := f.CreateSchema(f.ctx, f.org, schemas.Draft{Doc: d})
		return s, err
	}
	s, err := save("A")
	must(t, err)
	_, err = save("B")
	f.wantQuota(err, model.OverQuota, "quota_schemas", 1, 1)
	f.newImport("") // its inline schema does not count
	must(t, f.DeleteSchema(f.ctx, f.org, s.ID))
	_, err = save("B")
	must(t, err)
	draft := connectors.CredentialDraft{Hostname: "example.org", Port: 22, User: "u", AuthType: model.AuthPassword, Password: secrets.NewSecret("p")}
	c, err := f.CreateCredential(f.ctx, f.org, draft)
	must(t, err)
	_, err = f.CreateCredential(f.ctx, f.org, draft)
	f.wantQuota(err, model.OverQuota, "quota_sftp_credentials", 1, 1)
	must(t, f.DeleteCredential(f.ctx, f.org, c.ID))
	_, err = f.CreateCredential(f.ctx, f.org, draft)
	must(t, err)
}

// TestFindingSecurityS6SFTP checks that a connector does not exceed the quotas of its organization,
// and that it fetches the rest once there is room.
func TestFindingSecurityS6SFTP(t *testing.T) {
	t.Parallel()
	fetched := 0
	f := newFixture(t, withFetch(func(context.Context, string) error {
		fetched++
		return nil
	}), withQuotas(map[model.Quota]int64{model.QueuedImportQuota: 2, model.ImportQuota: 3}, new([]model.Quota)))
	for n := range 5 {
		f.remote.AddFile(fmt.Sprint(n, ".csv"), goodFile)
	}
	c := f.newConnector(f.org, "u", connectors.Draft{})
	run := func() model.PullRun {
		t.Helper()
		f.Clock.Advance(6 * time.Hour)
		f.runConnectors()
		runs, _, err := servertest.Split(f.Pulls(f.ctx, f.org, c.ID, model.PageRequest{Limit: 1}))
		must(t, err)
		return runs[0]
	}
	first := run()
	if !first.Succeeded || first.Fetched != 2 || len(first.Skipped) != 1 || !strings.Contains(first.Skipped[0].String(), "2 of 2 imports are waiting or running") {
		t.Errorf("with a full queue: %+v", first)
	}
	f.runAll()
	second := run()
	if second.Succeeded || second.Fetched != 1 || second.Kind != "quota_imports" || !strings.Contains(second.Message.String(), "3 of 3 imports") {
		t.Errorf("with too many imports: %+v", second)
	}
	if fetched != 3 {
		t.Errorf("fetched %d files, want only those that can be imported", fetched)
	}
	f.runAll()
	list, _, err := servertest.Split(f.Imports(f.ctx, f.org, model.PageRequest{Limit: 9}))
	must(t, err)
	for _, imp := range list {
		must(t, f.DeleteImport(f.ctx, f.org, imp.ID))
	}
	if third := run(); !third.Succeeded || third.Fetched != 2 {
		t.Errorf("with room again: %+v", third)
	}
}
