package service_test

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/schema"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/schemas"
	"github.com/intraydata/intray/server/servertest"
	"github.com/intraydata/intray/server/service"
)

func TestInvalidImports(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	good := doc(t, contacts, "")
	for _, c := range []struct {
		name  string
		draft imports.Draft
		kind  model.Kind
		field string
	}{
		{"neither schema nor fields", imports.Draft{}, model.Invalid, "schema_id"},
		{"schema and fields", imports.Draft{SchemaID: unknownID, Doc: good}, model.Invalid, "schema_id"},
		{"unknown schema", imports.Draft{SchemaID: unknownID}, model.NotFound, "schema_id"},
		{"a name with rows", imports.Draft{Doc: good, Filename: "a.csv", Rows: strings.NewReader("[]")}, model.Invalid, "original_filename"},
		{"a name that is too long", imports.Draft{Doc: good, Filename: strings.Repeat("n", 1025)}, model.Invalid, "original_filename"},
		{"a name with a line end", imports.Draft{Doc: good, Filename: "a\r\nb"}, model.Invalid, "original_filename"},
		{"invalid fields", imports.Draft{Doc: schema.Doc{Fields: "x"}}, model.Invalid, "fields"},
		{"wrong settings over an unknown schema",
			imports.Draft{SchemaID: unknownID, Doc: schema.Doc{Settings: decoded(t, `{"maxRecords":-1}`)}}, model.Invalid, "settings"},
	} {
		_, err := f.CreateImport(f.ctx, f.org, c.draft)
		var e *model.Error
		if !errors.As(err, &e) || e.Kind != c.kind || len(e.Fields[c.field]) == 0 {
			t.Errorf("%s: error %#v, want kind %d with a message for %s", c.name, err, c.kind, c.field)
		}
	}
	if _, total, err := servertest.Split(f.Imports(f.ctx, f.org, model.PageRequest{Limit: 10})); total != 0 || err != nil {
		t.Errorf("%d imports were created, error %v", total, err)
	}
}

func TestNewImport(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.newImport("")
	if imp.Status != model.AwaitingUpload || imp.Outcome != nil || !imp.Created.Equal(imp.Modified) {
		t.Errorf("created %+v", imp)
	}
	if _, err := f.Upload(f.ctx, f.org, imp.UploadID); !model.IsKind(err, model.NotFound) {
		t.Errorf("the upload exists before its first byte, error %v", err)
	}
	_, err := f.ImportResult(f.ctx, f.org, imp.ID)
	f.wantError(err, model.Conflict, "not_finished")
	schema, err := f.Schema(f.ctx, f.org, imp.SchemaID)
	if err != nil || !schema.Inline {
		t.Errorf("the inline schema: %+v, error %v", schema, err)
	}
	if names := f.schemaNames(); len(names) != 0 {
		t.Errorf("the inline schema is listed: %v", names)
	}
}

func TestRowsInTheRequest(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.newImportWithRows(`[{"email":"ada@example.org","name":"Ada"},{"email":"nobody"}]`)
	if imp.Status != model.AwaitingUpload {
		t.Errorf("the created import is %s, want AWAITING_UPLOAD", imp.Status)
	}
	f.wantStatus(imp, model.Pending)
	f.wantError(f.upload(imp, goodFile), model.Conflict, "upload_not_expected")
	f.runAll()
	f.wantResult(imp, `[{"email":"ada@example.org","name":"Ada"}]`)
}

// An import keeps its schema if the saved schema is changed and deleted.
func TestSchemaIsFrozen(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	saved := namedSchema(t, "Contacts")
	saved.Settings = decoded(t, `{"invalidDataBehavior":"BLOCK_SUBMIT","importIdentifier":"saved","title":"Saved"}`)
	created, _, err := f.CreateSchema(f.ctx, f.org, schemas.Draft{Doc: saved})
	must(t, err)
	imp, err := f.CreateImport(f.ctx, f.org, imports.Draft{
		SchemaID: created.ID, Doc: schema.Doc{Settings: decoded(t, `{"title":"Mine"}`)},
	})
	must(t, err)
	next := namedSchema(t, "Contacts")
	next.Fields = decoded(t, `[{"key":"other","label":"Other"}]`)
	_, _, err = f.ReplaceSchema(f.ctx, f.org, created.ID, schemas.Draft{Doc: next})
	must(t, err)
	must(t, f.DeleteSchema(f.ctx, f.org, created.ID))
	must(t, f.upload(imp, badFile))
	f.runAll()
	f.wantStatus(imp, model.NeedsReview)
	frozen, err := schemas.Frozen(imp)
	must(t, err)
	got := []string{frozen.Settings.ImportIdentifier, frozen.Settings.Title, frozen.Fields[0].Key}
	if diff := cmp.Diff([]string{"saved", "Mine", "email"}, got); diff != "" {
		t.Errorf("identifier, title and first field (-want +got):\n%s", diff)
	}
	if info, err := f.ReviewPageInfo(imp); info.Title != "Mine" || err != nil {
		t.Errorf("%+v, error %v", info, err)
	}
}

func TestInvalidUploads(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.newImport(`{"maxFileSize":64}`)
	begin := func(length int64) (*imports.UploadReceiver, error) {
		return f.BeginUpload(f.ctx, imp.ID, f.mustToken(f.UploadToken(imp, "")), length)
	}
	_, err := begin(65)
	f.wantError(err, model.TooLarge, "file_too_large")
	sum5, sum256 := md5.Sum([]byte("x")), sha256.Sum256([]byte("x"))
	for _, c := range []struct {
		name string
		in   imports.IncomingFile
		kind model.Kind
		code string
	}{
		{"too large", imports.IncomingFile{Body: strings.NewReader(strings.Repeat("x", 65)), Length: -1}, model.TooLarge, "file_too_large"},
		{"too short", imports.IncomingFile{Body: strings.NewReader("abc"), Length: 4}, model.Invalid, "body_too_short"},
		{"another MD5", imports.IncomingFile{Body: strings.NewReader("abc"), Length: 3, MD5: sum5[:]}, model.Invalid, "digest_mismatch"},
		{"another SHA-256", imports.IncomingFile{Body: strings.NewReader("abc"), Length: 3, SHA256: sum256[:]}, model.Invalid, "digest_mismatch"},
		{"a wrong name", imports.IncomingFile{Body: strings.NewReader("abc"), Length: 3, Filename: "a\x00b"}, model.Invalid, "invalid"},
	} {
		r, err := begin(-1)
		must(t, err)
		_, err = r.Receive(f.ctx, c.in)
		f.wantError(err, c.kind, c.code)
		f.wantStatus(imp, model.AwaitingUpload)
		if left := f.Blobs.Keys("imports/"); len(left) > 0 {
			t.Errorf("%s: blobs are left: %v", c.name, left)
		}
	}
	r, err := begin(3)
	must(t, err)
	sum5, sum256 = md5.Sum([]byte("abc")), sha256.Sum256([]byte("abc"))
	receipt, err := r.Receive(f.ctx, imports.IncomingFile{
		Body: strings.NewReader("abc"), Length: 3, MD5: sum5[:], SHA256: sum256[:], Filename: "list.csv"})
	must(t, err)
	if diff := cmp.Diff(imports.UploadReceipt{Size: 3, MD5: fmt.Sprintf("%x", sum5)}, receipt); diff != "" {
		t.Errorf("receipt (-want +got):\n%s", diff)
	}
	want := model.File{Key: f.reload(imp).Raw.Key, Size: 3, SHA256: fmt.Sprintf("%x", sum256)}
	if now := f.wantStatus(imp, model.Pending); now.Raw != want || now.Filename != "list.csv" {
		t.Errorf("file %+v named %q, want %+v", now.Raw, now.Filename, want)
	}
	_, err = begin(3)
	f.wantError(err, model.Conflict, "already_uploaded")
}

// Exactly one of two concurrent uploads is accepted.
func TestConcurrentUploads(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.newImport("")
	token := f.mustToken(f.UploadToken(imp, ""))
	first, err := f.BeginUpload(f.ctx, imp.ID, token, -1)
	must(t, err)
	second, err := f.BeginUpload(f.ctx, imp.ID, token, -1)
	must(t, err)
	_, err = second.Receive(f.ctx, imports.IncomingFile{Body: strings.NewReader(goodFile), Length: -1})
	must(t, err)
	_, err = first.Receive(f.ctx, imports.IncomingFile{Body: strings.NewReader(badFile), Length: -1})
	f.wantError(err, model.Conflict, "already_uploaded")
	f.runAll()
	f.wantResult(imp, goodResult)
	if raw := f.Blobs.Keys("imports/" + imp.ID + "/raw-"); len(raw) != 1 {
		t.Errorf("received files %v, want the accepted one", raw)
	}
}

func TestMaxFileSize(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(_ *fixture, cfg *service.Config) { cfg.MaxFileSize = 10 })
	imp := f.newImport(`{"maxFileSize":64}`)
	f.wantError(f.upload(imp, strings.Repeat("x", 11)), model.TooLarge, "file_too_large")
	must(t, f.upload(imp, strings.Repeat("x", 10)))
}

func TestDownloads(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.finishedImport(badFile, "")
	u, err := f.ImportResult(f.ctx, f.org, imp.ID)
	must(t, err)
	for what, want := range map[string]string{
		imports.RawFile: badFile,
		"json":          `[{"email":"ada@example.org","name":"Ada"}]`,
		"ndjson":        `{"email":"ada@example.org","name":"Ada"}`,
		"csv":           "email,name\nada@example.org,Ada\n",
	} {
		d, err := f.Download(f.ctx, u.ID, f.mustToken(f.DownloadToken(u, what, "")))
		must(t, err)
		got := readDownload(t, d)
		if what == "json" || what == "ndjson" {
			got = withoutSpace(got)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
}

// readDownload reads and closes a download, and returns its content.
func readDownload(t testing.TB, d *imports.Download) string {
	t.Helper()
	var b strings.Builder
	if d.Stored == nil {
		must(t, d.Write(&b))
		return b.String()
	}
	_, err := d.Stored.WriteTo(&b)
	must(t, err)
	must(t, d.Close())
	return b.String()
}

func TestDeletedUpload(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for text, status := range map[string]model.Status{"E-Mail,Name\n": model.NeedsReview, goodFile: model.Pending} {
		imp := f.pendingImport(text, "")
		if status == model.NeedsReview {
			f.runAll()
		}
		f.wantError(f.DeleteUpload(f.ctx, f.org, imp.UploadID), model.Conflict, "not_finished")
		_, err := f.ProcessedUpload(f.ctx, f.org, imp.UploadID)
		f.wantError(err, model.Conflict, "not_finished")
		f.wantStatus(imp, status)
		must(t, f.DeleteImport(f.ctx, f.org, imp.ID))
	}
	imp := f.finishedImport(goodFile, "")
	token := f.mustToken(f.DownloadToken(model.Upload{ID: imp.UploadID, Org: f.org}, "json", ""))
	must(t, f.DeleteUpload(f.ctx, f.org, imp.UploadID))
	_, err := f.ImportResult(f.ctx, f.org, imp.ID)
	f.wantError(err, model.NotFound, "not_found")
	_, err = f.Download(f.ctx, imp.UploadID, token)
	f.wantError(err, model.NotFound, "not_found")
	if left := f.Blobs.Keys(""); len(left) > 0 {
		t.Errorf("blobs are left: %v", left)
	}
	f.wantStatus(imp, model.Successful)
	must(t, f.DeleteImport(f.ctx, f.org, imp.ID))
}

func TestUploads(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var newest []string
	for range 4 {
		imp := f.finishedImport(goodFile, "")
		newest = append([]string{imp.UploadID}, newest...)
		f.Clock.Advance(time.Hour)
	}
	f.finishedImport("", "") // failed imports are not listed
	for _, c := range []struct {
		start, end int64
		filter     model.UploadFilter
		total      int64
		want       []string
	}{
		{0, 10, model.UploadFilter{}, 4, newest},
		{1, 3, model.UploadFilter{}, 4, newest[1:3]},
		{4, 9, model.UploadFilter{}, 4, nil},
		{2, 2, model.UploadFilter{}, 4, nil},
		{0, 10, model.UploadFilter{From: servertest.Started.Add(time.Hour), To: servertest.Started.Add(2 * time.Hour)}, 2, newest[1:3]},
		{0, 10, model.UploadFilter{To: servertest.Started.Add(-time.Microsecond)}, 0, nil},
	} {
		var got []string
		must(t, f.Uploads(f.ctx, f.org, c.filter, model.PageRequest{Offset: c.start, Limit: c.end - c.start}, func(total int64, list iter.Seq2[model.Upload, error]) error {
			if total != c.total {
				t.Errorf("[%d, %d): the total is %d, want %d", c.start, c.end, total, c.total)
			}
			for u, err := range list {
				must(t, err)
				got = append(got, u.ID)
			}
			return nil
		}))
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("[%d, %d) (-want +got):\n%s", c.start, c.end, diff)
		}
	}
}

func TestListedProblems(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	file := "E-Mail,Name\n" + strings.Repeat("nobody,x\n", model.ListedInvalidRows+5)
	imp := f.finishedImport(file, "")
	u, err := f.Upload(f.ctx, f.org, imp.UploadID)
	must(t, err)
	if len(u.Problems.InvalidRows) != model.ListedInvalidRows+5 || len(u.Problems.Errors) != 1000 {
		t.Errorf("%d rows and %d errors, want %d and 1000", len(u.Problems.InvalidRows), len(u.Problems.Errors), model.ListedInvalidRows+5)
	}
	must(t, f.Uploads(f.ctx, f.org, model.UploadFilter{}, model.PageRequest{Offset: 0, Limit: 1}, func(_ int64, list iter.Seq2[model.Upload, error]) error {
		for u, err := range list {
			must(t, err)
			if len(u.Problems.InvalidRows) != model.ListedInvalidRows || len(u.Problems.Errors) != model.ListedErrors {
				t.Errorf("listed: %d rows and %d errors, want %d and %d",
					len(u.Problems.InvalidRows), len(u.Problems.Errors), model.ListedInvalidRows, model.ListedErrors)
			}
		}
		return nil
	}))
}

// traceSummary returns the raw text of a trace, its value and its steps.
func traceSummary(t intray.Trace) (list []string) {
	show := func(text *string) string {
		if text == nil {
			return "null"
		}
		return *text
	}
	list = append(list, t.Field+" "+t.Raw+" "+show(t.Value))
	for _, s := range t.Steps {
		list = append(list, s.Step+" "+show(s.Text)+": "+strings.Join(intray.RenderAll(s.Reasons), "; "))
	}
	return list
}

func (f *fixture) trace(imp model.Import, row int64, key string) (all []string, err error) {
	err = f.TraceRow(f.ctx, f.reload(imp), row, key, func(_ intray.Field, t intray.Trace) error {
		if t.Row != row || t.Line != row+2 {
			f.Errorf("the trace of row %d is about row %d in line %d", row, t.Row, t.Line)
		}
		all = append(all, traceSummary(t)...)
		return nil
	})
	return all, err
}

func TestTrace(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, c := range []struct {
		settings, key string
		row           int64
		want          []string
	}{
		{"", "name", 0, []string{"name Ada Ada", "read Ada: ", "map Ada: the header matches the field", "parse Ada: read as string", "check Ada: no problems found", `output "Ada": `}},
		{"", "email", 1, []string{"email nobody null", "read nobody: ", "map nobody: the header matches the field", "parse null: cannot be read", "check null: error email: ", "output null: the row is dropped"}},
		{`{"invalidDataBehavior":"BLOCK_SUBMIT"}`, "email", 1, []string{"email nobody", "read", "map", "parse", "check", "output null: there is no result yet"}},
		{"", "", 1, []string{"email nobody", "read", "map", "parse", "check", "output", "name Bob", "read", "map", "parse", "check", "output"}},
	} {
		got, err := f.trace(f.finishedImport(badFile, c.settings), c.row, c.key)
		must(t, err)
		if len(got) != len(c.want) {
			t.Errorf("row %d, %q: %q", c.row, c.key, got)
			continue
		}
		for i, want := range c.want {
			if !strings.HasPrefix(got[i], want) {
				t.Errorf("row %d, %q: %q, want %q", c.row, c.key, got[i], want)
			}
		}
	}
}

func TestTraceErrors(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	done := f.finishedImport(badFile, "")
	for _, c := range []struct {
		name, key string
		row       int64
		field     string
	}{{"a row beyond the last", "email", 2, "row"}, {"a row far beyond", "", 1 << 62, "row"}, {"an unknown field", "nothing", 0, "field"}} {
		_, err := f.trace(done, c.row, c.key)
		f.wantError(err, model.NotFound, "not_found")
		var e *model.Error
		if !errors.As(err, &e) || len(e.Fields[c.field]) != 1 {
			t.Errorf("%s: %+v", c.name, e)
		}
	}
	for _, imp := range []model.Import{f.newImport(""), f.finishedImport("", ""), f.finishedImport("A,B\n1,2\n", ""), f.pendingImport(badFile, "")} {
		_, err := f.trace(imp, 0, "")
		f.wantError(err, model.Conflict, "no_rows")
		if err != nil && !strings.Contains(err.Error(), string(f.reload(imp).Status)) {
			t.Errorf("the error does not contain the status %s: %v", f.reload(imp).Status, err)
		}
	}
	must(t, f.DeleteUpload(f.ctx, f.org, done.UploadID))
	_, err := f.trace(done, 0, "")
	f.wantError(err, model.NotFound, "not_found")
}

func TestTraceOfManyToOneField(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.importFile(f.org, tags, "", "E-Mail,Tag,tag\na@example.org,A,B\n")
	must(t, f.TraceRow(f.ctx, f.wantStatus(imp, model.Successful), 0, "tags", func(field intray.Field, cell intray.Trace) error {
		if diff := cmp.Diff([]intray.TracedColumn{{Index: 1, Header: "Tag"}, {Index: 2, Header: "tag"}}, cell.Columns); diff != "" || !field.ManyToOne {
			t.Error(diff)
		}
		if last := cell.Steps[len(cell.Steps)-1]; cell.Raw != `["A","B"]` || last.Text == nil || *last.Text != `["A","B"]` {
			t.Errorf("raw %s, last %+v", cell.Raw, last)
		}
		return nil
	}))
}

// An error from the callback or from a blob ends the trace.
func TestTraceStops(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp, calls := f.finishedImport(badFile, ""), 0
	err := f.TraceRow(f.ctx, imp, 0, "", func(intray.Field, intray.Trace) error { calls++; return errDisconnected })
	if !errors.Is(err, errDisconnected) || calls != 1 {
		t.Errorf("error %v after %d calls", err, calls)
	}
	f.Blobs.OnUse(func(context.Context, string, string) error { return errDisconnected })
	if _, err := f.trace(imp, 0, ""); !errors.Is(err, errDisconnected) {
		t.Errorf("with failing blobs: error %v", err)
	}
}
