package webhooks

import (
	"context"
	"io"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/secrets"
)

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
	// Send makes one attempt. An error means that there was none that counts.
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
