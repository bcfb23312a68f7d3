package service_test

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"
	"time"

	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
)

// direct is a client of a direct upload.
type direct struct {
	*fixture
	imp   model.Import
	token string
	put   blob.PresignedPut
}

// createDirect creates a direct upload for an import.
func (f *fixture) createDirect(imp model.Import, length int) (*direct, error) {
	f.Helper()
	g, err := f.VerifyUploadToken(f.ctx, imp.ID, f.mustToken(f.UploadToken(imp, "")))
	must(f.T, err)
	_, token, put, err := f.CreateDirect(f.ctx, g, int64(length), "list.csv")
	return &direct{f, imp, token, put}, err
}

func (f *fixture) mustCreateDirect(imp model.Import, length int) *direct {
	f.Helper()
	d, err := f.createDirect(imp, length)
	must(f.T, err)
	return d
}

// send sends the file to the store. It returns its ETag, or "" if the store refuses it.
func (d *direct) send(text string) string { return d.Blobs.SendPresigned(d.put, []byte(text)) }

func (d *direct) commit(etag string) error {
	g, err := d.VerifyUploadToken(d.ctx, d.imp.ID, d.token)
	if err != nil {
		return err
	}
	u, err := d.OpenDirect(d.ctx, g)
	if err != nil {
		return err
	}
	return u.Commit(d.ctx, etag)
}

// files returns the keys of all stored files of the import.
func (d *direct) files() []string { return d.Blobs.Keys(d.imp.Prefix() + "/") }

func TestDirectUpload(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	d := f.mustCreateDirect(f.newImport(""), len(goodFile))
	f.wantError(d.commit(`"x"`), model.Conflict, "not_stored")
	etag := d.send(goodFile)
	f.wantError(d.commit(`"x"`), model.Conflict, "wrong_etag")
	f.wantStatus(d.imp, model.AwaitingUpload)
	upload, err := f.Upload(f.ctx, f.org, d.imp.UploadID)
	must(t, err)
	if upload.Raw.Stored() || upload.Filename != "list.csv" {
		t.Errorf("the upload is %+v", upload)
	}
	// Another process commits.
	f.Service = f.newNode("folder/two")
	must(t, f.Join(f.ctx))
	must(t, d.commit(etag))
	imp := f.wantStatus(d.imp, model.Pending)
	sum := sha256.Sum256([]byte(goodFile))
	if imp.Filename != "list.csv" || imp.Raw.Size != int64(len(goodFile)) || imp.Raw.SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("the import has the file %q: %+v", imp.Filename, imp.Raw)
	}
	must(t, d.commit(etag)) // the response was lost
	if d.send(goodFile) != "" {
		t.Error("the file was stored again")
	}
	f.runAll()
	f.wantResult(imp, goodResult)
	must(t, d.commit(etag))
	f.Clock.Advance(3 * day)
	must(t, f.RunMaintenance(f.ctx))
	if f.Blobs.Content(t, imp.Raw.Key) != goodFile {
		t.Error("the file is not stored")
	}
	f.wantError(d.commit(etag), model.Denied, "expired")
}

// A direct upload is refused before any byte is sent if its file cannot be accepted.
func TestDirectIsRefusedEarly(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	_, err := f.createDirect(f.newImport(`{"maxFileSize":100}`), 101)
	f.wantError(err, model.TooLarge, "file_too_large")
	_, err = f.createDirect(f.finishedImport(goodFile, ""), 5)
	f.wantError(err, model.Conflict, "already_uploaded")
	link := f.newImportLink()
	imp, err := f.StartImport(f.ctx, link, "")
	must(t, err)
	if !f.AllowsDirect(imp) {
		t.Error("import links do not allow direct uploads")
	}
	d := f.mustCreateDirect(imp, len(goodFile))
	etag := d.send(goodFile)
	must(t, f.DeleteImportLink(f.ctx, f.org, link.ID))
	_, err = f.createDirect(imp, 5)
	f.wantError(err, model.Denied, "revoked")
	f.wantError(d.commit(etag), model.Denied, "revoked")
	var refused []model.Quota
	f = newFixture(t, withQuotas(map[model.Quota]int64{model.StoredBytesQuota: 100}, &refused))
	_, err = f.createDirect(f.newImport(""), 101)
	f.wantError(err, model.OverQuota, "quota_stored_bytes")
	f.mustCreateDirect(f.newImport(""), 60)
	_, err = f.createDirect(f.newImport(""), 60)
	f.wantError(err, model.OverQuota, "quota_stored_bytes")
}

// Files of ephemeral imports are not sent directly, because nothing of them may remain.
func TestDirectUploadsOfEphemeralImports(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, sync := range []model.SyncMode{model.SyncDisabled, model.SyncMappings} {
		if f.AllowsDirect(model.Import{Sync: sync}) {
			t.Errorf("an import with %q allows direct uploads", sync)
		}
	}
}

// If a direct upload is replaced, the import accepts only the later file. The store may still receive
// the earlier one, which is deleted later.
func TestDirectIsReplaced(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	d := f.mustCreateDirect(f.newImport(""), 5)
	etag := d.send("first")
	r := f.mustCreateResumable(d.imp, len(goodFile)) // the client falls back
	if files := d.files(); len(files) > 0 {
		t.Errorf("the earlier file remains: %v", files)
	}
	f.wantError(d.commit(etag), model.NotFound, "not_found")
	if d.send("later") == "" {
		t.Fatal("the store does not accept the file")
	}
	f.wantError(d.commit(etag), model.NotFound, "not_found")
	must(t, r.send(0, goodFile))
	f.wantError(d.commit(etag), model.Conflict, "already_uploaded")
	f.runAll()
	imp := f.wantStatus(d.imp, model.Successful)
	f.wantResult(imp, goodResult)
	f.Clock.Advance(2 * day)
	must(t, f.RunMaintenance(f.ctx))
	if keys := f.Blobs.Keys(d.imp.DirectKey()); len(keys) > 0 || f.Blobs.Content(t, imp.Raw.Key) != goodFile {
		t.Errorf("two days later, %v remains", keys)
	}
}

// A second direct upload of an import replaces the first. A file with another size than the second
// declared is refused.
func TestDirectStartsOver(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	first := f.mustCreateDirect(f.newImport(""), 5)
	second := f.mustCreateDirect(first.imp, len(goodFile))
	etag := first.send("first")
	if second.send(goodFile) != "" {
		t.Error("one import has two files")
	}
	f.wantError(first.commit(etag), model.Conflict, "wrong_size")
	third := f.mustCreateDirect(first.imp, len(goodFile))
	etag = third.send(goodFile)
	must(t, third.commit(etag))
	f.runAll()
	f.wantResult(f.wantStatus(first.imp, model.Successful), goodResult)
}

// A file that was never committed, and one that arrives after the deletion of its import, is deleted.
func TestDirectFilesAreDeleted(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	abandoned, deleted, accepted, emptied := f.mustCreateDirect(f.newImport(""), 5), f.mustCreateDirect(f.newImport(""), 5), f.mustCreateDirect(f.newImport(""), len(goodFile)), f.mustCreateDirect(f.newImport(""), len(goodFile))
	abandoned.send("first")
	etag := deleted.send("first")
	must(t, accepted.commit(accepted.send(goodFile)))
	must(t, emptied.commit(emptied.send(goodFile)))
	f.runAll()
	must(t, f.DeleteImport(f.ctx, f.org, deleted.imp.ID))
	f.wantError(deleted.commit(etag), model.NotFound, "not_found")
	must(t, f.DeleteImport(f.ctx, f.org, accepted.imp.ID))
	must(t, f.DeleteUpload(f.ctx, f.org, emptied.imp.UploadID))
	for _, d := range []*direct{deleted, accepted, emptied} {
		if files := d.files(); len(files) > 0 {
			t.Errorf("the deletion left %v", files)
		}
	}
	// The requests are sent again, or end only now.
	deleted.send("again")
	accepted.send(goodFile)
	emptied.send(goodFile)
	f.wantError(deleted.commit(etag), model.NotFound, "not_found")
	f.Clock.Advance(time.Minute)
	must(t, f.RunMaintenance(f.ctx))
	f.Clock.Advance(imports.ResumableLife + time.Hour)
	must(t, f.RunMaintenance(f.ctx))
	for _, d := range []*direct{abandoned, deleted, accepted, emptied} {
		if files := d.files(); len(files) > 0 {
			t.Errorf("%v remains", files)
		}
	}
	f.wantStatus(abandoned.imp, model.AwaitingUpload)
}

// Two requests can commit the same file at the same time.
func TestDirectCommitsAtOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	d := f.mustCreateDirect(f.newImport(""), len(goodFile))
	etag := d.send(goodFile)
	errs := make(chan error)
	for range 4 {
		go func() { errs <- d.commit(etag) }()
	}
	for range 4 {
		must(t, <-errs)
	}
	f.runAll()
	f.wantResult(f.wantStatus(d.imp, model.Successful), goodResult)
}
