package webhooks

import (
	"context"
	"io"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/secrets"
)

// Sender carries messages to receivers outside.
type Sender interface {
	// ImportPayload makes the message about the status that an import has now; false where
	// none tells of it. It looks up nothing.
	ImportPayload(imp model.Import, u model.Upload, development bool) (Payload, bool, error)
	// DisabledPayload makes the message that a webhook is told of nothing any more.
	DisabledPayload(w model.Webhook, at time.Time, last intray.Message) (Payload, error)
	// ConnectorFailedPayload makes the message that the runs of a connector begin to fail.
	ConnectorFailedPayload(c model.Connector, run model.PullRun) (Payload, error)
	// CheckAddress says what is wrong with the address of a receiver.
	CheckAddress(url string) error
	NewSecret(random io.Reader) (secrets.Secret, error)
	// Send makes one attempt. The error says that there was none that counts.
	Send(ctx context.Context, d model.Delivery, at time.Time, secrets []secrets.Secret) (SendResult, error)
	// DecideRetry gives the row of failures of a receiver after one more attempt, and what
	// is to follow the so many attempts at the delivery.
	DecideRetry(f model.FailureStreak, tries int, at time.Time, last SendResult) RetryDecision
}

// RetryDecision says what follows from an attempt.
type RetryDecision struct {
	Streak model.FailureStreak
	// Dead says that the receiver counts as dead.
	Dead bool
	// Retry says that there is a further attempt, after Wait.
	Retry bool
	Wait  time.Duration
}

// Payload is what a message holds.
type Payload struct {
	Event       string
	ContentType string
	Body        []byte
}

// SendResult says what came of an attempt.
type SendResult struct {
	model.Attempt
	// RetryAfter is for how long the receiver asked to be left alone.
	RetryAfter time.Duration
}
