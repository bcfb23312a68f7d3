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
	"github.com/intraydata/intray/server/schemas"
	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/server/service"
)

// harbour is a server each of whose users has a way of its own: whoever is in slow is
// not answered until release is closed.
type harbour struct {
	folder
	mu    sync.Mutex
	slow  map[string]bool
	letGo chan struct{}
	began chan string
}

func newHarbour(slow ...string) *harbour {
	h := &harbour{folder: folder{files: map[string]string{}, put: map[string]string{}}, slow: map[string]bool{}, letGo: make(chan struct{}), began: make(chan string, 100)}
	for _, user := range slow {
		h.slow[user] = true
	}
	return h
}

func (h *harbour) Open(ctx context.Context, l connectors.Login) (connectors.Remote, error) {
	h.mu.Lock()
	slow := h.slow[l.User]
	h.mu.Unlock()
	h.began <- l.User
	if !slow {
		return &h.folder, nil
	}
	select {
	case <-ctx.Done():
	case <-h.letGo:
	}
	return nil, errors.New("The server was too slow")
}

// connectorOf makes a connector of a user of a server.
func (f *fixture) connectorOf(org, user string) model.Connector {
	f.Helper()
	credential, err := f.CreateCredential(f.ctx, org, connectors.CredentialDraft{Hostname: "h", Port: 22, User: user, AuthType: model.AuthPassword, Password: secrets.NewSecret("p")})
	must(f.T, err)
	schema, _, err := f.CreateSchema(f.ctx, org, schemas.Draft{Doc: named(f.T, "Mails of "+user)})
	must(f.T, err)
	c, err := f.CreateConnector(f.ctx, org, connectors.Draft{CredentialID: credential.ID, SchemaID: schema.ID, Directory: "/in", Schedule: model.Schedule{Minutes: 5}})
	must(f.T, err)
	return c
}

// pullers run connectors side by side, as a process does.
func (f *fixture) pullers(n int) *sync.WaitGroup {
	f.Helper()
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			for ran, err := f.RunNextConnector(f.ctx); ran; ran, err = f.RunNextConnector(f.ctx) {
				if err != nil {
					f.Error(err)
				}
			}
		})
	}
	return &all
}

// await waits for a user to come.
func (h *harbour) await(t *testing.T, user string) {
	t.Helper()
	for {
		select {
		case came := <-h.began:
			if came == user {
				return
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("the connector of %s waits for slow ones", user)
		}
	}
}

// TestSlowServers has an organization with many connectors of slow servers: those of
// another have room beside them, and those of its own as soon as the slow ones have
// been slow once.
func TestSlowServers(t *testing.T) {
	t.Parallel()
	h := newHarbour("slow-0", "slow-1", "slow-2", "slow-3", "slow-4", "slow-5")
	f := newFixture(t, func(_ *fixture, cfg *service.Config) { cfg.Remotes = h })
	for n := range 6 {
		f.connectorOf(f.org, fmt.Sprint("slow-", n))
	}
	f.clock.Advance(time.Second)
	other, err := f.CreateOrg(f.ctx, "Beta")
	must(t, err)
	f.connectorOf(other.ID, "quick")
	running := f.pullers(4)
	h.await(t, "quick")
	close(h.letGo)
	running.Wait()
	for range 4 { // those that stood back have their turn, and fail once
		f.clock.Advance(6 * time.Second)
		f.pull()
	}
	list, err := f.Connectors(f.ctx, f.org)
	must(t, err)
	for _, c := range list {
		if c.Failures != 1 {
			t.Errorf("a slow one counts %d failures", c.Failures)
		}
	}
	h.letGo = make(chan struct{})
	f.connectorOf(f.org, "own")
	f.clock.Advance(time.Hour)
	running = f.pullers(4)
	h.await(t, "own")
	close(h.letGo)
	running.Wait()
}

// TestNeeds tells what a connector lacks.
func TestNeeds(t *testing.T) {
	t.Parallel()
	h := newHarbour()
	f := newFixture(t, func(_ *fixture, cfg *service.Config) { cfg.Remotes = h })
	for _, c := range []struct {
		kind, message string
		remove        func(model.Connector) error
	}{
		{"credential_deleted", "The SFTP credential of this connector was deleted. Choose another one.", func(c model.Connector) error { return f.DeleteCredential(f.ctx, f.org, c.CredentialID) }},
		{"schema_deleted", "The schema of this connector was deleted. Choose another one.", func(c model.Connector) error { return f.DeleteSchema(f.ctx, f.org, c.SchemaID) }},
	} {
		made := f.connectorOf(f.org, c.kind)
		must(t, c.remove(made))
		f.pull()
		runs, _, err := f.Pulls(f.ctx, f.org, made.ID, 0, 1)
		if err != nil || runs[0].Kind != c.kind || runs[0].Message.String() != c.message {
			t.Errorf("%+v, %v", runs, err)
		}
		must(t, f.DeleteConnector(f.ctx, f.org, made.ID))
	}
}

// leaving is a server that gives none of the files that are named like left.
type leaving struct{ folder }

var errLeft = errors.New("the file is not what it was")

func (l *leaving) Open(context.Context, connectors.Login) (connectors.Remote, error) { return l, nil }

func (l *leaving) Classify(error) connectors.RemoteFailure {
	return connectors.RemoteFailure{Kind: "left", Skippable: true}
}

func (l *leaving) Fetch(ctx context.Context, of model.RemoteFile, offset, most int64, to io.Writer) (int64, error) {
	if strings.Contains(of.Path, "left") {
		return 0, errLeft
	}
	return l.folder.Fetch(ctx, of, offset, most, to)
}

// TestFilesThatAreLeft come first in a folder in great number, and keep no other file
// waiting, nor do they make the connector run without end.
func TestFilesThatAreLeft(t *testing.T) {
	t.Parallel()
	l := &leaving{folder{files: map[string]string{}, put: map[string]string{}}}
	f := newFixture(t, func(_ *fixture, cfg *service.Config) { cfg.Remotes = l })
	for n := range 1100 {
		l.have(fmt.Sprintf("a-left-%04d.csv", n), "x")
	}
	l.have("b.csv", goodFile)
	made := f.connectorOf(f.org, "u")
	if n := f.pull(); n != 1 {
		t.Errorf("it ran %d times", n)
	}
	runs, _, err := f.Pulls(f.ctx, f.org, made.ID, 0, 10)
	if err != nil || !runs[0].Succeeded || runs[0].Fetched != 1 || len(runs[0].Skipped) != 101 || runs[0].Skipped[100].String() != "1,000 more files are left for the next run." {
		t.Errorf("%d of %+v, %v", len(runs[0].Skipped), runs[0].Fetched, err)
	}
}

// TestLongNames are put back all the same.
func TestLongNames(t *testing.T) {
	t.Parallel()
	remote := &folder{files: map[string]string{}, put: map[string]string{}}
	f := newFixture(t, with(remote))
	f.connector(connectors.Draft{PutDirectory: "/out", PutFormat: "csv"})
	remote.have(strings.Repeat("ü", 125)+".csv", goodFile)
	f.pull()
	f.runAll()
	_, err := f.DeliverNextResult(f.ctx)
	must(t, err)
	for name := range remote.put {
		if base := strings.TrimPrefix(name, "/out/"); len(base) > 255 || !strings.HasPrefix(base, "üüü") {
			t.Errorf("a name of %d bytes: %s", len(base), base)
		}
	}
	if len(remote.put) != 1 {
		t.Errorf("put back: %d", len(remote.put))
	}
}

// dawdler takes its time with each file.
type dawdler struct {
	folder
	clock *clock
	until []time.Duration
}

func (d *dawdler) Open(context.Context, connectors.Login) (connectors.Remote, error) { return d, nil }

func (d *dawdler) Fetch(ctx context.Context, of model.RemoteFile, offset, most int64, to io.Writer) (int64, error) {
	d.clock.Advance(2 * time.Minute)
	deadline, _ := ctx.Deadline()
	d.until = append(d.until, time.Until(deadline))
	return d.folder.Fetch(ctx, of, offset, most, to)
}

// TestTurns has a connector that would go on for long: between its turns others run, and
// no file may take for ever.
func TestTurns(t *testing.T) {
	t.Parallel()
	d := &dawdler{folder: folder{files: map[string]string{}, put: map[string]string{}}}
	f := newFixture(t, func(f *fixture, cfg *service.Config) { d.clock, cfg.Remotes = f.clock, d })
	const files = 10
	for n := range files {
		d.have(fmt.Sprint(n, ".csv"), goodFile)
	}
	first := f.connectorOf(f.org, "first")
	f.clock.Advance(time.Second)
	second := f.connectorOf(f.org, "second")
	f.pull()
	took := map[string][]model.PullRun{}
	for _, c := range []model.Connector{first, second} {
		runs, _, err := f.Pulls(f.ctx, f.org, c.ID, 0, 100)
		must(t, err)
		fetched := 0
		for _, run := range runs {
			fetched += run.Fetched
		}
		if fetched != files || len(runs) < 3 {
			t.Errorf("%d files in %d turns", fetched, len(runs))
		}
		took[c.ID] = runs
	}
	if before, ended := took[second.ID][len(took[second.ID])-1].Began, took[first.ID][0].Began; !before.Before(ended) {
		t.Errorf("the second connector began at %s, when the first was through with all its turns at %s", before, ended)
	}
	for _, one := range d.until {
		if one < time.Minute || one > 6*time.Minute {
			t.Errorf("a small file may take %s", one)
		}
	}
}
