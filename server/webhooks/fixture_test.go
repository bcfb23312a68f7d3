package webhooks_test

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/server/servertest"
	"github.com/intraydata/intray/server/webhooks"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const org = "alpha"

var must = servertest.Must

// fixture is a service with one organization. Its store, random bytes and sender
// can be made to fail.
type fixture struct {
	*testing.T
	*webhooks.Service
	*servertest.Env
	ctx    context.Context
	env    *model.Env
	sender *fakeSender
	// changes counts the deliveries that the service changes at a time.
	changes *changes
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{T: t, ctx: t.Context(), Env: servertest.New(t)}
	f.sender = &fakeSender{faults: f.Faults}
	must(t, f.Store.Update(f.ctx, func(tx model.Tx) error {
		return tx.Accounts.InsertOrg(f.ctx, model.Org{ID: org, Name: "Alpha", Created: servertest.Started})
	}))
	f.env = f.Model()
	f.changes = &changes{}
	f.env.Store = uploadStore{f.env.Store, f.Faults, f.changes}
	var err error
	f.Service, err = webhooks.New(f.env, f.sender)
	must(t, err)
	return f
}

// eachFault calls a function once for each use of a dependency that can fail, each time with a
// new fixture. See [servertest.EachFault].
func eachFault(t *testing.T, call func(f *fixture, n int) string) {
	t.Helper()
	servertest.EachFault(t, func(t *testing.T, n int) string { return call(newFixture(t), n) })
}

// webhook creates a webhook.
func (f *fixture) webhook(url string) model.Webhook {
	f.Helper()
	w, _, err := f.CreateWebhook(f.ctx, org, webhooks.Draft{URL: url, Listens: url == "", Enabled: true})
	must(f.T, err)
	return w
}

// saveSchema stores a schema and returns its id.
func (f *fixture) saveSchema(org, id string) string {
	f.Helper()
	must(f.T, f.Store.Update(f.ctx, func(tx model.Tx) error {
		return tx.Schemas.Insert(f.ctx, model.Schema{ID: id, Org: org, Name: id, Created: servertest.Started, Modified: servertest.Started})
	}))
	return id
}

// announce announces the failure of a connector. This queues a delivery to each webhook.
func (f *fixture) announce() error {
	f.Helper()
	return f.env.Store.Update(f.ctx, func(tx model.Tx) error {
		return f.AnnounceConnectorFailure(f.ctx, tx, model.Connector{ID: "c", Org: org}, model.PullRun{})
	})
}

// deliverDue delivers the messages that are due, and returns the errors.
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
	list, attempts, _, err := servertest.SplitDeliveries(f.Deliveries(f.ctx, org, w.ID, model.PageRequest{Limit: 100}))
	must(f.T, err)
	return list, attempts
}

// uploadStore is a store in which every upload exists.
type uploadStore struct {
	model.Store
	faults  *servertest.Faults
	changes *changes
}

func (s uploadStore) Update(ctx context.Context, work func(model.Tx) error) error {
	return s.Store.Update(ctx, func(tx model.Tx) error {
		tx.Uploads = fakeUploads{tx.Uploads, s.faults}
		tx.Webhooks = countedWebhooks{tx.Webhooks, s.changes}
		tx.Deliveries = countedDeliveries{tx.Deliveries, s.changes}
		tx.Outbox = countedOutbox{tx.Outbox, s.changes}
		return work(tx)
	})
}

// changes holds the largest number of deliveries that one call changed.
type changes struct{ largest atomic.Int64 }

func (c *changes) add(n int64) {
	for {
		old := c.largest.Load()
		if n <= old || c.largest.CompareAndSwap(old, n) {
			return
		}
	}
}

type countedWebhooks struct {
	model.WebhookRows
	changes *changes
}

func (r countedWebhooks) DeleteDeliveries(ctx context.Context, org, id string, limit int) (int64, error) {
	n, err := r.WebhookRows.DeleteDeliveries(ctx, org, id, limit)
	r.changes.add(n)
	return n, err
}

type countedDeliveries struct {
	model.DeliveryRows
	changes *changes
}

func (r countedDeliveries) Requeue(ctx context.Context, org, webhookID string, after model.DeliveryPosition, now time.Time, limit int) ([]model.DeliveryPosition, error) {
	list, err := r.DeliveryRows.Requeue(ctx, org, webhookID, after, now, limit)
	r.changes.add(int64(len(list)))
	return list, err
}

type countedOutbox struct {
	model.OutboxRows
	changes *changes
}

func (r countedOutbox) MakeDue(ctx context.Context, target string, now time.Time, limit int) (int64, error) {
	n, err := r.OutboxRows.MakeDue(ctx, target, now, limit)
	r.changes.add(n)
	return n, err
}

func (r countedOutbox) GiveUp(ctx context.Context, target string, limit int) (int64, error) {
	n, err := r.OutboxRows.GiveUp(ctx, target, limit)
	r.changes.add(n)
	return n, err
}

type fakeUploads struct {
	model.UploadRows
	faults *servertest.Faults
}

func (r fakeUploads) Get(_ context.Context, org, id string) (model.Upload, error) {
	return servertest.Get(r.faults, "Uploads.Get", func() (model.Upload, error) { return model.Upload{ID: id, Org: org}, nil })
}

// fakeSender records the ids of the messages that it is given to send.
type fakeSender struct {
	faults *servertest.Faults

	mu   sync.Mutex
	sent []string
	// down makes every attempt fail.
	down bool
	// downAfter makes every attempt fail after this many, unless it is 0.
	downAfter int
	// gone lists the URLs whose receivers respond with 410.
	gone []string
	// onSend, unless nil, is called for each attempt.
	onSend func()
}

func (s *fakeSender) payload(event webhooks.Event) (webhooks.Payload, error) {
	return servertest.Get(s.faults, "Sender.Payload", func() (webhooks.Payload, error) {
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

func (s *fakeSender) DeliveryFailedPayload(model.Connector, model.PulledFile, time.Time) (webhooks.Payload, error) {
	return s.payload(webhooks.DeliveryFailed)
}

func (s *fakeSender) CheckAddress(url string) error {
	if strings.Contains(url, " ") {
		return servertest.ErrInjected
	}
	return nil
}

func (s *fakeSender) NewSecret(random io.Reader) (secrets.Secret, error) {
	key := make([]byte, 8)
	_, err := io.ReadFull(random, key)
	return secrets.NewSecret("whsec_" + base64.StdEncoding.EncodeToString(key)), err
}

func (s *fakeSender) Send(_ context.Context, d model.Delivery, _ time.Time, _ []secrets.Secret) (webhooks.SendResult, error) {
	if err := s.faults.Use("Sender.Send"); err != nil {
		return webhooks.SendResult{}, err
	}
	if s.onSend != nil {
		s.onSend()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = append(s.sent, d.ID)
	if slices.Contains(s.gone, d.URL) {
		return webhooks.SendResult{Gone: true, Attempt: model.Attempt{Status: 410, Message: intray.Literal("410")}}, nil
	}
	if s.down || s.downAfter > 0 && len(s.sent) > s.downAfter {
		return webhooks.SendResult{Attempt: model.Attempt{Status: 503, Message: intray.Literal("503")}}, nil
	}
	return webhooks.SendResult{Attempt: model.Attempt{Delivered: true, Status: 200}}, nil
}

// DecideRetry retries after a minute. A receiver counts as dead after a day.
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
