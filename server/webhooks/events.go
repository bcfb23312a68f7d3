package webhooks

import (
	"context"
	"io"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/secrets"
)

// Event is the type of an event. To add one, add its name here, build its body in
// server/webhook/payload.go, and announce it where it occurs.
type Event string

// These are the events. Existing clients depend on the names and bodies of the first three.
const (
	// ImportCompleted means that an import became SUCCESSFUL.
	ImportCompleted Event = "import_completed"
	// HeadlessImportNeedsReview means that an import created through the API is
	// waiting for a person.
	HeadlessImportNeedsReview Event = "headless_import_needs_review"
	// HeadlessImportFailed means that an import created through the API became FAILED.
	HeadlessImportFailed Event = "headless_import_failed"
	// WebhookDisabled means that another webhook of the organization was disabled
	// because it failed for days or its receiver asked for this.
	WebhookDisabled Event = "webhook_disabled"
	// ConnectorFailed means that a run of an SFTP connector failed, although the run before it,
	// if any, succeeded.
	ConnectorFailed Event = "sftp_connector_failed"
	// DeliveryFailed means that a result could not be uploaded to an SFTP server. It is sent when
	// the uploads of a connector begin to fail, and for each result that is not tried again.
	DeliveryFailed Event = "sftp_delivery_failed"
)

// Events returns the names of all events that a webhook can subscribe to.
func Events() []string {
	return []string{
		string(ImportCompleted), string(HeadlessImportNeedsReview), string(HeadlessImportFailed), string(WebhookDisabled), string(ConnectorFailed),
		string(DeliveryFailed),
	}
}

// PayloadBuilder builds webhook messages.
type PayloadBuilder interface {
	// ImportPayload returns the message for the current status of an import. ok is
	// false if the status has no event. ImportPayload reads nothing from the store.
	ImportPayload(imp model.Import, u model.Upload, development bool) (p Payload, ok bool, err error)
	// DisabledPayload returns the message that reports a disabled webhook.
	DisabledPayload(w model.Webhook, at time.Time, last intray.Message) (Payload, error)
	// ConnectorFailedPayload returns the message that reports the first in a series of failed
	// runs of a connector.
	ConnectorFailedPayload(c model.Connector, run model.PullRun) (Payload, error)
	// DeliveryFailedPayload returns the message that reports a result that could not be uploaded.
	DeliveryFailedPayload(c model.Connector, f model.PulledFile, at time.Time) (Payload, error)
}

// Sender builds and sends webhook messages.
type Sender interface {
	PayloadBuilder
	// CheckAddress returns an error if the URL of a receiver is invalid.
	CheckAddress(url string) error
	NewSecret(random io.Reader) (secrets.Secret, error)
	// Send makes one attempt. An error means that the attempt does not count.
	Send(ctx context.Context, d model.Delivery, at time.Time, secrets []secrets.Secret) (SendResult, error)
	// DecideRetry returns the failure streak of a receiver after one more attempt, and what to
	// do next. tries is the number of attempts to deliver the message, including this one.
	DecideRetry(f model.FailureStreak, tries int, at time.Time, last SendResult) RetryDecision
}

// RetryDecision is the decision of DecideRetry.
type RetryDecision struct {
	Streak model.FailureStreak
	// Dead is true if the receiver counts as dead.
	Dead bool
	// Retry is true if there is a next attempt, after the delay Wait.
	Retry bool
	Wait  time.Duration
}

// Payload is the content of a webhook message.
type Payload struct {
	Event       string
	ContentType string
	Body        []byte
}

// SendResult is the result of an attempt to deliver a message.
type SendResult struct {
	model.Attempt
	// RetryAfter is the delay that the receiver requested, or 0.
	RetryAfter time.Duration
	// Gone is true if the receiver asked that nothing more is sent to the URL. The message is not
	// tried again, and the webhook is disabled.
	Gone bool
}
