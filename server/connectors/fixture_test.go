package connectors_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/schema"
	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/blob/mem"
	"github.com/intraydata/intray/server/connectors"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/queue"
	"github.com/intraydata/intray/server/schemas"
	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/server/service"
	"github.com/intraydata/intray/server/sqlstore"
	"github.com/intraydata/intray/server/webhooks"
	"github.com/intraydata/intray/source/formats"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var started = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// fixture is a service with one organization and a fake SFTP server. Its store, blobs and
// server fail on demand.
type fixture struct {
	*testing.T
	*service.Service
	ctx    context.Context
	store  *sqlstore.Store
	faults *faults
	remote *fakeRemote
	clock  *clock
	org    string
	schema string
}

type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func storeAt(path string) sqlstore.Config {
	return sqlstore.Config{Path: path, Queue: queue.Config{Node: "folder/one"}}
}

// migrated returns an empty database. Creating its tables takes longer than most tests.
var migrated = sync.OnceValues(func() ([]byte, error) {
	folder, err := os.MkdirTemp("", "intray-connectors-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "intray.db")
	rows, err := sqlstore.Open(context.Background(), storeAt(path))
	if err != nil {
		return nil, err
	}
	if err := rows.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

func newFixture(t *testing.T) *fixture {
	t.Helper()
	database, err := migrated()
	must(t, err)
	path := filepath.Join(t.TempDir(), "intray.db")
	must(t, os.WriteFile(path, database, 0o600))
	f := &fixture{T: t, ctx: t.Context(), faults: &faults{}, clock: &clock{now: started}}
	f.remote = &fakeRemote{faults: f.faults, files: map[string]string{}, uploaded: map[string]string{}}
	f.store, err = sqlstore.Open(f.ctx, storeAt(path))
	must(t, err)
	t.Cleanup(func() { must(t, f.store.Close()) })
	master, err := secrets.ParseMaster(base64.StdEncoding.EncodeToString([]byte(strings.Repeat("m", 32))))
	must(t, err)
	f.Service, err = service.New(service.Config{
		Store: &faultStore{Store: f.store, faults: f.faults}, Blobs: &faultBlobs{Store: mem.New(), faults: f.faults}, Master: master,
		SFTP: f.remote, Remotes: f.remote, WebhookSender: fakeSender{}, Node: "folder/one", Clock: f.clock.Now, Rand: faultRand{f.faults},
		Engine: engine.New(engine.Config{Formats: formats.Formats(""), Workers: 1}),
	})
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

func credentialDraft() connectors.CredentialDraft {
	return connectors.CredentialDraft{Hostname: "sftp.example.org", Port: 22, User: "anna", AuthType: model.AuthPassword, Password: secrets.NewSecret("swordfish")}
}

// draft returns a connector that uploads results, with a new credential.
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

// faults makes the n-th use of the store, the blobs or the SFTP server fail.
type faults struct {
	mu sync.Mutex
	// failAt is the number of the use that fails; 0 means none.
	failAt, uses int
	failed       string
	// only restricts counting to uses with this name.
	only string
}

var errInjected = errors.New("injected fault")

// arm makes the n-th use from now on fail. With only, other uses do not count.
func (f *faults) arm(n int, only string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failAt, f.uses, f.failed, f.only = n, 0, "", only
}

// disarm stops failing and returns the name of the use that failed, or "".
func (f *faults) disarm() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failAt = 0
	return f.failed
}

func (f *faults) use(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failAt == 0 || f.only != "" && name != f.only {
		return nil
	}
	if f.uses++; f.uses != f.failAt {
		return nil
	}
	f.failed = name
	return errInjected
}

// try calls a function unless the use fails.
func try[T any](f *faults, name string, call func() (T, error)) (T, error) {
	if err := f.use(name); err != nil {
		var zero T
		return zero, err
	}
	return call()
}

func do(f *faults, name string, call func() error) error {
	if err := f.use(name); err != nil {
		return err
	}
	return call()
}

// faultStore is a store whose calls fail, and whose commits fail before or after they took
// effect.
type faultStore struct {
	model.Store
	faults *faults
}

func (s *faultStore) Update(ctx context.Context, work func(model.Tx) error) error {
	err := s.Store.Update(ctx, func(tx model.Tx) error {
		if err := work(s.faults.wrap(tx)); err != nil {
			return err
		}
		return s.faults.use("commit")
	})
	if err != nil {
		return err
	}
	return s.faults.use("response of commit")
}

func (s *faultStore) View(ctx context.Context, work func(model.Tx) error) error {
	return s.Store.View(ctx, func(tx model.Tx) error { return work(s.faults.wrap(tx)) })
}

func (f *faults) wrap(tx model.Tx) model.Tx {
	tx.Connectors = faultConnectors{tx.Connectors, f}
	tx.Credentials = faultCredentials{tx.Credentials, f}
	tx.Pulled = faultPulled{tx.Pulled, f}
	tx.Pulls = faultPulls{tx.Pulls, f}
	tx.Schemas = faultSchemas{tx.Schemas, f}
	tx.Imports = faultImports{tx.Imports, f}
	tx.Uploads = faultUploads{tx.Uploads, f}
	tx.Trash = faultTrash{tx.Trash, f}
	tx.Webhooks = faultWebhooks{tx.Webhooks, f}
	tx.Deliveries = faultDeliveries{tx.Deliveries, f}
	tx.Jobs = faultJobs{tx.Jobs, f}
	return tx
}

type faultConnectors struct {
	model.ConnectorRows
	faults *faults
}

func (r faultConnectors) Insert(ctx context.Context, c model.Connector) error {
	return do(r.faults, "Connectors.Insert", func() error { return r.ConnectorRows.Insert(ctx, c) })
}

func (r faultConnectors) Get(ctx context.Context, org, id string) (model.Connector, error) {
	return try(r.faults, "Connectors.Get", func() (model.Connector, error) { return r.ConnectorRows.Get(ctx, org, id) })
}

func (r faultConnectors) List(ctx context.Context, org string) ([]model.Connector, error) {
	return try(r.faults, "Connectors.List", func() ([]model.Connector, error) { return r.ConnectorRows.List(ctx, org) })
}

func (r faultConnectors) Save(ctx context.Context, c model.Connector) error {
	return do(r.faults, "Connectors.Save", func() error { return r.ConnectorRows.Save(ctx, c) })
}

func (r faultConnectors) Delete(ctx context.Context, org, id string) error {
	return do(r.faults, "Connectors.Delete", func() error { return r.ConnectorRows.Delete(ctx, org, id) })
}

func (r faultConnectors) ClaimDue(ctx context.Context, node string, now time.Time) (model.Connector, error) {
	return try(r.faults, "Connectors.ClaimDue", func() (model.Connector, error) { return r.ConnectorRows.ClaimDue(ctx, node, now) })
}

type faultCredentials struct {
	model.CredentialRows
	faults *faults
}

func (r faultCredentials) Insert(ctx context.Context, c model.Credential) error {
	return do(r.faults, "Credentials.Insert", func() error { return r.CredentialRows.Insert(ctx, c) })
}

func (r faultCredentials) Get(ctx context.Context, org, id string) (model.Credential, error) {
	return try(r.faults, "Credentials.Get", func() (model.Credential, error) { return r.CredentialRows.Get(ctx, org, id) })
}

func (r faultCredentials) List(ctx context.Context, org string, offset, limit int64) ([]model.Credential, int64, error) {
	if err := r.faults.use("Credentials.List"); err != nil {
		return nil, 0, err
	}
	return r.CredentialRows.List(ctx, org, offset, limit)
}

func (r faultCredentials) Save(ctx context.Context, c model.Credential) error {
	return do(r.faults, "Credentials.Save", func() error { return r.CredentialRows.Save(ctx, c) })
}

func (r faultCredentials) Delete(ctx context.Context, org, id string) error {
	return do(r.faults, "Credentials.Delete", func() error { return r.CredentialRows.Delete(ctx, org, id) })
}

type faultPulled struct {
	model.PulledRows
	faults *faults
}

func (r faultPulled) ListByConnector(ctx context.Context, id string) ([]model.PulledFile, error) {
	return try(r.faults, "Pulled.ListByConnector", func() ([]model.PulledFile, error) { return r.PulledRows.ListByConnector(ctx, id) })
}

func (r faultPulled) Get(ctx context.Context, id string, f model.RemoteFile) (model.PulledFile, error) {
	return try(r.faults, "Pulled.Get", func() (model.PulledFile, error) { return r.PulledRows.Get(ctx, id, f) })
}

func (r faultPulled) Upsert(ctx context.Context, f model.PulledFile) error {
	return do(r.faults, "Pulled.Upsert", func() error { return r.PulledRows.Upsert(ctx, f) })
}

func (r faultPulled) Delete(ctx context.Context, id string, f model.RemoteFile) error {
	return do(r.faults, "Pulled.Delete", func() error { return r.PulledRows.Delete(ctx, id, f) })
}

func (r faultPulled) ByImport(ctx context.Context, id string) (model.PulledFile, error) {
	return try(r.faults, "Pulled.ByImport", func() (model.PulledFile, error) { return r.PulledRows.ByImport(ctx, id) })
}

func (r faultPulled) ListDueUploads(ctx context.Context, now time.Time, limit int) ([]model.PulledFile, error) {
	return try(r.faults, "Pulled.ListDueUploads", func() ([]model.PulledFile, error) { return r.PulledRows.ListDueUploads(ctx, now, limit) })
}

type faultPulls struct {
	model.PullRows
	faults *faults
}

func (r faultPulls) Insert(ctx context.Context, p model.PullRun) error {
	return do(r.faults, "Pulls.Insert", func() error { return r.PullRows.Insert(ctx, p) })
}

func (r faultPulls) List(ctx context.Context, id string, offset, limit int64) ([]model.PullRun, int64, error) {
	if err := r.faults.use("Pulls.List"); err != nil {
		return nil, 0, err
	}
	return r.PullRows.List(ctx, id, offset, limit)
}

func (r faultPulls) Trim(ctx context.Context, id string, keep int) error {
	return do(r.faults, "Pulls.Trim", func() error { return r.PullRows.Trim(ctx, id, keep) })
}

type faultSchemas struct {
	model.SchemaRows
	faults *faults
}

func (r faultSchemas) Get(ctx context.Context, org, id string) (model.Schema, error) {
	return try(r.faults, "Schemas.Get", func() (model.Schema, error) { return r.SchemaRows.Get(ctx, org, id) })
}

type faultImports struct {
	model.ImportRows
	faults *faults
}

func (r faultImports) Insert(ctx context.Context, imp model.Import) error {
	return do(r.faults, "Imports.Insert", func() error { return r.ImportRows.Insert(ctx, imp) })
}

func (r faultImports) Get(ctx context.Context, org, id string) (model.Import, error) {
	return try(r.faults, "Imports.Get", func() (model.Import, error) { return r.ImportRows.Get(ctx, org, id) })
}

type faultUploads struct {
	model.UploadRows
	faults *faults
}

func (r faultUploads) Insert(ctx context.Context, u model.Upload) error {
	return do(r.faults, "Uploads.Insert", func() error { return r.UploadRows.Insert(ctx, u) })
}

type faultTrash struct {
	model.TrashRows
	faults *faults
}

func (r faultTrash) Schedule(ctx context.Context, t model.Trash) error {
	return do(r.faults, "Trash.Schedule", func() error { return r.TrashRows.Schedule(ctx, t) })
}

func (r faultTrash) Remove(ctx context.Context, prefix string) error {
	return do(r.faults, "Trash.Remove", func() error { return r.TrashRows.Remove(ctx, prefix) })
}

type faultWebhooks struct {
	model.WebhookRows
	faults *faults
}

func (r faultWebhooks) List(ctx context.Context, org string) ([]model.Webhook, error) {
	return try(r.faults, "Webhooks.List", func() ([]model.Webhook, error) { return r.WebhookRows.List(ctx, org) })
}

type faultDeliveries struct {
	model.DeliveryRows
	faults *faults
}

func (r faultDeliveries) Insert(ctx context.Context, d model.Delivery) error {
	return do(r.faults, "Deliveries.Insert", func() error { return r.DeliveryRows.Insert(ctx, d) })
}

type faultJobs struct {
	model.Jobs
	faults *faults
}

func (j faultJobs) Enqueue(ctx context.Context, job queue.Job) error {
	return do(j.faults, "Jobs.Enqueue", func() error { return j.Jobs.Enqueue(ctx, job) })
}

// faultRand is a source of random bytes that fails.
type faultRand struct{ faults *faults }

func (r faultRand) Read(p []byte) (int, error) {
	return try(r.faults, "Rand.Read", func() (int, error) { return rand.Read(p) })
}

// faultBlobs are blobs whose writers and readers fail.
type faultBlobs struct {
	*mem.Store
	faults *faults
}

func (b *faultBlobs) Create(ctx context.Context, key string) (blob.Writer, error) {
	return try(b.faults, "Blobs.Create", func() (blob.Writer, error) {
		w, err := b.Store.Create(ctx, key)
		return faultWriter{w, b.faults}, err
	})
}

func (b *faultBlobs) Open(ctx context.Context, key string) (blob.Reader, error) {
	return try(b.faults, "Blobs.Open", func() (blob.Reader, error) {
		r, err := b.Store.Open(ctx, key)
		return faultReader{r, b.faults}, err
	})
}

type faultWriter struct {
	blob.Writer
	faults *faults
}

func (w faultWriter) Write(p []byte) (int, error) {
	if err := w.faults.use("Blobs.Write"); err != nil {
		return 0, err
	}
	return w.Writer.Write(p)
}

func (w faultWriter) Commit() error {
	return do(w.faults, "Blobs.Commit", w.Writer.Commit)
}

type faultReader struct {
	blob.Reader
	faults *faults
}

func (r faultReader) ReadAt(p []byte, off int64) (int, error) {
	if err := r.faults.use("Blobs.ReadAt"); err != nil {
		return 0, err
	}
	return r.Reader.ReadAt(p, off)
}

// fakeRemote is an SFTP server with files.
type fakeRemote struct {
	faults *faults

	mu       sync.Mutex
	files    map[string]string
	uploaded map[string]string
	// opened counts logins and closed their ends.
	opened, closed int
	// interrupt is how many downloads break off after 3 bytes.
	interrupt int
	// onFetch is called at each download. It can be nil.
	onFetch func()
}

var (
	_ connectors.SFTP    = (*fakeRemote)(nil)
	_ connectors.Remotes = (*fakeRemote)(nil)
	_ connectors.Remote  = (*fakeRemote)(nil)
)

var errLost = errors.New("connection lost")

func (r *fakeRemote) TestConnection(context.Context, connectors.Login) (connectors.SFTPReport, error) {
	return connectors.SFTPReport{HostKey: "key", HostKeyFingerprint: "fingerprint"}, nil
}

func (r *fakeRemote) Fingerprint(key secrets.Secret) (string, error) {
	if key.Reveal() == "broken" {
		return "", errInjected
	}
	return "SHA256:" + key.Reveal(), nil
}

func (r *fakeRemote) ValidHostname(name string) error {
	if strings.Contains(name, " ") {
		return errInjected
	}
	return nil
}

func (r *fakeRemote) CheckSchedule(s model.Schedule) error {
	if s.Minutes < 5 {
		return errInjected
	}
	return nil
}

func (r *fakeRemote) CheckDirectory(path string) error {
	if strings.Contains(path, "..") {
		return errInjected
	}
	return nil
}

func (r *fakeRemote) CheckPattern(pattern string) error {
	if pattern == "(" {
		return errInjected
	}
	return nil
}

func (r *fakeRemote) NextRun(s model.Schedule, last time.Time, failures int, now time.Time) time.Time {
	if last.IsZero() {
		return now
	}
	return last.Add(time.Duration(s.Minutes*(failures+1)) * time.Minute)
}

func (r *fakeRemote) PlanPull(memory []model.PulledFile, listed []model.RemoteFile, now time.Time) (plan connectors.PullPlan) {
	for _, one := range listed {
		known := slices.IndexFunc(memory, func(m model.PulledFile) bool { return m.File == one })
		if known < 0 {
			plan.Keep = append(plan.Keep, model.PulledFile{File: one, Since: now})
		}
		if known < 0 || !memory[known].Taken {
			plan.Fetch = append(plan.Fetch, one)
		}
	}
	for _, m := range memory {
		if !slices.Contains(listed, m.File) {
			plan.Drop = append(plan.Drop, m.File)
		}
	}
	return plan
}

func (r *fakeRemote) Classify(err error) connectors.RemoteFailure {
	if errors.Is(err, errLost) {
		return connectors.RemoteFailure{Kind: "connection_lost", Resumable: true}
	}
	return connectors.RemoteFailure{}
}

func (r *fakeRemote) Open(context.Context, connectors.Login) (connectors.Remote, error) {
	if err := r.faults.use("Remotes.Open"); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.opened++
	return r, nil
}

func (r *fakeRemote) Report() connectors.SFTPReport { return connectors.SFTPReport{HostKey: "key"} }

func (r *fakeRemote) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed++
}

func (r *fakeRemote) List(_ context.Context, directory, _ string) (listing connectors.RemoteListing, err error) {
	if err := r.faults.use("Remote.List"); err != nil {
		return listing, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for name, text := range r.files {
		listing.Files = append(listing.Files, model.RemoteFile{Path: path.Join(directory, name), Size: int64(len(text)), Modified: started})
	}
	slices.SortFunc(listing.Files, func(a, b model.RemoteFile) int { return strings.Compare(a.Path, b.Path) })
	return listing, nil
}

func (r *fakeRemote) Fetch(_ context.Context, f model.RemoteFile, offset, _ int64, to io.Writer) (int64, error) {
	if err := r.faults.use("Remote.Fetch"); err != nil {
		return 0, err
	}
	if r.onFetch != nil {
		r.onFetch()
	}
	r.mu.Lock()
	text := r.files[path.Base(f.Path)][offset:]
	interrupted := r.interrupt > 0
	if interrupted {
		r.interrupt--
		text = text[:min(len(text), 3)]
	}
	r.mu.Unlock()
	n, err := io.WriteString(to, text)
	if err == nil && interrupted {
		err = errLost
	}
	return int64(n), err
}

func (r *fakeRemote) Upload(_ context.Context, directory, name string, from io.Reader) error {
	if err := r.faults.use("Remote.Upload"); err != nil {
		return err
	}
	var text bytes.Buffer
	if _, err := text.ReadFrom(from); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.uploaded[path.Join(directory, name)] = text.String()
	return nil
}

// fakeSender builds payloads and sends nothing.
type fakeSender struct{ webhooks.Sender }

func (fakeSender) CheckAddress(string) error { return nil }

func (fakeSender) NewSecret(io.Reader) (secrets.Secret, error) {
	return secrets.NewSecret("whsec_x"), nil
}

func (fakeSender) ConnectorFailedPayload(c model.Connector, _ model.PullRun) (webhooks.Payload, error) {
	return webhooks.Payload{Event: string(webhooks.ConnectorFailed), Body: []byte(c.ID)}, nil
}

func (fakeSender) ImportPayload(model.Import, model.Upload, bool) (webhooks.Payload, bool, error) {
	return webhooks.Payload{}, false, nil
}

func (fakeSender) DisabledPayload(model.Webhook, time.Time, intray.Message) (webhooks.Payload, error) {
	return webhooks.Payload{}, nil
}
