package server

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/connectors"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/server/sftp"
)

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
	return sftp.Credential{Org: l.Org, Hostname: l.Hostname, Port: l.Port, User: l.User, Password: l.Password, PrivateKey: l.PrivateKey, HostKey: l.HostKey}
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
