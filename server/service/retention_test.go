package service_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/blob/disk"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/servertest"
	"github.com/intraydata/intray/server/service"
	"github.com/intraydata/intray/server/webhooks"
)

// The parts of an import expire one after the other, each with a receipt.
func TestRetention(t *testing.T) {
	t.Parallel()
	f := newFixture(t, withSender(&fakeSender{}))
	_, _, err := f.CreateWebhook(f.ctx, f.org, webhooks.Draft{URL: "http://listener", Enabled: true})
	must(t, err)
	must(t, f.SetRetention(f.ctx, f.org, []model.Retention{{Originals: 1, Problems: 2, Results: 3}, {SchemaID: "other", Originals: 1}}))
	imp := f.newImport(`{"invalidDataBehavior":"INCLUDE_INVALID_ROWS_AND_VALUES"}`)
	must(t, f.upload(imp, badFile))
	f.runAll()
	f.deliverAll()
	parts := func() string {
		f.Helper()
		_, err := f.Expire(f.ctx)
		must(t, err)
		must(t, f.RunMaintenance(f.ctx))
		now, err := f.Import(f.ctx, f.org, imp.ID)
		must(t, err)
		var has []string
		for name, there := range map[string]bool{"raw": now.Raw.Key != "", "result": now.Result.Key != "", "stage": now.Stage != ""} {
			if there {
				has = append(has, name)
			}
		}
		if len(now.Outcome.Listed) > 0 {
			has = append(has, "problems")
		}
		slices.Sort(has)
		return strings.Join(has, " ")
	}
	var got []string
	for range 4 {
		got = append(got, parts())
		f.Clock.Advance(24*time.Hour + time.Minute)
	}
	got = append(got, parts())
	if diff := cmp.Diff([]string{"problems raw result stage", "problems result stage", "result stage", "", ""}, got); diff != "" {
		t.Errorf("the remaining parts (-want +got):\n%s", diff)
	}
	list, total, err := servertest.Split(f.Deletions(f.ctx, f.org, model.PageRequest{Limit: 10}))
	must(t, err)
	if total != 3 || list[0].Parts[0].Part != model.Results || list[0].Parts[0].SHA256 == "" || list[2].Parts[0].Part != model.Originals || list[1].Reason != "retention" {
		t.Errorf("receipts %+v", list)
	}
	for _, what := range []string{"json", "csv", imports.RawFile} {
		u, err := f.Upload(f.ctx, f.org, imp.UploadID)
		must(t, err)
		_, err = f.Download(f.ctx, u.ID, f.mustToken(f.DownloadToken(u, what, "")))
		f.wantError(err, model.NotFound, "not_found")
	}
	for _, key := range f.Blobs.Keys("") {
		t.Errorf("the blob %s remains", key)
	}
	deliveries, _, _, err := servertest.SplitDeliveries(f.Deliveries(f.ctx, f.org, "", model.PageRequest{Limit: 10}))
	if err != nil || len(deliveries) != 0 {
		t.Errorf("%v %v", deliveries, err)
	}
}

// TestFindingScale2Receipts checks that two processes that expire the same parts at the same time
// store one receipt for each part and count each part once.
func TestFindingScale2Receipts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	must(t, f.SetRetention(f.ctx, f.org, []model.Retention{{Originals: 1, Problems: 1, Results: 1}}))
	f.finishedImport(goodFile, "")
	f.Clock.Advance(24*time.Hour + time.Minute)
	expired := 0
	other := f.newNode("folder/two", func(f *fixture, cfg *service.Config) {
		cfg.Store = overdueStore{cfg.Store, func() {
			n, err := f.Expire(f.ctx)
			must(f, err)
			expired += n
		}}
	})
	n, err := other.Expire(f.ctx)
	must(t, err)
	if n != 0 || expired != 3 {
		t.Errorf("the processes report %d and %d expired parts, want 0 and 3", n, expired)
	}
	list, total, err := servertest.Split(f.Deletions(f.ctx, f.org, model.PageRequest{Limit: 10}))
	must(t, err)
	if total != 3 {
		t.Errorf("%d receipts for 3 parts: %+v", total, list)
	}
}

// overdueStore is a store that calls a function after each search for expired parts.
type overdueStore struct {
	model.Store
	after func()
}

func (s overdueStore) View(ctx context.Context, work func(model.Tx) error) error {
	searched := false
	err := s.Store.View(ctx, func(tx model.Tx) error {
		tx.Retention = searchedRetention{tx.Retention, &searched}
		return work(tx)
	})
	if searched {
		s.after()
	}
	return err
}

type searchedRetention struct {
	model.RetentionRows
	searched *bool
}

func (r searchedRetention) Overdue(ctx context.Context, of model.Retention, part model.KeptPart, before time.Time, limit int) ([]string, error) {
	*r.searched = true
	return r.RetentionRows.Overdue(ctx, of, part, before, limit)
}

// TestFindingScale2DeletedUpload checks that files that were deleted with their upload do not
// expire a second time.
func TestFindingScale2DeletedUpload(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	must(t, f.SetRetention(f.ctx, f.org, []model.Retention{{Originals: 1, Results: 1}}))
	imp := f.finishedImport(goodFile, "")
	must(t, f.DeleteUpload(f.ctx, f.org, imp.UploadID))
	f.Clock.Advance(24*time.Hour + time.Minute)
	n, err := f.Expire(f.ctx)
	must(t, err)
	list, total, err := servertest.Split(f.Deletions(f.ctx, f.org, model.PageRequest{Limit: 10}))
	must(t, err)
	if n != 0 || total != 1 || len(list[0].Parts) != 2 {
		t.Errorf("%d parts expired, %d receipts %+v, want one receipt for two parts", n, total, list)
	}
}

// TestFindingScale5Backlog checks that one call deletes all expired parts, even if there are more
// than one query returns.
func TestFindingScale5Backlog(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	must(t, f.SetRetention(f.ctx, f.org, []model.Retention{{Originals: 1}}))
	const overdue = 2*model.MaintenanceBatch + 1
	must(t, f.Store.Update(f.ctx, func(tx model.Tx) error {
		for n := range overdue {
			imp := model.Import{ID: fmt.Sprint(n), Org: f.org, UploadID: fmt.Sprint(n), Status: model.Successful, Raw: model.File{Key: "raw"}}
			if err := tx.Imports.Insert(f.ctx, imp); err != nil {
				return err
			}
		}
		return nil
	}))
	n, err := f.Expire(f.ctx)
	must(t, err)
	if n != overdue {
		t.Errorf("%d parts expired, want %d", n, overdue)
	}
}

// TestRetentionLimits checks that invalid lists of policies are rejected as a whole.
func TestRetentionLimits(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	policies := func(n int) (list []model.Retention) {
		for i := range n {
			list = append(list, model.Retention{SchemaID: fmt.Sprint(i), Originals: 36_500})
		}
		list[0].SchemaID = "" // the policy for all other schemas
		return list
	}
	must(t, f.SetRetention(f.ctx, f.org, policies(500)))
	for code, list := range map[string][]model.Retention{
		"request.too_many_entries":     policies(501),
		"retention.schema_named_twice": {{SchemaID: "a"}, {SchemaID: "a"}},
		"retention.invalid_days":       {{Problems: 36_501}},
	} {
		err := f.SetRetention(f.ctx, f.org, list)
		var invalid *model.Error
		if !errors.As(err, &invalid) || len(invalid.Fields["schemas"]) != 1 || invalid.Fields["schemas"][0].Code != code {
			t.Errorf("%s: %v", code, err)
		}
	}
	if list, err := f.Retention(f.ctx, f.org); err != nil || len(list) != 500 {
		t.Errorf("%d policies remain, %v", len(list), err)
	}
}

// An orphaned blob is deleted a day after it was written.
func TestOrphans(t *testing.T) {
	t.Parallel()
	blobs := t.TempDir()
	store, err := disk.Open(blobs, disk.Config{})
	must(t, err)
	defer func() { must(t, store.Close()) }()
	f := newFixture(t, func(_ *fixture, cfg *service.Config) { cfg.Blobs = store })
	imp := f.newImport(`{}`)
	must(t, f.upload(imp, "email\na@example.org\n"))
	f.runAll()
	orphans := []string{"imports/" + strings.Repeat("1", 8), "imports/" + imp.ID + "/run-77", "sessions/gone"}
	for i, owner := range orphans {
		w, err := store.Create(f.ctx, owner+[]string{"/raw-a", "/stage/part", "/file"}[i])
		must(t, err)
		_, err = w.Write([]byte("x"))
		must(t, err)
		must(t, w.Commit())
	}
	f.Clock.Advance(time.Since(servertest.Started)) // file times come from the system clock
	found, err := f.Orphans(f.ctx, false)
	if err != nil || len(found) != 0 {
		t.Errorf("new blobs are deleted: %q, %v", found, err)
	}
	f.Clock.Advance(25 * time.Hour)
	slices.Sort(orphans)
	// Owners without old blobs do not hide those with old ones.
	for i := range 20 {
		w, err := store.Create(f.ctx, fmt.Sprintf("sessions/young%d/file", i))
		must(t, err)
		must(t, w.Commit())
	}
	files, err := filepath.Glob(filepath.Join(blobs, "blobs", "sessions*", "young*", "file"))
	must(t, err)
	if len(files) != 20 {
		t.Fatalf("%d new files", len(files))
	}
	for _, file := range files {
		must(t, os.Chtimes(file, f.Clock.Now(), f.Clock.Now()))
	}
	// If the store fails, no blob counts as orphaned.
	f.Faults.CheckOperations(t, []servertest.Operation{{Name: "Orphans", Call: func() error {
		_, err := f.Orphans(f.ctx, true)
		return err
	}}})
	for _, dryRun := range []bool{true, false} {
		if found, err = f.Orphans(f.ctx, dryRun); err != nil || !slices.Equal(found, orphans) {
			t.Errorf("found %q, want %q, %v", found, orphans, err)
		}
	}
	if found, err = f.Orphans(f.ctx, false); err != nil || len(found) != 0 {
		t.Errorf("remaining: %q, %v", found, err)
	}
	u, err := f.ImportResult(f.ctx, f.org, imp.ID)
	must(t, err)
	d, err := f.Download(f.ctx, u.ID, f.mustToken(f.DownloadToken(u, "json", "")))
	must(t, err)
	must(t, d.Close())
}

// fullDisk is a store on a full disk, on which only the release of a reserve makes room.
type fullDisk struct {
	model.Store
	full, held bool
}

func (d *fullDisk) Update(ctx context.Context, work func(model.Tx) error) error {
	if d.full {
		return model.NewError(model.Unavailable, "storage_full", intray.NewMessage("storage.full_for_database", nil))
	}
	return d.Store.Update(ctx, work)
}

func (d *fullDisk) Held() bool { return d.held }

func (d *fullDisk) Release() bool {
	released := d.held
	d.held, d.full = false, d.full && !released
	return released
}

func (d *fullDisk) Refill() { d.held = true }

// TestFindingReliability3FullDisk checks that data can be deleted when the disk is full, and that
// nothing new is stored until there is space again.
func TestFindingReliability3FullDisk(t *testing.T) {
	t.Parallel()
	for name, free := range map[string]func(f *fixture, imp model.Import) error{
		"import":  func(f *fixture, imp model.Import) error { return f.DeleteImport(f.ctx, f.org, imp.ID) },
		"upload":  func(f *fixture, imp model.Import) error { return f.DeleteUpload(f.ctx, f.org, imp.UploadID) },
		"session": func(f *fixture, _ model.Import) error { return f.DeleteSession(f.ctx, f.org, unknownID) },
		"expired": func(f *fixture, _ model.Import) error { _, err := f.Expire(f.ctx); return err },
		"trash": func(f *fixture, _ model.Import) error {
			must(f, f.Store.Update(f.ctx, func(tx model.Tx) error { return tx.Trash.Schedule(f.ctx, model.Trash{Prefix: "x"}) }))
			return f.EmptyTrash(f.ctx)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			disk := &fullDisk{held: true}
			f := newFixture(t, func(_ *fixture, cfg *service.Config) {
				disk.Store = cfg.Store
				cfg.Store, cfg.Reserve = disk, disk
			})
			must(t, f.SetRetention(f.ctx, f.org, []model.Retention{{Originals: 1}}))
			imp := f.finishedImport(goodFile, "")
			waiting, pending := f.newImport(""), f.pendingImport(goodFile, "")
			f.Clock.Advance(25 * time.Hour)
			waiting = f.reload(waiting)

			disk.full = true
			must(t, free(f, imp))
			if disk.held {
				t.Fatal("the reserve was not used")
			}
			_, err := f.CreateImport(f.ctx, f.org, imports.Draft{Doc: doc(t, contacts, "")})
			f.wantError(err, model.Unavailable, "storage_full")
			f.wantError(f.upload(waiting, goodFile), model.Unavailable, "storage_full")
			f.wantError(f.Ready(f.ctx), model.Unavailable, "storage_full")
			if ran, err := f.RunNext(f.ctx); ran || err != nil {
				t.Errorf("an import was run: %v, %v", ran, err)
			}
			disk.full = true
			f.wantError(f.DeleteImport(f.ctx, f.org, waiting.ID), model.Unavailable, "storage_full") // the reserve is used up

			disk.full = false
			must(t, f.RunMaintenance(f.ctx))
			must(t, f.Ready(f.ctx))
			must(t, f.upload(waiting, goodFile))
			f.runAll()
			f.wantResult(waiting, goodResult)
			f.wantResult(pending, goodResult)
		})
	}
}

// storeWithPause calls a function after the next View.
type storeWithPause struct {
	model.Store
	pause func()
}

func (s *storeWithPause) View(ctx context.Context, work func(model.Tx) error) error {
	pause := s.pause
	s.pause = nil
	err := s.Store.View(ctx, work)
	if pause != nil {
		pause()
	}
	return err
}

// TestUnseenReturn checks that an embedded import with a long log of changes is kept if its page is seen
// again while maintenance is about to delete it.
func TestUnseenReturn(t *testing.T) {
	t.Parallel()
	var store *storeWithPause
	f := newFixture(t, func(_ *fixture, cfg *service.Config) {
		store = &storeWithPause{Store: cfg.Store}
		cfg.Store = store
	})
	imp, err := f.CreateImport(f.ctx, f.org, imports.Draft{Doc: doc(t, contacts, ""), Sync: model.SyncDisabled})
	must(t, err)
	must(t, f.upload(imp, badFile))
	f.runAll()
	imp = f.withLog(f.wantStatus(imp, model.NeedsReview))
	edits := f.remainingEdits(imp)
	f.Clock.Advance(2 * time.Hour)
	store.pause = func() { must(t, f.TouchImport(f.ctx, &imp)) }
	must(t, f.ForgetUnseen(f.ctx))
	if imp = f.wantStatus(imp, model.NeedsReview); f.remainingEdits(imp) != edits {
		t.Errorf("%d of %d changes remain", f.remainingEdits(imp), edits)
	}
	f.Clock.Advance(2 * time.Hour)
	must(t, f.ForgetUnseen(f.ctx))
	_, err = f.Import(f.ctx, f.org, imp.ID)
	f.wantError(err, model.NotFound, "not_found")
}
