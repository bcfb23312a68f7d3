package storetest

import (
	"bytes"

	"github.com/intraydata/intray/server/model"
)

func testOrgs(f *fixture) {
	f.wantEqual(read(f, func(tx model.Tx) ([]model.Org, error) { return tx.Accounts.Orgs(f.ctx) }),
		[]model.Org{f.a, f.b})
	f.wantEqual(read(f, func(tx model.Tx) (model.Org, error) { return tx.Accounts.OrgByName(f.ctx, "Beta") }), f.b)
	f.wantNotFound(func(tx model.Tx) error {
		_, err := tx.Accounts.OrgByName(f.ctx, "beta")
		return err
	})
	for _, taken := range []model.Org{{ID: "org-c", Name: "Alpha"}, {ID: "org-a", Name: "Gamma"}} {
		f.wantRefused(model.Conflict, func(tx model.Tx) error { return tx.Accounts.InsertOrg(f.ctx, taken) })
	}
}

func testSpecialOrgs(f *fixture) {
	special := func(tx model.Tx) ([]model.Org, error) { return tx.Accounts.SpecialOrgs(f.ctx) }
	f.wantEqual(read(f, special), []model.Org(nil))
	limits := map[model.Quota]int64{model.ImportQuota: 0, model.StoredBytesQuota: 1 << 40}
	f.mustUpdate(func(tx model.Tx) error { return tx.Accounts.SetOrgLimits(f.ctx, "org-b", limits) })
	want := f.b
	want.Limits = limits
	f.wantEqual(read(f, special), []model.Org{want})
	f.wantEqual(read(f, func(tx model.Tx) (model.Org, error) { return tx.Accounts.OrgByName(f.ctx, "Beta") }), want)
	f.mustUpdate(func(tx model.Tx) error {
		return tx.Accounts.SetOrgLimits(f.ctx, "org-b", map[model.Quota]int64{})
	})
	f.wantEqual(read(f, special), []model.Org(nil))
	f.wantRefused(model.NotFound, func(tx model.Tx) error { return tx.Accounts.SetOrgLimits(f.ctx, "org-c", limits) })

	for _, state := range []model.OrgState{model.OrgDisabled, model.OrgDeleting} {
		f.mustUpdate(func(tx model.Tx) error { return tx.Accounts.SetOrgState(f.ctx, "org-a", state) })
		want := f.a
		want.State = state
		f.wantEqual(read(f, special), []model.Org{want})
	}
	f.wantRefused(model.NotFound, func(tx model.Tx) error { return tx.Accounts.SetOrgState(f.ctx, "org-c", model.OrgDisabled) })
	f.mustUpdate(func(tx model.Tx) error { return tx.Accounts.SetOrgState(f.ctx, "org-a", model.OrgActive) })
	f.wantEqual(read(f, special), []model.Org(nil))
}

// testDisabledOrg checks that imports and connectors of a disabled organization are not claimed, and
// that others are.
func testDisabledOrg(f *fixture) {
	ofA, ofB := anImport(1, "org-a", model.Pending), anImport(2, "org-b", model.Pending)
	f.insertImports(ofA, ofB)
	first, second := aConnector(1, "org-a"), aConnector(2, "org-b")
	first.Next, second.Next = startPlus(1), startPlus(2)
	f.mustUpdate(func(tx model.Tx) error {
		return firstError(tx.Connectors.Insert(f.ctx, first), tx.Connectors.Insert(f.ctx, second), tx.Accounts.SetOrgState(f.ctx, "org-a", model.OrgDisabled))
	})
	now, limits := startPlus(1000), model.RunLimits{PerOrg: 9, PerOrgAndNode: 9}
	claim := func(want string) {
		f.Helper()
		f.mustUpdate(func(tx model.Tx) error {
			imp, err := tx.Imports.Claim(f.ctx, "node", limits, now)
			f.wantEqual(imp.Org, want)
			return model.IgnoreKind(err, model.NotFound)
		})
		f.wantEqual(read(f, func(tx model.Tx) (bool, error) { return tx.Connectors.IsDue(f.ctx, now) }), want != "")
		f.mustUpdate(func(tx model.Tx) error {
			c, err := tx.Connectors.ClaimDue(f.ctx, "node", now)
			f.wantEqual(c.Org, want)
			return model.IgnoreKind(err, model.NotFound)
		})
	}
	claim("org-b")
	claim("")
	f.mustUpdate(func(tx model.Tx) error { return tx.Accounts.SetOrgState(f.ctx, "org-a", model.OrgActive) })
	claim("org-a")
}

func testLicences(f *fixture) {
	late := model.Licence{ID: "l-2", Org: "org-a", Kind: model.Frontend, Hash: []byte{0, 255, 1}, Hint: "fk_ab…", Created: startPlus(9)}
	soon := model.Licence{ID: "l-1", Org: "org-b", Kind: model.Backend, Hash: []byte("hash"), Hint: "bk_ab…",
		Created: startPlus(3), Expires: startPlus(60), Scopes: "read,import"}
	f.mustUpdate(func(tx model.Tx) error {
		if err := tx.Accounts.InsertLicence(f.ctx, late); err != nil {
			return err
		}
		return tx.Accounts.InsertLicence(f.ctx, soon)
	})
	byHash := func(hash string) func(model.Tx) (model.Licence, error) {
		return func(tx model.Tx) (model.Licence, error) { return tx.Accounts.LicenceByHash(f.ctx, []byte(hash)) }
	}
	f.wantEqual(read(f, byHash("\x00\xff\x01")), late)
	f.wantEqual(read(f, byHash("hash")), soon)
	f.wantNotFound(func(tx model.Tx) error { _, err := byHash("")(tx); return err })

	byID := func(id string) func(model.Tx) (model.Licence, error) {
		return func(tx model.Tx) (model.Licence, error) { return tx.Accounts.Licence(f.ctx, id) }
	}
	f.mustUpdate(func(tx model.Tx) error { return tx.Accounts.SetLicenceUsed(f.ctx, "l-1", startPlus(5)) })
	soon.Used = startPlus(5)
	f.wantEqual(read(f, byID("l-1")), soon)
	f.wantEqual(read(f, byID("l-2")), late)
	f.wantNotFound(func(tx model.Tx) error { _, err := byID("l-9")(tx); return err })
	f.wantRefused(model.NotFound, func(tx model.Tx) error { return tx.Accounts.SetLicenceUsed(f.ctx, "l-9", startPlus(5)) })

	f.mustUpdate(func(tx model.Tx) error {
		return tx.Accounts.SetOrigins(f.ctx, "l-2", "https://a.example http://b.example:80")
	})
	late.Origins = "https://a.example http://b.example:80"
	f.wantEqual(read(f, byID("l-2")), late)
	f.wantRefused(model.NotFound, func(tx model.Tx) error { return tx.Accounts.SetOrigins(f.ctx, "l-9", "") })

	again := model.Licence{ID: "l-3", Org: "org-a", Kind: model.Backend, Hash: []byte("hash")}
	f.wantRefused(model.Conflict, func(tx model.Tx) error { return tx.Accounts.InsertLicence(f.ctx, again) })

	for _, minute := range []int{20, 30} {
		f.mustUpdate(func(tx model.Tx) error { return tx.Accounts.RevokeLicence(f.ctx, "l-1", startPlus(minute)) })
	}
	soon.Revoked = startPlus(20)
	f.wantEqual(read(f, func(tx model.Tx) ([]model.Licence, error) { return tx.Accounts.Licences(f.ctx) }),
		[]model.Licence{soon, late})
	f.wantRefused(model.NotFound, func(tx model.Tx) error { return tx.Accounts.RevokeLicence(f.ctx, "l-9", startPlus(1)) })
}

func aSession(n int, org string) model.Session {
	return model.Session{ID: id("session", n), Org: org, ImportIdentifier: "contacts", Tag: "t",
		Created: startPlus(n), Saved: startPlus(n)}
}

func (f *fixture) session(id string) model.Session {
	f.Helper()
	return read(f, func(tx model.Tx) (model.Session, error) { return tx.Sessions.Get(f.ctx, "org-a", id) })
}

func testSessions(f *fixture) {
	f.mustUpdate(func(tx model.Tx) error {
		for n := range 4 {
			if err := tx.Sessions.Insert(f.ctx, aSession(n, []string{"org-a", "org-b"}[n%2])); err != nil {
				return err
			}
		}
		return nil
	})
	f.wantRefused(model.Conflict, func(tx model.Tx) error { return tx.Sessions.Insert(f.ctx, aSession(1, "org-a")) })
	want := aSession(0, "org-a")
	f.wantEqual(f.session(want.ID), want)

	want.Tag, want.Saved, want.ImportID = "u", startPlus(5), "import"
	want.File, want.FileName, want.ContentType = model.File{Key: "k", Size: 3, SHA256: "s"}, "n.csv", "text/csv"
	asked := want
	asked.ImportIdentifier, asked.Created = "x", startPlus(9)
	f.mustUpdate(func(tx model.Tx) error { return tx.Sessions.Save(f.ctx, asked) })
	f.wantEqual(f.session(want.ID), want)

	state := func() []byte {
		return read(f, func(tx model.Tx) ([]byte, error) { return tx.Sessions.LoadState(f.ctx, "org-a", want.ID) })
	}
	f.wantEqual(state(), []byte(nil))
	large := bytes.Repeat([]byte(`{"a":"\u0000"} `), 100_000)
	want.Tag = "v"
	f.mustUpdate(func(tx model.Tx) error { return tx.Sessions.SaveState(f.ctx, want, large) })
	f.wantEqual(f.session(want.ID), want)
	f.wantEqual(bytes.Equal(state(), large), true)
	f.mustUpdate(func(tx model.Tx) error { return tx.Sessions.SaveState(f.ctx, want, nil) })
	f.wantEqual(state(), []byte(nil))
	f.mustUpdate(func(tx model.Tx) error { return tx.Sessions.SaveState(f.ctx, want, large) })
	want.Tag = "w"
	f.mustUpdate(func(tx model.Tx) error { return tx.Sessions.Save(f.ctx, want) })
	f.wantEqual(bytes.Equal(state(), large), true)

	stale := func(minutes, limit int) []model.Session {
		return read(f, func(tx model.Tx) ([]model.Session, error) {
			return tx.Sessions.ListStale(f.ctx, startPlus(minutes), limit)
		})
	}
	f.wantEqual(stale(1, 9), []model.Session(nil))
	f.wantEqual(stale(3, 9), []model.Session{aSession(1, "org-b"), aSession(2, "org-a")})
	f.wantEqual(stale(6, 9), []model.Session{aSession(1, "org-b"), aSession(2, "org-a"), aSession(3, "org-b"), want})
	f.wantEqual(stale(6, 1), []model.Session{aSession(1, "org-b")})

	f.mustUpdate(func(tx model.Tx) error { return tx.Sessions.Delete(f.ctx, "org-a", want.ID) })
	f.wantNotFound(func(tx model.Tx) error { _, err := tx.Sessions.Get(f.ctx, "org-a", want.ID); return err })
}

func aReplay(n int, org string) model.Replay {
	return model.Replay{Org: org, Key: id("key", n), Fingerprint: "f", Node: "node", Created: startPlus(n)}
}

func (f *fixture) replay(org string, n int) func(model.Tx) (model.Replay, error) {
	return func(tx model.Tx) (model.Replay, error) { return tx.Replays.Get(f.ctx, org, id("key", n)) }
}

func testReplays(f *fixture) {
	insert := func(r model.Replay) func(model.Tx) error {
		return func(tx model.Tx) error { return tx.Replays.Insert(f.ctx, r) }
	}
	for n := range 3 {
		f.mustUpdate(insert(aReplay(n, "org-a")))
	}
	f.mustUpdate(insert(aReplay(1, "org-b")))
	f.wantRefused(model.Conflict, insert(aReplay(1, "org-a")))
	f.wantEqual(read(f, f.replay("org-b", 1)), aReplay(1, "org-b"))

	want := aReplay(1, "org-a")
	want.Fingerprint, want.Node, want.Status, want.Sealed, want.Created = "g", "", 201, []byte{0, 200}, startPlus(1)
	f.mustUpdate(func(tx model.Tx) error { return tx.Replays.Save(f.ctx, want) })
	f.wantEqual(read(f, f.replay("org-a", 1)), want)
	f.wantEqual(read(f, f.replay("org-b", 1)), aReplay(1, "org-b"))

	deleteBefore := func(minute, limit int, want int64) {
		f.Helper()
		f.mustUpdate(func(tx model.Tx) error {
			n, err := tx.Replays.DeleteBefore(f.ctx, startPlus(minute), limit)
			f.wantEqual(n, want)
			return err
		})
	}
	deleteBefore(1, 9, 1)
	f.wantNotFound(func(tx model.Tx) error { _, err := f.replay("org-a", 0)(tx); return err })
	f.wantEqual(read(f, f.replay("org-a", 1)), want)
	deleteBefore(9, 2, 2)
	f.wantNotFound(func(tx model.Tx) error { _, err := f.replay("org-a", 1)(tx); return err })
	f.wantEqual(read(f, f.replay("org-a", 2)), aReplay(2, "org-a"))
}

func testRates(f *fixture) {
	add := func(name string, minute int, n, want int64) {
		f.Helper()
		f.mustUpdate(func(tx model.Tx) error {
			got, err := tx.Rates.Add(f.ctx, name, startPlus(minute), n)
			f.wantEqual(got, want)
			return err
		})
	}
	add("a", 0, 3, 3)
	add("a", 0, 4, 7)
	add("a", 1, 1, 1)
	add("b", 0, 2, 2)
	deleteBefore := func(minute, limit int, want int64) {
		f.Helper()
		f.mustUpdate(func(tx model.Tx) error {
			n, err := tx.Rates.DeleteBefore(f.ctx, startPlus(minute), limit)
			f.wantEqual(n, want)
			return err
		})
	}
	deleteBefore(0, 9, 0)
	deleteBefore(1, 1, 1)
	deleteBefore(1, 9, 1)
	add("a", 1, 1, 2)
	add("a", 0, 1, 1)
	add("b", 0, 1, 1)
}
