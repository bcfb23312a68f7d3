package app

import (
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/egress"
	"github.com/intraydata/intray/internal/seal"
	"github.com/intraydata/intray/internal/service"
	"github.com/intraydata/intray/internal/webhook"
)

// courier carries the messages of the service.
type courier struct {
	sender *webhook.Sender
	// retrieved gives what an event tells of an import as clients retrieve it. It is
	// set before anything runs.
	retrieved func(imp service.Import, u service.Upload) ([]byte, error)
}

var _ service.Courier = (*courier)(nil)

func newCourier(door *egress.Door) *courier {
	return &courier{sender: webhook.New(door, webhook.Config{})}
}

// Tell makes the event of an import.
func (c *courier) Tell(imp service.Import, u service.Upload, development bool) (service.Parcel, bool, error) {
	of := webhook.Import{
		UploadID: u.ID, Filename: imp.Filename, Ended: imp.Modified, Type: webhook.Headless, Status: string(imp.Status),
		DevelopmentMode: development, HasData: imp.Status == service.Successful && imp.Result.Key != "",
	}
	if imp.HasUser {
		of.User = &webhook.User{ID: imp.User.ID, Name: imp.User.Name, Email: imp.User.Email, CompanyID: imp.User.CompanyID, CompanyName: imp.User.CompanyName}
	}
	if imp.Outcome != nil {
		of.DataRows = imp.Outcome.DataRows
	}
	event, told := of.Event()
	if !told || c.retrieved == nil {
		return service.Parcel{}, false, nil
	}
	var err error
	if of.Retrieved, err = c.retrieved(imp, u); err != nil {
		return service.Parcel{}, false, err
	}
	body, err := of.Body()
	return parcel(event, body), true, err
}

// TellDisabled makes the event of a webhook that counts as dead.
func (c *courier) TellDisabled(w service.Webhook, at time.Time, last intray.Message) (service.Parcel, error) {
	body, err := webhook.Disabled{ID: w.ID, URL: w.URL, At: at, Streak: streak(w.Failing), Last: last}.Body()
	return parcel(webhook.WebhookDisabled, body), err
}

// connectorFailed is the event of a connector whose runs begin to fail.
const connectorFailed = "sftp_connector_failed"

// TellConnector makes that event.
func (c *courier) TellConnector(of service.Connector, run service.Pull) (service.Parcel, error) {
	data := map[string]any{
		"id": of.ID, "directory": of.Directory, "run_id": run.ID, "error_type": run.Kind, "error": run.Told.String(),
		"failed_date": run.Ended.Format("2006-01-02T15:04:05.000000Z"), "next_run_date": of.Next.Format("2006-01-02T15:04:05.000000Z"),
	}
	if run.Told.Code != "" {
		data["error_code"], data["error_params"] = run.Told.Code, run.Told.RawParams()
	}
	body, err := json.Marshal(map[string]any{"event": connectorFailed, "data": data})
	return service.Parcel{Event: connectorFailed, ContentType: "application/json", Body: body}, err
}

func parcel(event webhook.Event, body webhook.Body) service.Parcel {
	return service.Parcel{Event: string(event), ContentType: body.ContentType, Body: body.Bytes}
}

func (c *courier) CheckAddress(url string) error { return webhook.CheckAddress(url) }

func (c *courier) NewSecret(random io.Reader) (seal.Secret, error) { return webhook.NewSecret(random) }

// Send makes one attempt.
func (c *courier) Send(ctx context.Context, d service.Delivery, at time.Time, secrets []seal.Secret) (service.Sent, error) {
	out, err := c.sender.Send(ctx, webhook.Delivery{
		URL: d.URL, At: at, Secrets: secrets,
		Message: webhook.Message{ID: d.ID, Body: webhook.Body{ContentType: d.ContentType, Bytes: d.Body}},
	})
	if err != nil {
		return service.Sent{}, err
	}
	return service.Sent{RetryAfter: out.RetryAfter, Attempt: service.Attempt{
		Took: out.Timing.Total, Answered: out.Timing.Answered, Delivered: out.Delivered(), Status: out.Status,
		Told: out.Text, Head: out.Head, Body: out.Body,
	}}, nil
}

// Judge follows the failures of a receiver, and says when to try again.
func (c *courier) Judge(f service.Failing, tries int, at time.Time, last service.Sent) service.Judgement {
	after := streak(f).After(at, last.Delivered)
	j := service.Judgement{Failing: service.Failing(after), Dead: after.Dead()}
	j.Wait, j.More = webhook.Outcome{RetryAfter: last.RetryAfter}.Next(tries, rand.Float64)
	return j
}

func streak(f service.Failing) webhook.Streak {
	return webhook.Streak(f)
}

// SignMessage gives the headers that sign a message of a webhook.
func SignMessage(id, contentType string, body []byte, at time.Time, secret string) (http.Header, error) {
	return webhook.Sign(webhook.Message{ID: id, Body: webhook.Body{ContentType: contentType, Bytes: body}}, at, seal.NewSecret(secret))
}
