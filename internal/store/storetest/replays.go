package storetest

import (
	"github.com/intraydata/intray/internal/service"
)

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
