package service_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/server/connectors"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/schemas"
	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/server/servertest"
	"github.com/intraydata/intray/server/service"
	"github.com/intraydata/intray/server/webhooks"
)

// withRemote makes the service use the SFTP server of the fixture.
func withRemote(f *fixture, cfg *service.Config) { cfg.Remotes = f.remote }

// newConnector creates a connector with a new schema for a user of an SFTP server.
func (f *fixture) newConnector(org, user string, draft connectors.Draft) model.Connector {
	f.Helper()
	credential, err := f.CreateCredential(f.ctx, org, connectors.CredentialDraft{Hostname: "h", Port: 22, User: user, AuthType: model.AuthPassword, Password: secrets.NewSecret("p")})
	must(f.T, err)
	schema, _, err := f.CreateSchema(f.ctx, org, schemas.Draft{Doc: namedSchema(f.T, "Mails of "+user)})
	must(f.T, err)
	draft.CredentialID, draft.SchemaID, draft.Directory, draft.Schedule.Minutes = credential.ID, schema.ID, "/in", 5
	c, err := f.CreateConnector(f.ctx, org, draft)
	must(f.T, err)
	return c
}

// runConnectors runs all connectors that are due, and returns how many it ran.
func (f *fixture) runConnectors() (n int) {
	f.Helper()
	for {
		ran, err := f.RunNextConnector(f.ctx, nil)
		must(f.T, err)
		if !ran {
			return n
		}
		n++
	}
}

func TestConnector(t *testing.T) {
	t.Parallel()
	sender := &fakeSender{}
	f := newFixture(t, withRemote, withSender(sender))
	f.createWebhook(webhooks.Draft{URL: "http://listener", Enabled: true, Events: []string{"sftp_connector_failed"}})
	made := f.newConnector(f.org, "u", connectors.Draft{PutDirectory: "/out", PutFormat: "csv"})
	f.remote.AddFile("a.csv", "email\na@example.org\n")
	f.remote.AddFile("b.csv", "email\nb@example.org\n")
	f.remote.Interrupt = 3
	if n := f.runConnectors(); n != 1 {
		t.Errorf("%d connectors ran", n)
	}
	f.remote.AddFile("c.csv", "email\nc@example.org\n")
	if n := f.runConnectors(); n != 0 {
		t.Errorf("%d connectors ran before they were due", n)
	}
	f.Clock.Advance(5 * time.Minute)
	f.runConnectors()
	f.runAll()
	files, err := f.PulledFiles(f.ctx, f.org, made.ID)
	must(t, err)
	var names []string
	for _, file := range files {
		imp, err := f.Import(f.ctx, f.org, file.ImportID)
		must(t, err)
		names = append(names, fmt.Sprint(file.File.Path, " ", imp.Filename, " ", imp.Status, " ", imp.Outcome.DataRows))
	}
	if diff := cmp.Diff([]string{"/in/a.csv a.csv SUCCESSFUL 1", "/in/b.csv b.csv SUCCESSFUL 1", "/in/c.csv c.csv SUCCESSFUL 1"}, names); diff != "" {
		t.Errorf("the imports (-want +got):\n%s", diff)
	}
	for more := true; more; {
		more, err = f.DeliverNextResult(f.ctx, nil)
		must(t, err)
	}
	if uploaded := f.remote.Uploaded(); len(uploaded) != 3 || uploaded["/out/b."+files[1].ImportID+".csv"] != "email,name\nb@example.org,\n" {
		t.Errorf("uploaded %q", uploaded)
	}

	f.checkConnectorFailures(sender, made)
	if _, err := f.RunConnector(f.ctx, f.org, made.ID); err != nil || f.runConnectors() != 1 {
		t.Errorf("the connector did not run on request: %v", err)
	}
	must(t, f.DeleteConnector(f.ctx, f.org, made.ID))
	if n := f.runConnectors(); n != 0 {
		t.Errorf("%d deleted connectors ran", n)
	}
}

// checkConnectorFailures makes three logins of a connector fail after two
// successful runs. It checks that the failure is announced once.
func (f *fixture) checkConnectorFailures(sender *fakeSender, made model.Connector) {
	f.Helper()
	f.remote.LoginError = errors.New("The server did not let the user in")
	for range 3 {
		f.Clock.Advance(time.Hour)
		f.runConnectors()
	}
	runs, total, err := servertest.Split(f.Pulls(f.ctx, f.org, made.ID, model.PageRequest{Limit: 10}))
	if err != nil || total != 5 || runs[0].Message.String() != "The server did not let the user in." || runs[0].Kind != "denied" || runs[4].Fetched != 2 || runs[3].Fetched != 1 {
		f.Errorf("%d runs: %+v, %v", total, runs, err)
	}
	f.deliverAll()
	if diff := cmp.Diff([]string{"http://listener sftp_connector_failed"}, sender.takeSent()); diff != "" {
		f.Errorf("the announced failures (-want +got):\n%s", diff)
	}
	if now, err := f.Connector(f.ctx, f.org, made.ID); err != nil || now.Failures != 3 {
		f.Errorf("%+v, %v", now, err)
	}
	f.remote.LoginError = nil
}

// The process crashes before and after the commit of each file. Each file must
// become exactly one import.
func TestPullCrashes(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"pull.stored", "pull.made"} {
		f := newFixture(t, withRemote)
		made := f.newConnector(f.org, "u", connectors.Draft{})
		for i := range 5 {
			f.remote.AddFile(fmt.Sprint(i, ".csv"), "email\na@example.org\n")
		}
		for i := range 6 {
			crashing := f.newNode(fmt.Sprintf("folder/crashing-%d", i), withRemote, crashAt(point))
			must(t, crashing.Join(f.ctx))
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				_, _ = crashing.RunNextConnector(f.ctx, nil)
			}()
			<-ended
			must(t, f.Join(f.ctx)) // reclaims the connector
		}
		f.runConnectors()
		files, err := f.PulledFiles(f.ctx, f.org, made.ID)
		must(t, err)
		imports, total, err := servertest.Split(f.Imports(f.ctx, f.org, model.PageRequest{Limit: 100}))
		must(t, err)
		if len(files) != 5 || total != 5 {
			t.Errorf("%s: %d files, %d imports", point, len(files), total)
		}
		for _, file := range files {
			if !file.Taken || !slices.ContainsFunc(imports, func(imp model.Import) bool { return imp.ID == file.ImportID }) {
				t.Errorf("%s: %+v", point, file)
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

func TestInvalidCredentials(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for name, change := range map[string]func(d *connectors.CredentialDraft){
		"host name":          func(d *connectors.CredentialDraft) { d.Hostname = "a b" },
		"port 0":             func(d *connectors.CredentialDraft) { d.Port = 0 },
		"port 65536":         func(d *connectors.CredentialDraft) { d.Port = 65536 },
		"no user":            func(d *connectors.CredentialDraft) { d.User = "" },
		"long user":          func(d *connectors.CredentialDraft) { d.User = strings.Repeat("é", 256) },
		"control character":  func(d *connectors.CredentialDraft) { d.User = "a\x00b" },
		"no auth type":       func(d *connectors.CredentialDraft) { d.AuthType = "" },
		"no password":        func(d *connectors.CredentialDraft) { d.Password = secrets.Secret{} },
		"password and key":   func(d *connectors.CredentialDraft) { d.PrivateKey = secrets.NewSecret("k") },
		"password for a key": func(d *connectors.CredentialDraft) { d.AuthType = model.AuthKey },
	} {
		draft := passwordDraft()
		change(&draft)
		_, err := f.CreateCredential(f.ctx, f.org, draft)
		if !model.IsKind(err, model.Invalid) {
			t.Errorf("%s: error %v, want Invalid", name, err)
		}
	}
	draft := keyDraft()
	draft.PrivateKey = secrets.NewSecret("broken")
	_, err := f.CreateCredential(f.ctx, f.org, draft)
	f.wantError(err, model.Invalid, "invalid")
	if list, total, err := servertest.Split(f.Credentials(f.ctx, f.org, model.PageRequest{Limit: 10})); total != 0 || len(list) != 0 || err != nil {
		t.Errorf("%d credentials were stored, error %v", total, err)
	}
}

func TestSecretsAreEncrypted(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	made, err := f.CreateCredential(f.ctx, f.org, passwordDraft())
	must(t, err)
	if strings.Contains(string(made.Sealed), "swordfish") || strings.Contains(made.Fingerprint, "swordfish") {
		t.Error("the secret is not encrypted")
	}
	twin, err := f.CreateCredential(f.ctx, f.org, passwordDraft())
	must(t, err)
	if twin.Fingerprint == made.Fingerprint {
		t.Error("two credentials with the same password have the same fingerprint")
	}
	draft := passwordDraft()
	draft.User, draft.Password = "other", secrets.Secret{}
	changed, err := f.ReplaceCredential(f.ctx, f.org, made.ID, draft)
	must(t, err)
	if changed.Fingerprint != made.Fingerprint || changed.User != "other" {
		t.Errorf("without a secret: %+v, want the stored one", changed)
	}
	f.remote.Report.HostKey = "host key"
	_, failure, err := f.TestCredential(f.ctx, f.org, made.ID)
	if failure != nil || err != nil || f.remote.TestLogin.Password.Reveal() != "swordfish" || f.remote.TestLogin.User != "other" {
		t.Errorf("logged in with %+v; failure %v, error %v", f.remote.TestLogin, failure, err)
	}
	key := keyDraft()
	key.PrivateKey = secrets.Secret{}
	_, err = f.ReplaceCredential(f.ctx, f.org, made.ID, key)
	f.wantError(err, model.Invalid, "invalid")
	key.PrivateKey = secrets.NewSecret("a key")
	changed, err = f.ReplaceCredential(f.ctx, f.org, made.ID, key)
	if err != nil || changed.Fingerprint != "SHA256:of a key" {
		t.Errorf("with a key: %+v, error %v", changed, err)
	}
}

// TestFindingEcosystemBothSecrets checks credentials with a key and a password: both are required,
// both are encrypted and used to log in, and without secrets a replacement keeps both.
func TestFindingEcosystemBothSecrets(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	both := passwordDraft()
	both.AuthType, both.PrivateKey = model.AuthKeyAndPassword, secrets.NewSecret("a key")
	for name, change := range map[string]func(d *connectors.CredentialDraft){
		"no password": func(d *connectors.CredentialDraft) { d.Password = secrets.Secret{} },
		"empty key":   func(d *connectors.CredentialDraft) { d.PrivateKey = secrets.NewSecret("") },
		"broken key":  func(d *connectors.CredentialDraft) { d.PrivateKey = secrets.NewSecret("broken") },
	} {
		draft := both
		change(&draft)
		_, err := f.CreateCredential(f.ctx, f.org, draft)
		if !model.IsKind(err, model.Invalid) {
			t.Errorf("%s: error %v, want Invalid", name, err)
		}
	}
	made, err := f.CreateCredential(f.ctx, f.org, passwordDraft())
	must(t, err)
	half := both
	half.Password = secrets.Secret{}
	_, err = f.ReplaceCredential(f.ctx, f.org, made.ID, half)
	f.wantError(err, model.Invalid, "invalid")
	made, err = f.ReplaceCredential(f.ctx, f.org, made.ID, both)
	if err != nil || made.Fingerprint != "SHA256:of a key" || strings.Contains(string(made.Sealed), "swordfish") {
		t.Errorf("%+v, error %v", made, err)
	}
	_, err = f.ReplaceCredential(f.ctx, f.org, made.ID, half)
	f.wantError(err, model.Invalid, "invalid")
	unchanged := both
	unchanged.User, unchanged.Password, unchanged.PrivateKey = "other", secrets.Secret{}, secrets.NewSecret("")
	_, err = f.ReplaceCredential(f.ctx, f.org, made.ID, unchanged)
	must(t, err)
	_, failure, err := f.TestCredential(f.ctx, f.org, made.ID)
	if login := f.remote.TestLogin; failure != nil || err != nil || login.Password.Reveal() != "swordfish" || login.PrivateKey.Reveal() != "a key" || login.User != "other" {
		t.Errorf("logged in with %+v; failure %v, error %v", login, failure, err)
	}
}

func TestHostKeyIsPinned(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	made, err := f.CreateCredential(f.ctx, f.org, passwordDraft())
	must(t, err)
	f.remote.TestError = errors.New("no route to the host")
	_, failure, err := f.TestCredential(f.ctx, f.org, made.ID)
	if failure == nil || err != nil {
		t.Fatalf("failure %v, error %v", failure, err)
	}
	f.wantHostKey(made.ID, "")
	f.remote.TestError, f.remote.Report.HostKey = nil, "first"
	_, _, err = f.TestCredential(f.ctx, f.org, made.ID)
	must(t, err)
	f.wantHostKey(made.ID, "first")
	f.remote.Report.HostKey = "second"
	_, _, err = f.TestCredential(f.ctx, f.org, made.ID)
	must(t, err)
	f.wantHostKey(made.ID, "first")
	if f.remote.TestLogin.HostKey != "first" {
		t.Errorf("logged in with the host key %q, want the pinned one", f.remote.TestLogin.HostKey)
	}
	moved := passwordDraft()
	moved.Port = 2222
	_, err = f.ReplaceCredential(f.ctx, f.org, made.ID, moved)
	must(t, err)
	f.wantHostKey(made.ID, "")
}

func (f *fixture) wantHostKey(id, want string) {
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
	f.wantError(err, model.NotFound, "not_found")
	f.wantError(f.DeleteCredential(f.ctx, f.org, made.ID), model.NotFound, "not_found")
}
