package connectors_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/schema"
	"github.com/intraydata/intray/server/connectors"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/schemas"
	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/server/servertest"
	"github.com/intraydata/intray/server/service"
	"github.com/intraydata/intray/server/webhooks"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var must = servertest.Must

// fixture is a service with one organization and a fake SFTP server. Its store,
// blobs and server can be made to fail.
type fixture struct {
	*testing.T
	*service.Service
	*servertest.Env
	ctx    context.Context
	remote *servertest.Remote
	org    string
	schema string
	log    *bytes.Buffer
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{T: t, ctx: t.Context(), Env: servertest.New(t), log: &bytes.Buffer{}}
	f.remote = f.NewRemote()
	cfg := f.Config()
	cfg.SFTP, cfg.Remotes, cfg.WebhookSender = f.remote, f.remote, fakeSender{}
	cfg.Log = slog.New(slog.NewTextHandler(f.log, nil))
	var err error
	f.Service, err = service.New(cfg)
	must(t, err)
	t.Cleanup(func() { must(t, f.Close()) })
	must(t, f.Join(f.ctx))
	org, err := f.CreateOrg(f.ctx, "Alpha")
	must(t, err)
	f.org = org.ID
	saved, _, err := f.CreateSchema(f.ctx, f.org, schemas.Draft{Doc: schema.Doc{
		Name: "Mails", Fields: []any{map[string]any{"key": "email", "label": "E-Mail", "type": "email"}},
	}})
	must(t, err)
	f.schema = saved.ID
	return f
}

// eachFault calls a function once for each use of a dependency that can fail, each time with a
// new fixture. See [servertest.EachFault].
func eachFault(t *testing.T, call func(f *fixture, n int) string) {
	t.Helper()
	servertest.EachFault(t, func(t *testing.T, n int) string { return call(newFixture(t), n) })
}

func credentialDraft() connectors.CredentialDraft {
	return connectors.CredentialDraft{Hostname: "sftp.example.org", Port: 22, User: "anna", AuthType: model.AuthPassword, Password: secrets.NewSecret("swordfish")}
}

// draft returns a draft of a connector that has a new credential and uploads results.
func (f *fixture) draft() connectors.Draft {
	f.Helper()
	credential, err := f.CreateCredential(f.ctx, f.org, credentialDraft())
	must(f.T, err)
	return connectors.Draft{
		CredentialID: credential.ID, SchemaID: f.schema, Directory: "/in", Schedule: model.Schedule{Minutes: 5},
		PutDirectory: "/out", PutFormat: "csv",
	}
}

func (f *fixture) connector() model.Connector {
	f.Helper()
	c, err := f.CreateConnector(f.ctx, f.org, f.draft())
	must(f.T, err)
	return c
}

// fakeSender builds payloads but sends nothing.
type fakeSender struct{ webhooks.Sender }

func (fakeSender) CheckAddress(string) error { return nil }

func (fakeSender) NewSecret(io.Reader) (secrets.Secret, error) {
	return secrets.NewSecret("whsec_x"), nil
}

func (fakeSender) ConnectorFailedPayload(c model.Connector, _ model.PullRun) (webhooks.Payload, error) {
	return webhooks.Payload{Event: string(webhooks.ConnectorFailed), Body: []byte(c.ID)}, nil
}

func (fakeSender) DeliveryFailedPayload(_ model.Connector, f model.PulledFile, _ time.Time) (webhooks.Payload, error) {
	return webhooks.Payload{Event: string(webhooks.DeliveryFailed), Body: []byte(f.Put + " " + f.PutKind)}, nil
}

func (fakeSender) ImportPayload(model.Import, model.Upload, bool) (webhooks.Payload, bool, error) {
	return webhooks.Payload{}, false, nil
}

func (fakeSender) DisabledPayload(model.Webhook, time.Time, intray.Message) (webhooks.Payload, error) {
	return webhooks.Payload{}, nil
}
