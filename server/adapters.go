package server

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/connectors"
	"github.com/intraydata/intray/server/egress"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/server/sftp"
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
		UploadID: u.ID, Filename: imp.Filename, Ended: imp.Modified, Type: webhook.Headless, Status: string(imp.Status),
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

// DisabledPayload returns the message that reports a disabled webhook.
func (c *webhookSender) DisabledPayload(w model.Webhook, at time.Time, last intray.Message) (webhooks.Payload, error) {
	body, err := webhook.Disabled{ID: w.ID, URL: w.URL, At: at, Streak: webhook.FailureStreak(w.FailureStreak), Last: last}.Body()
	return newPayload(webhooks.WebhookDisabled, body), err
}

// ConnectorFailedPayload returns the message that reports the first failed run of a connector.
func (c *webhookSender) ConnectorFailedPayload(of model.Connector, run model.PullRun) (webhooks.Payload, error) {
	body, err := webhook.ConnectorFailed{
		ID: of.ID, Directory: of.Directory, RunID: run.ID, Kind: run.Kind, Message: run.Message, Failed: run.Ended, NextRun: of.Next,
	}.Body()
	return newPayload(webhooks.ConnectorFailed, body), err
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
		URL: d.URL, At: at, Secrets: secrets,
		Message: webhook.Message{ID: d.ID, Body: webhook.Body{ContentType: d.ContentType, Bytes: d.Body}},
	})
	if err != nil {
		return webhooks.SendResult{}, err
	}
	return webhooks.SendResult{RetryAfter: out.RetryAfter, Attempt: model.Attempt{
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

// sftpServers implements connectors.Remotes with package sftp.
type sftpServers struct{ client *sftp.Client }

var _ connectors.Remotes = sftpServers{}

func (s sftpServers) TestConnection(ctx context.Context, l connectors.Login) (connectors.SFTPReport, error) {
	report, err := s.client.Test(ctx, sftpCredential(l))
	return connectors.SFTPReport(report), err
}

func (sftpServers) Fingerprint(privateKey secrets.Secret) (string, error) {
	return sftp.Fingerprint(privateKey)
}

func (sftpServers) ValidHostname(name string) error { return sftp.ValidHostname(name) }

func parseSchedule(s model.Schedule) (sftp.Schedule, error) {
	if s.Daily != "" {
		return sftp.DailyAt(s.Daily)
	}
	return sftp.EveryMinutes(s.Minutes)
}

func (sftpServers) CheckSchedule(s model.Schedule) error {
	_, err := parseSchedule(s)
	return err
}

func (sftpServers) CheckDirectory(path string) error { return sftp.ValidDirectory(path) }

func (sftpServers) CheckPattern(pattern string) error {
	_, err := sftp.ParsePattern(pattern)
	return err
}

func (sftpServers) NextRun(s model.Schedule, last time.Time, failures int, now time.Time) time.Time {
	schedule, err := parseSchedule(s)
	if err != nil { // impossible: it was validated when it was stored
		return now.Add(24 * time.Hour)
	}
	return schedule.NextRun(last, failures, now)
}

func (sftpServers) PlanPull(memory []model.PulledFile, listed []model.RemoteFile, now time.Time) connectors.PullPlan {
	known := map[model.RemoteFile]model.PulledFile{}
	seen := make([]sftp.Seen, len(memory))
	for i, m := range memory {
		known[m.File] = m
		seen[i] = sftp.Seen{File: sftp.File(m.File), Since: m.Since, Fetched: m.Taken, Gone: m.Gone}
	}
	files := make([]sftp.File, len(listed))
	for i, f := range listed {
		files[i] = sftp.File(f)
	}
	plan := sftp.PlanFetch(seen, files, now)
	out := connectors.PullPlan{Fetch: remoteFiles(plan.Fetch), Wait: remoteFiles(plan.Wait), Drop: remoteFiles(plan.Drop)}
	for _, k := range plan.Keep {
		file := known[model.RemoteFile(k.File)] // keeps the other fields of the file
		file.File, file.Since, file.Taken, file.Gone = model.RemoteFile(k.File), k.Since, k.Fetched, k.Gone
		out.Keep = append(out.Keep, file)
	}
	return out
}

func remoteFiles(files []sftp.File) (list []model.RemoteFile) {
	for _, f := range files {
		list = append(list, model.RemoteFile(f))
	}
	return list
}

func (s sftpServers) Open(ctx context.Context, l connectors.Login) (connectors.Remote, error) {
	session, err := s.client.Dial(ctx, sftpCredential(l))
	if err != nil {
		return nil, err
	}
	return sftpRemote{session}, nil
}

func sftpCredential(l connectors.Login) sftp.Credential {
	return sftp.Credential{Hostname: l.Hostname, Port: l.Port, User: l.User, Password: l.Password, PrivateKey: l.PrivateKey, HostKey: l.HostKey}
}

// Classify returns what the kind of an *sftp.Error means for a run.
func (sftpServers) Classify(err error) connectors.RemoteFailure {
	var e *sftp.Error
	if !errors.As(err, &e) {
		return connectors.RemoteFailure{}
	}
	failure := connectors.RemoteFailure{Kind: string(e.Kind)}
	switch e.Kind {
	case sftp.TimedOut, sftp.Lost:
		failure.Resumable = true
	case sftp.Changed, sftp.TooLarge, sftp.BadPath, sftp.Missing, sftp.Forbidden:
		failure.Skippable = true
	}
	return failure
}

// sftpRemote is a connection to an SFTP server.
type sftpRemote struct{ session *sftp.Session }

func (r sftpRemote) Report() connectors.SFTPReport { return connectors.SFTPReport(r.session.Report()) }

func (r sftpRemote) Close() { r.session.Close() }

func (r sftpRemote) List(ctx context.Context, directory, pattern string) (connectors.RemoteListing, error) {
	parsed, err := sftp.ParsePattern(pattern)
	if err != nil {
		return connectors.RemoteListing{}, err
	}
	found, err := r.session.List(ctx, directory, parsed, 0)
	if err != nil {
		return connectors.RemoteListing{}, err
	}
	out := connectors.RemoteListing{Files: remoteFiles(found.Files)}
	for _, entry := range found.Skipped {
		out.Skipped = append(out.Skipped, intray.NewMessage("sftp.skipped", intray.Params{"name": entry.Name, "reason": entry.Reason}))
	}
	if more := found.NumSkipped - len(found.Skipped); more > 0 {
		out.Skipped = append(out.Skipped, intray.NewMessage("sftp.more_skipped", intray.Params{"n": more}))
	}
	return out, nil
}

func (r sftpRemote) Fetch(ctx context.Context, f model.RemoteFile, offset, maxSize int64, to io.Writer) (int64, error) {
	return r.session.Fetch(ctx, sftp.Download{File: sftp.File(f), Offset: offset, MaxSize: maxSize}, to)
}

func (r sftpRemote) Upload(ctx context.Context, directory, name string, from io.Reader) error {
	return r.session.Upload(ctx, directory, name, from)
}
