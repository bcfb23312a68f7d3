package service_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/schemas"
	"github.com/intraydata/intray/server/servertest"
	"github.com/intraydata/intray/server/service"
)

const day = 24 * time.Hour

// If the process crashes after it stored a file and before anything refers to the file, the
// file is deleted after a day.
func TestOrphansOfCrashes(t *testing.T) {
	t.Parallel()
	for point, crash := range map[string]func(f *fixture){
		"upload.stored": func(f *fixture) { _ = f.upload(f.newImport(""), goodFile) },
		"rows.stored":   func(f *fixture) { f.newImportWithRows(`[{"email":"ada@example.org"}]`) },
	} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, crashAt(point))
			f.expectCrash(func() { crash(f) })
			f.Service = f.newNode("folder/two")
			must(t, f.Join(f.ctx))
			orphans := f.Blobs.Keys("imports/")
			if len(orphans) != 1 {
				t.Fatalf("blobs %v, want the orphan", orphans)
			}
			kept := f.finishedImport(goodFile, "")
			f.Clock.Advance(day - time.Microsecond)
			must(t, f.RunMaintenance(f.ctx))
			if len(f.Blobs.Keys(orphans[0])) == 0 {
				t.Error("the orphan is deleted before its day is over")
			}
			f.Clock.Advance(time.Microsecond)
			must(t, f.RunMaintenance(f.ctx))
			if left := f.Blobs.Keys(orphans[0]); len(left) > 0 {
				t.Errorf("the orphan remains: %v", left)
			}
			f.wantResult(kept, goodResult)
			if text := f.Blobs.Content(t, kept.Raw.Key); text != goodFile {
				t.Errorf("the received file is %q", text)
			}
		})
	}
}

// If the process crashes after an upload has been committed, nothing is lost.
func TestCrashAfterUpload(t *testing.T) {
	t.Parallel()
	f := newFixture(t, crashAt("upload.accepted"))
	imp := f.newImport("")
	f.expectCrash(func() { _ = f.upload(imp, goodFile) })
	f.Service = f.newNode("folder/two")
	must(t, f.Join(f.ctx))
	f.Clock.Advance(2 * day)
	must(t, f.RunMaintenance(f.ctx))
	f.runAll()
	f.wantResult(imp, goodResult)
}

func TestDeleteImport(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.finishedImport(badFile, "")
	must(t, f.DeleteImport(f.ctx, f.org, imp.ID))
	if left := f.Blobs.Keys(""); len(left) > 0 {
		t.Errorf("blobs remain: %v", left)
	}
	_, err := f.Upload(f.ctx, f.org, imp.UploadID)
	f.wantError(err, model.NotFound, "not_found")
	_, err = f.Schema(f.ctx, f.org, imp.SchemaID)
	f.wantError(err, model.NotFound, "not_found")
	f.wantError(f.DeleteImport(f.ctx, f.org, imp.ID), model.NotFound, "not_found")
}

func TestDeleteImportWithSavedSchema(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	schema, _, err := f.CreateSchema(f.ctx, f.org, schemas.Draft{Doc: namedSchema(t, "Contacts")})
	must(t, err)
	imp, err := f.CreateImport(f.ctx, f.org, imports.Draft{SchemaID: schema.ID})
	must(t, err)
	must(t, f.DeleteImport(f.ctx, f.org, imp.ID))
	if _, err := f.Schema(f.ctx, f.org, schema.ID); err != nil {
		t.Errorf("the saved schema: %v", err)
	}
}

// If an import is deleted before its file arrives or during the upload, the upload returns
// NotFound, and no blobs remain.
func TestDeleteDuringUpload(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for name, body := range map[string]func(remove func()) *hookReader{
		"before the first byte": func(remove func()) *hookReader { remove(); return &hookReader{from: strings.NewReader(goodFile)} },
		"with the first byte":   func(remove func()) *hookReader { return &hookReader{strings.NewReader(goodFile), remove} },
	} {
		imp := f.newImport("")
		r, err := f.BeginUpload(f.ctx, imp.ID, f.mustToken(f.UploadToken(imp, "")), -1)
		must(t, err)
		_, err = r.Receive(f.ctx, imports.IncomingFile{Length: -1, Body: body(func() { must(t, f.DeleteImport(f.ctx, f.org, imp.ID)) })})
		f.wantError(err, model.NotFound, "not_found")
		if _, err := f.Upload(f.ctx, f.org, imp.UploadID); !model.IsKind(err, model.NotFound) {
			t.Errorf("%s: the upload of the deleted import exists, error %v", name, err)
		}
		f.Clock.Advance(2 * day)
		must(t, f.RunMaintenance(f.ctx))
		if left := f.Blobs.Keys("imports/"); len(left) > 0 {
			t.Errorf("%s: blobs remain: %v", name, left)
		}
	}
}

// hookReader is a reader with an optional function that it calls before the first read.
type hookReader struct {
	from  *strings.Reader
	first func()
}

func (d *hookReader) Read(p []byte) (int, error) {
	if d.first != nil {
		d.first()
		d.first = nil
	}
	return d.from.Read(p)
}

// A blob that cannot be deleted does not prevent the deletion of other blobs.
func TestTrashAfterFailure(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	must(t, f.Store.Update(f.ctx, func(tx model.Tx) error {
		for _, prefix := range []string{"imports/a", "imports/b", "imports/c"} {
			if err := tx.Trash.Schedule(f.ctx, model.Trash{Prefix: prefix, Due: servertest.Started}); err != nil {
				return err
			}
		}
		return nil
	}))
	fault := errors.New("permission denied")
	f.Blobs.OnUse(func(_ context.Context, use, key string) error {
		if use == "delete" && key == "imports/a" {
			return fault
		}
		return nil
	})
	if err := f.RunMaintenance(f.ctx); !errors.Is(err, fault) {
		t.Errorf("error %v, want the fault", err)
	}
	must(t, f.Store.View(f.ctx, func(tx model.Tx) error {
		left, err := tx.Trash.ListDue(f.ctx, servertest.Started, 10)
		if len(left) != 1 || left[0].Prefix != "imports/a" {
			t.Errorf("trash %v remains, want imports/a only", left)
		}
		return err
	}))
}

// lossyStore is a store that, once armed, commits the next transaction but loses the response.
type lossyStore struct {
	model.Store
	armed bool
}

var errDisconnected = errors.New("the connection broke during the commit")

func (l *lossyStore) Update(ctx context.Context, work func(model.Tx) error) error {
	lose := l.armed
	l.armed = false
	if err := l.Store.Update(ctx, work); err != nil || !lose {
		return err
	}
	return errDisconnected
}

// lossyFixture returns a fixture with a store that is armed at a crash point.
func lossyFixture(t *testing.T, point string) (*fixture, *lossyStore) {
	store := &lossyStore{}
	return newFixture(t, func(f *fixture, cfg *service.Config) {
		store.Store = f.Store
		cfg.Store = store
		cfg.CrashPoint = func(reached string) { store.armed = store.armed || reached == point }
	}), store
}

// The result must not be deleted if the response to its commit is lost.
func TestLostResponseOfRun(t *testing.T) {
	t.Parallel()
	f, _ := lossyFixture(t, "run.result")
	imp := f.pendingImport(goodFile, "")
	_, _ = f.RunNext(f.ctx)
	f.wantResult(imp, goodResult)
	if left := f.Blobs.Keys(f.reload(imp).Stage); len(left) == 0 {
		t.Error("the staged rows of the import were deleted")
	}
	f.Clock.Advance(2 * day)
	must(t, f.RunMaintenance(f.ctx))
	f.wantResult(imp, goodResult)
}

func TestLostResponseOfUpload(t *testing.T) {
	t.Parallel()
	f, _ := lossyFixture(t, "upload.stored")
	imp := f.newImport("")
	if err := f.upload(imp, goodFile); !errors.Is(err, errDisconnected) {
		t.Fatalf("error %v, want the broken connection", err)
	}
	f.wantStatus(imp, model.Pending)
	f.Clock.Advance(2 * day)
	must(t, f.RunMaintenance(f.ctx))
	f.runAll()
	f.wantResult(imp, goodResult)
}

func TestLostResponseOfRows(t *testing.T) {
	t.Parallel()
	f, _ := lossyFixture(t, "rows.stored")
	id := unknownID
	draft := imports.Draft{ID: id, Doc: doc(t, contacts, ""), Rows: strings.NewReader(`[{"email":"ada@example.org"}]`)}
	if _, err := f.CreateImport(f.ctx, f.org, draft); !errors.Is(err, errDisconnected) {
		t.Fatalf("error %v, want the broken connection", err)
	}
	f.Clock.Advance(2 * day)
	must(t, f.RunMaintenance(f.ctx))
	f.runAll()
	f.wantResult(model.Import{ID: id, Org: f.org}, `[{"email":"ada@example.org","name":null}]`)
}

func TestLostResponseOfSessionFile(t *testing.T) {
	t.Parallel()
	f, store := lossyFixture(t, "")
	session := f.newSession().Session
	f.Blobs.OnUse(func(_ context.Context, use, _ string) error {
		store.armed = use == "create"
		return nil
	})
	_, err := f.SaveSessionFile(f.ctx, session, imports.IncomingFile{Body: strings.NewReader("a,b\n"), Length: -1}, "text/csv")
	if !errors.Is(err, errDisconnected) {
		t.Fatalf("error %v, want the broken connection", err)
	}
	f.Blobs.OnUse(nil)
	h, err := f.ResumeSession(f.ctx, f.org, session.ID, 0, "")
	must(t, err)
	if _, err := f.SessionFile(f.ctx, h.Session); err != nil {
		t.Errorf("the file of the session: %v", err)
	}
}

// TestMuchTrash checks that one round of maintenance deletes many blobs.
func TestMuchTrash(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const entries = 2*model.MaintenanceBatch + 1
	must(t, f.Store.Update(f.ctx, func(tx model.Tx) error {
		for n := range entries {
			if err := tx.Trash.Schedule(f.ctx, model.Trash{Prefix: fmt.Sprintf("imports/%d", n), Due: f.Clock.Now()}); err != nil {
				return err
			}
		}
		return nil
	}))
	must(t, f.EmptyTrash(f.ctx))
	left, err := model.View(f.ctx, f.Store, func(tx model.Tx) ([]model.Trash, error) { return tx.Trash.ListDue(f.ctx, f.Clock.Now(), entries) })
	if err != nil || len(left) > 0 {
		t.Errorf("%d entries are left, %v", len(left), err)
	}
}
