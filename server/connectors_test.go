package server

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/schema"
	"github.com/intraydata/intray/server/blob/mem"
	"github.com/intraydata/intray/server/connectors"
	"github.com/intraydata/intray/server/egress"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/queue"
	"github.com/intraydata/intray/server/schemas"
	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/server/service"
	"github.com/intraydata/intray/server/sftp"
	"github.com/intraydata/intray/server/sqlstore"
	"github.com/intraydata/intray/server/webhooks"
	"github.com/intraydata/intray/source/formats"
)

// connectorFixture is a service with a clock that stands still, and a folder on a server.
type connectorFixture struct {
	*testing.T
	*service.Service
	ctx      context.Context
	org      string
	schema   string
	listener string
	folder   string

	mu    sync.Mutex
	clock time.Time
	// put are the files that were put into the folder.
	put []string
}

func (d *connectorFixture) now() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.clock
}

func (d *connectorFixture) setClock(at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.clock = at
}

func newConnectorFixture(t *testing.T) *connectorFixture {
	t.Helper()
	d := &connectorFixture{T: t, ctx: t.Context(), clock: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)}
	rows, err := sqlstore.Open(d.ctx, sqlstore.Config{Path: filepath.Join(t.TempDir(), "intray.db"), Queue: queue.Config{Node: "folder/one"}})
	must(t, err)
	t.Cleanup(func() { must(t, rows.Close()) })
	master, err := secrets.ParseMaster(base64.StdEncoding.EncodeToString([]byte(strings.Repeat("m", 32))))
	must(t, err)
	outside := egress.New(egress.Config{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	servers := sftpServers{sftp.New(outside, sftp.Config{})}
	d.Service, err = service.New(service.Config{
		Store: rows, Blobs: mem.New(), Master: master, SFTP: servers, Remotes: servers, WebhookSender: newWebhookSender(outside), Node: "folder/one", Clock: d.now,
		Engine: engine.New(engine.Config{Formats: formats.Formats(""), Workers: 1}),
	})
	must(t, err)
	t.Cleanup(func() { must(t, d.Close()) })
	must(t, d.Join(d.ctx))
	org, err := d.CreateOrg(d.ctx, "Alpha")
	must(t, err)
	d.org = org.ID
	made, _, err := d.CreateSchema(d.ctx, d.org, schemas.Draft{Doc: schema.Doc{
		Name: "Mails", Fields: []any{map[string]any{"key": "email", "label": "E-Mail", "type": "email"}},
	}})
	must(t, err)
	d.schema = made.ID
	w, _, err := d.CreateWebhook(d.ctx, d.org, webhooks.Draft{Listens: true, Enabled: true, Events: []string{string(webhooks.ConnectorFailed)}})
	must(t, err)
	d.listener = w.ID
	// Another user may have to come in.
	d.folder = filepath.Join(t.TempDir(), "in")
	must(t, os.Mkdir(d.folder, 0o755))
	must(t, os.Chmod(filepath.Dir(filepath.Dir(d.folder)), 0o755))
	return d
}

// credential keeps the one that opens a door.
func (d *connectorFixture) credential(at *sshServer) model.Credential {
	d.Helper()
	draft := at.draft
	draft.Hostname, draft.Port = "127.0.0.1", at.port
	made, err := d.CreateCredential(d.ctx, d.org, draft)
	must(d.T, err)
	return made
}

// arrive puts a file that has been at rest for an hour.
func (d *connectorFixture) arrive(name string) {
	d.Helper()
	file := filepath.Join(d.folder, name)
	must(d.T, os.WriteFile(file, []byte("E-Mail\n"+name+"@example.org\n"), 0o644))
	rested := d.now().Add(-time.Hour)
	must(d.T, os.Chtimes(file, rested, rested))
	d.put = append(d.put, name)
}

// pull runs what is due now, which is one connector or none, and gives its run.
func (d *connectorFixture) pull(c model.Connector) (run model.PullRun, ran bool) {
	d.Helper()
	ran, err := d.RunNextConnector(d.ctx)
	must(d.T, err)
	if again, err := d.RunNextConnector(d.ctx); err != nil || again {
		d.Errorf("it ran once more at once: %v", err)
	}
	if !ran {
		return run, false
	}
	list, _, err := d.Pulls(d.ctx, d.org, c.ID, 0, 1)
	must(d.T, err)
	return list[0], true
}

// runAt moves the clock on, to a moment before which nothing is due, and runs what is
// due then.
func (d *connectorFixture) runAt(c model.Connector, at time.Time) model.PullRun {
	d.Helper()
	d.setClock(at.Add(-time.Second))
	if _, ran := d.pull(c); ran {
		d.Errorf("it ran before %s", at)
	}
	d.setClock(at)
	run, ran := d.pull(c)
	if !ran {
		d.Fatalf("it does not run at %s", at)
	}
	return run
}

func (d *connectorFixture) connector(c model.Connector) model.Connector {
	d.Helper()
	c, err := d.Connector(d.ctx, d.org, c.ID)
	must(d.T, err)
	return c
}

// connectorEvents gives the events of connectors since the last call.
func (d *connectorFixture) connectorEvents() (list []string) {
	d.Helper()
	ctx, cancel := context.WithCancel(d.ctx)
	cancel()
	got, err := d.MessagesFor(ctx, d.org, d.listener)
	must(d.T, err)
	for _, one := range got {
		list = append(list, string(one.Body))
		must(d.T, d.Forwarded(d.ctx, d.org, d.listener, one.ID, webhooks.SendResult{Attempt: model.Attempt{Delivered: true, Status: 200}}))
	}
	return list
}

// complete makes sure that each file that was put became one import.
func (d *connectorFixture) complete() {
	d.Helper()
	list, _, err := d.Imports(d.ctx, d.org, 0, 1000)
	must(d.T, err)
	var names []string
	for _, imp := range list {
		names = append(names, imp.Filename)
	}
	slices.Sort(names)
	want := slices.Sorted(slices.Values(d.put))
	if diff := cmp.Diff(want, names); diff != "" {
		d.Errorf("files that became imports (-want +got):\n%s", diff)
	}
}

// everyFive makes a connector that runs every five minutes.
func (d *connectorFixture) everyFive(credential model.Credential) connectors.Draft {
	return connectors.Draft{CredentialID: credential.ID, SchemaID: d.schema, Schedule: model.Schedule{Minutes: 5}, Directory: d.folder, Pattern: `\.csv$`}
}

// TestConnectorsOverSSH has connectors by minutes and by the day, and what they meet
// with, on real servers.
func TestConnectorsOverSSH(t *testing.T) {
	for name, open := range map[string]func(*testing.T) *sshServer{"key": withKey, "password": withOpenSSHPassword, "password of another server": withPassword} {
		t.Run(name, func(t *testing.T) {
			at, host := open(t), newKeyFile(t)
			at.show(host)
			t.Run("minutes", func(t *testing.T) { byMinutes(t, at, host) })
			t.Run("day", func(t *testing.T) { byTheDay(t, at) })
			t.Run("troubles", func(t *testing.T) { troubles(t, at, host) })
		})
	}
}

func byMinutes(t *testing.T, at *sshServer, host keyFile) {
	d := newConnectorFixture(t)
	credential := d.credential(at)
	if key := at.draft.PrivateKey.Reveal(); key != "" {
		mine := keyFile(filepath.Join(t.TempDir(), "mine"))
		must(t, os.WriteFile(string(mine), []byte(key), 0o600))
		must(t, os.WriteFile(string(mine)+".pub", []byte(key), 0o600)) // ssh-keygen reads its public half
		if want := mine.fingerprint(t); credential.Fingerprint != want {
			t.Errorf("the key's fingerprint is %s, ssh-keygen shows %s", credential.Fingerprint, want)
		}
	}
	report, trouble, err := d.TestCredential(d.ctx, d.org, credential.ID)
	if err != nil || trouble != nil || report.HostKeyFingerprint != host.fingerprint(t) {
		t.Fatalf("the host key is %s, ssh-keygen shows %s; %v %v", report.HostKeyFingerprint, host.fingerprint(t), trouble, err)
	}
	d.arrive("a.csv")
	d.arrive("b.csv")
	must(t, os.WriteFile(filepath.Join(d.folder, "notes.txt"), nil, 0o644))
	began := d.now()
	c, err := d.CreateConnector(d.ctx, d.org, d.everyFive(credential))
	must(t, err)
	run, ran := d.pull(c)
	if !ran || !run.Succeeded || run.Fetched != 2 || run.Listed != 2 {
		t.Fatalf("the first run: %v %+v", ran, run)
	}
	if run := d.runAt(c, began.Add(5*time.Minute)); run.Fetched != 0 || run.Listed != 2 {
		t.Errorf("nothing is new: %+v", run)
	}
	d.arrive("c.csv")
	growing := d.now().Add(8 * time.Minute)
	must(t, os.WriteFile(filepath.Join(d.folder, "d.csv"), []byte("E-Mail\nd@exa"), 0o644))
	must(t, os.Chtimes(filepath.Join(d.folder, "d.csv"), growing, growing)) // its clock is ahead
	if run := d.runAt(c, began.Add(10*time.Minute)); run.Fetched != 1 || run.Waiting != 1 {
		t.Errorf("one file is at rest, one is growing: %+v", run)
	}
	d.arrive("d.csv")
	if run := d.runAt(c, began.Add(15*time.Minute)); run.Fetched != 1 || run.Waiting != 0 {
		t.Errorf("the file is at rest now: %+v", run)
	}
	// Nobody ran for two hours: it is made up for once.
	d.setClock(began.Add(2 * time.Hour))
	if _, ran := d.pull(c); !ran {
		t.Error("it does not run after a pause")
	}
	d.complete()
}

func byTheDay(t *testing.T, at *sshServer) {
	d := newConnectorFixture(t)
	draft := d.everyFive(d.credential(at))
	draft.Schedule = model.Schedule{Daily: "07:30"}
	d.arrive("a.csv")
	c, err := d.CreateConnector(d.ctx, d.org, draft)
	must(t, err)
	day := time.Date(2026, 3, 4, 7, 30, 0, 0, time.UTC)
	if run := d.runAt(c, day); run.Fetched != 1 {
		t.Errorf("the first day: %+v", run)
	}
	d.arrive("b.csv")
	if run := d.runAt(c, day.AddDate(0, 0, 1)); run.Fetched != 1 {
		t.Errorf("the next day: %+v", run)
	}
	d.arrive("c.csv")
	d.setClock(day.AddDate(0, 0, 4).Add(time.Hour))
	if run, ran := d.pull(c); !ran || run.Fetched != 1 {
		t.Errorf("after days on which nothing ran: %v %+v", ran, run)
	}
	d.arrive("d.csv")
	at.shut.Store(true)
	failed := day.AddDate(0, 0, 5)
	if run := d.runAt(c, failed); run.Succeeded {
		t.Errorf("nobody was let in: %+v", run)
	}
	at.shut.Store(false)
	if run := d.runAt(c, failed.Add(5*time.Minute)); run.Fetched != 1 {
		t.Errorf("a failed day is tried again soon: %+v", run)
	}
	if next := d.connector(c).Next; !next.Equal(day.AddDate(0, 0, 6)) {
		t.Errorf("the next run is at %s", next)
	}
	d.complete()
}

// trouble is what a connector meets with.
type trouble struct {
	name, kind  string
	words       []string
	begin, cure func()
}

// troubles has files arrive while a connector cannot come to them: it says why, once,
// tries again later and later, and goes on where it was.
func troubles(t *testing.T, at *sshServer, host keyFile) {
	d := newConnectorFixture(t)
	c, err := d.CreateConnector(d.ctx, d.org, d.everyFive(d.credential(at)))
	must(t, err)
	d.arrive("first.csv")
	if run, _ := d.pull(c); run.Fetched != 1 {
		t.Fatalf("the first run: %+v", run)
	}
	other, away := newKeyFile(t), d.folder+"-away"
	t.Cleanup(func() { at.show(host); at.shut.Store(false) })
	for n, one := range []trouble{
		{"host key", "host_key_changed", []string{"has changed: expected " + host.fingerprint(t) + ", found " + other.fingerprint(t), "make a new credential"}, func() { at.show(other) }, func() { at.show(host) }},
		{"login", "login_denied", []string{"does not let", at.draft.User}, func() { at.shut.Store(true) }, func() { at.shut.Store(false) }},
		{"directory", "missing", []string{"does not have the directory", d.folder}, func() { must(t, os.Rename(d.folder, away)) }, func() { must(t, os.Rename(away, d.folder)) }},
	} {
		d.arrive(fmt.Sprintf("%d.csv", n))
		d.connectorEvents()
		one.begin()
		next := d.connector(c).Next
		for failures, wait := range []time.Duration{5 * time.Minute, 15 * time.Minute, time.Hour, 6 * time.Hour} {
			run := d.runAt(c, next)
			d.check(one, run)
			now := d.connector(c)
			if now.Failures != failures+1 || !now.Next.Equal(next.Add(wait)) {
				t.Errorf("%s: after %d failures it runs next after %s", one.name, now.Failures, now.Next.Sub(next))
			}
			next = now.Next
		}
		events := d.connectorEvents()
		if len(events) != 1 || !strings.Contains(events[0], one.kind) || !strings.Contains(events[0], c.ID) {
			t.Errorf("%s: the events are %q", one.name, events)
		}
		one.cure()
		if run := d.runAt(c, next); !run.Succeeded || run.Fetched != 1 {
			t.Errorf("%s: after the cure: %+v", one.name, run)
		}
		if now := d.connector(c); now.Failures != 0 {
			t.Errorf("%s: it counts %d failures", one.name, now.Failures)
		}
	}
	d.newHost(c, at, other)
	d.complete()
}

// check reads what a run that failed says.
func (d *connectorFixture) check(one trouble, run model.PullRun) {
	d.Helper()
	if run.Succeeded || run.Kind != one.kind || run.Fetched != 0 || !strings.HasSuffix(run.Message.String(), ".") {
		d.Errorf("%s: %+v", one.name, run)
	}
	for _, word := range one.words {
		if !strings.Contains(run.Message.String(), word) {
			d.Errorf("%s: it says %q, without %q", one.name, run.Message.String(), word)
		}
	}
}

// newHost does what is told where the host key changed for good: a new credential for
// the connector. What it fetched before it does not fetch again.
func (d *connectorFixture) newHost(c model.Connector, at *sshServer, host keyFile) {
	d.Helper()
	at.show(host)
	d.arrive("moved.csv")
	if run := d.runAt(c, d.connector(c).Next); run.Kind != "host_key_changed" {
		d.Errorf("another host key: %+v", run)
	}
	if _, err := d.ReplaceConnector(d.ctx, d.org, c.ID, d.everyFive(d.credential(at))); err != nil {
		d.Fatal(err)
	}
	d.setClock(d.connector(c).Next)
	if run, ran := d.pull(c); !ran || run.Fetched != 1 {
		d.Errorf("with a new credential: %v %+v", ran, run)
	}
}
