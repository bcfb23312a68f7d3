package storetest

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
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

func testImportsSelected(f *fixture) {
	var all []model.ImportRef
	for n, status := range []model.Status{model.Pending, model.Failed, model.Pending, model.Running} {
		imp := anImport(n, []string{"org-a", "org-b"}[n%2], status)
		imp.Created = startPlus(n)
		f.insertImports(imp)
		all = append([]model.ImportRef{{Org: imp.Org, ID: imp.ID}}, all...)
	}
	for name, c := range map[string]struct {
		filter model.ImportFilter
		limit  int
		want   []model.ImportRef
	}{
		"all":          {model.ImportFilter{}, 9, all},
		"limit":        {model.ImportFilter{}, 2, all[:2]},
		"id":           {model.ImportFilter{ID: all[1].ID}, 9, all[1:2]},
		"unknown id":   {model.ImportFilter{ID: "none"}, 9, nil},
		"status":       {model.ImportFilter{Status: model.Running}, 9, all[:1]},
		"organization": {model.ImportFilter{Org: "org-b"}, 9, []model.ImportRef{all[0], all[2]}},
		"age":          {model.ImportFilter{Before: startPlus(2)}, 9, all[2:]},
		"together":     {model.ImportFilter{Org: "org-a", Status: model.Pending, Before: startPlus(2)}, 9, all[3:]},
	} {
		got := read(f, func(tx model.Tx) ([]model.ImportRef, error) { return tx.Imports.Select(f.ctx, c.filter, c.limit) })
		if diff := cmp.Diff(c.want, got); diff != "" {
			f.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func testDeliveriesOfImport(f *fixture) {
	first, other, second := aDelivery(2, "b", "i"), aDelivery(1, "a", "j"), aDelivery(3, "a", "i")
	f.mustUpdate(func(tx model.Tx) error {
		return firstError(tx.Deliveries.Insert(f.ctx, second), tx.Deliveries.Insert(f.ctx, other))
	})
	list := func() []model.Delivery {
		return read(f, func(tx model.Tx) ([]model.Delivery, error) { return tx.Outbox.OfImport(f.ctx, "i") })
	}
	second.Body = nil
	f.wantEqual(list(), []model.Delivery{second})
	first.Created = startPlus(9)
	f.mustUpdate(func(tx model.Tx) error { return tx.Deliveries.Insert(f.ctx, first) })
	first.Body = nil
	f.wantEqual(list(), []model.Delivery{second, first})
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
