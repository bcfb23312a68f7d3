package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/intraydata/intray/internal/queue"
	"github.com/intraydata/intray/internal/service"
)

// importAndJob adds an import and the job that runs it.
func (f *fixture) importAndJob(n int) func(service.Tx) error {
	return func(tx service.Tx) error {
		if err := tx.Imports.Insert(f.ctx, anImport(n, "org-a", service.Pending)); err != nil {
			return err
		}
		return tx.Jobs.Enqueue(f.ctx, queue.Job{Kind: "run", Key: id("import", n)})
	}
}

// wantBoth checks how many imports and how many waiting jobs there are.
func (f *fixture) wantBoth(n int) {
	f.Helper()
	f.view(func(tx service.Tx) error {
		_, imports, err := tx.Imports.List(f.ctx, "org-a", 0, 0)
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
	err := f.store.Update(f.ctx, func(tx service.Tx) error {
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
		defer func() { f.same(recover(), "wrong") }()
		f.update(func(tx service.Tx) error {
			if err := f.importAndJob(1)(tx); err != nil {
				return err
			}
			panic("wrong")
		})
	}()
	f.wantBoth(0)
	f.update(f.importAndJob(2))
	f.wantBoth(1)
}

func testCommit(f *fixture) {
	f.update(f.importAndJob(1))
	f.wantBoth(1)
	f.same(read(f, func(tx service.Tx) (int, error) { return tx.Jobs.Waiting(f.ctx, "other") }), 0)
	f.same(f.store.Check(f.ctx), nil)
}

func testCancelled(f *fixture) {
	ctx, cancel := context.WithCancel(f.ctx)
	err := f.store.Update(ctx, func(tx service.Tx) error {
		err := f.importAndJob(1)(tx)
		cancel()
		return err
	})
	if !errors.Is(err, context.Canceled) {
		f.Errorf("Update: %v, want that it was cancelled", err)
	}
	if err := f.store.View(ctx, func(service.Tx) error { return nil }); !errors.Is(err, context.Canceled) {
		f.Errorf("View: %v, want that it was cancelled", err)
	}
	f.wantBoth(0)
}

func testConflictGoesOn(f *fixture) {
	f.update(f.importAndJob(1))
	f.update(func(tx service.Tx) error {
		again := tx.Imports.Insert(f.ctx, anImport(1, "org-a", service.Pending))
		name := tx.Accounts.InsertOrg(f.ctx, service.Org{ID: "new", Name: "Alpha"})
		_, gone := tx.Schemas.Get(f.ctx, "org-a", "unknown")
		if !service.IsKind(again, service.Conflict) || !service.IsKind(name, service.Conflict) || !service.IsKind(gone, service.NotFound) {
			f.Errorf("got %v, %v and %v", again, name, gone)
		}
		return f.importAndJob(2)(tx)
	})
	f.wantBoth(2)
}

func testViewChangesNothing(f *fixture) {
	err := f.store.View(f.ctx, func(tx service.Tx) error {
		return tx.Imports.Insert(f.ctx, anImport(1, "org-a", service.Pending))
	})
	if err == nil {
		f.Error("View let an import be added")
	}
	f.wantBoth(0)
}

func testViewIsOneState(f *fixture) {
	count := func(tx service.Tx) int64 {
		_, n, err := tx.Imports.List(f.ctx, "org-a", 0, 0)
		f.same(err, nil)
		return n
	}
	f.view(func(tx service.Tx) error {
		before := count(tx)
		f.update(f.importAndJob(1))
		f.same(count(tx), before)
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
				if err := f.store.View(f.ctx, func(tx service.Tx) error {
					_, err := tx.Imports.Get(f.ctx, "org-a", id("import", w*each+n))
					return err
				}); err != nil {
					f.Errorf("View: %v", err)
				}
			}
		})
	}
	wg.Wait()
	f.wantBoth(writers * each)
}
