package connectors_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/webhooks"
)

// runDue runs connectors until none is due, and returns the errors.
func (f *fixture) runDue() error {
	f.Helper()
	var failed error
	for range 20 {
		ran, err := f.RunNextConnector(f.ctx)
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
	runs, _, err := f.Pulls(f.ctx, f.org, c.ID, 0, 1)
	must(f.T, err)
	if len(runs) == 0 {
		return model.PullRun{}
	}
	return runs[0]
}

// imported checks that each file of the server became exactly one import.
func (f *fixture) imported(c model.Connector) {
	f.Helper()
	imports, _, err := f.Imports(f.ctx, f.org, 0, 100)
	must(f.T, err)
	files, err := f.PulledFiles(f.ctx, f.org, c.ID)
	must(f.T, err)
	if len(imports) != len(f.remote.files) || len(files) != len(f.remote.files) {
		f.Errorf("%d files became %d imports, %d are remembered", len(f.remote.files), len(imports), len(files))
	}
	for _, file := range files {
		if !file.Taken || !slices.ContainsFunc(imports, func(imp model.Import) bool { return imp.ID == file.ImportID }) {
			f.Errorf("%s: %+v has no import", file.File.Path, file)
		}
	}
}

// eachFault calls a function with a new fixture for each use that can fail, from the first
// to the last. The function arms the faults and returns the name of the use that failed, or
// "" if there is none with that number.
func eachFault(t *testing.T, call func(f *fixture, n int) string) {
	t.Helper()
	step := 1
	if testing.Short() {
		step = 3
	}
	failed := map[string]int{}
	for n := 1; ; n += step {
		ended := true // also if -failfast skips the test
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			name := call(newFixture(t), n)
			failed[name]++
			ended = name == ""
		})
		if ended || t.Failed() {
			t.Logf("uses that failed: %v", failed)
			return
		}
	}
}

// Every use of the store, the blobs and the server fails once during a pull. The failure must
// be reported, and afterwards each file must become exactly one import.
func TestPullFaults(t *testing.T) {
	t.Parallel()
	eachFault(t, func(f *fixture, n int) string {
		c := f.connector()
		_, _, err := f.CreateWebhook(f.ctx, f.org, webhooks.Draft{URL: "http://receiver", Enabled: true})
		must(f.T, err)
		f.remote.files["a.csv"], f.remote.files["b.csv"] = "email\na@example.org\n", "email\nb@example.org\n"
		f.remote.interrupt = 1
		f.faults.arm(n, "")
		err = f.runDue()
		name := f.faults.disarm()
		if run := f.lastRun(c); name != "" && err == nil && run.Succeeded {
			f.Errorf("%s failed, and the run reports success: %+v", name, run)
		}
		f.clock.advance(time.Hour)
		must(f.T, f.runDue())
		if run := f.lastRun(c); !run.Succeeded {
			f.Errorf("%s failed once, and the next run did, too: %+v", name, run)
		}
		f.imported(c)
		if f.remote.opened != f.remote.closed {
			f.Errorf("%d connections were opened and %d closed", f.remote.opened, f.remote.closed)
		}
		return name
	})
}

// A second failure, of every use in turn, while the failure of a run is stored and announced.
func TestFailedRunFaults(t *testing.T) {
	t.Parallel()
	eachFault(t, func(f *fixture, n int) string {
		c := f.connector()
		w, _, err := f.CreateWebhook(f.ctx, f.org, webhooks.Draft{URL: "http://receiver", Enabled: true})
		must(f.T, err)
		must(f.T, f.DeleteCredential(f.ctx, f.org, c.CredentialID))
		f.faults.arm(n, "")
		err = f.runDue()
		name := f.faults.disarm()
		if run := f.lastRun(c); name != "" && err == nil && run.Kind != "internal" {
			f.Errorf("%s failed, and nothing reports it: %+v", name, run)
		}
		f.clock.advance(time.Hour)
		must(f.T, f.runDue())
		if run := f.lastRun(c); run.Kind != "credential_deleted" {
			f.Errorf("%s failed once: the last run is %+v", name, run)
		}
		if _, _, announced, err := f.Deliveries(f.ctx, f.org, w.ID, 0, 10); err != nil || announced != 1 {
			f.Errorf("%s failed once: the failure was announced %d times, %v", name, announced, err)
		}
		return name
	})
}

// A run that is stopped leaves no trace, and the connector is due again.
func TestStoppedRun(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	c := f.connector()
	f.remote.files["a.csv"] = "email\na@example.org\n"
	ctx, stop := context.WithCancel(f.ctx)
	f.remote.onFetch = stop
	if _, err := f.RunNextConnector(ctx); err != nil {
		t.Errorf("a stopped run: %v", err)
	}
	if run := f.lastRun(c); run.ID != "" {
		t.Errorf("a stopped run was stored: %+v", run)
	}
	f.remote.onFetch = nil
	must(t, f.runDue())
	f.imported(c)
}
