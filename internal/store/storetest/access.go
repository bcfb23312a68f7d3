package storetest

import (
	"bytes"

	"github.com/intraydata/intray/internal/service"
)

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
