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
// server/webhook/payload.go, and announce it where it happens.
type Event string

// The events. The names and bodies of the first three are fixed by existing clients.
const (
	// ImportCompleted: an import became SUCCESSFUL.
	ImportCompleted Event = "import_completed"
	// HeadlessImportNeedsReview: an import created through the API waits for a person.
	HeadlessImportNeedsReview Event = "headless_import_needs_review"
	// HeadlessImportFailed: an import created through the API became FAILED.
	HeadlessImportFailed Event = "headless_import_failed"
	// WebhookDisabled: another webhook of the organization was disabled because it failed
	// for days.
	WebhookDisabled Event = "webhook_disabled"
	// ConnectorFailed: the runs of an SFTP connector began to fail.
	ConnectorFailed Event = "sftp_connector_failed"
)

// Events returns the names of all events that a webhook can subscribe to.
func Events() []string {
	return []string{
		string(ImportCompleted), string(HeadlessImportNeedsReview), string(HeadlessImportFailed), string(WebhookDisabled), string(ConnectorFailed),
	}
}

// Sender builds and sends messages.
type Sender interface {
	// ImportPayload returns the message about the current status of an import. ok is false
	// if there is no event for the status. It reads nothing from the store.
	ImportPayload(imp model.Import, u model.Upload, development bool) (p Payload, ok bool, err error)
	// DisabledPayload returns the message that a webhook was disabled.
	DisabledPayload(w model.Webhook, at time.Time, last intray.Message) (Payload, error)
	// ConnectorFailedPayload returns the message that the runs of a connector begin to fail.
	ConnectorFailedPayload(c model.Connector, run model.PullRun) (Payload, error)
	// CheckAddress returns an error if the URL of a receiver is invalid.
	CheckAddress(url string) error
	NewSecret(random io.Reader) (secrets.Secret, error)
	// Send makes one attempt. An error means that the attempt does not count.
	Send(ctx context.Context, d model.Delivery, at time.Time, secrets []secrets.Secret) (SendResult, error)
	// DecideRetry returns the failures of a receiver after another attempt, and what follows
	// that attempt. tries is the number of attempts at the delivery.
	DecideRetry(f model.FailureStreak, tries int, at time.Time, last SendResult) RetryDecision
}

// RetryDecision is what follows an attempt.
type RetryDecision struct {
	Streak model.FailureStreak
	// Dead reports whether the receiver counts as dead.
	Dead bool
	// Retry reports whether there is another attempt, after Wait.
	Retry bool
	Wait  time.Duration
}

// Payload is the content of a message.
type Payload struct {
	Event       string
	ContentType string
	Body        []byte
}

// SendResult is the result of an attempt.
type SendResult struct {
	model.Attempt
	// RetryAfter is the delay that the receiver requested.
	RetryAfter time.Duration
}
