package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/server/model"
)

func anImport(n int, org string, status model.Status) model.Import {
	return model.Import{
		ID: id("import", n), Org: org, SchemaID: "schema", UploadID: id("upload", n),
		Status: status, Filename: "Ünïcode.csv", HasUser: true, LinkID: "link", Confirm: true,
		User:    model.User{ID: "7", Name: "Ada", Email: "a@example.org", CompanyID: "c", CompanyName: "Co"},
		Schema:  model.Document{Fields: json.RawMessage(`[1]`), Settings: json.RawMessage(`{}`), Hooks: json.RawMessage(`{"a":1}`)},
		Created: startPlus(n), Modified: startPlus(n), Queued: startPlus(n),
	}
}

func anOutcome() *model.Outcome {
	row, value := int64(1)<<40, "\x00<"
	return &model.Outcome{
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

// aRecollection returns the learned mappings of an import.
func aRecollection() *intray.LearnedMappings {
	return &intray.LearnedMappings{
		Columns: []intray.LearnedColumn{{Field: "f", Header: "ü\x00", On: startPlus(3)}},
		Values:  []intray.LearnedValue{{Field: "f", Text: "t", Value: "", On: startPlus(4)}},
	}
}

func (f *fixture) insertImports(all ...model.Import) {
	f.Helper()
	f.mustUpdate(func(tx model.Tx) error {
		for _, i := range all {
			if err := tx.Imports.Insert(f.ctx, i); err != nil {
				return err
			}
		}
		return nil
	})
}

func (f *fixture) getImport(org, id string) model.Import {
	f.Helper()
	return read(f, func(tx model.Tx) (model.Import, error) { return tx.Imports.Get(f.ctx, org, id) })
}

func testImports(f *fixture) {
	bare := model.Import{ID: "bare", Org: "org-a", Status: model.AwaitingUpload}
	full := anImport(1, "org-a", model.Running)
	full.Run, full.Lost, full.Node, full.Inline, full.Stage = 3, 2, "node", true, "stage/1"
	full.Raw = model.File{Key: "raw/1", Size: 1 << 41, SHA256: "aa"}
	full.Result = model.File{Key: "result/1", Size: 5, SHA256: "bb"}
	full.Outcome, full.Memory, full.Answers = anOutcome(), aRecollection(), intray.Answers{"value:c:\x00": ""}
	f.insertImports(bare, full)
	f.wantEqual(f.getImport("org-a", "bare"), bare)
	f.wantEqual(f.getImport("org-a", full.ID), full)
	f.wantRefused(model.Conflict, func(tx model.Tx) error {
		return tx.Imports.Insert(f.ctx, model.Import{ID: "bare", Org: "org-b"})
	})

	f.mustUpdate(func(tx model.Tx) error { return tx.Imports.Delete(f.ctx, "org-a", "bare") })
	f.wantNotFound(func(tx model.Tx) error { _, err := tx.Imports.Get(f.ctx, "org-a", "bare"); return err })
	f.wantRefused(model.NotFound, func(tx model.Tx) error { return tx.Imports.Delete(f.ctx, "org-a", "bare") })
}

func testImportsListed(f *fixture) {
	var own []string
	for n := range 7 {
		imp := anImport(n, "org-a", model.Successful)
		// The imports form pairs with the same creation time. In each pair, the import with the
		// greater id counts as newer.
		imp.Created = startPlus(n / 2)
		imp.Outcome, imp.Memory = anOutcome(), aRecollection()
		f.insertImports(imp, anImport(n+100, "org-b", model.Pending))
		own = append([]string{imp.ID}, own...)
	}
	for _, c := range []struct {
		offset, limit int64
		want          []string
	}{
		{0, 3, own[:3]}, {3, 3, own[3:6]}, {6, 3, own[6:]}, {7, 3, nil}, {0, 0, nil}, {0, 1 << 40, own},
	} {
		var list []model.Import
		var total int64
		f.mustView(func(tx model.Tx) (err error) {
			list, total, err = split(tx.Imports.List(f.ctx, "org-a", model.PageRequest{Offset: c.offset, Limit: c.limit}))
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
	want.Schema, want.Outcome, want.Memory = model.Document{}, nil, nil
	f.mustView(func(tx model.Tx) error {
		list, _, err := split(tx.Imports.List(f.ctx, "org-a", model.PageRequest{Limit: 1}))
		f.wantEqual(list, []model.Import{want})
		return err
	})
}

// testEmbedded checks that embedded imports are not listed, and that those that must not remain are found
// once their page was not seen for a while.
func testEmbedded(f *fixture) {
	var all []model.Import
	for n, mode := range []model.SyncMode{"", model.SyncFull, model.SyncMappings, model.SyncDisabled, model.SyncDisabled} {
		imp := anImport(n, "org-a", model.NeedsReview)
		imp.Sync, imp.Seen = mode, startPlus(n)
		imp.PageHooks = model.PageHooks{Rows: n%2 == 0, Steps: true}
		imp.SessionID = id("session", n)
		all = append(all, imp)
	}
	f.insertImports(all...)
	for _, imp := range all {
		f.wantEqual(f.getImport("org-a", imp.ID), imp)
	}
	f.mustView(func(tx model.Tx) error {
		list, total, err := split(tx.Imports.List(f.ctx, "org-a", model.PageRequest{Limit: 9}))
		f.wantEqual(total, int64(1))
		f.wantEqual(list[0].ID, all[0].ID)
		return err
	})
	unseen := func(before, limit int) (ids []string) {
		for _, ref := range read(f, func(tx model.Tx) ([]model.ImportRef, error) {
			return tx.Embedded.Unseen(f.ctx, startPlus(before), limit)
		}) {
			f.wantEqual(ref.Org, "org-a")
			ids = append(ids, ref.ID)
		}
		return ids
	}
	f.wantEqual(unseen(2, 9), []string(nil))
	f.wantEqual(unseen(9, 2), []string{all[2].ID, all[3].ID})
	f.mustUpdate(func(tx model.Tx) error { return tx.Embedded.Touch(f.ctx, "org-a", all[2].ID, startPlus(20)) })
	f.wantEqual(unseen(9, 9), []string{all[3].ID, all[4].ID})
	f.wantRefused(model.NotFound, func(tx model.Tx) error { return tx.Embedded.Touch(f.ctx, "org-b", all[2].ID, startPlus(20)) })
	// Of the imports that wait for their file, only those of pages are abandoned.
	var waiting []model.Import
	for n, change := range []func(*model.Import){
		func(*model.Import) {}, func(i *model.Import) { i.LinkID = id("link", 1) }, func(i *model.Import) { i.Sync = model.SyncFull }, func(i *model.Import) { i.Sync = model.SyncDisabled },
		func(i *model.Import) { i.LinkID, i.Status = id("link", 1), model.Pending },
	} {
		imp := anImport(10+n, "org-a", model.AwaitingUpload)
		imp.LinkID = ""
		change(&imp)
		waiting = append(waiting, imp)
	}
	f.insertImports(waiting...)
	abandoned := func(before time.Time) (ids []string) {
		for _, ref := range read(f, func(tx model.Tx) ([]model.ImportRef, error) { return tx.Embedded.Abandoned(f.ctx, before, 9) }) {
			ids = append(ids, ref.ID)
		}
		return ids
	}
	f.wantEqual(abandoned(waiting[2].Created), []string{waiting[1].ID})
	f.wantEqual(abandoned(startPlus(99)), []string{waiting[1].ID, waiting[2].ID})
	f.mustUpdate(func(tx model.Tx) error { return tx.Embedded.Release(f.ctx, "org-b", all[1].ID) })
	f.wantEqual(f.getImport("org-a", all[1].ID), all[1])
	f.mustUpdate(func(tx model.Tx) error { return tx.Embedded.Release(f.ctx, "org-a", all[1].ID) })
	f.wantEqual(f.getImport("org-a", all[1].ID).IsReleased(), true)
	f.wantEqual(unseen(9, 1), []string{all[1].ID})
	// A change of the import does not set the time back.
	changed := all[2]
	changed.Status = model.Successful
	f.mustUpdate(func(tx model.Tx) error { return tx.Imports.UpdateIf(f.ctx, changed, model.NeedsReview, changed.Run) })
	f.wantEqual(f.getImport("org-a", changed.ID).Seen, startPlus(20))
}

func testImportsMoved(f *fixture) {
	before := anImport(1, "org-a", model.Running)
	before.Run = 4
	f.insertImports(before)

	want := before
	want.Status, want.Run, want.Lost, want.Node, want.Filename, want.HasUser, want.Confirm = model.Successful, 5, 1, "n", "new", false, false
	want.Raw, want.Result = model.File{Key: "k", Size: 1, SHA256: "s"}, model.File{Key: "l", Size: 2, SHA256: "t"}
	want.Stage, want.Outcome, want.Modified, want.Queued = "stage", anOutcome(), startPlus(70), startPlus(71)
	want.Memory, want.Answers, want.User = aRecollection(), intray.Answers{"sheet": "A"}, model.User{ID: "8", Name: "Bo"}
	asked := want
	asked.SchemaID, asked.UploadID, asked.Inline, asked.Created = "x", "x", true, startPlus(99)
	asked.Schema, asked.Review = model.Document{}, model.ReviewLink{Version: 9, Expires: startPlus(9), Licence: "l-9"}

	move := func(imp model.Import, from model.Status, run int) func(model.Tx) error {
		return func(tx model.Tx) error { return tx.Imports.UpdateIf(f.ctx, imp, from, run) }
	}
	foreign := asked
	foreign.Org = "org-b"
	f.wantRefused(model.Conflict, move(asked, model.Running, 3))
	f.wantRefused(model.Conflict, move(asked, model.Pending, 4))
	f.wantRefused(model.Conflict, move(foreign, model.Running, 4))
	f.wantEqual(f.getImport("org-a", before.ID), before)
	f.mustUpdate(move(asked, model.Running, 4))
	f.wantEqual(f.getImport("org-a", before.ID), want)
	f.wantRefused(model.Conflict, move(asked, model.Running, 4))

	want.Review = model.ReviewLink{Version: 2, Expires: startPlus(72), Licence: "l-1"}
	link := func(org string) func(model.Tx) error {
		return func(tx model.Tx) error { return tx.Imports.SetReviewLink(f.ctx, org, before.ID, want.Review) }
	}
	f.wantRefused(model.NotFound, link("org-b"))
	f.mustUpdate(link("org-a"))
	f.wantEqual(f.getImport("org-a", before.ID), want)
}

func testImportsInStatus(f *fixture) {
	for n := range 4 {
		imp := anImport(n, []string{"org-a", "org-b"}[n%2], model.Running)
		imp.Node = []string{"n1", "n2"}[n/2]
		imp.Created = startPlus(10 - n)
		f.insertImports(imp, anImport(n+10, "org-a", model.Pending))
	}
	ref := func(n int) model.ImportRef {
		return model.ImportRef{Org: []string{"org-a", "org-b"}[n%2], ID: id("import", n)}
	}
	for _, c := range []struct {
		node  string
		limit int
		want  []model.ImportRef
	}{
		{"", 10, []model.ImportRef{ref(3), ref(2), ref(1), ref(0)}},
		{"", 1, []model.ImportRef{ref(3)}},
		{"n1", 10, []model.ImportRef{ref(1), ref(0)}},
		{"n3", 10, nil},
	} {
		f.wantEqual(read(f, func(tx model.Tx) ([]model.ImportRef, error) {
			return tx.Imports.InStatus(f.ctx, model.Running, c.node, c.limit)
		}), c.want)
	}
}

func testImportsAfter(f *fixture) {
	all := []model.ImportRef{}
	for n := range 4 {
		imp := anImport(n, []string{"org-a", "org-b"}[n%2], model.Pending)
		f.insertImports(imp)
		all = append(all, model.ImportRef{Org: imp.Org, ID: imp.ID})
	}
	slices.SortFunc(all, func(a, b model.ImportRef) int { return strings.Compare(a.ID, b.ID) })
	after := func(id string, limit int, want []model.ImportRef) {
		f.Helper()
		f.wantEqual(read(f, func(tx model.Tx) ([]model.ImportRef, error) { return tx.Imports.After(f.ctx, id, limit) }), want)
	}
	after("", 10, all)
	after("!", 3, all[:3])
	after(all[1].ID, 10, all[2:])
	after(all[1].ID+"0", 1, all[2:3])
	after(all[3].ID, 10, nil)
}

func (f *fixture) claimImport(perOrg int) (model.Import, error) {
	return f.claimOn("node", model.RunLimits{PerOrg: perOrg, PerOrgAndNode: perOrg})
}

func (f *fixture) claimOn(node string, limits model.RunLimits) (imp model.Import, err error) {
	err = f.store.Update(f.ctx, func(tx model.Tx) (err error) {
		imp, err = tx.Imports.Claim(f.ctx, node, limits, startPlus(60))
		return err
	})
	return imp, err
}

// wantClaims claims imports on a node until there is none, and checks their ids.
func (f *fixture) wantClaims(node string, limits model.RunLimits, want ...model.Import) {
	f.Helper()
	for _, imp := range want {
		got, err := f.claimOn(node, limits)
		if err != nil || got.ID != imp.ID || got.Node != node {
			f.Fatalf("Claim on %s: %q, %v; want %q", node, got.ID, err, imp.ID)
		}
	}
	if got, err := f.claimOn(node, limits); !model.IsKind(err, model.NotFound) {
		f.Fatalf("Claim on %s: %q, %v; want NotFound", node, got.ID, err)
	}
}

// testClaimLeavesRoom checks that the imports of one organization do not occupy a whole node, and
// that their limit on each node is independent of the limit on all nodes.
func testClaimLeavesRoom(f *fixture) {
	limits := model.RunLimits{PerOrg: 3, PerOrgAndNode: 2}
	var a []model.Import
	for i := range 6 {
		a = append(a, anImport(i, "org-a", model.Pending))
	}
	f.insertImports(a...)
	f.wantClaims("n1", limits, a[:2]...)
	b := anImport(10, "org-b", model.Pending)
	f.insertImports(b)
	f.wantClaims("n1", limits, b)
	f.wantClaims("n2", limits, a[2]) // the third one on all nodes
	f.wantClaims("n3", limits)
	f.finish(f.getImport("org-a", a[2].ID))
	f.wantClaims("n1", limits) // there are already two on this node
	f.wantClaims("n3", limits, a[3])
	f.finish(f.getImport("org-a", a[0].ID))
	f.wantClaims("n1", limits, a[4])
}

// testClaimOnlyOrg checks that only the limit on all nodes applies as long as there is only one
// organization.
func testClaimOnlyOrg(f *fixture) {
	limits := model.RunLimits{PerOrg: 3, PerOrgAndNode: 1}
	addOrg := func(id string) {
		f.Helper()
		f.mustUpdate(func(tx model.Tx) error {
			return tx.Accounts.InsertOrg(f.ctx, model.Org{ID: id, Name: id, Created: start})
		})
	}
	addOrg("org-a")
	var a []model.Import
	for i := range 5 {
		a = append(a, anImport(i, "org-a", model.Pending))
	}
	f.insertImports(a...)
	f.wantClaims("n1", limits, a[:3]...)
	addOrg("org-b")
	f.finish(f.getImport("org-a", a[0].ID))
	f.wantClaims("n1", limits)
	f.wantClaims("n2", limits, a[3])
}

func testClaim(f *fixture) {
	none := func() {
		f.Helper()
		if _, err := f.claimImport(2); !model.IsKind(err, model.NotFound) {
			f.Errorf("Claim: %v, want NotFound", err)
		}
	}
	wantDue := func(minutes int, want bool) {
		f.Helper()
		got, err := model.Get(f.ctx, f.store, func(tx model.Tx) (bool, error) { return tx.Imports.IsDue(f.ctx, startPlus(minutes)) })
		if err != nil || got != want {
			f.Errorf("IsDue after %d min: %t, %v; want %t", minutes, got, err, want)
		}
	}
	none()
	wantDue(60, false)
	imp := anImport(1, "org-a", model.Pending)
	imp.Run, imp.Outcome = 2, anOutcome()
	later := anImport(2, "org-a", model.Pending)
	later.Created, later.Queued = startPlus(0), startPlus(9)
	f.insertImports(later, imp, anImport(3, "org-a", model.AwaitingUpload), anImport(4, "org-b", model.NeedsReview))
	wantDue(0, false)
	wantDue(1, true)

	got, err := f.claimImport(1)
	if err != nil {
		f.Fatalf("Claim: %v", err)
	}
	want := imp
	want.Status, want.Run, want.Node = model.Running, 3, "node"
	got.Modified = want.Modified
	f.wantEqual(got, want)
	stored := f.getImport("org-a", imp.ID)
	stored.Modified = want.Modified
	f.wantEqual(stored, want)

	if _, err := f.claimImport(1); !model.IsKind(err, model.NotFound) {
		f.Errorf("a second import of one organization: %v, want NotFound", err)
	}
	if got, err := f.claimImport(2); err != nil || got.ID != later.ID {
		f.Errorf("Claim gave %q and %v, want %q", got.ID, err, later.ID)
	}
	none()
	wantDue(60, false)
}

// testClaimAlone checks that an import that runs alone and other imports never run on the same
// node at the same time.
func testClaimAlone(f *fixture) {
	claim := func(node, want string) model.Import {
		f.Helper()
		got, err := f.claimOn(node, model.RunLimits{PerOrg: 9, PerOrgAndNode: 9})
		switch {
		case want == "" && !model.IsKind(err, model.NotFound):
			f.Fatalf("Claim on %s: %q, %v; want NotFound", node, got.ID, err)
		case want != "" && (err != nil || got.ID != want):
			f.Fatalf("Claim on %s: %q, %v; want %q", node, got.ID, err, want)
		}
		return got
	}
	var list []model.Import
	for i := range 4 {
		imp := anImport(i, "org-a", model.Pending)
		imp.Alone, imp.Queued = i == 1, startPlus(i)
		list = append(list, imp)
	}
	f.insertImports(list...)
	first := claim("n1", list[0].ID)
	claim("n1", "") // the next import would not be alone
	alone := claim("n2", list[1].ID)
	f.wantEqual(alone.Alone, true)
	claim("n2", "")
	claim("n1", list[2].ID)
	f.finish(alone)
	claim("n2", list[3].ID)
	f.finish(first)
}

// queueMany queues 30 imports of one organization, and after them 4 imports of each
// of three other organizations.
func (f *fixture) queueMany() (orgs []string) {
	f.Helper()
	n := 0
	for o, imports := range []int{30, 4, 4, 4} {
		org := model.Org{ID: fmt.Sprint("o", o), Name: fmt.Sprint("o", o), Created: startPlus(o)}
		f.mustUpdate(func(tx model.Tx) error { return tx.Accounts.InsertOrg(f.ctx, org) })
		for range imports {
			f.insertImports(anImport(n, org.ID, model.Pending))
			n++
		}
		orgs = append(orgs, org.ID)
	}
	return orgs
}

func (f *fixture) finish(imp model.Import) {
	f.Helper()
	done := imp
	done.Status, done.Node = model.Successful, ""
	f.mustUpdate(func(tx model.Tx) error { return tx.Imports.UpdateIf(f.ctx, done, model.Running, imp.Run) })
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
			if model.IsKind(err, model.NotFound) {
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
			done.Status = model.Successful
			if err := f.store.Update(f.ctx, func(tx model.Tx) error {
				return tx.Imports.UpdateIf(f.ctx, done, model.Running, imp.Run)
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
	// Workers that found nothing to claim while all organizations were busy have ended.
	work()
	f.wantEqual(len(seen), 42)
}

// claimWatched claims an import and checks, in the same transaction, that at most perOrg imports
// of its organization are running.
func (f *fixture) claimWatched(perOrg int) (model.Import, error) {
	var imp model.Import
	err := f.store.Update(f.ctx, func(tx model.Tx) (err error) {
		if imp, err = tx.Imports.Claim(f.ctx, "node", model.RunLimits{PerOrg: perOrg, PerOrgAndNode: perOrg}, startPlus(60)); err != nil {
			return err
		}
		all, err := tx.Imports.InStatus(f.ctx, model.Running, "", 1000)
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

func anUpload(n int, org string, status model.UploadStatus) model.Upload {
	return model.Upload{
		ID: id("upload", n), Org: org, ImportID: id("import", n), ImportIdentifier: "contacts",
		Filename: "a.csv", User: model.User{Name: "Ada"}, Status: status, Created: startPlus(n),
	}
}

func anAccount(rows, errs int) model.ProblemSummary {
	var a model.ProblemSummary
	for n := range rows {
		a.InvalidRows = append(a.InvalidRows, int64(n))
	}
	for n := range errs {
		row := int64(n)
		a.Errors = append(a.Errors, intray.Notice{Type: intray.Validation, Row: &row, Text: intray.Literal("wrong")})
	}
	return a
}

func (f *fixture) insertUploads(all ...model.Upload) {
	f.Helper()
	f.mustUpdate(func(tx model.Tx) error {
		for _, u := range all {
			if err := tx.Uploads.Insert(f.ctx, u); err != nil {
				return err
			}
		}
		return nil
	})
}

func (f *fixture) upload(org, id string) func(model.Tx) (model.Upload, error) {
	return func(tx model.Tx) (model.Upload, error) { return tx.Uploads.Get(f.ctx, org, id) }
}

func testUploads(f *fixture) {
	bare := model.Upload{ID: "bare", Org: "org-a", Status: model.UploadPending}
	before := anUpload(1, "org-a", model.UploadProcessing)
	f.insertUploads(bare, before)
	f.wantEqual(read(f, f.upload("org-a", "bare")), bare)
	f.wantEqual(read(f, f.upload("org-a", before.ID)), before)
	f.wantRefused(model.Conflict, func(tx model.Tx) error { return tx.Uploads.Insert(f.ctx, bare) })

	want := before
	want.Filename, want.Status, want.TotalRows = "b.csv", model.UploadProcessed, 1<<33
	want.Raw, want.Result = model.File{Key: "k", Size: 1 << 34, SHA256: "s"}, model.File{Key: "l", Size: 2, SHA256: "t"}
	want.FieldOrder, want.Problems, want.User = []string{"b", "a"}, anAccount(3, 2), model.User{ID: "8", Name: "Bo"}
	asked := want
	asked.ImportID, asked.ImportIdentifier, asked.Created = "x", "x", startPlus(99)
	f.mustUpdate(func(tx model.Tx) error { return tx.Uploads.Save(f.ctx, asked) })
	f.wantEqual(read(f, f.upload("org-a", before.ID)), want)

	f.mustUpdate(func(tx model.Tx) error { return tx.Uploads.Delete(f.ctx, "org-a", before.ID) })
	f.wantNotFound(func(tx model.Tx) error { _, err := f.upload("org-a", before.ID)(tx); return err })
}

// processed returns the ids of the Processed uploads at positions [start, end).
func (f *fixture) processed(filter model.UploadFilter, start, end int64) (ids []string) {
	f.Helper()
	f.mustView(func(tx model.Tx) error {
		for u, err := range tx.Uploads.Processed(f.ctx, "org-a", filter, model.PageRequest{Offset: start, Limit: end - start}) {
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
		u := anUpload(n, "org-a", model.UploadProcessed)
		u.Created = startPlus(n / 2)
		f.insertUploads(u, anUpload(n+100, "org-b", model.UploadProcessed), anUpload(n+200, "org-a", model.UploadFailed))
		all = append([]string{u.ID}, all...)
	}
	from, to := model.UploadFilter{From: startPlus(1)}, model.UploadFilter{To: startPlus(1)}
	for _, c := range []struct {
		name       string
		filter     model.UploadFilter
		start, end int64
		want       []string
		count      int64
	}{
		{"all", model.UploadFilter{}, 0, 100, all, 6},
		{"window", model.UploadFilter{}, 1, 4, all[1:4], 6},
		{"empty window", model.UploadFilter{}, 2, 2, nil, 6},
		{"past the end", model.UploadFilter{}, 6, 9, nil, 6},
		{"from", from, 0, 100, all[:4], 4},
		{"to", to, 0, 100, all[2:], 4},
		{"both", model.UploadFilter{From: startPlus(1), To: startPlus(1)}, 0, 100, all[2:4], 2},
		{"window of a filter", to, 1, 3, all[3:5], 4},
		{"a moment too late", model.UploadFilter{From: startPlus(2).Add(time.Microsecond)}, 0, 100, nil, 0},
	} {
		f.wantEqual(append([]string{c.name}, f.processed(c.filter, c.start, c.end)...), append([]string{c.name}, c.want...))
		f.wantEqual(read(f, func(tx model.Tx) (int64, error) { return tx.Uploads.Count(f.ctx, "org-a", c.filter) }), c.count)
	}
}

// testUploadsCount checks the number of uploads in periods that begin and end within days.
func testUploadsCount(f *fixture) {
	const minutesOfDay = 24 * 60
	step := 7 * 60 // start is at 05:06
	var created []time.Time
	for n := range 16 {
		u := anUpload(n, "org-a", model.UploadProcessed)
		u.Created = startPlus(n * step)
		created = append(created, u.Created)
		f.insertUploads(u, anUpload(n+100, "org-b", model.UploadProcessed))
	}
	midnight := start.Truncate(24 * time.Hour)
	bounds := append([]time.Time{midnight, midnight.Add(minutesOfDay * time.Minute), midnight.Add(2*minutesOfDay*time.Minute - time.Microsecond), midnight.Add(-time.Hour), midnight.Add(30 * minutesOfDay * time.Minute)}, created...)
	for _, from := range bounds {
		for _, to := range bounds {
			want := int64(0)
			for _, at := range created {
				if !at.Before(from) && !at.After(to) {
					want++
				}
			}
			filter := model.UploadFilter{From: from, To: to}
			f.wantEqual(read(f, func(tx model.Tx) (int64, error) { return tx.Uploads.Count(f.ctx, "org-a", filter) }), want)
		}
	}
	gone, failed := anUpload(3, "org-a", model.UploadProcessed), anUpload(4, "org-a", model.UploadFailed)
	f.mustUpdate(func(tx model.Tx) error {
		return firstError(tx.Uploads.Delete(f.ctx, "org-a", gone.ID), tx.Uploads.Save(f.ctx, failed))
	})
	f.wantEqual(read(f, func(tx model.Tx) (int64, error) { return tx.Uploads.Count(f.ctx, "org-a", model.UploadFilter{}) }), int64(14))
}

func testUploadsUnfinished(f *fixture) {
	unfinished := func(n int, org string, status model.UploadStatus) model.Upload {
		u := anUpload(n, org, status)
		u.Created, u.Raw = startPlus(n), model.File{Key: "k", Size: int64(1) << (32 + n)}
		return u
	}
	none := unfinished(4, "org-a", model.UploadPending)
	none.Raw.Key = ""
	f.insertUploads(unfinished(0, "org-a", model.UploadPending), unfinished(1, "org-a", model.UploadPending), unfinished(2, "org-a", model.UploadPending),
		unfinished(3, "org-a", model.UploadProcessing), none, unfinished(5, "org-b", model.UploadPending))
	for minute, want := range []int64{6 << 32, 4 << 32, 0} {
		f.wantEqual(read(f, func(tx model.Tx) (int64, error) { return tx.Uploads.Unfinished(f.ctx, "org-a", startPlus(minute)) }), want)
	}
}

func testUploadsStreamed(f *fixture) {
	want := anUpload(1, "org-a", model.UploadProcessed)
	want.Problems = anAccount(model.ListedInvalidRows+5, model.ListedErrors+5)
	f.insertUploads(want, anUpload(0, "org-a", model.UploadProcessed))
	want.Problems = want.Problems.Listed()
	f.mustView(func(tx model.Tx) error {
		for u, err := range tx.Uploads.Processed(f.ctx, "org-a", model.UploadFilter{}, model.PageRequest{Limit: 9}) {
			f.wantEqual(u, want)
			f.wantEqual(err, nil)
			break
		}
		// After the iteration stops early, the transaction can still be used.
		_, err := tx.Uploads.Count(f.ctx, "org-a", model.UploadFilter{})
		return err
	})

	stop := errors.New("stop")
	err := f.store.View(f.ctx, func(tx model.Tx) error {
		for range tx.Uploads.Processed(f.ctx, "org-a", model.UploadFilter{}, model.PageRequest{Limit: 9}) {
			return stop
		}
		return nil
	})
	if !errors.Is(err, stop) {
		f.Errorf("View: %v, want the error of its work", err)
	}
}
