package storetest

import (
	"errors"
	"time"

	"github.com/intraydata/intray/server/model"
)

func testRetention(f *fixture) {
	all, own := model.Retention{Org: "org-a", Originals: 7}, model.Retention{Org: "org-a", SchemaID: "own", Results: 3, Problems: 2}
	f.mustUpdate(func(tx model.Tx) error {
		return firstError(tx.Retention.Replace(f.ctx, "org-a", []model.Retention{{Problems: 9}}), tx.Retention.Replace(f.ctx, "org-a", []model.Retention{own, all}),
			tx.Retention.Replace(f.ctx, "org-b", []model.Retention{{Originals: 1}}))
	})
	f.wantEqual(read(f, func(tx model.Tx) ([]model.Retention, error) { return tx.Retention.ListByOrg(f.ctx, "org-a") }), []model.Retention{all, own})
	f.wantEqual(len(read(f, func(tx model.Tx) ([]model.Retention, error) { return tx.Retention.ListAll(f.ctx) })), 3)

	usual, special, waits := anImport(1, "org-a", model.Successful), anImport(2, "org-a", model.Failed), anImport(3, "org-a", model.NeedsReview)
	for _, imp := range []*model.Import{&usual, &special, &waits} {
		imp.Raw.Key, imp.Result.Key, imp.Stage, imp.Modified = "raw", "result", "stage", startPlus(5)
	}
	special.SchemaID = "own"
	f.mustUpdate(func(tx model.Tx) error {
		return firstError(tx.Imports.Insert(f.ctx, usual), tx.Imports.Insert(f.ctx, special), tx.Imports.Insert(f.ctx, waits))
	})
	overdue := func(of model.Retention, part model.KeptPart, before int) []string {
		return read(f, func(tx model.Tx) ([]string, error) {
			return tx.Retention.Overdue(f.ctx, of, part, startPlus(before), 9)
		})
	}
	for _, part := range []model.KeptPart{model.Originals, model.Results, model.Problems} {
		f.wantEqual(overdue(all, part, 6), []string{usual.ID})
		f.wantEqual(overdue(own, part, 6), []string{special.ID})
		f.wantEqual(overdue(all, part, 5), []string(nil))
	}
	usual.Raw.Key = ""
	f.mustUpdate(func(tx model.Tx) error {
		return firstError(tx.Imports.UpdateIf(f.ctx, usual, usual.Status, usual.Run), tx.Retention.DropProblems(f.ctx, "org-a", usual.ID), dropEdits(tx, f, usual.ID))
	})
	f.wantRefused(model.NotFound, func(tx model.Tx) error { return tx.Retention.DropProblems(f.ctx, "org-a", usual.ID) })
	f.wantEqual([][]string{overdue(all, model.Originals, 9), overdue(all, model.Problems, 9), overdue(all, model.Results, 9)}, [][]string{nil, nil, {usual.ID}})

	one := model.Deletion{ID: id("deletion", 1), Org: "org-a", ImportID: "i", Made: startPlus(1), Reason: "retention", Parts: []model.DeletedPart{{Part: model.Originals, Size: 7, SHA256: "x"}}}
	newer := one
	newer.ID, newer.Made = id("deletion", 2), startPlus(2)
	f.mustUpdate(func(tx model.Tx) error {
		return firstError(tx.Deletions.Insert(f.ctx, one), tx.Deletions.Insert(f.ctx, newer))
	})
	f.mustView(func(tx model.Tx) error {
		list, total, err := split(tx.Deletions.List(f.ctx, "org-a", model.PageRequest{Limit: 9}))
		f.wantEqual(total, int64(2))
		f.wantEqual(list, []model.Deletion{newer, one})
		return err
	})
	runs := func(id string) int {
		return read(f, func(tx model.Tx) (int, error) { return tx.Owners.Run(f.ctx, id) })
	}
	f.wantEqual([]int{runs(usual.ID), runs("none")}, []int{usual.Run, -1})
	f.wantEqual(read(f, func(tx model.Tx) (bool, error) { return tx.Owners.Session(f.ctx, "none") }), false)
}

func testTrash(f *fixture) {
	add := func(prefix string, minute int) {
		f.mustUpdate(func(tx model.Tx) error {
			return tx.Trash.Schedule(f.ctx, model.Trash{Prefix: prefix, Due: startPlus(minute)})
		})
	}
	due := func(minute, limit int) []model.Trash {
		return read(f, func(tx model.Tx) ([]model.Trash, error) { return tx.Trash.ListDue(f.ctx, startPlus(minute), limit) })
	}
	add("b", 3)
	add("a", 1)
	add("b", 5)
	add("b", 4)
	a, b := model.Trash{Prefix: "a", Due: startPlus(1)}, model.Trash{Prefix: "b", Due: startPlus(5)}
	f.wantEqual(due(0, 9), []model.Trash(nil))
	f.wantEqual(due(4, 9), []model.Trash{a})
	f.wantEqual(due(5, 9), []model.Trash{a, b})
	f.wantEqual(due(5, 1), []model.Trash{a})
	for range 2 {
		f.mustUpdate(func(tx model.Tx) error { return tx.Trash.Remove(f.ctx, "a") })
	}
	f.wantEqual(due(9, 9), []model.Trash{b})
}

func testNodes(f *fixture) {
	kills := int64(0)
	for _, node := range []string{"n2", "n1", "n2"} {
		kills++
		f.mustUpdate(func(tx model.Tx) error {
			at, err := tx.Nodes.Heartbeat(f.ctx, model.Heartbeat{ID: node, Host: "h", Version: "v", ClockSkew: time.Duration(-kills), Kills: model.OOMKills{Machine: "m", Count: kills}})
			f.wantEqual(at.IsZero(), false)
			return err
		})
	}
	all := func(tx model.Tx) ([]string, error) { return tx.Nodes.List(f.ctx) }
	silent := func(after time.Duration) func(model.Tx) ([]string, error) {
		return func(tx model.Tx) ([]string, error) { return tx.Nodes.Silent(f.ctx, after) }
	}
	f.wantEqual(read(f, all), []string{"n1", "n2"})
	f.wantEqual(read(f, func(tx model.Tx) (model.OOMKills, error) { return tx.Nodes.OOMKills(f.ctx, "n2") }), model.OOMKills{Machine: "m", Count: 3})
	if err := f.store.View(f.ctx, func(tx model.Tx) error {
		_, err := tx.Nodes.OOMKills(f.ctx, "n3")
		return err
	}); !model.IsKind(err, model.NotFound) {
		f.Errorf("OOMKills of an unknown node: %v, want NotFound", err)
	}
	f.wantEqual(read(f, silent(time.Hour)), []string(nil))
	// The time of the database has advanced, or at least not gone backward.
	f.wantEqual(read(f, silent(0)), []string{"n1", "n2"})
	for range 2 {
		f.mustUpdate(func(tx model.Tx) error { return tx.Nodes.Remove(f.ctx, "n1") })
	}
	f.wantEqual(read(f, all), []string{"n2"})
	running, connector, attempted := anImport(1, "org-a", model.Running), aConnector(1, "org-a"), aDelivery(1, "target", "i")
	running.Node, connector.Node, attempted.Node = "n4", "n5", "n6"
	f.insertImports(running)
	f.mustUpdate(func(tx model.Tx) error {
		return errors.Join(tx.Connectors.Insert(f.ctx, connector), tx.Deliveries.Insert(f.ctx, attempted))
	})
	f.wantEqual(read(f, silent(time.Hour)), []string{"n4", "n5", "n6"})
	f.mustUpdate(func(tx model.Tx) error {
		_, err := tx.Nodes.Heartbeat(f.ctx, model.Heartbeat{ID: "n5"})
		return errors.Join(err, tx.Outbox.GiveBack(f.ctx, "n6"))
	})
	f.wantEqual(read(f, silent(time.Hour)), []string{"n4"})
}

func testNodesDescribed(f *fixture) {
	connector, attempted := aConnector(1, "org-a"), aDelivery(1, "target", "i")
	connector.Node, attempted.Node = "n1", "n2"
	f.mustUpdate(func(tx model.Tx) error {
		return errors.Join(tx.Connectors.Insert(f.ctx, connector), tx.Deliveries.Insert(f.ctx, attempted))
	})
	beats := []model.Heartbeat{{ID: "n2"}, {ID: "n1"}, {ID: "n2", Host: "host", Version: "0.1.0", ClockSkew: -time.Second, Kills: model.OOMKills{Machine: "m", Count: 2}}}
	var at []time.Time
	for _, beat := range beats {
		f.mustUpdate(func(tx model.Tx) error {
			now, err := tx.Nodes.Heartbeat(f.ctx, beat)
			at = append(at, now)
			return err
		})
	}
	nodes := read(f, func(tx model.Tx) ([]model.Node, error) { return tx.Nodes.Describe(f.ctx) })
	for i := range nodes {
		if nodes[i].Silent < 0 || nodes[i].Silent > time.Minute {
			f.Errorf("%s has been silent for %s", nodes[i].ID, nodes[i].Silent)
		}
		if first := at[1-i]; nodes[i].Started.Sub(first).Abs() > time.Minute {
			f.Errorf("%s started at %s, want the time of its first heartbeat, %s", nodes[i].ID, nodes[i].Started, first)
		}
		nodes[i].Silent, nodes[i].Started = 0, time.Time{}
	}
	f.wantEqual(nodes, []model.Node{
		{Heartbeat: beats[1], Last: at[1], Connectors: 1},
		{Heartbeat: beats[2], Last: at[2], Deliveries: 1},
	})
}

func dropEdits(tx model.Tx, f *fixture, importID string) error {
	_, err := tx.Retention.DropEdits(f.ctx, importID, 9, 9)
	return err
}
