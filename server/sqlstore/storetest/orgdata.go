package storetest

import (
	"maps"
	"slices"

	"github.com/intraydata/intray/server/model"
)

// orgRowsEach is the number of rows of each kind that orgData inserts.
const orgRowsEach = 3

// orgData is data of one organization of all kinds that OrgDataRows deletes. Its rows have the numbers
// from first on.
type orgData struct {
	*fixture
	org   string
	first int
}

// orgKind is a kind of row that OrgDataRows.DeleteRows counts.
type orgKind struct {
	insert func(tx model.Tx, n int) error
	count  func(tx model.Tx) (int64, error)
}

// found returns a function that counts the rows that the function get finds.
func found[T any](d orgData, get func(tx model.Tx, n int) (T, error)) func(tx model.Tx) (int64, error) {
	return func(tx model.Tx) (count int64, err error) {
		for n := d.first; n < d.first+orgRowsEach; n++ {
			switch _, err := get(tx, n); {
			case err == nil:
				count++
			case !model.IsKind(err, model.NotFound):
				return count, err
			}
		}
		return count, nil
	}
}

// counted returns the length of a list.
func counted[T any](list []T, err error) (int64, error) { return int64(len(list)), err }

// listed returns the number of rows of a page.
func listed[T any](page model.Page[T], err error) (int64, error) { return int64(len(page.Rows)), err }

// wholeList requests a page that contains every row of a list.
var wholeList = model.PageRequest{Limit: 1 << 30}

func (d orgData) delivery(n int) model.Delivery {
	made := aDelivery(n, "target", id("import", n))
	made.Org = d.org
	return made
}

func (d orgData) licence(n int) model.Licence {
	return model.Licence{ID: id("licence", n), Org: d.org, Hash: []byte(id("hash", n)), Created: startPlus(n)}
}

// kinds returns all kinds by name. A pulled file can be inserted only after the first connector.
func (d orgData) kinds() map[string]orgKind {
	ctx, org := d.ctx, d.org
	connector := aConnector(d.first, org).ID
	return map[string]orgKind{
		"licences": {
			func(tx model.Tx, n int) error { return tx.Accounts.InsertLicence(ctx, d.licence(n)) },
			found(d, func(tx model.Tx, n int) (model.Licence, error) { return tx.Accounts.Licence(ctx, d.licence(n).ID) }),
		},
		"import links": {
			func(tx model.Tx, n int) error {
				link := anImportLink(n, org)
				return firstError(tx.ImportLinks.Insert(ctx, link), tx.ImportLinks.SaveLogo(ctx, org, link.ID, model.Logo{MediaType: "image/png", Content: []byte{1}}))
			},
			func(tx model.Tx) (int64, error) { return listed(tx.ImportLinks.List(ctx, org, wholeList)) },
		},
		"replays": {
			func(tx model.Tx, n int) error { return tx.Replays.Insert(ctx, aReplay(n, org)) },
			found(d, func(tx model.Tx, n int) (model.Replay, error) { return d.replay(org, n)(tx) }),
		},
		"learned mappings": {
			func(tx model.Tx, n int) error { return tx.Memory.Upsert(ctx, aMemory(n, org, "crm")) },
			func(tx model.Tx) (int64, error) { return listed(tx.Memory.List(ctx, org, "crm", wholeList)) },
		},
		"webhooks": {
			func(tx model.Tx, n int) error { return tx.Webhooks.Insert(ctx, aWebhook(n, org)) },
			func(tx model.Tx) (int64, error) { return counted(tx.Webhooks.List(ctx, org)) },
		},
		"deliveries": {
			func(tx model.Tx, n int) error {
				made := d.delivery(n)
				return firstError(tx.Deliveries.Insert(ctx, made), tx.Deliveries.Attempted(ctx, anAttempt(made.ID, 1)))
			},
			found(d, func(tx model.Tx, n int) (model.Delivery, error) { return tx.Deliveries.Get(ctx, org, d.delivery(n).ID) }),
		},
		"connectors": {
			func(tx model.Tx, n int) error {
				made := aConnector(n, org)
				return firstError(tx.Connectors.Insert(ctx, made), tx.Pulls.Insert(ctx, model.PullRun{ID: id("run", n), ConnectorID: made.ID}))
			},
			func(tx model.Tx) (int64, error) { return counted(tx.Connectors.List(ctx, org)) },
		},
		"pulled files": {
			func(tx model.Tx, n int) error {
				return tx.Pulled.Upsert(ctx, model.PulledFile{Org: org, ConnectorID: connector, File: model.RemoteFile{Path: id("/in", n)}})
			},
			func(tx model.Tx) (int64, error) { return counted(tx.Pulled.ListByConnector(ctx, connector)) },
		},
		"credentials": {
			func(tx model.Tx, n int) error { return tx.Credentials.Insert(ctx, aCredential(n, org)) },
			func(tx model.Tx) (int64, error) { return listed(tx.Credentials.List(ctx, org, wholeList)) },
		},
		"retention policies": {
			func(tx model.Tx, n int) error {
				list, err := tx.Retention.ListByOrg(ctx, org)
				return firstError(err, tx.Retention.Replace(ctx, org, append(list, model.Retention{Org: org, SchemaID: id("schema", n), Results: n})))
			},
			func(tx model.Tx) (int64, error) { return counted(tx.Retention.ListByOrg(ctx, org)) },
		},
		"uploads": {
			func(tx model.Tx, n int) error { return tx.Uploads.Insert(ctx, anUpload(n, org, model.UploadProcessed)) },
			found(d, func(tx model.Tx, n int) (model.Upload, error) { return d.upload(org, anUpload(n, org, "").ID)(tx) }),
		},
		"schemas": {
			func(tx model.Tx, n int) error {
				made := aSchema(n, org, id("name", n))
				made.Inline = n == d.first
				return tx.Schemas.Insert(ctx, made)
			},
			found(d, func(tx model.Tx, n int) (model.Schema, error) { return d.schema(org, aSchema(n, org, "").ID)(tx) }),
		},
		"receipts": {
			func(tx model.Tx, n int) error {
				return tx.Deletions.Insert(ctx, model.Deletion{ID: id("deletion", n), Org: org})
			},
			func(tx model.Tx) (int64, error) { return listed(tx.Deletions.List(ctx, org, wholeList)) },
		},
	}
}

// insert inserts rows of all kinds, imports whose review has begun, and sessions.
func (d orgData) insert() {
	d.Helper()
	kinds := d.kinds()
	for _, name := range slices.Sorted(maps.Keys(kinds)) { // "connectors" is before "pulled files"
		for n := d.first; n < d.first+orgRowsEach; n++ {
			d.mustUpdate(func(tx model.Tx) error { return kinds[name].insert(tx, n) })
		}
	}
	for n := d.first; n < d.first+orgRowsEach; n++ {
		imp := anImport(n, d.org, model.NeedsReview)
		d.mustUpdate(func(tx model.Tx) error {
			return firstError(tx.Imports.Insert(d.ctx, imp), tx.Edits.Append(d.ctx, anEdit(d.org, imp.ID, 1, 1)), tx.Sessions.Insert(d.ctx, aSession(n, d.org)))
		})
	}
}

// counts returns the number of rows of each kind.
func (d orgData) counts() map[string]int64 {
	d.Helper()
	counts := map[string]int64{}
	d.mustView(func(tx model.Tx) error {
		for name, kind := range d.kinds() {
			n, err := kind.count(tx)
			if err != nil {
				return err
			}
			counts[name] = n
		}
		return nil
	})
	return counts
}

// dependents returns the number of rows that are deleted with the row to which they belong.
func (d orgData) dependents() map[string]int64 {
	d.Helper()
	logos := found(d, func(tx model.Tx, n int) (model.Logo, error) {
		return tx.ImportLinks.Logo(d.ctx, d.org, anImportLink(n, d.org).ID)
	})
	counts := map[string]int64{}
	d.mustView(func(tx model.Tx) (err error) {
		if counts["logos"], err = logos(tx); err != nil {
			return err
		}
		for n := d.first; n < d.first+orgRowsEach; n++ {
			attempts, err := counted(tx.Deliveries.Attempts(d.ctx, d.delivery(n).ID))
			if err != nil {
				return err
			}
			runs, err := listed(tx.Pulls.List(d.ctx, aConnector(n, d.org).ID, wholeList))
			if err != nil {
				return err
			}
			counts["attempts"] += attempts
			counts["runs"] += runs
		}
		return nil
	})
	return counts
}

func (d orgData) deleteRows(limit int) (deleted int64) {
	d.Helper()
	d.mustUpdate(func(tx model.Tx) (err error) {
		deleted, err = tx.OrgData.DeleteRows(d.ctx, d.org, limit)
		return err
	})
	return deleted
}

func (d orgData) setState(state model.OrgState) {
	d.Helper()
	d.mustUpdate(func(tx model.Tx) error { return tx.Accounts.SetOrgState(d.ctx, d.org, state) })
}

func (d orgData) deleteOrg(tx model.Tx) error { return tx.OrgData.DeleteOrg(d.ctx, d.org) }

// ids returns the ids of at most limit imports and sessions, in order.
func (d orgData) ids(limit int) (imports, sessions []string) {
	d.Helper()
	imports = read(d.fixture, func(tx model.Tx) ([]string, error) { return tx.OrgData.Imports(d.ctx, d.org, limit) })
	sessions = read(d.fixture, func(tx model.Tx) ([]string, error) { return tx.OrgData.Sessions(d.ctx, d.org, limit) })
	slices.Sort(imports)
	slices.Sort(sessions)
	return imports, sessions
}

// testOrgData deletes an organization in small steps, and checks that each step respects its limit, that
// nothing is left, and that another organization keeps everything.
func testOrgData(f *fixture) {
	a, b := orgData{f, "org-a", 1}, orgData{f, "org-b", 101}
	a.insert()
	b.insert()
	full, other, dependents, used := a.counts(), b.counts(), b.dependents(), f.usage("org-b")
	for name, n := range full {
		if n != orgRowsEach {
			f.Errorf("%d %s, want %d", n, name, orgRowsEach)
		}
	}
	f.wantEqual(dependents, map[string]int64{"logos": orgRowsEach, "attempts": orgRowsEach, "runs": orgRowsEach})
	imports, sessions := a.ids(9)
	f.wantEqual(imports, []string{id("import", 1), id("import", 2), id("import", 3)})
	f.wantEqual(sessions, []string{aSession(1, "").ID, aSession(2, "").ID, aSession(3, "").ID})
	for limit, want := range map[int]int{-1: 0, 0: 0, 2: 2} {
		imports, sessions := a.ids(limit)
		f.wantEqual([]int{len(imports), len(sessions)}, []int{want, want})
	}

	a.setState(model.OrgDeleting)
	f.wantEqual([]int64{a.deleteRows(0), a.deleteRows(-1)}, []int64{0, 0})
	f.wantEqual(a.counts(), full)
	const limit = 1
	for left, steps := full, 0; ; steps++ {
		deleted, sum := a.deleteRows(limit), int64(0)
		now := a.counts()
		for name, n := range now {
			if sum += left[name] - n; left[name]-n > limit {
				f.Errorf("step %d deleted %d %s, want at most %d", steps, left[name]-n, name, limit)
			}
		}
		f.wantEqual(deleted, sum)
		if left = now; deleted == 0 {
			break
		}
		if steps > orgRowsEach*len(full) {
			f.Fatal("the steps do not end")
		}
	}
	for name, n := range a.counts() {
		if n > 0 {
			f.Errorf("%d %s are left", n, name)
		}
	}
	f.wantEqual(a.dependents(), map[string]int64{"logos": 0, "attempts": 0, "runs": 0})

	f.wantRefused(model.NotFound, a.deleteOrg)
	for _, one := range imports {
		f.mustUpdate(func(tx model.Tx) error { return tx.Imports.Delete(f.ctx, "org-a", one) })
	}
	f.wantRefused(model.NotFound, a.deleteOrg)
	for _, one := range sessions {
		f.mustUpdate(func(tx model.Tx) error { return tx.Sessions.Delete(f.ctx, "org-a", one) })
	}
	f.wantEqual(f.usage("org-a"), model.Usage{Org: "org-a"})
	f.mustUpdate(a.deleteOrg)
	f.mustUpdate(a.deleteOrg)
	f.wantEqual(f.orgs(), []model.Org{f.b})
	f.wantNotFound(func(tx model.Tx) error { _, err := tx.Usage.Get(f.ctx, "org-a"); return err })

	f.wantEqual(b.counts(), other)
	f.wantEqual(b.dependents(), dependents)
	f.wantEqual(f.usage("org-b"), used)
	f.wantEqual(len(f.editsAfter("org-b", id("import", 101), 1, 0)), 1)
	imports, sessions = b.ids(9)
	f.wantEqual([]int{len(imports), len(sessions)}, []int{orgRowsEach, orgRowsEach})
}

func (f *fixture) orgs() []model.Org {
	f.Helper()
	return read(f, func(tx model.Tx) ([]model.Org, error) { return tx.Accounts.Orgs(f.ctx) })
}

// testOrgNotDeleting checks that nothing of an organization is deleted unless it is OrgDeleting.
func testOrgNotDeleting(f *fixture) {
	a, none := orgData{f, "org-a", 1}, orgData{f, "none", 1}
	f.mustUpdate(a.deleteOrg)
	f.mustUpdate(none.deleteOrg)
	f.wantEqual(f.orgs(), []model.Org{f.a, f.b})
	a.insert()
	full := a.counts()
	for _, state := range []model.OrgState{model.OrgActive, model.OrgDisabled} {
		a.setState(state)
		f.wantEqual(a.deleteRows(9), int64(0))
		f.mustUpdate(a.deleteOrg)
		f.wantEqual(a.counts(), full)
		f.wantEqual(len(f.orgs()), 2)
	}
	f.wantEqual(none.deleteRows(9), int64(0))
}

// testOrgInUse checks that an organization is not deleted while it has a row of any kind.
func testOrgInUse(f *fixture) {
	a := orgData{f, "org-a", 1}
	a.setState(model.OrgDeleting)
	for name, kind := range a.kinds() {
		if name == "pulled files" {
			continue // they need a connector
		}
		f.mustUpdate(func(tx model.Tx) error { return kind.insert(tx, 1) })
		if err := f.store.Update(f.ctx, a.deleteOrg); !model.IsKind(err, model.NotFound) {
			f.Fatalf("an organization with %s: %v, want NotFound", name, err)
		}
		f.wantEqual(a.deleteRows(9), int64(1))
	}
	f.mustUpdate(a.deleteOrg)
	f.wantEqual(f.orgs(), []model.Org{f.b})
}
