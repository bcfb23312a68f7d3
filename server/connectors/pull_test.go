package connectors_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/servertest"
	"github.com/intraydata/intray/server/webhooks"
)

// runDue runs connectors until none is due, and returns the errors.
func (f *fixture) runDue() error {
	f.Helper()
	var failed error
	for range 20 {
		ran, err := f.RunNextConnector(f.ctx, nil)
		failed = errors.Join(failed, err)
		if !ran {
			return failed
		}
	}
	f.Error("connectors run endlessly")
	return failed
}

// lastRun returns the last run of a connector.
func (f *fixture) lastRun(c model.Connector) model.PullRun {
	f.Helper()
	runs, _, err := servertest.Split(f.Pulls(f.ctx, f.org, c.ID, model.PageRequest{Limit: 1}))
	must(f.T, err)
	if len(runs) == 0 {
		return model.PullRun{}
	}
	return runs[0]
}

// imported checks that each file on the server became exactly one import.
func (f *fixture) imported(c model.Connector) {
	f.Helper()
	imports, _, err := servertest.Split(f.Imports(f.ctx, f.org, model.PageRequest{Limit: 100}))
	must(f.T, err)
	files, err := f.PulledFiles(f.ctx, f.org, c.ID)
	must(f.T, err)
	if len(imports) != f.remote.Files() || len(files) != f.remote.Files() {
		f.Errorf("%d files became %d imports, %d are remembered", f.remote.Files(), len(imports), len(files))
	}
	for _, file := range files {
		if !file.Taken || !slices.ContainsFunc(imports, func(imp model.Import) bool { return imp.ID == file.ImportID }) {
			f.Errorf("%s: %+v has no import", file.File.Path, file)
		}
	}
}

// TestPullFaults makes each use of the store, the blobs and the SFTP server fail once during a
// run. The failure must be reported, and afterwards each file must become exactly one import.
func TestPullFaults(t *testing.T) {
	t.Parallel()
	eachFault(t, func(f *fixture, n int) string {
		c := f.connector()
		_, _, err := f.CreateWebhook(f.ctx, f.org, webhooks.Draft{URL: "http://receiver", Enabled: true})
		must(f.T, err)
		f.remote.AddFile("a.csv", "email\na@example.org\n")
		f.remote.AddFile("b.csv", "email\nb@example.org\n")
		f.remote.Interrupt = 1
		f.Faults.Arm(n)
		err = f.runDue()
		name := f.Faults.Disarm()
		if run := f.lastRun(c); name != "" && err == nil && run.Succeeded {
			f.Errorf("%s failed, and the run reports success: %+v", name, run)
		}
		f.Clock.Advance(time.Hour)
		must(f.T, f.runDue())
		if run := f.lastRun(c); !run.Succeeded {
			f.Errorf("%s failed once, and the next run did, too: %+v", name, run)
		}
		f.imported(c)
		if f.remote.Opened != f.remote.Closed {
			f.Errorf("%d connections were opened and %d closed", f.remote.Opened, f.remote.Closed)
		}
		return name
	})
}

// TestFailedRunFaults makes each use of the store, the blobs and the SFTP server fail once while
// the failure of an earlier run is stored and announced.
func TestFailedRunFaults(t *testing.T) {
	t.Parallel()
	eachFault(t, func(f *fixture, n int) string {
		c := f.connector()
		w, _, err := f.CreateWebhook(f.ctx, f.org, webhooks.Draft{URL: "http://receiver", Enabled: true})
		must(f.T, err)
		must(f.T, f.DeleteCredential(f.ctx, f.org, c.CredentialID))
		f.Faults.Arm(n)
		err = f.runDue()
		name := f.Faults.Disarm()
		if run := f.lastRun(c); name != "" && err == nil && run.Kind != "internal" {
			f.Errorf("%s failed, and nothing reports it: %+v", name, run)
		}
		f.Clock.Advance(time.Hour)
		must(f.T, f.runDue())
		if run := f.lastRun(c); run.Kind != "credential_deleted" {
			f.Errorf("%s failed once: the last run is %+v", name, run)
		}
		if _, _, announced, err := servertest.SplitDeliveries(f.Deliveries(f.ctx, f.org, w.ID, model.PageRequest{Limit: 10})); err != nil || announced != 1 {
			f.Errorf("%s failed once: the failure was announced %d times, %v", name, announced, err)
		}
		return name
	})
}

// A run that is canceled leaves no trace, and its connector is due again.
func TestStoppedRun(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	c := f.connector()
	f.remote.AddFile("a.csv", "email\na@example.org\n")
	ctx, stop := context.WithCancel(f.ctx)
	f.remote.OnFetch = stop
	if _, err := f.RunNextConnector(ctx, nil); err != nil {
		t.Errorf("a stopped run: %v", err)
	}
	if run := f.lastRun(c); run.ID != "" {
		t.Errorf("a stopped run was stored: %+v", run)
	}
	f.remote.OnFetch = nil
	must(t, f.runDue())
	f.imported(c)
}

// TestPostponedConnectors checks that connectors that must wait are due again later, even if no
// other connector can run.
func TestPostponedConnectors(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	running := []model.Connector{f.connector(), f.connector()}
	waiting := f.connector()
	must(t, f.Store.Update(f.ctx, func(tx model.Tx) error {
		for _, c := range running {
			c.Node = "another process"
			if err := tx.Connectors.Save(f.ctx, c); err != nil {
				return err
			}
		}
		return nil
	}))
	if ran, err := f.RunNextConnector(f.ctx, nil); ran || err != nil {
		t.Errorf("a third connector ran: %v, %v", ran, err)
	}
	due, err := model.Get(f.ctx, f.Store, func(tx model.Tx) (bool, error) { return tx.Connectors.IsDue(f.ctx, f.Clock.Now()) })
	if due || err != nil {
		t.Errorf("the waiting connector is due: %v, %v", due, err)
	}
	f.Clock.Advance(time.Minute)
	must(t, f.Store.Update(f.ctx, func(tx model.Tx) error { return tx.Connectors.GiveBack(f.ctx, "another process") }))
	must(t, f.runDue())
	if f.lastRun(waiting).ID == "" {
		t.Error("the waiting connector did not run")
	}
}
