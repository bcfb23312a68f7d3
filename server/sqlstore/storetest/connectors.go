package storetest

import (
	"sync"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
)

func aCredential(n int, org string) model.Credential {
	return model.Credential{ID: id("credential", n), Org: org, Hostname: "sftp.example.org", Port: 22, User: "u",
		AuthType: model.AuthKey, Sealed: []byte{0, 1, 255}, Fingerprint: "SHA256:x", Created: startPlus(n), Modified: startPlus(n)}
}

func testCredentials(f *fixture) {
	f.mustUpdate(func(tx model.Tx) error {
		for n := range 6 {
			if err := tx.Credentials.Insert(f.ctx, aCredential(n, []string{"org-a", "org-b"}[n%2])); err != nil {
				return err
			}
		}
		return nil
	})
	f.wantRefused(model.Conflict, func(tx model.Tx) error { return tx.Credentials.Insert(f.ctx, aCredential(1, "org-a")) })
	list := func(offset, limit int64) (list []model.Credential) {
		f.mustView(func(tx model.Tx) error {
			got, total, err := split(tx.Credentials.List(f.ctx, "org-a", model.PageRequest{Offset: offset, Limit: limit}))
			f.wantEqual(total, int64(3))
			list = got
			return err
		})
		return list
	}
	f.wantEqual(list(0, 2), []model.Credential{aCredential(4, "org-a"), aCredential(2, "org-a")})
	f.wantEqual(list(2, 2), []model.Credential{aCredential(0, "org-a")})
	f.wantEqual(list(3, 2), []model.Credential(nil))

	want := aCredential(2, "org-a")
	want.Hostname, want.Port, want.User, want.AuthType, want.Sealed = "h", 2222, "v", model.AuthPassword, []byte("p")
	want.Fingerprint, want.HostKey, want.Modified = "f", "k", startPlus(50)
	asked := want
	asked.Created = startPlus(99)
	f.mustUpdate(func(tx model.Tx) error { return tx.Credentials.Save(f.ctx, asked) })
	f.wantEqual(read(f, func(tx model.Tx) (model.Credential, error) {
		return tx.Credentials.Get(f.ctx, "org-a", want.ID)
	}), want)

	f.mustUpdate(func(tx model.Tx) error { return tx.Credentials.Delete(f.ctx, "org-a", want.ID) })
	f.wantNotFound(func(tx model.Tx) error { _, err := tx.Credentials.Get(f.ctx, "org-a", want.ID); return err })
}

func aConnector(n int, org string) model.Connector {
	return model.Connector{
		ID: id("connector", n), Org: org, CredentialID: "c", SchemaID: "s", Schedule: model.Schedule{Minutes: 5}, Directory: "/in", Pattern: `\.csv$`,
		PutDirectory: "/out", PutFormat: "csv", Next: startPlus(n), Created: startPlus(n), Modified: startPlus(n),
	}
}

func testConnectors(f *fixture) {
	f.mustUpdate(func(tx model.Tx) error {
		return firstError(tx.Connectors.Insert(f.ctx, aConnector(2, "org-a")), tx.Connectors.Insert(f.ctx, aConnector(1, "org-a")), tx.Connectors.Insert(f.ctx, aConnector(3, "org-b")))
	})
	list := func(org string) []model.Connector {
		return read(f, func(tx model.Tx) ([]model.Connector, error) { return tx.Connectors.List(f.ctx, org) })
	}
	f.wantEqual(list("org-a"), []model.Connector{aConnector(1, "org-a"), aConnector(2, "org-a")})
	running := func(org string) (ids []string) {
		for _, c := range read(f, func(tx model.Tx) ([]model.Connector, error) { return tx.Connectors.Running(f.ctx, org) }) {
			ids = append(ids, c.ID+" "+c.Node)
		}
		return ids
	}
	f.wantEqual(running("org-a"), []string(nil))
	take := func(node string, now int) (id string) {
		f.mustUpdate(func(tx model.Tx) error {
			c, err := tx.Connectors.ClaimDue(f.ctx, node, startPlus(now))
			if id = c.ID; model.IsKind(err, model.NotFound) {
				return nil
			}
			return err
		})
		return id
	}
	f.wantEqual([]string{take("n", 0), take("n", 2), take("n", 2), take("n", 2)}, []string{"", id("connector", 1), id("connector", 2), ""})
	f.wantEqual(running("org-a"), []string{id("connector", 1) + " n", id("connector", 2) + " n"})
	f.wantEqual(running("org-b"), []string(nil))
	f.mustUpdate(func(tx model.Tx) error { return tx.Connectors.GiveBack(f.ctx, "n") })
	want := aConnector(2, "org-a")
	want.Schedule, want.Directory, want.PutDirectory, want.Last, want.Failures = model.Schedule{Daily: "07:30"}, "/x", "", startPlus(8), 3
	f.mustUpdate(func(tx model.Tx) error { return tx.Connectors.Save(f.ctx, want) })
	f.wantEqual(read(f, func(tx model.Tx) (model.Connector, error) { return tx.Connectors.Get(f.ctx, "org-a", want.ID) }), want)
	f.wantNotFound(func(tx model.Tx) error { _, err := tx.Connectors.Get(f.ctx, "org-b", want.ID); return err })
	testPulled(f, want.ID)
	f.mustUpdate(func(tx model.Tx) error { return tx.Connectors.Delete(f.ctx, "org-a", want.ID) })
	f.wantEqual(len(read(f, func(tx model.Tx) ([]model.PulledFile, error) { return tx.Pulled.ListByConnector(f.ctx, want.ID) })), 0)
}

// testPulled checks that the fetched files and the runs of one connector are stored, listed and
// deleted.
func testPulled(f *fixture, connector string) {
	one := model.PulledFile{Org: "org-a", ConnectorID: connector, File: model.RemoteFile{Path: "/in/ü.csv", Size: 7, Modified: startPlus(1)}, Since: startPlus(2)}
	newer := one
	newer.File.Modified = startPlus(3)
	f.mustUpdate(func(tx model.Tx) error {
		return firstError(tx.Pulled.Upsert(f.ctx, newer), tx.Pulled.Upsert(f.ctx, one))
	})
	of := func() []model.PulledFile {
		return read(f, func(tx model.Tx) ([]model.PulledFile, error) { return tx.Pulled.ListByConnector(f.ctx, connector) })
	}
	f.wantEqual(of(), []model.PulledFile{one, newer})
	f.mustUpdate(func(tx model.Tx) error {
		for _, want := range []int64{1, 1, 0} {
			n, err := tx.Pulled.DeleteOf(f.ctx, connector, 1)
			if err != nil {
				return err
			}
			f.wantEqual(n, want)
		}
		return firstError(tx.Pulled.Upsert(f.ctx, newer), tx.Pulled.Upsert(f.ctx, one))
	})
	one.Taken, one.ImportID, one.Put, one.PutDue, one.PutTries, one.PutKind, one.PutMessage, one.Gone = true, "imp", "WAITING", startPlus(5), 2, "k", intray.Literal("x"), startPlus(9)
	f.mustUpdate(func(tx model.Tx) error {
		return firstError(tx.Pulled.Upsert(f.ctx, one), tx.Pulled.Delete(f.ctx, connector, newer.File))
	})
	f.wantEqual(of(), []model.PulledFile{one})
	f.wantEqual(read(f, func(tx model.Tx) (model.PulledFile, error) { return tx.Pulled.Get(f.ctx, connector, one.File) }), one)
	f.wantNotFound(func(tx model.Tx) error { _, err := tx.Pulled.Get(f.ctx, connector, newer.File); return err })
	due := func(now int) []model.PulledFile {
		return read(f, func(tx model.Tx) ([]model.PulledFile, error) {
			return tx.Pulled.ListDueUploads(f.ctx, startPlus(now), 9)
		})
	}
	f.wantEqual(len(due(4)), 0)
	f.wantEqual(due(5), []model.PulledFile{one})
	queue := func(imp string, now int) {
		f.mustUpdate(func(tx model.Tx) error { return tx.Pulled.QueueUpload(f.ctx, imp, startPlus(now)) })
	}
	queue("imp", 6) // the connector does not upload results
	queue("unknown", 6)
	f.wantEqual(of(), []model.PulledFile{one})
	uploading := read(f, func(tx model.Tx) (model.Connector, error) { return tx.Connectors.Get(f.ctx, "org-a", connector) })
	uploading.PutDirectory = "/out"
	f.mustUpdate(func(tx model.Tx) error { return tx.Connectors.Save(f.ctx, uploading) })
	queue("imp", 6)
	queued := one
	queued.PutDue, queued.PutTries, queued.PutKind, queued.PutMessage = startPlus(6), 0, "", intray.Message{}
	f.wantEqual(of(), []model.PulledFile{queued})
	f.mustUpdate(func(tx model.Tx) error { return tx.Pulled.Upsert(f.ctx, one) })

	testFailedUploads(f, one)

	run := model.PullRun{ID: "p1", ConnectorID: connector, Began: startPlus(1), Ended: startPlus(2), Kind: "k", Message: intray.NewMessage("connector.more_left_for_later", intray.Params{"n": 3}), Listed: 3, Fetched: 2, Waiting: 1, Skipped: []intray.Message{intray.Literal("a"), intray.NewMessage("sftp.symbolic_link", nil)}}
	again := run
	again.ID, again.Began, again.Succeeded = "p2", startPlus(7), true
	f.mustUpdate(func(tx model.Tx) error {
		return firstError(tx.Pulls.Insert(f.ctx, run), tx.Pulls.Insert(f.ctx, again))
	})
	runs := func() (all []model.PullRun) {
		f.mustView(func(tx model.Tx) error {
			list, total, err := split(tx.Pulls.List(f.ctx, connector, model.PageRequest{Limit: 9}))
			f.wantEqual(total, int64(len(list)))
			all = list
			return err
		})
		return all
	}
	f.wantEqual(runs(), []model.PullRun{again, run})
	f.mustUpdate(func(tx model.Tx) error { return tx.Pulls.Trim(f.ctx, connector, 1) })
	f.wantEqual(runs(), []model.PullRun{again})
}

// testFailedUploads checks that failed uploads are listed, counted and made due again. waiting is
// the only version of its connector.
func testFailedUploads(f *fixture, waiting model.PulledFile) {
	failed, deleted, done := waiting, waiting, waiting
	failed.File.Path, failed.Since, failed.ImportID, failed.Put, failed.PutTries = "/in/failed", startPlus(3), "imp-2", "FAILED", 12
	deleted.File.Path, deleted.Since, deleted.ImportID, deleted.Put, deleted.PutKind = "/in/deleted", startPlus(4), "imp-3", "FAILED", model.ResultDeleted
	done.File.Path, done.Since, done.ImportID, done.Put, done.PutKind, done.PutMessage = "/in/done", startPlus(5), "imp-4", "DONE", "", intray.Message{}
	unused := model.PulledFile{Org: waiting.Org, ConnectorID: waiting.ConnectorID, File: model.RemoteFile{Path: "/in/unused"}, Since: startPlus(6)}
	f.mustUpdate(func(tx model.Tx) error {
		return firstError(tx.Pulled.Upsert(f.ctx, failed), tx.Pulled.Upsert(f.ctx, deleted), tx.Pulled.Upsert(f.ctx, done), tx.Pulled.Upsert(f.ctx, unused))
	})
	list := func(offset, limit int64) (all []model.PulledFile) {
		f.mustView(func(tx model.Tx) error {
			list, total, err := split(tx.Pulled.ListUploads(f.ctx, waiting.ConnectorID, model.PageRequest{Offset: offset, Limit: limit}))
			f.wantEqual(total, int64(4))
			all = list
			return err
		})
		return all
	}
	f.wantEqual(list(0, 9), []model.PulledFile{done, deleted, failed, waiting})
	f.wantEqual(list(1, 1), []model.PulledFile{deleted})
	count := func(org string) map[string]int64 {
		return read(f, func(tx model.Tx) (map[string]int64, error) { return tx.Pulled.CountFailedUploads(f.ctx, org) })
	}
	f.wantEqual(count("org-a"), map[string]int64{waiting.ConnectorID: 3})
	f.wantEqual(count("org-b"), map[string]int64{})
	retry := func(leased, limit int) (n int64) {
		f.mustUpdate(func(tx model.Tx) (err error) {
			n, err = tx.Pulled.RetryUploads(f.ctx, waiting.ConnectorID, startPlus(4), startPlus(leased), limit)
			return err
		})
		return n
	}
	f.wantEqual(retry(5, 9), int64(1)) // waiting may be being uploaded
	f.mustUpdate(func(tx model.Tx) error { return tx.Pulled.Upsert(f.ctx, failed) })
	f.wantEqual([]int64{retry(4, 1), retry(4, 9), retry(4, 9)}, []int64{1, 1, 0})
	for _, v := range []*model.PulledFile{&failed, &waiting} {
		v.Put, v.PutDue, v.PutTries = "WAITING", startPlus(4), 0
	}
	f.wantEqual(list(0, 9), []model.PulledFile{done, deleted, failed, waiting})
	f.mustUpdate(func(tx model.Tx) error {
		return firstError(tx.Pulled.Delete(f.ctx, waiting.ConnectorID, failed.File), tx.Pulled.Delete(f.ctx, waiting.ConnectorID, deleted.File),
			tx.Pulled.Delete(f.ctx, waiting.ConnectorID, done.File), tx.Pulled.Delete(f.ctx, waiting.ConnectorID, unused.File))
	})
}

// testDueUploads runs many concurrent transactions that postpone the upload that is due. Each
// upload must be postponed once.
func testDueUploads(f *fixture) {
	const uploads, workers = 40, 6
	f.mustUpdate(func(tx model.Tx) error {
		errs := []error{tx.Connectors.Insert(f.ctx, aConnector(1, "org-a"))}
		for n := range uploads {
			errs = append(errs, tx.Pulled.Upsert(f.ctx, model.PulledFile{
				Org: "org-a", ConnectorID: id("connector", 1), File: model.RemoteFile{Path: id("file", n)}, Put: "WAITING", PutDue: startPlus(n),
			}))
		}
		return firstError(errs...)
	})
	postpone := func() (found bool) {
		err := f.store.Update(f.ctx, func(tx model.Tx) error {
			due, err := tx.Pulled.ListDueUploads(f.ctx, startPlus(uploads), 1)
			if found = len(due) > 0; err != nil || !found {
				return err
			}
			due[0].PutDue = startPlus(uploads + 1)
			due[0].PutTries++
			return tx.Pulled.Upsert(f.ctx, due[0])
		})
		if err != nil {
			f.Errorf("Update: %v", err)
		}
		return found && err == nil
	}
	postponed := [workers]int{}
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for postpone() {
				postponed[w]++
			}
		})
	}
	wg.Wait()
	sum := 0
	for _, n := range postponed {
		sum += n
	}
	f.wantEqual(sum, uploads)
}
