package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/server/service"
)

func anImport(n int, org string, status service.Status) service.Import {
	return service.Import{
		ID: id("import", n), Org: org, SchemaID: "schema", UploadID: id("upload", n),
		Status: status, Filename: "Ünïcode.csv", HasUser: true,
		User:    service.User{ID: "7", Name: "Ada", Email: "a@example.org", CompanyID: "c", CompanyName: "Co"},
		Schema:  service.Document{Fields: json.RawMessage(`[1]`), Settings: json.RawMessage(`{}`), Hooks: json.RawMessage(`{"a":1}`)},
		Created: startPlus(n), Modified: startPlus(n), Queued: startPlus(n),
	}
}

func anOutcome() *service.Outcome {
	row, value := int64(1)<<40, "\x00<"
	return &service.Outcome{
		Outcome: engine.Outcome{
			Headers:       []string{"a", "", "ü"},
			Mapping:       intray.Mapping{Fields: []intray.Match{{Column: -1, Score: 0.25, Reasons: []intray.Message{intray.Literal("r")}}}, Unmapped: []int{2}},
			Evidence:      []intray.Evidence{{Choice: "format", Value: "csv", Reason: intray.Literal("x")}},
			DataRows:      1 << 40,
			RowsWithError: []int64{row},
			Notices:       []intray.Notice{{Type: intray.Validation, Level: intray.LevelWarning, Text: intray.Literal("t"), Row: &row, Value: &value}},
		},
		OutputRows: 12, Finished: startPlus(50),
	}
}

// aRecollection is what an import was offered.
func aRecollection() *intray.LearnedMappings {
	return &intray.LearnedMappings{
		Columns: []intray.LearnedColumn{{Field: "f", Header: "ü\x00", On: startPlus(3)}},
		Values:  []intray.LearnedValue{{Field: "f", Text: "t", Value: "", On: startPlus(4)}},
	}
}

func (f *fixture) insertImports(all ...service.Import) {
	f.Helper()
	f.mustUpdate(func(tx service.Tx) error {
		for _, i := range all {
			if err := tx.Imports.Insert(f.ctx, i); err != nil {
				return err
			}
		}
		return nil
	})
}

func (f *fixture) getImport(org, id string) service.Import {
	f.Helper()
	return read(f, func(tx service.Tx) (service.Import, error) { return tx.Imports.Get(f.ctx, org, id) })
}

func testImports(f *fixture) {
	bare := service.Import{ID: "bare", Org: "org-a", Status: service.AwaitingUpload}
	full := anImport(1, "org-a", service.Running)
	full.Run, full.Lost, full.Node, full.Inline, full.Stage = 3, 2, "node", true, "stage/1"
	full.Raw = service.File{Key: "raw/1", Size: 1 << 41, SHA256: "aa"}
	full.Result = service.File{Key: "result/1", Size: 5, SHA256: "bb"}
	full.Outcome, full.Memory, full.Answers = anOutcome(), aRecollection(), intray.Answers{"value:c:\x00": ""}
	f.insertImports(bare, full)
	f.wantEqual(f.getImport("org-a", "bare"), bare)
	f.wantEqual(f.getImport("org-a", full.ID), full)
	f.wantRefused(service.Conflict, func(tx service.Tx) error {
		return tx.Imports.Insert(f.ctx, service.Import{ID: "bare", Org: "org-b"})
	})

	f.mustUpdate(func(tx service.Tx) error { return tx.Imports.Delete(f.ctx, "org-a", "bare") })
	f.wantNotFound(func(tx service.Tx) error { _, err := tx.Imports.Get(f.ctx, "org-a", "bare"); return err })
	f.wantRefused(service.NotFound, func(tx service.Tx) error { return tx.Imports.Delete(f.ctx, "org-a", "bare") })
}

func testImportsListed(f *fixture) {
	var own []string
	for n := range 7 {
		imp := anImport(n, "org-a", service.Successful)
		// Two share a moment: the later id counts as newer.
		imp.Created = startPlus(n / 2)
		imp.Outcome, imp.Memory = anOutcome(), aRecollection()
		f.insertImports(imp, anImport(n+100, "org-b", service.Pending))
		own = append([]string{imp.ID}, own...)
	}
	for _, c := range []struct {
		offset, limit int64
		want          []string
	}{
		{0, 3, own[:3]}, {3, 3, own[3:6]}, {6, 3, own[6:]}, {7, 3, nil}, {0, 0, nil}, {0, 1 << 40, own},
	} {
		var list []service.Import
		var total int64
		f.mustView(func(tx service.Tx) (err error) {
			list, total, err = tx.Imports.List(f.ctx, "org-a", c.offset, c.limit)
			return err
		})
		var got []string
		for _, imp := range list {
			got = append(got, imp.ID)
		}
		f.wantEqual(got, c.want)
		f.wantEqual(total, int64(7))
	}
	want := f.getImport("org-a", own[0])
	want.Schema, want.Outcome, want.Memory = service.Document{}, nil, nil
	f.mustView(func(tx service.Tx) error {
		list, _, err := tx.Imports.List(f.ctx, "org-a", 0, 1)
		f.wantEqual(list, []service.Import{want})
		return err
	})
}

func testImportsMoved(f *fixture) {
	before := anImport(1, "org-a", service.Running)
	before.Run = 4
	f.insertImports(before)

	want := before
	want.Status, want.Run, want.Lost, want.Node, want.Filename, want.HasUser = service.Successful, 5, 1, "n", "new", false
	want.Raw, want.Result = service.File{Key: "k", Size: 1, SHA256: "s"}, service.File{Key: "l", Size: 2, SHA256: "t"}
	want.Stage, want.Outcome, want.Modified, want.Queued = "stage", anOutcome(), startPlus(70), startPlus(71)
	want.Memory, want.Answers, want.User = aRecollection(), intray.Answers{"sheet": "A"}, service.User{ID: "8", Name: "Bo"}
	asked := want
	asked.SchemaID, asked.UploadID, asked.Inline, asked.Created = "x", "x", true, startPlus(99)
	asked.Schema = service.Document{}

	move := func(imp service.Import, from service.Status, run int) func(service.Tx) error {
		return func(tx service.Tx) error { return tx.Imports.UpdateIf(f.ctx, imp, from, run) }
	}
	foreign := asked
	foreign.Org = "org-b"
	f.wantRefused(service.Conflict, move(asked, service.Running, 3))
	f.wantRefused(service.Conflict, move(asked, service.Pending, 4))
	f.wantRefused(service.Conflict, move(foreign, service.Running, 4))
	f.wantEqual(f.getImport("org-a", before.ID), before)
	f.mustUpdate(move(asked, service.Running, 4))
	f.wantEqual(f.getImport("org-a", before.ID), want)
	f.wantRefused(service.Conflict, move(asked, service.Running, 4))
}

func testImportsInStatus(f *fixture) {
	for n := range 4 {
		imp := anImport(n, []string{"org-a", "org-b"}[n%2], service.Running)
		imp.Node = []string{"n1", "n2"}[n/2]
		imp.Created = startPlus(10 - n)
		f.insertImports(imp, anImport(n+10, "org-a", service.Pending))
	}
	ref := func(n int) service.ImportRef {
		return service.ImportRef{Org: []string{"org-a", "org-b"}[n%2], ID: id("import", n)}
	}
	for _, c := range []struct {
		node  string
		limit int
		want  []service.ImportRef
	}{
		{"", 10, []service.ImportRef{ref(3), ref(2), ref(1), ref(0)}},
		{"", 1, []service.ImportRef{ref(3)}},
		{"n1", 10, []service.ImportRef{ref(1), ref(0)}},
		{"n3", 10, nil},
	} {
		f.wantEqual(read(f, func(tx service.Tx) ([]service.ImportRef, error) {
			return tx.Imports.InStatus(f.ctx, service.Running, c.node, c.limit)
		}), c.want)
	}
}

func (f *fixture) claimImport(perOrg int) (service.Import, error) {
	var imp service.Import
	err := f.store.Update(f.ctx, func(tx service.Tx) (err error) {
		imp, err = tx.Imports.Claim(f.ctx, "node", perOrg, startPlus(60))
		return err
	})
	return imp, err
}

func testClaim(f *fixture) {
	none := func() {
		f.Helper()
		if _, err := f.claimImport(2); !service.IsKind(err, service.NotFound) {
			f.Errorf("Claim: %v, want NotFound", err)
		}
	}
	none()
	imp := anImport(1, "org-a", service.Pending)
	imp.Run, imp.Outcome = 2, anOutcome()
	later := anImport(2, "org-a", service.Pending)
	later.Created, later.Queued = startPlus(0), startPlus(9)
	f.insertImports(later, imp, anImport(3, "org-a", service.AwaitingUpload), anImport(4, "org-b", service.NeedsReview))

	got, err := f.claimImport(1)
	if err != nil {
		f.Fatalf("Claim: %v", err)
	}
	want := imp
	want.Status, want.Run, want.Node = service.Running, 3, "node"
	got.Modified = want.Modified
	f.wantEqual(got, want)
	stored := f.getImport("org-a", imp.ID)
	stored.Modified = want.Modified
	f.wantEqual(stored, want)

	if _, err := f.claimImport(1); !service.IsKind(err, service.NotFound) {
		f.Errorf("a second import of one organization: %v, want NotFound", err)
	}
	if got, err := f.claimImport(2); err != nil || got.ID != later.ID {
		f.Errorf("Claim gave %q and %v, want %q", got.ID, err, later.ID)
	}
	none()
}

// queueMany puts 30 imports of one organization before 4 each of three others.
func (f *fixture) queueMany() (orgs []string) {
	f.Helper()
	n := 0
	for o, imports := range []int{30, 4, 4, 4} {
		org := service.Org{ID: fmt.Sprint("o", o), Name: fmt.Sprint("o", o), Created: startPlus(o)}
		f.mustUpdate(func(tx service.Tx) error { return tx.Accounts.InsertOrg(f.ctx, org) })
		for range imports {
			f.insertImports(anImport(n, org.ID, service.Pending))
			n++
		}
		orgs = append(orgs, org.ID)
	}
	return orgs
}

func (f *fixture) finish(imp service.Import) {
	f.Helper()
	done := imp
	done.Status, done.Node = service.Successful, ""
	f.mustUpdate(func(tx service.Tx) error { return tx.Imports.UpdateIf(f.ctx, done, service.Running, imp.Run) })
}

func testClaimIsFair(f *fixture) {
	f.queueMany()
	var order []string
	for range 42 {
		imp, err := f.claimImport(2)
		if err != nil {
			f.Fatalf("Claim: %v", err)
		}
		order = append(order, imp.Org)
		f.finish(imp)
	}
	var want []string
	for range 4 {
		want = append(want, "o0", "o1", "o2", "o3")
	}
	for range 26 {
		want = append(want, "o0")
	}
	f.wantEqual(order, want)
}

func testClaimsAtOnce(f *fixture) {
	f.queueMany()
	var mu sync.Mutex
	seen := map[string]bool{}
	work := func() {
		for {
			imp, err := f.claimWatched(2)
			if service.IsKind(err, service.NotFound) {
				return
			}
			if err != nil {
				f.Errorf("Claim: %v", err)
				return
			}
			mu.Lock()
			if seen[imp.ID] {
				f.Errorf("%s was claimed twice", imp.ID)
			}
			seen[imp.ID] = true
			mu.Unlock()
			done := imp
			done.Status = service.Successful
			if err := f.store.Update(f.ctx, func(tx service.Tx) error {
				return tx.Imports.UpdateIf(f.ctx, done, service.Running, imp.Run)
			}); err != nil {
				f.Errorf("Move: %v", err)
			}
		}
	}
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(work)
	}
	wg.Wait()
	// Those who found nothing while all organizations were busy have left.
	work()
	f.wantEqual(len(seen), 42)
}

// claimWatched claims and checks, in the same transaction, how many imports of
// the organization run then.
func (f *fixture) claimWatched(perOrg int) (service.Import, error) {
	var imp service.Import
	err := f.store.Update(f.ctx, func(tx service.Tx) (err error) {
		if imp, err = tx.Imports.Claim(f.ctx, "node", perOrg, startPlus(60)); err != nil {
			return err
		}
		all, err := tx.Imports.InStatus(f.ctx, service.Running, "", 1000)
		running := 0
		for _, ref := range all {
			if ref.Org == imp.Org {
				running++
			}
		}
		if running > perOrg {
			f.Errorf("%d imports of %s run at once", running, imp.Org)
		}
		return err
	})
	return imp, err
}

func anUpload(n int, org string, status service.UploadStatus) service.Upload {
	return service.Upload{
		ID: id("upload", n), Org: org, ImportID: id("import", n), ImportIdentifier: "contacts",
		Filename: "a.csv", User: service.User{Name: "Ada"}, Status: status, Created: startPlus(n),
	}
}

func anAccount(rows, errs int) service.ProblemSummary {
	var a service.ProblemSummary
	for n := range rows {
		a.InvalidRows = append(a.InvalidRows, int64(n))
	}
	for n := range errs {
		row := int64(n)
		a.Errors = append(a.Errors, intray.Notice{Type: intray.Validation, Row: &row, Text: intray.Literal("wrong")})
	}
	return a
}

func (f *fixture) insertUploads(all ...service.Upload) {
	f.Helper()
	f.mustUpdate(func(tx service.Tx) error {
		for _, u := range all {
			if err := tx.Uploads.Insert(f.ctx, u); err != nil {
				return err
			}
		}
		return nil
	})
}

func (f *fixture) upload(org, id string) func(service.Tx) (service.Upload, error) {
	return func(tx service.Tx) (service.Upload, error) { return tx.Uploads.Get(f.ctx, org, id) }
}

func testUploads(f *fixture) {
	bare := service.Upload{ID: "bare", Org: "org-a", Status: service.UploadPending}
	before := anUpload(1, "org-a", service.UploadProcessing)
	f.insertUploads(bare, before)
	f.wantEqual(read(f, f.upload("org-a", "bare")), bare)
	f.wantEqual(read(f, f.upload("org-a", before.ID)), before)
	f.wantRefused(service.Conflict, func(tx service.Tx) error { return tx.Uploads.Insert(f.ctx, bare) })

	want := before
	want.Filename, want.Status, want.TotalRows = "b.csv", service.UploadProcessed, 1<<33
	want.Raw, want.Result = service.File{Key: "k", Size: 1 << 34, SHA256: "s"}, service.File{Key: "l", Size: 2, SHA256: "t"}
	want.FieldOrder, want.Problems, want.User = []string{"b", "a"}, anAccount(3, 2), service.User{ID: "8", Name: "Bo"}
	asked := want
	asked.ImportID, asked.ImportIdentifier, asked.Created = "x", "x", startPlus(99)
	f.mustUpdate(func(tx service.Tx) error { return tx.Uploads.Save(f.ctx, asked) })
	f.wantEqual(read(f, f.upload("org-a", before.ID)), want)

	f.mustUpdate(func(tx service.Tx) error { return tx.Uploads.Delete(f.ctx, "org-a", before.ID) })
	f.wantNotFound(func(tx service.Tx) error { _, err := f.upload("org-a", before.ID)(tx); return err })
}

// processed gives the ids of a window.
func (f *fixture) processed(filter service.UploadFilter, start, end int64) (ids []string) {
	f.Helper()
	f.mustView(func(tx service.Tx) error {
		for u, err := range tx.Uploads.Processed(f.ctx, "org-a", filter, start, end) {
			if err != nil {
				return err
			}
			ids = append(ids, u.ID)
		}
		return nil
	})
	return ids
}

func testUploadsProcessed(f *fixture) {
	var all []string
	for n := range 6 {
		u := anUpload(n, "org-a", service.UploadProcessed)
		u.Created = startPlus(n / 2)
		f.insertUploads(u, anUpload(n+100, "org-b", service.UploadProcessed), anUpload(n+200, "org-a", service.UploadFailed))
		all = append([]string{u.ID}, all...)
	}
	from, to := service.UploadFilter{From: startPlus(1)}, service.UploadFilter{To: startPlus(1)}
	for _, c := range []struct {
		name       string
		filter     service.UploadFilter
		start, end int64
		want       []string
		count      int64
	}{
		{"all", service.UploadFilter{}, 0, 100, all, 6},
		{"window", service.UploadFilter{}, 1, 4, all[1:4], 6},
		{"empty window", service.UploadFilter{}, 2, 2, nil, 6},
		{"past the end", service.UploadFilter{}, 6, 9, nil, 6},
		{"from", from, 0, 100, all[:4], 4},
		{"to", to, 0, 100, all[2:], 4},
		{"both", service.UploadFilter{From: startPlus(1), To: startPlus(1)}, 0, 100, all[2:4], 2},
		{"window of a filter", to, 1, 3, all[3:5], 4},
		{"a moment too late", service.UploadFilter{From: startPlus(2).Add(time.Microsecond)}, 0, 100, nil, 0},
	} {
		f.wantEqual(append([]string{c.name}, f.processed(c.filter, c.start, c.end)...), append([]string{c.name}, c.want...))
		f.wantEqual(read(f, func(tx service.Tx) (int64, error) { return tx.Uploads.Count(f.ctx, "org-a", c.filter) }), c.count)
	}
}

func testUploadsStreamed(f *fixture) {
	want := anUpload(1, "org-a", service.UploadProcessed)
	want.Problems = anAccount(service.ListedInvalidRows+5, service.ListedErrors+5)
	f.insertUploads(want, anUpload(0, "org-a", service.UploadProcessed))
	want.Problems = want.Problems.Listed()
	f.mustView(func(tx service.Tx) error {
		for u, err := range tx.Uploads.Processed(f.ctx, "org-a", service.UploadFilter{}, 0, 9) {
			f.wantEqual(u, want)
			f.wantEqual(err, nil)
			break
		}
		// Whoever stops early can go on with the transaction.
		_, err := tx.Uploads.Count(f.ctx, "org-a", service.UploadFilter{})
		return err
	})

	stop := errors.New("stop")
	err := f.store.View(f.ctx, func(tx service.Tx) error {
		for range tx.Uploads.Processed(f.ctx, "org-a", service.UploadFilter{}, 0, 9) {
			return stop
		}
		return nil
	})
	if !errors.Is(err, stop) {
		f.Errorf("View: %v, want the error of its work", err)
	}
}
