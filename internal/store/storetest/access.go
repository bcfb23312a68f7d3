package storetest

import (
	"bytes"

	"github.com/intraydata/intray/internal/service"
)

func testOrgs(f *fixture) {
	f.same(read(f, func(tx service.Tx) ([]service.Org, error) { return tx.Accounts.Orgs(f.ctx) }),
		[]service.Org{f.a, f.b})
	f.same(read(f, func(tx service.Tx) (service.Org, error) { return tx.Accounts.OrgByName(f.ctx, "Beta") }), f.b)
	f.missing(func(tx service.Tx) error {
		_, err := tx.Accounts.OrgByName(f.ctx, "beta")
		return err
	})
	for _, taken := range []service.Org{{ID: "org-c", Name: "Alpha"}, {ID: "org-a", Name: "Gamma"}} {
		f.refused(service.Conflict, func(tx service.Tx) error { return tx.Accounts.InsertOrg(f.ctx, taken) })
	}
}

func testLicences(f *fixture) {
	late := service.Licence{ID: "l-2", Org: "org-a", Kind: service.Frontend, Hash: []byte{0, 255, 1}, Hint: "fk_ab…", Created: after(9)}
	soon := service.Licence{ID: "l-1", Org: "org-b", Kind: service.Backend, Hash: []byte("hash"), Hint: "bk_ab…",
		Created: after(3), Expires: after(60)}
	f.update(func(tx service.Tx) error {
		if err := tx.Accounts.InsertLicence(f.ctx, late); err != nil {
			return err
		}
		return tx.Accounts.InsertLicence(f.ctx, soon)
	})
	byHash := func(hash string) func(service.Tx) (service.Licence, error) {
		return func(tx service.Tx) (service.Licence, error) { return tx.Accounts.LicenceByHash(f.ctx, []byte(hash)) }
	}
	f.same(read(f, byHash("\x00\xff\x01")), late)
	f.same(read(f, byHash("hash")), soon)
	f.missing(func(tx service.Tx) error { _, err := byHash("")(tx); return err })

	again := service.Licence{ID: "l-3", Org: "org-a", Kind: service.Backend, Hash: []byte("hash")}
	f.refused(service.Conflict, func(tx service.Tx) error { return tx.Accounts.InsertLicence(f.ctx, again) })

	for _, minute := range []int{20, 30} {
		f.update(func(tx service.Tx) error { return tx.Accounts.RevokeLicence(f.ctx, "l-1", after(minute)) })
	}
	soon.Revoked = after(20)
	f.same(read(f, func(tx service.Tx) ([]service.Licence, error) { return tx.Accounts.Licences(f.ctx) }),
		[]service.Licence{soon, late})
	f.refused(service.NotFound, func(tx service.Tx) error { return tx.Accounts.RevokeLicence(f.ctx, "l-9", after(1)) })
}

func aSession(n int, org string) service.Session {
	return service.Session{ID: id("session", n), Org: org, ImportIdentifier: "contacts", Tag: "t",
		Created: after(n), Saved: after(n)}
}

func (f *fixture) session(id string) service.Session {
	f.Helper()
	return read(f, func(tx service.Tx) (service.Session, error) { return tx.Sessions.Get(f.ctx, "org-a", id) })
}

func testSessions(f *fixture) {
	f.update(func(tx service.Tx) error {
		for n := range 4 {
			if err := tx.Sessions.Insert(f.ctx, aSession(n, []string{"org-a", "org-b"}[n%2])); err != nil {
				return err
			}
		}
		return nil
	})
	f.refused(service.Conflict, func(tx service.Tx) error { return tx.Sessions.Insert(f.ctx, aSession(1, "org-a")) })
	want := aSession(0, "org-a")
	f.same(f.session(want.ID), want)

	want.Tag, want.Saved = "u", after(5)
	want.File, want.FileName, want.ContentType = service.File{Key: "k", Size: 3, SHA256: "s"}, "n.csv", "text/csv"
	asked := want
	asked.ImportIdentifier, asked.Created = "x", after(9)
	f.update(func(tx service.Tx) error { return tx.Sessions.Save(f.ctx, asked) })
	f.same(f.session(want.ID), want)

	state := func() []byte {
		return read(f, func(tx service.Tx) ([]byte, error) { return tx.Sessions.State(f.ctx, "org-a", want.ID) })
	}
	f.same(state(), []byte(nil))
	large := bytes.Repeat([]byte(`{"a":"\u0000"} `), 100_000)
	want.Tag = "v"
	f.update(func(tx service.Tx) error { return tx.Sessions.SaveState(f.ctx, want, large) })
	f.same(f.session(want.ID), want)
	f.same(bytes.Equal(state(), large), true)
	want.Tag = "w"
	f.update(func(tx service.Tx) error { return tx.Sessions.Save(f.ctx, want) })
	f.same(bytes.Equal(state(), large), true)

	stale := func(minutes, limit int) []service.Session {
		return read(f, func(tx service.Tx) ([]service.Session, error) { return tx.Sessions.Stale(f.ctx, after(minutes), limit) })
	}
	f.same(stale(1, 9), []service.Session(nil))
	f.same(stale(3, 9), []service.Session{aSession(1, "org-b"), aSession(2, "org-a")})
	f.same(stale(6, 9), []service.Session{aSession(1, "org-b"), aSession(2, "org-a"), aSession(3, "org-b"), want})
	f.same(stale(6, 1), []service.Session{aSession(1, "org-b")})

	f.update(func(tx service.Tx) error { return tx.Sessions.Delete(f.ctx, "org-a", want.ID) })
	f.missing(func(tx service.Tx) error { _, err := tx.Sessions.Get(f.ctx, "org-a", want.ID); return err })
}

func aReplay(n int, org string) service.Replay {
	return service.Replay{Org: org, Key: id("key", n), Fingerprint: "f", Node: "node", Created: after(n)}
}

func (f *fixture) replay(org string, n int) func(service.Tx) (service.Replay, error) {
	return func(tx service.Tx) (service.Replay, error) { return tx.Replays.Get(f.ctx, org, id("key", n)) }
}

func testReplays(f *fixture) {
	insert := func(r service.Replay) func(service.Tx) error {
		return func(tx service.Tx) error { return tx.Replays.Insert(f.ctx, r) }
	}
	for n := range 3 {
		f.update(insert(aReplay(n, "org-a")))
	}
	f.update(insert(aReplay(1, "org-b")))
	f.refused(service.Conflict, insert(aReplay(1, "org-a")))
	f.same(read(f, f.replay("org-b", 1)), aReplay(1, "org-b"))

	want := aReplay(1, "org-a")
	want.Fingerprint, want.Node, want.Status, want.Sealed, want.Created = "g", "", 201, []byte{0, 200}, after(1)
	f.update(func(tx service.Tx) error { return tx.Replays.Save(f.ctx, want) })
	f.same(read(f, f.replay("org-a", 1)), want)
	f.same(read(f, f.replay("org-b", 1)), aReplay(1, "org-b"))

	f.update(func(tx service.Tx) error { return tx.Replays.DeleteBefore(f.ctx, after(1)) })
	f.missing(func(tx service.Tx) error { _, err := f.replay("org-a", 0)(tx); return err })
	f.same(read(f, f.replay("org-a", 1)), want)
	f.update(func(tx service.Tx) error { return tx.Replays.DeleteBefore(f.ctx, after(2)) })
	f.missing(func(tx service.Tx) error { _, err := f.replay("org-a", 1)(tx); return err })
	f.same(read(f, f.replay("org-a", 2)), aReplay(2, "org-a"))
}
