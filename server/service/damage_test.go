package service_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/draft"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/service"
	"github.com/intraydata/intray/server/staging"
)

// damages are changes to a stored file. A nil result means that the file is deleted.
var damages = map[string]func(content []byte) []byte{
	"a bit is flipped at the start": func(c []byte) []byte { return flip(c, 0) },
	"a bit is flipped":              func(c []byte) []byte { return flip(c, len(c)/2) },
	"a bit is flipped at the end":   func(c []byte) []byte { return flip(c, len(c)-1) },
	"it is cut to half":             func(c []byte) []byte { return c[:len(c)/2] },
	"it is empty":                   func([]byte) []byte { return []byte{} },
	"it has an additional byte":     func(c []byte) []byte { return append(c, ' ') },
	"it is missing":                 func([]byte) []byte { return nil },
}

func flip(content []byte, at int) []byte {
	changed := slices.Clone(content)
	changed[at] ^= 0x04
	return changed
}

// damage changes a stored file and returns a function that restores it.
func (f *fixture) damage(key string, change func(content []byte) []byte) (restore func()) {
	f.Helper()
	content := f.Blobs.Content(f.T, key)
	f.store(key, change([]byte(content)))
	return func() { f.store(key, []byte(content)) }
}

// store writes or, if content is nil, deletes a blob.
func (f *fixture) store(key string, content []byte) {
	f.Helper()
	if content == nil {
		must(f.T, f.Blobs.Delete(f.ctx, key))
		return
	}
	w, err := f.Blobs.Create(f.ctx, key)
	must(f.T, err)
	_, err = w.Write(content)
	must(f.T, err)
	must(f.T, w.Commit())
}

// tryDownload downloads a file of an import.
func (f *fixture) tryDownload(imp model.Import, what string) (string, error) {
	f.Helper()
	u, err := f.Upload(f.ctx, imp.Org, imp.UploadID)
	must(f.T, err)
	d, err := f.Download(f.ctx, u.ID, f.mustToken(f.DownloadToken(u, what, "")))
	if err != nil {
		return "", err
	}
	var got strings.Builder
	if d.Stored == nil {
		err := d.Write(&got)
		return got.String(), err
	}
	_, err = d.Stored.WriteTo(&got)
	return got.String(), errors.Join(err, d.Close())
}

// wantDownloads checks that all formats of a result have the given content.
func (f *fixture) wantDownloads(name string, imp model.Import, want map[string]string) {
	f.Helper()
	for what, content := range want {
		got, err := f.tryDownload(imp, what)
		if err != nil || got != content {
			f.Errorf("%s: %s has %d bytes, %v; want the %d bytes from before the damage", name, what, len(got), err, len(content))
		}
	}
}

// downloads returns the content of a result in several formats.
func (f *fixture) downloads(imp model.Import) map[string]string {
	f.Helper()
	all := map[string]string{}
	for _, what := range []string{"json", "csv", "ndjson", "xlsx"} {
		content, err := f.tryDownload(imp, what)
		must(f.T, err)
		all[what] = content
	}
	return all
}

// TestFindingReliability4Result checks that a damaged or missing result is rebuilt from the
// staged rows before a byte is delivered.
func TestFindingReliability4Result(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.finishedImport(badFile, "")
	want := f.downloads(imp)
	for name, change := range damages {
		f.damage(imp.Result.Key, change)
		f.wantDownloads(name, imp, want)
		if f.Blobs.Content(t, imp.Result.Key) != want["json"] {
			t.Errorf("%s: the stored result was not replaced", name)
		}
	}
}

// Nothing reads staged rows that are closed, even if the disk becomes full while a result is being
// rebuilt from them.
func TestRebuildOnFullDisk(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.finishedImport("E-Mail,Name\n"+strings.Repeat("ada@example.org,Ada\n", 50_000), "")
	f.damage(imp.Result.Key, damages["it is missing"])
	blobs := &watchedBlobs{Store: f.Blobs}
	node := f.newNode("folder/two", func(_ *fixture, cfg *service.Config) { cfg.Blobs = blobs })
	for range 20 {
		f.Blobs.LimitSize(100_000)
		u, err := f.Upload(f.ctx, imp.Org, imp.UploadID)
		must(t, err)
		_, err = node.Download(f.ctx, u.ID, f.mustToken(node.DownloadToken(u, "json", "")))
		f.wantError(err, model.Unavailable, "storage_full")
		f.Blobs.LimitSize(-1)
		if opened, closed := blobs.opened.Load(), blobs.closed.Load(); opened == 0 || opened != closed {
			t.Fatalf("%d files were opened, %d closed", opened, closed)
		}
	}
	if n := blobs.late.Load(); n > 0 {
		t.Errorf("%d files were closed while they were being read, or read after that", n)
	}
}

// watchedBlobs counts the readers that are opened and closed, the bytes that are read, and the reads
// that begin or end after their reader was closed.
type watchedBlobs struct {
	blob.Store
	opened, closed, bytes, late atomic.Int64
}

func (b *watchedBlobs) Open(ctx context.Context, key string) (blob.Reader, error) {
	r, err := b.Store.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	b.opened.Add(1)
	return &watchedReader{Reader: r, blobs: b}, nil
}

type watchedReader struct {
	blob.Reader
	blobs  *watchedBlobs
	mu     sync.Mutex
	closed bool
}

func (r *watchedReader) checkOpen() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		r.blobs.late.Add(1)
	}
}

func (r *watchedReader) ReadAt(p []byte, offset int64) (int, error) {
	r.checkOpen()
	defer r.checkOpen()
	n, err := r.Reader.ReadAt(p, offset)
	r.blobs.bytes.Add(int64(n))
	return n, err
}

func (r *watchedReader) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	r.blobs.closed.Add(1)
	return r.Reader.Close()
}

// TestFindingReliability4Stage checks that damaged staged rows are rebuilt from the received file,
// also if the result is damaged at the same time.
func TestFindingReliability4Stage(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.finishedImport(badFile+strings.Repeat("x@example.org,X\n", 3000), "")
	want := f.downloads(imp)
	for name, change := range damages {
		for i, file := range f.stageFiles(imp) {
			now := f.reload(imp)
			f.damage(file, change)
			if i%2 == 0 {
				f.damage(now.Result.Key, change)
			}
			f.wantDownloads(name+" in "+file, imp, want)
		}
	}
	f.Clock.Advance(model.GuardFor + model.StopGrace)
	must(t, f.EmptyTrash(f.ctx))
	f.wantDownloads("after the trash was emptied", imp, want)
	for _, key := range f.Blobs.Keys(imp.RunPrefix(imp.Run)) {
		if now := f.reload(imp); key != now.Result.Key && !slices.Contains(f.stageFiles(now), key) {
			t.Errorf("the blob %s remains", key)
		}
	}
}

// stageFiles returns the keys of the files of the current stage of an import. A new stage is a
// single file, and one that was rebuilt consists of several files.
func (f *fixture) stageFiles(imp model.Import) []string {
	f.Helper()
	location := f.reload(imp).Stage
	if strings.HasSuffix(location, ".parquet") {
		return []string{location}
	}
	keys := f.Blobs.Keys(location + "/")
	if !slices.Contains(keys, location+"/manifest.json") || len(keys) < 2 {
		f.Fatalf("the stage %s has the files %q", location, keys)
	}
	return keys
}

// TestFindingReliability4Unrecoverable checks that nothing is delivered if the received file,
// from which the rows could be rebuilt, is damaged too.
func TestFindingReliability4Unrecoverable(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.finishedImport(badFile, "")
	for name, change := range damages {
		restoreRaw := f.damage(imp.Raw.Key, change)
		code := "file_damaged"
		if name == "it is missing" {
			code = "file_missing"
		}
		counted := f.Counts().DamageFound
		_, err := f.tryDownload(imp, imports.RawFile)
		f.wantError(err, model.Damaged, code)
		if got := f.Counts().DamageFound - counted; got != 1 {
			t.Errorf("%s: damage was counted %d times", name, got)
		}
		restore := f.damage(imp.Stage, func([]byte) []byte { return nil })
		for _, what := range []string{"csv", "parquet"} {
			got, err := f.tryDownload(imp, what)
			f.wantError(err, model.Damaged, "file_damaged")
			if got != "" {
				t.Errorf("%s: %d bytes of %s were delivered", name, len(got), what)
			}
		}
		if got := f.Counts().DamageFound - counted; got < 3 {
			t.Errorf("%s: damage of the received file and of the rows was counted %d times", name, got)
		}
		err = f.TraceRow(f.ctx, imp, 0, "", func(intray.Field, intray.Trace) error { return nil })
		f.wantError(err, model.Damaged, "file_damaged")
		restoreResult := f.damage(imp.Result.Key, change)
		_, err = f.tryDownload(imp, "json")
		f.wantError(err, model.Damaged, code)
		restoreRaw()
		restoreResult()
		restore()
		f.wantDownloads(name+" and restored", imp, f.downloads(imp))
	}
}

// TestFindingReliability4Deleted checks that deleted files are reported as deleted, and that no
// file is rebuilt after its deletion.
func TestFindingReliability4Deleted(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.finishedImport(badFile, "")
	f.damage(imp.Result.Key, damages["it is missing"])
	f.Blobs.OnUse(func(ctx context.Context, use, key string) error {
		if use == "create" && key == imp.Result.Key {
			f.Blobs.OnUse(nil)
			return f.DeleteUpload(ctx, imp.Org, imp.UploadID)
		}
		return nil
	})
	_, err := f.tryDownload(imp, "json")
	f.wantError(err, model.NotFound, "not_found")
	for _, key := range f.Blobs.Keys("") {
		t.Errorf("the blob %s remains", key)
	}
	err = f.TraceRow(f.ctx, f.reload(imp), 0, "", func(intray.Field, intray.Trace) error { return nil })
	f.wantError(err, model.NotFound, "not_found")
}

// TestFindingReliability4LargeResult checks that a large result, whose damage is found at its
// end, is never delivered completely, and is rebuilt for the next download.
func TestFindingReliability4LargeResult(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	file := "E-Mail,Name\n" + strings.Repeat("ada@example.org,"+strings.Repeat("x", 4000)+"\n", 2200)
	imp := f.finishedImport(file, "")
	if imp.Result.Size <= model.VerifyFirst {
		t.Fatalf("the result has %d bytes", imp.Result.Size)
	}
	want, err := f.tryDownload(imp, "json")
	must(t, err)
	f.damage(imp.Result.Key, damages["a bit is flipped"])
	got, err := f.tryDownload(imp, "json")
	if !model.IsKind(err, model.Damaged) || len(got) >= len(want) || len(got) == 0 {
		t.Errorf("%d of %d bytes were delivered, %v", len(got), len(want), err)
	}
	if got, err = f.tryDownload(imp, "json"); err != nil || got != want {
		t.Errorf("the next download has %d of %d bytes, %v", len(got), len(want), err)
	}
}

// TestFindingReliability4Original checks that a run with a damaged or missing file fails with a
// reason of its own, and imports nothing.
func TestFindingReliability4Original(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	must(t, f.VerifyStoreFingerprint(f.ctx))
	for name, change := range damages {
		imp := f.finishedImport(ambiguousName, "")
		f.wantStatus(imp, model.NeedsReview)
		f.damage(imp.Raw.Key, change)
		f.answerAll(imp, intray.Answers{"column:name": "2"})
		f.runAll()
		imp = f.wantStatus(imp, model.Failed)
		code := "import.original_damaged"
		if name == "it is missing" {
			code = "import.original_missing"
		}
		if n := imp.Outcome.Notices; len(n) != 1 || n[0].Text.Code != code || n[0].Type != intray.UnreadableFile || imp.Lost != 0 {
			t.Errorf("%s: %+v after %d lost runs", name, n, imp.Lost)
		}
	}
}

// TestFindingReliability4Unmounted checks that an import whose file is missing does not fail if
// all other files are missing, too.
func TestFindingReliability4Unmounted(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	must(t, f.VerifyStoreFingerprint(f.ctx))
	imp := f.pendingImport(goodFile, "")
	restore, restoreMark := f.damage(imp.Raw.Key, damages["it is missing"]), f.damage(model.FingerprintKey, damages["it is missing"])
	if _, err := f.RunNext(f.ctx); err == nil {
		t.Error("the run did not fail")
	}
	f.wantStatus(imp, model.Pending)
	restore()
	restoreMark()
	f.Clock.Advance(model.StopGrace)
	f.runAll()
	f.wantStatus(imp, model.Successful)
}

// TestFindingReliability4SessionFile checks that a damaged file of a session is not delivered.
func TestFindingReliability4SessionFile(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	session := f.saveSessionFile(f.newSession().Session, "a,b\n1,2\n")
	for name, change := range damages {
		restore := f.damage(session.File.Key, change)
		_, err := f.SessionFile(f.ctx, session)
		if !model.IsKind(err, model.Damaged) {
			t.Errorf("%s: %v", name, err)
		}
		restore()
	}
	replaced := f.saveSessionFile(session, "c\n")
	must(t, f.Blobs.Delete(f.ctx, session.File.Key))
	r, err := f.SessionFile(f.ctx, session) // loaded before the file was replaced
	must(t, err)
	if r.Size() != replaced.File.Size {
		t.Errorf("the file has %d bytes", r.Size())
	}
	must(t, r.Close())
}

// TestFindingReliability4Review checks that damaged rows under review are rebuilt, and that no
// change to them is lost.
func TestFindingReliability4Review(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.correctedReview()
	want := emails(f, f.Service, imp)
	for name, change := range damages {
		for _, file := range f.stageFiles(imp) {
			f.damage(file, change)
			node := f.newNode("folder/" + strings.ReplaceAll(name+path.Base(file), " ", "-"))
			if got := emails(f, node, f.reload(imp)); got != want {
				t.Errorf("%s in %s: shown %q, want %q", name, file, got, want)
			}
		}
	}
	_, _, err := f.SubmitReview(f.ctx, f.reload(imp))
	must(t, err)
	f.wantResult(f.wantStatus(imp, model.Successful), `[{"email":"ada@example.org","name":"Ada"},{"email":"bob@example.org","name":"Bob"}]`)
}

// TestFindingReliability4OpenReview checks that damage found in rows that are open makes the
// caller try again with rebuilt rows.
func TestFindingReliability4OpenReview(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.importInReview()
	want := emails(f, f.Service, imp)
	err := f.WithRows(f.ctx, imp, func(*draft.Draft) error {
		f.damage(imp.Stage, damages["it is missing"])
		return fmt.Errorf("read rows: %w", staging.ErrDamaged)
	})
	f.wantError(err, model.Unavailable, "rows_rebuilt")
	if got := emails(f, f.Service, f.reload(imp)); got != want || f.reload(imp).Stage == imp.Stage {
		t.Errorf("shown %q, want %q", got, want)
	}
	err = f.WithRows(f.ctx, f.reload(imp), func(*draft.Draft) error { return fmt.Errorf("read a change: %w", staging.ErrDamaged) })
	f.wantError(err, model.Conflict, "rows_damaged") // the staged rows are intact, so a change is damaged
}

// If two calls find the same damage in rows that are open, both can be tried again, even if the
// rebuilt rows are open before the second call reports the damage.
func TestDamageFoundTwice(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.importInReview()
	want := emails(f, f.Service, imp)
	err := f.WithRows(f.ctx, imp, func(*draft.Draft) error {
		f.damage(imp.Stage, damages["it is missing"])
		return &lateDamageError{before: func() {
			err := f.WithRows(f.ctx, imp, func(*draft.Draft) error { return staging.ErrDamaged })
			f.wantError(err, model.Unavailable, "rows_rebuilt")
			if got := emails(f, f.Service, f.reload(imp)); got != want {
				t.Errorf("shown %q, want %q", got, want)
			}
		}}
	})
	f.wantError(err, model.Unavailable, "rows_rebuilt")
	if f.IsSuspect(imp.Stage) {
		t.Error("the rows that were replaced are still suspect")
	}
}

// lateDamageError is staging.ErrDamaged. It calls the function before when it is first recognized,
// which is after the call that returned it has released the draft.
type lateDamageError struct {
	once   sync.Once
	before func()
}

func (*lateDamageError) Error() string { return "damaged" }

func (e *lateDamageError) Is(target error) bool {
	if target != staging.ErrDamaged {
		return false
	}
	e.once.Do(e.before)
	return true
}

// TestFindingReliability4RunAgain checks that a review whose rows cannot be rebuilt offers to run
// the import again, which discards changes only if the caller confirms it.
func TestFindingReliability4RunAgain(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.correctedReview()
	restore := f.damage(imp.Raw.Key, damages["a bit is flipped"])
	f.damage(imp.Stage, damages["it is missing"])
	node := f.newNode("folder/two")
	err := node.WithRows(f.ctx, imp, func(*draft.Draft) error { return nil })
	f.wantError(err, model.Conflict, "rows_damaged")
	restore()
	_, err = node.RunReviewAgain(f.ctx, imp.Org, imp.ID, false)
	var conflict *model.Error
	if !errors.As(err, &conflict) || conflict.Code != "discards_changes" || conflict.Changes != 1 {
		t.Errorf("error %v", err)
	}
	_, err = node.RunReviewAgain(f.ctx, imp.Org, imp.ID, true)
	must(t, err)
	f.wantStatus(imp, model.Pending)
	_, err = node.RunReviewAgain(f.ctx, imp.Org, imp.ID, true)
	f.wantError(err, model.Conflict, "not_in_review")
	f.runAll()
	if got := emails(f, node, f.wantStatus(imp, model.NeedsReview)); got != "ada@example.org nobody!" {
		t.Errorf("shown: %s", got)
	}
}

// TestFindingReliability4Submitted checks that the rows of a submitted review are rebuilt with the
// changes of the review, also if the rows of its run are damaged.
func TestFindingReliability4Submitted(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.correctedReview()
	run := imp.Stage
	_, _, err := f.SubmitReview(f.ctx, imp)
	must(t, err)
	want := f.downloads(imp)
	for name, change := range damages {
		for i, file := range f.stageFiles(imp) {
			now := f.reload(imp)
			f.damage(file, change)
			f.damage(now.Result.Key, change)
			restore := func() {}
			if i%2 == 0 && slices.Contains(f.Blobs.Keys(run), run+"/"+file) {
				restore = f.damage(run+"/"+file, change)
			}
			f.wantDownloads(name+" in "+file, imp, want)
			restore()
		}
	}
}

// TestFindingReliability4Learned checks that rows that depend on learned mappings are rebuilt
// after the import has ended.
func TestFindingReliability4Learned(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.importAndAnswer(contacts, crm, ambiguousName, intray.Answers{"column:name": "2"})
	imp := f.importFile(f.org, contacts, crm, ambiguousName)
	want := f.downloads(imp)
	f.damage(imp.Stage, damages["it is cut to half"])
	f.damage(imp.Result.Key, damages["it is missing"])
	f.wantDownloads("damaged", imp, want)
	// With other learned mappings, the rows would be different. They are not delivered.
	must(t, f.ForgetMemory(f.ctx, f.org, "crm"))
	f.damage(f.reload(imp).Stage+"/manifest.json", damages["it is cut to half"])
	_, err := f.tryDownload(imp, "csv")
	f.wantError(err, model.Damaged, "file_damaged")
	f.wantDownloads("only the staged rows are damaged", imp, map[string]string{"json": want["json"]})
}

// largeFile returns a file whose staged rows are larger than what is verified before the first
// use, because they hardly compress.
func largeFile() string {
	random := rand.New(rand.NewPCG(1, 1))
	var file strings.Builder
	file.WriteString("E-Mail,Name\nnobody,Bob\n")
	for range 3000 {
		text := make([]byte, 3000)
		for i := range text {
			text[i] = byte(random.Uint32())
		}
		fmt.Fprintf(&file, "ada@example.org,%s\n", base64.StdEncoding.EncodeToString(text))
	}
	return file.String()
}

// TestFindingReliability4LargeStage checks that damage that is found while large staged rows are
// read is repaired for the next call, for a download as well as under review.
func TestFindingReliability4LargeStage(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	file := largeFile()
	done, reviewed := f.finishedImport(file, ""), f.finishedImport(file, blocking)
	want, err := f.tryDownload(done, "csv")
	must(t, err)
	for _, imp := range []model.Import{done, reviewed} {
		if size := len(f.Blobs.Content(t, imp.Stage+"/seg-0000.parquet")); size <= model.VerifyFirst {
			t.Fatalf("the staged rows have %d bytes", size)
		}
		f.damage(imp.Stage+"/seg-0000.parquet", damages["a bit is flipped"])
	}
	got, err := f.tryDownload(done, "csv")
	if !errors.Is(err, staging.ErrDamaged) || !strings.HasPrefix(want, got) || len(got) == len(want) {
		t.Errorf("%d of %d bytes, %v", len(got), len(want), err)
	}
	if got, err = f.tryDownload(done, "csv"); err != nil || got != want {
		t.Errorf("the next download has %d of %d bytes, %v", len(got), len(want), err)
	}
	count := 0
	read := func() error {
		return f.WithRows(f.ctx, f.reload(reviewed), func(d *draft.Draft) error {
			count = 0
			for b, err := range d.Batches(f.ctx) {
				if err != nil {
					return err
				}
				count += b.Rows()
			}
			return nil
		})
	}
	f.wantError(read(), model.Unavailable, "rows_rebuilt")
	if err := read(); err != nil || count != 3001 {
		t.Errorf("%d rows, %v", count, err)
	}
}

// If a change is damaged, large staged rows are read once to verify them, and not for each call.
func TestDamagedChange(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.finishedImport(largeFile(), blocking)
	must(t, f.Store.Update(f.ctx, func(tx model.Tx) error {
		return tx.Edits.Append(f.ctx, model.Edit{Org: imp.Org, ImportID: imp.ID, Run: imp.Run, Seq: 1, Op: "op", Change: 1, Revision: []byte("damaged"), Made: f.Clock.Now()})
	}))
	blobs := &watchedBlobs{Store: f.Blobs}
	node := f.newNode("folder/two", func(_ *fixture, cfg *service.Config) { cfg.Blobs = blobs })
	for _, verified := range []bool{true, false, false} {
		before := blobs.bytes.Load()
		err := node.WithRows(f.ctx, imp, func(*draft.Draft) error { return nil })
		f.wantError(err, model.Conflict, "rows_damaged")
		if read := blobs.bytes.Load() - before; read > model.VerifyFirst != verified {
			t.Errorf("%d bytes were read, want that all rows are read: %v", read, verified)
		}
	}
}
