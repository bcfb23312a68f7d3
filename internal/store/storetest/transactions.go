package storetest

import (
	"sync"
	"sync/atomic"

	"github.com/intraydata/intray/internal/service"
)

// testHeld lets many transactions read a row, count it up and write it back:
// not one count may be lost.
func testHeld(f *fixture) {
	f.insertEach("org-a")
	counts := map[string]struct {
		up   func(tx service.Tx) error
		read func(tx service.Tx) (int, error)
	}{
		"session": {
			func(tx service.Tx) error {
				s, err := tx.Sessions.Get(f.ctx, "org-a", "x")
				s.Tag += "."
				return firstError(err, tx.Sessions.Save(f.ctx, s))
			},
			func(tx service.Tx) (int, error) {
				s, err := tx.Sessions.Get(f.ctx, "org-a", "x")
				return len(s.Tag), err
			},
		},
		"credential": {
			func(tx service.Tx) error {
				c, err := tx.Credentials.Get(f.ctx, "org-a", "x")
				c.Port++
				return firstError(err, tx.Credentials.Save(f.ctx, c))
			},
			func(tx service.Tx) (int, error) {
				c, err := tx.Credentials.Get(f.ctx, "org-a", "x")
				return c.Port, err
			},
		},
		"replay": {
			func(tx service.Tx) error {
				r, err := tx.Replays.Get(f.ctx, "org-a", "x")
				r.Status++
				return firstError(err, tx.Replays.Save(f.ctx, r))
			},
			func(tx service.Tx) (int, error) {
				r, err := tx.Replays.Get(f.ctx, "org-a", "x")
				return r.Status, err
			},
		},
		"import": {
			func(tx service.Tx) error {
				i, err := tx.Imports.Get(f.ctx, "org-a", "x")
				i.Lost++
				return firstError(err, tx.Imports.Move(f.ctx, i, i.Status, i.Run))
			},
			func(tx service.Tx) (int, error) {
				i, err := tx.Imports.Get(f.ctx, "org-a", "x")
				return i.Lost, err
			},
		},
	}
	const writers, each = 6, 10
	for noun, count := range counts {
		var wg sync.WaitGroup
		for range writers {
			wg.Go(func() {
				for range each {
					if err := f.store.Update(f.ctx, count.up); err != nil {
						f.Errorf("counting up in a %s: %v", noun, err)
					}
				}
			})
		}
		wg.Wait()
		if got := read(f, count.read); got != writers*each {
			f.Errorf("of %d counts in a %s %d are left", writers*each, noun, got)
		}
	}
}

// testHeldAndGone reads a session while another transaction removes it: it is
// there to the end of the first or not there at all.
func testHeldAndGone(f *fixture) {
	for range 20 {
		f.update(func(tx service.Tx) error { return tx.Sessions.Insert(f.ctx, service.Session{ID: "y", Org: "org-a"}) })
		var wg sync.WaitGroup
		wg.Go(func() {
			f.update(func(tx service.Tx) error { return tx.Sessions.Delete(f.ctx, "org-a", "y") })
		})
		var lost atomic.Bool
		err := f.store.Update(f.ctx, func(tx service.Tx) error {
			s, err := tx.Sessions.Get(f.ctx, "org-a", "y")
			if err != nil {
				return err
			}
			err = tx.Sessions.Save(f.ctx, s)
			lost.Store(err != nil)
			return err
		})
		wg.Wait()
		if lost.Load() || err != nil && !service.IsKind(err, service.NotFound) {
			f.Errorf("saving the session that was got: %v", err)
		}
	}
}

// testCrossed lets transactions hold two rows in different orders. Those that
// the database undoes so that the others can go on run again.
func testCrossed(f *fixture) {
	for _, id := range []string{"p", "q"} {
		f.update(func(tx service.Tx) error { return tx.Sessions.Insert(f.ctx, service.Session{ID: id, Org: "org-a"}) })
	}
	both := func(first, second string) func(tx service.Tx) error {
		return func(tx service.Tx) error {
			for _, id := range []string{first, second} {
				s, err := tx.Sessions.Get(f.ctx, "org-a", id)
				s.Tag += "."
				if err := firstError(err, tx.Sessions.Save(f.ctx, s)); err != nil {
					return err
				}
			}
			return nil
		}
	}
	const rounds = 3
	var wg sync.WaitGroup
	for range rounds {
		wg.Go(func() { f.update(both("p", "q")) })
		wg.Go(func() { f.update(both("q", "p")) })
	}
	wg.Wait()
	for _, id := range []string{"p", "q"} {
		s := read(f, func(tx service.Tx) (service.Session, error) { return tx.Sessions.Get(f.ctx, "org-a", id) })
		f.same(len(s.Tag), 2*rounds)
	}
}

func testMarks(f *fixture) {
	mark := func(name, fresh string) (got string) {
		f.update(func(tx service.Tx) (err error) {
			got, err = tx.Nodes.Mark(f.ctx, name, fresh)
			return err
		})
		return got
	}
	f.same(mark("one", ""), "")
	f.same(mark("one", "first"), "first")
	f.same(mark("one", "second"), "first")
	f.same(mark("one", ""), "first")
	f.same(mark("two", "other"), "other")
	f.same(read(f, func(tx service.Tx) (string, error) { return tx.Nodes.Mark(f.ctx, "one", "") }), "first")
}
