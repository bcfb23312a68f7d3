package server

import (
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/connectors"
	"github.com/intraydata/intray/server/egress"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/server/webhook"
	"github.com/intraydata/intray/server/webhooks"
)

// webhookSender implements webhooks.Sender with package webhook.
type webhookSender struct {
	sender *webhook.Sender
	// retrieved returns the JSON object that the API returns for an import. It is
	// set before the service runs.
	retrieved func(imp model.Import, u model.Upload) ([]byte, error)
}

var _ webhooks.Sender = (*webhookSender)(nil)

func newWebhookSender(dialer *egress.Dialer) *webhookSender {
	return &webhookSender{sender: webhook.New(dialer, webhook.Config{})}
}

// ImportPayload returns the message for the status of an import. ok is false if the
// status has no event.
func (c *webhookSender) ImportPayload(imp model.Import, u model.Upload, development bool) (p webhooks.Payload, ok bool, err error) {
	of := webhook.Import{
		UploadID: u.ID, Filename: imp.Filename, Ended: imp.Modified, Type: importType(imp), Status: string(imp.Status),
		DevelopmentMode: development, HasData: imp.Status == model.Successful && imp.Result.Key != "",
	}
	if imp.HasUser {
		of.User = &webhook.User{ID: imp.User.ID, Name: imp.User.Name, Email: imp.User.Email, CompanyID: imp.User.CompanyID, CompanyName: imp.User.CompanyName}
	}
	if imp.Outcome != nil {
		of.DataRows = imp.Outcome.DataRows
	}
	event, hasEvent := of.Event()
	if !hasEvent || c.retrieved == nil {
		return webhooks.Payload{}, false, nil
	}
	if of.Retrieved, err = c.retrieved(imp, u); err != nil {
		return webhooks.Payload{}, false, err
	}
	body, err := of.Body()
	return newPayload(event, body), true, err
}

// importType returns the type of an import in messages.
func importType(imp model.Import) string {
	if imp.Sync != "" {
		return webhook.Embedded
	}
	return webhook.Headless
}

// DisabledPayload returns the message that reports a disabled webhook.
func (c *webhookSender) DisabledPayload(w model.Webhook, at time.Time, last intray.Message) (webhooks.Payload, error) {
	body, err := webhook.Disabled{ID: w.ID, URL: w.URL, At: at, Streak: webhook.FailureStreak(w.FailureStreak), Last: last}.Body()
	return newPayload(webhooks.WebhookDisabled, body), err
}

// ConnectorFailedPayload returns the message that reports the first in a series of failed runs
// of a connector.
func (c *webhookSender) ConnectorFailedPayload(of model.Connector, run model.PullRun) (webhooks.Payload, error) {
	body, err := webhook.ConnectorFailed{
		ID: of.ID, Directory: of.Directory, RunID: run.ID, Kind: run.Kind, Message: run.Message, Failed: run.Ended, NextRun: of.Next,
	}.Body()
	return newPayload(webhooks.ConnectorFailed, body), err
}

// DeliveryFailedPayload returns the message that reports a result that could not be uploaded.
func (c *webhookSender) DeliveryFailedPayload(of model.Connector, f model.PulledFile, at time.Time) (webhooks.Payload, error) {
	failed := webhook.DeliveryFailed{
		ID: of.ID, Directory: of.PutDirectory, ImportID: f.ImportID, Status: f.Put, Attempts: f.PutTries, Kind: f.PutKind, Message: f.PutMessage, Failed: at,
	}
	if f.Put == connectors.UploadWaiting {
		failed.Next = f.PutDue
	}
	body, err := failed.Body()
	return newPayload(webhooks.DeliveryFailed, body), err
}

func newPayload(event webhooks.Event, body webhook.Body) webhooks.Payload {
	return webhooks.Payload{Event: string(event), ContentType: body.ContentType, Body: body.Bytes}
}

func (c *webhookSender) CheckAddress(url string) error { return webhook.CheckAddress(url) }

func (c *webhookSender) NewSecret(random io.Reader) (secrets.Secret, error) {
	return webhook.NewSecret(random)
}

// Send makes one attempt to deliver a message.
func (c *webhookSender) Send(ctx context.Context, d model.Delivery, at time.Time, secrets []secrets.Secret) (webhooks.SendResult, error) {
	out, err := c.sender.Send(ctx, webhook.Delivery{
		Org: d.Org, URL: d.URL, At: at, Secrets: secrets,
		Message: webhook.Message{ID: d.ID, Body: webhook.Body{ContentType: d.ContentType, Bytes: d.Body}},
	})
	if err != nil {
		return webhooks.SendResult{}, err
	}
	return webhooks.SendResult{RetryAfter: out.RetryAfter, Gone: out.Kind == webhook.Gone, Attempt: model.Attempt{
		Took: out.Timing.Total, Answered: out.Timing.Answered, Delivered: out.Delivered(), Status: out.Status,
		Message: out.Text, Head: out.Head, Body: out.Body,
	}}, nil
}

// DecideRetry returns the failure streak of a receiver after an attempt, and when to retry.
func (c *webhookSender) DecideRetry(f model.FailureStreak, tries int, at time.Time, last webhooks.SendResult) webhooks.RetryDecision {
	after := webhook.FailureStreak(f).WithAttempt(at, last.Delivered)
	decision := webhooks.RetryDecision{Streak: model.FailureStreak(after), Dead: after.IsDead()}
	decision.Wait, decision.Retry = webhook.Outcome{RetryAfter: last.RetryAfter}.Next(tries, rand.Float64)
	return decision
}

// SignMessage returns the headers that sign a webhook message.
func SignMessage(id, contentType string, body []byte, at time.Time, secret string) (http.Header, error) {
	return webhook.Sign(webhook.Message{ID: id, Body: webhook.Body{ContentType: contentType, Bytes: body}}, at, secrets.NewSecret(secret))
}
