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
	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/server/service"
	"github.com/intraydata/intray/server/webhooks"
)

// fakeSender notes what is sent. Its receivers answer as down says.
type fakeSender struct {
	mu   sync.Mutex
	sent []string
	// signed are the numbers of secrets.
	signed []int
	down   func(url string) bool
	secret int
}

func carrying(c *fakeSender) change {
	return func(_ *fixture, cfg *service.Config) { cfg.WebhookSender = c }
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
	if c.down != nil && c.down(d.URL) {
		return webhooks.SendResult{Attempt: model.Attempt{Status: 503, Message: intray.Literal("It answered 503.")}}, nil
	}
	return webhooks.SendResult{Attempt: model.Attempt{Delivered: true, Status: 200}}, nil
}

func (c *fakeSender) DecideRetry(f model.FailureStreak, tries int, at time.Time, last webhooks.SendResult) webhooks.RetryDecision {
	j := webhooks.RetryDecision{Retry: tries < 5, Wait: time.Duration(tries) * time.Minute}
	if last.Delivered {
		return j
	}
	if f.Failures++; f.Failures == 1 {
		f.Since = at
	}
	f.Last = at
	j.Streak, j.Dead = f, at.Sub(f.Since) >= 5*24*time.Hour
	return j
}

func (c *fakeSender) ConnectorFailedPayload(of model.Connector, run model.PullRun) (webhooks.Payload, error) {
	return webhooks.Payload{Event: "sftp_connector_failed", Body: []byte(of.ID + " " + run.Message.String())}, nil
}

// take gives what was sent since the last call, without the ids of messages.
func (c *fakeSender) take() (list []string) {
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

// deliver sends what is due until nothing is.
func (f *fixture) deliver() {
	f.Helper()
	for range 50 {
		must(f.T, f.Deliver(f.ctx))
		f.WaitForDeliveries()
	}
}

// TestEvents tells of an import by all ways at once.
func TestEvents(t *testing.T) {
	t.Parallel()
	c := &fakeSender{}
	f := newFixture(t, carrying(c))
	for _, d := range []webhooks.Draft{
		{URL: "http://all", Enabled: true},
		{URL: "http://off"},
		{URL: "http://review", Enabled: true, Events: []string{"headless_import_needs_review"}},
		{URL: "http://dev", Enabled: true, Development: "true"},
		{URL: "http://live", Enabled: true, Development: "false"},
		{URL: "http://kind", Enabled: true, Identifiers: []string{"other"}},
		{URL: "http://schema", Enabled: true, SchemaIDs: []string{"other"}},
	} {
		_, _, err := f.CreateWebhook(f.ctx, f.org, d)
		must(t, err)
	}
	_, _, err := f.CreateWebhook(f.ctx, f.org, webhooks.Draft{URL: "gopher://x"})
	f.refused(err, model.Invalid, "invalid")
	imp := f.create(`{"invalidDataBehavior":"BLOCK_SUBMIT","webhookUrl":"http://done","needsReviewWebhookUrl":"http://person"}`)
	must(t, f.send(imp, badFile))
	f.runAll()
	f.deliver()
	want := []string{"http://all headless_import_needs_review", "http://live headless_import_needs_review", "http://person needs_review", "http://review headless_import_needs_review"}
	if diff := cmp.Diff(want, c.take()); diff != "" {
		t.Errorf("under review (-want +got):\n%s", diff)
	}
	f.clock.Advance(time.Second)
	good := f.create(`{"developmentMode":true,"webhookUrl":"http://done"}`)
	must(t, f.send(good, "email\na@example.org\n"))
	f.runAll()
	f.deliver()
	if diff := cmp.Diff([]string{"http://all import_completed", "http://dev import_completed", "http://done upload"}, c.take()); diff != "" {
		t.Errorf("successful (-want +got):\n%s", diff)
	}
	list, tried, total, err := f.Deliveries(f.ctx, f.org, "", 0, 10)
	if err != nil || total != 2 || string(list[0].Body) != "uploadId="+good.UploadID || len(tried[list[0].ID]) != 1 || list[0].Status != model.Delivered {
		t.Errorf("%d of %d deliveries: %+v, %v, %v", len(list), total, list, tried, err)
	}
	must(t, f.DeleteImport(f.ctx, f.org, good.ID))
	if list, tried, _, err = f.Deliveries(f.ctx, f.org, "", 0, 10); err != nil || list[0].Body != nil || list[0].URL != "" || len(tried[list[0].ID]) != 0 {
		t.Errorf("after the import was deleted: %+v, %v, %v", list[0], tried, err)
	}
}

// TestRetries tries again, later each time, gives up, and sends again when asked.
func TestRetries(t *testing.T) {
	t.Parallel()
	c := &fakeSender{down: func(string) bool { return true }}
	f := newFixture(t, carrying(c))
	w, first, err := f.CreateWebhook(f.ctx, f.org, webhooks.Draft{URL: "http://down", Enabled: true})
	must(t, err)
	imp := f.create(`{}`)
	must(t, f.send(imp, "email\na@example.org\n"))
	f.runAll()
	var waits []time.Duration
	for last := f.clock.Now(); len(waits) < 6; f.clock.Advance(time.Second) {
		must(t, f.Deliver(f.ctx))
		f.WaitForDeliveries()
		if len(c.take()) > 0 {
			waits = append(waits, f.clock.Now().Sub(last))
			last = f.clock.Now()
		}
		if f.clock.Now().Sub(began) > time.Hour {
			break
		}
	}
	if diff := cmp.Diff([]time.Duration{0, time.Minute, 2 * time.Minute, 3 * time.Minute, 4 * time.Minute}, waits); diff != "" {
		t.Errorf("the attempts come after (-want +got):\n%s", diff)
	}
	list, tried, _, err := f.Deliveries(f.ctx, f.org, w.ID, 0, 10)
	if err != nil || list[0].Status != model.GivenUp || len(tried[list[0].ID]) != 5 || tried[list[0].ID][4].Message.String() != "It answered 503." {
		t.Fatalf("%+v %v %v", list, tried, err)
	}
	id := list[0].ID
	_, second, err := f.RotateWebhook(f.ctx, f.org, w.ID)
	if err != nil || second == first {
		t.Errorf("the secret was not changed: %v", err)
	}
	c.down = nil
	n, err := f.Redeliver(f.ctx, f.org, w.ID, id, time.Time{})
	must(t, err)
	f.deliver()
	if n != 1 || len(c.sent) != 1 || !strings.HasSuffix(c.sent[0], id) || c.signed[len(c.signed)-1] != 2 {
		t.Errorf("sent again: %d, %q, signed by %v", n, c.sent, c.signed)
	}
	f.clock.Advance(25 * time.Hour)
	if n, err = f.Redeliver(f.ctx, f.org, w.ID, "", began); n != 1 || err != nil {
		t.Errorf("%d sent again since, %v", n, err)
	}
	f.deliver()
	if len(c.sent) != 2 || c.signed[len(c.signed)-1] != 1 {
		t.Errorf("sent %q, signed by %v", c.sent, c.signed)
	}
}

// TestDeadReceiver disables a webhook that only failed for days, and tells another.
func TestDeadReceiver(t *testing.T) {
	t.Parallel()
	c := &fakeSender{down: func(url string) bool { return url == "http://dead" }}
	f := newFixture(t, carrying(c))
	dead, _, err := f.CreateWebhook(f.ctx, f.org, webhooks.Draft{URL: "http://dead", Enabled: true})
	must(t, err)
	_, _, err = f.CreateWebhook(f.ctx, f.org, webhooks.Draft{URL: "http://other", Enabled: true, Events: []string{"webhook_disabled"}})
	must(t, err)
	for range 7 {
		imp := f.create(`{}`)
		must(t, f.send(imp, "email\na@example.org\n"))
		f.runAll()
		f.deliver()
		f.clock.Advance(24 * time.Hour)
	}
	got := c.take()
	if last := got[len(got)-1]; last != "http://other webhook_disabled" {
		t.Errorf("sent %q", got)
	}
	now, err := f.Webhook(f.ctx, f.org, dead.ID)
	if err != nil || now.Enabled {
		t.Errorf("the webhook is %+v, %v", now, err)
	}
	_, err = f.Redeliver(f.ctx, f.org, dead.ID, "", began)
	f.refused(err, model.Conflict, "webhook_disabled")
	now, err = f.ReplaceWebhook(f.ctx, f.org, dead.ID, webhooks.Draft{URL: "http://alive", Enabled: true})
	if err != nil || now.FailureStreak.Failures != 0 {
		t.Errorf("enabled again: %+v, %v", now, err)
	}
}
