package webhooks_test

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/queue"
	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/server/sqlstore"
	"github.com/intraydata/intray/server/webhooks"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var started = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

const org = "alpha"

// fixture is a service with one organization. Its store, its random bytes and its sender fail
// on demand.
type fixture struct {
	*testing.T
	*webhooks.Service
	ctx    context.Context
	env    *model.Env
	store  *sqlstore.Store
	faults *faults
	sender *fakeSender

	mu  sync.Mutex
	now time.Time
}

func (f *fixture) clock() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

func (f *fixture) advance(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = f.now.Add(d)
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
	folder, err := os.MkdirTemp("", "intray-webhooks-*")
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
	f := &fixture{T: t, ctx: t.Context(), faults: &faults{}, now: started}
	f.sender = &fakeSender{faults: f.faults}
	f.store, err = sqlstore.Open(f.ctx, storeAt(path))
	must(t, err)
	t.Cleanup(func() { must(t, f.store.Close()) })
	must(t, f.store.Update(f.ctx, func(tx model.Tx) error {
		return tx.Accounts.InsertOrg(f.ctx, model.Org{ID: org, Name: "Alpha", Created: started})
	}))
	master, err := secrets.ParseMaster(base64.StdEncoding.EncodeToString([]byte(strings.Repeat("m", 32))))
	must(t, err)
	f.env = &model.Env{
		Store: &faultStore{f.store, f.faults}, Master: master, Node: "folder/one", Clock: f.clock, Rand: faultRand{f.faults},
		Log: slog.New(slog.DiscardHandler), CrashPoint: func(string) {},
	}
	f.Service, err = webhooks.New(f.env, f.sender)
	must(t, err)
	return f
}

// webhook creates a webhook.
func (f *fixture) webhook(url string) model.Webhook {
	f.Helper()
	w, _, err := f.CreateWebhook(f.ctx, org, webhooks.Draft{URL: url, Listens: url == "", Enabled: true})
	must(f.T, err)
	return w
}

// announce announces the failure of a connector, and thus queues a delivery to each webhook.
func (f *fixture) announce() error {
	f.Helper()
	return f.env.Store.Update(f.ctx, func(tx model.Tx) error {
		return f.AnnounceConnectorFailure(f.ctx, tx, model.Connector{ID: "c", Org: org}, model.PullRun{})
	})
}

// deliverDue delivers what is due, and returns the errors.
func (f *fixture) deliverDue() error {
	f.Helper()
	var failed error
	for range 5 {
		failed = errors.Join(failed, f.Deliver(f.ctx))
		f.WaitForDeliveries()
	}
	return failed
}

// deliveries returns the deliveries of a webhook and their attempts.
func (f *fixture) deliveries(w model.Webhook) ([]model.Delivery, map[string][]model.Attempt) {
	f.Helper()
	list, attempts, _, err := f.Deliveries(f.ctx, org, w.ID, 0, 100)
	must(f.T, err)
	return list, attempts
}

// faults makes the n-th use of the store, the random bytes or the sender fail.
type faults struct {
	mu sync.Mutex
	// failAt is the number of the use that fails; 0 means none.
	failAt, uses int
	failed       string
}

var errInjected = errors.New("injected fault")

// arm makes the n-th use from now on fail.
func (f *faults) arm(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failAt, f.uses, f.failed = n, 0, ""
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
	if f.failAt == 0 {
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

type faultRand struct{ faults *faults }

func (r faultRand) Read(p []byte) (int, error) {
	return try(r.faults, "Rand.Read", func() (int, error) { return rand.Read(p) })
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
	tx.Webhooks = faultWebhooks{tx.Webhooks, f}
	tx.Deliveries = faultDeliveries{tx.Deliveries, f}
	tx.Outbox = faultOutbox{tx.Outbox, f}
	tx.Uploads = fakeUploads{tx.Uploads, f}
	return tx
}

type faultWebhooks struct {
	model.WebhookRows
	faults *faults
}

func (r faultWebhooks) Insert(ctx context.Context, w model.Webhook) error {
	return do(r.faults, "Webhooks.Insert", func() error { return r.WebhookRows.Insert(ctx, w) })
}

func (r faultWebhooks) Get(ctx context.Context, org, id string) (model.Webhook, error) {
	return try(r.faults, "Webhooks.Get", func() (model.Webhook, error) { return r.WebhookRows.Get(ctx, org, id) })
}

func (r faultWebhooks) List(ctx context.Context, org string) ([]model.Webhook, error) {
	return try(r.faults, "Webhooks.List", func() ([]model.Webhook, error) { return r.WebhookRows.List(ctx, org) })
}

func (r faultWebhooks) Save(ctx context.Context, w model.Webhook) error {
	return do(r.faults, "Webhooks.Save", func() error { return r.WebhookRows.Save(ctx, w) })
}

func (r faultWebhooks) Delete(ctx context.Context, org, id string) error {
	return do(r.faults, "Webhooks.Delete", func() error { return r.WebhookRows.Delete(ctx, org, id) })
}

type faultDeliveries struct {
	model.DeliveryRows
	faults *faults
}

func (r faultDeliveries) Insert(ctx context.Context, d model.Delivery) error {
	return do(r.faults, "Deliveries.Insert", func() error { return r.DeliveryRows.Insert(ctx, d) })
}

func (r faultDeliveries) Get(ctx context.Context, org, id string) (model.Delivery, error) {
	return try(r.faults, "Deliveries.Get", func() (model.Delivery, error) { return r.DeliveryRows.Get(ctx, org, id) })
}

func (r faultDeliveries) List(ctx context.Context, org, webhook string, offset, limit int64) ([]model.Delivery, int64, error) {
	if err := r.faults.use("Deliveries.List"); err != nil {
		return nil, 0, err
	}
	return r.DeliveryRows.List(ctx, org, webhook, offset, limit)
}

func (r faultDeliveries) Save(ctx context.Context, d model.Delivery) error {
	return do(r.faults, "Deliveries.Save", func() error { return r.DeliveryRows.Save(ctx, d) })
}

func (r faultDeliveries) Requeue(ctx context.Context, org, webhook string, since, now time.Time) (int64, error) {
	return try(r.faults, "Deliveries.Requeue", func() (int64, error) { return r.DeliveryRows.Requeue(ctx, org, webhook, since, now) })
}

func (r faultDeliveries) Attempted(ctx context.Context, a model.Attempt) error {
	return do(r.faults, "Deliveries.Attempted", func() error { return r.DeliveryRows.Attempted(ctx, a) })
}

func (r faultDeliveries) Attempts(ctx context.Context, id string) ([]model.Attempt, error) {
	return try(r.faults, "Deliveries.Attempts", func() ([]model.Attempt, error) { return r.DeliveryRows.Attempts(ctx, id) })
}

type faultOutbox struct {
	model.OutboxRows
	faults *faults
}

func (r faultOutbox) Targets(ctx context.Context, now time.Time, perOrg, limit int) ([]model.Target, error) {
	return try(r.faults, "Outbox.Targets", func() ([]model.Target, error) { return r.OutboxRows.Targets(ctx, now, perOrg, limit) })
}

func (r faultOutbox) ClaimDue(ctx context.Context, target, node string, now time.Time, limit int) ([]model.Delivery, error) {
	return try(r.faults, "Outbox.ClaimDue", func() ([]model.Delivery, error) { return r.OutboxRows.ClaimDue(ctx, target, node, now, limit) })
}

func (r faultOutbox) MakeDue(ctx context.Context, target string, now time.Time) error {
	return do(r.faults, "Outbox.MakeDue", func() error { return r.OutboxRows.MakeDue(ctx, target, now) })
}

func (r faultOutbox) GiveUp(ctx context.Context, target string) error {
	return do(r.faults, "Outbox.GiveUp", func() error { return r.OutboxRows.GiveUp(ctx, target) })
}

func (r faultOutbox) DeleteBefore(ctx context.Context, at time.Time, limit int) (int64, error) {
	return try(r.faults, "Outbox.DeleteBefore", func() (int64, error) { return r.OutboxRows.DeleteBefore(ctx, at, limit) })
}

// fakeUploads has every upload.
type fakeUploads struct {
	model.UploadRows
	faults *faults
}

func (r fakeUploads) Get(_ context.Context, org, id string) (model.Upload, error) {
	return try(r.faults, "Uploads.Get", func() (model.Upload, error) { return model.Upload{ID: id, Org: org}, nil })
}

// fakeSender records the ids that it sends.
type fakeSender struct {
	faults *faults

	mu   sync.Mutex
	sent []string
	// down makes every attempt fail.
	down bool
}

func (s *fakeSender) payload(event webhooks.Event) (webhooks.Payload, error) {
	return try(s.faults, "Sender.Payload", func() (webhooks.Payload, error) {
		return webhooks.Payload{Event: string(event), ContentType: "application/json", Body: []byte("{}")}, nil
	})
}

func (s *fakeSender) ImportPayload(imp model.Import, _ model.Upload, _ bool) (webhooks.Payload, bool, error) {
	p, err := s.payload(webhooks.ImportCompleted)
	return p, imp.Status == model.Successful, err
}

func (s *fakeSender) DisabledPayload(model.Webhook, time.Time, intray.Message) (webhooks.Payload, error) {
	return s.payload(webhooks.WebhookDisabled)
}

func (s *fakeSender) ConnectorFailedPayload(model.Connector, model.PullRun) (webhooks.Payload, error) {
	return s.payload(webhooks.ConnectorFailed)
}

func (s *fakeSender) CheckAddress(url string) error {
	if strings.Contains(url, " ") {
		return errInjected
	}
	return nil
}

func (s *fakeSender) NewSecret(random io.Reader) (secrets.Secret, error) {
	key := make([]byte, 8)
	_, err := io.ReadFull(random, key)
	return secrets.NewSecret("whsec_" + base64.StdEncoding.EncodeToString(key)), err
}

func (s *fakeSender) Send(_ context.Context, d model.Delivery, _ time.Time, _ []secrets.Secret) (webhooks.SendResult, error) {
	if err := s.faults.use("Sender.Send"); err != nil {
		return webhooks.SendResult{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = append(s.sent, d.ID)
	if s.down {
		return webhooks.SendResult{Attempt: model.Attempt{Status: 503, Message: intray.Literal("503")}}, nil
	}
	return webhooks.SendResult{Attempt: model.Attempt{Delivered: true, Status: 200}}, nil
}

// DecideRetry retries after a minute, and a receiver counts as dead after a day.
func (s *fakeSender) DecideRetry(streak model.FailureStreak, tries int, at time.Time, last webhooks.SendResult) webhooks.RetryDecision {
	decision := webhooks.RetryDecision{Retry: tries < 5, Wait: time.Minute}
	if last.Delivered {
		return decision
	}
	if streak.Failures++; streak.Failures == 1 {
		streak.Since = at
	}
	streak.Last = at
	decision.Streak, decision.Dead = streak, at.Sub(streak.Since) >= 24*time.Hour
	return decision
}
