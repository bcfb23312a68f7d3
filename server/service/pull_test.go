package service_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/intraydata/intray/server/connectors"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/servertest"
	"github.com/intraydata/intray/server/service"
)

// slowRemotes is an SFTP server on which logins of the slow users fail, but only
// after release is closed.
type slowRemotes struct {
	*servertest.Remote
	slow    map[string]bool
	release chan struct{}
	logins  chan string
}

func withSlowRemotes(h *slowRemotes) option {
	return func(f *fixture, cfg *service.Config) { h.Remote, cfg.Remotes = f.remote, h }
}

func (h *slowRemotes) Open(ctx context.Context, l connectors.Login) (connectors.Remote, error) {
	h.logins <- l.User
	if !h.slow[l.User] {
		return h.Remote.Open(ctx, l)
	}
	select {
	case <-ctx.Done():
	case <-h.release:
	}
	return nil, errors.New("The server was too slow")
}

// startConnectors runs connectors on n goroutines, as the server does.
func (f *fixture) startConnectors(n int) *sync.WaitGroup {
	f.Helper()
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			for ran, err := f.RunNextConnector(f.ctx, nil); ran; ran, err = f.RunNextConnector(f.ctx, nil) {
				if err != nil {
					f.Error(err)
				}
			}
		})
	}
	return &all
}

// awaitLogin waits for the login of a user.
func (h *slowRemotes) awaitLogin(t *testing.T, user string) {
	t.Helper()
	for {
		select {
		case login := <-h.logins:
			if login == user {
				return
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("the connector of %s waits for slow ones", user)
		}
	}
}

// An organization has many connectors to slow servers. They must not delay the
// connectors of another organization nor, after their first slow run, the other
// connectors of their organization.
func TestSlowServers(t *testing.T) {
	t.Parallel()
	const slow = 6
	h := &slowRemotes{slow: map[string]bool{}, release: make(chan struct{}), logins: make(chan string, 100)}
	f := newFixture(t, withSlowRemotes(h))
	for n := range slow {
		user := fmt.Sprint("slow-", n)
		h.slow[user] = true
		f.newConnector(f.org, user, connectors.Draft{})
	}
	f.Clock.Advance(time.Second)
	other, err := f.CreateOrg(f.ctx, "Beta")
	must(t, err)
	f.newConnector(other.ID, "quick", connectors.Draft{})
	running := f.startConnectors(4)
	h.awaitLogin(t, "quick")
	close(h.release)
	running.Wait()
	for range 4 { // connectors that waited run now and fail once
		f.Clock.Advance(6 * time.Second)
		f.runConnectors()
	}
	list, err := f.Connectors(f.ctx, f.org)
	must(t, err)
	for _, c := range list {
		if c.Failures != 1 {
			t.Errorf("a slow connector counts %d failures", c.Failures)
		}
	}
	h.release = make(chan struct{})
	f.newConnector(f.org, "own", connectors.Draft{})
	f.Clock.Advance(time.Hour)
	running = f.startConnectors(4)
	h.awaitLogin(t, "own")
	close(h.release)
	running.Wait()
}

// A run whose credential or schema was deleted reports which one is missing.
func TestMissingReferences(t *testing.T) {
	t.Parallel()
	f := newFixture(t, withRemote)
	for _, c := range []struct {
		kind, message string
		remove        func(model.Connector) error
	}{
		{"credential_deleted", "This connector's SFTP credential was deleted. Choose another one.", func(c model.Connector) error { return f.DeleteCredential(f.ctx, f.org, c.CredentialID) }},
		{"schema_deleted", "This connector's schema was deleted. Choose another one.", func(c model.Connector) error { return f.DeleteSchema(f.ctx, f.org, c.SchemaID) }},
	} {
		made := f.newConnector(f.org, c.kind, connectors.Draft{})
		must(t, c.remove(made))
		f.runConnectors()
		runs, _, err := servertest.Split(f.Pulls(f.ctx, f.org, made.ID, model.PageRequest{Limit: 1}))
		if err != nil || runs[0].Kind != c.kind || runs[0].Message.String() != c.message {
			t.Errorf("%+v, %v", runs, err)
		}
		must(t, f.DeleteConnector(f.ctx, f.org, made.ID))
	}
}

// fetchRemotes is an SFTP server with a replaceable Fetch. If a fetch fails, the
// file can be skipped.
type fetchRemotes struct {
	*servertest.Remote
	fetch func(ctx context.Context, path string) error
}

func withFetch(fetch func(ctx context.Context, path string) error) option {
	return func(f *fixture, cfg *service.Config) { cfg.Remotes = fetchRemotes{f.remote, fetch} }
}

func (r fetchRemotes) Classify(error) connectors.RemoteFailure {
	return connectors.RemoteFailure{Kind: "changed", Skippable: true}
}

func (r fetchRemotes) Open(ctx context.Context, l connectors.Login) (connectors.Remote, error) {
	session, err := r.Remote.Open(ctx, l)
	return fetchSession{session, r.fetch}, err
}

type fetchSession struct {
	connectors.Remote
	fetch func(ctx context.Context, path string) error
}

func (s fetchSession) Fetch(ctx context.Context, of model.RemoteFile, offset, most int64, to io.Writer) (int64, error) {
	if err := s.fetch(ctx, of.Path); err != nil {
		return 0, err
	}
	return s.Remote.Fetch(ctx, of, offset, most, to)
}

// The first 1,100 files of a folder, or 102 in short mode, cannot be fetched. They must
// not delay the next file, and must not keep the connector running.
func TestSkippedFiles(t *testing.T) {
	t.Parallel()
	f := newFixture(t, withFetch(func(_ context.Context, path string) error {
		if strings.Contains(path, "changed") {
			return errors.New("the file changed")
		}
		return nil
	}))
	more, left := 1000, "1,000 more files are left for the next run."
	if testing.Short() {
		more, left = 2, "2 more files are left for the next run."
	}
	for n := range 100 + more {
		f.remote.AddFile(fmt.Sprintf("a-changed-%04d.csv", n), "x")
	}
	f.remote.AddFile("b.csv", goodFile)
	made := f.newConnector(f.org, "u", connectors.Draft{})
	if n := f.runConnectors(); n != 1 {
		t.Errorf("the connector ran %d times", n)
	}
	runs, _, err := servertest.Split(f.Pulls(f.ctx, f.org, made.ID, model.PageRequest{Limit: 10}))
	if err != nil || !runs[0].Succeeded || runs[0].Fetched != 1 || len(runs[0].Skipped) != 101 || runs[0].Skipped[100].String() != left {
		t.Errorf("skipped %d, fetched %d, %v", len(runs[0].Skipped), runs[0].Fetched, err)
	}
}

// A connector with many slow files must let other connectors run in between. Each
// fetch must have a deadline.
func TestLongRunsTakeTurns(t *testing.T) {
	t.Parallel()
	var clock *servertest.Clock
	var timeouts []time.Duration
	f := newFixture(t, withFetch(func(ctx context.Context, _ string) error {
		clock.Advance(2 * time.Minute)
		deadline, _ := ctx.Deadline()
		timeouts = append(timeouts, time.Until(deadline))
		return nil
	}))
	clock = f.Clock
	const files = 10
	for n := range files {
		f.remote.AddFile(fmt.Sprint(n, ".csv"), goodFile)
	}
	first := f.newConnector(f.org, "first", connectors.Draft{})
	f.Clock.Advance(time.Second)
	second := f.newConnector(f.org, "second", connectors.Draft{})
	f.runConnectors()
	runsOf := map[string][]model.PullRun{}
	for _, c := range []model.Connector{first, second} {
		runs, _, err := servertest.Split(f.Pulls(f.ctx, f.org, c.ID, model.PageRequest{Limit: 100}))
		must(t, err)
		fetched := 0
		for _, run := range runs {
			fetched += run.Fetched
		}
		if fetched != files || len(runs) < 3 {
			t.Errorf("%d files in %d runs", fetched, len(runs))
		}
		runsOf[c.ID] = runs
	}
	if began, ended := runsOf[second.ID][len(runsOf[second.ID])-1].Began, runsOf[first.ID][0].Began; !began.Before(ended) {
		t.Errorf("the second connector began at %s, after the last run of the first at %s", began, ended)
	}
	for _, timeout := range timeouts {
		if timeout < time.Minute || timeout > 6*time.Minute {
			t.Errorf("a small file may take %s", timeout)
		}
	}
}
