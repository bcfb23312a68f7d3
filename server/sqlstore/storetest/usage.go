package storetest

import (
	"errors"
	"sync"

	"github.com/intraydata/intray/server/model"
)

func (f *fixture) usage(org string) model.Usage {
	f.Helper()
	return read(f, func(tx model.Tx) (model.Usage, error) { return tx.Usage.Get(f.ctx, org) })
}

// testUsage changes rows and checks the usage after each change.
func testUsage(f *fixture) {
	want := model.Usage{Org: "org-a"}
	f.wantEqual(f.usage("org-a"), want)
	step := func(name string, work func(tx model.Tx) error, change func(u *model.Usage)) {
		f.Helper()
		wrong := errors.New("roll back")
		if err := f.store.Update(f.ctx, func(tx model.Tx) error { return firstError(work(tx), wrong) }); !errors.Is(err, wrong) {
			f.Fatalf("%s: %v", name, err)
		}
		if got := f.usage("org-a"); got != want {
			f.Errorf("%s, rolled back: %+v, want %+v", name, got, want)
		}
		f.mustUpdate(work)
		change(&want)
		if got := f.usage("org-a"); got != want {
			f.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	imp := anImport(1, "org-a", model.AwaitingUpload)
	update := func(from model.Status, change func()) func(tx model.Tx) error {
		change()
		return func(tx model.Tx) error { return tx.Imports.UpdateIf(f.ctx, imp, from, imp.Run) }
	}
	step("insert an import", func(tx model.Tx) error { return tx.Imports.Insert(f.ctx, imp) }, func(u *model.Usage) { u.AwaitingUpload++ })
	step("upload its file", update(model.AwaitingUpload, func() {
		imp.Status, imp.Raw = model.Pending, model.File{Key: "raw", Size: 1 << 33}
	}), func(u *model.Usage) { u.AwaitingUpload, u.InProgress, u.FileBytes = 0, 1, 1<<33 })
	step("claim it", func(tx model.Tx) error {
		_, err := tx.Imports.Claim(f.ctx, "node", model.RunLimits{PerOrg: 2, PerOrgAndNode: 2}, startPlus(9))
		return err
	}, func(*model.Usage) {})
	imp.Run++
	step("ask for a review", update(model.Running, func() {
		imp.Status, imp.Result = model.NeedsReview, model.File{Key: "result", Size: 5}
	}), func(u *model.Usage) { u.InProgress, u.NeedsReview, u.FileBytes = 0, 1, 1<<33+5 })
	step("fail it", update(model.NeedsReview, func() { imp.Status = model.Failed }), func(u *model.Usage) { u.NeedsReview, u.Failed = 0, 1 })
	step("delete its original", update(model.Failed, func() { imp.Raw.Key = "" }), func(u *model.Usage) { u.FileBytes = 5 })
	step("delete it", func(tx model.Tx) error { return tx.Imports.Delete(f.ctx, "org-a", imp.ID) }, func(u *model.Usage) { u.Failed, u.FileBytes = 0, 0 })

	inserted := anImport(2, "org-a", model.Successful)
	inserted.Raw, inserted.Result = model.File{Key: "raw", Size: 3}, model.File{Key: "result", Size: 4}
	step("insert an import that has ended", func(tx model.Tx) error { return tx.Imports.Insert(f.ctx, inserted) }, func(u *model.Usage) { u.Successful, u.FileBytes = 1, 7 })
	step("do nothing that conflicts", func(tx model.Tx) error {
		return model.IgnoreKind(tx.Imports.Insert(f.ctx, inserted), model.Conflict)
	}, func(*model.Usage) {})

	saved, inline := aSchema(1, "org-a", "A"), aSchema(2, "org-a", "B")
	inline.Inline = true
	step("insert schemas", func(tx model.Tx) error {
		return firstError(tx.Schemas.Insert(f.ctx, saved), tx.Schemas.Insert(f.ctx, inline))
	}, func(u *model.Usage) { u.Schemas++ })
	step("delete schemas", func(tx model.Tx) error {
		return firstError(tx.Schemas.Delete(f.ctx, "org-a", saved.ID), tx.Schemas.Delete(f.ctx, "org-a", inline.ID))
	}, func(u *model.Usage) { u.Schemas-- })

	s := aSession(1, "org-a")
	step("insert a session", func(tx model.Tx) error { return tx.Sessions.Insert(f.ctx, s) }, func(u *model.Usage) { u.Sessions++ })
	s.File = model.File{Key: "k", Size: 10}
	step("save its file", func(tx model.Tx) error { return tx.Sessions.Save(f.ctx, s) }, func(u *model.Usage) { u.SessionFileBytes = 10 })
	s.File.Size = 4
	step("save its file and state", func(tx model.Tx) error { return tx.Sessions.SaveState(f.ctx, s, []byte("ü12345")) }, func(u *model.Usage) { u.SessionFileBytes, u.SessionStateBytes = 4, 7 })
	step("save a smaller state", func(tx model.Tx) error { return tx.Sessions.SaveState(f.ctx, s, []byte("1")) }, func(u *model.Usage) { u.SessionStateBytes = 1 })
	step("delete the session", func(tx model.Tx) error { return tx.Sessions.Delete(f.ctx, "org-a", s.ID) }, func(u *model.Usage) { u.Sessions, u.SessionFileBytes, u.SessionStateBytes = 0, 0, 0 })

	step("insert a credential", func(tx model.Tx) error { return tx.Credentials.Insert(f.ctx, model.Credential{ID: "c", Org: "org-a"}) }, func(u *model.Usage) { u.Credentials++ })
	step("delete the credential", func(tx model.Tx) error { return tx.Credentials.Delete(f.ctx, "org-a", "c") }, func(u *model.Usage) { u.Credentials-- })

	f.wantEqual(read(f, func(tx model.Tx) ([]model.Usage, error) { return tx.Usage.List(f.ctx) }), []model.Usage{want, {Org: "org-b"}})
	f.wantNotFound(func(tx model.Tx) error { _, err := tx.Usage.Get(f.ctx, "org-c"); return err })
}

// testUsageHeld checks that transactions that read the usage before they add to it never exceed a
// limit together.
func testUsageHeld(f *fixture) {
	const limit, calls = 7, 30
	var all sync.WaitGroup
	for n := range calls {
		all.Go(func() {
			f.mustUpdate(func(tx model.Tx) error {
				u, err := tx.Usage.Get(f.ctx, "org-a")
				if err != nil || u.Sessions >= limit {
					return err
				}
				return tx.Sessions.Insert(f.ctx, aSession(n, "org-a"))
			})
		})
	}
	all.Wait()
	f.wantEqual(f.usage("org-a").Sessions, int64(limit))
}

func testBacklog(f *fixture) {
	backlog := func() model.Backlog {
		f.Helper()
		return read(f, func(tx model.Tx) (model.Backlog, error) { return tx.Usage.Backlog(f.ctx) })
	}
	f.wantEqual(backlog(), model.Backlog{})
	started := anImport(1, "org-a", model.Running)
	started.Modified = startPlus(9)
	f.insertImports(anImport(4, "org-a", model.Pending), anImport(3, "org-b", model.Pending), started, anImport(2, "org-a", model.Successful),
		anImport(6, "org-a", model.AwaitingUpload), anImport(5, "org-b", model.AwaitingUpload), anImport(8, "org-a", model.NeedsReview), anImport(7, "org-b", model.NeedsReview))
	f.mustUpdate(func(tx model.Tx) error {
		waiting, claimed, done := aDelivery(3, "hook", "i"), aDelivery(2, "hook", "j"), aDelivery(1, "hook", "k")
		claimed.Node, done.Status = "n", model.Delivered
		return firstError(tx.Deliveries.Insert(f.ctx, waiting), tx.Deliveries.Insert(f.ctx, claimed), tx.Deliveries.Insert(f.ctx, done))
	})
	f.mustUpdate(func(tx model.Tx) error {
		failing, disabled := aWebhook(1, "org-a"), aWebhook(2, "org-b")
		failing.FailureStreak.Failures, disabled.FailureStreak.Failures, disabled.Enabled = 2, 9, false
		broken := aConnector(1, "org-b")
		file := model.PulledFile{Org: broken.Org, ConnectorID: broken.ID, PutKind: "timeout"}
		broken.Failures = 3
		return firstError(tx.Webhooks.Insert(f.ctx, failing), tx.Webhooks.Insert(f.ctx, disabled), tx.Webhooks.Insert(f.ctx, aWebhook(3, "org-a")),
			tx.Connectors.Insert(f.ctx, broken), tx.Connectors.Insert(f.ctx, aConnector(2, "org-a")), tx.Pulled.Upsert(f.ctx, file))
	})
	f.wantEqual(backlog(), model.Backlog{
		Pending: 2, Running: 1, Oldest: startPlus(3), AwaitingSince: startPlus(5), RunningSince: startPlus(9), ReviewSince: startPlus(7),
		Deliveries: 1, DeliveriesSince: startPlus(2), FailingWebhooks: 1, FailingConnectors: 1, FailingUploads: 1,
	})
}
