package service_test

import (
	"crypto/sha256"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
)

// resumable is a client of a resumable upload.
type resumable struct {
	*fixture
	imp   model.Import
	token string
}

// createResumable creates a resumable upload for an import.
func (f *fixture) createResumable(imp model.Import, length int64) (*resumable, error) {
	f.Helper()
	g, err := f.VerifyUploadToken(f.ctx, imp.ID, f.mustToken(f.UploadToken(imp, "")))
	must(f.T, err)
	_, token, err := f.CreateResumable(f.ctx, g, length, "list.csv")
	return &resumable{f, imp, token}, err
}

func (f *fixture) mustCreateResumable(imp model.Import, length int) *resumable {
	f.Helper()
	r, err := f.createResumable(imp, int64(length))
	must(f.T, err)
	return r
}

func (r *resumable) open() (*imports.ResumableUpload, error) {
	g, err := r.VerifyUploadToken(r.ctx, r.imp.ID, r.token)
	if err != nil {
		return nil, err
	}
	return r.OpenResumable(r.ctx, g)
}

func (r *resumable) offset() (int64, error) {
	u, err := r.open()
	if err != nil {
		return 0, err
	}
	return u.Offset(r.ctx)
}

func (r *resumable) wantOffset(want int) {
	r.Helper()
	if got, err := r.offset(); err != nil || got != int64(want) {
		r.Fatalf("the offset is %d, %v, want %d", got, err, want)
	}
}

func (r *resumable) receive(c imports.Chunk) (int64, error) {
	u, err := r.open()
	if err != nil {
		return 0, err
	}
	if c.Interrupt == nil {
		c.Interrupt = func() {}
	}
	return u.Receive(r.ctx, c)
}

// send sends text at an offset.
func (r *resumable) send(offset int, text string) error {
	_, err := r.receive(imports.Chunk{Body: strings.NewReader(text), Offset: int64(offset), Length: int64(len(text))})
	return err
}

// files returns the keys of the stored files of the import.
func (r *resumable) files() []string { return r.Blobs.Keys(r.imp.Prefix() + "/raw") }

func TestResumableUpload(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.newImport("")
	r := f.mustCreateResumable(imp, len(goodFile))
	r.wantOffset(0)
	if len(r.files()) > 0 {
		t.Error("a file exists before the first byte")
	}
	must(t, r.send(0, goodFile[:10]))
	r.wantOffset(10)
	f.wantStatus(imp, model.AwaitingUpload)
	upload, err := f.Upload(f.ctx, f.org, imp.UploadID)
	must(t, err)
	if upload.Status != model.UploadPending || upload.Raw.Stored() || upload.Filename != "list.csv" {
		t.Errorf("the upload is %+v", upload)
	}
	// Another process continues.
	f.Service = f.newNode("folder/two")
	must(t, f.Join(f.ctx))
	f.wantError(r.send(9, "x"), model.Conflict, "wrong_offset")
	f.wantError(r.send(11, "x"), model.Conflict, "wrong_offset")
	must(t, r.send(10, goodFile[10:]))
	imp = f.wantStatus(imp, model.Pending)
	if imp.Filename != "list.csv" || imp.Raw.Size != int64(len(goodFile)) {
		t.Errorf("the import has the file %q with %d bytes", imp.Filename, imp.Raw.Size)
	}
	// The response to the last chunk was lost.
	r.wantOffset(len(goodFile))
	f.wantError(r.send(10, goodFile[10:]), model.Conflict, "wrong_offset")
	must(t, r.send(len(goodFile), ""))
	f.wantError(r.send(len(goodFile), "more"), model.Conflict, "wrong_offset")
	f.runAll()
	f.wantResult(imp, goodResult)
	r.wantOffset(len(goodFile))
	f.Clock.Advance(3 * day)
	must(t, f.RunMaintenance(f.ctx))
	if f.Blobs.Content(t, imp.Raw.Key) != goodFile {
		t.Error("the file is not stored")
	}
	_, err = r.offset()
	f.wantError(err, model.Denied, "expired")
}

func TestResumableEmptyFile(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.newImport("")
	r := f.mustCreateResumable(imp, 0)
	f.wantStatus(imp, model.Pending)
	r.wantOffset(0)
}

// A resumable upload is refused before any byte arrives if its file cannot be accepted.
func TestResumableIsRefusedEarly(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	_, err := f.createResumable(f.newImport(`{"maxFileSize":100}`), 101)
	f.wantError(err, model.TooLarge, "file_too_large")
	imp := f.finishedImport(goodFile, "")
	_, err = f.createResumable(imp, 5)
	f.wantError(err, model.Conflict, "already_uploaded")
	link := f.newImportLink()
	imp, err = f.StartImport(f.ctx, link, "")
	must(t, err)
	must(t, f.DeleteImportLink(f.ctx, f.org, link.ID))
	_, err = f.createResumable(imp, 5)
	f.wantError(err, model.Denied, "revoked")
	var refused []model.Quota
	f = newFixture(t, withQuotas(map[model.Quota]int64{model.StoredBytesQuota: 100}, &refused))
	_, err = f.createResumable(f.newImport(""), 101)
	f.wantError(err, model.OverQuota, "quota_stored_bytes")
}

// Unfinished uploads count toward the quota of new ones until they end or expire.
func TestResumableUploadsReserveQuota(t *testing.T) {
	t.Parallel()
	var refused []model.Quota
	f := newFixture(t, withQuotas(map[model.Quota]int64{model.StoredBytesQuota: 1000}, &refused))
	first, second := f.newImport(""), f.newImport("")
	f.mustCreateResumable(first, 600)
	_, err := f.createResumable(second, 500)
	f.wantError(err, model.OverQuota, "quota_stored_bytes")
	f.mustCreateResumable(first, 700) // replaces the earlier one
	f.mustCreateResumable(second, 300)
	f.Clock.Advance(imports.ResumableLife + time.Hour)
	f.mustCreateResumable(f.newImport(""), 900)
	must(t, f.DeleteImport(f.ctx, f.org, second.ID))
	f.Clock.Advance(imports.ResumableLife + time.Hour)
	f.mustCreateResumable(first, 900)
}

// The token of a resumable upload does not open anything else, and no other token opens it.
func TestResumableTokens(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp, other := f.newImport(""), f.newImport("")
	r := f.mustCreateResumable(imp, 5)
	_, err := f.VerifyUploadToken(f.ctx, other.ID, r.token)
	f.wantError(err, model.Denied, "bad_signature")
	_, err = f.BeginUpload(f.ctx, imp.ID, r.token, 5)
	f.wantError(err, model.Denied, "bad_signature")
	plain := resumable{f, imp, f.mustToken(f.UploadToken(imp, ""))}
	_, err = plain.offset()
	f.wantError(err, model.NotFound, "not_found")
	f.Clock.Advance(imports.LinkLife + time.Hour)
	r.wantOffset(0)
	f.Clock.Advance(imports.ResumableLife)
	_, err = r.offset()
	f.wantError(err, model.Denied, "expired")
}

// Creating an upload again starts over. The earlier one is discarded, so that one import has at most
// one unfinished file.
func TestResumableStartsOver(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.newImport("")
	first := f.mustCreateResumable(imp, 100)
	must(t, first.send(0, "abc"))
	second := f.mustCreateResumable(imp, len(goodFile))
	if files := second.files(); len(files) > 0 {
		t.Errorf("the earlier file remains: %v", files)
	}
	f.wantError(first.send(3, "def"), model.NotFound, "not_found")
	must(t, second.send(0, goodFile[:5]))
	// A PUT of the whole file is accepted, too.
	must(t, f.upload(imp, goodFile))
	if files := second.files(); len(files) != 1 {
		t.Errorf("the files are %v", files)
	}
	f.wantError(second.send(5, goodFile[5:]), model.Conflict, "already_uploaded")
	_, err := second.offset()
	f.wantError(err, model.Conflict, "already_uploaded")
	f.runAll()
	f.wantResult(imp, goodResult)
}

// A chunk that is wrong as a whole leaves nothing. What arrived of an interrupted one remains.
func TestResumableChunks(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	r := f.mustCreateResumable(f.newImport(""), 10)
	must(t, r.send(0, "ab"))
	f.wantError(r.send(2, strings.Repeat("x", 9)), model.TooLarge, "upload_too_long")
	_, err := r.receive(imports.Chunk{Body: strings.NewReader(strings.Repeat("x", 9)), Offset: 2, Length: -1})
	f.wantError(err, model.TooLarge, "upload_too_long")
	r.wantOffset(2)
	sum := sha256.Sum256([]byte("cd"))
	_, err = r.receive(imports.Chunk{Body: strings.NewReader("xy"), Offset: 2, Length: 2, Checksum: sha256.New(), Sum: sum[:]})
	if !errors.Is(err, imports.ErrChecksum) {
		t.Errorf("a wrong checksum: %v", err)
	}
	r.wantOffset(2)
	broken := errors.New("the connection is broken")
	_, err = r.receive(imports.Chunk{Body: io.MultiReader(strings.NewReader("cd"), failing{broken}), Offset: 2, Length: 8, Checksum: sha256.New(), Sum: sum[:]})
	if !errors.Is(err, broken) {
		t.Errorf("an interrupted chunk: %v", err)
	}
	r.wantOffset(2)
	_, err = r.receive(imports.Chunk{Body: io.MultiReader(strings.NewReader("cd"), failing{broken}), Offset: 2, Length: 8})
	if !errors.Is(err, broken) {
		t.Errorf("an interrupted chunk: %v", err)
	}
	r.wantOffset(4)
	f.Blobs.LimitSize(6)
	_, err = r.receive(imports.Chunk{Body: io.MultiReader(strings.NewReader("e"), strings.NewReader("fgh")), Offset: 4, Length: 4})
	f.wantError(err, model.Unavailable, "storage_full")
	f.Blobs.LimitSize(-1)
	r.wantOffset(4)
}

// failing is a reader that returns an error.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// While a request sends bytes, another one is refused. A request for the offset interrupts it.
func TestResumableConcurrency(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	r := f.mustCreateResumable(f.newImport(""), 10)
	reader, writer := io.Pipe()
	ended := make(chan error)
	go func() {
		_, err := r.receive(imports.Chunk{Body: reader, Length: 10, Interrupt: sync.OnceFunc(func() { _ = writer.CloseWithError(io.ErrUnexpectedEOF) })})
		ended <- err
	}()
	_, err := writer.Write([]byte("abc"))
	must(t, err)
	f.wantError(r.send(3, "def"), model.Locked, "upload_in_progress")
	r.wantOffset(3)
	if err := <-ended; !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("the interrupted request ended with %v", err)
	}
	must(t, r.send(3, "def"))
}

// If the process ends when the file is complete, the next request makes it the file of the import.
func TestResumableCrashes(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"upload.stored", "upload.accepted"} {
		f := newFixture(t, crashAt(point))
		imp := f.newImport("")
		r := f.mustCreateResumable(imp, len(goodFile))
		must(t, r.send(0, goodFile[:7]))
		f.expectCrash(func() { _ = r.send(7, goodFile[7:]) })
		f.Service = f.newNode("folder/two")
		must(t, f.Join(f.ctx))
		r.wantOffset(len(goodFile))
		f.runAll()
		f.wantResult(imp, goodResult)
	}
}

// TestResumableReplacedAtTheEnd checks that a complete upload is not accepted if the client has
// started over in the meantime, which deletes its file.
func TestResumableReplacedAtTheEnd(t *testing.T) {
	t.Parallel()
	var startOver func()
	f := newFixture(t, onCrashPoint(func(point string) {
		if point == "upload.stored" && startOver != nil {
			start := startOver
			startOver = nil
			start()
		}
	}))
	imp := f.newImport("")
	first := f.mustCreateResumable(imp, len(goodFile))
	var second *resumable
	startOver = func() { second = f.mustCreateResumable(imp, len(goodFile)) }
	f.wantError(first.send(0, goodFile), model.NotFound, "not_found")
	f.wantStatus(imp, model.AwaitingUpload)
	must(t, second.send(0, goodFile))
	f.runAll()
	f.wantStatus(imp, model.Successful)
	if files := second.files(); len(files) != 1 {
		t.Errorf("the files are %q", files)
	}
}

// Unfinished files are deleted with their import, when they are refused, and when they expire.
func TestResumableIsSwept(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	deleted := f.mustCreateResumable(f.newImport(""), 10)
	must(t, deleted.send(0, "abc"))
	var body io.Reader = &hookReader{strings.NewReader("def"), func() { must(t, f.DeleteImport(f.ctx, f.org, deleted.imp.ID)) }}
	_, err := deleted.receive(imports.Chunk{Body: body, Offset: 3, Length: 3})
	f.wantError(err, model.NotFound, "not_found")
	if files := deleted.files(); len(files) > 0 {
		t.Errorf("the file of a deleted import remains: %v", files)
	}

	link := f.newImportLink()
	imp, err := f.StartImport(f.ctx, link, "")
	must(t, err)
	refused := f.mustCreateResumable(imp, 3)
	must(t, f.DeleteImportLink(f.ctx, f.org, link.ID))
	f.wantError(refused.send(0, "abc"), model.Denied, "revoked")
	if files := refused.files(); len(files) > 0 {
		t.Errorf("a refused file remains: %v", files)
	}
	f.wantError(refused.send(0, "abc"), model.NotFound, "not_found")

	left := f.mustCreateResumable(f.newImport(""), 10)
	must(t, left.send(0, "abc"))
	f.Clock.Advance(imports.ResumableLife + time.Minute)
	must(t, f.RunMaintenance(f.ctx))
	if len(left.files()) != 1 {
		t.Error("the file was deleted while a request could still use it")
	}
	f.Clock.Advance(time.Hour)
	must(t, f.RunMaintenance(f.ctx))
	if files := left.files(); len(files) > 0 {
		t.Errorf("an abandoned file remains: %v", files)
	}
	f.wantError(left.send(3, "def"), model.Denied, "expired")
}

// A chunk whose sender is so slow that the upload expires ends.
func TestResumableExpiresDuringChunk(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	r := f.mustCreateResumable(f.newImport(""), 10)
	body := io.MultiReader(&hookReader{strings.NewReader("abc"), func() { f.Clock.Advance(imports.ResumableLife + time.Minute) }}, strings.NewReader("def"))
	_, err := r.receive(imports.Chunk{Body: body, Length: 6})
	f.wantError(err, model.Denied, "expired")
}

// Whichever call to the stores fails, the file arrives once in the end.
func TestResumableWithFaults(t *testing.T) {
	t.Parallel()
	for n := 0; ; n++ {
		f := newFixture(t)
		imp := f.newImport("")
		r := f.mustCreateResumable(imp, len(goodFile))
		f.Faults.Arm(n)
		_ = r.send(0, goodFile[:9])
		failed := f.Faults.Disarm()
		for range 3 {
			at, err := r.offset()
			must(t, err)
			if at == int64(len(goodFile)) {
				break
			}
			f.Faults.Arm(max(0, n-1))
			_ = r.send(int(at), goodFile[at:])
			f.Faults.Disarm()
		}
		must(t, r.finish())
		f.runAll()
		f.wantResult(imp, goodResult)
		if failed == "" {
			return
		}
	}
}

// finish sends the rest of the file.
func (r *resumable) finish() error {
	at, err := r.offset()
	if err != nil || at == int64(len(goodFile)) {
		return err
	}
	return r.send(int(at), goodFile[at:])
}
