package connectors_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/servertest"
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
		did, err := f.DeliverNextResult(f.ctx)
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

// A result whose import or credential was deleted is never uploaded, and does not count as
// uploaded.
func TestResultOfDeleted(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(f *fixture, c model.Connector) error{
		"import":     func(f *fixture, c model.Connector) error { return f.DeleteImport(f.ctx, f.org, f.pulled(c).ImportID) },
		"credential": func(f *fixture, c model.Connector) error { return f.DeleteCredential(f.ctx, f.org, c.CredentialID) },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			c := f.withResult()
			must(t, remove(f, c))
			for tries := 1; tries <= 12; tries++ {
				if file := f.pulled(c); file.Put != "WAITING" {
					t.Fatalf("after %d attempts: %+v", tries-1, file)
				}
				must(t, f.deliverDue())
				if file := f.pulled(c); file.PutTries != tries || file.PutMessage.IsZero() {
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

// Each use of the store fails once while the upload of a result is being queued. The error must
// be returned.
func TestQueueResultUploadFaults(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	c := f.withResult()
	imp, err := f.Import(f.ctx, f.org, f.pulled(c).ImportID)
	must(t, err)
	for _, use := range []string{"Pulled.ByImport", "Connectors.Get", "Pulled.Upsert"} {
		f.Faults.ArmUse(use, 1)
		err := f.Store.Update(f.ctx, func(tx model.Tx) error { return f.QueueResultUpload(f.ctx, f.Faults.Wrap(tx), imp) })
		if failed := f.Faults.Disarm(); failed != use || !errors.Is(err, servertest.ErrInjected) {
			t.Errorf("%s: %v, want the injected fault", use, err)
		}
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
