package service_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/server/connectors"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/schemas"
	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/server/service"
	"github.com/intraydata/intray/server/webhooks"
)

// folder is a server with files. Its plan is to fetch what was not taken.
type folder struct {
	mu    sync.Mutex
	files map[string]string
	put   map[string]string
	// down is what logging in fails with, drop how many fetches break off.
	down error
	drop int
}

func with(remote *folder) change {
	return func(_ *fixture, cfg *service.Config) { cfg.Remotes = remote }
}

func (f *folder) CheckSchedule(s model.Schedule) error {
	if s.Daily == "" && s.Minutes < 5 {
		return errors.New("minutes must be 5 or greater")
	}
	return nil
}

func (f *folder) CheckDirectory(path string) error {
	if !strings.HasPrefix(path, "/") {
		return errors.New("must begin with a slash")
	}
	return nil
}

func (f *folder) CheckPattern(string) error { return nil }

func (f *folder) NextRun(s model.Schedule, last time.Time, failures int, now time.Time) time.Time {
	if last.IsZero() {
		return now
	}
	return last.Add(time.Duration(s.Minutes*(failures+1)) * time.Minute)
}

func (f *folder) PlanPull(memory []model.PulledFile, listed []model.RemoteFile, now time.Time) (plan connectors.PullPlan) {
	for _, one := range listed {
		known := slices.IndexFunc(memory, func(m model.PulledFile) bool { return m.File == one })
		if known < 0 {
			plan.Keep = append(plan.Keep, model.PulledFile{File: one, Since: now})
		}
		if known < 0 || !memory[known].Taken {
			plan.Fetch = append(plan.Fetch, one)
		}
	}
	return plan
}

var errLost = errors.New("the connection was lost")

func (f *folder) Classify(err error) connectors.RemoteFailure {
	if errors.Is(err, errLost) {
		return connectors.RemoteFailure{Kind: "connection_lost", Resumable: true}
	}
	return connectors.RemoteFailure{Kind: "denied"}
}

func (f *folder) Open(context.Context, connectors.Login) (connectors.Remote, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.down != nil {
		return nil, f.down
	}
	return f, nil
}

func (f *folder) Report() connectors.SFTPReport { return connectors.SFTPReport{HostKey: "key"} }
func (f *folder) Close()                        {}

func (f *folder) List(_ context.Context, directory, _ string) (out connectors.RemoteListing, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for name, text := range f.files {
		out.Files = append(out.Files, model.RemoteFile{Path: path.Join(directory, name), Size: int64(len(text)), Modified: began})
	}
	slices.SortFunc(out.Files, func(a, b model.RemoteFile) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

func (f *folder) Fetch(_ context.Context, of model.RemoteFile, offset, _ int64, to io.Writer) (int64, error) {
	f.mu.Lock()
	text := f.files[path.Base(of.Path)][offset:]
	breaks := f.drop > 0
	if breaks {
		f.drop--
		text = text[:min(len(text), 5)]
	}
	f.mu.Unlock()
	n, err := io.WriteString(to, text)
	if err == nil && breaks {
		err = errLost
	}
	return int64(n), err
}

func (f *folder) Upload(_ context.Context, directory, name string, from io.Reader) error {
	var text bytes.Buffer
	if _, err := text.ReadFrom(from); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.put[path.Join(directory, name)] = text.String()
	return nil
}

func (f *folder) have(name, text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.files[name] = text
}

// connector makes a connector with its credential and schema.
func (f *fixture) connector(draft connectors.Draft) model.Connector {
	f.Helper()
	credential, err := f.CreateCredential(f.ctx, f.org, connectors.CredentialDraft{Hostname: "h", Port: 22, User: "u", AuthType: model.AuthPassword, Password: secrets.NewSecret("p")})
	must(f.T, err)
	schema, _, err := f.CreateSchema(f.ctx, f.org, schemas.Draft{Doc: named(f.T, "Mails")})
	must(f.T, err)
	draft.CredentialID, draft.SchemaID, draft.Directory, draft.Schedule.Minutes = credential.ID, schema.ID, "/in", 5
	c, err := f.CreateConnector(f.ctx, f.org, draft)
	must(f.T, err)
	return c
}

// pull runs what is due, and gives how many connectors that were.
func (f *fixture) pull() (n int) {
	f.Helper()
	for {
		ran, err := f.RunNextConnector(f.ctx)
		must(f.T, err)
		if !ran {
			return n
		}
		n++
	}
}

func TestConnector(t *testing.T) {
	t.Parallel()
	remote, c := &folder{files: map[string]string{}, put: map[string]string{}}, &fakeSender{}
	f := newFixture(t, with(remote), carrying(c))
	_, _, err := f.CreateWebhook(f.ctx, f.org, webhooks.Draft{URL: "http://told", Enabled: true, Events: []string{"sftp_connector_failed"}})
	must(t, err)
	made := f.connector(connectors.Draft{PutDirectory: "/out", PutFormat: "csv"})
	remote.have("a.csv", "email\na@example.org\n")
	remote.have("b.csv", "email\nb@example.org\n")
	remote.drop = 3
	if n := f.pull(); n != 1 {
		t.Errorf("%d connectors ran", n)
	}
	remote.have("c.csv", "email\nc@example.org\n")
	if n := f.pull(); n != 0 {
		t.Errorf("%d connectors ran before they were due", n)
	}
	f.clock.Advance(5 * time.Minute)
	f.pull()
	f.runAll()
	files, err := f.PulledFiles(f.ctx, f.org, made.ID)
	must(t, err)
	var names []string
	for _, one := range files {
		imp, err := f.Import(f.ctx, f.org, one.ImportID)
		must(t, err)
		names = append(names, fmt.Sprint(one.File.Path, " ", imp.Filename, " ", imp.Status, " ", imp.Outcome.DataRows))
	}
	if diff := cmp.Diff([]string{"/in/a.csv a.csv SUCCESSFUL 1", "/in/b.csv b.csv SUCCESSFUL 1", "/in/c.csv c.csv SUCCESSFUL 1"}, names); diff != "" {
		t.Errorf("the imports (-want +got):\n%s", diff)
	}
	for did := true; did; {
		did, err = f.DeliverNextResult(f.ctx)
		must(t, err)
	}
	if len(remote.put) != 3 || remote.put["/out/b."+files[1].ImportID+".csv"] != "email,name\nb@example.org,\n" {
		t.Errorf("put back: %q", remote.put)
	}

	f.failing(remote, c, made)
	if _, err := f.RunConnector(f.ctx, f.org, made.ID); err != nil || f.pull() != 1 {
		t.Errorf("it did not run at once: %v", err)
	}
	must(t, f.DeleteConnector(f.ctx, f.org, made.ID))
	if n := f.pull(); n != 0 {
		t.Errorf("%d deleted connectors ran", n)
	}
}

// failing keeps a connector from logging in for a while. It has run twice before.
func (f *fixture) failing(remote *folder, c *fakeSender, made model.Connector) {
	f.Helper()
	remote.down = errors.New("The server did not let the user in")
	for range 3 {
		f.clock.Advance(time.Hour)
		f.pull()
	}
	runs, total, err := f.Pulls(f.ctx, f.org, made.ID, 0, 10)
	if err != nil || total != 5 || runs[0].Message.String() != "The server did not let the user in." || runs[0].Kind != "denied" || runs[4].Fetched != 2 || runs[3].Fetched != 1 {
		f.Errorf("%d runs: %+v, %v", total, runs, err)
	}
	f.deliver()
	if diff := cmp.Diff([]string{"http://told sftp_connector_failed"}, c.take()); diff != "" {
		f.Errorf("told of failures (-want +got):\n%s", diff)
	}
	if now, err := f.Connector(f.ctx, f.org, made.ID); err != nil || now.Failures != 3 {
		f.Errorf("%+v, %v", now, err)
	}
	remote.down = nil
}

// TestPullDies makes the process die around the commit of each file: each becomes
// one import.
func TestPullDies(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"pull.stored", "pull.made"} {
		remote := &folder{files: map[string]string{}, put: map[string]string{}}
		f := newFixture(t, with(remote))
		made := f.connector(connectors.Draft{})
		for i := range 5 {
			remote.have(fmt.Sprint(i, ".csv"), "email\na@example.org\n")
		}
		for i := range 6 {
			name := fmt.Sprintf("folder/dying-%d", i)
			dying := f.node(name, with(remote), crashAt(point))
			must(t, dying.Join(f.ctx))
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				_, _ = dying.RunNextConnector(f.ctx)
			}()
			<-ended
			must(t, f.Join(f.ctx)) // takes back what it died over
		}
		f.pull()
		files, err := f.PulledFiles(f.ctx, f.org, made.ID)
		must(t, err)
		imports, total, err := f.Imports(f.ctx, f.org, 0, 100)
		must(t, err)
		if len(files) != 5 || total != 5 {
			t.Errorf("%s: %d files, %d imports", point, len(files), total)
		}
		for _, one := range files {
			if !one.Taken || !slices.ContainsFunc(imports, func(imp model.Import) bool { return imp.ID == one.ImportID }) {
				t.Errorf("%s: %+v", point, one)
			}
		}
	}
}

func passwordDraft() connectors.CredentialDraft {
	return connectors.CredentialDraft{
		Hostname: "sftp.example.org", Port: 22, User: "intray",
		AuthType: model.AuthPassword, Password: secrets.NewSecret("swordfish"),
	}
}

func keyDraft() connectors.CredentialDraft {
	d := passwordDraft()
	d.AuthType, d.Password, d.PrivateKey = model.AuthKey, secrets.Secret{}, secrets.NewSecret("a key")
	return d
}

func TestWrongCredentials(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for name, spoil := range map[string]func(d *connectors.CredentialDraft){
		"host name":             func(d *connectors.CredentialDraft) { d.Hostname = "a b" },
		"port 0":                func(d *connectors.CredentialDraft) { d.Port = 0 },
		"port 65536":            func(d *connectors.CredentialDraft) { d.Port = 65536 },
		"no user":               func(d *connectors.CredentialDraft) { d.User = "" },
		"long user":             func(d *connectors.CredentialDraft) { d.User = strings.Repeat("é", 256) },
		"control character":     func(d *connectors.CredentialDraft) { d.User = "a\x00b" },
		"no way to log in":      func(d *connectors.CredentialDraft) { d.AuthType = "" },
		"no password":           func(d *connectors.CredentialDraft) { d.Password = secrets.Secret{} },
		"password and key":      func(d *connectors.CredentialDraft) { d.PrivateKey = secrets.NewSecret("k") },
		"key in place of a one": func(d *connectors.CredentialDraft) { d.AuthType = model.AuthKey },
	} {
		draft := passwordDraft()
		spoil(&draft)
		_, err := f.CreateCredential(f.ctx, f.org, draft)
		if !model.IsKind(err, model.Invalid) {
			t.Errorf("%s: error %v, want that it is invalid", name, err)
		}
	}
	draft := keyDraft()
	draft.PrivateKey = secrets.NewSecret("broken")
	_, err := f.CreateCredential(f.ctx, f.org, draft)
	f.refused(err, model.Invalid, "invalid")
	if list, total, err := f.Credentials(f.ctx, f.org, 0, 10); total != 0 || len(list) != 0 || err != nil {
		t.Errorf("%d credentials were kept, error %v", total, err)
	}
}

func TestSecretsAreSealedAndKept(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	made, err := f.CreateCredential(f.ctx, f.org, passwordDraft())
	must(t, err)
	if strings.Contains(string(made.Sealed), "swordfish") || strings.Contains(made.Fingerprint, "swordfish") {
		t.Error("the secret is in the open")
	}
	twin, err := f.CreateCredential(f.ctx, f.org, passwordDraft())
	must(t, err)
	if twin.Fingerprint == made.Fingerprint {
		t.Error("two credentials with one password have one fingerprint")
	}
	change := passwordDraft()
	change.User, change.Password = "other", secrets.Secret{}
	changed, err := f.ReplaceCredential(f.ctx, f.org, made.ID, change)
	must(t, err)
	if changed.Fingerprint != made.Fingerprint || changed.User != "other" {
		t.Errorf("without a secret: %+v, want the stored one", changed)
	}
	f.sftp.report.HostKey = "host key"
	_, trouble, err := f.TestCredential(f.ctx, f.org, made.ID)
	if trouble != nil || err != nil || f.sftp.login.Password.Reveal() != "swordfish" || f.sftp.login.User != "other" {
		t.Errorf("logged in with %+v; trouble %v, error %v", f.sftp.login, trouble, err)
	}
	key := keyDraft()
	key.PrivateKey = secrets.Secret{}
	_, err = f.ReplaceCredential(f.ctx, f.org, made.ID, key)
	f.refused(err, model.Invalid, "invalid")
	key.PrivateKey = secrets.NewSecret("a key")
	changed, err = f.ReplaceCredential(f.ctx, f.org, made.ID, key)
	if err != nil || changed.Fingerprint != "SHA256:of a key" {
		t.Errorf("with a key: %+v, error %v", changed, err)
	}
}

func TestHostKeyIsPinned(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	made, err := f.CreateCredential(f.ctx, f.org, passwordDraft())
	must(t, err)
	f.sftp.trouble = errors.New("no route to the host")
	_, trouble, err := f.TestCredential(f.ctx, f.org, made.ID)
	if trouble == nil || err != nil {
		t.Fatalf("trouble %v, error %v", trouble, err)
	}
	f.hostKey(made.ID, "")
	f.sftp.trouble, f.sftp.report.HostKey = nil, "first"
	_, _, err = f.TestCredential(f.ctx, f.org, made.ID)
	must(t, err)
	f.hostKey(made.ID, "first")
	f.sftp.report.HostKey = "second"
	_, _, err = f.TestCredential(f.ctx, f.org, made.ID)
	must(t, err)
	f.hostKey(made.ID, "first")
	if f.sftp.login.HostKey != "first" {
		t.Errorf("logged in with the host key %q, want the pinned one", f.sftp.login.HostKey)
	}
	moved := passwordDraft()
	moved.Port = 2222
	_, err = f.ReplaceCredential(f.ctx, f.org, made.ID, moved)
	must(t, err)
	f.hostKey(made.ID, "")
}

func (f *fixture) hostKey(id, want string) {
	f.Helper()
	c, err := f.Credential(f.ctx, f.org, id)
	must(f.T, err)
	if diff := cmp.Diff(want, c.HostKey); diff != "" {
		f.Errorf("the pinned host key (-want +got):\n%s", diff)
	}
}

func TestDeletedCredential(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	made, err := f.CreateCredential(f.ctx, f.org, passwordDraft())
	must(t, err)
	must(t, f.DeleteCredential(f.ctx, f.org, made.ID))
	_, err = f.Credential(f.ctx, f.org, made.ID)
	f.refused(err, model.NotFound, "not_found")
	f.refused(f.DeleteCredential(f.ctx, f.org, made.ID), model.NotFound, "not_found")
}
