package storetest

import (
	"time"

	"github.com/intraydata/intray/server/service"
)

func testRetention(f *fixture) {
	all, own := service.Retention{Org: "org-a", Originals: 7}, service.Retention{Org: "org-a", SchemaID: "own", Results: 3, Problems: 2}
	f.mustUpdate(func(tx service.Tx) error {
		return firstError(tx.Retention.Replace(f.ctx, "org-a", []service.Retention{{Problems: 9}}), tx.Retention.Replace(f.ctx, "org-a", []service.Retention{own, all}),
			tx.Retention.Replace(f.ctx, "org-b", []service.Retention{{Originals: 1}}))
	})
	f.wantEqual(read(f, func(tx service.Tx) ([]service.Retention, error) { return tx.Retention.ListByOrg(f.ctx, "org-a") }), []service.Retention{all, own})
	f.wantEqual(len(read(f, func(tx service.Tx) ([]service.Retention, error) { return tx.Retention.ListAll(f.ctx) })), 3)

	usual, special, waits := anImport(1, "org-a", service.Successful), anImport(2, "org-a", service.Failed), anImport(3, "org-a", service.NeedsReview)
	for _, imp := range []*service.Import{&usual, &special, &waits} {
		imp.Raw.Key, imp.Result.Key, imp.Stage, imp.Modified = "raw", "result", "stage", startPlus(5)
	}
	special.SchemaID = "own"
	f.mustUpdate(func(tx service.Tx) error {
		return firstError(tx.Imports.Insert(f.ctx, usual), tx.Imports.Insert(f.ctx, special), tx.Imports.Insert(f.ctx, waits))
	})
	overdue := func(of service.Retention, part service.KeptPart, before int) []string {
		return read(f, func(tx service.Tx) ([]string, error) {
			return tx.Retention.Overdue(f.ctx, of, part, startPlus(before), 9)
		})
	}
	for _, part := range []service.KeptPart{service.Originals, service.Results, service.Problems} {
		f.wantEqual(overdue(all, part, 6), []string{usual.ID})
		f.wantEqual(overdue(own, part, 6), []string{special.ID})
		f.wantEqual(overdue(all, part, 5), []string(nil))
	}
	usual.Raw.Key = ""
	f.mustUpdate(func(tx service.Tx) error {
		return firstError(tx.Imports.UpdateIf(f.ctx, usual, usual.Status, usual.Run), tx.Retention.DropProblems(f.ctx, "org-a", usual.ID), tx.Retention.DropEdits(f.ctx, usual.ID))
	})
	f.wantEqual([][]string{overdue(all, service.Originals, 9), overdue(all, service.Problems, 9), overdue(all, service.Results, 9)}, [][]string{nil, nil, {usual.ID}})

	one := service.Deletion{ID: id("deletion", 1), Org: "org-a", ImportID: "i", Made: startPlus(1), Reason: "retention", Parts: []service.DeletedPart{{Part: service.Originals, Size: 7, SHA256: "x"}}}
	newer := one
	newer.ID, newer.Made = id("deletion", 2), startPlus(2)
	f.mustUpdate(func(tx service.Tx) error {
		return firstError(tx.Deletions.Insert(f.ctx, one), tx.Deletions.Insert(f.ctx, newer))
	})
	f.mustView(func(tx service.Tx) error {
		list, total, err := tx.Deletions.List(f.ctx, "org-a", 0, 9)
		f.wantEqual(total, int64(2))
		f.wantEqual(list, []service.Deletion{newer, one})
		return err
	})
	runs := func(id string) int {
		return read(f, func(tx service.Tx) (int, error) { return tx.Owners.Run(f.ctx, id) })
	}
	f.wantEqual([]int{runs(usual.ID), runs("none")}, []int{usual.Run, -1})
	f.wantEqual(read(f, func(tx service.Tx) (bool, error) { return tx.Owners.Session(f.ctx, "none") }), false)
}

func testTrash(f *fixture) {
	add := func(prefix string, minute int) {
		f.mustUpdate(func(tx service.Tx) error {
			return tx.Trash.Schedule(f.ctx, service.Trash{Prefix: prefix, Due: startPlus(minute)})
		})
	}
	due := func(minute, limit int) []service.Trash {
		return read(f, func(tx service.Tx) ([]service.Trash, error) { return tx.Trash.ListDue(f.ctx, startPlus(minute), limit) })
	}
	add("b", 3)
	add("a", 1)
	add("b", 5)
	add("b", 4)
	a, b := service.Trash{Prefix: "a", Due: startPlus(1)}, service.Trash{Prefix: "b", Due: startPlus(5)}
	f.wantEqual(due(0, 9), []service.Trash(nil))
	f.wantEqual(due(4, 9), []service.Trash{a})
	f.wantEqual(due(5, 9), []service.Trash{a, b})
	f.wantEqual(due(5, 1), []service.Trash{a})
	for range 2 {
		f.mustUpdate(func(tx service.Tx) error { return tx.Trash.Remove(f.ctx, "a") })
	}
	f.wantEqual(due(9, 9), []service.Trash{b})
}

func testNodes(f *fixture) {
	for _, node := range []string{"n2", "n1", "n2"} {
		f.mustUpdate(func(tx service.Tx) error { return tx.Nodes.Heartbeat(f.ctx, node) })
	}
	all := func(tx service.Tx) ([]string, error) { return tx.Nodes.List(f.ctx) }
	silent := func(after time.Duration) func(service.Tx) ([]string, error) {
		return func(tx service.Tx) ([]string, error) { return tx.Nodes.Silent(f.ctx, after) }
	}
	f.wantEqual(read(f, all), []string{"n1", "n2"})
	f.wantEqual(read(f, silent(time.Hour)), []string(nil))
	// Time has passed, or stands still at the least.
	f.wantEqual(read(f, silent(0)), []string{"n1", "n2"})
	for range 2 {
		f.mustUpdate(func(tx service.Tx) error { return tx.Nodes.Remove(f.ctx, "n1") })
	}
	f.wantEqual(read(f, all), []string{"n2"})
}
