package service_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/schemas"
	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/server/servertest"
	"github.com/intraydata/intray/server/service"
	"github.com/intraydata/intray/server/webhooks"
)

// fakeSender records the messages that it is given to send.
type fakeSender struct {
	mu   sync.Mutex
	sent []string
	// signed lists, for each message, the number of secrets with which it is signed.
	signed []int
	// isDown reports whether a receiver responds with 503. Nil means that no receiver does.
	isDown func(url string) bool
	secret int
}

func withSender(sender webhooks.Sender) option {
	return func(_ *fixture, cfg *service.Config) { cfg.WebhookSender = sender }
}

func (f *fixture) createWebhook(d webhooks.Draft) model.Webhook {
	f.Helper()
	w, _, err := f.CreateWebhook(f.ctx, f.org, d)
	must(f.T, err)
	return w
}

func (c *fakeSender) ImportPayload(imp model.Import, u model.Upload, _ bool) (webhooks.Payload, bool, error) {
	event := map[model.Status]string{model.Successful: "import_completed", model.NeedsReview: "headless_import_needs_review", model.Failed: "headless_import_failed"}[imp.Status]
	return webhooks.Payload{Event: event, ContentType: "application/json", Body: []byte(imp.ID + " " + u.ID)}, event != "", nil
}

func (c *fakeSender) DisabledPayload(w model.Webhook, _ time.Time, last intray.Message) (webhooks.Payload, error) {
	return webhooks.Payload{Event: "webhook_disabled", Body: []byte(w.URL + " " + last.String())}, nil
}

func (c *fakeSender) CheckAddress(url string) error {
	if !strings.HasPrefix(url, "http") {
		return errors.New("the address must begin with https")
	}
	return nil
}

func (c *fakeSender) NewSecret(io.Reader) (secrets.Secret, error) {
	c.secret++
	return secrets.NewSecret(fmt.Sprintf("whsec_%d", c.secret)), nil
}

func (c *fakeSender) Send(ctx context.Context, d model.Delivery, _ time.Time, secrets []secrets.Secret) (webhooks.SendResult, error) {
	if ctx.Err() != nil {
		return webhooks.SendResult{}, ctx.Err()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent, c.signed = append(c.sent, fmt.Sprintf("%s %s %s", d.URL, d.Event, d.ID)), append(c.signed, len(secrets))
	if c.isDown != nil && c.isDown(d.URL) {
		return webhooks.SendResult{Attempt: model.Attempt{Status: 503, Message: intray.Literal("It answered 503.")}}, nil
	}
	return webhooks.SendResult{Attempt: model.Attempt{Delivered: true, Status: 200}}, nil
}

func (c *fakeSender) DecideRetry(f model.FailureStreak, tries int, at time.Time, last webhooks.SendResult) webhooks.RetryDecision {
	decision := webhooks.RetryDecision{Retry: tries < 5, Wait: time.Duration(tries) * time.Minute}
	if last.Delivered {
		return decision
	}
	if f.Failures++; f.Failures == 1 {
		f.Since = at
	}
	f.Last = at
	decision.Streak, decision.Dead = f, at.Sub(f.Since) >= 5*24*time.Hour
	return decision
}

func (c *fakeSender) ConnectorFailedPayload(of model.Connector, run model.PullRun) (webhooks.Payload, error) {
	return webhooks.Payload{Event: "sftp_connector_failed", Body: []byte(of.ID + " " + run.Message.String())}, nil
}

func (c *fakeSender) DeliveryFailedPayload(of model.Connector, f model.PulledFile, _ time.Time) (webhooks.Payload, error) {
	return webhooks.Payload{Event: "sftp_delivery_failed", Body: []byte(of.ID + " " + f.Put + " " + f.PutMessage.String())}, nil
}

// takeSent returns the messages sent since the last call, sorted and without their ids.
func (c *fakeSender) takeSent() (list []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range c.sent {
		words := strings.Fields(one)
		list = append(list, words[0]+" "+words[1])
	}
	c.sent = nil
	slices.Sort(list)
	return list
}

// deliverAll delivers messages until none is due.
func (f *fixture) deliverAll() {
	f.Helper()
	for range 50 {
		must(f.T, f.Deliver(f.ctx))
		f.WaitForDeliveries()
	}
}

// An import is announced to the webhooks whose filters match it, and to the URLs in its schema.
func TestEvents(t *testing.T) {
	t.Parallel()
	c := &fakeSender{}
	f := newFixture(t, withSender(c))
	other, _, err := f.CreateSchema(f.ctx, f.org, schemas.Draft{Doc: namedSchema(t, "Other")})
	must(t, err)
	for _, d := range []webhooks.Draft{
		{URL: "http://all", Enabled: true},
		{URL: "http://off"},
		{URL: "http://review", Enabled: true, Events: []string{"headless_import_needs_review"}},
		{URL: "http://dev", Enabled: true, Development: "true"},
		{URL: "http://live", Enabled: true, Development: "false"},
		{URL: "http://kind", Enabled: true, Identifiers: []string{"other"}},
		{URL: "http://schema", Enabled: true, SchemaIDs: []string{other.ID}},
	} {
		f.createWebhook(d)
	}
	_, _, err = f.CreateWebhook(f.ctx, f.org, webhooks.Draft{URL: "gopher://x"})
	f.wantError(err, model.Invalid, "invalid")
	imp := f.newImport(`{"invalidDataBehavior":"BLOCK_SUBMIT","webhookUrl":"http://done","needsReviewWebhookUrl":"http://person"}`)
	must(t, f.upload(imp, badFile))
	f.runAll()
	f.deliverAll()
	want := []string{"http://all headless_import_needs_review", "http://live headless_import_needs_review", "http://person needs_review", "http://review headless_import_needs_review"}
	if diff := cmp.Diff(want, c.takeSent()); diff != "" {
		t.Errorf("under review (-want +got):\n%s", diff)
	}
	f.Clock.Advance(time.Second)
	good := f.newImport(`{"developmentMode":true,"webhookUrl":"http://done"}`)
	must(t, f.upload(good, "email\na@example.org\n"))
	f.runAll()
	f.deliverAll()
	if diff := cmp.Diff([]string{"http://all import_completed", "http://dev import_completed", "http://done upload"}, c.takeSent()); diff != "" {
		t.Errorf("successful (-want +got):\n%s", diff)
	}
	list, tried, total, err := servertest.SplitDeliveries(f.Deliveries(f.ctx, f.org, "", model.PageRequest{Limit: 10}))
	if err != nil || total != 2 || string(list[0].Body) != "uploadId="+good.UploadID || len(tried[list[0].ID]) != 1 || list[0].Status != model.Delivered {
		t.Errorf("%d of %d deliveries: %+v, %v, %v", len(list), total, list, tried, err)
	}
	must(t, f.DeleteImport(f.ctx, f.org, good.ID))
	if list, tried, _, err = servertest.SplitDeliveries(f.Deliveries(f.ctx, f.org, "", model.PageRequest{Limit: 10})); err != nil || list[0].Body != nil || list[0].URL != "" || len(tried[list[0].ID]) != 0 {
		t.Errorf("after the import was deleted: %+v, %v, %v", list[0], tried, err)
	}
}

// A message is retried with increasing delays until the last attempt fails. It is
// sent again on request.
func TestRetries(t *testing.T) {
	t.Parallel()
	c := &fakeSender{isDown: func(string) bool { return true }}
	f := newFixture(t, withSender(c))
	w, first, err := f.CreateWebhook(f.ctx, f.org, webhooks.Draft{URL: "http://down", Enabled: true})
	must(t, err)
	imp := f.newImport(`{}`)
	must(t, f.upload(imp, "email\na@example.org\n"))
	f.runAll()
	var waits []time.Duration
	for last := f.Clock.Now(); len(waits) < 6; f.Clock.Advance(time.Second) {
		must(t, f.Deliver(f.ctx))
		f.WaitForDeliveries()
		if len(c.takeSent()) > 0 {
			waits = append(waits, f.Clock.Now().Sub(last))
			last = f.Clock.Now()
		}
		if f.Clock.Now().Sub(servertest.Started) > time.Hour {
			break
		}
	}
	if diff := cmp.Diff([]time.Duration{0, time.Minute, 2 * time.Minute, 3 * time.Minute, 4 * time.Minute}, waits); diff != "" {
		t.Errorf("the waits before the attempts (-want +got):\n%s", diff)
	}
	list, tried, _, err := servertest.SplitDeliveries(f.Deliveries(f.ctx, f.org, w.ID, model.PageRequest{Limit: 10}))
	if err != nil || list[0].Status != model.GivenUp || len(tried[list[0].ID]) != 5 || tried[list[0].ID][4].Message.String() != "It answered 503." {
		t.Fatalf("%+v %v %v", list, tried, err)
	}
	id := list[0].ID
	_, second, err := f.RotateWebhook(f.ctx, f.org, w.ID)
	if err != nil || second == first {
		t.Errorf("the secret did not change, or %v", err)
	}
	c.isDown = nil
	n, err := f.Redeliver(f.ctx, f.org, w.ID, id, time.Time{})
	must(t, err)
	f.deliverAll()
	if n != 1 || len(c.sent) != 1 || !strings.HasSuffix(c.sent[0], id) || c.signed[len(c.signed)-1] != 2 {
		t.Errorf("sent again: %d, %q, signed by %v", n, c.sent, c.signed)
	}
	f.Clock.Advance(25 * time.Hour)
	if n, err = f.Redeliver(f.ctx, f.org, w.ID, "", servertest.Started); n != 1 || err != nil {
		t.Errorf("redelivered %d messages, %v; want 1", n, err)
	}
	f.deliverAll()
	if len(c.sent) != 2 || c.signed[len(c.signed)-1] != 1 {
		t.Errorf("sent %q, signed by %v", c.sent, c.signed)
	}
}

// A webhook that fails for days is disabled. Other webhooks receive an event about it.
func TestDeadReceiver(t *testing.T) {
	t.Parallel()
	c := &fakeSender{isDown: func(url string) bool { return url == "http://dead" }}
	f := newFixture(t, withSender(c))
	dead := f.createWebhook(webhooks.Draft{URL: "http://dead", Enabled: true})
	f.createWebhook(webhooks.Draft{URL: "http://other", Enabled: true, Events: []string{"webhook_disabled"}})
	for range 7 {
		imp := f.newImport(`{}`)
		must(t, f.upload(imp, "email\na@example.org\n"))
		f.runAll()
		f.deliverAll()
		f.Clock.Advance(24 * time.Hour)
	}
	got := c.takeSent()
	if last := got[len(got)-1]; last != "http://other webhook_disabled" {
		t.Errorf("sent %q", got)
	}
	now, err := f.Webhook(f.ctx, f.org, dead.ID)
	if err != nil || now.Enabled {
		t.Errorf("the webhook is %+v, %v", now, err)
	}
	_, err = f.Redeliver(f.ctx, f.org, dead.ID, "", servertest.Started)
	f.wantError(err, model.Conflict, "webhook_disabled")
	now, err = f.ReplaceWebhook(f.ctx, f.org, dead.ID, webhooks.Draft{URL: "http://alive", Enabled: true})
	if err != nil || now.FailureStreak.Failures != 0 {
		t.Errorf("enabled again: %+v, %v", now, err)
	}
}
