package simulation

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/server/webhook"
	"github.com/intraydata/intray/server/webhooks"
)

// events are the events of the statuses of an import.
var events = map[model.Status]webhooks.Event{
	model.Successful: webhooks.ImportCompleted, model.NeedsReview: webhooks.HeadlessImportNeedsReview, model.Failed: webhooks.HeadlessImportFailed,
}

// subject identifies the messages about one import to one webhook. They must arrive in order.
type subject struct{ webhook, imp string }

// receiver records the messages that arrived.
type receiver struct {
	// seen contains the ids of the messages.
	seen map[string]bool
	// arrived contains the events in the order of their first arrival, and expected those that must
	// arrive.
	arrived, expected map[subject][]string
}

func newReceiver() *receiver {
	return &receiver{seen: map[string]bool{}, arrived: map[subject][]string{}, expected: map[subject][]string{}}
}

func (r *receiver) receive(w *world, d model.Delivery) {
	if r.seen[d.ID] {
		return
	}
	r.seen[d.ID] = true
	at := subject{d.WebhookID, d.ImportID}
	r.arrived[at] = append(r.arrived[at], d.Event)
	want := r.expected[at]
	if got := r.arrived[at]; len(got) > len(want) || !slices.Equal(got, want[:len(got)]) {
		w.violate("webhook %s received %v about import %s, want the beginning of %v", d.WebhookID, got, d.ImportID, want)
	}
}

// sender passes webhook messages to the receiver.
type sender struct{ p *process }

var _ webhooks.Sender = (*sender)(nil)

// ImportPayload implements webhooks.Sender.
func (s *sender) ImportPayload(imp model.Import, _ model.Upload, _ bool) (webhooks.Payload, bool, error) {
	event, ok := events[imp.Status]
	return webhooks.Payload{Event: string(event), ContentType: "application/json", Body: []byte("{}")}, ok, nil
}

var errUnused = errors.New("the simulation does not use this")

// DisabledPayload implements webhooks.Sender.
func (s *sender) DisabledPayload(model.Webhook, time.Time, intray.Message) (webhooks.Payload, error) {
	return webhooks.Payload{}, errUnused
}

// ConnectorFailedPayload implements webhooks.Sender.
func (s *sender) ConnectorFailedPayload(model.Connector, model.PullRun) (webhooks.Payload, error) {
	return webhooks.Payload{}, errUnused
}

// DeliveryFailedPayload implements webhooks.Sender.
func (s *sender) DeliveryFailedPayload(model.Connector, model.PulledFile, time.Time) (webhooks.Payload, error) {
	return webhooks.Payload{}, errUnused
}

// CheckAddress implements webhooks.Sender.
func (s *sender) CheckAddress(url string) error { return webhook.CheckAddress(url) }

// NewSecret implements webhooks.Sender.
func (s *sender) NewSecret(random io.Reader) (secrets.Secret, error) {
	return webhook.NewSecret(random)
}

// Send delivers a message. It can fail before the message arrives, and after.
func (s *sender) Send(ctx context.Context, d model.Delivery, _ time.Time, _ []secrets.Secret) (webhooks.SendResult, error) {
	for _, label := range []string{"send ", "response to "} {
		switch s.p.w.wait(s.p, activityOf(ctx)+": "+label+d.ID) {
		case crashed:
			return webhooks.SendResult{}, errCrashed
		case fail:
			return webhooks.SendResult{Attempt: model.Attempt{Status: 503}}, nil
		}
		if ctx.Err() != nil {
			return webhooks.SendResult{}, ctx.Err()
		}
		if strings.HasPrefix(label, "send") {
			s.p.w.receiver.receive(s.p.w, d)
		}
	}
	return webhooks.SendResult{Attempt: model.Attempt{Status: 200, Delivered: true}}, nil
}

// DecideRetry implements webhooks.Sender. The receiver never counts as dead.
func (s *sender) DecideRetry(f model.FailureStreak, tries int, at time.Time, last webhooks.SendResult) webhooks.RetryDecision {
	if last.Delivered {
		return webhooks.RetryDecision{}
	}
	if f.Failures++; f.Since.IsZero() {
		f.Since = at
	}
	f.Last = at
	return webhooks.RetryDecision{Streak: f, Retry: true, Wait: time.Duration(min(tries, 5)) * time.Second}
}
