package connectors_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/server/connectors"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/servertest"
	"github.com/intraydata/intray/server/webhooks"
)

// withResult creates a connector with one file whose import is SUCCESSFUL.
func (f *fixture) withResult() model.Connector {
	f.Helper()
	c := f.connector()
	f.remote.AddFile("a.csv", "email\na@example.org\n")
	must(f.T, f.runDue())
	for {
		ran, err := f.RunNext(f.ctx)
		must(f.T, err)
		if !ran {
			return c
		}
	}
}

// pulled returns the only file of a connector.
func (f *fixture) pulled(c model.Connector) model.PulledFile {
	f.Helper()
	files, err := f.PulledFiles(f.ctx, f.org, c.ID)
	must(f.T, err)
	if len(files) != 1 {
		f.Fatalf("%d files are remembered, want 1", len(files))
	}
	return files[0]
}

// deliverDue uploads results until none is due, and returns the errors.
func (f *fixture) deliverDue() error {
	f.Helper()
	var failed error
	for range 20 {
		did, err := f.DeliverNextResult(f.ctx, nil)
		failed = errors.Join(failed, err)
		if !did {
			return failed
		}
	}
	f.Error("results are uploaded endlessly")
	return failed
}

// Each use of the store, the blobs and the SFTP server fails once while a result is being
// uploaded. The result must not count as uploaded before it is, and must be uploaded in the end.
func TestResultFaults(t *testing.T) {
	t.Parallel()
	eachFault(t, func(f *fixture, n int) string {
		c := f.withResult()
		f.Faults.Arm(n)
		err := f.deliverDue()
		name := f.Faults.Disarm()
		file := f.pulled(c)
		if name != "" && err == nil && (file.Put != "WAITING" || file.PutMessage.IsZero()) {
			f.Errorf("%s failed, and nothing reports it: %+v", name, file)
		}
		if file.Put == "DONE" && len(f.remote.Uploaded()) == 0 {
			f.Errorf("%s failed, and the result counts as uploaded: %+v", name, file)
		}
		f.Clock.Advance(time.Hour)
		must(f.T, f.deliverDue())
		if file := f.pulled(c); file.Put != "DONE" || !file.PutMessage.IsZero() {
			f.Errorf("%s failed once: %+v", name, file)
		}
		want := "/out/a." + file.ImportID + ".csv"
		if len(f.remote.Uploaded()) != 1 || f.remote.Uploaded()[want] != "email\na@example.org\n" {
			f.Errorf("%s failed once: uploaded %q, want %s", name, f.remote.Uploaded(), want)
		}
		if f.remote.Opened != f.remote.Closed {
			f.Errorf("%d connections were opened and %d closed", f.remote.Opened, f.remote.Closed)
		}
		return name
	})
}

// If any step of an upload fails once, the result must remain queued with a message, and must
// not count as uploaded.
func TestResultLookupFaults(t *testing.T) {
	t.Parallel()
	for _, fault := range []struct {
		use string
		n   int
	}{{"Connectors.Get", 1}, {"Imports.Get", 1}, {"Imports.Get", 2}, {"Credentials.Get", 1}, {"Remotes.Open", 1}, {"Blobs.open", 1}, {"Remote.Upload", 1}} {
		t.Run(fmt.Sprint(fault.use, " ", fault.n), func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			c := f.withResult()
			f.Faults.ArmUse(fault.use, fault.n)
			must(t, f.deliverDue())
			if failed := f.Faults.Disarm(); failed != fault.use {
				t.Fatalf("failed %q, want %s", failed, fault.use)
			}
			if file := f.pulled(c); file.Put != "WAITING" || file.PutTries != 1 || file.PutMessage.IsZero() || len(f.remote.Uploaded()) != 0 {
				t.Errorf("%+v, uploaded %q; want a waiting result with a message", file, f.remote.Uploaded())
			}
		})
	}
}

// A result whose credential was deleted is tried 12 times. A result whose import was deleted is
// tried once. Neither is uploaded or counts as uploaded.
func TestResultOfDeleted(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]struct {
		remove func(f *fixture, c model.Connector) error
		kind   string
		tries  int
	}{
		"import":     {func(f *fixture, c model.Connector) error { return f.DeleteImport(f.ctx, f.org, f.pulled(c).ImportID) }, model.ResultDeleted, 1},
		"credential": {func(f *fixture, c model.Connector) error { return f.DeleteCredential(f.ctx, f.org, c.CredentialID) }, "credential_deleted", 12},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			c := f.withResult()
			must(t, of.remove(f, c))
			for tries := 1; tries <= of.tries; tries++ {
				if file := f.pulled(c); file.Put != "WAITING" {
					t.Fatalf("after %d attempts: %+v", tries-1, file)
				}
				must(t, f.deliverDue())
				if file := f.pulled(c); file.PutTries != tries || file.PutKind != of.kind || file.PutMessage.IsZero() {
					t.Fatalf("after %d attempts: %+v", tries, file)
				}
				f.Clock.Advance(24 * time.Hour)
			}
			if file := f.pulled(c); file.Put != "FAILED" || len(f.remote.Uploaded()) != 0 {
				t.Errorf("%+v, uploaded %q", file, f.remote.Uploaded())
			}
		})
	}
}

// announced returns the bodies of the messages to a webhook, oldest first.
func (f *fixture) announced(w model.Webhook) (bodies []string) {
	f.Helper()
	list, _, _, err := servertest.SplitDeliveries(f.Deliveries(f.ctx, f.org, w.ID, model.PageRequest{Limit: 100}))
	must(f.T, err)
	for _, d := range slices.Backward(list) {
		bodies = append(bodies, d.Event+" "+string(d.Body))
	}
	return bodies
}

// TestFindingEcosystem2FailedDelivery checks that failed uploads of results are reported: by the
// connector, by the list of uploads, by an event when the uploads begin to fail and for each
// result that is given up, and in the log without file names. Running the connector tries again.
func TestFindingEcosystem2FailedDelivery(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w, _, err := f.CreateWebhook(f.ctx, f.org, webhooks.Draft{URL: "http://receiver", Enabled: true})
	must(t, err)
	f.remote.AddFile("b.csv", "email\nb@example.org\n")
	c := f.withResult() // and a.csv
	failing := func() int64 {
		now, err := f.Connector(f.ctx, f.org, c.ID)
		must(t, err)
		list, err := f.Connectors(f.ctx, f.org)
		must(t, err)
		if len(list) != 1 || list[0].FailedUploads != now.FailedUploads {
			t.Errorf("listed %+v, retrieved %+v", list, now)
		}
		return now.FailedUploads
	}
	if n := failing(); n != 0 {
		t.Errorf("%d uploads failed before the first attempt", n)
	}
	f.remote.LoginError = errors.New("the server denies a.csv")
	for range 12 {
		must(t, f.deliverDue())
		f.Clock.Advance(24 * time.Hour)
	}
	if n := failing(); n != 2 {
		t.Errorf("%d failed uploads, want 2", n)
	}
	want := []string{"sftp_delivery_failed WAITING denied", "sftp_delivery_failed FAILED denied", "sftp_delivery_failed FAILED denied"}
	if diff := cmp.Diff(want, f.announced(w)); diff != "" {
		t.Errorf("the events (-want +got):\n%s", diff)
	}
	list, total, err := servertest.Split(f.ResultUploads(f.ctx, f.org, c.ID, model.PageRequest{Limit: 10}))
	must(t, err)
	if total != 2 || list[0].Put != "FAILED" || list[0].PutTries != 12 || list[0].PutKind != "denied" || list[0].PutMessage.String() != "the server denies a.csv." {
		t.Errorf("%d uploads: %+v", total, list)
	}
	if again, last := strings.Count(f.log.String(), "upload of a result failed; trying again"), strings.Count(f.log.String(), "upload of a result failed for good"); again != 22 || last != 2 {
		t.Errorf("logged %d failures that are tried again and %d final ones, want 22 and 2", again, last)
	}
	if strings.Contains(f.log.String(), "a.csv") || !strings.Contains(f.log.String(), list[0].ImportID) {
		t.Errorf("the log must have the id of the import and no file name:\n%s", f.log.String())
	}

	f.remote.LoginError = nil
	if _, err := f.RunConnector(f.ctx, f.org, c.ID); err != nil {
		t.Error(err)
	}
	must(t, f.deliverDue())
	if n := failing(); n != 0 || len(f.remote.Uploaded()) != 2 {
		t.Errorf("after a retry %d uploads fail, uploaded %q", n, f.remote.Uploaded())
	}
}

// Running a connector does not make a result due that is being uploaded after an earlier failure.
func TestRetryDuringUpload(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	c := f.withResult()
	f.remote.LoginError = errors.New("denied")
	must(t, f.deliverDue())
	f.remote.LoginError = nil
	f.Clock.Advance(time.Hour)
	uploads := 0
	f.remote.OnUpload = func() {
		if uploads++; uploads > 1 {
			return
		}
		_, err := f.RunConnector(f.ctx, f.org, c.ID)
		must(t, err)
		if again, err := f.DeliverNextResult(f.ctx, nil); again || err != nil {
			t.Errorf("uploaded again: %v, %v", again, err)
		}
	}
	must(t, f.deliverDue())
	if file := f.pulled(c); uploads != 1 || file.Put != "DONE" || file.PutTries != 2 {
		t.Errorf("%d uploads, %+v", uploads, file)
	}
}

// Replacing a connector tries failed uploads again. If the new settings upload no results, the
// results are no longer waiting.
func TestReplaceRetriesUploads(t *testing.T) {
	t.Parallel()
	for name, directory := range map[string]string{"other folder": "/other", "no folder": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			c := f.withResult()
			f.remote.LoginError = errors.New("denied")
			must(t, f.deliverDue())
			f.log.Reset()
			logins := f.remote.Logins
			draft := connectors.Draft{CredentialID: c.CredentialID, SchemaID: c.SchemaID, Directory: c.Directory, Schedule: c.Schedule, PutDirectory: directory}
			if directory != "" {
				f.remote.LoginError, draft.PutFormat = nil, "csv"
			}
			_, err := f.ReplaceConnector(f.ctx, f.org, c.ID, draft)
			must(t, err)
			must(t, f.deliverDue())
			file := f.pulled(c)
			_, uploaded := f.remote.Uploaded()["/other/a."+file.ImportID+".csv"]
			if uploaded != (directory != "") || directory == "" && file.Put != "" || file.PutKind != "" || !file.PutMessage.IsZero() {
				t.Errorf("%+v, uploaded %q", file, f.remote.Uploaded())
			}
			if directory == "" && (f.remote.Logins != logins || f.log.Len() > 0) {
				t.Errorf("%d logins, logged:\n%s", f.remote.Logins-logins, f.log.String())
			}
		})
	}
}

// The store fails while the upload of a result is being queued. The error must be returned.
func TestQueueResultUploadFaults(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	c := f.withResult()
	imp, err := f.Import(f.ctx, f.org, f.pulled(c).ImportID)
	must(t, err)
	f.Faults.ArmUse("Pulled.QueueUpload", 1)
	err = f.Store.Update(f.ctx, func(tx model.Tx) error { return f.QueueResultUpload(f.ctx, f.Faults.Wrap(tx), imp) })
	if failed := f.Faults.Disarm(); failed != "Pulled.QueueUpload" || !errors.Is(err, servertest.ErrInjected) {
		t.Errorf("%v, want the injected fault", err)
	}
}

func TestLongResultNames(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	c := f.connector()
	f.remote.AddFile(strings.Repeat("ü", 125)+".csv", "email\na@example.org\n")
	must(t, f.runDue())
	for ran := true; ran; {
		var err error
		ran, err = f.RunNext(f.ctx)
		must(t, err)
	}
	must(t, f.deliverDue())
	for path := range f.remote.Uploaded() {
		name := strings.TrimPrefix(path, "/out/")
		if len(name) > 255 || !strings.HasPrefix(name, "üüü") || !strings.HasSuffix(name, "."+f.pulled(c).ImportID+".csv") {
			t.Errorf("the name has %d bytes: %s", len(name), name)
		}
	}
	if len(f.remote.Uploaded()) != 1 {
		t.Errorf("uploaded %d results", len(f.remote.Uploaded()))
	}
}
