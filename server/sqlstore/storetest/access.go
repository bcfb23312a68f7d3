package storetest

import (
	"bytes"

	"github.com/intraydata/intray/server/service"
)

func testOrgs(f *fixture) {
	f.wantEqual(read(f, func(tx service.Tx) ([]service.Org, error) { return tx.Accounts.Orgs(f.ctx) }),
		[]service.Org{f.a, f.b})
	f.wantEqual(read(f, func(tx service.Tx) (service.Org, error) { return tx.Accounts.OrgByName(f.ctx, "Beta") }), f.b)
	f.wantNotFound(func(tx service.Tx) error {
		_, err := tx.Accounts.OrgByName(f.ctx, "beta")
		return err
	})
	for _, taken := range []service.Org{{ID: "org-c", Name: "Alpha"}, {ID: "org-a", Name: "Gamma"}} {
		f.wantRefused(service.Conflict, func(tx service.Tx) error { return tx.Accounts.InsertOrg(f.ctx, taken) })
	}
}

func testLicences(f *fixture) {
	late := service.Licence{ID: "l-2", Org: "org-a", Kind: service.Frontend, Hash: []byte{0, 255, 1}, Hint: "fk_ab…", Created: startPlus(9)}
	soon := service.Licence{ID: "l-1", Org: "org-b", Kind: service.Backend, Hash: []byte("hash"), Hint: "bk_ab…",
		Created: startPlus(3), Expires: startPlus(60)}
	f.mustUpdate(func(tx service.Tx) error {
		if err := tx.Accounts.InsertLicence(f.ctx, late); err != nil {
			return err
		}
		return tx.Accounts.InsertLicence(f.ctx, soon)
	})
	byHash := func(hash string) func(service.Tx) (service.Licence, error) {
		return func(tx service.Tx) (service.Licence, error) { return tx.Accounts.LicenceByHash(f.ctx, []byte(hash)) }
	}
	f.wantEqual(read(f, byHash("\x00\xff\x01")), late)
	f.wantEqual(read(f, byHash("hash")), soon)
	f.wantNotFound(func(tx service.Tx) error { _, err := byHash("")(tx); return err })

	again := service.Licence{ID: "l-3", Org: "org-a", Kind: service.Backend, Hash: []byte("hash")}
	f.wantRefused(service.Conflict, func(tx service.Tx) error { return tx.Accounts.InsertLicence(f.ctx, again) })

	for _, minute := range []int{20, 30} {
		f.mustUpdate(func(tx service.Tx) error { return tx.Accounts.RevokeLicence(f.ctx, "l-1", startPlus(minute)) })
	}
	soon.Revoked = startPlus(20)
	f.wantEqual(read(f, func(tx service.Tx) ([]service.Licence, error) { return tx.Accounts.Licences(f.ctx) }),
		[]service.Licence{soon, late})
	f.wantRefused(service.NotFound, func(tx service.Tx) error { return tx.Accounts.RevokeLicence(f.ctx, "l-9", startPlus(1)) })
}

func aSession(n int, org string) service.Session {
	return service.Session{ID: id("session", n), Org: org, ImportIdentifier: "contacts", Tag: "t",
		Created: startPlus(n), Saved: startPlus(n)}
}

func (f *fixture) session(id string) service.Session {
	f.Helper()
	return read(f, func(tx service.Tx) (service.Session, error) { return tx.Sessions.Get(f.ctx, "org-a", id) })
}

func testSessions(f *fixture) {
	f.mustUpdate(func(tx service.Tx) error {
		for n := range 4 {
			if err := tx.Sessions.Insert(f.ctx, aSession(n, []string{"org-a", "org-b"}[n%2])); err != nil {
				return err
			}
		}
		return nil
	})
	f.wantRefused(service.Conflict, func(tx service.Tx) error { return tx.Sessions.Insert(f.ctx, aSession(1, "org-a")) })
	want := aSession(0, "org-a")
	f.wantEqual(f.session(want.ID), want)

	want.Tag, want.Saved = "u", startPlus(5)
	want.File, want.FileName, want.ContentType = service.File{Key: "k", Size: 3, SHA256: "s"}, "n.csv", "text/csv"
	asked := want
	asked.ImportIdentifier, asked.Created = "x", startPlus(9)
	f.mustUpdate(func(tx service.Tx) error { return tx.Sessions.Save(f.ctx, asked) })
	f.wantEqual(f.session(want.ID), want)

	state := func() []byte {
		return read(f, func(tx service.Tx) ([]byte, error) { return tx.Sessions.LoadState(f.ctx, "org-a", want.ID) })
	}
	f.wantEqual(state(), []byte(nil))
	large := bytes.Repeat([]byte(`{"a":"\u0000"} `), 100_000)
	want.Tag = "v"
	f.mustUpdate(func(tx service.Tx) error { return tx.Sessions.SaveState(f.ctx, want, large) })
	f.wantEqual(f.session(want.ID), want)
	f.wantEqual(bytes.Equal(state(), large), true)
	want.Tag = "w"
	f.mustUpdate(func(tx service.Tx) error { return tx.Sessions.Save(f.ctx, want) })
	f.wantEqual(bytes.Equal(state(), large), true)

	stale := func(minutes, limit int) []service.Session {
		return read(f, func(tx service.Tx) ([]service.Session, error) {
			return tx.Sessions.ListStale(f.ctx, startPlus(minutes), limit)
		})
	}
	f.wantEqual(stale(1, 9), []service.Session(nil))
	f.wantEqual(stale(3, 9), []service.Session{aSession(1, "org-b"), aSession(2, "org-a")})
	f.wantEqual(stale(6, 9), []service.Session{aSession(1, "org-b"), aSession(2, "org-a"), aSession(3, "org-b"), want})
	f.wantEqual(stale(6, 1), []service.Session{aSession(1, "org-b")})

	f.mustUpdate(func(tx service.Tx) error { return tx.Sessions.Delete(f.ctx, "org-a", want.ID) })
	f.wantNotFound(func(tx service.Tx) error { _, err := tx.Sessions.Get(f.ctx, "org-a", want.ID); return err })
}

func aReplay(n int, org string) service.Replay {
	return service.Replay{Org: org, Key: id("key", n), Fingerprint: "f", Node: "node", Created: startPlus(n)}
}

func (f *fixture) replay(org string, n int) func(service.Tx) (service.Replay, error) {
	return func(tx service.Tx) (service.Replay, error) { return tx.Replays.Get(f.ctx, org, id("key", n)) }
}

func testReplays(f *fixture) {
	insert := func(r service.Replay) func(service.Tx) error {
		return func(tx service.Tx) error { return tx.Replays.Insert(f.ctx, r) }
	}
	for n := range 3 {
		f.mustUpdate(insert(aReplay(n, "org-a")))
	}
	f.mustUpdate(insert(aReplay(1, "org-b")))
	f.wantRefused(service.Conflict, insert(aReplay(1, "org-a")))
	f.wantEqual(read(f, f.replay("org-b", 1)), aReplay(1, "org-b"))

	want := aReplay(1, "org-a")
	want.Fingerprint, want.Node, want.Status, want.Sealed, want.Created = "g", "", 201, []byte{0, 200}, startPlus(1)
	f.mustUpdate(func(tx service.Tx) error { return tx.Replays.Save(f.ctx, want) })
	f.wantEqual(read(f, f.replay("org-a", 1)), want)
	f.wantEqual(read(f, f.replay("org-b", 1)), aReplay(1, "org-b"))

	f.mustUpdate(func(tx service.Tx) error { return tx.Replays.DeleteBefore(f.ctx, startPlus(1)) })
	f.wantNotFound(func(tx service.Tx) error { _, err := f.replay("org-a", 0)(tx); return err })
	f.wantEqual(read(f, f.replay("org-a", 1)), want)
	f.mustUpdate(func(tx service.Tx) error { return tx.Replays.DeleteBefore(f.ctx, startPlus(2)) })
	f.wantNotFound(func(tx service.Tx) error { _, err := f.replay("org-a", 1)(tx); return err })
	f.wantEqual(read(f, f.replay("org-a", 2)), aReplay(2, "org-a"))
}
