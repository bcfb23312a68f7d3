package service_test

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/auth"
	"github.com/intraydata/intray/server/draft"
	"github.com/intraydata/intray/server/importlinks"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/review"
	"github.com/intraydata/intray/server/schemas"
	"github.com/intraydata/intray/server/servertest"
)

// Each use of the store and of random bytes fails once during operations on
// accounts, schemas and sessions. The operation must return the error.
func TestResourceFaults(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	key := f.createKey(model.Backend, 0)
	_, err := f.Authenticate(f.ctx, key.Key) // a fault while the time of the use is stored is only logged
	must(t, err)
	schema, _, err := f.CreateSchema(f.ctx, f.org, schemas.Draft{Doc: namedSchema(t, "Contacts")})
	must(t, err)
	session := f.newSession()
	saved := f.saveSessionFile(session.Session, "a,b\n")
	_, err = f.SaveState(f.ctx, saved, []byte(`{}`), nil)
	must(t, err)
	newSchema := func(id, name string) error {
		_, _, err := f.CreateSchema(f.ctx, f.org, schemas.Draft{ID: id, Doc: namedSchema(t, name)})
		return err
	}
	f.Faults.CheckOperations(t, []servertest.Operation{
		{"CreateOrg", func() error { _, err := f.CreateOrg(f.ctx, "Beta"); return err }},
		{"CreateKey", func() error { _, err := f.CreateKey(f.ctx, "Alpha", model.Frontend, time.Hour); return err }},
		{"Licences", func() error { _, _, err := f.Licences(f.ctx); return err }},
		{"Authenticate", func() error { _, err := f.Authenticate(f.ctx, key.Key); return err }},
		{"RevokeKey", func() error { return f.RevokeKey(f.ctx, key.Licence.ID) }},
		{"CreateSchema", func() error { return newSchema("", "Orders") }},
		{"CreateSchema again", func() error { return newSchema(schema.ID, "Contacts") }},
		{"Schema", func() error { _, err := f.Schema(f.ctx, f.org, schema.ID); return err }},
		{"Schemas", func() error {
			return f.Schemas(f.ctx, f.org, model.PageRequest{Limit: 100}, func(list iter.Seq2[model.Schema, error]) error {
				for _, err := range list {
					if err != nil {
						return err
					}
				}
				return nil
			})
		}},
		{"ReplaceSchema", func() error {
			_, _, err := f.ReplaceSchema(f.ctx, f.org, schema.ID, schemas.Draft{Doc: namedSchema(t, "People")})
			return err
		}},
		{"Lexicon", func() error { _, err := f.Lexicon(f.ctx, f.org, "crm"); return err }},
		{"ReplaceLexicon", func() error {
			return f.ReplaceLexicon(f.ctx, f.org, "crm", []model.LearnedMapping{{Kind: model.ColumnMemory, Field: "a", Text: "b"}})
		}},
		{"ReplaceExtensions", func() error {
			_, err := f.ReplaceExtensions(f.ctx, f.org, schema.ID, map[string]any{})
			return err
		}},
		{"DeleteSchema", func() error { return f.DeleteSchema(f.ctx, f.org, schema.ID) }},
		{"CreateSession", func() error { _, err := f.CreateSession(f.ctx, f.org, imports.NewSession{}); return err }},
		{"CreateSession again", func() error {
			_, err := f.CreateSession(f.ctx, f.org, imports.NewSession{ID: session.Session.ID})
			return err
		}},
		{"ResumeSession", func() error { _, err := f.ResumeSession(f.ctx, f.org, session.Session.ID, 0, ""); return err }},
		{"Hydrated", func() error { _, err := f.Hydrated(f.ctx, session.Token); return err }},
		{"SessionState", func() error { _, _, err := f.SessionState(f.ctx, saved); return err }},
		{"SaveState", func() error { _, err := f.SaveState(f.ctx, saved, []byte(`[]`), nil); return err }},
		{"SessionFile", func() error { _, err := f.SessionFile(f.ctx, saved); return err }},
		{"SaveSessionFile", func() error {
			_, err := f.SaveSessionFile(f.ctx, saved, imports.IncomingFile{Body: strings.NewReader("x"), Length: 1}, "text/csv")
			return err
		}},
		{"DeleteSession", func() error { return f.DeleteSession(f.ctx, f.org, session.Session.ID) }},
		{"SetRetention", func() error { return f.SetRetention(f.ctx, f.org, []model.Retention{{Originals: 1}}) }},
		{"Retention", func() error { _, err := f.Retention(f.ctx, f.org); return err }},
		{"Deletions", func() error { _, err := f.Deletions(f.ctx, f.org, model.PageRequest{Limit: 10}); return err }},
		{"Memory", func() error { _, err := f.Memory(f.ctx, f.org, "crm", model.PageRequest{Limit: 10}); return err }},
		{"ForgetMemory", func() error { return f.ForgetMemory(f.ctx, f.org, "crm") }},
		{"ForgetReplays", func() error { return f.ForgetReplays(f.ctx) }},
		{"ForgetRates", func() error { return f.ForgetRates(f.ctx) }},
		{"ForgetSessions", func() error { f.Clock.Advance(2 * week); return f.ForgetSessions(f.ctx) }},
	})
	empty := emptyFixture(t)
	empty.Faults.CheckOperations(t, []servertest.Operation{
		{"Bootstrap", func() error { _, err := empty.Bootstrap(f.ctx, auth.FirstKeys{}); return err }},
		{"VerifyStoreFingerprint", func() error { return empty.VerifyStoreFingerprint(f.ctx) }},
		{"VerifyStoreFingerprint again", func() error { return empty.VerifyStoreFingerprint(f.ctx) }},
	})
}

// Each use of the store and of the blobs fails once during operations on imports
// and reviews. The operation must return the error.
func TestImportFaults(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	done, waiting, open := f.finishedImport(goodFile, ""), f.newImport(""), f.finishedImport(ambiguousName, crm)
	u, err := f.Upload(f.ctx, f.org, done.UploadID)
	must(t, err)
	inReview, other := f.importInReview(), f.importInReview()
	v, err := f.ChangeRows(f.ctx, inReview, newEdit(setEmail(1, 0, "nobody", "bob@example.org")))
	must(t, err)
	link := f.newImportLink()
	sent, err := f.StartImport(f.ctx, link, "sent.csv")
	must(t, err)
	exported := f.exportSheet(inReview).withCell(0, "Name", "Ann").csv()
	f.Faults.CheckOperations(t, []servertest.Operation{
		{"CreateImport", func() error {
			_, err := f.CreateImport(f.ctx, f.org, imports.Draft{Doc: doc(t, contacts, "")})
			return err
		}},
		{"CreateImport with rows", f.tryRows},
		{"CreateImport again", func() error {
			again, err := f.CreateImport(f.ctx, f.org, imports.Draft{ID: done.ID, Doc: doc(t, contacts, "")})
			if err == nil && again.UploadID != done.UploadID {
				t.Error("the repeated creation returns another import")
			}
			return err
		}},
		{"Import", func() error { _, err := f.Import(f.ctx, f.org, done.ID); return err }},
		{"Imports", func() error { _, err := f.Imports(f.ctx, f.org, model.PageRequest{Limit: 10}); return err }},
		{"ImportResult", func() error { _, err := f.ImportResult(f.ctx, f.org, done.ID); return err }},
		{"ProcessedUpload", func() error { _, err := f.ProcessedUpload(f.ctx, f.org, u.ID); return err }},
		{"Uploads", func() error {
			return f.Uploads(f.ctx, f.org, model.UploadFilter{}, model.PageRequest{Limit: 10}, func(_ int64, list iter.Seq2[model.Upload, error]) error {
				for _, err := range list {
					if err != nil {
						return err
					}
				}
				return nil
			})
		}},
		{"Download", func() error {
			d, err := f.Download(f.ctx, u.ID, f.mustToken(f.DownloadToken(u, "csv", "")))
			if err != nil {
				return err
			}
			return d.Write(io.Discard)
		}},
		{"TraceRow", func() error {
			return f.TraceRow(f.ctx, done, 0, "", func(intray.Field, intray.Trace) error { return nil })
		}},
		{"upload", func() error { return f.upload(waiting, goodFile) }},
		{"StartReviewSession", func() error {
			_, _, err := f.StartReviewSession(f.ctx, inReview.ID, f.mustToken(f.ReviewToken(inReview)))
			return err
		}},
		{"PollReview", func() error { _, err := f.PollReview(f.ctx, f.org, other.ID, review.State{}); return err }},
		{"CountChanges", func() error { _, err := f.CountChanges(f.ctx, inReview); return err }},
		{"ExportRows", func() error { return f.ExportRows(f.ctx, inReview, draft.Query{}, io.Discard) }},
		{"MergeCorrections", func() error {
			_, err := f.MergeCorrections(f.ctx, inReview, review.CorrectionFile{Op: newEdit(nil).Op, File: strings.NewReader(exported), Size: int64(len(exported))})
			return err
		}},
		{"ChangeRows", func() error {
			_, err := f.ChangeRows(f.ctx, inReview, newEdit(setEmail(1, v.Seq, "bob@example.org", "ben@example.org")))
			return err
		}},
		{"AnswerQuestions", func() error {
			_, err := f.AnswerQuestions(f.ctx, f.org, open.ID, oneAnswer("column:name", "1"), false)
			return err
		}},
		{"ReplaceImportLink", func() error {
			_, err := f.ReplaceImportLink(f.ctx, f.org, link.ID, importlinks.Draft{SchemaID: link.SchemaID})
			return err
		}},
		{"OpenLink", func() error { _, err := f.OpenLink(f.ctx, f.mustToken(f.LinkToken(link)), ""); return err }},
		{"upload through a link", func() error { return f.upload(sent, goodFile) }},
		{"SubmitReview", func() error { _, _, err := f.SubmitReview(f.ctx, inReview); return err }},
		{"DeleteUpload", func() error { return f.DeleteUpload(f.ctx, f.org, u.ID) }},
	})
}

// Each use of the store and of the blobs fails once while an import runs. The run
// must report the failure or succeed. After maintenance, the import must succeed,
// and its mapping must be learned exactly once.
func TestRunFaults(t *testing.T) {
	t.Parallel()
	servertest.EachFault(t, func(t *testing.T, n int) string {
		f := newFixture(t)
		imp := f.importFile(f.org, contacts, crm, ambiguousName)
		f.answerAll(imp, map[string]string{"column:name": "1"})
		f.Faults.Arm(n)
		_, err := f.RunNext(f.ctx)
		name := f.Faults.Disarm()
		if status := f.reload(imp).Status; name != "" && err == nil && status != model.Successful && status != model.Pending {
			t.Errorf("%s failed without an error, and the import is %s", name, status)
		}
		for range 3 {
			f.Clock.Advance(time.Minute)
			must(t, f.RunMaintenance(f.ctx))
			f.runAll()
		}
		f.wantResult(imp, `[{"email":"ada@example.org","name":"Ada"}]`)
		f.wantMemory("crm", "column name Name")
		for run := 1; run < f.reload(imp).Run; run++ {
			f.wantNoBlobsOfRun(imp, run)
		}
		return name
	})
}

// Each use of the store and of the blobs fails once during maintenance after a crash.
// Maintenance must return the error, and the next rounds must complete the work.
func TestMaintenanceFaults(t *testing.T) {
	t.Parallel()
	servertest.EachFault(t, func(t *testing.T, n int) string {
		f := newFixture(t, crashAt("run.staged"))
		imp := f.pendingImport(goodFile, "")
		f.newSession()
		f.expectCrash(func() { _, _ = f.RunNext(f.ctx) })
		f.Service = f.newNode("folder/two")
		f.Clock.Advance(2 * week)
		f.Faults.Arm(n)
		err := errors.Join(f.Join(f.ctx), f.RunMaintenance(f.ctx), f.RunMaintenance(f.ctx))
		name := f.Faults.Disarm()
		if name != "" && err == nil && !strings.HasPrefix(name, "Blobs.delete") {
			t.Errorf("%s failed, and no error was returned", name)
		}
		for range 3 {
			must(t, f.Join(f.ctx))
			f.Clock.Advance(time.Minute)
			must(t, f.RunMaintenance(f.ctx))
			f.runAll()
		}
		f.wantResult(imp, goodResult)
		return name
	})
}

// Each use of the store and of the blobs fails once while parts of an import expire.
// CollectGarbage must return the error, and the next call must complete the work, with one
// receipt for each part.
func TestExpireFaults(t *testing.T) {
	t.Parallel()
	servertest.EachFault(t, func(t *testing.T, n int) string {
		f := newFixture(t)
		must(t, f.SetRetention(f.ctx, f.org, []model.Retention{{Originals: 1, Problems: 1, Results: 1}}))
		imp := f.finishedImport(badFile, "")
		f.Clock.Advance(2 * day)
		f.Faults.Arm(n)
		err := f.CollectGarbage(f.ctx)
		name := f.Faults.Disarm()
		if name != "" && !errors.Is(err, servertest.ErrInjected) {
			t.Errorf("%s failed, and the error is %v", name, err)
		}
		must(t, f.CollectGarbage(f.ctx))
		must(t, f.RunMaintenance(f.ctx))
		if now := f.reload(imp); now.Raw.Key != "" || now.Result.Key != "" || now.Stage != "" || len(now.Outcome.Listed) > 0 {
			t.Errorf("%s failed once: the import is %+v", name, now)
		}
		if list, total, err := servertest.Split(f.Deletions(f.ctx, f.org, model.PageRequest{Limit: 10})); err != nil || total != 3 {
			t.Errorf("%s failed once: %d receipts %+v, %v", name, total, list, err)
		}
		if keys := f.Blobs.Keys(""); len(keys) > 0 {
			t.Errorf("%s failed once: blobs remain: %v", name, keys)
		}
		return name
	})
}

// If a deletion fails before or after its commit, everything is deleted in the end.
func TestDeleteImportFaults(t *testing.T) {
	t.Parallel()
	servertest.EachFault(t, func(t *testing.T, n int) string {
		f := newFixture(t)
		imp := f.finishedImport(goodFile, "")
		f.Faults.Arm(n)
		err := f.DeleteImport(f.ctx, f.org, imp.ID)
		name := f.Faults.Disarm()
		if name != "" && err == nil && name != "Blobs.delete" {
			t.Errorf("%s failed, and no error was returned", name)
		}
		if err := f.DeleteImport(f.ctx, f.org, imp.ID); err != nil && !model.IsKind(err, model.NotFound) {
			t.Errorf("%s failed once: %v", name, err)
		}
		f.Clock.Advance(time.Minute)
		must(t, f.RunMaintenance(f.ctx))
		if keys := f.Blobs.Keys(""); len(keys) > 0 {
			t.Errorf("%s failed once: blobs remain: %v", name, keys)
		}
		if _, total, err := servertest.Split(f.Deletions(f.ctx, f.org, model.PageRequest{Limit: 10})); err != nil || total != 1 {
			t.Errorf("%s failed once: %d receipts, %v", name, total, err)
		}
		return name
	})
}

// Each use of the store and of random bytes fails once while a request with an idempotency key is
// being handled. The key must not block a repetition of the request, which must get the same ID.
func TestReplayFaults(t *testing.T) {
	t.Parallel()
	servertest.EachFault(t, func(t *testing.T, n int) string {
		f := newFixture(t)
		response := auth.ReplayedResponse{Status: 201, Body: []byte("{}")}
		f.Faults.Arm(n)
		_, lock, err := f.BeginReplay(f.ctx, f.org, "key", "print")
		id := ""
		if lock != nil {
			id = lock.ID
			err = errors.Join(err, lock.Finish(f.ctx, response))
		}
		name := f.Faults.Disarm()
		if name != "" && !errors.Is(err, servertest.ErrInjected) {
			t.Errorf("%s failed, and the error is %v", name, err)
		}
		stored, again, err := f.BeginReplay(f.ctx, f.org, "key", "print")
		must(t, err)
		switch {
		case stored != nil && (stored.Status != 201 || !bytes.Equal(stored.Body, response.Body)):
			t.Errorf("%s failed once: the response is %+v", name, stored)
		case stored == nil && id != "" && again.ID != id:
			t.Errorf("%s failed once: the ID changed", name)
		case stored == nil:
			must(t, again.Finish(f.ctx, response))
		}
		f.wantReplay("key", "print", response)
		return name
	})
}
