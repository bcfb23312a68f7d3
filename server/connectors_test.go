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
	"golang.org/x/crypto/ssh"

	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/schema"
	"github.com/intraydata/intray/server/blob/blobtest"
	"github.com/intraydata/intray/server/connectors"
	"github.com/intraydata/intray/server/egress"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/queue"
	"github.com/intraydata/intray/server/schemas"
	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/server/servertest"
	"github.com/intraydata/intray/server/service"
	"github.com/intraydata/intray/server/sftp"
	"github.com/intraydata/intray/server/sqlstore"
	"github.com/intraydata/intray/server/webhooks"
	"github.com/intraydata/intray/source/formats"
	"github.com/intraydata/intray/test/livetest"
)

// connectorFixture is a service with a fake clock, and a folder on an SFTP server.
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
	// arrived lists the names of the files in the folder.
	arrived []string
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
		Store: rows, Blobs: blobtest.NewMemory(), Keys: master.Keyring(), SFTP: servers, Remotes: servers, WebhookSender: newWebhookSender(outside), Node: "folder/one", Clock: d.now,
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
	// The SFTP server may run as a different user.
	d.folder = filepath.Join(t.TempDir(), "in")
	must(t, os.Mkdir(d.folder, 0o755))
	must(t, os.Chmod(filepath.Dir(filepath.Dir(d.folder)), 0o755))
	return d
}

// credential stores a credential for a server.
func (d *connectorFixture) credential(server *sshServer) model.Credential {
	d.Helper()
	draft := server.draft
	draft.Hostname, draft.Port = "127.0.0.1", server.port
	made, err := d.CreateCredential(d.ctx, d.org, draft)
	must(d.T, err)
	return made
}

// arrive writes a file that was last modified an hour ago.
func (d *connectorFixture) arrive(name string) {
	d.Helper()
	file := filepath.Join(d.folder, name)
	must(d.T, os.WriteFile(file, []byte("E-Mail\n"+name+"@example.org\n"), 0o644))
	modified := d.now().Add(-time.Hour)
	must(d.T, os.Chtimes(file, modified, modified))
	d.arrived = append(d.arrived, name)
}

// pull runs the connector if it is due, and returns the run.
func (d *connectorFixture) pull(c model.Connector) (run model.PullRun, ran bool) {
	d.Helper()
	ran, err := d.RunNextConnector(d.ctx, nil)
	must(d.T, err)
	if again, err := d.RunNextConnector(d.ctx, nil); err != nil || again {
		d.Errorf("it ran again immediately: %v", err)
	}
	if !ran {
		return run, false
	}
	list, err := d.Pulls(d.ctx, d.org, c.ID, model.PageRequest{Limit: 1})
	must(d.T, err)
	return list.Rows[0], true
}

// runAt checks that the connector is not due before the given time, and runs it at that time.
func (d *connectorFixture) runAt(c model.Connector, at time.Time) model.PullRun {
	d.Helper()
	d.setClock(at.Add(-time.Second))
	if _, ran := d.pull(c); ran {
		d.Errorf("it ran before %s", at)
	}
	d.setClock(at)
	run, ran := d.pull(c)
	if !ran {
		d.Fatalf("it is not due at %s", at)
	}
	return run
}

func (d *connectorFixture) connector(c model.Connector) model.Connector {
	d.Helper()
	c, err := d.Connector(d.ctx, d.org, c.ID)
	must(d.T, err)
	return c
}

// connectorEvents returns the connector events since the last call.
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

// wantImports checks that each file that arrived became exactly one import.
func (d *connectorFixture) wantImports() {
	d.Helper()
	list, _, err := servertest.Split(d.Imports(d.ctx, d.org, model.PageRequest{Limit: 1000}))
	must(d.T, err)
	var names []string
	for _, imp := range list {
		names = append(names, imp.Filename)
	}
	slices.Sort(names)
	want := slices.Sorted(slices.Values(d.arrived))
	if diff := cmp.Diff(want, names); diff != "" {
		d.Errorf("the files of the imports (-want +got):\n%s", diff)
	}
}

// everyFive returns a draft of a connector that runs every five minutes.
func (d *connectorFixture) everyFive(credential model.Credential) connectors.Draft {
	return connectors.Draft{CredentialID: credential.ID, SchemaID: d.schema, Schedule: model.Schedule{Minutes: 5}, Directory: d.folder, Pattern: `\.csv$`}
}

// TestConnectorsOverSSH runs connectors against real SFTP servers: at an interval,
// daily, and with failures.
func TestConnectorsOverSSH(t *testing.T) {
	for name, open := range map[string]func(*testing.T) *sshServer{"key": keyServer, "password": openSSHPasswordServer, "password in Go": goPasswordServer} {
		if testing.Short() && name != "key" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, host := open(t), livetest.NewSSHKey(t)
			server.setHostKey(host)
			t.Run("minutes", func(t *testing.T) { runByMinutes(t, server, host) })
			t.Run("day", func(t *testing.T) { runDaily(t, server) })
			t.Run("failures", func(t *testing.T) { runFailing(t, server, host) })
		})
	}
}

func runByMinutes(t *testing.T, server *sshServer, host livetest.SSHKey) {
	d := newConnectorFixture(t)
	credential := d.credential(server)
	if text := server.draft.PrivateKey.Reveal(); text != "" {
		key, err := ssh.ParsePrivateKey([]byte(text))
		must(t, err)
		if want := ssh.FingerprintSHA256(key.PublicKey()); credential.Fingerprint != want {
			t.Errorf("the fingerprint of the key is %s, want %s", credential.Fingerprint, want)
		}
	}
	report, failure, err := d.TestCredential(d.ctx, d.org, credential.ID)
	if err != nil || failure != nil || report.HostKeyFingerprint != host.Fingerprint() {
		t.Fatalf("the host key is %s, want %s; %v, %v", report.HostKeyFingerprint, host.Fingerprint(), failure, err)
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
		t.Errorf("without new files: %+v", run)
	}
	d.arrive("c.csv")
	growing := d.now().Add(8 * time.Minute)
	must(t, os.WriteFile(filepath.Join(d.folder, "d.csv"), []byte("E-Mail\nd@exa"), 0o644))
	must(t, os.Chtimes(filepath.Join(d.folder, "d.csv"), growing, growing)) // the modification time is in the future
	if run := d.runAt(c, began.Add(10*time.Minute)); run.Fetched != 1 || run.Waiting != 1 {
		t.Errorf("with one file at rest and one growing: %+v", run)
	}
	d.arrive("d.csv")
	if run := d.runAt(c, began.Add(15*time.Minute)); run.Fetched != 1 || run.Waiting != 0 {
		t.Errorf("with the other file at rest: %+v", run)
	}
	// Two hours of missed runs are followed by only one run.
	d.setClock(began.Add(2 * time.Hour))
	if _, ran := d.pull(c); !ran {
		t.Error("it is not due after a pause")
	}
	d.wantImports()
}

func runDaily(t *testing.T, server *sshServer) {
	d := newConnectorFixture(t)
	draft := d.everyFive(d.credential(server))
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
		t.Errorf("after days without a run: %v %+v", ran, run)
	}
	d.arrive("d.csv")
	server.closed.Store(true)
	failed := day.AddDate(0, 0, 5)
	if run := d.runAt(c, failed); run.Succeeded {
		t.Errorf("the login was refused: %+v", run)
	}
	server.closed.Store(false)
	if run := d.runAt(c, failed.Add(5*time.Minute)); run.Fetched != 1 {
		t.Errorf("the retry: %+v", run)
	}
	if next := d.connector(c).Next; !next.Equal(day.AddDate(0, 0, 6)) {
		t.Errorf("the next run is at %s", next)
	}
	d.wantImports()
}

// failure is a reason for a connector to fail.
type failure struct {
	name, kind string
	// parts are codes and parameters that the message must contain.
	parts      []string
	begin, end func()
}

// runFailing adds files while a connector is failing. The connector must announce the failure
// once, retry with increasing delays, and continue when the failure ends.
func runFailing(t *testing.T, server *sshServer, host livetest.SSHKey) {
	d := newConnectorFixture(t)
	c, err := d.CreateConnector(d.ctx, d.org, d.everyFive(d.credential(server)))
	must(t, err)
	d.arrive("first.csv")
	if run, _ := d.pull(c); run.Fetched != 1 {
		t.Fatalf("the first run: %+v", run)
	}
	other, away := livetest.NewSSHKey(t), d.folder+"-away"
	t.Cleanup(func() { server.setHostKey(host); server.closed.Store(false) })
	for n, one := range []failure{
		{"host key", "host_key_changed", []string{"sftp.host_key_changed", `"expected":"` + host.Fingerprint(), `"found":"` + other.Fingerprint()}, func() { server.setHostKey(other) }, func() { server.setHostKey(host) }},
		{"login", "login_denied", []string{"sftp.login_denied", server.draft.User}, func() { server.closed.Store(true) }, func() { server.closed.Store(false) }},
		{"directory", "missing", []string{"sftp.missing", d.folder}, func() { must(t, os.Rename(d.folder, away)) }, func() { must(t, os.Rename(away, d.folder)) }},
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
				t.Errorf("%s: after %d failures the next run is after %s", one.name, now.Failures, now.Next.Sub(next))
			}
			next = now.Next
		}
		events := d.connectorEvents()
		if len(events) != 1 || !strings.Contains(events[0], one.kind) || !strings.Contains(events[0], c.ID) {
			t.Errorf("%s: the events are %q", one.name, events)
		}
		one.end()
		if run := d.runAt(c, next); !run.Succeeded || run.Fetched != 1 {
			t.Errorf("%s: after its end: %+v", one.name, run)
		}
		if now := d.connector(c); now.Failures != 0 {
			t.Errorf("%s: it counts %d failures", one.name, now.Failures)
		}
	}
	d.replaceHostKey(c, server, other)
	d.wantImports()
}

// check checks that a run failed with the expected message.
func (d *connectorFixture) check(one failure, run model.PullRun) {
	d.Helper()
	if run.Succeeded || run.Kind != one.kind || run.Fetched != 0 || !strings.HasSuffix(run.Message.String(), ".") {
		d.Errorf("%s: %+v", one.name, run)
	}
	for _, part := range one.parts {
		if message := run.Message.Encode(); !strings.Contains(message, part) {
			d.Errorf("%s: the message is %s, want %q in it", one.name, message, part)
		}
	}
}

// replaceHostKey does what the message about a changed host key advises: it gives
// the connector a new credential. It checks that files are not fetched again.
func (d *connectorFixture) replaceHostKey(c model.Connector, server *sshServer, host livetest.SSHKey) {
	d.Helper()
	server.setHostKey(host)
	d.arrive("moved.csv")
	if run := d.runAt(c, d.connector(c).Next); run.Kind != "host_key_changed" {
		d.Errorf("another host key: %+v", run)
	}
	if _, err := d.ReplaceConnector(d.ctx, d.org, c.ID, d.everyFive(d.credential(server))); err != nil {
		d.Fatal(err)
	}
	d.setClock(d.connector(c).Next)
	if run, ran := d.pull(c); !ran || run.Fetched != 1 {
		d.Errorf("with a new credential: %v %+v", ran, run)
	}
}
