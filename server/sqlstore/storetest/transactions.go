package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/queue"
)

// importAndJob inserts an import and the job that runs it.
func (f *fixture) importAndJob(n int) func(model.Tx) error {
	return func(tx model.Tx) error {
		if err := tx.Imports.Insert(f.ctx, anImport(n, "org-a", model.Pending)); err != nil {
			return err
		}
		return tx.Jobs.Enqueue(f.ctx, queue.Job{Kind: "run", Key: id("import", n)})
	}
}

// wantBoth checks that there are n imports and n waiting jobs.
func (f *fixture) wantBoth(n int) {
	f.Helper()
	f.mustView(func(tx model.Tx) error {
		_, imports, err := split(tx.Imports.List(f.ctx, "org-a", model.PageRequest{}))
		if err != nil {
			return err
		}
		jobs, err := tx.Jobs.Waiting(f.ctx, "run")
		if imports != int64(n) || jobs != n {
			f.Errorf("%d imports and %d jobs, want %d of each", imports, jobs, n)
		}
		return err
	})
}

func testRollback(f *fixture) {
	wrong := errors.New("wrong")
	err := f.store.Update(f.ctx, func(tx model.Tx) error {
		if err := f.importAndJob(1)(tx); err != nil {
			return err
		}
		return fmt.Errorf("work: %w", wrong)
	})
	if !errors.Is(err, wrong) {
		f.Errorf("Update: %v, want the error of its work", err)
	}
	f.wantBoth(0)
}

func testPanic(f *fixture) {
	func() {
		defer func() { f.wantEqual(recover(), "wrong") }()
		f.mustUpdate(func(tx model.Tx) error {
			if err := f.importAndJob(1)(tx); err != nil {
				return err
			}
			panic("wrong")
		})
	}()
	f.wantBoth(0)
	f.mustUpdate(f.importAndJob(2))
	f.wantBoth(1)
}

func testCommit(f *fixture) {
	f.mustUpdate(f.importAndJob(1))
	f.wantBoth(1)
	f.wantEqual(read(f, func(tx model.Tx) (int, error) { return tx.Jobs.Waiting(f.ctx, "other") }), 0)
	f.wantEqual(f.store.Ping(f.ctx), nil)
}

func testCancelled(f *fixture) {
	ctx, cancel := context.WithCancel(f.ctx)
	err := f.store.Update(ctx, func(tx model.Tx) error {
		err := f.importAndJob(1)(tx)
		cancel()
		return err
	})
	if !errors.Is(err, context.Canceled) {
		f.Errorf("Update: %v, want context.Canceled", err)
	}
	if err := f.store.View(ctx, func(model.Tx) error { return nil }); !errors.Is(err, context.Canceled) {
		f.Errorf("View: %v, want context.Canceled", err)
	}
	if err := f.store.ViewOne(ctx, func(tx model.Tx) error { _, err := tx.Imports.Get(ctx, "org-a", id("import", 1)); return err }); !errors.Is(err, context.Canceled) {
		f.Errorf("ViewOne: %v, want context.Canceled", err)
	}
	f.wantBoth(0)
}

func testConflictGoesOn(f *fixture) {
	f.mustUpdate(f.importAndJob(1))
	f.mustUpdate(func(tx model.Tx) error {
		again := tx.Imports.Insert(f.ctx, anImport(1, "org-a", model.Pending))
		name := tx.Accounts.InsertOrg(f.ctx, model.Org{ID: "new", Name: "Alpha"})
		_, gone := tx.Schemas.Get(f.ctx, "org-a", "unknown")
		if !model.IsKind(again, model.Conflict) || !model.IsKind(name, model.Conflict) || !model.IsKind(gone, model.NotFound) {
			f.Errorf("got %v, %v and %v", again, name, gone)
		}
		return f.importAndJob(2)(tx)
	})
	f.wantBoth(2)
}

func testViewChangesNothing(f *fixture) {
	insert := func(tx model.Tx) error { return tx.Imports.Insert(f.ctx, anImport(1, "org-a", model.Pending)) }
	if f.store.View(f.ctx, insert) == nil || f.store.ViewOne(f.ctx, insert) == nil {
		f.Error("an import was inserted in a View or ViewOne")
	}
	f.wantBoth(0)
}

func testViewIsOneState(f *fixture) {
	count := func(tx model.Tx) int64 {
		_, n, err := split(tx.Imports.List(f.ctx, "org-a", model.PageRequest{}))
		f.wantEqual(err, nil)
		return n
	}
	f.mustView(func(tx model.Tx) error {
		before := count(tx)
		f.mustUpdate(f.importAndJob(1))
		f.wantEqual(count(tx), before)
		return nil
	})
	f.wantBoth(1)
}

func testManyAtOnce(f *fixture) {
	const writers, each = 8, 25
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for n := range each {
				if err := f.store.Update(f.ctx, f.importAndJob(w*each+n)); err != nil {
					f.Errorf("Update: %v", err)
				}
				get := func(tx model.Tx) error {
					_, err := tx.Imports.Get(f.ctx, "org-a", id("import", w*each+n))
					return err
				}
				if err := errors.Join(f.store.View(f.ctx, get), f.store.ViewOne(f.ctx, get)); err != nil {
					f.Errorf("View or ViewOne: %v", err)
				}
			}
		})
	}
	wg.Wait()
	f.wantBoth(writers * each)
}

// testHeld runs many concurrent transactions that read a row, increment a number in
// it and write it back. No increment may be lost.
func testHeld(f *fixture) {
	f.insertEach("org-a")
	counts := map[string]struct {
		up   func(tx model.Tx) error
		read func(tx model.Tx) (int, error)
	}{
		"session": {
			func(tx model.Tx) error {
				s, err := tx.Sessions.Get(f.ctx, "org-a", "x")
				s.Tag += "."
				return firstError(err, tx.Sessions.Save(f.ctx, s))
			},
			func(tx model.Tx) (int, error) {
				s, err := tx.Sessions.Get(f.ctx, "org-a", "x")
				return len(s.Tag), err
			},
		},
		"credential": {
			func(tx model.Tx) error {
				c, err := tx.Credentials.Get(f.ctx, "org-a", "x")
				c.Port++
				return firstError(err, tx.Credentials.Save(f.ctx, c))
			},
			func(tx model.Tx) (int, error) {
				c, err := tx.Credentials.Get(f.ctx, "org-a", "x")
				return c.Port, err
			},
		},
		"replay": {
			func(tx model.Tx) error {
				r, err := tx.Replays.Get(f.ctx, "org-a", "x")
				r.Status++
				return firstError(err, tx.Replays.Save(f.ctx, r))
			},
			func(tx model.Tx) (int, error) {
				r, err := tx.Replays.Get(f.ctx, "org-a", "x")
				return r.Status, err
			},
		},
		"import": {
			func(tx model.Tx) error {
				i, err := tx.Imports.Get(f.ctx, "org-a", "x")
				i.Lost++
				return firstError(err, tx.Imports.UpdateIf(f.ctx, i, i.Status, i.Run))
			},
			func(tx model.Tx) (int, error) {
				i, err := tx.Imports.Get(f.ctx, "org-a", "x")
				return i.Lost, err
			},
		},
	}
	const writers, each = 6, 10
	for entity, count := range counts {
		var wg sync.WaitGroup
		for range writers {
			wg.Go(func() {
				for range each {
					if err := f.store.Update(f.ctx, count.up); err != nil {
						f.Errorf("increment in a %s: %v", entity, err)
					}
				}
			})
		}
		wg.Wait()
		if got := read(f, count.read); got != writers*each {
			f.Errorf("after %d increments in a %s the number is %d", writers*each, entity, got)
		}
	}
}

// testHeldAndGone reads a session while another transaction deletes it. The reading transaction
// must find the session until the transaction ends, or not at all.
func testHeldAndGone(f *fixture) {
	for range 20 {
		f.mustUpdate(func(tx model.Tx) error { return tx.Sessions.Insert(f.ctx, model.Session{ID: "y", Org: "org-a"}) })
		var wg sync.WaitGroup
		wg.Go(func() {
			f.mustUpdate(func(tx model.Tx) error { return tx.Sessions.Delete(f.ctx, "org-a", "y") })
		})
		var lost atomic.Bool
		err := f.store.Update(f.ctx, func(tx model.Tx) error {
			s, err := tx.Sessions.Get(f.ctx, "org-a", "y")
			if err != nil {
				return err
			}
			err = tx.Sessions.Save(f.ctx, s)
			lost.Store(err != nil)
			return err
		})
		wg.Wait()
		if lost.Load() || err != nil && !model.IsKind(err, model.NotFound) {
			f.Errorf("save the session: %v", err)
		}
	}
}

// testCrossed runs transactions that lock two rows in different orders.
// Transactions that the database rolls back must run again.
func testCrossed(f *fixture) {
	for _, id := range []string{"p", "q"} {
		f.mustUpdate(func(tx model.Tx) error { return tx.Sessions.Insert(f.ctx, model.Session{ID: id, Org: "org-a"}) })
	}
	both := func(first, second string) func(tx model.Tx) error {
		return func(tx model.Tx) error {
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
		wg.Go(func() { f.mustUpdate(both("p", "q")) })
		wg.Go(func() { f.mustUpdate(both("q", "p")) })
	}
	wg.Wait()
	for _, id := range []string{"p", "q"} {
		s := read(f, func(tx model.Tx) (model.Session, error) { return tx.Sessions.Get(f.ctx, "org-a", id) })
		f.wantEqual(len(s.Tag), 2*rounds)
	}
}

func testMarks(f *fixture) {
	mark := func(name, fresh string) (got string) {
		f.mustUpdate(func(tx model.Tx) (err error) {
			got, err = tx.Nodes.EnsureMark(f.ctx, name, fresh)
			return err
		})
		return got
	}
	f.wantEqual(mark("one", ""), "")
	f.wantEqual(mark("one", "first"), "first")
	f.wantEqual(mark("one", "second"), "first")
	f.wantEqual(mark("one", ""), "first")
	f.wantEqual(mark("two", "other"), "other")
	f.wantEqual(read(f, func(tx model.Tx) (string, error) { return tx.Nodes.EnsureMark(f.ctx, "one", "") }), "first")
}

// access is a function that reads or changes a row by its id.
type access struct {
	name string
	run  func(tx model.Tx, org, id string) error
}

// accesses returns all accesses to single rows. Deletions come last.
func (f *fixture) accesses() []access {
	ctx := f.ctx
	return []access{
		{"get a schema", func(tx model.Tx, org, id string) error { _, err := tx.Schemas.Get(ctx, org, id); return err }},
		{"replace a schema", func(tx model.Tx, org, id string) error {
			return tx.Schemas.Replace(ctx, model.Schema{ID: id, Org: org, Name: "new"})
		}},
		{"get an import", func(tx model.Tx, org, id string) error { _, err := tx.Imports.Get(ctx, org, id); return err }},
		{"get an upload", func(tx model.Tx, org, id string) error { _, err := tx.Uploads.Get(ctx, org, id); return err }},
		{"save an upload", func(tx model.Tx, org, id string) error {
			return tx.Uploads.Save(ctx, model.Upload{ID: id, Org: org})
		}},
		{"get a session", func(tx model.Tx, org, id string) error { _, err := tx.Sessions.Get(ctx, org, id); return err }},
		{"save a session", func(tx model.Tx, org, id string) error {
			return tx.Sessions.Save(ctx, model.Session{ID: id, Org: org})
		}},
		{"get a credential", func(tx model.Tx, org, id string) error { _, err := tx.Credentials.Get(ctx, org, id); return err }},
		{"save a credential", func(tx model.Tx, org, id string) error {
			return tx.Credentials.Save(ctx, model.Credential{ID: id, Org: org})
		}},
		{"get an import link", func(tx model.Tx, org, id string) error { _, err := tx.ImportLinks.Get(ctx, org, id); return err }},
		{"save an import link", func(tx model.Tx, org, id string) error {
			return tx.ImportLinks.Save(ctx, model.ImportLink{ID: id, Org: org})
		}},
		{"get a replay", func(tx model.Tx, org, id string) error { _, err := tx.Replays.Get(ctx, org, id); return err }},
		{"save a replay", func(tx model.Tx, org, id string) error {
			return tx.Replays.Save(ctx, model.Replay{Key: id, Org: org})
		}},
		{"delete a schema", func(tx model.Tx, org, id string) error { return tx.Schemas.Delete(ctx, org, id) }},
		{"delete an import", func(tx model.Tx, org, id string) error { return tx.Imports.Delete(ctx, org, id) }},
		{"delete an upload", func(tx model.Tx, org, id string) error { return tx.Uploads.Delete(ctx, org, id) }},
		{"delete a session", func(tx model.Tx, org, id string) error { return tx.Sessions.Delete(ctx, org, id) }},
		{"delete an import link", func(tx model.Tx, org, id string) error { return tx.ImportLinks.Delete(ctx, org, id) }},
		{"delete a credential", func(tx model.Tx, org, id string) error { return tx.Credentials.Delete(ctx, org, id) }},
	}
}

// insertEach inserts one row with the id "x" for each entity.
func (f *fixture) insertEach(org string) {
	f.Helper()
	f.mustUpdate(func(tx model.Tx) error {
		return firstError(
			tx.Schemas.Insert(f.ctx, model.Schema{ID: "x", Org: org, Name: "name"}),
			tx.Imports.Insert(f.ctx, model.Import{ID: "x", Org: org}),
			tx.Uploads.Insert(f.ctx, model.Upload{ID: "x", Org: org}),
			tx.Sessions.Insert(f.ctx, model.Session{ID: "x", Org: org}),
			tx.Credentials.Insert(f.ctx, model.Credential{ID: "x", Org: org}),
			tx.ImportLinks.Insert(f.ctx, model.ImportLink{ID: "x", Org: org}),
			tx.Replays.Insert(f.ctx, model.Replay{Key: "x", Org: org}),
		)
	})
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func testRowsOfOthers(f *fixture) {
	f.insertEach("org-a")
	for _, at := range []struct{ org, id string }{{"org-b", "x"}, {"org-a", "y"}, {"", "x"}} {
		for _, a := range f.accesses() {
			err := f.store.Update(f.ctx, func(tx model.Tx) error { return a.run(tx, at.org, at.id) })
			if !model.IsKind(err, model.NotFound) {
				f.Errorf("%s %q of %q: %v, want NotFound", a.name, at.id, at.org, err)
			}
		}
	}
	// All rows still exist, and each access works for their owner.
	for _, a := range f.accesses() {
		if err := f.store.Update(f.ctx, func(tx model.Tx) error { return a.run(tx, "org-a", "x") }); err != nil {
			f.Errorf("%s: %v", a.name, err)
		}
	}
}

func testNoOrganization(f *fixture) {
	f.wantRefused(model.NotFound, func(tx model.Tx) error {
		return tx.Schemas.Insert(f.ctx, aSchema(1, "org-c", "name"))
	})
	f.wantRefused(model.NotFound, func(tx model.Tx) error {
		return tx.Imports.Insert(f.ctx, anImport(1, "org-c", model.Pending))
	})
}
